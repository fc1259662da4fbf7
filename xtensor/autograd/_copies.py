"""Copies of what others may write to: a record keeps the values that an array had when it was used."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any

import numpy as np

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import wrap
from .._core.device import Device
from .._core.operations import operation

__all__ = ["by_value", "copied", "fresh"]

ASTYPE = operation("astype").index

LARGE = 2**14
"""Elements from which a second copy of an array is not made while the first one is in use and equal."""

_copies: dict[Any, weakref.ref[Any]] = {}
"""The copies of large NumPy arrays, by address and layout."""


def by_value(native: Native, device: Device) -> Native:
    """Return a native array's present values in memory that nobody else writes to.

    A loop may use one large constant in each step: its copy is used again as long as the constant has not changed.
    """
    if device.base is not None:
        of_transform = getattr(device._library, "by_value", None)
        if of_transform is not None:
            return of_transform(native)
    if native.__class__ is not np.ndarray:
        return copied(native, device)
    if not native.flags.writeable and _is_read_only(native):
        return native
    if native.size < LARGE:
        return native.copy(order="K")
    layout = native.__array_interface__["data"][0], native.shape, native.strides, native.dtype
    reference = _copies.get(layout)
    copy = None if reference is None else reference()
    if copy is None or not _has_bits_of(copy, native):
        copy = native.copy(order="K")
        _copies[layout] = weakref.ref(copy, partial(_forget, layout))
    return copy


def fresh(x: Array) -> Array:
    """Return an Array's values in memory of its own; on a transform, where all Arrays are values, the Array."""
    return x if x._device.base is not None else wrap(copied(x._native, x._device), x._device)


def copied(native: Native, device: Device) -> Native:
    """Return a native array's values in memory of its own, as :func:`fresh` does for Arrays."""
    if device.base is not None:
        return native
    return device.table[ASTYPE].function(native, native.dtype, copy=True)


def _forget(layout: Any, reference: weakref.ref[Any]) -> None:
    if _copies.get(layout) is reference:
        del _copies[layout]


def _has_bits_of(copy: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays of one dtype have the same bits: NaN equals itself, and 0.0 is not -0.0."""
    if x.dtype.kind == "c":
        return _has_bits_of(copy.real, x.real) and _has_bits_of(copy.imag, x.imag)
    word = f"u{x.dtype.itemsize}"
    return np.array_equal(copy.view(word), x.view(word))


def _is_read_only(array: Any) -> bool:
    """Whether no NumPy array on the same memory can be written to."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    return True
