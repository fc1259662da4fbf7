"""The way of a call: from the operands to their device's function, and back into an Array.

Requirements: two arrays on one device reach the native function in one hop, with no look-up by name; everything
rarer (scalars, arrays on two devices, bad input, exhausted memory) is left to functions of its own.

An operand is told by its fields ``_native`` and ``_device``, so that this module needs no knowledge of the Array
class, which is built on it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from ._checks import check_dtype
from ._device import Device
from ._errors import CopyRequiredError, DeviceMismatchError, OutOfMemoryError, describe
from ._functions import ELEMENTWISE, EXPECTED
from ._transfers import join

__all__ = [
    "binary",
    "call",
    "common_device",
    "composed",
    "device_of",
    "inplace_operator",
    "made",
    "native_operand",
    "operator",
    "reflected_operator",
    "unary",
    "unary_operator",
]

F = TypeVar("F", bound=Callable[..., Any])

SCALARS = frozenset((bool, int, float, complex))


def unary(declaration: F) -> F:
    """The elementwise function of one array that a declaration (name, signature, docstring) announces."""
    name = declaration.__name__
    return _dressed(_unary(ELEMENTWISE[name], name), declaration)


def unary_operator(name: str) -> Callable[[F], F]:
    """The operator method that computes an elementwise function of one array."""
    return lambda declaration: _dressed(_unary(ELEMENTWISE[name], name), declaration)


def _unary(position: int, name: str) -> Callable[[Any], Any]:
    def function(x: Any, /) -> Any:
        try:
            device = x._device
        except AttributeError:
            raise not_an_array(name, x) from None
        try:
            native = device.elementwise[position](x._native)
        except Exception as error:
            native = recover(error, device, device.elementwise[position], (x._native,))
        if native.__class__ is not device.native_type:
            native = device._backend.normalize(native, device._spec)
        result = x.__class__()
        result._native = native
        result._device = device
        return result

    return function


def binary(declaration: F) -> F:
    """The elementwise function of two operands that a declaration announces."""
    name = declaration.__name__
    return _dressed(_binary(ELEMENTWISE[name], name, foreign=TypeError), declaration)


def operator(name: str) -> Callable[[F], F]:
    """The operator method that computes an elementwise function of two operands."""
    return lambda declaration: _dressed(_binary(ELEMENTWISE[name], name, foreign=NotImplemented), declaration)


def reflected_operator(name: str) -> Callable[[F], F]:
    """The same, called on the right-hand operand."""
    forward = _binary(ELEMENTWISE[name], name, foreign=NotImplemented)
    return lambda declaration: _dressed(lambda self, other, /: forward(other, self), declaration)


def _binary(position: int, name: str, *, foreign: Any) -> Callable[[Any, Any], Any]:
    def function(x1: Any, x2: Any, /) -> Any:
        array = x1.__class__
        try:
            if array is x2.__class__:
                device = x1._device
                if x2._device is not device:
                    return _meeting(position, name, x1, x2, foreign)
                native1, native2 = x1._native, x2._native
            elif x2.__class__ in SCALARS:
                device = x1._device
                native1, native2 = x1._native, x2
            elif array in SCALARS:
                device = x2._device
                native1, native2 = x1, x2._native
                array = x2.__class__
            else:
                return _meeting(position, name, x1, x2, foreign)
        except AttributeError:
            return _meeting(position, name, x1, x2, foreign)
        try:
            native = device.elementwise[position](native1, native2)
        except Exception as error:
            native = recover(error, device, device.elementwise[position], (native1, native2))
        if native.__class__ is not device.native_type:
            native = device._backend.normalize(native, device._spec)
        result = array()
        result._native = native
        result._device = device
        return result

    return function


def _meeting(position: int, name: str, x1: Any, x2: Any, foreign: Any) -> Any:
    """A call whose operands first have to be brought to one device, or are no operands at all."""
    found = operands(name, x1, x2, foreign)
    if found is NotImplemented:
        return NotImplemented
    array, device, native1, native2 = found
    return made(array, call(device, device.elementwise[position], native1, native2), device)


def made(array: Callable[[], Any], native: Any, device: Device) -> Any:
    """An array of what a native function returned. Functions that are called most write these lines themselves."""
    if native.__class__ is not device.native_type:
        native = device._backend.normalize(native, device._spec)
    result = array()
    result._native = native
    result._device = device
    return result


def inplace_operator(name: str) -> Callable[[F], F]:
    """The in-place operator method: the array keeps its shape and dtype, or stays as it was and the call raises."""
    position = ELEMENTWISE[name]

    def decorate(declaration: F) -> F:
        def function(self: Any, other: Any, /) -> Any:
            device = self._device
            native = other
            if other.__class__ is self.__class__ and other._device is device:
                native = other._native
            elif other.__class__ not in SCALARS:
                native = native_operand(other, device, name, NotImplemented)
                if native is NotImplemented:
                    return NotImplemented
            try:
                self._native = device.inplace[position](self._native, native)
            except Exception as error:
                raise explained(error, device, device.elementwise[position], (self._native, native)) from error
            return self

        return _dressed(function, declaration)

    return decorate


def _dressed(function: Callable[..., Any], declaration: F) -> F:
    """The function under the name, docstring and annotations of its declaration."""
    for attribute in ("__name__", "__qualname__", "__doc__", "__module__"):
        setattr(function, attribute, getattr(declaration, attribute))
    function.__annotations__ = declaration.__annotations__
    function.__wrapped__ = declaration  # type: ignore[attr-defined]
    return function  # type: ignore[return-value]


def operands(name: str, x1: Any, x2: Any, foreign: Any = TypeError) -> Any:
    """The class of the result, the device and the native operands of a call that is not the plain one.

    ``foreign`` says what an operand that is no array and no scalar leads to: TypeError is raised, NotImplemented
    is returned, so that the other operand's reflected method has its turn.
    """
    device = common_device((x1, x2))
    if device is None:
        raise TypeError(
            f"{name}() needs at least one xtensor Array, not {describe(x1)} and {describe(x2)}; "
            "make one with xtensor.asarray"
        )
    native1 = native_operand(x1, device, name, foreign)
    native2 = native_operand(x2, device, name, foreign)
    if native1 is NotImplemented or native2 is NotImplemented:
        return NotImplemented
    return (x1 if hasattr(x1, "_device") else x2).__class__, device, native1, native2


def common_device(values: Iterable[Any]) -> Device | None:
    """The device on which several operands meet: the first one off the host, else the first; None without an array.

    A 0-d array on the host decides only where nothing else does.
    """
    arrays = [value for value in values if hasattr(value, "_device")]
    for array in arrays:
        if not array._device.host:
            return array._device  # type: ignore[no-any-return]
    for array in arrays:
        if array._native.ndim:
            return array._device  # type: ignore[no-any-return]
    return arrays[0]._device if arrays else None


def native_operand(value: Any, device: Device, name: str, foreign: Any = TypeError) -> Any:
    """An operand as a device's native function takes it: a native array of that device, or a Python scalar."""
    if hasattr(value, "_device"):
        if value._device is device:
            return value._native
        return join(value._native, value._device, device)
    if value.__class__ in SCALARS:
        return value
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and not value.ndim):
        check_dtype(value.dtype, device, name)
        return device._backend.from_host(np.asarray(value), device._spec, copy=True)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, complex):
        return complex(value)
    if isinstance(value, np.ndarray) or foreign is TypeError:
        kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
        raise TypeError(
            f"{name}() takes xtensor Arrays and Python scalars, not {kind}; "
            f"convert it with xtensor.asarray(…, device={str(device)!r})"
        )
    return foreign


