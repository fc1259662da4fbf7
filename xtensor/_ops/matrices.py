"""Diagonals, transposes and roots of polynomials, with NumPy's names and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import _ops as xp
from .. import linalg
from .._core.array import Array
from .._core.checks import LARGEST, check_integer
from .._core.compositions import composed
from .._core.dtypes import kind_of
from .._core.errors import describe
from .._core.operands import array_argument
from ._arguments import flattened

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["diag", "roots", "transpose"]


@composed
def diag(v: AnyArray, k: int = 0) -> Array:
    """Return the matrix with a vector on a diagonal, or a diagonal of a matrix.

    Parameters
    ----------
    v
        Array of one or two dimensions and any dtype.
    k
        The diagonal: 0 for the main one, positive for those above it, negative for those below.

    Returns
    -------
    Array
        For a vector of ``N`` elements, a matrix of shape ``(N + |k|, N + |k|)`` that is zero elsewhere; for a matrix, a
        copy of its diagonal.

    Raises
    ------
    ValueError
        If ``v`` does not have one or two dimensions.
    TypeError
        If ``k`` is not an integer.

    Notes
    -----
    NumPy, ``diag``.
    """
    v = array_argument(v, "diag")
    device = v._device
    k = check_integer(k, "diag", "k")
    if abs(k) > LARGEST:
        raise ValueError(f"diag(): k is at most {LARGEST} in magnitude, not {k}")
    if v.ndim == 2:
        return linalg.diagonal(v, offset=k).copy()
    if v.ndim != 1:
        raise ValueError(f"diag() takes a vector or a matrix, not an array of shape {v.shape}")
    length = v.shape[0] + abs(k)
    if length**2 > LARGEST:
        raise ValueError(
            f"diag(): with k={k} the matrix has shape {(length, length)}, more elements than memory has addresses"
        )
    flat = xp.zeros(length**2, dtype=v.dtype, device=device)
    first = k if k >= 0 else -k * length
    stop = min(first + v.shape[0] * (length + 1), length**2)
    flat[first : stop : length + 1] = v
    return xp.reshape(flat, (length, length))


@composed
def roots(p: AnyArray) -> Array:
    r"""Return the roots of a polynomial, :math:`p_0 x^n + p_1 x^{n-1} + \dots + p_n = 0`.

    Parameters
    ----------
    p
        The coefficients, in an Array of one dimension, from the highest power to the lowest.

    Returns
    -------
    Array
        The roots, of shape ``(n,)`` for a polynomial of degree ``n``, with the roots that are zero last, in the
        precision of ``p``; real if ``p`` and all roots are real, else complex. If there are no roots but 0, they are
        of the default floating-point dtype, as in NumPy.

    Raises
    ------
    ValueError
        If ``p`` has more than one dimension.

    Notes
    -----
    NumPy, ``roots``. Computed as the eigenvalues of the companion matrix.
    """
    p = array_argument(p, "roots")
    device = p._device
    if p.ndim > 1:
        raise ValueError(f"roots() takes coefficients in one dimension, not shape {p.shape}")
    p = flattened(p)
    if kind_of(p.dtype) not in "fc":
        p = xp.astype(p, device.default_dtypes["real floating"])
    nonzero = [int(i) for i in xp.nonzero(p)[0]] if p.size else []
    if not nonzero:
        return xp.empty(0, dtype=device.default_dtypes["real floating"], device=device)
    zeros = xp.zeros(p.shape[0] - 1 - nonzero[-1], dtype=device.default_dtypes["real floating"], device=device)
    p = p[nonzero[0] : nonzero[-1] + 1]
    degree = p.shape[0] - 1
    if not degree:
        return zeros
    companion = xp.eye(degree, k=-1, dtype=p.dtype, device=device)
    companion[0, :] = -p[1:] / p[0]
    roots = linalg.eigvals(companion)
    if p.dtype.kind != "c" and not xp.any(xp.imag(roots) != 0):
        roots = xp.real(roots)
    return xp.concat((roots, xp.astype(zeros, roots.dtype, copy=False)))


@composed
def transpose(a: AnyArray, axes: Sequence[int] | None = None) -> Array:
    """Return a view of an array with its axes permuted.

    Parameters
    ----------
    a
        Array of any dtype.
    axes
        A permutation of the axes; None reverses them.

    Returns
    -------
    Array
        The permuted array, with the elements and the dtype of ``a``.

    Raises
    ------
    ValueError
        If ``axes`` is not a permutation of the axes.
    TypeError
        If ``axes`` is not a sequence of integers.

    Notes
    -----
    NumPy, ``transpose``. The standard's function is :func:`permute_dims`.
    """
    a = array_argument(a, "transpose")
    try:
        order = tuple(range(a.ndim))[::-1] if axes is None else tuple(axes)
    except TypeError:
        raise TypeError(f"transpose(): axes is a sequence of integers or None, not {describe(axes)}") from None
    return xp.permute_dims(a, order)
