"""Triangular systems of float32 and float64 with several columns, by a kernel for vectors of AVX-512.

The solution is computed in blocks, see :mod:`_tiles`. A copy of the solution in a block's columns lies row after row,
which the blocks below read. Only the triangle is read, and elements are divided by those of the diagonal, not
multiplied by their reciprocals: with a diagonal matrix the solution is the rounded quotients.

OpenBLAS takes two to five times as long for a few hundred rows.
"""

from __future__ import annotations

import functools

import numpy as np

from xtensor.backend import Native

from . import _compile, _threads
from ._calls import empty, in_row_major_order
from ._quantized_rows import SHARE, loads
from ._runtime import call_unlocked
from ._tiles import ITEMS, MULTIPLICATIONS, ROWS, VECTORS, Tile, is_supported

__all__ = ["solve"]

FEWEST_COLUMNS, MOST_ROWS = 3, 2048
"""Columns from which the kernel is faster, and rows up to which it is."""

PARTS = 8
"""Parts for each thread, in case another one is interrupted or begins late."""


def solve(a: Native, b: Native, *, lower: bool, unit_diagonal: bool) -> Native | None:
    """Return the solution of a system; None where OpenBLAS is to compute it.

    The matrices are aligned and of one dtype, and no element of the diagonal is 0, if it is read.
    """
    (rows, columns), char, itemsize = b.shape, b.dtype.char, b.itemsize
    if not is_supported(char, rows) or rows > MOST_ROWS or columns < FEWEST_COLUMNS:
        return None
    if b.strides[1] != itemsize or not b.flags.aligned:
        b = in_row_major_order(b, b.shape)
    result = solution = empty(b.shape, b.dtype)
    if not lower:  # a lower triangle, from the last row to the first
        a, b, solution = a[::-1, ::-1], b[::-1], solution[::-1]
    diagonal = np.ones(rows, b.dtype) if unit_diagonal else a.diagonal().copy()
    lanes = ITEMS[char][1]
    vectors = min(range(VECTORS, 0, -1), key=lambda vectors: -columns % (vectors * lanes))
    panels, threads = -(-columns // (vectors * lanes)), _threads.team()
    parts, nanoseconds = min(panels, PARTS * threads), rows * rows * columns // 2 // MULTIPLICATIONS[char]
    copies = empty((parts, rows, vectors * lanes), b.dtype)
    steps = [stride // itemsize for stride in (*a.strides, b.strides[0], solution.strides[0])]
    before = _address(char, vectors), parts, threads, nanoseconds
    call_unlocked(*before, a, b, solution, diagonal, copies, *steps, rows, columns, panels)
    return result


@functools.cache
def _address(char: str, vectors: int) -> int:
    key, symbols = f"triangular systems, {char}, {vectors} vectors", _threads.symbols()
    return _compile.compile_module(lambda: _text(Tile(char, vectors)), ["run"], key=key, symbols=symbols)["run"]


def _text(tile: Tile) -> str:
    item, vectors = tile.item, range(tile.vectors)
    masks = tile.masks()
    prepared = tile.taken()
    starts = [tile.place("%a.rows", tile.let(f"mul i64 %a.row, {row}")) for row in range(ROWS)]
    begun = tile.taken()
    above, along = tile.place("%copy", tile.let(f"mul i64 %s, {tile.width}")), tile.let("mul i64 %s, %a.column")
    totals = tile.totals(above, [tile.element(start, along) for start in starts])
    inside = tile.let("mul i64 %a.column, %i")
    solved: list[list[str]] = []
    for row, start in enumerate(starts):
        number = tile.let(f"add i64 %i, {row}")
        rest = tile.rest(tile.given(tile.place("%b.here", tile.let(f"mul i64 %b.row, {number}")), masks), row)
        triangle = tile.place(start, inside)
        for column, values in enumerate(solved):
            known = tile.element(triangle, tile.let(f"mul i64 %a.column, {column}"))
            rest = [tile.less(rest[h], known, values[h]) for h in vectors]
        divisor = tile.element("%diagonal", number)
        values = [tile.let(f"fdiv {tile.vector} {rest[h]}, {divisor}") for h in vectors]
        solved.append(values)
        to = tile.place("%copy", tile.let(f"mul i64 {number}, {tile.width}"))
        for h in vectors:
            tile.lines.append(
                f"  store {tile.vector} {values[h]}, ptr {tile.place(to, h * tile.lanes)}, align {tile.size}"
            )
        tile.store(values, tile.place("%out.here", tile.let(f"mul i64 %out.row, {number}")), masks)
    block = tile.taken()
    arguments = loads(
        "%arguments",
        *("ptr a", "ptr b", "ptr out", "ptr diagonal", "ptr copies"),
        *("i64 a.row", "i64 a.column", "i64 b.row", "i64 out.row", "i64 rows", "i64 columns", "i64 count"),
    )
    return f"""{tile.head(arguments)}
{SHARE}
  %copy.size = mul i64 %rows, {tile.width}
  %copy.from = mul i64 %part, %copy.size
  %copy = getelementptr {item}, ptr %copies, i64 %copy.from
  %any = icmp ult i64 %first, %last
  br i1 %any, label %panel, label %end
panel:
  %p = phi i64 [%first, %entry], [%p.next, %panel.end]
  %j = mul i64 %p, {tile.width}
  %left = sub i64 %columns, %j
  %b.here = getelementptr {item}, ptr %b, i64 %j
  %out.here = getelementptr {item}, ptr %out, i64 %j
{prepared}
  br label %tile
tile:
  %i = phi i64 [0, %panel], [%i.next, %solve]
  %a.from = mul i64 %i, %a.row
  %a.rows = getelementptr {item}, ptr %a, i64 %a.from
{begun}
{totals}
{block}
  %following = add i64 %i, {ROWS}
  %i.next = call i64 @llvm.umin.i64(i64 %following, i64 %last.begin)
  %i.more = icmp ult i64 %following, %rows
  br i1 %i.more, label %tile, label %panel.end
panel.end:
  %p.next = add i64 %p, 1
  %p.more = icmp ult i64 %p.next, %last
  br i1 %p.more, label %panel, label %end
end:
  ret void
}}
"""
