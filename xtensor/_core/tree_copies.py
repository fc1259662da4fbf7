"""Copies of the objects in the arguments of a transformed function, and the attributes that it assigned to them.

A transform calls a function with copies of modules and optimizers, whose Arrays are its own. Afterwards it writes what
the function assigned to attributes of the copies to the caller's objects: statistics, states, updated parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .trees import Memo, TreeObject, flatten, layout

__all__ = ["DELETED", "Copies", "Restored", "assign"]

DELETED: Any = object()
"""Value of an attribute that the function deleted."""


class Restored:
    """A tree in which the caller's objects are in the position of their copies.

    Attributes
    ----------
    leaves
        Its leaves, those of the transform.
    """

    def __init__(self, value: Any, memo: Memo) -> None:
        self.leaves, self.tree = flatten(value, memo)

    def build(self, leaves: Iterable[Any], originals: Sequence[Any]) -> Any:
        """Return the tree with other leaves, and with the objects of a call."""
        return self.tree.build(leaves, list(originals))


class Copies:
    """The objects of the arguments of one call, and their copies.

    Attributes
    ----------
    originals
        The memo of the caller's objects and their Arrays. An argument is flattened with it: ``flatten(x, originals)``.
    copies
        Their copies, in the same order: the copy of an argument is ``tree.build(leaves, copies)``.
    """

    def __init__(self) -> None:
        self.originals = Memo()
        self.copies: list[Any] = []
        self._before: list[tuple[int, dict[str, Any]]] = []
        self._natives: list[Any] = []

    def map(self, function: Callable[[Any], Any], value: Any) -> Any:
        """Return the copy of an argument with a function applied to its leaves."""
        leaves, tree = flatten(value, self.originals)
        return tree.build([function(leaf) for leaf in leaves], self.copies)

    def begin(self) -> None:
        """Note the attributes of the copies before the function runs."""
        if not self.copies:
            return
        memo = Memo(self.copies)
        for number, copy in enumerate(self.copies):
            if isinstance(copy, TreeObject):
                self._before.append((number, _layouts(copy, memo)))
        self._natives = [getattr(copy, "_native", None) for copy in self.copies]

    def restored(self, value: Any) -> Restored:
        """Return a value of the function, in which the caller's objects take the position of their copies."""
        return Restored(value, self._memo())

    def assigned(self) -> tuple[list[tuple[int, str]], list[Any]]:
        """Return the attributes that the function assigned, each by the number of its object and its name; and values.

        An Array that was written to in place is assigned, too.
        """
        names: list[tuple[int, str]] = []
        values: list[Any] = []
        memo = self._memo()
        for number, before in self._before:
            copy = self.copies[number]
            now = _layouts(copy, memo)
            for name in before | now:
                if name not in before or name not in now or before[name] != now[name]:
                    names.append((number, name))
                    values.append(vars(copy).get(name, DELETED))
        return names, values

    def write_back(self, function: Callable[[Any], Any]) -> None:
        """Set on the caller's objects what was assigned, with a function applied to its leaves."""
        names, values = self.assigned() if self._before else ([], [])
        if names:
            restored = self.restored(values)
            originals = self.originals.items
            assign(originals, names, restored.build(map(function, restored.leaves), originals))

    def _memo(self) -> Memo:
        """Return the copies that were not written to."""
        memo = Memo(self.copies)
        for copy, native in zip(self.copies, self._natives, strict=True):
            if getattr(copy, "_native", None) is not native:
                memo.forget(copy)
        return memo


def _layouts(copy: TreeObject, memo: Memo) -> dict[str, Any]:
    return {name: layout(value, memo) for name, value in vars(copy).items()}


def assign(originals: Sequence[Any], names: Sequence[tuple[int, str]], values: Sequence[Any]) -> None:
    """Set attributes of the caller's objects."""
    for (number, name), value in zip(names, values, strict=True):
        attributes = vars(originals[number])
        if value is DELETED:
            attributes.pop(name, None)
        else:
            attributes[name] = value