def device_of(x: Any, name: str | None = None) -> Device:
    """The device of an argument that must be an Array; the caller's name stands in the error otherwise."""
    try:
        return x._device  # type: ignore[no-any-return]
    except AttributeError:
        raise not_an_array(name or sys._getframe(1).f_code.co_name, x) from None


def not_an_array(name: str, value: object) -> TypeError:
    """The error for an argument that should be an Array and is not."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    return TypeError(f"{name}() takes an xtensor Array, not {kind}; convert it with xtensor.asarray(…)")


def call(device: Device, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a native function gives; its errors say what was met, and exhausted memory is tried once more."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return recover(error, device, function, args, kwargs)


def recover(
    error: Exception,
    device: Device,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Try a call once more with the pool released, if memory ran out; raise a clear error otherwise."""
    backend, spec = device._backend, device._spec
    if not backend.out_of_memory(error):
        raise explained(error, device, function, args, kwargs) from error
    backend.release_memory(spec)
    try:
        return function(*args, **(kwargs or {}))
    except Exception as again:
        if not backend.out_of_memory(again):
            raise
        free = backend.memory(spec).free
        requested = requested_bytes(again)
        asked = "" if requested is None else f" {requested} bytes were asked for,"
        left = "an unknown number" if free is None else str(free)
        raise OutOfMemoryError(
            f"device {device} is out of memory in {device.xp.name_of(function)}():{asked} {left} bytes are free "
            "after its pool was released; free arrays, or work on parts",
            requested,
            free,
        ) from again


