"""Objects of C that hold other objects, or memory, without attributes: caches, views, references, buffers."""

from __future__ import annotations

import gc
import types
import weakref
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

__all__ = ["CACHE", "held_by", "holds"]

CACHE = type(lru_cache(int))
"""Class of functions whose results are kept."""

NOTHING: dict[str, Any] = {}
VIEWS = (types.MappingProxyType, type(NOTHING.keys()), type(NOTHING.values()), type(NOTHING.items()))

UNSET: Any = object()


@lru_cache(maxsize=1024)
def holds(kind: type) -> str:
    """Return how objects of a class hold others; an empty string for those that do not, or have attributes."""
    if issubclass(kind, CACHE):
        return "cache"
    if issubclass(kind, VIEWS):
        return "view"
    if issubclass(kind, weakref.ref):
        return "reference"
    if kind is ContextVar:
        return "context"
    modules = {base.__module__ for base in kind.__mro__}
    if kind is memoryview or not modules.isdisjoint(("array", "mmap", "_ctypes")):
        return "buffer"
    return "queue" if kind.__module__ == "_queue" else ""


def held_by(value: Any) -> list[Any]:
    """Return the objects that an object of such a class holds."""
    how = holds(value.__class__)
    if how == "cache":
        return [value.__wrapped__, *_results(value)]
    if how == "view":
        return list(value.items()) if isinstance(value, types.MappingProxyType) else list(value)
    if how == "reference":
        return [value()]
    if how == "context":
        return [value.get(UNSET)]
    return []


def _results(cache: Any) -> list[Any]:
    """Return the results that a function keeps, with the arguments that they are of."""
    elements: list[Any] = []
    for item in gc.get_referents(cache):
        if item.__class__ is dict:
            if item is not cache.__dict__:
                elements += [part for pair in item.items() for part in pair]
        elif item is not cache.__wrapped__:
            elements.append(item)
    return [item for item in elements if getattr(item, "__module__", "") != "functools"]
