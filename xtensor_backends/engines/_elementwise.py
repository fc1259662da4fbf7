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
    dtypes = tuple([x.dtype for x in operands if isinstance(x, library.array_type)])
    if options or len(dtypes) < len(operands):  # a number may not fit into the other operand's dtype
        dtype = library.result_dtype(function, *operands)
    else:
        dtype = _known_dtype(function.spec, name, dtypes)
    return library.elementwise(function, operands, [dtype])[0]


def of_several_results(library: Library, name: str, *operands: Any) -> tuple[Any, ...]:
    """Return the results of an elementwise function that has several."""
    function = library.chunk_function(name)
    results = library.tried(function, *operands)
    return tuple(library.elementwise(function, operands, [part.dtype for part in results]))


@cache
def _known_dtype(spec: str, name: str, dtypes: tuple[DType, ...]) -> DType:
    """The dtype of a function's result for arrays of dtypes."""
    operands = [place_values(np.ones(1, dtype), spec) for dtype in dtypes]
    return ChunkFunction(spec, name)(*operands).dtype  # type: ignore[no-any-return]


def astype(library: Library, x: Any, dtype: DType, *, copy: bool = True) -> Any:
    """Cast each chunk."""
    if x.dtype == dtype:
        return x
    return library.elementwise(library.chunk_function("astype"), (x, dtype), [dtype])[0]
