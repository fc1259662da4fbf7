"""Trigonometric functions and their inverses.

Sine, cosine and tangent subtract the nearest multiple of pi/2, held in three parts (Cody and Waite, Software Manual for
the Elementary Functions, 1980). With fused multiplication each part is subtracted with one rounding, so that the
reduced argument is accurate as long as the multiple is an exact integer: the formulas hold below the limits of
:func:`covers_reduction`. The inverses use the usual identities to reduce the argument. Coefficients are minimax
approximations of the relative error, fitted with Remez's algorithm, of the functions that their names tell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from .exponential import format_of, polynomial
from .library import library
from .values import (
    Formula,
    Value,
    bits,
    constant,
    copysign,
    fabs,
    fma,
    from_bits,
    isfinite,
    isinf,
    maximum,
    select,
    signbit,
    sqrt,
    two_product,
)

__all__ = ["TABLE", "acos", "asin", "atan", "atan2", "cos", "covers_reduction", "sin", "tan"]


class Constants(NamedTuple):
    """Constants of a floating-point format.

    Attributes
    ----------
    half_pi
        Three parts of pi/2.
    pi, quarter_pi
        Two parts of pi and pi/4.
    limit
        The largest argument of sine, cosine and tangent.
    sin, cos
        ``(sin(x) / x - 1) / x**2`` and ``(cos(x) - 1 + x**2 / 2) / x**4`` in ``x**2``.
    asin, atan
        ``(asin(x) / x - 1) / x**2`` up to ``x = 1/2`` and ``(atan(x) / x - 1) / x**2`` up to ``tan(pi/8)`` in ``x**2``.
    """

    half_pi: tuple[float, float, float]
    pi: tuple[float, float]
    quarter_pi: tuple[float, float]
    limit: float
    sin: tuple[float, ...]
    cos: tuple[float, ...]
    asin: tuple[float, ...]
    atan: tuple[float, ...]


SINGLE = Constants(
    (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
    (3.1415927410125732, -8.742277657347586e-08),
    (0.7853981852531433, -2.1855694143368964e-08),
    2.0**16,
    (-0.16666654, 0.008332131, -0.00019510849),
    (0.041666646, -0.0013887306, 2.443118e-05),
    (0.16666754, 0.07495238, 0.045477755, 0.024143556, 0.042226743),
    (-0.33333313, 0.19998434, -0.14242743, 0.105873525, -0.060604736),
)
DOUBLE = Constants(
    (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    (3.141592653589793, 1.2246467991473532e-16),
    (0.7853981633974483, 3.061616997868383e-17),
    2.0**45,
    (
        -0.16666666666666627,
        0.008333333333321305,
        -0.0001984126982888252,
        2.7557313359412675e-06,
        -2.5050704448741693e-08,
        1.5893601809837184e-10,
    ),
    (
        0.04166666666666659,
        -0.0013888888888872596,
        2.4801587288490255e-05,
        -2.7557314055955466e-07,
        2.0875681789521874e-09,
        -1.1357443918990543e-11,
    ),
    (
        0.16666666666666763,
        0.07499999999970099,
        0.04464285717528568,
        0.030381942675308447,
        0.022372215904736342,
        0.017351595527902802,
        0.01398101812130125,
        0.011397297056491945,
        0.010789295562702193,
        0.003672292187044905,
        0.021790364132529383,
        -0.02111629075152637,
        0.03270187846516504,
    ),
    (
        -0.33333333333333187,
        0.1999999999994973,
        -0.14285714279788694,
        0.11111110762229058,
        -0.0909089712585688,
        0.07692048634014477,
        -0.06662968889537596,
        0.05846882433192428,
        -0.050346709551041875,
        0.03794456068576617,
        -0.017773498132223724,
    ),
)

Reduction: TypeAlias = Callable[[Value], tuple[Value, Value]]
"""Function that returns the number of the quadrant in its low bits, and the difference from a multiple of pi/2."""

INVERSE_HALF_PI = 0.6366197723675814


def _constants(x: Value) -> Constants:
    return DOUBLE if x.dtype.itemsize == 8 else SINGLE


def covers_reduction(x: Value) -> Value:
    """Whether :func:`sin`, :func:`cos` and :func:`tan` reduce an argument; NaN and infinities need no reduction."""
    return (fabs(x) < _constants(x).limit) | ~isfinite(x)


def _subtract_product(x: Value, n: Value, factor: float) -> Value:
    """``x - n * factor``, with one rounding of the product's exact value where it cancels."""
    if x.builder.has_fma:
        return fma(n, -factor, x)
    product, error = two_product(n, factor)
    return (x - product) - error


def reduce(x: Value) -> tuple[Value, Value]:
    """The number of the quadrant in its low bits, and the difference from the nearest multiple of pi/2."""
    magic = format_of(x).magic
    shifted = fma(x, INVERSE_HALF_PI, magic)
    n = shifted - magic
    rest = x
    for part in _constants(x).half_pi:
        rest = _subtract_product(rest, n, part)
    return bits(shifted), rest


