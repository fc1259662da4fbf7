"""Patterns: the structure and the static attributes of an object, which recognize an object of the same.

A network's parameters are other Arrays in each call, while its structure seldom changes. Taking an object apart and
making a key of its parts took a tenth of the time of small networks. A pattern compares all attributes of an object at
a time, without a loop of Python over them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_, itemgetter
from typing import Any, NamedTuple

from .._core.array import Array
from .._core.trees import Memo, TreeObject
from .keys import Same, is_value, key_of

__all__ = ["Key", "Pattern", "pattern_of"]

Pick = Callable[[Sequence[Any]], Sequence[Any]]
"""A function that returns some items of a sequence."""


class Key:
    """Part of a signature, whose hash is computed once."""

    __slots__ = ("_hash", "parts")

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = tuple(parts)
        self._hash = hash(self.parts)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Key) and self.parts == other.parts)

    def __hash__(self) -> int:
        return self._hash


class UnknownPartError(Exception):
    """An object has a part that a pattern does not describe."""


def pattern_of(value: TreeObject, key: Key, memo: Memo) -> Pattern | None:
    """Return the pattern of an object; None where comparisons of identity and class do not tell all of it.

    Parameters
    ----------
    value
        The object.
    key
        What it adds to the signature of a call.
    memo
        The objects and Arrays of the arguments before it.
    """
    builder = _Builder(memo)
    try:
        builder.visit(value, 0)
    except UnknownPartError:
        return None
    return Pattern(type(value), key, len(memo.items), builder)


class Level(NamedTuple):
    """A container of an object's, whose items are static values and parts: Arrays, objects and containers of them.

    Attributes
    ----------
    number
        The number of the container among the parts: the object itself is 0, then the parts of each level follow.
    items_of
        A function that returns the names and the items of such a container.
    names, classes
        The names of the items, and their classes.
    pick_statics, statics
        Which items are static, and their values.
    pick_parts
        Which items are parts.
    """

    number: int
    items_of: Callable[[Any], tuple[Any, Sequence[Any]]]
    names: Any
    classes: tuple[type, ...]
    pick_statics: Pick
    statics: Sequence[Any]
    pick_parts: Pick


class Pattern:
    """The structure and the static attributes of a :class:`TreeObject`, and the dtypes and shapes of its Arrays.

    Attributes
    ----------
    key
        What it adds to the signature of a call.
    """

    __slots__ = (
        *("_dtypes", "_kind", "_levels", "_objects_before", "_pick_arrays", "_pick_first", "_pick_objects"),
        *("_pick_repeated", "_shapes", "key"),
    )

    def __init__(self, kind: type, key: Key, objects_before: int, builder: _Builder) -> None:
        self.key, self._kind, self._objects_before, self._levels = key, kind, objects_before, builder.levels
        self._pick_objects, self._pick_arrays = _picker(builder.objects), _picker(builder.arrays)
        self._pick_repeated, self._pick_first = _picker(builder.repeated), _picker(builder.first)
        natives = [array._native for array in builder.found]
        self._dtypes, self._shapes = [x.dtype for x in natives], [x.shape for x in natives]

    def arrays(self, value: Any, memo: Memo) -> Sequence[Array] | None:
        """Return the Arrays of an object of this pattern, and add its objects to the memo; None for another object."""
        if type(value) is not self._kind or len(memo.items) != self._objects_before:
            return None
        found = [value]  # the parts, by their numbers
        for number, items_of, names, classes, pick_statics, statics, pick_parts in self._levels:
            present, items = items_of(found[number])
            if present != names or tuple(map(type, items)) != classes:
                return None
            values = pick_statics(items)
            if not all(map(is_, values, statics)) and not all(map(_equal, values, statics)):
                return None
            found += pick_parts(items)
        if not all(map(is_, self._pick_repeated(found), self._pick_first(found))):
            return None
        arrays: Sequence[Array] = self._pick_arrays(found)
        natives = [array._native for array in arrays]
        if [x.dtype for x in natives] != self._dtypes or [x.shape for x in natives] != self._shapes:
            return None
        return arrays if memo.extend(self._pick_objects(found)) else None


class _Builder:
    """The parts of a pattern, found one after the other.

    Attributes
    ----------
    levels
        The containers.
    objects, arrays
        The numbers of the objects and Arrays, and of the Arrays alone, in the order of :func:`flatten`.
    repeated, first
        The numbers of those that were found before, and where.
    found
        The Arrays.
    numbers
        The numbers of the objects and Arrays by their identities.
    count
        The number of parts so far.
    """

    def __init__(self, memo: Memo) -> None:
        self.memo = memo
        self.levels: list[Level] = []
        self.objects: list[int] = []
        self.arrays: list[int] = []
        self.repeated: list[int] = []
        self.first: list[int] = []
        self.found: list[Array] = []
        self.numbers: dict[int, int] = {}
        self.count = 1

    def visit(self, value: Any, number: int) -> None:
        """Describe a part."""
        if type(value) is not value.__class__:  # a weak proxy, which stands for another object
            raise UnknownPartError
        is_array = value.__class__ is Array
        if is_array or isinstance(value, TreeObject):
            if self.memo.find(value) is not None:
                raise UnknownPartError
            first = self.numbers.setdefault(id(value), number)
            if first != number:
                self.repeated.append(number)
                self.first.append(first)
                return
            self.objects.append(number)
        if is_array:
            self.arrays.append(number)
            self.found.append(value)
            return
        items_of = _items_of(value)
        names, items = items_of(value)
        parts = [position for position, item in enumerate(items) if not _is_static(item)]
        statics = [position for position in range(len(items)) if position not in parts]
        pick = _picker(statics)
        begin, self.count = self.count, self.count + len(parts)
        classes = tuple(map(type, items))
        self.levels.append(Level(number, items_of, names, classes, pick, pick(items), _picker(parts)))
        for offset, position in enumerate(parts):
            self.visit(items[position], begin + offset)


def _items_of(value: Any) -> Callable[[Any], tuple[Any, Sequence[Any]]]:
    if isinstance(value, TreeObject):
        return _of_object
    if value.__class__ is dict and all(name.__class__ is str for name in value):
        return _of_dict
    if value.__class__ is list or (isinstance(value, tuple) and not hasattr(value, "__dict__")):
        return _of_sequence
    raise UnknownPartError


def _of_object(value: TreeObject) -> tuple[Any, Sequence[Any]]:
    attributes = vars(value)
    return (value.__tree_constants__(), *attributes), tuple(attributes.values())


def _of_dict(value: dict[str, Any]) -> tuple[Any, Sequence[Any]]:
    return list(zip(map(type, value), value, strict=True)), tuple(value.values())


def _of_sequence(value: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
    return None, tuple(value)


def _is_static(value: Any) -> bool:
    """Whether the key of a value is the same as long as the object is the same."""
    if value.__class__ is frozenset or (isinstance(value, tuple) and not hasattr(value, "__dict__")):
        return all(map(_is_static, value))
    if value.__class__ is Array or isinstance(value, (TreeObject, list, dict)):
        return False
    if not is_value(value) and key_of(value).__class__ is not Same:
        raise UnknownPartError
    return True


def _equal(value: Any, other: Any) -> bool:
    return bool(key_of(value) == key_of(other))


def _picker(positions: Sequence[int]) -> Pick:
    if not positions:
        return lambda items: ()
    if len(positions) == 1:
        (position,) = positions
        return lambda items: (items[position],)
    return itemgetter(*positions)
