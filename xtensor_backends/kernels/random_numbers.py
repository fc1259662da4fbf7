"""Uniform and normal numbers of random words.

The operations are in the order of the formulas for all devices (``xtensor.random``), so that the numbers are the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from xtensor.backend import NORMAL_QUANTILES

from .values import Value, bits, cast, constant, from_bits, select, sqrt

__all__ = ["DIGITS", "HALF", "normal", "normal_quantile", "uniform"]

DIGITS = 53
"""Bits of a word that a number in double precision has."""

HALF = 2 ** (DIGITS - 1)


def uniform(x: Value, dtype: np.dtype[Any]) -> Value:
    """A number in [0, 1) of a word, or in float32 of half a word."""
    digits = DIGITS if dtype.itemsize == 8 else 24
    return cast(x >> (8 * x.dtype.itemsize - digits), dtype) * 2.0**-digits


def normal(x: Value, dtype: np.dtype[Any]) -> Value:
    """A normal number of a word, by inversion."""
    k = x >> (64 - DIGITS)
    upper = k >= HALF
    return normal_quantile(cast(select(upper, k ^ (2 * HALF - 1), k), dtype), upper)


def normal_quantile(distance: Value, upper: Value) -> Value:
    """The normal number for a uniform one, given by its distance from the nearer end in units of ``2**-DIGITS``."""
    centre, tail, logarithm = NORMAL_QUANTILES[distance.dtype.name]
    p = (distance + 0.5) * 2.0**-DIGITS
    q = -p + 0.5
    near, far = -(q * q) + 0.180625, sqrt(_negative_logarithm(p, logarithm)) - 1.6
    is_near = q <= 0.425
    numerator = select(is_near, _polynomial(near, centre[0]) * q, _polynomial(far, tail[0]))
    denominator = select(is_near, _polynomial(near, centre[1]), _polynomial(far, tail[1]))
    quantile = numerator / denominator
    return select(upper, quantile, -quantile)


def _negative_logarithm(p: Value, coefficients: tuple[float, ...]) -> Value:
    """``-ln p``; the exponent is that of the representation."""
    pattern, digits = bits(p), np.finfo(p.dtype).nmant
    root = bits(constant(p.builder, math.sqrt(0.5), p.dtype))
    exponent = (pattern - root) >> digits
    m = from_bits(pattern - (exponent << digits), p.dtype)
    s = (m - 1.0) / (m + 1.0)
    return cast(-exponent, p.dtype) * math.log(2.0) - _polynomial(s * s, coefficients) * s


def _polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    """A polynomial in descending order, without fused operations."""
    value = x * coefficients[0]
    for coefficient in coefficients[1:-1]:
        value = (value + coefficient) * x
    return value + coefficients[-1]
