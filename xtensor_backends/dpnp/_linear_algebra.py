"""Products of matrices, the namespace ``linalg`` and the Fourier transforms."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import dpnp
import numpy as np

from xtensor.backend import Native

__all__ = ["Fourier", "Linalg", "matmul", "read_only", "vecdot"]


HALF = np.dtype(np.float16)


def matmul(x1: Native, x2: Native) -> Native:
    x1, x2 = _materialized(x1), _materialized(x2)
    has_vector = min(x1.ndim, x2.ndim) == 1 or 1 in (*x1.shape[-2:-1], *x2.shape[-1:])
    if has_vector and x1.dtype == x2.dtype == HALF:
        # oneMKL multiplies no vectors of float16.
        return dpnp.astype(dpnp.matmul(*(dpnp.astype(x, np.float32) for x in (x1, x2))), HALF)
    return dpnp.matmul(x1, x2)


def vecdot(x1: Native, x2: Native, *, axis: int) -> Native:
    return NotImplemented if x1.dtype == x2.dtype == HALF else dpnp.vecdot(x1, x2, axis=axis)


def _materialized(x: Native) -> Native:
    """An operand without axes of stride 0, which dpnp's calls of oneMKL do not support.

    Its Fourier transforms read out of bounds, its product of a matrix and its transpose raises.
    """
    broadcast = any(stride == 0 and length > 1 for stride, length in zip(x.strides, x.shape, strict=True))
    return dpnp.ascontiguousarray(x) if broadcast else x


def _writable(x: Native) -> Native:
    """An operand that can be written to; dpnp's transforms write to a shortened copy, which inherits the flag."""
    if x.flags.writable:
        return x
    x = dpnp.copy(x)
    x.flags.writable = True
    return x


def read_only(x: Native) -> Native:
    """Mark a new view as read-only; its own views inherit that."""
    x.flags.writable = False
    return x


class Linalg:
    """dpnp's linear algebra; ``matrix_power`` and ``pinv`` are compositions.

    dpnp's ``matrix_power`` uses its own ``matmul``, and its ``pinv`` a smaller default of ``rtol`` than the standard's.
    """

    def __getattr__(self, name: str) -> Any:
        if name in ("matrix_power", "pinv"):
            raise AttributeError(name)
        return getattr(dpnp.linalg, name)

    @staticmethod
    def diagonal(x: Native, *, offset: int) -> Native:
        return read_only(dpnp.linalg.diagonal(x, offset=offset))

    @staticmethod
    def eigvalsh(x: Native) -> Native:
        # dpnp overwrites a Fortran-ordered operand, and raises for one that is in neither order.
        return dpnp.linalg.eigvalsh(dpnp.copy(x, order="C"))

    @staticmethod
    def matrix_norm(x: Native, *, keepdims: bool, ord: Any) -> Native:
        # dpnp returns complex norms for arrays without elements.
        return dpnp.real(dpnp.linalg.matrix_norm(x, keepdims=keepdims, ord=ord))

    @staticmethod
    def vector_norm(x: Native, *, axis: Any, keepdims: bool, ord: Any) -> Native:
        return dpnp.real(dpnp.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord))


class Fourier:
    """dpnp's Fourier transforms. ``fftfreq`` and ``rfftfreq`` are compositions.

    All but ``fft`` decline arrays without elements, for which dpnp returns a wrong shape or dtype, or raises.
    """

    def __getattr__(self, name: str) -> Callable[..., Native]:
        if name in ("fftfreq", "rfftfreq"):
            raise AttributeError(name)
        function = getattr(dpnp.fft, name)

        @wraps(function)
        def transform(x: Native, **options: Any) -> Native:
            if not x.size and name != "fft":
                return NotImplemented
            return function(_writable(_materialized(x)), **options)

        return transform
