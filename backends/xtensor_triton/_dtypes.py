"""How each dtype lies in memory, and in which of Triton's dtypes it is computed."""

from __future__ import annotations

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import triton.language as tl

__all__ = ["BFLOAT16", "OPERAND", "SCALAR_TYPES", "STORED", "Stored", "computed"]


class Stored(NamedTuple):
    """A dtype of arrays.

    ``pointer`` is the type of a kernel's argument that points to it. ``form`` says what a kernel does on the way:
    ``"bool"`` is a byte, 0 or not; ``"bfloat16"`` is the upper half of a float32; ``"plain"`` is as Triton has it.
    ``kind`` is NumPy's letter (``"f"`` for bfloat16 too), ``dtype`` what the elements are computed in.
    """

    pointer: str
    form: str
    kind: str
    dtype: Any


BFLOAT16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)

STORED: dict[np.dtype[Any], Stored] = {
    np.dtype("bool"): Stored("*u8", "bool", "b", tl.uint8),
    np.dtype("int8"): Stored("*i8", "plain", "i", tl.int8),
    np.dtype("int16"): Stored("*i16", "plain", "i", tl.int16),
    np.dtype("int32"): Stored("*i32", "plain", "i", tl.int32),
    np.dtype("int64"): Stored("*i64", "plain", "i", tl.int64),
    np.dtype("uint8"): Stored("*u8", "plain", "u", tl.uint8),
    np.dtype("uint16"): Stored("*u16", "plain", "u", tl.uint16),
    np.dtype("uint32"): Stored("*u32", "plain", "u", tl.uint32),
    np.dtype("uint64"): Stored("*u64", "plain", "u", tl.uint64),
    np.dtype("float16"): Stored("*fp16", "plain", "f", tl.float32),
    np.dtype("float32"): Stored("*fp32", "plain", "f", tl.float32),
    np.dtype("float64"): Stored("*fp64", "plain", "f", tl.float64),
}
"""The dtypes that kernels take. Complex ones are not among them: Triton has none."""

STORED[BFLOAT16] = Stored("*u16", "bfloat16", "f", tl.float32)

OPERAND = "="
"""Begins the type of an argument that is an operand itself: no kernel is made for its being 1, or divisible by 16."""

SCALAR_TYPES: dict[Any, str] = {
    **dict.fromkeys((tl.int8, tl.int16, tl.int32, tl.int64, tl.int1), OPERAND + "i64"),
    **dict.fromkeys((tl.uint8, tl.uint16, tl.uint32, tl.uint64), OPERAND + "u64"),
    **dict.fromkeys((tl.float16, tl.float32), OPERAND + "fp32"),
    tl.float64: OPERAND + "fp64",
}
"""The type of a kernel's argument for a Python scalar, by the dtype of the computation."""


def computed(dtype: np.dtype[Any], *, wide: bool = False, raw: bool = False) -> Any:
    """Triton's dtype for a computation in a dtype of NumPy's.

    ``wide`` takes float64 for float32; ``raw`` leaves float16 as it is.
    """
    if wide and dtype == np.float32:
        return tl.float64
    if raw and dtype == np.float16:
        return tl.float16
    return STORED[dtype].dtype
