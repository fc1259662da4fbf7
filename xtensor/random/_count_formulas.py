"""Probabilities of counts, and the proposals of the rejection that draws from them.

The logarithm of a factorial is written as ln k! = k ln k - k + g(k), so that the logarithms of probabilities are sums
of small terms, also where k is large (Loader, "Fast and Accurate Computation of Binomial Probabilities", 2000).

One rejection serves the Poisson, the binomial and the hypergeometric distribution: the ratio of uniforms with a table
mountain hat, whose width is a function of the variance (Stadlober, "The Ratio of Uniforms Approach for Generating
Discrete Random Variates", 1990). It takes 1.3 to 4.5 attempts on average.
"""

from __future__ import annotations

import math

from .. import _ops as xp
from .._core.array import Array
from ..special._gamma_approximations import stirling_correction
from ..special.gamma_functions import gammaln
from . import _formulas as formulas

__all__ = [
    "binomial_logarithm",
    "hat_width",
    "hypergeometric_logarithm",
    "poisson_logarithm",
    "propose_binomial",
    "propose_hypergeometric",
    "propose_poisson",
    "propose_zipf",
]

TINY = 1e-300
LARGEST = 2.0**63 - 1024
"""The largest float64 below 2**63."""


def hat_width(variance: Array) -> Array:
    """Return the width of the hat, in units of the count, for a variance."""
    return 2.0 * math.sqrt(2.0 / math.e) * xp.sqrt(variance + 0.5) + (3.0 - 2.0 * math.sqrt(3.0 / math.e))


def factorial_rest(k: Array) -> Array:
    """Return g(k) = ln k! - k ln k + k."""
    small, large = xp.clip(k, 1.0, 16.0), xp.maximum(k, 16.0)
    near = gammaln(small + 1.0) - small * xp.log(small) + small
    far = stirling_correction(large) + 0.5 * xp.log(2.0 * math.pi * large)
    return xp.where(k == 0, 0.0, xp.where(k < 16.0, near, far))


def deviance(k: Array, mean: Array) -> Array:
    """Return k ln(k / mean) + mean - k, for a positive mean."""
    t = (k - mean) / mean
    return mean * xp.where(k == 0, 1.0, (1.0 + t) * xp.log1p(xp.maximum(t, -1.0 + 1e-16)) - t)


def poisson_logarithm(k: Array, mean: Array) -> Array:
    """Return the logarithm of the probability of k events."""
    return -factorial_rest(k) - deviance(k, mean)


def binomial_logarithm(k: Array, n: Array, p: Array) -> Array:
    """Return the logarithm of the probability of k successes, up to a constant in k."""
    failures = n - k
    rest = factorial_rest(k) + factorial_rest(failures)
    return -rest - deviance(k, xp.maximum(n * p, TINY)) - deviance(failures, xp.maximum(n * (1.0 - p), TINY))


def hypergeometric_logarithm(k: Array, good: Array, bad: Array, sample: Array) -> Array:
    """Return the logarithm of the probability of k good ones, up to a constant in k."""
    p = sample / xp.maximum(good + bad, 1.0)
    return binomial_logarithm(k, good, p) + binomial_logarithm(sample - k, bad, p)


def _ratio(first: Array, second: Array, mean: Array, width: Array) -> tuple[Array, Array]:
    """Return a proposed count, and the bound that the logarithm of its probability over the mode's has to reach."""
    u = (formulas.numbers(first, dtype=mean.dtype) + 1.0) * 2.0**-53
    v = formulas.closed(second, dtype=mean.dtype) - 0.5
    return xp.floor(mean + 0.5 + width * (v / u)), 2.0 * xp.log(u)


def propose_poisson(first: Array, second: Array, mean: Array, top: Array) -> tuple[Array, Array]:
    """Propose a count; ``top`` is the logarithm of the mode's probability."""
    k, bound = _ratio(first, second, mean, hat_width(mean))
    inside = (k >= 0.0) & (k <= LARGEST)
    k = xp.clip(k, 0.0, LARGEST)
    return k, inside & (bound <= poisson_logarithm(k, xp.maximum(mean, TINY)) - top)


def propose_binomial(first: Array, second: Array, n: Array, p: Array, top: Array) -> tuple[Array, Array]:
    """Propose a count for a probability p up to 0.5."""
    mean = n * p
    k, bound = _ratio(first, second, mean, hat_width(mean * (1.0 - p)))
    inside = (k >= 0.0) & (k <= n)
    k = xp.clip(k, 0.0, n)
    return k, inside & (bound <= binomial_logarithm(k, n, p) - top)


def propose_hypergeometric(
    first: Array, second: Array, good: Array, bad: Array, sample: Array, top: Array
) -> tuple[Array, Array]:
    """Propose a count of good ones."""
    total = xp.maximum(good + bad, 1.0)
    share = good / total
    variance = sample * share * (1.0 - share) * ((total - sample) / xp.maximum(total - 1.0, 1.0))
    k, bound = _ratio(first, second, sample * share, hat_width(variance))
    least, greatest = xp.maximum(sample - bad, 0.0), xp.minimum(sample, good)
    inside = (k >= least) & (k <= greatest)
    k = xp.clip(k, least, greatest)
    return k, inside & (bound <= hypergeometric_logarithm(k, good, bad, sample) - top)


def propose_zipf(first: Array, second: Array, a: Array) -> tuple[Array, Array]:
    """Propose a count (Devroye, "Non-Uniform Random Variate Generation", 1986, X.6.1)."""
    less = a - 1.0
    # Only numbers below 2**63 are proposed: near 1, almost all others would be rejected.
    smallest = xp.exp(-less * math.log(2.0**63))
    u = smallest + (1.0 - smallest) * ((formulas.numbers(first, dtype=a.dtype) + 1.0) * 2.0**-53)
    k = xp.floor(xp.exp(-xp.log(u) / less))
    inside = k <= LARGEST
    k = xp.minimum(k, LARGEST)
    # t - 1 without cancellation, where t = (1 + 1/k)**(a-1).
    excess = xp.expm1(less * xp.log1p(1.0 / k))
    v = formulas.closed(second, dtype=a.dtype)
    scaled = v * k * excess / (2.0**less - 1.0)
    return k, inside & (scaled * 2.0**less <= excess + 1.0)
