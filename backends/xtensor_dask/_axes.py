"""Functions along axes: one chunk along these, and each chunk by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

from ._native import chunk_function, placed, result_dtype, single
from ._structure import full

__all__ = ["along", "argsort", "cumulative_prod", "cumulative_sum", "fourier", "searchsorted", "sort"]

TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
"""Discrete Fourier transforms along one axis."""


def along(x: Any, name: str, options: dict[str, Any], *, length: int | None = None, dtype: Any = None) -> Any:
    """Return a function's results for chunks that are whole along an axis.

    Parameters
    ----------
    options
        The function's arguments, ``axis`` among them.
    length, dtype
        The result's length along the axis and its dtype; None where the length is that of ``x``, and a call with an
        element tells the dtype.
    """
    axis = options["axis"]
    function = chunk_function(name, **options)
    dtype = result_dtype(function, x) if dtype is None else dtype
    x = single(x, (axis,), name)
    chunks = x.chunks if length is None else (*x.chunks[:axis], (length,), *x.chunks[axis + 1 :])
    return x.map_blocks(function, dtype=dtype, chunks=chunks, meta=np.empty((0,) * x.ndim, dtype))


def sort(x: Any, *, axis: int, descending: bool, stable: bool) -> Any:
    """Sort along an axis."""
    return along(x, "sort", {"axis": axis, "descending": descending, "stable": stable})


def argsort(x: Any, *, axis: int, descending: bool, stable: bool) -> Any:
    """Return the indices that sort along an axis."""
    return along(x, "argsort", {"axis": axis, "descending": descending, "stable": stable})


def fourier(name: str) -> Callable[..., Any]:
    """Return a discrete Fourier transform along one axis."""

    def function(x: Any, *, n: int | None, axis: int, norm: str) -> Any:
        options = {"n": n, "axis": axis, "norm": norm}
        found = chunk_function(name, **options)(placed(np.ones((1,) * axis + (x.shape[axis],), x.dtype)))
        return along(x, name, options, length=found.shape[axis], dtype=found.dtype)

    return function


def cumulative_sum(x: Any, *, axis: int, dtype: Any = None, include_initial: bool = False) -> Any:
    """Return cumulative sums: of each chunk, and the sums of the chunks before it."""
    return _cumulative("cumulative_sum", "add", 0, x, axis, dtype, include_initial)


def cumulative_prod(x: Any, *, axis: int, dtype: Any = None, include_initial: bool = False) -> Any:
    """Return cumulative products: of each chunk, and the products of the chunks before it."""
    return _cumulative("cumulative_prod", "multiply", 1, x, axis, dtype, include_initial)


def _cumulative(name: str, combine: str, neutral: int, x: Any, axis: int, dtype: Any, include_initial: bool) -> Any:
    found = result_dtype(chunk_function(name, axis=axis, dtype=dtype), x)
    result = da.reductions.cumreduction(
        chunk_function(name, dtype=dtype), chunk_function(combine), neutral, x, axis=axis, dtype=found
    )
    if include_initial:
        first = full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), neutral, dtype=found)
        result = da.concatenate([first, result], axis=axis)
    return result


def searchsorted(x1: Any, x2: Any, *, side: str = "left", sorter: Any = None) -> Any:
    """Return the positions of elements in a sorted array, which is one chunk."""
    x2 = x2 if isinstance(x2, da.Array) else da.from_array(np.asarray(x2), chunks=-1)
    function = chunk_function("searchsorted", side=side)
    dtype = result_dtype(function, x1, x2)
    axes = tuple(range(1, x2.ndim + 1))
    pairs = [single(x1, (0,), "searchsorted"), (0,), x2, axes]
    if sorter is not None:
        pairs += [single(sorter, (0,), "searchsorted"), (0,)]
    return da.blockwise(
        _searched,
        axes,
        *pairs,
        function=function,
        dtype=dtype,
        concatenate=True,
        align_arrays=False,
        meta=np.empty((0,) * x2.ndim, dtype),
    )


def _searched(x1: Any, x2: Any, sorter: Any = None, *, function: Any) -> Any:
    return function(x1, x2) if sorter is None else function(x1, x2, sorter=sorter)
