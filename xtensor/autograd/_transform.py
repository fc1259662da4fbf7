"""Transforms: devices that stand on another device and follow derivatives through what it computes.

An operation with a row in the table of derivatives is computed by the base and followed by the row. An operation
without one is composed of others, as on any device. A result that has no derivative is a constant.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np

from .._core.backend import Native
from .._core.calls import wrap
from .._core.device import Device
from .._core.dtypes import DType, kind_of
from .._core.levels import Level, computing
from .._core.operations import TABLE as OPERATIONS
from .._core.operations import Operation, operation
from .._core.tracer import AbstractValue, at_caller
from .._core.trees import arrays_of, mapped
from .._core.wrapping import ValueArray
from ._copies import by_value
from ._table import CONSTANT, TABLE, Derivative, NotDifferentiableError

__all__ = [
    "Key",
    "Traced",
    "Transform",
    "collected",
    "is_inexact",
    "shells",
]

FULL = operation("full").index


class Traced(ValueArray):
    """A native array of a transform: a value of the base, and what the transform knows of it.

    Python's conversions give the value, so that control flow, printing and debuggers work.
    """

    __slots__ = ()

    transform: ClassVar[Transform]

    def __getitem__(self, key: Any) -> Any:
        return self.transform.getitem(self, key)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __int__(self) -> int:
        return int(self.transform.looked_at(self))

    def __float__(self) -> float:
        return float(self.transform.looked_at(self))

    def __complex__(self) -> complex:
        return complex(self.transform.looked_at(self))

    def __index__(self) -> int:
        return self.value.__index__()  # type: ignore[no-any-return]


class Key:
    """An index of a device's native arrays, which is one argument however many arrays are in it."""

    __slots__ = ("device", "native")

    def __init__(self, native: Any, device: Device) -> None:
        self.native, self.device = native, device

    @property
    def index(self) -> Any:
        """The index with Arrays of its device, which may be below the device of a cotangent: that of a batch."""
        return mapped(self.native, lambda native: wrap(native, self.device), self.device.native_type)


def collected(tree: Any, kind: type) -> tuple[list[Any], Any]:
    """Return the arrays of a transform in nested arguments, and the arguments with their values."""
    arrays: list[Any] = []

    def take(x: Any) -> Native:
        arrays.append(x)
        return x.value

    values = mapped(tree, take, kind)
    return arrays, values


def shells(value: Any, device: Device) -> Any:
    """Return nested arguments with shape and dtype in the place of native arrays."""
    return mapped(value, lambda native: AbstractValue(native.shape, native.dtype), device.native_type)


@cache
def is_inexact(dtype: DType) -> bool:
    """Whether arrays of a dtype have derivatives."""
    return kind_of(dtype) in "fc"


