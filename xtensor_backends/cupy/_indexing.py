"""Indexing and assignment: copies of overlapping memory, read-only broadcast views, and the check of index arrays.

CuPy copies as if source and destination were apart. It takes index arrays modulo the length of the axis. Its arrays
have no read-only flag.
"""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["CHECK", "Indexing", "apart", "is_broadcast_view", "is_negative_zero", "refuse_broadcast_view"]

CHECK = "XTENSOR_CHECK_INDICES"
"""The environment variable that makes index arrays checked: ``"1"``."""


class Indexing:
    """``native[key]`` and ``native[key] = value``; both run on the current device.

    ``check`` tells whether index arrays are checked against the shape, for which the host waits for the device; by
    default the environment variable ``XTENSOR_CHECK_INDICES`` decides.
    """

    def __init__(self, cp: Any, *, check: bool | None = None) -> None:
        self._cp = cp
        self._check = os.environ.get(CHECK) == "1" if check is None else check

    def from_host(self, array: np.ndarray[Any, Any]) -> Native:
        """Copy an array of the host to the current device.

        CuPy fills a 0-d array with its element, in one launch, and writes a zero of either sign as bytes of 0.
        """
        if not array.ndim and array == 0 and any(array.tobytes()):
            return self._cp.array(array.reshape(1)).reshape(())
        return self._cp.array(array)

    def getitem(self, native: Native, key: Any) -> Native:
        _refuse_numbers(key)
        if self._check:
            self._check_key(native.shape, key)
        return apart(native, native[key])

    def assign(self, native: Native, key: Any, value: Any) -> None:
        refuse_broadcast_view(native)
        _refuse_numbers(key)
        if self._check:
            self._check_key(native.shape, key)
        arrays, share = self._cp.ndarray, self._cp.may_share_memory  # compares addresses on the host
        if hasattr(value, "dtype"):
            if isinstance(value, arrays) and share(native, value):
                # CuPy would read elements that it has overwritten. It would skip the assignment of a view of the same
                # address, shape and strides, even of another dtype.
                value = value.copy()
        elif is_negative_zero(value):
            # CuPy would fill the memory with zeros of positive sign.
            value = 0 if native.dtype.kind in "biu" else self.from_host(np.asarray(value, native.dtype))
        if key.__class__ is tuple:
            key = tuple([part.copy() if isinstance(part, arrays) and share(native, part) else part for part in key])
        elif isinstance(key, arrays) and share(native, key):
            key = key.copy()
        native[key] = value

    def check_positions(self, positions: Native, length: int, axis: int) -> None:
        """Raise IndexError if positions are to be checked and one of them is not in ``[-length, length)``."""
        if not self._check:
            return
        positions = positions.reshape(-1).astype(np.int64, copy=False)
        wrong = positions[(positions < -length) | (positions >= length)]
        if wrong.size:
            raise IndexError(f"index {int(wrong[0])} is out of bounds for axis {axis} with size {length}")

    def _check_key(self, shape: tuple[int, ...], key: Any) -> None:
        parts = key if key.__class__ is tuple else (key,)
        axis, remaining = 0, sum(map(_axes_of, parts))
        for part in parts:
            if part is Ellipsis:
                axis += len(shape) - remaining
            if getattr(getattr(part, "dtype", None), "kind", "") in ("i", "u") and axis < len(shape):
                self.check_positions(part, shape[axis], axis)
            axis += _axes_of(part)


def _axes_of(part: Any) -> int:
    """Return the number of axes that a part of a key selects from."""
    if part is None or part is Ellipsis or part.__class__ is bool:
        return 0
    return int(part.ndim) if getattr(part, "dtype", None) == np.bool_ else 1


def is_broadcast_view(native: Native) -> bool:
    """Whether several elements of an array are one element in memory, as in the result of ``broadcast_to``."""
    return (
        0 in native.strides
        and native.size > 1
        and any(step == 0 and length > 1 for step, length in zip(native.strides, native.shape, strict=True))
    )


def apart(native: Native, view: Native) -> Native:
    """Return a view of an array, or a copy of it where it would no longer be seen to be read-only.

    A row of a broadcast view is such a view: a write to it would change all rows, and the array that was broadcast.
    """
    return view.copy() if is_broadcast_view(native) and not is_broadcast_view(view) else view


def refuse_broadcast_view(native: Native) -> None:
    """Raise NumPy's error for a write into a broadcast view."""
    if is_broadcast_view(native):
        raise ValueError("assignment destination is read-only: it is a broadcast view; copy it with xtensor.asarray")


def _refuse_numbers(key: Any) -> None:
    """Raise NumPy's error for a key with a number that is no integer, whose fraction CuPy would drop."""
    for part in key if key.__class__ is tuple else (key,):
        if isinstance(part, (float, complex, np.inexact)):
            raise IndexError(f"an index is an integer, a slice, None, an ellipsis or an array, not {part!r}")


def is_negative_zero(value: Any) -> bool:
    """Whether a Python scalar is a zero with a negative sign, which CuPy loses when it fills memory."""
    if value.__class__ is float:
        return bool(value == 0 and math.copysign(1.0, value) < 0)
    if value.__class__ is complex:
        return value == 0 and (is_negative_zero(value.real) or is_negative_zero(value.imag))
    return False
