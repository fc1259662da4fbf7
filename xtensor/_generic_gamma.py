"""The gamma function and its kin for devices that have none of their own: real operands, the whole real line.

As in ``_generic_special``: operands are Arrays of one floating-point dtype on one device, no value is forced to the
host, and a branch that ``where`` does not choose may give anything. The series have a fixed number of terms, the one
that the hardest operand of the branch needs. Digits are stated in units of the last place (ulp) of double precision,
measured against mpmath.
"""

from __future__ import annotations

import math

import numpy as np

import xtensor as xp

from ._array import Array
from ._generic_erf import erfc, polynomial

__all__ = [
    "chdtr",
    "chdtrc",
    "gamma",
    "gammainc",
    "gammaincc",
    "gammaln",
    "gdtr",
    "gdtrc",
    "loggamma",
    "multigammaln",
    "pdtr",
    "pdtrc",
    "polygamma",
    "psi",
    "rgamma",
    "zeta",
    "zetac",
]

# -- the gamma function, its logarithm and its logarithm's derivative -------------------------------------------------
# From 8 on by Stirling's series (NIST DLMF, 5.11.1 and 5.11.2). From -1 to 8 the argument is lifted or lowered by a
# whole number to y, from 1 to 2.5 (DLMF, 5.5.1 and 5.5.2), where the zeros of the functions are divided out and the
# rest is a polynomial. Below -1 by reflection (DLMF, 5.5.3 and 5.5.4).

FAR = 8.0

# Polynomials in y - 1.75 for y from 1 to 2.5, by interpolation at Chebyshev's nodes.
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
"""Of ln Γ(y) / ((y - 1) (y - 2)); the relative error is 4e-17."""

DERIVATIVE = (
    *(-3.2935074030722783e-06, 5.76365634372951e-06, 1.0291383034539685e-06),
    *(-1.800914949009462e-06, -1.3261470594699286e-05, 2.32082489796975e-05),
    *(-2.669467310498993e-05, 4.6720720962308e-05, -8.926346778394534e-05),
    *(0.000156249430035497, -0.00027088207535043765, 0.0004743363459893717),
    *(-0.0008315298346895101, 0.0014574293103879056, -0.0025566832807120605),
    *(0.004491808244822196, -0.007910468964123119, 0.01398578650500961),
    *(-0.02489004848337945, 0.044799654443056884, -0.08228558635584395),
    *(0.15712011335215764, -0.32625462786810555, 0.8581832171262993),
)
"""Of ψ(y) / (y - 1.4616…), which is its zero; the relative error is 3e-16."""

ZERO, ZERO_REST = 0.46163214496836236, -1.552234816e-17
"""Where ψ(1 + t) is 0: the double-precision number, and what is left."""

STIRLING = tuple(
    bernoulli / (2 * k * (2 * k - 1))
    for k, bernoulli in enumerate((1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510), 1)
)[::-1]

ASYMPTOTIC = tuple(
    bernoulli / (2 * k)
    for k, bernoulli in enumerate(
        (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798), 1
    )
)[::-1]


def _stirling(x: Array) -> Array:
    """What Stirling's formula for ln Γ(x) leaves, ``1/(12 x) - …``; for ``x`` from 8 on."""
    inverse = 1 / x
    return inverse * polynomial(STIRLING, inverse * inverse)


def _lifted(x: Array) -> tuple[Array, Array]:
    """The whole number that takes ``x``, from -1 to 8, to between 1 and 2.5, and how many steps down that is."""
    steps = xp.maximum(xp.floor(x - 1.5), 0.0)
    return xp.where(x < 0, 2.0, xp.where(x < 1, 1.0, -steps)), steps


def _logarithm_near(x: Array, lift: Array) -> Array:
    # y - 1 and y - 2 are exact where y is not
    return (x + (lift - 1)) * (x + (lift - 2)) * polynomial(LOGARITHM, (x + lift) - 1.75)


