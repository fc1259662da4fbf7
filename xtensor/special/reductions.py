"""Reductions of exponentials: softmax, its logarithm, and the logarithm of a sum.

``logsumexp`` separates the largest term m from the sum s of the others: ``log|m + s| = log|m| + log1p(s / m)`` is
accurate where the others are small (Blanchard, Higham and Higham, 2021).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, overload

from .. import _ops as xp
from .._core.array import Array, Axis
from .._core.calls import call_if_implemented
from .._core.checks import check_axes, check_flag
from .._core.operations import declare
from ._declaration import arrays, special

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, Operand

__all__ = ["log_softmax", "logsumexp", "softmax"]


SOFTMAX = declare("nn.softmax", "network", accepts="real floating", shape="same", primitive=False)

LOG_SOFTMAX = declare("nn.log_softmax", "network", accepts="real floating", shape="same", primitive=False)

LOGSUMEXP = declare("nn.logsumexp", "network", accepts="real floating", shape="reduced", primitive=False)
"""Logarithm of the sum of exponentials of the last axis, which stays with length 1."""


def softmax_over(x: Array, axes: tuple[int, ...]) -> Array:
    """Return the softmax over axes: by the device's kernel, else by the formula."""
    if len(axes) > 1:
        return _over_one_axis(softmax_over, x, axes)
    if axes and x.size:  # a kernel need not refuse the maximum of no elements
        result = call_if_implemented(SOFTMAX, x._device, x._native, axis=axes[0])
        if result is not NotImplemented:
            return result  # type: ignore[no-any-return]
    shifted = xp.exp(x - xp.max(x, axis=axes, keepdims=True))
    return shifted / xp.sum(shifted, axis=axes, keepdims=True)


def log_softmax_over(x: Array, axes: tuple[int, ...]) -> Array:
    """Return the logarithm of the softmax over axes: by the device's kernel, else by the formula.

    An infinite maximum is not subtracted, so that finite elements stay finite next to ``+inf``. The terms of the
    largest elements are counted apart from the others, which may be too small to change the sum.
    """
    if len(axes) > 1:
        return _over_one_axis(log_softmax_over, x, axes)
    if axes and x.size:
        result = call_if_implemented(LOG_SOFTMAX, x._device, x._native, axis=axes[0])
        if result is not NotImplemented:
            return result  # type: ignore[no-any-return]
    largest = xp.max(x, axis=axes, keepdims=True)
    shifted = x - xp.where(xp.isfinite(largest), largest, 0.0)
    is_largest = shifted == 0
    count = xp.sum(xp.astype(is_largest, x.dtype), axis=axes, keepdims=True)
    others = xp.sum(xp.where(is_largest, 0.0, xp.exp(shifted)), axis=axes, keepdims=True)
    return shifted - xp.log1p(others + (count - 1))


def _over_one_axis(function: Callable[[Array, tuple[int, ...]], Array], x: Array, axes: tuple[int, ...]) -> Array:
    """Return a function over several axes, computed over one axis that joins them."""
    order = (*[axis for axis in range(x.ndim) if axis not in axes], *axes)
    moved = xp.permute_dims(x, order)
    count = x.ndim - len(axes)
    joined = xp.reshape(moved, (*moved.shape[:count], math.prod(moved.shape[count:])))
    result = xp.reshape(function(joined, (count,)), moved.shape)
    return xp.permute_dims(result, tuple(order.index(axis) for axis in range(x.ndim)))


def _axes(x: Array, axis: Axis, name: str) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axis is None else check_axes(axis, x.ndim, name)


@special(prefer_formula=True, operands=("x",))
def softmax(x: AnyArray, axis: Axis = None) -> Array:
    r"""Softmax function :math:`e^{x_i} / \sum_j e^{x_j}`, computed without overflow.

    Parameters
    ----------
    x
        Array of a real dtype.
    axis
        Axis or axes of the sum; None means all axes.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    ValueError
        If an axis is out of bounds, repeated or empty.

    Notes
    -----
    NaN along an axis that contains NaN or ``+inf``, or only ``-inf``.

    See ``scipy.special.softmax``; Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax
    functions", IMA J. Numer. Anal. 41 (2021).
    """
    (x,) = arrays(x)
    return softmax_over(x, _axes(x, axis, "softmax"))


