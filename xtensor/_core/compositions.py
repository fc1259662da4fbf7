"""Functions of Arrays that are operations: composed of others, unless a device implements them.

Requirements: a function is declared once, with its public signature, and its body is its composition; a device's
implementation of the same name and signature is found in the device's table, as that of every operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Literal, TypeVar

import numpy as np

from .boundary import leaving
from .calls import wrap
from .compiled import published
from .device import Device
from .devices import resolve
from .errors import OutOfMemoryError
from .failures import EXPLAINED_ERRORS, FOREIGN_ERRORS
from .implementation import not_implemented
from .operands import SCALARS, computes_with
from .operations import Operation, declare, operation
from .transfers import join

__all__ = ["assignment", "composed"]

F = TypeVar("F", bound=Callable[..., Any])

EXPLAINED_BY_COMPOSITION = (*EXPLAINED_ERRORS, *FOREIGN_ERRORS, ArithmeticError, MemoryError, Warning)
"""The classes of errors of a device's implementation after which the composition is called, which explains them."""


def composed(function: F, record: Operation | None = None) -> F:
    """Declare an operation that is composed of others: a function of Arrays with the public signature.

    A device that implements the operation computes it; where it returns NotImplemented or raises an error, the function
    is called, whose checks explain the error. The function names itself in the errors that arise inside.

    An operation with a record of its own, whose implementations take prepared native arrays, keeps that.

    Parameters
    ----------
    function
        The composition.
    record
        Its operation, where the name and the module of the function do not tell.
    """
    return _composed(function, "composed", record)


def assignment(function: F) -> F:
    """Declare an operation that writes to its first argument, an Array; see :func:`composed`."""
    return _composed(function, "assignment", None)


def _composed(function: F, kind: Literal["composed", "assignment"], record: Operation | None) -> F:
    name = function.__name__
    row = operation(_operation_name(function)) if record is None else record
    if row.declared:
        compute: Callable[..., Any] = function
    else:
        declare(row.name, kind, operands=0, dtype="argument", shape="argument", primitive=False)
        index = row.index

        def compute(*args: Any, **kwargs: Any) -> Any:
            if args:  # the ordinary case: the first argument's device has no implementation
                device = getattr(args[0], "_device", None)
                if device is not None and device.table[index].function is not_implemented:
                    return function(*args, **kwargs)
            result = _computed_by_device(row, args, kwargs)
            return function(*args, **kwargs) if result is NotImplemented else result

    @wraps(function)
    def named(*args: Any, **kwargs: Any) -> Any:
        try:
            return compute(*args, **kwargs)
        except FOREIGN_ERRORS as error:
            raise TypeError(f"{name}(): {error}") from error
        except (TypeError, ValueError, ArithmeticError, LookupError, BufferError, OSError, OutOfMemoryError) as error:
            error.add_note(f"raised in {name}()")
            leaving(error)
            raise

    named.leaves_namespace = True  # type: ignore[attr-defined] # read by xtensor._core.boundary.publish
    return published(named, function)


def _operation_name(function: Callable[..., Any]) -> str:
    """Return the name of a public function's operation: ``"median"``, ``"linalg.norm"``."""
    chapter = function.__module__.split(".")[1]
    return function.__name__ if chapter.startswith("_") else f"{chapter}.{function.__name__}"


def _computed_by_device(operation: Operation, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of the implementation of the device of the Arrays; NotImplemented without one.

    The device is that of the Arrays among the arguments, else that of the argument ``device``, else the default one.
    """
    if operation.kind == "assignment" and not hasattr(args[0] if args else None, "_device"):
        return NotImplemented  # for the error: what is written to is an Array
    try:
        chosen = _device_of((*args, *kwargs.values()))
    except RecursionError:  # a list that contains itself
        return NotImplemented
    device: Device = resolve(kwargs.get("device")) if chosen is None else chosen
    if chosen is None:
        kwargs = {name: value for name, value in kwargs.items() if name != "device"}
    implementation = device.table[operation.index]
    if implementation.function is not_implemented:
        return NotImplemented
    arrays: list[Any] = []
    natives: list[Any] = []
    try:
        for x in args:
            if x is None:
                natives.append(x)
            elif getattr(x, "_device", None) is device:  # an ordinary Array, without a call
                arrays.append(x)
                natives.append(x._native)
            else:
                natives.append(_native_argument(x, device, arrays))
        options = {name: _native_argument(x, device, arrays) for name, x in kwargs.items()}
        result = implementation.function(*natives, **options)
    except EXPLAINED_BY_COMPOSITION:
        return NotImplemented
    return NotImplemented if result is NotImplemented else _array_results(result, device, arrays)


def _device_of(values: Iterable[Any]) -> Device | None:
    """Return the device of the first Array among values and the items of their lists and tuples.

    A transform comes before the device that it stands on.
    """
    chosen: Device | None = None
    for x in values:
        device = getattr(x, "_device", None)
        if device is None and _may_hold_arrays(x):
            device = _device_of(x)
        if device is not None and device is not chosen and (chosen is None or device.level > chosen.level):
            chosen = device
    return chosen


def _may_hold_arrays(x: Any) -> bool:
    """Return whether a value is a list or tuple of other things than numbers."""
    return (x.__class__ is list or x.__class__ is tuple) and not SCALARS.issuperset(map(type, x))


def _native_argument(x: Any, device: Device, arrays: list[Any]) -> Any:
    """Return an argument with native arrays in the place of Arrays, which are added to a list.

    Raises
    ------
    TypeError
        If an Array is on another device, or a NumPy array is no native array: the composition decides about transfers.
    """
    if hasattr(x, "_device"):
        arrays.append(x)
        if x._device is device:
            return x._native
        base = device.base
        while base is not None and base is not x._device:
            base = base.base
        if base is None:
            raise TypeError(f"an Array on device {x._device}")
        return join(x._native, base, device)
    if _may_hold_arrays(x):
        return x.__class__([_native_argument(item, device, arrays) for item in x])
    if isinstance(x, np.ndarray) and not (x.__class__ is np.ndarray and computes_with(device, x)):
        raise TypeError("an array of NumPy")
    return x


def _array_results(result: Any, device: Device, arrays: list[Any]) -> Any:
    """Return native results as Arrays: an argument that is returned stays that Array."""
    for array in arrays:
        if array._native is result:
            return array
    if isinstance(result, (tuple, list)):
        items = [_array_results(item, device, arrays) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    return wrap(result, device) if hasattr(result, "dtype") else result