class Transform(Level):
    """The library of a transform that follows derivatives over one device.

    Attributes
    ----------
    conversion
        The line that last converted an Array to a Python number, whose derivative is lost; empty without one.
    """

    def __init__(self, base: Device) -> None:
        super().__init__(base)
        self.conversion = ""

    # -- what a kind of transform provides ----------------------------------------------------------------------------

    @abstractmethod
    def is_constant(self, native: Any) -> bool:
        """Whether a native array depends on nothing that is differentiated."""

    def by_value(self, native: Any) -> Any:
        """Return a native array that no write changes. Only constants can share memory with others."""
        return self.lift(by_value(native.value, self.below)) if self.is_constant(native) else native

    @abstractmethod
    def unary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        """Return an elementwise function of one operand."""

    @abstractmethod
    def binary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        """Return an elementwise function of two operands, one of which may be a scalar."""

    @abstractmethod
    def ternary(self, row: Derivative, compute: Callable[..., Native]) -> Callable[..., Any]:
        """Return an elementwise function of three operands, scalars or None among them."""

    @abstractmethod
    def general(self, row: Derivative, compute: Callable[..., Any]) -> Callable[..., Any]:
        """Return any other function."""

    def has_rule(self, operation: Operation) -> bool:
        return operation.name in TABLE

    def function(self, operation: Operation) -> Callable[..., Any] | None:
        """Return an operation's function of the transform's arrays; None where it is composed of others."""
        row = TABLE.get(operation.name)
        if row is None:
            if operation.name in CONSTANT:
                return self.constant(operation)
            if operation.composition is not None or not operation.primitive:
                return self.of_constants(operation)
            return self.undifferentiable(operation)
        makers = (self.general, self.unary, self.binary, self.ternary)
        return makers[len(row.elementwise)](row, computing(operation, self.below, row.public))

    def kept(self, row: Derivative, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments that a pullback gets: the values that it uses, and shape and dtype of others."""
        base = self.below
        return tuple([x if position in row.kept else shells(x, base) for position, x in enumerate(values)])

    def constant(self, operation: Operation) -> Callable[..., Any]:
        """Return the function of an operation whose results are constants."""
        implementation, kind = self.below.table[operation.index], self.traced

        def constant(*args: Any, **options: Any) -> Any:
            result = implementation.function(*mapped(args, value_of, kind), **mapped(options, value_of, kind))
            return result if result is NotImplemented else self.constants(result)

        return constant

    def of_constants(self, operation: Operation) -> Callable[..., Any]:
        """Return the function of an operation that is composed of others where an operand is differentiated."""
        compute = self.constant(operation)

        def of_constants(*args: Any, **options: Any) -> Any:
            return compute(*args, **options) if self.are_constants(args, options) else NotImplemented

        return of_constants

    def are_constants(self, args: tuple[Any, ...], options: dict[str, Any]) -> bool:
        return all(self.is_constant(x) for x in arrays_of((args, options), self.traced))

    def undifferentiable(self, operation: Operation) -> Callable[..., Any]:
        """Return the function of an operation of which no derivative is known: it takes constants."""
        compute = self.constant(operation)

        def undifferentiable(*args: Any, **options: Any) -> Any:
            if not self.are_constants(args, options):
                raise NotDifferentiableError(
                    f"{operation.label}() has no derivative{at_caller()}; give it constants: "
                    "xtensor.autograd.stop_gradient(x)"
                )
            return compute(*args, **options)

        return undifferentiable

    def looked_at(self, native: Any) -> Native:
        """Return the value of an array that is converted to a Python number."""
        if not self.is_constant(native):
            self.conversion = at_caller()
        return native.value

    def constants(self, result: Any) -> Any:
        """Return a result of the base, or several, as constants."""
        if isinstance(result, (tuple, list)):
            return tuple([self.lift(self.normal(item)) for item in result])
        return self.lift(self.normal(result))

    # -- the contract of backends -------------------------------------------------------------------------------------

    def lower(self, native: Any) -> Native:
        if not self.is_constant(native):
            raise NotDifferentiableError(
                f"a conversion of an Array{at_caller()} would lose its derivative; compute with functions of xtensor, "
                "or convert xtensor.autograd.stop_gradient(x), which is a constant"
            )
        return native.value

    def to_host(self, native: Any) -> np.ndarray[Any, Any]:
        return self.below._library.to_host(self.looked_at(native))

    # -- indexing -----------------------------------------------------------------------------------------------------

    def getitem(self, native: Any, key: Any) -> Any:
        return self._getitem(native, self._key(key))

    def setitem(self, native: Any, key: Any, value: Any) -> Any:
        if value.__class__ is not self.traced:
            value = self.lift(self.below.table[FULL].function((), value, dtype=native.dtype))
        return self._setitem(native, self._key(key), value)

    def _key(self, key: Any) -> Key:
        """Return a key with index arrays by value. Sequences of integers in a tuple are index arrays."""
        if key.__class__ is tuple:
            return Key(tuple(map(self._part, key)), self.below)
        return Key(self._part(key), self.below)

    def _part(self, part: Any) -> Any:
        base = self.below
        if part.__class__ is tuple or part.__class__ is list:
            part = base._library.from_host(np.asarray(part), base._backend_spec, copy=True)
        elif part.__class__ is slice:
            return mapped(part, value_of, self.traced)
        elif part.__class__ is self.traced:
            return by_value(part.value, base)
        return part

    @cached_property
    def _getitem(self) -> Callable[..., Any]:
        return self.general(TABLE["getitem"], reading(self.below))

    @cached_property
    def _setitem(self) -> Callable[..., Any]:
        return self.general(TABLE["setitem"], writing(self.below))


def value_of(x: Traced) -> Native:
    return x.value


def reading(base: Device) -> Callable[[Native, Key], Native]:
    """Return the function that indexes a device's native arrays."""
    library = base._library
    return lambda native, key: library.getitem(native, key.native)


def writing(base: Device) -> Callable[[Native, Key, Any], Native]:
    """Return the function that assigns to a copy of a native array."""
    library, astype = base._library, base.table[OPERATIONS["astype"].index]

    def write(native: Native, key: Key, value: Any) -> Native:
        return library.setitem(astype.function(native, native.dtype, copy=True), key.native, value)

    return write
