"""Derivatives of casts, of functions that rearrange elements, and of indexing. All are linear."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _ops as xp
from ..._core.array import Array
from ..._ops.counting import sums_at
from .._table import pullback
from .._transform import Key

INDICES = (int, slice, type(None), type(Ellipsis))


@pullback("astype", linear=True)
def _astype(g: Array, out: Any, x: Any, dtype: Any = None, *, copy: bool = True) -> Array:
    return g


@pullback("reshape", linear=True)
def _reshape(g: Array, out: Any, x: Any, shape: Any, *, copy: bool | None = None) -> Array:
    return xp.reshape(g, x.shape)


@pullback("expand_dims", "squeeze", linear=True)
def _axes_of_length_one(g: Array, out: Any, x: Any, *, axis: Any) -> Array:
    return xp.reshape(g, x.shape)


@pullback("broadcast_to", linear=True)
def _broadcast_to(g: Array, out: Any, x: Any, shape: Any) -> Array:
    return g


@pullback("full", linear=True, several=True)
def _full(g: Array, out: Any, shape: Any, value: Any, *, dtype: Any = None) -> Array:
    return g


@pullback("permute_dims", linear=True)
def _permute_dims(g: Array, out: Any, x: Any, axes: tuple[int, ...]) -> Array:
    places = [axis % x.ndim for axis in axes]
    return xp.permute_dims(g, tuple(places.index(i) for i in range(x.ndim)))


@pullback("matrix_transpose", linear=True)
def _matrix_transpose(g: Array, out: Any, x: Any) -> Array:
    return xp.matrix_transpose(g)


@pullback("flip", linear=True)
def _flip(g: Array, out: Any, x: Any, *, axis: Any = None) -> Array:
    return xp.flip(g, axis=axis)


@pullback("roll", linear=True)
def _roll(g: Array, out: Any, x: Any, shift: Any, *, axis: Any = None) -> Array:
    back = tuple(-item for item in shift) if isinstance(shift, tuple) else -shift
    return xp.roll(g, back, axis=axis)


@pullback("tril", linear=True)
def _tril(g: Array, out: Any, x: Any, *, k: int = 0) -> Array:
    return xp.tril(g, k=k)


@pullback("triu", linear=True)
def _triu(g: Array, out: Any, x: Any, *, k: int = 0) -> Array:
    return xp.triu(g, k=k)


@pullback("concat", linear=True, several=True)
def _concat(g: Array, out: Any, arrays: list[Any], *, axis: int | None = 0) -> list[Array]:
    if axis is None:
        parts, start = [], 0
        for x in arrays:
            length = math.prod(x.shape)
            parts.append(xp.reshape(g[start : start + length], x.shape))
            start += length
        return parts
    before = (slice(None),) * (axis % g.ndim)
    ends = np.cumsum([x.shape[axis] for x in arrays]).tolist()
    return [g[(*before, slice(start, end), ...)] for start, end in zip([0, *ends], ends, strict=False)]


@pullback("stack", linear=True, several=True)
def _stack(g: Array, out: Any, arrays: list[Any], *, axis: int = 0) -> tuple[Array, ...]:
    return xp.unstack(g, axis=axis)


@pullback("unstack", linear=True)
def _unstack(g: tuple[Array | None, ...], out: Any, x: Any, *, axis: int = 0) -> Array:
    some = next(part for part in g if part is not None)
    return xp.stack([xp.zeros_like(some) if part is None else part for part in g], axis=axis)


@pullback("diagonal", "linalg.diagonal", linear=True)
def _diagonal(g: Array, out: Any, x: Any, *, offset: int = 0) -> Array:
    rows, columns = x.shape[-2:]
    mask = xp.eye(rows, columns, k=offset, dtype=xp.bool, device=g.device)
    length = rows if offset >= 0 else columns
    if g.shape[-1] < length:
        rest = xp.zeros((*g.shape[:-1], length - g.shape[-1]), dtype=g.dtype, device=g.device)
        g = xp.concat([g, rest], axis=-1)
    return xp.where(mask, g[..., :, None] if offset >= 0 else g[..., None, :], 0)


# -- indexing ---------------------------------------------------------------------------------------------------------


def is_plain(key: Any) -> bool:
    """Whether a key selects each element at most once: it has no index arrays, except masks."""
    parts = key if key.__class__ is tuple else (key,)
    return all(part.__class__ in INDICES or part.dtype.kind == "b" for part in parts)


def _part_of_one_axis(key: Any, shape: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Return axis, start and stop of a key that takes consecutive elements of one axis and all of others, else None."""
    parts = key if key.__class__ is tuple else (key,)
    if not all(part is Ellipsis or part.__class__ is slice for part in parts):
        return None
    missing = len(shape) - sum(part is not Ellipsis for part in parts)
    full: list[slice] = []
    for part in parts:
        full += [slice(None)] * missing if part is Ellipsis else [part]
    full += [slice(None)] * (len(shape) - len(full))
    ranges = [part.indices(length) for part, length in zip(full, shape, strict=True)]
    partial = [axis for axis, (ends, length) in enumerate(zip(ranges, shape, strict=True)) if ends != (0, length, 1)]
    if len(partial) != 1:
        return None
    start, stop, step = ranges[partial[0]]
    return (partial[0], start, stop) if step == 1 and start < stop else None