def _step_factors(x: Array, steps: Array) -> Array:
    """What ``Γ(x)`` is of ``Γ(y)`` where ``x >= 1``; where it is less, what ``Γ(y)`` is of ``Γ(x)``."""
    below = xp.where(steps >= 1, x - 1, 1.0)
    for k in range(2, int(FAR) - 1):
        below = below * xp.where(steps >= k, x - k, 1.0)
    return xp.where(x < 0, x * (1 + x), xp.where(x < 1, x, below))


def _from_nearest_whole(x: Array) -> tuple[Array, Array]:
    nearest = xp.round(x)
    return nearest, x - nearest


def gammaln(x: Array) -> Array:
    r"""By the formulas above, ``ln|Γ(x)| = -ln|x sin(πx) / π| - ln Γ(-x)`` below -1.

    Within 3 ulp from -1 on; below, where it has zeros, within 3 ulp of the largest term.
    """
    mirrored = x <= -1
    magnitude = xp.where(mirrored, -x, x)
    lift, steps = _lifted(magnitude)
    logarithm = xp.log(xp.abs(_step_factors(magnitude, steps)))
    near = _logarithm_near(magnitude, lift) + xp.where(magnitude < 1, -logarithm, logarithm)
    constant = math.log(2 * math.pi) / 2 - 0.5
    far = (magnitude - 0.5) * (xp.log(magnitude) - 1) + (constant + _stirling(magnitude))
    result = xp.where(magnitude < FAR, near, far)
    _, rest = _from_nearest_whole(x)
    sine = xp.abs(xp.sin(math.pi * rest))
    reflected = xp.where(rest == 0, math.inf, -xp.log(magnitude * (sine / math.pi)) - result)
    return xp.where(xp.isinf(x), x, xp.where(mirrored, reflected, result))


def loggamma(x: Array) -> Array:
    return xp.where(x < 0, math.nan, gammaln(x))


def multigammaln(a: Array, d: int) -> Array:
    """``d (d - 1) / 4 ln π + Σ ln Γ(a - j/2)`` (DLMF, 35.3.4).

    The one formula that waits for a value, a boolean: what is out of its domain raises ValueError.
    """
    if bool(xp.any(a <= (d - 1) / 2)):
        raise ValueError(f"multigammaln(): with d = {d}, every element of a is above {(d - 1) / 2}")
    result = gammaln(a)
    for j in range(1, d):
        result = result + gammaln(a - j / 2)
    return result + d * (d - 1) / 4 * math.log(math.pi)


def _gamma_times(x: Array, scale: Array | float, unit: Array | float) -> Array:
    """``Γ(x) unit^-x scale`` for ``x > -1``; it is multiplied by halves, as Γ alone may overflow."""
    lift, steps = _lifted(x)
    factors, gamma_of_lifted = _step_factors(x, steps), xp.exp(_logarithm_near(x, lift))
    near = xp.where(x < 1, gamma_of_lifted / factors, gamma_of_lifted * factors) * (unit**-x * scale)
    power = (x / unit) ** (x / 2 - 0.25)
    half = xp.where(power == math.inf, power, power * xp.exp(-x / 2))
    far = half * scale * half * (math.sqrt(2 * math.pi) * xp.exp(_stirling(x)) / unit**0.5)
    return xp.where(x < FAR, near, far)


def gamma(x: Array) -> Array:
    """By Stirling's formula with its power in two halves; ``-π / (x sin(πx) Γ(-x))`` below -1. Within 7 ulp."""
    mirrored = x <= -1
    magnitude = xp.where(mirrored, -x, x)
    result = _gamma_times(magnitude, 1.0, 1.0)
    nearest, rest = _from_nearest_whole(x)
    sine = xp.sin(math.pi * rest) * (1 - 2 * xp.remainder(nearest, 2.0))
    reflected = xp.where(rest == 0, math.nan, math.pi / (magnitude * sine) / result)
    return xp.where(x == math.inf, x, xp.where(mirrored, reflected, result))


