"""Reductions: each chunk by itself, and the partial results in a tree."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from xtensor.backend import ChunkFunction, DType

from ._library import Library, Partial

__all__ = ["mean", "std", "var"]

REDUCTIONS = {
    "sum": "add",
    "prod": "multiply",
    "max": "maximum",
    "min": "minimum",
    "any": "logical_or",
    "all": "logical_and",
    "count_nonzero": "add",
}
"""Functions whose partial results are merged by an elementwise function."""


def reduction(library: Library, name: str, x: Any, *, axis: Any, keepdims: bool, **options: Any) -> Any:
    """Return a reduction along axes, None for all."""
    dtype = _dtype(library, name, x, axis, keepdims, options)
    if axis == ():
        return library.mapped(library.chunk_function(name, axis=(), **options), x, (), dtype)
    axes = axes_of(axis, x.ndim)
    return library.reduced(
        name,
        x,
        axes,
        partial(_value, function=library.chunk_function(name, axis=axes, keepdims=True, **options)),
        partial(_merged_values, function=library.chunk_function(REDUCTIONS[name])),
        _value_of,
        {"value": dtype},
        dtype,
        keepdims=keepdims,
    )


def _dtype(library: Library, name: str, x: Any, axis: Any, keepdims: bool, options: dict[str, Any]) -> DType:
    """The result's dtype; the call raises the errors of the operand, such as that it has no elements."""
    function = library.chunk_function(name, axis=axis, keepdims=keepdims, **options)
    return function(library.sample(x)).dtype  # type: ignore[no-any-return]


def axes_of(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return the axes of a reduction, in order and none of them negative; None names all."""
    given = range(ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(sorted(place % ndim for place in given))


def _value(x: Any, *, function: ChunkFunction) -> Partial:
    return {"value": function(x)}


def _merged_values(first: Partial, second: Partial, *, function: ChunkFunction) -> Partial:
    return {"value": function(first["value"], second["value"])}


def _value_of(found: Partial) -> Any:
    return found["value"]


# -- moments ----------------------------------------------------------------------------------------------------------
#
# The partial result of a chunk is its number of elements, their mean, and the sum of the squares of the differences
# from it. Two of them are merged as in T. Chan, G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for
# computing sample variances" (1982), so that the elements are read once.


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
    squares = name != "mean"
    functions = {part: library.chunk_function(part) for part in ("sum", "mean", "var", "sqrt")}
    one = library.element(x, 1)
    fields = {"n": np.dtype(np.int64), "mean": functions["mean"](one).dtype}
    if squares:
        fields["squares"] = functions["var"](one).dtype
    axes = axes_of(axis, x.ndim)
    return library.reduced(
        name,
        x,
        axes,
        partial(_moments, axes=axes, functions=functions, squares=squares),
        _merged_moments,
        partial(_moment_of, name=name, sqrt=functions["sqrt"], dtype=dtype, **options),
        fields,
        dtype,
        keepdims=keepdims,
    )


def _moments(x: Any, *, axes: tuple[int, ...], functions: dict[str, ChunkFunction], squares: bool) -> Partial:
    n = 1
    for axis in axes:
        n *= x.shape[axis]
    # Without elements the mean is a zero, which merges with any other.
    average = functions["mean" if n else "sum"](x, axis=axes, keepdims=True)
    found = {"n": _repeated(n, average), "mean": average}
    if squares:
        found["squares"] = functions["var" if n else "sum"](x, axis=axes, keepdims=True) * n
    return found


def _repeated(n: int, like: Any) -> Any:
    """The number of elements, one for each mean, without memory of its own."""
    return np.broadcast_to(np.asarray(n), like.shape)


def _merged_moments(first: Partial, second: Partial) -> Partial:
    n, others = _count(first), _count(second)
    if not n or not others:
        return first if n else second
    share = others / (n + others)
    difference = second["mean"] - first["mean"]
    found = {"n": _repeated(n + others, difference), "mean": first["mean"] + difference * share}
    if "squares" in first:
        distance = abs(difference)
        found["squares"] = first["squares"] + second["squares"] + distance * distance * (n * share)
    return found


def _count(found: Partial) -> int:
    return int(found["n"].flat[0]) if found["n"].size else 0


def _moment_of(found: Partial, *, name: str, sqrt: ChunkFunction, dtype: DType, correction: float = 0.0) -> Any:
    n = _count(found)
    if name == "mean":
        result = found["mean"] if n else found["mean"] * np.nan
    else:
        result = found["squares"] / np.asarray(max(n - correction, 0), found["squares"].dtype)
    if name == "std":
        result = sqrt(result)
    return result.astype(dtype, copy=False)
