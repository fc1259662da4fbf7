"""Operands: their device, and what they are as native arrays.

Arrays, NumPy's arrays and scalars, Python's numbers and, where the device allows it, lists are operands. An Array is
recognised by its fields ``_native`` and ``_device``: this module does not depend on the class.
"""

from __future__ import annotations

from array import array as python_array
from collections import deque
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import operations
from .backend import Native
from .calls import wrap
from .checks import check_dtype
from .compiled import track, with_short_way
from .device import Device
from .devices import default_device
from .errors import describe
from .tracing_errors import Number
from .transfers import check_transfer, join
from .wrapping import with_links

if TYPE_CHECKING:
    from .array import Array

__all__ = [
    "HOST_ARRAYS",
    "OF_PYTHON",
    "SCALARS",
    "SEQUENCES",
    "array_argument",
    "array_arguments",
    "as_array",
    "coerce_operands",
    "common_device",
    "computes_with",
    "computing_device",
    "device_of",
    "lift_to_device_of",
    "native_operand",
    "not_an_array",
    "on_transform_of",
    "operands",
]

SCALARS = frozenset((bool, int, float, complex, Number))

NDARRAY = np.ndarray

HOST_ARRAYS: frozenset[type[Any]] = frozenset((np.ndarray, np.memmap))
"""The classes of NumPy arrays that are operands. Other subclasses mean more than numbers: units, masks, matrices."""

SEQUENCES = (list, tuple, range, deque, python_array, bytearray, memoryview)
"""Python's classes of numbers in order, which are operands next to an Array, as in NumPy.

Some of them would answer an operator themselves: a list compares identities, a bytearray reads an Array as bytes.
"""

OF_PYTHON = (*SEQUENCES, bool, int, float, complex)
"""Python's classes of numbers and of sequences of them."""

CONVERTED = HOST_ARRAYS.union(SEQUENCES)
"""Classes of operands that become Arrays next to an Array."""


def operands(name: str, x1: Any, x2: Any, foreign: Any = TypeError) -> Any:
    """Return the device and the native operands of a call with mixed operands.

    A list or another sequence of numbers is an operand, as in NumPy; the device ``strict`` raises TypeError for it.

    ``foreign`` is the answer to an operand that is neither array nor scalar nor list: with TypeError, that error is
    raised. With NotImplemented, an operator's answer, NotImplemented is returned, so that Python asks the other
    operand's reflected method. With None, NotImplemented is returned for all, also for lists.
    """
    if hasattr(x1, "_device"):
        if computes_with(x1._device, x2):
            return x1._device, x1._native, _coerced(x2, x1._native)
    elif hasattr(x2, "_device") and computes_with(x2._device, x1):
        return x2._device, _coerced(x1, x2._native), x2._native
    device = computing_device(name, (x1, x2))
    native1 = native_operand(x1, device, name, foreign)
    native2 = native_operand(x2, device, name, foreign)
    if native1 is NotImplemented or native2 is NotImplemented:
        return NotImplemented
    return device, native1, native2


def computes_with(device: Device, value: Any) -> bool:
    """Whether a value is an array or scalar of NumPy that is native to a device, whose memory is the host's."""
    return (
        (value.__class__ is NDARRAY or isinstance(value, np.generic))
        and device.native_type is NDARRAY
        and device.host
        and value.dtype in device.dtypes
    )


def _coerced(value: Any, native: Native) -> Any:
    """Return an array or scalar of NumPy as an operand next to a native array.

    A scalar of the array's dtype promotes as a Python scalar does, and costs as little.
    """
    if value.__class__ is NDARRAY:
        return value
    return value.item() if value.dtype == native.dtype else np.asarray(value)


def common_device(values: Iterable[Any]) -> Device | None:
    """Return the device for several operands: the first one off the host, else the first; None without an array.

    A 0-d array on the host decides only where all are 0-d. A transform takes precedence over what it stands on.
    """
    arrays = [value for value in values if hasattr(value, "_device")]
    chosen: Device | None = None
    for array in arrays:
        if not array._device.host and (chosen is None or array._device.level > chosen.level):
            chosen = array._device
    if chosen is not None:
        return chosen
    for array in arrays:
        if array._native.ndim:
            return array._device  # type: ignore[no-any-return]
    return arrays[0]._device if arrays else None


