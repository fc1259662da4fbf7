"""Checks of arguments that are the same on every device; errors name the value, what is expected and the remedy."""

from __future__ import annotations

from functools import cache
from operator import index
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import numpy as np

from .device import Device
from .dtypes import CASTINGS, Casting, DType, as_dtype
from .errors import describe, shortened
from .tracing_errors import UnknownValueError

if TYPE_CHECKING:
    from .annotations import Order

__all__ = [
    "LARGEST",
    "as_lengths",
    "axes_of_array",
    "check_axes",
    "check_axis",
    "check_bounds",
    "check_cast",
    "check_casting",
    "check_copy",
    "check_dtype",
    "check_flag",
    "check_function",
    "check_integer",
    "check_order",
    "check_shape",
    "check_size",
    "check_version",
    "check_word",
    "integer_limits",
    "is_word",
]

Word = TypeVar("Word", bound=str)

LARGEST: int = np.iinfo(np.int64).max
"""The largest number of elements that can be requested; no address space holds more bytes."""


def check_dtype(value: Any, device: Device, name: str) -> DType:
    """Return a ``dtype=`` argument as a ``numpy.dtype`` that the device supports."""
    dtype = as_dtype(value, name)
    if dtype not in device.dtypes and not device.supports(dtype):
        raise TypeError(
            f"{name}(): device {device} does not support dtype {dtype}; it supports {', '.join(device.dtype_names())}"
        )
    return dtype


def check_cast(source: DType, target: DType, name: str) -> None:
    """Raise TypeError for a cast that would discard imaginary components."""
    if source.kind == "c" and target.kind not in "cb":
        raise TypeError(
            f"{name}(): dtype {source} does not cast to {target}, which has no imaginary components; "
            "take xtensor.real(x) or xtensor.imag(x)"
        )


def check_bounds(value: Any, dtype: DType, function: str, name: str) -> None:
    """Raise OverflowError for a Python integer that an integer dtype cannot hold."""
    if value.__class__ is int and dtype.kind in "iu":
        least, greatest = integer_limits(dtype)
        if not least <= value <= greatest:
            raise OverflowError(
                f"Python integer {shortened(value)} out of bounds for {dtype}; {function}() takes {name} from "
                f"{least} to {greatest} for this dtype"
            )


@cache
def integer_limits(dtype: DType) -> tuple[int, int]:
    """Return the least and the greatest integer of an integer dtype."""
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max)


def check_axis(axis: Any, ndim: int, name: str, prefix: str = "") -> int:
    """Return an axis as an integer in ``[0, ndim)``. The message begins with ``prefix``, as NumPy's does."""
    position = axis if axis.__class__ is int else check_integer(axis, name, "axis")
    if not -ndim <= position < ndim:
        raise np.exceptions.AxisError(
            f"{prefix}axis {position} is out of bounds for array of dimension {ndim}; {name}() takes "
            + (f"axes from {-ndim} to {ndim - 1} here" if ndim else "no axis of a 0-d array")
        )
    return position + ndim if position < 0 else position


def check_axes(
    axis: Any, ndim: int, name: str, repeated: str = "duplicate value in 'axis'", prefix: str = ""
) -> tuple[int, ...]:
    """Return an axis or a tuple of axes as a tuple of integers in ``[0, ndim)``; raise ValueError for duplicates.

    ``repeated`` is the beginning of that message, NumPy's words, and ``prefix`` that of one for an axis out of bounds.
    """
    if axis.__class__ is int and -ndim <= axis < ndim:
        return (axis + ndim if axis < 0 else axis,)
    axis = axes_of_array(axis)
    if axis.__class__ is int or not isinstance(axis, (tuple, list)):
        return (check_axis(axis, ndim, name, prefix),)
    if len(axis) == 1:
        return (check_axis(axis[0], ndim, name, prefix),)
    axes = tuple([check_axis(item, ndim, name, prefix) for item in axis])
    if len(set(axes)) != len(axes):
        raise ValueError(f"{repeated}; {name}() takes each axis once, without duplicates, not {tuple(axis)}")
    return axes


def axes_of_array(axes: Any) -> Any:
    """Return a range or an array of axes as a tuple, as NumPy accepts them; other arguments unchanged."""
    if axes.__class__ in (int, tuple, list):
        return axes
    if not isinstance(axes, range) and not (getattr(axes, "ndim", None) and axes.size and axes.dtype.kind in "iu"):
        return axes
    return tuple([axes_of_array(item) for item in axes])


