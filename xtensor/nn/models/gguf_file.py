"""Files of the format GGUF: settings and tensors, of which some are quantized by blocks."""

from __future__ import annotations

import math
import mmap
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..._core.dtypes import dtype_named
from ..._core.errors import shortened
from ..modules.storage import NAMES

__all__ = ["GgufFile", "Packed", "Tensor"]

Numbers = np.ndarray[Any, Any]


class Packed(NamedTuple):
    """A matrix as :func:`xtensor.nn.functional.quantized_linear` takes it; ``offsets`` may be None.

    Scales have float16 where the file has them so, else float32.
    """

    codes: Numbers
    scales: Numbers
    offsets: Numbers | None


class Format(NamedTuple):
    """A format of tensors: elements and bytes of a block, and the function that reads blocks."""

    name: str
    elements: int
    size: int
    read: Callable[[Numbers], Packed] | None = None


class Tensor(NamedTuple):
    """A tensor of a file: its shape and format, and the position of its bytes."""

    shape: tuple[int, ...]
    format: Format
    first: int
    last: int


def _halves(blocks: Numbers, first: int) -> Numbers:
    """Return numbers of float16 of blocks."""
    return np.ascontiguousarray(blocks[..., first : first + 2]).view("<f2").astype(np.float16, copy=False)[..., 0]


def _q8_0(blocks: Numbers) -> Packed:
    codes = blocks[..., 2:].view(np.int8)
    return Packed(codes.reshape(len(blocks), -1), _halves(blocks, 0), None)


def _q4_0(blocks: Numbers) -> Packed:
    return Packed(blocks[..., 2:].reshape(len(blocks), -1), _halves(blocks, 0), None)


def _q4_k(blocks: Numbers) -> Packed:
    """Read blocks of 8 groups of 32, whose scales and offsets have 6 bits in units of the block."""
    units, unit_offsets = [_halves(blocks, first).astype(np.float32) for first in (0, 2)]
    packed = blocks[..., 4:16]
    low, middle, high = packed[..., :4], packed[..., 4:8], packed[..., 8:]
    scales = np.concatenate([low & 63, (high & 15) | ((low >> 6) << 4)], axis=-1)
    offsets = np.concatenate([middle & 63, (high >> 4) | ((middle >> 6) << 4)], axis=-1)
    # Here, a group has its two halves in the bits of a byte; there, two groups have.
    pairs = blocks[..., 16:].reshape(*blocks.shape[:2], 4, 2, 16)
    groups = [half[..., 0, :] | (half[..., 1, :] << 4) for half in (pairs & 15, pairs >> 4)]
    codes = np.stack(groups, axis=-2)
    rows = len(blocks)
    return Packed(
        codes.reshape(rows, -1),
        (units[..., None] * scales).reshape(rows, -1),
        (unit_offsets[..., None] * offsets).reshape(rows, -1),
    )


def _q6_k(blocks: Numbers) -> Packed:
    """Read blocks of 16 groups of 16: four bits of a code in one part of the block, two in another."""
    rows = len(blocks)
    low = blocks[..., :128].reshape(*blocks.shape[:2], 2, 1, 64)
    low = np.concatenate([low & 15, low >> 4], axis=-2).reshape(*blocks.shape[:2], 2, 4, 32)
    high = blocks[..., 128:192].reshape(*blocks.shape[:2], 2, 1, 32)
    high = (high >> np.asarray([0, 2, 4, 6], dtype=np.uint8)[:, None]) & 3
    codes = (low | (high << 4)).astype(np.int8) - np.int8(32)
    scales = _halves(blocks, 208).astype(np.float32)[..., None] * blocks[..., 192:208].view(np.int8)
    return Packed(codes.reshape(rows, -1), scales.reshape(rows, -1), None)


FORMATS = {
    0: Format("F32", 1, 4),
    1: Format("F16", 1, 2),
    2: Format("Q4_0", 32, 18, _q4_0),
    8: Format("Q8_0", 32, 34, _q8_0),
    12: Format("Q4_K", 256, 144, _q4_k),
    14: Format("Q6_K", 256, 210, _q6_k),
    28: Format("F64", 1, 8),
    30: Format("BF16", 1, 2),
}
"""The formats of tensors that are read, by their numbers in files."""

