"""Corrections of complex elementary functions at infinities, NaN and the ends of the range.

Each is as described in :mod:`xtensor._core.corrections`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .backend import Native

__all__ = ["COMPLEX_CORRECTIONS"]

Function: TypeAlias = Callable[..., Native]
Correction: TypeAlias = Callable[[Any, Function], Function]


def exp(xp: Any, raw: Function) -> Function:
    """Complex operands: ``exp(a) (cos(b) + j sin(b))``, with the standard's results for infinite components.

    The exponential is multiplied by in two halves, so that it overflows only where the product does.
    """

    def corrected(x: Native) -> Native:
        if x.dtype.kind != "c":
            return raw(x)
        a, b = xp.real(x), xp.imag(x)
        half = raw(xp.divide(a, 2.0))
        real = xp.multiply(xp.multiply(half, xp.cos(b)), half)
        imag = xp.multiply(xp.multiply(half, xp.sin(b)), half)
        # A real argument stays real: 0 · exp(a) is NaN where exp(a) is infinite or NaN.
        imag = xp.where(xp.equal(b, 0.0), b, imag)
        unbounded = xp.logical_not(xp.isfinite(b))
        real = xp.where(xp.logical_and(xp.equal(a, math.inf), unbounded), math.inf, real)
        vanishes = xp.logical_and(xp.equal(a, -math.inf), unbounded)
        return xp.complex_of(xp.where(vanishes, 0.0, real), xp.where(vanishes, 0.0, imag))

    return corrected


def _hyperbolic(*, is_odd: bool) -> Correction:
    """``sinh(a) cos(b) + j cosh(a) sin(b)`` (odd), or ``cosh(a) cos(b) + j sinh(a) sin(b)``, for complex operands.

    A factor that is 0 makes a component 0, also next to an infinite or NaN one. Large functions are halves of
    exponentials, which are multiplied by in two halves.
    """

    def correction(xp: Any, raw: Function) -> Function:
        def corrected(x: Native) -> Native:
            if x.dtype.kind != "c":
                return raw(x)
            a, b = xp.real(x), xp.imag(x)
            magnitude = xp.abs(a)
            half = xp.exp(xp.divide(magnitude, 2.0))
            large = xp.less(20.0, magnitude)
            cosine, sine = xp.cos(b), xp.sin(b)
            sinh, cosh = (raw, xp.cosh) if is_odd else (xp.sinh, raw)
            small = xp.where(large, 0.0, a)

            def product(function: Function, factor: Native, sign: Native | None) -> Native:
                beyond = xp.multiply(xp.multiply(half, factor), xp.multiply(half, 0.5))
                beyond = beyond if sign is None else xp.multiply(beyond, xp.sign(sign))
                return xp.where(large, beyond, xp.multiply(function(small), factor))

            unbounded = xp.logical_not(xp.isfinite(b))
            infinite = xp.logical_and(xp.isinf(a), unbounded)
            if is_odd:
                real, imag = product(sinh, cosine, a), product(cosh, sine, None)
                real = xp.where(xp.logical_or(infinite, xp.equal(a, 0.0)), xp.where(unbounded, a, real), real)
                imag = xp.where(xp.equal(b, 0.0), b, imag)
            else:
                real, imag = product(cosh, cosine, None), product(sinh, sine, a)
                real = xp.where(infinite, math.inf, real)
                signed_zero = xp.multiply(xp.copysign(0.0, a), xp.copysign(1.0, b))
                is_zero = xp.logical_or(xp.equal(b, 0.0), xp.logical_and(xp.equal(a, 0.0), unbounded))
                imag = xp.where(is_zero, signed_zero, imag)
            return xp.complex_of(real, imag)

        return corrected

    return correction


def cos(xp: Any, raw: Function) -> Function:
    """Complex operands: the hyperbolic cosine of the product with j, by the standard's definition."""

    def corrected(x: Native) -> Native:
        return raw(x) if x.dtype.kind != "c" else xp.cosh(xp.complex_of(xp.negative(xp.imag(x)), xp.real(x)))

    return corrected


