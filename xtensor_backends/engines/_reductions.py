"""Reductions: each chunk by itself, and the partial results in a tree."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from xtensor.backend import REDUCTIONS, ChunkFunction, DType

from ..kernels.layouts import sorted_axes
from ._library import Library, Partial, Reduction

__all__ = ["mean", "std", "var"]


def reduction(library: Library, name: str, x: Any, *, axis: Any, keepdims: bool, **options: Any) -> Any:
    """Return a reduction whose partial results an elementwise function combines, along axes, None for all."""
    dtype, combine = _dtype(library, name, x, axis, keepdims, options), REDUCTIONS[name].combine
    if axis == ():
        return library.mapped(library.chunk_function(name, axis=(), **options), x, (), dtype)
    axes = sorted_axes(axis, x.ndim)
    value = partial(_value, function=library.chunk_function(name, axis=axes, keepdims=True, **options))
    merge = partial(_merged_values, function=library.chunk_function(combine))
    return library.reduced(x, axes, _of_values(name, value, merge, dtype), keepdims=keepdims)


def _dtype(library: Library, name: str, x: Any, axis: Any, keepdims: bool, options: dict[str, Any]) -> DType:
    """The result's dtype; the call raises the errors of the operand, such as that it has no elements."""
    function = library.chunk_function(name, axis=axis, keepdims=keepdims, **options)
    return function(library.sample(x)).dtype  # type: ignore[no-any-return]


def _value(x: Any, *, function: ChunkFunction) -> Partial:
    return {"value": function(x)}


def _merged_values(first: Partial, second: Partial, *, function: ChunkFunction) -> Partial:
    return {"value": function(first["value"], second["value"])}


def _value_of(partial: Partial) -> Any:
    return partial["value"]


def _of_values(
    name: str, value: Callable[[Any], Partial], merge: Callable[[Partial, Partial], Partial], dtype: DType
) -> Reduction:
    """Return a reduction whose partial results are results of the chunks."""
    return Reduction(name, value, merge, _value_of, {"value": dtype}, dtype)


# -- moments ----------------------------------------------------------------------------------------------------------
#
# The partial result of a chunk is its number of elements, their mean, and the mean of the squares of the differences
# from it. Two of them are merged as in T. Chan, G. Golub, R. LeVeque, "Updating formulae and a pairwise
# algorithm for computing sample variances" (1982), so that the elements are read once. For variances the mean is a sum
# of two numbers, that of the first chunk and the difference from it: the rounding error of a mean that is far larger
# than the differences is of their size. Standard deviations have the root of the mean square, merged by ``hypot``.
# Means have weights whose sum is 1, and differences are halved: no intermediate result leaves the range where the
# result does not.


def mean(library: Library, x: Any, *, axis: Any, keepdims: bool) -> Any:
    """Return the mean along axes."""
    return _moment(library, "mean", x, axis, keepdims, {})


def var(library: Library, x: Any, *, axis: Any, keepdims: bool, correction: float) -> Any:
    """Return the variance along axes."""
    return _moment(library, "var", x, axis, keepdims, {"correction": correction})


def std(library: Library, x: Any, *, axis: Any, keepdims: bool, correction: float) -> Any:
    """Return the standard deviation along axes."""
    return _moment(library, "std", x, axis, keepdims, {"correction": correction})


def _moment(library: Library, name: str, x: Any, axis: Any, keepdims: bool, options: dict[str, Any]) -> Any:
    if axis == ():
        return NotImplemented
    dtype = _dtype(library, name, x, axis, keepdims, options)
    functions = {part: library.chunk_function(part) for part in ("sum", "mean", "var", "std", "hypot", "abs")}
    one = library.element(x, 1)
    fields = {"n": np.dtype(np.int64), "mean": functions["mean"](one).dtype}
    if name != "mean":
        fields |= {"half": fields["mean"], "spread": functions[name](one).dtype}
    axes = sorted_axes(axis, x.ndim)
    moments = partial(_moments, axes=axes, functions=functions, name=name)
    merge = partial(_merged_moments, functions=functions, name=name)
    finish = partial(_moment_of, name=name, dtype=dtype, **options)
    return library.reduced(x, axes, Reduction(name, moments, merge, finish, fields, dtype), keepdims=keepdims)


def _moments(x: Any, *, axes: tuple[int, ...], functions: dict[str, ChunkFunction], name: str) -> Partial:
    n = 1
    for axis in axes:
        n *= x.shape[axis]
    # Without elements the mean is a zero, which merges with any other.
    average = functions["mean" if n else "sum"](x, axis=axes, keepdims=True)
    moments = {"n": _repeated(n, average), "mean": average}
    if name != "mean":
        half = x * 0.5 - average * 0.5
        moments["half"] = functions["mean" if n else "sum"](half, axis=axes, keepdims=True)
        moments["spread"] = functions[name if n else "sum"](x, axis=axes, keepdims=True)
    return moments


def _repeated(n: int, like: Any) -> Any:
    """The number of elements, one for each mean, without memory of its own."""
    return np.broadcast_to(np.asarray(n), like.shape)


def _merged_moments(first: Partial, second: Partial, *, functions: dict[str, ChunkFunction], name: str) -> Partial:
    n, others = _count(first), _count(second)
    if not n or not others:
        return first if n else second
    share, rest = others / (n + others), n / (n + others)
    count = _repeated(n + others, first["mean"])
    if name == "mean":
        return {"n": count, "mean": first["mean"] * rest + second["mean"] * share}
    half = (second["mean"] * 0.5 - first["mean"] * 0.5) + (second["half"] - first["half"])
    distance = functions["abs"](half) * (2.0 * math.sqrt(share * rest))
    if name == "var":
        spread = first["spread"] * rest + second["spread"] * share + distance * distance
    else:
        spread = functions["hypot"](first["spread"] * math.sqrt(rest), second["spread"] * math.sqrt(share))
        spread = functions["hypot"](spread, distance)
    return {"n": count, "mean": first["mean"], "half": first["half"] + half * share, "spread": spread}


def _count(partial: Partial) -> int:
    return int(partial["n"].flat[0]) if partial["n"].size else 0


def _moment_of(partial: Partial, *, name: str, dtype: DType, correction: float = 0.0) -> Any:
    n = _count(partial)
    if name == "mean":
        result = partial["mean"] if n else partial["mean"] * np.nan
    else:
        factor = n / (n - correction) if n > correction else np.nan
        result = partial["spread"] * (factor if name == "var" else math.sqrt(factor))
    return result.astype(dtype, copy=False)


# -- norms ------------------------------------------------------------------------------------------------------------


def vector_norm(library: Library, x: Any, *, axis: Any, keepdims: bool, ord: Any) -> Any:
    """Return norms along axes: the norms of the chunks are elements of a vector that has the same norm."""
    if not ord or math.isinf(ord) or axis == ():
        return NotImplemented
    dtype = _dtype(library, "linalg.vector_norm", x, axis, keepdims, {"ord": ord})
    axes, name = sorted_axes(axis, x.ndim), "linalg.vector_norm"
    value = partial(_value, function=library.chunk_function(name, axis=axes, keepdims=True, ord=ord))
    merge = partial(_merged_norms, norm=library.chunk_function(name, axis=0, ord=ord))
    return library.reduced(x, axes, _of_values(name, value, merge, dtype), keepdims=keepdims)


def _merged_norms(first: Partial, second: Partial, *, norm: ChunkFunction) -> Partial:
    return {"value": norm(np.stack([first["value"], second["value"]]))}
