"""Operands in NumPy's common dtype, and the block in which JAX has types of 64 bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxlib._jax import ArrayImpl

from xtensor.backend import COMMON_DTYPES, DType, Operands, dtype_named, host_number

__all__ = ["OPERANDS", "Array", "cast", "number", "with_x64", "with_x64_unless_single"]

Array = Any


def with_x64(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs with JAX's types of 64 bits, whatever the setting of the process."""
    enable = jax.enable_x64

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with enable(True):
            return function(*args, **kwargs)

    return call


SINGLE: DType = np.dtype(np.float32)


def with_x64_unless_single(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that computes arrays of float32 in float32, and others with JAX's types of 64 bits.

    The block costs a twentieth of a sum of 1e6 elements, and float32 needs none.
    """
    general = with_x64(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for x in args:
            if x.__class__ is not ArrayImpl or x.dtype is not SINGLE:
                return general(*args, **kwargs)
        dtype = kwargs.get("dtype")
        return function(*args, **kwargs) if dtype is None or dtype is SINGLE else general(*args, **kwargs)

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


def number(value: Any, dtype: DType, x: Array = None) -> Any:
    """Return a Python number as a 0-d array of the host; OverflowError for an integer that the dtype cannot hold."""
    return host_number(value, dtype)


DTYPES: dict[DType, DType] = {dtype: dtype for dtype in map(dtype_named, COMMON_DTYPES)}

OPERANDS = Operands(ArrayImpl, DTYPES, cast, number)
