"""Elements removed from arrays and inserted into them, with NumPy's names and signatures."""

from __future__ import annotations

from typing import Any

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axes, check_axis
from .._core.compositions import composed
from .._core.errors import shortened
from ._arguments import as_arrays, flattened, on_device, shared_device, with_axes_before
from ._conversions import as_indices, as_values

__all__ = ["delete", "insert", "trim_zeros"]


@composed
def delete(arr: Any, obj: Any, axis: int | None = None) -> Array:
    """Return an array without some of the items along an axis.

    Parameters
    ----------
    arr
        Array of any dtype.
    obj
        The items: an integer, a slice, an array-like of integers, or one of booleans as long as the axis, in which True
        stands for an item to remove.
    axis
        The axis; None flattens ``arr`` first.

    Returns
    -------
    Array
        A new array. Blocks until the device has finished where ``obj`` is an array, whose values determine the length.

    Raises
    ------
    IndexError
        If an index is out of bounds, or ``obj`` holds neither integers nor booleans.
    ValueError
        If ``obj`` holds booleans and is not as long as the axis, or ``axis`` is out of bounds.

    Notes
    -----
    NumPy, ``delete``.
    """
    arr, axis = _along_axis(arr, axis, "delete", obj)
    length = arr.shape[axis]
    if isinstance(obj, slice):
        obj = range(length)[obj]
        if obj.step == 1:
            return _joined(axis, _part(arr, axis, 0, obj.start), _part(arr, axis, max(obj.start, obj.stop), length))
    elif obj.__class__ is int and -length <= obj < length:
        first = obj % length
        return _joined(axis, _part(arr, axis, 0, first), _part(arr, axis, first + 1, length))
    positions = xp.arange(length, device=arr.device)
    indices = as_indices("delete", obj, arr.device)
    if indices.dtype.kind == "b":
        if indices.shape != (length,):
            raise ValueError(
                "boolean array argument obj to delete must be one dimensional and match the axis length of "
                f"{length}; delete() received shape {indices.shape}"
            )
        kept = xp.logical_not(indices)
    else:
        indices = xp.astype(flattened(indices), positions.dtype, copy=False)
        _check_bounds(indices, length - 1, axis, length, "delete")
        kept = xp.logical_not(xp.isin(positions, xp.where(indices < 0, indices + length, indices)))
    return xp.take(arr, xp.nonzero(kept)[0], axis=axis)


@composed
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Array:
    """Return an array with values inserted before items along an axis.

    Parameters
    ----------
    arr
        Array of any dtype.
    obj
        The positions in ``arr``: an integer, a slice, an array-like of integers in one dimension, or one of booleans,
        in which True stands for a position. One position takes all values, several take one value each.
    values
        The values: an array-like that broadcasts to the inserted items, cast to the dtype of ``arr``.
    axis
        The axis; None flattens ``arr`` first.

    Returns
    -------
    Array
        A new array of the dtype of ``arr``.

    Raises
    ------
    IndexError
        If a position is out of bounds, or ``obj`` holds neither integers nor booleans.
    ValueError
        If ``obj`` has more than one dimension, ``axis`` is out of bounds, or the shapes do not broadcast.

    Notes
    -----
    NumPy, ``insert``. All items are put in order by one stable sort of their positions.
    """
    arr, axis = _along_axis(arr, axis, "insert", obj, values)
    length = arr.shape[axis]
    if isinstance(obj, slice):
        obj = range(length)[obj]
    if obj.__class__ is int and -length <= obj <= length:
        return _inserted(arr, axis, obj, as_values("insert", values, arr.dtype, arr.device), moves=True)
    indices = as_indices("insert", obj, arr.device)
    if indices.dtype.kind == "b":
        if indices.ndim != 1:
            raise ValueError(
                f"boolean array argument obj to insert must be one dimensional; insert() received shape {indices.shape}"
            )
        indices = xp.nonzero(indices)[0]
    elif indices.ndim > 1:
        raise ValueError(
            "index array argument obj to insert must be one dimensional or scalar; insert() received shape "
            f"{indices.shape}; flatten it with xtensor.reshape"
        )
    index_dtype = arr.device.default_dtypes["indexing"]
    values = as_values("insert", values, arr.dtype, arr.device)
    given, indices = indices, xp.astype(flattened(indices), index_dtype, copy=False)
    _check_bounds(indices, length, axis, length, "insert")
    indices = xp.where(indices < 0, indices + length, indices)
    if indices.size == 1:
        return _inserted(arr, axis, int(indices[0]), values, moves=not given.ndim)
    values = xp.broadcast_to(values, (*arr.shape[:axis], indices.shape[0], *arr.shape[axis + 1 :]))
    old = xp.arange(length, dtype=index_dtype, device=arr.device)
    order = xp.argsort(xp.concat((indices, old)), stable=True)
    return xp.take(xp.concat((values, arr), axis=axis), order, axis=axis)


