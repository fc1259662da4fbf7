"""Products of matrices of float32 by a kernel of its own, where vectors have 16 numbers (AVX-512).

A block of the result has 8 rows and 48 columns, or 32 where fewer are then beyond the matrix. Its sums of up to 384
products stay in registers. 384 rows and these columns of the second operand are copied, row after row, to where all
blocks of the columns read them; the first operand is read as it lies. OpenBLAS copies both operands and writes zeros to
the result before, and takes 1.1 to 1.5 times as long for the matrices of small networks.

A row that is to be added, the bias of a layer, is added to the whole sums: one that began with it would lose the digits
of its products, and could overflow where the sum does not.

The order of a sum does not depend on the number of threads.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from xtensor.backend import Native

from . import _compile, _threads
from ._convolution import HEAD, Block
from ._quantized_rows import SHARE, loads
from ._runtime import call_unlocked

__all__ = ["multiply"]

LANES = 16
"""Numbers of a vector."""

ROWS, WIDTHS = 8, (3 * LANES, 2 * LANES)
"""Rows of a block, and its columns: more read the rows fewer times."""

LONGEST = 384
"""Products that are added in one go. The rounding errors of more would exceed those of OpenBLAS."""

SHORTEST, SHORTEST_WITH_TERM = 32, ROWS
"""Rows, and products of a sum, from which the kernel is faster, without and with a row that is added."""

LEAST_WORK, LEAST_WORK_WITH_TERM = 3 * 2**19, 2**15
"""Multiplications from which it is."""

LARGEST, LARGEST_TRANSPOSED, LARGEST_SECOND = 2**20, 2**16, 3 * 2**18
"""Numbers of the first operand, as it is or transposed, and of the second one, up to which the kernel is faster."""

LARGER_WITH_TERM = 2
"""Factor of these bounds where a row is added, for which OpenBLAS's result is read and written once more."""

MULTIPLICATIONS = 80
"""Multiplications of a core in a nanosecond, about."""

GROUP = 2**17
"""Numbers of the first operand that stay in the second cache while they are read for each block of columns."""

MOST_MATRICES = 2**12
"""Matrices of a stack."""

PARTS = 8
"""Parts for each thread, in case another one is interrupted or begins late."""


def multiply(x1: Native, x2: Native, output: Native, threads: int, term: Native | None = None) -> bool:
    """Write the product of matrices, or of stacks of them; return False where OpenBLAS is to compute it.

    ``term`` is a row that is added to each row of the product. The operands are aligned: distances are in elements.
    """
    if x1.dtype.char != "f":
        return False
    layouts = (x1.shape, x1.strides), (x2.shape, x2.strides), (output.shape, output.strides)
    launch = _launch(threads, term is not None, *layouts)
    if launch is None:
        return False
    call_unlocked(*launch.before, x1, x2, output, 0 if term is None else term, *launch.after)
    return True


class Launch(NamedTuple):
    """The operands of a call before the addresses of its arrays, and those after them."""

    before: tuple[int, ...]
    after: tuple[Any, ...]


Layout = tuple[tuple[int, ...], tuple[int, ...]]
"""The shape and the strides of an array."""


