"""Indexing functions (Array API standard 2025.12, "Indexing Functions")."""

from __future__ import annotations

from typing import Any

from .. import _composed
from .._core.array import Array, apply
from .._core.backend import Native
from .._core.checks import check_axis
from .._core.dispatch import device_of, native_operand, not_an_array
from .._core.operations import declare

__all__ = ["take", "take_along_axis"]


TAKE = declare("take", "indexing", operands=2, shape="argument", numpy="take", composition=_composed.searching.take)


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """The parts of an array at given positions along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions.
    indices
        The positions: an Array of integers in one dimension; negative ones count from the end.
    axis
        The axis; may be left out for an array of one dimension.

    Returns
    -------
    Array
        Of the shape of ``x``, but as long along ``axis`` as ``indices``.

    Raises
    ------
    IndexError
        If a position is out of bounds.
    ValueError
        If ``axis`` is missing for more than one dimension, or out of bounds.

    Notes
    -----
    Standard 2025.12, Indexing Functions, ``take``.
    """
    device = device_of(x, "take")
    if axis is None:
        if x.ndim != 1:
            raise ValueError(
                f"take() needs an axis for an array of shape {x.shape}; only one of 1 dimension has a default"
            )
        axis = 0
    axis = check_axis(axis, x.ndim, "take")
    return apply(TAKE, device, x._native, _indices(x, indices, "take"), axis=axis)


TAKE_ALONG_AXIS = declare(
    "take_along_axis",
    "indexing",
    operands=2,
    shape="argument",
    numpy="take_along_axis",
    composition=_composed.searching.take_along_axis,
)


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """The elements of an array at given positions along an axis, other positions for each line along it.

    Parameters
    ----------
    x
        Array of one or more dimensions.
    indices
        The positions: an Array of integers, of as many dimensions as ``x`` and a shape that broadcasts with it but
        for ``axis``; what ``argsort`` gives, for example. Negative ones count from the end.
    axis
        The axis.

    Returns
    -------
    Array
        Of the shape of ``indices`` broadcast against ``x`` in the other axes.

    Raises
    ------
    IndexError
        If a position is out of bounds.
    ValueError
        If the numbers of dimensions differ, or the axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Indexing Functions, ``take_along_axis``.
    """
    device = device_of(x, "take_along_axis")
    axis = check_axis(axis, x.ndim, "take_along_axis")
    positions = _indices(x, indices, "take_along_axis")
    if positions.ndim != x.ndim:
        raise ValueError(
            f"take_along_axis(): indices of shape {positions.shape} and an array of shape {x.shape} need as many axes"
        )
    return apply(TAKE_ALONG_AXIS, device, x._native, positions, axis=axis)


def _indices(x: Array, indices: Any, name: str) -> Native:
    if indices.__class__ is not Array:
        raise not_an_array(name, indices)
    if indices.dtype.kind not in "iu":
        raise TypeError(f"{name}(): indices are integers, not dtype {indices.dtype}; cast with xtensor.astype")
    return native_operand(indices, x._device, name)
