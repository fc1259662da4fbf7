"""Elementwise functions on tensors."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from xtensor.backend import (
    float_floor_divide,
    float_remainder,
    integer_floor_divide,
    integer_remainder,
    shift,
    short_power,
)

from ._native import COMPLEX, FLOATS, HALVES, INEXACT, SIGNED, TENSOR, Tensor, TorchArray, ordered, signed, wide
from ._operands import NATIVE_SCALARS, OPERANDS, SMALLEST, cast

__all__ = ["DIRECT", "FUNCTIONS", "PLAIN", "astype", "complex_of", "where"]

Function = Callable[..., Any]

PLAIN = frozenset((torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8)) | FLOATS
"""The dtypes of which torch's own arithmetic has NumPy's values."""


# -- two operands -----------------------------------------------------------------------------------------------------


def next_to_floats(function: Function, otherwise: Function) -> Function:
    """A function of two operands that is torch's own for an array and a Python float, else another one."""

    def computed(x1: Any, x2: Any) -> Tensor:
        return (function if x2.__class__ is float and x1.dtype in NATIVE_SCALARS else otherwise)(x1, x2)

    return computed


def wrapping(function: Function) -> Function:
    """A function of two operands of which unsigned integers have the same bits as signed ones."""

    def computed(x1: Any, x2: Any) -> Tensor:
        x1, x2 = OPERANDS.promoted(x1, x2)
        if x1.dtype in SIGNED:
            return function(signed(x1), signed(x2)).view(x1.dtype)
        return function(x1, x2)

    return computed


def by_components(function: Function) -> Function:
    """A sum or difference, whose complex form in torch multiplies by 1 + 0j, so that infinities become NaN."""
    otherwise = wrapping(function)

    def computed(x1: Any, x2: Any) -> Tensor:
        x1, x2 = OPERANDS.promoted(x1, x2)
        if x1.dtype not in COMPLEX:
            return otherwise(x1, x2)
        x1, x2 = torch.broadcast_tensors(x1, x2)
        return torch.view_as_complex(function(torch.view_as_real(x1), torch.view_as_real(x2)))

    return computed


def _comparison(function: Function) -> Function:
    def computed(x1: Any, x2: Any) -> Tensor:
        x1, x2 = OPERANDS.comparable(torch, x1, x2)
        return function(ordered(x1), ordered(x2))

    return next_to_floats(function, computed)


def divide(x1: Any, x2: Any) -> Tensor:
    return torch.divide(*OPERANDS.quotients(x1, x2))


def floor_divide(x1: Any, x2: Any) -> Tensor:
    x1, x2 = OPERANDS.numbers(x1, x2)
    if x1.dtype in HALVES:  # the quotient before its floor is not rounded to 16 bits
        return floor_divide(x1.float(), x2.float()).to(x1.dtype)
    if x1.dtype in FLOATS:
        return float_floor_divide(torch, torch.floor_divide, x1, x2)
    if x1.dtype is torch.uint64:
        return _divided(x1, x2)[0]
    return _integers(integer_floor_divide, torch.floor_divide, x1, x2)


def remainder(x1: Any, x2: Any) -> Tensor:
    x1, x2 = OPERANDS.numbers(x1, x2)
    if x1.dtype in HALVES:
        return remainder(x1.float(), x2.float()).to(x1.dtype)
    if x1.dtype in FLOATS:
        return float_remainder(LIB, x1, x2)
    if x1.dtype is torch.uint64:
        return _divided(x1, x2)[1]
    return _integers(integer_remainder, torch.remainder, x1, x2)


def _fmod(x1: Tensor, x2: Tensor) -> Tensor:
    rest = torch.fmod(x1, x2)
    if x1.device.type == "cpu" and bool(torch.isnan(rest).any()):
        # On the CPU torch's is NaN where the quotient overflows; NumPy's is exact, in the same memory.
        with np.errstate(invalid="ignore"):
            rest = torch.from_numpy(np.asarray(np.fmod(x1.numpy(), x2.numpy())))
    return rest


LIB = SimpleNamespace(copysign=torch.copysign, fmod=_fmod, signbit=torch.signbit, where=torch.where)
"""torch's functions that remainders need."""


