"""Special functions composed of the namespace's own, in stable formulas, for devices that have none of their own.

Each takes Arrays of one floating-point dtype (and complex ones where ``FORMULAS`` says so) on one device, and nothing
in it forces a value to the host. A formula may need a special function that the device itself has; it is then used
only there. Where a branch of a ``where`` is not chosen, what it computes does not matter: infinities and NaN come up
in those on purpose.

The error function, the gamma function and its kin, and Bessel's functions stand in modules of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import xtensor as xp

from ._array import Array
from ._bfloat16 import kind_of
from ._generic_bessel import i0, i0e, i1, i1e
from ._generic_erf import erf, erfc
from ._generic_gamma import (
    chdtr,
    chdtrc,
    gamma,
    gammainc,
    gammaincc,
    gammaln,
    gdtr,
    gdtrc,
    loggamma,
    multigammaln,
    pdtr,
    pdtrc,
    polygamma,
    psi,
    rgamma,
    zeta,
    zetac,
)

__all__ = ["FORMULAS", "Formula"]

DEGREE = math.pi / 180


@dataclass(frozen=True, slots=True)
class Formula:
    """A composed function.

    ``needs`` names special functions that the device must have itself; ``complex`` says whether complex operands are
    taken; ``preferred`` whether the formula is used everywhere, whatever the device has.
    """

    function: Callable[..., Any]
    needs: tuple[str, ...] = ()
    complex: bool = False
    preferred: bool = False


# -- powers and exponentials ----------------------------------------------------------------------------------------


def cbrt(x: Array) -> Array:
    magnitude = xp.abs(x)
    root = magnitude ** (1 / 3)
    root = root - (root - magnitude / root / root) / 3  # a step of Newton's, as 1/3 is rounded
    return xp.where((x == 0) | xp.isinf(x), x, xp.copysign(root, x))


def exp2(x: Array) -> Array:
    return 2.0**x


def exp10(x: Array) -> Array:
    return 10.0**x


def exprel(x: Array) -> Array:
    root = xp.exp(x / 2)
    result = xp.where(x > 80, root * (root / x), xp.expm1(x) / x)  # expm1 overflows before its quotient does
    return xp.where(x == 0, 1.0, xp.where(x == math.inf, x, result))


def powm1(x: Array, y: Array) -> Array:
    even = xp.remainder(y, 2.0) == 0
    base = xp.where(even, xp.abs(x), x)
    exponent = y * xp.log(base)
    return xp.where(xp.abs(exponent) < 0.5, xp.expm1(exponent), x**y - 1)


def expit(x: Array) -> Array:
    decay = xp.exp(-xp.abs(x))
    return xp.where(x < 0, decay, 1.0) / (1 + decay)


def log_expit(x: Array) -> Array:
    return xp.where(x < 0, x, 0.0) - xp.log1p(xp.exp(-xp.abs(x)))


def logit(x: Array) -> Array:
    centred = 2 * (x - 0.5)
    near_half = (x > 0.3) & (x < 0.65)
    return xp.where(near_half, xp.log1p(centred) - xp.log1p(-centred), xp.log(x / (1 - x)))


def softplus(x: Array) -> Array:
    return xp.maximum(x, 0.0) + xp.log1p(xp.exp(-xp.abs(x)))


# -- Box and Cox's transformation -------------------------------------------------------------------------------------
# exp(λ log x) would magnify the rounding of log x by the size of the exponent; pow does not.


def boxcox(x: Array, lmbda: Array) -> Array:
    return _boxcox(xp.log(x), lmbda, lambda exponent: xp.where(x < 0, math.nan, x) ** exponent)


def boxcox1p(x: Array, lmbda: Array) -> Array:
    base = xp.where(x < -1, math.nan, x)
    return _boxcox(xp.log1p(x), lmbda, lambda exponent: _power_of_sum(base, 0.0, exponent, 0.0))


def _boxcox(log: Array, lmbda: Array, power: Callable[[Array], Array]) -> Array:
    exponent = lmbda * log
    whole, half = power(lmbda), power(lmbda / 2)
    large = xp.where(xp.isinf(whole), half * (half / lmbda), (whole - 1) / lmbda)
    result = xp.where(xp.abs(exponent) < 1, xp.expm1(exponent) / lmbda, large)
    undefined = xp.isnan(exponent) | (xp.isinf(lmbda) & (exponent == math.inf))
    result = xp.where(undefined, math.nan, result)
    return xp.where((xp.abs(lmbda) < 1e-19) | (xp.abs(exponent) < 1e-20), log, result)


def inv_boxcox(x: Array, lmbda: Array) -> Array:
    product, rest = _exact_product(lmbda, x)
    inverse = 1 / lmbda
    inverted, inverted_rest = _exact_product(lmbda, inverse)
    inverse_rest = ((1 - inverted) - inverted_rest) / lmbda
    base = xp.where(product < -1, math.nan, product)
    power = _power_of_sum(base, rest, inverse, inverse_rest)
    # log(1 + p) / λ = x (1 - p/2 + p²/3 - …), where the power would magnify the rounding of 1 + p
    series = product * (-1 / 2 + product * (1 / 3 + product * (-1 / 4 + product * (1 / 5 - product / 6))))
    correction = xp.where(xp.isfinite(x), x * series, 0.0)
    near = xp.where(xp.abs(correction) < 1, xp.exp(x) * xp.exp(correction), xp.exp(x + correction))
    overflown = (product == math.inf) & xp.isfinite(x)
    power = xp.where(overflown, xp.exp(_log_of_product(x, lmbda) / lmbda), power)
    power = xp.where(xp.isinf(lmbda), math.nan, power)
    return xp.where((xp.abs(product) < 2**-10) | (lmbda == 0), near, power)


def inv_boxcox1p(x: Array, lmbda: Array) -> Array:
    product = lmbda * x
    log = xp.where((product == math.inf) & xp.isfinite(x), _log_of_product(x, lmbda), xp.log1p(product))
    exponent = xp.where((lmbda == 0) | (xp.abs(product) < 1e-30), x, log / lmbda)
    return xp.where(xp.abs(exponent) < 0.5, xp.expm1(exponent), inv_boxcox(x, lmbda) - 1)


def _log_of_product(x: Array, y: Array) -> Array:
    return xp.log(xp.abs(x)) + xp.log(xp.abs(y))


def _power_of_sum(x: Array, x_rest: Any, y: Array, y_rest: Any) -> Array:
    """``(1 + x + x_rest) ** (y + y_rest)`` where the rests are below the rounding of ``x`` and ``y``."""
    total = 1 + x
    back = total - 1
    rest = ((1 - (total - back)) + (x - back)) + x_rest
    correction = xp.log1p(rest / total) * y + y_rest * xp.log(total)
    power = total**y
    factor = xp.exp(xp.where(xp.isfinite(correction), correction, 0.0))
    return xp.where((power == 0) | xp.isinf(power), power, power * factor)


def _exact_product(x: Array, y: Array) -> tuple[Array, Array]:
    """``x y`` rounded, and what the rounding left off (Dekker 1971); the latter is NaN where halves overflow."""
    product = x * y
    x_high, x_low = _halves(x)
    y_high, y_low = _halves(y)
    rest = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, xp.where(xp.isfinite(rest), rest, 0.0)


def _halves(x: Array) -> tuple[Array, Array]:
    digits = 27 if x.dtype.itemsize == 8 else 12
    scaled = x * (2.0**digits + 1)
    high = scaled - (scaled - x)
    return high, x - high


# -- logarithms and entropies -----------------------------------------------------------------------------------------


def xlogy(x: Array, y: Array) -> Array:
    return xp.where((x == 0) & ~xp.isnan(y), 0.0, x * xp.log(y))


def xlog1py(x: Array, y: Array) -> Array:
    return xp.where((x == 0) & ~xp.isnan(y), 0.0, x * xp.log1p(y))


def entr(x: Array) -> Array:
    return xp.where(x == 0, 0.0, xp.where(x < 0, -math.inf, -x * xp.log(x)))


def rel_entr(x: Array, y: Array) -> Array:
    inside = (x > 0) & (y > 0)
    return _outside_of_entropies(x, y, 0.0, xp.where(inside, x * _log_of_ratio(x, y), math.inf))


def kl_div(x: Array, y: Array) -> Array:
    inside = (x > 0) & (y > 0)
    return _outside_of_entropies(x, y, y, xp.where(inside, x * _log_of_ratio(x, y) - x + y, math.inf))


def _log_of_ratio(x: Array, y: Array) -> Array:
    """``log(x / y)`` of positive numbers, whose ratio may be near 1, overflow or underflow."""
    ratio = x / y
    near_one = (ratio > 0.5) & (ratio < 2)
    in_range = (ratio > xp.finfo(x.dtype).smallest_normal) & (ratio < math.inf)
    plain = xp.where(near_one, xp.log1p((x - y) / y), xp.log(ratio))
    return xp.where(in_range, plain, xp.log(x) - xp.log(y))


def _outside_of_entropies(x: Array, y: Array, of_zero: Any, inside: Array) -> Array:
    result = xp.where((x == 0) & (y >= 0), of_zero, inside)
    return xp.where(xp.isnan(x) | xp.isnan(y), math.nan, result)


# -- sums of exponentials ---------------------------------------------------------------------------------------------


def softmax(x: Array, axis: Any) -> Array:
    shifted = xp.exp(x - xp.max(x, axis=axis, keepdims=True))
    return shifted / xp.sum(shifted, axis=axis, keepdims=True)


def log_softmax(x: Array, axis: Any) -> Array:
    largest = xp.max(x, axis=axis, keepdims=True)
    shifted = x - xp.where(xp.isfinite(largest), largest, 0.0)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=axis, keepdims=True))


def logsumexp(x: Array, weights: Array | None, axes: tuple[int, ...], keepdims: bool, return_sign: bool) -> Any:
    shape = x.shape if weights is None else xp.broadcast_shapes(x.shape, weights.shape)
    kept = tuple(axis for axis in range(len(shape)) if axis not in axes)
    rows = (*(shape[axis] for axis in kept), math.prod(shape[axis] for axis in axes))

    def flattened(term: Array) -> Array:
        return xp.reshape(xp.permute_dims(xp.broadcast_to(term, shape), (*kept, *axes)), rows)

    x = flattened(x)
    weights = None if weights is None else flattened(weights)
    left = tuple(1 if axis in axes else length for axis, length in enumerate(shape) if keepdims or axis not in axes)
    logarithm, sign = (xp.reshape(part, left) for part in _logarithm_and_sign(x, weights))
    if return_sign:
        return logarithm, sign
    if kind_of(x.dtype) == "f":
        return xp.where(sign < 0, math.nan, logarithm)
    return logarithm + _imaginary_unit(x) * xp.atan2(xp.imag(sign), xp.real(sign))


def _imaginary_unit(x: Array) -> Array:
    return xp.asarray(1j, dtype=x.dtype, device=x.device)


def _logarithm_and_sign(x: Array, weights: Array | None) -> tuple[Array, Array]:
    """Logarithm of the absolute value, and sign, of a sum along the last axis, which is kept with length 1.

    The largest term stands apart: ``log|m + s| = log|m| + log1p(s / m)`` is exact where the other terms are small.
    """
    if x.shape[-1] == 0:
        nothing = xp.sum(xp.real(x), axis=-1, keepdims=True)
        return nothing - math.inf, xp.astype(nothing, x.dtype)
    if weights is not None:
        x = xp.where(weights == 0, -math.inf, x)
    return (_complex_logsumexp if x.dtype.kind == "c" else _real_logsumexp)(x, weights)


def _real_logsumexp(x: Array, weights: Array | None) -> tuple[Array, Array]:
    largest = xp.max(x, axis=-1, keepdims=True)
    chosen = x == largest
    terms = xp.exp(x - largest)
    ones = xp.ones_like(x)
    if weights is not None:
        terms, ones = terms * weights, weights
    main = xp.sum(xp.where(chosen, ones, 0.0), axis=-1, keepdims=True)
    others = xp.sum(xp.where(chosen, 0.0, terms), axis=-1, keepdims=True)
    ratio = xp.where(others == 0, 0.0, others / main)
    # log|1 + r| = log1p(-r - 2) where r < -1
    apart = xp.log1p(xp.where(ratio < -1, -ratio - 2, ratio)) + xp.log(xp.abs(main))
    cancelled = (main == 0) & (weights is not None)
    logarithm = xp.where(cancelled, xp.log(xp.abs(others)), apart) + largest
    sign = xp.where(cancelled, xp.sign(others), xp.sign(main) * xp.sign(1 + ratio))
    return logarithm, xp.where(xp.isnan(logarithm), math.nan, xp.where(logarithm == -math.inf, 0.0, sign))


def _complex_logsumexp(x: Array, weights: Array | None) -> tuple[Array, Array]:
    position = xp.argmax(xp.real(x), axis=-1, keepdims=True)
    chosen = xp.arange(x.shape[-1], device=x.device) == position
    largest = xp.sum(xp.where(chosen, x, 0.0), axis=-1, keepdims=True)
    factors = xp.ones_like(x) if weights is None else weights
    main = xp.sum(xp.where(chosen, factors, 0.0), axis=-1, keepdims=True)
    others = xp.sum(xp.where(chosen, 0.0, factors * xp.exp(x - largest)), axis=-1, keepdims=True)
    apart = xp.log1p(xp.where(others == 0, 0.0, others / main)) + xp.log(main) + largest
    plain = xp.log(xp.sum(factors * xp.exp(x), axis=-1, keepdims=True))
    found = xp.where(xp.isfinite(apart), apart, plain)
    return xp.real(found), xp.cos(xp.imag(found)) + _imaginary_unit(x) * xp.sin(xp.imag(found))


# -- angles -----------------------------------------------------------------------------------------------------------
# Degrees are reduced exactly, to at most 45, before they become radians.

LARGEST_ANGLE = 1e14
"""Degrees beyond which SciPy gives 0, as an angle then has no place on the circle to speak of."""


def sindg(x: Array) -> Array:
    sine, _, quadrant, cosine = _turned(xp.abs(x))
    result = xp.where(xp.remainder(quadrant, 2.0) == 0, sine, cosine)
    result = xp.where(quadrant >= 2, -result, result)
    return _of_angle(x, xp.where(x < 0, -result, result))


def cosdg(x: Array) -> Array:
    sine, _, quadrant, cosine = _turned(xp.abs(x))
    result = xp.where(xp.remainder(quadrant, 2.0) == 0, cosine, sine)
    return _of_angle(x, xp.where((quadrant == 1) | (quadrant == 2), -result, result))


def tandg(x: Array) -> Array:
    _, tangent, quadrant, _ = _turned(xp.abs(x))
    even = xp.remainder(quadrant, 2.0) == 0
    result = xp.where(even, tangent, xp.where(tangent == 0, math.inf, -1 / tangent))
    return _of_angle(x, xp.where((x < 0) & ~xp.isinf(result), -result, result))


def cotdg(x: Array) -> Array:
    _, tangent, quadrant, _ = _turned(xp.abs(x))
    even = xp.remainder(quadrant, 2.0) == 0
    result = xp.where(even, xp.where(tangent == 0, math.inf, 1 / tangent), -tangent)
    return _of_angle(x, xp.where((x < 0) & ~xp.isinf(result), -result, result))


def _turned(x: Array) -> tuple[Array, Array, Array, Array]:
    """Sine and tangent of what is left of an angle by the nearest quarter turn, that quarter, and the cosine."""
    turn = xp.remainder(x, 360.0)
    quarter = xp.round(turn / 90)
    angle = (turn - 90 * quarter) * DEGREE
    # tan is 1 at 45 degrees, which is no number in radians
    tangent = xp.where(xp.abs(turn - 90 * quarter) == 45, xp.sign(angle), xp.tan(angle))
    return xp.sin(angle), tangent, xp.remainder(quarter, 4.0), xp.cos(angle)


def _of_angle(x: Array, result: Array) -> Array:
    return xp.where(xp.abs(x) > LARGEST_ANGLE, 0.0, result)


def radian(d: Array, m: Array, s: Array) -> Array:
    return ((d * 60 + m) * 60 + s) * (DEGREE / 3600)


def cosm1(x: Array) -> Array:
    half = xp.sin(x / 2)
    return -2 * (half * half)


def sinc(x: Array) -> Array:
    angle = math.pi * x
    return xp.where(x == 0, 1.0, xp.sin(angle) / angle)


# -- losses -----------------------------------------------------------------------------------------------------------


def huber(delta: Array, r: Array) -> Array:
    magnitude = xp.abs(r)
    result = xp.where(magnitude <= delta, 0.5 * r * r, delta * (magnitude - 0.5 * delta))
    return xp.where(delta < 0, math.inf, result)


def pseudo_huber(delta: Array, r: Array) -> Array:
    # δ² (√(1 + (r/δ)²) - 1), without its cancellation and with no square that overflows before the result does
    magnitude = xp.abs(r)
    smaller = xp.minimum(delta, magnitude)
    slope = xp.hypot(xp.ones_like(r), smaller / xp.maximum(delta, magnitude))
    result = magnitude * (smaller / (slope + xp.minimum(delta / magnitude, 1.0)))
    return xp.where(delta < 0, math.inf, xp.where((delta == 0) | (r == 0), 0.0, result))


# -- integrals and the gamma function's sign --------------------------------------------------------------------------


def gammasgn(x: Array) -> Array:
    floor = xp.floor(x)
    negative = xp.where(floor == x, math.nan, 1 - 2 * xp.remainder(floor, 2.0))
    sign = xp.where(x > 0, 1.0, xp.where(x == 0, xp.copysign(1.0, x), negative))
    return xp.where(xp.isnan(x) | (x == -math.inf), math.nan, sign)


def ellipkm1(p: Array) -> Array:
    # K = π / (2 agm(1, √p)); the means agree to the last digit after these many steps for every p
    inverted = p > 1
    argument = xp.where(inverted, 1 / p, p)
    arithmetic, geometric = xp.ones_like(p), xp.sqrt(argument)
    for _ in range(11 if p.dtype.itemsize == 8 else 8):
        arithmetic, geometric = (arithmetic + geometric) / 2, xp.sqrt(arithmetic * geometric)
    result = math.pi / (arithmetic + geometric)
    result = xp.where(inverted, result / xp.sqrt(p), result)
    return xp.where(p == 0, math.inf, xp.where(p == math.inf, 0.0, result))


def ellipk(m: Array) -> Array:
    return ellipkm1(1 - m)


# -- the normal distribution, where the device has the error function --------------------------------------------------

ROOT_REST = -4.833646656726457e-17
"""What the square root of 1/2 is beyond its double-precision number."""


def ndtr(x: Array) -> Array:
    # erfc(t) / 2 with t = -x / √2, whose rounding δ counts: erfc(t + δ) = erfc(t) exp(-2 t δ) where t is large
    root = float(np.asarray(math.sqrt(0.5), dtype=x.dtype))
    t, rest = _exact_product(-x, xp.full_like(x, root))
    rest = rest - x * (math.sqrt(0.5) - root + ROOT_REST)
    return xp.special.erfc(t) / 2 * xp.where((t > 0) & (t < 40), xp.exp(-2 * t * rest), 1.0)


def log_ndtr(x: Array) -> Array:
    lower = xp.log(xp.special.erfcx(-x * math.sqrt(0.5)) / 2) - x * (x / 2)
    return xp.where(x < -1, lower, xp.log1p(-ndtr(-x)))


def ndtri(p: Array) -> Array:
    return -math.sqrt(2) * xp.special.erfcinv(2 * p)


FORMULAS: dict[str, Formula] = {
    "boxcox": Formula(boxcox),
    "boxcox1p": Formula(boxcox1p),
    "cbrt": Formula(cbrt),
    "chdtr": Formula(chdtr),
    "chdtrc": Formula(chdtrc),
    "cosdg": Formula(cosdg),
    "cosm1": Formula(cosm1),
    "cotdg": Formula(cotdg),
    "digamma": Formula(psi),
    "ellipk": Formula(ellipk),
    "ellipkm1": Formula(ellipkm1),
    "entr": Formula(entr),
    "erf": Formula(erf),
    "erfc": Formula(erfc),
    "exp10": Formula(exp10),
    "exp2": Formula(exp2),
    "expit": Formula(expit),
    "exprel": Formula(exprel),
    "gamma": Formula(gamma),
    "gammainc": Formula(gammainc),
    "gammaincc": Formula(gammaincc),
    "gammaln": Formula(gammaln),
    "gammasgn": Formula(gammasgn),
    "gdtr": Formula(gdtr),
    "gdtrc": Formula(gdtrc),
    "huber": Formula(huber),
    "i0": Formula(i0),
    "i0e": Formula(i0e),
    "i1": Formula(i1),
    "i1e": Formula(i1e),
    "inv_boxcox": Formula(inv_boxcox),
    "inv_boxcox1p": Formula(inv_boxcox1p),
    "kl_div": Formula(kl_div),
    "log_expit": Formula(log_expit),
    "log_ndtr": Formula(log_ndtr, needs=("erfc", "erfcx")),
    "log_softmax": Formula(log_softmax, preferred=True),
    "loggamma": Formula(loggamma),
    "logit": Formula(logit),
    "logsumexp": Formula(logsumexp, complex=True, preferred=True),
    "multigammaln": Formula(multigammaln),
    "ndtr": Formula(ndtr, needs=("erfc",)),
    "ndtri": Formula(ndtri, needs=("erfcinv",)),
    "pdtr": Formula(pdtr),
    "pdtrc": Formula(pdtrc),
    "polygamma": Formula(polygamma),
    "powm1": Formula(powm1),
    "pseudo_huber": Formula(pseudo_huber),
    "psi": Formula(psi),
    "radian": Formula(radian),
    "rel_entr": Formula(rel_entr),
    "rgamma": Formula(rgamma),
    "sinc": Formula(sinc, complex=True, preferred=True),
    "sindg": Formula(sindg),
    "softmax": Formula(softmax, preferred=True),
    "softplus": Formula(softplus),
    "tandg": Formula(tandg),
    "xlog1py": Formula(xlog1py, complex=True),
    "xlogy": Formula(xlogy, complex=True),
    "zeta": Formula(zeta),
    "zetac": Formula(zetac),
}
"""The composed functions by name."""
