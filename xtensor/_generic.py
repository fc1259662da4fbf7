"""Functions composed of others in Array API terms, for libraries that lack them.

Each takes a device's functions and gives the composed function over native arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from .backend import Native

__all__ = ["COMPOSED"]

Compose: TypeAlias = Callable[[Any], Callable[..., Any]]


def unstack(xp: Any) -> Callable[..., Any]:
    def function(x: Native, *, axis: int = 0) -> tuple[Native, ...]:
        first = xp.moveaxis(x, axis, 0)
        return tuple(first[i, ...] for i in range(first.shape[0]))

    return function


def matrix_transpose(xp: Any) -> Callable[..., Any]:
    def function(x: Native) -> Native:
        return xp.permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))

    return function


def vecdot(xp: Any) -> Callable[..., Any]:
    def function(x1: Native, x2: Native, *, axis: int = -1) -> Native:
        x1, x2 = xp.moveaxis(x1, axis, -1), xp.moveaxis(x2, axis, -1)
        x1 = xp.conj(x1) if x1.dtype.kind == "c" else x1
        return xp.matmul(x1[..., None, :], x2[..., :, None])[..., 0, 0]

    return function


def outer(xp: Any) -> Callable[..., Any]:
    def function(x1: Native, x2: Native) -> Native:
        return xp.multiply(x1[:, None], x2[None, :])

    return function


def svdvals(xp: Any) -> Callable[..., Any]:
    def function(x: Native) -> Native:
        return xp.linalg.svd(x, full_matrices=False)[1]

    return function


def vector_norm(xp: Any) -> Callable[..., Any]:
    def function(x: Native, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Native:
        magnitude = xp.abs(x)
        if ord == math.inf:
            return xp.max(magnitude, axis=axis, keepdims=keepdims)
        if ord == -math.inf:
            return xp.min(magnitude, axis=axis, keepdims=keepdims)
        if ord == 0:
            nonzero = xp.astype(xp.not_equal(magnitude, 0), magnitude.dtype)
            return xp.sum(nonzero, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
        if ord == 1:
            return xp.sum(magnitude, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
        powers = xp.square(magnitude) if ord == 2 else xp.pow(magnitude, float(ord))
        total = xp.sum(powers, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
        return xp.sqrt(total) if ord == 2 else xp.pow(total, 1.0 / ord)

    return function


def matrix_norm(xp: Any) -> Callable[..., Any]:
    def function(x: Native, *, keepdims: bool = False, ord: Any = "fro") -> Native:
        rows, columns = x.ndim - 2, x.ndim - 1
        if ord == "fro":
            return xp.linalg.vector_norm(x, axis=(rows, columns), keepdims=keepdims)
        if ord == "nuc" or abs(ord) == 2:
            values = xp.linalg.svdvals(x)
            reduction = xp.sum if ord == "nuc" else xp.max if ord > 0 else xp.min
            norms = reduction(values, axis=(rows,))
        else:
            along = rows if abs(ord) == 1 else columns
            magnitude = xp.abs(x)
            sums = xp.sum(magnitude, axis=(along,), keepdims=True, dtype=magnitude.dtype)
            norms = (xp.max if ord > 0 else xp.min)(sums, axis=(rows, columns))
        return xp.expand_dims(norms, axis=(rows, columns)) if keepdims else norms

    return function


COMPOSED: dict[str, Compose] = {
    "matrix_transpose": matrix_transpose,
    "unstack": unstack,
    "vecdot": vecdot,
    "linalg.matrix_norm": matrix_norm,
    "linalg.outer": outer,
    "linalg.svdvals": svdvals,
    "linalg.vector_norm": vector_norm,
}
