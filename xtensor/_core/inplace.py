"""In-place operators: the array keeps its shape and dtype, and a call that raises leaves it unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .boundary import cause, declared
from .device import Device
from .errors import WrittenWithWarningError
from .failures import inplace_error, is_unwritten
from .fp_warnings import rewarn
from .operands import SCALARS, lift_to_device_of, native_operand
from .operations import Operation, operation
from .views import written

__all__ = ["inplace_operator", "recover_inplace"]

F = TypeVar("F", bound=Callable[..., Any])


def inplace_operator(name: str) -> Callable[[F], F]:
    """Make the in-place operator method of an operation."""
    row = operation(name)
    index = row.index

    def function(self: Any, other: Any, /) -> Any:
        device = self._device
        native = other
        if other.__class__ is self.__class__ and other._device is device:
            native = other._native
        elif other.__class__ not in SCALARS:
            device = lift_to_device_of(self, other)
            native = native_operand(other, device, name, NotImplemented)
            if native is NotImplemented:
                return NotImplemented
        try:
            implementation = device.table[index]
            if (
                self._native.size >= implementation.inplace_min_size
                and implementation.inplace_kernel(self._native, native) is not NotImplemented
            ):
                return self
            before = self._native
            self._native = implementation.inplace(before, native)
            if device.level:
                written(self, before)
        except Exception as error:
            recover_inplace(error, row, device, self, native)
        return self

    return lambda declaration: declared("INPLACE", row, function, declaration, is_operator=True)


def recover_inplace(error: Exception, operation: Operation, device: Device, x: Any, native: Any) -> None:
    """Complete an in-place operator that raised a warning, and issue it; raise an explained error otherwise.

    Parameters
    ----------
    error
        What the device's function raised.
    operation, device
        The operation, and the device that computes.
    x
        The Array that is written to.
    native
        The other operand.
    """
    before = x._native
    if isinstance(error, WrittenWithWarningError):
        x._native = error.native
        if device.level:
            written(x, before)
        rewarn(*error.warnings)
    elif isinstance(error, RuntimeWarning):
        # The first of NumPy's warnings: what else it would warn of is lost with the operand that it wrote over.
        if is_unwritten(operation, x._native, native):
            with np.errstate(all="ignore"):
                x._native = device.table[operation.index].inplace(before, native)
            if device.level:
                written(x, before)
        rewarn(error)
    else:
        raise inplace_error(error, operation, device, x._native, native) from cause(error)
