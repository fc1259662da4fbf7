"""Nested values: the arguments and results of functions, with arrays, nodes and numbers in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["leaves", "mapped"]


def mapped(tree: Any, function: Callable[[Any], Any]) -> Any:
    """Return nested tuples, lists, dicts and slices with the results of a function for all other values in them."""
    kind = tree.__class__
    if isinstance(tree, (tuple, list)):
        items = [mapped(item, function) for item in tree]
        return kind(*items) if hasattr(kind, "_fields") else kind(items)
    if isinstance(tree, dict):
        return {key: mapped(item, function) for key, item in tree.items()}
    if kind is slice:
        return slice(*[mapped(part, function) for part in (tree.start, tree.stop, tree.step)])
    return function(tree)


def leaves(tree: Any) -> list[Any]:
    """Return the values in nested tuples, lists, dicts and slices."""
    found: list[Any] = []
    mapped(tree, found.append)
    return found
