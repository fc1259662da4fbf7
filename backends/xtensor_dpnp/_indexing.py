"""Indexing as NumPy does it, where dpnp stops short of it.

dpnp indexes with integers, slices, ``...``, None and one mask or index array as NumPy does, but not with index arrays
that stand apart, nor with integers or booleans among them, and it takes positions out of bounds. Such keys are taken
apart here: a view with the indexed axes in front, and an index array for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import index
from types import EllipsisType
from typing import Any

import dpnp
import numpy as np

from xtensor.backend import Native

__all__ = ["checked_positions", "getitem", "setitem"]

BASIC = frozenset((int, slice, type(None), EllipsisType))


def getitem(native: Native, key: Any) -> Native:
    if _is_basic(key) or _is_mask(native, key):
        return native[key]
    view, positions, front, place = _taken_apart(native, key)
    picked = view[positions]
    return _moved(picked, 0, place, front) if place else picked


def setitem(native: Native, key: Any, value: Native) -> None:
    if native.dtype.kind in "iu" and value.__class__ is int:
        limits = np.iinfo(native.dtype)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{value} does not fit dtype {native.dtype}")
    if _is_basic(key):
        native[key] = value
    elif _is_mask(native, key):
        native[key] = _without_leading_axes(value, native.ndim - key.ndim + 1)
    else:
        view, positions, front, place = _taken_apart(native, key)
        ndim = front + view.ndim - len(positions)
        value = _without_leading_axes(value, ndim)
        if place and getattr(value, "ndim", 0):
            value = dpnp.reshape(value, (1,) * (ndim - value.ndim) + value.shape)
            value = _moved(value, place, 0, front)
        view[positions] = value


def checked_positions(positions: Native, length: int) -> Native:
    """Index arrays' positions as int64; IndexError where one is outside an axis of that length."""
    if positions.size:
        lowest, highest = int(dpnp.min(positions)), int(dpnp.max(positions))
        if lowest < -length or highest >= length:
            wrong = highest if highest >= length else lowest
            raise IndexError(f"index {wrong} is out of bounds for an axis of length {length}")
    return dpnp.astype(positions, np.int64, copy=False)


def _without_leading_axes(value: Any, ndim: int) -> Any:
    """A value to assign without the axes of length 1 that it has in front of those of the place it goes to."""
    extra = getattr(value, "ndim", 0) - ndim
    return dpnp.reshape(value, value.shape[extra:]) if extra > 0 and value.shape[:extra] == (1,) * extra else value


def _moved(native: Native, source: int, destination: int, count: int) -> Native:
    """``count`` neighbouring axes moved from one place to another."""
    return dpnp.moveaxis(native, tuple(range(source, source + count)), tuple(range(destination, destination + count)))


def _is_basic(key: Any) -> bool:
    if key.__class__ is tuple:
        return all(part.__class__ in BASIC for part in key)
    return key.__class__ in BASIC


def _is_mask(native: Native, key: Any) -> bool:
    return isinstance(key, dpnp.ndarray) and key.dtype.kind == "b" and key.ndim > 0


def _taken_apart(native: Native, key: Any) -> tuple[Native, tuple[Native, ...], int, int]:
    """A view with the axes of index arrays in front, the arrays, the axes they make together, and where those belong.

    NumPy's rule for the last: where the first of them was if they stand side by side, else in front.
    """
    parts = [_part(part, native.sycl_queue) for part in (key if key.__class__ is tuple else (key,))]
    advanced = any(isinstance(part, (dpnp.ndarray, bool)) for part in parts)
    selecting = (dpnp.ndarray, bool, int) if advanced else ()
    basic: list[Any] = []
    axes: list[int] = []
    arrays: list[Native] = []
    axis = source = 0  # the next axis of the view, and of the array
    for part in _without_ellipsis(parts, native.ndim):
        if isinstance(part, selecting):
            for kept, positions in _positions(part, native, source):
                basic.append(kept)
                axes.append(axis)
                arrays.append(positions)
                axis += 1
        else:
            basic.append(part)
            axis += not isinstance(part, int)
        source += _axes_used(part)
    view = native[tuple(basic)]
    try:
        front = len(np.broadcast_shapes(*(positions.shape for positions in arrays)))
    except ValueError as error:
        raise IndexError(f"index arrays do not broadcast together: {error}") from None
    rest = [position for position in range(view.ndim) if position not in axes]
    runs = [selected for selected, _ in groupby(isinstance(part, selecting) for part in parts)].count(True)
    return dpnp.permute_dims(view, (*axes, *rest)), tuple(arrays), front, axes[0] if runs == 1 else 0


def _positions(part: Any, native: Native, source: int) -> Iterator[tuple[Any, Native]]:
    """For each axis that an index array, a mask, an int or a bool selects from: how the view gets it, and where."""
    queue = native.sycl_queue
    if isinstance(part, bool):
        yield None, dpnp.zeros(int(part), dtype=np.int64, sycl_queue=queue)
        return
    if isinstance(part, int):
        part = dpnp.asarray(part, dtype=np.int64, sycl_queue=queue)
    for positions in _of_mask(part, native.shape, source) if part.dtype.kind == "b" else (part,):
        yield slice(None), checked_positions(positions, native.shape[source])
        source += 1


def _part(part: Any, queue: Any) -> Any:
    """A part of a key as an int, a bool, a slice, ``...``, None or a native array that is no 0-d boolean."""
    if part.__class__ in BASIC or isinstance(part, bool):
        return part
    if isinstance(part, (np.ndarray, list)):
        part = dpnp.asarray(part, sycl_queue=queue)
    if isinstance(part, dpnp.ndarray):
        if part.dtype.kind not in "biu":
            raise IndexError(f"an index array has a boolean or integer dtype, not {part.dtype}")
        return bool(part) if part.dtype.kind == "b" and not part.ndim else part
    if isinstance(part, np.bool_):
        return bool(part)
    try:
        return index(part)
    except TypeError:
        raise IndexError(
            f"an array is indexed by integers, slices, '...', None and arrays of integers or booleans, not {part!r}"
        ) from None


def _axes_used(part: Any) -> int:
    """How many axes of the array a part of a key stands for."""
    if part is None or part is ... or isinstance(part, bool):
        return 0
    return part.ndim if isinstance(part, dpnp.ndarray) and part.dtype.kind == "b" else 1


def _without_ellipsis(parts: list[Any], ndim: int) -> list[Any]:
    """The parts of a key with full slices for its ``...``, or at its end, for the axes that no part stands for."""
    used = sum(map(_axes_used, parts))
    if used > ndim:
        raise IndexError(f"too many indices: {used} for an array of {ndim} dimensions")
    ellipses = [position for position, part in enumerate(parts) if part is ...]
    if len(ellipses) > 1:
        raise IndexError("an index holds one ellipsis ('...') at most")
    position = ellipses[0] if ellipses else len(parts)
    return [*parts[:position], *[slice(None)] * (ndim - used), *parts[position + 1 :]]


def _of_mask(mask: Native, shape: tuple[int, ...], source: int) -> tuple[Native, ...]:
    """The positions of a mask's true elements along each of its axes."""
    if mask.shape != shape[source : source + mask.ndim]:
        raise IndexError(
            f"a boolean index of shape {mask.shape} does not fit the axes {shape[source : source + mask.ndim]} "
            f"of an array of shape {shape}"
        )
    return dpnp.nonzero(mask)  # type: ignore[no-any-return]
