"""Indexing and assignment: slices by the library; index arrays are computed, and then say which elements are meant."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from xtensor.backend import DType, note_computation

from ._chunk_slices import Slices
from ._elementwise import astype
from ._keys import check_masks, checked_key, expanded
from ._library import Library
from ._native import Chunked
from ._structure import flattened, reshaped

__all__ = ["getitem", "setitem"]

ARRAYS = (Chunked, np.ndarray, bool, np.bool)
"""Parts of a key that are not a slice, an integer or None; a bool is a mask."""

INTEGERS = (int, np.integer)

SMALL = 1024
"""Bytes of an assignment, at most, that waits for the next use of the array."""


def getitem(native: Chunked, key: Any) -> Chunked:
    """Return the elements of a key as NumPy selects them."""
    library = native.library
    parts = expanded(key, native.ndim)
    with_ellipsis = key is ... or (isinstance(key, tuple) and any(part is ... for part in key))
    if not with_ellipsis and all(isinstance(part, INTEGERS) and not isinstance(part, bool) for part in parts):
        return native.element(checked_key(parts, native.shape))  # a value; with an ellipsis it is a view
    x = native.array
    check_masks(parts, native.shape)
    masks = [part for part in parts if isinstance(part, Chunked) and part.dtype == bool]
    if len(masks) == 1 and masks[0].ndim and all(_is_whole(part) for part in parts if part is not masks[0]):
        return type(native)(_masked(library, x, parts, masks[0].array))
    parts = _computed(library, parts)
    if not any(isinstance(part, np.ndarray) for part in parts):
        basic = checked_key(parts, x.shape)
        return type(native).view(
            native,
            lambda array: library.sliced(array, basic),
            lambda array, value: _inserted(library, array, list(basic), value),
        )
    return type(native)(_gathered(library, x, parts))


def _is_whole(part: Any) -> bool:
    return isinstance(part, slice) and part == slice(None)


def _masked(library: Library, x: Any, parts: list[Any], mask: Any) -> Any:
    """Select with one mask; a pass computes how many elements it selects in each chunk."""
    first = next(position for position, part in enumerate(parts) if isinstance(part, Chunked))
    shape = x.shape[first : first + mask.ndim]
    flat = reshaped(library, x, (*x.shape[:first], math.prod(shape), *x.shape[first + mask.ndim :]))
    if not math.prod(mask.shape):
        return library.sliced(flat, (slice(None),) * first + (slice(0),) + (slice(None),) * (flat.ndim - first - 1))
    order = (first, *[axis for axis in range(flat.ndim) if axis != first])
    elements = library.selected(library.permuted(flat, order) if first else flat, flattened(library, mask))
    return library.permuted(elements, tuple(np.argsort(order).tolist())) if first else elements


def _computed(library: Library, parts: list[Any]) -> list[Any]:
    """The parts with index arrays as NumPy's integers, which are computed together; masks as the indices they mean."""
    arrays = [part.array for part in parts if isinstance(part, Chunked)]
    if arrays:
        note_computation(sum(x.dtype.itemsize * math.prod(x.shape) for x in arrays), library.name, "index arrays")
    values = iter(library.values(arrays) if arrays else ())
    computed: list[Any] = []
    for part in parts:
        if isinstance(part, Chunked):
            value = np.asarray(next(values))
            if value.dtype == bool:
                computed += np.nonzero(value) if value.ndim else [value]
            else:
                computed.append(value.astype(np.int64))
        else:
            computed.append(np.asarray(part) if isinstance(part, (bool, np.bool)) else part)
    return computed


def _gathered(library: Library, x: Any, parts: list[Any]) -> Any:
    """Select with index arrays: the axes that they select on become one, of which the library takes elements."""
    # 1. Slices and new axes; the axes of index arrays and integers stay.
    chosen: dict[int, np.ndarray[Any, Any]] = {}
    plain: list[Any] = []
    where: list[int] = []
    axis = 0
    for number, part in enumerate(parts):
        if part is ...:
            continue
        if isinstance(part, np.ndarray) and part.dtype == bool:  # of no axis: a new one of length 0 or 1
            plain.append(None)
            chosen[axis] = np.zeros(int(part), np.int64)
        elif isinstance(part, (np.ndarray, int, np.integer)):
            plain.append(slice(None))
            chosen[axis] = np.asarray(part)
        else:
            plain.append(part)
            axis += 1
            continue
        where.append(number)
        axis += 1
    x = library.sliced(x, checked_key(plain, x.shape))
    # 2. The positions on the joint axis.
    axes = list(chosen)
    indices = [_checked(chosen[axis], x.shape[axis], axis) for axis in axes]
    shape = np.broadcast_shapes(*[places.shape for places in indices])
    lengths = [x.shape[axis] for axis in axes]
    others = [axis for axis in range(x.ndim) if axis not in chosen]
    x = library.permuted(x, (*axes, *others))
    rest = x.shape[len(axes) :]
    if len(axes) > 1:
        x = reshaped(library, x, (math.prod(lengths), *rest))
    position = np.zeros(shape, np.int64)
    for gathered, length in zip(indices, lengths, strict=True):
        position = position * length + gathered
    # 3. The elements, and their axes in NumPy's order: in the place of adjacent index arrays, else in front.
    gathered = reshaped(library, library.taken(x, position.reshape(-1)), (*shape, *rest))
    adjacent = where == list(range(where[0], where[0] + len(where)))
    before = len([other for other in others if other < axes[0]]) if adjacent else 0
    order = (*range(len(shape), len(shape) + before), *range(len(shape)), *range(len(shape) + before, gathered.ndim))
    return library.permuted(gathered, order)


