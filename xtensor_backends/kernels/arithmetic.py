"""Arithmetic, comparisons, bits, logic and rounding, with NumPy's results bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .library import library
from .values import (
    Formula,
    Value,
    bits,
    cast,
    ceil,
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
    trunc,
    two_product,
)

__all__ = [
    "TABLE",
    "absolute",
    "add",
    "clip",
    "compare_mixed",
    "covers_remainder",
    "floor_divide",
    "fmod",
    "identity",
    "in_double",
    "integer_power",
    "larger",
    "logical",
    "multiply",
    "nextafter",
    "of_floats",
    "quotient_from",
    "rectify",
    "remainder",
    "remainder_from",
    "sign",
    "smaller",
    "standard_quotient",
    "to_integer",
]


def in_double(formula: Callable[..., Value]) -> Callable[..., Value]:
    """Compute a formula of float32 in float64, where double precision costs less than care about rounding does."""

    def computed(*operands: Value) -> Value:
        dtype = operands[0].dtype
        result = formula(*[cast(x, np.float64) for x in operands])
        return cast(result, dtype) if result.kind == "f" else result

    return computed


def identity(x: Value) -> Value:
    """The operand itself."""
    return x


def add(a: Value, b: Value) -> Value:
    """The sum; the logical or of booleans."""
    return a | b if a.kind == "b" else a + b


def multiply(a: Value, b: Value) -> Value:
    """The product; the logical and of booleans."""
    return a & b if a.kind == "b" else a * b


def larger(a: Value, b: Value) -> Value:
    """The larger operand, NaN where one is NaN."""
    return a | b if a.kind == "b" else maximum(a, b)


def smaller(a: Value, b: Value) -> Value:
    """The smaller operand, NaN where one is NaN."""
    return a & b if a.kind == "b" else minimum(a, b)


def clip(x: Value, low: Value, high: Value) -> Value:
    """The operand within limits, NaN where an operand is NaN."""
    return smaller(larger(x, low), high)


def rectify(x: Value) -> Value:
    """The operand where it is positive, 0 elsewhere; NaN for NaN."""
    return select(x <= 0, constant(x.builder, 0.0, x.dtype), x)


def absolute(x: Value) -> Value:
    """The absolute value; the smallest integer is its own."""
    if x.kind == "f":
        return fabs(x)
    return select(x < 0, -x, x) if x.kind == "i" else x


def sign(x: Value) -> Value:
    """-1, 0 or 1; NaN for NaN."""
    one, zero = constant(x.builder, 1, x.dtype), constant(x.builder, 0, x.dtype)
    if x.kind == "u":
        return select(x > 0, one, zero)
    rest = select(x == 0, zero, x) if x.kind == "f" else zero
    return select(x > 0, one, select(x < 0, -one, rest))


def logical(combine: Callable[..., Value]) -> Callable[..., Value]:
    """A function of booleans that takes operands of every dtype; all numbers but 0 are True."""

    def formula(*operands: Value) -> Value:
        return combine(*[cast(x, np.bool) for x in operands])

    return formula


def of_floats(test: Callable[[Value], Value], *, otherwise: bool) -> Callable[[Value], Value]:
    """A test of floating-point numbers that is a constant for integers and booleans."""

    def formula(x: Value) -> Value:
        return test(x) if x.kind == "f" else constant(x.builder, otherwise, np.bool)

    return formula


def to_integer(rounding: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """A rounding of floating-point numbers that leaves integers and booleans alone."""

    def formula(x: Value) -> Value:
        return rounding(x) if x.kind == "f" else x

    return formula


def nextafter(x: Value, y: Value, unit: int = 1) -> Value:
    """The next number after ``x`` in the direction of ``y``, where ``unit`` is the bits' difference of neighbours."""
    step = select((y > x) == (x > 0), bits(x) + unit, bits(x) - unit)
    smallest = bits(y) & -(2 ** (8 * x.dtype.itemsize - 1)) | unit
    result = from_bits(select(x == 0, smallest, step), x.dtype)
    return select(isnan(x) | isnan(y), x + y, select(x == y, y, result))