@functools.lru_cache(maxsize=512)
def _launch(threads: int, has_term: bool, layout1: Layout, layout2: Layout, layout: Layout) -> Launch | None:
    """Return how the kernel is called for arrays of given layouts; None where OpenBLAS is to compute the product."""
    (*_, rows, common), columns = layout1[0], layout2[0][-1]
    width = min(WIDTHS, key=lambda width: -columns % width)
    panels, stack, work = -(-columns // width), layout[0][:-2], math.prod(layout[0]) * common
    shortest, least, larger = SHORTEST, LEAST_WORK, 1
    if has_term:
        shortest, least, larger = SHORTEST_WITH_TERM, LEAST_WORK_WITH_TERM, LARGER_WITH_TERM
    if min(rows, common) < shortest or work < least or math.prod(stack) > MOST_MATRICES:
        return None
    if 4 * panels * width > 5 * columns or not _compile.has_feature("avx512f"):
        return None  # a block would have columns beyond the matrix
    steps1, steps2, steps = [[stride // 4 for stride in strides[-2:]] for _, strides in (layout1, layout2, layout)]
    largest = LARGEST if steps1[1] == 1 else LARGEST_TRANSPOSED
    if rows * common > largest * larger or common * columns > LARGEST_SECOND * larger:
        return None
    if 1 not in steps2 or steps[1] != 1:
        return None
    table = _distances(stack, layout1, layout2, layout)
    count = math.prod(stack) * panels
    groups = max(1, min(rows // (16 * ROWS), max(-(-2 * threads // count), rows * common // GROUP)))
    units = count * groups
    parts, nanoseconds = min(units, PARTS * threads), work // MULTIPLICATIONS
    sizes = rows, columns, common, panels, groups, units
    return Launch((_address(width), parts, threads, nanoseconds), (table, *steps1, *steps2, steps[0], *sizes))


def _distances(stack: tuple[int, ...], *layouts: Layout) -> Native:
    """Return for each matrix of a stack the distances in elements at which it begins in each array."""
    result = np.zeros((*stack, len(layouts)), np.int64)
    for number, (shape, strides) in enumerate(layouts):
        for axis in range(len(shape) - 2):
            if shape[axis] > 1:
                position = np.arange(shape[axis]).reshape(-1, *[1] * (len(shape) - axis - 3))
                result[..., number] += position * (strides[axis] // 4)
    return result


@functools.cache
def _address(width: int) -> int:
    key, symbols = f"blocks of products, {width} columns", _threads.symbols()
    return _compile.compile_module(lambda: _text(width), ["run"], key=key, symbols=symbols)["run"]


_ARGUMENTS = loads(
    "%arguments",
    *("ptr x", "ptr y", "ptr out", "ptr term", "ptr table"),
    *("i64 x.row", "i64 x.step", "i64 y.row", "i64 y.column", "i64 out.row"),
    *("i64 rows", "i64 columns", "i64 common", "i64 panels", "i64 groups", "i64 count"),
)

VECTOR, MASK = f"<{LANES} x float>", f"<{LANES} x i1>"


def _lanes(*numbers: int) -> str:
    return "<" + ", ".join(f"i64 {number}" for number in numbers) + ">"


def _transposed(block: Block, vectors: list[str]) -> list[str]:
    """Write the transposition of 16 vectors: four times, the first and the second half of them are interleaved."""
    half = LANES // 2
    for _ in range(4):
        made = []
        for first, second in zip(vectors[:half], vectors[half:], strict=True):
            for begin in (0, half):
                order = ", ".join(f"i32 {begin + i // 2 + i % 2 * LANES}" for i in range(LANES))
                made.append(block.let(f"shufflevector {VECTOR} {first}, {VECTOR} {second}, <{LANES} x i32> <{order}>"))
        vectors = made
    return vectors


def _text(width: int) -> str:
    parts = range(width // LANES)
    block = Block()

    def taken() -> list[str]:
        lines, block.lines = block.lines, []
        return lines

    # Which lanes of the vectors are columns of the matrix.
    left = block.splat("%left", "i64")
    masks = [block.let(f"icmp ult <{LANES} x i64> {_lanes(*range(h * LANES, (h + 1) * LANES))}, {left}") for h in parts]
    column = block.splat("%y.column", "i64")
    lanes = block.let(f"mul <{LANES} x i64> {column}, {_lanes(*range(LANES))}")
    prepared = taken()

    here = block.at("float", "%y.here", block.let("mul i64 %k, %y.row"))
    target = block.at("float", "%panel", block.let(f"mul i64 %k, {width}"))
    for h in parts:
        read = f"call {VECTOR} @llvm.masked.load.v16f32.p0(ptr {block.at('float', here, h * LANES)}, i32 4"
        value = block.let(f"{read}, {MASK} {masks[h]}, {VECTOR} zeroinitializer)")
        block.lines.append(f"  store {VECTOR} {value}, ptr {block.at('float', target, h * LANES)}, align 64")
    adjacent = taken()

    here = block.at("float", "%y.here", "%q")
    for h in parts:
        distances = [block.let(f"mul i64 %y.column, {h * LANES + lane}") for lane in range(LANES)]
        vectors = [block.let(f"load {VECTOR}, ptr {block.at('float', here, item)}, align 4") for item in distances]
        for number, value in enumerate(_transposed(block, vectors)):
            to = block.at("float", "%panel", block.let(f"add i64 %q.from, {number * width + h * LANES}"))
            block.lines.append(f"  store {VECTOR} {value}, ptr {to}, align 64")
    across = taken()

    here = block.at("float", "%y.here", block.let("mul i64 %g, %y.row"))
    target = block.at("float", "%panel", block.let(f"mul i64 %g, {width}"))
    for h in parts:
        base = block.at("float", here, block.let(f"mul i64 %y.column, {h * LANES}"))
        places = block.let(f"getelementptr float, ptr {base}, <{LANES} x i64> {lanes}")
        read = f"call {VECTOR} @llvm.masked.gather.v16f32.v16p0(<{LANES} x ptr> {places}, i32 4"
        value = block.let(f"{read}, {MASK} {masks[h]}, {VECTOR} zeroinitializer)")
        block.lines.append(f"  store {VECTOR} {value}, ptr {block.at('float', target, h * LANES)}, align 64")
    gathered = taken()

    rows = [block.at("float", "%x.rows", block.let(f"mul i64 %x.row, {row}")) for row in range(ROWS)]
    starts = taken()
    block.sums(ROWS * len(parts), "%tile", "%step")
    from_panel = block.at("float", "%panel", block.let(f"mul i64 %s, {width}"))
    vectors = [block.let(f"load {VECTOR}, ptr {block.at('float', from_panel, h * LANES)}, align 64") for h in parts]
    for number, row in enumerate(rows):
        factor = block.splat(block.let("load float, ptr " + block.at("float", row, "%along")))
        for h in parts:
            block.add(number * len(parts) + h, factor, vectors[h])
    step = taken()
    outputs = [block.at("float", "%out.rows", block.let(f"mul i64 %out.row, {row}")) for row in range(ROWS)]
    nothing = f"{VECTOR} <{', '.join(['float -0.0'] * LANES)}>"  # as a term, it leaves zeros of both signs as they are
    terms = []
    for h in parts:
        mask = block.let(f"select i1 %is.end.with.term, {MASK} {masks[h]}, {MASK} zeroinitializer")
        read = f"@llvm.masked.load.v16f32.p0(ptr {block.at('float', '%term.here', h * LANES)}, i32 4, {MASK} {mask}"
        terms.append(block.let(f"call {VECTOR} {read}, {nothing})"))
    ends = taken()
    for number, start in enumerate(outputs):
        for h in parts:
            total = block.let(f"fadd {VECTOR} %new{number * len(parts) + h}, {terms[h]}")
            store = f"({VECTOR} {total}, ptr {block.at('float', start, h * LANES)}, i32 4, {MASK} {masks[h]})"
            block.lines.append(f"  call void @llvm.masked.store.v16f32.p0{store}")
    written = taken()
    for number, start in enumerate(outputs):
        is_new = block.let(f"icmp uge i64 {block.let(f'add i64 %i, {number}')}, %done")
        for h in parts:
            to = block.at("float", start, h * LANES)
            mask = block.let(f"select i1 {is_new}, {MASK} {masks[h]}, {MASK} zeroinitializer")
            read = block.let(f"select i1 %is.first, {MASK} zeroinitializer, {MASK} {mask}")
            load = f"call {VECTOR} @llvm.masked.load.v16f32.p0(ptr {to}, i32 4, {MASK} {read}"
            before = block.let(f"{load}, {nothing})")
            total = block.let(f"fadd {VECTOR} {before}, %new{number * len(parts) + h}")
            total = block.let(f"fadd {VECTOR} {total}, {terms[h]}")
            store = f"call void @llvm.masked.store.v16f32.p0({VECTOR} {total}, ptr {to}, i32 4, {MASK} {mask})"
            block.lines.append(f"  {store}")
    added = taken()
    return f"""
declare {VECTOR} @llvm.masked.load.v16f32.p0(ptr, i32, {MASK}, {VECTOR})
declare {VECTOR} @llvm.masked.gather.v16f32.v16p0(<{LANES} x ptr>, i32, {MASK}, {VECTOR})
declare void @llvm.masked.store.v16f32.p0({VECTOR}, ptr, i32, {MASK})
{HEAD.replace("ARGUMENTS", _ARGUMENTS)}
  %panel = alloca [{LONGEST * width} x float], align 64
{SHARE}
  %blocks = udiv i64 %rows, {ROWS}
  %has.term = icmp ne ptr %term, null
  %any = icmp ult i64 %first, %last
  br i1 %any, label %unit, label %end
unit:
  %u = phi i64 [%first, %entry], [%u.next, %unit.end]
  %p = urem i64 %u, %panels
  %group.number = udiv i64 %u, %panels
  %group = urem i64 %group.number, %groups
  %matrix = udiv i64 %group.number, %groups
  %table.from = mul i64 %matrix, 3
  %table.x = getelementptr i64, ptr %table, i64 %table.from
  %table.y = getelementptr i64, ptr %table.x, i64 1
  %table.out = getelementptr i64, ptr %table.x, i64 2
  %x.distance = load i64, ptr %table.x
  %y.distance = load i64, ptr %table.y
  %out.distance = load i64, ptr %table.out
  %j = mul i64 %p, {width}
  %y.from = mul i64 %j, %y.column
  %y.matrix = getelementptr float, ptr %y, i64 %y.distance
  %y.columns = getelementptr float, ptr %y.matrix, i64 %y.from
  %x.matrix = getelementptr float, ptr %x, i64 %x.distance
  %out.matrix = getelementptr float, ptr %out, i64 %out.distance
  %out.here = getelementptr float, ptr %out.matrix, i64 %j
  %term.here = getelementptr float, ptr %term, i64 %j
  %left = sub i64 %columns, %j
{chr(10).join(prepared)}
  %group.next = add i64 %group, 1
  %begin.product = mul i64 %blocks, %group
  %begin.block = udiv i64 %begin.product, %groups
  %end.product = mul i64 %blocks, %group.next
  %end.block = udiv i64 %end.product, %groups
  %begin = mul i64 %begin.block, {ROWS}
  %whole.end = mul i64 %end.block, {ROWS}
  %is.last = icmp eq i64 %group.next, %groups
  %finish = select i1 %is.last, i64 %rows, i64 %whole.end
  %last.begin = sub i64 %finish, {ROWS}
  br label %chunk
chunk:
  %c = phi i64 [0, %unit], [%c.next, %chunk.end]
  %c.left = sub i64 %common, %c
  %length = call i64 @llvm.umin.i64(i64 %c.left, i64 {LONGEST})
  %is.first = icmp eq i64 %c, 0
  %is.end = icmp ule i64 %c.left, {LONGEST}
  %is.end.with.term = and i1 %is.end, %has.term
  %y.chunk = mul i64 %c, %y.row
  %y.here = getelementptr float, ptr %y.columns, i64 %y.chunk
  %x.chunk = mul i64 %c, %x.step
  %x.here = getelementptr float, ptr %x.matrix, i64 %x.chunk
  %is.adjacent = icmp eq i64 %y.column, 1
  br i1 %is.adjacent, label %adjacent, label %choice
adjacent:
  %k = phi i64 [0, %chunk], [%k.next, %adjacent]
{chr(10).join(adjacent)}
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %length
  br i1 %k.more, label %adjacent, label %packed
choice:
  %is.whole = icmp uge i64 %left, {width}
  %length.whole = and i64 %length, -{LANES}
  %whole = select i1 %is.whole, i64 %length.whole, i64 0
  %any.whole = icmp ne i64 %whole, 0
  br i1 %any.whole, label %across, label %rest
across:
  %q = phi i64 [0, %choice], [%q.next, %across]
  %q.from = mul i64 %q, {width}
{chr(10).join(across)}
  %q.next = add nuw nsw i64 %q, {LANES}
  %q.more = icmp ult i64 %q.next, %whole
  br i1 %q.more, label %across, label %rest
rest:
  %any.rest = icmp ult i64 %whole, %length
  br i1 %any.rest, label %gathered, label %packed
gathered:
  %g = phi i64 [%whole, %rest], [%g.next, %gathered]
{chr(10).join(gathered)}
  %g.next = add nuw nsw i64 %g, 1
  %g.more = icmp ult i64 %g.next, %length
  br i1 %g.more, label %gathered, label %packed
packed:
  br label %tile
tile:
  %i = phi i64 [%begin, %packed], [%i.next, %tile.end]
  %done = phi i64 [%begin, %packed], [%following, %tile.end]
  %x.from = mul i64 %i, %x.row
  %x.rows = getelementptr float, ptr %x.here, i64 %x.from
  %out.from = mul i64 %i, %out.row
  %out.rows = getelementptr float, ptr %out.here, i64 %out.from
{chr(10).join(starts)}
  br label %step
step:
  %s = phi i64 [0, %tile], [%s.next, %step]
  %along = phi i64 [0, %tile], [%along.next, %step]
{chr(10).join(step)}
  %s.next = add nuw nsw i64 %s, 1
  %along.next = add i64 %along, %x.step
  %s.more = icmp ult i64 %s.next, %length
  br i1 %s.more, label %step, label %sums
sums:
{chr(10).join(ends)}
  %is.apart = icmp eq i64 %i, %done
  %is.alone = and i1 %is.first, %is.apart
  br i1 %is.alone, label %written, label %added
written:
{chr(10).join(written)}
  br label %tile.end
added:
{chr(10).join(added)}
  br label %tile.end
tile.end:
  %following = add i64 %i, {ROWS}
  %i.next = call i64 @llvm.umin.i64(i64 %following, i64 %last.begin)
  %i.more = icmp ult i64 %following, %finish
  br i1 %i.more, label %tile, label %chunk.end
chunk.end:
  %c.next = add i64 %c, {LONGEST}
  %c.more = icmp ult i64 %c.next, %common
  br i1 %c.more, label %chunk, label %unit.end
unit.end:
  %u.next = add i64 %u, 1
  %u.more = icmp ult i64 %u.next, %last
  br i1 %u.more, label %unit, label %end
end:
  ret void
}}
declare i64 @llvm.umin.i64(i64, i64)
"""
