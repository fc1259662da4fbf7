"""Keys of elements: slices, integers and new axes, one for each axis."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from xtensor.backend import WrappedArray

__all__ = ["checked_key", "expanded"]


def expanded(key: Any, ndim: int) -> list[Any]:
    """Return the parts of a key, with slices in the place of an ellipsis and of missing axes."""
    parts = [_plain(part) for part in (key if isinstance(key, tuple) else (key,))]
    used = sum(0 if part is None or part is ... else _axes_of(part) for part in parts)
    if used > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    missing = [slice(None)] * (ndim - used)
    for place, part in enumerate(parts):
        if part is ...:
            return [*parts[:place], *missing, *parts[place + 1 :]]
    return [*parts, *missing]


def _plain(part: Any) -> Any:
    """A slice with Python's integers, which may be Arrays."""
    if isinstance(part, slice):
        return slice(*[None if end is None else index(end) for end in (part.start, part.stop, part.step)])
    return part


def _axes_of(part: Any) -> int:
    """The number of axes that a part of a key selects on."""
    if isinstance(part, WrappedArray) and part.dtype == bool:
        return part.ndim
    return 0 if isinstance(part, (bool, np.bool)) else 1


def checked_key(parts: list[Any], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the parts of a key of slices, integers and None; an integer counts from the first element."""
    found: list[Any] = []
    axis = 0
    for part in parts:
        if part is None or isinstance(part, slice):
            found.append(part)
        else:
            place, length = index(part), shape[axis]
            if not -length <= place < length:
                raise IndexError(f"index {place} is out of bounds for axis {axis} with size {length}")
            found.append(place % length)
        axis += part is not None
    return tuple(found)
