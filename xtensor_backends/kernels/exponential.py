"""Exponential and logarithmic functions.

Exponentials reduce to ``x = n log(2) + r`` with ``|r| <= log(2) / 2``; logarithms to ``x = 2**k (1 + f)`` with
``1 + f`` between the square roots of 1/2 and 2 (Muller, Elementary Functions, chapters 5 and 11). The polynomials are
minimax approximations of the relative error, fitted with Remez's algorithm; each states the function that it
approximates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .library import library
from .values import Formula, Value, bits, cast, constant, copysign, fabs, fma, from_bits, maximum, select

__all__ = [
    "LN2",
    "TABLE",
    "Format",
    "exp",
    "exp2",
    "exp10",
    "expm1",
    "exponential",
    "format_of",
    "log",
    "log1p",
    "log1p_of_small",
    "log2",
    "log10",
    "log_sigmoid",
    "logaddexp",
    "logaddexp2",
    "logit",
    "polynomial",
    "sigmoid",
    "silu",
    "softplus",
    "split_number",
]


class Format(NamedTuple):
    """Constants of a floating-point format.

    Attributes
    ----------
    magic
        Adding it rounds a number to an integer, which its low bits then hold.
    bias, digits
        The exponent's bias, and the stored bits of the significand.
    ln2, log10_2
        Two parts of log(2) and log10(2); a multiple of the first one by an exponent is exact.
    lowest, highest
        Arguments of exp beyond them give 0, also after multiplication by themselves, and infinity.
    exp
        Coefficients of ``(exp(r) - 1 - r) / r**2``; for float64 the largest error of ``exp(r)`` is the least (Remez).
    log
        Coefficients of ``log(1 + f)``: of ``(2 atanh(s) / s - 2) / s**2`` in ``s**2`` with ``s = f / (2 + f)`` for
        float64, found likewise; of ``(log(1 + f) - f + f**2 / 2) / f**3`` for float32, which spares the division.
    """

    magic: float
    bias: int
    digits: int
    ln2: tuple[float, float]
    log10_2: tuple[float, float]
    lowest: float
    highest: float
    exp: tuple[float, ...]
    log: tuple[float, ...]


SINGLE = Format(
    1.5 * 2.0**23,
    127,
    23,
    (0.693145751953125, 1.428606765330187e-06),
    (0.30103302001953125, -3.024355464731343e-06),
    -112.0,
    89.0,
    (0.5, 0.16666512, 0.041666187, 0.008369596, 0.0013951609),
    (0.3333333, -0.2500082, 0.20001225, -0.16623361, 0.142018, -0.13160183, 0.12761313, -0.076341845),
)
DOUBLE = Format(
    1.5 * 2.0**52,
    1023,
    52,
    (0.6931471805598903, 5.497923018708371e-14),
    (0.30102999566395283, 2.8363394551044964e-14),
    -760.0,
    710.0,
    (
        0.5000000000000011,
        0.16666666666666413,
        0.041666666666530155,
        0.008333333333494461,
        0.0013888888943630134,
        0.00019841269506578723,
        2.480149309888739e-05,
        2.755758637378518e-06,
        2.763024838532302e-07,
        2.500006162553128e-08,
    ),
    (
        0.6666666666666734,
        0.3999999999941396,
        0.285714287425628,
        0.22222198553736855,
        0.1818356540907182,
        0.15314021086040608,
        0.14796261382999656,
    ),
)

LN2 = 0.6931471805599453
LOG2_E = 1.4426950408889634
LN10 = 2.302585092994046
LOG2_10 = 3.321928094887362
LOG10_E = 0.4342944819032518


def format_of(x: Value) -> Format:
    """The constants of a value's dtype."""
    return DOUBLE if x.dtype.itemsize == 8 else SINGLE


