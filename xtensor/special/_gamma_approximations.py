"""Approximations of the gamma function and its logarithm that several formulas use.

From 8, they use Stirling's series (NIST DLMF 5.11.1). From -1 to 8, an integer shifts the argument to y in [1, 2.5]
(DLMF 5.5.1), where the zeros of the logarithm are factored out and the quotient is a polynomial. Below -1, the public
functions use reflection (DLMF 5.5.3). Stated errors are in units in the last place (ulp) of double precision, measured
against mpmath.
"""

from __future__ import annotations

import math

from .. import _ops as xp
from .._core.array import Array
from ._arithmetic import polynomial

__all__ = [
    "LOGARITHM",
    "STIRLING_FROM",
    "gamma_ratio",
    "gammaln_near_two",
    "scaled_gamma",
    "shift_to_interval",
    "stirling_correction",
]

STIRLING_FROM = 8.0
"""Smallest argument for which Stirling's series is used."""

LOGARITHM = (
    *(-1.5069416728386754e-07, 2.7358340821171866e-07, 1.1196787207499e-08),
    *(-1.7642211252539126e-08, -7.242058089691726e-07, 1.3252079532403106e-06),
    *(-1.7932743600527255e-06, 3.3111117558652085e-06, -6.474995691895185e-06),
    *(1.2018712758946373e-05, -2.227242258991742e-05, 4.168906612494944e-05),
    *(-7.846314845465087e-05, 0.000148519311589166, -0.0002831904844654093),
    *(0.0005448967395731498, -0.0010605660833747756, 0.0020955338945061364),
    *(-0.004226194125675554, 0.008776370424820181, -0.01905395783025038),
    *(0.04452044719851477, -0.11948158662524273, 0.4501393121092563),
)
"""ln Γ(y) / ((y - 1) (y - 2)) as a polynomial in y - 1.75 for y in [1, 2.5], interpolated at Chebyshev nodes.

The relative error is 4e-17.
"""

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
"""Bernoulli numbers of even index from 2."""

STIRLING = tuple(number / (2 * k * (2 * k - 1)) for k, number in enumerate(BERNOULLI, 1))[::-1]


def stirling_correction(x: Array) -> Array:
    """Return the correction ``1 / (12 x) - …`` to Stirling's formula for ln Γ(x), for x from 8."""
    inverse = 1 / x
    return inverse * polynomial(STIRLING, inverse * inverse)


def shift_to_interval(x: Array) -> tuple[Array, Array]:
    """Return the integer that shifts x in [-1, 8) to y in [1, 2.5], and the number of steps downwards."""
    steps = xp.maximum(xp.floor(x - 1.5), 0.0)
    return xp.where(x < 0, 2.0, xp.where(x < 1, 1.0, -steps)), steps


def gammaln_near_two(x: Array, shift: Array) -> Array:
    """Return ln Γ(y) for y = x + shift in [1, 2.5]."""
    # y - 1 and y - 2 are computed from x, because y itself is rounded
    return (x + (shift - 1)) * (x + (shift - 2)) * polynomial(LOGARITHM, (x + shift) - 1.75)


def gamma_ratio(x: Array, steps: Array) -> Array:
    """Return Γ(x) / Γ(y) for x ≥ 1 and Γ(y) / Γ(x) for x < 1, where y is the shifted x."""
    product = xp.where(steps >= 1, x - 1, 1.0)
    for k in range(2, int(STIRLING_FROM) - 1):
        product = product * xp.where(steps >= k, x - k, 1.0)
    return xp.where(x < 0, x * (1 + x), xp.where(x < 1, x, product))


def scaled_gamma(x: Array, scale: Array | float, unit: Array | float) -> Array:
    """Return ``Γ(x) unit^-x scale`` for x > -1, without overflow of Γ(x) alone."""
    shift, steps = shift_to_interval(x)
    ratio, shifted = gamma_ratio(x, steps), xp.exp(gammaln_near_two(x, shift))
    near = xp.where(x < 1, shifted / ratio, shifted * ratio) * (unit**-x * scale)
    power = (x / unit) ** (x / 2 - 0.25)
    half = xp.where(power == math.inf, power, power * xp.exp(-x / 2))
    far = half * scale * half * (math.sqrt(2 * math.pi) * xp.exp(stirling_correction(x)) / unit**0.5)
    return xp.where(x < STIRLING_FROM, near, far)
