"""Calls of operations whose devices have functions for operands of many elements."""

from __future__ import annotations

from typing import Any

from .array import Array, apply, attempt, wrap
from .backend import Native
from .device import Device
from .failures import recover
from .operations import Operation

__all__ = ["apply_elementwise", "apply_to", "attempt_elementwise"]


def apply_to(operation: Operation, device: Device, native: Native, *args: Any, **kwargs: Any) -> Array:
    """Return an Array of an operation's result, by the device's function for many elements where there are many."""
    if native.size >= device.fewest[operation.index]:
        try:
            result = device.for_large[operation.index](native, *args, **kwargs)
        except Exception as error:
            result = recover(error, operation, device, (native, *args), kwargs)
        if result is not NotImplemented:
            return wrap(result, device)
    return apply(operation, device, native, *args, **kwargs)


def apply_elementwise(operation: Operation, device: Device, *natives: Any) -> Array:
    """Return an Array of an elementwise operation's result, whose first operand is an array."""
    found = _computed(operation, device, natives)
    return apply(operation, device, *natives) if found is NotImplemented else found


def attempt_elementwise(operation: Operation, device: Device, *natives: Any) -> Any:
    """Return an Array of the result of a device's own implementation; NotImplemented where none takes the operands."""
    found = _computed(operation, device, natives)
    return attempt(operation, device, *natives) if found is NotImplemented else found


def _computed(operation: Operation, device: Device, natives: tuple[Any, ...]) -> Any:
    if natives[0].size < device.fewest[operation.index]:
        return NotImplemented
    try:
        result = device.for_large[operation.index](*natives, None)
    except Exception as error:
        result = recover(error, operation, device, natives)
    return NotImplemented if result is NotImplemented else wrap(result, device)
