"""How rows are shared out among programs; pure functions.

A program of a GPU keeps a tile of ``ROWS × COLUMNS`` elements in registers. Rows whose elements are neighbours are
taken along, rows that are neighbours themselves side by side, so that loads are of neighbouring addresses either way.
Where there are few rows, each is split into parts, so that there is work for the whole device. In the interpreter a
program costs more than its elements, and there is one.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "Fused",
    "Tiling",
    "device_tiling",
    "fused_tiling",
    "host_fused_tiling",
    "host_tiling",
    "one_by_one",
]

TILE = 2048
"""Elements of a tile: 16 for each thread of 4 warps."""

SIDE_BY_SIDE = 64
"""Rows of a tile where rows are neighbours: two cache lines of float32."""

ENOUGH = 512
"""Programs that keep a large GPU busy."""

STEPS = 8
"""Tiles that a part of a row has at least."""

LONGEST_ROW = 2**15
"""Elements of 4 bytes that the registers of a program hold of a row: 32 for each of 1,024 threads."""

MOST_WARPS = 16
"""Warps of a program; with 64 threads each, as on AMD's GPUs, they are 1,024 threads."""

LARGEST = 2**20
"""The most elements that Triton lets a tile have."""


class Tiling(NamedTuple):
    """The tile, the parts of a row and the elements of each; the number of programs."""

    rows: int
    columns: int
    parts: int
    chunk: int
    programs: int


def device_tiling(rows: int, length: int, *, across: bool, limit: int = ENOUGH) -> Tiling:
    """The tiling on a GPU; ``across`` where neighbours in memory belong to neighbouring rows."""
    if across:
        height = min(_power(rows), SIDE_BY_SIDE)
        width = min(_power(length), TILE // height)
    else:
        width = min(_power(length), TILE)
        height = min(_power(rows), TILE // width)
    blocks = -(-rows // height)
    parts = max(1, min(-(-limit // blocks), -(-length // (STEPS * width))))
    chunk = -(-length // (parts * width)) * width
    parts = -(-length // chunk)
    return Tiling(height, width, parts, chunk, blocks * parts)


def host_tiling(rows: int, length: int, *, across: bool) -> Tiling:
    """The tiling in the interpreter: one tile, as far as it may be large enough."""
    width = min(_power(length), LARGEST)
    height = min(_power(rows), LARGEST // width)
    return Tiling(height, width, 1, -(-length // width) * width, -(-rows // height))


def one_by_one(rows: int, length: int) -> Tiling:
    """Many rows a program, and of each one element after another."""
    height = min(_power(rows), 128)
    return Tiling(height, 1, 1, length, -(-rows // height))


class Fused(NamedTuple):
    """The tile of a kernel that reads rows and writes them; ``whole`` where a tile holds them from end to end."""

    rows: int
    columns: int
    whole: bool
    programs: int
    warps: int


def fused_tiling(rows: int, length: int, *, across: bool, itemsize: int = 4) -> Fused:
    """Whole rows in registers up to the longest that a program of 1,024 threads holds, parts of them beyond.

    ``itemsize`` is that of the dtype of the computation.
    """
    longest = LONGEST_ROW * 4 // itemsize
    if across:
        height, width = min(_power(rows), SIDE_BY_SIDE), min(_power(length), TILE // SIDE_BY_SIDE)
    elif length <= longest:
        width = _power(length)
        height = max(1, min(_power(rows), TILE // width))
    else:
        height, width = 1, longest // 4
    warps = min(max(4, height * width * itemsize // 4096), MOST_WARPS)
    return Fused(height, width, width >= length, -(-rows // height), warps)


def host_fused_tiling(rows: int, length: int, *, across: bool, itemsize: int = 4) -> Fused:
    """The same in the interpreter, where long rows are gone over in parts, too."""
    width = min(_power(length), LONGEST_ROW)
    height = min(_power(rows), LARGEST // width)
    return Fused(height, width, width >= length, -(-rows // height), 4)


def _power(number: int) -> int:
    """The smallest power of two that is not below a number."""
    return 1 << max(number - 1, 0).bit_length()
