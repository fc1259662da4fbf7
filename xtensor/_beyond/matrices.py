"""Diagonals, transposes and roots of polynomials, in NumPy's names and signatures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import _standard as xp
from .. import linalg
from .._core.array import Array
from .._core.checks import LARGEST, check_integer
from .._core.dispatch import composed, device_of
from .._core.dtypes import kind_of, result_type

__all__ = ["diag", "roots", "transpose"]


@composed
def diag(v: Array, k: int = 0) -> Array:
    """The matrix with a vector on a diagonal, or the diagonal of a matrix.

    Parameters
    ----------
    v
        Array of one dimension, or of two.
    k
        The diagonal: 0 for the main one, positive above it, negative below.

    Returns
    -------
    Array
        Of shape ``(N + |k|, N + |k|)`` for a vector of ``N`` elements, zero elsewhere; for a matrix, a copy of its
        diagonal.

    Raises
    ------
    ValueError
        If ``v`` has not one dimension or two.

    Notes
    -----
    NumPy, ``diag``.
    """
    device = device_of(v, "diag")
    k = check_integer(k, "diag", "k")
    if abs(k) > LARGEST:
        raise ValueError(f"diag(): a diagonal {k} places from the main one is more than memory has addresses")
    if v.ndim == 2:
        return linalg.diagonal(v, offset=k).copy()
    if v.ndim != 1:
        raise ValueError(f"diag() takes a vector or a matrix, not an array of shape {v.shape}")
    length = v.shape[0] + abs(k)
    margin = xp.zeros(abs(k), dtype=v.dtype, device=device)
    on = xp.eye(length, k=k, dtype=np.bool_, device=device)
    values = xp.concat((margin, v))[None, :] if k >= 0 else xp.concat((v, margin))[None, :]
    return xp.where(on, values, xp.zeros((), dtype=v.dtype, device=device))


@composed
def roots(p: Array) -> Array:
    r"""The roots of a polynomial, :math:`p_0 x^n + p_1 x^{n-1} + \dots + p_n = 0`.

    Parameters
    ----------
    p
        Array of one dimension: the coefficients, that of the highest power first.

    Returns
    -------
    Array
        The roots, of the complex dtype of the precision of ``p``; as many as the degree, zeros last. None for a
        constant.

    Raises
    ------
    ValueError
        If ``p`` has more than one dimension.

    Notes
    -----
    NumPy, ``roots``: the eigenvalues of the companion matrix. The result is complex even where all roots are real, so
    that its dtype does not depend on values.
    """
    device = device_of(p, "roots")
    if p.ndim > 1:
        raise ValueError(f"roots() takes coefficients in one dimension, not shape {p.shape}")
    p = xp.reshape(p, (-1,))
    if kind_of(p.dtype) not in "fc":
        p = xp.astype(p, device.default_dtypes["real floating"])
    dtype = result_type(p.dtype, np.complex64)
    given = [int(i) for i in xp.nonzero(p)[0]] if p.size else []
    if not given:
        return xp.empty(0, dtype=dtype, device=device)
    zeros = xp.zeros(p.shape[0] - 1 - given[-1], dtype=dtype, device=device)
    p = p[given[0] : given[-1] + 1]
    degree = p.shape[0] - 1
    if not degree:
        return zeros
    companion = xp.eye(degree, k=-1, dtype=p.dtype, device=device)
    companion[0, :] = -p[1:] / p[0]
    return xp.concat((linalg.eigvals(companion), zeros))


@composed
def transpose(a: Array, axes: Sequence[int] | None = None) -> Array:
    """An array with its axes in another order, a view.

    Parameters
    ----------
    a
        Array of any dtype.
    axes
        A permutation of the axes; None reverses them.

    Returns
    -------
    Array
        Of the same elements.

    Raises
    ------
    ValueError
        If ``axes`` is no permutation.

    Notes
    -----
    NumPy, ``transpose``. The standard's own function is :func:`permute_dims`.
    """
    device_of(a, "transpose")
    return xp.permute_dims(a, tuple(range(a.ndim))[::-1] if axes is None else tuple(axes))
