"""Functions of complex numbers, composed of those of their components.

A formula covers finite numbers for which no intermediate result leaves the range of its format. NumPy, whose functions
know the values at infinities and next to branch cuts, computes an array that has another number. Zeros keep their
signs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .exponential import LOG2_E, LOG10_E, exp, expm1, log, log1p
from .hyperbolic import cosh, sinh
from .powers import hypot
from .trigonometric import atan2, cos, covers_reduction, sin
from .values import (
    Complex,
    Formula,
    Value,
    convert,
    copysign,
    fabs,
    isfinite,
    isinf,
    isnan,
    select,
    sqrt,
    two_product,
    two_sum,
)

__all__ = ["TABLE", "log_of_size"]

Function = Callable[..., Value | Complex]


def _covers_all(*numbers: Complex) -> Value:
    """Whether all components are finite."""
    finite = [isfinite(part) for number in numbers for part in (number.real, number.imag)]
    covered = finite[0]
    for one in finite[1:]:
        covered = covered & one
    return covered


def _covers_sum_of_squares(x: Complex) -> Value:
    """Whether the square of the larger component has no overflow, in double precision."""
    return _covers_all(x) if x.dtype == np.complex64 else _larger(x)[0] < 2.0**500


def _covers_square(x: Complex) -> Value:
    """Whether the square of the larger component has all its digits in double precision."""
    largest = _larger(x)[0]
    if x.dtype == np.complex64:  # computed in double precision
        return _covers_all(x) & (largest > 0.0)
    return (largest > 2.0**-500) & (largest < 2.0**500)


def _covers_root(x: Complex) -> Value:
    """Whether the same holds, or the number is 0."""
    return _covers_square(x) | ((x.real == 0.0) & (x.imag == 0.0))


def _covers_size(x: Complex) -> Value:
    """Whether the number and its absolute value are finite."""
    return _covers_all(x) & (_larger(x)[0] < 2.0 ** (np.finfo(x.dtype).maxexp - 2))


def _covers_quotient(x: Complex, y: Complex) -> Value:
    """Whether the numbers are finite and the sum in the denominator cannot overflow."""
    return _covers_all(x) & _covers_size(y)


def _larger(x: Complex) -> tuple[Value, Value]:
    """The absolute values of the components, the larger one first."""
    a, b = fabs(x.real), fabs(x.imag)
    return select(a > b, a, b), select(a > b, b, a)


def _in_double(function: Callable[[Complex], Complex]) -> Callable[[Complex], Complex]:
    """A function whose components of single precision are computed in double precision."""

    def widened(x: Complex) -> Complex:
        if x.dtype == np.complex128:
            return function(x)
        return convert(function(convert(x, np.complex128)), x.dtype)  # type: ignore[no-any-return]

    return widened


def exponential(x: Complex) -> Complex:
    """``exp(a) (cos(b) + i sin(b))``."""
    size = exp(x.real)
    return Complex(size * cos(x.imag), size * sin(x.imag))


def exponential_minus_one(x: Complex) -> Complex:
    """``expm1(a) cos(b) - 2 sin(b / 2)**2 + i exp(a) sin(b)``; the difference of two zeros is +0."""
    half = sin(x.imag * 0.5)
    real = expm1(x.real) * cos(x.imag) - half * half * 2.0
    return Complex(real + 0.0, exp(x.real) * sin(x.imag))


def sine(x: Complex) -> Complex:
    """``sin(a) cosh(b) + i cos(a) sinh(b)``."""
    return Complex(sin(x.real) * cosh(x.imag), cos(x.real) * sinh(x.imag))


def cosine(x: Complex) -> Complex:
    """``cos(a) cosh(b) - i sin(a) sinh(b)``."""
    return Complex(cos(x.real) * cosh(x.imag), -(sin(x.real) * sinh(x.imag)))


def hyperbolic_sine(x: Complex) -> Complex:
    """``sinh(a) cos(b) + i cosh(a) sin(b)``."""
    return Complex(sinh(x.real) * cos(x.imag), cosh(x.real) * sin(x.imag))


def hyperbolic_cosine(x: Complex) -> Complex:
    """``cosh(a) cos(b) + i sinh(a) sin(b)``."""
    return Complex(cosh(x.real) * cos(x.imag), sinh(x.real) * sin(x.imag))


def log_of_size(x: Complex) -> Value:
    """``log|x|``. Next to 1, from ``|x|**2 - 1``, whose rounding errors are added up."""
    large, small = _larger(x)
    square, error = two_product(large, large)
    other, other_error = two_product(small, small)
    total = square + other
    difference, lost = two_sum(square, -1.0)
    excess, lost_again = two_sum(difference, other)
    return _half_log(total, excess + (lost + lost_again + (error + other_error)))


def _half_log(total: Value, excess: Value) -> Value:
    """``log(total) / 2``, next to 1 from ``total - 1``."""
    near = (total > 0.5) & (total < 2.0)
    return select(near, log1p(select(near, excess, 0.0)), log(total)) * 0.5


def logarithm_of_one_plus(x: Complex) -> Complex:
    """``log|1 + x| + i atan2(b, 1 + a)``; with ``|1 + x|**2 - 1 = 2 a + a**2 + b**2`` where that is small."""
    above = x.real + 1.0
    total = above * above + x.imag * x.imag
    square, error = two_product(x.real, x.real)
    other, other_error = two_product(x.imag, x.imag)
    partial, lost = two_sum(x.real + x.real, square)
    excess, lost_again = two_sum(partial, other)
    return Complex(_half_log(total, excess + (lost + lost_again + (error + other_error))), atan2(x.imag, above))


def logarithm(scale: float | None) -> Callable[[Complex], Complex]:
    """``log|x| + i atan2(b, a)``, times a number."""

    def scaled(x: Complex) -> Complex:
        size, angle = log_of_size(x), atan2(x.imag, x.real)
        return Complex(size, angle) if scale is None else Complex(size * scale, angle * scale)

    return _in_double(scaled)


def square_root(x: Complex) -> Complex:
    """``t + i b / (2 t)`` with ``t = sqrt((|x| + |a|) / 2)``; with the components exchanged for a negative ``a``."""
    a = fabs(x.real)
    main = sqrt((hypot(x.real, x.imag) + a) * 0.5)
    other = fabs(x.imag) / select(main != 0.0, main + main, 1.0)
    negative = x.real < 0
    return Complex(select(negative, other, main), copysign(select(negative, main, other), x.imag))


def quotient(x: Complex, y: Complex) -> Complex:
    """Smith's algorithm (Communications of the ACM 5, 1962, 435), with NumPy's order of operations."""
    first = fabs(y.real) >= fabs(y.imag)
    large, small = select(first, y.real, y.imag), select(first, y.imag, y.real)
    a, b = select(first, x.real, x.imag), select(first, x.imag, x.real)
    ratio = small / large
    inverse = 1.0 / (large + small * ratio)
    return Complex((a + b * ratio) * inverse, select(first, b - a * ratio, a * ratio - b) * inverse)


def sign(x: Complex) -> Complex:
    """``x / |x|``; +0 for 0."""
    size = hypot(x.real, x.imag)
    divisor = select(size != 0.0, size, 1.0)
    return Complex(*(select(size != 0.0, part / divisor, 0.0) for part in (x.real, x.imag)))


def absolute(x: Complex) -> Value:
    return hypot(x.real, x.imag)


def where(condition: Value, x: Complex, y: Complex) -> Complex:
    return Complex(select(condition, x.real, y.real), select(condition, x.imag, y.imag))


TABLE: dict[str, Formula] = {
    "abs": Formula(absolute, "c"),
    "cos": Formula(cosine, "c", lambda x: _covers_all(x) & covers_reduction(x.real)),
    "cosh": Formula(hyperbolic_cosine, "c", lambda x: _covers_all(x) & covers_reduction(x.imag)),
    "divide": Formula(quotient, "c", _covers_quotient),
    "equal": Formula(lambda x, y: (x.real == y.real) & (x.imag == y.imag), "c"),
    "exp": Formula(exponential, "c", lambda x: _covers_all(x) & covers_reduction(x.imag)),
    "expm1": Formula(_in_double(exponential_minus_one), "c", lambda x: _covers_all(x) & covers_reduction(x.imag)),
    "isfinite": Formula(_covers_all, "c"),
    "isinf": Formula(lambda x: isinf(x.real) | isinf(x.imag), "c"),
    "isnan": Formula(lambda x: isnan(x.real) | isnan(x.imag), "c"),
    "log": Formula(logarithm(None), "c", _covers_square),
    "log10": Formula(logarithm(LOG10_E), "c", _covers_square),
    "log1p": Formula(_in_double(logarithm_of_one_plus), "c", _covers_sum_of_squares),
    "log2": Formula(logarithm(LOG2_E), "c", _covers_square),
    "negative": Formula(lambda x: Complex(-x.real, -x.imag), "c"),
    "not_equal": Formula(lambda x, y: (x.real != y.real) | (x.imag != y.imag), "c"),
    "sign": Formula(sign, "c", _covers_size),
    "sin": Formula(sine, "c", lambda x: _covers_all(x) & covers_reduction(x.real)),
    "sinh": Formula(hyperbolic_sine, "c", lambda x: _covers_all(x) & covers_reduction(x.imag)),
    "sqrt": Formula(_in_double(square_root), "c", _covers_root),
    "where": Formula(where, "c"),
}
"""The function of each operation, and which numbers it covers."""