def _checked(indices: Any, length: int, axis: int) -> Any:
    """Indices from 0 on."""
    wrong = indices[(indices < -length) | (indices >= length)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for axis {axis} with size {length}")
    return np.where(indices < 0, indices + length, indices)


# -- assignment -------------------------------------------------------------------------------------------------------


def setitem(native: Chunked, key: Any, value: Any) -> Chunked:
    """Put other elements in the place of those of a key, also in the arrays that the array is a view of."""
    parts = expanded(key, native.ndim)
    if _written_later(native, parts, value):
        return native
    library, x = native.library, native.array
    check_masks(parts, native.shape)
    mask = parts[0] if len(parts) == 1 and isinstance(parts[0], Chunked) else None
    if mask is not None and mask.dtype == bool and mask.shape == x.shape and not getattr(value, "ndim", 0):
        value = _cast(library, value, x.dtype)
        native.assign(library.elementwise(library.chunk_function("where"), (mask.array, value, x), [x.dtype])[0])
    else:
        native.assign(_inserted(library, x, _computed(library, parts), value))
    return native


def _written_later(native: Chunked, parts: list[Any], value: Any) -> bool:
    """Leave an assignment of small values of the host to a key of slices and integers to the next use of the array.

    Returns
    -------
    bool
        False where the assignment is another one, or not valid.
    """
    if any(isinstance(part, ARRAYS) for part in parts):
        return False
    key = checked_key(parts, native.shape)
    shape = _shape_of(key, native.shape)
    values = value.values if isinstance(value, Chunked) else np.asarray(value, native.dtype)
    if values is None or values.dtype != native.dtype or not 0 < math.prod(shape) * values.itemsize <= SMALL:
        return False
    try:
        values = np.broadcast_to(values, shape)
    except ValueError:  # the general way strips axes, or raises
        return False
    axes = zip([part for part in key if part is not None], native.shape, strict=True)
    places = [np.arange(*part.indices(n)) if isinstance(part, slice) else np.asarray([part]) for part, n in axes]
    return native.assign_values(places, values.reshape([len(indices) for indices in places]))


def _cast(library: Library, value: Any, dtype: DType) -> Any:
    """A value as an array of a dtype."""
    if isinstance(value, Chunked):
        value = value.array
    if isinstance(value, library.array_type):
        return astype(library, value, dtype)
    return library.from_host(np.asarray(value, dtype))


def _inserted(library: Library, x: Any, parts: list[Any], value: Any) -> Any:
    """An array with other elements in the place of those of a key."""
    if not any(isinstance(part, np.ndarray) for part in parts):
        basic = checked_key(parts, x.shape)
        shape = _shape_of(basic, x.shape)
        value = _fitted(library, _cast(library, value, x.dtype), shape)
        if not math.prod(shape):
            return x
        if all(map(_is_whole, basic)):
            return value
        axes = [part for part in basic if part is None or isinstance(part, slice)]
        if None in axes:  # no axis of the array
            value = library.sliced(value, tuple([0 if part is None else slice(None) for part in axes]))
        return library.replaced(x, tuple([part for part in basic if part is not None]), value)
    places = _coordinates(x.shape, parts)
    shape = places[0].shape
    value = flattened(library, _fitted(library, _cast(library, value, x.dtype), shape))
    if not math.prod(shape):
        return x
    function = partial(_assigned, positions=[part.reshape(-1) for part in places])
    return library.mapped(function, x, (library.single(value, (0,), "__setitem__"),), x.dtype, placed=True)


def _shape_of(key: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the elements of a key of slices, integers and None."""
    sizes, axis = [], 0
    for part in key:
        if part is None:
            sizes.append(1)
            continue
        if isinstance(part, slice):
            sizes.append(len(range(*part.indices(shape[axis]))))
        axis += 1
    return tuple(sizes)


def _fitted(library: Library, value: Any, shape: tuple[int, ...]) -> Any:
    """A value broadcast to a shape, without the axes of length 1 in front that it has beyond those of the shape."""
    extra = value.ndim - len(shape)
    if extra > 0 and all(n == 1 for n in value.shape[:extra]):
        value = reshaped(library, value, value.shape[extra:])
    if tuple(value.shape) == shape:
        return value
    try:
        fits = np.broadcast_shapes(value.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(f"could not broadcast input array from shape {tuple(value.shape)} into shape {shape}")
    return library.broadcast(value, shape)


def _coordinates(shape: tuple[int, ...], parts: list[Any]) -> tuple[Any, ...]:
    """The indices along each axis of the elements that a key selects."""
    key = tuple(parts)
    coordinates = []
    # The key applied to the coordinates of one axis, which are broadcast along the others.
    for axis, length in enumerate(shape):
        lengths = [1] * len(shape)
        lengths[axis] = length
        coordinates.append(np.broadcast_to(np.arange(length).reshape(lengths), shape)[key])
    return tuple(coordinates) if shape else (np.zeros((), np.int64)[key],)


def _assigned(x: Any, values: Any, *, positions: list[Any], slices: Slices) -> Any:
    inside = np.ones(len(positions[0]), bool)
    for part, along in zip(positions, slices, strict=False):
        inside &= (part >= along.start) & (part < along.stop)
    if not inside.any():
        return x
    if not x.ndim:  # its coordinates are no index of an axis
        return np.asarray(values[-1], x.dtype)
    result = x.copy()
    result[tuple([part[inside] - along.start for part, along in zip(positions, slices, strict=False)])] = values[inside]
    return result
