"""Exponential integrals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._core.array import Array
from ._declaration import library_function

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, RealOperand

__all__ = ["exp1", "expi", "expn"]


@library_function(complex=True)
def exp1(x: AnyArray, /) -> Array:
    r"""Exponential integral :math:`E_1(x) = \int_1^\infty \frac{e^{-xt}}{t} dt`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 0, NaN for negative real numbers. Complex numbers have a branch cut along the negative
    real axis.

    See ``scipy.special.exp1``; NIST DLMF 6.2.
    """


@library_function(complex=True)
def expi(x: AnyArray, /) -> Array:
    r"""Exponential integral :math:`\operatorname{Ei}(x) = \int_{-\infty}^x \frac{e^t}{t} dt`; the principal value
    for :math:`x > 0`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``-inf`` at 0, 0 at ``-inf``, ``+inf`` at ``+inf``.

    See ``scipy.special.expi``; NIST DLMF 6.2.
    """


@library_function()
def expn(n: RealOperand, x: RealOperand, /) -> Array:
    r"""Generalized exponential integral :math:`E_n(x) = \int_1^\infty \frac{e^{-xt}}{t^n} dt`.

    Parameters
    ----------
    n
        Orders; nonnegative integers.
    x
        Array of a real dtype; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: at ``x = 0``, ``1 / (n - 1)`` for ``n > 1`` and ``+inf`` otherwise; NaN outside the domain and for
    NaN.

    See ``scipy.special.expn``; NIST DLMF 8.19.
    """
