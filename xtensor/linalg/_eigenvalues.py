"""Eigenvalues and eigenvectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._core.array import ASTYPE, Array
from .._core.backend import Native
from .._core.calls import apply, call, wrap
from .._core.device import Device
from .._core.operations import declare
from ._checks import check_square_matrices

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["EigResult", "EighResult", "eig", "eigh", "eigvals", "eigvalsh"]


class EigResult(NamedTuple):
    """Result of :func:`eig`."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """Result of :func:`eigh`."""

    eigenvalues: Array
    eigenvectors: Array


EIG = declare("linalg.eig", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.eig")


def eig(x: AnyArray, /) -> EigResult:
    r"""Return the eigenvalues and eigenvectors of square matrices: :math:`x v = \lambda v`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    EigResult
        A named tuple of ``eigenvalues``, of shape ``(..., M)``, and ``eigenvectors``, of shape ``(..., M, M)``, with
        one vector in each column. Both are complex, in the precision of ``x``, even if every eigenvalue is real.

    Raises
    ------
    ValueError
        If ``x`` is not an array of square matrices.
    numpy.linalg.LinAlgError
        If an element is infinite or NaN, or the iteration does not converge, on devices that detect it.
    NotImplementedError
        If the device has no general eigensolver.

    Notes
    -----
    The library chooses the order of the eigenvalues. An eigenvector is unique only up to a factor. For symmetric and
    Hermitian matrices, :func:`eigh` is faster and more accurate.

    Standard 2025.12, Linear Algebra Extension, ``eig``.
    """
    x, device = check_square_matrices(x, "eig")
    values, vectors = (_as_complex(native, device) for native in call(EIG, device, x._native))
    return EigResult(wrap(values, device), wrap(vectors, device))


EIGH = declare(
    "linalg.eigh", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.eigh"
)


def eigh(x: AnyArray, /) -> EighResult:
    r"""Return the eigenvalues and eigenvectors of symmetric or Hermitian matrices: :math:`x = Q \Lambda Q^H`.

    Parameters
    ----------
    x
        Symmetric or Hermitian matrices, of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    EighResult
        A named tuple of ``eigenvalues``, the diagonal of :math:`\Lambda`, of shape ``(..., M)`` and real in the
        precision of ``x``, and ``eigenvectors``, the columns of the orthogonal or unitary :math:`Q`, of the shape and
        dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` is not an array of square matrices.
    numpy.linalg.LinAlgError
        If an element is infinite or NaN, or the iteration does not converge, on devices that detect it.

    Notes
    -----
    The library chooses the order of the eigenvalues. An eigenvector is unique only up to a factor of modulus 1. The
    function does not check that ``x`` is symmetric or Hermitian.

    Standard 2025.12, Linear Algebra Extension, ``eigh``.
    """
    x, device = check_square_matrices(x, "eigh")
    values, vectors = call(EIGH, device, x._native)
    return EighResult(wrap(values, device), wrap(vectors, device))


def _compose_eigvals(xp: Any, x: Native) -> Native:
    return xp.linalg.eig(x)[0]


EIGVALS = declare(
    "linalg.eigvals",
    "linear algebra",
    accepts="floating",
    dtype="complex",
    shape="argument",
    numpy="linalg.eigvals",
    composition=_compose_eigvals,
)


def eigvals(x: AnyArray, /) -> Array:
    r"""Return the eigenvalues of square matrices, the roots of :math:`\det(x - \lambda I) = 0`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    Array
        The eigenvalues, each repeated by its multiplicity, of shape ``(..., M)``. They are complex, in the precision
        of ``x``, even if all of them are real.

    Raises
    ------
    ValueError
        If ``x`` is not an array of square matrices.
    numpy.linalg.LinAlgError
        If an element is infinite or NaN, or the iteration does not converge, on devices that detect it.
    NotImplementedError
        If the device has no general eigensolver.

    Notes
    -----
    The library chooses the order.

    Standard 2025.12, Linear Algebra Extension, ``eigvals``.
    """
    x, device = check_square_matrices(x, "eigvals")
    return wrap(_as_complex(call(EIGVALS, device, x._native), device), device)


def _compose_eigvalsh(xp: Any, x: Native) -> Native:
    return xp.linalg.eigh(x)[0]


EIGVALSH = declare(
    "linalg.eigvalsh",
    "linear algebra",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="linalg.eigvalsh",
    composition=_compose_eigvalsh,
)


def eigvalsh(x: AnyArray, /) -> Array:
    r"""Return the eigenvalues of symmetric or Hermitian matrices, the roots of :math:`\det(x - \lambda I) = 0`.

    Parameters
    ----------
    x
        Symmetric or Hermitian matrices, of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    Array
        The eigenvalues, each repeated by its multiplicity, of shape ``(..., M)``, real in the precision of ``x``.

    Raises
    ------
    ValueError
        If ``x`` is not an array of square matrices.
    numpy.linalg.LinAlgError
        If an element is infinite or NaN, or the iteration does not converge, on devices that detect it.

    Notes
    -----
    The library chooses the order. The function does not check that ``x`` is symmetric or Hermitian.

    Standard 2025.12, Linear Algebra Extension, ``eigvalsh``.
    """
    x, device = check_square_matrices(x, "eigvalsh")
    return apply(EIGVALSH, device, x._native)


def _as_complex(native: Native, device: Device) -> Native:
    """Return a native array as complex numbers of its precision; libraries return real ones if they can."""
    if native.dtype.kind == "c":
        return native
    return call(ASTYPE, device, native, np.result_type(native.dtype, np.complex64), copy=False)
