"""Operands in NumPy's common dtype, and the block in which JAX has types of 64 bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from xtensor.backend import DType, result_type

__all__ = ["Array", "cast", "number", "promoted", "with_x64"]

Array = Any


def with_x64(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs with JAX's types of 64 bits, whatever the setting of the process."""
    enable = jax.enable_x64

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with enable(True):
            return function(*args, **kwargs)

    return call


def cast(x: Array, dtype: DType) -> Array:
    """Return an array in another dtype, or itself in its own."""
    if x.dtype == dtype:
        return x
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = jnp.real(x)
    if x.dtype.kind in "fV" and dtype.kind == "i":
        x = x.astype(np.int64)  # XLA saturates at the ends of the narrower dtype, NumPy wraps around
    return x.astype(dtype)


def number(value: Any, dtype: DType) -> Any:
    """Return a Python number as a 0-d array of the host; OverflowError for an integer that the dtype cannot hold."""
    if dtype.kind in "iu":
        return np.array(int(value), dtype)
    return np.asarray(value).astype(dtype)


def promoted(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Return two operands of the promoted dtype; one of them may be a Python number."""
    is_array1, is_array2 = hasattr(x1, "dtype"), hasattr(x2, "dtype")
    if is_array1 and is_array2:
        if x1.dtype == x2.dtype:
            return x1, x2
        dtype = result_type(x1.dtype, x2.dtype)
        return cast(x1, dtype), cast(x2, dtype)
    dtype = result_type(x1.dtype if is_array1 else x1, x2.dtype if is_array2 else x2)
    return (
        cast(x1, dtype) if is_array1 else number(x1, dtype),
        cast(x2, dtype) if is_array2 else number(x2, dtype),
    )
