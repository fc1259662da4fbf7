"""NumPy's indexing, where dpnp lacks a part of it.

dpnp supports keys of integers, slices, ``...`` and None, and keys of one mask. For all other keys, with index arrays
apart from each other or next to integers and booleans, the indexed axes are moved to the front of a view, which is then
indexed by one index array for each of these axes. Positions are checked, as dpnp reads and writes out of bounds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from operator import index
from types import EllipsisType
from typing import Any, NamedTuple

import dpnp
import numpy as np

from xtensor.backend import DType, Native

__all__ = ["getitem", "setitem"]

BASIC = frozenset((int, slice, type(None), EllipsisType))
"""Classes of the parts of keys that give a view."""


class Selection(NamedTuple):
    """A view indexed by arrays along its leading axes.

    ``ndim`` is the number of dimensions of the arrays' common shape, ``position`` the first of these dimensions in the
    result of NumPy's indexing.
    """

    view: Native
    arrays: tuple[Native, ...]
    ndim: int
    position: int


def getitem(native: Native, key: Any) -> Native:
    """Return ``native[key]``: a view for basic keys, else a new array."""
    if _is_basic(key):
        return native[_with_small_numbers(key, max(native.shape, default=1))]
    if _is_mask(native, key):
        result = native[key]
    else:
        selection = _select(native, key)
        result = _move_axes(selection.view[selection.arrays], 0, selection.position, selection.ndim)
    if not result.flags.writable:
        result.flags.writable = True  # dpnp copies the flag along with the values
    return result


def setitem(native: Native, key: Any, value: Native | complex) -> None:
    """Assign to ``native[key]``; raise for Python scalars that the dtype cannot represent, as NumPy does."""
    if native.dtype.kind in "iu" and value.__class__ in (int, float):
        try:
            value = _in_range(value, native.dtype)
        except (ValueError, OverflowError):
            getitem(native, key)  # a bad key is reported before a bad value, as by NumPy
            raise
    if _is_basic(key):
        native[_with_small_numbers(key, max(native.shape, default=1))] = value
    elif _is_mask(native, key):
        if key.shape != native.shape[: key.ndim]:
            raise IndexError(
                f"boolean index did not match indexed array: the mask has shape {key.shape}, the array {native.shape}"
            )
        axes = getattr(value, "ndim", 0)
        if key.ndim == native.ndim and axes > 1:
            raise TypeError(f"assignment to a mask of all axes takes a value of 0 or 1 axes, not of {axes}")
        _assign(native, key, _without_leading_axes(value, native.ndim - key.ndim + 1))
    else:
        selection = _select(native, key)
        ndim = selection.ndim + selection.view.ndim - len(selection.arrays)
        value = _without_leading_axes(value, ndim)
        if selection.position and getattr(value, "ndim", 0):
            value = dpnp.reshape(value, (1,) * (ndim - value.ndim) + value.shape)
            value = _move_axes(value, selection.position, 0, selection.ndim)
        _assign(selection.view, selection.arrays, value)


def _assign(native: Native, key: Any, value: Any) -> None:
    """Assign by a mask or index arrays; operands that share memory with the array are copied, as by NumPy."""
    try:
        native[key] = value
    except ValueError as error:
        if "overlap" not in str(error):
            raise
        key = tuple(map(dpnp.copy, key)) if isinstance(key, tuple) else dpnp.copy(key)
        native[key] = dpnp.copy(value) if isinstance(value, dpnp.ndarray) else value


def _in_range(value: Any, dtype: DType) -> int:
    """A Python number as an integer of a dtype; ValueError for NaN, OverflowError out of its range."""
    integer, limits = int(value), np.iinfo(dtype)
    if not limits.min <= integer <= limits.max:
        raise OverflowError(f"Python integer {integer} out of bounds for {dtype}")
    return integer


def _without_leading_axes(value: Any, ndim: int) -> Any:
    """A value to assign, without leading axes of length 1 beyond ``ndim`` axes."""
    extra = getattr(value, "ndim", 0) - ndim
    return dpnp.reshape(value, value.shape[extra:]) if extra > 0 and value.shape[:extra] == (1,) * extra else value


def _move_axes(native: Native, source: int, destination: int, count: int) -> Native:
    """Move ``count`` neighbouring axes."""
    if source == destination:
        return native
    return dpnp.moveaxis(native, tuple(range(source, source + count)), tuple(range(destination, destination + count)))


def _with_small_numbers(key: Any, length: int) -> Any:
    """A basic key whose slices have numbers that do not overflow in dpnp; no axis is longer than ``length``."""
    if key.__class__ is tuple:
        return tuple([_with_small_numbers(part, length) for part in key])
    if key.__class__ is not slice:
        return key
    start, stop = (None if bound is None else _clipped(bound, sys.maxsize) for bound in (key.start, key.stop))
    return slice(start, stop, None if key.step is None else _clipped(key.step, max(length, 1)))


def _clipped(number: Any, limit: int) -> int:
    return max(-limit, min(index(number), limit))


def _is_basic(key: Any) -> bool:
    if key.__class__ is tuple:
        return all(part.__class__ in BASIC for part in key)
    return key.__class__ in BASIC


def _is_mask(native: Native, key: Any) -> bool:
    return isinstance(key, dpnp.ndarray) and key.dtype.kind == "b" and key.ndim > 0


def _select(native: Native, key: Any) -> Selection:
    """Split a key into a view with the indexed axes in front and the index arrays for them.

    NumPy's rule for the result: the arrays' dimensions replace the indexed axes if these are neighbours, and come first
    otherwise.
    """
    parts = [_part(part, native.sycl_queue) for part in (key if key.__class__ is tuple else (key,))]
    advanced = any(isinstance(part, (dpnp.ndarray, bool)) for part in parts)
    selecting = (dpnp.ndarray, bool, int) if advanced else ()
    basic: list[Any] = []
    axes: list[int] = []
    arrays: list[Native] = []
    view_axis = native_axis = 0
    for part in _without_ellipsis(parts, native.ndim):
        if isinstance(part, selecting):
            for view_part, positions in _positions(part, native, native_axis):
                basic.append(view_part)
                axes.append(view_axis)
                arrays.append(positions)
                view_axis += 1
        else:
            basic.append(part)
            view_axis += not isinstance(part, int)
        native_axis += _axes_used(part)
    view = native[tuple(basic)]
    try:
        ndim = len(np.broadcast_shapes(*(positions.shape for positions in arrays)))
    except ValueError as error:
        raise IndexError(f"shape mismatch: index arrays do not broadcast together: {error}") from None
    rest = [axis for axis in range(view.ndim) if axis not in axes]
    runs = [is_selecting for is_selecting, _ in groupby(isinstance(part, selecting) for part in parts)].count(True)
    return Selection(dpnp.permute_dims(view, (*axes, *rest)), tuple(arrays), ndim, axes[0] if runs == 1 else 0)


def _positions(part: Any, native: Native, axis: int) -> Iterator[tuple[Any, Native]]:
    """For each axis that an index array, a mask, an int or a bool indexes: the view's key and the positions."""
    queue = native.sycl_queue
    if isinstance(part, bool):
        yield None, dpnp.zeros(int(part), dtype=np.int64, sycl_queue=queue)
        return
    if isinstance(part, int):
        part = dpnp.asarray(part, dtype=np.int64, sycl_queue=queue)
    for positions in _mask_positions(part, native.shape, axis) if part.dtype.kind == "b" else (part,):
        yield slice(None), _checked(positions, axis, native.shape[axis])
        axis += 1


