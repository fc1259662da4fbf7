"""Formulas of complex numbers that cover every element, infinities and NaN included.

Where a formula of float32 would overflow between or lose digits, its components are computed in float64, if the device
has it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels import complex as shared
from ..kernels.exponential import exp, expm1, log, log1p
from ..kernels.hyperbolic import asinh, cosh, sinh
from ..kernels.trigonometric import atan2
from ..kernels.values import (
    Complex,
    Value,
    constant,
    convert,
    copysign,
    fabs,
    isfinite,
    isinf,
    isnan,
    rint,
    select,
    signbit,
    sqrt,
)
from .real_formulas import cos, hypot, sin, sort_after, tan
from .source import SourceBuilder

__all__ = ["COMPLEX", "complex_after"]

Function = Callable[[Complex], Complex]


def _in_double(function: Function) -> Function:
    def widened(x: Complex) -> Complex:
        builder = x.builder
        assert isinstance(builder, SourceBuilder)
        if x.dtype == np.complex128 or not builder.language.has_double:
            return function(x)
        return convert(function(convert(x, np.complex128)), x.dtype)  # type: ignore[no-any-return]

    return widened


def _is_large(x: Value) -> Value:
    """Whether asymptotic formulas hold for a component; below, products of several stay finite."""
    return fabs(x) > (2.0**200 if x.dtype.itemsize == 8 else 2.0**30)


def _sizes(x: Complex) -> tuple[Value, Value]:
    return fabs(x.real), fabs(x.imag)


def _turned(x: Complex) -> Complex:
    """``i x``."""
    return Complex(-x.imag, x.real)


def _of_turned(function: Function) -> Function:
    """``-i f(i x)``: sine of the hyperbolic sine, for example."""

    def turned(x: Complex) -> Complex:
        result = function(_turned(x))
        return Complex(result.imag, -result.real)

    return turned


# -- arithmetic -------------------------------------------------------------------------------------------------------


def add(x: Complex, y: Complex) -> Complex:
    return Complex(x.real + y.real, x.imag + y.imag)


def subtract(x: Complex, y: Complex) -> Complex:
    return Complex(x.real - y.real, x.imag - y.imag)


def multiply(x: Complex, y: Complex) -> Complex:
    return Complex(x.real * y.real - x.imag * y.imag, x.real * y.imag + x.imag * y.real)


def divide(x: Complex, y: Complex) -> Complex:
    """Smith's algorithm (CACM 5, 1962, 435); quotients of the components for a divisor of 0."""
    first = fabs(y.real) >= fabs(y.imag)
    c, d = select(first, y.real, y.imag), select(first, y.imag, -y.real)
    a, b = select(first, x.real, x.imag), select(first, x.imag, -x.real)
    zero = (c == 0) & (d == 0)
    ratio = select(zero, constant(c.builder, 0.0, c.dtype), d / c)
    scale = c + d * ratio
    size = fabs(c)
    real = select(zero, a / size, (a + b * ratio) / scale)
    return Complex(real, select(zero, b / size, (b - a * ratio) / scale))


def absolute(x: Complex) -> Value:
    return hypot(x.real, x.imag)


def sign(x: Complex) -> Complex:
    """``x / |x|``; +0 for 0."""
    a, b = _sizes(x)
    size = select(a > b, a, b)
    large = (size > float(np.finfo(size.dtype).max) / 2) & isfinite(size)
    real, imag = (select(large, part * 0.5, part) for part in (x.real, x.imag))
    size = hypot(real, imag)
    divisor = select(size != 0, size, 1.0)
    return Complex(*(select(size != 0, part / divisor, 0.0) for part in (real, imag)))


# -- exponential functions --------------------------------------------------------------------------------------------


