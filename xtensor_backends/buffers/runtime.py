"""A device that compiles and launches kernels over its arrays: what the libraries have in common."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import Any, ClassVar

import numpy as np

from xtensor.backend import DType

from ..kernels.values import COMPONENTS
from .arrays import BufferArray, dense_layout
from .languages import Language
from .memory import MemoryPool
from .source import Kernel

__all__ = ["Number", "Runtime"]

Number = bool | int | float | complex

SINGLE = np.dtype(np.float32)

LARGEST = float(np.finfo(SINGLE).max)


class Runtime(ABC):
    """One device of a library.

    Attributes
    ----------
    spec
        The device's spec.
    language
        The language of its kernels.
    dtypes
        The dtypes that it computes with.
    index_dtype
        The dtype of indices.
    bool_size
        Bytes of a boolean in a buffer.
    most_buffers
        The number of buffers that a kernel takes, at most.
    pool
        The device's memory.
    functions
        The namespace of the device.
    lock
        Held while arguments are set and a kernel is launched, which libraries do in two steps.
    """

    bool_size: ClassVar[int] = 1
    index_dtype: ClassVar[DType] = np.dtype(np.int64)
    most_buffers: int = 2**31

    def __init__(self, spec: str, language: Language, dtypes: Collection[str], pool: MemoryPool) -> None:
        self.spec = spec
        self.language = language
        self.dtypes = frozenset(map(np.dtype, dtypes))
        self.pool = pool
        self.functions: Any = None
        self.lock = threading.RLock()
        self._compiled: dict[Kernel, Any] = {}

    # -- the library's part -------------------------------------------------------------------------------------------

    @abstractmethod
    def compile(self, kernel: Kernel) -> Any:
        """Return a compiled kernel."""

    @abstractmethod
    def enqueue(
        self, compiled: Any, buffers: Sequence[Any], scalars: Sequence[np.generic], numbers: tuple[int, ...], count: int
    ) -> None:
        """Launch a compiled kernel with a number of work items."""

    @abstractmethod
    def write(self, buffer: Any, values: np.ndarray[Any, Any]) -> None:
        """Copy contiguous values of the host, which nobody else can write to, to the beginning of a buffer."""

    @abstractmethod
    def read(self, buffer: Any, values: np.ndarray[Any, Any], start: int) -> None:
        """Copy a buffer from a byte on to contiguous memory of the host, and wait for the end."""

    @abstractmethod
    def handle(self, buffer: Any) -> int:
        """Return the library's handle of a buffer, for DLPack."""

    @abstractmethod
    def synchronize(self) -> None:
        """Wait for all work of the device."""

    # -- arrays -------------------------------------------------------------------------------------------------------

    def empty(self, shape: Sequence[int], dtype: DType) -> BufferArray:
        """Return an array without values."""
        shape = tuple(shape)
        itemsize = dtype.itemsize
        if itemsize == 1 and dtype.kind == "b":
            itemsize = self.bool_size
        return BufferArray(self, self.pool.block(dense_layout(shape)[0] * itemsize), dtype, shape)

    def upload(self, values: np.ndarray[Any, Any]) -> BufferArray:
        """Return an array with the values of a NumPy array."""
        result = self.empty(values.shape, values.dtype.newbyteorder("="))
        if values.size:
            stored = result.dtype if values.dtype.kind != "b" or self.bool_size == 1 else np.dtype(np.uint32)
            self.write(result.block.buffer, np.array(values, dtype=stored, order="C"))
        return result

    def download(self, x: BufferArray) -> np.ndarray[Any, Any]:
        """Return the values of an array as a NumPy array."""
        if not x.is_dense:
            from .elementwise import copied

            x = copied(x)
        is_bool = x.dtype.kind == "b"
        values = np.empty(x.shape, x.dtype if not is_bool or self.bool_size == 1 else np.uint32)
        if x.size:
            self.read(x.block.buffer, values, x.offset * values.itemsize)
        return values.astype(np.bool) if is_bool else values

    def launch(
        self,
        kernel: Kernel,
        arrays: Sequence[BufferArray],
        scalars: Sequence[np.generic],
        numbers: Sequence[int],
        count: int,
    ) -> None:
        """Launch a kernel with a number of work items over arrays, unless there are none."""
        if not count:
            return
        buffers = [x.block.buffer for x in arrays]
        with self.lock:
            compiled = self._compiled.get(kernel)
            if compiled is None:
                compiled = self._compiled[kernel] = self.compile(kernel)
            self.enqueue(compiled, buffers, scalars, (count, *numbers), count)


def numbers_of(value: Number, dtype: DType) -> tuple[np.generic, ...]:
    """Return a Python number as arguments of a kernel: two for a complex dtype.

    OverflowError for an integer that the dtype cannot hold.
    """
    part = COMPONENTS.get(dtype)
    if part is not None:
        number = complex(value)
        return part.type(number.real), part.type(number.imag)
    if dtype.kind == "b":
        return (np.uint8(bool(value)),)
    if dtype != SINGLE or -LARGEST <= value <= LARGEST:  # type: ignore[operator]
        return (dtype.type(value),)
    with np.errstate(over="ignore"):
        return (dtype.type(value),)