@library("fmod")
def fmod(a: Value, b: Value) -> Value:
    """The exact remainder of the quotient rounded towards 0, with the sign of ``a``.

    The rounded quotient may be too large by 1; the remainder is then negative, and still exact.
    """
    dtype = a.dtype
    dividend, divisor = (fabs(cast(x, np.float64)) for x in (a, b))
    quotient = trunc(dividend / divisor)
    if a.builder.has_fma:
        rest = fma(-quotient, divisor, dividend)
    else:
        product, error = two_product(quotient, divisor)
        rest = (dividend - product) - error
    rest = select(rest < 0, rest + divisor, rest)
    rest = select(isinf(b) & isfinite(a), dividend, rest)
    return copysign(cast(rest, dtype), a)


def covers_remainder(a: Value, b: Value) -> Value:
    """Whether :func:`remainder` and :func:`floor_divide` are exact: the quotient is below 2**52.

    Integers are exact, but NumPy warns of a division by zero.
    """
    if a.kind != "f":
        return b != 0
    first, second = (fabs(cast(x, np.float64)) for x in (a, b))
    # Not a comparison with the quotient alone: it is NaN for operands that give NaN.
    covered = (first / second < 2.0**52) | ~isfinite(a) | isnan(b) | (b == 0)
    if a.dtype.itemsize == 8 and not a.builder.has_fma:
        # The halves of Dekker's product neither overflow nor underflow.
        safe = (first < 2.0**900) & (second < 2.0**900) & (second > 2.0**-900)
        covered = covered & safe & ((first > 2.0**-900) | (first == 0))
    return covered


def remainder(a: Value, b: Value) -> Value:
    """The remainder of the division rounded down, with the sign of ``b``."""
    if a.kind != "f":
        return a % b
    return remainder_from(a, b, fmod(a, b))


