"""What several libraries get wrong against the standard, put right once, in Array API terms.

A correction takes a device's functions and the library's own function, and gives the corrected function. A backend
names those it needs (``Backend.corrections``). Nothing here forces a value from a device to the host.

A function that is right already, because its backend corrected it in a way of its own, is named, too: its in-place
operator is the library's otherwise. It says so by an attribute ``corrected`` where there is a correction here.

A complex result is put together by the namespace's ``complex_of(real, imag)``, each component exactly as given:
arithmetic with ``1j`` would make NaN of an infinite component and lose the sign of a zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from ._bfloat16 import kind_of
from .backend import Native

__all__ = ["CORRECTIONS", "Correction"]

Function: TypeAlias = Callable[..., Native]
Correction: TypeAlias = Callable[[Any, Function], Function]


def floor_divide(xp: Any, raw: Function) -> Function:
    """An infinite operand: the standard wants ``floor(x1 / x2)``, where libraries follow Python's ``//``.

    A namespace may offer ``has_infinity(x)`` where the answer is cheap; finite operands then cost no more.
    """

    def infinite(x: Native | float) -> Any:
        return xp.isinf(x) if hasattr(x, "dtype") else math.isinf(x)

    if getattr(raw, "corrected", False):
        return raw

    has_infinity = vars(xp).get("has_infinity", lambda x: True)

    def corrected(x1: Native, x2: Native) -> Native:
        result = raw(x1, x2)
        if kind_of(result.dtype) != "f" or not (has_infinity(x1) or has_infinity(x2)):
            return result
        either = xp.logical_or(infinite(x1), infinite(x2))
        return xp.where(either, xp.floor(xp.divide(x1, x2)), result)

    return corrected


def expm1(xp: Any, raw: Function) -> Function:
    """Complex operands: accurate near 0, and the standard's results where a component is infinite or NaN.

    With ``x = a + bj``, ``expm1(x) = (expm1(a) cos(b) - 2 sin²(b/2)) + exp(a) sin(b) j``.
    """

    def corrected(x: Native) -> Native:
        if x.dtype.kind != "c":
            return raw(x)
        a, b = xp.real(x), xp.imag(x)
        half = xp.sin(xp.divide(b, 2.0))
        real = xp.subtract(xp.multiply(xp.expm1(a), xp.cos(b)), xp.multiply(2.0, xp.square(half)))
        real = xp.add(real, 0.0)  # the standard wants expm1(-0 + 0j) to be +0
        imag = xp.multiply(xp.exp(a), xp.sin(b))
        # A real argument stays real: 0 · exp(a) is NaN where exp(a) is infinite or NaN.
        imag = xp.where(xp.equal(b, 0.0), b, imag)
        unbounded = xp.logical_not(xp.isfinite(b))
        grows = xp.logical_and(xp.equal(a, math.inf), unbounded)
        vanishes = xp.equal(a, -math.inf)
        real = xp.where(grows, math.inf, xp.where(vanishes, -1.0, real))
        imag = xp.where(xp.logical_and(vanishes, unbounded), 0.0, imag)
        return xp.complex_of(real, imag)

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


def pow(xp: Any, raw: Function) -> Function:
    """Complex operands: any base, 0 included, to the power of 0 is 1, where ``exp(x2 log(x1))`` is NaN."""

    def corrected(x1: Native | complex, x2: Native | complex) -> Native:
        result = raw(x1, x2)
        if result.dtype.kind != "c":
            return result
        if hasattr(x2, "dtype"):
            return xp.where(xp.equal(x2, 0), 1.0, result)
        return result if x2 != 0 else xp.ones(result.shape, dtype=result.dtype)

    return corrected


def tan(xp: Any, raw: Function) -> Function:
    """Complex operands with no finite real part and no imaginary one: ``NaN ± 0j``, as from ``-j tanh(jx)``."""

    def corrected(x: Native) -> Native:
        result = raw(x)
        if result.dtype.kind != "c":
            return result
        a, b = xp.real(x), xp.imag(x)
        undefined = xp.logical_and(xp.equal(b, 0.0), xp.logical_not(xp.isfinite(a)))
        return xp.complex_of(xp.real(result), xp.where(undefined, b, xp.imag(result)))

    return corrected


def tanh(xp: Any, raw: Function) -> Function:
    """Complex operands with an infinite real part: ``±1 ± 0j`` with the sign of each component of ``x``.

    With no real part and no finite imaginary one: ``±0 + NaN j``.
    """

    def corrected(x: Native) -> Native:
        result = raw(x)
        if result.dtype.kind != "c":
            return result
        a, b = xp.real(x), xp.imag(x)
        saturated = xp.isinf(a)
        real = xp.where(saturated, xp.sign(a), xp.real(result))
        real = xp.where(xp.logical_and(xp.equal(a, 0.0), xp.logical_not(xp.isfinite(b))), a, real)
        imag = xp.where(saturated, xp.copysign(0.0, b), xp.imag(result))
        return xp.complex_of(real, imag)

    return corrected


def as_it_is(xp: Any, raw: Function) -> Function:
    """What the backend corrected itself, or binds to a device: named for its in-place operator."""
    return raw


CORRECTIONS: dict[str, Correction] = {
    **dict.fromkeys(
        (
            *("add", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor"),
            *("divide", "matmul", "multiply", "remainder", "subtract"),
        ),
        as_it_is,
    ),
    "acosh": acosh,
    "expm1": expm1,
    "floor_divide": floor_divide,
    "pow": pow,
    "tan": tan,
    "tanh": tanh,
}
