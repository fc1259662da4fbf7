"""Derivatives of the standard's elementwise functions, and of those beyond it.

Conventions where a function has no derivative, or several one-sided ones: 0 for ``abs`` and ``sign`` at 0; half for
each operand where ``maximum`` or ``minimum`` compares equal values; 1 within ``clip``'s bounds, the bounds included;
``inf`` for ``sqrt`` at 0. The branch of ``where`` that is not selected gets 0.
"""

from __future__ import annotations

import math
from typing import Any

from ... import _ops as xp
from ... import special
from ..._core.array import Array
from ..._core.dtypes import kind_of
from .._table import constant, elementwise, identity, pullback
from .families import (
    difference,
    direction,
    inverse_root,
    inverse_root_of_sum,
    inverse_square_of_cbrt,
    logistic_density,
    over,
    over_squares,
    share_of_powers_of_two,
)

LN2, LN10 = math.log(2.0), math.log(10.0)


def power_by_base(g: Array, x: Any, y: Any) -> Any:
    r""":math:`g\, y\, x^{y-1}`, 0 where the exponent is 0."""
    if y.__class__ in (int, float, complex):
        if y == 2:
            return g * (2 * x)
        return g * (y * x ** (y - 1)) if y else xp.zeros_like(g)
    is_zero = y == 0
    return g * xp.where(is_zero, 0, y) * x ** xp.where(is_zero, 1, y - 1)


def power_by_exponent(g: Array, out: Array, x: Any, y: Any) -> Array:
    r""":math:`g\, x^y \ln x`, 0 where the base and the power are 0."""
    if isinstance(x, (int, float)) and x > 0:
        return g * out * math.log(x)
    base = xp.astype(x, out.dtype, copy=False) if isinstance(x, Array) else xp.full_like(out, x)
    is_zero = (base == 0) & (out == 0)
    return g * out * xp.where(is_zero, 0, xp.log(xp.where(is_zero, 1, base)))


def half_where_equal(g: Array, out: Array, x: Any, y: Any) -> Array:
    """The cotangent where the operand is the result, half of it where the operands are equal."""
    return xp.where(x == y, g / 2, xp.where(x == out, g, 0))


def within(g: Array, x: Array, y: Any, z: Any) -> Array:
    inside = None
    for bound, below in ((y, True), (z, False)):
        if bound is not None:
            fits = x >= bound if below else x <= bound
            inside = fits if inside is None else inside & fits
    return g if inside is None else xp.where(inside, g, 0)


def sign_of(x: Any) -> Any:
    """The conjugate of ``sign(x)``."""
    return xp.conj(xp.sign(x)) if kind_of(x.dtype) == "c" else xp.sign(x)


def of_copysign(g: Array, out: Array, x: Any) -> Array:
    return g * (xp.sign(x) * xp.sign(out))


elementwise("positive", identity, fused=False)
elementwise("negative", lambda g: -g, fused=False)
elementwise("add", identity, identity, fused=False)
elementwise("subtract", identity, lambda g: -g, fused=False)
elementwise("multiply", lambda g, y: g * y, lambda g, x: g * x, fused=False)
elementwise("divide", lambda g, y: g / y, lambda g, out, y: -g * out / y)
elementwise("reciprocal", lambda g, out: -g * out * out)
elementwise("square", lambda g, x: g * (2 * x))
elementwise("sqrt", lambda g, out: g / (2 * out))
elementwise("cbrt", lambda g, x: g * inverse_square_of_cbrt(x) / 3)
elementwise("pow", power_by_base, power_by_exponent)
elementwise("float_power", power_by_base, power_by_exponent)
elementwise("remainder", identity, lambda g, x, y: -g * xp.floor_divide(x, y))
elementwise("fmod", identity, lambda g, out, x, y: -g * xp.round((x - out) / y))  # x / y may round to a whole number
elementwise("abs", lambda g, x: g * sign_of(x))
elementwise("fabs", lambda g, x: g * xp.sign(x))
elementwise("copysign", of_copysign, lambda g: xp.zeros_like(g))
elementwise("hypot", lambda g, x, y: g * direction(x, y), lambda g, x, y: g * direction(y, x))
elementwise("maximum", half_where_equal, lambda g, out, x, y: half_where_equal(g, out, y, x))
elementwise("minimum", half_where_equal, lambda g, out, x, y: half_where_equal(g, out, y, x))
elementwise("fmax", half_where_equal, lambda g, out, x, y: half_where_equal(g, out, y, x))
elementwise("fmin", half_where_equal, lambda g, out, x, y: half_where_equal(g, out, y, x))
elementwise("where", None, lambda g, x: xp.where(x, g, 0), lambda g, x: xp.where(x, 0, g), fused=False)
elementwise(
    "clip",
    within,
    lambda g, x, y: xp.where(x < y, g, 0),
    lambda g, x, z: xp.where(x > z, g, 0),
)

