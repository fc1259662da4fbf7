"""Indexing functions (Array API standard 2025.12, "Indexing Functions")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import check_axis
from .._core.errors import shortened
from .._core.indexing import native_indices
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import take_by_kernel
from .._core.operands import (
    array_argument,
    array_arguments,
    coerce_operands,
    native_operand,
    not_an_array,
    on_transform_of,
)
from .._core.operations import declare
from ._composing import along
from .conversion import from_list
from .filling import zeros

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["take", "take_along_axis"]


def _compose_take(xp: Any, x: Native, indices: Native, *, axis: int) -> Native:
    return xp.getitem(x, along(axis, indices))


TAKE = declare("take", "indexing", operands=2, shape="argument", numpy="take", composition=_compose_take)


@keywords_only
def take(x: AnyArray, indices: AnyArray | int | list[int], /, *positional: Never, axis: int | None = None) -> Array:
    """Return the elements of an array at given indices along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions.
    indices
        1-d Array of an integer dtype, or a list of integers; or an int, which selects without ``axis``, as in NumPy.
        Negative indices count from the end.
    axis
        Axis along which to select; optional for a 1-d array only.

    Returns
    -------
    Array
        Array of the dtype of ``x`` and its shape, with the length of ``indices`` along ``axis``.

    Raises
    ------
    IndexError
        If an index is out of bounds.
    TypeError
        If ``indices`` is not an Array of an integer dtype.
    ValueError
        If ``axis`` is out of bounds, or is None and ``x`` does not have exactly one dimension.

    Notes
    -----
    Standard 2025.12, Indexing Functions, ``take``.
    """
    if positional:
        raise by_position(take, positional)
    if isinstance(indices, list):
        x = array_argument(x, "take")
        indices = (
            from_list("take", indices, x.device)
            if indices
            else zeros(0, dtype=x.device.default_dtypes["integral"], device=x.device)
        )
    x, indices = coerce_operands("take", x, indices)
    x = on_transform_of(array_argument(x, "take"), indices)
    device = x._device
    if axis is None:
        if x.ndim != 1:
            raise ValueError(
                f"take(): axis is required for an array of shape {x.shape}; it has a default for 1-d arrays only"
            )
        axis = 0
    axis = check_axis(axis, x.ndim, "take")
    if isinstance(indices, int) and not isinstance(indices, bool):
        length = x.shape[axis]
        if not -length <= indices < length:
            raise IndexError(
                f"index {shortened(indices)} is out of bounds for axis {axis} with size {length}; take() takes indices "
                "within the axis"
            )
        return x[(*[slice(None)] * axis, indices, ...)]
    natives = x._native, _native_indices(x, indices, "take")
    taken: Array = NotImplemented if axis else take_by_kernel(device, *natives)
    return apply(TAKE, device, *natives, axis=axis) if taken is NotImplemented else taken


def _compose_take_along_axis(xp: Any, x: Native, indices: Native, *, axis: int) -> Native:
    axis %= x.ndim
    key = []
    for position, length in enumerate(x.shape):
        if position == axis:
            key.append(indices)
        else:
            shape = tuple(length if item == position else 1 for item in range(x.ndim))
            key.append(xp.reshape(xp.arange(0, length, 1, dtype=xp.default_integer), shape))
    return xp.getitem(x, tuple(key))


TAKE_ALONG_AXIS = declare(
    "take_along_axis",
    "indexing",
    operands=2,
    shape="argument",
    numpy="take_along_axis",
    composition=_compose_take_along_axis,
)


@keywords_only
def take_along_axis(x: AnyArray, indices: AnyArray, /, *positional: Never, axis: int = -1) -> Array:
    """Return the elements of an array at given indices along an axis, with separate indices for each 1-d slice.

    Parameters
    ----------
    x
        Array of one or more dimensions.
    indices
        Array of an integer dtype with the number of dimensions of ``x`` (the result of ``argsort``, for example); its
        shape broadcasts with that of ``x`` in every axis except ``axis``. Negative indices count from the end.
    axis
        Axis along which to select.

    Returns
    -------
    Array
        Array of the dtype of ``x``, with the length of ``indices`` along ``axis`` and the broadcast lengths along the
        other axes.

    Raises
    ------
    IndexError
        If an index is out of bounds.
    TypeError
        If ``indices`` is not an Array of an integer dtype.
    ValueError
        If the numbers of dimensions differ, or ``axis`` is out of bounds.

    Notes
    -----
    Standard 2025.12, Indexing Functions, ``take_along_axis``.
    """
    if positional:
        raise by_position(take_along_axis, positional)
    x, indices = array_arguments("take_along_axis", x, indices)
    x = on_transform_of(x, indices)
    device = x._device
    axis = check_axis(axis, x.ndim, "take_along_axis")
    native_indices = _native_indices(x, indices, "take_along_axis")
    if native_indices.ndim != x.ndim:
        raise ValueError(
            "`indices` and `arr` must have the same number of dimensions; take_along_axis() received indices of shape "
            f"{native_indices.shape} and an array of shape {x.shape}; reshape the indices"
        )
    taken: Array = take_by_kernel(device, x._native, native_indices) if x.ndim == 1 else NotImplemented
    return apply(TAKE_ALONG_AXIS, device, x._native, native_indices, axis=axis) if taken is NotImplemented else taken


def _native_indices(x: Array, indices: Any, name: str) -> Native:
    """Return indices as a native array of the device of ``x``; raise TypeError unless they are an Array of integers."""
    if indices.__class__ is not Array:
        raise not_an_array(name, indices)
    if indices.dtype.kind not in "iu":
        raise TypeError(f"{name}(): indices are integers, not dtype {indices.dtype}; cast them with xtensor.astype")
    return native_indices(native_operand(indices, x._device, name), x._device)