def check_integer(value: Any, function: str, name: str) -> int:
    """Return an argument that must be an integer (bool is refused)."""
    if value.__class__ is int:
        return value
    if isinstance(value, bool):
        raise TypeError(f"{function}(): {name} is an integer, not {value!r}")
    try:
        return index(value)
    except UnknownValueError:
        raise  # it names the line of a function of xtensor.fuse and the remedy
    except TypeError:
        raise TypeError(
            f"{type(value).__name__!r} object cannot be interpreted as an integer; {function}(): {name} is an integer, "
            f"not {describe(value)}"
        ) from None


def check_function(value: Any, function: str) -> None:
    """Raise TypeError unless an argument of a transform is a function."""
    if not callable(value):
        raise TypeError(f"{function}() takes a function, not {describe(value)}")


def check_flag(value: Any, function: str, name: str) -> bool:
    """Return an argument that must be True or False."""
    if isinstance(value, (bool, np.bool)):
        return bool(value)
    raise TypeError(f"{function}(): {name} is True or False, not {describe(value)}")


def check_copy(value: Any, function: str) -> bool | None:
    """Return a ``copy=`` argument: True, False or None."""
    if value is None:
        return None
    if isinstance(value, (bool, np.bool)):
        return bool(value)
    raise TypeError(f"{function}(): copy is True, False or None, not {describe(value)}")


def is_word(value: Any, words: tuple[Word, ...]) -> TypeGuard[Word]:
    """Return whether an argument is one of a few words; an array is not compared with them element by element."""
    return isinstance(value, str) and value in words


def check_word(value: Any, words: tuple[Word, ...], function: str, name: str) -> Word:
    """Return an argument that must be one of a few words."""
    if is_word(value, words):
        return value
    _check_text(value, function, name)
    *others, last = map(repr, words)
    listed = f"{', '.join(others)}, or {last}" if len(others) > 1 else f"{others[0]} or {last}"
    raise ValueError(f"{name} must be one of {listed} (got {shortened(value)}); pass one of them to {function}()")


def _check_text(value: Any, function: str, name: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be str, not {type(value).__name__}; {function}() received {describe(value)}")


def check_order(value: Any, function: str) -> Order:
    """Return NumPy's argument for a memory layout, in upper case; None is ``"C"``."""
    if value is None:
        return "C"
    is_lower = is_word(value, ("c", "f", "a", "k"))
    return check_word(value.upper() if is_lower else value, ("C", "F", "A", "K"), function, "order")


def check_casting(value: Any, function: str) -> Casting:
    """Return the name of one of NumPy's casting rules."""
    if is_word(value, CASTINGS):
        return value
    _check_text(value, function, "casting")
    raise ValueError(
        f"casting must be one of {', '.join(map(repr, CASTINGS))} (got {shortened(value)}); pass one of them to "
        f"{function}()"
    )


def check_size(elements: int, dtype: DType, function: str) -> None:
    """Raise ValueError for a result that no address space can hold, as libraries overflow on it."""
    if elements * dtype.itemsize > LARGEST:
        raise ValueError(
            f"{function}(): the result would have {elements} elements of {dtype}, more than memory has addresses"
        )


def check_shape(shape: Any, function: str, itemsize: int = 1) -> tuple[int, ...]:
    """Return a shape as a tuple of non-negative integers; an address space can hold that many items."""
    if shape.__class__ is int and 0 <= shape < 2**30:
        return (shape,)
    lengths = as_lengths(shape, function)
    size = 1
    for length in lengths:
        if length < 0:
            raise ValueError(
                f"negative dimensions are not allowed; {function}(): shape {lengths} has a negative length; lengths "
                "are 0 or more"
            )
        size *= length
    if size * itemsize > LARGEST:
        raise ValueError(f"{function}(): shape {lengths} has {size} elements, more than memory has addresses")
    return lengths


def as_lengths(shape: Any, function: str) -> tuple[int, ...]:
    """Return a shape, or one length, as a tuple of Python integers."""
    if shape.__class__ is int:
        return (shape,)
    if not isinstance(shape, (tuple, list)):
        return (check_integer(shape, function, "shape"),)
    for length in shape:
        if length.__class__ is not int:
            return tuple(check_integer(item, function, "each length of a shape") for item in shape)
    return tuple(shape)


VERSIONS = frozenset(("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"))


def check_version(api_version: object) -> None:
    """Raise ValueError for a version of the standard that the namespace does not support."""
    if api_version not in VERSIONS:
        raise ValueError(
            f"there is no namespace for version {describe(api_version)} of the Array API standard; "
            f"supported are {', '.join(sorted(VERSIONS))}"
        )
