"""Operands in NumPy's common dtype.

torch promotes int32 next to float32 to float32, and Python numbers that are out of range wrap around.
"""

from __future__ import annotations

from typing import Any

import torch

from xtensor.backend import Operands

from ._native import FLOATS, HALVES, INEXACT, SIGNED, TENSOR, TO_NUMPY, TO_TORCH, Tensor, ordered

__all__ = ["NATIVE_SCALARS", "OPERANDS", "SMALLEST", "cast", "number"]

NATIVE_SCALARS = frozenset((torch.float32, torch.float64))
"""The dtypes next to which torch computes with a Python float as NumPy does, rounded to the dtype."""


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


SMALLEST = -(2**63)


class TorchOperands(Operands):
    """Operands of torch's functions, which are few for uint64."""

    def beside_signed(self, lib: Any, unsigned: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return uint64 and signed integers as comparable int64."""
        x = x.to(torch.int64)
        below = x < 0
        return torch.where(below, 1, ordered(unsigned)), torch.where(below, 0, x ^ SMALLEST)


OPERANDS = TorchOperands(TENSOR, TO_TORCH, cast, lambda value, dtype, x: number(value, dtype, x.device))
