"""In-place operators on native arrays: torch's own for operands of the array's dtype, NotImplemented for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._elementwise import PLAIN
from ._native import TENSOR, TorchArray, repeats_memory
from ._operands import NATIVE_SCALARS

__all__ = ["Inplace"]


def _operator(method: Callable[..., Any]) -> Any:
    def write(x1: TorchArray, x2: Any) -> Any:
        a = x1.array
        if x2.__class__ is TorchArray:
            b = x2.array
            shares = a is not b and a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
            if a.dtype is not b.dtype or a.dtype not in PLAIN or shares or repeats_memory(a):
                return NotImplemented
            if a.shape != b.shape and np.broadcast_shapes(a.shape, b.shape) != a.shape:
                return NotImplemented
            method(a, b)
            return x1
        if x2.__class__ is float and a.dtype in NATIVE_SCALARS and not repeats_memory(a):
            method(a, x2)
            return x1
        return NotImplemented

    return staticmethod(write)


class Inplace:
    """The operators that torch computes as the core does."""

    add = _operator(TENSOR.add_)
    subtract = _operator(TENSOR.sub_)
    multiply = _operator(TENSOR.mul_)
