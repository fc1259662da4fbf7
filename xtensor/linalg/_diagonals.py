"""Diagonals of matrices and their sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import check_cast, check_dtype, check_integer
from .._core.dtypes import DType
from .._core.keywords import by_position, keywords_only
from .._core.operations import declare
from ._checks import check_matrices

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike

__all__ = ["diagonal", "trace"]


def _compose_diagonal(xp: Any, x: Native, *, offset: int) -> Native:
    rows, columns = x.shape[-2:]
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    flat = xp.reshape(x, (*x.shape[:-2], rows * columns))
    if not length:
        return flat[..., :0]
    start = offset if offset >= 0 else -offset * columns
    return flat[..., start : start + (length - 1) * (columns + 1) + 1 : columns + 1]


DIAGONAL = declare(
    "linalg.diagonal",
    "manipulation",
    shape="argument",
    numpy="linalg.diagonal",
    composition=_compose_diagonal,
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


def _compose_trace(xp: Any, x: Native, *, offset: int, dtype: DType | None) -> Native:
    diagonal = xp.linalg.diagonal(x, offset=offset)
    return xp.sum(diagonal, axis=(diagonal.ndim - 1,), keepdims=False, dtype=dtype)


TRACE = declare(
    "linalg.trace",
    "linear algebra",
    accepts="numeric",
    dtype="accumulated",
    shape="stack",
    numpy="linalg.trace",
    composition=_compose_trace,
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
