"""Activation functions: rectified, sigmoid and Gaussian error linear units, gates, softmax."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_word
from .._core.compositions import composed
from .._core.operands import array_argument, array_arguments
from .._core.operations import declare
from ..special.error_functions import erfc
from ..special.reductions import LOG_SOFTMAX, SOFTMAX, log_softmax_over, softmax_over
from ._checks import check_real_floating
from ._computation import compute

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["gelu", "log_softmax", "relu", "silu", "softmax", "swiglu"]


RELU = declare("nn.relu", "network", accepts="real floating", shape="same", primitive=False)


@composed
def relu(x: AnyArray, /) -> Array:
    r"""Rectified linear unit :math:`\max(x, 0)`.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype.

    Notes
    -----
    Special values: NaN at NaN.
    """
    x = array_argument(x, "relu")
    check_real_floating(x, "relu", "x")
    return compute(RELU, _relu, x)


def _relu(x: Array) -> Array:
    return xp.maximum(x, 0.0)


SILU = declare("nn.silu", "network", accepts="real floating", shape="same", primitive=False)


@composed
def silu(x: AnyArray, /) -> Array:
    r"""Sigmoid linear unit (swish) :math:`\frac{x}{1 + e^{-x}}`.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype.

    Notes
    -----
    Special values: 0 at ``-inf``, ``+inf`` at ``+inf``.

    Elfwing, Uchibe and Doya, "Sigmoid-Weighted Linear Units for Neural Network Function Approximation in Reinforcement
    Learning" (2017).
    """
    x = array_argument(x, "silu")
    check_real_floating(x, "silu", "x")
    return compute(SILU, _silu, x)


def _silu(x: Array) -> Array:
    decay = xp.exp(-xp.abs(x))  # exp(-x) would overflow for large negative x
    result = x * (xp.where(x < 0, decay, 1.0) / (1 + decay))
    return xp.where(x == -math.inf, -0.0, result)  # -inf * 0 is NaN


SWIGLU = declare("nn.swiglu", "network", operands=2, accepts="real floating", shape="same", primitive=False)


@composed
def swiglu(gate: AnyArray, x: AnyArray, /) -> Array:
    r"""Linear unit :math:`\mathrm{silu}(g)\, x` with a gate :math:`g`; see :func:`silu`.

    Parameters
    ----------
    gate, x
        Arrays :math:`g` and :math:`x` of the same shape and real floating-point dtypes.

    Returns
    -------
    Array
        Array of that shape and of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes differ.

    Notes
    -----
    Shazeer, "GLU Variants Improve Transformer" (2020).
    """
    gate, x = array_arguments("swiglu", gate, x)
    check_real_floating(gate, "swiglu", "gate")
    check_real_floating(x, "swiglu", "x")
    if gate.shape != x.shape:
        raise ValueError(
            f"swiglu(): gate has shape {gate.shape} and x has shape {x.shape}, expected the same shape; broadcast them "
            "with xtensor.broadcast_arrays"
        )
    return compute(SWIGLU, _swiglu, gate, x)


def _swiglu(gate: Array, x: Array) -> Array:
    return _silu(gate) * x


GELU = declare("nn.gelu", "network", accepts="real floating", shape="same", primitive=False)

GELU_TANH = declare("nn.gelu_tanh", "network", accepts="real floating", shape="same", primitive=False)
"""The approximation by the hyperbolic tangent."""


@composed
def gelu(x: AnyArray, /, *, approximate: Literal["none", "tanh"] = "none") -> Array:
    r"""Gaussian error linear unit :math:`x \Phi(x) = \frac{x}{2} \operatorname{erfc}(-x / \sqrt 2)`.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.
    approximate
        ``"tanh"`` computes :math:`\frac{x}{2} (1 + \tanh(\sqrt{2/\pi} (x + 0.044715 x^3)))` instead.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype.
    ValueError
        If ``approximate`` is another value.

    Notes
    -----
    Special values: 0 at ``-inf``, ``+inf`` at ``+inf``. Without ``approximate``, small results keep their relative
    precision.

    Hendrycks and Gimpel, "Gaussian Error Linear Units (GELUs)" (2016).
    """
    x = array_argument(x, "gelu")
    check_real_floating(x, "gelu", "x")
    if check_word(approximate, ("none", "tanh"), "gelu", "approximate") == "tanh":
        return compute(GELU_TANH, _gelu_tanh, x)
    return compute(GELU, _gelu, x)


def _gelu(x: Array) -> Array:
    return _zero_at_minus_infinity(x, 0.5 * x * erfc(x * -math.sqrt(0.5)))


def _gelu_tanh(x: Array) -> Array:
    factor = 1 + xp.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))
    return _zero_at_minus_infinity(x, 0.5 * x * factor)


def _zero_at_minus_infinity(x: Array, result: Array) -> Array:
    return xp.where(x == -math.inf, -0.0, result)  # -inf * 0 is NaN


@composed
def softmax(x: AnyArray, /, *, axis: int = -1) -> Array:
    r"""Softmax function :math:`e^{x_i} / \sum_j e^{x_j}`, computed without overflow.

    Parameters
    ----------
    x
        Array of a real floating-point dtype with one axis or more.
    axis
        Axis of the sum.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype.
    IndexError
        If ``axis`` is out of bounds.

    Notes
    -----
    NaN along an axis that contains NaN or ``+inf``, or only ``-inf``.

    See :func:`xtensor.special.softmax` for sums over several axes.
    """
    x = array_argument(x, "softmax")
    check_real_floating(x, "softmax", "x")
    return compute(SOFTMAX, _softmax, x, axis=check_axis(axis, x.ndim, "softmax"))


def _softmax(x: Array, *, axis: int) -> Array:
    return xp.zeros_like(x) if x.shape[axis] == 0 else softmax_over(x, (axis,))


@composed
def log_softmax(x: AnyArray, /, *, axis: int = -1) -> Array:
    r"""Logarithm of the softmax function, :math:`x_i - \ln \sum_j e^{x_j}`, computed without overflow or underflow.

    Parameters
    ----------
    x
        Array of a real floating-point dtype with one axis or more.
    axis
        Axis of the sum.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype.
    IndexError
        If ``axis`` is out of bounds.

    Notes
    -----
    NaN along an axis that contains NaN or only ``-inf``. Beside ``+inf``, ``-inf`` for numbers and NaN for ``+inf``
    itself, as in SciPy.

    See :func:`xtensor.special.log_softmax` for sums over several axes.
    """
    x = array_argument(x, "log_softmax")
    check_real_floating(x, "log_softmax", "x")
    return compute(LOG_SOFTMAX, _log_softmax, x, axis=check_axis(axis, x.ndim, "log_softmax"))


def _log_softmax(x: Array, *, axis: int) -> Array:
    return xp.zeros_like(x) if x.shape[axis] == 0 else log_softmax_over(x, (axis,))
