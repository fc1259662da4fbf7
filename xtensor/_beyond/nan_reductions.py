"""Reductions and cumulative functions that pass over NaN, in NumPy's names and signatures.

The standard has none; xarray, cubed and scikit-learn look for them. Each is written once over the namespace's own
functions, so it runs on every device. Dtypes without NaN take the plain function.

None of them warns where a slice holds nothing but NaN: the result is NaN there, and asking whether to warn would
make a GPU wait.
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
    r"""The products :math:`\prod_{j \le i} a_j` along an axis.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to go along; None flattens ``a`` first.
    dtype
        The dtype of result and computation, as in :func:`cumulative_prod`.

    Returns
    -------
    Array
        Of the shape of ``a``, or of one dimension.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``cumprod``. The standard's own function is :func:`cumulative_prod`.
    """
    line, axis = _line(_numbers(a, "cumprod"), axis)
    return xp.cumulative_prod(line, axis=axis, dtype=dtype)


@composed
def cumsum(a: Array, axis: int | None = None, dtype: Any = None) -> Array:
    r"""The sums :math:`\sum_{j \le i} a_j` along an axis.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to go along; None flattens ``a`` first.
    dtype
        The dtype of result and computation, as in :func:`cumulative_sum`.

    Returns
    -------
    Array
        Of the shape of ``a``, or of one dimension.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``cumsum``. The standard's own function is :func:`cumulative_sum`.
    """
    line, axis = _line(_numbers(a, "cumsum"), axis)
    return xp.cumulative_sum(line, axis=axis, dtype=dtype)


@composed
def nanargmax(a: Array, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The position of the largest element that is not NaN; of the first of them where there are several.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis to search along; None searches the flattened array.
    keepdims
        Whether the searched axes stay, with length 1.

    Returns
    -------
    Array
        Positions, of the default index dtype.

    Raises
    ------
    ValueError
        If a slice holds nothing but NaN, or there is no element to choose from.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanargmax``. Unlike there, the position of a NaN is never given for that of an infinity.
    """
    return _position(a, nanmax, axis, keepdims, "nanargmax")


@composed
def nanargmin(a: Array, axis: int | None = None, *, keepdims: bool = False) -> Array:
    """The position of the smallest element that is not NaN; of the first of them where there are several.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis to search along; None searches the flattened array.
    keepdims
        Whether the searched axes stay, with length 1.

    Returns
    -------
    Array
        Positions, of the default index dtype.

    Raises
    ------
    ValueError
        If a slice holds nothing but NaN, or there is no element to choose from.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanargmin``. Unlike there, the position of a NaN is never given for that of an infinity.
    """
    return _position(a, nanmin, axis, keepdims, "nanargmin")


@composed
def nancumprod(a: Array, axis: int | None = None, dtype: Any = None) -> Array:
    r"""The products :math:`\prod_{j \le i} a_j` along an axis, NaN counting as 1.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to go along; None flattens ``a`` first.
    dtype
        The dtype of result and computation, as in :func:`cumulative_prod`.

    Returns
    -------
    Array
        Of the shape of ``a``, or of one dimension.

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
    r"""The sums :math:`\sum_{j \le i} a_j` along an axis, NaN counting as 0.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis to go along; None flattens ``a`` first.
    dtype
        The dtype of result and computation, as in :func:`cumulative_sum`.

    Returns
    -------
    Array
        Of the shape of ``a``, or of one dimension.

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
    r"""The largest element that is not NaN, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The maxima, of the dtype of ``a``; NaN where there is nothing but NaN.

    Raises
    ------
    ValueError
        If there is no element to choose from, or an axis is out of bounds.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanmax``.
    """
    return _extreme(a, xp.max, -xp.inf, axis, keepdims, "nanmax")


