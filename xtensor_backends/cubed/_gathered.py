"""One operation for all functions: each chunk of a result from regions of arrays, whatever their chunks are.

cubed computes a chunk of a result from chunks of arrays, which a function names for the chunk's coordinates. Here a
function names regions instead, rectangles of an array's elements, and the chunks that they touch follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from cubed.core.ops import general_blockwise
from cubed.primitive.blockwise import ChunkKey, FunctionArgs

from xtensor.backend import DType
from xtensor_backends.engines._chunk_slices import Slices, lengths_of

__all__ = ["Grid", "Pieces", "Regions", "gathered", "regular", "slices_of"]

Regions = Callable[[Slices], Sequence[Sequence[Slices]]]
"""Returns the regions of each array for the slices of a chunk of the result."""

Pieces = Iterator[Any]
"""The elements of an array's regions, one native array for each."""


def gathered(
    function: Callable[..., Any],
    arrays: Sequence[Any],
    regions: Regions,
    shapes: Sequence[tuple[int, ...]],
    lengths: Sequence[tuple[int, ...]],
    dtypes: Sequence[DType],
) -> list[Any]:
    """Return arrays of cubed.

    Parameters
    ----------
    function
        Returns a chunk for the pieces of each array and ``slices``, a tuple of chunks where there are several results.
    arrays
        Arrays with elements, at least one.
    regions
        The regions of each array. The slices are those of the chunk of the first result.
    shapes, lengths, dtypes
        Shape, length of a chunk along each axis, and dtype of each result. All have the same number of chunks.
    """
    grid = Grid(shapes[0], lengths[0])
    sources = [Grid(x.shape, x.chunksize) for x in arrays]
    names = [x.name for x in arrays]

    def keys(out: Any) -> Any:
        wanted = regions(grid.slices(out.coords))
        return FunctionArgs(
            *[
                iter([ChunkKey(name, coords) for region in parts for coords in source.touched(region)])
                for name, source, parts in zip(names, sources, wanted, strict=True)
            ],
            output_name=out.name,
        )

    types = [x.dtype for x in arrays]

    def compute(*chunks: Any, block_id: tuple[int, ...]) -> Any:
        slices = grid.slices(block_id)
        pieces = [
            _pieces(iter(gathered_chunks), source, parts, dtype)
            for gathered_chunks, source, parts, dtype in zip(chunks, sources, regions(slices), types, strict=True)
        ]
        result = function(*pieces, slices=slices)
        return tuple(result) if len(shapes) > 1 else result

    counts, extra = _largest(grid, sources, types, regions)
    several = len(shapes) > 1
    gathered_chunks = general_blockwise(
        compute,
        keys,
        *arrays,
        shapes=list(shapes),
        dtypes=list(dtypes),
        chunkss=[regular(shape, n) for shape, n in zip(shapes, lengths, strict=True)],
        target_stores=[None] * len(shapes) if several else None,
        num_input_blocks=counts,
        extra_projected_mem=extra,
        # A chunk that several tasks need is computed once and stored.
        fusable_with_predecessors=max(counts) == 1,
    )
    return list(gathered_chunks) if several else [gathered_chunks]


class Grid:
    """The chunks of an array: their length along each axis, shorter at the end."""

    def __init__(self, shape: tuple[int, ...], lengths: tuple[int, ...]) -> None:
        self.shape, self.lengths = tuple(shape), tuple(lengths)

    def slices(self, coords: Sequence[int]) -> Slices:
        """Return where a chunk lies."""
        return tuple(
            [
                slice(i * length, min((i + 1) * length, n))
                for i, length, n in zip(coords, self.lengths, self.shape, strict=True)
            ]
        )

    def touched(self, region: Slices) -> Iterator[tuple[int, ...]]:
        """Return the coordinates of the chunks that have elements of a region, in the order of rows."""
        if any(part.stop <= part.start for part in region):
            return iter(())
        return product(
            *[
                range(part.start // length, (part.stop - 1) // length + 1)
                for part, length in zip(region, self.lengths, strict=True)
            ]
        )

    def counts(self) -> tuple[int, ...]:
        """Return the number of chunks along each axis."""
        return tuple([-(-n // length) for n, length in zip(self.shape, self.lengths, strict=True)])


def _pieces(chunks: Iterator[Any], source: Grid, regions: Sequence[Slices], dtype: DType) -> Pieces:
    for region in regions:
        lengths = lengths_of(region)
        touched = list(source.touched(region))
        if len(touched) == 1:
            yield next(chunks)[_within(region, source.slices(touched[0]))]
            continue
        piece = np.empty(lengths, dtype)
        for coords in touched:
            slices = source.slices(coords)
            common = tuple(
                [slice(max(a.start, b.start), min(a.stop, b.stop)) for a, b in zip(region, slices, strict=True)]
            )
            piece[_within(common, region)] = next(chunks)[_within(common, slices)]
        yield piece


def _within(region: Slices, slices: Slices) -> Slices:
    """A region by the indices of an array that begins at the first elements of a chunk."""
    return tuple([slice(a.start - b.start, a.stop - b.start) for a, b in zip(region, slices, strict=True)])


def _largest(
    grid: Grid, sources: Sequence[Grid], dtypes: Sequence[DType], regions: Regions
) -> tuple[tuple[int, ...], int]:
    """The number of chunks that a task reads of each array, and the bytes of pieces that are joined of several."""
    counts, extra = [1] * len(sources), 0
    last = grid.counts()
    for coords in {(0,) * len(last), tuple([n // 2 for n in last]), tuple([n - 1 for n in last])}:
        joined = 0
        for i, (source, parts) in enumerate(zip(sources, regions(grid.slices(coords)), strict=True)):
            touched = [len(list(source.touched(region))) for region in parts]
            counts[i] = max(counts[i], sum(touched))
            sizes = [math.prod(lengths_of(region)) for region in parts]
            joined += dtypes[i].itemsize * sum([n for n, chunks in zip(sizes, touched, strict=True) if chunks > 1])
        extra = max(extra, joined)
    return tuple(counts), extra


def regular(shape: tuple[int, ...], lengths: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the lengths of all chunks along each axis."""
    return tuple(
        [
            (length,) * (n // length) + ((n % length,) if n % length else ()) if n else (0,)
            for n, length in zip(shape, lengths, strict=True)
        ]
    )


def slices_of(shape: tuple[int, ...]) -> Slices:
    """Return where all elements of an array lie."""
    return tuple([slice(0, n) for n in shape])
