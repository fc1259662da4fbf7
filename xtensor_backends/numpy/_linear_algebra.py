"""NumPy's linear algebra, with norms by scalar products of BLAS, which read the elements once."""

from __future__ import annotations

from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["LinearAlgebra"]


class LinearAlgebra:
    """The functions of ``numpy.linalg`` as attributes, and those that differ from it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np.linalg, name)

    @staticmethod
    def vector_norm(x: Native, *, axis: Any, keepdims: bool, ord: Any) -> Native:
        if axis.__class__ is tuple and len(axis) == 1:
            axis = axis[0] if x.ndim > 1 else None  # for several axes NumPy copies the elements
        if axis is None and ord == 2 and _by_blas(x):
            return _euclidean_norm(x, keepdims)
        return np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)

    @staticmethod
    def matrix_norm(x: Native, *, keepdims: bool, ord: Any) -> Native:
        if ord == "fro" and x.ndim == 2 and _by_blas(x):
            return _euclidean_norm(x, keepdims)
        return np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)

    @staticmethod
    def least_squares(a: Native, b: Native, rcond: float) -> Native:
        """The four results of ``numpy.linalg.lstsq``; it raises an error for elements that are not finite."""
        if not (_by_blas(a) and _by_blas(b)) or not np.isfinite(a).all():
            return NotImplemented
        x, residuals, rank, s = np.linalg.lstsq(a, b, rcond)
        return x, residuals, np.asarray(rank, np.int64), s


BLOCK = 2048
"""Elements of one scalar product: BLAS adds them one after the other, and the sums of blocks are added pairwise."""


def _sum_of_squares(x: Any) -> Any:
    if x.size < 2 * BLOCK:
        return x.dot(x)
    whole = x.size // BLOCK * BLOCK
    rows, rest = x[:whole].reshape(-1, BLOCK), x[whole:]
    return np.add.reduce(np.vecdot(rows, rows)) + rest.dot(rest)


def _by_blas(x: Native) -> bool:
    return x.dtype.char in "fdFD" and x.__class__ is np.ndarray


def _euclidean_norm(x: Native, keepdims: bool) -> Native:
    flat: Any = x.ravel(order="K")
    # The square of a complex number's absolute value is that of its real part and that of its imaginary part.
    norm = np.sqrt(_sum_of_squares(flat.view(flat.real.dtype)))
    return norm.reshape((1,) * x.ndim) if keepdims else norm
