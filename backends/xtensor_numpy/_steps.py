"""Steps of compositions in compiled functions of NumPy; ``xtensor/_beyond/_steps.py`` describes each.

bfloat16, whose arrays are of a class of their own, is left to the compositions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Literal

import numpy as np

from xtensor.backend import DType, Native

from ._sorting import sorted_quickly

__all__ = [
    "assigned_where",
    "close",
    "contracted",
    "divided_polynomial",
    "extreme_number",
    "filled",
    "finite",
    "grid_indices",
    "histogram_counts",
    "infinite_where",
    "interpolated",
    "inverse_permutation",
    "lower_triangle",
    "membership",
    "packed_bits",
    "padded",
    "placed",
    "polynomial",
    "sliding_windows",
    "unpacked_bits",
]


MOST_EDGES = 2**16
"""Number of edges up to which the bin of a number of 24 bits is computed with an error far below 1."""

BLOCK = 2**16
"""Elements whose bins are computed at once, in a core's cache."""


def _of_plain_arrays(step: Callable[..., Native]) -> Callable[..., Native]:
    """A step that declines arrays of another class than NumPy's."""

    @wraps(step)
    def declining(x: Native, *args: Any) -> Native:
        if x.__class__ is not np.ndarray or any(arg.__class__.__name__ == "BFloat16Array" for arg in args):
            return NotImplemented
        return step(x, *args)

    return declining


@_of_plain_arrays
def assigned_where(x: Native, mask: Native, values: Native) -> Native:
    if not x.flags.writeable:
        return NotImplemented  # for the error of an assignment
    if values.ndim:
        np.putmask(x, mask, values)
    else:
        np.copyto(x, values, where=mask)
    return x


@_of_plain_arrays
def close(x: Native, y: Native, rtol: float, atol: float) -> Native:
    if not y.ndim:
        return NotImplemented  # NumPy's functions give scalars, which no result is written into
    # The difference of two infinities and the product of zero and an infinity are invalid, and not looked at.
    with np.errstate(invalid="ignore"):
        distance = np.subtract(x, y)
        distance = np.abs(distance, out=distance if distance.dtype.kind == "f" else None)
        tolerance = np.abs(y)
        tolerance *= rtol
        tolerance += atol
    result = np.less_equal(distance, tolerance)
    if not np.isfinite(tolerance).all():  # a distance within a finite tolerance is one of finite numbers
        result &= np.isfinite(x)
        result &= np.isfinite(y)
    result |= np.equal(x, y)
    return result


@_of_plain_arrays
def contracted(x: Native, subscripts: str, *others: Native) -> Native:
    try:
        # At least an array of no axes: NumPy gives a scalar for operands without a sum.
        return np.asarray(np.einsum(subscripts, x, *others))
    except ValueError:
        return NotImplemented  # axes of length 1 that NumPy does not broadcast


@_of_plain_arrays
def divided_polynomial(u: Native, v: Native) -> Native:
    quotient, rest = np.empty(u.size - v.size + 1, u.dtype), u.copy()
    scale = 1 / v[0]
    for k in range(quotient.size):
        quotient[k] = scale * rest[k]
        rest[k : k + v.size] -= quotient[k] * v
    return np.concatenate((quotient, rest))


@_of_plain_arrays
def extreme_number(x: Native, axis: Any, keepdims: bool, largest: bool) -> Native:
    if not x.size:
        return NotImplemented  # for the error of an empty reduction
    reduce: Any = (np.fmax if largest else np.fmin).reduce
    return reduce(x, axis=axis, keepdims=keepdims)


@_of_plain_arrays
def filled(x: Native, mask: Native, value: Any) -> Native:
    result = x.copy()
    np.copyto(result, value, where=mask)
    return result


@_of_plain_arrays
def finite(x: Native, nan: Native, posinf: Native, neginf: Native) -> Native:
    result: Any = x.copy()
    parts = (result,) if x.dtype.kind == "f" else (result.real, result.imag)
    for part in parts:
        special = ~np.isfinite(part)
        if special.any():
            found = part[special]
            part[special] = np.where(np.isnan(found), nan, np.where(found > 0, posinf, neginf))
    return result


def grid_indices(shape: tuple[int, ...], dtype: DType) -> Native:
    return np.indices(shape, dtype) if dtype.kind != "V" else NotImplemented


@_of_plain_arrays
def histogram_counts(x: Native, edges: Native) -> Native:
    if x.dtype.kind == "f" and np.isnan(edges).any():
        return NotImplemented
    if x.dtype.kind == "f" and x.dtype.itemsize >= 4 and edges.size <= MOST_EDGES:
        with np.errstate(all="ignore"):
            per_bin = (edges.size - 1) / (edges[-1] - edges[0])
        if 0 < per_bin < np.inf and np.array_equal(edges, np.linspace(edges[0], edges[-1], edges.size, dtype=x.dtype)):
            return _counts_of_equal_bins(x, edges, per_bin)
    below = np.zeros(edges.size, np.intp)
    block = max(BLOCK, edges.size)  # many edges are looked for in few blocks
    for start in range(0, x.size, block):
        ordered = sorted_quickly(x[start : start + block], -1)
        below[:-1] += ordered.searchsorted(edges[:-1], "left")
        below[-1] += ordered.searchsorted(edges[-1], "right")
    return below[1:] - below[:-1]


