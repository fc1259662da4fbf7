"""Bessel functions of orders 0 and 1, of the first and second kind, ordinary and modified.

Small arguments use polynomials, the ordinary functions of the first kind with the factors of their first two zeros;
large ones the asymptotic expansions (DLMF 10.17 and 10.40) with polynomials in place of their series. Near their other
zeros the ordinary functions are accurate in proportion to their amplitude, ``sqrt(2 / (pi x))``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi

from .arithmetic import in_double
from .bessel_coefficients import (
    I_LARGE,
    I_SMALL,
    J_SMALL,
    J_ZEROS,
    K_LARGE,
    K_SMALL,
    P_LARGE,
    Q_LARGE,
    Y_SMALL,
)
from .exponential import LN2, exponential, log, polynomial
from .trigonometric import cos, covers_reduction, sin
from .values import Formula, Value, constant, copysign, fabs, fma, isinf, select, sqrt

__all__ = ["TABLE", "first_kind", "modified_first_kind", "modified_second_kind", "second_kind"]


def _first_kind_small(x: Value, order: int) -> Value:
    """J up to 5."""
    z = x * x
    result = polynomial(fma(z, 2 / 25, -1.0), J_SMALL[order])
    for zero, rest in J_ZEROS[order]:
        result = result * (fma(x, x, -zero) - rest)
    return result * x if order else result


def _oscillation(x: Value, order: int) -> tuple[Value, Value]:
    """J and Y from 5 on. The phase ``x - (2 order + 1) pi / 4`` is split by the addition theorems."""
    inverse = 1.0 / x
    scaled = fma(inverse * inverse, 50.0, -1.0)
    p, q = polynomial(scaled, P_LARGE[order]), polynomial(scaled, Q_LARGE[order]) * inverse
    sine, cosine = sin(x), cos(x)
    # Cosine and sine of the phase, times sqrt(2).
    first, second = (sine - cosine, -(sine + cosine)) if order else (cosine + sine, sine - cosine)
    amplitude = sqrt(inverse * (1 / pi))
    return amplitude * (p * first - q * second), amplitude * (p * second + q * first)


def first_kind(order: int) -> Callable[[Value], Value]:
    """J of order 0 or 1."""

    def formula(x: Value) -> Value:
        a = fabs(x)
        result = select(a < 5.0, _first_kind_small(a, order), _oscillation(a, order)[0])
        if not order:
            return result
        return select(x < 0, -result, select(x == 0, x, result))

    return formula


def second_kind(order: int) -> Callable[[Value], Value]:
    """Y of order 0 or 1: minus infinity at 0, NaN below."""

    def formula(x: Value) -> Value:
        product = log(x) * _first_kind_small(x, order)
        small = polynomial(fma(x * x, 2 / 25, -1.0), Y_SMALL[order])
        small = fma(product - 1.0 / x, 2 / pi, x * small) if order else fma(product, 2 / pi, small)
        result = select(x < 5.0, small, _oscillation(x, order)[1])
        result = select(x == 0, constant(x.builder, -float("inf"), x.dtype), result)
        return select(x < 0, constant(x.builder, float("nan"), x.dtype), result)

    return formula


def modified_first_kind(order: int, *, scaled: bool) -> Callable[[Value], Value]:
    """I of order 0 or 1, times ``exp(-|x|)`` where ``scaled``."""

    def formula(x: Value) -> Value:
        a = fabs(x)
        near = polynomial(a * a, I_SMALL[order])
        near = near * a if order else near
        # The unscaled function is infinite from 760 on.
        limited = a if scaled else select(a > 760.0, constant(x.builder, 760.0, x.dtype), a)
        inverse = 1.0 / limited
        far = polynomial(fma(inverse, 16.0, -1.0), I_LARGE[order]) * sqrt(inverse)
        if scaled:
            result = select(a < 8.0, exponential(-a, factor=near), far)
        else:
            result = select(a < 8.0, near, exponential(limited, factor=far))
            # SciPy has NaN there.
            result = select(isinf(a), constant(x.builder, float("nan"), x.dtype), result)
        return select(x == 0, fabs(result), copysign(result, x)) if order else result

    return formula


def modified_second_kind(order: int, *, scaled: bool) -> Callable[[Value], Value]:
    """K of order 0 or 1, times ``exp(x)`` where ``scaled``: infinite at 0, NaN below."""

    def formula(x: Value) -> Value:
        z = x * x
        first = polynomial(z, I_SMALL[order])
        near = polynomial(z, K_SMALL[order])
        logarithm = log(x) - LN2
        inverse = 1.0 / x
        near = fma(fma(logarithm, first, near), x, inverse) if order else fma(logarithm, -first, near)
        far = polynomial(1.0 - 2.0 / (x + 1.0), K_LARGE[order]) * sqrt(inverse)
        small = x < 1.0
        if scaled:
            result = select(small, exponential(x, factor=near), far)
        else:
            result = select(small, near, exponential(-x, factor=far))
        result = select(x == 0, constant(x.builder, float("inf"), x.dtype), result)
        return select(x < 0, constant(x.builder, float("nan"), x.dtype), result)

    return formula


TABLE: dict[str, Formula] = {
    "special.i0": Formula(in_double(modified_first_kind(0, scaled=False))),
    "special.i0e": Formula(in_double(modified_first_kind(0, scaled=True))),
    "special.i1": Formula(in_double(modified_first_kind(1, scaled=False))),
    "special.i1e": Formula(in_double(modified_first_kind(1, scaled=True))),
    "special.j0": Formula(in_double(first_kind(0)), covers=covers_reduction),
    "special.j1": Formula(in_double(first_kind(1)), covers=covers_reduction),
    "special.k0": Formula(in_double(modified_second_kind(0, scaled=False))),
    "special.k0e": Formula(in_double(modified_second_kind(0, scaled=True))),
    "special.k1": Formula(in_double(modified_second_kind(1, scaled=False))),
    "special.k1e": Formula(in_double(modified_second_kind(1, scaled=True))),
    "special.y0": Formula(in_double(second_kind(0)), covers=covers_reduction),
    "special.y1": Formula(in_double(second_kind(1)), covers=covers_reduction),
}
"""The formulas of these functions."""
