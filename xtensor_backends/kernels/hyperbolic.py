"""Hyperbolic functions and their inverses, from the exponential and logarithmic functions."""

from __future__ import annotations

from .exponential import expm1, exponential, format_of, log1p, polynomial
from .library import library
from .values import Formula, Value, constant, copysign, fabs, fma, select, sqrt

__all__ = ["TABLE", "acosh", "asinh", "atanh", "cosh", "sinh", "tanh"]

LN2 = 0.6931471805599453
SINH = {
    4: (0.16666718, 0.008330212, 0.00020377383),
    8: (
        0.16666666666666669,
        0.008333333333333139,
        0.00019841269841437472,
        2.7557319155398204e-06,
        2.5052123389613925e-08,
        1.6057240977414532e-10,
        7.759294572679033e-13,
    ),
}
"""Minimax coefficients of ``(sinh(x) / x - 1) / x**2`` in ``x**2`` up to 1, by the dtype's bytes."""


@library("sinh")
def sinh(x: Value) -> Value:
    """The hyperbolic sine."""
    a = fabs(x)
    half = exponential(a, halved=True)
    z = x * x
    small = fma(a * z, polynomial(z, SINH[x.dtype.itemsize]), a)
    return copysign(select(a < 1.0, small, half - 0.25 / half), x)


@library("cosh")
def cosh(x: Value) -> Value:
    """The hyperbolic cosine."""
    half = exponential(fabs(x), halved=True)
    return half + 0.25 / half


@library("tanh")
def tanh(x: Value) -> Value:
    """The hyperbolic tangent."""
    part = expm1(fabs(x) * -2.0)
    return copysign(part / (part + 2.0), x)


@library("asinh")
def asinh(x: Value) -> Value:
    """The inverse hyperbolic sine."""
    a = fabs(x)
    # From here on 1 vanishes next to the square, which may overflow.
    large = a > 2.0 ** (format_of(x).digits + 4)
    square = a * a
    part = log1p(select(large, a, a + square / (sqrt(square + 1.0) + 1.0)))
    return copysign(select(large, part + LN2, part), x)


@library("acosh")
def acosh(x: Value) -> Value:
    """The inverse hyperbolic cosine; NaN below 1."""
    large = x > 2.0 ** (format_of(x).digits + 4)
    t = x - 1.0
    part = log1p(select(large, x, t + sqrt(t * (t + 2.0))))
    result = select(large, part + LN2, part)
    return select(x < 1.0, constant(x.builder, float("nan"), x.dtype), result)


@library("atanh")
def atanh(x: Value) -> Value:
    """The inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond."""
    a = fabs(x)
    return copysign(log1p((a + a) / (1.0 - a)) * 0.5, x)


TABLE: dict[str, Formula] = {
    "acosh": Formula(acosh),
    "asinh": Formula(asinh),
    "atanh": Formula(atanh),
    "cosh": Formula(cosh),
    "sinh": Formula(sinh),
    "tanh": Formula(tanh),
}
"""The formulas of these functions."""
