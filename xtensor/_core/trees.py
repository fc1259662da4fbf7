"""Trees: nested containers of Arrays, as functions take and return them.

A user's containers are dicts, lists, tuples, named tuples and dataclasses. None is a container without leaves; every
other value is a leaf. The keys of a dict keep their order. The arguments of operations, slices among them, are walked
by :func:`mapped`, which needs no structure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

__all__ = ["Tree", "arrays_of", "flatten", "leaves_of", "map_leaves", "mapped"]


class Tree:
    """The structure of nested containers, without their leaves.

    Attributes
    ----------
    kind
        The class of the container; None for a leaf.
    keys
        The keys of a dict or the names of a dataclass's fields; None for other containers.
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

    def build(self, leaves: Iterable[Any]) -> Any:
        """Return the containers with leaves in the order of :func:`flatten`."""
        return _build(self, iter(leaves))


class _Leaf:
    def __repr__(self) -> str:
        return "*"


_LEAF = _Leaf()
LEAF = Tree(None, None, ())


def flatten(value: Any) -> tuple[list[Any], Tree]:
    """Return the leaves of nested containers and the containers' structure."""
    leaves: list[Any] = []
    return leaves, _structure(value, leaves)


def map_leaves(function: Callable[[Any], Any], value: Any) -> Any:
    """Return nested containers with a function applied to their leaves."""
    if not _container(value.__class__):
        return function(value)
    leaves, tree = flatten(value)
    return tree.build([function(leaf) for leaf in leaves])


@lru_cache(maxsize=1024)
def _container(kind: type) -> str:
    """Return what a class is as a container; an empty string for the class of a leaf."""
    if issubclass(kind, tuple) or kind is list:
        return "sequence"
    if issubclass(kind, dict):
        return "dict"
    if kind is type(None):
        return "none"
    return "dataclass" if is_dataclass(kind) else ""


def _structure(value: Any, leaves: list[Any]) -> Tree:
    kind = value.__class__
    container = _container(kind)
    if not container:
        leaves.append(value)
        return LEAF
    keys: tuple[Any, ...] | None = None
    items: Iterable[Any] = value if container == "sequence" else ()
    if container == "dict":
        keys, items = tuple(value), value.values()
    elif container == "dataclass":
        keys = tuple([field.name for field in fields(value) if field.init])
        items = [getattr(value, name) for name in keys]
    parts = []
    for item in items:
        if _container(item.__class__):
            parts.append(_structure(item, leaves))
        else:
            leaves.append(item)
            parts.append(LEAF)
    return Tree(kind, keys, tuple(parts))


def _build(tree: Tree, leaves: Iterator[Any]) -> Any:
    kind = tree.kind
    if kind is None:
        return next(leaves)
    if kind is type(None):
        return None
    parts = [_build(part, leaves) for part in tree.parts]
    if tree.keys is not None:
        named = dict(zip(tree.keys, parts, strict=True))
        return named if kind is dict else kind(named) if issubclass(kind, dict) else kind(**named)
    if kind is list:
        return parts
    return kind(*parts) if hasattr(kind, "_fields") else kind(parts)


# -- arguments of operations -------------------------------------------------------------------------------------------


def mapped(tree: Any, function: Callable[[Any], Any], leaf: type = object) -> Any:
    """Return nested tuples, lists, dicts and slices with a function applied to their values of a class."""
    kind = tree.__class__
    if kind is tuple or kind is list or isinstance(tree, (tuple, list)):
        items = [mapped(item, function, leaf) for item in tree]
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    if kind is dict or isinstance(tree, dict):
        return {key: mapped(item, function, leaf) for key, item in tree.items()}
    if kind is slice:
        return slice(*[mapped(part, function, leaf) for part in (tree.start, tree.stop, tree.step)])
    return function(tree) if isinstance(tree, leaf) else tree


def leaves_of(tree: Any) -> list[Any]:
    """Return the values in nested tuples, lists, dicts and slices."""
    found: list[Any] = []
    mapped(tree, found.append)
    return found


def arrays_of(tree: Any, kind: type) -> list[Any]:
    """Return the values of a class in nested tuples, lists, dicts and slices."""
    found: list[Any] = []
    mapped(tree, found.append, kind)
    return found
