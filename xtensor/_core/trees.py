"""Trees: nested containers of Arrays, as functions take and return them.

A user's containers are dicts, lists, tuples, named tuples, dataclasses and objects of a subclass of
:class:`TreeObject`. None is a container without leaves; every other value is a leaf. The keys of a dict keep their
order. The arguments of operations, slices among them, are walked by :func:`mapped`, which needs no structure.

An object is mutable and has an identity: at two positions of a tree it is one object, also in a copy of the tree, and
an Array in two attributes is one leaf. Its Arrays and objects are parts of the tree; its other attributes are static.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import ProxyTypes

__all__ = [
    "Memo",
    "Tree",
    "TreeObject",
    "arrays_of",
    "flatten",
    "layout",
    "leaves_of",
    "map_leaves",
    "mapped",
    "referent",
    "with_arrays",
]


class TreeObject:
    """Base class of mutable objects whose attributes are a tree: modules and optimizers."""

    def __tree_constants__(self) -> Collection[str]:
        """Return the names of attributes whose Arrays are not differentiated."""
        return ()


class Tree:
    """The structure of nested containers, without their leaves.

    Attributes
    ----------
    kind
        The class of the container; None for a leaf. For a dict that makes the values of missing keys, the class and the
        function that makes them.
    keys
        The keys of a dict or the names of a dataclass's fields or an object's attributes; None for other containers.
    parts
        The structures of its values.
    """

    __slots__ = ("keys", "kind", "parts")

    def __init__(self, kind: Any, keys: tuple[Any, ...] | None, parts: tuple[Tree, ...]) -> None:
        self.kind, self.keys, self.parts = kind, keys, parts

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (self.kind, self.keys, self.parts) == (other.kind, other.keys, other.parts)

    def __hash__(self) -> int:
        return hash((self.kind, self.keys, self.parts))

    def __repr__(self) -> str:
        return repr(self.build(iter(lambda: _LEAF, None)))

    def build(self, leaves: Iterable[Any], known: list[Any] | None = None) -> Any:
        """Return the containers with leaves in the order of :func:`flatten`.

        Parameters
        ----------
        leaves
            The leaves.
        known
            Objects and Arrays in the order of the :class:`Memo` of :func:`flatten`, to which new ones are appended.
        """
        return next(iter(leaves)) if self is LEAF else _build(self, iter(leaves), [] if known is None else known)

    def learned(self) -> list[bool | None]:
        """Return for each leaf whether an object learns it; None for leaves that are in no object."""
        if self.kind is None:
            return [_LEARNED.get(self.keys)]
        return [flag for part in self.parts for flag in part.learned()]

    def statics(self) -> list[Any]:
        """Return the static attributes of the objects."""
        return [value for part in self.parts for value in part.statics()]


class _Static(Tree):
    """An attribute that is no part of the tree. Two trees may be equal though their static attributes differ."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.kind, self.keys, self.parts = _Static, None, ()
        self.value = value

    def __eq__(self, other: object) -> bool:
        return other.__class__ is self.__class__

    def __hash__(self) -> int:
        return 1

    def statics(self) -> list[Any]:
        return [self.value]


class _Own(_Static):
    """The attributes of a dict or tuple of a user's class, which are static: the last part of its structure."""

    __slots__ = ()


class _Shared:
    """Kind of an object or an Array that is at an earlier position, too; the key is its number in the memo."""


class Memo:
    """The objects of a tree and their Arrays, in the order in which they were met.

    Attributes
    ----------
    items
        The objects and Arrays.
    """

    __slots__ = ("_numbers", "items")

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self.items = list(items)
        self._numbers: dict[int, int] = {}
        for number, item in enumerate(self.items):
            self._numbers.setdefault(id(item), number)

    def find(self, item: Any) -> int | None:
        """Return the number of an item; None for a new one."""
        return self._numbers.get(id(item))

    def number(self, item: Any) -> int | None:
        """Return the number of an item; None for a new one, which is added."""
        number = self._numbers.setdefault(id(item), len(self.items))
        if number < len(self.items):
            return number
        self.items.append(item)
        return None

    def extend(self, items: Sequence[Any]) -> bool:
        """Add items of which each is new; return False, and add none, where one is not."""
        numbers = dict(zip(map(id, items), count(len(self.items)), strict=False))
        if len(numbers) < len(items) or not numbers.keys().isdisjoint(self._numbers):
            return False
        self._numbers.update(numbers)
        self.items += items
        return True

    def forget(self, item: Any) -> None:
        """Take an item for a new one from now on."""
        self._numbers.pop(id(item), None)


class _Leaf:
    def __repr__(self) -> str:
        return "*"


_LEAF = _Leaf()
LEAF = Tree(None, None, ())
PARAMETER = Tree(None, ("parameter",), ())
CONSTANT = Tree(None, ("constant",), ())
PLAIN = frozenset((bool, float, int, str))
"""Classes of attributes that are neither leaves nor containers: most of an object's, which each call goes over."""

_LEARNED = {PARAMETER.keys: True, CONSTANT.keys: False}


