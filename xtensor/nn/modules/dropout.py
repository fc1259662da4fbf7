"""Dropout as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from ..._core.array import Array
from ..._core.device import Device
from .. import functional as F  # noqa: N812
from ._initial import Initial, Rng
from .module import Module

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d"]


class Dropout(Module):
    """Sets elements to 0 in training; see :func:`xtensor.nn.functional.dropout`.

    Parameters
    ----------
    p
        Probability of an element to be 0.
    rng
        Generator that draws them, or its seed.
    device
        Device of a generator that is made. Default: the default device.

    Raises
    ------
    ValueError
        If ``p`` is not a probability.
    """

    function: ClassVar[Callable[..., Array]] = staticmethod(F.dropout)

    def __init__(self, p: float = 0.5, *, rng: Rng = None, device: str | Device | None = None) -> None:
        if not 0 <= p <= 1:
            raise ValueError(f"{type(self).__name__}(): p is {p}, expected a probability, a number in [0, 1]")
        self.p = p
        self.rng = Initial(rng, device, None).rng

    def forward(self, x: Array) -> Array:
        """Return ``x`` with elements set to 0 in training, otherwise ``x``."""
        return type(self).function(x, self.p, rng=self.rng, training=self.training)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"p={self.p}"


class Dropout1d(Dropout):
    """Sets channels of arrays of shape (n, c, l) to 0 in training; see :class:`Dropout`."""

    function = staticmethod(F.dropout_channels)


class Dropout2d(Dropout):
    """Sets channels of arrays of shape (n, c, h, w) to 0 in training; see :class:`Dropout`."""

    function = staticmethod(F.dropout_channels)


class Dropout3d(Dropout):
    """Sets channels of arrays of shape (n, c, d, h, w) to 0 in training; see :class:`Dropout`."""

    function = staticmethod(F.dropout_channels)
