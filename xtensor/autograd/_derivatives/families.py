"""Functions from which derivatives of elementary and special functions are built, each closed under differentiation.

Their rules do not cancel and have no removable singularity, so that derivatives of every order keep their relative
precision in tails, at ties and next to zeros. The first operand of those with an index is a Python integer.

Source of the formulas: NIST Digital Library of Mathematical Functions, chapters 4, 6, 7, 10 and 25.
"""

from __future__ import annotations

import math
from typing import Any

from ... import _ops as xp
from ... import special
from ..._core.array import Array
from ..._core.dtypes import kind_of
from ...special._arithmetic import polynomial
from ...special.entropy import log_of_ratio_of_positive
from .._rules import differentiated_by_rules

__all__ = [
    "difference",
    "direction",
    "erfc_ratio",
    "exponential_moment",
    "gaussian_moment",
    "inverse_root",
    "inverse_root_of_sum",
    "inverse_square_of_cbrt",
    "log_of_ratio",
    "logarithm_moment",
    "logistic_density",
    "mills_ratio",
    "over",
    "over_squares",
    "quotient",
    "relative_rest",
    "share_of_powers_of_two",
    "sine_moment",
]

LN2 = math.log(2.0)
SQRT_HALF, SQRT_2 = math.sqrt(0.5), math.sqrt(2.0)


def is_complex(x: Any) -> bool:
    return kind_of(x.dtype) == "c" if isinstance(x, Array) else isinstance(x, complex)


# -- logistic functions -----------------------------------------------------------------------------------------------


@differentiated_by_rules(lambda g, out, x: -g * out * xp.tanh(x / 2))
def logistic_density(x: Array) -> Array:
    r""":math:`e^{-x} / (1 + e^{-x})^2`, the derivative of the logistic function: even, without overflow."""
    decay = xp.exp(xp.where(xp.real(x) < 0, x, -x)) if is_complex(x) else xp.exp(-xp.abs(x))
    return decay / (1 + decay) / (1 + decay)


@differentiated_by_rules(lambda g: g, lambda g: -g)
def difference(x: Any, y: Any) -> Any:
    """:math:`x - y`, 0 for equal infinities."""
    return xp.where(x == y, 0.0, x - y)


def _slope_of_share(g: Array, out: Array, x: Array) -> Any:
    return g * LN2 * out * share_of_powers_of_two(-x)


@differentiated_by_rules(_slope_of_share)
def share_of_powers_of_two(x: Array) -> Array:
    r""":math:`2^x / (1 + 2^x)`."""
    decay = 2.0 ** -xp.abs(x)
    return xp.where(x > 0, 1, decay) / (1 + decay)


# -- powers -----------------------------------------------------------------------------------------------------------


def _slope_of_inverse_root_of_sum(g: Array, out: Array, x: Array) -> Array:
    return -g * ((x * out) if is_complex(x) else direction(x, 1.0)) * out * out


@differentiated_by_rules(_slope_of_inverse_root_of_sum)
def inverse_root_of_sum(x: Array) -> Array:
    r""":math:`1 / \sqrt{1 + x^2}`."""
    if is_complex(x):
        return 1 / (xp.sqrt(1 + 1j * x) * xp.sqrt(1 - 1j * x))
    return 1 / xp.hypot(x, xp.ones_like(x))


@differentiated_by_rules(lambda g, out, x: g * (x * out) * out * out)
def inverse_root(x: Array) -> Array:
    r""":math:`1 / \sqrt{1 - x^2}`."""
    return 1 / (xp.sqrt(1 - x) * xp.sqrt(1 + x))


@differentiated_by_rules(lambda g, out, x: g * (out / x) * (-2 / 3))
def inverse_square_of_cbrt(x: Array) -> Array:
    r""":math:`x^{-2/3}`."""
    root = special.cbrt(x)
    return 1 / (root * root)


def _quotient_by_divisor(g: Array, out: Array, y: Any) -> Any:
    return -g * quotient(out, y)


@differentiated_by_rules(lambda g, y: g / y, _quotient_by_divisor)
def quotient(x: Any, y: Any) -> Any:
    """:math:`x / y`, 0 where x is 0."""
    return xp.where(x == 0, 0.0, x / y)


