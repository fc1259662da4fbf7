"""Resolution of NumPy's keys for libraries whose own indexing has fewer kinds of key, or does not check bounds.

A resolved key has one part for each axis, and no ellipsis: an int in ``[0, length)``, a slice whose start, stop and
step are ints, None, a bool, or a native index array. Masks have the shape of the axes that they index, or no elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import index
from typing import Any

from .dtypes import kind_of

__all__ = [
    "NO_INDEX",
    "check_positions",
    "forward_slice",
    "resolved_key",
    "split_key",
    "without_leading_axes",
    "written_slice",
]

NO_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid "
    "indices"
)


def resolved_key(key: Any, shape: tuple[int, ...], array_type: type) -> list[Any]:
    """Return the parts of a key for an array of a shape.

    Parameters
    ----------
    key
        The key of the contract: ints, bools, slices, ``...``, None and native index arrays.
    shape
        The shape of the array that is indexed.
    array_type
        The class of the native arrays.

    Raises
    ------
    IndexError
        If the key has too many parts, an int is out of bounds, or a mask has another shape than the axes it indexes.
        The positions in an index array are not checked.
    """
    parts = [_part(part, array_type) for part in (key if key.__class__ is tuple else (key,))]
    used = sum([_axes_used(part) for part in parts])
    if used > len(shape):
        raise IndexError(f"too many indices for array: array is {len(shape)}-dimensional, but {used} were indexed")
    ellipses = [position for position, part in enumerate(parts) if part is ...]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    position = ellipses[0] if ellipses else len(parts)
    parts[position : position + 1] = [slice(None)] * (len(shape) - used)
    resolved, axis = [], 0
    for part in parts:
        resolved.append(_resolved(part, shape, axis))
        axis += _axes_used(part)
    return resolved


def split_key(
    parts: list[Any],
    shape: tuple[int, ...],
    *,
    nonzero: Callable[[Any], Iterable[Any]],
    positions: Callable[[Any, int, int], Any],
    constant: Callable[[int | list[int]], Any],
) -> tuple[list[Any], list[Any]]:
    """Return a resolved key with index arrays as a basic key of a view, and the positions along the axes of the view.

    NumPy's rule: next to an index array an int is one, and a mask is one index array for each of its axes.

    Parameters
    ----------
    parts, shape
        The resolved key, and the shape of the array that is indexed.
    nonzero
        Function that returns the positions of a mask's true elements along each of its axes.
    positions
        Function of an index array, the length of its axis and the axis, which checks its elements.
    constant
        Function that returns an index array of a list of integers, or one without an axis of an integer.

    Returns
    -------
    tuple
        The parts of the basic key, and for each axis of the view its positions or a full slice.
    """
    basic: list[Any] = []
    selected: list[Any] = []
    axis = 0
    for part in parts:
        if part is None or part.__class__ is slice:
            basic.append(part)
            selected.append(slice(None))
            axis += part is not None
            continue
        if part.__class__ is bool:
            basic.append(None)
            selected.append(constant([0] * part))
            continue
        if part.__class__ is int:
            positions_of_part: Iterable[Any] = [constant(part)]
        elif kind_of(part.dtype) == "b":
            positions_of_part = nonzero(part)
        else:
            positions_of_part = [positions(part, shape[axis], axis)]
        for item in positions_of_part:
            basic.append(slice(0, shape[axis], 1))
            selected.append(item)
            axis += 1
    return basic, selected


def forward_slice(part: slice) -> slice:
    """Return the slice of the same elements in ascending order, for a resolved slice with a negative step."""
    positions = range(part.start, part.stop, part.step)
    return slice(positions[-1], positions[0] + 1, -part.step) if positions else slice(0, 0, 1)


def written_slice(part: Any) -> Any:
    """Return a resolved slice as Python writes it, whose negative ends count from the last element."""
    if part.__class__ is not slice or part.step > 0:
        return part
    if part.start < 0:
        return slice(0, 0, 1)
    return part if part.stop >= 0 else slice(part.start, None, part.step)


def check_positions(positions: Any, length: int, axis: int) -> None:
    """Raise IndexError where a position along an axis is out of bounds. Blocks until the device has finished."""
    if 0 in positions.shape:
        return
    lowest, highest = int(positions.min()), int(positions.max())
    if lowest < -length or highest >= length:
        wrong = highest if highest >= length else lowest
        raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {length}")


def without_leading_axes(x: Any, ndim: int) -> Any:
    """Return a value to assign without leading axes of length 1 beyond ``ndim`` axes."""
    extra = len(x.shape) - ndim
    return x.reshape(x.shape[extra:]) if extra > 0 and tuple(x.shape[:extra]) == (1,) * extra else x


def _part(part: Any, array_type: type) -> Any:
    if part is None or part is ... or part.__class__ is slice or part.__class__ is int or part.__class__ is bool:
        return part
    if isinstance(part, array_type):
        kind = kind_of(part.dtype)  # type: ignore[attr-defined]
        if kind not in "biu":
            raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {part.dtype}")  # type: ignore[attr-defined]
        return bool(part) if kind == "b" and not part.ndim else part  # type: ignore[attr-defined]
    try:
        return index(part)
    except TypeError:
        raise IndexError(f"{NO_INDEX}, not {part!r}") from None


def _axes_used(part: Any) -> int:
    """Return the number of axes that a part indexes."""
    if part is None or part is ... or part.__class__ is bool:
        return 0
    if part.__class__ is int or part.__class__ is slice:
        return 1
    return int(part.ndim) if kind_of(part.dtype) == "b" else 1


def _resolved(part: Any, shape: tuple[int, ...], axis: int) -> Any:
    if part.__class__ is slice:
        start, stop, step = part.indices(shape[axis])
        return slice(start, stop if step < 0 else max(start, stop), step)
    if part.__class__ is int:
        length = shape[axis]
        if not -length <= part < length:
            raise IndexError(f"index {part} is out of bounds for axis {axis} with size {length}")
        return part % length
    if part is not None and part.__class__ is not bool and kind_of(part.dtype) == "b":
        expected = shape[axis : axis + part.ndim]
        # As in NumPy, a mask of no elements selects nothing, whatever the axis that its length of 0 stands for.
        pairs = zip(part.shape, expected, strict=False)
        if len(expected) != part.ndim or any(size not in (0, length) for size, length in pairs):
            raise IndexError(
                f"boolean index did not match indexed array: the mask has shape {tuple(part.shape)}, the indexed axes "
                f"have {expected}, the array has {shape}"
            )
    return part