def rgamma(x: Array) -> Array:
    return xp.where((x == -math.inf) | ((x < 0) & (xp.floor(x) == x)), 0.0, 1 / gamma(x))


def psi(x: Array) -> Array:
    """By the formulas above, ``ψ(x) = ψ(-x) - 1/x - π cot(πx)`` below -1.

    Within 4 ulp from -1/2 on; below, where it has more zeros, within 4 ulp of the largest term.
    """
    mirrored = x <= -1
    magnitude = xp.where(mirrored, -x, x)
    lift, steps = _lifted(magnitude)
    root = float(np.asarray(ZERO, dtype=x.dtype))
    from_zero = ((magnitude + (lift - 1)) - root) - (ZERO - root + ZERO_REST)
    reciprocals = xp.where(steps >= 1, 1 / (magnitude - 1), 0.0)
    for k in range(2, int(FAR) - 1):
        reciprocals = reciprocals + xp.where(steps >= k, 1 / (magnitude - k), 0.0)
    below_zero = -(1 + 2 * magnitude) / (magnitude * (1 + magnitude))
    reciprocals = xp.where(magnitude < 0, below_zero, xp.where(magnitude < 1, -1 / magnitude, reciprocals))
    near = from_zero * polynomial(DERIVATIVE, (magnitude + lift) - 1.75) + reciprocals
    inverse = 1 / magnitude
    squared = inverse * inverse
    far = xp.log(magnitude) - inverse / 2 - squared * polynomial(ASYMPTOTIC, squared)
    result = xp.where(magnitude < FAR, near, far)
    _, rest = _from_nearest_whole(x)
    outer = xp.abs(rest) > 0.25
    tangent = xp.tan(math.pi * xp.where(outer, 0.5 - xp.abs(rest), rest))
    # exact zeros of the cotangent at halves
    cotangent = xp.where(outer, xp.copysign(tangent, rest), 1 / tangent)
    reflected = result + inverse - math.pi * cotangent
    return xp.where(mirrored, xp.where(rest == 0, math.nan, reflected), result)


# -- the zeta functions and the derivatives of ψ ----------------------------------------------------------------------

EULER_MACLAURIN = (
    *(1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600),
    *(-3617 / 10670622842880000, 43867 / 5109094217170944000, -174611 / 802857662698291200000),
    77683 / 14101100039391805440000,
)
"""Bernoulli's numbers over factorials, B₂ⱼ / (2 j)! (DLMF, 24.2 and 25.11.43)."""

UNIT_OF_TURN, UNIT_REST = 4 / math.pi, -7.87147067e-17
"""8 / 2π, and what it is beyond its double-precision number."""


def _hurwitz(s: Array, excess: Array, q: Array, unit: Array | float) -> Array:
    """``Σ ((q + k) / unit)^-s`` for ``q >= 0``, by Euler and Maclaurin's formula (DLMF, 25.11(iii)); excess: s - 1."""
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


def zeta(x: Array, q: Array | None = None) -> Array:
    """Hurwitz' function, or Riemann's, which is within 8 ulp.

    Hurwitz' is within 5 ulp for positive ``q``, and ``x / 2`` more where ``q + k`` is rounded.
    """
    return _riemann(x, 1.0) if q is None else _zeta(x, q, 1.0)


