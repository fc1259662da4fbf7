"""Triangular systems of linear equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import check_flag
from .._core.dtypes import kind_of, result_type
from .._core.operands import array_arguments
from .._core.operations import declare
from .._ops._casts import supported
from .._ops._composing import identity
from .._ops.linear_algebra import _pair
from ._checks import check_broadcast

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["solve_triangular"]

BLOCK = 64
"""Rows that are solved together; products of matrices do the rest."""


def _by_blocks(xp: Any, a: Native, b: Native, *, lower: bool, unit_diagonal: bool) -> Native:
    """Solve a block of rows after the other, from the last one, and subtract its products from the rows that are left.

    Elimination changes nothing in an upper triangular matrix, so that ``solve`` substitutes. It would exchange rows of
    a lower one, and lose small solutions; in reversed order, a lower one is an upper one.
    """
    if lower:
        reversed_a, reversed_b = xp.flip(a, axis=(-2, -1)), xp.flip(b, axis=-2)
        return xp.flip(_by_blocks(xp, reversed_a, reversed_b, lower=False, unit_diagonal=unit_diagonal), axis=-2)
    rows = a.shape[-1]
    if not rows:
        return xp.linalg.solve(a, b)
    parts: list[Native] = []
    for start in reversed(range(0, rows, BLOCK)):
        stop = min(start + BLOCK, rows)
        block = _upper_triangle(xp, a[..., start:stop, start:stop], unit_diagonal)
        part = xp.linalg.solve(block, b[..., start:stop, :])
        parts.append(part)
        if start:
            b = xp.subtract(b[..., :start, :], xp.matmul(a[..., :start, start:stop], part))
    return xp.concat(parts[::-1], axis=-2) if len(parts) > 1 else parts[0]


def _upper_triangle(xp: Any, x: Native, unit_diagonal: bool) -> Native:
    """Return the upper triangle of matrices, with ones on the diagonal where they are wanted."""
    return xp.add(xp.triu(x, k=1), identity(xp, x)) if unit_diagonal else xp.triu(x, k=0)


SOLVE_TRIANGULAR = declare(
    "linalg.solve_triangular",
    "linear algebra",
    operands=2,
    accepts="floating",
    shape="product",
    composition=_by_blocks,
)


def solve_triangular(a: AnyArray, b: AnyArray, *, lower: bool = False, unit_diagonal: bool = False) -> Array:
    r"""Return the solution :math:`X` of the linear system :math:`A X = B` for triangular matrices :math:`A`.

    Parameters
    ----------
    a
        :math:`A`: matrices of shape ``(..., M, M)``. The elements on the other side of the diagonal are taken for 0,
        whatever they are.
    b
        :math:`B`: one vector of shape ``(M,)``, or matrices of shape ``(..., M, K)`` whose leading axes broadcast with
        those of ``a``.
    lower
        Whether the matrices are lower triangular; otherwise they are upper triangular.
    unit_diagonal
        Whether the elements on the diagonal are taken for 1, whatever they are.

    Returns
    -------
    Array
        The solutions, of the promoted dtype, floating-point, and of shape ``(..., M)`` for a vector, ``(..., M, K)``
        otherwise.

    Raises
    ------
    numpy.linalg.LinAlgError
        If ``a`` has fewer than two dimensions or is not square, or an element of the diagonal is 0 and the device
        detects it; others give infinities and NaN.
    ValueError
        If the shape of ``b`` does not fit.
    TypeError
        If no operand is an Array.

    Notes
    -----
    SciPy, ``linalg.solve_triangular``, without its options ``trans``, for which there is ``a.mT``, ``overwrite_b`` and
    ``check_finite``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.linalg.solve_triangular(xp.asarray([[2.0, 0.0], [1.0, 4.0]]), xp.asarray([2.0, 9.0]), lower=True)
    Array([1., 2.])
    """
    a, b = array_arguments("solve_triangular", a, b)
    check_flag(lower, "solve_triangular", "lower")
    check_flag(unit_diagonal, "solve_triangular", "unit_diagonal")
    if a.ndim < 2 or a.shape[-2] != a.shape[-1]:
        raise np.linalg.LinAlgError(f"solve_triangular() takes matrices of shape (..., M, M), not {a.shape}")
    rows = a.shape[-1]
    if not b.ndim or b.shape[-2:][0] != rows:
        raise ValueError(
            f"solve_triangular(): b of shape {b.shape} does not fit a of shape {a.shape}; "
            f"it needs shape ({rows},) or (..., {rows}, K)"
        )
    dtype = supported(result_type(a.dtype, b.dtype), a.device)
    dtype = dtype if kind_of(dtype) in "fc" else a.device.default_dtypes["real floating"]
    columns = b[:, None] if b.ndim == 1 else b
    check_broadcast(a.shape[:-2], columns.shape[:-2], "solve_triangular")
    operands = xp.astype(a, dtype, copy=False), xp.astype(columns, dtype, copy=False)
    device, native_a, native_b = _pair(*operands, "solve_triangular")
    result = apply(SOLVE_TRIANGULAR, device, native_a, native_b, lower=lower, unit_diagonal=unit_diagonal)
    return result[..., 0] if b.ndim == 1 else result
