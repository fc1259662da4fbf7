"""CuPy's linear algebra in the standard's names and signatures.

CuPy finds out on the device whether a matrix is singular or not positive-definite. By default it raises no error, as
the host would have to wait for the device; ``cupyx.errstate(linalg="raise")`` makes it check. Here the factor of a
matrix that is not positive-definite is NaN; the inverse of a singular matrix has infinite or NaN elements.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xtensor.backend import DType, Native

from ._indexing import apart
from ._kernels import Kernels

__all__ = ["Linalg"]

UNCHANGED = ("cross", "det", "eigh", "eigvalsh", "qr", "slogdet", "svd")
"""Functions that are CuPy's own."""


class Linalg:
    """The functions of the namespace's ``linalg``."""

    def __init__(self, cp: Any, kernels: Kernels) -> None:
        self._cp = cp
        self._kernels = kernels
        for name in UNCHANGED:
            function = getattr(cp, name) if name == "cross" else getattr(cp.linalg, name)
            setattr(self, name, function)

    def cholesky(self, x: Native, *, upper: bool = False) -> Native:
        cp = self._cp
        if not x.size:
            return cp.empty(x.shape, dtype=_inexact(x.dtype))
        factor = cp.linalg.cholesky(x)
        # cuSOLVER stops at the first pivot that is not positive, and leaves a partly factored matrix.
        pivots = cp.real(cp.diagonal(factor, axis1=-2, axis2=-1))
        factored = cp.all((pivots > 0) & cp.isfinite(pivots), axis=-1, keepdims=True)[..., None]
        factor = cp.where(factored, factor, factor.dtype.type(math.nan))
        return cp.conj(factor.swapaxes(-2, -1)) if upper else factor

    def diagonal(self, x: Native, *, offset: int = 0) -> Native:
        return apart(x, self._cp.diagonal(x, offset=offset, axis1=-2, axis2=-1))

    def eig(self, x: Native) -> tuple[Native, Native]:
        return self._of_general_matrices("eig", x)  # type: ignore[no-any-return]

    def eigvals(self, x: Native) -> Native:
        return self._of_general_matrices("eigvals", x)

    def _of_general_matrices(self, name: str, x: Native) -> Any:
        """``cp.linalg.eig`` or ``eigvals``, which raise RuntimeError where cuSOLVER or rocSOLVER lacks the solver."""
        try:
            return getattr(self._cp.linalg, name)(x)
        except RuntimeError as error:
            if not isinstance(error, NotImplementedError) and "geev is not available" not in str(error):
                raise
            raise NotImplementedError(
                f"linalg.{name}() needs cuSOLVER 11.7 or newer, and ROCm has no such solver; "
                "move the operand to the host with x.to_device('cpu')"
            ) from error

    def inv(self, x: Native) -> Native:
        if x.ndim == 2 or not x.size:
            return self._cp.linalg.inv(x)
        # CuPy's inverse of a stack leaves uninitialised memory for a singular matrix.
        return self.solve(x, self._cp.eye(x.shape[-1], dtype=_inexact(x.dtype)))

    def solve(self, x1: Native, x2: Native) -> Native:
        # CuPy requires stacks of equal shape, and does not take one vector next to a stack of matrices.
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

    def svdvals(self, x: Native) -> Native:
        return self._cp.linalg.svd(x, compute_uv=False)

    def vector_norm(self, x: Native, *, axis: Any, keepdims: bool, ord: float) -> Native:
        if ord in (0, 1) or math.isinf(ord) or x.dtype.kind not in "fc" or x.dtype.itemsize == 2 or not x.size:
            return NotImplemented
        magnitude = abs(x)
        if ord == 2:
            return self._kernels.norm(magnitude, axis=axis, keepdims=keepdims)
        # Powers of elements divided by the largest one (for negative orders the smallest) do not leave the range.
        cp = self._cp
        size = self._kernels.extreme("max" if ord > 0 else "min", magnitude, axis=axis, keepdims=True)
        size = cp.where((size > 0) & cp.isfinite(size), size, size.dtype.type(1))
        total = cp.sum((magnitude / size) ** ord, axis=axis, keepdims=keepdims)
        return total ** (1.0 / ord) * size.reshape(total.shape)


def _inexact(dtype: DType) -> DType:
    """Return the dtype that CuPy computes in for operands of a dtype."""
    return dtype if dtype.kind in "fc" else np.dtype(np.float64)