@differentiated_by_rules(lambda g, y: -g / y, lambda g, x, y: g * (x / y) / y)
def relative_rest(x: Array, y: Array) -> Array:
    """:math:`1 - x / y`."""
    return (y - x) / y


@differentiated_by_rules(lambda g, x: g / x, lambda g, y: -g / y)
def log_of_ratio(x: Array, y: Array) -> Array:
    r""":math:`\ln(x / y)` where the ratio may overflow or be near 1."""
    return log_of_ratio_of_positive(x, y)


def _direction_by_x(g: Array, x: Any, y: Any) -> Any:
    return g * over(direction(y, x), xp.hypot(x, y)) * direction(y, x)


def _direction_by_y(g: Array, out: Array, x: Any, y: Any) -> Any:
    return -g * over(direction(y, x), xp.hypot(x, y)) * out


@differentiated_by_rules(_direction_by_x, _direction_by_y)
def direction(x: Any, y: Any) -> Any:
    r""":math:`x / \sqrt{x^2 + y^2}`, without overflow or underflow; 0 at the origin."""
    x, y = (value if isinstance(value, Array) else xp.full_like(other, value) for value, other in ((x, y), (y, x)))
    x_infinite, y_infinite = xp.isinf(x), xp.isinf(y)
    x, y = (
        xp.where(infinite, xp.copysign(xp.ones_like(value), value), xp.where(other, 0.0, value))
        for value, infinite, other in ((x, x_infinite, y_infinite), (y, y_infinite, x_infinite))
    )
    larger = xp.maximum(xp.abs(x), xp.abs(y))
    scale = xp.where(larger == 0, 1.0, larger)
    x, y = x / scale, y / scale
    return over(x, xp.sqrt(x * x + y * y))


def _over_squares_by_x(g: Array, out: Array, x: Any, y: Any) -> Any:
    return g * (over_squares(y, x) - out) * (over_squares(y, x) + out)


def _over_squares_by_y(g: Array, out: Array, x: Any, y: Any) -> Any:
    return g * -2 * out * over_squares(y, x)


@differentiated_by_rules(_over_squares_by_x, _over_squares_by_y)
def over_squares(x: Any, y: Any) -> Any:
    """:math:`x / (x^2 + y^2)`, without overflow or underflow of a square."""
    return direction(x, y) / xp.hypot(x, y)


def over(x: Any, length: Array) -> Array:
    """Return a quotient, 0 where the divisor is 0."""
    is_zero = length == 0
    return xp.where(is_zero, 0, x / xp.where(is_zero, 1, length))


# -- error functions --------------------------------------------------------------------------------------------------


def _slope_of_moment(g: Array, x: int, y: Array) -> Array:
    higher = -2 * gaussian_moment(x + 1, y)
    return g * (x * gaussian_moment(x - 1, y) + higher if x else higher)


@differentiated_by_rules(None, _slope_of_moment)
def gaussian_moment(n: int, x: Array) -> Array:
    r""":math:`x^n e^{-x^2}`."""
    x = xp.clip(x, -40.0, 40.0)  # the exponential is 0 beyond
    coarse = xp.trunc(x * 16) / 16  # its square is exact: the exponential amplifies rounding errors
    value = xp.exp(-coarse * coarse) * xp.exp(-(x - coarse) * (x + coarse))
    return value * x**n if n else value


ERFC_TERMS = 40
"""Steps of the continued fraction for ratios of integrals of erfc, enough for operands from 2."""


def _slope_of_ratio(g: Array, out: Array, x: int, y: Array) -> Any:
    return 2 * g * out * ((x * out if x else 0.0) - (x + 1) * erfc_ratio(x + 1, y))


@differentiated_by_rules(None, _slope_of_ratio)
def erfc_ratio(n: int, x: Array) -> Array:
    r"""The ratio :math:`i^n \mathrm{erfc}(x) / i^{n-1} \mathrm{erfc}(x)` of repeated integrals (DLMF 7.18).

    A continued fraction for operands from 2, the recurrence below.
    """
    far = xp.maximum(x, 2.0)
    tail = 1 / (far + xp.sqrt(far * far + 2.0 * (n + ERFC_TERMS)))
    for k in range(n + ERFC_TERMS, n - 1, -1):
        tail = 1 / (2 * far + 2 * (k + 1) * tail)
    ratio = special.erfcx(x) * (math.sqrt(math.pi) / 2)
    for k in range(1, n + 1):
        ratio = (1 / ratio - 2 * x) / (2 * k)
    return xp.where(x >= 2, tail, ratio)


