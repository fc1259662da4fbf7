"""Solutions of linear systems, inverses and least squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Never

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply, serve, wrap
from .._core.compositions import composed
from .._core.dtypes import finfo, kind_of, result_type
from .._core.errors import describe
from .._core.keywords import by_position, keywords_only
from .._core.operands import array_arguments, coerce_operands
from .._core.operations import declare
from .._ops._casts import supported
from .._ops._composing import cutoff, identity
from .._ops.linear_algebra import _pair
from ._checks import check_broadcast, check_matrices, check_square_matrices, tolerance_option
from ._decompositions import svd

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, RealOperand

__all__ = ["LstsqResult", "inv", "lstsq", "pinv", "solve"]


class LstsqResult(NamedTuple):
    """Result of :func:`lstsq`."""

    x: Array
    residuals: Array
    rank: Array
    s: Array


def _compose_inv(xp: Any, x: Native) -> Native:
    return xp.linalg.solve(x, identity(xp, x))


INV = declare(
    "linalg.inv",
    "linear algebra",
    accepts="floating",
    shape="same",
    numpy="linalg.inv",
    composition=_compose_inv,
)


def inv(x: AnyArray, /) -> Array:
    r"""Return the inverse :math:`x^{-1}` of square matrices, :math:`x^{-1} x = x x^{-1} = I`.

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
        If ``x`` is not an array of square matrices.
    numpy.linalg.LinAlgError
        If a matrix is singular, on devices that detect it.

    Notes
    -----
    To compute :math:`x^{-1} b`, :func:`solve` is faster and more accurate. The inverse of a matrix with a NaN is NaN.

    Standard 2025.12, Linear Algebra Extension, ``inv``.
    """
    x, device = check_square_matrices(x, "inv")
    return apply(INV, device, x._native)


LEAST_SQUARES = declare("linalg.least_squares", "signal", operands=2, shape="argument", primitive=False)
"""``(a, b, rcond)``: the four results of :func:`lstsq` for matrices of one floating-point dtype."""


@composed
def lstsq(a: AnyArray, b: AnyArray, rcond: float | None = None) -> LstsqResult:
    r"""Return the least-squares solution of minimum norm, the shortest :math:`x` that minimises :math:`\|b - a x\|`.

    Parameters
    ----------
    a
        The coefficients: an Array of shape ``(M, N)``.
    b
        The right-hand sides, of shape ``(M,)`` or ``(M, K)``.
    rcond
        Singular values up to this fraction of the largest count as 0. By default the dtype's epsilon times
        ``max(M, N)``; a negative number selects half the epsilon, LAPACK's machine precision.

    Returns
    -------
    x
        The solution, of shape ``(N,)`` or ``(N, K)``.
    residuals
        :math:`\|b - a x\|^2` of each right-hand side, of shape ``(1,)`` or ``(K,)``. Empty unless ``a`` has more rows
        than columns and full column rank.
    rank
        The rank of ``a``, a 0-d Array.
    s
        The singular values of ``a``, in descending order.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the shapes do not fit.
    TypeError
        If an operand is not an Array, or ``rcond`` is not a real number.

    Notes
    -----
    NumPy, ``linalg.lstsq``. Computed from the singular value decomposition, by LAPACK's ``gelsd`` on the CPU. The
    standard has no such function; SciPy uses it.
    """
    a, b = array_arguments("lstsq", a, b)
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0]:
        raise np.linalg.LinAlgError(
            f"Incompatible dimensions; lstsq() takes shapes (M, N) and (M,) or (M, K), not {a.shape} and {b.shape}; "
            "solve stacks one by one"
        )
    if rcond is not None and not isinstance(rcond, (int, float, np.integer, np.floating)):
        raise TypeError(f"lstsq(): rcond is a real number or None, not {describe(rcond)}")
    dtype = supported(result_type(a.dtype, b.dtype), a.device)
    if kind_of(dtype) not in "fc":
        dtype = a.device.default_dtypes["real floating"]
    a, b = xp.astype(a, dtype, copy=False), xp.astype(b, dtype, copy=False)
    (m, n), device, real = a.shape, a.device, finfo(dtype).dtype
    columns = b if b.ndim == 2 else b[:, None]
    epsilon = float(finfo(dtype).eps)
    # LAPACK's machine precision, for a negative rcond, is half the distance of 1 to the next number.
    threshold = epsilon * max(m, n) if rcond is None else epsilon / 2 if rcond < 0 else float(rcond)
    own = device.table[LEAST_SQUARES.index].function
    served = serve("lstsq", device, own, a._native, columns._native, threshold) if m and n else NotImplemented
    if served is not NotImplemented:
        x, residuals, rank, s = (wrap(native, device) for native in served)
        return LstsqResult(x if b.ndim == 2 else x[:, 0], residuals, rank, s)
    if m and n:
        u, s, vh = svd(a, full_matrices=False)
        nonzero = ~(s <= threshold * s[0])  # NaN makes the solution NaN
        reciprocals = xp.where(nonzero, 1.0 / xp.where(nonzero, s, 1.0), 0.0)
        coefficients = xp.astype(reciprocals, dtype)[:, None] * (xp.conj(u.mT) @ columns)
        x = xp.conj(vh.mT) @ coefficients  # a statement of its own: only one conjugate is in memory at a time
        rank = xp.count_nonzero(nonzero)
    else:
        s = xp.zeros(0, dtype=real, device=device)
        x = xp.zeros((n, columns.shape[1]), dtype=dtype, device=device)
        rank = xp.count_nonzero(s)
    if m > n and int(rank) == n:
        residuals = xp.sum(xp.abs(columns - a @ x) ** 2, axis=0, dtype=real)
    else:
        residuals = xp.zeros(0, dtype=real, device=device)
    return LstsqResult(x if b.ndim == 2 else x[:, 0], residuals, rank, s)


def _compose_pinv(xp: Any, x: Native, *, rtol: Native | float | None = None) -> Native:
    shape = (*x.shape[:-2], x.shape[-1], x.shape[-2])
    if not min(x.shape[-2:]):
        return xp.zeros(shape, dtype=x.dtype)
    u, values, vh = xp.linalg.svd(x, full_matrices=False)
    above = xp.logical_not(xp.less_equal(values, cutoff(xp, x, values, rtol)))  # NaN makes the inverse NaN
    inverse = xp.where(above, xp.divide(1.0, xp.where(above, values, 1.0)), 0.0)
    u, vh = (xp.matrix_transpose(xp.conj(part) if part.dtype.kind == "c" else part) for part in (u, vh))
    return xp.matmul(vh, xp.multiply(xp.expand_dims(inverse, axis=(inverse.ndim,)), u))


PINV = declare(
    "linalg.pinv",
    "linear algebra",
    accepts="floating",
    shape="argument",
    numpy="linalg.pinv",
    composition=_compose_pinv,
)


@keywords_only
def pinv(x: AnyArray, /, *positional: Never, rtol: RealOperand | None = None) -> Array:
    r"""Return the Moore-Penrose pseudo-inverse :math:`x^+ = V \Sigma^+ U^H` of :math:`x = U \Sigma V^H`.

    :math:`\Sigma^+` holds the reciprocals of the singular values above :math:`\mathrm{rtol} \cdot \sigma_\max`, and 0
    for the others. :math:`y = x^+ b` is the least-squares solution of :math:`x y = b` with the smallest norm.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype.
    rtol
        The tolerance relative to the largest singular value of each matrix: a number, or an Array of a real
        floating-point dtype that broadcasts to shape ``(...)``. By default ``max(M, N)`` times the dtype's epsilon.

    Returns
    -------
    Array
        The pseudo-inverses, of shape ``(..., N, M)`` and the dtype of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions, or the shape of ``rtol`` does not broadcast to ``(...)``.
    TypeError
        If ``rtol`` is neither a real number nor a real floating-point Array.
    numpy.linalg.LinAlgError
        If an element is infinite or NaN, on devices that detect it.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``pinv``.
    """
    if positional:
        raise by_position(pinv, positional)
    x, rtol = coerce_operands("pinv", x, rtol)
    x, device = check_matrices(x, "pinv")
    return apply(PINV, device, x._native, **tolerance_option(rtol, x, "pinv"))


SOLVE = declare("linalg.solve", "linear algebra", operands=2, accepts="floating", shape="product", numpy="linalg.solve")


def solve(x1: AnyArray, x2: AnyArray, /) -> Array:
    r"""Return the solution :math:`X` of the linear system :math:`A X = B`.

    Parameters
    ----------
    x1
        :math:`A`: invertible matrices, of shape ``(..., M, M)`` and a floating-point dtype.
    x2
        :math:`B`: one vector of shape ``(M,)``, or matrices of shape ``(..., M, K)`` whose leading axes broadcast
        with those of ``x1``.

    Returns
    -------
    Array
        The solutions, of the promoted dtype and of shape ``(..., M)`` for a vector, ``(..., M, K)`` otherwise.

    Raises
    ------
    ValueError
        If ``x1`` is not an array of square matrices, or the shape of ``x2`` does not fit.
    numpy.linalg.LinAlgError
        If a matrix is singular, on devices that detect it.

    Notes
    -----
    Only an ``x2`` of exactly one dimension is a vector; give a stack of vectors a last axis of length 1. The solutions
    for a matrix with a NaN are NaN.

    Standard 2025.12, Linear Algebra Extension, ``solve``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.linalg.solve(xp.asarray([[2.0, 0.0], [0.0, 4.0]]), xp.asarray([2.0, 8.0]))
    Array([1., 2.])
    """
    x1, x2 = array_arguments("solve", x1, x2)
    device, native1, native2 = _pair(x1, x2, "solve")
    check_square_matrices(x1, "solve")
    rows = x1.shape[-1]
    if not x2.ndim or x2.shape[-2:][0] != rows:
        raise ValueError(
            f"{'solve1' if x2.ndim == 1 else 'solve'}: Input operand 1 has a mismatch in its core dimension 0; "
            f"solve(): x2 of shape {x2.shape} does not fit x1 of shape {x1.shape}; "
            f"it needs shape ({rows},) or (..., {rows}, K)"
        )
    check_broadcast(x1.shape[:-2], x2.shape[:-2], "solve")
    return apply(SOLVE, device, native1, native2)