@special(prefer_formula=True, operands=("x",))
def log_softmax(x: AnyArray, axis: Axis = None) -> Array:
    r"""Logarithm of the softmax function, :math:`x_i - \ln \sum_j e^{x_j}`, computed without overflow or underflow.

    Parameters
    ----------
    x
        Array of a real dtype.
    axis
        Axis or axes of the sum; None means all axes.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    ValueError
        If an axis is out of bounds, repeated or empty.

    Notes
    -----
    NaN along an axis that contains NaN or only ``-inf``. Beside ``+inf``, ``-inf`` for numbers and NaN for ``+inf``
    itself, as in SciPy.

    See ``scipy.special.log_softmax``; Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax
    functions", IMA J. Numer. Anal. 41 (2021).
    """
    (x,) = arrays(x)
    return log_softmax_over(x, _axes(x, axis, "log_softmax"))


@overload
def logsumexp(
    a: AnyArray, axis: Axis = None, b: Operand | None = None, keepdims: bool = False, *, return_sign: Literal[True]
) -> tuple[Array, Array]: ...


@overload
def logsumexp(
    a: AnyArray,
    axis: Axis = None,
    b: Operand | None = None,
    keepdims: bool = False,
    return_sign: Literal[False] = False,
) -> Array: ...


@special(complex=True, complex_formula=True, prefer_formula=True, operands=("a", "b"))
def logsumexp(
    a: AnyArray,
    axis: Axis = None,
    b: Operand | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Array | tuple[Array, Array]:
    r"""Logarithm of a sum of exponentials, :math:`\ln \sum_i b_i e^{a_i}`, computed without overflow or underflow.

    Parameters
    ----------
    a
        Array of a real or complex dtype.
    axis
        Axis or axes of the sum; None means all axes.
    b
        Factors of the exponentials, broadcast against ``a``; None means 1. Terms with factor 0 are ignored, even where
        ``a`` is infinite or NaN.
    keepdims
        Whether the result keeps the summed axes with length 1.
    return_sign
        Whether to return the sign of the sum, too. The logarithm is then that of the absolute value of the sum.

    Returns
    -------
    Array
        Logarithms in the promoted floating-point dtype. Without ``return_sign``, they are NaN where a real sum is
        negative. An empty sum gives ``-inf``.
    Array
        Signs -1, 0 or 1 of real sums, phases of complex sums. Returned only with ``return_sign``.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    Notes
    -----
    The imaginary part of a complex logarithm is in :math:`(-\pi, \pi]`.

    See ``scipy.special.logsumexp``; Blanchard, Higham and Higham, "Accurately computing the log-sum-exp and softmax
    functions", IMA J. Numer. Anal. 41 (2021).
    """
    (a,) = arrays(a)
    if b is not None:
        (b,) = arrays(b)
    keepdims = check_flag(keepdims, "logsumexp", "keepdims")
    return_sign = check_flag(return_sign, "logsumexp", "return_sign")
    shape = a.shape if b is None else xp.broadcast_shapes(a.shape, b.shape)
    axes = tuple(range(len(shape))) if axis is None else check_axes(axis, len(shape), "logsumexp")
    rows = _as_rows(a, shape, axes)
    factors = None if b is None else _as_rows(b, shape, axes)
    reduced = tuple(1 if i in axes else length for i, length in enumerate(shape) if keepdims or i not in axes)
    if factors is None and rows.dtype.kind == "f" and not return_sign:
        result = call_if_implemented(LOGSUMEXP, rows._device, rows._native)
        if result is NotImplemented:
            result = _logarithm(rows) if rows.shape[-1] else _log_of_nothing(rows)
        return xp.reshape(result, reduced)
    log_and_sign = _log_and_sign(rows, factors)
    logarithm, sign = (xp.reshape(part, reduced) for part in log_and_sign)
    if return_sign:
        return logarithm, sign
    if sign.dtype.kind == "f":
        return xp.where(sign < 0, math.nan, logarithm)
    return logarithm + _imaginary_unit(sign) * xp.atan2(xp.imag(sign), xp.real(sign))


def _as_rows(x: Array, shape: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    """Broadcast to a shape, and merge the axes to sum into one last axis."""
    if x.shape == shape and axes == (len(shape) - 1,):
        return x
    others = tuple(axis for axis in range(len(shape)) if axis not in axes)
    row_length = math.prod(shape[axis] for axis in axes)
    moved = xp.permute_dims(xp.broadcast_to(x, shape), (*others, *axes))
    return xp.reshape(moved, (*(shape[axis] for axis in others), row_length))


def _log_and_sign(x: Array, factors: Array | None) -> tuple[Array, Array]:
    """Return logarithm of the magnitude and sign of the sum along the last axis, which stays with length 1."""
    if x.shape[-1] == 0:
        logarithm = _log_of_nothing(x)
        return logarithm, xp.zeros_like(logarithm, dtype=x.dtype)
    if factors is not None:
        x = xp.where(factors == 0, -math.inf, x)
    if x.dtype.kind == "c":
        return _complex_log_and_sign(x, factors)
    if factors is None:
        logarithm = _logarithm(x)
        return _with_sign(logarithm, xp.ones_like(logarithm))
    return _real_log_and_sign(x, factors)


def _log_of_nothing(x: Array) -> Array:
    """Return the logarithms of sums of no terms."""
    return xp.sum(xp.real(x), axis=-1, keepdims=True) - math.inf


def _logarithm(x: Array) -> Array:
    """Return the logarithm of the sum of real exponentials without factors, which is not negative."""
    largest = xp.max(x, axis=-1, keepdims=True)
    is_largest = x == largest
    main = xp.sum(xp.astype(is_largest, x.dtype), axis=-1, keepdims=True)
    others = xp.sum(xp.where(is_largest, 0.0, xp.exp(x - largest)), axis=-1, keepdims=True)
    return xp.log1p(others / main) + xp.log(main) + largest


def _with_sign(logarithm: Array, sign: Array) -> tuple[Array, Array]:
    """Return logarithms and signs, which are NaN where the logarithm is, and 0 for a sum of 0."""
    return logarithm, xp.where(xp.isnan(logarithm), math.nan, xp.where(logarithm == -math.inf, 0.0, sign))


def _real_log_and_sign(x: Array, factors: Array) -> tuple[Array, Array]:
    largest = xp.max(x, axis=-1, keepdims=True)
    is_largest = x == largest
    main = xp.sum(xp.where(is_largest, factors, 0.0), axis=-1, keepdims=True)
    others = xp.sum(xp.where(is_largest, 0.0, xp.exp(x - largest) * factors), axis=-1, keepdims=True)
    ratio = xp.where(others == 0, 0.0, others / main)
    # log|1 + r| is log1p(-r - 2) for r < -1
    separated = xp.log1p(xp.where(ratio < -1, -ratio - 2, ratio)) + xp.log(xp.abs(main))
    cancelled = main == 0
    logarithm = xp.where(cancelled, xp.log(xp.abs(others)), separated) + largest
    return _with_sign(logarithm, xp.where(cancelled, xp.sign(others), xp.sign(main) * xp.sign(1 + ratio)))


def _complex_log_and_sign(x: Array, factors: Array | None) -> tuple[Array, Array]:
    position = xp.argmax(xp.real(x), axis=-1, keepdims=True)
    is_largest = xp.arange(x.shape[-1], device=x.device) == position
    largest = xp.sum(xp.where(is_largest, x, 0.0), axis=-1, keepdims=True)
    factors = xp.ones_like(x) if factors is None else factors
    main = xp.sum(xp.where(is_largest, factors, 0.0), axis=-1, keepdims=True)
    others = xp.sum(xp.where(is_largest, 0.0, factors * xp.exp(x - largest)), axis=-1, keepdims=True)
    separated = xp.log1p(xp.where(others == 0, 0.0, others / main)) + xp.log(main) + largest
    direct = xp.log(xp.sum(factors * xp.exp(x), axis=-1, keepdims=True))
    logarithm = xp.where(xp.isfinite(separated), separated, direct)
    phase = xp.imag(logarithm)
    return xp.real(logarithm), xp.cos(phase) + _imaginary_unit(x) * xp.sin(phase)


def _imaginary_unit(x: Array) -> Array:
    return xp.asarray(1j, dtype=x.dtype, device=x.device)
