"""Bessel functions and modified Bessel functions.

The formulas of the modified functions of the first kind use the power series (NIST DLMF 10.25.2), whose terms are all
positive, up to 8, and from 8 a polynomial in 1/x of the form in Clenshaw, "Chebyshev Series for Mathematical Functions"
(1962). Their error is at most 5 units in the last place, measured against mpmath.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._arithmetic import polynomial
from ._declaration import arrays, library_function, special

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, RealOperand

__all__ = ["i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1", "yn"]

EXPANSION_FROM = 8.0
"""Smallest magnitude for which the polynomial in 1/x is used."""

EXPANSIONS = (
    (
        *(-6.121680726233731e-11, 2.2847315527305339e-10, 4.436252162003979e-10),
        *(-1.6279525719525102e-09, -1.5861717929795797e-09, 5.423544669761971e-09),
        *(4.0318830432303324e-09, -1.1356457561488009e-08, -8.989479399249335e-09),
        *(1.634889351780235e-08, 1.9051012790085347e-08, -1.2577243077509246e-08),
        *(-3.365777993846522e-08, -1.7186658027479956e-08, 1.8948515787945273e-08),
        *(5.406247424929312e-08, 9.857346574498856e-08, 2.2238842613357895e-07),
        *(7.453707853363177e-07, 3.7194545451516294e-06, 2.7931443559301777e-05),
        *(0.0003414430635239971, 0.008423654620629233, 1.0081070099672589),
    ),
    (
        *(5.620303913209126e-11, -2.3792640838772227e-10, -4.0816090754372614e-10),
        *(1.6976761246341635e-09, 1.4715573923536442e-09, -5.6710963516924836e-09),
        *(-3.814640565388938e-09, 1.1941025837689443e-08, 8.777623644619846e-09),
        *(-1.7407076098827175e-08, -1.9269081484746998e-08, 1.3966978863424138e-08),
        *(3.5222506159527835e-08, 1.7164333377698186e-08, -2.1136313164018638e-08),
        *(-5.8640370067625813e-08, -1.081071126068889e-07, -2.5068977487621657e-07),
        *(-8.732732822702345e-07, -4.5994379125537985e-06, -3.769604761643547e-05),
        *(-0.000549542564430056, -0.024438565858262318, 0.9760771874919927),
    ),
)
"""√(2πx) exp(-x) I(x) of order 0 and 1 as polynomials in 16 / x - 1 for x from 8, interpolated at Chebyshev nodes."""


@special()
def i0(x: AnyArray, /) -> Array:
    r"""Modified Bessel function of the first kind :math:`I_0(x)`.

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
    Even function; 1 at 0. At infinities, some libraries return NaN instead of the limit ``+inf``.

    See ``scipy.special.i0``; NIST DLMF 10.25.
    """
    magnitude = xp.abs(x)
    far = _without_scaling(_expansion(magnitude, 0), magnitude)
    return xp.where(magnitude < EXPANSION_FROM, _series(magnitude, 0), far)


@special()
def i0e(x: AnyArray, /) -> Array:
    r"""Scaled modified Bessel function of the first kind :math:`e^{-|x|} I_0(x)`.

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
    Even function. Special values: 1 at 0, 0 at infinities.

    See ``scipy.special.i0e``; NIST DLMF 10.25.
    """
    magnitude = xp.abs(x)
    near = xp.exp(-magnitude) * _series(magnitude, 0)
    return xp.where(magnitude < EXPANSION_FROM, near, _expansion(magnitude, 0))


@special()
def i1(x: AnyArray, /) -> Array:
    r"""Modified Bessel function of the first kind :math:`I_1(x)`.

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
    Odd function; 0 at 0. At infinities, some libraries return NaN instead of the infinite limits.

    See ``scipy.special.i1``; NIST DLMF 10.25.
    """
    (x,) = arrays(x)
    magnitude = xp.abs(x)
    near = x / 2 * _series(magnitude, 1)
    far = xp.copysign(_without_scaling(_expansion(magnitude, 1), magnitude), x)
    return xp.where(magnitude < EXPANSION_FROM, near, far)


@special()
def i1e(x: AnyArray, /) -> Array:
    r"""Scaled modified Bessel function of the first kind :math:`e^{-|x|} I_1(x)`.

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
    Odd function. Special values: 0 at 0 and at infinities.

    See ``scipy.special.i1e``; NIST DLMF 10.25.
    """
    (x,) = arrays(x)
    magnitude = xp.abs(x)
    near = xp.exp(-magnitude) * (x / 2) * _series(magnitude, 1)
    return xp.where(magnitude < EXPANSION_FROM, near, xp.copysign(_expansion(magnitude, 1), x))


@library_function()
def j0(x: AnyArray, /) -> Array:
    r"""Bessel function of the first kind :math:`J_0(x)`.

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
    Even function; 1 at 0. At infinities, some libraries return NaN instead of the limit 0.

    See ``scipy.special.j0``; NIST DLMF 10.2.
    """


@library_function()
def j1(x: AnyArray, /) -> Array:
    r"""Bessel function of the first kind :math:`J_1(x)`.

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
    Odd function; 0 at 0. At infinities, some libraries return NaN instead of the limit 0.

    See ``scipy.special.j1``; NIST DLMF 10.2.
    """


@library_function()
def k0(x: AnyArray, /) -> Array:
    r"""Modified Bessel function of the second kind :math:`K_0(x)`.

    Parameters
    ----------
    x
        Array of a real dtype; nonnegative.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 0, 0 at ``+inf``, NaN below 0.

    See ``scipy.special.k0``; NIST DLMF 10.25.
    """


@library_function()
def k0e(x: AnyArray, /) -> Array:
    r"""Scaled modified Bessel function of the second kind :math:`e^x K_0(x)`.

    Parameters
    ----------
    x
        Array of a real dtype; nonnegative.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 0, 0 at ``+inf``, NaN below 0.

    See ``scipy.special.k0e``; NIST DLMF 10.25.
    """


@library_function()
def k1(x: AnyArray, /) -> Array:
    r"""Modified Bessel function of the second kind :math:`K_1(x)`.

    Parameters
    ----------
    x
        Array of a real dtype; nonnegative.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 0, 0 at ``+inf``, NaN below 0.

    See ``scipy.special.k1``; NIST DLMF 10.25.
    """


@library_function()
def k1e(x: AnyArray, /) -> Array:
    r"""Scaled modified Bessel function of the second kind :math:`e^x K_1(x)`.

    Parameters
    ----------
    x
        Array of a real dtype; nonnegative.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 0, 0 at ``+inf``, NaN below 0.

    See ``scipy.special.k1e``; NIST DLMF 10.25.
    """


@library_function()
def y0(x: AnyArray, /) -> Array:
    r"""Bessel function of the second kind :math:`Y_0(x)`.

    Parameters
    ----------
    x
        Array of a real dtype; nonnegative.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``-inf`` at 0, NaN below 0. At ``+inf``, some libraries return NaN instead of the limit 0.

    See ``scipy.special.y0``; NIST DLMF 10.2.
    """


@library_function()
def y1(x: AnyArray, /) -> Array:
    r"""Bessel function of the second kind :math:`Y_1(x)`.

    Parameters
    ----------
    x
        Array of a real dtype; nonnegative.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``-inf`` at 0, NaN below 0. At ``+inf``, some libraries return NaN instead of the limit 0.

    See ``scipy.special.y1``; NIST DLMF 10.2.
    """


@library_function()
def yn(n: RealOperand, x: RealOperand, /) -> Array:
    r"""Bessel function of the second kind :math:`Y_n(x)` of integer order.

    Parameters
    ----------
    n
        Orders; integers.
    x
        Array of a real dtype; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: ``-inf`` at 0 for ``n >= 0``, NaN below 0.

    See ``scipy.special.yn``; NIST DLMF 10.2.
    """


def _series(x: Array, order: int) -> Array:
    """Return ``Σ (x²/4)^k order! / (k! (k + order)!)`` for order 0 or 1."""
    square = (x / 2) * (x / 2)
    total = xp.ones_like(x)
    for k in range(24 if x.dtype.itemsize == 8 else 15, 0, -1):
        total = 1 + square * total / (k * (k + order))
    return total


def _expansion(x: Array, order: int) -> Array:
    """Return ``exp(-x) I(x)`` for x from 8."""
    return polynomial(EXPANSIONS[order], 16 / x - 1) / xp.sqrt(2 * math.pi * x)


def _without_scaling(scaled: Array, x: Array) -> Array:
    """Return ``exp(x) scaled``, where exp(x) overflows before the product does."""
    growth = xp.exp(x / 2)
    return xp.where(growth == math.inf, growth, scaled * growth * growth)  # the scaled value may have underflowed