SETTINGS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Numbers of settings by their types in files, as the module ``struct`` names them."""

TEXT, LIST = 8, 9
"""Types of settings that are texts and lists."""


class GgufFile:
    """A file of the format GGUF, whose settings and table of tensors are read and checked at once.

    Attributes
    ----------
    settings
        The settings by name. Lists of numbers are NumPy arrays.
    tensors
        The tensors by name.

    Raises
    ------
    ValueError
        If the file is damaged, or a tensor has a format that is not read. The message names the tensor.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path, self._position = path, 0
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < 24 or file.read(4) != b"GGUF":
                raise ValueError(f"{path} is no file of the format GGUF: it does not begin with GGUF, or is too short")
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._position = 4
        version = self._number("I")
        if version not in (2, 3):
            raise ValueError(f"{path} has version {version} of the format GGUF, expected 2 or 3")
        tensors, settings = self._number("Q"), self._number("Q")
        self.settings: dict[str, Any] = {}
        for _ in range(settings):
            name = self._text()
            self.settings[name] = self._value(self._number("I"), name)
        rows = [self._row() for _ in range(tensors)]
        unit = self.settings.get("general.alignment", 32)
        if not isinstance(unit, int) or unit < 1:
            raise ValueError(f"{path}: general.alignment is {unit!r}, expected an integer of 1 or more")
        start = -(-self._position // unit) * unit
        self.tensors = {name: self._checked(name, shape, kind, start + offset) for name, shape, kind, offset in rows}

    def _take(self, size: int) -> bytes:
        """Return the next bytes."""
        first, self._position = self._position, self._position + size
        if self._position > len(self._data):
            raise ValueError(f"{self._path} is truncated or damaged: its {len(self._data)} bytes end within the header")
        return self._data[first : self._position]

    def _number(self, kind: str) -> Any:
        return struct.unpack(f"<{kind}", self._take(struct.calcsize(f"<{kind}")))[0]

    def _text(self) -> str:
        return self._take(self._number("Q")).decode("utf-8", errors="replace")

    def _value(self, kind: int, name: str) -> Any:
        if kind in SETTINGS:
            return self._number(SETTINGS[kind])
        if kind == TEXT:
            return self._text()
        if kind != LIST:
            raise ValueError(f"{self._path}: the setting {shortened(name)} has the unknown type {kind}")
        item, count = self._number("I"), self._number("Q")
        if item == TEXT:
            return [self._text() for _ in range(count)]
        if item not in SETTINGS:
            raise ValueError(f"{self._path}: the setting {shortened(name)} is a list of the unknown type {item}")
        dtype = np.dtype(SETTINGS[item]).newbyteorder("<")
        return np.frombuffer(self._take(count * dtype.itemsize), dtype=dtype)

    def _row(self) -> tuple[str, tuple[int, ...], int, int]:
        """Return the name, shape, format and offset of the next tensor of the table."""
        name, axes = self._text(), self._number("I")
        if axes > 4:
            raise ValueError(f"{self._path}: the tensor {shortened(name)} has {axes} axes, expected 4 or fewer")
        lengths = [self._number("Q") for _ in range(axes)]
        return name, tuple(lengths[::-1]), self._number("I"), self._number("Q")

    def _checked(self, name: str, shape: tuple[int, ...], kind: int, first: int) -> Tensor:
        what = f"{self._path}: the tensor {shortened(name)}"
        if kind not in FORMATS:
            names = ", ".join([known.name for known in FORMATS.values()])
            raise ValueError(f"{what} has the format of number {kind}, expected one of {names}")
        form = FORMATS[kind]
        if (shape[-1] if shape else 1) % form.elements:
            raise ValueError(f"{what} has rows of {shape[-1]} elements, and {form.name} has blocks of {form.elements}")
        size = math.prod(shape) // form.elements * form.size
        if first + size > len(self._data):
            raise ValueError(
                f"{what} of shape {shape} and format {form.name} takes bytes {first} to {first + size}, and the file "
                f"has {len(self._data)}: it is truncated or damaged"
            )
        return Tensor(shape, form, first, first + size)

    def read(self, name: str) -> Numbers | Packed:
        """Return a copy of a tensor: its numbers, or a matrix of codes."""
        shape, kind, first, last = self.tensors[name]
        data = np.frombuffer(memoryview(self._data)[first:last], dtype=np.uint8)
        if kind.read is None:
            dtype = dtype_named(NAMES[kind.name]).newbyteorder("<")
            return data.view(dtype).reshape(shape).astype(dtype.newbyteorder("="))
        blocks = data.reshape(math.prod(shape[:-1]), -1, kind.size)
        codes, scales, offsets = kind.read(blocks)
        return Packed(np.array(codes), scales, offsets)
