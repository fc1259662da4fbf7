"""Random numbers: each chunk draws its own part of the stream."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np

from xtensor.backend import ChunkFunction, DType

from ._native import automatic, chunk_function

__all__ = ["bits", "normal_numbers", "uniform_numbers"]


def bits(*, key: tuple[int, int], stream: tuple[int, int], start: int, count: int) -> Any:
    """Return words of a stream."""
    return _drawn(chunk_function("random.bits", key=key, stream=stream), np.dtype(np.uint64), start, count)


def uniform_numbers(*, dtype: DType, start: int, count: int, **options: Any) -> Any:
    """Return numbers in [0, 1)."""
    return _drawn(chunk_function("random.uniform_numbers", dtype=dtype, **options), dtype, start, count)


def normal_numbers(*, dtype: DType, start: int, count: int, **options: Any) -> Any:
    """Return normal numbers."""
    return _drawn(chunk_function("random.normal_numbers", dtype=dtype, **options), dtype, start, count)


def _drawn(draw: ChunkFunction, dtype: DType, start: int, count: int) -> Any:
    if draw.name != "random.bits" and not draw.implemented:
        return NotImplemented
    chunks = automatic((count,), dtype)
    return da.map_blocks(_part, chunks=chunks, dtype=dtype, meta=np.empty((0,), dtype), draw=draw, first=start)


def _part(*, draw: ChunkFunction, first: int, block_info: Any) -> Any:
    ((start, stop),) = block_info[None]["array-location"]
    return draw(start=first + start, count=stop - start)
