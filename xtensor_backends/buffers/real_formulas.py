"""Formulas of real numbers that cover every element: those of the shared table, and more work where these end.

An element that the shared formula does not cover is computed in a branch, so that the others pay one comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import DType

from ..kernels import arithmetic, powers, trigonometric
from ..kernels.large_arguments import reduce_large
from ..kernels.values import (
    Value,
    bits,
    cast,
    constant,
    copysign,
    fabs,
    from_bits,
    isfinite,
    isnan,
    rint,
    select,
)
from .languages import INDEX
from .source import SourceBuilder

__all__ = ["REAL", "cos", "hypot", "sin", "tan"]


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
    """A quotient or remainder, which is computed from integers where it has more digits than a float64."""

    def formula(a: Value, b: Value) -> Value:
        def exact() -> Value:
            return of_remainder(a, b, _fmod(a, b))

        if not _builder(a).language.has_double:
            return exact()
        # A divisor of 0 gives NaN or an infinity in the shared formula, too.
        covered = arithmetic.covers_remainder(a, b) | (b == 0) | ~isfinite(a) | ~isfinite(b)
        return _builder(a).corrected(function(a, b), covered, exact)  # type: ignore[no-any-return]

    return formula


def _fmod(a: Value, b: Value) -> Value:
    """The exact remainder with the sign of ``a``: a long division of the significands by integers."""
    builder, limits = _builder(a), np.finfo(a.dtype)
    digits, word = limits.nmant, np.dtype(f"u{a.dtype.itemsize}")
    (exponent, rest), (divisor_exponent, divisor) = (_parts(x, digits, word) for x in (a, b))
    missing = select(exponent > divisor_exponent, exponent - divisor_exponent, constant(builder, 0, word))
    step = 8 * a.dtype.itemsize - digits - 1  # the digits that a remainder can be shifted by
    value: Any = builder.variable(rest % divisor)
    with builder.loop(builder.index(builder.language.cast(INDEX, (missing // step).code))):
        builder.assign(value, (value << step) % divisor)
    value = (value << missing % step) % divisor
    scale = from_bits(cast(divisor_exponent << digits, f"i{a.dtype.itemsize}"), a.dtype)
    result = cast(value, a.dtype) * 2.0**-digits * scale
    result = select((fabs(a) < fabs(b)), fabs(a), result)
    undefined = ~isfinite(a) | isnan(b) | (b == 0)
    return copysign(select(undefined, constant(builder, float("nan"), a.dtype), result), a)


def _parts(x: Value, digits: int, word: DType) -> tuple[Value, Value]:
    """The exponent, of subnormal numbers 1, and the significand of a number as integers without sign."""
    pattern = cast(bits(fabs(x)), word)
    exponent, fraction = pattern >> digits, pattern & (2**digits - 1)
    subnormal = exponent == 0
    return select(subnormal, exponent + 1, exponent), select(subnormal, fraction, fraction | 2**digits)


def remainder(a: Value, b: Value) -> Value:
    """The remainder with the sign of ``b``."""
    if a.kind != "f":
        return arithmetic.remainder(a, b)
    return _dividing(arithmetic.remainder, arithmetic.remainder_from)(a, b)  # type: ignore[no-any-return]


def floor_divide(a: Value, b: Value) -> Value:
    """The quotient rounded down; with an infinite operand that of the standard, ``floor(a / b)``."""
    if a.kind != "f":
        return arithmetic.floor_divide(a, b)
    return arithmetic.standard_quotient(a, b, _dividing(arithmetic.floor_divide, arithmetic.quotient_from)(a, b))


def power(x: Value, y: Value) -> Value:
    """The power of numbers; an integer's is modulo the width."""
    return float_power(x, y) if x.kind == "f" else arithmetic.integer_power(x, y)


def float_power(x: Value, y: Value) -> Value:
    """The power of floating-point numbers."""
    return powers.power(x, y) if _builder(x).language.has_double else powers.power_without_double(x, y)


def hypot(x: Value, y: Value) -> Value:
    """``sqrt(x**2 + y**2)``."""
    return powers.hypot(x, y) if _builder(x).language.has_double else powers.hypot_without_double(x, y)


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
    "float_power": (float_power, "f"),
    "floor_divide": (floor_divide, "iuf"),
    "hypot": (hypot, "f"),
    "positive": (positive, "biuf"),
    "pow": (power, "biuf"),
    "real": (positive, "biuf"),
    "remainder": (remainder, "iuf"),
    "round": (arithmetic.to_integer(rint), "biuf"),
    "sin": (sin, "f"),
    "tan": (tan, "f"),
}
"""Complete formulas and the kinds of dtype that they take, next to those of the shared table."""
