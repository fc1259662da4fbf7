"""Elementwise functions on MLX's arrays."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import numpy as np

from xtensor.backend import float_remainder, integer_floor_divide, integer_remainder, shift

from ._native import ARRAY, Array, MlxArray
from ._operands import FLOATS, HALVES, INEXACT, INTEGERS, OPERANDS, cast, number

__all__ = ["FUNCTIONS", "LIB", "absolute", "astype", "complex_of", "where"]

Function = Callable[..., Any]

COMPLEX = mx.complex64

BITS = {mx.float32: (mx.int32, 31), **dict.fromkeys(HALVES, (mx.int16, 15))}
"""The integers of the width of a floating-point dtype, and the position of the sign."""


# -- bits of floating-point numbers -----------------------------------------------------------------------------------


def _bits(x: Array) -> Array:
    return mx.contiguous(x).view(BITS[x.dtype][0])


def signbit(x: Array) -> Array:
    return _bits(x) < 0


def copysign(x1: Array, x2: Array) -> Array:
    x1, x2 = mx.broadcast_arrays(x1, x2)
    return mx.where(signbit(x1) == signbit(x2), x1, mx.negative(x1))


def nextafter(x1: Array, x2: Array) -> Array:
    x1, x2 = mx.broadcast_arrays(x1, x2)
    bits, (dtype, _) = _bits(x1), BITS[x1.dtype]
    one = mx.array(1, dtype=dtype)
    # Numbers of one sign are in the order of their bits: the next one is further from 0, or nearer to it.
    further = (x1 < x2) == (x1 > 0)
    stepped = mx.where(further, bits + one, bits - one).view(x1.dtype)
    smallest = mx.broadcast_to(one, x1.shape).view(x1.dtype)
    stepped = mx.where(bits << 1 == 0, copysign(smallest, x2), stepped)
    stepped = mx.where(_same(x1, x2), x2, stepped)
    return mx.where(mx.isnan(x1) | mx.isnan(x2), x1 + x2, stepped)


def _same(x1: Array, x2: Array) -> Array:
    """Whether numbers are equal; subnormal ones, which a GPU may take for 0, by their bits."""
    zeros = (_bits(x1) << 1 == 0) & (_bits(x2) << 1 == 0)
    return zeros | (_bits(x1) == _bits(x2))


LIB = SimpleNamespace(
    conj=mx.conj,
    copysign=copysign,
    fmod=mx.remainder,  # it has the sign of the divisor already
    mean=mx.mean,
    ones_like=mx.ones_like,
    real=mx.real,
    signbit=signbit,
    sum=mx.sum,
    where=mx.where,
    zeros_like=mx.zeros_like,
)
"""MLX's functions under the names of the shared ones."""


# -- two operands -----------------------------------------------------------------------------------------------------


def _promoting(function: Function) -> Function:
    return lambda x1, x2: function(*OPERANDS.promoted(x1, x2))


def _floating_binary(function: Function) -> Function:
    return lambda x1, x2: function(*OPERANDS.floats(x1, x2))


def _comparison(function: Function) -> Function:
    return lambda x1, x2: function(*OPERANDS.comparable(LIB, x1, x2))


def _ordering(function: Function) -> Function:
    compared = _comparison(function)

    def computed(x1: Any, x2: Any) -> Array:
        if any(x.__class__ is complex or (x.__class__ is ARRAY and x.dtype == COMPLEX) for x in (x1, x2)):
            raise TypeError("complex numbers have no order; compare their real components, or absolute values")
        return compared(x1, x2)

    return computed


def _logical(function: Function) -> Function:
    def computed(x1: Any, x2: Any) -> Array:
        x1, x2 = OPERANDS.truths(x1, x2)
        return function(x1 != 0, x2 != 0)

    return computed


def subtract(x1: Any, x2: Any) -> Array:
    x1, x2 = OPERANDS.promoted(x1, x2)
    if x1.dtype == mx.bool_:
        raise TypeError("numpy boolean subtract, the `-` operator, is not supported; use logical_xor")
    return mx.subtract(x1, x2)


def divide(x1: Any, x2: Any) -> Array:
    return mx.divide(*OPERANDS.quotients(x1, x2))


def remainder(x1: Any, x2: Any) -> Array:
    x1, x2 = OPERANDS.numbers(x1, x2)
    if x1.dtype in FLOATS:
        return float_remainder(LIB, x1, x2)
    return integer_remainder(LIB, mx.remainder, x1, x2)


def floor_divide(x1: Any, x2: Any) -> Array:
    x1, x2 = OPERANDS.numbers(x1, x2)
    if x1.dtype not in FLOATS:
        return integer_floor_divide(LIB, mx.floor_divide, x1, x2)
    if x1.dtype in HALVES:  # the quotient before its floor is not rounded to 16 bits
        return floor_divide(x1.astype(mx.float32), x2.astype(mx.float32)).astype(x1.dtype)
    # As NumPy: the exact remainder first, so that the quotient is an integer but for its rounding.
    exact = mx.divide(x1 - mx.remainder(x1, x2), x2)
    floor = mx.floor(exact)
    quotient = mx.where(exact - floor > 0.5, floor + 1, floor)
    quotient = mx.where(quotient == 0, copysign(quotient, mx.divide(x1, x2)), quotient)
    return mx.where(x2 == 0, mx.divide(x1, x2), quotient)


def pow_(x1: Any, x2: Any) -> Array:
    is_array = x2.__class__ is ARRAY
    if not is_array and x2.__class__ is int and x2 < 0 and x1.dtype not in INEXACT and x1.size:
        raise ValueError("Integers to negative integer powers are not allowed.")
    x1, x2 = OPERANDS.numbers(x1, x2)
    if is_array and x1.dtype in INTEGERS and x1.size and bool(mx.any(x2 < 0).item()):
        raise ValueError("Integers to negative integer powers are not allowed.")
    return mx.power(x1, x2)