@composed
def nanmean(a: Array, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    r"""The arithmetic mean, :math:`\frac{1}{N} \sum_i a_i`, of the ``N`` elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of result and computation, a floating-point one. By default that of ``a``; the default
        floating-point dtype for integers and booleans.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The means; NaN where there is nothing but NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds.
    TypeError
        If ``dtype`` is no floating-point dtype.

    Notes
    -----
    NumPy, ``nanmean``.
    """
    a = _floating(a, dtype, "nanmean")
    count = _count(a, axis, keepdims)
    return _quotient(xp.sum(_filled(a, 0.0, "nanmean"), axis=axis, dtype=a.dtype, keepdims=keepdims), count)


@composed
def nanmin(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    r"""The smallest element that is not NaN, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The minima, of the dtype of ``a``; NaN where there is nothing but NaN.

    Raises
    ------
    ValueError
        If there is no element to choose from, or an axis is out of bounds.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanmin``.
    """
    return _extreme(a, xp.min, xp.inf, axis, keepdims, "nanmin")


@composed
def nanprod(a: Array, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    r"""The product, :math:`\prod_i a_i`, of the elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of result and computation, as in :func:`prod`.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The products; 1 where there is nothing but NaN.

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
    r"""The standard deviation, :math:`\sqrt{\frac{1}{N - c} \sum_i |a_i - \bar a|^2}`, of what is not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of the computation, as in :func:`nanmean`.
    ddof, correction
        Two names of what is taken from the number ``N`` of elements that are not NaN (:math:`c`): 0 for a
        population, 1 for a sample.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The standard deviations, real; NaN where ``N - c`` is not above 0.

    Raises
    ------
    ValueError
        If an axis is out of bounds, or both ``ddof`` and ``correction`` are given.
    TypeError
        If ``dtype`` is no floating-point dtype.

    Notes
    -----
    NumPy, ``nanstd``.
    """
    return xp.sqrt(_variance(a, axis, dtype, _correction(ddof, correction, "nanstd"), keepdims, "nanstd"))


@composed
def nansum(a: Array, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False) -> Array:
    r"""The sum, :math:`\sum_i a_i`, of the elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of result and computation, as in :func:`sum`.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The sums; 0 where there is nothing but NaN.

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
    r"""The variance, :math:`\frac{1}{N - c} \sum_i |a_i - \bar a|^2`, of the elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of the computation, as in :func:`nanmean`.
    ddof, correction
        Two names of what is taken from the number ``N`` of elements that are not NaN (:math:`c`): 0 for a
        population, 1 for a sample.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The variances, real; NaN where ``N - c`` is not above 0.

    Raises
    ------
    ValueError
        If an axis is out of bounds, or both ``ddof`` and ``correction`` are given.
    TypeError
        If ``dtype`` is no floating-point dtype.

    Notes
    -----
    NumPy, ``nanvar``.
    """
    return _variance(a, axis, dtype, _correction(ddof, correction, "nanvar"), keepdims, "nanvar")


def _numbers(a: Array, name: str) -> Array:
    """Booleans as numbers of the default integer dtype, in which NumPy adds them up."""
    device = device_of(a, name)
    return xp.astype(a, device.default_dtypes["integral"]) if a.dtype.kind == "b" else a


def _floating(a: Array, dtype: Any, name: str) -> Array:
    """An array as one of floating-point numbers."""
    device = device_of(a, name)
    if dtype is None:
        return a if kind_of(a.dtype) in "fc" else xp.astype(a, device.default_dtypes["real floating"])
    result = xp.astype(a, dtype, copy=False)
    if kind_of(result.dtype) not in "fc":
        raise TypeError(f"{name}(): dtype is a floating-point one, not {result.dtype}")
    return result


def _filled(a: Array, value: float, name: str) -> Array:
    """An array with a number in the place of NaN."""
    device_of(a, name)
    return xp.where(xp.isnan(a), value, a) if kind_of(a.dtype) in "fc" else a


def _line(a: Array, axis: int | None) -> tuple[Array, int]:
    """An array and the axis to go along, which is its only one where none was given."""
    return (xp.reshape(a, (-1,)), 0) if axis is None else (a, axis)


def _count(a: Array, axis: Axis, keepdims: bool) -> Array:
    """How many elements are not NaN, in the real dtype that divides those of ``a``."""
    count = xp.count_nonzero(~xp.isnan(a), axis=axis, keepdims=keepdims)
    return xp.astype(count, finfo(a.dtype).dtype)


def _quotient(total: Array, count: Array) -> Array:
    """``total / count``, NaN where there is nothing to divide by."""
    divisor = xp.astype(xp.where(count > 0, count, 1.0), total.dtype)
    return xp.where(count > 0, total / divisor, xp.nan)


def _variance(a: Array, axis: Axis, dtype: Any, correction: float, keepdims: bool, name: str) -> Array:
    a = _floating(a, dtype, name)
    filled, count = _filled(a, 0.0, name), _count(a, axis, True)
    mean = _quotient(xp.sum(filled, axis=axis, dtype=a.dtype, keepdims=True), count)
    distance = xp.where(xp.isnan(a), 0.0, filled - mean)
    # The squared modulus, without the root that abs() takes of it.
    squares = distance**2 if kind_of(a.dtype) == "f" else xp.real(distance) ** 2 + xp.imag(distance) ** 2
    total = xp.sum(squares, axis=axis, dtype=squares.dtype, keepdims=keepdims)
    return _quotient(total, xp.reshape(count, total.shape) - correction)


def _extreme(a: Array, choose: Any, worst: float, axis: Axis, keepdims: bool, name: str) -> Array:
    """The largest or smallest of the elements that are not NaN; ``worst`` is chosen only where there are none."""
    device_of(a, name)
    if kind_of(a.dtype) == "f":
        missing = xp.isnan(a)
        result = choose(xp.where(missing, worst, a), axis=axis, keepdims=keepdims)
        return xp.where(xp.all(missing, axis=axis, keepdims=keepdims), xp.nan, result)
    if a.dtype.kind == "c":
        raise TypeError(
            f"{name}() takes real numbers, not {a.dtype}, which has no order; reduce xtensor.abs(a) instead"
        )
    numbers = xp.astype(a, np.uint8) if a.dtype.kind == "b" else a
    return xp.astype(choose(numbers, axis=axis, keepdims=keepdims), a.dtype, copy=False)


def _position(a: Array, extreme: Any, axis: int | None, keepdims: bool, name: str) -> Array:
    """Where an extreme is met first."""
    device_of(a, name)
    if a.dtype.kind == "c":
        raise TypeError(f"{name}() takes real numbers, not {a.dtype}, which has no order; take xtensor.abs(a)")
    if kind_of(a.dtype) == "f" and a.size and xp.any(xp.all(xp.isnan(a), axis=axis)):
        raise ValueError(f"{name}(): a slice of the array of shape {a.shape} holds nothing but NaN")
    found = a == extreme(a, axis, keepdims=True)
    return xp.argmax(xp.astype(found, np.uint8), axis=axis, keepdims=keepdims)


def _correction(ddof: float, correction: float | None, name: str) -> float:
    """What is taken from the number of elements, under either of its names."""
    chosen = ddof if correction is None else correction
    if isinstance(chosen, bool) or not isinstance(chosen, (int, float, np.number)):
        raise TypeError(f"{name}(): ddof is a real number, not {describe(chosen)}")
    if correction is not None and ddof:
        raise ValueError(f"{name}(): ddof and correction are two names of one number; give one of them")
    return float(chosen)
