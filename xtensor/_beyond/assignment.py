"""Assignment along an axis, in NumPy's name and signature."""

from __future__ import annotations

from typing import Any

from .. import _standard as xp
from .._core.array import Array, Scalar
from .._core.checks import check_axis
from .._core.dispatch import composed, device_of

__all__ = ["put_along_axis"]


@composed
def put_along_axis(arr: Array, indices: Array, values: Array | Scalar, axis: int | None) -> None:
    """Set the elements at given positions along an axis, other positions for each line along it.

    Parameters
    ----------
    arr
        The Array that is written to.
    indices
        The positions: an Array of integers, of as many dimensions as ``arr`` and a shape that broadcasts with it but
        for ``axis``; what ``argsort`` gives, for example. Negative ones count from the end.
    values
        What is written: a Python scalar, or an Array whose shape broadcasts to that of ``indices``.
    axis
        The axis; None stands for the flattened array, for which ``indices`` has one dimension.

    Raises
    ------
    IndexError
        If a position is out of bounds, on devices that find out.
    ValueError
        If the numbers of dimensions differ, or the shapes do not fit.
    TypeError
        If ``indices`` holds no integers.

    Notes
    -----
    NumPy, ``put_along_axis``. Which value stays at a position that is named twice is not defined.
    """
    device = device_of(arr, "put_along_axis")
    device_of(indices, "put_along_axis")
    if indices.dtype.kind not in "iu":
        raise TypeError(f"put_along_axis(): indices are integers, not dtype {indices.dtype}; cast with xtensor.astype")
    if axis is None:
        if indices.ndim != 1:
            raise ValueError(f"put_along_axis(): with axis=None indices have one dimension, not shape {indices.shape}")
        flat = xp.reshape(arr, (-1,), copy=True)
        put_along_axis(flat, indices, values, 0)
        arr[...] = xp.reshape(flat, arr.shape)
        return
    axis = check_axis(axis, arr.ndim, "put_along_axis")
    if indices.ndim != arr.ndim:
        raise ValueError(
            f"put_along_axis(): indices of shape {indices.shape} and an array of shape {arr.shape} need as many axes"
        )
    lengths = tuple(-1 if i == axis else length for i, length in enumerate(arr.shape))
    shape = tuple(
        indices.shape[i] if length < 0 else xp.broadcast_shapes((indices.shape[i],), (length,))[0]
        for i, length in enumerate(lengths)
    )
    key = tuple(
        indices if i == axis else _along(xp.arange(length, device=device), i, arr.ndim)
        for i, length in enumerate(arr.shape)
    )
    if not indices.size:
        return
    try:
        arr[key] = values
    except IndexError:
        if int(xp.min(indices)) < -arr.shape[axis] or int(xp.max(indices)) >= arr.shape[axis]:
            raise
        # A device that assigns to no index arrays: each element looks for the position that names it.
        _put(arr, key, values, shape)


def _along(x: Array, axis: int, ndim: int) -> Array:
    """A vector as an array whose only axis longer than 1 is a given one."""
    return xp.reshape(x, (*(1,) * axis, -1, *(1,) * (ndim - axis - 1)))


def _put(arr: Array, key: tuple[Array, ...], values: Any, shape: tuple[int, ...]) -> None:
    """``arr[key] = values`` for index arrays, without an assignment to index arrays."""
    device = arr._device
    position = xp.zeros(shape, dtype=device.default_dtypes["integral"], device=device)
    for indices, length in zip(key, arr.shape, strict=True):
        position = position * length + xp.where(indices < 0, indices + length, indices)
    if not isinstance(values, Array):
        values = xp.asarray(values, dtype=arr.dtype, device=device)
    values = xp.reshape(xp.broadcast_to(xp.astype(values, arr.dtype), shape), (-1,))
    position = xp.reshape(position, (-1,))
    order = xp.argsort(position)
    position, values = xp.take(position, order), xp.take(values, order)
    targets = xp.arange(arr.size, dtype=position.dtype, device=device)
    last = xp.maximum(xp.searchsorted(position, targets, side="right") - 1, 0)
    named = xp.take(position, last) == targets
    arr[...] = xp.reshape(xp.where(named, xp.take(values, last), xp.reshape(arr, (-1,))), arr.shape)
