"""Arguments of a fused function: their Arrays and numbers, and the signature that all else of them is part of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from .._core.array import Array
from .._core.tree_copies import Copies
from .._core.trees import Memo, Tree, TreeObject, flatten, mapped
from .keys import EXACT, key_of
from .patterns import Key, Pattern, pattern_of

__all__ = ["Flattened", "drop_oldest", "filled"]

MOST_PATTERNS = 8
"""Patterns of objects that a fused function keeps; when there are more, the oldest is dropped."""


class _Leaf:
    """The position of an array in nested arguments."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index


class _NumberLeaf(_Leaf):
    """The position of a number."""

    __slots__ = ()


class _Whole:
    """A container of a user's class without inputs, which stays as it is."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class _Nested:
    """The structure of an object or a dataclass among nested arguments, and its leaves."""

    __slots__ = ("leaves", "tree")

    def __init__(self, leaves: list[Any], tree: Tree) -> None:
        self.leaves, self.tree = leaves, tree


class Flattened:
    """The arguments of one call.

    Parameters
    ----------
    name
        The name of the function, for errors.
    arrays, key, objects
        Lists and memo to which the Arrays, the parts of the signature, and the objects are added.

    Attributes
    ----------
    numbers
        The numbers of floating point.
    """

    __slots__ = ("arrays", "key", "name", "numbers", "objects")

    def __init__(
        self,
        name: str,
        arrays: list[Array] | None = None,
        key: list[Any] | None = None,
        objects: Memo | None = None,
    ) -> None:
        self.name = name
        self.arrays: list[Array] = [] if arrays is None else arrays
        self.numbers: list[complex] = []
        self.key: list[Any] = [] if key is None else key
        self.objects = Memo() if objects is None else objects

    def recognize(self, tree: Any, patterns: dict[Key, Pattern | None], *, static: bool) -> None:
        """Collect what is in an argument; an object of a known pattern is not taken apart."""
        if not isinstance(tree, TreeObject):
            self.add(tree, static=static)
            return
        for pattern in tuple(patterns.values()):  # to which other threads may add
            arrays = None if pattern is None else pattern.arrays(tree, self.objects)
            if pattern is not None and arrays is not None:
                self.arrays += arrays
                self.key.append(pattern.key)
                return
        before = Memo(self.objects.items)
        self.add(tree, static=static)
        key = self.key[-1]
        if key not in patterns:
            patterns[key] = pattern_of(tree, key, before)
            drop_oldest(patterns, MOST_PATTERNS)

    def add(self, tree: Any, *, static: bool) -> Any:
        """Collect what is in an argument, and return its structure; all else becomes part of the signature."""
        kind = tree.__class__
        if kind is Array:
            native = tree._native
            self.key.append(native.dtype)
            self.key.append(native.shape)
            self.arrays.append(tree)
            return _Leaf(len(self.arrays) - 1)
        if (kind is float or kind is complex) and not static:
            self.key.append(kind)
            self.numbers.append(tree)
            return _NumberLeaf(len(self.numbers) - 1)
        if kind in EXACT:
            self.key.append(kind)
            self.key.append(tree)
            return tree
        has_attributes = isinstance(tree, tuple) and bool(getattr(tree, "__dict__", None))
        if kind is list or (isinstance(tree, tuple) and not has_attributes):
            self.key.append((kind, len(tree)))
            items = [self.add(item, static=static) for item in tree]
            return kind(*items) if hasattr(kind, "_fields") else kind(items)
        if kind is dict:
            self.key.append((kind, *map(key_of, tree)))
            return {name: self.add(item, static=static) for name, item in tree.items()}
        if isinstance(tree, TreeObject):
            return self._add_object(tree)
        if isinstance(tree, dict) or has_attributes or (is_dataclass(tree) and kind is not type):
            leaves, structure = flatten(tree, self.objects)
            if any(leaf.__class__ is Array for leaf in leaves):
                items = [self.add(leaf, static=True) for leaf in leaves]
                self.key += structure, tuple(map(key_of, structure.statics()))
                if isinstance(tree, dict):
                    self.key.append(tuple(map(key_of, tree)))  # keys that are equal may differ
                return _Nested(items, structure)
        if isinstance(tree, np.ndarray):
            raise TypeError(
                f"{self.name}(): the arrays among the arguments of a function of xtensor.fuse are Arrays, not NumPy "
                f"arrays (here of shape {tree.shape}); convert it with xtensor.asarray"
            )
        self.key.append(key_of(tree))
        return _Whole(tree) if isinstance(tree, (dict, list, tuple)) else tree

    def _add_object(self, tree: TreeObject) -> _Nested:
        # A pattern begins after the objects of the arguments before it, so that their number is part of its key.
        before, self.key = self.key, [len(self.objects.items)]
        leaves, structure = flatten(tree, self.objects)
        items = [self.add(leaf, static=True) for leaf in leaves]
        before.append(Key((*self.key, structure, tuple(map(key_of, structure.statics())))))
        self.key = before
        return _Nested(items, structure)


def drop_oldest(entries: dict[Any, Any], most: int) -> None:
    """Drop the oldest entries of a dict that has more than ``most``. Other threads may add some meanwhile."""
    for key in list(entries)[:-most]:
        entries.pop(key, None)


def filled(tree: Any, arrays: Sequence[Array], numbers: Sequence[Any], copies: Copies) -> Any:
    """Return nested arguments with arrays and numbers in their positions, and with copies of objects."""

    def fill(item: Any) -> Any:
        if item.__class__ is _Leaf:
            return arrays[item.index]
        if item.__class__ is _Nested:
            return item.tree.build(map(fill, item.leaves), copies.copies)
        if item.__class__ is _Whole:
            return item.value
        return numbers[item.index] if item.__class__ is _NumberLeaf else item

    return mapped(tree, fill)
