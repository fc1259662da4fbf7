"""Regularized incomplete gamma functions and their inverses.

The formulas follow Gil, Segura and Temme, "Efficient and Accurate Algorithms for the Computation and Inversion of the
Incomplete Gamma Function Ratios" (2012). With λ = x / a, they use

- Temme's uniform expansion (NIST DLMF 8.12) for a ≥ 12 and 0.3 < λ < 2.35;
- the series of P (DLMF 8.11.4) for small x relative to a;
- the series of Q (DLMF 8.7.1) for small x and smaller a, where 1 - P would cancel;
- the continued fraction of Q (DLMF 8.9.2, contracted) elsewhere.

The error is at most 6 ulp for a < 12, and at most 3 (1 + |x - a|) ulp from 12, about the effect of an error of one ulp
in x on the smaller of P and Q.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._arithmetic import polynomial
from ._declaration import arrays, library_function, special
from ._gamma_approximations import LOGARITHM, scaled_gamma, stirling_correction
from .error_functions import erfc

if TYPE_CHECKING:
    from .._core.annotations import RealOperand

__all__ = ["gammainc", "gammaincc", "gammainccinv", "gammaincinv"]

UNIFORM_FROM = 12.0
"""Smallest a for which the uniform expansion is used."""

LOWEST_RATIO, HIGHEST_RATIO = 0.3, 2.35
"""Range of x / a in which the uniform expansion is used."""

SMALL_X = 1.1
"""Largest x for which the series of Q is used."""

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
"""Power series of η / (λ - 1) without its leading 1, where η² / 2 = λ - 1 - ln λ; by exact recurrence."""


@special()
def gammainc(a: RealOperand, x: RealOperand, /) -> Array:
    r"""Regularized lower incomplete gamma function
    :math:`P(a, x) = \frac{1}{\Gamma(a)} \int_0^x t^{a-1} e^{-t} dt`.

    Parameters
    ----------
    a
        Parameters; positive.
    x
        Upper limits of integration; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 0 at ``x = 0``, 1 at ``x = +inf`` for finite ``a``, NaN for negative operands and NaN.

    See ``scipy.special.gammainc``; NIST DLMF 8.2.
    """
    a, x = arrays(a, x)
    return _lower_and_upper(a, x)[0]


@special()
def gammaincc(a: RealOperand, x: RealOperand, /) -> Array:
    r"""Regularized upper incomplete gamma function
    :math:`Q(a, x) = \frac{1}{\Gamma(a)} \int_x^\infty t^{a-1} e^{-t} dt`.

    Parameters
    ----------
    a
        Parameters; positive.
    x
        Lower limits of integration; nonnegative.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 1 at ``x = 0``, 0 at ``x = +inf`` for finite ``a``, NaN for negative operands and NaN.

    See ``scipy.special.gammaincc``; NIST DLMF 8.2.
    """
    a, x = arrays(a, x)
    return _lower_and_upper(a, x)[1]


@library_function()
def gammaincinv(a: RealOperand, y: RealOperand, /) -> Array:
    r"""Inverse of :func:`gammainc` in its last operand: the :math:`x` with :math:`P(a, x) = y`.

    Parameters
    ----------
    a
        Parameters; positive.
    y
        Values of the function in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: 0 at ``y = 0``, ``+inf`` at ``y = 1``; NaN outside the domain.

    See ``scipy.special.gammaincinv``; NIST DLMF 8.2.
    """


@library_function()
def gammainccinv(a: RealOperand, y: RealOperand, /) -> Array:
    r"""Inverse of :func:`gammaincc` in its last operand: the :math:`x` with :math:`Q(a, x) = y`.

    Parameters
    ----------
    a
        Parameters; positive.
    y
        Values of the function in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at ``y = 0``, 0 at ``y = 1``; NaN outside the domain.

    See ``scipy.special.gammainccinv``; NIST DLMF 8.2.
    """


def _lower_and_upper(a: Array, x: Array) -> tuple[Array, Array]:
    """Return P(a, x) and Q(a, x)."""
    ratio, excess = x / a, (x - a) / a
    exponent = a * _log_minus_excess(excess, ratio)
    scale = _power_over_gamma(a, x, exponent)
    small = x <= SMALL_X
    bound = xp.where(x <= 0.5, -0.4 / xp.log(x), SMALL_X * x)
    by_lower = xp.where(a < UNIFORM_FROM, xp.where(small, a > bound, x < a), ratio <= LOWEST_RATIO)
    lower = scale * _lower_series(a, x)
    upper = xp.where(small, _upper_series(a, x), scale * a / _upper_fraction(a, x))
    lower, upper = xp.where(by_lower, lower, 1 - upper), xp.where(by_lower, 1 - lower, upper)
    uniform = (a >= UNIFORM_FROM) & (ratio > LOWEST_RATIO) & (ratio < HIGHEST_RATIO)
    uniform_lower, uniform_upper = _uniform_expansion(a, excess, exponent)
    lower, upper = xp.where(uniform, uniform_lower, lower), xp.where(uniform, uniform_upper, upper)
    lower_is_zero = (x == 0) | (a == math.inf)
    lower_is_one = (x == math.inf) | (a == 0)
    undefined = ~((a >= 0) & (x >= 0)) | (lower_is_zero & lower_is_one)
    lower = xp.where(lower_is_zero, 0.0, xp.where(lower_is_one, 1.0, lower))
    upper = xp.where(lower_is_zero, 1.0, xp.where(lower_is_one, 0.0, upper))
    return xp.where(undefined, math.nan, lower), xp.where(undefined, math.nan, upper)


def _log_minus_excess(excess: Array, ratio: Array) -> Array:
    """Return ``ln λ - (λ - 1)``, with ``ln λ = 2 artanh((λ - 1) / (λ + 1))`` near 1, where the terms would cancel."""
    t = excess / (2 + excess)
    square = t * t
    series = polynomial([1 / k for k in range(33 if t.dtype.itemsize == 8 else 15, 1, -2)], square)
    near = 2 * t * square * series - excess * t
    return xp.where(xp.abs(t) < 0.3, near, xp.log(ratio) - excess)


def _power_over_gamma(a: Array, x: Array, exponent: Array) -> Array:
    """Return ``x^a exp(-x) / Γ(a + 1)``, with no factor that overflows before the result does."""
    bounded = xp.minimum(x, 1600.0)  # the result is 0 there, and the power is finite in single precision
    decay = xp.exp(-bounded / 2)
    below_one = a < 1
    gamma_of_next = scaled_gamma(xp.where(below_one, 1 + a, a), xp.where(below_one, 1.0, a), 1.0)
    small = bounded**a * decay / gamma_of_next * decay
    power = xp.where(x < LOWEST_RATIO * a, (math.e * (x / a)) ** a * xp.exp(-x), xp.exp(exponent))
    large = power / (math.sqrt(2 * math.pi) * xp.sqrt(a)) * xp.exp(-stirling_correction(a))
    return xp.where(a < UNIFORM_FROM, small, large)


def _lower_series(a: Array, x: Array) -> Array:
    """Return ``1 + x / (a + 1) (1 + x / (a + 2) (1 + …))``."""
    total = xp.ones_like(x)
    for n in range(42 if x.dtype.itemsize == 8 else 24, 0, -1):
        total = 1 + x / (a + n) * total
    return total


def _upper_series(a: Array, x: Array) -> Array:
    """Return ``1 - x^a / Γ(a + 1) (1 + a Σ (-x)^n / (n! (a + n)))``."""
    total = 1 / (a + 20)
    for n in range(19, 0, -1):
        total = 1 / (a + n) - x / (n + 1) * total
    exponent = a * xp.log(x) - a * (a - 1) * polynomial(LOGARITHM, a - 0.75)
    return xp.exp(exponent) * (a * (x * total)) - xp.expm1(exponent)


def _upper_fraction(a: Array, x: Array) -> Array:
    """Return ``x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - …))``."""
    start = (x - a) + 1
    tail = xp.zeros_like(x)
    for k in range(90 if x.dtype.itemsize == 8 else 24, 0, -1):
        tail = k * (k - a) / (start + 2 * k - tail)
    return start - tail


def _uniform_expansion(a: Array, excess: Array, exponent: Array) -> tuple[Array, Array]:
    """Return P and Q by Temme's expansion: half an error function and ``exp(-a η²/2) / √(2πa) Σ βₙ ηⁿ``.

    With fₙ the coefficients ``UNIFORM``, the recurrence ``βₙ₋₁ = fₙ + (n + 1) / a βₙ₊₁`` starts at the last
    coefficient, and ``Γ*(a) = 1 + β₁ / a`` (Temme, "A Set of Algorithms for the Incomplete Gamma Functions", 1994).
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
