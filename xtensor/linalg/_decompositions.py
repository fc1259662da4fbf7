"""Cholesky, QR and singular value decompositions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Never

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply, call, wrap
from .._core.checks import check_flag
from .._core.errors import describe, shortened
from .._core.keywords import by_position, keywords_only
from .._core.operations import declare
from ._checks import check_matrices, check_square_matrices

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["QRResult", "SVDResult", "cholesky", "qr", "svd", "svdvals"]


class QRResult(NamedTuple):
    """Result of :func:`qr`."""

    Q: Array
    R: Array


class SVDResult(NamedTuple):
    """Result of :func:`svd`."""

    U: Array
    S: Array
    Vh: Array


CHOLESKY = declare("linalg.cholesky", "linear algebra", accepts="floating", shape="same", numpy="linalg.cholesky")


@keywords_only
def cholesky(x: AnyArray, /, *positional: Never, upper: bool = False) -> Array:
    r"""Return the Cholesky factor of positive-definite matrices: :math:`L` of :math:`x = L L^H`, or :math:`U = L^H`.

    Parameters
    ----------
    x
        Symmetric or Hermitian positive-definite matrices, of shape ``(..., M, M)`` and a floating-point dtype.
    upper
        Whether to return the upper triangular factor :math:`U` of :math:`x = U^H U` instead of the lower one.

    Returns
    -------
    Array
        The factors, of the shape and dtype of ``x``. The elements of the other triangle are zero.

    Raises
    ------
    ValueError
        If ``x`` is not an array of square matrices.
    numpy.linalg.LinAlgError
        If an element is infinite or NaN, or a matrix is not positive-definite, on devices that detect it.

    Notes
    -----
    The function does not check that ``x`` is symmetric or Hermitian.

    Standard 2025.12, Linear Algebra Extension, ``cholesky``.
    """
    if positional:
        raise by_position(cholesky, positional)
    x, device = check_square_matrices(x, "cholesky")
    return apply(CHOLESKY, device, x._native, upper=check_flag(upper, "cholesky", "upper"))


QR = declare("linalg.qr", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.qr")


@keywords_only
def qr(x: AnyArray, /, *positional: Never, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    r"""Return the decomposition :math:`x = Q R` into orthonormal columns and an upper triangular matrix.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype. The first ``K = min(M, N)`` columns must be
        linearly independent.
    mode
        ``"reduced"`` returns ``K`` columns of :math:`Q`, ``"complete"`` all ``M``.

    Returns
    -------
    QRResult
        A named tuple of ``Q`` and the upper triangular ``R``, both of the dtype of ``x``. Their shapes are
        ``(..., M, K)`` and ``(..., K, N)`` in mode ``"reduced"``, ``(..., M, M)`` and ``(..., M, N)`` in mode
        ``"complete"``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions, or ``mode`` is unknown.

    Notes
    -----
    The decomposition is unique up to the signs (the complex phases) of the diagonal of ``R``, which the library
    chooses.

    Standard 2025.12, Linear Algebra Extension, ``qr``.
    """
    if positional:
        raise by_position(qr, positional)
    x, device = check_matrices(x, "qr")
    if not isinstance(mode, str) or mode not in ("reduced", "complete"):
        raise ValueError(
            f"Unrecognized mode {shortened(mode)}; qr(): mode is 'reduced' or 'complete', not {describe(mode)}"
        )
    q, r = call(QR, device, x._native, mode=mode)
    return QRResult(wrap(q, device), wrap(r, device))


SVD = declare("linalg.svd", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.svd")


@keywords_only
def svd(x: AnyArray, /, *positional: Never, full_matrices: bool = True) -> SVDResult:
    r"""Return the singular value decomposition :math:`x = U \Sigma V^H`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype.
    full_matrices
        Whether to return all singular vectors, or only the first ``K = min(M, N)`` of each side.

    Returns
    -------
    SVDResult
        A named tuple of three arrays:

        - ``U``, the left singular vectors as columns, of the dtype of ``x`` and shape ``(..., M, M)``, or
          ``(..., M, K)`` without ``full_matrices``;
        - ``S``, the singular values :math:`\operatorname{diag} \Sigma` in descending order, of shape ``(..., K)``,
          real in the precision of ``x``;
        - ``Vh``, the conjugated right singular vectors as rows, of the dtype of ``x`` and shape ``(..., N, N)``, or
          ``(..., K, N)`` without ``full_matrices``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.
    numpy.linalg.LinAlgError
        If an element is infinite or NaN, or the iteration does not converge, on devices that detect it.

    Notes
    -----
    A pair of singular vectors is unique only up to a common factor of modulus 1.

    Standard 2025.12, Linear Algebra Extension, ``svd``.

    Examples
    --------
    >>> import xtensor as xp
    >>> u, s, vh = xp.linalg.svd(xp.ones((3, 2)), full_matrices=False)
    >>> u.shape, s.shape, vh.shape
    ((3, 2), (2,), (2, 2))
    """
    if positional:
        raise by_position(svd, positional)
    x, device = check_matrices(x, "svd")
    u, s, vh = call(SVD, device, x._native, full_matrices=full_matrices)
    return SVDResult(wrap(u, device), wrap(s, device), wrap(vh, device))


def _compose_svdvals(xp: Any, x: Native) -> Native:
    return xp.linalg.svd(x, full_matrices=False)[1]


SVDVALS = declare(
    "linalg.svdvals",
    "linear algebra",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="linalg.svdvals",
    composition=_compose_svdvals,
)


def svdvals(x: AnyArray, /) -> Array:
    r"""Return the singular values :math:`\operatorname{diag} \Sigma` of :math:`x = U \Sigma V^H`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype.

    Returns
    -------
    Array
        The singular values in descending order, of shape ``(..., min(M, N))``, real in the precision of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.
    numpy.linalg.LinAlgError
        If an element is infinite or NaN, or the iteration does not converge, on devices that detect it.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``svdvals``.
    """
    x, device = check_matrices(x, "svdvals")
    return apply(SVDVALS, device, x._native)
