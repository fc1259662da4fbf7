"""Creation functions on one queue, and the recognition of exhausted memory.

``ones``, ``zeros`` and ``linspace`` are compositions of the functions here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dpnp
from dpctl.memory import USMAllocationError

from xtensor.backend import DType, Native

__all__ = ["Creation", "allocate", "out_of_memory"]

EXHAUSTED = (
    *("unable to allocate", "allocation failed", "out_of_host_memory", "out_of_device_memory"),
    "request allocation must be positive",  # the number of bytes exceeded 64 bits
)
"""Parts of the out-of-memory messages of dpnp and of drivers, whose errors have no class of their own."""


def out_of_memory(error: BaseException) -> bool:
    """Whether an error of dpnp or of a driver means that memory ran out."""
    if isinstance(error, (MemoryError, USMAllocationError)):
        return True
    return isinstance(error, (RuntimeError, ValueError)) and any(words in str(error).lower() for words in EXHAUSTED)


def allocate(create: Callable[..., Native], nbytes: int, *args: Any, **kwargs: Any) -> Native:
    """Call a creation function; a MemoryError names the number of bytes, which dpnp's own error does not."""
    try:
        return create(*args, **kwargs)
    except Exception as error:
        if not out_of_memory(error):
            raise
        raise MemoryError(f"cannot allocate {nbytes} bytes: {error}") from error


class Creation:
    """Creation functions of one queue."""

    def __init__(self, queue: Any) -> None:
        self._queue = queue

    def _create(self, function: Callable[..., Native], size: int, *args: Any, dtype: DType, **kwargs: Any) -> Native:
        nbytes = size * dtype.itemsize
        return allocate(function, nbytes, *args, dtype=dtype, sycl_queue=self._queue, **kwargs)

    def arange(self, start: float, stop: float, step: float, *, dtype: DType) -> Native:
        size = max(0, math.ceil((stop - start) / step))
        if dtype.kind == "b" and size > 2:
            raise TypeError(f"arange() of {size} elements has no boolean values; at most two")
        result = self._create(dpnp.arange, size, start, stop, step, dtype=dtype)
        if start == 0 and dtype.kind in "fc":
            result[:1] = start  # dpnp adds 0 to the first value, and -0.0 becomes 0.0
        return result

    def empty(self, shape: tuple[int, ...], *, dtype: DType) -> Native:
        return self._create(dpnp.empty, math.prod(shape), shape, dtype=dtype)

    def eye(self, rows: int, columns: int, *, k: int, dtype: DType) -> Native:
        return self._create(dpnp.eye, rows * columns, rows, columns, k=k, dtype=dtype)

    def full(self, shape: tuple[int, ...], fill_value: Any, *, dtype: DType) -> Native:
        return self._create(dpnp.full, math.prod(shape), shape, fill_value, dtype=dtype)
