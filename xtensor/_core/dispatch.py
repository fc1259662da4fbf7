"""Dispatch: from the operands to their device's function, and back into an Array.

Requirements: two arrays on one device reach the native function in one hop, without a look-up by name; everything
rarer (scalars, arrays on two devices, bad input, exhausted memory, warnings) is left to functions of its own. A call
carries its :class:`~xtensor._core.operations.Operation`, so that errors, profiles and warnings name it.

Each function here computes every case; the module ``_compiled``, where it was built, computes the ordinary ones first.

An operand is recognised by its fields ``_native`` and ``_device``: this module does not depend on the class Array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import operations
from .backend import Native
from .boundary import declared
from .checks import LARGEST, check_dtype
from .compiled import track, with_short_way
from .device import Device, default_device
from .errors import WrittenWithWarningError, describe
from .failures import raise_unsupported, recover
from .fp_warnings import rewarn
from .operations import Operation, operation
from .temporaries import NO_CALL, getrefcount, is_temporary
from .tracing_errors import Number
from .transfers import check_transfer, join
from .wrapping import with_links

if TYPE_CHECKING:
    from .array import Array

__all__ = [
    "HOST_ARRAYS",
    "SCALARS",
    "array_argument",
    "array_arguments",
    "as_array",
    "binary_function",
    "binary_operator",
    "call",
    "coerce_operands",
    "common_device",
    "computes_with",
    "computing_device",
    "device_of",
    "lift_to_device_of",
    "mixed_function",
    "native_indices",
    "native_operand",
    "not_an_array",
    "on_transform_of",
    "operands",
    "recover_large",
    "reflected_operator",
    "serve",
    "unary_function",
    "unary_operator",
    "wrapped",
]

F = TypeVar("F", bound=Callable[..., Any])

SCALARS = frozenset((bool, int, float, complex, Number))

MINIMUM = operation("minimum")

UINT64 = np.dtype(np.uint64)

NDARRAY = np.ndarray

HOST_ARRAYS: frozenset[type[Any]] = frozenset((np.ndarray, np.memmap))
"""The classes of NumPy arrays that are operands. Other subclasses mean more than numbers: units, masks, matrices."""

CONVERTED = HOST_ARRAYS | {list, tuple}
"""Classes of operands that become Arrays next to an Array."""


def make() -> Any:
    """Return an Array whose fields are not set yet. Replaced by the Array class, which is built on this module."""
    raise AssertionError("the Array class is not defined yet")


def unary_function(operation: Operation) -> Callable[[F], F]:
    """Make the elementwise function of one array from its declaration (name, signature, docstring)."""
    return lambda declaration: declared("UNARY", operation, partial(_unary, operation), declaration)


def unary_operator(name: str) -> Callable[[F], F]:
    """Make the operator method that computes an elementwise function of one array."""
    row = operation(name)
    return lambda declaration: declared("UNARY", row, partial(_unary, row), declaration, is_operator=True)


def _unary(operation: Operation, *, holders: int, callee: int, frames: int) -> Callable[[Any], Any]:
    """Make a function of one array; the other parameters are as for :func:`_binary`."""
    index = operation.index
    held = frames + 1  # by the variables of these functions, and by the argument of getrefcount
    most = held + holders

    def function(x: Any, /) -> Any:
        try:
            device = x._device
        except AttributeError:
            device = None
        if device is None:
            return function(array_argument(x, operation.label))
        native1 = x._native
        size = native1.size
        implementation = device.table[index]
        if size >= implementation.min_size:
            count = getrefcount(x)
            owner = x if count <= most and is_temporary(x, native1, count - held, frames, callee, x) else None
            if owner is not None or size >= implementation.min_size_without_reuse:
                result = _large(operation, device, (native1,), owner)
                if result is not NotImplemented:
                    return result
        try:
            native = implementation.function(native1)
        except Exception as error:
            native = recover(error, operation, device, (native1,))
        if native.__class__ is not device.native_type:
            native = (
                raise_unsupported(operation, device)
                if native is NotImplemented
                else device._library.normalize(native, device._backend_spec)
            )
        result = make()
        result._native = native
        result._device = device
        return result

    return function


def binary_function(operation: Operation) -> Callable[[F], F]:
    """Make the elementwise function of two operands from its declaration."""
    make = partial(_binary, operation, foreign=TypeError)
    return lambda declaration: declared("BINARY", operation, make, declaration)


def binary_operator(name: str) -> Callable[[F], F]:
    """Make the operator method that computes an elementwise function of two operands."""
    row = operation(name)
    make = partial(_binary, row, foreign=NotImplemented)
    return lambda declaration: declared("BINARY", row, make, declaration, is_operator=True)


def mixed_function(operation: Operation) -> Callable[[Any, Any], Any]:
    """Return the function of two operands that answers NotImplemented to an operand of a class it does not know."""
    return _binary(operation, foreign=None, holders=0, callee=NO_CALL, frames=1)


def reflected_operator(name: str) -> Callable[[F], F]:
    """Make the operator method of the right-hand operand."""
    row = operation(name)

    def make(*, frames: int, **options: Any) -> Callable[[Any, Any], Any]:
        forward = _binary(row, foreign=NotImplemented, frames=frames + 1, **options)
        return lambda self, other, /: forward(other, self)

    return lambda declaration: declared("REFLECTED", row, make, declaration, is_operator=True)


def _binary(operation: Operation, *, foreign: Any, holders: int, callee: int, frames: int) -> Callable[[Any, Any], Any]:
    """Make a function of two operands.

    Parameters
    ----------
    operation
        The operation.
    foreign
        The answer to an operand of another kind: see :func:`operands`.
    holders
        The number of references to a temporary next to those of these functions. The interpreter's stack keeps the
        operands of an operator and the arguments of a compiled function, whereas those of a function in Python are
        moved to it.
    callee
        The identity of the function whose call is one of this function: see :func:`is_temporary`.
    frames
        The number of functions from the user's call to this one.
    """
    index = operation.index
    held = frames + 1  # by the variables of these functions, and by the argument of getrefcount
    most = held + holders

    def function(x1: Any, x2: Any, /) -> Any:
        kind = x1.__class__
        try:
            if kind is x2.__class__:
                device = x1._device
                if x2._device is not device:
                    return _mixed(operation, x1, x2, foreign, frames, callee)
                native1, native2 = x1._native, x2._native
                size = native1.size
            elif x2.__class__ in SCALARS:
                device = x1._device
                native1, native2 = x1._native, x2
                size = native1.size
            elif kind in SCALARS:
                device = x2._device
                native1, native2 = x1, x2._native
                size = native2.size
            else:
                return _mixed(operation, x1, x2, foreign, frames, callee)
        except AttributeError:
            device = None
        if device is None:  # not within the except block, whose error would be the context of another one
            return _mixed(operation, x1, x2, foreign, frames, callee)
        implementation = device.table[index]
        if size >= implementation.min_size:
            owner = None
            count1, count2 = getrefcount(x1), getrefcount(x2)
            if count1 <= most and is_temporary(x1, native1, count1 - held, frames, callee, x1, x2):
                owner = x1
            elif count2 <= most and is_temporary(x2, native2, count2 - held, frames, callee, x1, x2):
                owner = x2
            if owner is not None or size >= implementation.min_size_without_reuse:
                result = _large(operation, device, (native1, native2), owner)
                if result is not NotImplemented:
                    return result
        try:
            native = implementation.function(native1, native2)
        except Exception as error:
            native = recover(error, operation, device, (native1, native2))
        if native.__class__ is not device.native_type:
            native = (
                raise_unsupported(operation, device)
                if native is NotImplemented
                else device._library.normalize(native, device._backend_spec)
            )
        result = make()
        result._native = native
        result._device = device
        return result

    return function


def _large(operation: Operation, device: Device, natives: tuple[Any, ...], owner: Any) -> Any:
    """Return the result for operands of many elements, in the memory of a temporary where there is one, its owner.

    NotImplemented: it is to be computed as for few elements.
    """
    spare = None if owner is None else owner._native
    try:
        result = device.table[operation.index].kernel(*natives, spare)
    except Exception as error:
        result = recover_large(error, operation, device, natives)
    if result is NotImplemented:
        return NotImplemented
    return owner if result is spare else wrapped(result, device)


def recover_large(error: Exception, operation: Operation, device: Device, natives: tuple[Any, ...]) -> Any:
    """Return the result of a function for operands of many elements that raised an error or a warning."""
    if isinstance(error, WrittenWithWarningError):
        rewarn(*error.warnings)
        return error.native
    return recover(error, operation, device, natives)


def _mixed(operation: Operation, x1: Any, x2: Any, foreign: Any, frames: int, callee: int) -> Any:
    """A call whose operands are on two devices, or one of which is no Array or number."""
    found = operands(operation.label, x1, x2, foreign)
    if found is NotImplemented:
        return NotImplemented
    device, native1, native2 = found
    del found  # a reference to the native arrays, which is_temporary would count
    if (native2 if native1.__class__ in SCALARS else native1).size >= device.table[operation.index].min_size:
        holders1, holders2, owner = getrefcount(x1) - frames - 2, getrefcount(x2) - frames - 2, None
        # A NumPy array that is an operand itself belongs to the caller.
        if (
            holders1 <= 1
            and getattr(x1, "_native", None) is native1
            and is_temporary(x1, native1, holders1, frames + 1, callee, x1, x2)
        ):
            owner = x1
        elif (
            holders2 <= 1
            and getattr(x2, "_native", None) is native2
            and is_temporary(x2, native2, holders2, frames + 1, callee, x1, x2)
        ):
            owner = x2
        result = _large(operation, device, (native1, native2), owner)
        if result is not NotImplemented:
            return result
    return wrapped(call(operation, device, native1, native2), device)


def wrapped(native: Native, device: Device) -> Any:
    """Return an Array of a native array or a library's scalar. Functions that are called most inline these lines."""
    if native.__class__ is not device.native_type:
        native = device._library.normalize(native, device._backend_spec)
    result = make()
    result._native = native
    result._device = device
    return result


