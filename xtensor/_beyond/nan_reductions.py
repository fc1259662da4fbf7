"""Reductions and cumulative functions that ignore NaN, with NumPy's names and signatures.

xarray, cubed and scikit-learn look for them. Each function is built from the namespace's functions, so it runs on every
device. Dtypes without NaN take the plain reduction.

The functions do not warn about a slice whose elements are all NaN; its result is NaN. The check for a warning would
block until the device has finished.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _standard as xp
from .._core.array import Array, Axis
from .._core.dispatch import composed, device_of
from .._core.dtypes import finfo, kind_of
from .._core.errors import describe

__all__ = [
    "cumprod",
    "cumsum",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


@composed
def cumprod(a: Array, axis: int | None = None, dtype: Any = None) -> Array:
    r"""Return the cumulative products :math:`\prod_{j \le i} a_j` along an axis.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to accumulate along; None flattens ``a`` first.
    dtype
        The dtype of the result and of the computation, as in :func:`cumulative_prod`.

    Returns
    -------
    Array
        The cumulative products, of the shape of ``a``, or of one dimension if ``axis`` is None.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``cumprod``. The standard's function is :func:`cumulative_prod`.
    """
    a, axis = _flatten(_numbers(a, "cumprod"), axis)
    return xp.cumulative_prod(a, axis=axis, dtype=dtype)


@composed
def cumsum(a: Array, axis: int | None = None, dtype: Any = None) -> Array:
    r"""Return the cumulative sums :math:`\sum_{j \le i} a_j` along an axis.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to accumulate along; None flattens ``a`` first.
    dtype
        The dtype of the result and of the computation, as in :func:`cumulative_sum`.

    Returns
    -------
    Array
        The cumulative sums, of the shape of ``a``, or of one dimension if ``axis`` is None.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``cumsum``. The standard's function is :func:`cumulative_sum`.
    """
    a, axis = _flatten(_numbers(a, "cumsum"), axis)
    return xp.cumulative_sum(a, axis=axis, dtype=dtype)


@composed
def nanargmax(a: Array, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return the index of the largest element that is not NaN, or of the first of several equal ones.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis to search along; None searches the flattened array.
    keepdims
        Whether the searched axes remain, with length 1.

    Returns
    -------
    Array
        The indices, of the default index dtype.

    Raises
    ------
    ValueError
        If all elements of a slice are NaN, a slice is empty, or the axis is out of bounds.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanargmax``. Unlike NumPy, the function never returns the index of a NaN in place of an infinity.
    """
    return _argextreme(a, nanmax, axis, keepdims, "nanargmax")


