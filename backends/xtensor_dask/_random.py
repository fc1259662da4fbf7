"""Random numbers: each chunk draws its own part of the stream."""

from __future__ import annotations

import math
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.utils import parse_bytes

from xtensor.backend import ChunkFunction, DType

from ._native import chunk_function

__all__ = ["bits", "normal_numbers", "uniform_numbers"]


def bits(*, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...]) -> Any:
    """Return words of a stream."""
    return _drawn(chunk_function("random.bits", key=key, stream=stream), np.dtype(np.uint64), start, shape)


def uniform_numbers(*, dtype: DType, start: int, shape: tuple[int, ...], **options: Any) -> Any:
    """Return numbers in [0, 1)."""
    return _drawn(chunk_function("random.uniform_numbers", dtype=dtype, **options), dtype, start, shape)


def normal_numbers(*, dtype: DType, start: int, shape: tuple[int, ...], **options: Any) -> Any:
    """Return normal numbers."""
    return _drawn(chunk_function("random.normal_numbers", dtype=dtype, **options), dtype, start, shape)


def _drawn(draw: ChunkFunction, dtype: DType, start: int, shape: tuple[int, ...]) -> Any:
    if draw.name != "random.bits" and not draw.implemented:
        return NotImplemented
    chunks = _consecutive(shape, dtype)
    meta = np.empty((0,) * len(shape), dtype)
    return da.map_blocks(_part, chunks=chunks, dtype=dtype, meta=meta, draw=draw, first=start, shape=shape)


def _consecutive(shape: tuple[int, ...], dtype: DType) -> tuple[tuple[int, ...], ...]:
    """Return the lengths of chunks of consecutive elements in row-major order, so that a chunk is one draw.

    A chunk has whole trailing axes, a part of one axis, and length 1 along the axes before it. Its size is at most the
    one that dask's configuration names.
    """
    room = max(parse_bytes(dask.config.get("array.chunk-size")) // dtype.itemsize, 1)
    chunks: list[tuple[int, ...]] = []
    for length in reversed(shape):
        parts = -(-length // room)
        if parts > 1:
            chunks.append(tuple([len(part) for part in np.array_split(range(length), parts)]))
        else:
            chunks.append((length,))
        room = room // length if parts == 1 else 1
    return tuple(reversed(chunks))


def _part(*, draw: ChunkFunction, first: int, shape: tuple[int, ...], block_info: Any) -> Any:
    block = block_info[None]
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    offset = sum(start * stride for (start, _), stride in zip(block["array-location"], strides, strict=True))
    return draw(start=first + offset, shape=tuple(block["chunk-shape"]))
