"""Compositions of indexing, searching and sorting functions. Axes are in ``[0, ndim)``."""

from __future__ import annotations

from typing import Any

from .._core.backend import Native
from .._core.dtypes import kind_of
from .manipulation import along

__all__ = ["argmax", "argmin", "count_nonzero", "sort", "take", "take_along_axis"]

Axis = int | tuple[int, ...] | None


def take(xp: Any, x: Native, indices: Native, *, axis: int) -> Native:
    return xp.getitem(x, along(axis, indices))


def take_along_axis(xp: Any, x: Native, indices: Native, *, axis: int) -> Native:
    axis %= x.ndim
    key = []
    for position, length in enumerate(x.shape):
        if position == axis:
            key.append(indices)
        else:
            shape = tuple(length if item == position else 1 for item in range(x.ndim))
            key.append(xp.reshape(xp.arange(0, length, 1, dtype=xp.default_integer), shape))
    return xp.getitem(x, tuple(key))


def sort(xp: Any, x: Native, *, axis: int, descending: bool, stable: bool) -> Native:
    return xp.take_along_axis(x, xp.argsort(x, axis=axis, descending=descending, stable=stable), axis=axis)


def argmax(xp: Any, x: Native, *, axis: int | None, keepdims: bool) -> Native:
    return _position(xp, xp.max, x, axis, keepdims)


def argmin(xp: Any, x: Native, *, axis: int | None, keepdims: bool) -> Native:
    return _position(xp, xp.min, x, axis, keepdims)


def _position(xp: Any, extreme: Any, x: Native, axis: int | None, keepdims: bool) -> Native:
    """The first position of the extreme, or of the first NaN."""
    kept = (1,) * x.ndim
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    else:
        axis %= x.ndim
        kept = tuple(1 if position == axis else length for position, length in enumerate(x.shape))
    value = extreme(x, axis=(axis,), keepdims=True)
    found = xp.equal(x, value)
    if kind_of(x.dtype) == "f":
        found = xp.logical_or(found, xp.isnan(x))
    length = x.shape[axis]
    index = xp.arange(0, length, 1, dtype=xp.default_integer)
    index = xp.reshape(index, tuple(length if position == axis else 1 for position in range(x.ndim)))
    first = xp.min(xp.where(found, index, length), axis=(axis,), keepdims=False)
    return xp.reshape(first, kept) if keepdims else first


def count_nonzero(xp: Any, x: Native, *, axis: Axis, keepdims: bool) -> Native:
    present = x if x.dtype.kind == "b" else xp.not_equal(x, 0)
    dtype = xp.default_integer
    return xp.sum(xp.astype(present, dtype), axis=axis, keepdims=keepdims, dtype=dtype)
