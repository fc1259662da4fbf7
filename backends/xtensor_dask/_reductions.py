"""Reductions: each chunk by itself, and the partial results in a tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import dask.array as da
import numpy as np

from xtensor.backend import DType

from ._native import chunk_function, sample

__all__ = ["REDUCTIONS", "mean", "reduction", "std", "var"]

REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "count_nonzero")
"""Functions whose partial results are reduced by a function of the namespace."""


def reduction(name: str) -> Callable[..., Any]:
    """Return a reduction of a dask array along axes, None for all."""
    second = "sum" if name == "count_nonzero" else name

    def function(x: Any, *, axis: Any, keepdims: bool, **options: Any) -> Any:
        found = chunk_function(name, axis=axis, keepdims=keepdims, **options)(sample(x))  # it raises for no elements
        if axis == ():
            return x.map_blocks(chunk_function(name, axis=(), **options), dtype=found.dtype)
        return da.reduction(
            x,
            chunk=chunk_function(name, **options),
            aggregate=chunk_function(second, **options),
            axis=axis,
            keepdims=keepdims,
            dtype=found.dtype,
            meta=np.empty((0,) * np.ndim(found), found.dtype),
        )

    return function


# -- moments ----------------------------------------------------------------------------------------------------------
#
# The partial result of a chunk is its number of elements, their mean, and the sum of the squares of the differences
# from it. Two of them are merged as in T. Chan, G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for
# computing sample variances" (1982), so that the elements are read once.


def mean(x: Any, *, axis: Any, keepdims: bool) -> Any:
    """Return the mean along axes."""
    return _moment("mean", x, axis, keepdims, None)


def var(x: Any, *, axis: Any, keepdims: bool, correction: float) -> Any:
    """Return the variance along axes."""
    return _moment("var", x, axis, keepdims, correction)


def std(x: Any, *, axis: Any, keepdims: bool, correction: float) -> Any:
    """Return the standard deviation along axes."""
    return _moment("std", x, axis, keepdims, correction)


def _moment(name: str, x: Any, axis: Any, keepdims: bool, correction: float | None) -> Any:
    if axis == ():
        return NotImplemented
    options = {} if correction is None else {"correction": correction}
    found = chunk_function(name, axis=axis, keepdims=keepdims, **options)(sample(x))
    return da.reduction(
        x,
        chunk=partial(_moments, squares=name != "mean"),
        combine=_merged,
        aggregate=partial(_moment_of, name=name, correction=correction, dtype=found.dtype),
        axis=axis,
        keepdims=keepdims,
        dtype=found.dtype,
        concatenate=False,
        meta=np.empty((0,) * np.ndim(found), found.dtype),
    )


Moments = tuple[int, Any, Any]
"""Number of elements, mean, and sum of squares of differences; None where only the mean is needed."""


def _moments(
    x: Any, *, axis: tuple[int, ...], keepdims: bool, squares: bool, computing_meta: bool = False
) -> Moments | Any:
    if computing_meta:  # dask asks for an array
        return x
    n = 1
    for place in axis:
        n *= x.shape[place]
    if not n:
        total = chunk_function("sum")(x, axis=axis, keepdims=True)
        return 0, total, total
    average = chunk_function("mean")(x, axis=axis, keepdims=True)
    if not squares:
        return n, average, None
    return n, average, chunk_function("var")(x, axis=axis, keepdims=True) * n


def _merged(parts: Any, *, axis: tuple[int, ...], keepdims: bool, computing_meta: bool = False) -> Moments | Any:
    if computing_meta:
        return parts
    first, *others = _flat(parts)
    n, average, squares = first
    for count, mean_of_part, squares_of_part in others:
        if not n:
            n, average, squares = count, mean_of_part, squares_of_part
        elif count:
            total = n + count
            difference = mean_of_part - average
            if squares is not None:
                distance = abs(difference)
                squares = squares + squares_of_part + distance * distance * (n * (count / total))
            average = average + difference * (count / total)
            n = total
    return n, average, squares


def _moment_of(
    parts: Any,
    *,
    axis: tuple[int, ...],
    keepdims: bool,
    name: str,
    correction: float | None,
    dtype: DType,
    computing_meta: bool = False,
) -> Any:
    if computing_meta:
        return parts
    with np.errstate(all="ignore"):
        n, average, squares = _merged(parts, axis=axis, keepdims=True)
        if correction is None:
            result = average if n else average * np.nan
        else:
            result = squares / np.asarray(max(n - correction, 0), squares.dtype)
        if name == "std":
            result = chunk_function("sqrt")(result)
    if not keepdims:
        result = result.reshape([length for place, length in enumerate(result.shape) if place not in axis])
    return result.astype(dtype, copy=False)


def _flat(parts: Any) -> list[Moments]:
    return [item for part in parts for item in _flat(part)] if isinstance(parts, list) else [parts]
