"""Reductions that ignore NaN, with NumPy's names and signatures.

xarray, cubed and scikit-learn look for them. Each function is built from the namespace's functions, so it runs on every
device. Dtypes without NaN take the plain reduction.

The functions do not warn about a slice whose elements are all NaN; its result is NaN. The check for a warning would
block until the device has finished.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array, Axis
from .._core.compositions import composed
from .._core.documentation import documented
from . import _missing
from ._arguments import store

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike

__all__ = [
    "nanargmax",
    "nanargmin",
    "nanmax",
    "nanmean",
    "nanmin",
    "nanprod",
    "nanstd",
    "nansum",
    "nanvar",
]


EXTREMES = """
Parameters
----------
a
    Array of booleans or real numbers.
axis
    The axis or axes to reduce; None reduces all of them.
out
    The Array to write the result to.
keepdims
    Whether the reduced axes remain, with length 1.
initial
    A value that also takes part in the comparison. It is needed with ``where``.
where
    A mask that broadcasts against ``a``; elements where it is False are ignored, as NaN is.

Returns
-------
Array
    {results}, of the dtype of ``a``; NaN if all elements of a slice are NaN and
    ``initial`` is None.

Raises
------
ValueError
    If a slice is empty, ``where`` is given without ``initial``, or an axis is out of bounds.
TypeError
    If ``a`` is complex.
"""
"""Sections of the docstrings of :func:`nanmax` and :func:`nanmin`."""


SPREAD = """
Parameters
----------
a
    Array of booleans or numbers.
axis
    The axis or axes to reduce; None reduces all of them.
dtype
    The dtype of the computation, as in :func:`nanmean`.
out
    The Array to write the result to.
ddof, correction
    Degrees-of-freedom adjustment :math:`c`, under NumPy's or the standard's name: the divisor is :math:`N - c`,
    where :math:`N` is the number of elements that are not NaN. 0 for a population, 1 for a sample.
keepdims
    Whether the reduced axes remain, with length 1.
where
    A mask that broadcasts against ``a``; elements where it is False are ignored, as NaN is.
mean
    The mean, of the shape that ``keepdims=True`` gives; None computes it.

Returns
-------
Array
    {results}, real; NaN if ``N - c`` is not positive.

Raises
------
ValueError
    If an axis is out of bounds, or both ``ddof`` and ``correction`` are given.
TypeError
    If ``dtype`` is not a floating-point dtype.
"""
"""Sections of the docstrings of :func:`nanstd` and :func:`nanvar`."""


@composed
def nanargmax(a: AnyArray, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """Return the index of the largest element that is not NaN, or of the first of several equal ones.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis to search along; None searches the flattened array.
    out
        The Array to write the result to.
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
    return _missing.argextreme("nanargmax", a, axis, out, keepdims, largest=True)


@composed
def nanargmin(a: AnyArray, axis: int | None = None, out: Array | None = None, *, keepdims: bool = False) -> Array:
    """Return the index of the smallest element that is not NaN, or of the first of several equal ones.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis to search along; None searches the flattened array.
    out
        The Array to write the result to.
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
    return _missing.argextreme("nanargmin", a, axis, out, keepdims, largest=False)


@composed
@documented(EXTREMES, results="The maxima")
def nanmax(
    a: AnyArray,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    r"""Return the largest element that is not NaN, over all or some axes.

    Notes
    -----
    NumPy, ``nanmax``.
    """
    return _missing.extreme("nanmax", a, axis, out, keepdims, initial, where, largest=True)


@composed
def nanmean(
    a: AnyArray,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    *,
    where: Any = True,
) -> Array:
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
    out
        The Array to write the result to.
    keepdims
        Whether the reduced axes remain, with length 1.
    where
        A mask that broadcasts against ``a``; elements where it is False are ignored, as NaN is.

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
    return _missing.mean("nanmean", a, axis, dtype, out, keepdims, where)


@composed
@documented(EXTREMES, results="The minima")
def nanmin(
    a: AnyArray,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    r"""Return the smallest element that is not NaN, over all or some axes.

    Notes
    -----
    NumPy, ``nanmin``.
    """
    return _missing.extreme("nanmin", a, axis, out, keepdims, initial, where, largest=False)


@composed
def nanprod(
    a: AnyArray,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    r"""Return the product, :math:`\prod_i a_i`, of the elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of the result and of the computation, as in :func:`prod`.
    out
        The Array to write the result to.
    keepdims
        Whether the reduced axes remain, with length 1.
    initial
        The number that the product begins with; None for 1.
    where
        A mask that broadcasts against ``a``; elements where it is False are ignored, as NaN is.

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
    return _missing.reduced("nanprod", a, axis, dtype, out, keepdims, initial, where, xp.prod, xp.multiply, 1)


@composed
@documented(SPREAD, results="The standard deviations")
def nanstd(
    a: AnyArray,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    r"""Return the standard deviation, :math:`\sqrt{\frac{1}{N - c} \sum_i |a_i - \bar a|^2}`, ignoring NaN.

    Notes
    -----
    NumPy, ``nanstd``.
    """
    correction = _missing.correction_of("nanstd", ddof, correction)
    deviation = _missing.variance("nanstd", a, axis, dtype, out, correction, keepdims, where, mean, root=True)
    return store("nanstd", deviation, out)


@composed
def nansum(
    a: AnyArray,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    keepdims: bool = False,
    initial: Any = None,
    where: Any = True,
) -> Array:
    r"""Return the sum, :math:`\sum_i a_i`, of the elements that are not NaN.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of the result and of the computation, as in :func:`sum`.
    out
        The Array to write the result to.
    keepdims
        Whether the reduced axes remain, with length 1.
    initial
        The number that the sum begins with; None for 0.
    where
        A mask that broadcasts against ``a``; elements where it is False are ignored, as NaN is.

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
    return _missing.reduced("nansum", a, axis, dtype, out, keepdims, initial, where, xp.sum, xp.add, 0)


@composed
@documented(SPREAD, results="The variances")
def nanvar(
    a: AnyArray,
    axis: Axis = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: float | None = None,
) -> Array:
    r"""Return the variance, :math:`\frac{1}{N - c} \sum_i |a_i - \bar a|^2`, of the elements that are not NaN.

    Notes
    -----
    NumPy, ``nanvar``.
    """
    correction = _missing.correction_of("nanvar", ddof, correction)
    return store("nanvar", _missing.variance("nanvar", a, axis, dtype, out, correction, keepdims, where, mean), out)
