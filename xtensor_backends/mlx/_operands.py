"""Operands in NumPy's common dtypes; what promotes to float64 is float32."""

from __future__ import annotations

from typing import Any

import mlx.core as mx

from xtensor.backend import Operands, host_number, is_narrow

from ._native import ARRAY, TO_MLX, Array, MlxArray, from_numpy

__all__ = ["FLOATS", "HALVES", "INEXACT", "INTEGERS", "OPERANDS", "cast", "number"]

HALVES = frozenset(ours for dtype, ours in TO_MLX.items() if is_narrow(dtype))
FLOATS = HALVES | {mx.float32}
INEXACT = FLOATS | {mx.complex64}
INTEGERS = frozenset(TO_MLX.values()) - INEXACT - {mx.bool_}


def cast(x: Array, dtype: Any) -> Array:
    """Return an array in another dtype, or itself in its own."""
    if x.dtype == dtype:
        return x
    if x.dtype == mx.complex64 and dtype != mx.bool_:
        x = mx.real(x)
    if x.dtype in FLOATS and dtype in INTEGERS and dtype != mx.uint64:
        x = x.astype(mx.int64)  # as NumPy, which keeps the last bits of a number beyond the dtype
    return x.astype(dtype)


def number(value: Any, dtype: Any, x: Any = None) -> Array:
    """Return a 0-d array of a Python number; OverflowError for an integer that the dtype cannot represent."""
    return from_numpy(host_number(value, MlxArray.numpy_dtypes[dtype]))


OPERANDS = Operands(ARRAY, TO_MLX, cast, number)
