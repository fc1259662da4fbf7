"""Files of weights in the format safetensors."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ... import _ops as xp
from ..._core.array import Array, to_numpy
from ..._core.device import Device
from ..._core.dtypes import is_bfloat16, load_bfloat16
from ..._core.errors import describe

__all__ = ["load", "save"]

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

LONGEST_HEADER = 100_000_000
"""Bytes of a header; the format allows no more."""


def save(source: Any, path: str | os.PathLike[str], *, metadata: Mapping[str, str] | None = None) -> None:
    """Write Arrays by name to a file of the format safetensors.

    The file is written beside its position and then moved there, so that a process that is killed leaves the former
    file whole.

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
        code = CODES.get("bfloat16" if is_bfloat16(host.dtype) else host.dtype.name)
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
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with part.open("xb") as file:
            for data in parts:
                file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise


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
    data = Path(path).read_bytes()
    rows, start = _header(data, path)
    return {name: xp.asarray(host, device=device) for name, host in _arrays(rows, memoryview(data)[start:], path)}


def _header(data: bytes, path: Any) -> tuple[dict[str, Any], int]:
    """Return the rows of the header, and the position of the elements."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(len(data) - 8, LONGEST_HEADER):
        raise ValueError(
            f"load(): {path} is no whole file of the format safetensors: it has {len(data)} bytes, and its header is "
            f"said to have {length}"
        )
    try:
        rows = json.loads(data[8 : 8 + length])
    except ValueError as error:
        raise ValueError(f"load(): the header of {path} is no JSON: {error}") from error
    if not isinstance(rows, dict):
        raise ValueError(f"load(): the header of {path} is {describe(rows)}, expected a dict")
    rows.pop("__metadata__", None)
    return rows, 8 + length


def _arrays(rows: dict[str, Any], data: memoryview, path: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    for name, row in rows.items():
        try:
            code, shape, (first, last) = row["dtype"], tuple(row["shape"]), row["data_offsets"]
            if not all(type(number) is int and number >= 0 for number in (*shape, first, last)):
                raise ValueError("a number of the header is negative, or no integer")
            dtype = _dtype(code)
            size = dtype.itemsize
            for number in shape:
                size *= number
            if last - first != size or last > len(data):
                raise ValueError(
                    f"shape {shape} of {dtype} takes {size} bytes, the header names bytes {first} to {last}, and the "
                    f"file has {len(data)}"
                )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"load(): the Array {name!r} in {path} is damaged: {error}") from error
        host = np.frombuffer(data[first:last], dtype=dtype.newbyteorder("<")).reshape(shape)
        yield name, host.astype(dtype)


def _dtype(code: Any) -> np.dtype[Any]:
    if code not in NAMES:
        raise ValueError(f"dtype {code!r} is none of {', '.join(NAMES)}")
    return load_bfloat16() if NAMES[code] == "bfloat16" else np.dtype(NAMES[code])