def _integers(function: Function, raw: Function, x1: Tensor, x2: Tensor) -> Tensor:
    dtype = x1.dtype
    return function(torch, raw, wide(x1), wide(x2)).to(dtype)


def _divided(x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
    """Return quotients and remainders of uint64; 0 for a divisor of 0.

    Half the dividend fits into int64. Twice its quotient is at most 1 too small.
    """
    a, b = torch.broadcast_tensors(signed(x1), signed(x2))
    half = (a >> 1) & (2**63 - 1)
    quotient = torch.floor_divide(half, torch.where(b <= 0, 1, b)) << 1
    rest = a - quotient * b
    quotient = quotient + ((rest ^ SMALLEST) >= (b ^ SMALLEST)).to(torch.int64)
    above = ((a ^ SMALLEST) >= (b ^ SMALLEST)).to(torch.int64)  # the quotient by 2**63 or more
    quotient = torch.where(b < 0, above, torch.where(b == 0, 0, quotient))
    rest = torch.where(b == 0, 0, a - quotient * b)
    return quotient.view(torch.uint64), rest.view(torch.uint64)


def pow_(x1: Any, x2: Any) -> Tensor:
    if x1.__class__ is TENSOR and x1.dtype in NATIVE_SCALARS and x2.__class__ in (int, float):
        short = short_power(TorchArray(x1), x2)
        if short is not None:
            return SHORT_POWERS[short](x1)
    if x1.__class__ is TENSOR and x2.__class__ is int and x2 < 0 and x1.dtype not in INEXACT and x1.numel():
        raise ValueError("Integers to negative integer powers are not allowed.")
    x1, x2 = OPERANDS.numbers(x1, x2)
    dtype = x1.dtype
    if dtype in COMPLEX:
        return torch.where(x2 == 0, 1.0, torch.pow(x1, x2))  # a GPU has NaN for 0 to the power of 0
    if dtype in INEXACT:
        return torch.pow(x1, x2)
    if dtype in SIGNED:
        return _unsigned_power(signed(x1), x2)
    if x1.numel() and bool((x2 < 0).any()):
        raise ValueError("Integers to negative integer powers are not allowed.")
    return torch.pow(x1, x2)


def _unsigned_power(a: Tensor, x2: Tensor) -> Tensor:
    """Powers of unsigned integers, whose bits are those of signed ones, modulo the powers of two of their width."""
    dtype = x2.dtype
    exponent = signed(x2).to(torch.int64) if dtype is torch.uint64 else x2.to(torch.int64)
    # The order of an odd number divides 2**62; an even one to the power of 64 or more is 0.
    period = exponent & (2**62 - 1)
    power = torch.pow(a.to(torch.int64), period)
    vanishes = (exponent != period) & (a & 1 == 0)
    return torch.where(vanishes, 0, power).to(SIGNED[dtype]).view(dtype)


def _shift(raw: Function, *, left: bool) -> Function:
    def computed(x1: Any, x2: Any) -> Tensor:
        x1, x2 = OPERANDS.numbers(x1, x2)
        dtype = x1.dtype
        if dtype in INEXACT:
            raise TypeError(f"shifts take integers, not the promoted dtype {dtype}")
        bits = torch.iinfo(dtype).bits
        if dtype is torch.uint64 and not left:
            return _logical_right_shift(x1, x2)
        if dtype in SIGNED:
            if left:
                return shift(torch, raw, signed(x1), signed(x2), bits, keeps_sign=False).view(dtype)
            return shift(torch, raw, wide(x1), wide(x2), bits, keeps_sign=False).to(dtype)
        return shift(torch, raw, x1, x2, bits, keeps_sign=not left)

    return computed


def _logical_right_shift(x1: Tensor, x2: Tensor) -> Tensor:
    """Shift uint64 to the right: the copies of the sign that int64 shifts in are removed."""
    a, distance = signed(x1), signed(x2)
    beyond = (distance < 0) | (distance >= 64)
    near = torch.where(beyond, 0, distance)
    copies = (torch.full_like(near, SMALLEST) >> near) << 1  # the bits above those of the result
    return torch.where(beyond, 0, torch.where(near == 0, a, (a >> near) & ~copies)).view(torch.uint64)


def _floating_binary(function: Function) -> Function:
    return lambda x1, x2: function(*OPERANDS.floats(x1, x2))


def _extreme(function: Function) -> Function:
    def computed(x1: Any, x2: Any) -> Tensor:
        x1, x2 = OPERANDS.promoted(x1, x2)
        if x1.dtype in COMPLEX:
            return NotImplemented
        dtype = x1.dtype
        if dtype in SIGNED:
            return (function(ordered(x1), ordered(x2)) ^ torch.iinfo(SIGNED[dtype]).min).view(dtype)
        return function(x1, x2)

    return computed


def _logical(function: Function) -> Function:
    def computed(x1: Any, x2: Any) -> Tensor:
        x1, x2 = OPERANDS.truths(x1, x2)
        return function(signed(x1), signed(x2))

    return computed


# -- one operand ------------------------------------------------------------------------------------------------------


def floating(function: Function) -> Function:
    """A function of floating-point numbers; integers become the dtype in which NumPy computes it."""

    def computed(x: Tensor) -> Tensor:
        dtype = x.dtype
        return function(x) if dtype in INEXACT else function(x.to(OPERANDS.floating(dtype)))

    return computed


def _real(function: Function) -> Function:
    """A function of real numbers, whose complex form in torch departs from the standard."""
    computed = floating(function)
    return lambda x: NotImplemented if x.dtype in COMPLEX else computed(x)


def _reciprocal(x: Tensor) -> Tensor:
    return torch.reciprocal(x) if x.dtype in FLOATS else NotImplemented


def _rounding(function: Function) -> Function:
    def computed(x: Tensor) -> Tensor:
        if x.dtype in COMPLEX:
            if function is not torch.round:
                raise TypeError(f"{function.__name__} takes no complex numbers")
            return torch.complex(function(x.real), function(x.imag))
        return function(x) if x.dtype in FLOATS else x.clone()

    return computed


def _of_bits(function: Function) -> Function:
    def computed(x: Tensor) -> Tensor:
        return function(signed(x)).view(x.dtype) if x.dtype in SIGNED else function(x)

    return computed


def absolute(x: Tensor) -> Tensor:
    return x.clone() if x.dtype is torch.bool or x.dtype in SIGNED else torch.abs(x)


def acos(x: Tensor) -> Tensor:
    result = floating(torch.acos)(x)
    if result.dtype in COMPLEX:
        # torch returns +0 for the imaginary component of acos(0 + 0j).
        return torch.complex(result.real, torch.copysign(result.imag, -x.imag))
    return result


def negative(x: Tensor) -> Tensor:
    if x.dtype is torch.bool:
        raise TypeError("negative takes no bool array; use logical_not")
    if x.dtype in COMPLEX:  # torch's loses the signs of zeros
        return torch.view_as_complex(torch.negative(torch.view_as_real(x)))
    return _of_bits(torch.negative)(x)


def _classified(function: Function, otherwise: bool) -> Function:
    def computed(x: Tensor) -> Tensor:
        if x.dtype in INEXACT:
            return function(x)
        return torch.full(x.shape, otherwise, dtype=torch.bool, device=x.device)

    return computed


def sqrt(x: Tensor) -> Tensor:
    x = OPERANDS.as_floating(x)
    if x.device.type != "cpu" or x.dtype in COMPLEX or x.dtype is torch.bfloat16:
        return torch.sqrt(x)
    # On the CPU torch calls MKL, whose roots are not correctly rounded; NumPy's are, in the same memory.
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(np.asarray(np.sqrt(x.numpy())))


def real(x: Tensor) -> Tensor:
    return torch.real(x) if x.dtype in COMPLEX else x


def imag(x: Tensor) -> Tensor:
    return torch.imag(x) if x.dtype in COMPLEX else torch.zeros_like(x)


def logical_not(x: Tensor) -> Tensor:
    return torch.logical_not(signed(x))


# -- casts and choices ------------------------------------------------------------------------------------------------


def astype(x: Tensor, dtype: torch.dtype, *, copy: bool = True) -> Tensor:
    if x.dtype is dtype:
        return x.clone() if copy else x
    return cast(x, dtype)


def complex_of(real: Tensor, imag: Tensor) -> Tensor:
    dtype = OPERANDS.common(real.dtype, imag.dtype)
    return torch.complex(*torch.broadcast_tensors(cast(real, dtype), cast(imag, dtype)))


def where(condition: Tensor, x1: Any, x2: Any) -> Tensor:
    if x1.__class__ is not TENSOR and x2.__class__ is not TENSOR:
        x1 = torch.tensor(x1, device=condition.device, dtype=_default_dtype(x1))
    condition = condition if condition.dtype is torch.bool else signed(condition).to(torch.bool)
    x1, x2 = OPERANDS.promoted(x1, x2)
    if x1.dtype in SIGNED:
        return torch.where(condition, signed(x1), signed(x2)).view(x1.dtype)
    return torch.where(condition, x1, x2)


def _default_dtype(value: Any) -> torch.dtype:
    if value.__class__ is float:
        return torch.float64
    return torch.complex128 if value.__class__ is complex else torch.bool if value.__class__ is bool else torch.int64


SHORT_POWERS: dict[str, Function] = {
    "square": torch.square,
    "sqrt": sqrt,
    "reciprocal": torch.reciprocal,
    "positive": torch.clone,
}

FLOATING = {
    name: getattr(torch, name)
    for name in (
        *("exp", "expm1", "log", "log1p", "sin", "cos", "tan", "asin", "atan", "sinh", "cosh", "tanh"),
        *("asinh", "acosh", "atanh"),
    )
}

COMPARISONS = {
    "equal": torch.eq,
    "not_equal": torch.ne,
    "less": torch.lt,
    "less_equal": torch.le,
    "greater": torch.gt,
    "greater_equal": torch.ge,
}

DIRECT: dict[str, tuple[Function, frozenset[torch.dtype]]] = {
    **{name: (getattr(torch, name), PLAIN) for name in ("add", "subtract", "multiply", "maximum", "minimum")},
    **{name: (function, PLAIN) for name, function in COMPARISONS.items()},
    **{name: (function, INEXACT) for name, function in FLOATING.items()},
}
"""torch's functions that need nothing for operands of one dtype, and these dtypes."""

FUNCTIONS: dict[str, Function] = {
    **{name: floating(function) for name, function in FLOATING.items()},
    **{name: _comparison(function) for name, function in COMPARISONS.items()},
    **{name: _real(getattr(torch, name)) for name in ("log2", "log10")},
    **{name: _rounding(getattr(torch, name)) for name in ("floor", "ceil", "trunc", "round")},
    **{f"bitwise_{name}": wrapping(getattr(torch, f"bitwise_{name}")) for name in ("and", "or", "xor")},
    **{f"logical_{name}": _logical(getattr(torch, f"logical_{name}")) for name in ("and", "or", "xor")},
    "abs": absolute,
    "acos": acos,
    "add": next_to_floats(torch.add, by_components(torch.add)),
    "atan2": _floating_binary(torch.atan2),
    "bitwise_invert": _of_bits(torch.bitwise_not),
    "bitwise_left_shift": _shift(torch.bitwise_left_shift, left=True),
    "bitwise_right_shift": _shift(torch.bitwise_right_shift, left=False),
    "copysign": _floating_binary(torch.copysign),
    "divide": divide,
    "floor_divide": floor_divide,
    "imag": imag,
    "isfinite": _classified(torch.isfinite, True),
    "isinf": _classified(torch.isinf, False),
    "isnan": _classified(torch.isnan, False),
    "logical_not": logical_not,
    "maximum": _extreme(torch.maximum),
    "minimum": _extreme(torch.minimum),
    "multiply": next_to_floats(torch.multiply, wrapping(torch.multiply)),
    "negative": negative,
    "nextafter": _floating_binary(torch.nextafter),
    "pow": pow_,
    "real": real,
    "reciprocal": _reciprocal,
    "remainder": remainder,
    "signbit": floating(torch.signbit),
    "sqrt": sqrt,
    "subtract": next_to_floats(torch.subtract, by_components(torch.subtract)),
}
"""Functions on tensors by their operations' names."""
