"""Cholesky factors of float32 and float64 by a kernel for vectors of AVX-512.

The upper factor is the solution of triangular systems whose triangle is the part of the factor that is known. It is
computed in blocks, see :mod:`_tiles`, by rows. The lower factor is written beside it, its blocks transposed in
registers; so are those of the matrix where the rows of its triangle do not lie together.

One thread takes a third of the time that OpenBLAS's threads take for a few hundred rows.
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

__all__ = ["factor"]

MOST_ROWS = 1024
"""Rows up to which one thread is faster than OpenBLAS's."""


def factor(x: Native, *, upper: bool) -> Native | None:
    """Return the Cholesky factors of a matrix or a stack, of each by one thread.

    None where a matrix has none, and for other matrices. The triangle of that name is read alone.
    """
    if not is_supported(x.dtype.char, x.shape[-1]) or x.shape[-1] > MOST_ROWS:
        return None
    if x.itemsize not in x.strides[-2:] or not x.flags.aligned:
        x = in_row_major_order(x, x.shape)
    launch = _launch(x.dtype.char, _threads.team(), upper, (x.shape, x.strides))
    result, failed = empty(launch.shape, x.dtype), np.zeros(1, np.int64)
    known = result if upper else empty(launch.copies, x.dtype)
    call_unlocked(*launch.before, x, known, result, failed, launch.distances.table, *launch.after)
    return None if failed[0] else result


