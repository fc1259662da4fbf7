"""Functions of ``numpy.linalg`` whose parameters or dtypes differ from those of the standard's functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _ops as xp
from .. import linalg
from .._core.array import Array
from .._core.errors import describe
from .._ops._arguments import as_arrays
from .reductions import NO_VALUE

__all__ = ["LINEAR_ALGEBRA"]

ALWAYS_COMPLEX = np.lib.NumpyVersion(np.__version__) >= "2.5.0"
"""Whether NumPy's eigenvalues of real matrices are complex where all of them are real."""


def eig(a: Any) -> Any:
    """Return eigenvalues and eigenvectors, real if all eigenvalues are, before NumPy 2.5; NumPy, ``linalg.eig``."""
    (a,) = as_arrays("eig", a)
    result = linalg.eig(a)
    if a.dtype.kind == "c" or not _is_real(result[0]):
        return result
    return type(result)(xp.real(result[0]), xp.real(result[1]))


def eigvals(a: Any) -> Array:
    """Return eigenvalues, real ones if all are, before NumPy 2.5; NumPy, ``linalg.eigvals``."""
    (a,) = as_arrays("eigvals", a)
    values = linalg.eigvals(a)
    return xp.real(values) if a.dtype.kind != "c" and _is_real(values) else values


def _is_real(values: Array) -> bool:
    return not ALWAYS_COMPLEX and not bool(xp.any(xp.not_equal(xp.imag(values), 0)))


def eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803 - NumPy's name
    """Return eigenvalues and eigenvectors of the matrix whose lower or upper triangle is given."""
    return linalg.eigh(_hermitian("eigh", a, UPLO))


def eigvalsh(a: Any, UPLO: str = "L") -> Array:  # noqa: N803 - NumPy's name
    """Return eigenvalues of the matrix whose lower or upper triangle is given; NumPy, ``linalg.eigvalsh``."""
    return linalg.eigvalsh(_hermitian("eigvalsh", a, UPLO))


def _hermitian(name: str, a: Any, triangle: str) -> Array:
    if not isinstance(triangle, str) or triangle.upper() not in ("L", "U"):
        raise ValueError(f"UPLO argument must be 'L' or 'U'; {name}() got {describe(triangle)}")
    x: Array = as_arrays(name, a)[0]
    if triangle.upper() == "L" or x.ndim < 2:
        return x
    adjoint: Array = xp.matrix_transpose(xp.conj(x) if x.dtype.kind == "c" else x)
    return adjoint  # the functions read the lower triangle


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Return the least-squares solution, residuals, rank and singular values; NumPy, ``linalg.lstsq``."""
    a, b = as_arrays("lstsq", a, b)
    result = linalg.lstsq(a, b, rcond=rcond)
    return (*result[:2], xp.astype(result[2], np.int32), result[3])


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:  # noqa: N803
    """Return the number of singular values above a tolerance; NumPy, ``linalg.matrix_rank``."""
    (a,) = as_arrays("matrix_rank", A)
    if a.ndim < 2:
        return int(bool(xp.any(xp.not_equal(a, 0))))
    if tol is None:
        return linalg.matrix_rank(a, rtol=rtol)
    if rtol is not None:
        raise ValueError("`tol` and `rtol` can't be both set; pass one of them to matrix_rank()")
    values = linalg.svdvals(a)
    limit = xp.expand_dims(xp.astype(as_arrays("matrix_rank", a, tol)[1], values.dtype), axis=-1)
    return xp.count_nonzero(xp.greater(values, limit), axis=-1)


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = NO_VALUE) -> Array:
    """Return the pseudo-inverse; NumPy, ``linalg.pinv``."""
    if rcond is not None and rtol is not NO_VALUE:
        raise ValueError("`rtol` and `rcond` can't be both set; pass one of them to pinv()")
    tolerance = rcond if rtol is NO_VALUE else rtol
    (a,) = as_arrays("pinv", a)
    if tolerance is not None and tolerance.__class__ not in (int, float):
        tolerance = as_arrays("pinv", a, tolerance)[1]
    return linalg.pinv(a, rtol=tolerance)


def qr(a: Any, mode: str = "reduced") -> Any:
    """Return the factors Q and R, or R alone with the mode ``"r"``; NumPy, ``linalg.qr``."""
    (a,) = as_arrays("qr", a)
    return linalg.qr(a)[1] if mode == "r" else linalg.qr(a, mode=mode)  # type: ignore[arg-type]


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """Return the singular value decomposition, or its singular values alone; NumPy, ``linalg.svd``."""
    (a,) = as_arrays("svd", a)
    return linalg.svd(a, full_matrices=full_matrices) if compute_uv else linalg.svdvals(a)


LINEAR_ALGEBRA: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (eig, eigh, eigvals, eigvalsh, lstsq, matrix_rank, pinv, qr, svd)
}
