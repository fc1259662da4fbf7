"""Keys of an Array: the elements that they select, and the errors of keys that do not fit."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import EllipsisType
from typing import Any

import numpy as np

from .backend import Native
from .boundary import cause
from .calls import call
from .checks import LARGEST, check_bounds
from .device import Device
from .failures import explained
from .operands import SEQUENCES, native_operand
from .operations import declare, operation
from .resolved_keys import NO_INDEX

__all__ = [
    "ASSIGNED_WHERE",
    "PLAIN_KEYS",
    "SELECTED",
    "assigned",
    "assigned_by_kernel",
    "detached",
    "has_ellipsis",
    "is_plain",
    "key_error",
    "native_indices",
    "native_key",
    "selected_by_kernel",
    "selecting",
]

ASTYPE = operation("astype")
MINIMUM = operation("minimum")

UINT64 = np.dtype(np.uint64)

PLAIN_KEYS = frozenset((int, slice, type(None), EllipsisType))
"""The classes of keys that a library takes as they are."""

NEVER = sys.maxsize
"""The minimum size of a kernel where the device has none."""

ASSIGNED_WHERE = declare("assigned_where", "signal", operands=3, shape="same", primitive=False)
"""``(x, mask, values)``: assign values where a mask is true.

All have one shape, but values may be a 0-d array or a Python number; array and values have one dtype.
"""

SELECTED = declare("selected", "signal", operands=2, shape="argument", primitive=False)
"""``(x, key)``: the elements or rows where a mask is true, or those at indices, along the first axis."""


def selecting(device: Device) -> Callable[[Native, Native], Native]:
    """Return the function that selects elements by an array: a kernel for keys of many elements, or the library's."""
    return partial(_select, device)


def selected_by_kernel(device: Device, native: Native, key: Native) -> Native:
    """Return what a key selects if it is of many elements or of large rows; NotImplemented without a kernel for it."""
    implementation = device.table[SELECTED.index]
    size = implementation.min_size
    if key.size < size and (native.ndim < 2 or size == NEVER or key.size * native.shape[-1] < size):
        return NotImplemented
    return implementation.kernel(native, key)


def assigned_by_kernel(device: Device, native: Native, key: Native, value: Any) -> bool:
    """Assign a value where a mask of many elements is true; tell whether a kernel has done so."""
    implementation = device.table[ASSIGNED_WHERE.index]
    if key.size < implementation.min_size:
        return False
    return implementation.kernel(native, key, value, None) is not NotImplemented


def as_index(values: list[Any], xp: Any, device: Device) -> Any:
    """Return a list that is an index as an Array."""
    try:
        return xp.asarray(values, device=device)
    except TypeError as error:  # texts, slices or other objects
        raise IndexError(f"{NO_INDEX}; a list as an index holds integers or booleans") from cause(error)


def _select(device: Device, native: Native, key: Native) -> Native:
    selected = selected_by_kernel(device, native, key)
    if selected is not NotImplemented:
        return selected
    get = device.getitem
    return native[key] if get is None else get(native, key)


def is_plain(key: Any) -> bool:
    """Whether a key holds no array, number of NumPy or sequence."""
    return PLAIN_KEYS.issuperset(map(type, key)) if key.__class__ is tuple else key.__class__ in PLAIN_KEYS


def native_key(key: Any, device: Device, xp: Any) -> Any:
    """Return a key with its Arrays as native arrays of a device."""
    if key.__class__ is tuple:
        return tuple([part if part.__class__ in PLAIN_KEYS else native_key(part, device, xp) for part in key])
    if isinstance(key, np.ndarray):
        if key.dtype.kind not in "biu":
            raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {key.dtype}")
        key = key.astype(key.dtype.newbyteorder("="), copy=False)
        return native_indices(device._library.from_host(key, device._backend_spec, copy=None), device)
    if isinstance(key, list):
        key = as_index(key, xp, device)
        return (key if key.size else xp.astype(key, np.int64))._native
    if not hasattr(key, "_device"):
        return key
    return native_indices(key._native if key._device is device else native_operand(key, device, "index"), device)


def detached(native: Native, key: Any, device: Device) -> Native:
    """Return what a key of integers alone selects as a copy, because elements are values, not views.

    With an ellipsis the result is a view, as in NumPy. An engine's elements are arrays of their own.
    """
    if device.lazy or has_ellipsis(key):
        return native
    return call(ASTYPE, device, native, native.dtype, copy=True)


def has_ellipsis(key: Any) -> bool:
    """Whether a key has an ellipsis: what it selects is a view, also without axes."""
    if key.__class__ is not tuple:
        return key is ...
    for part in key:  # noqa: SIM110 - any() takes three times as long
        if part is ...:
            return True
    return False


def key_error(error: Exception, native: Native, device: Device, key: Any, *value: Any) -> Exception:
    """Return an indexing error that names the key and the shape."""
    if isinstance(error, OverflowError) and value:
        try:
            check_bounds(value[0], native.dtype, "__setitem__", "a value")
        except OverflowError as clearer:
            return clearer
    return explained(error, "__setitem__" if value else "__getitem__", device, (native, key, *value))


def native_indices(indices: Native, device: Device) -> Native:
    """Return an index array in whose dtype no element beyond the index dtype wraps to a negative index."""
    if indices.dtype != UINT64:
        return indices
    return call(MINIMUM, device, indices, LARGEST)


def assigned(x: Any, value: Any, xp: Any) -> Any:
    """Return what is assigned to ``x``; a sequence, or NumPy's floating-point number for integers, as an Array.

    NaN and infinities are no integers: they raise as in Python, and so do integers out of bounds.
    """
    if isinstance(value, np.integer) and x.dtype.kind in "iu":
        return int(value)  # whose bounds are checked, where an array of integers wraps around
    sequence = isinstance(value, SEQUENCES)
    if not sequence and not (isinstance(value, np.floating) and x.dtype.kind in "iu"):
        return value
    result = xp.asarray(value, device=x.device)
    if x.dtype.kind in "iu" and result.dtype.kind in "iu" and result.dtype != x.dtype:
        return xp.asarray(value, dtype=x.dtype, device=x.device)  # which checks the bounds of the dtype
    if x.dtype.kind in "iu" and result.dtype.kind == "f" and not xp.all(xp.isfinite(result)):
        error, number = (ValueError, "NaN") if xp.any(xp.isnan(result)) else (OverflowError, "infinity")
        raise error(f"cannot convert float {number} to integer; assign finite numbers to an Array of dtype {x.dtype}")
    return result
