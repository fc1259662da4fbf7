"""Elementwise functions: each chunk of the result from the chunks of the operands in its place."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import dask.array as da
import numpy as np

from xtensor.backend import DType

from ._native import chunk_function, element, placed, result_dtype

__all__ = ["astype", "by_chunk", "elementwise", "of_several_results"]


def elementwise(name: str) -> Callable[..., Any]:
    """Return an elementwise function of dask arrays and Python scalars, which broadcasts."""

    def function(*operands: Any, **options: Any) -> Any:
        compute = chunk_function(name, **options)
        return by_chunk(compute, *operands, dtype=_dtype(name, operands, options))

    return function


def of_several_results(name: str) -> Callable[..., Any]:
    """Return an elementwise function that has several results."""

    def function(*operands: Any) -> Any:
        compute = chunk_function(name)
        arrays = [x if isinstance(x, da.Array) else da.asarray(placed(np.asarray(x))) for x in operands]
        found = compute(*[element(x, x.ndim) for x in arrays])
        signature = ",".join(["()"] * len(operands)) + "->" + ",".join(["()"] * len(found))
        metas = tuple([np.empty((0,) * part.ndim, part.dtype) for part in found])
        return da.apply_gufunc(compute, signature, *arrays, meta=metas)

    return function


def by_chunk(compute: Callable[..., Any], *operands: Any, dtype: DType) -> Any:
    """Return the results of a function for the chunks of operands, which broadcast."""
    arrays = [x for x in operands if isinstance(x, da.Array)]
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    axes = tuple(range(len(shape)))
    pairs: list[Any] = []
    for x in operands:
        pairs += [x, axes[len(shape) - x.ndim :]] if isinstance(x, da.Array) else [x, None]
    return da.blockwise(compute, axes, *pairs, dtype=dtype, meta=np.empty((0,) * len(shape), dtype))


def _dtype(name: str, operands: tuple[Any, ...], options: dict[str, Any]) -> DType:
    """The result's dtype, kept for operands of dtypes alone: a number may not fit into the other operand's dtype."""
    if options or not all(isinstance(x, da.Array) for x in operands):
        return result_dtype(chunk_function(name, **options), *operands)
    return _known_dtype(name, tuple([x.dtype for x in operands]))


@cache
def _known_dtype(name: str, dtypes: tuple[DType, ...]) -> DType:
    return result_dtype(chunk_function(name), *[da.ones((1,), dtype=dtype, chunks=-1) for dtype in dtypes])


def astype(x: Any, dtype: DType, *, copy: bool = True) -> Any:
    """Cast each chunk."""
    if x.dtype == dtype:
        return x
    return by_chunk(chunk_function("astype"), x, dtype, dtype=dtype)
