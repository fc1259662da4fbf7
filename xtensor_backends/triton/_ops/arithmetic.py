# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, RET505
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Arithmetic, rounding and integer division on the elements of a block."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def identity(x):
    return x


@triton.jit
def add(x, y):
    return x + y


@triton.jit
def subtract(x, y):
    return x - y


@triton.jit
def multiply(x, y):
    return x * y


@triton.jit
def divide(x, y):
    if x.dtype == tl.float32:
        return tl.div_rn(x, y)
    else:
        return x / y


@triton.jit
def reciprocal(x):
    if x.dtype == tl.float32:
        return tl.div_rn(1.0, x)
    else:
        return 1.0 / x


@triton.jit
def negative_float(x):
    return x * -1.0


@triton.jit
def negative_integer(x):
    return 0 - x


@triton.jit
def absolute(x):
    return tl.abs(x)


@triton.jit
def square(x):
    return x * x


@triton.jit
def sign_signed(x):
    return (x > 0).to(x.dtype) - (x < 0).to(x.dtype)


@triton.jit
def sign_unsigned(x):
    return (x > 0).to(x.dtype)


@triton.jit
def sign_float(x):
    return tl.where(x > 0, 1.0, tl.where(x < 0, -1.0, tl.where(x == 0, 0.0, x)))


@triton.jit
def truncate(x):
    return tl.where(x < 0, tl.ceil(x), tl.floor(x))


@triton.jit
def floor(x):
    return tl.floor(x)


@triton.jit
def ceil(x):
    return tl.ceil(x)


@triton.jit
def round_half_even(x):
    """Round half to even: adding 2^52 (float32: 2^23) rounds away the fraction; larger numbers have none."""
    magnitude = tl.abs(x)
    if x.dtype == tl.float64:
        rounded = tl.where(magnitude < 4503599627370496.0, (magnitude + 4503599627370496.0) - 4503599627370496.0, x)
    else:
        rounded = tl.where(magnitude < 8388608.0, (magnitude + 8388608.0) - 8388608.0, x)
    return libdevice.copysign(rounded, x)


@triton.jit
def floor_divide_float(x, y):
    """Python's ``//``; the floor of the quotient for an infinite operand or a zero divisor."""
    quotient = divide(x, y)
    remainder = libdevice.fmod(x, y)
    near = divide(x - remainder, y)
    near = tl.where((remainder != 0) & ((remainder < 0) != (y < 0)), near - 1.0, near)
    floored = tl.floor(near)
    floored = tl.where(near - floored > 0.5, floored + 1.0, floored)
    floored = tl.where(near == 0, libdevice.copysign(near * 0, quotient), floored)
    regular = (tl.abs(x) < float("inf")) & (tl.abs(y) < float("inf")) & (y != 0)
    return tl.where(regular, floored, tl.floor(quotient))


@triton.jit
def remainder_float(x, y):
    remainder = libdevice.fmod(x, y)
    shifted = tl.where((remainder < 0) != (y < 0), remainder + y, remainder)
    return tl.where(
        remainder == 0, libdevice.copysign(remainder, y), tl.where(remainder == remainder, shifted, remainder)
    )


@triton.jit
def floor_divide_signed(x, y):
    divisor = tl.where((y == 0) | (y == -1), 1, y)
    quotient = x // divisor
    remainder = x - quotient * divisor
    quotient = tl.where((remainder != 0) & ((remainder < 0) != (divisor < 0)), quotient - 1, quotient)
    return tl.where(y == 0, 0, tl.where(y == -1, 0 - x, quotient))


@triton.jit
def remainder_signed(x, y):
    divisor = tl.where((y == 0) | (y == -1), 1, y)
    remainder = x % divisor
    remainder = tl.where((remainder != 0) & ((remainder < 0) != (divisor < 0)), remainder + divisor, remainder)
    return tl.where(y == divisor, remainder, 0)


@triton.jit
def floor_divide_unsigned(x, y):
    return tl.where(y == 0, 0, x // tl.where(y == 0, 1, y))


@triton.jit
def remainder_unsigned(x, y):
    return tl.where(y == 0, 0, x % tl.where(y == 0, 1, y))


@triton.jit
def pow_integer(x, y):
    """Exponentiation by squaring with wraparound; a negative exponent gives the truncated reciprocal."""
    result = x * 0 + 1
    base = x
    exponent = y
    for _ in tl.range(0, y.dtype.primitive_bitwidth):
        result = tl.where((exponent & 1) != 0, result * base, result)
        base = base * base
        exponent = exponent >> 1
    if y.dtype.is_int_signed():
        odd = (y & 1) != 0
        inverse = tl.where(x == 1, 1, tl.where(x == -1, tl.where(odd, -1, 1), 0))
        result = tl.where(y < 0, inverse.to(result.dtype), result)
    return result
