"""Casts, checks and reads of arguments that several functions beyond the standard share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_integer, is_word
from .._core.device import Device
from .._core.devices import resolve
from .._core.dtypes import DType, result_type
from .._core.errors import describe, shortened
from .._core.operands import OF_PYTHON, SEQUENCES
from ._arguments import as_arrays, flattened, on_device
from ._casts import supported

__all__ = [
    "as_indices",
    "as_values",
    "check_mode",
    "creation_device",
    "cycled",
    "integers",
    "items",
    "sequence",
    "weakly_promoted",
    "within",
]


def weakly_promoted(given: Sequence[Any], arrays: Sequence[Array]) -> tuple[Array, ...]:
    """Return arrays, made of given values, in their common dtype, whose precision Python numbers do not affect."""
    weak = [value.__class__ in (int, float, complex) for value in given]
    kinds: list[Any] = [value if is_weak else x.dtype for value, x, is_weak in zip(given, arrays, weak, strict=True)]
    dtype = arrays[0].dtype if all(weak) and len(arrays) == 1 else supported(result_type(*kinds), arrays[0].device)
    return tuple(
        xp.asarray(value, dtype=dtype, device=x.device) if is_weak else xp.astype(x, dtype, copy=False)
        for value, x, is_weak in zip(given, arrays, weak, strict=True)
    )


def items(function: str, x: Array) -> tuple[Array, ...]:
    """Return the items of an Array along its first axis."""
    if not x.ndim:
        raise TypeError(
            f"iteration over a 0-d array; {function}() takes the items of an Array of one or more dimensions"
        )
    return xp.unstack(x)


def sequence(function: str, values: Any) -> tuple[Array, ...]:
    """Return the items of a sequence of array-likes, or of an Array along its first axis, as Arrays of one device."""
    if values.__class__ is Array:
        return items(function, values)
    if not isinstance(values, (list, tuple)):
        raise TypeError(
            'arrays to stack must be passed as a "sequence" type such as list or tuple. '
            f"{function}() takes a list or a tuple with at least one xtensor Array, not {describe(values)}"
        )
    if not values:
        raise ValueError(f"need at least one array to concatenate; {function}() received an empty sequence")
    return as_arrays(function, *values)


def as_indices(function: str, value: Any, device: Device) -> Array:
    """Return an array-like of integers or booleans as an Array; an empty list holds integers."""
    indices = on_device(function, value, device)
    if not indices.size and isinstance(value, SEQUENCES):
        return xp.astype(indices, device.default_dtypes["indexing"], copy=False)
    if indices.dtype.kind not in "biu":
        raise IndexError(
            f"arrays used as indices must be of integer (or boolean) type; {function}() received dtype "
            f"{indices.dtype}; cast with xtensor.astype"
        )
    return indices


def as_values(function: str, values: Any, dtype: DType, device: Device) -> Array:
    """Return array-like values in the dtype of the array that they are written to."""
    if isinstance(values, OF_PYTHON):
        return xp.asarray(values, dtype=dtype, device=device)
    return xp.astype(on_device(function, values, device), dtype, copy=False)


def cycled(values: Array, count: int) -> Array:
    """Return ``count`` elements of a flattened nonempty array, repeated from its beginning where it is shorter."""
    flat = flattened(values)
    if flat.shape[0] < count:
        flat = xp.tile(flat, (-(-count // flat.shape[0]),))
    return flat[:count]


def integers(function: str, name: str, values: Any) -> tuple[int, ...]:
    """Return one or several integers, of the host or of an Array, as a tuple."""
    if isinstance(values, (Array, np.ndarray)):
        values = values.tolist()
    if not isinstance(values, (list, tuple, range)):
        values = (values,)
    return tuple([check_integer(value, function, name) for value in values])


def creation_device(function: str, device: str | Device | None, like: Any = None) -> Device:
    """Return the device of a result: ``device``, else that of the Array ``like``, else the default device."""
    if like is not None and like.__class__ is not Array:
        raise TypeError(
            "The `like` argument must be an array-like that implements the `__array_function__` protocol. "
            f"{function}() takes an xtensor Array for like, not {describe(like)}"
        )
    return resolve(like.device if device is None and like is not None else device)


def check_mode(mode: Any, function: str) -> None:
    """Raise ValueError for an unknown treatment of indices that are out of bounds."""
    if not is_word(mode, ("raise", "wrap", "clip")):
        raise ValueError(
            f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {shortened(mode)}); pass one of them to "
            f"{function}()"
        )


def within(index: Array, length: int, mode: str) -> Array:
    """Return indices modulo a length (``"wrap"``), or the nearest ones within it (``"clip"``), or unchanged."""
    if mode == "wrap":
        return index % max(length, 1)
    if mode == "clip":
        return xp.minimum(xp.maximum(index, 0), max(length - 1, 0))
    return index
