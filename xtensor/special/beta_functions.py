"""Beta function, incomplete beta functions and binomial coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.array import Array
from ._declaration import library_function

if TYPE_CHECKING:
    from .._core.annotations import RealOperand

__all__ = ["betainc", "betaincc", "betaincinv", "betaln", "binom"]


@library_function()
def betainc(a: RealOperand, b: RealOperand, x: RealOperand, /) -> Array:
    r"""Regularized incomplete beta function
    :math:`I_x(a, b) = \frac{1}{B(a, b)} \int_0^x t^{a-1} (1 - t)^{b-1} dt`.

    Parameters
    ----------
    a, b
        Parameters; positive.
    x
        Upper limits of integration in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 0 at ``x = 0``, 1 at ``x = 1``; NaN outside the domain, and where an operand is NaN.

    See ``scipy.special.betainc``; NIST DLMF 8.17.
    """


@library_function()
def betaincc(a: RealOperand, b: RealOperand, x: RealOperand, /) -> Array:
    r"""Complement :math:`1 - I_x(a, b)` of the regularized incomplete beta function, computed without cancellation.

    Parameters
    ----------
    a, b
        Parameters; positive.
    x
        Lower limits of integration in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 1 at ``x = 0``, 0 at ``x = 1``; NaN outside the domain, and where an operand is NaN.

    See ``scipy.special.betaincc``; NIST DLMF 8.17.
    """


@library_function()
def betaincinv(a: RealOperand, b: RealOperand, y: RealOperand, /) -> Array:
    r"""Inverse of the regularized incomplete beta function: the :math:`x` with :math:`I_x(a, b) = y`.

    Parameters
    ----------
    a, b
        Parameters; positive.
    y
        Values of the regularized incomplete beta function in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 0 at ``y = 0``, 1 at ``y = 1``; NaN outside the domain, and where an operand is NaN.

    See ``scipy.special.betaincinv``; NIST DLMF 8.17.
    """


@library_function()
def betaln(a: RealOperand, b: RealOperand, /) -> Array:
    r"""Logarithm of the absolute value of the beta function, :math:`\ln |B(a, b)|`.

    Parameters
    ----------
    a, b
        Parameters; real numbers.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at poles, where ``a`` or ``b`` is 0 or a negative integer.

    See ``scipy.special.betaln``; NIST DLMF 5.12.
    """


@library_function()
def binom(n: RealOperand, k: RealOperand, /) -> Array:
    r"""Binomial coefficient :math:`\binom{n}{k} = \frac{\Gamma(n + 1)}{\Gamma(k + 1) \Gamma(n - k + 1)}`.

    Parameters
    ----------
    n, k
        Real numbers.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    The gamma function defines it for non-integers. It is NaN for negative integers ``n``.

    See ``scipy.special.binom``; NIST DLMF 1.2.
    """
