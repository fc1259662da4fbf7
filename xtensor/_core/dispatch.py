"""Dispatch: from the operands to their device's function, and back into an Array.

Requirements: two arrays on one device reach the native function in one hop, without a look-up by name; everything
rarer (scalars, arrays on two devices, bad input, exhausted memory, warnings) is left to functions of its own. A call
carries its :class:`~xtensor._core.operations.Operation`, so that errors, profiles and warnings name it.

Each function here computes every case; the module ``_compiled``, where it was built, computes the ordinary ones first.

An operand is recognised by its fields ``_native`` and ``_device``: this module does not depend on the class Array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from . import calls
from .boundary import declared
from .calls import call, recover_large, wrap
from .device import Device
from .failures import raise_unsupported, recover
from .operands import SCALARS, array_argument, operands
from .operations import Operation, operation
from .temporaries import NO_CALL, getrefcount, is_temporary

__all__ = [
    "binary_function",
    "binary_operator",
    "mixed_function",
    "reflected_operator",
    "unary_function",
    "unary_operator",
]

F = TypeVar("F", bound=Callable[..., Any])


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
        result = calls.make()
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
        result = calls.make()
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
    return owner if result is spare else wrap(result, device)


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
    return wrap(call(operation, device, native1, native2), device)
