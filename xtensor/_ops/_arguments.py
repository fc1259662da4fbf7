"""Arguments of the functions beyond the standard: array-likes with Arrays, and ``out``.

Requirement: what NumPy accepts as an array is accepted next to an Array, without a transfer that the policy forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core import array
from .._core.array import Array
from .._core.calls import wrap
from .._core.device import Device
from .._core.devices import default_device
from .._core.dtypes import Casting, can_cast
from .._core.errors import describe
from .._core.failures import rewarned
from .._core.operands import HOST_ARRAYS, OF_PYTHON, SCALARS, common_device, computing_device, native_operand
from .._core.transfers import allowed
from .conversion import from_list, leaves

__all__ = [
    "as_arrays",
    "as_operand",
    "flattened",
    "on_device",
    "shared_device",
    "store",
    "with_axes_before",
    "with_derivative_of",
    "with_three_axes",
]


WITHOUT_DEVICE = frozenset((bool, int, float, complex, slice, type(None)))
"""Classes of arguments that neither are arrays nor contain some."""


def as_arrays(function: str, *values: Any) -> tuple[Array, ...]:
    """Return array-likes as Arrays on the device of the Arrays among them.

    Parameters
    ----------
    function
        Name of the public function, for messages.
    *values
        Arrays, scalars, nested sequences of them, and NumPy arrays; at least one Array, or a sequence that holds one.

    Raises
    ------
    TypeError
        If no value is an Array, or a value is neither an array nor numbers.
    DeviceMismatchError
        If Arrays are on different devices and transfers are forbidden.
    """
    if values and all_on_one_device(values):
        return values
    device = shared_device(function, *values)
    return tuple([on_device(function, value, device) for value in values])


def all_on_one_device(values: Sequence[Any]) -> bool:
    """Tell whether all values are Arrays of one device, which need no conversion."""
    first = values[0]
    if first.__class__ is not Array:
        return False
    device = first._device
    for value in values:  # noqa: SIM110 - all() takes three times as long
        if value.__class__ is not Array or value._device is not device:
            return False
    return True


def shared_device(function: str, *values: Any) -> Device:
    """Return the device of the arrays among values and in sequences of them, else the default device for numbers.

    Without an array and without numbers, or with numbers alone where that device is ``strict``, TypeError is raised.
    """
    first = values[0] if values else None
    if first.__class__ is Array:
        for value in values:
            if value is not first and value.__class__ not in WITHOUT_DEVICE:
                break
        else:
            return first._device
    items = [*leaves(values)]
    device: Device | None = common_device(items)
    if device is None and any(isinstance(value, (bool, int, float, complex)) for value in items):
        device = default_device()
        if device._library.defined_only:
            device = None
    return computing_device(function, values, items) if device is None else device


def flattened(x: Array) -> Array:
    """Return an array in one dimension: itself if it has one, else a view or a copy."""
    return x if x.ndim == 1 else xp.reshape(x, (-1,))


def with_axes_before(x: Array, ndim: int) -> Array:
    """Return an array with axes of length 1 before the others, so that it has ``ndim`` at least."""
    missing = ndim - x.ndim
    return x if missing <= 0 else x[(*(None,) * missing, ...)]


def with_three_axes(x: Array) -> Array:
    """Return an array with at least three axes, as :func:`atleast_3d`."""
    ndim = x.ndim
    if ndim > 2:
        return x
    return x[..., None] if ndim == 2 else x[None, :, None] if ndim else x[None, None, None]


def on_device(function: str, value: Any, device: Device) -> Array:
    """Return an array-like as an Array on a device; the transfer of an Array or a NumPy array obeys the policy."""
    if value.__class__ is Array and value._device is device:
        return value
    if isinstance(value, OF_PYTHON):
        return from_list(function, value, device)
    return wrap(native_operand(value, device, function), device)


def as_operand(function: str, value: Any, device: Device) -> Any:
    """Return an array-like as an Array on a device; a Python number, which promotes weakly, as it is."""
    return value if value.__class__ in SCALARS else on_device(function, value, device)


def store(function: str, result: Array, out: Any, casting: Casting = "same_kind") -> Array:
    """Return a result, written into ``out`` if that is given, as NumPy's functions do.

    ``out`` is an Array, or a NumPy array where the result is on the host or the policy allows the transfer.

    Raises
    ------
    TypeError
        If ``out`` is not an array, or the result's dtype does not cast to that of ``out``.
    ValueError
        If the shapes differ.
    """
    if out is None:
        return result
    if out.__class__ is not Array and out.__class__ not in HOST_ARRAYS:
        raise TypeError(f"return arrays must be of ArrayType: {function}() takes an Array for out, not {describe(out)}")
    if not can_cast(result.dtype, out.dtype, casting):
        raise TypeError(
            f"Cannot cast {function} output from {result.dtype!r} to {out.dtype!r} with casting rule '{casting}'; pass "
            "an Array of a wider dtype for out"
        )
    if out.shape != result.shape:
        raise ValueError(
            f"{function}(): output parameter out has shape {out.shape}, but the result has shape {result.shape}"
        )
    if out.__class__ is Array:
        out[...] = xp.astype(result, out.dtype, copy=False)
    else:
        device = result._device
        if not device.host and not allowed(result._native, device, "the host"):
            raise TypeError(
                f"return arrays must be of ArrayType: {function}() on device {device} writes into an Array, not into "
                f"{describe(out)}; pass an Array for out, or allow the transfer with xtensor.transfers('allow')"
            )
        rewarned(np.copyto, out, device._library.to_host(result._native), casting=casting)
    return out  # type: ignore[no-any-return]


def with_derivative_of(other: Array, value: Array) -> Array:
    """Return the value of one Array with the derivative of another one, see :mod:`xtensor.autograd`."""
    return array.xp.autograd._custom.with_derivative_of(other, value)  # type: ignore[no-any-return]
