"""Guards: the values from outside that a recorded function read, which a replay compares with the present ones."""

from __future__ import annotations

import itertools
import types
import zlib
from collections.abc import Callable, Iterable
from operator import is_
from typing import Any

from .._core.array import Array, to_numpy
from .keys import CONTAINERS, Same, is_value, key_of

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

    A view with strides of its own has an object of NumPy between it and the array, which also has a ``base``. Arrays
    over buffers have a ``block``.
    """
    kind, owner = native.__class__, native
    while getattr(native, "base", None) is not None:
        native = native.base
        if native.__class__ is kind:
            owner = native
    return getattr(owner, "block", owner)


class State:
    """A container or a dataclass, and the key that it had.

    The key of a container that holds the same objects as before is the same one, unless one of these can change: it is
    not made anew then, because it takes ten times as long.
    """

    __slots__ = ("key", "levels", "value")

    def __init__(self, value: Any, key: Any) -> None:
        self.value, self.key = value, key
        levels = _levels(value)
        # The items of a tuple are the same ones as long as it exists.
        self.levels = None if levels is None else [level for level in levels if not isinstance(level[0], tuple)]

    def holds(self) -> bool:
        """Whether the key is the same as before."""
        if self.levels is not None:
            for container, items, names in self.levels:
                found = container.values() if names else container
                if len(found) != len(items) or not all(map(is_, found, items)) or not all(map(is_, container, names)):
                    break
            else:
                return True
        return bool(key_of(self.value) == self.key)


Level = tuple[Any, tuple[Any, ...], tuple[Any, ...]]
"""A container that can change, its items, and the names of a dictionary's."""


def _levels(value: Any) -> list[Level] | None:
    """Return a container and those within it; None where an item is another object whose key tells what is in it."""
    if not isinstance(value, CONTAINERS):
        return None
    items = tuple(value.values()) if isinstance(value, dict) else tuple(value)
    names = tuple(value) if isinstance(value, dict) else ()
    levels = [(value, items, names)]
    for item in (*items, *names):
        if isinstance(item, CONTAINERS):
            within = _levels(item)
            if within is None:
                return None
            levels += within
        elif not is_value(item) and key_of(item).__class__ is not Same:
            return None
    return levels


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
        # A tuple of what cannot change has no levels, and holds for ever.
        self.states = [state for state in itertools.starmap(State, states) if state.levels != []]
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
        try:
            for state in self.states:
                if not state.holds():
                    return False
        except TypeError:  # of a value that has no key any more
            return False
        return all(contents(array) == known for array, known in self.arrays) if self.arrays else True
