"""Zeta functions and the dilogarithm."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from ._arithmetic import nearest_integer
from ._declaration import arrays, library_function, special
from ._gamma_approximations import scaled_gamma

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, RealOperand

__all__ = ["scaled_hurwitz_zeta", "spence", "zeta", "zetac"]

EULER_MACLAURIN = (
    *(1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600),
    *(-3617 / 10670622842880000, 43867 / 5109094217170944000, -174611 / 802857662698291200000),
    77683 / 14101100039391805440000,
)
"""Bernoulli numbers over factorials, B₂ⱼ / (2j)! (NIST DLMF 24.2 and 25.11.43)."""

REFLECTION_BASE, REFLECTION_BASE_ERROR = 4 / math.pi, -7.87147067e-17
"""8 / (2π) in double precision, and the exact quotient minus that number."""


@special()
def zeta(x: RealOperand, q: RealOperand | None = None) -> Array:
    r"""Hurwitz zeta function :math:`\zeta(x, q) = \sum_{k=0}^\infty (k + q)^{-x}`, or Riemann zeta function
    :math:`\zeta(x)`.

    Parameters
    ----------
    x
        Exponents; real numbers, at least 1 if ``q`` is given.
    q
        Offsets added to ``k``; real numbers. None means the Riemann zeta function, continued to ``x < 1``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at ``x = 1``, and where ``q`` is 0 or a negative integer. :func:`zetac` is accurate where
    ``zeta(x)`` is near 1. The formula is within 8 ulp for the Riemann zeta function, and within 5 ulp for the Hurwitz
    zeta function of positive ``q``; rounding of ``q + k`` adds ``x / 2`` ulp.

    See ``scipy.special.zeta``; NIST DLMF 25.2 and 25.11.
    """
    if q is None:
        (x,) = arrays(x)
        return _riemann_sum(x, 1.0)
    x, q = arrays(x, q)
    return scaled_hurwitz_zeta(x, q, 1.0)


@special()
def zetac(x: AnyArray, /) -> Array:
    r"""Riemann zeta function minus one, :math:`\zeta(x) - 1`.

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
    Special values: ``+inf`` at 1, 0 at ``+inf``, NaN at ``-inf``.

    See ``scipy.special.zetac``; NIST DLMF 25.2.
    """
    (x,) = arrays(x)
    return _riemann_sum(x, 2.0)


@library_function(complex=True)
def spence(z: AnyArray, /) -> Array:
    r"""Spence function :math:`\int_1^z \frac{\ln t}{1 - t} dt`, the dilogarithm :math:`\operatorname{Li}_2(1 - z)`.

    Parameters
    ----------
    z
        Array of a real dtype, nonnegative, or of a complex dtype.

    Returns
    -------
    Array
        Array of the shape of ``z`` and its floating-point dtype.

    Notes
    -----
    Special values: :math:`\pi^2 / 6` at 0, 0 at 1, NaN for negative real numbers.

    See ``scipy.special.spence``; NIST DLMF 25.12.
    """


def scaled_hurwitz_zeta(x: Array, q: Array, unit: Array | float) -> Array:
    """Return ``ζ(x, q) unit^x``; for q < 0 with the nearest integer -n and the difference r = q + n, by

    ``ζ(s, q) = r^-s + (1 + r)^-s + ζ(s, 2 + r) + (-1)^s ((1 - r)^-s + ζ(s, 2 - r) - ζ(s, 1 - q))``,

    where the last three terms are the sum over k < n, which is 0 for n = 0. The two largest terms are added first,
    because they cancel exactly at half-integers for odd s.
    """
    negative = q < 0
    nearest, rest = nearest_integer(q)
    distance = xp.abs(rest)
    excess = x - 1
    result = _euler_maclaurin(x, excess, xp.where(negative, 2 + rest, xp.abs(q)), unit)
    parity = 1 - 2 * xp.remainder(x, 2.0)
    sign = xp.where(rest < 0, parity, 1.0)
    largest = sign * ((distance / unit) ** -x + parity * ((1 - distance) / unit) ** -x)
    difference = _euler_maclaurin(x, excess, 2 - rest, unit) - _euler_maclaurin(x, excess, 1 - q, unit)
    difference = xp.where(nearest == 0, 0.0, difference)
    third = xp.where((nearest == 0) & (rest < 0), 0.0, sign * ((1 + distance) / unit) ** -x)
    continued = largest + third + result + parity * difference
    result = xp.where(negative, xp.where(xp.floor(x) == x, continued, math.nan), result)
    result = xp.where((q <= 0) & (xp.floor(q) == q), math.inf, result)
    return xp.where(x < 1, math.nan, xp.where(x == 1, math.inf, result))


def _euler_maclaurin(s: Array, excess: Array, q: Array, unit: Array | float) -> Array:
    """Return ``Σ ((q + k) / unit)^-s`` for q ≥ 0 by the Euler-Maclaurin formula (DLMF 25.11(iii)); excess is s - 1."""
    end = q + 10
    power = (end / unit) ** -s
    term = power * (s / end)
    series = term * EULER_MACLAURIN[0]
    for j, coefficient in enumerate(EULER_MACLAURIN[1:], 1):
        term = term * ((s + (2 * j - 1)) / end) * ((s + 2 * j) / end)
        series = series + term * coefficient
    series = xp.where((power > 0) & (power < math.inf), series, 0.0)
    total = series + power / 2 + (end / unit) ** -excess * unit / excess
    for k in range(9, -1, -1):
        total = total + ((q + k) / unit) ** -s
    return total


def _riemann_sum(x: Array, first: float) -> Array:
    """Return the continuation of ``Σ k^-x`` over k ≥ first, which is 1 or 2; reflected (DLMF 25.4.1) for x < 1/2."""
    reflect = x < 0.5
    s, excess = xp.where(reflect, 1 - x, x), xp.where(reflect, -x, x - 1)
    total = _euler_maclaurin(s, excess, xp.where(reflect, 1.0, xp.full_like(x, first)), 1.0)
    nearest, rest = nearest_integer(x / 2)
    sine = xp.sin(math.pi * rest) * (1 - 2 * xp.remainder(nearest, 2.0))
    # Γ(1 - x) (2π)^(x - 1) as a function of -x, which is exact, with the error of the power's rounded base
    base = float(np.asarray(REFLECTION_BASE, dtype=x.dtype))
    power = base**-x * (1 - x * ((REFLECTION_BASE - base + REFLECTION_BASE_ERROR) / base))
    reflected = scaled_gamma(-x, -x / math.pi * sine * total * power, 8.0)
    reflected = xp.where(rest == 0, 0.0, reflected)
    reflected = xp.where(xp.abs(x) < 1e-20, -0.5, reflected)
    return xp.where(reflect, reflected - (first - 1), total)
