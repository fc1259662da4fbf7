"""Indexing and assignment: slices by dask; index arrays are computed, and then say which elements are meant."""

from __future__ import annotations

import math
from operator import index
from typing import Any

import dask.array as da
import numpy as np

from xtensor.backend import DType, note_computation

from ._native import Chunked, placed, with_lengths
from ._stages import SMALL, compute
from ._structure import reshaped

__all__ = ["getitem", "setitem"]


def getitem(native: Chunked, key: Any) -> Chunked:
    """Return the elements of a key as NumPy selects them."""
    x = native.array
    parts = _expanded(key, x.ndim)
    masks = [part for part in parts if isinstance(part, Chunked) and part.dtype == bool]
    if len(masks) == 1 and masks[0].ndim and all(_is_whole(part) for part in parts if part is not masks[0]):
        return Chunked(_masked(x, parts, masks[0].array))
    parts = _computed(parts)
    if not any(isinstance(part, np.ndarray) for part in parts):
        basic = tuple(parts)
        if x.ndim and all(isinstance(part, (int, np.integer)) for part in basic):
            return Chunked(x[basic])  # an element is a value
        return Chunked.view(native, lambda array: array[basic], lambda array, value: _inserted(array, parts, value))
    return Chunked(_gathered(x, parts))


def _expanded(key: Any, ndim: int) -> list[Any]:
    """The parts of a key, with slices in the place of an ellipsis and of missing axes."""
    parts = [_plain(part) for part in (key if isinstance(key, tuple) else (key,))]
    used = sum(0 if part is None or part is ... else _axes_of(part) for part in parts)
    if used > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    missing = [slice(None)] * (ndim - used)
    for place, part in enumerate(parts):
        if part is ...:
            return [*parts[:place], *missing, *parts[place + 1 :]]
    return [*parts, *missing]


def _plain(part: Any) -> Any:
    """A slice with Python's integers, which may be Arrays."""
    if isinstance(part, slice):
        return slice(*[None if end is None else index(end) for end in (part.start, part.stop, part.step)])
    return part


def _axes_of(part: Any) -> int:
    """The number of axes that a part of a key selects on."""
    if isinstance(part, Chunked) and part.dtype == bool:
        return part.ndim
    return 0 if isinstance(part, (bool, np.bool)) else 1


def _is_whole(part: Any) -> bool:
    return isinstance(part, slice) and part == slice(None)


def _masked(x: Any, parts: list[Any], mask: Any) -> Any:
    """Select with one mask, which is computed for the number of elements that it selects in each chunk."""
    first = next(place for place, part in enumerate(parts) if isinstance(part, Chunked))
    shape = x.shape[first : first + mask.ndim]
    if shape != mask.shape and mask.size:  # NumPy takes any mask without elements
        axis = next(i for i, (n, m) in enumerate(zip(shape, mask.shape, strict=True)) if n != m)
        raise IndexError(
            f"boolean index did not match indexed array along axis {first + axis}; size of axis is {shape[axis]} but "
            f"size of corresponding boolean axis is {mask.shape[axis]}"
        )
    flat = reshaped(x, (*x.shape[:first], math.prod(shape), *x.shape[first + mask.ndim :]))
    before = (slice(None),) * first
    if not mask.size:
        return flat[(*before, slice(0))]
    lengths = flat.chunks[first]
    by_chunk = reshaped(mask, (-1,)).rechunk((lengths,))
    # The mask alone tells the lengths: the elements are not computed for them.
    note_computation(0, "dask", "the length of a result")
    if mask.nbytes <= SMALL:
        counts = [part.sum() for part in np.split(np.asarray(compute([mask])[0]).reshape(-1), np.cumsum(lengths)[:-1])]
    else:
        counts = compute([by_chunk.map_blocks(_count, dtype=np.int64, chunks=((1,) * len(lengths),))])[0]
    selected = flat[(*before, by_chunk)]
    selected._chunks = (*selected.chunks[:first], tuple(map(int, counts)), *selected.chunks[first + 1 :])
    return with_lengths(selected)


def _count(mask: Any) -> Any:
    return mask.astype(np.int64).sum(keepdims=True)


def _computed(parts: list[Any]) -> list[Any]:
    """The parts with index arrays as NumPy's integers, which are computed together; masks as the indices they mean."""
    arrays = [part.array for part in parts if isinstance(part, Chunked)]
    if arrays:
        note_computation(sum(x.nbytes for x in arrays), "dask", "index arrays")
    values = iter(compute(arrays)) if arrays else iter(())
    found: list[Any] = []
    for part in parts:
        if isinstance(part, Chunked):
            value = np.asarray(next(values))
            if value.dtype == bool:
                found += np.nonzero(value) if value.ndim else [value]
            else:
                found.append(value.astype(np.int64) if value.ndim else value)
        else:
            found.append(part)
    return found


