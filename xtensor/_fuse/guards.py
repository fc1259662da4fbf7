"""Guards: the values from outside that a recorded function read, which a replay compares with the present ones."""

from __future__ import annotations

import types
import zlib
from collections.abc import Callable, Iterable
from typing import Any

from .._core.array import Array, to_numpy
from .keys import is_value, key_of

__all__ = ["MISSING", "MOST_BYTES", "Guard", "Guards", "contents", "memory_of", "same"]

MISSING: Any = object()
"""Value of a name that does not exist."""

MOST_BYTES = 2**20
"""Bytes of outside arrays that a replay compares with those of the recording."""

Guard = tuple[Callable[[Any, Any, Any], Any], Any, str, Any]
"""How a value is read: a function of an owner, a name and a default; and the value."""


def same(value: Any, other: Any) -> bool:
    """Whether two values are the same object, or equal values of a class that cannot change."""
    if value is other:
        return True
    if value.__class__ is not other.__class__:
        return False
    if value.__class__ is types.MethodType or is_value(value):
        return bool(key_of(value) == key_of(other))
    return False


def contents(array: Any) -> tuple[bytes, int]:
    """Return the elements of an array, and a checksum in the place of many."""
    values = array if array.__class__ is not Array else to_numpy(array)
    data = values.tobytes()
    return (data, 0) if len(data) <= MOST_BYTES else (b"", zlib.crc32(data))


def memory_of(native: Any) -> Any:
    """Return the object that owns an array's memory.

    A view with strides of its own has an object of NumPy between it and the array, which also has a ``base``.
    """
    kind, owner = native.__class__, native
    while getattr(native, "base", None) is not None:
        native = native.base
        if native.__class__ is kind:
            owner = native
    return owner


class Guards:
    """The values that a recording depends on.

    Attributes
    ----------
    exact
        Values that are compared by identity.
    states
        Containers and dataclasses, with their keys.
    arrays
        Arrays whose elements are compared, with these.
    """

    __slots__ = ("arrays", "exact", "states")

    def __init__(
        self, exact: Iterable[Guard] = (), states: Iterable[tuple[Any, Any]] = (), arrays: Iterable[Any] = ()
    ) -> None:
        self.exact = list(exact)
        self.states = list(states)
        self.arrays = [(array, contents(array)) for array in arrays]

    @property
    def needed(self) -> bool:
        """Whether there is any value to compare."""
        return bool(self.exact or self.states or self.arrays)

    def hold(self) -> bool:
        """Whether all values are those of the recording."""
        try:
            for read, owner, name, value in self.exact:
                found = read(owner, name, MISSING)
                if found is not value and not same(found, value):
                    return False
        except ValueError:  # an empty cell of a closure
            return False
        if self.states:
            try:
                for container, key in self.states:
                    if key_of(container) != key:
                        return False
            except TypeError:
                return False
        return all(contents(array) == known for array, known in self.arrays) if self.arrays else True