def _zeta(x: Array, q: Array, unit: Array | float) -> Array:
    """``ζ(x, q) unit^x``; for ``q < 0``, whose nearest whole number is ``-n`` and what it is beyond that ``r``, by

    ``ζ(s, q) = r^-s + (1 + r)^-s + ζ(s, 2 + r) + (-1)^s ((1 - r)^-s + ζ(s, 2 - r) - ζ(s, 1 - q))``,

    where the last three terms are the sum over ``k < n``, and nothing for ``n = 0``. The two largest come first, as at
    halves and odd ``s`` they are opposite.
    """
    negative = q < 0
    nearest, rest = _from_nearest_whole(q)
    distance = xp.abs(rest)
    excess = x - 1
    result = _hurwitz(x, excess, xp.where(negative, 2 + rest, xp.abs(q)), unit)
    parity = 1 - 2 * xp.remainder(x, 2.0)
    sign = xp.where(rest < 0, parity, 1.0)
    largest = sign * ((distance / unit) ** -x + parity * ((1 - distance) / unit) ** -x)
    beyond = xp.where(nearest == 0, 0.0, _hurwitz(x, excess, 2 - rest, unit) - _hurwitz(x, excess, 1 - q, unit))
    third = xp.where((nearest == 0) & (rest < 0), 0.0, sign * ((1 + distance) / unit) ** -x)
    continued = largest + third + result + parity * beyond
    result = xp.where(negative, xp.where(xp.floor(x) == x, continued, math.nan), result)
    result = xp.where((q <= 0) & (xp.floor(q) == q), math.inf, result)
    return xp.where(x < 1, math.nan, xp.where(x == 1, math.inf, result))


def zetac(x: Array) -> Array:
    return _riemann(x, 2.0)


def _riemann(x: Array, first: float) -> Array:
    """The sum of ``k^-x`` from ``first``, 1 or 2, on; reflected (DLMF, 25.4.1) where ``x`` is less than 1/2."""
    mirrored = x < 0.5
    s, excess = xp.where(mirrored, 1 - x, x), xp.where(mirrored, -x, x - 1)
    total = _hurwitz(s, excess, xp.where(mirrored, 1.0, xp.full_like(x, first)), 1.0)
    nearest, rest = _from_nearest_whole(x / 2)
    sine = xp.sin(math.pi * rest) * (1 - 2 * xp.remainder(nearest, 2.0))
    # Γ(1 - x) (2π)^(x - 1) of what is exact, -x, with what the rounding of 8 / 2π makes of its power
    base = float(np.asarray(UNIT_OF_TURN, dtype=x.dtype))
    power = base**-x * (1 - x * ((UNIT_OF_TURN - base + UNIT_REST) / base))
    reflected = _gamma_times(-x, -x / math.pi * sine * total * power, 8.0)
    reflected = xp.where(rest == 0, 0.0, reflected)
    reflected = xp.where(xp.abs(x) < 1e-20, -0.5, reflected)
    return xp.where(mirrored, reflected - (first - 1), total)


def polygamma(n: Array, x: Array) -> Array:
    """``(-1)^(n + 1) n! ζ(n + 1, x)`` (DLMF, 5.15.1 and 25.11.12), in units in which neither factor overflows.

    Within 9 ulp for positive ``x``, and ``n / 2`` more where ``x + k`` is rounded.
    """
    order = n + 1
    extent = xp.clip(x, 0.5, 2.0**20)
    unit = xp.where(order < FAR, 1.0, 2.0 ** xp.round(xp.log2(order / math.e * extent) / 2))
    magnitude = _gamma_times(order, _zeta(order, x, unit), unit)
    derivative = xp.where(xp.remainder(n, 2.0) == 0, -magnitude, magnitude)
    result = xp.where(n == 0, psi(x), derivative)
    return xp.where((n >= 0) & (n - xp.floor(n) == 0), result, math.nan)


# -- the incomplete gamma functions -----------------------------------------------------------------------------------
# The scheme of Gil, Segura and Temme, Efficient and Accurate Algorithms for the Computation and Inversion of the
# Incomplete Gamma Function Ratios, 2012: with λ = x / a,
# - a >= 12 and 0.3 < λ < 2.35: Temme's uniform expansion (DLMF, 8.12);
# - small x beside a: the series of P (DLMF, 8.11.4);
# - small x and smaller a, where Q is no longer 1 - P: the series of Q (DLMF, 8.7.1);
# - otherwise: the continued fraction of Q (DLMF, 8.9.2, contracted).
# The error is within 6 ulp where a < 12, and beyond within 3 ulp times 1 + |x - a|, about what an ulp of x makes of the
# smaller of P and Q.

