"""Compositions of elementwise functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.backend import Native
from .._core.dtypes import kind_of

__all__ = [
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "isfinite",
    "isinf",
    "isnan",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "not_equal",
    "positive",
    "reciprocal",
    "sign",
    "signbit",
    "square",
    "trunc",
]

Operand = Any
"""A native array, or a Python scalar beside one."""


def _copy(xp: Any, x: Native) -> Native:
    return xp.astype(x, x.dtype, copy=True)


def _arrays(xp: Any, *operands: Operand) -> list[Native]:
    """Operands as native arrays of the real floating-point dtype that they promote to."""
    dtype = np.result_type(*(getattr(x, "dtype", x) for x in operands))
    if dtype.kind != "f":
        dtype = xp.default_float
    return [xp.astype(x, dtype, copy=False) if hasattr(x, "dtype") else xp.full((), x, dtype=dtype) for x in operands]


# -- arithmetic -----------------------------------------------------------------------------------------------------


def positive(xp: Any, x: Native) -> Native:
    return _copy(xp, x)


def square(xp: Any, x: Native) -> Native:
    return xp.multiply(x, x)


def reciprocal(xp: Any, x: Native) -> Native:
    if kind_of(x.dtype) in "fc":
        return xp.divide(1.0, x)
    # The reciprocal of an integer other than 1 and -1 rounds to 0.
    dtype = np.dtype(np.int8) if x.dtype.kind == "b" else x.dtype
    return xp.astype(xp.where(xp.equal(xp.abs(x), 1), x, 0), dtype, copy=False)


def floor_divide(xp: Any, x1: Operand, x2: Operand) -> Native:
    """``(x1 - remainder(x1, x2)) / x2`` rounded: 1.0 // 0.1 is 9, though 1.0 / 0.1 rounds to 10."""
    dtype = np.result_type(*(getattr(x, "dtype", x) for x in (x1, x2)))
    if kind_of(dtype) != "f":
        return NotImplemented
    if dtype.itemsize == 2:
        # x1 - remainder(x1, x2) is not exact in so few digits.
        work = np.dtype(np.float32)
        x1, x2 = (xp.astype(x, work, copy=False) if hasattr(x, "dtype") else x for x in (x1, x2))
        return xp.astype(xp.floor_divide(x1, x2), dtype, copy=False)
    quotient = xp.divide(x1, x2)
    whole = xp.round(xp.divide(xp.subtract(x1, xp.remainder(x1, x2)), x2))
    whole = xp.where(xp.equal(whole, 0.0), xp.copysign(whole, quotient), whole)
    # Infinite operands and zero divisors: the standard requires the floor of the quotient.
    return xp.where(xp.isfinite(whole), whole, xp.floor(quotient))


def hypot(xp: Any, x1: Operand, x2: Operand) -> Native:
    """The larger magnitude times ``sqrt(1 + ratio²)``, in which no square overflows."""
    a, b = (xp.abs(x) for x in _arrays(xp, x1, x2))
    larger, smaller = xp.maximum(a, b), xp.minimum(a, b)
    scaled = xp.logical_and(xp.not_equal(larger, 0.0), xp.isfinite(larger))
    ratio = xp.where(scaled, xp.divide(smaller, xp.where(scaled, larger, 1.0)), 0.0)
    length = xp.multiply(larger, xp.sqrt(xp.add(xp.multiply(ratio, ratio), 1.0)))
    return xp.where(xp.logical_or(xp.isinf(a), xp.isinf(b)), math.inf, length)


def sign(xp: Any, x: Native) -> Native:
    kind = kind_of(x.dtype)
    if kind == "c":
        return _complex_sign(xp, x)
    if kind == "f":
        zero_or_nan = xp.add(x, 0.0)  # -0 + 0 is +0
        return xp.where(xp.less(0.0, x), 1.0, xp.where(xp.less(x, 0.0), -1.0, zero_or_nan))
    above = xp.astype(xp.less(0, x), x.dtype)
    return above if kind in "bu" else xp.subtract(above, xp.astype(xp.less(x, 0), x.dtype))


def _complex_sign(xp: Any, x: Native) -> Native:
    """``x / |x|``; one infinite component counts as 1 and the other as 0; 0 at 0."""
    a, b = xp.real(x), xp.imag(x)
    unbounded_a, unbounded_b = xp.isinf(a), xp.isinf(b)
    one = xp.bitwise_xor(unbounded_a, unbounded_b)
    a, b = (
        xp.where(one, xp.where(unbounded, xp.copysign(1.0, part), 0.0), part)
        for part, unbounded in ((a, unbounded_a), (b, unbounded_b))
    )
    larger = xp.maximum(xp.abs(a), xp.abs(b))
    scaled = xp.logical_and(xp.not_equal(larger, 0.0), xp.isfinite(larger))
    a, b = (xp.where(scaled, xp.divide(part, xp.where(scaled, larger, 1.0)), part) for part in (a, b))
    magnitude = xp.hypot(a, b)
    divisor = xp.where(xp.equal(magnitude, 0.0), 1.0, magnitude)
    real, imag = (xp.where(xp.equal(magnitude, 0.0), 0.0, xp.divide(part, divisor)) for part in (a, b))
    undefined = xp.logical_or(xp.isnan(magnitude), xp.logical_and(unbounded_a, unbounded_b))
    return xp.complex_of(*(xp.where(undefined, math.nan, part) for part in (real, imag)))


