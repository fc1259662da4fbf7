"""Medians and quantiles, in NumPy's names and signatures.

The standard has none; scikit-learn and xarray look for them. The elements are sorted once along the reduced axes, NaN
last as infinities, and those at fractional positions are interpolated.
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
"""Methods that interpolate, and Hyndman and Fan's parameters of each."""

ROUNDED: dict[str, Callable[[Array], Array]] = {
    "lower": lambda position: xp.floor(position),
    "higher": lambda position: xp.ceil(position),
    "midpoint": lambda position: (xp.floor(position) + xp.ceil(position)) / 2,
    "nearest": lambda position: xp.round(position),
}
"""Methods that bring a fractional position to an element, or between two."""


@composed
def median(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """The middle element in sorted order, the mean of both where there are two, over all or some axes.

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
        The medians, of the dtype of ``a``, or the default real floating-point dtype for integers and booleans. NaN
        where a NaN is among the elements, or there are none.

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
    return xp.reshape(xp.where(_holds_nan(lines), xp.nan, _median(lines)), shape)


@composed
def nanmedian(a: Array, axis: Axis = None, *, keepdims: bool = False) -> Array:
    """The middle, in sorted order, of the elements that are not NaN; the mean of both where there are two.

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
        The medians, of the dtype of ``a``, or the default real floating-point dtype for integers and booleans. NaN
        where there is nothing but NaN.

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
    """The quantiles of the elements that are not NaN, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    q
        The parts of the elements that lie below, in ``[0, 1]``: a number, or several in a sequence or an Array.
    axis
        The axis or axes to reduce; None reduces all of them.
    method
        How positions between two elements are answered; see :func:`quantile`.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The quantiles: the axes of ``q``, then those that are left of ``a``. NaN where there is nothing but NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds, ``q`` is outside ``[0, 1]``, or there is no such method.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``nanquantile``.
    """
    return _quantile(a, q, axis, method, keepdims, "nanquantile", skip=True)


@composed
def quantile(
    a: Array,
    q: float | Sequence[float] | Array,
    axis: Axis = None,
    *,
    method: str = "linear",
    keepdims: bool = False,
) -> Array:
    """The quantiles of the elements, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or real numbers.
    q
        The parts of the elements that lie below, in ``[0, 1]``: a number, or several in a sequence or an Array.
    axis
        The axis or axes to reduce; None reduces all of them.
    method
        How positions between two elements are answered: ``"linear"``, ``"interpolated_inverted_cdf"``, ``"hazen"``,
        ``"weibull"``, ``"median_unbiased"``, ``"normal_unbiased"`` interpolate; ``"lower"``, ``"higher"``,
        ``"midpoint"`` and ``"nearest"`` choose.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The quantiles: the axes of ``q``, then those that are left of ``a``. Of the dtype of ``a``, or the default real
        floating-point dtype for integers and booleans. NaN where a NaN is among the elements, or there are none.

    Raises
    ------
    ValueError
        If an axis is out of bounds, ``q`` is outside ``[0, 1]``, or there is no such method.
    TypeError
        If ``a`` is complex.

    Notes
    -----
    NumPy, ``quantile``. Unlike there, integers are taken as floating-point numbers by every method, several ``q`` give
    the same dtype as one, and an infinite element does not spoil the quantiles that it has no part in.

    R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American Statistician 50, 1996.
    """
    return _quantile(a, q, axis, method, keepdims, "quantile", skip=False)


def _lines(a: Array, axis: Axis, keepdims: bool, name: str) -> tuple[Array, tuple[int, ...]]:
    """The elements to reduce as the last axis, in floating-point numbers, and the shape of the result."""
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


def _holds_nan(lines: Array) -> Array:
    return xp.any(xp.isnan(lines), axis=-1, keepdims=True)


def _sorted(lines: Array) -> tuple[Array, Array]:
    """The lines in order, and how many elements of each are not NaN; those follow as infinities."""
    if not lines.shape[-1]:
        lines = xp.full((*lines.shape[:-1], 1), xp.nan, dtype=lines.dtype, device=lines.device)
    missing = xp.isnan(lines)
    count = lines.shape[-1] - xp.count_nonzero(missing, axis=-1, keepdims=True)
    return xp.sort(xp.where(missing, xp.inf, lines), axis=-1, stable=False), count


def _median(lines: Array) -> Array:
    """The median of each line over what is not NaN."""
    ordered, count = _sorted(lines)
    low = xp.take_along_axis(ordered, xp.maximum(count - 1, 0) // 2, axis=-1)
    high = xp.take_along_axis(ordered, count // 2 % ordered.shape[-1], axis=-1)
    odd = count % 2 == 1
    # Two halves rather than half a sum, where the sum would be infinite.
    return xp.where(odd, low, xp.where(count == 0, xp.nan, low / 2 + high / 2))


def _quantile(a: Array, q: Any, axis: Axis, method: str, keepdims: bool, name: str, *, skip: bool) -> Array:
    if method not in CONTINUOUS and method not in ROUNDED:
        known = ", ".join(map(repr, (*CONTINUOUS, *ROUNDED)))
        raise ValueError(f"{name}(): there is no method {describe(method)}; there are {known}")
    lines, shape = _lines(a, axis, keepdims, name)
    try:
        parts = np.asarray(q.to_device("cpu") if isinstance(q, Array) else q, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name}(): q is a number in [0, 1] or several, not {describe(q)}") from None
    if not np.all((parts >= 0) & (parts <= 1)):
        raise ValueError(f"{name}(): q lies in [0, 1], not {describe(q)}")
    ordered, count = _sorted(lines)
    results = [_at(ordered, count, float(part), method) for part in parts.reshape(-1)]
    if not skip:
        spoilt = _holds_nan(lines)
        results = [xp.where(spoilt, xp.nan, result) for result in results]
    if not results:
        return xp.empty((*parts.shape, *shape), dtype=ordered.dtype, device=ordered.device)
    return xp.reshape(xp.stack(results), (*parts.shape, *shape))


def _at(ordered: Array, count: Array, part: float, method: str) -> Array:
    """What lies at one part of each line's valid elements."""
    number = xp.astype(count, ordered.device.default_dtypes["real floating"])
    alpha, beta = CONTINUOUS.get(method, (1.0, 1.0))
    position = number * part + (alpha + part * (1.0 - alpha - beta)) - 1.0
    if method in ROUNDED:
        # Computed as NumPy does, to the bit: these methods jump where a position is whole.
        position = ROUNDED[method]((number - 1.0) * part)
    position = xp.maximum(xp.minimum(position, number - 1.0), 0.0)
    below = xp.floor(position)
    index = xp.astype(below, count.dtype)
    weight = xp.astype(position - below, ordered.dtype)
    low = xp.take_along_axis(ordered, index, axis=-1)
    high = xp.take_along_axis(ordered, xp.maximum(xp.minimum(index + 1, count - 1), 0), axis=-1)
    # Infinities that are equal, or are not reached, are not subtracted; the nearer end is started from.
    flat = (low == high) | (weight == 0)
    step = xp.where(flat, 0.0, high) - xp.where(flat, 0.0, low)
    from_above = (weight >= 0.5) & xp.isfinite(step)
    back = xp.where(from_above, step * (1.0 - weight), 0.0)
    return xp.where(count == 0, xp.nan, xp.where(from_above, high - back, low + step * weight))