@functools.lru_cache(maxsize=512)
def _launch(char: str, threads: int, upper: bool, layout: Layout) -> Launch:
    """Return how the kernel is called for a matrix or a stack of a given layout."""
    (shape, strides), size = layout, 64 // ITEMS[char][1]
    rows, stack, by_rows = shape[-1], shape[:-2], strides[-1] == size
    step, matrices = strides[-2 if by_rows else -1] // size, math.prod(stack)
    parts, work = min(matrices, PARTS * threads), matrices * rows**3 // 6
    return Launch(
        (_address(char, by_rows == upper, upper), parts, threads, work // MULTIPLICATIONS[char]),
        (step, rows, matrices),
        shape,
        (parts, rows, rows),
        Distances(stack, size, (0, 0), layout, row_major(shape, size)),
    )


@functools.cache
def _address(char: str, by_rows: bool, upper: bool) -> int:
    def text() -> str:
        return _text(Tile(char, VECTORS), by_rows, upper)

    key, symbols = f"Cholesky factors, {char}, {by_rows}, {upper}", _threads.symbols()
    return _compile.compile_module(text, ["run"], key=key, symbols=symbols)["run"]


def _text(tile: Tile, by_rows: bool, upper: bool) -> str:
    """``by_rows``: whether rows of the triangle that is read lie one after the other, otherwise its columns."""
    item, lanes, vectors = tile.item, tile.lanes, range(tile.vectors)
    masks = tile.masks()
    prepared = tile.flush()
    above = tile.let("mul i64 %s, %rows")
    factors = tile.address(tile.address("%known.matrix", above), "%i")
    factors_of_rows = [tile.element(factors, row) for row in range(ROWS)]
    totals = tile.sums_of_products(tile.address("%known.here", above), factors_of_rows, masks)
    if by_rows:
        places = [tile.address("%x.block", tile.let(f"mul i64 %x.step, {row}")) for row in range(ROWS)]
        given = [tile.load_masked(place, masks) for place in places]
    else:
        given = tile.load_transposed("%x.block", "%x.step")
    rests = [tile.minus_sums(row, number) for number, row in enumerate(given)]
    read = tile.flush()

    def write(solved: list[list[str]]) -> str:
        for row, values in enumerate(solved):
            tile.store(values, tile.address("%known.block", tile.let(f"mul i64 %rows, {row}")), masks)
        if not upper:
            tile.store_transposed(solved, "%out.block", "%rows")
        return tile.flush()

    solved: list[list[str]] = []
    ends: list[str] = []
    for row, rest in enumerate(rests):
        for values in solved:
            known = tile.splat(tile.let(f"extractelement {tile.vector} {values[0]}, i64 {row}"), item, lanes)
            rest = [tile.minus_product(rest[h], known, values[h]) for h in vectors]
        square = tile.let(f"extractelement {tile.vector} {rest[0]}, i64 {row}")
        ends.append(tile.let(f"fcmp ogt {item} {square}, 0.0"))
        root = tile.let(f"call {item} @llvm.sqrt.f{8 * tile.size}({item} {square})")
        divisor = tile.splat(root, item, lanes)
        values = [tile.let(f"fdiv {tile.vector} {rest[h]}, {divisor}") for h in vectors]
        values[0] = tile.let(f"insertelement {tile.vector} {values[0]}, {item} {root}, i64 {row}")
        is_upper = ", ".join(f"i1 {'true' if lane >= row else 'false'}" for lane in range(lanes))
        chosen = f"{tile.mask} <{is_upper}>, {tile.vector} {values[0]}, {tile.vector} zeroinitializer"
        solved.append([tile.let(f"select {chosen}"), *values[1:]])
    is_definite = functools.reduce(lambda first, second: tile.let(f"and i1 {first}, {second}"), ends)
    diagonal = write(solved)
    solved = []
    for row, rest in enumerate(rests):
        triangle = tile.address("%known.triangle", row)
        for number, values in enumerate(solved):
            known = tile.element(triangle, tile.let(f"mul i64 %rows, {number}"))
            rest = [tile.minus_product(rest[h], known, values[h]) for h in vectors]
        divisor = tile.element(triangle, tile.let(f"mul i64 %rows, {row}"))
        solved.append([tile.let(f"fdiv {tile.vector} {rest[h]}, {divisor}") for h in vectors])
    right = write(solved)
    first_zero, end_of_zeros = ("0", "%i") if upper else ("%following", "%rows")
    zeros = tile.masks(tile.let(f"sub i64 {end_of_zeros}, %z"))[0]
    here = tile.address("%zero.rows", "%z")
    for row in range(ROWS):
        tile.store(["zeroinitializer"], tile.address(here, tile.let(f"mul i64 %rows, {row}")), [zeros])
    zeroed = tile.flush()
    x_from = "mul i64 %i, %x.step" if by_rows else "add i64 %i, 0"
    x_here = "add i64 %j, 0" if by_rows else "mul i64 %j, %x.step"
    out_from, out_here = ("mul i64 %i, %rows", "add i64 %j, 0") if upper else ("add i64 %i, 0", "mul i64 %j, %rows")
    pointers, numbers = ("x", "known", "out", "failed", "table"), ("x.step", "rows", "count")
    arguments = loads("%arguments", *[f"ptr {name}" for name in pointers], *[f"i64 {name}" for name in numbers])
    return f"""{tile.head(arguments)}
{SHARE}
  %known.size = mul i64 %rows, %rows
  %known.from = mul i64 %part, %known.size
  %known.of.part = getelementptr {item}, ptr %known, i64 %known.from
  %any = icmp ult i64 %first, %last
  br i1 %any, label %unit, label %end
unit:
  %matrix = phi i64 [%first, %entry], [%matrix.next, %unit.end]
{tile.find_matrices("x", "out")}
  %known.matrix = select i1 {"true" if upper else "false"}, ptr %out.matrix, ptr %known.of.part
  br label %block
block:
  %i = phi i64 [0, %unit], [%i.next, %block.end]
  %following = add i64 %i, {ROWS}
  %from = mul i64 %i, %rows
  %x.from = {x_from}
  %x.rows = getelementptr {item}, ptr %x.matrix, i64 %x.from
  %known.rows = getelementptr {item}, ptr %known.matrix, i64 %from
  %known.triangle = getelementptr {item}, ptr %known.rows, i64 %i
  %out.from = {out_from}
  %out.rows = getelementptr {item}, ptr %out.matrix, i64 %out.from
  %zero.rows = getelementptr {item}, ptr %out.matrix, i64 %from
  %any.zero = icmp ult i64 {first_zero}, {end_of_zeros}
  br i1 %any.zero, label %zero, label %tiles
zero:
  %z = phi i64 [{first_zero}, %block], [%z.next, %zero]
{zeroed}
  %z.next = add i64 %z, {lanes}
  %z.more = icmp ult i64 %z.next, {end_of_zeros}
  br i1 %z.more, label %zero, label %tiles
tiles:
  br label %tile
tile:
  %j = phi i64 [%i, %tiles], [%j.next, %tile.end]
  %left = sub i64 %rows, %j
  %left.last = sub i64 %left, 1
  %x.here = {x_here}
  %x.block = getelementptr {item}, ptr %x.rows, i64 %x.here
  %known.block = getelementptr {item}, ptr %known.rows, i64 %j
  %known.here = getelementptr {item}, ptr %known.matrix, i64 %j
  %out.here = {out_here}
  %out.block = getelementptr {item}, ptr %out.rows, i64 %out.here
{prepared}
{totals}
{read}
  %is.diagonal = icmp eq i64 %i, %j
  br i1 %is.diagonal, label %diagonal, label %right
diagonal:
{diagonal}
  br i1 {is_definite}, label %tile.end, label %indefinite
right:
{right}
  br label %tile.end
tile.end:
  %j.next = add i64 %j, {tile.width}
  %j.more = icmp ult i64 %j.next, %rows
  br i1 %j.more, label %tile, label %block.end
block.end:
  %i.next = call i64 @llvm.umin.i64(i64 %following, i64 %last.begin)
  %i.more = icmp ult i64 %following, %rows
  br i1 %i.more, label %block, label %unit.end
unit.end:
  %matrix.next = add i64 %matrix, 1
  %matrix.more = icmp ult i64 %matrix.next, %last
  br i1 %matrix.more, label %unit, label %end
indefinite:
  store i64 1, ptr %failed
  br label %end
end:
  ret void
}}
"""