def computing_device(name: str, given: Sequence[Any], operands: Sequence[Any] | None = None) -> Device:
    """Return the device of the Arrays among a function's operands; without one, the default device for NumPy's arrays.

    Parameters
    ----------
    name
        The function's.
    given
        The arguments.
    operands
        The operands that the arguments contain, where these are nested.

    Raises
    ------
    TypeError
        If no operand is an Array or an array or scalar of NumPy.
    """
    values = given if operands is None else operands
    device = common_device(values)
    if device is not None:
        return device
    if any(_is_host_array(value) for value in values):
        return default_device()
    raise TypeError(
        f"{name}() needs at least one xtensor Array, not {' and '.join(map(describe, given)) or 'none'}; "
        "make one with xtensor.asarray"
    )


def _is_host_array(value: Any) -> bool:
    """Whether a value is an array or scalar of NumPy."""
    return value.__class__ in HOST_ARRAYS or isinstance(value, np.generic)


def native_operand(value: Any, device: Device, name: str, foreign: Any = TypeError) -> Any:
    """Return an operand as a device's native function takes it: a native array of that device, or a Python scalar.

    ``foreign`` is as for :func:`operands`.
    """
    if hasattr(value, "_device"):
        if value._device is device:
            return value._native
        return join(value._native, value._device, device)
    if value.__class__ in SCALARS:
        return value
    if computes_with(device, value):
        return np.asarray(value)
    if _is_host_array(value):
        return _host_operand(value, device, name, foreign)
    if isinstance(value, (int, float, complex)):
        number: Any = int if isinstance(value, int) else float if isinstance(value, float) else complex
        return number(value)
    native = device._library.from_operand(value, device._backend_spec)
    if native is not None:
        return native
    if foreign is not None and isinstance(value, SEQUENCES) and not device._library.defined_only:
        return _native_sequence(value, device, name)
    # With NotImplemented, ``x == [1]`` would be False, and ``b"a" + x`` the bytes of both.
    answers = isinstance(value, SEQUENCES) or (name == "add" and isinstance(value, bytes))
    if foreign is TypeError or (foreign is NotImplemented and answers):
        kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
        raise TypeError(
            f"{name}() takes Arrays, NumPy arrays and scalars, not {kind}; "
            f"convert it with xtensor.asarray(..., device={str(device)!r})"
        )
    return NotImplemented


def _native_sequence(value: Any, device: Device, name: str) -> Native:
    """Return a copy of a sequence of numbers as a native array of a device.

    Python's numbers have the device's default dtype where it lacks NumPy's, as for ``asarray``.
    """
    try:
        found = np.array(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"{error}; {name}() takes lists of numbers, not {describe(value)}") from None
    if found.dtype.kind not in "biufc":
        raise TypeError(f"{name}() takes lists of booleans and numbers, not {describe(value)} of dtype {found.dtype}")
    dtype = found.dtype.newbyteorder("=")
    if not device.supports(dtype):
        return native_operand(_from_python(value, name, device), device, name)
    return device._library.from_host(np.asarray(found, dtype=dtype), device._backend_spec, copy=None)


def _host_operand(value: Any, device: Device, name: str, foreign: Any) -> Any:
    """Return a NumPy array or scalar as a native array of a device: the same memory where the device's is the host's.

    Off the host, an array with axes is a transfer, which the policy decides.
    """
    if value.dtype.kind not in "biufcV" or value.dtype.names is not None:
        if foreign is not TypeError:
            return NotImplemented  # objects, strings and times, which NumPy's own operator may know
        raise TypeError(
            f"{name}() takes booleans and numbers, not {describe(value)} of dtype {value.dtype}; cast it with "
            "a.astype(float)"
        )
    dtype = check_dtype(value.dtype.newbyteorder("="), device, name)
    array = np.asarray(value, dtype=dtype)
    if array.ndim and not device.host:
        check_transfer(array, device, name)
    return device._library.from_host(array, device._backend_spec, copy=None)


