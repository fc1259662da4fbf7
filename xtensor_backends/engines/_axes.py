"""Functions along axes: one chunk along these, and each chunk by itself."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from xtensor.backend import DType

from ._library import Library
from ._structure import full

__all__ = ["argsort", "cumulative_prod", "cumulative_sum", "searchsorted", "sort"]

TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
"""Discrete Fourier transforms along one axis."""


def sort(library: Library, x: Any, *, axis: int, descending: bool, stable: bool) -> Any:
    """Sort along an axis."""
    return _along(library, x, "sort", {"axis": axis, "descending": descending, "stable": stable})


def argsort(library: Library, x: Any, *, axis: int, descending: bool, stable: bool) -> Any:
    """Return the indices that sort along an axis."""
    return _along(library, x, "argsort", {"axis": axis, "descending": descending, "stable": stable})


def fourier(library: Library, name: str, x: Any, *, n: int | None, axis: int, norm: str) -> Any:
    """Return a discrete Fourier transform along one axis."""
    options = {"n": n, "axis": axis, "norm": norm}
    tried = library.placed(np.ones((1,) * axis + (x.shape[axis],) + (1,) * (x.ndim - axis - 1), x.dtype))
    transformed = library.chunk_function(name, **options)(tried)
    return _along(library, x, name, options, length=transformed.shape[axis], dtype=transformed.dtype)


def _along(
    library: Library,
    x: Any,
    name: str,
    options: dict[str, Any],
    *,
    length: int | None = None,
    dtype: DType | None = None,
) -> Any:
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
    function = library.chunk_function(name, **options)
    dtype = library.result_dtype(function, x) if dtype is None else dtype
    x = library.single(x, (axis,), name)
    return library.along(function, x, axis, x.shape[axis] if length is None else length, dtype)


def cumulative_sum(library: Library, x: Any, *, axis: int, dtype: Any = None, include_initial: bool = False) -> Any:
    """Return cumulative sums: of each chunk, and the sums of the chunks before it."""
    return _cumulative(library, "cumulative_sum", "add", 0, x, axis, dtype, include_initial)


def cumulative_prod(library: Library, x: Any, *, axis: int, dtype: Any = None, include_initial: bool = False) -> Any:
    """Return cumulative products: of each chunk, and the products of the chunks before it."""
    return _cumulative(library, "cumulative_prod", "multiply", 1, x, axis, dtype, include_initial)


def _cumulative(
    library: Library, name: str, combine: str, neutral: int, x: Any, axis: int, dtype: Any, include_initial: bool
) -> Any:
    total_dtype = library.result_dtype(library.chunk_function(name, axis=axis, dtype=dtype), x)
    scan = library.chunk_function(name, dtype=dtype)
    result = library.scanned(x, axis, scan, library.chunk_function(combine), neutral, total_dtype)
    if include_initial:
        first = full(library, (*x.shape[:axis], 1, *x.shape[axis + 1 :]), neutral, dtype=total_dtype)
        result = library.concatenated([first, result], axis)
    return result


def searchsorted(library: Library, x1: Any, x2: Any, *, side: str = "left", sorter: Any = None) -> Any:
    """Return the positions of elements in a sorted array, which is one chunk."""
    x2 = x2 if isinstance(x2, library.array_type) else library.from_host(np.asarray(x2))
    function = library.chunk_function("searchsorted", side=side)
    wholes = [library.single(x, (0,), "searchsorted") for x in (x1, sorter) if x is not None]
    return library.mapped(partial(_searched, function=function), x2, wholes, library.result_dtype(function, x1, x2))


def _searched(x2: Any, x1: Any, sorter: Any = None, *, function: Any) -> Any:
    return function(x1, x2) if sorter is None else function(x1, x2, sorter=sorter)
