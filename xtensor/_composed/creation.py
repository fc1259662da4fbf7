"""Compositions of creation functions."""

from __future__ import annotations

import math
from typing import Any

from .._core.backend import Native
from .._core.dtypes import DType, kind_of

__all__ = ["empty", "eye", "linspace", "ones", "tril", "triu", "zeros"]


def empty(xp: Any, shape: tuple[int, ...], *, dtype: DType) -> Native:
    return xp.full(shape, 0, dtype=dtype)


def zeros(xp: Any, shape: tuple[int, ...], *, dtype: DType) -> Native:
    return xp.full(shape, 0, dtype=dtype)


def ones(xp: Any, shape: tuple[int, ...], *, dtype: DType) -> Native:
    return xp.full(shape, 1, dtype=dtype)


def eye(xp: Any, rows: int, columns: int, *, k: int, dtype: DType) -> Native:
    row, column = _rows_and_columns(xp, rows, columns)
    return xp.astype(xp.equal(xp.add(row, _clamped(k, rows, columns)), column), dtype)


def tril(xp: Any, x: Native, *, k: int) -> Native:
    row, column = _rows_and_columns(xp, *x.shape[-2:])
    below = xp.less_equal(column, xp.add(row, _clamped(k, *x.shape[-2:])))
    return xp.where(below, x, False if x.dtype.kind == "b" else 0)


def triu(xp: Any, x: Native, *, k: int) -> Native:
    row, column = _rows_and_columns(xp, *x.shape[-2:])
    above = xp.less_equal(xp.add(row, _clamped(k, *x.shape[-2:])), column)
    return xp.where(above, x, False if x.dtype.kind == "b" else 0)


def _rows_and_columns(xp: Any, rows: int, columns: int) -> tuple[Native, Native]:
    """The row and the column of each element, for broadcasting."""
    row, column = (xp.arange(0, length, 1, dtype=xp.default_integer) for length in (rows, columns))
    return xp.reshape(row, (rows, 1)), xp.reshape(column, (1, columns))


def _clamped(k: int, rows: int, columns: int) -> int:
    """A diagonal's offset within the integers: all beyond the corners are empty alike."""
    return max(-rows, min(k, columns))


def linspace(xp: Any, start: complex, stop: complex, num: int, *, dtype: DType, endpoint: bool = True) -> Native:
    if isinstance(start, complex) or isinstance(stop, complex) or dtype.kind == "c":
        start, stop = complex(start), complex(stop)
        ends = ((start.real, stop.real), (start.imag, stop.imag))
        real, imag = (_real_linspace(xp, first, last, num, endpoint) for first, last in ends)
        return xp.astype(xp.complex_of(real, imag), dtype, copy=False)
    result = _real_linspace(xp, start, stop, num, endpoint)
    return xp.astype(xp.floor(result) if kind_of(dtype) in "iu" else result, dtype, copy=False)


def _real_linspace(xp: Any, start: float, stop: float, num: int, endpoint: bool) -> Native:
    start, stop = float(start), float(stop)
    parts = max(num - 1 if endpoint else num, 1)
    index = xp.astype(xp.arange(0, num, 1, dtype=xp.default_integer), xp.default_float)
    delta = stop - start
    if math.isinf(delta) and math.isfinite(start) and math.isfinite(stop):
        weight = xp.divide(index, parts)
        result = xp.add(xp.multiply(xp.subtract(1.0, weight), start), xp.multiply(weight, stop))
    else:
        step = delta / parts
        # A step that underflows to 0 would repeat the start.
        offset = xp.multiply(index, step) if step else xp.multiply(xp.divide(index, parts), delta)
        result = xp.add(offset, start)
    return xp.where(xp.equal(index, num - 1.0), stop, result) if endpoint and num > 1 else result
