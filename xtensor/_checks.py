"""Checks of arguments that are the same on every device, with errors that say what was met and what to do."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from ._bfloat16 import is_installed, loaded
from ._device import Device, renew_dtypes
from ._errors import describe
from .backend import STANDARD_DTYPES, DType

__all__ = [
    "LARGEST",
    "as_dtype",
    "as_lengths",
    "check_axes",
    "check_axis",
    "check_cast",
    "check_copy",
    "check_dtype",
    "check_flag",
    "check_integer",
    "check_shape",
    "check_size",
    "check_word",
]

LARGEST: int = np.iinfo(np.int64).max
"""The most elements an array can be asked to have: more than any address space holds."""


KNOWN: set[DType] = {*STANDARD_DTYPES, np.dtype(np.float16)}
"""The standard's dtypes, and those that some devices have beyond them; bfloat16 joins when it is first met."""

CLASSES: set[Any] = {type(dtype) for dtype in KNOWN}


def as_dtype(value: Any, name: str) -> DType:
    """An argument that must be a dtype as a ``numpy.dtype``; booleans and numbers only."""
    if value.__class__ in CLASSES and value in KNOWN:
        return value  # type: ignore[no-any-return]
    dtype: DType | None = None
    if isinstance(value, (np.dtype, type, str)):
        if value.__class__ is str and value == "bfloat16":
            is_installed()
        try:
            dtype = np.dtype(value)
        except TypeError:
            dtype = None
    if dtype is not None and dtype in loaded() and dtype not in KNOWN:
        KNOWN.add(dtype)
        CLASSES.add(type(dtype))
        renew_dtypes()
    if dtype is None or dtype not in KNOWN:
        raise TypeError(
            f"{name}() takes a dtype of booleans or numbers, such as xtensor.float32, not {describe(value)}"
        )
    return dtype


def check_dtype(value: Any, device: Device, name: str) -> DType:
    """A ``dtype=`` argument as a ``numpy.dtype`` that the device computes with."""
    dtype = as_dtype(value, name)
    if dtype not in device.dtypes:
        names = ", ".join(sorted(map(str, device.dtypes)))
        raise TypeError(f"{name}(): device {device} does not compute with dtype {dtype}; it has {names}")
    return dtype


def check_cast(source: DType, target: DType, name: str) -> None:
    """Refuse to drop imaginary components silently."""
    if source.kind == "c" and target.kind not in "cb":
        raise TypeError(
            f"{name}(): dtype {source} does not cast to {target}, which has no imaginary components; "
            "take xtensor.real(x) or xtensor.imag(x)"
        )


def check_axis(axis: Any, ndim: int, name: str) -> int:
    """One axis as an integer in ``[0, ndim)``."""
    position = axis if axis.__class__ is int else check_integer(axis, name, "axis")
    if not -ndim <= position < ndim:
        raise np.exceptions.AxisError(
            f"{name}(): axis {position} is out of bounds for an array of {ndim} dimensions; "
            + (f"axes go from {-ndim} to {ndim - 1}" if ndim else "a 0-d array has no axes")
        )
    return position + ndim if position < 0 else position


def check_axes(axis: Any, ndim: int, name: str) -> tuple[int, ...]:
    """An axis or a tuple of axes, each in ``[0, ndim)``, none twice."""
    if axis.__class__ is int or not isinstance(axis, (tuple, list)):
        return (check_axis(axis, ndim, name),)
    if len(axis) == 1:
        return (check_axis(axis[0], ndim, name),)
    axes = tuple([check_axis(item, ndim, name) for item in axis])
    if len(set(axes)) != len(axes):
        raise ValueError(f"{name}(): axis {tuple(axis)} names an axis twice; name each once")
    return axes


def check_integer(value: Any, function: str, name: str) -> int:
    """An argument that must be an integer (and no bool)."""
    if isinstance(value, bool):
        raise TypeError(f"{function}(): {name} is an integer, not {value!r}")
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{function}(): {name} is an integer, not {describe(value)}") from None


def check_flag(value: Any, function: str, name: str) -> bool:
    """An argument that must be True or False."""
    if isinstance(value, (bool, np.bool)):
        return bool(value)
    raise TypeError(f"{function}(): {name} is True or False, not {describe(value)}")


def check_copy(value: Any, function: str) -> bool | None:
    """A ``copy=`` argument."""
    if value is None:
        return None
    if isinstance(value, (bool, np.bool)):
        return bool(value)
    raise TypeError(f"{function}(): copy is True, False or None, not {describe(value)}")


def check_word(value: Any, words: tuple[str, ...], function: str, name: str) -> str:
    """An argument that must be one of a few words."""
    if isinstance(value, str) and value in words:
        return value
    raise ValueError(f"{function}(): {name} is {' or '.join(map(repr, words))}, not {describe(value)}")


def check_size(elements: int, dtype: DType, function: str) -> None:
    """Refuse a result that no address space can hold, before a library multiplies without looking."""
    if elements * dtype.itemsize > LARGEST:
        raise ValueError(
            f"{function}(): the result would have {elements} elements of {dtype}, more than memory has addresses"
        )


def check_shape(shape: Any, function: str) -> tuple[int, ...]:
    """A shape as a tuple of lengths, none negative, their product within any address space."""
    if shape.__class__ is int and 0 <= shape < 2**30:
        return (shape,)
    lengths = as_lengths(shape, function)
    size = 1
    for length in lengths:
        if length < 0:
            raise ValueError(f"{function}(): shape {lengths} has a negative length; lengths are 0 or more")
        size *= length
    if size > LARGEST:
        raise ValueError(f"{function}(): shape {lengths} has {size} elements, more than memory has addresses")
    return lengths


def as_lengths(shape: Any, function: str) -> tuple[int, ...]:
    """A shape, or one length, as a tuple of Python integers."""
    if shape.__class__ is int:
        return (shape,)
    if not isinstance(shape, (tuple, list)):
        return (check_integer(shape, function, "shape"),)
    for length in shape:
        if length.__class__ is not int:
            return tuple(check_integer(item, function, "each length of a shape") for item in shape)
    return tuple(shape)
