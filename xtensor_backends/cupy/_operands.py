"""Dtypes, shapes and axes of CuPy's operands."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import DType, Native

__all__ = [
    "FLUSHED",
    "HALF",
    "LARGEST_COUNT",
    "Axes",
    "addressable",
    "cast",
    "is_float",
    "keepdims_shape",
    "of_bits",
    "promoted_dtype",
    "reduced_count",
    "sorted_axes",
    "widened",
]

HALF = np.dtype(np.float16)

FLUSHED = "fF"
"""The dtypes whose subnormal numbers CuPy's kernels flush to zero: float32, complex64."""

LARGEST_COUNT = 2**31
"""The number of elements from which on CuPy's scans and ``take`` compute positions that overflow."""

LARGEST_BYTES = np.iinfo(np.int64).max

Axes = int | tuple[int, ...] | None


def of_bits(function: Callable[..., Native], x: Native, *args: Any, **options: Any) -> Native:
    """A function that moves elements or replaces them by zeros; CuPy's kernel for bfloat16 gives float32."""
    if x.dtype.kind != "V":
        return function(x, *args, **options)
    return function(x.view(np.uint16), *args, **options).view(x.dtype)


def widened(dtype: DType) -> DType:
    """The dtype that sums and products of a dtype are computed in: float32 for float16."""
    return np.dtype(np.float32) if dtype == HALF else dtype


def cast(x: Native | complex, dtype: DType) -> Any:
    """An operand in a dtype; a Python scalar unchanged, as kernels take it in the dtype of the arrays next to it."""
    return x if isinstance(x, (bool, int, float, complex)) else x.astype(dtype, copy=False)


def promoted_dtype(*operands: Any) -> DType:
    return np.result_type(*(getattr(x, "dtype", x) for x in operands))


def is_float(operand: Any) -> bool:
    """Whether a dtype or a Python scalar is floating-point."""
    return isinstance(operand, float) or getattr(operand, "kind", "") == "f"


def sorted_axes(axis: Axes, ndim: int) -> tuple[int, ...]:
    """The reduced axes in ascending order."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted(axis)) if isinstance(axis, tuple) else (axis,)


def reduced_count(shape: tuple[int, ...], axis: Axes) -> int:
    """The number of elements that a reduction combines into one."""
    return math.prod(shape[position] for position in sorted_axes(axis, len(shape)))


def keepdims_shape(shape: tuple[int, ...], axis: Axes) -> tuple[int, ...]:
    """The shape of a reduction's result with ``keepdims=True``."""
    reduced = sorted_axes(axis, len(shape))
    return tuple(1 if position in reduced else length for position, length in enumerate(shape))


def addressable(shape: tuple[int, ...], dtype: DType) -> tuple[int, ...]:
    """Return the shape if its bytes can be addressed; CuPy's own count would wrap around and allocate fewer."""
    size = math.prod(shape) * dtype.itemsize
    if size > LARGEST_BYTES:
        raise MemoryError(f"Out of memory allocating {size:,} bytes")
    return shape
