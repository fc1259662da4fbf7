"""Calls of a device's functions by operation, and Arrays of their results.

Errors are explained and exhausted memory is retried, as for the functions of :mod:`xtensor._core.dispatch`. An Array is
made by :func:`make`, because the class is built on this module.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .backend import Native
from .compiled import with_short_way
from .device import Device
from .errors import WrittenWithWarningError
from .failures import raise_unsupported, recover
from .fp_warnings import rewarn
from .operations import Operation

if TYPE_CHECKING:
    from .array import Array

__all__ = [
    "apply",
    "call",
    "call_if_implemented",
    "call_service",
    "make",
    "recover_large",
    "serve",
    "wrap",
    "wrap_or_raise",
]


def make() -> Array:
    """Return an Array whose fields are not set yet. Replaced by the Array class, which is built on this module."""
    raise AssertionError("the Array class is not defined yet")


def wrap(native: Native, device: Device) -> Array:
    """Return an Array of a native function's result. Functions that are called most inline these lines."""
    if native.__class__ is not device.native_type:
        native = device._library.normalize(native, device._backend_spec)
    result = make()
    result._native = native
    result._device = device
    return result


def wrap_or_raise(native: Native, operation: Operation, device: Device) -> Array:
    """Return an Array of what a device's function for an operation gave; raise the error where it takes no operands."""
    return wrap(raise_unsupported(operation, device) if native is NotImplemented else native, device)


def call(operation: Operation, device: Device, *args: Any, **kwargs: Any) -> Any:
    """Return the result of an operation's native function; its errors are explained, exhausted memory is retried."""
    try:
        result = device.table[operation.index].function(*args, **kwargs)
    except Exception as error:
        result = recover(error, operation, device, args, kwargs)
    return raise_unsupported(operation, device) if result is NotImplemented else result


@with_short_way("APPLY")
def apply(operation: Operation, device: Device, *args: Any, **kwargs: Any) -> Array:
    """Return an Array of an operation's result on a device; see :func:`call`."""
    try:
        native = device.table[operation.index].function(*args, **kwargs)
    except Exception as error:
        native = recover(error, operation, device, args, kwargs)
    if native.__class__ is not device.native_type:
        return wrap_or_raise(native, operation, device)
    result = make()
    result._native = native
    result._device = device
    return result


def call_if_implemented(operation: Operation, device: Device, *args: Any, **kwargs: Any) -> Any:
    """Return an Array of the result of a device's own implementation; NotImplemented where none takes the operands."""
    try:
        native = device.table[operation.index].function(*args, **kwargs)
    except Exception as error:
        native = recover(error, operation, device, args, kwargs)
    return NotImplemented if native is NotImplemented else wrap(native, device)


def serve(name: str, device: Device, service: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the result of a backend's service, ``from_host`` for example, with errors that name a public function."""
    try:
        return service(*args, **kwargs)
    except Exception as error:
        return recover(error, name, device, args, kwargs, service)


def call_service(name: str, device: Device, service: Callable[..., Any], *args: Any, **kwargs: Any) -> Array:
    """Return an Array of the result of a backend's service, ``from_host`` for example."""
    return wrap(serve(name, device, service, *args, **kwargs), device)


def apply_large(operation: Operation, device: Device, *natives: Any) -> Any:
    """Return an Array of an elementwise operation's result on operands of many elements.

    NotImplemented: it is to be computed as for few elements.
    """
    try:
        result = device.table[operation.index].kernel(*natives, None)
    except Exception as error:
        result = recover_large(error, operation, device, natives)
    return NotImplemented if result is NotImplemented else wrap(result, device)


def recover_large(error: Exception, operation: Operation, device: Device, natives: tuple[Any, ...]) -> Any:
    """Return the result of a function for operands of many elements that raised an error or a warning."""
    if isinstance(error, WrittenWithWarningError):
        rewarn(*error.warnings)
        return error.native
    return recover(error, operation, device, natives)
