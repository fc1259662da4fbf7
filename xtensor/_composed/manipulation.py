"""Compositions of manipulation functions. Axes are in ``[0, ndim)`` unless said otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.backend import Native

__all__ = [
    "diagonal",
    "expand_dims",
    "fftshift",
    "flip",
    "ifftshift",
    "matrix_transpose",
    "moveaxis",
    "repeat",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]

Axes = int | tuple[int, ...]


def as_tuple(value: Axes) -> tuple[int, ...]:
    """Return one axis, or several, as a tuple."""
    return value if isinstance(value, tuple) else (value,)


def along(axis: int, key: Any) -> tuple[Any, ...]:
    """Return the index that applies a key to one axis."""
    return (*(slice(None),) * axis, key)


def expand_dims(xp: Any, x: Native, *, axis: Axes) -> Native:
    axes = as_tuple(axis)
    ndim = x.ndim + len(axes)
    axes = tuple(item % ndim for item in axes)
    lengths = iter(x.shape)
    return xp.reshape(x, tuple(1 if position in axes else next(lengths) for position in range(ndim)))


def squeeze(xp: Any, x: Native, *, axis: Axes) -> Native:
    axes = tuple(item % x.ndim for item in as_tuple(axis)) if x.ndim else ()
    return xp.reshape(x, tuple(length for position, length in enumerate(x.shape) if position not in axes))


def moveaxis(xp: Any, x: Native, source: Axes, destination: Axes) -> Native:
    sources, destinations = (tuple(item % x.ndim for item in as_tuple(axes)) for axes in (source, destination))
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for target, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(target, axis)
    return xp.permute_dims(x, tuple(order))


def matrix_transpose(xp: Any, x: Native) -> Native:
    return xp.permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


def stack(xp: Any, arrays: Sequence[Native], *, axis: int) -> Native:
    return xp.concat([xp.expand_dims(x, axis=(axis,)) for x in arrays], axis=axis)


def unstack(xp: Any, x: Native, *, axis: int) -> tuple[Native, ...]:
    first = xp.moveaxis(x, axis, 0)
    return tuple(first[i, ...] for i in range(first.shape[0]))


def flip(xp: Any, x: Native, *, axis: Axes | None) -> Native:
    axes = [item % x.ndim for item in (range(x.ndim) if axis is None else as_tuple(axis))]
    return xp.getitem(x, tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim)))


def roll(xp: Any, x: Native, shift: Axes, *, axis: Axes | None) -> Native:
    if axis is None:
        return xp.reshape(xp.roll(xp.reshape(x, (-1,)), shift, axis=0), x.shape)
    shifts, axes = as_tuple(shift), as_tuple(axis)
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(axes) == 1:
        axes *= len(shifts)
    for count, position in zip(shifts, axes, strict=True):
        length = x.shape[position]
        start = -count % length if length else 0
        if start:
            tail, head = x[along(position, slice(start, None))], x[along(position, slice(None, start))]
            x = xp.concat([tail, head], axis=position)
    return xp.astype(x, x.dtype, copy=True)


def fftshift(xp: Any, x: Native, *, axes: tuple[int, ...]) -> Native:
    return xp.roll(x, tuple(x.shape[axis] // 2 for axis in axes), axis=axes)


def ifftshift(xp: Any, x: Native, *, axes: tuple[int, ...]) -> Native:
    return xp.roll(x, tuple(-(x.shape[axis] // 2) for axis in axes), axis=axes)


def tile(xp: Any, x: Native, repetitions: tuple[int, ...]) -> Native:
    ndim = max(x.ndim, len(repetitions))
    lengths = (*(1,) * (ndim - x.ndim), *x.shape)
    counts = (*(1,) * (ndim - len(repetitions)), *repetitions)
    pairs = [(count, length) for count, length in zip(counts, lengths, strict=True)]
    expanded = xp.reshape(x, tuple(item for _, length in pairs for item in (1, length)))
    repeated = xp.broadcast_to(expanded, tuple(item for pair in pairs for item in pair))
    return xp.reshape(repeated, tuple(count * length for count, length in pairs), copy=True)


def repeat(xp: Any, x: Native, repeats: int | Native, *, axis: int | None) -> Native:
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    length = x.shape[axis]
    if isinstance(repeats, int):
        index = xp.arange(0, length * repeats, 1, dtype=xp.default_integer)
        index = xp.floor_divide(index, repeats) if repeats else index
    else:
        counts = xp.broadcast_to(xp.astype(repeats, xp.default_integer), (length,))
        ends = xp.cumulative_sum(counts, axis=0)
        total = int(ends[-1, ...]) if length else 0
        index = xp.searchsorted(ends, xp.arange(0, total, 1, dtype=xp.default_integer), side="right")
    return xp.getitem(x, along(axis, index))


def diagonal(xp: Any, x: Native, *, offset: int) -> Native:
    rows, columns = x.shape[-2:]
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    flat = xp.reshape(x, (*x.shape[:-2], rows * columns))
    if not length:
        return flat[..., :0]
    start = offset if offset >= 0 else -offset * columns
    return flat[..., start : start + (length - 1) * (columns + 1) + 1 : columns + 1]
