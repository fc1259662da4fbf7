"""Aliases and protocols for annotations: operands, keys, dtypes and values of assignments.

Only type checkers import this module (``if TYPE_CHECKING``), so that annotations cost nothing where programs run.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Literal, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np

if TYPE_CHECKING:
    from .array import Array

__all__ = [
    "AnyArray",
    "ArrayLike",
    "DTypeLike",
    "HostArray",
    "IntegerOperand",
    "Key",
    "Mode",
    "Nested",
    "Number",
    "Operand",
    "Order",
    "Real",
    "RealOperand",
    "SingleOperand",
    "SortKind",
    "SupportsArray",
    "SupportsDLPack",
]

T = TypeVar("T", covariant=True)


class Nested(Protocol[T]):
    """A sequence of items or of such sequences: a list or a tuple, for example.

    A string does not match, because its ``__contains__`` takes strings only. Arrays, which have no ``__reversed__``,
    do not match either. No member takes or returns Any, from which mypy would infer ``list[Any]`` for a list's items.
    """

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[T | Nested[T]]: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __reversed__(self) -> Iterator[object]: ...


class SupportsArray(Protocol):
    """An object that NumPy converts to an array."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


class SupportsDLPack(Protocol):
    """An array of any library that exports its memory."""

    def __dlpack__(self) -> Any: ...


Number: TypeAlias = "np.bool | np.number[Any]"
"""NumPy's scalars of booleans and numbers."""

Real: TypeAlias = "np.bool | np.integer[Any] | np.floating[Any]"
"""NumPy's scalars of booleans and real numbers."""

HostArray: TypeAlias = "np.ndarray[Any, np.dtype[np.bool | np.number[Any]]]"
"""A NumPy array of booleans or numbers."""

AnyArray: TypeAlias = "Array | HostArray"

SingleOperand: TypeAlias = "Array | HostArray | Number | complex"
"""An array or a scalar next to an Array."""

Operand: TypeAlias = "SingleOperand | Nested[SingleOperand]"
"""An operand of an operator or of a function of several arrays, one of which is an Array."""

RealOperand: TypeAlias = "Array | HostArray | Real | float | Nested[Array | HostArray | Real | float]"

IntegerOperand: TypeAlias = (
    "Array | HostArray | np.bool | np.integer[Any] | int | Nested[Array | HostArray | np.bool | np.integer[Any] | int]"
)

ArrayLike: TypeAlias = "Operand"
"""Whatever converts to an Array of booleans or numbers next to another Array."""

Index: TypeAlias = "int | np.bool | np.integer[Any]"

IndexArray: TypeAlias = "np.ndarray[Any, np.dtype[np.bool | np.integer[Any]]]"

Slice: TypeAlias = "slice[SupportsIndex | None, SupportsIndex | None, SupportsIndex | None]"

Key: TypeAlias = "Index | Slice | EllipsisType | Array | IndexArray | Nested[Index] | tuple[Key, ...] | None"
"""A key: an integer, a slice, ``...``, None, a boolean or integer index array, a list of these, or a tuple of keys."""

ScalarClass: TypeAlias = "type[bool] | type[int] | type[float] | type[complex] | type[np.generic]"

DTypeLike: TypeAlias = "np.dtype[Any] | ScalarClass | str"
"""A dtype, or what names one: a class of scalars, or a string such as ``"float32"``."""

Order: TypeAlias = Literal["C", "F", "A", "K"]
"""NumPy's words for the order of elements in memory."""

Mode: TypeAlias = Literal["raise", "wrap", "clip"]
"""NumPy's words for indices out of bounds."""

SortKind: TypeAlias = Literal["quicksort", "mergesort", "heapsort", "stable"]
"""NumPy's names of sorting algorithms."""