@composed
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Array:
    """Return an array without the slices at its ends that hold only zeros.

    Parameters
    ----------
    filt
        Array of any shape and dtype.
    trim
        ``"f"`` to trim the front, ``"b"`` the back, ``"fb"`` both; in either case.
    axis
        The axis or axes along which to trim; None stands for all of them.

    Returns
    -------
    Array
        A slice of ``filt``. Blocks until the device has finished, because its shape depends on the values.

    Raises
    ------
    ValueError
        If ``trim`` has other characters, or ``axis`` is out of bounds.

    Notes
    -----
    NumPy, ``trim_zeros``.
    """
    x = as_arrays("trim_zeros", filt)[0]
    ends = trim.lower() if isinstance(trim, str) else ""
    if ends not in ("fb", "bf", "f", "b"):
        raise ValueError(f"unexpected character(s) in `trim`: {shortened(trim)}; trim_zeros() takes 'f', 'b' or 'fb'")
    axes = tuple(range(x.ndim)) if axis is None else check_axes(axis, x.ndim, "trim_zeros")
    if not x.ndim:
        return x
    key = [slice(None)] * x.ndim
    for position, indices in enumerate(xp.nonzero(x)):
        if position in axes:
            if not indices.size:
                key[position] = slice(0, 0)
                continue
            start = int(xp.min(indices)) if "f" in ends else 0
            stop = int(xp.max(indices)) + 1 if "b" in ends else x.shape[position]
            key[position] = slice(start, stop)
    return x[tuple(key)]


def _along_axis(arr: Any, axis: int | None, name: str, *others: Any) -> tuple[Array, int]:
    """Return an array and an axis of it; the flattened array and its axis without one.

    ``others`` are the arguments among which there may be an Array that determines the device.
    """
    arr = on_device(name, arr, shared_device(name, arr, *others))
    if axis is None:
        return flattened(arr), 0
    return arr, check_axis(axis, arr.ndim, name)


def _inserted(arr: Array, axis: int, position: int, values: Array, *, moves: bool) -> Array:
    """Return an array with values before one position; ``moves``: the first axis of the values is that of insertion."""
    values = with_axes_before(values, arr.ndim)
    if moves and axis:
        values = xp.moveaxis(values, 0, axis)
    length = arr.shape[axis]
    first = position if position >= 0 else position + length
    shape = (*arr.shape[:axis], values.shape[axis], *arr.shape[axis + 1 :])
    if values.shape != shape:
        values = xp.broadcast_to(values, shape)
    return _joined(axis, _part(arr, axis, 0, first), values, _part(arr, axis, first, length))


def _part(x: Array, axis: int, start: int, stop: int) -> Array:
    """Return the items of an array from ``start`` to ``stop`` along an axis."""
    return x[(*(slice(None),) * axis, slice(start, stop), ...)]


def _joined(axis: int, *parts: Array) -> Array:
    return xp.concat(parts, axis=axis)


def _check_bounds(indices: Array, largest: int, axis: int, length: int, name: str) -> None:
    """Raise IndexError for an index outside ``[-length, largest]``. Blocks until the device has finished."""
    if indices.size and (int(xp.min(indices)) < -length or int(xp.max(indices)) > largest):
        wrong = next(i for i in indices.tolist() if not -length <= i <= largest)
        raise IndexError(
            f"index {wrong} is out of bounds for axis {axis} with size {length}; {name}() takes indices from {-length} "
            f"to {largest} here"
        )
