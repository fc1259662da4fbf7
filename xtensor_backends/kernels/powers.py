"""Powers and roots."""

from __future__ import annotations

import numpy as np

from .exponential import DOUBLE, exponential, format_of, polynomial, split_number
from .library import library
from .values import (
    Formula,
    Value,
    bits,
    cast,
    constant,
    copysign,
    fabs,
    floor,
    fma,
    from_bits,
    isfinite,
    isinf,
    isnan,
    maximum,
    minimum,
    rint,
    select,
    signbit,
    sqrt,
    two_product,
)

__all__ = ["TABLE", "cbrt", "hypot", "hypot_without_double", "log_parts", "power", "power_without_double"]

LOG_2 = 0.6931471805599453
TWO_THIRDS = {
    np.dtype(np.float32): (0.6666666865348816, -1.986821492305628e-08),
    np.dtype(np.float64): (0.6666666666666666, 3.700743415417188e-17),
}
"""Two parts of 2/3."""

LOG = (
    0.39999999999999974,
    0.2857142857144626,
    0.2222222221725526,
    0.18181818904956476,
    0.15384554501580622,
    0.13336408703713545,
    0.11672964608884442,
    0.1200444937643662,
)
"""Minimax coefficients of ``((2 atanh(s) / s - 2) / s**2 - 2/3) / s**2`` in ``s**2``."""

SINGLE_LOG = (0.6666666560450141, 0.40000345332506276, 0.2853661373838447, 0.23596192469893637)
"""Minimax coefficients of ``(2 atanh(s) / s - 2) / s**2`` in ``s**2``, to 37 bits of the logarithm."""

SINGLE_EXP = (0.5000000100600405, 0.1666651291272698, 0.041666188922499035, 0.008369595830552407, 0.0013951608580984039)
"""Minimax coefficients of ``(exp(r) - 1 - r) / r**2`` up to log(2) / 2, to 28 bits of the exponential function."""

CBRT = (1.6700260167840821, -1.1729157336988958, 0.6954993864637432, -0.22123630393746194, 0.028589281549611316)
"""Minimax coefficients of ``x**(-1/3)`` from 1 to 2."""


def log_parts(x: Value) -> tuple[Value, Value]:
    """Two numbers with the sum ``log(x)`` for finite ``x > 0``, with an error below 2**-64 of it in float64.

    The logarithm is ``2 s + s z (2/3 + z LOG(z))`` with ``z = s * s``; all but the polynomial has its
    rounding error with it.
    """
    (ln2, ln2_low), (thirds, thirds_low) = format_of(x).ln2, TWO_THIRDS[x.dtype]
    k, m = split_number(x)
    f = m - 1.0
    divisor = f + 2.0
    inverse = 1.0 / divisor
    s = f * inverse
    product, error = two_product(s, divisor)
    s_low = (((f - product) - error) - s * (f - (divisor - 2.0))) * inverse
    z, z_low = two_product(s, s)
    z_low = fma(s * 2.0, s_low, z_low)
    rest = z * polynomial(z, LOG)
    u = rest + thirds
    u_low = (thirds - u) + rest + thirds_low
    v, v_low = two_product(z, u)
    v_low = v_low + fma(z, u_low, z_low * u)
    t, t_low = two_product(s, v)
    t_low = t_low + fma(s, v_low, s_low * v)
    # Both sums are exact with their errors, since the first operand is the larger one.
    double = s * 2.0
    high = double + t
    low = ((double - high) + t) + fma(s_low, 2.0, t_low)
    base = k * ln2
    result = base + high
    return result, ((base - result) + high) + fma(k, ln2_low, low)


def _power_of_singles(base: Value, exponent: Value) -> Value:
    """``base**exponent`` of positive float32 numbers, in float64 with the accuracy that float32 needs."""
    dtype = base.dtype
    # Bits of a normal number: float32's subnormal numbers are normal in float64.
    one = bits(constant(base.builder, 1.0, dtype))
    root = bits(constant(base.builder, 0.7071067811865476, dtype))
    magic = bits(constant(base.builder, DOUBLE.magic, dtype))
    shifted = bits(base) + (one - root)
    mantissa = from_bits((shifted & (2**DOUBLE.digits - 1)) + root, dtype)
    unsigned = cast(shifted, np.uint64) >> DOUBLE.digits
    k = from_bits(cast(unsigned, np.int64) + magic, dtype) - (DOUBLE.magic + DOUBLE.bias)
    f = mantissa - 1.0
    s = f / (f + 2.0)
    z = s * s
    logarithm = fma(k, LOG_2, fma(s * z, polynomial(z, SINGLE_LOG), s + s))
    # Results of larger arguments are infinite or 0 in float32.
    argument = minimum(maximum(exponent * logarithm, -200.0), 200.0)
    shifted = fma(argument, 1.0 / LOG_2, DOUBLE.magic)
    rest = fma(shifted - DOUBLE.magic, -LOG_2, argument)
    scale = from_bits((bits(shifted) - magic + DOUBLE.bias) << DOUBLE.digits, dtype)
    return fma(fma(rest * rest, polynomial(rest, SINGLE_EXP), rest), scale, scale)