def polynomial(x: Value, coefficients: tuple[float, ...]) -> Value:
    """A polynomial by Horner's rule, coefficients in ascending order."""
    result = constant(x.builder, coefficients[-1], x.dtype)
    for coefficient in coefficients[-2::-1]:
        result = fma(result, x, coefficient)
    return result


def _reduce(x: Value) -> tuple[Value, Value]:
    """The integer ``n`` nearest to ``x / log(2)``, and ``r = x - n log(2)``."""
    form = format_of(x)
    shifted = fma(x, LOG2_E, form.magic)
    n = shifted - form.magic
    rest = fma(n, -form.ln2[1], fma(n, -form.ln2[0], x))
    return bits(shifted) - bits(constant(x.builder, form.magic, x.dtype)), rest


def _powers(x: Value, multiplier: float, below: Value) -> tuple[Value, tuple[Value, Value]]:
    """The integer ``n`` nearest to ``x * multiplier``, as a floating-point number, and two factors of ``2**n``.

    The first factor times a number near 1 is a normal number, so that the product with both is rounded once. ``n`` is
    between -1.3 and 1.1 of the largest exponent. ``below`` says whether ``x < 0``.
    """
    form = format_of(x)
    offset = (form.bias + 1) // 2
    # The low bits of the sum are the first factor's exponent.
    magic = select(
        below,
        constant(x.builder, form.magic + form.bias + offset, x.dtype),
        constant(x.builder, form.magic + form.bias - offset, x.dtype),
    )
    shifted = fma(x, multiplier, magic)
    second = select(below, constant(x.builder, 2.0**-offset, x.dtype), constant(x.builder, 2.0**offset, x.dtype))
    return shifted - magic, (from_bits(bits(shifted) << form.digits, x.dtype), second)


def _limited(x: Value, low: float, high: float) -> Value:
    """The operand within limits; NaN stays."""
    x = select(x < low, constant(x.builder, low, x.dtype), x)
    return select(x > high, constant(x.builder, high, x.dtype), x)


def exponential(
    x: Value,
    correction: Value | None = None,
    *,
    factor: Value | None = None,
    halved: bool = False,
    limits: tuple[float, float] | None = None,
) -> Value:
    """``factor * exp(x + correction)`` for a small correction; half of it where ``halved``.

    Only the result itself overflows or underflows, for factors up to 1000 and from 1/64 on. ``limits`` are those that
    ``x`` is known to keep to, within the format's own.
    """
    form = format_of(x)
    limited, below = x, x < 0
    if limits is None:
        limited = _limited(x, form.lowest, form.highest + 5.0)
        if correction is not None:
            # Where the argument is beyond the limits, the correction may be too large for the polynomial.
            correction = select(limited == x, correction, 0.0)
    elif 0.0 in limits:
        below = constant(x.builder, limits[1] == 0.0, np.bool_)
    n, powers = _powers(limited, LOG2_E, below)
    rest = fma(n, -form.ln2[1], fma(n, -form.ln2[0], limited))
    if correction is not None:
        rest = rest + correction
    part = fma(rest * rest, polynomial(rest, form.exp), rest)
    result = part + 1.0 if factor is None else fma(part, factor, factor)
    second = powers[1] * 0.5 if halved else powers[1]
    return result * powers[0] * second


@library("exp")
def exp(x: Value) -> Value:
    """The exponential function."""
    return exponential(x)


def exp2(x: Value) -> Value:
    """The exponential function of base 2."""
    form = format_of(x)
    limited = _limited(x, form.lowest / LN2 - 1, form.highest / LN2 + 1)
    n, powers = _powers(limited, 1.0, x < 0)
    rest = (limited - n) * LN2
    return (fma(rest * rest, polynomial(rest, form.exp), rest) + 1.0) * powers[0] * powers[1]


