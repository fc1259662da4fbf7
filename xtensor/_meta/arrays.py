"""Arrays of shape, dtype and strides without values.

The native array holds a NumPy array that describes the memory which the array would have, its *layout*. Nothing ever
reads or writes that memory, because it does not exist. NumPy's functions that return views work on layouts, so that
views have NumPy's shapes and strides, and share the block of memory that they stand for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from sys import getrefcount
from typing import Any, Never

import numpy as np

from .._core.dtypes import DType
from .._core.errors import called_function
from .._core.tracing_errors import UnknownValueError
from .._core.wrapping import ValueArray
from .ledger import current

__all__ = ["Block", "MetaArray", "block_of", "bytes_read", "new", "unknown_value"]

REMEDY = "call it on a device that has values, such as 'cpu', or use a function whose result has a known shape"

CONVERSIONS = {f"__{name}__": f"{name}(x)" for name in ("bool", "int", "float", "complex", "index", "hash")}
CONVERSIONS["__array__"] = "numpy.asarray(x)"
CONVERSIONS["__getitem__"] = "x[key]"
CONVERSIONS["__setitem__"] = "x[key] = value"
"""How messages name Python's methods."""

_NOWHERE = np.zeros(8)
"""Its address is that of every layout: aligned, and not 0."""


def unknown_value(what: str, remedy: str = REMEDY) -> UnknownValueError:
    """Return the error for something that depends on the values of an array of the device ``meta``.

    It names the public function that the user's code called.
    """
    name = called_function()
    called = CONVERSIONS.get(name, f"{name}()")
    return UnknownValueError(f"{called}: {what} depends on values, and arrays on device meta have none; {remedy}")


class Block:
    """Memory that one or more arrays stand for. It lives as long as the last one of them."""

    __slots__ = ("__array_interface__", "_ledger", "size")

    def __init__(self, shape: tuple[int, ...], dtype: DType, strides: tuple[int, ...] | None) -> None:
        self._ledger = None
        self.size = math.prod(shape) * dtype.itemsize
        self.__array_interface__ = {
            "shape": shape,
            "typestr": dtype.str,
            "data": (_NOWHERE.ctypes.data, False),
            "strides": strides,
            "version": 3,
        }
        ledger = current()
        if ledger is not None:
            self._ledger = ledger
            ledger.bear(self.size)

    def __del__(self) -> None:
        if self._ledger is not None:
            self._ledger.bury(self.size)


class MetaArray(ValueArray):
    """A native array of the device ``meta``; ``value`` is its layout."""

    __slots__ = ()

    def __init__(self, layout: np.ndarray[Any, Any]) -> None:
        self.value = layout

    @property
    def owns_memory(self) -> bool:
        """Whether no other array stands for the same memory."""
        # The references of a layout: of this array, and of the argument.
        return self.value.base.__class__ is Block and getrefcount(self.value) <= 2

    @property
    def flags(self) -> Any:
        """The flags that the memory would have."""
        return self.value.flags

    def view(self, dtype: DType) -> MetaArray:
        """Return an array of another dtype on the same memory."""
        return MetaArray(self.value.view(dtype))

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("replaced by xtensor._meta.indexing")

    def __repr__(self) -> str:
        return f"MetaArray(shape={self.shape}, dtype={self.dtype})"

    def __bool__(self) -> Never:
        raise unknown_value("the truth of an array", "use xtensor.where instead of `if`, or call it on device 'cpu'")

    def __int__(self) -> Never:
        raise unknown_value("an array as int")

    def __float__(self) -> Never:
        raise unknown_value("an array as float")

    def __complex__(self) -> Never:
        raise unknown_value("an array as complex")

    def __index__(self) -> Never:
        raise unknown_value("an array as an integer")


def new(shape: Iterable[int], dtype: DType, like: Iterable[Any] = ()) -> MetaArray:
    """Return an array of a shape and a dtype, in memory of its own.

    The order of its elements is Fortran's where that is the order of all operands of that shape, as NumPy chooses.
    """
    shape, strides = tuple(shape), None
    orders = {
        x.value.flags.f_contiguous and not x.value.flags.c_contiguous
        for x in like
        if x.__class__ is MetaArray and x.shape == shape
    }
    if orders == {True}:
        strides = tuple([dtype.itemsize * math.prod(shape[:axis]) for axis in range(len(shape))])
    layout = np.asarray(Block(shape, dtype, strides))
    return MetaArray(layout if layout.dtype == dtype else layout.view(dtype))


def block_of(layout: Any) -> Block | None:
    """Return the block of memory that a layout stands for; None for an array of NumPy's own."""
    base = layout.base
    while base.__class__ is np.ndarray:
        base = base.base
    return base if base.__class__ is Block else None


def bytes_read(x: Any) -> int:
    """Return the bytes of the elements of an array, each counted once where it is broadcast; 0 for numbers."""
    if x.__class__ is not MetaArray:
        return 0
    layout = x.value
    pairs = zip(layout.shape, layout.strides, strict=True)
    size: int = math.prod([length if stride or not length else 1 for length, stride in pairs])
    return size * x.dtype.itemsize
