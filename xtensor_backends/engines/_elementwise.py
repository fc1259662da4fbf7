"""Elementwise functions: each chunk of the result from the chunks of the operands in its place."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from xtensor.backend import ChunkFunction, DType

from ._library import Library, place_values

__all__ = ["astype", "elementwise", "of_several_results"]


def elementwise(library: Library, name: str, *operands: Any, **options: Any) -> Any:
    """Return the result of an elementwise function for arrays and Python scalars, which broadcast."""
    function = library.chunk_function(name, **options)
    return library.elementwise(function, operands, [_dtype(library, name, operands, options)])[0]


def of_several_results(library: Library, name: str, *operands: Any) -> tuple[Any, ...]:
    """Return the results of an elementwise function that has several."""
    function = library.chunk_function(name)
    found = library.tried(function, *operands)
    return tuple(library.elementwise(function, operands, [part.dtype for part in found]))


def _dtype(library: Library, name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> DType:
    """The result's dtype, kept for operands of dtypes alone: a number may not fit into the other operand's dtype."""
    arrays = library.array_type
    if options or not all(isinstance(x, arrays) for x in operands):
        return library.result_dtype(library.chunk_function(name, **options), *operands)
    return _known_dtype(library.chunk_function(name), tuple([x.dtype for x in operands]))


@cache
def _known_dtype(function: ChunkFunction, dtypes: tuple[DType, ...]) -> DType:
    return function(*[place_values(np.ones(1, dtype), function.spec) for dtype in dtypes]).dtype  # type: ignore[no-any-return]


def astype(library: Library, x: Any, dtype: DType, *, copy: bool = True) -> Any:
    """Cast each chunk."""
    if x.dtype == dtype:
        return x
    return library.elementwise(library.chunk_function("astype"), (x, dtype), [dtype])[0]
