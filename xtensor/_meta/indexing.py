"""Shapes of selections and assignments, without the values of index arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import MetaArray, new, unknown_value

__all__ = ["assign", "select"]

MASK_REMEDY = "use xtensor.where(mask, x, other), whose result has the shape of x"


def select(native: MetaArray, key: Any) -> MetaArray:
    """Return ``native[key]``: a view for integers, slices, ``...`` and None, a new array for index arrays."""
    parts = key if key.__class__ is tuple else (key,)
    for part in parts:
        if part.__class__ is MetaArray or isinstance(part, (bool, np.bool)):
            return _gathered(native, parts)
    return MetaArray(_view(native, parts))


MetaArray.__getitem__ = select  # type: ignore[method-assign]


def _view(native: MetaArray, parts: tuple[Any, ...]) -> Any:
    # The ellipsis makes NumPy return a view for integers, too, whose element would else be read.
    return native.value[parts if any(part is ... for part in parts) else (*parts, ...)]


def _gathered(native: MetaArray, parts: tuple[Any, ...]) -> MetaArray:
    return new(_shape(native, parts), native.dtype)


def _shape(native: MetaArray, parts: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape of a selection by index arrays.

    Source: NumPy's user guide, "Indexing on ndarrays", combining advanced and basic indexing.
    """
    lengths = iter(native.shape)
    axes: list[int] = []
    indexed: list[tuple[int, ...]] = []
    positions: list[int] = []
    start = 0
    for position, part in enumerate(_without_ellipsis(native, parts)):
        if part is None:
            axes.append(1)
        elif part.__class__ is slice:
            axes.append(len(range(*part.indices(next(lengths)))))
        else:
            if not positions:
                start = len(axes)
            positions.append(position)
            if isinstance(part, (bool, np.bool)):
                indexed.append((int(part),))
                continue
            length = next(lengths)
            indexed.append(part.shape if part.__class__ is MetaArray else _checked(part, length, len(axes)))
    shape = np.broadcast_shapes(*indexed)
    # Index arrays that slices separate have their axes in front.
    together = positions[-1] - positions[0] == len(positions) - 1
    return (*axes[:start], *shape, *axes[start:]) if together else (*shape, *axes)


def _without_ellipsis(native: MetaArray, parts: tuple[Any, ...]) -> list[Any]:
    """Return the parts of a key for all axes, with slices in the place of an ellipsis."""
    used = 0
    for part in parts:
        if part.__class__ is MetaArray and part.dtype.kind == "b":
            raise unknown_value("the number of elements that a boolean mask selects", MASK_REMEDY)
        used += part is not None and part is not ... and not isinstance(part, (bool, np.bool))
    if used > native.ndim:
        raise IndexError(
            f"too many indices for array: array is {native.ndim}-dimensional, but {used} were indexed; give as many "
            "indices as there are axes"
        )
    rest = [slice(None)] * (native.ndim - used)
    expanded: list[Any] = []
    for part in parts:
        expanded += rest if part is ... else [part]
    return expanded if any(part is ... for part in parts) else expanded + rest


def _checked(position: Any, length: int, axis: int) -> tuple[int, ...]:
    if not -length <= position < length:
        raise IndexError(f"index {position} is out of bounds for axis {axis} with size {length}; use a smaller index")
    return ()


def assign(native: MetaArray, key: Any, value: Any) -> int:
    """Check ``native[key] = value`` and return the number of elements that it writes.

    For a mask that is the number of all elements.
    """
    parts = key if key.__class__ is tuple else (key,)
    if value.__class__ is not MetaArray:
        np.empty((), native.dtype)[()] = value  # raises what an assignment raises
    masks = [part for part in parts if part.__class__ is MetaArray and part.dtype.kind == "b"]
    if masks:
        _check_masks(native, parts, value)
        return native.size
    if any(part.__class__ is MetaArray or isinstance(part, (bool, np.bool)) for part in parts):
        shape = _shape(native, parts)
    else:
        shape = _view(native, parts).shape
    if value.__class__ is MetaArray:
        given = value.shape
        while len(given) > len(shape) and given[0] == 1:
            given = given[1:]
        if len(given) > len(shape) or np.broadcast_shapes(given, shape) != shape:
            raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {shape}")
    return int(np.prod(shape))


def _check_masks(native: MetaArray, parts: tuple[Any, ...], value: Any) -> None:
    axis = 0
    for part in parts:
        if part.__class__ is MetaArray and part.dtype.kind == "b":
            for length in part.shape:
                if axis >= native.ndim or native.shape[axis] != length:
                    raise IndexError(
                        f"boolean index did not match indexed array along axis {axis}; it has shape {part.shape} and "
                        f"the array {native.shape}; use a mask of the array's shape"
                    )
                axis += 1
        elif part is ...:
            return
        elif part is not None:
            axis += 1
    if value.__class__ is MetaArray and value.size != 1:
        raise unknown_value(
            f"whether a value of shape {value.shape} fits the elements that a boolean mask selects", MASK_REMEDY
        )
