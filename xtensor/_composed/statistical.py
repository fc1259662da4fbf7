"""Compositions of statistical and utility functions. Axes are in ``[0, ndim)``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.backend import Native
from .._core.dtypes import kind_of

__all__ = ["all", "any", "diff", "mean", "std", "var"]

Axis = int | tuple[int, ...] | None


def _count(x: Native, axis: Axis) -> int:
    """The number of elements that a reduction combines into one."""
    if axis is None:
        return math.prod(x.shape)
    return math.prod(x.shape[item] for item in (axis if isinstance(axis, tuple) else (axis,)))


def _accumulated(xp: Any, x: Native) -> Native:
    """An array in the dtype that sums are accumulated in."""
    if kind_of(x.dtype) not in "fc":
        return xp.astype(x, xp.default_float)
    return xp.astype(x, np.dtype(np.float32)) if x.dtype.itemsize == 2 else x


def mean(xp: Any, x: Native, *, axis: Axis, keepdims: bool) -> Native:
    work = _accumulated(xp, x)
    total = xp.sum(work, axis=axis, keepdims=keepdims, dtype=work.dtype)
    result = xp.divide(total, float(_count(x, axis)))
    return xp.astype(result, x.dtype, copy=False) if kind_of(x.dtype) in "fc" else result


def var(xp: Any, x: Native, *, axis: Axis, correction: float, keepdims: bool) -> Native:
    work = _accumulated(xp, x)
    distance = xp.subtract(work, xp.mean(work, axis=axis, keepdims=True))
    # The error of a mean that is far larger than the distances is of their size.
    distance = xp.subtract(distance, xp.mean(distance, axis=axis, keepdims=True))
    squares = xp.square(xp.abs(distance)) if work.dtype.kind == "c" else xp.multiply(distance, distance)
    total = xp.sum(squares, axis=axis, keepdims=keepdims, dtype=squares.dtype)
    result = xp.divide(total, max(float(_count(x, axis)) - correction, 0.0))
    return xp.astype(result, x.dtype, copy=False) if x.dtype.itemsize == 2 and kind_of(x.dtype) == "f" else result


def std(xp: Any, x: Native, *, axis: Axis, correction: float, keepdims: bool) -> Native:
    if x.dtype.itemsize > 2 or kind_of(x.dtype) != "f":
        return xp.sqrt(xp.var(x, axis=axis, correction=correction, keepdims=keepdims))
    # The root is taken before the rounding: the variance of float16 may exceed 65504 where its root does not.
    variance = xp.var(_accumulated(xp, x), axis=axis, correction=correction, keepdims=keepdims)
    return xp.astype(xp.sqrt(variance), x.dtype)


def any(xp: Any, x: Native, *, axis: Axis, keepdims: bool) -> Native:
    return xp.not_equal(xp.count_nonzero(x, axis=axis, keepdims=keepdims), 0)


def all(xp: Any, x: Native, *, axis: Axis, keepdims: bool) -> Native:
    return xp.equal(xp.count_nonzero(xp.logical_not(x), axis=axis, keepdims=keepdims), 0)


def diff(
    xp: Any, x: Native, *, axis: int, n: int, prepend: Native | None = None, append: Native | None = None
) -> Native:
    edges = (prepend, x, append) if n else (x,)  # NumPy adds no edges for n = 0
    parts = [part for part in edges if part is not None]
    x = xp.concat(parts, axis=axis) if len(parts) > 1 else xp.astype(x, x.dtype, copy=True)
    subtract = xp.not_equal if x.dtype.kind == "b" else xp.subtract
    before = (slice(None),) * axis
    for _ in range(n):
        x = subtract(x[(*before, slice(1, None))], x[(*before, slice(None, -1))])
    return x
