"""Distribution functions of discrete distributions: binomial, negative binomial and Poisson."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._declaration import arrays, library_function, special
from .incomplete_gamma import gammainc, gammaincc

if TYPE_CHECKING:
    from .._core.annotations import RealOperand

__all__ = ["bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri", "pdtr", "pdtrc", "pdtri"]


@library_function()
def bdtr(k: RealOperand, n: RealOperand, p: RealOperand, /) -> Array:
    r"""Binomial cumulative distribution function
    :math:`\sum_{j=0}^{\lfloor k \rfloor} \binom{n}{j} p^j (1 - p)^{n-j}`.

    Parameters
    ----------
    k
        Numbers of successes, rounded down.
    n
        Numbers of trials; integers.
    p
        Probabilities of success in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: NaN where ``p`` is outside ``[0, 1]``, ``n < floor(k)``, or an operand is NaN; 1 where
    ``floor(k) == n``.

    See ``scipy.special.bdtr``; NIST DLMF 8.17.5.
    """


@library_function()
def bdtrc(k: RealOperand, n: RealOperand, p: RealOperand, /) -> Array:
    r"""Binomial survival function :math:`\sum_{j=\lfloor k \rfloor + 1}^{n} \binom{n}{j} p^j (1 - p)^{n-j}`.

    Parameters
    ----------
    k
        Numbers of successes, rounded down.
    n
        Numbers of trials; integers.
    p
        Probabilities of success in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: NaN where ``p`` is outside ``[0, 1]``, ``n < floor(k)``, or an operand is NaN; 1 where ``k < 0``.

    See ``scipy.special.bdtrc``; NIST DLMF 8.17.5.
    """


@library_function()
def bdtri(k: RealOperand, n: RealOperand, y: RealOperand, /) -> Array:
    r"""Inverse of :func:`bdtr` in its last operand: the probability :math:`p` with
    :math:`\operatorname{bdtr}(k, n, p) = y`.

    Parameters
    ----------
    k
        Numbers of successes, rounded down.
    n
        Numbers of trials; integers.
    y
        Cumulative probabilities in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where no such probability exists, or an operand is NaN.

    See ``scipy.special.bdtri``; NIST DLMF 8.17.5.
    """


@library_function()
def nbdtr(k: RealOperand, n: RealOperand, p: RealOperand, /) -> Array:
    r"""Negative binomial cumulative distribution function
    :math:`\sum_{j=0}^{k} \binom{n + j - 1}{j} p^n (1 - p)^j`.

    Parameters
    ----------
    k
        Maximum numbers of failures; nonnegative integers.
    n
        Numbers of successes; positive integers.
    p
        Probabilities of success in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: NaN where ``p`` is outside ``[0, 1]`` or ``k < 0``.

    See ``scipy.special.nbdtr``; NIST DLMF 8.17.
    """


@library_function()
def nbdtrc(k: RealOperand, n: RealOperand, p: RealOperand, /) -> Array:
    r"""Negative binomial survival function :math:`\sum_{j=k+1}^{\infty} \binom{n + j - 1}{j} p^n (1 - p)^j`.

    Parameters
    ----------
    k
        Maximum numbers of failures; nonnegative integers.
    n
        Numbers of successes; positive integers.
    p
        Probabilities of success in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: NaN where ``p`` is outside ``[0, 1]`` or ``k < 0``.

    See ``scipy.special.nbdtrc``; NIST DLMF 8.17.
    """


@library_function()
def nbdtri(k: RealOperand, n: RealOperand, y: RealOperand, /) -> Array:
    r"""Inverse of :func:`nbdtr` in its last operand: the probability :math:`p` with
    :math:`\operatorname{nbdtr}(k, n, p) = y`.

    Parameters
    ----------
    k
        Maximum numbers of failures; nonnegative integers.
    n
        Numbers of successes; positive integers.
    y
        Cumulative probabilities in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    See ``scipy.special.nbdtri``; NIST DLMF 8.17.
    """


@special()
def pdtr(k: RealOperand, m: RealOperand, /) -> Array:
    r"""Poisson cumulative distribution function :math:`e^{-m} \sum_{j=0}^{\lfloor k \rfloor} \frac{m^j}{j!}`.

    Parameters
    ----------
    k
        Numbers of events, rounded down; nonnegative.
    m
        Means; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 1 at ``m = 0``; NaN outside the domain.

    See ``scipy.special.pdtr``; NIST DLMF 8.4.
    """
    k, m = arrays(k, m)
    return xp.where(k < 0, math.nan, gammaincc(xp.floor(k) + 1, m))


@special()
def pdtrc(k: RealOperand, m: RealOperand, /) -> Array:
    r"""Poisson survival function :math:`e^{-m} \sum_{j=\lfloor k \rfloor + 1}^{\infty} \frac{m^j}{j!}`.

    Parameters
    ----------
    k
        Numbers of events, rounded down; nonnegative.
    m
        Means; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 0 at ``m = 0``; NaN outside the domain.

    See ``scipy.special.pdtrc``; NIST DLMF 8.4.
    """
    k, m = arrays(k, m)
    return xp.where(k < 0, math.nan, gammainc(xp.floor(k) + 1, m))


@library_function()
def pdtri(k: RealOperand, y: RealOperand, /) -> Array:
    r"""Inverse of :func:`pdtr` in its last operand: the mean :math:`m` with :math:`\operatorname{pdtr}(k, m) = y`.

    Parameters
    ----------
    k
        Numbers of events; nonnegative integers.
    y
        Cumulative probabilities in ``[0, 1)``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    See ``scipy.special.pdtri``; NIST DLMF 8.4.
    """
