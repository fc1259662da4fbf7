"""Products, Fourier transforms, and linear algebra by NumPy in the same memory.

MLX itself computes decompositions on the CPU only, and some without an error for a singular matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import numpy as np

from ._native import Array, MlxArray, from_host
from ._operands import HALVES, INEXACT, OPERANDS

__all__ = ["FOURIER", "LINALG", "matmul"]

BY_NUMPY = ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "qr", "slogdet", "solve", "svd", "svdvals")


def matmul(x1: Array, x2: Array) -> Array:
    x1, x2 = OPERANDS.promoted(x1, x2)
    if x1.dtype in INEXACT:
        return mx.matmul(x1, x2)
    return _on_host(np.matmul(MlxArray(x1).host(), MlxArray(x2).host()))  # MLX has no product of integers


def _on_host(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple([_on_host(item) for item in result])
    return from_host(np.asarray(result)).array


def _matrices(x: Array, chapter: str) -> Array:
    if x.dtype in HALVES:
        raise TypeError(
            f"{chapter} takes no {MlxArray.numpy_dtypes[x.dtype]}; cast it with xtensor.astype(x, 'float32')"
        )
    return OPERANDS.in_double(x)


def _by_numpy(name: str) -> Callable[..., Any]:
    function = getattr(np.linalg, name)

    def computed(*matrices: Array, **options: Any) -> Any:
        matrices = tuple([_matrices(x, "linear algebra") for x in matrices])
        if len(matrices) == 2:
            matrices = OPERANDS.promoted(*matrices)
        return _on_host(function(*[MlxArray(x).host() for x in matrices], **options))

    return computed


def vector_norm(x: Array, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Array:
    return _on_host(
        np.linalg.vector_norm(MlxArray(OPERANDS.in_double(x)).host(), axis=axis, keepdims=keepdims, ord=ord)
    )


def _transform(name: str) -> Callable[..., Array]:
    function = getattr(mx.fft, name)
    is_real = name == "irfft"

    def transformed(x: Array, *, n: int, axis: int, norm: str) -> Array:
        x = _matrices(x, "a Fourier transform")
        if x.size:
            return function(x, n=n, axis=axis, norm=norm)
        lengths = list(x.shape)
        lengths[axis] = n // 2 + 1 if name == "rfft" else n
        return mx.zeros(lengths, dtype=mx.float32 if is_real else mx.complex64)

    return transformed


LINALG = {**{name: _by_numpy(name) for name in BY_NUMPY}, "vector_norm": vector_norm}

FOURIER = {name: _transform(name) for name in ("fft", "ifft", "rfft", "irfft")}
