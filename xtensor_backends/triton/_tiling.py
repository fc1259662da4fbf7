"""Distribution of rows over programs; pure functions.

A program on a GPU keeps a tile of ``rows × columns`` elements in registers. The longer side of the tile is the one
along which elements are neighbours in memory, so that loads are coalesced. If there are few rows, each is split into
parts, so that all multiprocessors have work. In the interpreter a program costs more than its elements, so there are as
few programs as possible.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = [
    "RowTiling",
    "Tiling",
    "device_row_tiling",
    "device_tiling",
    "host_row_tiling",
    "host_tiling",
    "sequential_tiling",
]

TILE = 2048
"""Elements of a tile: 16 per thread of 4 warps."""

ACCUMULATORS = 4096
"""Partial results of a program that reduces rows: 32 per thread of 4 warps."""

ROW_TILE = 1024
"""Elements of a tile of short rows that are kept in registers."""

ADJACENT_ROWS = 64
"""Rows of a tile if neighbours in memory belong to neighbouring rows: two cache lines of float32."""

ENOUGH_PROGRAMS = 512
"""The number of programs that occupies a large GPU."""

MIN_TILES = 4
"""The minimum number of tiles of a part of a row."""

SCANNING_PROGRAMS = 4096
"""The number of programs of a scan."""

LONGEST_ROW = 2**15
"""The number of 4-byte elements of a row that fit into registers: 32 per thread of 1,024."""

LONGEST_ROW_READ = 2**13
"""The number of 4-byte elements of a row that is kept in registers if it is only read."""

MAX_THREADS = 1024
"""The maximum number of threads of a program."""

MAX_TILE = 2**20
"""The maximum number of elements of a tile in Triton."""


class Tiling(NamedTuple):
    """The size of a tile, the number of parts of a row and the elements of each, and the number of programs."""

    rows: int
    columns: int
    parts: int
    chunk: int
    programs: int
    warps: int = 4


def device_tiling(rows: int, length: int, *, across: bool, limit: int = ENOUGH_PROGRAMS, tile: int = TILE) -> Tiling:
    """Return the tiling on a GPU.

    ``across``: neighbours in memory belong to neighbouring rows. ``limit`` is the number of programs that rows are
    split for, and ``tile`` the number of elements of a tile at most.
    """
    if across:
        height = min(_next_power_of_2(rows), ADJACENT_ROWS)
        width = min(_next_power_of_2(length), min(tile, TILE) // height)
    else:
        width = min(_next_power_of_2(length), tile)
        height = min(_next_power_of_2(rows), tile // width)
    blocks = -(-rows // height)
    parts = max(1, min(-(-limit // blocks), -(-length // (MIN_TILES * width))))
    chunk = -(-length // (parts * width)) * width
    parts = -(-length // chunk)
    return Tiling(height, width, parts, chunk, blocks * parts, 8 if across else 4)


def host_tiling(rows: int, length: int, *, across: bool, limit: int = ENOUGH_PROGRAMS, tile: int = TILE) -> Tiling:
    """Return the tiling in the interpreter: tiles as large as possible."""
    width = min(_next_power_of_2(length), MAX_TILE)
    height = min(_next_power_of_2(rows), MAX_TILE // width)
    return Tiling(height, width, 1, -(-length // width) * width, -(-rows // height))


def sequential_tiling(rows: int, length: int) -> Tiling:
    """Return a tiling that processes the elements of each row one after another."""
    height = min(_next_power_of_2(rows), 128)
    return Tiling(height, 1, 1, length, -(-rows // height))


class RowTiling(NamedTuple):
    """The tile of a kernel along rows; ``single_tile`` if it holds complete rows."""

    rows: int
    columns: int
    single_tile: bool
    programs: int
    warps: int

    @property
    def turn(self) -> int:
        """The number of elements of a row that a turn of a kernel's loop takes at most."""
        return self.columns if self.single_tile else 4 * self.columns


def device_row_tiling(
    rows: int, length: int, *, across: bool, itemsize: int = 4, reads_only: bool = False, lanes: int = 32
) -> RowTiling:
    """Return the tiling on a GPU: complete rows up to the length that fits into registers, else parts of rows.

    ``itemsize`` is that of the compute dtype, ``lanes`` the number of threads of a warp. A row that is only read needs
    no registers for its elements. The sizes of tiles are the fastest ones on an H200.
    """
    longest = (LONGEST_ROW_READ if reads_only else LONGEST_ROW) * 4 // itemsize
    if across:
        height, width = min(_next_power_of_2(rows), ADJACENT_ROWS), min(_next_power_of_2(length), TILE // ADJACENT_ROWS)
        # An exponential in float64 takes the registers of several in float32.
        threads = height * width * itemsize // 128 * (2 if itemsize > 4 else 1)
    elif length <= longest:
        width = _next_power_of_2(length)
        height = max(1, min(_next_power_of_2(rows), (TILE if reads_only else ROW_TILE) // width))
        threads = height * width * itemsize // 128
        if not reads_only:
            threads = max(threads, min(2 * threads, 256))
    elif reads_only and rows >= 2 * ENOUGH_PROGRAMS:
        height, width, threads = 1, min(TILE // 2, longest), 128
    else:
        height, width, threads = 1, min(2 * TILE * 4 // itemsize, longest), 512
    warps = min(max(2 if reads_only else 4, threads // lanes), MAX_THREADS // lanes)
    return RowTiling(height, width, width >= length, -(-rows // height), warps)


def host_row_tiling(
    rows: int, length: int, *, across: bool, itemsize: int = 4, reads_only: bool = False, lanes: int = 1
) -> RowTiling:
    """Return the tiling in the interpreter, which processes long rows in parts as well."""
    width = min(_next_power_of_2(length), LONGEST_ROW)
    height = min(_next_power_of_2(rows), MAX_TILE // width)
    return RowTiling(height, width, width >= length, -(-rows // height), 4)


def _next_power_of_2(number: int) -> int:
    """Return the smallest power of two that is at least a number."""
    return 1 << max(number - 1, 0).bit_length()