def exponential(x: Complex) -> Complex:
    """``exp(a) (cos(b) + i sin(b))``; in two factors, so that it overflows only where the product does."""
    a, b = x.real, x.imag
    large = fabs(a) > 64.0
    first, second = exp(select(large, a * 0.5, a)), exp(select(large, a * 0.5, 0.0))
    real, imag = first * cos(b) * second, first * sin(b) * second
    imag = select(b == 0, b, imag)  # 0 times an infinite or NaN exponential
    unbounded = ~isfinite(b)
    real = select((a == math.inf) & unbounded, constant(a.builder, math.inf, a.dtype), real)
    vanishes = (a == -math.inf) & unbounded
    return Complex(_zero_where(vanishes, real), _zero_where(vanishes, imag))


def _zero_where(condition: Value, x: Value) -> Value:
    return select(condition, constant(x.builder, 0.0, x.dtype), x)


def exponential_minus_one(x: Complex) -> Complex:
    """``expm1(a) cos(b) - 2 sin(b / 2)**2 + i exp(a) sin(b)``."""
    a, b = x.real, x.imag
    half = sin(b * 0.5)
    real = expm1(a) * cos(b) - half * half * 2.0 + 0.0  # expm1(-0) is +0
    power = exponential(x)
    # Where the exponential is large, it is the result.
    real = select(a > 64.0, power.real, real)
    unbounded = ~isfinite(b)
    real = select((a == math.inf) & unbounded, constant(a.builder, math.inf, a.dtype), real)
    real = select(a == -math.inf, constant(a.builder, -1.0, a.dtype), real)
    return Complex(real, power.imag)


def _hyperbolic(x: Complex, *, is_odd: bool) -> Complex:
    """``sinh(a) cos(b) + i cosh(a) sin(b)``, or cosh; large functions are halves of exponentials in two factors."""
    a, b = x.real, x.imag
    size = fabs(a)
    large = size > 20.0
    half = exp(size * 0.5)
    cosine, sine = cos(b), sin(b)
    small = _zero_where(large, a)

    def product(function: Callable[[Value], Value], factor: Value, signed: bool) -> Value:
        beyond = (half * 0.5) * factor * half
        beyond = select(a < 0, -beyond, beyond) if signed else beyond
        return select(large, beyond, function(small) * factor)

    unbounded = ~isfinite(b)
    infinite = isinf(a) & unbounded
    if is_odd:
        real, imag = product(sinh, cosine, True), product(cosh, sine, False)
        real = select(infinite | ((a == 0) & unbounded), a, real)
        return Complex(real, select(b == 0, b, imag))
    real, imag = product(cosh, cosine, False), product(sinh, sine, True)
    real = select(infinite, constant(a.builder, math.inf, a.dtype), real)
    zero = copysign(constant(a.builder, 0.0, a.dtype), a)
    zero = select(signbit(b), -zero, zero)
    return Complex(real, select((b == 0) | ((a == 0) & unbounded), zero, imag))


def hyperbolic_sine(x: Complex) -> Complex:
    return _hyperbolic(x, is_odd=True)


def hyperbolic_cosine(x: Complex) -> Complex:
    return _hyperbolic(x, is_odd=False)


def hyperbolic_tangent(x: Complex) -> Complex:
    """Kahan, "Branch cuts for complex elementary functions" (1987)."""
    a, b = x.real, x.imag
    large = fabs(a) > 20.0
    small = _zero_where(large, a)
    t, s = tan(b), sinh(small)
    beta = t * t + 1.0
    divisor = beta * s * s + 1.0
    real, imag = beta * s * sqrt(s * s + 1.0) / divisor, t / divisor
    imag = select(large, sin(b) * cos(b) * 4.0 * exp(fabs(a) * -2.0), imag)
    real = select(large, copysign(constant(a.builder, 1.0, a.dtype), a), real)
    imag = select(isinf(a), copysign(constant(a.builder, 0.0, a.dtype), b), imag)
    real = select(a == 0, a, select(isfinite(a) & ~isfinite(b), b - b, real))
    return Complex(real, select(b == 0, b, imag))


# -- logarithms and roots ---------------------------------------------------------------------------------------------


