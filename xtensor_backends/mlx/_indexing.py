"""NumPy's keys on MLX's arrays: MLX checks no bounds and reads no masks; writes make new arrays.

Arrays are in memory that all devices share, so that keys are applied on MLX's default device.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np

from xtensor.backend import check_positions, resolved_key, split_key, without_leading_axes, written_slice

from ._native import Array, MlxArray, from_numpy, running
from ._operands import cast, number

__all__ = ["getitem", "positions_of", "setitem"]

on_default_device = running(mx.default_device())


@on_default_device
def getitem(native: MlxArray, key: Any) -> MlxArray:
    """Return ``native[key]``, a new array."""
    basic, positions = _split(native, key)
    view = native.array[tuple(basic)] if basic else native.array
    return MlxArray(view[tuple(positions)] if positions else view)


@on_default_device
def setitem(native: MlxArray, key: Any, value: Any) -> MlxArray:
    """Return the array with a value assigned to ``native[key]``."""
    array = native.array
    basic, positions = _split(native, key)
    source = cast(value.array, array.dtype) if value.__class__ is MlxArray else number(value, array.dtype)
    # Assignments by positions, of elements numbered in the order of the memory: MLX's own assign to new axes otherwise.
    numbers = mx.arange(array.size, dtype=mx.int64).reshape(array.shape)
    numbers = numbers[tuple(basic)] if basic else numbers
    numbers = numbers[tuple(positions)] if positions else numbers
    source = mx.broadcast_to(without_leading_axes(source, numbers.ndim), numbers.shape)
    if not numbers.size:
        return MlxArray(array)
    result = mx.array(array.reshape(-1))
    result[numbers.reshape(-1)] = source.reshape(-1)
    return MlxArray(result.reshape(array.shape))


def _split(native: MlxArray, key: Any) -> tuple[list[Any], list[Any]]:
    """Return a basic key, and the positions along the axes of its view; none for a basic key."""
    shape = native.array.shape
    parts = resolved_key(key, shape, MlxArray)
    if all(part is None or part.__class__ in (int, slice) for part in parts):
        return [written_slice(part) for part in parts], []
    basic, positions = split_key(
        parts,
        shape,
        nonzero=lambda mask: positions_of(mask.array),
        positions=_checked,
        constant=lambda values: from_numpy(np.asarray(values, np.int64)),
    )
    return [written_slice(part) for part in basic], positions


def _checked(part: MlxArray, length: int, axis: int) -> Array:
    positions = cast(part.array, mx.int64)
    check_positions(positions, length, axis)
    return mx.where(positions < 0, positions + length, positions)


def positions_of(x: Array) -> tuple[Array, ...]:
    """Return the positions of the elements that are not 0 along each axis, in the order of the memory."""
    shape, size = x.shape, x.size
    mask = (x != 0).reshape(-1)
    true: Any = mx.sum(mask).item() if size else 0
    count = int(true)
    if not count:
        return tuple([mx.zeros((0,), dtype=mx.int64) for _ in shape])
    # Each true element has its number among them, the others a slot after the last.
    slots = mx.where(mask, mx.cumsum(mask.astype(mx.int64)) - 1, count)
    flat = mx.zeros((count + 1,), dtype=mx.int64)
    flat[slots] = mx.arange(size, dtype=mx.int64)
    flat = flat[:count]
    positions = []
    for length in reversed(shape):
        positions.append(mx.remainder(flat, length))
        flat = mx.floor_divide(flat, length)
    return tuple(reversed(positions))
