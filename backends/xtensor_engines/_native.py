"""The native array of an engine's device."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from xtensor.backend import WrappedArray, note_computation

from ._keys import checked_key, expanded
from ._library import Library, format_bytes

__all__ = ["Chunked", "describe", "exported", "fetched"]


class _Same(dict[Any, Any]):
    """A mapping of each key to itself: the dtypes of the libraries are NumPy's."""

    def __missing__(self, key: Any) -> Any:
        return key


class Chunked(WrappedArray):
    """An array of an engine's library, and where it is a view, the array that it is a view of.

    The library's arrays are immutable. An assignment to a native array puts another array of the library into it. A
    view passes it on to its base, and takes its elements from the base's present array, so that both see every
    assignment, as in NumPy.
    """

    __slots__ = ("_array", "_base", "_insert", "_seen", "_select")

    library: ClassVar[Library]
    """The engine's library, which a subclass names."""

    numpy_dtypes = library_dtypes = _Same()

    _array: Any
    _base: Chunked | None
    _seen: Any
    _select: Callable[[Any], Any]
    _insert: Callable[[Any, Any], Any] | None

    def __init__(self, array: Any) -> None:
        self._array, self._base = array, None

    @classmethod
    def view(cls, base: Chunked, select: Callable[[Any], Any], insert: Callable[[Any, Any], Any] | None) -> Chunked:
        """Return a view.

        Parameters
        ----------
        select
            Returns the view's array of the library for the base's.
        insert
            Returns the base's array of the library with a view's in its place; None for a view that is read-only.
        """
        result = cls(None)
        result._base, result._select, result._insert = base, select, insert
        result._seen = base.array
        result._array = select(result._seen)
        return result

    @property
    def array(self) -> Any:
        """The array of the library."""
        if self._base is not None:
            found = self._base.array
            if found is not self._seen:
                self._seen, self._array = found, self._select(found)
        return self._array

    def assign(self, array: Any) -> None:
        """Put another array of the same shape into this array, and into its base."""
        if self._base is not None:
            if self._insert is None:
                raise ValueError("assignment destination is read-only: its elements are repeated; copy it first")
            self._base.assign(self._insert(self._base.array, array))
            self._seen = self._base.array
        self._array = array

    def __getitem__(self, key: Any) -> Any:
        # Compositions select by slices, integers and new axes; index arrays go to Backend.getitem.
        parts = expanded(key, self.ndim)
        return type(self)(self.library.sliced(self.array, checked_key(parts, self.shape)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.array,)

    def __bool__(self) -> bool:
        return bool(_needed(self, "bool()"))

    def __int__(self) -> int:
        return int(_needed(self, "int()"))

    def __float__(self) -> float:
        return float(_needed(self, "float()"))

    def __complex__(self) -> complex:
        return complex(_needed(self, "complex()"))

    def __index__(self) -> int:
        return int(_needed(self, "an index"))


def fetched(*natives: Chunked) -> list[np.ndarray[Any, Any]]:
    """Return the values of arrays in the host's memory, which can be written to; what they share is computed once."""
    values = natives[0].library.values([native.array for native in natives]) if natives else []
    return [x if x.flags.writeable else x.copy() for x in values]


def _needed(native: Chunked, purpose: str) -> np.ndarray[Any, Any]:
    """Return values that Python needs now."""
    note_computation(native.size * native.dtype.itemsize, native.library.name, purpose)
    return fetched(native)[0]


def describe(native: Chunked) -> str:
    """Return the number and the size of the chunks."""
    chunks = native.library.chunks(native.array)
    largest = tuple([max(lengths) for lengths in chunks])
    size = native.dtype.itemsize
    return (
        f"{math.prod(map(len, chunks))} chunks of {largest}, {format_bytes(math.prod(largest) * size)} each, "
        f"{format_bytes(native.size * size)} in all"
    )


def exported(native: Chunked) -> np.ndarray[Any, Any]:
    """Return computed values for DLPack, whose memory nobody else has; BufferError where they are more than a chunk."""
    size, limit = native.size * native.dtype.itemsize, native.library.limit()
    if size > limit:
        raise BufferError(
            f"an array of device {native.library.name!r} is exported by computing it, {format_bytes(size)} here, and "
            f"the limit is {format_bytes(limit)}; fetch the values with x.to_device('cpu')"
        )
    return fetched(native)[0]
