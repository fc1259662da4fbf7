"""Products of matrices of real floating-point numbers by cuBLAS, without CuPy's functions.

CuPy copies transposed matrices, adds up float16 in float16 where the result has one element, multiplies bfloat16 in
float32, without tensor cores, and cannot choose TF32 for one call. Here products of two-byte numbers are added up in
float32 and rounded once.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from xtensor.backend import Native

__all__ = ["Networks", "Products"]

FLOAT32, FLOAT64, FLOAT16, BFLOAT16 = 0, 1, 2, 14
"""cuBLAS's data types ``CUDA_R_32F``, ``CUDA_R_64F``, ``CUDA_R_16F`` and ``CUDA_R_16BF``."""

DATA_TYPES = {np.dtype(np.float16): FLOAT16, np.dtype(np.float32): FLOAT32, np.dtype(np.float64): FLOAT64}

IN_FLOAT32, IN_FLOAT64, IN_TF32 = 68, 70, 77
"""cuBLAS's compute types ``CUBLAS_COMPUTE_32F``, ``CUBLAS_COMPUTE_64F`` and ``CUBLAS_COMPUTE_32F_FAST_TF32``."""

AS_STORED, TRANSPOSED = 0, 1
"""cuBLAS's operations ``CUBLAS_OP_N`` and ``CUBLAS_OP_T``."""

DEFAULT_ALGORITHM = -1

LONGEST = 2**31 - 1
"""The largest length and distance that cuBLAS takes."""


class Stack(NamedTuple):
    """Matrices as cuBLAS takes them: an array, whether each is transposed, the distances of its lines, and of two."""

    array: Native
    operation: int
    line: int
    step: int


class Products:
    """Products of stacks of matrices of one real floating-point dtype."""

    def __init__(self, cp: Any) -> None:
        self._cp = cp
        self._numbers = [np.array([1.0, 0.0], dtype) for dtype in (np.float32, np.float64)]
        # The addresses of one and zero, in the dtype that cuBLAS computes in.
        self._single, self._double = ((x.ctypes.data, x.ctypes.data + x.itemsize) for x in self._numbers)
        self._is_hip = bool(cp.cuda.runtime.is_hip)

    def takes(self, dtype: np.dtype[Any]) -> bool:
        """Whether products of a dtype are computed here: nothing on ROCm, whose library takes other types."""
        return not self._is_hip and (dtype in DATA_TYPES or dtype.name == "bfloat16")

    def matmul(self, x1: Native, x2: Native) -> Native:
        """Return the product of stacks of matrices, or of vectors."""
        result = self._multiply(x1 if x1.ndim > 1 else x1[None, :], x2 if x2.ndim > 1 else x2[:, None], None)
        if x1.ndim == 1:
            result = result[..., 0, :]
        return result if x2.ndim > 1 else result[..., 0]

    def linear(self, x: Native, weight: Native, bias: Native | None, *, tf32: bool) -> Native:
        """Return ``x @ weight.T + bias``, rounded once."""
        if x.ndim == 2:
            return self._multiply(x, weight.T, bias, tf32)
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        return self._multiply(rows, weight.T, bias, tf32).reshape(*x.shape[:-1], weight.shape[0])

    def _multiply(self, x: Native, y: Native, bias: Native | None, tf32: bool = False) -> Native:
        batch = () if x.ndim == y.ndim == 2 else np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        (rows, inner), columns = x.shape[-2:], y.shape[-1]
        result = self._cp.ndarray((*batch, rows, columns), x.dtype)
        if not result.size:
            return result
        if bias is not None:
            # Each row is the bias, to which cuBLAS adds the product before it rounds. CuPy copies no bfloat16.
            bits = f"u{x.dtype.itemsize}"
            result.view(bits)[...] = bias.view(bits)
        if inner:
            self._product(result, x, y, batch, adds=bias is not None, tf32=tf32)
        elif bias is None:
            result.fill(0)
        return result

    def _product(self, result: Native, x: Native, y: Native, batch: tuple[int, ...], *, adds: bool, tf32: bool) -> None:
        """Write the product of two stacks of matrices into the result, or add it to the result."""
        (rows, inner), columns = x.shape[-2:], y.shape[-1]
        left, right, count = self._stack(x, batch), self._stack(y, batch), math.prod(batch)
        if max(rows, columns, inner, left.line, right.line, count) > LONGEST:
            raise ValueError(f"matrices of shapes {x.shape} and {y.shape} are larger than cuBLAS takes")
        kind = DATA_TYPES.get(x.dtype, BFLOAT16)
        one, zero = self._double if kind == FLOAT64 else self._single
        compute = IN_FLOAT64 if kind == FLOAT64 else IN_TF32 if tf32 else IN_FLOAT32
        # cuBLAS stores columns: to it the result is the transpose of the product, y.T @ x.T.
        self._cp.cuda.cublas.gemmStridedBatchedEx(
            self._cp.cuda.get_cublas_handle(),
            *(right.operation, left.operation, columns, rows, inner, one),
            *(right.array.data.ptr, kind, right.line, right.step),
            *(left.array.data.ptr, kind, left.line, left.step),
            *(one if adds else zero, result.data.ptr, kind, columns, rows * columns),
            *(count, compute, DEFAULT_ALGORITHM),
        )

    def _stack(self, x: Native, batch: tuple[int, ...]) -> Stack:
        """Return matrices as cuBLAS takes them, copied where their lines or their distances are other ones."""
        rows, columns = x.shape[-2:]
        stack = x if x.shape[:-2] == batch else self._cp.broadcast_to(x, (*batch, rows, columns))
        size = x.dtype.itemsize
        *steps, row_step, column_step = [step // size for step in stack.strides]
        step = _one_step(batch, steps)
        if step is not None:
            if (column_step == 1 or columns == 1) and (row_step >= columns or rows == 1):
                return Stack(x, AS_STORED, max(row_step, columns), step)
            if (row_step == 1 or rows == 1) and (column_step >= rows or columns == 1):
                return Stack(x, TRANSPOSED, max(column_step, rows), step)
        return Stack(self._cp.ascontiguousarray(stack), AS_STORED, columns, rows * columns)


def _one_step(lengths: tuple[int, ...], steps: list[int]) -> int | None:
    """Return the distance of two matrices of a stack, where it is the same for any two neighbours, else None."""
    axes = [(length, step) for length, step in zip(lengths, steps, strict=True) if length != 1]
    if any(outer != length * step for (_, outer), (length, step) in pairwise(axes)):
        return None
    step = axes[-1][1] if axes else 0
    return step if step >= 0 else None


class Networks:
    """The functions of the namespace's ``nn``."""

    def __init__(self, products: Products) -> None:
        self._products = products

    def linear(self, x: Native, weight: Native, bias: Native | None, *, precision: str) -> Native:
        if not self._products.takes(x.dtype):
            return NotImplemented
        return self._products.linear(x, weight, bias, tf32=precision == "tf32" and x.dtype == np.float32)

    linear.takes_bfloat16 = True  # type: ignore[attr-defined]