def sqrt(xp: Any, raw: Function) -> Function:
    """Complex operands: one root of a real number, and a quotient by it; scaled, so that nothing overflows between."""

    def corrected(x: Native) -> Native:
        if x.dtype.kind != "c":
            return raw(x)
        a, b = xp.real(x), xp.imag(x)
        limits = np.finfo(a.dtype)
        size = xp.maximum(xp.abs(a), xp.abs(b))
        large, small = xp.less(float(limits.max) / 8, size), xp.less(size, float(limits.smallest_normal) * 2.0**64)

        def scaled(x: Native, down: float, up: float) -> Native:
            return xp.where(large, xp.multiply(x, down), xp.where(small, xp.multiply(x, up), x))

        a1, b1 = (scaled(part, 2.0**-4, 2.0**100) for part in (a, b))
        root = raw(xp.multiply(xp.add(xp.abs(a1), xp.hypot(a1, b1)), 0.5))
        nonzero = xp.where(xp.equal(root, 0.0), 1.0, root)
        other = xp.divide(xp.abs(b1), xp.multiply(nonzero, 2.0))
        root, other = (scaled(part, 2.0**2, 2.0**-50) for part in (root, other))
        negative = xp.less(xp.copysign(1.0, a), 0.0)
        real, imag = xp.where(negative, other, root), xp.where(negative, root, other)
        infinite_a, infinite_b = xp.isinf(a), xp.isinf(b)
        real = xp.where(infinite_a, xp.where(negative, xp.where(xp.isnan(b), b, 0.0), math.inf), real)
        imag = xp.where(infinite_a, xp.where(negative, math.inf, xp.where(xp.isnan(b), b, 0.0)), imag)
        real, imag = xp.where(infinite_b, math.inf, real), xp.where(infinite_b, math.inf, imag)
        return xp.complex_of(real, xp.copysign(imag, b))

    return corrected


def acos(xp: Any, raw: Function) -> Function:
    """Complex operands ``0 + NaN j``: ``π/2 + NaN j``."""

    def corrected(x: Native) -> Native:
        result = raw(x)
        if result.dtype.kind != "c":
            return result
        on_axis = xp.logical_and(xp.equal(xp.real(x), 0.0), xp.isnan(xp.imag(x)))
        return xp.complex_of(xp.where(on_axis, math.pi / 2, xp.real(result)), xp.imag(result))

    return corrected


def asinh(xp: Any, raw: Function) -> Function:
    """Complex operands with a real component of NaN and a finite imaginary one: ``NaN + NaN j``, or ``NaN ± 0j``."""

    def corrected(x: Native) -> Native:
        result = raw(x)
        if result.dtype.kind != "c":
            return result
        a, b = xp.real(x), xp.imag(x)
        missing = xp.logical_and(xp.isnan(a), xp.isfinite(b))
        imag = xp.where(missing, xp.where(xp.equal(b, 0.0), b, math.nan), xp.imag(result))
        return xp.complex_of(xp.where(missing, math.nan, xp.real(result)), imag)

    return corrected


def atanh(xp: Any, raw: Function) -> Function:
    """Complex operands with a NaN: ``±0 + NaN j`` where the real component is 0 or infinite, else ``NaN + NaN j``.

    The result is the library's where the imaginary component is infinite.
    """

    def corrected(x: Native) -> Native:
        result = raw(x)
        if result.dtype.kind != "c":
            return result
        a, b = xp.real(x), xp.imag(x)
        missing = xp.logical_or(xp.isnan(b), xp.logical_and(xp.isnan(a), xp.isfinite(b)))
        vanishes = xp.logical_and(xp.isnan(b), xp.logical_or(xp.equal(a, 0.0), xp.isinf(a)))
        real = xp.where(vanishes, xp.copysign(0.0, a), math.nan)
        return xp.complex_of(xp.where(missing, real, xp.real(result)), xp.where(missing, math.nan, xp.imag(result)))

    return corrected


def acosh(xp: Any, raw: Function) -> Function:
    """Complex operands ``0 + NaN j``: ``NaN + π/2 j``."""

    def corrected(x: Native) -> Native:
        result = raw(x)
        if result.dtype.kind != "c":
            return result
        on_axis = xp.logical_and(xp.equal(xp.real(x), 0.0), xp.isnan(xp.imag(x)))
        return xp.complex_of(xp.real(result), xp.where(on_axis, math.pi / 2, xp.imag(result)))

    return corrected


COMPLEX_CORRECTIONS: dict[str, Correction] = {
    "acos": acos,
    "acosh": acosh,
    "asinh": asinh,
    "atanh": atanh,
    "cos": cos,
    "cosh": _hyperbolic(is_odd=False),
    "exp": exp,
    "sinh": _hyperbolic(is_odd=True),
    "sqrt": sqrt,
}
"""The corrections by the operations' names."""
