"""Access to NumPy's and CuPy's arrays, at the lowest cost per call.

``pointer(x)`` is the address of the first element, ``contiguous(x)`` whether an array is C-contiguous, ``writable(x)``
whether it may be written to. ``empty(shape, dtype)`` allocates an array. ``array(x)`` converts a library's scalar to a
0-d array and returns everything else unchanged; None if the library has no scalars.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor_backends.cupy._indexing import is_broadcast_view
from xtensor_backends.numpy import backend as host

__all__ = ["DeviceMemory", "HostMemory"]


class HostMemory:
    """NumPy's arrays, for the interpreter."""

    @staticmethod
    def empty(shape: tuple[int, ...], dtype: Any) -> Any:
        array = np.empty(shape, dtype)
        return array if array.dtype.kind != "V" else host.normalize(array, "cpu")

    @staticmethod
    def array(x: Any) -> Any:
        return np.asarray(x) if isinstance(x, np.generic) else x

    @staticmethod
    def pointer(x: Any) -> int:
        return x.__array_interface__["data"][0]  # type: ignore[no-any-return]

    @staticmethod
    def contiguous(x: Any) -> bool:
        return x.flags.c_contiguous  # type: ignore[no-any-return]

    @staticmethod
    def writable(x: Any) -> bool:
        return x.flags.writeable  # type: ignore[no-any-return]


class DeviceMemory:
    """CuPy's arrays, allocated from its memory pool on the current stream."""

    def __init__(self, cupy: Any) -> None:
        self.empty: Callable[..., Any] = cupy.ndarray

    array = None

    @staticmethod
    def pointer(x: Any) -> int:
        return x.data.ptr  # type: ignore[no-any-return]

    @staticmethod
    def contiguous(x: Any) -> bool:
        return x._c_contiguous  # type: ignore[no-any-return]

    @staticmethod
    def writable(x: Any) -> bool:
        # CuPy's arrays have no read-only flag; its backend raises for writes into broadcast views.
        return not is_broadcast_view(x)
