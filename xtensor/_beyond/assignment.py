"""Assignment along an axis, with NumPy's name and signature."""

from __future__ import annotations

from typing import Any

from .. import _standard as xp
from .._core.array import Array, Scalar
from .._core.checks import check_axis
from .._core.dispatch import beside, composed, device_of

__all__ = ["put_along_axis"]


@composed
def put_along_axis(arr: Array, indices: Array, values: Array | Scalar, axis: int | None) -> None:
    """Assign to the elements at given indices along an axis, with separate indices for each line along it.

    Parameters
    ----------
    arr
        The Array to assign to, in place.
    indices
        The indices: an Array of integers with as many dimensions as ``arr``, such as the result of :func:`argsort`. Its
        other axes broadcast with those of ``arr``. Negative indices count from the end.
    values
        The new elements: a Python scalar, or an Array whose shape broadcasts to that of ``indices``.
    axis
        The axis; None assigns to the flattened array, and ``indices`` must have one dimension.

    Raises
    ------
    IndexError
        If an index is out of bounds, on devices that detect it.
    ValueError
        If the numbers of dimensions differ, or the shapes do not broadcast.
    TypeError
        If ``indices`` is not an Array of integers.

    Notes
    -----
    NumPy, ``put_along_axis``. The result for an index that appears twice is not defined.
    """
    device = device_of(arr, "put_along_axis")
    (_, indices) = beside("put_along_axis", arr, indices)
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
            f"put_along_axis(): indices need as many axes as the array, not shape {indices.shape} for shape {arr.shape}"
        )
    shape = tuple(
        indices.shape[i] if i == axis else xp.broadcast_shapes((indices.shape[i],), (length,))[0]
        for i, length in enumerate(arr.shape)
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
        # The device does not support assignment to index arrays.
        _assign_by_search(arr, key, values, shape)


def _along(x: Array, axis: int, ndim: int) -> Array:
    """Return a vector as an array of ``ndim`` dimensions whose other axes have length 1."""
    return xp.reshape(x, (*(1,) * axis, -1, *(1,) * (ndim - axis - 1)))


def _assign_by_search(arr: Array, key: tuple[Array, ...], values: Any, shape: tuple[int, ...]) -> None:
    """Do ``arr[key] = values`` for index arrays by a binary search for the index of each element of ``arr``."""
    device = arr._device
    flat = xp.zeros(shape, dtype=device.default_dtypes["integral"], device=device)
    for indices, length in zip(key, arr.shape, strict=True):
        flat = flat * length + xp.where(indices < 0, indices + length, indices)
    if not isinstance(values, Array):
        values = xp.asarray(values, dtype=arr.dtype, device=device)
    values = xp.reshape(xp.broadcast_to(xp.astype(values, arr.dtype), shape), (-1,))
    flat = xp.reshape(flat, (-1,))
    order = xp.argsort(flat)
    flat, values = xp.take(flat, order), xp.take(values, order)
    targets = xp.arange(arr.size, dtype=flat.dtype, device=device)
    last = xp.maximum(xp.searchsorted(flat, targets, side="right") - 1, 0)
    assigned = xp.take(flat, last) == targets
    arr[...] = xp.reshape(xp.where(assigned, xp.take(values, last), xp.reshape(arr, (-1,))), arr.shape)
