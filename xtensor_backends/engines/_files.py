"""Arrays of files, of which each chunk is read when it is computed: memory maps, HDF5 datasets and Zarr arrays.

A task has the name of the file and not its elements. Files that are open for writing are not read later: an assignment
to such an array would change the values that have been taken from it.
"""

from __future__ import annotations

import mmap
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from xtensor.backend import DType

from ._chunk_slices import Slices
from ._library import place_values

__all__ = ["File", "file_of", "read"]


class File(Protocol):
    """An array of a file."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""

    @property
    def dtype(self) -> DType:
        """The dtype of the file's elements, in any byte order."""

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """The lengths of the file's own chunks, None where it has none."""

    def read(self, slices: Slices) -> Any:
        """Return the elements of slices, in memory of their own."""


def file_of(array: Any) -> File | None:
    """Return the array of a file that is open for reading; None for any other object."""
    source_file: File | None = None
    if isinstance(array, np.ndarray):
        source_file = _memory_map_of(array)
    elif _is_of(array, "h5py", "Dataset"):
        named = array.file.mode == "r" and array.name and Path(array.file.filename).is_file()
        source_file = (
            Dataset(os.path.abspath(array.file.filename), array.name, array.shape, array.dtype, array.chunks)
            if named
            else None
        )
    elif _is_of(array, "zarr", "Array"):
        source_file = Stored(array) if array.read_only else None
    return source_file if source_file is not None and source_file.dtype.kind in "biufc" else None


def read(*, slices: Slices, file: File, spec: str) -> Any:
    """Return the elements of slices as a native array of a device."""
    return place_values(np.asarray(file.read(slices), file.dtype.newbyteorder("="), order="C"), spec)


def _is_of(array: Any, module: str, name: str) -> bool:
    """Whether an object is of a class of a library, which is imported then."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(array, kind)


@dataclass(frozen=True)
class MemoryMap:
    """Elements of a file at distances of bytes: a memory map, or a view of one."""

    path: str
    offset: int
    """Where the first element lies in the file."""
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType

    @property
    def chunks(self) -> None:
        return None

    def read(self, slices: Slices) -> Any:
        with open(self.path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as memory:
            try:
                elements = np.ndarray(self.shape, self.dtype, memory, self.offset, self.strides)
            except (TypeError, ValueError) as error:
                raise OSError(
                    f"{self.path!r} has {len(memory)} bytes, fewer than when the array was made of it; make it again"
                ) from error
            values = np.array(elements[slices])
            del elements  # the map cannot be closed while an array has its memory
            return values


def _memory_map_of(array: np.ndarray[Any, Any]) -> MemoryMap | None:
    whole: Any = array
    while isinstance(whole, np.ndarray) and not isinstance(whole.base, mmap.mmap):
        whole = whole.base
    if not isinstance(whole, np.memmap) or whole.mode != "r" or whole.filename is None:
        return None
    offset = whole.offset + array.ctypes.data - whole.ctypes.data
    return MemoryMap(os.fspath(whole.filename), offset, array.shape, array.strides, array.dtype)


@dataclass(frozen=True)
class Dataset:
    """A dataset of an HDF5 file."""

    path: str
    name: str
    shape: tuple[int, ...]
    dtype: DType
    chunks: tuple[int, ...] | None

    def read(self, slices: Slices) -> Any:
        import h5py

        with h5py.File(self.path, "r") as file:
            return file[self.name][slices]


@dataclass(frozen=True)
class Stored:
    """An array of a Zarr store."""

    array: Any

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def dtype(self) -> DType:
        dtype: DType = self.array.dtype
        return dtype

    @property
    def chunks(self) -> tuple[int, ...]:
        return tuple(self.array.chunks)

    def read(self, slices: Slices) -> Any:
        return self.array[slices]
