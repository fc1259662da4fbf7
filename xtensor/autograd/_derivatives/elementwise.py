"""Derivatives of the standard's elementwise functions, and of those beyond it.

Conventions where a function has no derivative, or several one-sided ones: 0 for ``abs`` and ``sign`` at 0; half for
each operand where ``maximum`` or ``minimum`` compares equal values; 1 within ``clip``'s bounds, the bounds included;
``inf`` for ``sqrt`` at 0. The branch of ``where`` that is not selected gets 0.
"""

from __future__ import annotations

import math
from typing import Any

from ... import _standard as xp
from ..._core.array import Array
from ..._core.dtypes import kind_of
from .._table import constant, elementwise, identity, pullback

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
    r""":math:`g\, x^y \ln x`, 0 where the base is 0 and the exponent's real part is not negative."""
    if isinstance(x, (int, float)) and x > 0:
        return g * out * math.log(x)
    base = xp.astype(x, out.dtype, copy=False) if isinstance(x, Array) else xp.full_like(out, x)
    is_zero = base == 0
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
elementwise("cbrt", lambda g, out: g / (3 * out * out))
elementwise("pow", power_by_base, power_by_exponent)
elementwise("float_power", power_by_base, power_by_exponent)
elementwise("remainder", identity, lambda g, x, y: -g * xp.floor(x / y))
elementwise("fmod", identity, lambda g, x, y: -g * xp.trunc(x / y))
elementwise("abs", lambda g, x: g * sign_of(x))
elementwise("fabs", lambda g, x: g * xp.sign(x))
elementwise("copysign", of_copysign, lambda g: xp.zeros_like(g))
elementwise("hypot", lambda g, out, x: g * _ratio(x, out), lambda g, out, y: g * _ratio(y, out))
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
elementwise("expm1", lambda g, out: g * (out + 1))
elementwise("log", lambda g, x: g / x, fused=False)
elementwise("log2", lambda g, x: g / (x * LN2))
elementwise("log10", lambda g, x: g / (x * LN10))
elementwise("log1p", lambda g, x: g / (1 + x))
elementwise("logaddexp", lambda g, x, y: g * _share(x, y), lambda g, x, y: g * _share(y, x))
elementwise("logaddexp2", lambda g, x, y: g * _share(x, y, 2.0), lambda g, x, y: g * _share(y, x, 2.0))

elementwise("sin", lambda g, x: g * xp.cos(x))
elementwise("cos", lambda g, x: -g * xp.sin(x))
elementwise("tan", lambda g, out: g * (1 + out * out))
elementwise("asin", lambda g, x: g / xp.sqrt(1 - x * x))
elementwise("acos", lambda g, x: -g / xp.sqrt(1 - x * x))
elementwise("atan", lambda g, x: g / (1 + x * x))
elementwise("atan2", lambda g, x, y: g * _over_squares(y, x), lambda g, x, y: -g * _over_squares(x, y))
elementwise("sinh", lambda g, x: g * xp.cosh(x))
elementwise("cosh", lambda g, x: g * xp.sinh(x))
elementwise("tanh", lambda g, out: g * (1 - out * out))
elementwise("asinh", lambda g, x: g / xp.sqrt(1 + x * x))
elementwise("acosh", lambda g, x: g / (xp.sqrt(x - 1) * xp.sqrt(x + 1)))
elementwise("atanh", lambda g, x: g / (1 - x * x))
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
    length = xp.abs(x)
    direction = _ratio(x, length)
    return _ratio(g - xp.real(g * direction) * xp.conj(direction), length)


constant(
    "floor", "ceil", "round", "trunc", "rint", "floor_divide", "heaviside", "nextafter", "spacing",
    "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
    "isfinite", "isinf", "isnan", "signbit", "may_have_infinity",
    "logical_and", "logical_not", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_invert", "bitwise_left_shift", "bitwise_right_shift",
    "bitwise_count", "gcd", "lcm",
)  # fmt: skip


def _ratio(x: Array, length: Array) -> Array:
    r""":math:`x / \lVert x \rVert`, 0 where the length is 0."""
    is_zero = length == 0
    return xp.where(is_zero, 0, x / xp.where(is_zero, 1, length))


def _share(x: Any, y: Any, base: float = math.e) -> Any:
    """The part of :math:`b^x` in :math:`b^x + b^y`, computed without overflow."""
    difference = y - x
    decay = base ** -xp.abs(difference)
    return xp.where(difference > 0, decay, 1) / (1 + decay)


def _over_squares(x: Any, y: Any) -> Any:
    """:math:`x / (x^2 + y^2)`."""
    return x / (x * x + y * y)