UNITS = {
    "bytes": 1,
    "B": 1,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
    "PiB": 2**50,
    "EiB": 2**60,
}


def requested_bytes(error: BaseException) -> int | None:
    """The bytes that a library's out-of-memory message says were asked for."""
    found = re.search(r"([\d,.]+)\s*(bytes|[KMGTPE]iB|B)\b", str(error))
    if found is None:
        return None
    return int(float(found[1].replace(",", "")) * UNITS[found[2]])


KINDS = (
    DeviceMismatchError,
    CopyRequiredError,
    np.linalg.LinAlgError,
    np.exceptions.AxisError,
    OverflowError,
    IndexError,
    BufferError,
    NotImplementedError,
    TypeError,
    ValueError,
)


def explained(
    error: Exception,
    device: Device,
    function: Callable[..., Any] | str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
) -> Exception:
    """A native function's error as one of the same kind that names the function and the operands it met."""
    error = device._backend.translate(error)
    name = function if isinstance(function, str) else device.xp.name_of(function)
    met = [_met(arg) for arg in args]
    met += [f"{key}={_met(value)}" for key, value in (kwargs or {}).items() if value is not None]
    reason = str(error)
    if isinstance(error, TypeError) and name in EXPECTED:
        reason = f"{reason} ({name} takes {EXPECTED[name]}; cast with xtensor.astype)"
    text = f"{name}({', '.join(met)}) on {device}: {reason}"
    for kind in KINDS:
        if isinstance(error, kind):
            return kind(text)
    if isinstance(error, (AttributeError, KeyError, RecursionError)):
        return TypeError(text)  # what a library meets deep within when an argument is of a wrong type
    return error


def composed(function: F) -> F:
    """A public function made of others, whose errors name it as well as the one that met the bad argument."""
    name = function.__name__

    @wraps(function)
    def named(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (*KINDS, AttributeError, KeyError, RecursionError) as error:
            if f"{name}(" in str(error) or isinstance(error, NotImplementedError):
                raise
            text = f"{name}(): {error}"
            raise next((kind for kind in KINDS if isinstance(error, kind)), TypeError)(text) from error
        except OutOfMemoryError as error:
            raise OutOfMemoryError(f"{name}(): {error}", error.requested, error.free) from error

    return named  # type: ignore[return-value]


def _met(value: Any) -> str:
    """An argument as a message shows it: dtype and shape of an array, a scalar's value."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"{value.dtype} array of shape {value.shape}"
    if isinstance(value, (tuple, list)) and any(hasattr(item, "dtype") for item in value):
        return f"[{', '.join(map(_met, value))}]"
    return describe(value)
