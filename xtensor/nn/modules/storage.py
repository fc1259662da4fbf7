"""Files of weights in the format safetensors."""

from __future__ import annotations

import contextlib
import json
import math
import mmap
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ... import _ops as xp
from ..._core.array import Array, to_numpy
from ..._core.device import Device
from ..._core.dtypes import dtype_named
from ..._core.errors import describe

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["Entry", "WeightFile", "load", "save"]

NAMES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "U32": "uint32",
    "I32": "int32",
    "U64": "uint64",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "C64": "complex64",
    "C128": "complex128",
}
"""Names of dtypes in the format, and here."""

CODES = {name: code for code, name in NAMES.items()}

ABANDONED = 3600.0
"""Seconds after its last write for which an unfinished file is kept on systems without locks of files."""

LONGEST_HEADER = 100_000_000
"""Bytes of a header; the format allows no more."""


def save(source: Any, path: str | os.PathLike[str], *, metadata: Mapping[str, str] | None = None) -> None:
    """Write Arrays by name to a file of the format safetensors.

    The file is written next to its position and then moved there, so that a process that is killed leaves the former
    file whole. What it leaves of the new one, a hidden file, the next save to the same position removes.

    Parameters
    ----------
    source
        A module or an optimizer, whose ``state_dict()`` is written, or a dict of Arrays by name.
    path
        The file.
    metadata
        Texts by name, which are written to the header.

    Raises
    ------
    TypeError
        If a value is not an Array, or has a dtype that the format lacks.
    """
    arrays = source if isinstance(source, Mapping) else source.state_dict() if hasattr(source, "state_dict") else None
    if arrays is None:
        raise TypeError(f"save() takes a module, an optimizer or a dict of Arrays, not {describe(source)}")
    header: dict[str, Any] = {}
    if metadata:
        if not all(isinstance(text, str) for item in metadata.items() for text in item):
            raise TypeError("save(): metadata is a dict of texts by name")
        header["__metadata__"] = dict(metadata)
    position, parts = 0, []
    for name, x in arrays.items():
        if x.__class__ is not Array:
            raise TypeError(f"save() writes Arrays, and {name!r} is {describe(x)}")
        host = np.ascontiguousarray(to_numpy(x))
        code = CODES.get(host.dtype.name)
        if code is None or not isinstance(name, str):
            raise TypeError(f"save(): {name!r} has dtype {x.dtype}, which the format safetensors lacks")
        data = host.astype(host.dtype.newbyteorder("<"), copy=False).tobytes()
        header[name] = {"dtype": code, "shape": list(x.shape), "data_offsets": [position, position + len(data)]}
        position += len(data)
        parts.append(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    _write(Path(path), [len(text).to_bytes(8, "little"), text, *parts])


def _write(path: Path, parts: list[bytes]) -> None:
    """Write a file as a whole: to another one, which then takes its position."""
    path = path.resolve()  # a link stays one
    _remove_left(path)
    part, file = _new_part(path)
    try:
        with file:
            for data in parts:
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if fcntl is not None:  # other systems do not move a file that is open
                part.replace(path)
        if fcntl is None:
            part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


def _new_part(path: Path) -> tuple[Path, BinaryIO]:
    """Return a new hidden file beside another one, which is locked while it is open."""
    while True:
        part = path.with_name(f".{path.name}.{os.urandom(8).hex()}.part")
        file = part.open("xb")
        if fcntl is None:
            return part, file
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:  # of a file system without locks, where nothing is removed either
            return part, file
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(file.fileno()), part.stat()):
                return part, file
        file.close()  # another process has removed it before it was locked


def _remove_left(path: Path) -> None:
    """Remove the hidden files beside another one that no process writes any more."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{16}}\.part")
    with contextlib.suppress(OSError):
        for entry in os.scandir(path.parent):
            if name.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    _remove_unless_written(entry)


def _remove_unless_written(part: os.DirEntry[str]) -> None:
    if fcntl is None:
        if time.time() - part.stat().st_mtime > ABANDONED:
            os.unlink(part)
        return
    descriptor = os.open(part, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the system unlocks the files of a process that ends
        os.unlink(part)
    finally:
        os.close(descriptor)


def load(path: str | os.PathLike[str], *, device: str | Device | None = None) -> dict[str, Array]:
    """Read the Arrays of a file of the format safetensors.

    Parameters
    ----------
    path
        The file.
    device
        Device of the Arrays. Default: the default device.

    Returns
    -------
    dict
        The Arrays by name; a module takes them by ``load_state_dict``.

    Raises
    ------
    ValueError
        If the file is damaged: shorter than its header says, or with a header that contradicts itself. The message
        names the Array.
    """
    file = WeightFile(path)
    return {name: xp.asarray(file.read(name), device=device) for name in file.entries}


class Entry(NamedTuple):
    """An Array of a file: its dtype and shape, and the position of its bytes."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    first: int
    last: int


class WeightFile:
    """A file of the format safetensors, of which the header is read and checked at once, an Array when it is asked for.

    Attributes
    ----------
    entries
        The Arrays of the header by name.

    Raises
    ------
    ValueError
        If the header is damaged, or names bytes beyond the end of the file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            rows, self._start = _header(file, size, path)
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.entries = {name: _entry(name, row, size - self._start, path) for name, row in rows.items()}

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """Return a copy of an Array."""
        dtype, shape, first, last = self.entries[name]
        data = memoryview(self._data)[self._start + first : self._start + last]
        return np.frombuffer(data, dtype=dtype.newbyteorder("<")).reshape(shape).astype(dtype)


def _header(file: BinaryIO, size: int, path: Any) -> tuple[dict[str, Any], int]:
    """Return the rows of the header, and the position of the elements."""
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(size - 8, LONGEST_HEADER):
        raise ValueError(
            f"load(): {path} is no whole file of the format safetensors: it has {size} bytes, and its header is "
            f"said to have {length}"
        )
    try:
        rows = json.loads(file.read(length))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"load(): the header of {path} is no JSON: {error}") from error
    if not isinstance(rows, dict):
        raise ValueError(f"load(): the header of {path} is {describe(rows)}, expected a dict")
    rows.pop("__metadata__", None)
    return rows, 8 + length


def _entry(name: str, row: Any, size: int, path: Any) -> Entry:
    """Return an Array of the header; raise ValueError unless its bytes are in the file."""
    try:
        code, shape, (first, last) = row["dtype"], tuple(row["shape"]), row["data_offsets"]
        if not all(type(number) is int and number >= 0 for number in (*shape, first, last)):
            raise ValueError("a number of the header is negative, or no integer")
        dtype = _dtype(code)
        bytes_needed = math.prod(shape) * dtype.itemsize
        if last - first != bytes_needed or last > size:
            raise ValueError(
                f"shape {shape} of {dtype} takes {bytes_needed} bytes, the header names bytes {first} to {last}, and "
                f"the file has {size}"
            )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"load(): the Array {name!r} in {path} is damaged: {error}") from error
    return Entry(dtype, shape, first, last)


def _dtype(code: Any) -> np.dtype[Any]:
    if code not in NAMES:
        raise ValueError(f"dtype {code!r} is none of {', '.join(NAMES)}")
    return dtype_named(NAMES[code])