@pullback("getitem", linear=True)
def _getitem(g: Array, out: Any, x: Any, key: Key) -> Array:
    index = key.index
    part = _part_of_one_axis(index, x.shape)
    if part is not None:
        axis, start, stop = part
        before, after = (*x.shape[:axis], start), (*x.shape[:axis], x.shape[axis] - stop)
        ends = [xp.zeros((*shape, *x.shape[axis + 1 :]), dtype=g.dtype, device=g.device) for shape in (before, after)]
        return xp.concat([item for item in (ends[0], g, ends[1]) if item.shape[axis]], axis=axis)
    if is_plain(index):
        result = xp.zeros(x.shape, dtype=g.dtype, device=g.device)
        parts = index if index.__class__ is tuple else (index,)
        if any(part is None for part in parts):  # an assignment through new axes is beyond the standard
            index = tuple(part for part in parts if part is not None)
            g = xp.reshape(g, result[index].shape)
        result[index] = g
        return result
    return _ungathered(g, x.shape, lambda places: places[index])


@pullback("setitem", linear=True, several=True)
def _setitem(g: Array, out: Any, x: Any, key: Key, value: Any) -> tuple[Array, Array]:
    index = key.index
    rest = xp.asarray(g, copy=True)
    rest[index] = 0
    taken = g[index]
    if not is_plain(index):
        # Where a key selects an element several times, the assignment keeps one of the values.
        numbers = xp.reshape(xp.arange(taken.size, device=g.device), taken.shape)
        winners = xp.zeros(x.shape, dtype=numbers.dtype, device=g.device)
        winners[index] = numbers
        taken = xp.where(winners[index] == numbers, taken, 0)
    return rest, taken


@pullback("take", keeps="indices", linear=True, several=True)
def _take(g: Array, out: Any, x: Any, indices: Array, *, axis: int) -> Array:
    before, after = math.prod(x.shape[:axis]), math.prod(x.shape[axis % x.ndim + 1 :])
    index = xp.reshape(indices, (1, -1, 1))
    return _scattered_along(g, index, (before, x.shape[axis], after), 1, x.shape)


@pullback("take_along_axis", keeps="indices", linear=True, several=True)
def _take_along_axis(g: Array, out: Any, x: Any, indices: Array, *, axis: int) -> Array:
    axis %= x.ndim
    if indices.shape == (*x.shape[:axis], 1, *x.shape[axis + 1 :]):  # one element of each line
        index = xp.astype(indices, g.device.default_dtypes["integral"], copy=False)
        length = x.shape[axis]
        numbers = xp.reshape(xp.arange(length, dtype=index.dtype, device=g.device), (-1, *[1] * (x.ndim - axis - 1)))
        return xp.where(xp.where(index < 0, index + length, index) == numbers, g, 0)
    return _scattered_along(g, indices, x.shape, axis, x.shape)


def _scattered_along(g: Array, indices: Array, lengths: tuple[int, ...], axis: int, shape: tuple[int, ...]) -> Array:
    """Return an Array of a shape in which each element is the sum of what was taken from it along an axis.

    ``lengths`` is the shape in which ``axis`` is one of the axes. No array has more elements than ``g`` or the result.
    """
    index = xp.astype(indices, g.device.default_dtypes["integral"], copy=False)
    places, stride = xp.where(index < 0, index + lengths[axis], index), 1
    places = places * math.prod(lengths[axis + 1 :])
    for number in range(len(lengths) - 1, -1, -1):
        length = lengths[number]
        if number != axis and length > 1:
            steps = xp.arange(length, dtype=index.dtype, device=g.device) * stride
            places = places + xp.reshape(steps, (length, *[1] * (len(lengths) - number - 1)))
        stride *= length
    size = math.prod(shape)
    return xp.reshape(sums_at(xp.reshape(g, (-1,)), xp.reshape(places, (-1,)), size), shape)


@pullback("repeat", keeps="repeats", linear=True, several=True)
def _repeat(g: Array, out: Any, x: Any, repeats: Any, *, axis: int | None) -> Array:
    return _ungathered(g, x.shape, lambda places: xp.repeat(places, repeats, axis=axis))


def _ungathered(g: Array, shape: tuple[int, ...], gather: Callable[[Array], Array]) -> Array:
    """Return an Array of a shape in which each element is the sum of what was gathered from its place."""
    size = math.prod(shape)
    places = gather(xp.reshape(xp.arange(size, device=g.device), shape))
    return xp.reshape(sums_at(xp.reshape(g, (-1,)), xp.reshape(places, (-1,)), size), shape)
