"""cuBLAS on the host: products of matrices in memory, with the parameters of CuPy's bindings."""

from __future__ import annotations

import ctypes

import ml_dtypes
import numpy as np

__all__ = ["gemmStridedBatchedEx"]

TYPES = {0: np.dtype(np.float32), 1: np.dtype(np.float64), 2: np.dtype(np.float16), 14: np.dtype(ml_dtypes.bfloat16)}
IN_FLOAT64, IN_TF32 = 70, 77

calls: list[int] = []
"""The compute types of the calls."""


# ruff: noqa: N802, N803 - the names of CuPy's bindings


def gemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, A, Atype, lda, strideA, B, Btype, ldb, strideB,
                         beta, C, Ctype, ldc, strideC, batchCount, computeType, algo):  # fmt: skip
    """``C = alpha op(A) op(B) + beta C`` for each matrix of a stack, each stored by columns that are ``ld`` apart."""
    calls.append(computeType)
    assert min(lda, ldb, ldc, batchCount) > 0
    a = matrices(A, Atype, (m, k), transa, lda, strideA, batchCount)
    b = matrices(B, Btype, (k, n), transb, ldb, strideB, batchCount)
    c = matrices(C, Ctype, (m, n), 0, ldc, strideC, batchCount)
    a, b = (x.astype(np.float64) for x in (a, b))
    if computeType == IN_TF32:
        a, b = map(in_tf32, (a, b))
    number, computed = (ctypes.c_double, np.float64) if computeType == IN_FLOAT64 else (ctypes.c_float, np.float32)
    assert (computeType == IN_FLOAT64) == (Ctype == 1), "cuBLAS computes float64 in float64 alone"
    alpha, beta = (number.from_address(pointer).value for pointer in (alpha, beta))
    c[...] = (alpha * (a @ b) + (beta * c.astype(np.float64) if beta else 0)).astype(computed).astype(c.dtype)


def matrices(pointer, kind, shape, transposed, distance, step, count):
    """The elements of a stack of matrices in memory."""
    dtype = TYPES[kind]
    rows, columns = shape[::-1] if transposed else shape
    assert distance >= rows, "cuBLAS refuses lines that overlap"
    elements = (count - 1) * step + (columns - 1) * distance + rows
    memory = np.frombuffer((ctypes.c_byte * (elements * dtype.itemsize)).from_address(pointer), dtype)
    strides = tuple(dtype.itemsize * s for s in (step, *((distance, 1) if transposed else (1, distance))))
    return np.lib.stride_tricks.as_strided(memory, (count, *shape), strides)


def in_tf32(x):
    """Numbers of float32 rounded to 10 bits of the fraction."""
    bits = x.astype(np.float32).view(np.uint32)
    return ((bits + 0x1000) & 0xFFFFE000).view(np.float32).astype(np.float64)
