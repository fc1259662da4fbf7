"""The error function for devices that have none of their own, and what other formulas need of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import xtensor as xp

from ._array import Array

__all__ = ["erf", "erfc", "polynomial"]

# Rational approximations: Cody, Rational Chebyshev Approximation for the Error Function, 1969, and his SPECFUN, CALERF.
NEAR = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)
MIDDLE = (
    (
        *(2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1),
        *(2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3),
        1.23033935479799725e3,
    ),
    (
        *(1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3),
        *(3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
    ),
)
FAR = (
    (
        *(1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1),
        *(1.60837851487422766e-2, 6.58749161529837803e-4),
    ),
    (
        *(1.0, 2.56852019228982242, 1.87295284992346047, 5.27905102951428412e-1, 6.05183413124413191e-2),
        2.33520497626869185e-3,
    ),
)


def polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """A polynomial of two coefficients or more, the highest power first."""
    value = x * coefficients[0]
    for coefficient in coefficients[1:-1]:
        value = (value + coefficient) * x
    return value + coefficients[-1]


def _quotient(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Array) -> Array:
    above, below = coefficients
    return polynomial(above, x) / polynomial(below, x)


def _erf_near_zero(x: Array) -> Array:
    return x * _quotient(NEAR, x * x)


def _erfc_of_positive(y: Array) -> Array:
    """For ``y`` from 0.46875 on: ``exp(-y²)`` times what varies slowly, y² split so that its rounding does not grow."""
    coarse = xp.trunc(y * 16) / 16
    decay = xp.exp(-coarse * coarse) * xp.exp(-(y - coarse) * (y + coarse))
    squared = 1 / (y * y)
    far = (1 / math.sqrt(math.pi) - squared * _quotient(FAR, squared)) / y
    slowly = xp.where(y <= 4, _quotient(MIDDLE, y), far)
    return xp.where(y > 30, 0.0, decay * slowly)


def erf(x: Array) -> Array:
    y = xp.abs(x)
    away = xp.copysign(1 - _erfc_of_positive(y), x)
    return xp.where(y <= 0.46875, _erf_near_zero(x), away)


def erfc(x: Array) -> Array:
    y = xp.abs(x)
    tail = _erfc_of_positive(y)
    return xp.where(y <= 0.46875, 1 - _erf_near_zero(x), xp.where(x < 0, 2 - tail, tail))
