"""Derivatives of Bessel functions: of those of the next orders, whose differences do not cancel.

Source of the formulas: NIST Digital Library of Mathematical Functions, chapter 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ... import _ops as xp
from ... import special
from ..._core.array import Array
from ...special._arithmetic import polynomial
from .._rules import differentiated_by_rules

__all__ = ["bessel_i", "bessel_j", "scaled_bessel_i", "scaled_bessel_k"]

SERIES_TO = 4.0
"""Largest magnitude for which the power series is used."""

EXPANSION_FROM = 25.0
"""Smallest magnitude for which derivatives of scaled functions use the expansion for large arguments."""


def _slope_of_bessel_j(g: Array, x: int, y: Array) -> Any:
    return g * (bessel_j(x - 1, y) - bessel_j(x + 1, y)) / 2


@differentiated_by_rules(None, _slope_of_bessel_j)
def bessel_j(n: int, x: Array) -> Array:
    """Bessel function of the first kind of integer order."""
    return _first_kind(n, x, -1.0, special.j0, special.j1)


def _slope_of_bessel_i(g: Array, x: int, y: Array) -> Any:
    return g * (bessel_i(x - 1, y) + bessel_i(x + 1, y)) / 2


@differentiated_by_rules(None, _slope_of_bessel_i)
def bessel_i(n: int, x: Array) -> Array:
    """Modified Bessel function of the first kind of integer order."""
    return _first_kind(n, x, 1.0, special.i0, special.i1)


def _first_kind(n: int, x: Array, sign: float, zero: Callable[..., Array], one: Callable[..., Array]) -> Array:
    if n < 2:
        return (zero, one)[n](x)
    is_near = xp.abs(x) < SERIES_TO
    half = xp.where(is_near, x, 0.0) / 2
    terms = [sign**k / (math.factorial(k) * math.factorial(n + k)) for k in range(17, -1, -1)]
    series = half**n * polynomial(terms, half * half)
    far = xp.where(is_near, SERIES_TO, x)
    before, value = zero(far), one(far)
    for k in range(1, n):
        before, value = value, sign * (before - 2 * k / far * value)
    return xp.where(is_near, series, value)


def _slope_of_scaled_bessel_i(g: Array, x: int, y: int, z: Array) -> Any:
    return g * scaled_bessel_i(x, y + 1, z)


@differentiated_by_rules(None, None, _slope_of_scaled_bessel_i)
def scaled_bessel_i(n: int, m: int, x: Array) -> Array:
    r"""The derivative of order m of :math:`e^{-|x|} I_n(x)`; at 0 the mean of the limits."""
    magnitude = xp.abs(x)
    sign = xp.copysign(xp.ones_like(x), x)
    near = xp.minimum(magnitude, EXPANSION_FROM)
    decay = xp.exp(-near)
    values = [special.i0e(near), special.i1e(near), *[decay * bessel_i(k, near) for k in range(2, n + m + 1)]]
    for _ in range(m):
        values = [_mean_of_neighbours(values, k) - values[k] for k in range(len(values) - 1)]
    value = xp.where(magnitude < EXPANSION_FROM, values[n], _expansion(n, m, magnitude, -1.0, 1 / (2 * math.pi)))
    if (n + m) % 2:
        value = xp.where(x == 0, value if m == 0 else 0.0, value * sign)
    return value


def _slope_of_scaled_bessel_k(g: Array, x: int, y: int, z: Array) -> Any:
    return g * scaled_bessel_k(x, y + 1, z)


@differentiated_by_rules(None, None, _slope_of_scaled_bessel_k)
def scaled_bessel_k(n: int, m: int, x: Array) -> Array:
    r"""The derivative of order m of :math:`e^x K_n(x)`."""
    near = xp.minimum(x, EXPANSION_FROM)
    values = [special.k0e(near), special.k1e(near)]
    for k in range(1, n + m):
        values.append(values[k - 1] + 2 * k / near * values[k])
    for _ in range(m):
        means = [_mean_of_neighbours(values, k) for k in range(len(values) - 1)]
        values = [xp.where(xp.isinf(mean), -mean, value - mean) for mean, value in zip(means, values, strict=False)]
    return xp.where(x < EXPANSION_FROM, values[n], _expansion(n, m, x, 1.0, math.pi / 2))


def _mean_of_neighbours(values: Sequence[Any], k: int) -> Any:
    return (values[abs(k - 1)] + values[k + 1]) / 2


def _expansion(n: int, m: int, x: Array, sign: float, factor: float) -> Array:
    """Return the derivative of order m of :math:`(f/x)^{1/2} Σ a_k (±x)^{-k}` for large x (DLMF 10.40)."""
    coefficients, a = [], 1.0
    for k in range(20):
        slope = math.prod(-(k + 0.5) - j for j in range(m))
        coefficients.append(sign**k * a * slope)
        a *= (4 * n * n - (2 * k + 1) ** 2) / (8 * (k + 1))
    far = xp.maximum(x, EXPANSION_FROM)
    return xp.sqrt(factor / far) * (1 / far) ** m * polynomial(coefficients[::-1], 1 / far)
