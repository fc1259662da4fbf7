"""Functions that cubed's tasks call: they compute a chunk of the pieces of each array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xtensor.backend import DType
from xtensor_backends.engines._chunk_slices import Slices, lengths_of

from ._gathered import Pieces

__all__ = ["counted", "matrices", "of_all", "of_pieces", "repeated", "transposed", "with_empty"]


def with_empty(
    *pieces: Pieces,
    slices: Slices,
    function: Callable[..., Any],
    full: Sequence[bool],
    regions: Callable[[Slices], Sequence[Sequence[Slices]]],
    of: Sequence[DType],
) -> Any:
    """Return a function's result for the pieces of all arrays, of which only those with elements are read."""
    remaining = iter(pieces)
    every: list[Pieces] = []
    for has, parts, dtype in zip(full, regions(slices), of, strict=True):
        empty = (np.empty(lengths_of(region), dtype) for region in parts)
        every.append(next(remaining) if has else empty)
    return function(*every, slices=slices)


def of_pieces(
    *pieces: Pieces, slices: Slices, function: Callable[..., Any], scalars: Sequence[tuple[Any] | None]
) -> Any:
    remaining = iter(pieces)
    return function(*[next(next(remaining)) if scalar is None else scalar[0] for scalar in scalars])


def of_all(*pieces: Pieces, slices: Slices, function: Callable[..., Any], placed: bool) -> Any:
    arrays = [next(piece) for piece in pieces]
    return function(*arrays, slices=slices) if placed else function(*arrays)


def matrices(
    *pieces: Pieces,
    slices: Slices,
    function: Callable[..., Any],
    padded: Sequence[tuple[int, ...]],
    stack: int,
) -> Any:
    results = function(*[next(piece) for piece in pieces])
    results = results if isinstance(results, tuple) else (results,)
    matrices_of = [
        np.reshape(result, (*result.shape[:stack], *shape)) for result, shape in zip(results, padded, strict=True)
    ]
    return matrices_of if len(matrices_of) > 1 else matrices_of[0]


def transposed(piece: Pieces, *, slices: Slices, axes: tuple[int, ...]) -> Any:
    return np.transpose(next(piece), axes)


def repeated(piece: Pieces, *, slices: Slices) -> Any:
    return np.broadcast_to(next(piece), lengths_of(slices))


def counted(piece: Pieces, *, slices: Slices) -> Any:
    return np.asarray([np.count_nonzero(next(piece))])
