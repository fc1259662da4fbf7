"""Operands in NumPy's common dtype.

torch promotes int32 next to float32 to float32, and Python numbers that are out of range wrap around.
"""

from __future__ import annotations

from typing import Any

import torch

from xtensor.backend import result_type

from ._native import FLOATS, HALVES, INEXACT, SIGNED, TENSOR, TO_NUMPY, TO_TORCH, Tensor

__all__ = ["NATIVE_SCALARS", "cast", "common_dtype", "floating_dtype", "number", "promoted"]

_common: dict[tuple[torch.dtype, Any], torch.dtype] = {}
"""Cache of promoted dtypes: of two dtypes, or of a dtype and the class of a Python number."""

NATIVE_SCALARS = frozenset((torch.float32, torch.float64))
"""The dtypes next to which torch computes with a Python float as NumPy does, rounded to the dtype."""

HALF_FROM = {torch.bool: torch.float16, torch.int8: torch.float16, torch.uint8: torch.float16}
SINGLE_FROM = {torch.int16: torch.float32, torch.uint16: torch.float32}


def common_dtype(first: torch.dtype, second: Any) -> torch.dtype:
    """Return NumPy's promoted dtype of a dtype and another one, or the class of a Python number."""
    found = _common.get((first, second))
    if found is None:
        other = second(0) if isinstance(second, type) else TO_NUMPY[second]
        found = _common[first, second] = TO_TORCH[result_type(TO_NUMPY[first], other)]
    return found


def floating_dtype(dtype: torch.dtype) -> torch.dtype:
    """Return the dtype in which NumPy computes a function of floating-point numbers for a dtype."""
    if dtype in INEXACT:
        return dtype
    return HALF_FROM.get(dtype) or SINGLE_FROM.get(dtype) or torch.float64


def promoted(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Return two operands as tensors of the promoted dtype; one of them may be a Python number."""
    if x1.__class__ is not TENSOR:
        x2, x1 = _with_scalar(x2, x1)
    elif x2.__class__ is not TENSOR:
        x1, x2 = _with_scalar(x1, x2)
    elif x1.dtype is not x2.dtype:
        dtype = common_dtype(x1.dtype, x2.dtype)
        return cast(x1, dtype), cast(x2, dtype)
    return x1, x2


def _with_scalar(x: Tensor, value: Any) -> tuple[Tensor, Tensor]:
    """Return a tensor and a Python number as tensors of the promoted dtype."""
    dtype = common_dtype(x.dtype, value.__class__)
    return cast(x, dtype), number(value, dtype, x.device)


def number(value: Any, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Return a 0-d tensor of a Python number; OverflowError for an integer that the dtype cannot hold."""
    if dtype in INEXACT or dtype is torch.bool:
        if dtype in FLOATS and value.__class__ is int:
            value = float(value)
        if dtype in HALVES:
            return cast(torch.tensor(value, dtype=torch.float64, device=device), dtype)
        return torch.tensor(value, dtype=dtype, device=device)
    value, limits = int(value), torch.iinfo(dtype)
    if not limits.min <= value <= limits.max:
        raise OverflowError(f"Python integer {value} out of bounds for {TO_NUMPY[dtype]}")
    if dtype in SIGNED:
        width = limits.bits
        bits = value - 2**width if value >= 2 ** (width - 1) else value
        return torch.tensor(bits, dtype=SIGNED[dtype], device=device).view(dtype)
    return torch.tensor(value, dtype=dtype, device=device)


def cast(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Return a tensor in another dtype, or itself in its own."""
    if x.dtype is dtype:
        return x
    if dtype in HALVES and x.dtype is torch.float64:
        x = _round_to_odd(x)  # torch rounds to float32 first, which would round twice
    elif x.is_complex() and dtype not in COMPLEX_OR_BOOL:
        x = torch.real(x)
    return x.to(dtype)


COMPLEX_OR_BOOL = frozenset((torch.complex64, torch.complex128, torch.bool))


def _round_to_odd(x: Tensor) -> Tensor:
    """Return float64 as float32 that rounds to float16 and bfloat16 as the float64 would.

    Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums" (2008): a number that is not exact gets an odd
    last digit.
    """
    nearest = x.to(torch.float32)
    back = nearest.to(torch.float64)
    bits = nearest.contiguous().view(torch.int32)
    bits = bits - (back.abs() > x.abs()).to(torch.int32)
    inexact = (back != x) & ~torch.isnan(x)
    return (bits | inexact.to(torch.int32)).view(torch.float32)