UNIFORM_FROM = 12.0
LOWEST_RATIO, HIGHEST_RATIO = 0.3, 2.35
SMALL = 1.1

UNIFORM = (
    *(-0.3333333333333333, 0.08333333333333333, -0.014814814814814815),
    *(0.0011574074074074073, 0.0003527336860670194, -0.0001787551440329218),
    *(3.919263178522438e-05, -2.185448510679992e-06, -1.85406221071516e-06),
    *(8.296711340953087e-07, -1.7665952736826078e-07, 6.707853543401498e-09),
    *(1.0261809784240309e-08, -4.382036018453353e-09, 9.14769958223679e-10),
    *(-2.5514193994946248e-11, -5.830772132550426e-11, 2.4361948020667415e-11),
    *(-5.0276692801141755e-12, 1.1004392031956135e-13, 3.371763262400985e-13),
    *(-1.392388722418162e-13, 2.8534893807047445e-14, -5.139111834242572e-16),
    *(-1.9752288294349442e-15, 8.099521156704561e-16, -1.6522531216398162e-16),
    *(2.5305430097478883e-18, 1.1686939738559576e-17, -4.770037049820485e-18),
)
"""The power series of ``η / (λ - 1)`` after its 1, where ``η² / 2 = λ - 1 - ln λ``, by exact recurrence."""


def gammainc(a: Array, x: Array) -> Array:
    return _incomplete(a, x)[0]


def gammaincc(a: Array, x: Array) -> Array:
    return _incomplete(a, x)[1]


def _incomplete(a: Array, x: Array) -> tuple[Array, Array]:
    """``P(a, x)`` and ``Q(a, x)``."""
    excess = (x - a) / a
    exponent = a * _log_less_its_argument(excess, x / a)
    scale = _power_over_gamma(a, x, exponent)
    ratio = x / a
    small = x <= SMALL
    bound = xp.where(x <= 0.5, -0.4 / xp.log(x), SMALL * x)
    lower = xp.where(a < UNIFORM_FROM, xp.where(small, a > bound, x < a), ratio <= LOWEST_RATIO)
    first = scale * _lower_series(a, x)
    second = xp.where(small, _upper_series(a, x), scale * a / _upper_fraction(a, x))
    uniform = (a >= UNIFORM_FROM) & (ratio > LOWEST_RATIO) & (ratio < HIGHEST_RATIO)
    below, above = _uniform(a, excess, exponent)
    below = xp.where(uniform, below, xp.where(lower, first, 1 - second))
    above = xp.where(uniform, above, xp.where(lower, 1 - first, second))
    nothing = (x == 0) | (a == math.inf)
    everything = (x == math.inf) | (a == 0)
    undefined = ~((a >= 0) & (x >= 0)) | (nothing & everything)
    below = xp.where(nothing, 0.0, xp.where(everything, 1.0, below))
    above = xp.where(nothing, 1.0, xp.where(everything, 0.0, above))
    return xp.where(undefined, math.nan, below), xp.where(undefined, math.nan, above)


def _log_less_its_argument(excess: Array, ratio: Array) -> Array:
    """``ln λ - (λ - 1)``, by ``ln λ = 2 artanh t`` with ``t = (λ - 1) / (λ + 1)`` where it would cancel."""
    t = excess / (2 + excess)
    squared = t * t
    series = polynomial([1 / k for k in range(33 if t.dtype.itemsize == 8 else 15, 1, -2)], squared)
    near = 2 * t * squared * series - excess * t
    return xp.where(xp.abs(t) < 0.3, near, xp.log(ratio) - excess)


