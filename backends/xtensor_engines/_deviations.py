"""Variances written as formulas: ``mean((x - mean(x)) ** 2)`` and the sum of these squares are computed as ``var(x)``.

The formula as it is written reads the elements twice, the first time for the mean. A variance by chunks reads them
once, and rounds no worse (``_reductions.py``). SciPy's functions and many programs have the formula.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._native import Chunked
from ._reductions import axes_of

__all__ = ["follow"]

MEAN, DIFFERENCES, SQUARES = "mean(x)", "x - mean(x)", "(x - mean(x)) ** 2"


@dataclass(frozen=True, slots=True)
class Origin:
    """The part of the formula that an array is.

    Attributes
    ----------
    array
        The library's array that the native array had then; an assignment puts another one into it.
    step
        The part.
    x, axes
        The array of the library, and the axes of the mean.
    """

    array: Any
    step: str
    x: Any
    axes: tuple[int, ...]


def follow(functions: Any) -> None:
    """Replace the functions of a namespace of native arrays that the formula is made of."""
    multiply, power, square, var = functions.multiply, functions.pow, functions.square, functions.var
    functions.subtract = _subtract(functions.subtract)
    functions.square = lambda x: _marked_squares(square(x), x, x)
    functions.multiply = lambda x1, x2: _marked_squares(multiply(x1, x2), x1, x2)
    functions.pow = lambda x1, x2: _marked_squares(power(x1, x2), x1, x1 if _is_two(x2) else None)
    functions.mean = _mean(functions.mean, var)
    functions.sum = _sum(functions.sum, var, multiply)


def _origin(x: Any, step: str) -> Origin | None:
    """Return the origin of an array that is a certain part of the formula."""
    found = x.origin if isinstance(x, Chunked) else None
    return found if found is not None and found.step == step and found.array is x.array else None


def _mark(result: Chunked, step: str, x: Any, axes: tuple[int, ...]) -> Chunked:
    result.origin = Origin(result.array, step, x, axes)
    return result


def _subtract(subtract: Callable[..., Any]) -> Callable[..., Any]:
    def call(x1: Any, x2: Any) -> Any:
        result = subtract(x1, x2)
        mean = _origin(x2, MEAN)
        if mean is None or not isinstance(x1, Chunked) or x1.array is not mean.x:
            return result
        if x2.ndim != x1.ndim and mean.axes != tuple(range(x1.ndim - x2.ndim)):  # the means are of other elements
            return result
        return _mark(result, DIFFERENCES, mean.x, mean.axes)

    return call


def _marked_squares(result: Any, x1: Any, x2: Any) -> Any:
    """Return the product of two operands, whose origin is noted if both are the same differences."""
    first, second = _origin(x1, DIFFERENCES), _origin(x2, DIFFERENCES)
    if first is None or second is None or first.x is not second.x or first.axes != second.axes:
        return result
    return _mark(result, SQUARES, first.x, first.axes)


def _is_two(x: Any) -> bool:
    """Whether an operand is the number 2."""
    return isinstance(x, (int, float)) and x == 2


def _mean(mean: Callable[..., Any], var: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Chunked, *, axis: Any = None, keepdims: bool = False) -> Any:
        squares = _of_same_axes(x, axis)
        if squares is not None:
            return var(type(x)(squares.x), axis=axis, correction=0.0, keepdims=keepdims)
        result = mean(x, axis=axis, keepdims=keepdims)
        if axis != () and x.dtype.kind == "f" and x.size:
            _mark(result, MEAN, x.array, axes_of(axis, x.ndim))
        return result

    return call


def _sum(total: Callable[..., Any], var: Callable[..., Any], multiply: Callable[..., Any]) -> Callable[..., Any]:
    def call(x: Chunked, *, axis: Any = None, keepdims: bool = False, **options: Any) -> Any:
        squares = _of_same_axes(x, axis) if options.get("dtype") in (None, x.dtype) else None
        if squares is None:
            return total(x, axis=axis, keepdims=keepdims, **options)
        n = math.prod(x.shape[place] for place in squares.axes)
        return multiply(var(type(x)(squares.x), axis=axis, correction=0.0, keepdims=keepdims), float(n))

    return call


def _of_same_axes(x: Chunked, axis: Any) -> Origin | None:
    """Return the origin of squares that are reduced along the axes of their mean."""
    squares = _origin(x, SQUARES)
    return squares if squares is not None and squares.axes == axes_of(axis, x.ndim) else None