def _checked(positions: Native, axis: int, length: int) -> Native:
    """Return positions as int64; IndexError where one is out of bounds. Blocks until the device has finished."""
    if positions.size:
        lowest, highest = int(dpnp.min(positions)), int(dpnp.max(positions))
        if lowest < -length or highest >= length:
            wrong = highest if highest >= length else lowest
            raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {length}")
    return dpnp.astype(positions, np.int64, copy=False)


def _mask_positions(mask: Native, shape: tuple[int, ...], axis: int) -> tuple[Native, ...]:
    """The positions of a mask's true elements along each of its axes."""
    if mask.shape != shape[axis : axis + mask.ndim]:
        raise IndexError(
            f"boolean index did not match indexed array: the mask has shape {mask.shape}, the indexed axes have "
            f"{shape[axis : axis + mask.ndim]}, the array has {shape}"
        )
    return dpnp.nonzero(mask)  # type: ignore[no-any-return]


def _part(part: Any, queue: Any) -> Any:
    """A part of a key as an int, a bool, a slice, ``...``, None or a native array; a 0-d boolean becomes a bool."""
    if part.__class__ in BASIC or isinstance(part, bool):
        return part
    if isinstance(part, (np.ndarray, list)):
        part = dpnp.asarray(part, sycl_queue=queue)
    if isinstance(part, dpnp.ndarray):
        if part.dtype.kind not in "biu":
            raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {part.dtype}")
        return bool(part) if part.dtype.kind == "b" and not part.ndim else part
    if isinstance(part, np.bool_):
        return bool(part)
    try:
        return index(part)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and integer or boolean arrays are valid indices, "
            f"not {part!r}"
        ) from None


def _axes_used(part: Any) -> int:
    """The number of axes of the array that a part of a key indexes."""
    if part is None or part is ... or isinstance(part, bool):
        return 0
    return part.ndim if isinstance(part, dpnp.ndarray) and part.dtype.kind == "b" else 1


def _without_ellipsis(parts: list[Any], ndim: int) -> list[Any]:
    """The parts of a key with full slices for its ``...``, or for the axes after its last part."""
    used = sum(map(_axes_used, parts))
    if used > ndim:
        raise IndexError(f"too many indices for array: array is {ndim}-dimensional, but {used} were indexed")
    ellipses = [position for position, part in enumerate(parts) if part is ...]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    position = ellipses[0] if ellipses else len(parts)
    return [*parts[:position], *[slice(None)] * (ndim - used), *parts[position + 1 :]]
