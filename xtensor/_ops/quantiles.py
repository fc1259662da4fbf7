"""Medians, quantiles and percentiles, with NumPy's names and signatures. scikit-learn and xarray look for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._core.array import Array, Axis
from .._core.compositions import composed
from .._core.documentation import documented
from ._flags import truth
from ._order_statistics import median_of, quantile_of

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["median", "nanmedian", "nanpercentile", "nanquantile", "percentile", "quantile"]


QUANTILES = """
Parameters
----------
a
    Array of booleans or real numbers.
q
    The {levels}: a number, or several in a sequence or an Array.
axis
    The axis or axes to reduce; None reduces all of them.
out
    The Array to write the result to.
overwrite_input
    Whether ``a`` may be changed. It is never changed.
method
    The method for positions between two elements. ``"linear"``, ``"interpolated_inverted_cdf"``, ``"hazen"``,
    ``"weibull"``, ``"median_unbiased"`` and ``"normal_unbiased"`` interpolate; ``"lower"``, ``"higher"``,
    ``"nearest"``, ``"inverted_cdf"`` and ``"closest_observation"`` select one of the elements, ``"midpoint"`` and
    ``"averaged_inverted_cdf"`` one of them or the mean of both.
keepdims
    Whether the reduced axes remain, with length 1.
weights
    The weights of the elements, of the shape of ``a`` or of its reduced axes, for the method ``"inverted_cdf"``.

Returns
-------
Array
    {results}, of the dtype of ``a``, or the default real floating-point dtype for integers and booleans if
    the method does not select elements; interpolated ones of the dtype that it and several floating-point levels
    promote to. The axes of ``q`` come first, then the remaining axes of ``a``. NaN if {missing}.

Raises
------
ValueError
    If an axis is out of bounds, ``q`` is outside {interval} or has more than two dimensions, ``method`` is
    unknown or does not support weights, or weights are negative or sum to zero.
TypeError
    If ``a`` is complex.
IndexError
    If the method selects an integer from an empty slice.
"""
"""Sections of the docstrings of quantiles and percentiles."""

AS_PARTS = {"levels": "levels of the quantiles, in ``[0, 1]``", "results": "The quantiles", "interval": "``[0, 1]``"}
IN_PERCENT = {"levels": "levels in percent, in ``[0, 100]``", "results": "The percentiles", "interval": "``[0, 100]``"}


@composed
def median(
    a: AnyArray,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Return the median, the middle element in sorted order or the mean of the two middle ones, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    out
        The Array to write the result to.
    overwrite_input
        Whether ``a`` may be changed. It is never changed.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The medians, of the dtype of ``a``, or the default real floating-point dtype for integers and booleans. NaN if
        a slice is empty or contains a NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``median``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.median(xp.asarray([3.0, 1.0, 2.0, 10.0]))
    Array(2.5)
    """
    truth(overwrite_input, "median", "overwrite_input")
    return median_of("median", a, axis, out, keepdims, ignore_nan=False)


@composed
def nanmedian(
    a: AnyArray,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Return the median of the elements that are not NaN, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    out
        The Array to write the result to.
    overwrite_input
        Whether ``a`` may be changed. It is never changed.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The medians, of the dtype of ``a``, or the default real floating-point dtype for integers and booleans. NaN if
        all elements of a slice are NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanmedian``.
    """
    truth(overwrite_input, "nanmedian", "overwrite_input")
    return median_of("nanmedian", a, axis, out, keepdims, ignore_nan=True)


@composed
@documented(QUANTILES, **IN_PERCENT, missing="all elements of a slice are NaN")
def nanpercentile(
    a: AnyArray,
    q: float | Sequence[float] | Array,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: AnyArray | None = None,
) -> Array:
    """Return the percentiles of the elements that are not NaN, over all or some axes.

    Notes
    -----
    NumPy, ``nanpercentile``.
    """
    truth(overwrite_input, "nanpercentile", "overwrite_input")
    return quantile_of("nanpercentile", a, q, axis, out, method, keepdims, weights, whole=100, ignore_nan=True)


@composed
@documented(QUANTILES, **AS_PARTS, missing="all elements of a slice are NaN")
def nanquantile(
    a: AnyArray,
    q: float | Sequence[float] | Array,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: AnyArray | None = None,
) -> Array:
    """Return the quantiles of the elements that are not NaN, over all or some axes.

    Notes
    -----
    NumPy, ``nanquantile``.
    """
    truth(overwrite_input, "nanquantile", "overwrite_input")
    return quantile_of("nanquantile", a, q, axis, out, method, keepdims, weights, whole=1, ignore_nan=True)


@composed
@documented(QUANTILES, **IN_PERCENT, missing="a slice is empty or contains a NaN")
def percentile(
    a: AnyArray,
    q: float | Sequence[float] | Array,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: AnyArray | None = None,
) -> Array:
    """Return the percentiles of the elements, over all or some axes.

    Notes
    -----
    NumPy, ``percentile``. The quantiles at the levels ``q / 100``; see :func:`quantile`.
    """
    truth(overwrite_input, "percentile", "overwrite_input")
    return quantile_of("percentile", a, q, axis, out, method, keepdims, weights, whole=100, ignore_nan=False)


@composed
@documented(QUANTILES, **AS_PARTS, missing="a slice is empty or contains a NaN")
def quantile(
    a: AnyArray,
    q: float | Sequence[float] | Array,
    axis: Axis = None,
    out: Array | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: AnyArray | None = None,
) -> Array:
    """Return the quantiles of the elements, over all or some axes.

    Notes
    -----
    NumPy, ``quantile``. Unlike NumPy, an infinite element affects only the quantiles that are interpolated from it, and
    empty slices of floating-point numbers have the quantile NaN.

    R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American Statistician 50, 1996.
    """
    truth(overwrite_input, "quantile", "overwrite_input")
    return quantile_of("quantile", a, q, axis, out, method, keepdims, weights, whole=1, ignore_nan=False)