# -- exponentials and logarithms ------------------------------------------------------------------------------------


def log2(xp: Any, x: Native) -> Native:
    return _logarithm(xp, x, 2.0)


def log10(xp: Any, x: Native) -> Native:
    return _logarithm(xp, x, 10.0)


def _logarithm(xp: Any, x: Native, base: float) -> Native:
    """The natural logarithm, scaled; exact at the powers of the base."""
    natural, scale = xp.log(x), 1.0 / math.log(base)
    if natural.dtype.kind == "c":
        return xp.complex_of(*(xp.multiply(part, scale) for part in (xp.real(natural), xp.imag(natural))))
    result = xp.multiply(natural, scale)
    nearest = xp.round(result)
    return xp.where(xp.equal(xp.pow(base, nearest), x), nearest, result)


def logaddexp(xp: Any, x1: Operand, x2: Operand) -> Native:
    """The larger operand plus ``log1p(exp(-|x1 - x2|))``."""
    x1, x2 = _arrays(xp, x1, x2)
    distance = xp.where(xp.equal(x1, x2), 0.0, xp.abs(xp.subtract(x1, x2)))
    return xp.add(xp.maximum(x1, x2), xp.log1p(xp.exp(xp.negative(distance))))


# -- comparison -----------------------------------------------------------------------------------------------------


def not_equal(xp: Any, x1: Operand, x2: Operand) -> Native:
    return xp.bitwise_invert(xp.equal(x1, x2))


def greater(xp: Any, x1: Operand, x2: Operand) -> Native:
    return xp.less(x2, x1)


def greater_equal(xp: Any, x1: Operand, x2: Operand) -> Native:
    return xp.less_equal(x2, x1)


def maximum(xp: Any, x1: Operand, x2: Operand) -> Native:
    return xp.where(xp.logical_or(xp.less_equal(x2, x1), _not_a_number(xp, x1)), x1, x2)


def minimum(xp: Any, x1: Operand, x2: Operand) -> Native:
    return xp.where(xp.logical_or(xp.less_equal(x1, x2), _not_a_number(xp, x1)), x1, x2)


def _not_a_number(xp: Any, x: Operand) -> Any:
    return xp.isnan(x) if hasattr(x, "dtype") else x != x


def clip(xp: Any, x: Native, lower: Operand | None, upper: Operand | None) -> Native:
    if lower is not None:
        x = xp.maximum(x, lower)
    return x if upper is None else xp.minimum(x, upper)


# -- logic and bits -------------------------------------------------------------------------------------------------


def _truth(xp: Any, x: Operand) -> Any:
    """Whether an operand is not 0."""
    if not hasattr(x, "dtype"):
        return bool(x)
    return x if x.dtype.kind == "b" else xp.bitwise_invert(xp.equal(x, 0))


def logical_and(xp: Any, x1: Operand, x2: Operand) -> Native:
    return xp.bitwise_and(_truth(xp, x1), _truth(xp, x2))


def logical_or(xp: Any, x1: Operand, x2: Operand) -> Native:
    return xp.bitwise_or(_truth(xp, x1), _truth(xp, x2))


def logical_xor(xp: Any, x1: Operand, x2: Operand) -> Native:
    return xp.bitwise_invert(xp.equal(_truth(xp, x1), _truth(xp, x2)))


def logical_not(xp: Any, x: Native) -> Native:
    return xp.bitwise_invert(_truth(xp, x))


def bitwise_xor(xp: Any, x1: Operand, x2: Operand) -> Native:
    return xp.bitwise_and(xp.bitwise_or(x1, x2), xp.bitwise_invert(xp.bitwise_and(x1, x2)))


# -- rounding -------------------------------------------------------------------------------------------------------


def ceil(xp: Any, x: Native) -> Native:
    return xp.negative(xp.floor(xp.negative(x))) if kind_of(x.dtype) == "f" else _copy(xp, x)


def trunc(xp: Any, x: Native) -> Native:
    if kind_of(x.dtype) != "f":
        return _copy(xp, x)
    return xp.where(xp.less(x, 0.0), xp.ceil(x), xp.floor(x))


# -- complex and floating-point numbers -----------------------------------------------------------------------------


def conj(xp: Any, x: Native) -> Native:
    if x.dtype.kind != "c":
        return _copy(xp, x)
    return xp.complex_of(xp.real(x), xp.negative(xp.imag(x)))


def signbit(xp: Any, x: Native) -> Native:
    return xp.less(xp.copysign(1.0, x) if kind_of(x.dtype) == "f" else x, 0)


def isnan(xp: Any, x: Native) -> Native:
    return xp.bitwise_invert(xp.equal(x, x))


def isinf(xp: Any, x: Native) -> Native:
    kind = kind_of(x.dtype)
    if kind == "c":
        return xp.bitwise_or(xp.isinf(xp.real(x)), xp.isinf(xp.imag(x)))
    return xp.equal(xp.abs(x), math.inf) if kind == "f" else xp.isnan(x)


def isfinite(xp: Any, x: Native) -> Native:
    kind = kind_of(x.dtype)
    if kind == "c":
        return xp.bitwise_and(xp.isfinite(xp.real(x)), xp.isfinite(xp.imag(x)))
    return xp.less(xp.abs(x), math.inf) if kind == "f" else xp.equal(x, x)
