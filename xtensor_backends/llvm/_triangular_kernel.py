"""Triangular systems of float32 and float64 with several columns, by a kernel for vectors of AVX-512.

The solution is computed in blocks, see :mod:`_tiles`. A copy of the solution in a block's columns lies row after row,
which the blocks below read. Only the triangle is read, and elements are divided by those of the diagonal, not
multiplied by their reciprocals: with a diagonal matrix the solution is the rounded quotients.

OpenBLAS takes two to five times as long for a few hundred rows.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from xtensor.backend import Native

from . import _compile, _threads
from ._calls import empty, in_row_major_order
from ._quantized_rows import SHARE, loads
from ._runtime import call_unlocked
from ._tiles import ITEMS, MULTIPLICATIONS, PARTS, ROWS, VECTORS, Tile, distances, is_supported

__all__ = ["solve"]

FEWEST_COLUMNS, MOST_ROWS = 3, 2048
"""Columns from which the kernel is faster, and rows up to which it is."""


def solve(a: Native, b: Native, *, lower: bool, unit_diagonal: bool) -> Native | None:
    """Return the solutions of systems, of stacks that broadcast; None where OpenBLAS is to compute one.

    The matrices are aligned and of one dtype, and no element of a diagonal is 0, if it is read.
    """
    (rows, columns), char, itemsize = b.shape[-2:], b.dtype.char, b.itemsize
    if not is_supported(char, rows) or rows > MOST_ROWS:
        return None
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    if not stack and columns < FEWEST_COLUMNS:
        return None
    if b.strides[-1] != itemsize or not b.flags.aligned:
        b = in_row_major_order(b, b.shape)
    result = solution = empty((*stack, rows, columns), b.dtype)
    if not lower:  # lower triangles, from the last row to the first
        a, b, solution = a[..., ::-1, ::-1], b[..., ::-1, :], solution[..., ::-1, :]
    ones = np.ones((rows, 1), b.dtype)
    diagonal = ones if unit_diagonal else np.array(a.diagonal(axis1=-2, axis2=-1)[..., None], order="C")
    operands = a, b, solution, diagonal
    lanes, matrices, threads = ITEMS[char][1], math.prod(stack), _threads.team()
    vectors = min(range(VECTORS, 0, -1), key=lambda vectors: -columns % (vectors * lanes))
    panels = -(-columns // (vectors * lanes))
    parts, work = min(matrices * panels, PARTS * threads), matrices * rows**2 * columns // 2
    copies = empty((parts, rows, vectors * lanes), b.dtype)
    steps = [stride // itemsize for stride in (*a.strides[-2:], b.strides[-2], solution.strides[-2])]
    table = distances(stack, itemsize, *[(x.shape, x.strides) for x in operands])
    before = _address(char, vectors), parts, threads, work // MULTIPLICATIONS[char]
    call_unlocked(*before, *operands, copies, table, *steps, rows, columns, panels, matrices * panels)
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
        divisor = tile.element("%diagonal.matrix", number)
        values = [tile.let(f"fdiv {tile.vector} {rest[h]}, {divisor}") for h in vectors]
        solved.append(values)
        to = tile.place("%copy", tile.let(f"mul i64 {number}, {tile.width}"))
        for h in vectors:
            tile.lines.append(
                f"  store {tile.vector} {values[h]}, ptr {tile.place(to, h * tile.lanes)}, align {tile.size}"
            )
        tile.store(values, tile.place("%out.here", tile.let(f"mul i64 %out.row, {number}")), masks)
    block = tile.taken()
    table = tile.matrices("a", "b", "out", "diagonal")
    arguments = loads(
        "%arguments",
        *("ptr a", "ptr b", "ptr out", "ptr diagonal", "ptr copies", "ptr table"),
        *("i64 a.row", "i64 a.column", "i64 b.row", "i64 out.row"),
        *("i64 rows", "i64 columns", "i64 panels", "i64 count"),
    )
    return f"""{tile.head(arguments)}
{SHARE}
  %copy.size = mul i64 %rows, {tile.width}
  %copy.from = mul i64 %part, %copy.size
  %copy = getelementptr {item}, ptr %copies, i64 %copy.from
  %any = icmp ult i64 %first, %last
  br i1 %any, label %unit, label %end
unit:
  %u = phi i64 [%first, %entry], [%u.next, %unit.end]
  %p = urem i64 %u, %panels
  %matrix = udiv i64 %u, %panels
{table}
  %j = mul i64 %p, {tile.width}
  %left = sub i64 %columns, %j
  %b.here = getelementptr {item}, ptr %b.matrix, i64 %j
  %out.here = getelementptr {item}, ptr %out.matrix, i64 %j
{prepared}
  br label %tile
tile:
  %i = phi i64 [0, %unit], [%i.next, %solve]
  %a.from = mul i64 %i, %a.row
  %a.rows = getelementptr {item}, ptr %a.matrix, i64 %a.from
{begun}
{totals}
{block}
  %following = add i64 %i, {ROWS}
  %i.next = call i64 @llvm.umin.i64(i64 %following, i64 %last.begin)
  %i.more = icmp ult i64 %following, %rows
  br i1 %i.more, label %tile, label %unit.end
unit.end:
  %u.next = add i64 %u, 1
  %u.more = icmp ult i64 %u.next, %last
  br i1 %u.more, label %unit, label %end
end:
  ret void
}}
"""
