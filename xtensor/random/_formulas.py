"""Transformations of random words to numbers, each a formula of a word (or a few) and of parameters.

A word's upper 53 bits are an integer k; the numbers are functions of k, monotonic where there is only one word. Both
tails of a distribution are computed from the distance to the nearer end, :func:`folded`, so that they are alike.

The formulas use ``+ - * /``, square roots and comparisons, which are the same on every device, and logarithms,
exponentials and powers, which differ by a unit in the last place or so.
"""

from __future__ import annotations

import math

from .. import _standard as xp
from .._core.array import Array
from .._core.dtypes import DType
from ..special._arithmetic import polynomial

__all__ = [
    "closed",
    "exponential",
    "folded",
    "log_uniform",
    "normal",
    "numbers",
    "standard_normal",
    "triangular",
    "uniform",
]

DIGITS = 53
LARGEST = 2**DIGITS - 1

Rational = tuple[tuple[float, ...], tuple[float, ...]]

CENTRE: Rational = (
    (
        *(2468.9431444658812, 33014.162381654314, 66635.336460692, 45611.94217816436),
        *(13669.05825600673, 1966.1727563891284, 132.97557252498027, 3.3871328727963665),
    ),
    (
        *(5150.705491358515, 28403.519641636594, 38971.51886462146, 21082.488037262166),
        *(5371.535278175255, 685.4399980188399, 42.26429354450019, 1.0),
    ),
)
"""Quantile of the normal distribution over q for the probability 0.5 - q, of 0.425² - q² for q to 0.425.

The relative error is 9e-17. All coefficients are positive, so that rounding errors do not grow.
"""

TAIL: Rational = (
    (
        *(3.435046034701212e-05, 0.0018008439232250558, 0.03213735483844103, 0.2779424334684572, 1.3319089874530208),
        *(3.684900266769458, 5.761961915736988, 4.620265998732652, 1.4234371107496835),
    ),
    (
        *(2.4288760099196067e-05, 0.0012346669214452586, 0.020821871980564725, 0.16593255359408557),
        *(0.7113520303767695, 1.6795800902943405, 2.0461159031317226, 1.0),
    ),
)
"""Quantile of the normal distribution for the probability p from 2**-55 to 0.075, of √(-ln p) - 1.6.

The relative error is 2e-17.
"""

CENTRE32: Rational = (
    (58.16237056896734, 157.91562370237972, 50.264204391073875, 3.3871326884585806),
    (66.3110909100337, 78.20147257379678, 17.84495326786251, 1.0),
)
TAIL32: Rational = (
    (0.036506673326478035, 0.5074232644423232, 2.110181215115734, 3.191833285195594, 1.4234371126568068),
    (0.025805707730482578, 0.31805850503252836, 1.042606466931247, 1.0),
)
"""The same for float32. All four were fitted in higher precision, by least squares at Chebyshev nodes."""


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
    """Return quantiles of the normal distribution (inversion): one word for a number, tails to 8.2 in both directions.

    Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution" (1988), has the two regions.
    """
    p, upper = folded(words, dtype=dtype)
    centre, tail = (CENTRE, TAIL) if dtype.itemsize == 8 else (CENTRE32, TAIL32)
    q = 0.5 - p
    near = 0.180625 - q * q
    far = xp.sqrt(-xp.log(p)) - 1.6
    is_near = q <= 0.425
    numerator = xp.where(is_near, polynomial(centre[0], near) * q, polynomial(tail[0], far))
    denominator = xp.where(is_near, polynomial(centre[1], near), polynomial(tail[1], far))
    quantile = numerator / denominator
    return xp.where(upper, quantile, -quantile)


def normal(words: Array, loc: float | Array, scale: float | Array, *, dtype: DType) -> Array:
    return standard_normal(words, dtype=dtype) * scale + loc


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


def lognormal(words: Array, mean: float | Array, sigma: float | Array, *, dtype: DType) -> Array:
    return xp.exp(normal(words, mean, sigma, dtype=dtype))


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
