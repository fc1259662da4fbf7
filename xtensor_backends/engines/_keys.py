"""Keys of elements: slices, integers and new axes, one for each axis."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from xtensor.backend import WrappedArray

__all__ = ["check_masks", "checked_key", "expanded"]


def expanded(key: Any, ndim: int) -> list[Any]:
    """Return the parts of a key, with slices in the place of an ellipsis and of missing axes.

    An ellipsis of no axes stays between index arrays or integers: it separates them, as NumPy's rules say, so that the
    axes that they select on come first.
    """
    parts = [_plain(part) for part in (key if isinstance(key, tuple) else (key,))]
    if sum(part is ... for part in parts) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(0 if part is None or part is ... else _axes_of(part) for part in parts)
    if used > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    missing = [slice(None)] * (ndim - used)
    for position, part in enumerate(parts):
        if part is ...:
            before, after = parts[:position], parts[position + 1 :]
            separates = not missing and any(map(_selects, before)) and any(map(_selects, after))
            return [*before, *([...] if separates else missing), *after]
    return [*parts, *missing]


def _plain(part: Any) -> Any:
    """A slice with Python's integers, which may be Arrays."""
    if isinstance(part, slice):
        return slice(*[None if end is None else index(end) for end in (part.start, part.stop, part.step)])
    return part


def _selects(part: Any) -> bool:
    """Whether a part of a key is an index array or an integer."""
    return part is not None and not isinstance(part, slice)


def _axes_of(part: Any) -> int:
    """The number of axes that a part of a key selects on."""
    if isinstance(part, WrappedArray) and part.dtype == bool:
        return part.ndim
    return 0 if isinstance(part, (bool, np.bool)) else 1


def check_masks(parts: list[Any], shape: tuple[int, ...]) -> None:
    """Raise IndexError for a mask whose lengths are not those of the axes that it selects on."""
    axis = 0
    for part in parts:
        if isinstance(part, WrappedArray) and part.dtype == bool:
            lengths = shape[axis : axis + part.ndim]
            if lengths != part.shape and part.size:  # NumPy takes any mask without elements
                position = next(i for i, (n, m) in enumerate(zip(lengths, part.shape, strict=True)) if n != m)
                raise IndexError(
                    f"boolean index did not match indexed array along axis {axis + position}; size of axis is "
                    f"{lengths[position]} but size of corresponding boolean axis is {part.shape[position]}"
                )
        if part is not None and part is not ...:
            axis += _axes_of(part)


def checked_key(parts: list[Any], shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the parts of a key of slices, integers and None, all of which count from the first element."""
    resolved: list[Any] = []
    axis = 0
    for part in parts:
        if part is ...:
            continue
        if part is None:
            resolved.append(None)
        elif isinstance(part, slice):
            resolved.append(_checked_slice(part, shape[axis]))
        else:
            position, length = index(part), shape[axis]
            if not -length <= position < length:
                raise IndexError(f"index {position} is out of bounds for axis {axis} with size {length}")
            resolved.append(position % length)
        axis += part is not None
    return tuple(resolved)


def _checked_slice(part: slice, length: int) -> slice:
    """Return a slice of the same elements whose ends lie in the axis: libraries differ in others."""
    elements = range(*part.indices(length))
    if len(elements) == length and elements.step == 1:
        return slice(None)
    if not elements:
        return slice(0, 0)
    return slice(elements.start, elements.stop if elements.stop >= 0 else None, elements.step)