@library("expm1")
def expm1(x: Value) -> Value:
    """``exp(x) - 1``."""
    form = format_of(x)
    n, rest = _reduce(_limited(x, -2.0 * form.digits, form.highest))
    power = from_bits((n + (form.bias - 1)) << form.digits, x.dtype)
    # Half of the result, as 2**1024 is no number.
    part = fma(rest * rest, polynomial(rest, form.exp), rest)
    result = fma(part, power, power - 0.5) * 2.0
    return select(fabs(x) < 2.0 ** -(form.digits + 2), x, result)


def exp10(x: Value) -> Value:
    """The exponential function of base 10."""
    form = format_of(x)
    limited = _limited(x, form.lowest / LN10 - 1, form.highest / LN10 + 1)
    n, powers = _powers(limited, LOG2_10, x < 0)
    rest = fma(n, -form.log10_2[1], fma(n, -form.log10_2[0], limited)) * LN10
    return (fma(rest * rest, polynomial(rest, form.exp), rest) + 1.0) * powers[0] * powers[1]


def split_number(x: Value) -> tuple[Value, Value]:
    """``k``, as a floating-point number, and ``m`` between sqrt(1/2) and sqrt(2), with ``x = 2**k m``; ``x > 0``."""
    form = format_of(x)
    subnormal = x < 2.0 ** (1 - form.bias)
    k, _, m = _split_normal(select(subnormal, x * 2.0 ** (form.digits + 2), x))
    return select(subnormal, k - (form.digits + 2.0), k), m


def _split_normal(x: Value) -> tuple[Value, Value, Value]:
    """``k`` and ``m`` of a normal number as in :func:`split_number`, and between them ``k`` plus the bias in bits."""
    form = format_of(x)
    pattern = bits(x)
    base = bits(constant(x.builder, 0.7071067811865476, x.dtype))
    one = bits(constant(x.builder, 1.0, x.dtype))
    magic = bits(constant(x.builder, form.magic, x.dtype))
    shifted = pattern + (one - base)
    exponent = cast(cast(shifted, f"u{x.dtype.itemsize}") >> form.digits, pattern.dtype)
    mantissa = from_bits((shifted & (2**form.digits - 1)) + base, x.dtype)
    return from_bits(exponent + magic, x.dtype) - (form.magic + form.bias), exponent, mantissa


def log1p_of_small(f: Value) -> tuple[Value, Value]:
    """Two numbers with the sum ``log(1 + f)`` for ``1 + f`` between sqrt(1/2) and sqrt(2); the first one is ``f``."""
    form = format_of(f)
    half_square = f * f * 0.5
    if form is SINGLE:
        return f, fma(f * f * f, polynomial(f, form.log), -half_square)
    s = f / (f + 2.0)
    z = s * s
    return f, -(half_square - s * (half_square + z * polynomial(z, form.log)))


def _with_exponent(k: Value, f: Value, parts: tuple[float, float]) -> Value:
    high, low = log1p_of_small(f)
    return fma(k, parts[0], high + fma(k, parts[1], low))


def _with_edges(u: Value, x: Value, result: Value) -> Value:
    """The logarithm's value for an operand ``x`` with an argument ``u``: also at 0, infinity, NaN and below 0."""
    infinity = float("inf")
    below = select(u == 0, constant(x.builder, -infinity, x.dtype), constant(x.builder, float("nan"), x.dtype))
    return select(u > 0, select(x < infinity, result, x), below)


@library("log")
def log(x: Value) -> Value:
    """The natural logarithm."""
    k, m = split_number(x)
    return _with_edges(x, x, _with_exponent(k, m - 1.0, format_of(x).ln2))


@library("log2")
def log2(x: Value) -> Value:
    """The logarithm of base 2, exact for powers of 2."""
    k, m = split_number(x)
    high, low = log1p_of_small(m - 1.0)
    return _with_edges(x, x, fma(high + low, LOG2_E, k))


@library("log10")
def log10(x: Value) -> Value:
    """The logarithm of base 10."""
    k, m = split_number(x)
    high, low = log1p_of_small(m - 1.0)
    parts = format_of(x).log10_2
    return _with_edges(x, x, fma(k, parts[0], fma(high + low, LOG10_E, k * parts[1])))


