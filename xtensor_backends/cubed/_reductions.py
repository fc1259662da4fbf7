"""Reductions in a tree of tasks, and cumulative results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from xtensor.backend import DType
from xtensor_backends.engines._chunk_slices import Slices
from xtensor_backends.engines._library import Partial, Reduction

from ._gathered import Pieces

if TYPE_CHECKING:
    from ._library import CubedLibrary

__all__ = ["reduced", "scanned"]

GROUP = 8
"""The number of chunks, or of partial results, that a task merges."""


def reduced(library: CubedLibrary, x: Any, axes: tuple[int, ...], reduction: Reduction) -> Any:
    """Return a reduction, of length 1 along axes.

    A task of the first step reads a group of chunks, one after the other. A task of each further step merges a group of
    partial results. The last step finishes them.
    """
    names = list(reduction.fields)
    group = max(2, round(GROUP ** (1 / max(len(axes), 1))))
    # The chunks of the result of each step have one element along the reduced axes.
    lengths = tuple([1 if axis in axes else max(n, 1) for axis, n in enumerate(x.chunksize)])
    arrays, inside = [x], x.chunksize

    def step(first: bool, last: bool) -> Callable[..., Any]:
        def compute(*pieces: Pieces, slices: Slices) -> Any:
            parts = map(reduction.partial, pieces[0]) if first else _partials(names, pieces)
            with np.errstate(all="ignore"):
                result = reduce(reduction.merge, parts)
                if last:
                    return reduction.finish(result)
                return [result[name] for name in names] if len(names) > 1 else result[names[0]]

        return compute

    while True:
        shape, several = arrays[0].shape, len(arrays)
        regions = _groups(shape, inside, axes, group, several)
        after = tuple(
            [
                max(1, -(-n // (length * group))) if axis in axes else n
                for axis, (n, length) in enumerate(zip(shape, map(_at_least_one, inside), strict=True))
            ]
        )
        last = all(after[axis] == 1 for axis in axes)
        compute = step(arrays[0] is x, last)
        if last:
            return library.gathered(compute, arrays, regions, after, lengths, reduction.dtype)
        results = len(names)
        dtypes = list(reduction.fields.values())
        arrays = library.several(compute, arrays, regions, [after] * results, [lengths] * results, dtypes)
        inside = lengths


def _partials(names: list[str], pieces: tuple[Pieces, ...]) -> Iterator[Partial]:
    for partial in zip(*pieces, strict=True):
        yield dict(zip(names, partial, strict=True))


def _at_least_one(n: int) -> int:
    return max(n, 1)


def _groups(
    shape: tuple[int, ...], inside: tuple[int, ...], axes: tuple[int, ...], group: int, several: int
) -> Callable[[Slices], list[list[Slices]]]:
    """Regions: a group of chunks along axes."""

    def along(axis: int, part: slice) -> list[slice]:
        if axis not in axes:
            return [part]
        n, length = shape[axis], max(inside[axis], 1)
        start, stop = part.start * group * length, min(part.stop * group * length, n)
        return [slice(i, min(i + length, n)) for i in range(start, stop, length)] or [slice(0, 0)]

    def regions(slices: Slices) -> list[list[Slices]]:
        return [list(product(*[along(axis, part) for axis, part in enumerate(slices)]))] * several

    return regions


def scanned(
    library: CubedLibrary,
    x: Any,
    axis: int,
    scan: Callable[..., Any],
    combine: Callable[..., Any],
    neutral: int,
    dtype: DType,
) -> Any:
    """Return cumulative results: the last ones of the chunks before a chunk are scanned first."""
    shape, lengths = tuple(x.shape), tuple(map(_at_least_one, x.chunksize))
    length, n = lengths[axis], shape[axis]
    blocks = max(1, -(-n // length))

    def at(values: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
        return (*values[:axis], value, *values[axis + 1 :])

    def of_chunk(pieces: Pieces, *, slices: Slices) -> Any:
        return scan(next(pieces), axis=axis)

    if blocks == 1:
        return library.gathered(of_chunk, [x], lambda slices: [[slices]], shape, lengths, dtype)

    def last(pieces: Pieces, *, slices: Slices) -> Any:
        return scan(next(pieces), axis=axis)[at((slice(None),) * len(slices), slice(-1, None))]

    def before(pieces: Pieces, *, slices: Slices) -> Any:
        scanned_chunk = scan(next(pieces), axis=axis)
        first = np.full_like(scanned_chunk[at((slice(None),) * len(slices), slice(0, 1))], neutral)
        return np.concatenate([first, scanned_chunk[at((slice(None),) * len(slices), slice(0, -1))]], axis=axis)

    def joined(chunk: Pieces, others: Pieces, *, slices: Slices) -> Any:
        return combine(next(others), scan(next(chunk), axis=axis))

    def of_block(slices: Slices) -> list[list[Slices]]:
        start = slices[axis].start * length
        return [[at(slices, slice(start, min(start + length, n)))]]

    counts = at(shape, blocks)
    ends = library.gathered(last, [x], of_block, counts, at(lengths, 1), dtype)
    starts = library.gathered(before, [ends], lambda slices: [[slices]], counts, at(lengths, blocks), dtype)
    return library.gathered(
        joined,
        [x, starts],
        lambda slices: [[slices], [at(slices, slice(slices[axis].start // length, slices[axis].start // length + 1))]],
        shape,
        lengths,
        dtype,
    )