def remainder_from(a: Value, b: Value, rest: Value) -> Value:
    """The remainder of the division rounded down, from that of the quotient rounded towards 0."""
    rest = select((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)
    return select(rest == 0, copysign(rest, b), rest)


def floor_divide(a: Value, b: Value) -> Value:
    """The quotient rounded down, computed from the remainder as in Python."""
    if a.kind != "f":
        return a // b
    return select(b == 0, a / b, quotient_from(a, b, fmod(a, b)))


def quotient_from(a: Value, b: Value, rest: Value) -> Value:
    """The quotient rounded down, from the remainder of the one rounded towards 0; the divisor is not 0."""
    quotient = (a - rest) / b
    quotient = select((rest != 0) & ((b < 0) != (rest < 0)), quotient - 1.0, quotient)
    rounded = floor(quotient)
    rounded = select(quotient - rounded > 0.5, rounded + 1.0, rounded)
    return select(quotient == 0, copysign(quotient, a / b), rounded)


def standard_quotient(a: Value, b: Value, quotient: Value) -> Value:
    """The quotient rounded down; with an infinite operand or a divisor of 0 that of the standard, ``floor(a / b)``."""
    return select(isinf(a) | isinf(b) | (b == 0), floor(a / b), quotient)


def compare_mixed(name: str, a: Value, b: Value) -> Value:
    """A comparison of a signed integer with an unsigned one, whose promoted dtype would not be exact."""
    if a.kind == "u":
        mirrored = {"less": "greater", "greater": "less", "less_equal": "greater_equal", "greater_equal": "less_equal"}
        return compare_mixed(mirrored.get(name, name), b, a)
    wide = np.dtype(f"u{max(a.dtype.itemsize, b.dtype.itemsize)}")
    negative, unsigned, b = a < 0, cast(a, wide), cast(b, wide)
    if name in ("less", "less_equal"):
        return negative | (unsigned < b if name == "less" else unsigned <= b)
    if name in ("greater", "greater_equal"):
        return ~negative & (unsigned > b if name == "greater" else unsigned >= b)
    return ~negative & (unsigned == b) if name == "equal" else negative | (unsigned != b)


def integer_power(base: Value, exponent: Value) -> Value:
    """The power of an integer to an exponent that is not negative, modulo the width, by squares."""
    if base.kind == "b":
        return base | ~exponent
    builder: Any = base.builder
    result = builder.variable(constant(builder, 1, base.dtype))
    square, rest = builder.variable(base), builder.variable(exponent)
    with builder.loop(str(8 * base.dtype.itemsize)):
        builder.assign(result, select((rest & 1) != 0, result * square, result))
        builder.assign(square, square * square)
        builder.assign(rest, rest >> 1)
    return result  # type: ignore[no-any-return]


TABLE: dict[str, Formula] = {
    "abs": Formula(absolute, "biuf"),
    "add": Formula(add, "biuf"),
    "bitwise_and": Formula(lambda a, b: a & b, "biu"),
    "bitwise_invert": Formula(lambda x: ~x, "biu"),
    "bitwise_left_shift": Formula(lambda a, b: a << b, "iu"),
    "bitwise_or": Formula(lambda a, b: a | b, "biu"),
    "bitwise_right_shift": Formula(lambda a, b: a >> b, "iu"),
    "bitwise_xor": Formula(lambda a, b: a ^ b, "biu"),
    "ceil": Formula(to_integer(ceil), "biuf"),
    "clip": Formula(clip, "iuf"),
    "conj": Formula(identity, "iuf"),
    "copysign": Formula(copysign, "f"),
    "divide": Formula(lambda a, b: a / b, "f"),
    "equal": Formula(lambda a, b: a == b, "biuf"),
    "floor": Formula(to_integer(floor), "biuf"),
    "floor_divide": Formula(floor_divide, "iuf", covers_remainder),
    "greater": Formula(lambda a, b: a > b, "biuf"),
    "greater_equal": Formula(lambda a, b: a >= b, "biuf"),
    "isfinite": Formula(of_floats(isfinite, otherwise=True), "biuf"),
    "isinf": Formula(of_floats(isinf, otherwise=False), "biuf"),
    "isnan": Formula(of_floats(isnan, otherwise=False), "biuf"),
    "less": Formula(lambda a, b: a < b, "biuf"),
    "less_equal": Formula(lambda a, b: a <= b, "biuf"),
    "logical_and": Formula(logical(lambda a, b: a & b), "biuf"),
    "logical_not": Formula(logical(lambda x: ~x), "biuf"),
    "logical_or": Formula(logical(lambda a, b: a | b), "biuf"),
    "logical_xor": Formula(logical(lambda a, b: a ^ b), "biuf"),
    "maximum": Formula(larger, "biuf"),
    "minimum": Formula(smaller, "biuf"),
    "multiply": Formula(multiply, "biuf"),
    "negative": Formula(lambda x: -x, "iuf"),
    "nextafter": Formula(nextafter, "f"),
    "nn.relu": Formula(rectify),
    "not_equal": Formula(lambda a, b: a != b, "biuf"),
    "positive": Formula(identity, "iuf"),
    "real": Formula(identity, "iuf"),
    "reciprocal": Formula(lambda x: 1.0 / x, "f"),
    "remainder": Formula(remainder, "iuf", covers_remainder),
    "round": Formula(to_integer(rint), "iuf"),
    "sign": Formula(sign, "iuf"),
    "signbit": Formula(signbit, "f"),
    "square": Formula(lambda x: x * x, "iuf"),
    "subtract": Formula(lambda a, b: a - b, "iuf"),
    "trunc": Formula(to_integer(trunc), "biuf"),
    "where": Formula(select, "biuf"),
}
"""The formulas, whose operands have one dtype; the condition of ``where`` is a bool."""
