"""Guards: the values from outside that a recorded function read, which a replay compares with the present ones."""

from __future__ import annotations

import types
import zlib
from collections.abc import Callable, Iterable
from itertools import repeat
from operator import is_
from typing import Any

from .._core.array import Array, to_numpy
from .keys import CONTAINERS, MOST_BYTES, Same, is_value, key_of

__all__ = ["MISSING", "Guard", "Guards", "contents", "memory_of", "same"]

MISSING: Any = object()
"""Value of a name that does not exist."""

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


def contents(array: Any) -> tuple[Any, tuple[int, ...], bytes, int]:
    """Return the dtype, shape and elements of an array, with a checksum in the place of many."""
    values = array if array.__class__ is not Array else to_numpy(array)
    data = values.tobytes()
    kept = (data, 0) if len(data) <= MOST_BYTES else (b"", zlib.crc32(data))
    return values.dtype, values.shape, *kept


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

    Most replays find the same objects as the recording did, which is compared first, for many at a time.

    Attributes
    ----------
    exact
        How values are read that are compared with those of the recording.
    states
        Containers and dataclasses, with their keys.
    arrays
        Arrays whose elements are compared, with these.
    """

    __slots__ = ("_keyed", "_levels", "_reads", "arrays", "exact", "states")

    def __init__(
        self, exact: Iterable[Guard] = (), states: Iterable[tuple[Any, Any]] = (), arrays: Iterable[Any] = ()
    ) -> None:
        self.exact = list(exact)
        self._reads: list[tuple[Callable[[Any, Any, Any], Any], tuple[Any, ...], tuple[str, ...], tuple[Any, ...]]] = []
        for read in dict.fromkeys([guard[0] for guard in self.exact]):
            owners, names, values = zip(*[guard[1:] for guard in self.exact if guard[0] is read], strict=True)
            self._reads.append((read, owners, names, values))
        self.states: list[tuple[Any, Any]] = []
        self._levels: list[Level] = []
        self._keyed: list[tuple[Any, Any]] = []  # states that the same objects do not tell
        for value, key in states:
            levels = _levels(value)
            if levels is None:
                self._keyed.append((value, key))
            else:
                # The items of a tuple are the same ones as long as it exists.
                levels = [level for level in levels if not isinstance(level[0], tuple)]
                self._levels += levels
            if levels != []:
                self.states.append((value, key))
        self.arrays = [(array, contents(array)) for array in arrays]

    @property
    def needed(self) -> bool:
        """Whether there is any value to compare."""
        return bool(self.exact or self.states or self.arrays)

    def hold(self) -> bool:
        """Whether all values are those of the recording."""
        try:
            if not self._read_the_same() and not self._equal():
                return False
        except ValueError:  # an empty cell of a closure
            return False
        try:
            for value, key in self._keyed if self._hold_the_same() else self.states:
                if key_of(value) != key:
                    return False
        except TypeError:  # of a value that has no key any more
            return False
        return all(contents(array) == known for array, known in self.arrays) if self.arrays else True

    def _read_the_same(self) -> bool:
        """Whether the reads find the same objects as before."""
        for read, owners, names, values in self._reads:
            if not all(map(is_, map(read, owners, names, repeat(MISSING)), values)):
                return False
        return True

    def _equal(self) -> bool:
        return all(same(read(owner, name, MISSING), value) for read, owner, name, value in self.exact)

    def _hold_the_same(self) -> bool:
        """Whether the containers hold the same objects as before, of which none can change."""
        for container, items, names in self._levels:
            if len(container) != len(items):
                return False
            if not all(map(is_, container.values() if names else container, items)):
                return False
            if names and not all(map(is_, container, names)):
                return False
        return True