def sine_and_cosine(r: Value) -> tuple[Value, Value]:
    """Sine and cosine between -pi/4 and pi/4; the sign of a zero is lost."""
    constants = _constants(r)
    z = r * r
    sine = fma(r * z, polynomial(z, constants.sin), r)
    cosine = fma(z * z, polynomial(z, constants.cos), fma(z, -0.5, 1.0))
    return sine, cosine


def _with_sign_of_bit(x: Value, quadrant: Value) -> Value:
    """The operand, negated where bit 1 of the quadrant is set."""
    sign = (quadrant & 2) << (8 * x.dtype.itemsize - 2)
    return from_bits(bits(x) ^ sign, x.dtype)


@library("sin")
def sin(x: Value, reduction: Reduction = reduce) -> Value:
    """The sine."""
    quadrant, rest = reduction(x)
    sine, cosine = sine_and_cosine(rest)
    result = _with_sign_of_bit(select((quadrant & 1) == 0, sine, cosine), quadrant)
    return select(x == 0, x, result)


@library("cos")
def cos(x: Value, reduction: Reduction = reduce) -> Value:
    """The cosine."""
    quadrant, rest = reduction(x)
    sine, cosine = sine_and_cosine(rest)
    return _with_sign_of_bit(select((quadrant & 1) == 0, cosine, sine), quadrant + 1)


@library("tan")
def tan(x: Value, reduction: Reduction = reduce) -> Value:
    """The tangent."""
    quadrant, rest = reduction(x)
    sine, cosine = sine_and_cosine(rest)
    even = (quadrant & 1) == 0
    return select(x == 0, x, select(even, sine, -cosine) / select(even, cosine, sine))


def _arcsine(x: Value) -> tuple[Value, Value]:
    """Whether ``|x| > 1/2``; and asin(|x|), or else ``asin(sqrt((1 - |x|) / 2))``."""
    a = fabs(x)
    large = a > 0.5
    z = select(large, (1.0 - a) * 0.5, a * a)
    s = select(large, sqrt(z), a)
    return large, fma(s * z, polynomial(z, _constants(x).asin), s)


@library("asin")
def asin(x: Value) -> Value:
    """The arc sine; NaN beyond -1 and 1."""
    high, low = (part / 2 for part in _constants(x).pi)
    large, part = _arcsine(x)
    return copysign(select(large, fma(part, -2.0, high) + low, part), x)


@library("acos")
def acos(x: Value) -> Value:
    """The arc cosine; NaN beyond -1 and 1."""
    high, low = _constants(x).pi
    large, part = _arcsine(x)
    part = copysign(part, x)
    double = part * 2.0
    outer = select(x < 0, (double + low) + high, double)
    return select(large, outer, high / 2 - (part - low / 2))


def _arctangent(numerator: Value, denominator: Value) -> Value:
    """The angle between 0 and pi/2 with the tangent of a quotient of numbers that are not negative.

    atan(a / b) is pi/2 - atan(b / a), and pi/4 + atan((a - b) / (a + b)): one of them has an argument below tan(pi/8).
    """
    a, b = numerator, denominator
    constants = _constants(a)
    high, low = constants.quarter_pi
    zero = constant(a.builder, 0.0, a.dtype)
    steep, middle = a > b * 2.414213562373095, a > b * 0.41421356237309503
    t = select(steep, -b, select(middle, a - b, a)) / select(steep, a, select(middle, a + b, b))
    z = t * t
    angle = fma(t * z, polynomial(z, constants.atan), t)
    base = select(steep, zero + 2.0 * high, select(middle, zero + high, zero))
    rest = select(steep, zero + 2.0 * low, select(middle, zero + low, zero))
    return base + (angle + rest)


@library("atan")
def atan(x: Value) -> Value:
    """The arc tangent."""
    return copysign(_arctangent(fabs(x), constant(x.builder, 1.0, x.dtype)), x)


@library("atan2")
def atan2(y: Value, x: Value) -> Value:
    """The angle of the point ``(x, y)``, between -pi and pi."""
    a, b = fabs(y), fabs(x)
    one = constant(x.builder, 1.0, x.dtype)
    diagonal = isinf(a) & isinf(b)
    # Neither the sum of the coordinates overflows nor are their multiples subnormal.
    form = format_of(x)
    largest = maximum(a, b)
    factor = select(largest > 2.0 ** (form.bias - 2), one * 0.25, one)
    factor = select(largest < 2.0 ** (3 * form.digits // 2 - form.bias), one * 2.0 ** (2 * form.digits), factor)
    a, b = select(diagonal, one, a * factor), select(diagonal | ((a == 0) & (b == 0)), one, b * factor)
    angle = _arctangent(a, b)
    high, low = _constants(x).pi
    return copysign(select(signbit(x), high - (angle - low), angle), y)


TABLE: dict[str, Formula] = {
    "acos": Formula(acos),
    "asin": Formula(asin),
    "atan": Formula(atan),
    "atan2": Formula(atan2),
    "cos": Formula(cos, covers=covers_reduction),
    "sin": Formula(sin, covers=covers_reduction),
    "tan": Formula(tan, covers=covers_reduction),
}
"""The formulas of these functions."""
