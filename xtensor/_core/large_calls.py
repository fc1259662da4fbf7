"""Calls of operations whose devices have functions for operands of many elements."""

from __future__ import annotations

from typing import Any

from .array import Array, make
from .backend import Native
from .calls import apply, apply_large, call_if_implemented, wrap, wrap_or_raise
from .compiled import with_short_way
from .device import Device
from .failures import recover
from .indexing import SELECTED, selected_by_kernel
from .operations import Operation

__all__ = ["apply_elementwise", "apply_joining", "apply_reduction", "call_elementwise_if_implemented", "take_by_kernel"]


@with_short_way("APPLY_TO")
def apply_reduction(operation: Operation, device: Device, *args: Any, **kwargs: Any) -> Array:
    """Return an Array of an operation's result, by the device's function for many elements where there are many."""
    implementation = device.table[operation.index]
    if args[0].size >= implementation.min_size:
        try:
            result = implementation.kernel(*args, **kwargs)
        except Exception as error:
            result = recover(error, operation, device, args, kwargs)
        if result is not NotImplemented:
            return wrap(result, device)
    # The lines of apply: a call of it would cost a tenth of a small reduction.
    try:
        result = implementation.function(*args, **kwargs)
    except Exception as error:
        result = recover(error, operation, device, args, kwargs)
    if result.__class__ is not device.native_type:
        return wrap_or_raise(result, operation, device)
    array = make()
    array._native = result
    array._device = device
    return array


def apply_elementwise(operation: Operation, device: Device, *natives: Any) -> Array:
    """Return an Array of an elementwise operation's result, whose first operand is an array."""
    if natives[0].size >= device.table[operation.index].min_size:
        result = apply_large(operation, device, *natives)
        if result is not NotImplemented:
            return result  # type: ignore[no-any-return]
    return apply(operation, device, *natives)


def call_elementwise_if_implemented(operation: Operation, device: Device, *natives: Any) -> Any:
    """Return an Array of the result of a device's own implementation; NotImplemented where none takes the operands."""
    if natives[0].size >= device.table[operation.index].min_size:
        result = apply_large(operation, device, *natives)
        if result is not NotImplemented:
            return result
    return call_if_implemented(operation, device, *natives)


def apply_joining(operation: Operation, device: Device, arrays: list[Native], axis: int | None) -> Array:
    """Return an Array of joined arrays; those of many elements together by the device's function for these."""
    if sum([x.size for x in arrays]) >= device.table[operation.index].min_size:
        try:
            result = device.table[operation.index].kernel(arrays, axis=axis)
        except Exception as error:
            result = recover(error, operation, device, (arrays,), {"axis": axis})
        if result is not NotImplemented:
            return wrap(result, device)
    return apply(operation, device, arrays, axis=axis)


def take_by_kernel(device: Device, native: Native, indices: Native) -> Any:
    """Return an Array of the elements or rows at indices along the first axis; NotImplemented without a kernel."""
    try:
        result = selected_by_kernel(device, native, indices)
    except Exception as error:
        result = recover(error, SELECTED, device, (native, indices))
    return NotImplemented if result is NotImplemented else wrap(result, device)