def coerce_operands(name: str, *values: Any) -> tuple[Array, ...]:
    """Return operands with Arrays in the place of NumPy arrays, on the device of the Arrays among them or the default.

    Sequences join others, as for :func:`operands`. Values of other classes are returned as they are, for the
    function to refuse.
    """
    if not any(value.__class__ in CONVERTED for value in values):
        return values
    if common_device(values) is None and not any(map(_is_host_array, values)):
        return values
    device = computing_device(name, values)
    classes = HOST_ARRAYS if device._library.defined_only else CONVERTED
    return tuple([as_array(value, device, name) if value.__class__ in classes else value for value in values])


def as_array(value: Any, device: Device, name: str) -> Any:
    """Return a NumPy array as an Array of a device."""
    return wrap(native_operand(value, device, name), device)


@with_short_way("ARGUMENT")
def array_argument(x: Any, name: str, device: Device | None = None) -> Array:
    """Return an argument that must be an array as an Array; one of NumPy becomes an Array of a device or the default.

    So do a Python scalar and a sequence of numbers, but not on ``strict``. ``name`` is the function's, for errors.
    """
    try:
        x._device  # noqa: B018 - hasattr() takes longer
        return x  # type: ignore[no-any-return]
    except AttributeError:
        if not _is_host_array(x):
            array = _from_python(x, name, device)
            if array is None:
                raise not_an_array(name, x) from None
            return array  # type: ignore[no-any-return]
    return as_array(x, default_device() if device is None else device, name)  # type: ignore[no-any-return]


def _from_python(value: Any, name: str, device: Device | None) -> Any:
    """Return an Array of a Python scalar, or of a sequence of numbers; None for others and on ``strict``."""
    if not isinstance(value, OF_PYTHON):
        return None
    try:
        array = operations.namespace.asarray(value, device=device)
    except Exception as error:
        error.args = tuple([str(part).replace("asarray()", f"{name}()") for part in error.args])
        raise
    return None if array._device._library.defined_only else array


def lift_to_device_of(x: Any, value: Any) -> Device:
    """Move an Array to the transform of a value that is about to be written into it; return the Array's device."""
    device: Device = x._device
    target = getattr(value, "_device", device)
    if target.level > device.level:
        transform = target
        while transform.base is not None and transform.level > device.level:
            transform._library.check_writable(x._native)
            transform = transform.base
        x._native = with_links(join(x._native, device, target), x._native)
        x._device = device = target
        track(x)
    return device


def on_transform_of(x: Array, *others: Any) -> Array:
    """Return an Array on the transform of other operands, where one of them is on a transform of the Array's device."""
    target = x._device
    for part in others:
        device = getattr(part, "_device", target)
        if device.level > target.level:
            target = device
    return x if target is x._device else wrap(join(x._native, x._device, target), target)


def array_arguments(name: str, *values: Any) -> tuple[Array, ...]:
    """Return arguments that must all be arrays as Arrays; those of NumPy join the others, or the default device.

    Sequences join others, as for :func:`operands`.
    """
    for value in values:
        if not hasattr(value, "_device"):
            break
    else:
        return values
    if common_device(values) is None and not any(map(_is_host_array, values)):
        raise not_an_array(name, next(value for value in values if not hasattr(value, "_device")))
    device = computing_device(name, values)
    return tuple([array_argument(value, name, device) for value in coerce_operands(name, *values)])


def device_of(x: Any, name: str) -> Device:
    """Return the device of an argument that must be an Array, not one of NumPy: it is written to, for example.

    ``name`` is the function's, for the error otherwise.
    """
    try:
        return x._device  # type: ignore[no-any-return]
    except AttributeError:
        raise not_an_array(name, x) from None


def not_an_array(name: str, value: object) -> TypeError:
    """Return the error for an argument that must be an Array and is not."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    return TypeError(f"{name}() takes an xtensor Array, not {kind}; convert it with xtensor.asarray(...)")
