"""Diagonals of matrices and their sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Never

from .. import _composed
from .._core.array import Array, apply
from .._core.checks import check_cast, check_dtype, check_integer
from .._core.keywords import by_position, keywords_only
from .._core.operations import declare
from ._checks import check_matrices

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike

__all__ = ["diagonal", "trace"]


DIAGONAL = declare(
    "linalg.diagonal",
    "manipulation",
    shape="argument",
    numpy="linalg.diagonal",
    composition=_composed.manipulation.diagonal,
)


@keywords_only
def diagonal(x: AnyArray, /, *positional: Never, offset: int = 0) -> Array:
    r"""Return the elements :math:`x_{i,\,i+k}` of a diagonal of each matrix, where :math:`k` is the offset.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and any dtype.
    offset
        The diagonal: 0 for the main one, positive for those above it, negative for those below.

    Returns
    -------
    Array
        The diagonals along the last axis, of shape ``(..., L)`` and the dtype of ``x``. ``L`` is 0 for an offset
        outside the matrix.

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
    if positional:
        raise by_position(diagonal, positional)
    x, device = check_matrices(x, "diagonal", "diag requires an array of at least two dimensions")
    offset = check_integer(offset, "diagonal", "offset")
    return apply(DIAGONAL, device, x._native, offset=offset)


TRACE = declare(
    "linalg.trace",
    "linear algebra",
    accepts="numeric",
    dtype="accumulated",
    shape="stack",
    numpy="linalg.trace",
    composition=_composed.linear_algebra.trace,
)


@keywords_only
def trace(x: AnyArray, /, *positional: Never, offset: int = 0, dtype: DTypeLike | None = None) -> Array:
    r"""Return the sum of a diagonal of each matrix, :math:`\sum_i x_{i,\,i+k}`, where :math:`k` is the offset.

    Parameters
    ----------
    x
        Matrices of shape ``(..., M, N)`` and a numeric dtype.
    offset
        The diagonal: 0 for the main one, positive for those above it, negative for those below.
    dtype
        The dtype of the result and of the computation. By default that of ``x``, except that integers narrower than
        the default integer dtype become that dtype, and unsigned ones ``uint64``.

    Returns
    -------
    Array
        The traces, of shape ``(...)``. The trace of an empty diagonal is 0.

    Raises
    ------
    ValueError
        If ``x`` has fewer than two dimensions.
    TypeError
        If ``offset`` is not an integer, or the device does not support ``dtype``.

    Notes
    -----
    Standard 2025.12, Linear Algebra Extension, ``trace``.
    """
    if positional:
        raise by_position(trace, positional)
    x, device = check_matrices(x, "trace", "diag requires an array of at least two dimensions")
    offset = check_integer(offset, "trace", "offset")
    if dtype is not None:
        dtype = check_dtype(dtype, device, "trace")
        check_cast(x.dtype, dtype, "trace")
    return apply(TRACE, device, x._native, offset=offset, dtype=dtype)
