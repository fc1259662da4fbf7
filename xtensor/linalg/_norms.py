"""Norms of vectors and matrices, determinants and ranks."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Never

import numpy as np

from .._core.array import Array, Axis
from .._core.backend import Native
from .._core.calls import apply, call, wrap
from .._core.checks import check_axes
from .._core.dtypes import is_narrow
from .._core.errors import describe
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_reduction
from .._core.operands import array_argument, coerce_operands
from .._core.operations import declare
from .._ops._composing import cutoff
from ._checks import check_matrices, check_square_matrices, tolerance_option

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, RealOperand

__all__ = ["SlogdetResult", "det", "matrix_norm", "matrix_rank", "slogdet", "vector_norm"]

MATRIX_ORDERS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)
"""The orders of matrix norms that the standard defines."""


class SlogdetResult(NamedTuple):
    """Result of :func:`slogdet`."""

    sign: Array
    logabsdet: Array


def _compose_det(xp: Any, x: Native) -> Native:
    sign, logarithm = xp.linalg.slogdet(x)
    return xp.multiply(sign, xp.exp(logarithm))


DET = declare(
    "linalg.det",
    "linear algebra",
    accepts="floating",
    shape="stack",
    numpy="linalg.det",
    composition=_compose_det,
)


def det(x: AnyArray, /) -> Array:
    r"""Return the determinant :math:`\det x` of square matrices.

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
        If ``x`` is not an array of square matrices.

    Notes
    -----
    The determinant of a large matrix easily overflows or underflows; :func:`slogdet` does not.

    Standard 2025.12, Linear Algebra Extension, ``det``.
    """
    x, device = check_square_matrices(x, "det")
    return apply(DET, device, x._native)


def _compose_matrix_norm(xp: Any, x: Native, *, keepdims: bool, ord: Any) -> Native:
    rows, columns = x.ndim - 2, x.ndim - 1
    if ord == "fro":
        return xp.linalg.vector_norm(x, axis=(rows, columns), keepdims=keepdims, ord=2)
    if ord == "nuc" or abs(ord) == 2:
        values = xp.linalg.svdvals(x)
        if ord == "nuc":
            norms = xp.sum(values, axis=(rows,), keepdims=False, dtype=values.dtype)
        else:
            norms = (xp.max if ord > 0 else xp.min)(values, axis=(rows,), keepdims=False)
    else:
        along = rows if abs(ord) == 1 else columns
        magnitude = xp.abs(xp.astype(x, xp.default_float) if x.dtype.kind in "biu" else x)
        sums = xp.sum(magnitude, axis=(along,), keepdims=True, dtype=magnitude.dtype)
        norms = (xp.max if ord > 0 else xp.min)(sums, axis=(rows, columns), keepdims=False)
    return xp.expand_dims(norms, axis=(rows, columns)) if keepdims else norms


MATRIX_NORM = declare(
    "linalg.matrix_norm",
    "linear algebra",
    accepts="floating",
    dtype="component",
    shape="stack",
    numpy="linalg.matrix_norm",
    composition=_compose_matrix_norm,
)


@keywords_only
def matrix_norm(
    x: AnyArray, /, *positional: Never, keepdims: bool = False, ord: int | float | Literal["fro", "nuc"] | None = "fro"
) -> Array:
    r"""Return the norm :math:`\|x\|` of matrices.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a floating-point dtype.
    keepdims
        Whether the last two axes remain, with length 1.
    ord
        The norm:

        - ``"fro"`` or None: Frobenius, :math:`\sqrt{\sum |x_{ij}|^2}`;
        - ``"nuc"``: nuclear, the sum of the singular values;
        - 1: the largest column sum :math:`\max_j \sum_i |x_{ij}|`;
        - 2: the largest singular value;
        - ``inf``: the largest row sum :math:`\max_i \sum_j |x_{ij}|`;
        - -1, -2, ``-inf``: the smallest value in place of the largest. These are not norms.

    Returns
    -------
    Array
        The norms, of shape ``(...)``, or ``(..., 1, 1)`` with ``keepdims``; real, in the precision of ``x``.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions, or ``ord`` is unknown.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``matrix_norm``.
    """
    if positional:
        raise by_position(matrix_norm, positional)
    x, device = check_matrices(x, "matrix_norm")
    order = "fro" if ord is None else ord
    if not isinstance(order, (str, Real)) or order not in MATRIX_ORDERS:
        raise ValueError(
            f"matrix_norm(): ord is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {describe(ord)}; "
            "xtensor.linalg.vector_norm computes norms of other orders"
        )
    return apply(MATRIX_NORM, device, x._native, keepdims=keepdims, ord=order)


def _compose_matrix_rank(xp: Any, x: Native, *, rtol: Native | float | None = None) -> Native:
    if not min(x.shape[-2:]):
        return xp.zeros(x.shape[:-2], dtype=xp.default_integer)
    values = xp.linalg.svdvals(x)
    above = xp.less(cutoff(xp, x, values, rtol), values)
    return xp.count_nonzero(above, axis=(above.ndim - 1,), keepdims=False)


MATRIX_RANK = declare(
    "linalg.matrix_rank",
    "linear algebra",
    accepts="floating",
    dtype="index",
    shape="stack",
    numpy="linalg.matrix_rank",
    composition=_compose_matrix_rank,
)


@keywords_only
def matrix_rank(x: AnyArray, /, *positional: Never, rtol: RealOperand | None = None) -> Array:
    r"""Return the rank: the number of singular values above :math:`\mathrm{rtol} \cdot \sigma_\max`.

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
        The ranks, of shape ``(...)`` and the default integer dtype.

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
    Standard 2025.12, Linear Algebra Extension, ``matrix_rank``.
    """
    if positional:
        raise by_position(matrix_rank, positional)
    x, rtol = coerce_operands("matrix_rank", x, rtol)
    x, device = check_matrices(x, "matrix_rank")
    return apply(MATRIX_RANK, device, x._native, **tolerance_option(rtol, x, "matrix_rank"))


SLOGDET = declare(
    "linalg.slogdet", "linear algebra", accepts="floating", dtype="several", shape="several", numpy="linalg.slogdet"
)


def slogdet(x: AnyArray, /) -> SlogdetResult:
    r"""Return the sign :math:`s` and the logarithm :math:`l` of the determinant, :math:`\det x = s\, e^{l}`.

    Neither overflows nor underflows.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, M)`` and a floating-point dtype.

    Returns
    -------
    SlogdetResult
        A named tuple of ``sign``, :math:`\det x / |\det x|`, of the dtype of ``x``, and ``logabsdet``,
        :math:`\ln |\det x|`, real in the precision of ``x``. Both have shape ``(...)``.

    Raises
    ------
    ValueError
        If ``x`` is not an array of square matrices.

    Notes
    -----
    A determinant of 0 has the sign 0 and the logarithm ``-inf``, unless a rounding error makes it nonzero.

    Standard 2025.12, Linear Algebra Extension, ``slogdet``.
    """
    x, device = check_square_matrices(x, "slogdet")
    sign, logarithm = call(SLOGDET, device, x._native)
    return SlogdetResult(wrap(sign, device), wrap(logarithm, device))


def _compose_vector_norm(xp: Any, x: Native, *, axis: Any, keepdims: bool, ord: Any) -> Native:
    if x.dtype.kind in "biu":
        return xp.linalg.vector_norm(xp.astype(x, xp.default_float), axis=axis, keepdims=keepdims, ord=ord)
    magnitude = xp.abs(x)
    if ord == math.inf:
        if not x.size:  # the norm of nothing is 0, which a maximum is not
            return xp.sum(magnitude, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
        return xp.max(magnitude, axis=axis, keepdims=keepdims)
    if ord == -math.inf:
        return xp.min(magnitude, axis=axis, keepdims=keepdims)
    if ord == 0:
        nonzero = xp.astype(xp.not_equal(magnitude, 0), magnitude.dtype)
        return xp.sum(nonzero, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
    if ord == 1:
        return xp.sum(magnitude, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
    if is_narrow(magnitude.dtype):
        single = xp.astype(magnitude, np.dtype(np.float32))
        return xp.astype(_compose_vector_norm(xp, single, axis=axis, keepdims=keepdims, ord=ord), magnitude.dtype)
    powers = xp.square(magnitude) if ord == 2 else xp.pow(magnitude, float(ord))
    total = xp.sum(powers, axis=axis, keepdims=keepdims, dtype=magnitude.dtype)
    return xp.sqrt(total) if ord == 2 else xp.pow(total, 1.0 / ord)


VECTOR_NORM = declare(
    "linalg.vector_norm",
    "reduction",
    accepts="floating",
    dtype="component",
    shape="reduced",
    numpy="linalg.vector_norm",
    composition=_compose_vector_norm,
)


@keywords_only
def vector_norm(
    x: AnyArray, /, *positional: Never, axis: Axis = None, keepdims: bool = False, ord: int | float = 2
) -> Array:
    r"""Return the norm :math:`\bigl(\sum_i |x_i|^p\bigr)^{1/p}` of vectors, where :math:`p` is the order.

    Parameters
    ----------
    x
        Array of a floating-point dtype.
    axis
        The axis or axes that hold the elements of a vector; None takes the whole array as one vector.
    keepdims
        Whether these axes remain, with length 1.
    ord
        The order :math:`p`. ``inf`` gives :math:`\max |x_i|`, ``-inf`` gives :math:`\min |x_i|`, and 0 the number of
        nonzero elements. Orders below 1 follow the formula, but are not norms.

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
    if positional:
        raise by_position(vector_norm, positional)
    x = array_argument(x, "vector_norm")
    device = x._device
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "vector_norm", "repeated axis")
    if isinstance(ord, bool) or not isinstance(ord, Real):
        raise TypeError(f"vector_norm(): ord is a real number, not {describe(ord)}")
    return apply_reduction(VECTOR_NORM, device, x._native, axis=axis, keepdims=keepdims, ord=ord)
