"""Functions of neural networks for few rows, such as those of one token of a text: one call of NumPy for each step.

A formula over Arrays takes several times as long there, and a fused one is recorded for each number of keys. More rows
are left to the formulas, which are fused.
"""

from __future__ import annotations

import math

import numpy as np

from xtensor.backend import Native

__all__ = ["rms_norm", "rotary_embedding", "scaled_dot_product_attention"]

MOST_ROWS = 8
"""Rows of a normalization, and queries of a head."""

MOST_ELEMENTS = 1 << 14
"""Elements of a rotary embedding."""

MOST_SCORES = 1 << 16
"""Scores of an attention."""


def rms_norm(x: Native, weight: Native | None, *, axes: tuple[int, ...], eps: float) -> Native:
    length = x.shape[-1] if x.ndim else 0
    if axes != (x.ndim - 1,) or not 0 < x.size <= MOST_ROWS * length or x.dtype.char not in "fd":
        return NotImplemented
    with np.errstate(all="ignore"):
        squares = np.add.reduce(np.multiply(x, x), axis=-1, keepdims=True)
        squares /= length
        limits = LIMITS[x.dtype.char]
        least = 0.0 if eps >= limits[0] else limits[0]
        if not all(least <= square <= limits[1] for square in squares.flat):
            return NotImplemented  # the formula scales the elements
        squares += eps
        result = np.divide(x, np.sqrt(squares, squares))
    return result if weight is None else np.multiply(result, weight, result)


def _limits(dtype: type[np.floating]) -> tuple[float, float]:
    """Return the smallest mean square that has all its digits, and the largest one."""
    limits = np.finfo(dtype)
    return float(limits.smallest_normal / limits.eps), float(limits.max)


LIMITS = {"f": _limits(np.float32), "d": _limits(np.float64)}


def rotary_embedding(x: Native, cos: Native, sin: Native, *, interleaved: bool) -> Native:
    if not 0 < x.size <= MOST_ELEMENTS or x.dtype.char not in "fd":
        return NotImplemented
    half = x.shape[-1] // 2
    keys = (EVEN, ODD) if interleaved else ((..., slice(None, half)), (..., slice(half, None)))
    first, second = x[keys[0]], x[keys[1]]
    result = np.empty(x.shape, x.dtype)
    with np.errstate(all="ignore"):
        np.subtract(first * cos, second * sin, out=result[keys[0]])
        np.add(second * cos, first * sin, out=result[keys[1]])
    return result


EVEN, ODD = (..., slice(None, None, 2)), (..., slice(1, None, 2))


def scaled_dot_product_attention(
    query: Native,
    key: Native,
    value: Native,
    mask: Native | None,
    *,
    causal: bool,
    scale: float,
    precision: str,
) -> Native:
    if query.ndim < 3 or mask is not None or query.dtype.char not in "fd":
        return NotImplemented
    heads, count, size = query.shape[-3:]
    keys, groups = key.shape[-2], key.shape[-3]
    if causal and (count > 1 or keys > 1):  # the first query attends to the first key only
        return NotImplemented
    if count > MOST_ROWS or not groups or not 0 < query.size // size * keys <= MOST_SCORES:
        return NotImplemented
    rows = query.reshape(*query.shape[:-3], groups, heads // groups * count, size)
    with np.errstate(all="ignore"):
        scores = np.matmul(rows, key.swapaxes(-1, -2))
        scores *= scale
        largest = np.maximum.reduce(scores, axis=-1, keepdims=True)
        if not math.isfinite(np.add.reduce(largest, axis=None)):
            return NotImplemented  # of infinite or NaN elements
        scores -= largest
        np.exp(scores, scores)
        total = np.add.reduce(scores, axis=-1, keepdims=True)
        result = np.matmul(scores, value)
        result /= total
    return result.reshape(*query.shape[:-1], value.shape[-1])