def _counts_of_equal_bins(x: Native, edges: Native, per_bin: Any) -> Native:
    """Return the counts in bins of equal width: the bin's number is computed, and checked by the edges.

    The computed number is wrong by one at most, since edges and elements are rounded far finer than a bin is wide.
    """
    count = edges.size - 1
    counts = np.zeros(count + 2, np.intp)  # also of the elements before the first edge and behind the last one
    behind = np.nextafter(edges[-1], np.inf)  # the last bin has its right edge
    lower = np.append(edges[:-1], behind)
    upper = np.concatenate((edges[1:-1], np.asarray((behind, np.nan), edges.dtype)))
    for start in range(0, x.size, BLOCK):
        part = x[start : start + BLOCK]
        least, largest = part.min(), part.max()
        if np.isnan(least):
            part = part[~np.isnan(part)]
        with np.errstate(over="ignore"):
            scaled: Any = part - edges[0]
            scaled *= per_bin
        if least >= edges[0] and largest <= edges[-1]:
            number = scaled.astype(np.intp)
        else:
            number = np.clip(scaled, 0, count, out=scaled).astype(np.intp)
        # The mode "clip" writes to its result without a buffer.
        low = part < lower.take(number, out=scaled, mode="clip")
        if low.any():
            number -= low
        high = part >= upper.take(number, out=scaled, mode="clip")
        if high.any():
            number += high
        number += 1
        counts += np.bincount(number, minlength=count + 2)
    return counts[1:-1]


@_of_plain_arrays
def infinite_where(x: Native, mask: Native) -> Native:
    return np.where(mask, x.dtype.type(np.inf), x) if mask.any() else x


@_of_plain_arrays
def interpolated(x: Native, knots: Native, values: Native) -> Native:
    return np.interp(x, knots, values) if knots.size > 1 else NotImplemented  # one knot: 0 for NaN


@_of_plain_arrays
def inverse_permutation(order: Native) -> Native:
    result = np.empty_like(order)
    result[order] = np.arange(order.size, dtype=order.dtype)
    return result


def lower_triangle(rows: int, columns: int, k: int) -> Native:
    return np.tri(rows, columns, k, dtype=np.bool)


@_of_plain_arrays
def membership(x: Native, y: Native) -> Native:
    if x.dtype == np.float16:  # see sorted_quickly
        x, y = x.astype(np.float32), y.astype(np.float32)
    return np.isin(x, np.unique(y), assume_unique=True)


@_of_plain_arrays
def packed_bits(x: Native, bitorder: Literal["big", "little"]) -> Native:
    return np.packbits(x, axis=-1, bitorder=bitorder)


@_of_plain_arrays
def padded(x: Native, widths: list[tuple[int, int]], value: Native | None = None) -> Native:
    inner = [slice(before, before + length) for (before, _), length in zip(widths, x.shape, strict=True)]
    result: Any = np.empty([length + sum(width) for width, length in zip(widths, x.shape, strict=True)], x.dtype)
    result[tuple(inner)] = x
    # The padding along an axis covers that along the axes before it, and not yet that along the axes behind it.
    for axis, ((before, behind), kept) in enumerate(zip(widths, inner, strict=True)):
        lines = result[(*(slice(None),) * axis, slice(None), *inner[axis + 1 :])]
        lines = np.moveaxis(lines, axis, 0) if axis else lines
        if before:
            lines[:before] = lines[before] if value is None else value
        if behind:
            lines[kept.stop :] = lines[kept.stop - 1] if value is None else value
    return result


@_of_plain_arrays
def placed(x: Native, mask: Native, values: Native) -> Native:
    if not x.flags.writeable:
        return NotImplemented
    np.place(x, mask, values)
    return x


@_of_plain_arrays
def polynomial(zeros: Native) -> Native:
    result: Any = np.ones(1, zeros.dtype)
    for factor in np.stack((np.ones_like(zeros), -zeros), axis=1):
        result = np.convolve(result, factor)
    return result


@_of_plain_arrays
def sliding_windows(x: Native, lengths: tuple[int, ...], axes: tuple[int, ...]) -> Native:
    return np.lib.stride_tricks.sliding_window_view(x, lengths, axes)


@_of_plain_arrays
def unpacked_bits(x: Native, bitorder: Literal["big", "little"]) -> Native:
    return np.unpackbits(x, axis=-1, bitorder=bitorder)