@differentiated_by_rules(lambda g, out, x: -g * out * (SQRT_2 * erfc_ratio(1, x * -SQRT_HALF)))
def mills_ratio(x: Array) -> Array:
    """The density of the normal distribution divided by its distribution function."""
    return math.sqrt(2 / math.pi) / special.erfcx(x * -SQRT_HALF)


# -- integrals over [0, 1]: functions with removable singularities ----------------------------------------------------


def _slope_of_exponential_moment(g: Array, x: int, y: Array) -> Any:
    return g * exponential_moment(x + 1, y)


@differentiated_by_rules(None, _slope_of_exponential_moment)
def exponential_moment(n: int, x: Array) -> Array:
    r""":math:`\int_0^1 t^n e^{xt} dt`, the derivative of order n of :math:`(e^x - 1) / x`."""
    near = xp.clip(x, -2.0, 2.0)
    series = polynomial([1 / (math.factorial(k) * (k + n + 1)) for k in range(22, -1, -1)], near)
    middle = xp.where(xp.abs(x) < 2, 1.0, x)
    power, value = xp.exp(middle), xp.expm1(middle) / middle
    for k in range(1, n + 1):
        value = (power - k * value) / middle
    far = xp.where(x > 80, x, 80.0)  # the exponential overflows before the quotient does
    root = xp.exp(far / 2)
    large = root * (
        root / far * polynomial([(-1) ** k * math.perm(n, k) for k in range(n, -1, -1)], 1 / far) if n else root / far
    )
    value = xp.where(x == -math.inf, 0.0, xp.where(x == math.inf, math.inf, xp.where(x > 80, large, value)))
    return xp.where(xp.abs(x) < 2, series, value)


def _slope_of_logarithm_moment(g: Array, x: int, y: Array) -> Any:
    return -(x + 1) * g * logarithm_moment(x + 1, y)


@differentiated_by_rules(None, _slope_of_logarithm_moment)
def logarithm_moment(n: int, x: Array) -> Array:
    r""":math:`\int_0^1 t^n / (1 + (x - 1) t)^{n+1} dt`: :math:`\ln x / (x - 1)` for n = 0, and its derivatives up to a
    factor.
    """
    w = (x - 1) / x
    is_near = xp.abs(w) < 0.5
    series = polynomial([1 / (n + 1 + k) for k in range(55, -1, -1)], xp.where(is_near, w, 0.0)) / x ** (n + 1)
    far = xp.where(is_near, 2.0, x)
    rest = xp.log(far)
    for k in range(1, n + 1):
        rest = rest - ((far - 1) / far) ** k / k
    return xp.where(is_near, series, rest / (far - 1) ** (n + 1))


def _slope_of_sine_moment(g: Array, x: int, y: Array) -> Any:
    return g * sine_moment(x + 1, y)


@differentiated_by_rules(None, _slope_of_sine_moment)
def sine_moment(n: int, x: Array) -> Array:
    r"""The derivative of order n of :math:`\sin x / x`, :math:`\int_0^1 t^n \cos(xt + n\pi/2) dt`."""
    is_near = xp.abs(x) < 2
    near, far = xp.where(is_near, x, 0.0), xp.where(is_near, 1.0, x)
    odd = n % 2
    # The terms of cos(xt + nπ/2) are those of ±sin or ±cos.
    sign = -1.0 if (n + 1) // 2 % 2 else 1.0
    coefficients = [sign * (-1) ** k / (math.factorial(2 * k + odd) * (2 * k + odd + n + 1)) for k in range(14, -1, -1)]
    series = polynomial(coefficients, near * near)
    if odd:
        series = series * near
    sine, cosine = xp.sin(far), xp.cos(far)
    cycle = (sine, cosine, -sine, -cosine)
    value = sine / far
    for k in range(1, n + 1):
        value = (cycle[k % 4] - k * value) / far
    return xp.where(is_near, series, value)
