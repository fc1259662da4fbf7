# What Triton compiles is no Python: no types, constants in capitals, branches that must stay branches.
# ruff: noqa: ANN001, ANN202, N803, RET505, SIM108
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""What is done to one element: the functions of the standard as small device functions, in the kernels' dtypes.

A kernel hands over operands in the dtype of the computation: float16 and bfloat16 as float32, booleans as uint8 of 0
and 1, integers as they are, float32 as float64 where float32's own functions are off by more than 2 units in the last
place. Requirements behind what is not obvious:

- Triton's ``/`` and ``sqrt`` are approximate for float32: ``div_rn`` and ``sqrt_rn`` round correctly.
- ``-x`` is ``0 - x`` there, which loses the sign of a zero.
- libdevice takes float32 numbers below the smallest normal one for 0; ``f(x) = x`` holds for them, or they are scaled.
- Integer ``//`` and ``%`` truncate, and are undefined for a divisor of 0 and for the lowest number by -1.
- A constant has to stand where it is used: the interpreter makes float32 of an assigned one.
"""

from __future__ import annotations

import triton
import triton.language as tl
from triton.language.extra import libdevice

# -- arithmetic ---------------------------------------------------------------------------------------------------


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
def truncated(x):
    return tl.where(x < 0, tl.ceil(x), tl.floor(x))


@triton.jit
def floor(x):
    return tl.floor(x)


@triton.jit
def ceil(x):
    return tl.ceil(x)


@triton.jit
def rounded(x):
    """Half to even: beyond the shift, numbers have no places behind the point, and the sum is rounded to even."""
    magnitude = tl.abs(x)
    if x.dtype == tl.float64:
        whole = tl.where(magnitude < 4503599627370496.0, (magnitude + 4503599627370496.0) - 4503599627370496.0, x)
    else:
        whole = tl.where(magnitude < 8388608.0, (magnitude + 8388608.0) - 8388608.0, x)
    return libdevice.copysign(whole, x)


@triton.jit
def floor_divide_float(x, y):
    """As Python's ``//`` finds it; with an infinite operand, or a divisor of 0, the floor of the quotient."""
    quotient = divide(x, y)
    rest = libdevice.fmod(x, y)
    near = divide(x - rest, y)
    near = tl.where((rest != 0) & ((rest < 0) != (y < 0)), near - 1.0, near)
    below = tl.floor(near)
    below = tl.where(near - below > 0.5, below + 1.0, below)
    below = tl.where(near == 0, libdevice.copysign(near * 0, quotient), below)
    plain = (tl.abs(x) < float("inf")) & (tl.abs(y) < float("inf")) & (y != 0)
    return tl.where(plain, below, tl.floor(quotient))


@triton.jit
def remainder_float(x, y):
    rest = libdevice.fmod(x, y)
    shifted = tl.where((rest < 0) != (y < 0), rest + y, rest)
    return tl.where(rest == 0, libdevice.copysign(rest, y), tl.where(rest == rest, shifted, rest))


@triton.jit
def floor_divide_signed(x, y):
    divisor = tl.where((y == 0) | (y == -1), 1, y)
    quotient = x // divisor
    rest = x - quotient * divisor
    quotient = tl.where((rest != 0) & ((rest < 0) != (divisor < 0)), quotient - 1, quotient)
    return tl.where(y == 0, 0, tl.where(y == -1, 0 - x, quotient))


@triton.jit
def remainder_signed(x, y):
    divisor = tl.where((y == 0) | (y == -1), 1, y)
    rest = x % divisor
    rest = tl.where((rest != 0) & ((rest < 0) != (divisor < 0)), rest + divisor, rest)
    return tl.where(y == divisor, rest, 0)


