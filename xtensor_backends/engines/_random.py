"""Random numbers: each chunk draws its own part of the stream."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from xtensor.backend import ChunkFunction, DType

from ._chunk_slices import Slices, lengths_of, number_of
from ._library import Library
from ._structure import reshaped

__all__ = ["bits", "blocks", "normal_numbers", "uniform_numbers"]


def bits(library: Library, *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...]) -> Any:
    """Return words of a stream."""
    draw = library.chunk_function("random.bits", key=key, stream=stream)
    return _drawn(library, draw, np.dtype(np.uint64), start, shape)


def blocks(library: Library, x: Any, *, key: tuple[int, int], stream: tuple[int, int]) -> Any:
    """Return the four words of blocks on a last axis."""
    draw = library.chunk_function("random.blocks", key=key, stream=stream)
    column = reshaped(library, x, (*x.shape, 1))
    return library.along(partial(_blocks, draw=draw), column, x.ndim, 4, np.dtype(np.uint64))


def _blocks(x: Any, *, draw: ChunkFunction) -> Any:
    return draw(x[..., 0])


def uniform_numbers(library: Library, *, dtype: DType, start: int, shape: tuple[int, ...], **options: Any) -> Any:
    """Return numbers in [0, 1)."""
    draw = library.chunk_function("random.uniform_numbers", dtype=dtype, **options)
    return _drawn(library, draw, dtype, start, shape)


def normal_numbers(library: Library, *, dtype: DType, start: int, shape: tuple[int, ...], **options: Any) -> Any:
    """Return normal numbers."""
    draw = library.chunk_function("random.normal_numbers", dtype=dtype, **options)
    return _drawn(library, draw, dtype, start, shape)


def _drawn(library: Library, draw: ChunkFunction, dtype: DType, start: int, shape: tuple[int, ...]) -> Any:
    if draw.name != "random.bits" and not draw.implemented:
        return NotImplemented
    # A chunk of consecutive elements is one draw.
    return library.created(partial(_part, draw=draw, first=start, shape=shape), shape, dtype, consecutive=True)


def _part(*, slices: Slices, draw: ChunkFunction, first: int, shape: tuple[int, ...]) -> Any:
    return draw(start=first + number_of(shape, [part.start for part in slices]), shape=lengths_of(slices))