@library("pow")
def power(x: Value, y: Value) -> Value:
    """``x**y`` of floating-point numbers, with the special values of the C language."""
    if x.dtype.itemsize == 8:
        return power_without_double(x, y)
    return cast(_power(cast(x, np.float64), cast(y, np.float64), single=True), x.dtype)


def power_without_double(x: Value, y: Value) -> Value:
    """:func:`power`, computed in the dtype of its operands."""
    return _power(x, y)


def _power(x: Value, y: Value, *, single: bool = False) -> Value:
    a = fabs(x)
    one = constant(x.builder, 1.0, x.dtype)
    zero, infinity, nan = one * 0.0, one * float("inf"), one * float("nan")
    extreme = (a == 0) | isinf(a) | isinf(y)
    base = select(extreme, one, a)
    # A larger exponent changes nothing, and its products would overflow.
    exponent = copysign(minimum(fabs(y), 2.0**74 if x.dtype.itemsize == 8 else 2.0**40), y)
    if single:
        result = _power_of_singles(base, exponent)
    else:
        high, low = log_parts(base)
        product, error = two_product(high, exponent)
        result = exponential(product, fma(low, exponent, error))
    limit = select(a == 1.0, one, select((a > 1.0) == (y > 0), infinity, zero))
    result = select(extreme, limit, result)
    whole = rint(y) == y
    odd = whole & (rint(y * 0.5) != y * 0.5)
    result = select(signbit(x) & odd, -result, result)
    result = select((x < 0) & ~whole & isfinite(x), nan, result)
    result = select(isnan(x) | isnan(y), x + y, result)
    return select((x == 1.0) | (y == 0), one, result)


@library("hypot")
def hypot(x: Value, y: Value) -> Value:
    """``sqrt(x**2 + y**2)``, which does not overflow before its result does; infinite where an operand is."""
    if x.dtype.itemsize == 8:
        return hypot_without_double(x, y)
    first, second = cast(x, np.float64), cast(y, np.float64)
    return _infinite_of(x, y, cast(sqrt(first * first + second * second), np.float32))


def hypot_without_double(x: Value, y: Value) -> Value:
    """:func:`hypot`, computed in the dtype of its operands: scaled, so that squares neither overflow nor vanish."""
    a, b = fabs(x), fabs(y)
    one = constant(x.builder, 1.0, x.dtype)
    upper, lower, power_of_two = (500, -440, 600) if x.dtype.itemsize == 8 else (60, -40, 80)
    large, small = maximum(a, b) > 2.0**upper, maximum(a, b) < 2.0**lower
    factor = select(large, one * 2.0**-power_of_two, select(small, one * 2.0**power_of_two, one))
    inverse = select(large, one * 2.0**power_of_two, select(small, one * 2.0**-power_of_two, one))
    a, b = a * factor, b * factor
    return _infinite_of(x, y, sqrt(fma(a, a, b * b)) * inverse)


def _infinite_of(x: Value, y: Value, result: Value) -> Value:
    """Infinity where an operand is infinite, and the result elsewhere."""
    return select(isinf(x) | isinf(y), constant(x.builder, float("inf"), x.dtype), result)


def cbrt(x: Value) -> Value:
    """The cube root: an approximate inverse root, a step of fourth order, and a step of Newton's for rounding."""
    form = format_of(x)
    k, m = split_number(fabs(x))
    # Between 1 and 2 where the logarithms have sqrt(1/2) to sqrt(2).
    below = m < 1.0
    k, m = select(below, k - 1.0, k), select(below, m + m, m)
    third = floor(fma(k, 1.0 / 3.0, 1.0 / 6.0))
    rest = fma(third, -3.0, k)
    one = constant(x.builder, 1.0, x.dtype)
    number = m * select(rest == 0, one, select(rest == 1.0, one * 2.0, one * 4.0))
    inverse = polynomial(m, CBRT) * select(
        rest == 0, one, select(rest == 1.0, one * 2.0 ** (-1 / 3), one * 2.0 ** (-2 / 3))
    )
    error = 1.0 - number * inverse * inverse * inverse
    inverse = fma(inverse * error, polynomial(error, (1 / 3, 2 / 9, 14 / 81)), inverse)
    root = number * inverse * inverse
    root = fma((number - root * root * root) * inverse, inverse * (1.0 / 3.0), root)
    magic = bits(constant(x.builder, form.magic, x.dtype))
    exponent = bits(third + form.magic) - magic
    root = root * from_bits((exponent + form.bias) << form.digits, x.dtype)
    return select((x == 0) | ~isfinite(x), x, copysign(root, x))


TABLE: dict[str, Formula] = {
    "cbrt": Formula(cbrt),
    "float_power": Formula(power),
    "hypot": Formula(hypot),
    "pow": Formula(power),
    "special.cbrt": Formula(cbrt),
    "sqrt": Formula(sqrt),
}
"""The formulas of these functions."""
