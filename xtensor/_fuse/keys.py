"""Keys of values that are part of a recording: two keys are equal only if the values are the same.

Values that compare equal may differ: 1 and True, 0.0 and -0.0, ``{1}`` and ``{1.0}``; and NaN differs from itself.
"""

from __future__ import annotations

import types
from collections import deque
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache, partial
from struct import pack
from typing import Any

import numpy as np

from .holders import held_by, holds

__all__ = ["CONTAINERS", "EXACT", "MOST_BYTES", "Same", "is_value", "key_of"]

MOST_ITEMS = 10_000
"""Items of a container whose values are part of a recording."""

MOST_BYTES = 2**20
"""Bytes of outside arrays that a replay compares with those of the recording."""

EXACT = frozenset((bool, int, str, bytes, type(None), types.EllipsisType, types.NotImplementedType, np.dtype))
"""Classes of values that are the same where they are equal."""

CONTAINERS = (list, tuple, deque, bytearray, set, frozenset, dict)


class Same:
    """Key of an object that equals only that of the same object, which it keeps alive."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def is_value(value: Any) -> bool:
    """Whether a value cannot change, so that its key tells all of it."""
    kind = value.__class__
    if isinstance(value, np.generic):
        return not isinstance(value, np.void)  # whose fields can be assigned
    return kind in EXACT or kind in (float, complex, range)


def key_of(value: Any) -> Any:
    """Return a hashable key: by value for numbers, strings, containers and dataclasses, by identity for other objects.

    Raises
    ------
    TypeError
        For a container of more than ``MOST_ITEMS`` items, and for an iterator, which has a state.
    """
    kind = value.__class__
    if kind in EXACT:
        return kind, value
    if kind is float:
        return kind, pack("d", value)
    if kind is complex:
        return kind, pack("dd", value.real, value.imag)
    if isinstance(value, np.generic):
        return kind, value.dtype, value.tobytes()
    if kind is range:
        return kind, value.start, value.stop, value.step
    if kind is slice:
        return kind, key_of(value.start), key_of(value.stop), key_of(value.step)
    if isinstance(value, CONTAINERS):
        _limit(len(value), "items", kind, MOST_ITEMS)
        own = () if kind in CONTAINERS else _own_attributes(value)
        if isinstance(value, dict):
            return kind, tuple([(key_of(name), key_of(item)) for name, item in value.items()]), own
        if isinstance(value, (set, frozenset)):
            return kind, frozenset(map(key_of, value)), own
        return kind, tuple(map(key_of, value)), own
    if kind is partial:
        return kind, key_of(value.func), key_of(value.args), key_of(value.keywords)
    if kind is types.MethodType:
        return kind, Same(value.__func__), key_of(value.__self__)
    if is_dataclass(value) and not isinstance(value, type):
        declared = [(field.name, key_of(getattr(value, field.name, None))) for field in fields(value)]
        return kind, tuple(declared), _own_attributes(value)
    if hasattr(kind, "__next__"):
        raise TypeError(f"a recorded function cannot use an iterator ({kind.__name__}); pass a list or a tuple")
    how = holds(kind)
    if how == "buffer":
        view = memoryview(value)
        _limit(view.nbytes, "bytes", kind, MOST_BYTES)
        return kind, view.format, view.shape, view.tobytes()
    if how:
        held = held_by(value)
        _limit(len(held), "items", kind, MOST_ITEMS)
        return kind, Same(value) if how != "view" else None, tuple(map(key_of, held))
    return Same(value)


def _own_attributes(value: Any) -> tuple[tuple[str, Any], ...]:
    """Return the keys of the attributes of a container or dataclass, without fields and properties that it caches.

    Attributes other than plain values may refer to the object itself, and are the same only if they are one object.
    """
    kind = value.__class__
    declared = getattr(kind, "__dataclass_fields__", ())
    attributes = {name: getattr(value, name) for name in _slots(kind) if hasattr(value, name)}
    attributes |= getattr(value, "__dict__", {})
    return tuple(
        [
            (name, key_of(item) if _is_plain(item) else Same(item))
            for name, item in attributes.items()
            if name not in declared and not isinstance(getattr(kind, name, None), cached_property)
        ]
    )


@lru_cache(maxsize=1024)
def _slots(kind: type) -> list[str]:
    members = [item for base in kind.__mro__ for item in vars(base).items()]
    return [name for name, member in members if isinstance(member, types.MemberDescriptorType)]


def _is_plain(value: Any) -> bool:
    """Whether a value consists of values that cannot change, in Python's containers."""
    if value.__class__ not in CONTAINERS:
        return is_value(value)
    items = (*value, *value.values()) if value.__class__ is dict else value
    return len(value) <= MOST_ITEMS and all(map(_is_plain, items))


def _limit(count: int, unit: str, kind: type, most: int) -> None:
    if count > most:
        raise TypeError(
            f"a recording compares at most {most} {unit}, and this {kind.__name__} has {count}; "
            "compute what the function needs of it outside, and pass that as an argument"
        )
