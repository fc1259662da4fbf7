"""Activation functions as modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from .. import functional as F  # noqa: N812
from .module import Module

__all__ = [
    "ELU",
    "GELU",
    "GLU",
    "SELU",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
]


class _Activation(Module):
    """A function of :mod:`xtensor.nn.functional` whose options are the module's settings."""

    function: ClassVar[Callable[..., Array]]
    options: ClassVar[tuple[str, ...]] = ()

    def forward(self, x: Array) -> Array:
        """Return the function of ``x``."""
        return type(self).function(x, **{name: getattr(self, name) for name in self.options})

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return ", ".join([f"{name}={getattr(self, name)!r}" for name in self.options])


class ReLU(_Activation):
    """Rectified linear unit; see :func:`xtensor.nn.functional.relu`."""

    function = staticmethod(F.relu)


class ReLU6(_Activation):
    """Rectified linear unit with a bound; see :func:`xtensor.nn.functional.relu6`."""

    function = staticmethod(F.relu6)


class SiLU(_Activation):
    """Sigmoid linear unit; see :func:`xtensor.nn.functional.silu`."""

    function = staticmethod(F.silu)


class Mish(_Activation):
    """Mish; see :func:`xtensor.nn.functional.mish`."""

    function = staticmethod(F.mish)


class Sigmoid(_Activation):
    """Logistic function; see :func:`xtensor.nn.functional.sigmoid`."""

    function = staticmethod(F.sigmoid)


class LogSigmoid(_Activation):
    """Logarithm of the logistic function; see :func:`xtensor.nn.functional.logsigmoid`."""

    function = staticmethod(F.logsigmoid)


class Tanh(_Activation):
    """Hyperbolic tangent; see :func:`xtensor.nn.functional.tanh`."""

    function = staticmethod(F.tanh)


class SELU(_Activation):
    """Scaled exponential linear unit; see :func:`xtensor.nn.functional.selu`."""

    function = staticmethod(F.selu)


class LeakyReLU(_Activation):
    """Leaky rectified linear unit; see :func:`xtensor.nn.functional.leaky_relu`.

    Parameters
    ----------
    negative_slope
        Slope where ``x`` is negative.
    """

    function = staticmethod(F.leaky_relu)
    options = ("negative_slope",)

    def __init__(self, negative_slope: float = 0.01) -> None:
        self.negative_slope = negative_slope


class ELU(_Activation):
    """Exponential linear unit; see :func:`xtensor.nn.functional.elu`.

    Parameters
    ----------
    alpha
        Factor where ``x`` is negative.
    """

    function = staticmethod(F.elu)
    options = ("alpha",)

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = alpha


class Hardtanh(_Activation):
    """``x`` within limits; see :func:`xtensor.nn.functional.hardtanh`.

    Parameters
    ----------
    min_val, max_val
        The limits.
    """

    function = staticmethod(F.hardtanh)
    options = ("min_val", "max_val")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        self.min_val, self.max_val = min_val, max_val


class GELU(_Activation):
    """Gaussian error linear unit; see :func:`xtensor.nn.functional.gelu`.

    Parameters
    ----------
    approximate
        ``"none"`` or ``"tanh"``.
    """

    function = staticmethod(F.gelu)
    options = ("approximate",)

    def __init__(self, approximate: Literal["none", "tanh"] = "none") -> None:
        self.approximate = approximate


class Softplus(_Activation):
    """Smooth rectifier; see :func:`xtensor.nn.functional.softplus`.

    Parameters
    ----------
    beta
        Factor of ``x``.
    threshold
        Value of ``beta * x`` above which the result is ``x``.
    """

    function = staticmethod(F.softplus)
    options = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        self.beta, self.threshold = beta, threshold


class _AlongAxis(Module):
    """An activation function along an axis that has PyTorch's name, ``dim``."""

    function: ClassVar[Callable[..., Array]]

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Array) -> Array:
        """Return the function of ``x``."""
        return type(self).function(x, axis=self.dim)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"dim={self.dim}"


class Softmax(_AlongAxis):
    """Softmax function; see :func:`xtensor.nn.functional.softmax`.

    Parameters
    ----------
    dim
        Axis of the sum.
    """

    function = staticmethod(F.softmax)


class LogSoftmax(_AlongAxis):
    """Logarithm of the softmax function; see :func:`xtensor.nn.functional.log_softmax`.

    Parameters
    ----------
    dim
        Axis of the sum.
    """

    function = staticmethod(F.log_softmax)


class GLU(_AlongAxis):
    """Gated linear unit; see :func:`xtensor.nn.functional.glu`.

    Parameters
    ----------
    dim
        Axis of the halves.
    """

    function = staticmethod(F.glu)


class PReLU(Module):
    """Leaky rectified linear unit with learned slopes; see :func:`xtensor.nn.functional.prelu`.

    Parameters
    ----------
    num_parameters
        1, or the number of channels for a slope of each.
    init
        Initial slope.
    device, dtype
        Of the slopes. Default: the default device; float32.

    Attributes
    ----------
    weight
        Array of shape (num_parameters,).
    """

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, *, device: str | Device | None = None, dtype: Any = None
    ) -> None:
        self.num_parameters = num_parameters
        self.weight = xp.full((num_parameters,), init, dtype=xp.float32 if dtype is None else dtype, device=device)

    def forward(self, x: Array) -> Array:
        """Return the function of ``x``."""
        return F.prelu(x, self.weight)

    def extra_repr(self) -> str:
        """Return the settings that ``repr`` shows."""
        return f"num_parameters={self.num_parameters}"
