"""Compositions of linear algebra: products, norms, inverses, decompositions by others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.backend import Native
from .._core.dtypes import DType

__all__ = [
    "cross",
    "det",
    "eigvals",
    "eigvalsh",
    "inv",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "outer",
    "pinv",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

# -- products -------------------------------------------------------------------------------------------------------


def vecdot(xp: Any, x1: Native, x2: Native, *, axis: int) -> Native:
    x1, x2 = (xp.moveaxis(x, axis % x.ndim, x.ndim - 1) for x in (x1, x2))
    x1 = xp.conj(x1) if x1.dtype.kind == "c" else x1
    row, column = xp.expand_dims(x1, axis=(x1.ndim - 1,)), xp.expand_dims(x2, axis=(x2.ndim,))
    return xp.matmul(row, column)[..., 0, 0]


def outer(xp: Any, x1: Native, x2: Native) -> Native:
    return xp.multiply(xp.reshape(x1, (x1.shape[0], 1)), xp.reshape(x2, (1, x2.shape[0])))


def tensordot(xp: Any, x1: Native, x2: Native, *, axes: int | tuple[tuple[int, ...], tuple[int, ...]]) -> Native:
    if isinstance(axes, int):
        axes = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    over1, over2 = axes
    free1, free2 = ([i for i in range(x.ndim) if i not in over] for x, over in ((x1, over1), (x2, over2)))
    shape = (*(x1.shape[i] for i in free1), *(x2.shape[i] for i in free2))
    summed = math.prod(x1.shape[i] for i in over1)
    left = xp.reshape(xp.permute_dims(x1, (*free1, *over1)), (math.prod(x1.shape[i] for i in free1), summed))
    right = xp.reshape(xp.permute_dims(x2, (*over2, *free2)), (summed, math.prod(x2.shape[i] for i in free2)))
    return xp.reshape(xp.matmul(left, right), shape)


def cross(xp: Any, x1: Native, x2: Native, *, axis: int) -> Native:
    a, b = (xp.moveaxis(x, axis % x.ndim, x.ndim - 1) for x in (x1, x2))
    components = [
        xp.subtract(xp.multiply(a[..., i], b[..., j]), xp.multiply(a[..., j], b[..., i]))
        for i, j in ((1, 2), (2, 0), (0, 1))
    ]
    ndim = components[0].ndim
    return xp.moveaxis(xp.stack(components, axis=ndim), ndim, axis % (ndim + 1))


# -- norms ----------------------------------------------------------------------------------------------------------


def vector_norm(xp: Any, x: Native, *, axis: Any, keepdims: bool, ord: Any) -> Native:
    magnitude = xp.abs(x)
    if ord == math.inf:
        if not x.size:  # the norm of nothing is 0, which a maximum is not
            return xp.sum(magnitude, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
        return xp.max(magnitude, axis=axis, keepdims=keepdims)
    if ord == -math.inf:
        return xp.min(magnitude, axis=axis, keepdims=keepdims)
    if ord == 0:
        nonzero = xp.astype(xp.not_equal(magnitude, 0), magnitude.dtype)
        return xp.sum(nonzero, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
    if ord == 1:
        return xp.sum(magnitude, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
    if magnitude.dtype.itemsize == 2:
        single = xp.astype(magnitude, np.dtype(np.float32))
        return xp.astype(vector_norm(xp, single, axis=axis, keepdims=keepdims, ord=ord), magnitude.dtype)
    powers = xp.square(magnitude) if ord == 2 else xp.pow(magnitude, float(ord))
    total = xp.sum(powers, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
    return xp.sqrt(total) if ord == 2 else xp.pow(total, 1.0 / ord)


def matrix_norm(xp: Any, x: Native, *, keepdims: bool, ord: Any) -> Native:
    rows, columns = x.ndim - 2, x.ndim - 1
    if ord == "fro":
        return xp.linalg.vector_norm(x, axis=(rows, columns), keepdims=keepdims, ord=2)
    if ord == "nuc" or abs(ord) == 2:
        values = xp.linalg.svdvals(x)
        if ord == "nuc":
            norms = xp.sum(values, axis=(rows,), keepdims=False, dtype=values.dtype)
        else:
            norms = (xp.max if ord > 0 else xp.min)(values, axis=(rows,), keepdims=False)
    else:
        along = rows if abs(ord) == 1 else columns
        magnitude = xp.abs(x)
        sums = xp.sum(magnitude, axis=(along,), keepdims=True, dtype=magnitude.dtype)
        norms = (xp.max if ord > 0 else xp.min)(sums, axis=(rows, columns), keepdims=False)
    return xp.expand_dims(norms, axis=(rows, columns)) if keepdims else norms


# -- inverses and powers --------------------------------------------------------------------------------------------


def _identity(xp: Any, x: Native) -> Native:
    """The identity matrix for each matrix of a stack."""
    size = x.shape[-1]
    return xp.broadcast_to(xp.eye(size, size, k=0, dtype=x.dtype), x.shape)


def inv(xp: Any, x: Native) -> Native:
    return xp.linalg.solve(x, _identity(xp, x))


def det(xp: Any, x: Native) -> Native:
    sign, logarithm = xp.linalg.slogdet(x)
    return xp.multiply(sign, xp.exp(logarithm))


def matrix_power(xp: Any, x: Native, n: int) -> Native:
    if n == 0:
        return xp.astype(_identity(xp, x), x.dtype, copy=True)
    power = xp.linalg.inv(x) if n < 0 else x
    result: Native = None
    n = abs(n)
    while n:
        if n & 1:
            result = power if result is None else xp.matmul(result, power)
        n >>= 1
        power = xp.matmul(power, power) if n else power
    return xp.astype(result, x.dtype, copy=True) if result is x else result


def trace(xp: Any, x: Native, *, offset: int, dtype: DType | None) -> Native:
    diagonal = xp.linalg.diagonal(x, offset=offset)
    return xp.sum(diagonal, axis=(diagonal.ndim - 1,), keepdims=False, dtype=dtype)


# -- by other decompositions ----------------------------------------------------------------------------------------


def eigvals(xp: Any, x: Native) -> Native:
    return xp.linalg.eig(x)[0]


def eigvalsh(xp: Any, x: Native) -> Native:
    return xp.linalg.eigh(x)[0]


def svdvals(xp: Any, x: Native) -> Native:
    return xp.linalg.svd(x, full_matrices=False)[1]


def _cutoff(xp: Any, x: Native, values: Native, rtol: Native | float | None) -> Native:
    """The singular value below which one counts as 0, with an axis to broadcast against the values."""
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(np.finfo(values.dtype).eps)
    elif not isinstance(rtol, (int, float)):
        rtol = xp.expand_dims(rtol, axis=(rtol.ndim,))
    return xp.multiply(values[..., :1], rtol)


def matrix_rank(xp: Any, x: Native, *, rtol: Native | float | None = None) -> Native:
    if not min(x.shape[-2:]):
        return xp.zeros(x.shape[:-2], dtype=xp.default_integer)
    values = xp.linalg.svdvals(x)
    above = xp.less(_cutoff(xp, x, values, rtol), values)
    return xp.count_nonzero(above, axis=(above.ndim - 1,), keepdims=False)


def pinv(xp: Any, x: Native, *, rtol: Native | float | None = None) -> Native:
    shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
    if not min(x.shape[-2:]):
        return xp.zeros(shape, dtype=x.dtype)
    u, values, vh = xp.linalg.svd(x, full_matrices=False)
    above = xp.logical_not(xp.less_equal(values, _cutoff(xp, x, values, rtol)))  # NaN makes the inverse NaN
    inverse = xp.where(above, xp.divide(1.0, xp.where(above, values, 1.0)), 0.0)
    u, vh = (xp.matrix_transpose(xp.conj(part) if part.dtype.kind == "c" else part) for part in (u, vh))
    return xp.matmul(vh, xp.multiply(xp.expand_dims(inverse, axis=(inverse.ndim,)), u))
