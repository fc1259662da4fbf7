"""The native array: MLX's, with a ``numpy.dtype``, and the streams in which functions on it run.

MLX's arrays are in memory that the CPU and the GPU share, and are not bound to a device; functions are. A stream of
MLX's own belongs to the thread that made it, and so does a computation that waits in it. Therefore each device has one
stream for all threads, computations start before a function returns, and a lock orders them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any, ClassVar, TypeAlias

import mlx.core as mx
import numpy as np

from xtensor.backend import COMMON_DTYPES, DType, Native, WrappedArray, dtypes_of

__all__ = ["ARRAY", "Array", "MlxArray", "check_dtype", "free_memory", "from_host", "from_numpy", "running", "stream"]

ARRAY: Any = mx.array

Array: TypeAlias = Any
"""An array of MLX in annotations: its types are not known where MLX is not installed."""

TO_MLX: dict[DType, Any] = {
    np.dtype(np.bool): mx.bool_,
    **dtypes_of(mx, set(COMMON_DTYPES) - {"bool", "float64", "complex128"}),
}

LARGE = 2**26
"""Bytes of a result from which the free memory is looked at."""

start: Any = mx.async_eval

lock = threading.RLock()


@cache
def stream(kind: Any) -> Any:
    """Return the stream of the device of a kind, for all threads."""
    return mx.new_thread_unsafe_stream(kind)


def running(device: Any, *, copies: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator of functions that run on a device, whose computations start before they return.

    ``copies`` tells whether the results have memory of their own, which must be free.
    """
    ours = stream(device.type)

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with lock, mx.stream(ours):
                return _started(function(*args, **kwargs), copies)

        return call

    return decorated


def _started(result: Any, copies: bool) -> Any:
    if result.__class__ is MlxArray:
        _start(result.array, copies)
    elif result.__class__ is ARRAY:
        _start(result, copies)
    elif result.__class__ is tuple:
        for item in result:
            _start(item, copies)
    return result


def _start(array: Array, copies: bool) -> None:
    if copies and array.nbytes >= LARGE:
        # MLX on the CPU does not look whether it got the memory: the process would end.
        free = free_memory()[1]
        if free is not None and array.nbytes > free:
            raise MemoryError(f"Unable to allocate {array.nbytes} bytes: {free} bytes of memory are free")
    start(array)


def free_memory() -> tuple[int | None, int | None]:
    """Return total and free bytes of the memory, which CPU and GPU share."""
    from xtensor_backends.numpy import backend as host

    memory = host.memory("numpy")
    return memory.total, memory.free


class MlxArray(WrappedArray):
    """An array of MLX with the attributes of the contract."""

    __slots__ = ()

    library_type = ARRAY
    library_dtypes: ClassVar = TO_MLX
    numpy_dtypes: ClassVar = {ours: dtype for dtype, ours in TO_MLX.items()}

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self.array.size)

    def __getitem__(self, key: Any) -> MlxArray:
        from ._indexing import getitem

        return getitem(self, key)  # type: ignore[no-any-return]

    def __bool__(self) -> bool:
        return bool(self.array.item())

    def __int__(self) -> int:
        return int(self.array.item())

    def __float__(self) -> float:
        return float(self.array.item())

    def __complex__(self) -> complex:
        return complex(self.array.item())

    def host(self) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array on the same memory, read-only: other arrays may share it."""
        if self.dtype.kind == "V":
            return MlxArray(_bits(self.array)).host().view(self.dtype)
        # MLX's buffers name int64 and uint64 as C's long long, which other libraries do not take for them.
        values: np.ndarray[Any, Any] = np.asarray(self.array).view(self.dtype)
        values.flags.writeable = False
        return values


@running(mx.Device(mx.cpu, 0))
def _bits(array: Array) -> Array:
    return array.view(mx.uint16)


def check_dtype(dtype: Any, supported: Mapping[Any, Any]) -> None:
    """Raise TypeError for a dtype that the devices of MLX lack."""
    if dtype not in supported:
        raise TypeError(
            f"the devices of MLX have no {dtype}; cast with xtensor.astype(x, xtensor.float32), or to complex64"
        )


def from_host(array: np.ndarray[Any, Any]) -> Native:
    """Return a NumPy array's values as a native array, a copy."""
    check_dtype(array.dtype.newbyteorder("="), TO_MLX)
    return MlxArray(from_numpy(np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")))


def from_numpy(array: np.ndarray[Any, Any]) -> Array:
    """Return the values of a NumPy array of a supported dtype, which is contiguous in C's order."""
    if any(stride < 0 for stride in array.strides):  # of axes without a second element, which NumPy calls contiguous
        array = array.copy()
    return mx.array(array)
