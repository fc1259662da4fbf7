"""Transformations of random words to numbers, each a formula of a word (or a few) and of parameters.

A word's upper 53 bits are an integer k; the numbers are functions of k, monotonic where there is only one word. Both
tails of a distribution are computed from the distance to the nearer end, :func:`folded`, so that they are alike.

Normal numbers are made by ``+ - * /``, square roots and comparisons, which are the same on every device; the others by
logarithms, exponentials and powers too, which differ by a unit in the last place or so.
"""

from __future__ import annotations

import math

from .. import _ops as xp
from .._core.array import Array
from .._core.dtypes import DType
from .._core.random_constants import NORMAL_QUANTILES
from ..special._arithmetic import polynomial

__all__ = [
    "closed",
    "exponential",
    "folded",
    "log_uniform",
    "numbers",
    "standard_normal",
    "triangular",
    "uniform",
]

DIGITS = 53
LARGEST = 2**DIGITS - 1


def closed(words: Array, *, dtype: DType) -> Array:
    """Return numbers in [0, 1), as NumPy's Generator does: multiples of 2**-53, of 2**-24 in float32."""
    digits = DIGITS if dtype.itemsize == 8 else 24
    return xp.astype(words >> (64 - digits), dtype) * 2.0**-digits


def numbers(words: Array, *, dtype: DType) -> Array:
    """Return the integers k of words as floating-point numbers."""
    return xp.astype(words >> (64 - DIGITS), dtype)


def folded(words: Array, *, dtype: DType) -> tuple[Array, Array]:
    """Return the distance p in (0, 0.5] of the number (k + 0.5) 2**-53 to the nearer end, and whether that is 1.

    In float64 it is exact.
    """
    k = words >> (64 - DIGITS)
    upper = k > LARGEST // 2
    distance = xp.where(upper, LARGEST - k, k)
    return (xp.astype(distance, dtype) + 0.5) * 2.0**-DIGITS, upper


def log_uniform(words: Array, *, dtype: DType) -> Array:
    """Return the logarithms of uniform numbers in (0, 1]."""
    return xp.log((numbers(words, dtype=dtype) + 1.0) * 2.0**-DIGITS)


def standard_normal(words: Array, *, dtype: DType) -> Array:
    """Return quantiles of the normal distribution (inversion), from -8.2 to 8.2."""
    p, upper = folded(words, dtype=dtype)
    centre, tail, logarithm = NORMAL_QUANTILES[dtype.name]
    q = 0.5 - p
    near = 0.180625 - q * q
    far = xp.sqrt(_negative_logarithm(p, logarithm)) - 1.6
    is_near = q <= 0.425
    numerator = xp.where(is_near, polynomial(centre[0], near) * q, polynomial(tail[0], far))
    denominator = xp.where(is_near, polynomial(centre[1], near), polynomial(tail[1], far))
    quantile = numerator / denominator
    return xp.where(upper, quantile, -quantile)


def _negative_logarithm(p: Array, coefficients: tuple[float, ...]) -> Array:
    """Return -ln p for p in [2**-54, 0.5], by operations that are rounded alike on every device."""
    m = p
    for exponent in (32, 16, 8, 4, 2, 1):
        m = xp.where(m < math.sqrt(2.0) * 2.0**-exponent, m * 2.0**exponent, m)
    # The logarithm of a power of 2, whose rounding corrects what a library may have got wrong.
    exponents = -xp.round(xp.log2(p / m))
    s = (m - 1.0) / (m + 1.0)
    return exponents * math.log(2.0) - polynomial(coefficients, s * s) * s


def uniform(words: Array, low: float | Array, length: float | Array, *, dtype: DType) -> Array:
    return closed(words, dtype=dtype) * length + low


def exponential(words: Array, *, dtype: DType) -> Array:
    """Return exponential numbers -ln(1 - u), without loss of digits near either end."""
    p, upper = folded(words, dtype=dtype)
    return -xp.where(upper, xp.log(p), xp.log1p(-p))


def scaled_exponential(words: Array, scale: float | Array, *, dtype: DType) -> Array:
    return exponential(words, dtype=dtype) * scale


def laplace(words: Array, loc: float | Array, scale: float | Array, *, dtype: DType) -> Array:
    p, upper = folded(words, dtype=dtype)
    distance = -xp.log(p + p)
    return xp.where(upper, distance, -distance) * scale + loc


def logistic(words: Array, loc: float | Array, scale: float | Array, *, dtype: DType) -> Array:
    p, upper = folded(words, dtype=dtype)
    distance = xp.log1p(-p) - xp.log(p)
    return xp.where(upper, distance, -distance) * scale + loc


def gumbel(words: Array, loc: float | Array, scale: float | Array, *, dtype: DType) -> Array:
    return loc - xp.log(exponential(words, dtype=dtype)) * scale


def cauchy(words: Array, *, dtype: DType) -> Array:
    p, upper = folded(words, dtype=dtype)
    distance = 1.0 / xp.tan(p * math.pi)
    return xp.where(upper, distance, -distance)


def rayleigh(words: Array, scale: float | Array, *, dtype: DType) -> Array:
    return xp.sqrt(exponential(words, dtype=dtype) * 2.0) * scale


def weibull(words: Array, a: float | Array, *, dtype: DType) -> Array:
    return exponential(words, dtype=dtype) ** (1.0 / a)


def pareto(words: Array, a: float | Array, *, dtype: DType) -> Array:
    return xp.expm1(exponential(words, dtype=dtype) / a)


def power(words: Array, a: float | Array, *, dtype: DType) -> Array:
    return (-xp.expm1(-exponential(words, dtype=dtype))) ** (1.0 / a)


def triangular(
    words: Array, left: float | Array, base: float | Array, rise: float | Array, fall: float | Array, *, dtype: DType
) -> Array:
    """Return triangular numbers; ``base`` is right - left, ``rise`` mode - left and ``fall`` right - mode."""
    u = closed(words, dtype=dtype)
    rising = left + xp.sqrt(u * base * rise)
    falling = left + (base - xp.sqrt((1.0 - u) * base * fall))
    return xp.where(u * base <= rise, rising, falling)


def geometric(words: Array, log_failure: float | Array, *, dtype: DType) -> Array:
    """Return the number of trials as floating-point numbers; ``log_failure`` is ln(1 - p)."""
    return xp.maximum(xp.ceil(-exponential(words, dtype=dtype) / log_failure), 1.0)