def _gathered(x: Any, parts: list[Any]) -> Any:
    """Select with index arrays: the axes that they select on become one, of which dask takes elements."""
    # 1. Slices and new axes; the axes of index arrays and integers stay.
    chosen: dict[int, np.ndarray[Any, Any]] = {}
    plain: list[Any] = []
    where: list[int] = []
    axis = 0
    for place, part in enumerate(parts):
        if isinstance(part, np.ndarray) and part.dtype == bool:  # of no axis: a new one of length 0 or 1
            plain.append(None)
            chosen[axis] = np.zeros(int(part), np.int64)
        elif isinstance(part, (np.ndarray, int, np.integer)):
            plain.append(slice(None))
            chosen[axis] = np.asarray(part)
        else:
            plain.append(part)
            axis += 1
            continue
        where.append(place)
        axis += 1
    x = x[tuple(plain)]
    # 2. The positions on the joint axis.
    axes = list(chosen)
    indices = [_checked(chosen[axis], x.shape[axis], axis) for axis in axes]
    shape = np.broadcast_shapes(*[places.shape for places in indices])
    lengths = [x.shape[axis] for axis in axes]
    others = [axis for axis in range(x.ndim) if axis not in chosen]
    x = da.transpose(x, [*axes, *others])
    rest = x.shape[len(axes) :]
    if len(axes) > 1:
        x = reshaped(x, (math.prod(lengths), *rest))
    position = np.zeros(shape, np.int64)
    for found, length in zip(indices, lengths, strict=True):
        position = position * length + found
    # 3. The elements, and their axes in NumPy's order: in the place of adjacent index arrays, else in front.
    found = reshaped(da.take(x, position.reshape(-1), axis=0), (*shape, *rest))
    adjacent = where == list(range(where[0], where[0] + len(where)))
    before = len([other for other in others if other < axes[0]]) if adjacent else 0
    order = [*range(len(shape), len(shape) + before), *range(len(shape)), *range(len(shape) + before, found.ndim)]
    return da.transpose(found, order)


def _checked(indices: Any, length: int, axis: int) -> Any:
    """Indices from 0 on."""
    wrong = indices[(indices < -length) | (indices >= length)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for axis {axis} with size {length}")
    return np.where(indices < 0, indices + length, indices)


# -- assignment -------------------------------------------------------------------------------------------------------


def setitem(native: Chunked, key: Any, value: Any) -> Chunked:
    """Put other elements in the place of those of a key, also in the arrays that the array is a view of."""
    x = native.array
    parts = _expanded(key, x.ndim)
    mask = parts[0] if len(parts) == 1 and isinstance(parts[0], Chunked) else None
    if mask is not None and mask.dtype == bool and mask.shape == x.shape and not getattr(value, "ndim", 0):
        native.assign(da.where(mask.array, _cast(value, x.dtype), x))
    else:
        native.assign(_inserted(x, _computed(parts), value))
    return native


def _cast(value: Any, dtype: DType) -> Any:
    """A value as a dask array of a dtype."""
    if isinstance(value, Chunked):
        return value.array.astype(dtype)
    return value.astype(dtype) if isinstance(value, da.Array) else da.asarray(placed(np.asarray(value, dtype)))


def _inserted(x: Any, parts: list[Any], value: Any) -> Any:
    """A dask array with other elements in the place of those of a key."""
    if all(_is_whole(part) for part in parts):
        value = _cast(value, x.dtype)
        return da.broadcast_to(_without_ones(value, x.ndim), x.shape)
    positions = _positions(x.shape, parts)
    value = _cast(value, x.dtype)
    value = da.broadcast_to(_without_ones(value, positions.ndim), positions.shape)
    if not positions.size:
        return x
    flat = reshaped(x, (-1,))
    starts = np.cumsum([0, *flat.chunks[0]])
    values = reshaped(value, (-1,)).rechunk(-1)
    changed = da.blockwise(
        _assigned,
        "i",
        flat,
        "i",
        da.from_array(starts[:-1], chunks=1),
        "i",
        values,
        "j",
        positions=positions.reshape(-1),
        dtype=x.dtype,
        concatenate=True,
        align_arrays=False,
        meta=np.empty((0,), x.dtype),
    )
    return reshaped(changed, x.shape).rechunk(x.chunks)


def _without_ones(value: Any, ndim: int) -> Any:
    """A value without the axes of length 1 in front that it has beyond those of the place that it is assigned to."""
    extra = value.ndim - ndim
    return value if extra <= 0 or any(n != 1 for n in value.shape[:extra]) else reshaped(value, value.shape[extra:])


def _positions(shape: tuple[int, ...], parts: list[Any]) -> Any:
    """The positions, in the order of rows, of the elements that a key selects."""
    key = tuple(parts)
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    total: Any = 0
    # The key applied to the coordinates of one axis, which are broadcast along the others.
    for axis, (length, stride) in enumerate(zip(shape, strides, strict=True)):
        lengths = [1] * len(shape)
        lengths[axis] = length
        coordinates = np.broadcast_to(np.arange(length).reshape(lengths), shape)
        total = total + coordinates[key] * stride
    return np.asarray(total) if shape else np.zeros((), np.int64)[key]


def _assigned(x: Any, start: Any, values: Any, *, positions: Any) -> Any:
    inside = (positions >= start[0]) & (positions < start[0] + x.shape[0])
    if not inside.any():
        return x
    result = x.copy()
    result[positions[inside] - start[0]] = values[inside]
    return result
