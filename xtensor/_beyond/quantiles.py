"""Medians and quantiles, with NumPy's names and signatures. scikit-learn and xarray look for them.

The elements are sorted once along the reduced axes, with NaN last, as infinities. A quantile interpolates between the
elements next to its position.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _standard as xp
from .._core.array import Array, Axis
from .._core.checks import check_axes, check_flag
from .._core.dispatch import composed, device_of
from .._core.dtypes import kind_of
from .._core.errors import describe

__all__ = ["median", "nanmedian", "nanquantile", "quantile"]

CONTINUOUS = {
    "linear": (1.0, 1.0),
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
"""Methods that interpolate, with Hyndman and Fan's parameters alpha and beta."""

ROUNDED: dict[str, Callable[[Array], Array]] = {
    "lower": lambda position: xp.floor(position),
    "higher": lambda position: xp.ceil(position),
    "midpoint": lambda position: (xp.floor(position) + xp.ceil(position)) / 2,
    "nearest": lambda position: xp.round(position),
}
"""Methods that round a fractional position to an element, or to the middle between two."""


@composed
def median(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return the median, the middle element in sorted order or the mean of the two middle ones, over all or some axes.

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
    lines, shape = _lines(a, axis, keepdims, "median")
    return xp.reshape(xp.where(_has_nan(lines), xp.nan, _median(lines)), shape)


@composed
def nanmedian(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """Return the median of the elements that are not NaN, over all or some axes.

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
    lines, shape = _lines(a, axis, keepdims, "nanmedian")
    return xp.reshape(_median(lines), shape)


@composed
def nanquantile(
    a: Array,
    q: float | Sequence[float] | Array,
    axis: Axis = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Return the quantiles of the elements that are not NaN, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    q
        The levels of the quantiles, in ``[0, 1]``: a number, or several in a sequence or an Array.
    axis
        The axis or axes to reduce; None reduces all of them.
    method
        The method for positions between two elements; see :func:`quantile`.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The quantiles. The axes of ``q`` come first, then the remaining axes of ``a``. NaN if all elements of a slice
        are NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds, ``q`` is outside ``[0, 1]``, or ``method`` is unknown.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanquantile``.
    """
    return _quantile(a, q, axis, method, keepdims, "nanquantile", ignore_nan=True)


@composed
def quantile(
    a: Array,
    q: float | Sequence[float] | Array,
    axis: Axis = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """Return the quantiles of the elements, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    q
        The levels of the quantiles, in ``[0, 1]``: a number, or several in a sequence or an Array.
    axis
        The axis or axes to reduce; None reduces all of them.
    method
        The method for positions between two elements. ``"linear"``, ``"interpolated_inverted_cdf"``, ``"hazen"``,
        ``"weibull"``, ``"median_unbiased"`` and ``"normal_unbiased"`` interpolate; ``"lower"``, ``"higher"`` and
        ``"nearest"`` select one of the elements, ``"midpoint"`` the mean of both.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The quantiles, of the dtype of ``a``, or the default real floating-point dtype for integers and booleans. The
        axes of ``q`` come first, then the remaining axes of ``a``. NaN if a slice is empty or contains a NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds, ``q`` is outside ``[0, 1]``, or ``method`` is unknown.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``quantile``. Unlike NumPy, every method casts integers to floating-point numbers, several ``q`` give the
    same dtype as one, and an infinite element affects only the quantiles that are interpolated from it.

    R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American Statistician 50, 1996.
    """
    return _quantile(a, q, axis, method, keepdims, "quantile", ignore_nan=False)


def _lines(a: Array, axis: Axis, keepdims: bool, name: str) -> tuple[Array, tuple[int, ...]]:
    """Return ``a`` as floating-point numbers with the reduced axes flattened into the last, and the result's shape."""
    device = device_of(a, name)
    if a.dtype.kind == "c":
        raise TypeError(f"{name}() takes real numbers, not {a.dtype}, which has no order; take xtensor.abs(a) first")
    axes = tuple(range(a.ndim)) if axis is None else check_axes(axis, a.ndim, name)
    others = tuple(i for i in range(a.ndim) if i not in axes)
    if check_flag(keepdims, name, "keepdims"):
        shape = tuple(1 if i in axes else length for i, length in enumerate(a.shape))
    else:
        shape = tuple(a.shape[i] for i in others)
    if kind_of(a.dtype) != "f":
        a = xp.astype(a, device.default_dtypes["real floating"])
    count = math.prod(a.shape[i] for i in axes)
    return xp.reshape(xp.permute_dims(a, (*others, *axes)), (*(a.shape[i] for i in others), count)), shape


def _has_nan(lines: Array) -> Array:
    """Return whether each line contains a NaN."""
    return xp.any(xp.isnan(lines), axis=-1, keepdims=True)


def _sort_valid(lines: Array) -> tuple[Array, Array]:
    """Return the sorted lines, with infinities for NaN, and the number of elements of each line that are not NaN."""
    if not lines.shape[-1]:
        lines = xp.full((*lines.shape[:-1], 1), xp.nan, dtype=lines.dtype, device=lines.device)
    missing = xp.isnan(lines)
    count = lines.shape[-1] - xp.count_nonzero(missing, axis=-1, keepdims=True)
    return xp.sort(xp.where(missing, xp.inf, lines), axis=-1, stable=False), count


def _median(lines: Array) -> Array:
    """Return the median of the elements of each line that are not NaN."""
    ordered, count = _sort_valid(lines)
    low = xp.take_along_axis(ordered, xp.maximum(count - 1, 0) // 2, axis=-1)
    high = xp.take_along_axis(ordered, count // 2 % ordered.shape[-1], axis=-1)
    odd = count % 2 == 1
    # Halves are added, because the sum of the two elements may overflow.
    return xp.where(odd, low, xp.where(count == 0, xp.nan, low / 2 + high / 2))


def _quantile(a: Array, q: Any, axis: Axis, method: str, keepdims: bool, name: str, *, ignore_nan: bool) -> Array:
    """Return the quantiles; a slice with a NaN has NaN quantiles unless NaN is ignored."""
    if method not in CONTINUOUS and method not in ROUNDED:
        known = ", ".join(map(repr, (*CONTINUOUS, *ROUNDED)))
        raise ValueError(f"{name}(): method is one of {known}, not {describe(method)}")
    lines, shape = _lines(a, axis, keepdims, name)
    try:
        levels = np.asarray(q.to_device("cpu") if isinstance(q, Array) else q, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name}(): q is a number in [0, 1] or several, not {describe(q)}") from None
    if not np.all((levels >= 0) & (levels <= 1)):
        raise ValueError(f"{name}(): q lies in [0, 1], not {describe(q)}")
    ordered, count = _sort_valid(lines)
    results = [_quantile_of_sorted(ordered, count, float(level), method) for level in levels.reshape(-1)]
    if not ignore_nan:
        has_nan = _has_nan(lines)
        results = [xp.where(has_nan, xp.nan, result) for result in results]
    if not results:
        return xp.empty((*levels.shape, *shape), dtype=ordered.dtype, device=ordered.device)
    return xp.reshape(xp.stack(results), (*levels.shape, *shape))


def _quantile_of_sorted(ordered: Array, count: Array, level: float, method: str) -> Array:
    """Return the quantile at one level of the first ``count`` elements of each sorted line."""
    number = xp.astype(count, ordered.device.default_dtypes["real floating"])
    alpha, beta = CONTINUOUS.get(method, (1.0, 1.0))
    position = number * level + (alpha + level * (1.0 - alpha - beta)) - 1.0
    if method in ROUNDED:
        # NumPy's operations in NumPy's order: near an integer, a rounding error would select another element.
        position = ROUNDED[method]((number - 1.0) * level)
    position = xp.maximum(xp.minimum(position, number - 1.0), 0.0)
    below = xp.floor(position)
    index = xp.astype(below, count.dtype)
    weight = xp.astype(position - below, ordered.dtype)
    low = xp.take_along_axis(ordered, index, axis=-1)
    high = xp.take_along_axis(ordered, xp.maximum(xp.minimum(index + 1, count - 1), 0), axis=-1)
    # Equal infinities, and infinities of weight 0, are not subtracted: their difference would be NaN.
    low, high = xp.where(weight == 1, high, low), xp.where(weight == 0, low, high)
    constant = low == high
    step = xp.where(constant, 0.0, high) - xp.where(constant, 0.0, low)
    finite = xp.isfinite(step)
    # Interpolation starts from the nearer element, as in NumPy.
    near_high = weight >= 0.5
    offset = xp.where(finite, step, 0.0) * xp.where(near_high, 1.0 - weight, weight)
    value = xp.where(near_high, high - offset, low + offset)
    # The step to an infinite element is infinite, and that between two large elements overflows.
    weight = xp.where(constant, 0.5, weight)
    value = xp.where(finite, value, low * (1.0 - weight) + high * weight)
    return xp.where(count == 0, xp.nan, value)