@library("log1p")
def log1p(x: Value) -> Value:
    """``log(1 + x)``. The rounding error of ``1 + x`` is added to the reduced argument.

    ``u - 1`` is exact up to ``2**(digits + 1)``, and so is the error. Beyond, the error is less than the result's.
    """
    form = format_of(x)
    u = x + 1.0
    error = x - (u - 1.0)
    k, exponent, m = _split_normal(u)  # 1 + x is no subnormal number
    power = from_bits((2 * form.bias - exponent) << form.digits, x.dtype)
    # For larger arguments 1 vanishes, and the power may not exist.
    f = select(x < 2.0 ** (form.digits + 4), fma(error, power, m - 1.0), m - 1.0)
    result = _with_exponent(k, f, form.ln2)
    result = copysign(result, x)
    return _with_edges(u, x, result)


def silu(x: Value) -> Value:
    """``x * sigmoid(x)``; -0 at minus infinity."""
    below = -fabs(x)
    form = format_of(x)
    # The product underflows later than the exponential function.
    limited = select(x < form.lowest, constant(x.builder, form.lowest, x.dtype), x)
    product = exponential(below, factor=limited)
    return select(x < 0, product, x) / (exp(below) + 1.0)


def logaddexp(a: Value, b: Value) -> Value:
    """``log(exp(a) + exp(b))``."""
    return select(a == b, a + LN2, _larger(a, b) + log1p(exp(-fabs(a - b))))


def logaddexp2(a: Value, b: Value) -> Value:
    """``log2(2**a + 2**b)``."""
    return select(a == b, a + 1.0, _larger(a, b) + log1p(exp2(-fabs(a - b))) * LOG2_E)


def _larger(a: Value, b: Value) -> Value:
    """The larger number; one of both where one is NaN, as their difference is then."""
    return select(a > b, a, b)


def softplus(x: Value) -> Value:
    """``log(1 + exp(x))``."""
    return maximum(x, 0.0) + log1p(exp(-fabs(x)))


def log_sigmoid(x: Value) -> Value:
    """The logarithm of :func:`sigmoid`."""
    return -softplus(-x)


def logit(x: Value) -> Value:
    """``log(x / (1 - x))``, the inverse of :func:`sigmoid`.

    The argument of log1p is exact near its zero, at 1/2. The reciprocal of a tiny operand would overflow.
    """
    form = format_of(x)
    tiny = fabs(x) < 2.0 ** (4 - form.bias)
    shift = 2 * form.digits
    x = select(x == 0, fabs(x), select(tiny, x * 2.0**shift, x))
    low = x < 0.5
    double = x + x
    part = log1p(select(low, 1.0 - double, double - 1.0) / select(low, x, 1.0 - x))
    part = select(low, -part, part)
    return select(tiny, part - shift * LN2, part)


def sigmoid(x: Value) -> Value:
    """``1 / (1 + exp(-x))``, also where ``exp(-x)`` overflows."""
    small = exp(-fabs(x))
    one = constant(x.builder, 1.0, x.dtype)
    return select(x < 0, small, one) / (small + 1.0)


TABLE: dict[str, Formula] = {
    "exp": Formula(exp),
    "exp2": Formula(exp2),
    "expm1": Formula(expm1),
    "log": Formula(log),
    "log10": Formula(log10),
    "log1p": Formula(log1p),
    "log2": Formula(log2),
    "logaddexp": Formula(logaddexp),
    "logaddexp2": Formula(logaddexp2),
    "nn.silu": Formula(silu),
    "special.exp2": Formula(exp2),
    "special.exp10": Formula(exp10),
    "special.expit": Formula(sigmoid),
    "special.log_expit": Formula(log_sigmoid),
    "special.logit": Formula(logit),
    "special.softplus": Formula(softplus),
}
"""The formulas of these functions."""