def _power_over_gamma(a: Array, x: Array, exponent: Array) -> Array:
    """``x^a exp(-x) / Γ(a + 1)``, with no factor that overflows before it does."""
    bounded = xp.minimum(x, 1600.0)  # there it is 0, and its power is a number in single precision
    decay = xp.exp(-bounded / 2)
    lifted = a < 1
    gamma_of_next = _gamma_times(xp.where(lifted, 1 + a, a), xp.where(lifted, 1.0, a), 1.0)
    small = bounded**a * decay / gamma_of_next * decay
    power = xp.where(x < LOWEST_RATIO * a, (math.e * (x / a)) ** a * xp.exp(-x), xp.exp(exponent))
    large = power / (math.sqrt(2 * math.pi) * xp.sqrt(a)) * xp.exp(-_stirling(a))
    return xp.where(a < UNIFORM_FROM, small, large)


def _lower_series(a: Array, x: Array) -> Array:
    """``1 + x/(a + 1) (1 + x/(a + 2) (1 + …))``."""
    total = xp.ones_like(x)
    for n in range(42 if x.dtype.itemsize == 8 else 24, 0, -1):
        total = 1 + x / (a + n) * total
    return total


def _upper_series(a: Array, x: Array) -> Array:
    """``1 - x^a / Γ(a + 1) (1 + a Σ (-x)^n / (n! (a + n)))``."""
    total = 1 / (a + 20)
    for n in range(19, 0, -1):
        total = 1 / (a + n) - x / (n + 1) * total
    power = a * xp.log(x) - a * (a - 1) * polynomial(LOGARITHM, a - 0.75)
    return xp.exp(power) * (a * (x * total)) - xp.expm1(power)


def _upper_fraction(a: Array, x: Array) -> Array:
    """``x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - …))``."""
    start = (x - a) + 1
    tail = xp.zeros_like(x)
    for k in range(90 if x.dtype.itemsize == 8 else 24, 0, -1):
        tail = k * (k - a) / (start + 2 * k - tail)
    return start - tail


def _uniform(a: Array, excess: Array, exponent: Array) -> tuple[Array, Array]:
    """Temme's expansion, ``P`` and ``Q`` as half an error function and a rest, ``exp(-a η²/2) / √(2πa) Σ βₙ ηⁿ``.

    With ``fₙ`` the coefficients above, ``βₙ₋₁ = fₙ + (n + 1) / a βₙ₊₁``, from the last one on down, and
    ``Γ*(a) = 1 + β₁ / a`` (Temme, A Set of Algorithms for the Incomplete Gamma Functions, 1994).
    """
    half = xp.sqrt(-exponent)
    eta = xp.copysign(xp.sqrt(-2 * exponent / a), excess)
    after, beta = xp.zeros_like(a), xp.zeros_like(a)
    total = xp.zeros_like(a)
    for n in range(len(UNIFORM), 0, -1):
        after, beta = beta, UNIFORM[n - 1] + (n + 1) / a * after
        total = beta + eta * total
    rest = xp.exp(exponent) / (math.sqrt(2 * math.pi) * xp.sqrt(a)) * (total / (1 + after / a))
    signed = xp.copysign(half, excess)
    return erfc(-signed) / 2 - rest, erfc(signed) / 2 + rest


# -- the distributions that are incomplete gamma functions ------------------------------------------------------------


def chdtr(v: Array, x: Array) -> Array:
    return gammainc(v / 2, x / 2)


def chdtrc(v: Array, x: Array) -> Array:
    return gammaincc(v / 2, x / 2)


def gdtr(a: Array, b: Array, x: Array) -> Array:
    return xp.where(x < 0, math.nan, gammainc(b, a * x))


def gdtrc(a: Array, b: Array, x: Array) -> Array:
    return xp.where(x < 0, math.nan, gammaincc(b, a * x))


def pdtr(k: Array, m: Array) -> Array:
    return xp.where(k < 0, math.nan, gammaincc(xp.floor(k) + 1, m))


def pdtrc(k: Array, m: Array) -> Array:
    return xp.where(k < 0, math.nan, gammainc(xp.floor(k) + 1, m))