def _shift(raw: Function, *, left: bool) -> Function:
    def computed(x1: Any, x2: Any) -> Array:
        x1, x2 = OPERANDS.numbers(x1, x2)
        dtype = x1.dtype
        if dtype in INEXACT:
            raise TypeError(f"shifts take integers, not the promoted dtype {MlxArray.numpy_dtypes[dtype]}")
        keeps_sign = not left and OPERANDS.kinds[dtype] == "i"
        return shift(LIB, raw, x1, x2, dtype.size * 8, keeps_sign=keeps_sign)

    return computed


# -- one operand ------------------------------------------------------------------------------------------------------


def _floating(function: Function) -> Function:
    return lambda x: function(OPERANDS.as_floating(x))


def _real(function: Function) -> Function:
    return lambda x: NotImplemented if x.dtype == COMPLEX else function(OPERANDS.as_floating(x))


def _odd(function: Function) -> Function:
    """A function of which MLX loses the sign of a zero."""
    return lambda x: function(x) if x.dtype == COMPLEX else mx.where(x == 0, x, function(x))


def _rounding(function: Function, name: str) -> Function:
    def computed(x: Array) -> Array:
        if x.dtype == COMPLEX and name != "round":
            raise TypeError(f"{name} takes no complex numbers")
        return function(x) if x.dtype in INEXACT else x

    return computed


def _classified(function: Function, otherwise: bool) -> Function:
    return lambda x: function(x) if x.dtype in INEXACT else mx.full(x.shape, otherwise, dtype=mx.bool_)


def exp(x: Array) -> Array:
    """Exponentials by ``expm1``, which is exact to a unit in the last place; MLX's ``exp`` of float32 is to 60."""
    if x.dtype == COMPLEX:
        return mx.exp(x)
    grown = mx.expm1(mx.abs(x)) + 1
    return mx.where(x < 0, mx.reciprocal(grown), grown)


def absolute(x: Array) -> Array:
    if x.dtype == mx.bool_:
        return x
    if x.dtype != COMPLEX:
        return mx.abs(x)
    unbounded = mx.isinf(mx.real(x)) | mx.isinf(mx.imag(x))
    return mx.where(unbounded, mx.array(mx.inf), mx.abs(x))


def negative(x: Array) -> Array:
    if x.dtype == mx.bool_:
        raise TypeError("negative takes no bool array; use logical_not")
    return mx.negative(x)


def imag(x: Array) -> Array:
    return mx.imag(x) if x.dtype == COMPLEX else mx.zeros_like(x)


# -- casts and choices ------------------------------------------------------------------------------------------------


def astype(x: Array, dtype: Any, *, copy: bool = True) -> Array:
    return cast(x, dtype)  # nobody can write to an array: none needs a copy


def complex_of(real: Array, imaginary: Array) -> Array:
    real, imaginary = mx.broadcast_arrays(cast(real, mx.float32), cast(imaginary, mx.float32))
    if not real.size:
        return mx.zeros(real.shape, dtype=COMPLEX)
    return mx.stack([real, imaginary], -1).view(COMPLEX).reshape(real.shape)


def where(condition: Array, x1: Any, x2: Any) -> Array:
    if x1.__class__ is not ARRAY and x2.__class__ is not ARRAY:
        x1 = number(x1, OPERANDS.library_dtype(np.result_type(np.asarray(x1).dtype)))
    return mx.where(cast(condition, mx.bool_), *OPERANDS.promoted(x1, x2))


FUNCTIONS: dict[str, Function] = {
    **{name: _floating(getattr(mx, name)) for name in ("sqrt", "expm1", "log", "log1p", "cos")},
    **{name: _floating(getattr(mx, name)) for name in ("acos", "acosh", "cosh")},
    **{name: _floating(_odd(getattr(mx, name))) for name in ("sin", "tan", "asin", "atan", "sinh", "tanh")},
    **{name: _floating(_odd(getattr(mx, name))) for name in ("asinh", "atanh")},
    **{name: _real(getattr(mx, name)) for name in ("log2", "log10")},
    **{name: _rounding(getattr(mx, name), name) for name in ("floor", "ceil", "trunc", "round")},
    **{name: _promoting(getattr(mx, name)) for name in ("add", "multiply", "bitwise_and", "bitwise_or", "bitwise_xor")},
    **{name: _comparison(getattr(mx, name)) for name in ("equal", "not_equal")},
    **{name: _ordering(getattr(mx, name)) for name in ("less", "less_equal", "greater", "greater_equal")},
    "abs": absolute,
    "atan2": _floating_binary(mx.arctan2),
    "bitwise_invert": mx.bitwise_invert,
    "bitwise_left_shift": _shift(mx.left_shift, left=True),
    "bitwise_right_shift": _shift(mx.right_shift, left=False),
    "copysign": _floating_binary(copysign),
    "divide": divide,
    "exp": _floating(exp),
    "floor_divide": floor_divide,
    "imag": imag,
    "isfinite": _classified(mx.isfinite, True),
    "isinf": _classified(mx.isinf, False),
    "isnan": _classified(mx.isnan, False),
    "logical_and": _logical(mx.logical_and),
    "logical_not": lambda x: x == 0,
    "logical_or": _logical(mx.logical_or),
    "negative": negative,
    "nextafter": _floating_binary(nextafter),
    "pow": pow_,
    "real": lambda x: mx.real(x) if x.dtype == COMPLEX else x,
    "remainder": remainder,
    "signbit": _real(signbit),
    "subtract": subtract,
}
"""Functions on MLX's arrays by their operations' names."""
