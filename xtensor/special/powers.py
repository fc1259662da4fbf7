"""Roots, powers, and differences of powers from one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from .._ops.elementwise import powers
from ._declaration import arrays, special

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, RealOperand

__all__ = ["cbrt", "exp2", "exp10", "exprel", "powm1"]


@special()
def cbrt(x: AnyArray, /) -> Array:
    r"""Real cube root :math:`\sqrt[3]{x}`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Odd function: ``cbrt(-x) == -cbrt(x)``. Zeros and infinities are returned unchanged.

    See ``scipy.special.cbrt``.
    """
    return powers.cbrt(x)


@special()
def exp2(x: AnyArray, /) -> Array:
    r"""Power of two, :math:`2^x`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: 0 at ``-inf``, ``+inf`` at ``+inf``. Exact for integers.

    See ``scipy.special.exp2``; NIST DLMF 4.2.
    """
    (x,) = arrays(x)
    return 2.0**x


@special()
def exp10(x: AnyArray, /) -> Array:
    r"""Power of ten, :math:`10^x`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: 0 at ``-inf``, ``+inf`` at ``+inf``. Exact for integers whose power is representable.

    See ``scipy.special.exp10``; NIST DLMF 4.2.
    """
    (x,) = arrays(x)
    return 10.0**x


@special()
def exprel(x: AnyArray, /) -> Array:
    r"""Relative exponential :math:`(e^x - 1) / x`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: 1 at 0, 0 at ``-inf``, ``+inf`` at ``+inf``.

    See ``scipy.special.exprel``; NIST DLMF 4.2.
    """
    (x,) = arrays(x)
    root = xp.exp(x / 2)
    result = xp.where(x > 80, root * (root / x), xp.expm1(x) / x)  # expm1 overflows before the quotient does
    return xp.where(x == 0, 1.0, xp.where(x == math.inf, x, result))


@special()
def powm1(x: RealOperand, y: RealOperand, /) -> Array:
    r"""Power minus one, :math:`x^y - 1`, computed without cancellation where the power is near 1.

    Parameters
    ----------
    x
        Bases.
    y
        Exponents.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN for ``x < 0`` where ``y`` is not an integer.

    See ``scipy.special.powm1``.
    """
    x, y = arrays(x, y)
    even = xp.remainder(y, 2.0) == 0
    base = xp.where(even, xp.abs(x), x)
    exponent = y * xp.log(base)
    return xp.where(xp.abs(exponent) < 0.5, xp.expm1(exponent), x**y - 1)
