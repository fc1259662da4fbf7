"""Computation of a function of neural networks: by the device's own implementation, else by a formula over Arrays.

The formulas take Arrays of one real floating-point dtype on one device; classes and masks keep their dtype. Narrow
dtypes are computed in float32 and rounded once. Both branches of a ``where`` are computed; floating-point warnings
are off, because the branch that is not selected may overflow or be NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import call_if_implemented, wrap
from .._core.device import Device
from .._core.dtypes import DType, is_narrow, kind_of, result_type
from .._core.large_calls import call_elementwise_if_implemented
from .._core.operands import common_device, native_operand
from .._core.operations import Operation
from .._fuse.formulas import compute_formula
from .._ops._casts import widened

__all__ = ["compute", "in_single"]

F = TypeVar("F", bound=Callable[..., Array])


def in_single(function: F) -> F:
    """Compute a composition in float32 where its operands promote to a narrow dtype, and round its result once."""

    @wraps(function)
    def computing(*args: Any, **kwargs: Any) -> Array:
        dtypes = [x.dtype for x in (*args, *kwargs.values()) if isinstance(x, Array) and kind_of(x.dtype) == "f"]
        if not any(map(is_narrow, dtypes)):
            return function(*args, **kwargs)
        dtype = result_type(*dtypes)
        options = {name: widened(x) for name, x in kwargs.items()}
        return xp.astype(function(*map(widened, args), **options), dtype, copy=False)

    return computing  # type: ignore[return-value]


def compute(operation: Operation, formula: Callable[..., Any], *operands: Array | None, **options: Any) -> Array:
    """Return the result of an operation on promoted operands.

    Parameters
    ----------
    operation
        The operation, of which the device's own implementation is asked first.
    formula
        Function of the same operands and options that computes the result on any device. It may return more than one
        Array; the result is the first one, the others keep their dtype.
    operands
        Operands whose dtypes and shapes are checked; None where an optional one is absent.
    options
        Keyword arguments of both implementations.

    Raises
    ------
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.
    """
    device, arrays, dtype = _promoted(operation, operands)
    natives = [None if x is None else x._native for x in arrays]
    result = (call_if_implemented if options else call_elementwise_if_implemented)(
        operation, device, *natives, **options
    )
    if result is not NotImplemented:
        return result  # type: ignore[no-any-return]
    with np.errstate(all="ignore"):
        if not is_narrow(dtype):
            return compute_formula(formula, *arrays, **options)  # type: ignore[no-any-return]
        result = compute_formula(formula, *map(widened, arrays), **options)
        if result.__class__ is tuple:
            return xp.astype(result[0], dtype), *result[1:]  # type: ignore[return-value]
        return xp.astype(result, dtype)


def _promoted(operation: Operation, operands: tuple[Array | None, ...]) -> tuple[Device, list[Array | None], DType]:
    """Return the device of operands, and those of a floating-point dtype in the dtype that they promote to."""
    first = operands[0]
    assert first is not None
    if all(x is None or (x._device is first._device and x.dtype == first.dtype) for x in operands):
        return first._device, list(operands), first.dtype
    device = common_device(operands)
    assert device is not None
    arrays = [None if x is None else wrap(native_operand(x, device, operation.label), device) for x in operands]
    dtype = result_type(*(x.dtype for x in arrays if x is not None and kind_of(x.dtype) == "f"))
    return device, [_as_dtype(x, dtype) for x in arrays], dtype


def _as_dtype(x: Array | None, dtype: DType) -> Array | None:
    """Cast a floating-point operand; other operands are returned unchanged."""
    return x if x is None or kind_of(x.dtype) != "f" else xp.astype(x, dtype, copy=False)