@composed
def nanargmin(a: Array, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """Return the index of the smallest element that is not NaN, or of the first of several equal ones.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis to search along; None searches the flattened array.
    keepdims
        Whether the searched axes remain, with length 1.

    Returns
    -------
    Array
        The indices, of the default index dtype.

    Raises
    ------
    ValueError
        If all elements of a slice are NaN, a slice is empty, or the axis is out of bounds.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanargmin``. Unlike NumPy, the function never returns the index of a NaN in place of an infinity.
    """
    return _argextreme(a, nanmin, axis, keepdims, "nanargmin")


@composed
def nancumprod(a: Array, axis: int | None = None, dtype: Any = None) -> Array:
    r"""Return the cumulative products :math:`\prod_{j \le i} a_j` along an axis, with NaN treated as 1.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to accumulate along; None flattens ``a`` first.
    dtype
        The dtype of the result and of the computation, as in :func:`cumulative_prod`.

    Returns
    -------
    Array
        The cumulative products, of the shape of ``a``, or of one dimension if ``axis`` is None.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``nancumprod``.
    """
    return cumprod(_filled(a, 1.0, "nancumprod"), axis, dtype)


@composed
def nancumsum(a: Array, axis: int | None = None, dtype: Any = None) -> Array:
    r"""Return the cumulative sums :math:`\sum_{j \le i} a_j` along an axis, with NaN treated as 0.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to accumulate along; None flattens ``a`` first.
    dtype
        The dtype of the result and of the computation, as in :func:`cumulative_sum`.

    Returns
    -------
    Array
        The cumulative sums, of the shape of ``a``, or of one dimension if ``axis`` is None.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``nancumsum``.
    """
    return cumsum(_filled(a, 0.0, "nancumsum"), axis, dtype)


@composed
def nanmax(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    r"""Return the largest element that is not NaN, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The maxima, of the dtype of ``a``; NaN if all elements of a slice are NaN.

    Raises
    ------
    ValueError
        If a slice is empty, or an axis is out of bounds.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanmax``.
    """
    return _extreme(a, xp.max, -xp.inf, axis, keepdims, "nanmax")


@composed
def nanmean(a: Array, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    r"""Return the arithmetic mean, :math:`\frac{1}{N} \sum_i a_i`, of the ``N`` elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of the result and of the computation, a floating-point dtype. By default that of ``a``, or the default
        floating-point dtype for integers and booleans.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The means; NaN if all elements of a slice are NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds.
    TypeError
        If ``dtype`` is not a floating-point dtype.

    Notes
    -----
    NumPy, ``nanmean``.
    """
    a = _floating(a, dtype, "nanmean")
    count = _count(a, axis, keepdims)
    return _quotient(xp.sum(_filled(a, 0.0, "nanmean"), axis=axis, dtype=a.dtype, keepdims=keepdims), count)


@composed
def nanmin(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    r"""Return the smallest element that is not NaN, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The minima, of the dtype of ``a``; NaN if all elements of a slice are NaN.

    Raises
    ------
    ValueError
        If a slice is empty, or an axis is out of bounds.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanmin``.
    """
    return _extreme(a, xp.min, xp.inf, axis, keepdims, "nanmin")


@composed
def nanprod(a: Array, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    r"""Return the product, :math:`\prod_i a_i`, of the elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of the result and of the computation, as in :func:`prod`.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The products; 1 if all elements of a slice are NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds.

    Notes
    -----
    NumPy, ``nanprod``.
    """
    return xp.prod(_numbers(_filled(a, 1.0, "nanprod"), "nanprod"), axis=axis, dtype=dtype, keepdims=keepdims)


@composed
def nanstd(
    a: Array,
    axis: Axis = None,
    dtype: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> Array:
    r"""Return the standard deviation, :math:`\sqrt{\frac{1}{N - c} \sum_i |a_i - \bar a|^2}`, ignoring NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of the computation, as in :func:`nanmean`.
    ddof, correction
        Degrees-of-freedom adjustment :math:`c`, under NumPy's or the standard's name: the divisor is :math:`N - c`,
        where :math:`N` is the number of elements that are not NaN. 0 for a population, 1 for a sample.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The standard deviations, real; NaN if ``N - c`` is not positive.

    Raises
    ------
    ValueError
        If an axis is out of bounds, or both ``ddof`` and ``correction`` are given.
    TypeError
        If ``dtype`` is not a floating-point dtype.

    Notes
    -----
    NumPy, ``nanstd``.
    """
    return xp.sqrt(_variance(a, axis, dtype, _correction(ddof, correction, "nanstd"), keepdims, "nanstd"))


@composed
def nansum(a: Array, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    r"""Return the sum, :math:`\sum_i a_i`, of the elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of the result and of the computation, as in :func:`sum`.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The sums; 0 if all elements of a slice are NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds.

    Notes
    -----
    NumPy, ``nansum``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.nansum(xp.asarray([1.0, xp.nan, 2.0]))
    Array(3.)
    """
    return xp.sum(_numbers(_filled(a, 0.0, "nansum"), "nansum"), axis=axis, dtype=dtype, keepdims=keepdims)


@composed
def nanvar(
    a: Array,
    axis: Axis = None,
    dtype: Any = None,
    *,
    ddof: float = 0,
    keepdims: bool = False,
    correction: float | None = None,
) -> Array:
    r"""Return the variance, :math:`\frac{1}{N - c} \sum_i |a_i - \bar a|^2`, of the elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of the computation, as in :func:`nanmean`.
    ddof, correction
        Degrees-of-freedom adjustment :math:`c`, under NumPy's or the standard's name: the divisor is :math:`N - c`,
        where :math:`N` is the number of elements that are not NaN. 0 for a population, 1 for a sample.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The variances, real; NaN if ``N - c`` is not positive.

    Raises
    ------
    ValueError
        If an axis is out of bounds, or both ``ddof`` and ``correction`` are given.
    TypeError
        If ``dtype`` is not a floating-point dtype.

    Notes
    -----
    NumPy, ``nanvar``.
    """
    return _variance(a, axis, dtype, _correction(ddof, correction, "nanvar"), keepdims, "nanvar")


def _numbers(a: Array, name: str) -> Array:
    """Return booleans as integers of the default dtype, in which NumPy adds them; other arrays unchanged."""
    device = device_of(a, name)
    return xp.astype(a, device.default_dtypes["integral"]) if a.dtype.kind == "b" else a


def _floating(a: Array, dtype: Any, name: str) -> Array:
    """Return an array as floating-point numbers: of ``dtype``, of its own dtype or of the default one."""
    device = device_of(a, name)
    if dtype is None:
        return a if kind_of(a.dtype) in "fc" else xp.astype(a, device.default_dtypes["real floating"])
    result = xp.astype(a, dtype, copy=False)
    if kind_of(result.dtype) not in "fc":
        raise TypeError(f"{name}(): dtype is a floating-point one, not {result.dtype}")
    return result


def _filled(a: Array, value: float, name: str) -> Array:
    """Return an array with NaN replaced by a number."""
    device_of(a, name)
    return xp.where(xp.isnan(a), value, a) if kind_of(a.dtype) in "fc" else a


def _flatten(a: Array, axis: int | None) -> tuple[Array, int]:
    """Return an array and the axis to accumulate along, flattened for None."""
    return (xp.reshape(a, (-1,)), 0) if axis is None else (a, axis)


def _count(a: Array, axis: Axis, keepdims: bool) -> Array:
    """Return the number of elements that are not NaN, in the real dtype of the precision of ``a``."""
    count = xp.count_nonzero(~xp.isnan(a), axis=axis, keepdims=keepdims)
    return xp.astype(count, finfo(a.dtype).dtype)


def _quotient(total: Array, count: Array) -> Array:
    """Return ``total / count``, NaN where the count is not positive."""
    divisor = xp.astype(xp.where(count > 0, count, 1.0), total.dtype)
    return xp.where(count > 0, total / divisor, xp.nan)


def _variance(a: Array, axis: Axis, dtype: Any, correction: float, keepdims: bool, name: str) -> Array:
    """Return the variance of the elements that are not NaN."""
    a = _floating(a, dtype, name)
    filled, count = _filled(a, 0.0, name), _count(a, axis, True)
    mean = _quotient(xp.sum(filled, axis=axis, dtype=a.dtype, keepdims=True), count)
    distance = xp.where(xp.isnan(a), 0.0, filled - mean)
    # The squared modulus; abs() would take a square root first.
    squares = distance**2 if kind_of(a.dtype) == "f" else xp.real(distance) ** 2 + xp.imag(distance) ** 2
    total = xp.sum(squares, axis=axis, dtype=squares.dtype, keepdims=keepdims)
    return _quotient(total, xp.reshape(count, total.shape) - correction)


def _extreme(a: Array, reduce: Any, identity: float, axis: Axis, keepdims: bool, name: str) -> Array:
    """Return the largest or smallest element that is not NaN; ``identity`` replaces NaN in the reduction."""
    device_of(a, name)
    if kind_of(a.dtype) == "f":
        missing = xp.isnan(a)
        result = reduce(xp.where(missing, identity, a), axis=axis, keepdims=keepdims)
        return xp.where(xp.all(missing, axis=axis, keepdims=keepdims), xp.nan, result)
    if a.dtype.kind == "c":
        raise TypeError(
            f"{name}() takes real numbers, not {a.dtype}, which has no order; reduce xtensor.abs(a) instead"
        )
    numbers = xp.astype(a, np.uint8) if a.dtype.kind == "b" else a
    return xp.astype(reduce(numbers, axis=axis, keepdims=keepdims), a.dtype, copy=False)


def _argextreme(a: Array, extreme: Any, axis: int | None, keepdims: bool, name: str) -> Array:
    """Return the index of the first element that equals the extreme."""
    device_of(a, name)
    if a.dtype.kind == "c":
        raise TypeError(f"{name}() takes real numbers, not {a.dtype}, which has no order; take xtensor.abs(a) first")
    if kind_of(a.dtype) == "f" and a.size and xp.any(xp.all(xp.isnan(a), axis=axis)):
        raise ValueError(
            f"{name}(): a slice of the array of shape {a.shape} holds only NaN; remove it or replace NaN before"
        )
    matches = a == extreme(a, axis, keepdims=True)
    return xp.argmax(xp.astype(matches, np.uint8), axis=axis, keepdims=keepdims)


def _correction(ddof: float, correction: float | None, name: str) -> float:
    """Return the degrees-of-freedom adjustment, which either of two parameters may give."""
    chosen = ddof if correction is None else correction
    if isinstance(chosen, bool) or not isinstance(chosen, (int, float, np.number)):
        raise TypeError(f"{name}(): ddof is a real number, not {describe(chosen)}")
    if correction is not None and ddof:
        raise ValueError(f"{name}(): ddof and correction are two names of one number; give one of them")
    return float(chosen)
