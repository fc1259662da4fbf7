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
from ._tiles import (
    ITEMS,
    MULTIPLICATIONS,
    PARTS,
    ROWS,
    VECTORS,
    Distances,
    Launch,
    Layout,
    Tile,
    is_supported,
    row_major,
)

__all__ = ["is_faster", "solve"]

FEWEST_COLUMNS, LEAST_WORK, MOST_ROWS = 3, 2**12, 2048
"""Columns and multiplications of one system from which the kernel is faster, and rows up to which it is."""


def is_faster(a: Native, b: Native) -> bool:
    """Whether the kernel solves systems, and faster than BLAS."""
    rows, columns = b.shape[-2:]
    if rows > MOST_ROWS:
        return False
    if a.ndim == b.ndim == 2 and (columns < FEWEST_COLUMNS or rows**2 * columns < 2 * LEAST_WORK):
        return False
    return is_supported(b.dtype.char, rows)


def solve(a: Native, b: Native, *, lower: bool, unit_diagonal: bool) -> Native:
    """Return the solutions of systems, of stacks that broadcast, for which :func:`is_faster` holds.

    ``a`` is aligned, both are of one dtype and not empty, and no element of a diagonal is 0, if it is read.
    """
    if b.strides[-1] != b.itemsize or not b.flags.aligned:
        b = in_row_major_order(b, b.shape)
    layouts = (a.shape, a.strides), (b.shape, b.strides)
    launch = _launch(b.dtype.char, _threads.team(), lower, unit_diagonal, *layouts)
    result, copies = empty(launch.shape, b.dtype), empty(launch.copies, b.dtype)
    call_unlocked(*launch.before, a, b, result, copies, launch.distances.table, *launch.after)
    return result


@functools.lru_cache(maxsize=512)
def _launch(char: str, threads: int, lower: bool, unit_diagonal: bool, layout_a: Layout, layout_b: Layout) -> Launch:
    """Return how the kernel is called for arrays of given layouts."""
    (*_, rows, columns), lanes = layout_b[0], ITEMS[char][1]
    stack, size = np.broadcast_shapes(layout_a[0][:-2], layout_b[0][:-2]), 64 // lanes
    shape, matrices = (*stack, rows, columns), math.prod(stack)
    vectors = min(range(VECTORS, 0, -1), key=lambda vectors: -columns % (vectors * lanes))
    panels = -(-columns // (vectors * lanes))
    parts, work = min(matrices * panels, PARTS * threads), matrices * rows**2 * columns // 2
    a_row, a_column = [stride // size for stride in layout_a[1][-2:]]
    b_row, out_row, starts = layout_b[1][-2] // size, columns, (0, 0, 0)
    if not lower:  # lower triangles, from the last row to the first
        starts = (rows - 1) * (a_row + a_column), (rows - 1) * b_row, (rows - 1) * out_row
        a_row, a_column, b_row, out_row = -a_row, -a_column, -b_row, -out_row
    return Launch(
        (_address(char, vectors, unit_diagonal), parts, threads, work // MULTIPLICATIONS[char]),
        (a_row, a_column, b_row, out_row, rows, columns, panels, matrices * panels),
        shape,
        (parts, rows, vectors * lanes),
        Distances(stack, size, starts, layout_a, layout_b, row_major(shape, size)),
    )


@functools.cache
def _address(char: str, vectors: int, unit_diagonal: bool) -> int:
    def text() -> str:
        return _text(Tile(char, vectors), unit_diagonal)

    key, symbols = f"triangular systems, {char}, {vectors} vectors, {unit_diagonal}", _threads.symbols()
    return _compile.compile_module(text, ["run"], key=key, symbols=symbols)["run"]


def _text(tile: Tile, unit_diagonal: bool) -> str:
    item, vectors = tile.item, range(tile.vectors)
    masks = tile.masks()
    prepared = tile.flush()
    starts = [tile.address("%a.rows", tile.let(f"mul i64 %a.row, {row}")) for row in range(ROWS)]
    begun = tile.flush()
    above, along = tile.address("%copy", tile.let(f"mul i64 %s, {tile.width}")), tile.let("mul i64 %s, %a.column")
    totals = tile.sums_of_products(above, [tile.element(start, along) for start in starts])
    inside = tile.let("mul i64 %a.column, %i")
    solved: list[list[str]] = []
    for row, start in enumerate(starts):
        number = tile.let(f"add i64 %i, {row}")
        rest = tile.minus_sums(
            tile.load_masked(tile.address("%b.here", tile.let(f"mul i64 %b.row, {number}")), masks), row
        )
        triangle = tile.address(start, inside)
        for column, values in enumerate(solved):
            known = tile.element(triangle, tile.let(f"mul i64 %a.column, {column}"))
            rest = [tile.minus_product(rest[h], known, values[h]) for h in vectors]
        values = rest
        if not unit_diagonal:
            divisor = tile.element(triangle, tile.let(f"mul i64 %a.column, {row}"))
            values = [tile.let(f"fdiv {tile.vector} {rest[h]}, {divisor}") for h in vectors]
        solved.append(values)
        to = tile.address("%copy", tile.let(f"mul i64 {number}, {tile.width}"))
        for h in vectors:
            tile.lines.append(
                f"  store {tile.vector} {values[h]}, ptr {tile.address(to, h * tile.lanes)}, align {tile.size}"
            )
        tile.store(values, tile.address("%out.here", tile.let(f"mul i64 %out.row, {number}")), masks)
    block = tile.flush()
    table = tile.find_matrices("a", "b", "out")
    arguments = loads(
        "%arguments",
        *("ptr a", "ptr b", "ptr out", "ptr copies", "ptr table"),
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