def flatten(value: Any, memo: Memo | None = None) -> tuple[list[Any], Tree]:
    """Return the leaves of nested containers and the containers' structure.

    Parameters
    ----------
    value
        The containers.
    memo
        The objects and Arrays of earlier trees, which are no leaves of this one; those of this one are added.
    """
    if not _container(value.__class__):
        return [value], LEAF
    leaves: list[Any] = []
    return leaves, _structure(value, leaves, Memo() if memo is None else memo)


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """Return nested containers with a function applied to their leaves."""
    if not _container(value.__class__):
        return function(value)
    leaves, tree = flatten(value)
    return tree.build([function(leaf) for leaf in leaves])


@lru_cache(maxsize=1024)
def _container(kind: type) -> str:
    """Return what a class is as a container; an empty string for the class of a leaf."""
    if issubclass(kind, TreeObject):
        return "object"
    if issubclass(kind, tuple) or kind is list:
        return "sequence"
    if issubclass(kind, dict):
        return "dict"
    if kind is type(None):
        return "none"
    return "dataclass" if hasattr(kind, "__dataclass_fields__") else ""


@lru_cache(maxsize=1024)
def _is_array(kind: type) -> bool:
    return hasattr(kind, "_native") and hasattr(kind, "_device")  # the slots of the class Array


def _items(value: Any, container: str) -> tuple[tuple[Any, ...] | None, Iterable[Any]]:
    """Return the keys and the values of a container."""
    if container == "sequence":
        return None, value
    if container == "dict":
        return tuple(value), value.values()
    if container == "dataclass":
        keys = _attributes(value)
        return keys, [getattr(value, name) for name in keys]
    return None, ()


def _attributes(value: Any) -> tuple[str, ...]:
    """Return the names of a dataclass's fields that are set, and of its other attributes."""
    names = [
        name
        for name in dict.fromkeys((*_fields(value.__class__), *getattr(value, "__dict__", ())))
        if hasattr(value, name)
    ]
    return tuple(names)


@lru_cache(maxsize=1024)
def _fields(kind: type) -> dict[str, bool]:
    """Return the names of a dataclass's fields, and whether its constructor takes them."""
    from dataclasses import fields  # not worth its import before there is one

    return {field.name: field.init for field in fields(kind)}


def _dataclass(value: Any, leaves: list[Any], memo: Memo) -> Tree:
    """Return the structure of a dataclass. An attribute that its constructor does not take is static without Arrays."""
    names, given = _attributes(value), _fields(value.__class__)
    parts: list[Tree] = []
    for name in names:
        item = getattr(value, name)
        if not given.get(name) and not _has_parts(item):
            parts.append(_Static(item))
        elif _container(item.__class__):
            parts.append(_structure(item, leaves, memo))
        else:
            leaves.append(item)
            parts.append(LEAF)
    return Tree(value.__class__, names, tuple(parts))


def _structure(value: Any, leaves: list[Any], memo: Memo) -> Tree:
    kind = value.__class__
    container = _container(kind)
    if container == "object":
        return _object(value, leaves, memo)
    if container == "dataclass":
        return _dataclass(value, leaves, memo)
    if not container:
        leaves.append(value)
        return LEAF
    keys, items = _items(value, container)
    parts = []
    for item in items:
        if _container(item.__class__):
            parts.append(_structure(item, leaves, memo))
        else:
            leaves.append(item)
            parts.append(LEAF)
    return Tree(_kind(value), keys, (*parts, *_own(value)))


def _own(value: Any) -> list[Tree]:
    """Return the attributes of a container of a user's class, as the last part of its structure."""
    if value.__class__ in (dict, list, tuple) or not isinstance(value, (dict, tuple)):
        return []
    held = getattr(value, "__dict__", None)
    return [_Own(dict(held))] if held else []


def _kind(value: Any) -> Any:
    kind = value.__class__
    return (kind, value.default_factory) if issubclass(kind, defaultdict) else kind


def referent(value: Any) -> Any:
    """Return the object that a weak proxy stands for; other objects as they are."""
    return value.__repr__.__self__ if type(value) in ProxyTypes else value


def _object(value: Any, leaves: list[Any], memo: Memo) -> Tree:
    """Return the structure of an object, with its attributes in their order."""
    value = referent(value)
    number = memo.number(value)
    if number is not None:
        return Tree(_Shared, (number,), ())
    constants = value.__tree_constants__()
    attributes = vars(value)
    parts = [
        _Static(item)
        if item.__class__ in PLAIN
        else _attribute(item, leaves, memo, CONSTANT if name in constants else PARAMETER)
        for name, item in attributes.items()
    ]
    return Tree(value.__class__, tuple(attributes), tuple(parts))


def _attribute(value: Any, leaves: list[Any], memo: Memo, leaf: Tree) -> Tree:
    kind = value.__class__
    if _is_array(kind):
        number = memo.number(value)
        if number is not None:
            return Tree(_Shared, (number,), ())
        leaves.append(value)
        return leaf
    if not _has_parts(value):
        return _Static(value)
    container = _container(kind)
    if container == "object":
        return _object(value, leaves, memo)
    keys, items = _items(value, container)
    parts = [_attribute(item, leaves, memo, leaf) for item in items]
    return Tree(_kind(value), keys, (*parts, *_own(value)))