def operands(name: str, x1: Any, x2: Any, foreign: Any = TypeError) -> Any:
    """Return the device and the native operands of a call with mixed operands.

    A list or tuple of numbers is an operand, as in NumPy; the device ``strict`` raises TypeError for it.

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
    if foreign is not None and isinstance(value, (list, tuple)) and not device._library.defined_only:
        return device._library.from_host(_host_list(value, device, name), device._backend_spec, copy=None)
    if foreign is TypeError or (foreign is NotImplemented and isinstance(value, (list, tuple))):
        # With NotImplemented, Python would compare the identities of an Array and a list: ``x == [1]`` would be False.
        kind = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
        raise TypeError(
            f"{name}() takes Arrays, NumPy arrays and scalars, not {kind}; "
            f"convert it with xtensor.asarray(..., device={str(device)!r})"
        )
    return NotImplemented


def _host_list(value: Any, device: Device, name: str) -> Any:
    """Return a list or tuple of numbers as a NumPy array of a dtype that the device supports."""
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise type(error)(f"{error}; {name}() takes lists of numbers, not {describe(value)}") from None
    if array.dtype.kind not in "biufc":
        raise TypeError(f"{name}() takes lists of booleans and numbers, not {describe(value)} of dtype {array.dtype}")
    return array.astype(check_dtype(array.dtype, device, name), copy=False)


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

    Lists and tuples join others, as for :func:`operands`. Values of other classes are returned as they are, for the
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
    return wrapped(native_operand(value, device, name), device)


@with_short_way("ARGUMENT")
def array_argument(x: Any, name: str, device: Device | None = None) -> Array:
    """Return an argument that must be an array as an Array; one of NumPy becomes an Array of a device or the default.

    So do a Python scalar, a list and a tuple of numbers, but not on ``strict``. ``name`` is the function's, for errors.
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
    """Return an Array of a Python scalar, or of a list or tuple of numbers; None for others and on ``strict``."""
    if not isinstance(value, (list, tuple, bool, int, float, complex)):
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
    return x if target is x._device else wrapped(join(x._native, x._device, target), target)


def native_indices(indices: Native, device: Device) -> Native:
    """Return an index array in whose dtype no element beyond the index dtype wraps to a negative index."""
    if indices.dtype != UINT64:
        return indices
    return call(MINIMUM, device, indices, LARGEST)


def array_arguments(name: str, *values: Any) -> tuple[Array, ...]:
    """Return arguments that must all be arrays as Arrays; those of NumPy join the others, or the default device.

    Lists and tuples join others, as for :func:`operands`.
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


def call(operation: Operation, device: Device, *args: Any, **kwargs: Any) -> Any:
    """Return the result of an operation's native function; its errors are explained, exhausted memory is retried."""
    try:
        result = device.table[operation.index].function(*args, **kwargs)
    except Exception as error:
        result = recover(error, operation, device, args, kwargs)
    return raise_unsupported(operation, device) if result is NotImplemented else result


def serve(name: str, device: Device, service: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the result of a backend's service, ``from_host`` for example, with errors that name a public function."""
    try:
        return service(*args, **kwargs)
    except Exception as error:
        return recover(error, name, device, args, kwargs, service)