def _log_of_size(x: Complex) -> Value:
    """``log|x|`` of numbers whose squares overflow or underflow: scaled by a power of two."""
    a, b = _sizes(x)
    largest = select(a > b, a, b)
    limits = np.finfo(largest.dtype)
    one = constant(x.builder, 1.0, largest.dtype)
    exponent = 4 if limits.bits == 32 else 8
    factor = select(largest > float(limits.max) / 16, one * 2.0**-exponent, one)
    shift = select(largest > float(limits.max) / 16, one * (exponent * math.log(2.0)), one * 0.0)
    small = largest < float(limits.smallest_normal) * 2.0**60
    factor = select(small, one * 2.0**100, factor)
    shift = select(small, one * (-100 * math.log(2.0)), shift)
    return log(hypot(a * factor, b * factor)) + shift


def logarithm(scale: float | None) -> Function:
    """``log|x| + i atan2(b, a)``, times a number."""

    def scaled(x: Complex) -> Complex:
        a, b = _sizes(x)
        largest = select(a > b, a, b)
        near = (largest > 0.25) & (largest < 4.0) & isfinite(a) & isfinite(b)
        exact = shared.log_of_size(Complex(*(select(near, part, 1.0) for part in (x.real, x.imag))))
        size, angle = select(near, exact, _log_of_size(x)), atan2(x.imag, x.real)
        return Complex(size, angle) if scale is None else Complex(size * scale, angle * scale)

    return _in_double(scaled)


def logarithm_of_one_plus(x: Complex) -> Complex:
    """``log|1 + x| + i atan2(b, 1 + a)``."""
    a, b = _sizes(x)
    above = Complex(x.real + 1.0, x.imag)
    near = (a < 4.0) & (b < 4.0) & ((fabs(above.real) > 0.25) | (b > 0.25))
    exact = shared.logarithm_of_one_plus(Complex(*(select(near, part, 1.0) for part in (x.real, x.imag))))
    return Complex(select(near, exact.real, _log_of_size(above)), atan2(x.imag, above.real))


def square_root(x: Complex) -> Complex:
    """One root of a real number, and a quotient by it; scaled, so that nothing overflows between."""
    limits = np.finfo(x.real.dtype)
    a, b = _sizes(x)
    size = select(a > b, a, b)
    one = constant(x.builder, 1.0, a.dtype)
    large, small = size > float(limits.max) / 8, size < float(limits.smallest_normal) * 2.0**64
    factor = select(large, one * 2.0**-4, select(small, one * 2.0**100, one))
    back = select(large, one * 4.0, select(small, one * 2.0**-50, one))
    a1, b1 = a * factor, b * factor
    main = sqrt((a1 + hypot(a1, b1)) * 0.5)
    other = b1 / (select(main == 0, one, main) * 2.0)
    main, other = main * back, other * back
    negative = signbit(x.real)
    real, imag = select(negative, other, main), select(negative, main, other)
    infinity, zero = one * math.inf, one * 0.0
    undefined = select(isnan(b), b, zero)
    real = select(isinf(a), select(negative, undefined, infinity), real)
    imag = select(isinf(a), select(negative, infinity, undefined), imag)
    real, imag = select(isinf(b), infinity, real), select(isinf(b), infinity, imag)
    return Complex(real, copysign(imag, x.imag))


def power(x: Complex, y: Complex) -> Complex:
    """``exp(y log(x))``; 1 for an exponent of 0, and 0 for 0 to a positive one."""
    result = exponential(multiply(y, logarithm(None)(x)))
    one, zero = constant(x.builder, 1.0, result.real.dtype), constant(x.builder, 0.0, result.real.dtype)
    is_zero = (x.real == 0) & (x.imag == 0)
    vanishes = is_zero & (y.real > 0) & (y.imag == 0)
    nan = zero / zero
    real = select(vanishes, zero, select(is_zero, nan, result.real))
    imag = select(vanishes, zero, select(is_zero, nan, result.imag))
    constant_one = (y.real == 0) & (y.imag == 0)
    itself = (y.real == 1) & (y.imag == 0)
    real, imag = select(itself, x.real, real), select(itself, x.imag, imag)
    return Complex(select(constant_one, one, real), select(constant_one, zero, imag))