def _has_parts(value: Any) -> bool:
    """Whether a value is or contains an Array or an object."""
    kind = value.__class__
    container = _container(kind)
    if not container:
        return _is_array(kind)
    return container == "object" or any(map(_has_parts, _items(value, container)[1]))


def with_arrays(value: Any, arrays: Mapping[int, Any]) -> Any:
    """Return a value with other Arrays in the places of some, by identity. Lists, dicts and dataclasses are changed."""
    kind = value.__class__
    if _is_array(kind):
        return arrays.get(id(value), value)
    container = _container(kind)
    if container in ("", "object") or not _has_parts(value):
        return value
    keys, items = _items(value, container)
    parts = [with_arrays(item, arrays) for item in items]
    if container == "dict":
        value.update(zip(keys or (), parts, strict=True))
    elif container == "dataclass":
        for name, part in zip(keys or (), parts, strict=True):
            object.__setattr__(value, name, part)
    elif kind is list:
        value[:] = parts
    else:
        return _build(Tree(kind, None, (LEAF,) * len(parts) + tuple(_own(value))), iter(parts), [])
    return value


def layout(value: Any, memo: Memo) -> Any:
    """Return the numbers of the objects and Arrays in a value, and the identities of all else in it.

    Two layouts are equal only if the value is made of the same parts. The layout keeps alive what it compares.
    """
    kind = value.__class__
    container = _container(kind)
    if container == "object" or _is_array(kind):
        return memo.find(value), _Same(value)
    if not container or not _has_parts(value):
        return _Same(value)
    keys, items = _items(value, container)
    return kind, keys, [layout(item, memo) for item in items]


class _Same:
    __slots__ = ("value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


def _build(tree: Tree, leaves: Iterator[Any], known: list[Any]) -> Any:
    kind = tree.kind
    if kind is None:
        leaf = next(leaves)
        if tree is not LEAF:
            known.append(leaf)
        return leaf
    if kind is type(None):
        return None
    if kind is _Static:
        return tree.value  # type: ignore[attr-defined]
    if kind is _Shared:
        return known[tree.keys[0]]  # type: ignore[index]
    if kind.__class__ is not tuple and _container(kind) == "object":
        made = kind.__new__(kind)
        known.append(made)
        attributes = vars(made)
        for name, part in zip(tree.keys or (), tree.parts, strict=True):
            attributes[name] = _build(part, leaves, known)
        return made
    parts = [_build(part, leaves, known) for part in tree.parts]
    if tree.parts and tree.parts[-1].__class__ is _Own:
        own = parts.pop()
        made = _container_of(tree, parts)
        vars(made).update(own)
        return made
    return _container_of(tree, parts)


def _container_of(tree: Tree, parts: list[Any]) -> Any:
    """Return a container of a structure with given items."""
    kind = tree.kind
    if tree.keys is not None:
        named = dict(zip(tree.keys, parts, strict=True))
        if kind is dict:
            return named
        if kind.__class__ is tuple:
            return kind[0](kind[1], named)
        if issubclass(kind, dict):
            return kind(named)
        made = kind.__new__(kind)  # its constructor would compute from the fields again
        for name, part in named.items():
            object.__setattr__(made, name, part)
        return made
    if kind is list:
        return parts
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)


# -- arguments of operations -------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _walk(kind: type) -> str:
    """Return how the values in an argument of a class are reached; an empty string for the class of a value."""
    if issubclass(kind, (tuple, list)):
        return "fields" if hasattr(kind, "_fields") else "items"
    if issubclass(kind, dict):
        return "dict"
    return "slice" if kind is slice else ""


def mapped(tree: Any, function: Callable[[Any], Any], leaf: type = object) -> Any:
    """Return nested tuples, lists, dicts and slices with a function applied to their values of a class."""
    kind = tree.__class__
    walk = _walk(kind)
    if not walk:
        return function(tree) if leaf is object or isinstance(tree, leaf) else tree
    if walk == "dict":
        return {key: mapped(item, function, leaf) for key, item in tree.items()}
    parts = (tree.start, tree.stop, tree.step) if walk == "slice" else tree
    if leaf is object:  # no call of this function for each leaf
        items = [mapped(item, function) if _walk(item.__class__) else function(item) for item in parts]
    else:
        items = [mapped(item, function, leaf) for item in parts]
    return kind(items) if walk == "items" else kind(*items)


def leaves_of(tree: Any) -> list[Any]:
    """Return the values in nested tuples, lists, dicts and slices."""
    walk = _walk(tree.__class__)
    if not walk:
        return [tree]
    parts = tree.values() if walk == "dict" else (tree.start, tree.stop, tree.step) if walk == "slice" else tree
    leaves: list[Any] = []
    for item in parts:
        if _walk(item.__class__):
            leaves += leaves_of(item)
        else:
            leaves.append(item)
    return leaves


def arrays_of(tree: Any, kind: type) -> list[Any]:
    """Return the values of a class in nested tuples, lists, dicts and slices."""
    return [item for item in leaves_of(tree) if isinstance(item, kind)]
