"""Distribution functions of continuous distributions: chi-square, F, gamma and Student's t."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._declaration import arrays, library_function, special
from .incomplete_gamma import gammainc, gammaincc

if TYPE_CHECKING:
    from .._core.annotations import RealOperand

__all__ = ["chdtr", "chdtrc", "chdtri", "fdtr", "fdtrc", "fdtri", "gdtr", "gdtrc", "stdtr", "stdtrit"]


@special()
def chdtr(v: RealOperand, x: RealOperand, /) -> Array:
    r"""Chi-square cumulative distribution function :math:`P(v/2, x/2)`, where :math:`P` is :func:`gammainc`.

    Parameters
    ----------
    v
        Degrees of freedom; positive.
    x
        Upper limits of integration; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 0 at ``x = 0``, 1 at ``+inf``; NaN outside the domain.

    See ``scipy.special.chdtr``; NIST DLMF 8.2.
    """
    return gammainc(v / 2, x / 2)  # type: ignore[operator] # NumPy does not annotate bool / int


@special()
def chdtrc(v: RealOperand, x: RealOperand, /) -> Array:
    r"""Chi-square survival function :math:`Q(v/2, x/2) = 1 - P(v/2, x/2)`, computed without cancellation.

    Parameters
    ----------
    v
        Degrees of freedom; positive.
    x
        Lower limits of integration; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 1 at ``x = 0``, 0 at ``+inf``; NaN outside the domain.

    See ``scipy.special.chdtrc``; NIST DLMF 8.2.
    """
    return gammaincc(v / 2, x / 2)  # type: ignore[operator] # NumPy does not annotate bool / int


@library_function()
def chdtri(v: RealOperand, p: RealOperand, /) -> Array:
    r"""Inverse of :func:`chdtrc` in its last operand: the :math:`x` with :math:`\operatorname{chdtrc}(v, x) = p`.

    Parameters
    ----------
    v
        Degrees of freedom; positive.
    p
        Probabilities in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 0 at ``p = 1``, ``+inf`` at ``p = 0``; NaN outside the domain.

    See ``scipy.special.chdtri``; NIST DLMF 8.2.
    """


@library_function()
def fdtr(dfn: RealOperand, dfd: RealOperand, x: RealOperand, /) -> Array:
    r"""F cumulative distribution function :math:`I_{d_n x / (d_d + d_n x)}(d_n / 2, d_d / 2)`, where :math:`I` is
    :func:`betainc`.

    Parameters
    ----------
    dfn
        Degrees of freedom :math:`d_n` of the numerator; positive.
    dfd
        Degrees of freedom :math:`d_d` of the denominator; positive.
    x
        Upper limits of integration; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    See ``scipy.special.fdtr``; NIST DLMF 8.17.
    """


@library_function()
def fdtrc(dfn: RealOperand, dfd: RealOperand, x: RealOperand, /) -> Array:
    r"""F survival function :math:`I_{d_d / (d_d + d_n x)}(d_d / 2, d_n / 2)`, where :math:`I` is :func:`betainc`.

    Parameters
    ----------
    dfn
        Degrees of freedom :math:`d_n` of the numerator; positive.
    dfd
        Degrees of freedom :math:`d_d` of the denominator; positive.
    x
        Lower limits of integration; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    See ``scipy.special.fdtrc``; NIST DLMF 8.17.
    """


@library_function()
def fdtri(dfn: RealOperand, dfd: RealOperand, p: RealOperand, /) -> Array:
    r"""Inverse of :func:`fdtr` in its last operand: the :math:`x` with
    :math:`\operatorname{fdtr}(d_n, d_d, x) = p`.

    Parameters
    ----------
    dfn
        Degrees of freedom :math:`d_n` of the numerator; positive.
    dfd
        Degrees of freedom :math:`d_d` of the denominator; positive.
    p
        Probabilities in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    See ``scipy.special.fdtri``; NIST DLMF 8.17.
    """


@special()
def gdtr(a: RealOperand, b: RealOperand, x: RealOperand, /) -> Array:
    r"""Gamma cumulative distribution function :math:`P(b, a x)`, where :math:`P` is :func:`gammainc`.

    Parameters
    ----------
    a
        Rates; positive.
    b
        Shapes; positive.
    x
        Upper limits of integration; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    See ``scipy.special.gdtr``; NIST DLMF 8.2.
    """
    a, b, x = arrays(a, b, x)
    return xp.where(x < 0, math.nan, gammainc(b, a * x))


@special()
def gdtrc(a: RealOperand, b: RealOperand, x: RealOperand, /) -> Array:
    r"""Gamma survival function :math:`Q(b, a x)`, where :math:`Q` is :func:`gammaincc`.

    Parameters
    ----------
    a
        Rates; positive.
    b
        Shapes; positive.
    x
        Lower limits of integration; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN outside the domain.

    See ``scipy.special.gdtrc``; NIST DLMF 8.2.
    """
    a, b, x = arrays(a, b, x)
    return xp.where(x < 0, math.nan, gammaincc(b, a * x))


@library_function()
def stdtr(df: RealOperand, t: RealOperand, /) -> Array:
    r"""Cumulative distribution function of Student's t distribution,
    :math:`\frac{\Gamma((\nu+1)/2)}{\sqrt{\nu\pi} \Gamma(\nu/2)} \int_{-\infty}^t (1 + x^2/\nu)^{-(\nu+1)/2} dx`.

    Parameters
    ----------
    df
        Degrees of freedom :math:`\nu`; positive.
    t
        Upper limits of integration.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    The normal distribution for ``df = +inf``; NaN for ``df <= 0``.

    See ``scipy.special.stdtr``; NIST DLMF 8.17.
    """


@library_function()
def stdtrit(df: RealOperand, p: RealOperand, /) -> Array:
    r"""Inverse of :func:`stdtr` in its last operand: the :math:`t` with :math:`\operatorname{stdtr}(\nu, t) = p`.

    Parameters
    ----------
    df
        Degrees of freedom :math:`\nu`; positive.
    p
        Probabilities in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: ``-inf`` at ``p = 0``, ``+inf`` at ``p = 1``, NaN outside the domain.

    See ``scipy.special.stdtrit``; NIST DLMF 8.17.
    """
