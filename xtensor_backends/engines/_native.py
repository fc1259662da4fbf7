"""The native array of an engine's device."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from xtensor.backend import WrappedArray, note_computation

from ._chunk_slices import Slices
from ._keys import checked_key, expanded
from ._library import KEPT, Library, format_bytes

__all__ = ["Chunked", "describe", "exported", "fetched"]

MOST_ASSIGNMENTS = 1024
"""Number of assignments that wait for the next use of an array."""

Source = Callable[[str], "np.ndarray[Any, Any] | None"]
"""A function that gives values for a purpose that the log of computations names; None where it cannot any more."""

Assignment = tuple[list[np.ndarray[Any, Any]], Any]
"""The indices along each axis, and the values of these lengths."""


class _Same(dict[Any, Any]):
    """A mapping of each key to itself: the dtypes of the libraries are NumPy's."""

    def __missing__(self, key: Any) -> Any:
        return key


class Chunked(WrappedArray):
    """An array of an engine's library, and where it is a view, the array that it is a view of.

    The library's arrays are immutable. An assignment to a native array puts another array of the library into it. A
    view passes it on to its base, and takes its elements from the base's present array, so that both see every
    assignment, as in NumPy.

    Loops over elements cost one computation, not one for each element. Values of a small array are kept where they are
    known, from the host or because they were computed; an element that Python needs, and an elementwise function of
    elements, is computed from them. Assignments of such values wait for the next use of the array.
    """

    __slots__ = ("_array", "_base", "_insert", "_later", "_seen", "_select", "_source", "_values")

    library: ClassVar[Library]
    """The engine's library, which a subclass names."""

    numpy_dtypes = library_dtypes = _Same()

    _array: Any
    _base: Chunked | None
    _seen: Any
    _select: Callable[[Any], Any]
    _insert: Callable[[Any, Any], Any] | None
    _later: list[Assignment] | None
    _values: np.ndarray[Any, Any] | None
    _source: Source | None

    def __init__(self, array: Any) -> None:
        self._array, self._base, self._later, self._values, self._source = array, None, None, None, None

    @classmethod
    def of_values(cls, values: np.ndarray[Any, Any]) -> Chunked:
        """Return an array of values of the host, which nobody changes later."""
        if values.nbytes > KEPT:
            return cls(cls.library.from_host(values))
        result = cls(None)
        result._values = values
        return result

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
            base_array = self._base.array
            if base_array is not self._seen:
                self._seen, self._array, self._values = base_array, self._select(base_array), None
            return self._array
        if self._array is None:
            assert self._values is not None
            self._array = self.library.from_host(self._values)
        if self._later is not None:
            assignments = [(places, self.library.placed(values)) for places, values in self._later]
            function = partial(_written, assignments=assignments)
            self._later = None
            self._array = self.library.mapped(function, self._array, (), self._array.dtype, placed=True)
        return self._array

    @property
    def values(self) -> np.ndarray[Any, Any] | None:
        """The values, which nobody changes, where they are small and known."""
        if self._base is not None:
            _ = self.array  # an assignment to the base changes them
        return self._values

    def keep(self, values: np.ndarray[Any, Any]) -> None:
        """Keep the computed values where they are small."""
        if values.nbytes <= KEPT:
            self._values = values.copy()

    def element(self, places: tuple[int, ...]) -> Chunked:
        """Return an element as an array."""
        values = self.values
        if values is not None:
            return type(self).of_values(np.array(values[places]))
        array = self.array
        result = type(self)(self.library.sliced(array, places))
        if self.size * self.dtype.itemsize <= KEPT:
            result._source = partial(_taken, self, array, places)
        return result

    @property
    def source(self) -> Source | None:
        """A function that gives an element without a computation of its own; None for other arrays."""
        values = self.values
        return self._source if values is None else lambda purpose: values

    def with_source(self, source: Source) -> Chunked:
        """Return the array, whose values a function gives without a computation of its own."""
        self._source = source
        return self

    def needed(self, purpose: str) -> np.ndarray[Any, Any]:
        """Return the values, which Python needs now: of an element's array all, as it will need others too."""
        values = self.values
        if values is None and self._source is not None:
            values = self._source(purpose)
            if values is not None:
                self.keep(values)
        if values is None:
            note_computation(self.size * self.dtype.itemsize, self.library.name, purpose)
            values = fetched(self)[0]
        return values

    @property
    def described(self) -> Any:
        """The array or the values, whose shape and dtype no assignment changes."""
        return self._values if self._array is None else self._array

    def assign(self, array: Any) -> None:
        """Put another array of the same shape into this array, and into its base."""
        if self._base is not None:
            if self._insert is None:
                raise ValueError("assignment destination is read-only: its elements are repeated; copy it first")
            self._base.assign(self._insert(self._base.array, array))
            self._seen = self._base.array
        self._array, self._values, self._later, self._source = array, None, None, None

    def assign_values(self, places: list[np.ndarray[Any, Any]], values: np.ndarray[Any, Any]) -> bool:
        """Put values of the host into this array at its next use, and return whether this can wait.

        Parameters
        ----------
        places
            The indices along each axis.
        values
            Values of the array's dtype, of the lengths of the indices.
        """
        if self._base is not None:
            return False
        if self._later is None or len(self._later) >= MOST_ASSIGNMENTS:
            _ = self.array  # made of its values and of the assignments that wait
            self._later = []
        self._values, self._source = None, None
        self._later.append((places, values))
        return True

    def __getitem__(self, key: Any) -> Any:
        # Compositions select by slices, integers and new axes; index arrays go to Backend.getitem.
        parts = expanded(key, self.ndim)
        return type(self)(self.library.sliced(self.array, checked_key(parts, self.shape)))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.array,)

    def __bool__(self) -> bool:
        return bool(self.needed("bool()"))

    def __int__(self) -> int:
        return int(self.needed("int()"))

    def __float__(self) -> float:
        return float(self.needed("float()"))

    def __complex__(self) -> complex:
        return complex(self.needed("complex()"))

    def __index__(self) -> int:
        return int(self.needed("an index"))


def _taken(whole: Chunked, array: Any, places: tuple[int, ...], purpose: str) -> np.ndarray[Any, Any] | None:
    """Return an element of an array whose values are all computed; None if the array is no longer the same."""
    return np.asarray(whole.needed(purpose)[places]) if whole.array is array else None


def _written(x: Any, *, assignments: list[Assignment], slices: Slices) -> Any:
    """Return a chunk with the values of assignments, as far as they lie in it."""
    result = None
    for places, values in assignments:
        inside = [
            np.flatnonzero((indices >= along.start) & (indices < along.stop))
            for indices, along in zip(places, slices, strict=True)
        ]
        if all(part.size for part in inside):
            if result is None:
                result = np.array(x) if isinstance(x, np.generic) else x.copy()
            local = [indices[part] - along.start for indices, part, along in zip(places, inside, slices, strict=True)]
            result[np.ix_(*local)] = values[np.ix_(*inside)]
    return x if result is None else result


def fetched(*natives: Chunked) -> list[np.ndarray[Any, Any]]:
    """Return the values of arrays in the host's memory, which can be written to; what they share is computed once."""
    known = [native.values for native in natives]
    unknown = [native for native, values in zip(natives, known, strict=True) if values is None]
    computed = iter(unknown[0].library.values([native.array for native in unknown]) if unknown else ())
    arrays = []
    for native, values in zip(natives, known, strict=True):
        if values is None:
            values = next(computed)
            native.keep(values)
            arrays.append(values if values.flags.writeable else values.copy())
        else:
            arrays.append(values.copy())
    return arrays


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
