# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803, RET505, SIM108
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Bitwise and logical operations, and the bits of floating-point numbers."""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def bitwise_and(x, y):
    return x & y


@triton.jit
def bitwise_or(x, y):
    return x | y


@triton.jit
def bitwise_xor(x, y):
    return x ^ y


@triton.jit
def bitwise_invert(x):
    return ~x


@triton.jit
def left_shift(x, y):
    fits = (y >= 0) & (y < y.dtype.primitive_bitwidth)
    return tl.where(fits, x << tl.where(fits, y, 0), 0)


@triton.jit
def right_shift(x, y):
    fits = (y >= 0) & (y < y.dtype.primitive_bitwidth)
    if y.dtype.is_int_signed():
        overflowed = tl.where(x < 0, -1, 0).to(x.dtype)
    else:
        overflowed = x * 0
    return tl.where(fits, x >> tl.where(fits, y, 0), overflowed)


@triton.jit
def logical_not(x):
    return x == 0


@triton.jit
def logical_and(x, y):
    return (x != 0) & (y != 0)


@triton.jit
def logical_or(x, y):
    return (x != 0) | (y != 0)


@triton.jit
def logical_xor(x, y):
    return (x != 0) != (y != 0)


@triton.jit
def copysign(x, y):
    return libdevice.copysign(x, y)


@triton.jit
def signbit(x):
    if x.dtype == tl.float64:
        return x.to(tl.int64, bitcast=True) < 0
    else:
        return x.to(tl.int32, bitcast=True) < 0


@triton.jit
def next_bits(x, y, INFINITY: tl.constexpr, MASK: tl.constexpr):
    """Bits of the next representable number toward ``y``: the bits of magnitudes have the order of the numbers."""
    magnitude = x & MASK
    target = y & MASK
    start = tl.where(x < 0, 0 - magnitude, magnitude)
    end = tl.where(y < 0, 0 - target, target)
    step = tl.where(start < end, start + 1, start - 1)
    bits = tl.where(step < 0, (0 - step) | ~MASK, step)
    bits = tl.where(step == 0, x & ~MASK, bits)
    bits = tl.where(start == end, y, bits)
    return tl.where(magnitude > INFINITY, x, tl.where(target > INFINITY, y, bits))


@triton.jit
def nextafter(x, y):
    if x.dtype == tl.float64:
        bits = next_bits(
            x.to(tl.int64, bitcast=True), y.to(tl.int64, bitcast=True), 0x7FF0000000000000, 0x7FFFFFFFFFFFFFFF
        )
    elif x.dtype == tl.float32:
        bits = next_bits(x.to(tl.int32, bitcast=True), y.to(tl.int32, bitcast=True), 0x7F800000, 0x7FFFFFFF)
    else:
        bits = next_bits(x.to(tl.int16, bitcast=True), y.to(tl.int16, bitcast=True), 0x7C00, 0x7FFF)
    return bits.to(x.dtype, bitcast=True)


@triton.jit
def nextafter_bfloat16(x, y):
    """Next bfloat16 number, for operands held in float32: only the upper 16 bits are used."""
    bits_x = x.to(tl.int32, bitcast=True) >> 16
    bits = next_bits(bits_x, y.to(tl.int32, bitcast=True) >> 16, 0x7F80, 0x7FFF)
    return (bits << 16).to(tl.float32, bitcast=True)
