"""The edges of the bins of histograms, from their number, a rule, or given edges."""

from __future__ import annotations

import math
from operator import index
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.dtypes import DType, kind_of, result_type
from .._core.errors import describe
from .._core.failures import rewarned
from .._core.operands import SEQUENCES
from . import _casts
from ._arguments import on_device
from ._bin_widths import ESTIMATORS, number_of_bins
from ._flags import number

__all__ = ["bin_widths", "edges_of_axis", "edges_of_bins", "length_of", "neighbours"]


MOST_BINS = 1 << 40


def edges_of_bins(name: str, a: Array, bins: Any, limits: Any, weights: Array | None) -> Array:
    """Return the edges of the bins of one axis, from their number, a rule or given edges."""
    if isinstance(bins, str):
        if bins not in ESTIMATORS:
            raise ValueError(f"{bins!r} is not a valid estimator for `bins`; {name}() knows {', '.join(ESTIMATORS)}")
        if weights is not None:
            raise TypeError(
                "Automated estimation of the number of bins is not supported for weighted data; pass their number to "
                f"{name}()"
            )
        first, last = _outer_edges(name, a, limits)
        kept = a if limits is None else a[_inside(a, first, last)]
        count = number_of_bins(kept, bins, first, last, lambda n: _uniform(name, a, first, last, n, None))
    elif not _dimensions(bins):
        try:
            count = index(bins)
        except TypeError:
            raise TypeError(
                f"`bins` must be an integer, a string, or an array; {name}() got {describe(bins)}"
            ) from None
        if count < 1:
            raise ValueError(f"`bins` must be positive, when an integer; {name}() got {count}")
        first, last = _outer_edges(name, a, limits)
    else:
        edges = on_device(name, bins, a.device)
        if edges.ndim != 1:
            raise ValueError(f"`bins` must be 1d, when an array; {name}() got shape {edges.shape}")
        if _descend(edges):
            raise ValueError(f"`bins` must increase monotonically, when an array; {name}() got {describe(bins)}")
        return edges
    return xp.asarray(_uniform(name, a, first, last, count, limits), device=a.device)


def _outer_edges(name: str, a: Array, limits: Any) -> tuple[Any, Any]:
    """Return the outer edges as numbers on the host."""
    first: Any
    last: Any
    if limits is not None:
        if length_of(limits) != 2:
            raise ValueError(f"{name}(): range is a pair of numbers, not {describe(limits)}")
        first, last = (number(limits[i], name, "range") for i in (0, 1))
        if first > last:
            raise ValueError(f"max must be larger than min in range parameter.; {name}() got {describe(limits)}")
        origin = "supplied"
    elif not a.size:
        first, last, origin = 0, 1, "supplied"
    else:
        first, last, origin = xp.min(a).item(), xp.max(a).item(), "autodetected"
    if not (math.isfinite(first) and math.isfinite(last)):
        raise ValueError(f"{origin} range of [{first}, {last}] is not finite; pass a finite range to {name}()")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _inside(a: Array, first: Any, last: Any) -> Array:
    """Return which elements lie between two numbers, which may be fractions next to integers."""
    if a.dtype.kind in "iu":
        limits = np.iinfo(a.dtype)
        first, last = math.ceil(max(first, limits.min)), math.floor(min(last, limits.max))
        if first > limits.max or last < limits.min:
            return xp.zeros(a.shape, dtype=np.bool_, device=a.device)
    inside: Array = (a >= first) & (a <= last)
    return inside


def _uniform(name: str, a: Array, first: Any, last: Any, count: int, limits: Any) -> Any:
    """Return edges of equal distance on the host, in the floating-point dtype of the samples.

    In float64 if the dtype of the samples has not enough numbers between the ends.
    """
    numbers = [x for x in (() if limits is None else limits) if isinstance(x, np.generic) or hasattr(x, "dtype")]
    dtype = result_type(_casts.floating(a).dtype, *(x.dtype for x in numbers))
    dtype = dtype if kind_of(dtype) == "f" else _casts.double(dtype, a)
    for precision in dict.fromkeys((dtype, _casts.double(dtype, a))):
        edges = _linspace(first, last, count, precision, limits is None and a.size > 0)
        if np.all(edges[:-1] < edges[1:]):
            break
    else:
        raise ValueError(
            f"Too many bins for data range. Cannot create {count} finite-sized bins.; {name}() got the range "
            f"[{first}, {last}] from {describe(limits)}"
        )
    return edges


def _linspace(first: Any, last: Any, count: int, dtype: DType, detected: bool) -> Any:
    """Return ``count + 1`` equidistant numbers on the host, where the ends are known; NumPy's rounding decides ties."""
    if count > MOST_BINS:
        raise ValueError(f"Maximum allowed size exceeded; {count} bins are more than memory holds")
    if dtype.kind == "V":
        return rewarned(np.linspace(first, last, count + 1).astype, dtype)
    if detected:  # the extreme elements are numbers of the dtype of the samples
        first, last = dtype.type(first), dtype.type(last)
    return np.linspace(first, last, count + 1, dtype=dtype)


def edges_of_axis(name: str, x: Array, axis: int, bins: Any, limits: Any) -> Array:
    """Return the edges along one axis, from the number of bins or given edges."""
    if not _dimensions(bins):
        if number(bins, name, f"bins[{axis}]") < 1:
            raise ValueError(f"`bins[{axis}]` must be positive, when an integer; {name}() got {describe(bins)}")
        first, last = _outer_edges(name, x, limits)
        try:
            count = index(bins)
        except TypeError:
            raise TypeError(
                f"`bins[{axis}]` must be an integer, when a scalar; {name}() got {describe(bins)}"
            ) from None
        detected = limits is None and bool(x.size)
        dtype = _casts.floating(x).dtype if detected else x.device.default_dtypes["real floating"]
        return xp.asarray(_linspace(first, last, count, dtype, detected), device=x.device)
    edges = on_device(name, bins, x.device)
    if edges.ndim != 1:
        raise ValueError(f"`bins[{axis}]` must be a scalar or 1d array; {name}() got shape {edges.shape}")
    if _descend(edges):
        raise ValueError(
            f"`bins[{axis}]` must be monotonically increasing, when an array; {name}() got {describe(bins)}"
        )
    return edges


def bin_widths(edges: Array) -> Array:
    """Return the widths of the bins between edges, in floating point."""
    before, after = neighbours(_casts.floating(edges))
    return after - before


def neighbours(edges: Array) -> tuple[Array, Array]:
    """Return the edges that have a successor, and these successors; a difference of integers may overflow."""
    length = edges.shape[0]
    return edges[: max(length - 1, 0)], edges[min(length, 1) :]


def _descend(edges: Array) -> bool:
    """Return whether some edge is smaller than the one before it."""
    before, after = neighbours(_casts.counted(edges))
    return bool(xp.any(after < before))


def length_of(bins: Any) -> int | None:
    """Return the number of items of a sequence, None for a number."""
    return len(bins) if _dimensions(bins) else None


def _dimensions(value: Any) -> int:
    """Return the number of dimensions of an array-like; 1 for a sequence, whatever it holds."""
    if isinstance(value, SEQUENCES):
        return 1
    return int(getattr(value, "ndim", 0))
