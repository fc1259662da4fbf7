"""Sorting by NumPy's fastest algorithm, with the results of a stable one, and single elements of the sorted order.

NumPy's default algorithm is several times faster than its stable one, as it compares many elements in one instruction.
It may exchange elements that compare as equal. Among values only zeros of both signs and NaN can be told from their
equals; they are put back in their order. Among indices all equals can, so each element is sorted with its index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["argpartition", "argsort", "partition", "sort", "sorted_quickly"]

MOST_PARTITIONS = 16
"""Number of positions above which sorting all elements costs less than a partition at all of them."""

SHORT_LINE = 1000
"""Number of elements below which sorting all costs less than two partitions, and stably less than sorting keys."""

SHORT_ROW = 16
"""Length of rows up to which the stable algorithm takes less time than sorting keys, however many rows there are."""

ZEROS_OF_FLOAT32 = 29
"""Number of last bits of a float64 that are zero if float32 holds the number."""

MOST_EXCHANGES = 32
"""Number of times that all neighbours in an order are compared."""

FEW = 16
"""Part of the neighbours that are exchanged at most, each time."""


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
    # NumPy sorts integers of at most 16 bits by their digits, which is stable and fast.
    if x.dtype.kind not in "iuf" or x.dtype.itemsize < 4 or x.size <= SHORT_LINE or x.shape[axis] <= SHORT_ROW:
        return np.argsort(x, axis=axis, kind="stable" if stable else None)
    lines = x.swapaxes(axis, -1)
    order = _order_of_keys(lines)
    if order is None:
        order = np.argsort(lines, axis=-1, kind="stable")
    return order.swapaxes(axis, -1)


def _order_of_keys(x: Native) -> Native | None:
    """Return the stable order along the last axis; None where too many elements are too close to each other.

    NumPy sorts integers in half of the time in which it sorts indices. A key and its index are put together into one
    integer of 64 bits. Keys that differ only in lower bits, for which there is no room, are compared afterwards.
    """
    length = x.shape[-1]
    width = (length - 1).bit_length()
    index = (1 << width) - 1
    keys, packed = np.empty((2, *x.shape), np.uint64)  # the system's allocator keeps one block, but not two
    _write_keys(x, keys, packed)
    if not (keys[..., 1:] < keys[..., :-1]).any():
        return np.broadcast_to(np.arange(length), x.shape).copy()
    keys -= keys.min()
    excess = max(0, int(keys.max()).bit_length() + width - 64)
    np.right_shift(keys, excess, out=packed)
    packed <<= width
    packed |= np.arange(length, dtype=np.uint64)
    packed.sort(axis=-1)
    order = np.empty(x.shape, np.int64)
    bits = order.view(np.uint64)
    if excess:
        undecided = np.bitwise_xor(packed[..., 1:], packed[..., :-1], out=bits[..., 1:]) <= index
    np.bitwise_and(packed, index, out=bits)
    return order if not excess or _decide(keys, order, undecided) else None


def _write_keys(x: Native, keys: Native, spare: Native) -> None:
    """Write unsigned integers that compare as the elements do; ``spare`` is memory for intermediate results.

    Zeros of both signs have one key, and so have all NaN: the largest one.
    """
    if x.dtype.kind == "u":
        keys[...] = x
        return
    bits = keys.view(np.int64)
    if x.dtype.kind == "i":
        bits[...] = x
    else:
        with np.errstate(invalid="ignore"):  # for a NaN that signals
            np.add(x, 0, out=keys.view(np.float64))  # -0 becomes 0
        largest = np.iinfo(np.int64).max
        # The larger a negative number, the smaller its bits as an integer.
        negative = np.right_shift(bits, 63, out=spare.view(np.int64))
        negative &= largest
        bits ^= negative
        missing = np.isnan(x)
        if missing.any():
            bits[missing] = largest
        if x.dtype.itemsize == 4:
            bits >>= ZEROS_OF_FLOAT32
    bits ^= np.iinfo(np.int64).min


def _decide(keys: Native, order: Native, undecided: Native) -> bool:
    """Exchange indices with the following ones in an order of keys, where that is undecided; False if they are many."""
    length = order.shape[-1]
    position = np.flatnonzero(undecided)
    if position.size > order.size // FEW:
        ordered = np.take_along_axis(keys, order, axis=-1)
        if not (ordered[..., 1:] < ordered[..., :-1]).any():
            return True  # they are equal
    if length > 1:
        position += position // (length - 1)  # the position in the order, whose rows have one element more
    start = position - position % length
    order, keys = order.reshape(-1), keys.reshape(-1)
    for _ in range(MOST_EXCHANGES):
        wrong = keys[start + order[position]] > keys[start + order[position + 1]]
        number = np.count_nonzero(wrong)
        if not number:
            return True
        if number > order.size // FEW:
            return False
        first = position[wrong]
        first = first[np.diff(first, prepend=-2) > 1]  # of pairs that overlap, the first one
        order[first], order[first + 1] = order[first + 1], order[first]
    return False


def partition(x: Native, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Native:
    positions = _positions(x, kth, axis, kind, order)
    if positions is None:
        return NotImplemented
    if axis is None:
        x, axis = x.reshape(-1), 0
    length = x.shape[axis]
    if min(positions) < -length or max(positions) >= length:
        return NotImplemented
    positions = sorted({position % length for position in positions})
    if length < SHORT_LINE or len(positions) > MOST_PARTITIONS:
        return sorted_quickly(x, axis)
    # float16: see sorted_quickly.
    result = x.astype(np.float32) if x.dtype == np.float16 else x.copy(order="K")
    _partition(result.swapaxes(axis, -1), positions)
    return result.astype(x.dtype, copy=False)


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


def argpartition(x: Native, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Native:
    positions = _positions(x, kth, axis, kind, order)
    if positions is None or x.dtype == np.float16 or len(positions) > MOST_PARTITIONS:
        return NotImplemented
    return np.argpartition(x, positions, axis)


def _positions(x: Native, kth: Any, axis: Any, kind: Any, order: Any) -> list[int] | None:
    """Return the positions of a partition of real numbers; None for other arguments."""
    if x.__class__ is not np.ndarray or x.dtype.kind not in "biuf" or not x.size or not (x.ndim or axis is None):
        return None
    if axis.__class__ not in (int, type(None)) or kind != "introselect" or order is not None:
        return None
    positions = [kth] if kth.__class__ is int else kth
    if positions.__class__ is not list or not positions or any(item.__class__ is not int for item in positions):
        return None
    return positions