elementwise("exp", lambda g, out: g * out)
elementwise("exp2", lambda g, out: g * out * LN2)
elementwise("expm1", lambda g, x: g * xp.exp(x))
elementwise("log", lambda g, x: g / x, fused=False)
elementwise("log2", lambda g, x: g * (1 / LN2) / x)
elementwise("log10", lambda g, x: g * (1 / LN10) / x)
elementwise("log1p", lambda g, x: g / (1 + x))
elementwise(
    "logaddexp",
    lambda g, x, y: g * special.expit(difference(x, y)),
    lambda g, x, y: g * special.expit(difference(y, x)),
)
elementwise(
    "logaddexp2",
    lambda g, x, y: g * share_of_powers_of_two(difference(x, y)),
    lambda g, x, y: g * share_of_powers_of_two(difference(y, x)),
)

elementwise("sin", lambda g, x: g * xp.cos(x))
elementwise("cos", lambda g, x: -g * xp.sin(x))
elementwise("tan", lambda g, out: g * (1 + out * out))
elementwise("asin", lambda g, x: g * inverse_root(x))
elementwise("acos", lambda g, x: -g * inverse_root(x))
elementwise("atan", lambda g, x: g * inverse_root_of_sum(x) * inverse_root_of_sum(x))
elementwise("atan2", lambda g, x, y: g * over_squares(y, x), lambda g, x, y: -g * over_squares(x, y))
elementwise("sinh", lambda g, x: g * xp.cosh(x))
elementwise("cosh", lambda g, x: g * xp.sinh(x))
elementwise("tanh", lambda g, x: g * 4 * logistic_density(2 * x))
elementwise("asinh", lambda g, x: g * inverse_root_of_sum(x))
elementwise("acosh", lambda g, x: g / (xp.sqrt(x - 1) * xp.sqrt(x + 1)))
elementwise("atanh", lambda g, x: g * inverse_root(x) * inverse_root(x))
elementwise("deg2rad", lambda g: g * (math.pi / 180), fused=False)
elementwise("rad2deg", lambda g: g * (180 / math.pi), fused=False)

# Complex numbers: the real part of what these return, where the operand or the result is real, is taken by `fit`.
elementwise("real", identity, fused=False)
elementwise("imag", lambda g: -1j * g, fused=False)
elementwise("conj", lambda g: xp.conj(g) if kind_of(g.dtype) == "c" else g, fused=False)
elementwise("complex_of", identity, lambda g: 1j * g, fused=False)


@pullback("sign", keeps="x")
def _sign(g: Array, out: Any, x: Array) -> Array:
    if kind_of(x.dtype) != "c":
        return xp.zeros_like(x)
    phase = xp.sign(x)
    return over(g - xp.real(g * phase) * xp.conj(phase), xp.abs(x))


constant(
    "floor", "ceil", "round", "trunc", "rint", "floor_divide", "heaviside", "nextafter", "spacing",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
    "isfinite", "isinf", "isnan", "signbit", "may_have_infinity",
    "logical_and", "logical_not", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert", "bitwise_left_shift", "bitwise_right_shift",
    "bitwise_count", "gcd", "lcm",
)  # fmt: skip