# -- inverse functions ------------------------------------------------------------------------------------------------


def _log_of_double(a: Value, b: Value) -> Value:
    """``log(2 |x|)``."""
    return log(hypot(a * 0.25, b * 0.25)) + 3 * math.log(2.0)


def inverse_sine(x: Complex) -> Complex:
    """The inverse hyperbolic sine, of the first quadrant and with the signs of the components."""
    a, b = _sizes(x)
    large = _is_large(a) | _is_large(b)
    c, d = _zero_where(large, a), _zero_where(large, b)
    first, second = square_root(Complex(d + 1.0, -c)), square_root(Complex(1.0 - d, c))
    real = asinh(first.real * second.imag - second.real * first.imag)
    imag = atan2(d, first.real * second.real - first.imag * second.imag)
    real, imag = select(large, _log_of_double(a, b), real), select(large, atan2(b, a), imag)
    missing = isnan(a) & isfinite(b)
    imag = select(missing, select(b == 0, b, a), imag)
    imag = select(isnan(b) & isfinite(a), b, imag)
    real = select(isnan(b) & isfinite(a), b, real)
    return Complex(copysign(real, x.real), copysign(imag, x.imag))


def _angle_and_size(x: Complex) -> tuple[Value, Value]:
    """The real component of the inverse cosine, and the absolute value of its imaginary one."""
    a, b = x.real, fabs(x.imag)
    large = _is_large(a) | _is_large(b)
    c, d = _zero_where(large, a), _zero_where(large, b)
    first, second = square_root(Complex(1.0 - c, -d)), square_root(Complex(c + 1.0, d))
    angle = atan2(first.real, second.real) * 2.0
    size = fabs(asinh(second.real * first.imag - second.imag * first.real))
    angle, size = select(large, atan2(b, a), angle), select(large, _log_of_double(fabs(a), b), size)
    on_axis = (a == 0) & isnan(b)
    angle = select(on_axis, constant(x.builder, math.pi / 2, a.dtype), angle)
    missing = (isnan(a) & isfinite(b)) | (isnan(b) & isfinite(a))
    nan = a + b
    return select(missing & ~on_axis, nan, angle), select(missing, nan, size)


def inverse_cosine(x: Complex) -> Complex:
    angle, size = _angle_and_size(x)
    return Complex(angle, select(signbit(x.imag), size, -size))


def inverse_hyperbolic_cosine(x: Complex) -> Complex:
    angle, size = _angle_and_size(x)
    return Complex(size, select(signbit(x.imag) & ~isnan(x.imag), -angle, angle))


def inverse_tangent(x: Complex) -> Complex:
    """The inverse hyperbolic tangent, of the first quadrant and with the signs of the components.

    ``log1p(4 a / ((1 - a)**2 + b**2)) / 4 + i atan2(2 b, (1 - a)(1 + a) - b**2) / 2``.
    """
    a, b = _sizes(x)
    large = _is_large(a) | _is_large(b)
    c, d = _zero_where(large, a), _zero_where(large, b)
    away = 1.0 - c
    real = log1p(c * 4.0 / (away * away + d * d)) * 0.25
    imag = atan2(d * 2.0, away * (c + 1.0) - d * d) * 0.5
    # Next to 1 the square of the imaginary component underflows.
    close = (c == 1.0) & (d < (2.0**-400 if a.dtype.itemsize == 8 else 2.0**-50)) & (d > 0)
    real = select(close, (math.log(2.0) - log(select(close, d, 1.0))) * 0.5, real)
    half = hypot(a * 0.5, b * 0.5)
    beyond = a * 0.25 / half / half
    infinite = isinf(a) | isinf(b)
    real = select(large, _zero_where(infinite, beyond), real)
    imag = select(large, constant(x.builder, math.pi / 2, a.dtype), imag)
    imag = select(isnan(b), b, imag)
    vanishes = isnan(b) & ((a == 0) | isinf(a))
    real = select(isnan(b), select(vanishes, _zero_where(vanishes, a), b), real)
    undefined = isnan(a) & isfinite(b)
    real, imag = select(undefined, a, real), select(undefined, a, imag)
    return Complex(copysign(real, x.real), copysign(imag, x.imag))


