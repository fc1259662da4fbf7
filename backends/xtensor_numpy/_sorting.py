"""Sorting by NumPy's fastest algorithm, with the results of a stable one, and single elements of the sorted order.

NumPy's default algorithm is several times faster than its stable one, as it compares many elements in one instruction.
It may exchange elements that compare as equal. Among values only zeros of both signs and NaN can be told from their
equals; they are put back in their order. Among indices all equals can, so their runs are sorted by index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["argsort", "order_statistics", "partition_order", "partitioned", "sort", "sorted_quickly"]

MOST_PARTITIONS = 16
"""Number of positions above which sorting all elements costs less than a partition at all of them."""

SHORT_LINE = 1000
"""Number of elements below which sorting all costs less than two partitions, and stably less than a look for equals."""


def sorted_quickly(x: Native, axis: int) -> Native:
    """Return a sorted copy in which elements that compare as equal have any order.

    NumPy 2.4 and 2.5 do not sort float16 with zeros of both signs on processors with AVX-512 but without its
    instructions of float16: in 94 of 400 arrays of whole numbers, -1 followed -0. float32 holds the same numbers.
    """
    if x.dtype == np.float16:
        return np.sort(x.astype(np.float32), axis=axis).astype(np.float16)
    return np.sort(x, axis=axis)


def sort(x: Native, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Native:
    if x.dtype.kind not in "biuf":
        return _sort_by_stable_algorithm(x, axis, descending, stable)
    result = sorted_quickly(x, axis)
    if stable and x.dtype.kind == "f" and x.size:
        _restore_equals(result, x, axis, descending)
    return np.flip(result, axis=axis) if descending else result


def _sort_by_stable_algorithm(x: Native, axis: int, descending: bool, stable: bool) -> Native:
    kind: Any = "stable" if stable else None
    if not descending:
        return np.sort(x, axis=axis, kind=kind)
    # Sorting the reversed array and reversing the result is stable: zeros of both signs stay in order.
    return np.flip(np.sort(np.flip(x, axis=axis), axis=axis, kind=kind), axis=axis)


def _restore_equals(result: Native, x: Native, axis: int, descending: bool) -> None:
    """Write the zeros and the NaN of an array into its sorted copy, in the order that they have in the array."""
    ordered, lines = result.swapaxes(axis, -1), x.swapaxes(axis, -1)
    if descending:
        lines = lines[..., ::-1]  # the caller reverses the result
    if lines.ndim > 1:
        zeros: Any = lines == 0
        has_zeros = bool(zeros.any())
    else:
        first, end = ordered.searchsorted(0, "left"), ordered.searchsorted(0, "right")
        has_zeros = bool(end - first > 1)
        zeros = lines == 0 if has_zeros else None
    if has_zeros:
        given = lines[zeros]
        signs = np.signbit(given)
        if signs.any() and not signs.all():
            # Both masks select the elements of one line after the other, and as many of each.
            ordered[ordered == 0] = given
    if np.isnan(ordered[..., -1]).any():
        ordered[np.isnan(ordered)] = lines[np.isnan(lines)]


def argsort(x: Native, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Native:
    if not descending:
        return _order(x, axis, stable)
    order = _order(np.flip(x, axis=axis), axis, stable)
    return np.flip(x.shape[axis] - 1 - order, axis=axis)


def _order(x: Native, axis: int, stable: bool) -> Native:
    """Return the indices that sort in ascending order."""
    if not stable:
        return np.argsort(x, axis=axis)
    # NumPy sorts integers of at most 16 bits by their digits, which is stable and fast.
    if x.dtype.kind not in "iuf" or x.dtype.itemsize < 4 or x.size <= SHORT_LINE:
        return np.argsort(x, axis=axis, kind="stable")
    lines = np.ascontiguousarray(x.swapaxes(axis, -1))
    order = np.argsort(lines, axis=-1)
    values = lines.reshape(-1).take(_flat(order))
    same = values[..., 1:] == values[..., :-1]
    if x.dtype.kind == "f" and np.isnan(values[..., -1]).any():
        same |= np.isnan(values[..., :-1])  # a NaN is followed by none but NaN
    if same.any():
        order = _sort_runs(order, same)
    return order.swapaxes(axis, -1)


def _flat(order: Native) -> Native:
    """Return indices along the last axis as indices of the flattened array."""
    if order.ndim == 1:
        return order
    length = order.shape[-1]
    starts = np.arange(0, order.size, length, dtype=order.dtype)
    return order + starts.reshape((*order.shape[:-1], 1))


def _sort_runs(order: Native, same: Native) -> Native:
    """Sort the indices within each run of equal elements; ``same`` tells whether an element equals the one before."""
    run = np.zeros(order.shape, order.dtype)
    np.cumsum(~same, axis=-1, out=run[..., 1:])
    run *= order.shape[-1]
    order += run
    order.sort(axis=-1)  # by run, then by index: no element leaves its run
    order -= run
    return order


def order_statistics(x: Native, *indices: Native) -> Native:
    """Return a copy in which the elements at some indices along the last axis are those of the sorted order.

    Parameters
    ----------
    x
        Real numbers without NaN.
    *indices
        Integer arrays. Each index counts for all lines.
    """
    if x.__class__ is not np.ndarray:
        return NotImplemented
    if x.shape[-1] < SHORT_LINE:
        return sorted_quickly(x, -1)
    positions = np.unique(np.concatenate([index.reshape(-1) for index in indices])).tolist()
    if len(positions) > MOST_PARTITIONS:
        return sorted_quickly(x, -1)
    if x.dtype == np.float16:  # see sorted_quickly
        x = x.astype(np.float32)
    result = x.copy()
    _partition(result, positions)
    return result


def partitioned(x: Native, positions: list[int], axis: int) -> Native:
    if not _partitions(x, positions):
        return NotImplemented
    result = x.copy(order="K")
    length = x.shape[axis]
    _partition(result.swapaxes(axis, -1), sorted({position % length for position in positions}))
    return result


def _partition(lines: Native, positions: list[int], start: int = 0) -> None:
    """Partition an array in place along its last axis, at ascending positions that are counted from a start.

    One position after the other: NumPy compares many elements in one instruction for a single one, but not for several,
    and takes up to ten times as long.
    """
    if not positions:
        return
    half = len(positions) // 2
    middle = positions[half] - start
    lines.partition(middle, axis=-1)
    _partition(lines[..., :middle], positions[:half], start)
    _partition(lines[..., middle + 1 :], positions[half + 1 :], start + middle + 1)


def partition_order(x: Native, positions: list[int], axis: int) -> Native:
    return np.argpartition(x, positions, axis=axis) if _partitions(x, positions) else NotImplemented


def _partitions(x: Native, positions: list[int]) -> bool:
    """Whether NumPy partitions an array, in less time than it sorts; float16 see :func:`sorted_quickly`."""
    return x.__class__ is np.ndarray and x.dtype != np.float16 and 0 < len(positions) <= MOST_PARTITIONS
