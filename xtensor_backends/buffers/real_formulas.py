"""Formulas of real numbers that cover every element: those of the shared table, and more work where these end.

An element that the shared formula does not cover is computed in a branch, so that the others pay one comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels import arithmetic, trigonometric
from ..kernels.large_arguments import reduce_large
from ..kernels.values import (
    Value,
    bits,
    cast,
    constant,
    copysign,
    fabs,
    floor,
    from_bits,
    isfinite,
    isinf,
    isnan,
    rint,
    select,
    trunc,
)
from .source import SourceBuilder

__all__ = ["REAL", "compare", "cos", "integer_power", "sin", "tan"]


def _builder(x: Value) -> SourceBuilder:
    builder = x.builder
    assert isinstance(builder, SourceBuilder)
    return builder


def _reducing(function: Callable[..., Value]) -> Callable[[Value], Value]:
    """A trigonometric function, whose large arguments are reduced with many digits of 2/pi."""

    def formula(x: Value) -> Value:
        covered = trigonometric.covers_reduction(x)
        return _builder(x).corrected(function(x), covered, lambda: function(x, reduce_large))  # type: ignore[no-any-return]

    return formula


sin, cos, tan = (_reducing(getattr(trigonometric, name)) for name in ("sin", "cos", "tan"))


def _dividing(function: Callable[..., Value], of_remainder: Callable[[Value, Value, Value], Value]) -> Any:
    """A quotient or remainder, which is computed step by step where it has more digits than a float64."""

    def formula(a: Value, b: Value) -> Value:
        covered = arithmetic.covers_remainder(a, b)
        if a.kind != "f":
            return function(a, b)
        # A divisor of 0 gives NaN or an infinity in the shared formula, too.
        covered = covered | (b == 0) | ~isfinite(a) | ~isfinite(b)
        return _builder(a).corrected(function(a, b), covered, lambda: of_remainder(a, b, _fmod(a, b)))  # type: ignore[no-any-return]

    return formula


def _fmod(a: Value, b: Value) -> Value:
    """The exact remainder of finite numbers, with the sign of ``a``: fifty digits of the quotient in each step."""
    builder = _builder(a)
    rest: Any = builder.variable(fabs(cast(a, np.float64)))
    divisor = fabs(cast(b, np.float64))
    with builder.loop("48"):
        quotient = rest / divisor
        # The divisor times a power of two, so that the quotient is below 2**51; infinite quotients included.
        step = _exponent(rest) - _exponent(divisor) - 50
        scaled = _times_power(divisor, select(step > 0, step, 0))
        part = trunc(rest / scaled)
        remaining = Value(
            builder, builder.intrinsic("fma", rest.dtype, (-part).code, scaled.code, rest.code), rest.dtype
        )
        remaining = select(remaining < 0, remaining + scaled, remaining)
        builder.assign(rest, select(quotient >= 1.0, remaining, rest))
    return copysign(cast(rest, a.dtype), a)


def _exponent(x: Value) -> Value:
    """The exponent of a positive float64, of a subnormal one of its multiple by 2**54 less 54."""
    tiny = x < float(np.finfo(np.float64).smallest_normal)
    scaled = select(tiny, x * 2.0**54, x)
    exponent = bits(scaled) >> 52
    return exponent - select(tiny, constant(x.builder, 54, np.int64), 0)


def _times_power(x: Value, exponent: Value) -> Value:
    """``x`` times two to a power from 0 to 2100 that does not overflow, by four exact factors."""
    fourth = exponent >> 2
    factor = _power_of_two(fourth)
    return x * factor * factor * factor * _power_of_two(exponent - fourth * 3)


def _power_of_two(exponent: Value) -> Value:
    return from_bits((exponent + 1023) << 52, np.float64)


def _remainder(a: Value, b: Value, rest: Value) -> Value:
    rest = select((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)
    return select(rest == 0, copysign(rest, b), rest)


def _floor_quotient(a: Value, b: Value, rest: Value) -> Value:
    # As in the shared formula: the element may have an ordinary quotient of very large or small numbers.
    quotient = (a - rest) / b
    quotient = select((rest != 0) & ((b < 0) != (rest < 0)), quotient - 1.0, quotient)
    rounded = floor(quotient)
    rounded = select(quotient - rounded > 0.5, rounded + 1.0, rounded)
    return select(quotient == 0, copysign(quotient, a / b), rounded)


def remainder(a: Value, b: Value) -> Value:
    """The remainder with the sign of ``b``."""
    if a.kind != "f":
        return arithmetic.remainder(a, b)
    return _dividing(arithmetic.remainder, _remainder)(a, b)  # type: ignore[no-any-return]


def floor_divide(a: Value, b: Value) -> Value:
    """The quotient rounded down; with an infinite operand that of the standard, ``floor(a / b)``."""
    if a.kind != "f":
        return arithmetic.floor_divide(a, b)
    result = _dividing(arithmetic.floor_divide, _floor_quotient)(a, b)
    return select(isinf(a) | isinf(b), floor(a / b), result)


def integer_power(base: Value, exponent: Value) -> Value:
    """The power of an integer to an exponent that is not negative, modulo the width, by squares."""
    if base.kind == "b":
        return base | ~exponent
    builder = _builder(base)
    result: Any = builder.variable(constant(builder, 1, base.dtype))
    square: Any = builder.variable(base)
    rest: Any = builder.variable(exponent)
    with builder.loop(str(8 * base.dtype.itemsize)):
        builder.assign(result, select((rest & 1) != 0, result * square, result))
        builder.assign(square, square * square)
        builder.assign(rest, rest >> 1)
    return result  # type: ignore[no-any-return]


def compare(name: str, a: Value, b: Value) -> Value:
    """A comparison of a signed integer with an unsigned one, whose promoted dtype would not be exact."""
    if a.kind == "u":
        mirrored = {"less": "greater", "greater": "less", "less_equal": "greater_equal", "greater_equal": "less_equal"}
        return compare(mirrored.get(name, name), b, a)
    negative, unsigned = a < 0, cast(a, b.dtype)
    if name in ("less", "less_equal"):
        return negative | (unsigned < b if name == "less" else unsigned <= b)
    if name in ("greater", "greater_equal"):
        return ~negative & (unsigned > b if name == "greater" else unsigned >= b)
    return ~negative & (unsigned == b) if name == "equal" else negative | (unsigned != b)


def sort_after(a: Value, b: Value) -> Value:
    """Whether an element is sorted after another one: NaN is last."""
    if a.kind == "b":
        return a & ~b
    return (a > b) | (isnan(a) & ~isnan(b)) if a.kind == "f" else a > b


def positive(x: Value) -> Value:
    """The operand itself."""
    return x


REAL: dict[str, tuple[Callable[..., Value], str]] = {
    "conj": (positive, "biuf"),
    "cos": (cos, "f"),
    "floor_divide": (floor_divide, "iuf"),
    "positive": (positive, "biuf"),
    "pow": (integer_power, "biu"),
    "real": (positive, "biuf"),
    "remainder": (remainder, "iuf"),
    "round": (arithmetic.to_integer(rint), "biuf"),
    "sin": (sin, "f"),
    "tan": (tan, "f"),
}
"""Complete formulas and the kinds of dtype that they take, next to those of the shared table."""
