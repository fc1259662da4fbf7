"""Statistical functions (Array API standard 2025.12, "Statistical Functions")."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Never

import numpy as np

from .._core.array import Array, Axis
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import check_axes, check_cast, check_dtype
from .._core.compiled import with_short_way_of_all
from .._core.dtypes import DType, is_narrow, kind_of
from .._core.errors import describe
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_reduction
from .._core.operands import array_argument
from .._core.operations import Operation, declare, operation
from .data_types import astype

HALF = np.dtype(np.float16)

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike

__all__ = ["max", "mean", "min", "prod", "std", "sum", "var"]


MAX = declare("max", "reduction", accepts="real", shape="reduced", numpy="max")


@with_short_way_of_all(MAX, axis=None, keepdims=False)
@keywords_only
def max(x: AnyArray, /, *positional: Never, axis: Axis = None, keepdims: bool = False) -> Array:
    r"""Return the largest element, :math:`\max_i x_i`, over axes.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    axis
        Axis or axes to reduce; None reduces all axes.
    keepdims
        Whether the reduced axes remain in the result with length 1.

    Returns
    -------
    Array
        Array of the dtype of ``x``. NaN propagates: the result is NaN if an element is.

    Raises
    ------
    ValueError
        If there are no elements to reduce, or an axis is out of bounds or repeated.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``max``.
    """
    if positional:
        raise by_position(max, positional)
    x = array_argument(x, "max")
    device = x._device
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "max")
    return apply_reduction(MAX, device, x._native, axis=axis, keepdims=keepdims)


def _count(x: Native, axis: Axis) -> int:
    """The number of elements that a reduction combines into one."""
    if axis is None:
        return math.prod(x.shape)
    return math.prod(x.shape[item] for item in (axis if isinstance(axis, tuple) else (axis,)))


def _accumulated(xp: Any, x: Native) -> Native:
    """An array in the dtype that sums are accumulated in."""
    if kind_of(x.dtype) not in "fc":
        return xp.astype(x, xp.default_float)
    return xp.astype(x, np.dtype(np.float32)) if is_narrow(x.dtype) else x


def _compose_mean(xp: Any, x: Native, *, axis: Axis, keepdims: bool) -> Native:
    work = _accumulated(xp, x)
    total = xp.sum(work, axis=axis, keepdims=keepdims, dtype=work.dtype)
    result = xp.divide(total, float(_count(x, axis)))
    return xp.astype(result, x.dtype, copy=False) if kind_of(x.dtype) in "fc" else result


MEAN = declare("mean", "reduction", accepts="floating", shape="reduced", numpy="mean", composition=_compose_mean)


@with_short_way_of_all(MEAN, axis=None, keepdims=False)
@keywords_only
def mean(x: AnyArray, /, *positional: Never, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Array:
    r"""Return the arithmetic mean, :math:`\frac{1}{N} \sum_i x_i`, over axes.

    Parameters
    ----------
    x
        Array of a floating-point dtype. As in NumPy, integers are accepted and averaged in the default floating-point
        dtype; the device ``strict`` raises.
    axis
        Axis or axes to reduce; None reduces all axes.
    keepdims
        Whether the reduced axes remain in the result with length 1.
    dtype
        Dtype to which ``x`` is cast before, as NumPy's function has it; None for that of ``x``.

    Returns
    -------
    Array
        Array of the dtype of ``x``, or of ``dtype``. NaN if there are no elements (:math:`N = 0`), or if one is NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``mean``.
    """
    if positional:
        raise by_position(mean, positional)
    x = array_argument(x, "mean")
    device = x._device
    if dtype is not None:
        x = astype(x, check_dtype(dtype, device, "mean"), copy=False)
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "mean")
    return apply_reduction(MEAN, device, x._native, axis=axis, keepdims=keepdims)


MIN = declare("min", "reduction", accepts="real", shape="reduced", numpy="min")


@with_short_way_of_all(MIN, axis=None, keepdims=False)
@keywords_only
def min(x: AnyArray, /, *positional: Never, axis: Axis = None, keepdims: bool = False) -> Array:
    r"""Return the smallest element, :math:`\min_i x_i`, over axes.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    axis
        Axis or axes to reduce; None reduces all axes.
    keepdims
        Whether the reduced axes remain in the result with length 1.

    Returns
    -------
    Array
        Array of the dtype of ``x``. NaN propagates: the result is NaN if an element is.

    Raises
    ------
    ValueError
        If there are no elements to reduce, or an axis is out of bounds or repeated.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``min``.
    """
    if positional:
        raise by_position(min, positional)
    x = array_argument(x, "min")
    device = x._device
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "min")
    return apply_reduction(MIN, device, x._native, axis=axis, keepdims=keepdims)


PROD = declare("prod", "reduction", accepts="numeric", dtype="accumulated", shape="reduced", numpy="prod")


@with_short_way_of_all(PROD, widens_float16=True, axis=None, dtype=None, keepdims=False)
@keywords_only
def prod(
    x: AnyArray, /, *positional: Never, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Array:
    r"""Return the product of the elements, :math:`\prod_i x_i`, over axes.

    Parameters
    ----------
    x
        Array of a numeric dtype.
    axis
        Axis or axes to reduce; None reduces all axes.
    dtype
        Dtype of the result, and of the accumulation. Default: the dtype of ``x``, except that signed integers narrower
        than the default integer accumulate in the default integer dtype and narrower unsigned integers in ``uint64``.
    keepdims
        Whether the reduced axes remain in the result with length 1.

    Returns
    -------
    Array
        Products; 1 if there are no elements.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.
    TypeError
        If the device does not support the dtype.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``prod``.
    """
    if positional:
        raise by_position(prod, positional)
    x = array_argument(x, "prod")
    device = x._device
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "prod")
    if dtype is not None:
        x, dtype = accumulating(x, dtype, "prod")
    if device.widens_float16 and (x._native.dtype if dtype is None else dtype) == HALF:
        return in_float32(PROD, x, axis=axis, keepdims=keepdims)
    return apply_reduction(PROD, device, x._native, axis=axis, dtype=dtype, keepdims=keepdims)


def _compose_std(xp: Any, x: Native, *, axis: Axis, correction: float, keepdims: bool) -> Native:
    if not is_narrow(x.dtype):
        return xp.sqrt(xp.var(x, axis=axis, correction=correction, keepdims=keepdims))
    # The root is taken before the rounding: the variance of float16 may exceed 65504 where its root does not.
    variance = xp.var(_accumulated(xp, x), axis=axis, correction=correction, keepdims=keepdims)
    return xp.astype(xp.sqrt(variance), x.dtype)


STD = declare("std", "reduction", accepts="real floating", shape="reduced", numpy="std", composition=_compose_std)


@keywords_only
def std(
    x: AnyArray,
    /,
    *positional: Never,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Array:
    r"""Return the standard deviation, :math:`\sqrt{\frac{1}{N - c} \sum_i (x_i - \bar x)^2}`, over axes.

    Parameters
    ----------
    x
        Array of a real-valued floating-point dtype.
    axis
        Axis or axes to reduce; None reduces all axes.
    correction
        Degrees-of-freedom adjustment :math:`c`: the divisor is :math:`N - c` for :math:`N` elements. 0 for the
        population, 1 for the unbiased sample variance (Bessel's correction).
    keepdims
        Whether the reduced axes remain in the result with length 1.
    ddof
        NumPy's name for ``correction``; overrides it.

    Returns
    -------
    Array
        Array of the dtype of ``x``. NaN if :math:`N - c \le 0`.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.
    TypeError
        If ``correction`` is not a real number.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``std``.
    """
    if positional:
        raise by_position(std, positional)
    x = array_argument(x, "std")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "std")
    return _variance(STD, x, axis, correction if ddof is None else ddof, keepdims)


SUM = declare("sum", "reduction", accepts="numeric", dtype="accumulated", shape="reduced", numpy="sum")


@with_short_way_of_all(SUM, widens_float16=True, axis=None, dtype=None, keepdims=False)
@keywords_only
def sum(
    x: AnyArray, /, *positional: Never, axis: Axis = None, dtype: DTypeLike | None = None, keepdims: bool = False
) -> Array:
    r"""Return the sum of the elements, :math:`\sum_i x_i`, over axes.

    Parameters
    ----------
    x
        Array of a numeric dtype.
    axis
        Axis or axes to reduce; None reduces all axes.
    dtype
        Dtype of the result, and of the accumulation. Default: the dtype of ``x``, except that signed integers narrower
        than the default integer accumulate in the default integer dtype and narrower unsigned integers in ``uint64``.
    keepdims
        Whether the reduced axes remain in the result with length 1.

    Returns
    -------
    Array
        Sums; 0 if there are no elements. NaN if an element is NaN or the elements include both infinities.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.
    TypeError
        If the device does not support the dtype.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``sum``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.sum(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    Array([4., 6.])
    """
    if positional:
        raise by_position(sum, positional)
    x = array_argument(x, "sum")
    device = x._device
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "sum")
    if dtype is not None:
        x, dtype = accumulating(x, dtype, "sum")
    native = x._native
    if device.widens_float16 and (native.dtype if dtype is None else dtype) is HALF:
        return in_float32(SUM, x, axis=axis, keepdims=keepdims)
    return apply_reduction(SUM, device, native, axis=axis, dtype=dtype, keepdims=keepdims)


def _compose_var(xp: Any, x: Native, *, axis: Axis, correction: float, keepdims: bool) -> Native:
    work = _accumulated(xp, x)
    distance = xp.subtract(work, xp.mean(work, axis=axis, keepdims=True))
    # The error of a mean that is far larger than the distances is of their size.
    distance = xp.subtract(distance, xp.mean(distance, axis=axis, keepdims=True))
    squares = xp.square(xp.abs(distance)) if work.dtype.kind == "c" else xp.multiply(distance, distance)
    total = xp.sum(squares, axis=axis, keepdims=keepdims, dtype=squares.dtype)
    result = xp.divide(total, float(np.maximum(_count(x, axis) - correction, 0.0)))
    return xp.astype(result, x.dtype, copy=False) if is_narrow(x.dtype) else result


VAR = declare("var", "reduction", accepts="real floating", shape="reduced", numpy="var", composition=_compose_var)


@keywords_only
def var(
    x: AnyArray,
    /,
    *positional: Never,
    axis: Axis = None,
    correction: float = 0.0,
    keepdims: bool = False,
    ddof: float | None = None,
) -> Array:
    r"""Return the variance, :math:`\frac{1}{N - c} \sum_i (x_i - \bar x)^2`, over axes.

    Parameters
    ----------
    x
        Array of a real-valued floating-point dtype.
    axis
        Axis or axes to reduce; None reduces all axes.
    correction
        Degrees-of-freedom adjustment :math:`c`: the divisor is :math:`N - c` for :math:`N` elements. 0 for the
        population, 1 for the unbiased sample variance (Bessel's correction).
    keepdims
        Whether the reduced axes remain in the result with length 1.
    ddof
        NumPy's name for ``correction``; overrides it.

    Returns
    -------
    Array
        Array of the dtype of ``x``. NaN if :math:`N - c \le 0`.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.
    TypeError
        If ``correction`` is not a real number.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``var``.
    """
    if positional:
        raise by_position(var, positional)
    x = array_argument(x, "var")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "var")
    return _variance(VAR, x, axis, correction if ddof is None else ddof, keepdims)


def in_float32(row: Operation, x: Array, **options: Any) -> Array:
    """Return sums or products that are computed in float32 and rounded once to float16.

    Of 2,048 ones on, sums in float16 would not grow.
    """
    return astype(apply_reduction(row, x._device, x._native, dtype=np.dtype(np.float32), **options), HALF)


def accumulating(x: Array, dtype: Any, name: str) -> tuple[Array, DType | None]:
    """Return the array and the ``dtype=`` argument for the native function.

    For an extension dtype, which no library takes as an accumulate dtype, the array is cast and the argument is None.
    """
    accumulate_dtype = check_dtype(dtype, x._device, name)
    check_cast(x.dtype, accumulate_dtype, name)
    if accumulate_dtype.kind == "V":
        return astype(x, accumulate_dtype, copy=False), None
    return x, accumulate_dtype


def _variance(row: Operation, x: Array, axis: Any, correction: Any, keepdims: bool) -> Array:
    """Compute ``var`` or ``std``; the result is NaN for a divisor of 0 or less, where libraries return infinity."""
    if isinstance(correction, bool) or not isinstance(correction, (int, float)):
        raise TypeError(f"{row.label}(): correction is a real number, not {describe(correction)}")
    device, shape = x._device, x.shape
    if correction > 0 and math.prod(shape if axis is None else (shape[i] for i in axis)) <= correction:
        uncorrected = apply_reduction(row, device, x._native, axis=axis, correction=0.0, keepdims=keepdims)
        return apply(operation("multiply"), device, uncorrected._native, math.nan)
    return apply_reduction(row, device, x._native, axis=axis, correction=correction, keepdims=keepdims)
