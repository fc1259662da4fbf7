"""Confluent hypergeometric function and associated Legendre functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.array import Array
from ._declaration import library_function

if TYPE_CHECKING:
    from .._core.annotations import Operand, RealOperand

__all__ = ["hyp1f1", "lpmv"]


@library_function(complex=True, real_operands=2)
def hyp1f1(a: Operand, b: Operand, x: Operand, /) -> Array:
    r"""Confluent hypergeometric function :math:`M(a, b, x) = \sum_{n=0}^\infty \frac{(a)_n}{(b)_n} \frac{x^n}{n!}`.

    Parameters
    ----------
    a, b
        Parameters; real numbers.
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` where ``b`` is 0 or a negative integer, unless the series ends earlier. Beyond ``abs(x)``
    of 10\ :sup:`11`, real values are those of the leading asymptotic terms, and NaN where ``a`` or ``b`` exceeds
    ``abs(x) / 10000``.

    See ``scipy.special.hyp1f1``; NIST DLMF 13.2.
    """


@library_function()
def lpmv(m: RealOperand, v: RealOperand, x: RealOperand, /) -> Array:
    r"""Associated Legendre function :math:`P_v^m(x) = (-1)^m (1 - x^2)^{m/2} \frac{d^m}{dx^m} P_v(x)`.

    Parameters
    ----------
    m
        Orders; integers.
    v
        Degrees; real numbers.
    x
        Array of a real dtype in ``[-1, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN where ``abs(x) > 1``. The Condon-Shortley phase is included.

    See ``scipy.special.lpmv``; NIST DLMF 14.3.
    """
