"""Activation functions with a bend or a bound: leaky and exponential units, gates, and smooth rectifiers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis
from .._core.compositions import composed
from .._core.operands import array_argument, array_arguments
from .._core.operations import declare
from ..special.logistic import expit, log_expit
from ._checks import check_number, check_real_floating
from ._computation import compute

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = [
    "elu",
    "glu",
    "hardtanh",
    "leaky_relu",
    "logsigmoid",
    "mish",
    "prelu",
    "relu6",
    "selu",
    "sigmoid",
    "softplus",
    "tanh",
]


LEAKY_RELU = declare("nn.leaky_relu", "network", accepts="real floating", shape="same", primitive=False)


@composed
def leaky_relu(x: AnyArray, /, *, negative_slope: float = 0.01) -> Array:
    r"""Leaky rectified linear unit: x where :math:`x > 0`, otherwise :math:`s x`.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.
    negative_slope
        Slope :math:`s`.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype, or an option is not a real number.
    """
    x = array_argument(x, "leaky_relu")
    check_real_floating(x, "leaky_relu", "x")
    return compute(
        LEAKY_RELU, _leaky_relu, x, negative_slope=check_number(negative_slope, "leaky_relu", "negative_slope")
    )


def _leaky_relu(x: Array, *, negative_slope: float) -> Array:
    return xp.where(x > 0, x, negative_slope * x)


ELU = declare("nn.elu", "network", accepts="real floating", shape="same", primitive=False)


@composed
def elu(x: AnyArray, /, *, alpha: float = 1.0) -> Array:
    r"""Exponential linear unit: x where :math:`x > 0`, otherwise :math:`\alpha (e^x - 1)`.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.
    alpha
        Factor :math:`\alpha`.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype, or an option is not a real number.

    Notes
    -----
    Clevert, Unterthiner and Hochreiter, "Fast and Accurate Deep Network Learning by Exponential Linear Units" (2015).
    """
    x = array_argument(x, "elu")
    check_real_floating(x, "elu", "x")
    return compute(ELU, _elu, x, alpha=check_number(alpha, "elu", "alpha"))


def _elu(x: Array, *, alpha: float) -> Array:
    return xp.where(x > 0, x, alpha * xp.expm1(xp.where(x > 0, 0.0, x)))  # exp of large x would overflow


SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
"""The constants of the paper, with which mean 0 and variance 1 are a fixed point."""


SELU = declare("nn.selu", "network", accepts="real floating", shape="same", primitive=False)


@composed
def selu(x: AnyArray, /) -> Array:
    r"""Scaled exponential linear unit: :func:`elu` with :math:`\alpha = 1.673…`, times 1.0507….

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
    Klambauer et al., "Self-Normalizing Neural Networks" (2017).
    """
    x = array_argument(x, "selu")
    check_real_floating(x, "selu", "x")
    return compute(SELU, _selu, x)


def _selu(x: Array) -> Array:
    return SELU_SCALE * _elu(x, alpha=SELU_ALPHA)


RELU6 = declare("nn.relu6", "network", accepts="real floating", shape="same", primitive=False)


@composed
def relu6(x: AnyArray, /) -> Array:
    r"""Rectified linear unit with a bound, :math:`\min(\max(x, 0), 6)`.

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
    """
    x = array_argument(x, "relu6")
    check_real_floating(x, "relu6", "x")
    return compute(RELU6, _relu6, x)


def _relu6(x: Array) -> Array:
    return _hardtanh(x, min_val=0.0, max_val=6.0)


HARDTANH = declare("nn.hardtanh", "network", accepts="real floating", shape="same", primitive=False)


@composed
def hardtanh(x: AnyArray, /, *, min_val: float = -1.0, max_val: float = 1.0) -> Array:
    r"""Limit x to :math:`[a, b]`; the derivative at the limits is 0.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.
    min_val
        Limit :math:`a`.
    max_val
        Limit :math:`b`.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype, or an option is not a real number.
    """
    x = array_argument(x, "hardtanh")
    check_real_floating(x, "hardtanh", "x")
    return compute(
        HARDTANH,
        _hardtanh,
        x,
        min_val=check_number(min_val, "hardtanh", "min_val"),
        max_val=check_number(max_val, "hardtanh", "max_val"),
    )


def _hardtanh(x: Array, *, min_val: float, max_val: float) -> Array:
    limited = xp.where(x <= min_val, min_val, xp.where(x >= max_val, max_val, x))
    return xp.astype(limited, x.dtype, copy=False)


SIGMOID = declare("nn.sigmoid", "network", accepts="real floating", shape="same", primitive=False)


@composed
def sigmoid(x: AnyArray, /) -> Array:
    r"""Logistic function :math:`1 / (1 + e^{-x})`.

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
    """
    x = array_argument(x, "sigmoid")
    check_real_floating(x, "sigmoid", "x")
    return compute(SIGMOID, _sigmoid, x)


def _sigmoid(x: Array) -> Array:
    return expit(x)


LOGSIGMOID = declare("nn.logsigmoid", "network", accepts="real floating", shape="same", primitive=False)


@composed
def logsigmoid(x: AnyArray, /) -> Array:
    r"""Logarithm of the logistic function, :math:`-\ln(1 + e^{-x})`, computed without overflow.

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
    """
    x = array_argument(x, "logsigmoid")
    check_real_floating(x, "logsigmoid", "x")
    return compute(LOGSIGMOID, _logsigmoid, x)


def _logsigmoid(x: Array) -> Array:
    return log_expit(x)


TANH = declare("nn.tanh", "network", accepts="real floating", shape="same", primitive=False)


@composed
def tanh(x: AnyArray, /) -> Array:
    r"""Hyperbolic tangent.

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
    """
    x = array_argument(x, "tanh")
    check_real_floating(x, "tanh", "x")
    return compute(TANH, _tanh, x)


def _tanh(x: Array) -> Array:
    return xp.tanh(x)


SOFTPLUS = declare("nn.softplus", "network", accepts="real floating", shape="same", primitive=False)


@composed
def softplus(x: AnyArray, /, *, beta: float = 1.0, threshold: float = 20.0) -> Array:
    r"""Smooth rectifier :math:`\frac{1}{\beta} \ln(1 + e^{\beta x})`; x where :math:`\beta x` is above ``threshold``.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.
    beta
        Factor :math:`\beta`.
    threshold
        Value of :math:`\beta x` above which the result is x.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype, or an option is not a real number.
    """
    x = array_argument(x, "softplus")
    check_real_floating(x, "softplus", "x")
    return compute(
        SOFTPLUS,
        _softplus,
        x,
        beta=check_number(beta, "softplus", "beta"),
        threshold=check_number(threshold, "softplus", "threshold"),
    )


def _softplus(x: Array, *, beta: float, threshold: float) -> Array:
    scaled = beta * x
    is_linear = scaled > threshold
    return xp.where(is_linear, x, -log_expit(-xp.where(is_linear, 0.0, scaled)) / beta)


MISH = declare("nn.mish", "network", accepts="real floating", shape="same", primitive=False)


@composed
def mish(x: AnyArray, /) -> Array:
    r"""Mish, :math:`x \tanh(\ln(1 + e^x))`.

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

    Misra, "Mish: A Self Regularized Non-Monotonic Activation Function" (2019).
    """
    x = array_argument(x, "mish")
    check_real_floating(x, "mish", "x")
    return compute(MISH, _mish, x)


def _mish(x: Array) -> Array:
    # With u = exp(-|x|), tanh(ln(1 + exp(x))) is 1 - 2u² / (1 + 2u + 2u²) or (u² + 2u) / (u² + 2u + 2).
    # The distance from 1 is taken from x at the end: derivatives of (1 + 2u) / (1 + 2u + 2u²) would cancel.
    u = xp.exp(xp.where(x > 0, -x, x))  # the second derivative of abs(x) would be 0 at 0
    positive = x - x * (2 * u * u / (1 + 2 * u + 2 * u * u))
    negative = x * (u * (u + 2) / (u * (u + 2) + 2))
    result = xp.where(x > 0, positive, negative)
    return xp.where(x == math.inf, x, xp.where(x == -math.inf, -0.0, result))  # inf * 0 is NaN


@composed
def prelu(x: AnyArray, weight: AnyArray, /) -> Array:
    r"""Leaky rectified linear unit with learned slopes: x where :math:`x > 0`, otherwise :math:`w x`.

    Parameters
    ----------
    x
        Array of shape (n, c, …) or (c,), and a real floating-point dtype.
    weight
        Array :math:`w` of shape (1,), or (c,) for a slope of each channel.

    Returns
    -------
    Array
        Array of the shape of ``x`` and of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype.
    ValueError
        If the shapes do not match.
    """
    x, weight = array_arguments("prelu", x, weight)
    check_real_floating(x, "prelu", "x")
    check_real_floating(weight, "prelu", "weight")
    channels = x.shape[1] if x.ndim > 1 else x.shape[0] if x.ndim else 1
    if weight.ndim != 1 or weight.shape[0] not in (1, channels):
        raise ValueError(
            f"prelu(): weight has shape {weight.shape}, expected (1,) or ({channels},) for x of shape {x.shape}"
        )
    if x.ndim > 1:
        weight = xp.reshape(weight, (-1, *[1] * (x.ndim - 2)))
    elif not x.ndim:
        weight = xp.reshape(weight, ())
    return xp.where(x > 0, x, weight * x)


@composed
def glu(x: AnyArray, /, *, axis: int = -1) -> Array:
    r"""Gated linear unit :math:`a \sigma(b)` of the halves a and b of an axis.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.
    axis
        The axis, of even length.

    Returns
    -------
    Array
        Array of the dtype of ``x``, with half the length of the axis.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype.
    ValueError
        If the length of the axis is odd.
    IndexError
        If ``axis`` is out of bounds.
    """
    x = array_argument(x, "glu")
    check_real_floating(x, "glu", "x")
    number = check_axis(axis, x.ndim, "glu")
    length = x.shape[number]
    if length % 2:
        raise ValueError(f"glu(): axis {axis} of shape {x.shape} has the odd length {length}, expected an even one")
    before = (slice(None),) * number
    return x[(*before, slice(0, length // 2))] * expit(x[(*before, slice(length // 2, length))])