@triton.jit
def floor_divide_unsigned(x, y):
    return tl.where(y == 0, 0, x // tl.where(y == 0, 1, y))


@triton.jit
def remainder_unsigned(x, y):
    return tl.where(y == 0, 0, x % tl.where(y == 0, 1, y))


@triton.jit
def pow_integer(x, y):
    """By squaring, wrapping around; a negative exponent leaves the integer part of the quotient."""
    result = x * 0 + 1
    base = x
    rest = y
    for _ in tl.range(0, y.dtype.primitive_bitwidth):
        result = tl.where((rest & 1) != 0, result * base, result)
        base = base * base
        rest = rest >> 1
    if y.dtype.is_int_signed():
        odd = (y & 1) != 0
        inverse = tl.where(x == 1, 1, tl.where(x == -1, tl.where(odd, -1, 1), 0))
        result = tl.where(y < 0, inverse.to(result.dtype), result)
    return result


# -- bits ---------------------------------------------------------------------------------------------------------


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
def flip_truth(x):
    return x == 0


@triton.jit
def shift_left(x, y):
    fits = (y >= 0) & (y < y.dtype.primitive_bitwidth)
    return tl.where(fits, x << tl.where(fits, y, 0), 0)


@triton.jit
def shift_right(x, y):
    fits = (y >= 0) & (y < y.dtype.primitive_bitwidth)
    if y.dtype.is_int_signed():
        beyond = tl.where(x < 0, -1, 0).to(x.dtype)
    else:
        beyond = x * 0
    return tl.where(fits, x >> tl.where(fits, y, 0), beyond)


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
def next_key(x, y, INFINITY: tl.constexpr, MASK: tl.constexpr):
    """The bits of the next number; as integers, magnitudes have the order of the numbers."""
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
        bits = next_key(
            x.to(tl.int64, bitcast=True), y.to(tl.int64, bitcast=True), 0x7FF0000000000000, 0x7FFFFFFFFFFFFFFF
        )
    elif x.dtype == tl.float32:
        bits = next_key(x.to(tl.int32, bitcast=True), y.to(tl.int32, bitcast=True), 0x7F800000, 0x7FFFFFFF)
    else:
        bits = next_key(x.to(tl.int16, bitcast=True), y.to(tl.int16, bitcast=True), 0x7C00, 0x7FFF)
    return bits.to(x.dtype, bitcast=True)


@triton.jit
def nextafter_bfloat16(x, y):
    """Of bfloat16 numbers in float32: the upper halves of their bits are all there is."""
    high = x.to(tl.int32, bitcast=True) >> 16
    bits = next_key(high, y.to(tl.int32, bitcast=True) >> 16, 0x7F80, 0x7FFF)
    return (bits << 16).to(tl.float32, bitcast=True)


# -- comparison and logic -----------------------------------------------------------------------------------------


@triton.jit
def equal(x, y):
    return x == y


@triton.jit
def not_equal(x, y):
    return x != y


@triton.jit
def less(x, y):
    return x < y


@triton.jit
def less_equal(x, y):
    return x <= y


@triton.jit
def greater(x, y):
    return x > y


@triton.jit
def greater_equal(x, y):
    return x >= y


@triton.jit
def order(x, y):
    """-1, 0 or 1 for a signed and an unsigned 64-bit integer in either place, which have no common dtype."""
    if x.dtype.is_int_signed():
        below = (x < 0) | (x.to(tl.uint64) < y)
        above = (x >= 0) & (x.to(tl.uint64) > y)
    else:
        below = (y >= 0) & (x < y.to(tl.uint64))
        above = (y < 0) | (x > y.to(tl.uint64))
    return above.to(tl.int8) - below.to(tl.int8)


@triton.jit
def equal_mixed(x, y):
    return order(x, y) == 0


@triton.jit
def not_equal_mixed(x, y):
    return order(x, y) != 0


@triton.jit
def less_mixed(x, y):
    return order(x, y) < 0


@triton.jit
def less_equal_mixed(x, y):
    return order(x, y) <= 0


@triton.jit
def greater_mixed(x, y):
    return order(x, y) > 0


@triton.jit
def greater_equal_mixed(x, y):
    return order(x, y) >= 0


@triton.jit
def maximum(x, y):
    """NaN where an operand is NaN; the comparison of a number with itself is folded away for integers."""
    return tl.where((x > y) | (x != x), x, y)


@triton.jit
def minimum(x, y):
    return tl.where((x < y) | (x != x), x, y)


@triton.jit
def clip(x, low, high):
    return minimum(maximum(x, low), high)


@triton.jit
def where(condition, x, y):
    return tl.where(condition != 0, x, y)


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
def isnan(x):
    return x != x


@triton.jit
def isinf(x):
    return tl.abs(x) == float("inf")


@triton.jit
def isfinite(x):
    return tl.abs(x) < float("inf")


@triton.jit
def never(x):
    return x != x


@triton.jit
def always(x):
    return x == x


# -- powers, logarithms, trigonometry -----------------------------------------------------------------------------


@triton.jit
def or_itself(x, result):
    """``result``, but ``x`` where it is below the smallest normal float32, as for functions that begin like ``x``."""
    if x.dtype == tl.float32:
        return tl.where(tl.abs(x) < 1.1754943508222875e-38, x, result)
    else:
        return result


@triton.jit
def sqrt(x):
    if x.dtype == tl.float32:
        return tl.sqrt_rn(x)
    else:
        return tl.sqrt(x)


@triton.jit
def exp(x):
    return libdevice.exp(x)


@triton.jit
def expm1(x):
    return or_itself(x, libdevice.expm1(x))


@triton.jit
def log(x):
    if x.dtype == tl.float32:
        tiny = (x > 0) & (x < 1.1754943508222875e-38)
        found = libdevice.log(tl.where(tiny, x * 16777216.0, x))
        return tl.where(tiny, found - 16.635532333438686, found)
    else:
        return libdevice.log(x)


@triton.jit
def log2(x):
    if x.dtype == tl.float32:
        tiny = (x > 0) & (x < 1.1754943508222875e-38)
        found = libdevice.log2(tl.where(tiny, x * 16777216.0, x))
        return tl.where(tiny, found - 24.0, found)
    else:
        return libdevice.log2(x)


@triton.jit
def log10(x):
    if x.dtype == tl.float32:
        tiny = (x > 0) & (x < 1.1754943508222875e-38)
        found = libdevice.log10(tl.where(tiny, x * 16777216.0, x))
        return tl.where(tiny, found - 7.224719895935548, found)
    else:
        return libdevice.log10(x)


@triton.jit
def log1p(x):
    return or_itself(x, libdevice.log1p(x))


@triton.jit
def sin(x):
    return or_itself(x, libdevice.sin(x))


@triton.jit
def cos(x):
    return libdevice.cos(x)


@triton.jit
def tan(x):
    return or_itself(x, libdevice.tan(x))


@triton.jit
def asin(x):
    return or_itself(x, libdevice.asin(x))


@triton.jit
def acos(x):
    return libdevice.acos(x)


@triton.jit
def atan(x):
    return or_itself(x, libdevice.atan(x))


@triton.jit
def sinh(x):
    return or_itself(x, libdevice.sinh(x))


@triton.jit
def cosh(x):
    return libdevice.cosh(x)


@triton.jit
def tanh(x):
    return or_itself(x, libdevice.tanh(x))


@triton.jit
def asinh(x):
    return or_itself(x, libdevice.asinh(x))


@triton.jit
def acosh(x):
    return libdevice.acosh(x)


@triton.jit
def atanh(x):
    return or_itself(x, libdevice.atanh(x))


@triton.jit
def atan2(x, y):
    return libdevice.atan2(x, y)


@triton.jit
def hypot(x, y):
    infinite = (tl.abs(x) == float("inf")) | (tl.abs(y) == float("inf"))
    return tl.where(infinite, float("inf"), libdevice.hypot(x, y))


@triton.jit
def logaddexp(x, y):
    """``log(exp(x) + exp(y)) = m + log1p(exp(-|x - y|))`` with ``m`` the larger one."""
    difference = x - y
    above = tl.where(difference > 0, x, y)
    result = above + libdevice.log1p(libdevice.exp(tl.abs(difference) * -1.0))
    return tl.where(x == y, x + 0.6931471805599453, tl.where(difference == difference, result, difference))


@triton.jit
def pow_float(x, y):
    return libdevice.pow(x, y)


# -- activations --------------------------------------------------------------------------------------------------


@triton.jit
def relu(x):
    return tl.where(x <= 0, 0.0, x)


@triton.jit
def silu(x):
    """Of minus infinity the limit, 0."""
    decay = libdevice.exp(tl.abs(x) * -1.0)
    result = x * divide(tl.where(x < 0, decay, 1.0), 1.0 + decay)
    return tl.where(x == float("-inf"), -0.0, result)


@triton.jit
def swiglu(gate, x):
    return silu(gate) * x


@triton.jit
def gelu_tanh(x):
    inner = 0.7978845608028654 * (x + 0.044715 * (x * x * x))
    return tl.where(x == float("-inf"), -0.0, 0.5 * x * (1.0 + libdevice.tanh(inner)))


@triton.jit
def gelu(x):
    return tl.where(x == float("-inf"), -0.0, 0.5 * x * erfc(x * -0.7071067811865476))


NEAR_ABOVE = tl.constexpr(
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3)
)
NEAR_BELOW = tl.constexpr(
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3)
)
MIDDLE_ABOVE = tl.constexpr(
    (
        *(2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1),
        *(2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3),
        1.23033935479799725e3,
    )
)
MIDDLE_BELOW = tl.constexpr(
    (
        *(1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3),
        *(3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
    )
)
FAR_ABOVE = tl.constexpr(
    (
        *(1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1),
        *(1.60837851487422766e-2, 6.58749161529837803e-4),
    )
)
FAR_BELOW = tl.constexpr(
    (
        *(1.0, 2.56852019228982242, 1.87295284992346047, 5.27905102951428412e-1, 6.05183413124413191e-2),
        2.33520497626869185e-3,
    )
)


@triton.jit
def polynomial(x, COEFFICIENTS: tl.constexpr, DEGREE: tl.constexpr):
    """The highest power first."""
    value = x * COEFFICIENTS[0] + COEFFICIENTS[1]
    for place in tl.static_range(2, DEGREE + 1):
        value = value * x + COEFFICIENTS[place]
    return value


@triton.jit
def erfc(x):
    """Cody's rational approximations (1969), as ROCm's library has no erfc; see ``xtensor/_generic_erf.py``."""
    y = tl.abs(x)
    square = x * x
    inverse = divide(square * 0 + 1.0, square)
    near = 1.0 - x * divide(polynomial(square, NEAR_ABOVE, 4), polynomial(square, NEAR_BELOW, 4))
    middle = divide(polynomial(y, MIDDLE_ABOVE, 8), polynomial(y, MIDDLE_BELOW, 8))
    far = inverse * divide(polynomial(inverse, FAR_ABOVE, 5), polynomial(inverse, FAR_BELOW, 5))
    far = divide(0.5641895835477563 - far, y)
    coarse = tl.floor(y * 16.0) * 0.0625
    decay = libdevice.exp(coarse * coarse * -1.0) * libdevice.exp((y - coarse) * (y + coarse) * -1.0)
    tail = tl.where(y > 30.0, 0.0, decay * tl.where(y <= 4.0, middle, far))
    return tl.where(y <= 0.46875, near, tl.where(x < 0, 2.0 - tail, tail))
