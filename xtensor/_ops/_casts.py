"""Casts and orders that NumPy applies by itself and the standard leaves to the caller.

Requirement: a composition works on devices that refuse mixed kinds of dtypes, and an order of booleans and
complex numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.device import Device
from .._core.dtypes import DType, can_cast, is_narrow, kind_of, result_type

__all__ = [
    "argsort",
    "comparison_operand",
    "counted",
    "counting",
    "double",
    "floating",
    "promoted",
    "reduction_dtype",
    "sort",
    "supported",
    "widened",
]


def supported(dtype: DType, device: Device) -> DType:
    """Return a dtype, or the device's default one of its kind where the device does not support it."""
    if device.supports(dtype):
        return dtype
    kinds = {"c": "complex floating", "f": "real floating", "i": "integral", "u": "integral"}
    return device.default_dtypes[kinds[dtype.kind]] if dtype.kind in kinds else dtype


def counting(x: Array) -> Array:
    """Return booleans as the smallest integers that the device has; other arrays unchanged."""
    return xp.astype(x, supported(np.dtype(np.uint8), x.device)) if x.dtype.kind == "b" else x


def floating(x: Array) -> Array:
    """Return integers and booleans as floating-point numbers of the default dtype; other arrays unchanged."""
    return x if kind_of(x.dtype) in "fc" else xp.astype(x, x.device.default_dtypes["real floating"])


def widened(x: Any) -> Any:
    """Return an array of a narrow dtype in float32, in which formulas compute it; other arguments unchanged."""
    return xp.astype(x, np.float32) if x.__class__ is Array and is_narrow(x.dtype) else x


def counted(x: Array) -> Array:
    """Return booleans as integers of the default dtype; other arrays unchanged."""
    return xp.astype(x, x.device.default_dtypes["integral"]) if x.dtype.kind == "b" else x


def double(dtype: DType, x: Array) -> DType:
    """Return the promotion of a dtype with the default real floating-point dtype of the device of ``x``."""
    return result_type(dtype, x.device.default_dtypes["real floating"])


def reduction_dtype(out: Any, x: Array, dtype: Any) -> Any:
    """Return the dtype in which a reduction or scan of an array computes what it writes to ``out``.

    That is ``dtype`` where it is given, else the promotion of the elements' dtype with that of ``out``, as in NumPy: a
    sum of float32, or a product of integers, that is written to float64 does not leave the range of its elements.
    """
    target = getattr(out, "dtype", None)
    if dtype is not None or target is None or kind_of(target) not in "fc":
        return dtype
    default = (x.device.default_dtypes["real floating"],) if kind_of(x.dtype) in "biu" else ()
    wanted = result_type(x.dtype, target, *default)
    computes = wanted != x.dtype and x.device.supports(wanted) and can_cast(wanted, target, "same_kind")
    return wanted if computes else None


def comparison_operand(out: Any, x: Array) -> Array:
    """Return real numbers in the dtype in which they are compared with an initial value for ``out``."""
    dtype = reduction_dtype(out, x, None)
    return x if dtype is None or kind_of(dtype) != "f" else xp.astype(x, dtype)


def promoted(*arrays: Array) -> list[Array]:
    """Return arrays as arrays of their common dtype, by NumPy's rules."""
    first = arrays[0].dtype
    for x in arrays:
        if x.dtype != first:
            break
    else:
        return list(arrays)
    dtype = supported(result_type(*[x.dtype for x in arrays]), arrays[0].device)
    return [xp.astype(x, dtype, copy=False) for x in arrays]


def argsort(x: Array, axis: int = -1) -> Array:
    """Return the stable order of booleans, real or complex numbers; NaN comes last, as in NumPy."""
    if x.dtype.kind == "c":
        real, imag = xp.real(x), xp.imag(x)
        missing = counting(xp.isnan(real)) * 2 + counting(xp.isnan(imag))
        order = xp.argsort(imag, axis=axis)
        for key in (real, missing):
            order = xp.take_along_axis(
                order, xp.argsort(xp.take_along_axis(key, order, axis=axis), axis=axis), axis=axis
            )
        return order
    return xp.argsort(counting(x), axis=axis)


def sort(x: Array, axis: int = -1) -> Array:
    """Return booleans, real or complex numbers in ascending order; NaN comes last, as in NumPy."""
    if x.dtype.kind == "c":
        return xp.take_along_axis(x, argsort(x, axis), axis=axis)
    if x.dtype.kind == "b":
        return xp.astype(xp.sort(counting(x), axis=axis, stable=False), x.dtype)
    return xp.sort(x, axis=axis, stable=False)