# -- comparisons ------------------------------------------------------------------------------------------------------


def complex_after(x: Complex, y: Complex) -> Value:
    """Whether a number is sorted after another one: by components, and after those with fewer or later NaN."""
    a, b = _rank(x), _rank(y)
    real = sort_after(x.real, y.real)
    same = ~real & ~sort_after(y.real, x.real)
    return (a > b) | ((a == b) & (real | (same & sort_after(x.imag, y.imag))))


def _rank(x: Complex) -> Value:
    one = constant(x.builder, 1, np.int32)
    return select(isnan(x.real), one * 2, 0) + select(isnan(x.imag), one, 0)


def _real_less(x: Complex, y: Complex) -> Value:
    """Whether the real components decide: no comparison with a NaN is true."""
    return (x.real < y.real) & ~(isnan(x.imag) | isnan(y.imag))


def _less(x: Complex, y: Complex) -> Value:
    return _real_less(x, y) | ((x.real == y.real) & (x.imag < y.imag))


def _less_equal(x: Complex, y: Complex) -> Value:
    return _real_less(x, y) | ((x.real == y.real) & (x.imag <= y.imag))


def _logical(combine: Callable[..., Value]) -> Callable[..., Value]:
    return lambda *operands: combine(*[truth(x) for x in operands])


def truth(x: Complex) -> Value:
    """Whether a number is not 0."""
    return (x.real != 0) | (x.imag != 0)


COMPLEX: dict[str, Callable[..., Any]] = {
    **{name: formula.function for name, formula in shared.TABLE.items() if formula.covers is None},
    "abs": absolute,
    "acos": _in_double(inverse_cosine),
    "acosh": _in_double(inverse_hyperbolic_cosine),
    "add": add,
    "asin": _in_double(_of_turned(inverse_sine)),
    "asinh": _in_double(inverse_sine),
    "atan": _in_double(_of_turned(inverse_tangent)),
    "atanh": _in_double(inverse_tangent),
    "conj": lambda x: Complex(x.real, -x.imag),
    "cos": lambda x: hyperbolic_cosine(_turned(x)),
    "cosh": hyperbolic_cosine,
    "divide": divide,
    "exp": exponential,
    "expm1": exponential_minus_one,
    "greater": lambda x, y: _less(y, x),
    "greater_equal": lambda x, y: _less_equal(y, x),
    "imag": lambda x: x.imag,
    "less": _less,
    "less_equal": _less_equal,
    "log": logarithm(None),
    "log10": logarithm(1 / math.log(10.0)),
    "log1p": _in_double(logarithm_of_one_plus),
    "log2": logarithm(1 / math.log(2.0)),
    "logical_and": _logical(lambda a, b: a & b),
    "logical_not": _logical(lambda a: ~a),
    "logical_or": _logical(lambda a, b: a | b),
    "logical_xor": _logical(lambda a, b: a ^ b),
    "multiply": multiply,
    "positive": lambda x: x,
    "pow": power,
    "real": lambda x: x.real,
    "round": lambda x: Complex(rint(x.real), rint(x.imag)),
    "sign": sign,
    "sin": _of_turned(hyperbolic_sine),
    "sinh": hyperbolic_sine,
    "sqrt": square_root,
    "square": lambda x: multiply(x, x),
    "subtract": subtract,
    "tan": _of_turned(hyperbolic_tangent),
    "tanh": hyperbolic_tangent,
}
"""The complete formulas by the operations' names."""
