"""Steps that compositions of several modules share, on native arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .._core.backend import Native
from .._core.dtypes import DType, is_narrow, kind_of

__all__ = [
    "HALF",
    "INT8",
    "INT32",
    "SINGLE",
    "Composition",
    "NativeOperand",
    "along",
    "cast",
    "copy",
    "cutoff",
    "floating_dtype",
    "identity",
    "integer_dtype",
    "loop_dtype",
    "of_floats",
    "supported",
]


NativeOperand = Any
"""A native array, or a Python scalar next to one."""


Composition = Callable[..., Any]


HALF, SINGLE, INT8, INT32 = (np.dtype(name) for name in ("float16", "float32", "int8", "int32"))


def loop_dtype(name: str, kinds: str, *operands: NativeOperand) -> DType:
    """The dtype that operands promote to; TypeError unless it is of one of the kinds that NumPy has a loop for."""
    dtype = np.result_type(*(getattr(x, "dtype", x) for x in operands))
    if kind_of(dtype) not in kinds:
        given = " and ".join(str(getattr(x, "dtype", type(x).__name__)) for x in operands)
        raise TypeError(
            f"ufunc '{name}' not supported for the input types: there is no loop for {given}; cast with xtensor.astype"
        )
    return dtype


def floating_dtype(xp: Any, *operands: NativeOperand) -> DType:
    """The dtype of NumPy's first floating-point loop that takes operands, or the device's default if it lacks that.

    Each integer dtype is cast to the floating-point dtype that holds it: int8 next to uint16 gives float32. A Python
    scalar has the dtype that it gives next to the array.
    """
    common = np.result_type(*(getattr(x, "dtype", x) for x in operands))
    dtypes = (getattr(x, "dtype", common) for x in operands)
    wanted = np.result_type(*(np.result_type(dtype, HALF) if dtype.kind in "biu" else dtype for dtype in dtypes))
    return supported(xp, wanted)


def supported(xp: Any, dtype: DType) -> DType:
    """A floating-point dtype, or the device's default one of its kind where the device lacks it."""
    if dtype.name in xp.dtypes or dtype.kind not in "fc":
        return dtype
    return xp.default_float if dtype.kind == "f" else np.result_type(xp.default_float, np.complex64)


def cast(xp: Any, dtype: DType, *operands: NativeOperand) -> list[Native]:
    """Operands as native arrays of one dtype, or of the default one of its kind where the device lacks it."""
    dtype = supported(xp, dtype)
    return [xp.astype(x, dtype, copy=False) if hasattr(x, "dtype") else xp.full((), x, dtype=dtype) for x in operands]


def of_floats(composition: Composition) -> Composition:
    """A composition of real floating-point arrays as one of all that NumPy casts to them; narrow dtypes in float32."""
    name = composition.__name__.removeprefix("_compose_")

    @wraps(composition)
    def composed(xp: Any, *operands: NativeOperand) -> Any:
        loop_dtype(name, "biuf", *operands)
        dtype = floating_dtype(xp, *operands)
        arrays = cast(xp, dtype, *operands)
        result = composition(xp, *(cast(xp, SINGLE, *arrays) if is_narrow(dtype) else arrays))
        if isinstance(result, tuple):
            return tuple([xp.astype(x, dtype, copy=False) for x in result])
        return xp.astype(result, dtype, copy=False)

    return composed


def integer_dtype(name: str, *operands: NativeOperand) -> DType:
    """The dtype of NumPy's loop for integers and booleans."""
    dtype = loop_dtype(name, "biu", *operands)
    return INT8 if dtype.kind == "b" else dtype


def copy(xp: Any, x: Native) -> Native:
    return xp.astype(x, x.dtype, copy=True)


def identity(xp: Any, x: Native) -> Native:
    """The identity matrix for each matrix of a stack."""
    size = x.shape[-1]
    return xp.broadcast_to(xp.eye(size, size, k=0, dtype=x.dtype), x.shape)


def cutoff(xp: Any, x: Native, values: Native, rtol: Native | float | None) -> Native:
    """The singular value below which one counts as 0, with an axis to broadcast against the values."""
    if rtol is None:
        rtol = max(x.shape[-2:]) * float(np.finfo(values.dtype).eps)
    elif not isinstance(rtol, (int, float)):
        rtol = xp.expand_dims(rtol, axis=(rtol.ndim,))
    return xp.multiply(values[..., :1], rtol)


def along(axis: int, key: Any) -> tuple[Any, ...]:
    """Return the index that applies a key to one axis."""
    return (*(slice(None),) * axis, key)
