"""CuPy's linear algebra in the standard's names and signatures.

Whether a matrix was singular, or not positive-definite, CuPy finds out on the device and says nothing by default, as
asking would wait for the device; ``cupyx.errstate(linalg="raise")`` makes it ask.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xtensor.backend import DType, Native

__all__ = ["Linalg"]


class Linalg:
    """The chapter ``linalg``; what is missing here is composed by the core."""

    def __init__(self, cp: Any) -> None:
        self._cp = cp
        for name in ("det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet"):
            setattr(self, name, getattr(cp.linalg, name))

    def cholesky(self, x: Native, *, upper: bool = False) -> Native:
        cp = self._cp
        if not x.size:
            return cp.empty(x.shape, dtype=_inexact(x.dtype))
        factor = cp.linalg.cholesky(x)
        return cp.conj(factor.swapaxes(-2, -1)) if upper else factor

    def cross(self, x1: Native, x2: Native, *, axis: int = -1) -> Native:
        return self._cp.cross(x1, x2, axis=axis)

    def diagonal(self, x: Native, *, offset: int = 0) -> Native:
        return self._cp.diagonal(x, offset=offset, axis1=-2, axis2=-1)

    def matrix_power(self, x: Native, n: int) -> Native:
        return x.copy() if n == 1 else self._cp.linalg.matrix_power(x, n)

    def matrix_rank(self, x: Native, *, rtol: float | Native | None = None) -> Native:
        cp = self._cp
        if not x.size:
            return cp.zeros(x.shape[:-2], dtype=np.int64)
        values = self.svdvals(x)
        return cp.sum(values > self._cutoff(x, rtol) * values[..., :1], axis=-1, dtype=np.int64)

    def pinv(self, x: Native, *, rtol: float | Native | None = None) -> Native:
        cp = self._cp
        if not x.size:
            return cp.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=_inexact(x.dtype))
        cutoff = self._cutoff(x, rtol)
        return cp.linalg.pinv(x, rcond=cutoff[..., 0] if hasattr(cutoff, "dtype") else cutoff)

    def qr(self, x: Native, *, mode: str = "reduced") -> tuple[Native, Native]:
        return self._cp.linalg.qr(x, mode=mode)  # type: ignore[no-any-return]

    def solve(self, x1: Native, x2: Native) -> Native:
        """CuPy takes stacks of one shape only, and a vector for a stack of vectors."""
        cp = self._cp
        vector = x2.ndim == 1
        if vector:
            x2 = x2[:, None]
        stack = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        x1 = cp.broadcast_to(x1, (*stack, *x1.shape[-2:]))
        x2 = cp.broadcast_to(x2, (*stack, *x2.shape[-2:]))
        if x1.size and x2.size:
            result = cp.linalg.solve(x1, x2)
        else:
            result = cp.empty(x2.shape, dtype=np.result_type(_inexact(x1.dtype), _inexact(x2.dtype)))
        return result[..., 0] if vector else result

    def svd(self, x: Native, *, full_matrices: bool = True) -> tuple[Native, Native, Native]:
        return self._cp.linalg.svd(x, full_matrices=full_matrices)  # type: ignore[no-any-return]

    def svdvals(self, x: Native) -> Native:
        return self._cp.linalg.svd(x, compute_uv=False)

    def trace(self, x: Native, *, offset: int = 0, dtype: DType | None = None) -> Native:
        return self._cp.sum(self.diagonal(x, offset=offset), axis=-1, dtype=dtype)

    def _cutoff(self, x: Native, rtol: Any) -> Any:
        """The part of the largest singular value up to which one counts as 0; with an axis more than the stack."""
        if rtol is None:
            return max(x.shape[-2:]) * float(np.finfo(_inexact(x.dtype)).eps)
        return rtol[..., None] if hasattr(rtol, "dtype") else rtol


def _inexact(dtype: DType) -> DType:
    """The dtype that CuPy computes in."""
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)
