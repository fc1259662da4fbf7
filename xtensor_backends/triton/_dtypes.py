"""The dtypes that kernels support: how each is stored in memory, and the Triton dtype it is computed in."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import ml_dtypes
import numpy as np
import triton.language as tl

__all__ = [
    "BFLOAT16",
    "FLOAT32",
    "FLOAT64",
    "INT32",
    "INT64",
    "KERNEL_DTYPES",
    "NUMPY_DTYPES",
    "SCALAR_TYPES",
    "UINT64",
    "UNSPECIALIZED",
    "DType",
    "KernelDType",
    "cast_dtype",
    "compute_dtype",
    "result_constants",
]

DType: TypeAlias = "np.dtype[Any]"


class KernelDType(NamedTuple):
    """How kernels load, compute and store an array dtype.

    Attributes
    ----------
    pointer
        The type of a kernel argument that points to elements.
    encoding
        ``"plain"`` if Triton has the dtype, ``"bool"`` for a byte that is zero or not, ``"bfloat16"`` for the upper 16
        bits of a float32.
    kind
        NumPy's kind character; ``"f"`` for bfloat16 too.
    compute
        The Triton dtype that elements are computed in.
    """

    pointer: str
    encoding: str
    kind: str
    compute: Any


BFLOAT16: DType = np.dtype(ml_dtypes.bfloat16)
FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
INT32, INT64, UINT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint64)

KERNEL_DTYPES: dict[DType, KernelDType] = {
    np.dtype("bool"): KernelDType("*u8", "bool", "b", tl.uint8),
    np.dtype("int8"): KernelDType("*i8", "plain", "i", tl.int8),
    np.dtype("int16"): KernelDType("*i16", "plain", "i", tl.int16),
    INT32: KernelDType("*i32", "plain", "i", tl.int32),
    INT64: KernelDType("*i64", "plain", "i", tl.int64),
    np.dtype("uint8"): KernelDType("*u8", "plain", "u", tl.uint8),
    np.dtype("uint16"): KernelDType("*u16", "plain", "u", tl.uint16),
    np.dtype("uint32"): KernelDType("*u32", "plain", "u", tl.uint32),
    UINT64: KernelDType("*u64", "plain", "u", tl.uint64),
    np.dtype("float16"): KernelDType("*fp16", "plain", "f", tl.float32),
    BFLOAT16: KernelDType("*u16", "bfloat16", "f", tl.float32),
    FLOAT32: KernelDType("*fp32", "plain", "f", tl.float32),
    FLOAT64: KernelDType("*fp64", "plain", "f", tl.float64),
}
"""The dtypes that kernels support. Complex dtypes are missing because Triton has none."""

UNSPECIALIZED = "="
"""Prefix of the type of a scalar argument on whose value the compiler must not specialize a kernel."""

SCALAR_TYPES: dict[Any, str] = {
    **dict.fromkeys((tl.int8, tl.int16, tl.int32, tl.int64, tl.int1), UNSPECIALIZED + "i64"),
    **dict.fromkeys((tl.uint8, tl.uint16, tl.uint32, tl.uint64), UNSPECIALIZED + "u64"),
    **dict.fromkeys((tl.float16, tl.float32), UNSPECIALIZED + "fp32"),
    tl.float64: UNSPECIALIZED + "fp64",
}
"""The type of the kernel argument for a Python scalar, by the compute dtype."""


NUMPY_DTYPES: dict[Any, DType] = {
    tl.int1: np.dtype(bool),
    **{getattr(tl, dtype.name): dtype for dtype, item in KERNEL_DTYPES.items() if item.encoding == "plain"},
}
"""NumPy's dtypes of Triton's."""


def compute_dtype(dtype: DType, *, upcast: bool = False, keep_float16: bool = False) -> Any:
    """Triton dtype that elements of a dtype are computed in.

    ``upcast`` computes float32 in float64; ``keep_float16`` computes float16 without an upcast.
    """
    if upcast and dtype == FLOAT32:
        return tl.float64
    if keep_float16 and dtype == np.float16:
        return tl.float16
    return KERNEL_DTYPES[dtype].compute


def cast_dtype(dtype: DType) -> Any:
    """Triton dtype that a value is converted to before it is stored in, or after it is read as, a dtype."""
    return tl.float16 if dtype == np.float16 else KERNEL_DTYPES[dtype].compute


def result_constants(dtype: DType) -> dict[str, Any]:
    """Kernel constants for a result of a dtype."""
    return {"OUT_ENCODING": KERNEL_DTYPES[dtype].encoding, "OUT_DTYPE": cast_dtype(dtype)}
