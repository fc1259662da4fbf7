"""Derivatives of products of matrices and vectors."""

from __future__ import annotations

from typing import Any

from ... import _ops as xp
from ..._core.array import Array
from ..._core.dtypes import kind_of
from .._table import pullback


def is_joined(g: Array, x: Any, y: Any) -> bool:
    """Whether the cotangent of a matrix y is one product, in the place of a sum of products over the other axes."""
    return y.ndim == 2 and x.ndim == g.ndim > 2 and g.size > 0 and 0 not in x.shape


@pullback("matmul", keeps="x y", bilinear=True)
def _matmul(g: Array, out: Any, x: Array, y: Array) -> tuple[Array, Array]:
    if x.ndim == 1 and y.ndim == 1:
        return g * y, g * x
    if x.ndim == 1:
        return xp.squeeze(y @ g[..., None], axis=-1), x[:, None] * g[..., None, :]
    if y.ndim == 1:
        return g[..., :, None] * y, xp.squeeze(xp.matrix_transpose(x) @ g[..., :, None], axis=-1)
    by_x = g @ xp.matrix_transpose(y)
    if is_joined(g, x, y):
        x, g = xp.reshape(x, (-1, x.shape[-1])), xp.reshape(g, (-1, g.shape[-1]))
    return by_x, xp.matrix_transpose(x) @ g


@pullback("vecdot", keeps="x y", several=True)
def _vecdot(g: Array, out: Any, x: Array, y: Array, *, axis: int = -1) -> tuple[Array, Array]:
    # The axis is the same, counted from the last, in both operands, and missing in the cotangent.
    places = axis if axis < 0 else axis - max(x.ndim, y.ndim)
    g = xp.expand_dims(g, axis=places)
    if kind_of(x.dtype) != "c":
        return g * y, g * x
    return xp.conj(g * y), g * xp.conj(x)


@pullback("tensordot", keeps="x y", bilinear=True)
def _tensordot(g: Array, out: Any, x: Array, y: Array, *, axes: Any = 2) -> tuple[Array, Array]:
    if isinstance(axes, int):
        axes = tuple(range(x.ndim - axes, x.ndim)), tuple(range(axes))
    first = [axis % x.ndim for axis in axes[0]]
    second = [axis % y.ndim for axis in axes[1]]
    free_x = [i for i in range(x.ndim) if i not in first]
    free_y = [i for i in range(y.ndim) if i not in second]
    count = len(free_x)
    # The product with y over its free axes has the axes of x: the free ones, then the contracted ones, in y's order.
    by_x = xp.tensordot(g, y, axes=(tuple(range(count, g.ndim)), tuple(free_y)))
    contracted = sorted(range(len(second)), key=second.__getitem__)
    order = [*free_x, *(first[i] for i in contracted)]
    by_x = xp.permute_dims(by_x, tuple(order.index(i) for i in range(x.ndim)))
    by_y = xp.tensordot(x, g, axes=(tuple(free_x), tuple(range(count))))
    contracted = sorted(range(len(first)), key=first.__getitem__)
    order = [*(second[i] for i in contracted), *free_y]
    by_y = xp.permute_dims(by_y, tuple(order.index(i) for i in range(y.ndim)))
    return by_x, by_y


@pullback("linalg.outer", keeps="x y", bilinear=True)
def _outer(g: Array, out: Any, x: Array, y: Array) -> tuple[Array, Array]:
    return g @ y, x @ g
