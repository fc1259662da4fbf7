"""Linear layers."""

from __future__ import annotations

from typing import Any

from ... import _ops as xp
from ..._core.array import Array
from ..._core.checks import check_integer
from ..._core.device import Device
from .. import functional as F  # noqa: N812
from ._initial import Initial, Rng
from .module import Module

__all__ = ["Flatten", "Identity", "Linear", "Unflatten", "check_size"]


def check_size(value: Any, function: str, name: str, least: int = 1) -> int:
    """Return a setting that must be an integer of a least size."""
    size = check_integer(value, function, name)
    if size < least:
        raise ValueError(f"{function}(): {name} is {size}, expected {least} or more")
    return size


class Linear(Module):
    r"""Affine map :math:`x W^{\mathsf T} + b`; see :func:`xtensor.nn.functional.linear`.

    Parameters
    ----------
    in_features, out_features
        Length n of the last axis of the input, and m of the output's.
    bias
        Whether there is a bias.
    rng
        Generator of the initial values, or its seed.
    device, dtype
        Of the parameters. Default: the generator's device, else the default device; float32.

    Attributes
    ----------
    weight, bias
        Arrays of shapes (m, n) and (m,), initially uniform on :math:`[-1/\sqrt n, 1/\sqrt n)`; ``bias`` is None without
        one.

    Raises
    ------
    TypeError
        If a length is not an integer.
    ValueError
        If a length is negative.
    """

    _computes_in_short = True

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        rng: Rng = None,
        device: str | Device | None = None,
        dtype: Any = None,
    ) -> None:
        self.in_features = check_size(in_features, "Linear", "in_features", 0)
        self.out_features = check_size(out_features, "Linear", "out_features", 0)
        initial = Initial(rng, device, dtype)
        self.weight = initial.by_inputs(in_features, (out_features, in_features))
        self.bias = initial.by_inputs(in_features, (out_features,)) if bias else None

    def forward(self, x: Array) -> Array:
        """Return the map of an Array of shape (…, n): an Array of shape (…, m)."""
        return F.linear(*self._shortened(x, self.weight, self.bias))

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Identity(Module):
    """The identity. Arguments of the constructor are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def forward(self, x: Array) -> Array:
        """Return ``x``."""
        return x


class Flatten(Module):
    """Reshapes several axes, the first to the last one, to one.

    Parameters
    ----------
    start_dim, end_dim
        First and last axis.
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim = check_integer(start_dim, "Flatten", "start_dim")
        self.end_dim = check_integer(end_dim, "Flatten", "end_dim")

    def forward(self, x: Array) -> Array:
        """Return ``x`` reshaped."""
        first, last = self.start_dim % x.ndim, self.end_dim % x.ndim
        if first > last:
            raise ValueError(f"Flatten(): start_dim {self.start_dim} is after end_dim {self.end_dim} of {x.ndim} axes")
        size = 1
        for length in x.shape[first : last + 1]:
            size *= length
        return xp.reshape(x, (*x.shape[:first], size, *x.shape[last + 1 :]))

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Reshapes one axis to several.

    Parameters
    ----------
    dim
        The axis.
    unflattened_size
        Lengths of the axes; one may be -1.
    """

    def __init__(self, dim: int, unflattened_size: tuple[int, ...]) -> None:
        self.dim = check_integer(dim, "Unflatten", "dim")
        self.unflattened_size = tuple(unflattened_size)

    def forward(self, x: Array) -> Array:
        """Return ``x`` reshaped."""
        axis = self.dim % x.ndim
        lengths, size = list(self.unflattened_size), 1
        for length in lengths:
            size *= length
        if -1 in lengths and size:
            lengths[lengths.index(-1)] = x.shape[axis] // -size
        return xp.reshape(x, (*x.shape[:axis], *lengths, *x.shape[axis + 1 :]))

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
