"""Dispatch: from the operands to their device's function, and back into an Array.

Requirements: two arrays on one device reach the native function in one hop, without a look-up by name; everything
rarer (scalars, arrays on two devices, bad input, exhausted memory, warnings) is left to functions of its own. A call
carries its :class:`~xtensor._core.operations.Operation`, so that errors, profiles and warnings name it.

Each function here computes every case; the module ``_compiled``, where it was built, computes the ordinary ones first.

An operand is recognised by its fields ``_native`` and ``_device``: this module does not depend on the class Array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from . import calls
from .boundary import declared
from .calls import apply_large, call, wrap
from .failures import raise_unsupported, recover
from .operands import SCALARS, array_argument, operands
from .operations import Operation, operation

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
    return lambda declaration: declared("UNARY", operation, _unary(operation), declaration)


def unary_operator(name: str) -> Callable[[F], F]:
    """Make the operator method that computes an elementwise function of one array."""
    row = operation(name)
    return lambda declaration: declared("UNARY", row, _unary(row), declaration, is_operator=True)


def _unary(operation: Operation) -> Callable[[Any], Any]:
    """Make a function of one array."""
    index = operation.index

    def function(x: Any, /) -> Any:
        try:
            device = x._device
        except AttributeError:
            device = None
        if device is None:
            return function(array_argument(x, operation.label))
        native1 = x._native
        implementation = device.table[index]
        if native1.size >= implementation.min_size_without_reuse:
            result = apply_large(operation, device, native1)
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
    return lambda declaration: declared("BINARY", operation, _binary(operation, TypeError), declaration)


def binary_operator(name: str) -> Callable[[F], F]:
    """Make the operator method that computes an elementwise function of two operands."""
    row = operation(name)
    return lambda declaration: declared("BINARY", row, _binary(row, NotImplemented), declaration, is_operator=True)


def mixed_function(operation: Operation) -> Callable[[Any, Any], Any]:
    """Return the function of two operands that answers NotImplemented to an operand of a class it does not know."""
    return _binary(operation, None)


def reflected_operator(name: str) -> Callable[[F], F]:
    """Make the operator method of the right-hand operand."""
    row = operation(name)
    forward = _binary(row, NotImplemented)

    def reflected(self: Any, other: Any, /) -> Any:
        return forward(other, self)

    return lambda declaration: declared("REFLECTED", row, reflected, declaration, is_operator=True)


def _binary(operation: Operation, foreign: Any) -> Callable[[Any, Any], Any]:
    """Make a function of two operands; ``foreign`` is the answer to one of another kind: see :func:`operands`."""
    index = operation.index

    def function(x1: Any, x2: Any, /) -> Any:
        kind = x1.__class__
        try:
            if kind is x2.__class__:
                device = x1._device
                if x2._device is not device:
                    return _mixed(operation, x1, x2, foreign)
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
                return _mixed(operation, x1, x2, foreign)
        except AttributeError:
            device = None
        if device is None:  # not within the except block, whose error would be the context of another one
            return _mixed(operation, x1, x2, foreign)
        implementation = device.table[index]
        if size >= implementation.min_size_without_reuse:
            result = apply_large(operation, device, native1, native2)
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


def _mixed(operation: Operation, x1: Any, x2: Any, foreign: Any) -> Any:
    """A call whose operands are on two devices, or one of which is no Array or number."""
    coerced = operands(operation.label, x1, x2, foreign)
    if coerced is NotImplemented:
        return NotImplemented
    device, native1, native2 = coerced
    sized = native2 if native1.__class__ in SCALARS else native1
    if sized.size >= device.table[operation.index].min_size_without_reuse:
        result = apply_large(operation, device, native1, native2)
        if result is not NotImplemented:
            return result
    return wrap(call(operation, device, native1, native2), device)
