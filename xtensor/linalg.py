"""Linear algebra (Array API standard 2025.12, "Linear Algebra Extension")."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

from . import _composed
from . import _standard as xp
from ._core.array import ASTYPE, Array, Axis, apply, wrap
from ._core.backend import Native
from ._core.checks import check_axes, check_axis, check_dtype, check_flag, check_integer
from ._core.device import Device
from ._core.dispatch import call, composed, device_of, native_operand
from ._core.dtypes import finfo, kind_of, result_type
from ._core.errors import describe
from ._core.operations import declare
from ._standard.linear_algebra import _pair, matmul, matrix_transpose, tensordot, vecdot

__all__ = [
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

MATRIX_ORDERS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


class EigResult(NamedTuple):
    """What :func:`eig` returns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """What :func:`eigh` returns."""

    eigenvalues: Array
    eigenvectors: Array


class LstsqResult(NamedTuple):
    """What :func:`lstsq` returns."""

    x: Array
    residuals: Array
    rank: Array
    s: Array


class QRResult(NamedTuple):
    """What :func:`qr` returns."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """What :func:`slogdet` returns."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """What :func:`svd` returns."""

    U: Array
    S: Array
    Vh: Array


def __dir__() -> list[str]:
    return sorted(__all__)


CHOLESKY = declare("linalg.cholesky", "linear algebra", accepts="floating", shape="same", numpy="linalg.cholesky")


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    r"""The Cholesky factor of a positive-definite matrix: :math:`L` of :math:`x = L L^H`, or :math:`U = L^H`.

    Parameters
    ----------
    x
        Symmetric or Hermitian positive-definite matrices, of shape ``(..., M, M)`` and a floating-point
        dtype.
    upper
        Whether to give the upper triangular factor :math:`U`, for which :math:`x = U^H U`.

    Returns
    -------
    Array
        The factors, of the shape and dtype of ``x``; zero on the other side of the diagonal.

    Raises
    ------
    ValueError
        If ``x`` does not hold square matrices.
    numpy.linalg.LinAlgError
        If a matrix is not positive-definite, on devices that find out.

    Notes
    -----
    Whether ``x`` is symmetric or Hermitian is not checked.

    Standard 2025.12, Linear Algebra Extension, ``cholesky``.
    """
    device = _square(x, "cholesky")
    return apply(CHOLESKY, device, x._native, upper=check_flag(upper, "cholesky", "upper"))


CROSS = declare(
    "linalg.cross",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="linalg.cross",
    composition=_composed.linear_algebra.cross,
)


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    r"""The cross product :math:`x_1 \times x_2` of vectors of three elements.

    Parameters
    ----------
    x1, x2
        Arrays of a numeric dtype, of length 3 along ``axis``; their other axes broadcast.
    axis
        The axis that holds the vectors, counted from the end: in ``[-N, -1]``, ``N`` being the smaller number
        of dimensions. Arrays of equally many dimensions may count from the front, too.

    Returns
    -------
    Array
        The products, of the broadcast shape and the promoted dtype.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, either array is not 3 long there, or the shapes do not broadcast.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``cross``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.linalg.cross(xp.asarray([1.0, 0.0, 0.0]), xp.asarray([0.0, 1.0, 0.0]))
    Array([0., 0., 1.])
    """
    device, native1, native2 = _pair(x1, x2, "cross")
    ndim = min(x1.ndim, x2.ndim)
    position = check_axis(axis, ndim, "cross") - ndim
    if axis >= 0 and x1.ndim != x2.ndim:
        raise ValueError(
            f"cross(): axis {axis} means two things in shapes {x1.shape} and {x2.shape}; count from the end"
        )
    if not x1.shape[position] == x2.shape[position] == 3:
        raise ValueError(
            f"cross() needs length 3 along axis {axis}, not shapes {x1.shape} and {x2.shape}; "
            "name the axis that holds the vectors"
        )
    _broadcast(x1.shape, x2.shape, "cross")
    return apply(CROSS, device, native1, native2, axis=position)


DET = declare(
    "linalg.det",
    "linear algebra",
    accepts="floating",
    shape="stack",
    numpy="linalg.det",
    composition=_composed.linear_algebra.det,
)


def det(x: Array, /) -> Array:
    r"""The determinant, :math:`\det x`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    Array
        The determinants, of shape ``(...)`` and the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not hold square matrices.

    Notes
    -----
    Large matrices overflow or underflow easily; :func:`slogdet` does not.

    Standard 2025.12, Linear Algebra Extension, ``det``.
    """
    device = _square(x, "det")
    return apply(DET, device, x._native)


DIAGONAL = declare(
    "linalg.diagonal",
    "manipulation",
    shape="argument",
    numpy="linalg.diagonal",
    composition=_composed.manipulation.diagonal,
)


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    r"""The elements :math:`x_{i,\,i+k}` of a diagonal, :math:`k` being the offset.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and any dtype.
    offset
        Which diagonal: 0 the main one, positive those above it, negative those below.

    Returns
    -------
    Array
        The diagonals along the last axis, of shape ``(..., L)`` and the dtype of ``x``; ``L`` is 0 for an
        offset beyond the corners.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.
    TypeError
        If ``offset`` is not an integer.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``diagonal``.
    """
    device = _matrices(x, "diagonal")
    offset = check_integer(offset, "diagonal", "offset")
    return apply(DIAGONAL, device, x._native, offset=offset)


EIG = declare("linalg.eig", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.eig")


def eig(x: Array, /) -> EigResult:
    r"""Eigenvalues and eigenvectors of any square matrix: :math:`x v = \lambda v`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    EigResult
        A named tuple of ``eigenvalues``, of shape ``(..., M)``, and ``eigenvectors``, of shape
        ``(..., M, M)``, the columns of which are the vectors. Both are complex, in the precision of ``x``,
        even where every eigenvalue is real.

    Raises
    ------
    ValueError
        If ``x`` does not hold square matrices.
    numpy.linalg.LinAlgError
        If the iteration does not converge, or meets an infinity or a NaN, on devices that find out.
    NotImplementedError
        If the device has no general eigensolver.

    Notes
    -----
    The order of the eigenvalues is the library's, and a vector is determined up to a factor only. For
    symmetric and Hermitian matrices :func:`eigh` is faster and more accurate.

    Standard 2025.12, Linear Algebra Extension, ``eig``.
    """
    device = _square(x, "eig")
    natives = call(EIG, device, x._native)
    return EigResult(*_arrays((_complex(native, device) for native in natives), device))


EIGH = declare(
    "linalg.eigh", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.eigh"
)


def eigh(x: Array, /) -> EighResult:
    r"""Eigenvalues and eigenvectors of a symmetric or Hermitian matrix: :math:`x = Q \Lambda Q^H`.

    Parameters
    ----------
    x
        Symmetric or Hermitian matrices, of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    EighResult
        A named tuple of ``eigenvalues``, the diagonal of :math:`\Lambda`, of shape ``(..., M)`` and real in
        the precision of ``x``, and ``eigenvectors``, the columns of the orthogonal or unitary :math:`Q`, of
        the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not hold square matrices.
    numpy.linalg.LinAlgError
        If the iteration does not converge, on devices that find out.

    Notes
    -----
    The order of the eigenvalues is the library's, and a vector is determined up to a factor of modulus 1
    only. Whether ``x`` is symmetric or Hermitian is not checked.

    Standard 2025.12, Linear Algebra Extension, ``eigh``.
    """
    device = _square(x, "eigh")
    return EighResult(*_arrays(call(EIGH, device, x._native), device))


EIGVALS = declare(
    "linalg.eigvals",
    "linear algebra",
    accepts="floating",
    dtype="complex",
    shape="argument",
    numpy="linalg.eigvals",
    composition=_composed.linear_algebra.eigvals,
)


def eigvals(x: Array, /) -> Array:
    r"""The eigenvalues of any square matrix, where :math:`\det(x - \lambda I) = 0`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    Array
        The eigenvalues, each as often as its multiplicity, of shape ``(..., M)``. Complex, in the precision
        of ``x``, even where all of them are real.

    Raises
    ------
    ValueError
        If ``x`` does not hold square matrices.
    numpy.linalg.LinAlgError
        If the iteration does not converge, or meets an infinity or a NaN, on devices that find out.
    NotImplementedError
        If the device has no general eigensolver.

    Notes
    -----
    The order is the library's.

    Standard 2025.12, Linear Algebra Extension, ``eigvals``.
    """
    device = _square(x, "eigvals")
    return wrap(_complex(call(EIGVALS, device, x._native), device), device)


EIGVALSH = declare(
    "linalg.eigvalsh",
    "linear algebra",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="linalg.eigvalsh",
    composition=_composed.linear_algebra.eigvalsh,
)


def eigvalsh(x: Array, /) -> Array:
    r"""The eigenvalues of a symmetric or Hermitian matrix, where :math:`\det(x - \lambda I) = 0`.

    Parameters
    ----------
    x
        Symmetric or Hermitian matrices, of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    Array
        The eigenvalues, each as often as its multiplicity, of shape ``(..., M)`` and real in the precision of
        ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not hold square matrices.
    numpy.linalg.LinAlgError
        If the iteration does not converge, on devices that find out.

    Notes
    -----
    The order is the library's. Whether ``x`` is symmetric or Hermitian is not checked.

    Standard 2025.12, Linear Algebra Extension, ``eigvalsh``.
    """
    device = _square(x, "eigvalsh")
    return apply(EIGVALSH, device, x._native)


INV = declare(
    "linalg.inv",
    "linear algebra",
    accepts="floating",
    shape="same",
    numpy="linalg.inv",
    composition=_composed.linear_algebra.inv,
)


def inv(x: Array, /) -> Array:
    r"""The inverse :math:`x^{-1}`, with :math:`x^{-1} x = x x^{-1} = I`.

    Parameters
    ----------
    x
        Invertible matrices, of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    Array
        The inverses, of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not hold square matrices.
    numpy.linalg.LinAlgError
        If a matrix is singular, on devices that find out.

    Notes
    -----
    For :math:`x^{-1} b`, :func:`solve` is faster and more accurate.

    Standard 2025.12, Linear Algebra Extension, ``inv``.
    """
    device = _square(x, "inv")
    return apply(INV, device, x._native)


@composed
def lstsq(a: Array, b: Array, rcond: float | None = None) -> LstsqResult:
    r"""The shortest :math:`x` that minimises :math:`\lVert b - a x \rVert`, the least-squares solution.

    Parameters
    ----------
    a
        The coefficients: an Array of shape ``(M, N)``.
    b
        The right-hand sides, of shape ``(M,)`` or ``(M, K)``.
    rcond
        Singular values up to this part of the largest count as 0; by default the dtype's precision times
        ``max(M, N)``, and the precision alone for -1.

    Returns
    -------
    x
        The solution, of shape ``(N,)`` or ``(N, K)``.
    residuals
        :math:`\lVert b - a x \rVert^2` of each right-hand side, of shape ``(1,)`` or ``(K,)``; empty where ``a`` has
        not full column rank, or no more rows than columns.
    rank
        The rank of ``a``, a 0-d Array.
    s
        Its singular values, in descending order.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    TypeError
        If an operand is no Array of numbers.

    Notes
    -----
    NumPy, ``linalg.lstsq``, by the singular value decomposition. The standard has no such function; SciPy looks for it.
    """
    device_of(a, "lstsq")
    device_of(b, "lstsq")
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise ValueError(
            f"lstsq() takes shapes (M, N) and (M,) or (M, K), not {a.shape} and {b.shape}; solve stacks one by one"
        )
    dtype = result_type(a.dtype, b.dtype)
    if kind_of(dtype) not in "fc":
        dtype = a.device.default_dtypes["real floating"]
    a, b = xp.astype(a, dtype, copy=False), xp.astype(b, dtype, copy=False)
    (m, n), device, real = a.shape, a.device, finfo(dtype).dtype
    sides = b if b.ndim == 2 else b[:, None]
    if rcond is not None and not isinstance(rcond, (int, float, np.integer, np.floating)):
        raise TypeError(f"lstsq(): rcond is a real number or None, not {describe(rcond)}")
    precision = float(finfo(dtype).eps)
    threshold = precision * max(m, n) if rcond is None else precision if rcond < 0 else float(rcond)
    if m and n:
        u, s, vh = svd(a, full_matrices=False)
        used = s > threshold * s[0]
        inverse = xp.where(used, 1.0 / xp.where(used, s, 1.0), 0.0)
        parts = xp.astype(inverse, dtype)[:, None] * (xp.conj(u.mT) @ sides)
        x = xp.conj(vh.mT) @ parts
        rank = xp.count_nonzero(used)
    else:
        s = xp.zeros(0, dtype=real, device=device)
        x = xp.zeros((n, sides.shape[1]), dtype=dtype, device=device)
        rank = xp.count_nonzero(s)
    if m > n and int(rank) == n:
        residuals = xp.sum(xp.abs(sides - a @ x) ** 2, axis=0, dtype=real)
    else:
        residuals = xp.zeros(0, dtype=real, device=device)
    return LstsqResult(x if b.ndim == 2 else x[:, 0], residuals, rank, s)


MATRIX_NORM = declare(
    "linalg.matrix_norm",
    "linear algebra",
    accepts="floating",
    dtype="component",
    shape="stack",
    numpy="linalg.matrix_norm",
    composition=_composed.linear_algebra.matrix_norm,
)


def matrix_norm(
    x: Array, /, *, keepdims: bool = False, ord: int | float | Literal["fro", "nuc"] | None = "fro"
) -> Array:
    r"""The norm :math:`\lVert x \rVert` of matrices.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype.
    keepdims
        Whether the last two axes stay, with length 1.
    ord
        Which norm: ``"fro"`` or None, Frobenius, :math:`\sqrt{\sum |x_{ij}|^2}`; ``"nuc"``, nuclear, the sum
        of the singular values; 1, the largest column sum :math:`\max_j \sum_i |x_{ij}|`; 2, the largest
        singular value; ``inf``, the largest row sum :math:`\max_i \sum_j |x_{ij}|`. The negative orders -1,
        -2 and ``-inf`` take the smallest in place of the largest, and are no norms.

    Returns
    -------
    Array
        The norms, of shape ``(...)``, or ``(..., 1, 1)`` with ``keepdims``; real, in the precision of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions, or ``ord`` is none of these.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``matrix_norm``.
    """
    device = _matrices(x, "matrix_norm")
    order = "fro" if ord is None else ord
    if not isinstance(order, (str, Real)) or order not in MATRIX_ORDERS:
        raise ValueError(
            f"matrix_norm(): ord is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {describe(ord)}; "
            "norms of other orders are xtensor.linalg.vector_norm's"
        )
    return apply(MATRIX_NORM, device, x._native, keepdims=keepdims, ord=order)


MATRIX_POWER = declare(
    "linalg.matrix_power",
    "linear algebra",
    accepts="numeric",
    shape="same",
    numpy="linalg.matrix_power",
    composition=_composed.linear_algebra.matrix_power,
)


def matrix_power(x: Array, n: int, /) -> Array:
    r"""The power :math:`x^n` of a square matrix.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, M)`` and a floating-point dtype; invertible ones for a negative ``n``.
    n
        The exponent: 0 gives the identity, a negative one a power of the inverse.

    Returns
    -------
    Array
        The powers, of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` does not hold square matrices.
    TypeError
        If ``n`` is not an integer.
    numpy.linalg.LinAlgError
        If ``n`` is negative and a matrix singular, on devices that find out.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``matrix_power``.
    """
    device = _square(x, "matrix_power")
    n = check_integer(n, "matrix_power", "n")
    return apply(MATRIX_POWER, device, x._native, n)


MATRIX_RANK = declare(
    "linalg.matrix_rank",
    "linear algebra",
    accepts="floating",
    dtype="index",
    shape="stack",
    numpy="linalg.matrix_rank",
    composition=_composed.linear_algebra.matrix_rank,
)


def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    r"""The rank: how many singular values are above :math:`\mathrm{rtol} \cdot \sigma_\max`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype.
    rtol
        The tolerance relative to each matrix's largest singular value: a number, or an Array of a real
        floating-point dtype that broadcasts to shape ``(...)``. By default ``max(M, N)`` times the dtype's
        epsilon.

    Returns
    -------
    Array
        The ranks, of shape ``(...)`` and the default integer dtype.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions, or the shape of ``rtol`` does not fit.
    TypeError
        If ``rtol`` is neither a real number nor a real floating-point Array.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``matrix_rank``.
    """
    device = _matrices(x, "matrix_rank")
    tolerance = _tolerance(rtol, x, "matrix_rank")
    return apply(MATRIX_RANK, device, x._native, **tolerance)


OUTER = declare(
    "linalg.outer",
    "linear algebra",
    operands=2,
    accepts="numeric",
    shape="product",
    numpy="linalg.outer",
    composition=_composed.linear_algebra.outer,
)


def outer(x1: Array, x2: Array, /) -> Array:
    r"""The outer product of two vectors, :math:`x_{1,i}\, x_{2,j}`.

    Parameters
    ----------
    x1, x2
        Arrays of one dimension, of ``N`` and ``M`` elements and a numeric dtype.

    Returns
    -------
    Array
        The products, of shape ``(N, M)`` and the promoted dtype. Neither factor is conjugated.

    Raises
    ------
    ValueError
        If either array has not exactly one dimension.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``outer``.
    """
    device, native1, native2 = _pair(x1, x2, "outer")
    if not x1.ndim == x2.ndim == 1:
        raise ValueError(
            f"outer() needs two arrays of one dimension, not shapes {x1.shape} and {x2.shape}; "
            "flatten them with xtensor.reshape(x, (-1,))"
        )
    return apply(OUTER, device, native1, native2)


PINV = declare(
    "linalg.pinv",
    "linear algebra",
    accepts="floating",
    shape="argument",
    numpy="linalg.pinv",
    composition=_composed.linear_algebra.pinv,
)


def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    r"""The Moore-Penrose pseudo-inverse :math:`x^+ = V \Sigma^+ U^H` of :math:`x = U \Sigma V^H`.

    The least-squares solution of :math:`x y = b` that is smallest in norm is :math:`y = x^+ b`.
    :math:`\Sigma^+` holds the reciprocals of the singular values above
    :math:`\mathrm{rtol} \cdot \sigma_\max`, and 0 for the others.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype.
    rtol
        The tolerance relative to each matrix's largest singular value: a number, or an Array of a real
        floating-point dtype that broadcasts to shape ``(...)``. By default ``max(M, N)`` times the dtype's
        epsilon.

    Returns
    -------
    Array
        The pseudo-inverses, of shape ``(..., N, M)`` and the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions, or the shape of ``rtol`` does not fit.
    TypeError
        If ``rtol`` is neither a real number nor a real floating-point Array.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``pinv``.
    """
    device = _matrices(x, "pinv")
    tolerance = _tolerance(rtol, x, "pinv")
    return apply(PINV, device, x._native, **tolerance)


QR = declare("linalg.qr", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.qr")


def qr(x: Array, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    r"""The decomposition :math:`x = Q R` into orthonormal columns and an upper triangle.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype, the first ``K = min(M, N)`` columns
        linearly independent.
    mode
        ``"reduced"`` gives ``K`` columns of :math:`Q`, ``"complete"`` all ``M``.

    Returns
    -------
    QRResult
        A named tuple of ``Q``, of shape ``(..., M, K)``, and the upper triangular ``R``, of shape
        ``(..., K, N)``; ``(..., M, M)`` and ``(..., M, N)`` when complete. Both of the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions, or ``mode`` is neither of these.

    Notes
    -----
    Unique only up to the signs on the diagonal of ``R``, which the library chooses.

    Standard 2025.12, Linear Algebra Extension, ``qr``.
    """
    device = _matrices(x, "qr")
    if not isinstance(mode, str) or mode not in ("reduced", "complete"):
        raise ValueError(f"qr(): mode is 'reduced' or 'complete', not {describe(mode)}")
    return QRResult(*_arrays(call(QR, device, x._native, mode=mode), device))


SLOGDET = declare(
    "linalg.slogdet", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.slogdet"
)


def slogdet(x: Array, /) -> SlogdetResult:
    r"""Sign and logarithm of the determinant: :math:`\det x = s\, e^{l}`, safe from overflow and underflow.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    SlogdetResult
        A named tuple of ``sign``, :math:`\det x / |\det x|`, of the dtype of ``x``, and ``logabsdet``,
        :math:`\ln |\det x|`, real in the precision of ``x``. Both of shape ``(...)``.

    Raises
    ------
    ValueError
        If ``x`` does not hold square matrices.

    Notes
    -----
    A determinant of 0 has sign 0 and logarithm ``-inf``, where rounding does not hide it.

    Standard 2025.12, Linear Algebra Extension, ``slogdet``.
    """
    device = _square(x, "slogdet")
    return SlogdetResult(*_arrays(call(SLOGDET, device, x._native), device))


SOLVE = declare("linalg.solve", "linear algebra", operands=2, accepts="floating", shape="product", numpy="linalg.solve")


def solve(x1: Array, x2: Array, /) -> Array:
    r"""The solution :math:`X` of the linear system :math:`A X = B`.

    Parameters
    ----------
    x1
        :math:`A`: invertible matrices, of shape ``(..., M, M)`` and a floating-point dtype.
    x2
        :math:`B`: one vector of shape ``(M,)``, or columns in matrices of shape ``(..., M, K)``, whose
        leading axes broadcast with those of ``x1``.

    Returns
    -------
    Array
        The solutions, of shape ``(..., M)`` for a vector, else ``(..., M, K)``, and the promoted dtype.

    Raises
    ------
    ValueError
        If ``x1`` does not hold square matrices, or ``x2`` does not fit them.
    numpy.linalg.LinAlgError
        If a matrix is singular, on devices that find out.

    Notes
    -----
    Only an ``x2`` of exactly one dimension is a vector; a stack of vectors takes a last axis of length 1.

    Standard 2025.12, Linear Algebra Extension, ``solve``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 8.0]))
    Array([1., 2.])
    """
    device, native1, native2 = _pair(x1, x2, "solve")
    _square(x1, "solve")
    rows = x1.shape[-1]
    if not x2.ndim or x2.shape[-2:][0] != rows:
        raise ValueError(
            f"solve(): x2 of shape {x2.shape} does not fit x1 of shape {x1.shape}; "
            f"it needs shape ({rows},) or (..., {rows}, K)"
        )
    _broadcast(x1.shape[:-2], x2.shape[:-2], "solve")
    return apply(SOLVE, device, native1, native2)


SVD = declare("linalg.svd", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.svd")


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    r"""The singular value decomposition :math:`x = U \Sigma V^H`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype.
    full_matrices
        Whether to give all singular vectors, or only the leading ``K = min(M, N)`` of either side.

    Returns
    -------
    SVDResult
        A named tuple of ``U``, the left singular vectors in columns, of shape ``(..., M, M)``, or
        ``(..., M, K)`` when not full; ``S``, the singular values :math:`\operatorname{diag} \Sigma` in
        descending order, of shape ``(..., K)``; and ``Vh``, the right singular vectors, conjugated, in rows,
        of shape ``(..., N, N)``, or ``(..., K, N)``. ``U`` and ``Vh`` of the dtype of ``x``, ``S`` real in
        its precision.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.
    numpy.linalg.LinAlgError
        If the iteration does not converge, on devices that find out.

    Notes
    -----
    A pair of singular vectors is determined up to a common factor of modulus 1 only.

    Standard 2025.12, Linear Algebra Extension, ``svd``.

    Examples
    --------
    >>> import xtensor as xp
    >>> u, s, vh = xp.linalg.svd(xp.ones((3, 2)), full_matrices=False)
    >>> u.shape, s.shape, vh.shape
    ((3, 2), (2,), (2, 2))
    """
    device = _matrices(x, "svd")
    return SVDResult(*_arrays(call(SVD, device, x._native, full_matrices=full_matrices), device))


SVDVALS = declare(
    "linalg.svdvals",
    "linear algebra",
    accepts="floating",
    dtype="component",
    shape="argument",
    numpy="linalg.svdvals",
    composition=_composed.linear_algebra.svdvals,
)


def svdvals(x: Array, /) -> Array:
    r"""The singular values :math:`\operatorname{diag} \Sigma` of :math:`x = U \Sigma V^H`.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype.

    Returns
    -------
    Array
        The singular values in descending order, of shape ``(..., min(M, N))``; real, in the precision of
        ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.
    numpy.linalg.LinAlgError
        If the iteration does not converge, on devices that find out.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``svdvals``.
    """
    device = _matrices(x, "svdvals")
    return apply(SVDVALS, device, x._native)


TRACE = declare(
    "linalg.trace",
    "linear algebra",
    accepts="numeric",
    dtype="accumulated",
    shape="stack",
    numpy="linalg.trace",
    composition=_composed.linear_algebra.trace,
)


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    r"""The sum of a diagonal, :math:`\sum_i x_{i,\,i+k}`, :math:`k` being the offset.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a numeric dtype.
    offset
        Which diagonal: 0 the main one, positive those above it, negative those below.
    dtype
        The dtype of result and computation. By default that of ``x``; integers narrower than the default
        integer become the default integer, unsigned ones ``uint64``.

    Returns
    -------
    Array
        The traces, of shape ``(...)``; 0 where the diagonal is empty.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.
    TypeError
        If ``offset`` is not an integer, or the device has no such ``dtype``.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``trace``.
    """
    device = _matrices(x, "trace")
    offset = check_integer(offset, "trace", "offset")
    if dtype is not None:
        dtype = check_dtype(dtype, device, "trace")
    return apply(TRACE, device, x._native, offset=offset, dtype=dtype)


VECTOR_NORM = declare(
    "linalg.vector_norm",
    "reduction",
    accepts="floating",
    dtype="component",
    shape="reduced",
    numpy="linalg.vector_norm",
    composition=_composed.linear_algebra.vector_norm,
)


def vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False, ord: int | float = 2) -> Array:
    r"""The norm :math:`\bigl(\sum_i |x_i|^p\bigr)^{1/p}` of vectors, :math:`p` being the order.

    Parameters
    ----------
    x
        Array of a floating-point dtype.
    axis
        The axis or axes that hold a vector's elements; None takes the whole array as one vector.
    keepdims
        Whether these axes stay, with length 1.
    ord
        The order :math:`p`. ``inf`` gives :math:`\max |x_i|`, ``-inf`` :math:`\min |x_i|`, 0 the number of
        elements that are not 0. What is below 1 follows the formula, but is no norm.

    Returns
    -------
    Array
        The norms; real, in the precision of ``x``.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.
    TypeError
        If ``ord`` is not a real number.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``vector_norm``.
    """
    device = device_of(x, "vector_norm")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "vector_norm")
    if isinstance(ord, bool) or not isinstance(ord, Real):
        raise TypeError(f"vector_norm(): ord is a real number, not {describe(ord)}")
    return apply(VECTOR_NORM, device, x._native, axis=axis, keepdims=keepdims, ord=ord)


def _matrices(x: Array, name: str) -> Device:
    """The device of an argument that must hold matrices."""
    device = device_of(x, name)
    if x._native.ndim < 2:
        raise ValueError(
            f"{name}() needs matrices, in an array of two or more dimensions, not shape {x.shape}; "
            "add axes with xtensor.expand_dims"
        )
    return device


def _square(x: Array, name: str) -> Device:
    """The device of an argument that must hold square matrices."""
    device = _matrices(x, name)
    rows, columns = x._native.shape[-2:]
    if rows != columns:
        raise ValueError(f"{name}() needs square matrices, of shape (..., M, M), not shape {x.shape}")
    return device


def _broadcast(shape1: tuple[int, ...], shape2: tuple[int, ...], name: str) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(shape1, shape2)
    except ValueError:
        raise ValueError(
            f"{name}(): shapes {shape1} and {shape2} do not broadcast; lengths must be equal, or one be 1"
        ) from None


def _tolerance(rtol: Any, x: Array, name: str) -> dict[str, Any]:
    """The native keyword argument of a relative tolerance; none where the default is asked for."""
    if rtol is None:
        return {}
    if isinstance(rtol, Real) and not isinstance(rtol, bool):
        return {"rtol": float(rtol)}
    if not isinstance(rtol, Array) or rtol.dtype.kind in "biuc":
        kind = f"an Array of dtype {rtol.dtype}" if isinstance(rtol, Array) else describe(rtol)
        raise TypeError(f"{name}(): rtol is a real number or a real floating-point Array, not {kind}")
    if _broadcast(rtol.shape, x.shape[:-2], name) != x.shape[:-2]:
        raise ValueError(
            f"{name}(): rtol of shape {rtol.shape} does not broadcast to the matrices of shape {x.shape}; "
            f"it needs shape {x.shape[:-2]}, or one number"
        )
    return {"rtol": native_operand(rtol, x._device, name)}


def _complex(native: Native, device: Device) -> Native:
    """A native array as complex numbers of its precision."""
    if native.dtype.kind == "c":
        return native
    return call(ASTYPE, device, native, np.result_type(native.dtype, np.complex64), copy=False)


def _arrays(natives: Iterable[Native], device: Device) -> Iterable[Array]:
    return (wrap(native, device) for native in natives)
