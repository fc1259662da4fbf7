"""Products of matrices of float32 and float64 by a kernel for vectors of AVX-512.

A block of the result has 8 rows and the numbers of 3 vectors as columns, or of 2 where fewer are then beyond the
matrix, see :mod:`_tiles`. Its sums of up to 384 products stay in registers. 384 rows and these columns of the second
operand are copied, row after row, to where all blocks of the columns read them; the first operand is read as it lies.
OpenBLAS copies both operands and writes zeros to the result before, and takes 1.1 to 1.5 times as long for the matrices
of small networks.

A row that is to be added, the bias of a layer, is added to the whole sums: one that began with it would lose the digits
of its products, and could overflow where the sum does not.

The order of a sum does not depend on the number of threads.
"""

from __future__ import annotations

import functools
import math

from xtensor.backend import Native

from . import _compile, _threads
from ._quantized_rows import SHARE, loads
from ._runtime import call_unlocked
from ._tiles import ITEMS, PARTS, ROWS, Distances, Launch, Layout, Tile

__all__ = ["multiply"]

VECTORS, LANES = (3, 2), 16
"""Vectors of a block's row, and the numbers of a vector at most."""

LONGEST = 384
"""Products of a sum at most; longer sums have equal parts. The rounding errors of more would exceed OpenBLAS's."""

SHORTEST, SHORTEST_WITH_TERM = 32, ROWS
"""Rows, and products of a sum, from which the kernel is faster, without and with a row that is added."""

LEAST_WORK, LEAST_WORK_WITH_TERM = 3 * 2**19, 2**15
"""Multiplications from which it is."""

LARGEST, LARGEST_TRANSPOSED, LARGEST_SECOND = 2**20, 2**16, {"f": 3 * 2**18, "d": 2**17}
"""Numbers of the first operand, as it is or transposed, and of the second one, up to which the kernel is faster."""

LARGER_WITH_TERM = 2
"""Factor of these bounds where a row is added, for which OpenBLAS's result is read and written once more."""

MULTIPLICATIONS = {"f": 80, "d": 40}
"""Multiplications of a core in a nanosecond, about."""

GROUP = 2**17
"""Numbers of the first operand that stay in the second cache while they are read for each block of columns."""

MOST_MATRICES = 2**12
"""Matrices of a stack."""


def multiply(x1: Native, x2: Native, output: Native, threads: int, term: Native | None = None) -> bool:
    """Write the product of matrices, or of stacks of them; return False where OpenBLAS is to compute it.

    ``term`` is a row that is added to each row of the product. The operands are aligned: distances are in elements.
    """
    if x1.dtype.char not in ITEMS:
        return False
    layouts = (x1.shape, x1.strides), (x2.shape, x2.strides), (output.shape, output.strides)
    launch = _launch(x1.dtype.char, threads, term is not None, *layouts)
    if launch is None:
        return False
    call_unlocked(*launch.before, x1, x2, output, 0 if term is None else term, launch.distances.table, *launch.after)
    return True


@functools.lru_cache(maxsize=512)
def _launch(char: str, threads: int, has_term: bool, layout1: Layout, layout2: Layout, layout: Layout) -> Launch | None:
    """Return how the kernel is called for arrays of given layouts; None where OpenBLAS is to compute the product."""
    (*_, rows, common), columns = layout1[0], layout2[0][-1]
    lanes, size = ITEMS[char][1], 64 // ITEMS[char][1]
    vectors = min(VECTORS, key=lambda vectors: -columns % (vectors * lanes))
    width = vectors * lanes
    panels, stack, work = -(-columns // width), layout[0][:-2], math.prod(layout[0]) * common
    shortest, least, larger = SHORTEST, LEAST_WORK, 1
    if has_term:
        shortest, least, larger = SHORTEST_WITH_TERM, LEAST_WORK_WITH_TERM, LARGER_WITH_TERM
    if min(rows, common) < shortest or work < least or math.prod(stack) > MOST_MATRICES:
        return None
    if 4 * panels * width > 5 * columns or not _compile.has_feature("avx512f"):
        return None  # a block would have columns beyond the matrix
    steps1, steps2, steps = [[stride // size for stride in strides[-2:]] for _, strides in (layout1, layout2, layout)]
    largest = LARGEST if steps1[1] == 1 else LARGEST_TRANSPOSED
    if rows * common > largest * larger or common * columns > LARGEST_SECOND[char] * larger:
        return None
    if 1 not in steps2 or steps[1] != 1:
        return None
    begins = Distances(stack, size, (0, 0, 0), layout1, layout2, layout)
    count = math.prod(stack) * panels
    groups = max(1, min(rows // (16 * ROWS), max(-(-2 * threads // count), rows * common // GROUP)))
    units = count * groups
    parts, nanoseconds = min(units, PARTS * threads), work // MULTIPLICATIONS[char]
    longest = -(-common // -(-common // LONGEST) // LANES) * LANES
    sizes = rows, columns, common, longest, panels, groups, units
    before, after = (_address(char, vectors), parts, threads, nanoseconds), (*steps1, *steps2, steps[0], *sizes)
    return Launch(before, after, layout[0], (), begins)


@functools.cache
def _address(char: str, vectors: int) -> int:
    key, symbols = f"blocks of products, {char}, {vectors} vectors", _threads.symbols()
    return _compile.compile_module(lambda: _text(Tile(char, vectors)), ["run"], key=key, symbols=symbols)["run"]


_ARGUMENTS = loads(
    "%arguments",
    *("ptr x", "ptr y", "ptr out", "ptr term", "ptr table"),
    *("i64 x.row", "i64 x.step", "i64 y.row", "i64 y.column", "i64 out.row"),
    *("i64 rows", "i64 columns", "i64 common", "i64 longest", "i64 panels", "i64 groups", "i64 count"),
)


def _text(tile: Tile) -> str:
    item, lanes, width, vector, parts = tile.item, tile.lanes, tile.width, tile.vector, range(tile.vectors)
    masks = tile.masks()
    column = tile.splat("%y.column", "i64", lanes)
    numbers = ", ".join(f"i64 {lane}" for lane in range(lanes))
    distances = tile.let(f"mul <{lanes} x i64> {column}, <{numbers}>")
    prepared = tile.flush()

    here = tile.address("%y.here", tile.let("mul i64 %k, %y.row"))
    target = tile.address("%panel", tile.let(f"mul i64 %k, {width}"))
    for h, value in enumerate(tile.load_masked(here, masks)):
        tile.lines.append(f"  store {vector} {value}, ptr {tile.address(target, h * lanes)}, align 64")
    adjacent = tile.flush()

    here = tile.address("%y.here", "%q")
    for h in parts:
        places = [tile.address(here, tile.let(f"mul i64 %y.column, {h * lanes + lane}")) for lane in range(lanes)]
        vectors = [tile.let(f"load {vector}, ptr {place}, align {tile.size}") for place in places]
        for number, value in enumerate(tile.interleaved(vectors, lanes.bit_length() - 1, vector, lanes)):  # transposed
            to = tile.address("%panel", tile.let(f"add i64 %q.from, {number * width + h * lanes}"))
            tile.lines.append(f"  store {vector} {value}, ptr {to}, align 64")
    across = tile.flush()

    here = tile.address("%y.here", tile.let("mul i64 %g, %y.row"))
    target = tile.address("%panel", tile.let(f"mul i64 %g, {width}"))
    for h in parts:
        base = tile.address(here, tile.let(f"mul i64 %y.column, {h * lanes}"))
        each = tile.let(f"getelementptr {item}, ptr {base}, <{lanes} x i64> {distances}")
        read = f"@llvm.masked.gather.{tile.suffix}.v{lanes}p0(<{lanes} x ptr> {each}, {tile.masked} {masks[h]}"
        value = tile.let(f"call {vector} {read}, {vector} zeroinitializer)")
        tile.lines.append(f"  store {vector} {value}, ptr {tile.address(target, h * lanes)}, align 64")
    gathered = tile.flush()

    rows = [tile.address("%x.rows", tile.let(f"mul i64 %x.row, {row}")) for row in range(ROWS)]
    starts = tile.flush()
    for number in range(ROWS * tile.vectors):
        tile.lines.append(f"  %sum{number} = phi {vector} [zeroinitializer, %tile], [%new{number}, %step]")
    tile.add(tile.address("%panel", tile.let(f"mul i64 %s, {width}")), [tile.element(row, "%along") for row in rows])
    step = tile.flush()
    outputs = [tile.address("%out.rows", tile.let(f"mul i64 %out.row, {row}")) for row in range(ROWS)]
    nothing = (
        f"{vector} <{', '.join([f'{item} -0.0'] * lanes)}>"  # as a term, it leaves zeros of both signs as they are
    )
    load = f"call {vector} @llvm.masked.load.{tile.suffix}.p0"
    terms = []
    for h in parts:
        mask = tile.let(f"select i1 %is.end.with.term, {tile.mask} {masks[h]}, {tile.mask} zeroinitializer")
        place = tile.address("%term.here", h * lanes)
        terms.append(tile.let(f"{load}(ptr {place}, {tile.masked} {mask}, {nothing})"))
    ends = tile.flush()
    for row, start in enumerate(outputs):
        totals = [tile.let(f"fadd {vector} %new{row * tile.vectors + h}, {terms[h]}") for h in parts]
        tile.store(totals, start, masks)
    written = tile.flush()
    for row, start in enumerate(outputs):
        is_new = tile.let(f"icmp uge i64 {tile.let(f'add i64 %i, {row}')}, %done")
        new = [tile.let(f"select i1 {is_new}, {tile.mask} {mask}, {tile.mask} zeroinitializer") for mask in masks]
        totals = []
        for h in parts:
            read = tile.let(f"select i1 %is.first, {tile.mask} zeroinitializer, {tile.mask} {new[h]}")
            before = tile.let(f"{load}(ptr {tile.address(start, h * lanes)}, {tile.masked} {read}, {nothing})")
            total = tile.let(f"fadd {vector} {before}, %new{row * tile.vectors + h}")
            totals.append(tile.let(f"fadd {vector} {total}, {terms[h]}"))
        tile.store(totals, start, new)
    added = tile.flush()
    return f"""
declare {vector} @llvm.masked.gather.{tile.suffix}.v{lanes}p0(<{lanes} x ptr>, i32, {tile.mask}, {vector})
{tile.head(_ARGUMENTS)}
  %panel = alloca [{LONGEST * width} x {item}], align 64
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
{tile.find_matrices("x", "y", "out")}
  %j = mul i64 %p, {width}
  %y.from = mul i64 %j, %y.column
  %y.columns = getelementptr {item}, ptr %y.matrix, i64 %y.from
  %out.here = getelementptr {item}, ptr %out.matrix, i64 %j
  %term.here = getelementptr {item}, ptr %term, i64 %j
  %left = sub i64 %columns, %j
{prepared}
  %group.next = add i64 %group, 1
  %begin.product = mul i64 %blocks, %group
  %begin.block = udiv i64 %begin.product, %groups
  %end.product = mul i64 %blocks, %group.next
  %end.block = udiv i64 %end.product, %groups
  %begin = mul i64 %begin.block, {ROWS}
  %whole.end = mul i64 %end.block, {ROWS}
  %is.last = icmp eq i64 %group.next, %groups
  %finish = select i1 %is.last, i64 %rows, i64 %whole.end
  %last.block = sub i64 %finish, {ROWS}
  br label %chunk
chunk:
  %c = phi i64 [0, %unit], [%c.next, %chunk.end]
  %c.left = sub i64 %common, %c
  %length = call i64 @llvm.umin.i64(i64 %c.left, i64 %longest)
  %is.first = icmp eq i64 %c, 0
  %is.end = icmp ule i64 %c.left, %longest
  %is.end.with.term = and i1 %is.end, %has.term
  %y.chunk = mul i64 %c, %y.row
  %y.here = getelementptr {item}, ptr %y.columns, i64 %y.chunk
  %x.chunk = mul i64 %c, %x.step
  %x.here = getelementptr {item}, ptr %x.matrix, i64 %x.chunk
  %is.adjacent = icmp eq i64 %y.column, 1
  br i1 %is.adjacent, label %adjacent, label %choice
adjacent:
  %k = phi i64 [0, %chunk], [%k.next, %adjacent]
{adjacent}
  %k.next = add nuw nsw i64 %k, 1
  %k.more = icmp ult i64 %k.next, %length
  br i1 %k.more, label %adjacent, label %packed
choice:
  %is.whole = icmp uge i64 %left, {width}
  %length.whole = and i64 %length, -{lanes}
  %whole = select i1 %is.whole, i64 %length.whole, i64 0
  %any.whole = icmp ne i64 %whole, 0
  br i1 %any.whole, label %across, label %rest
across:
  %q = phi i64 [0, %choice], [%q.next, %across]
  %q.from = mul i64 %q, {width}
{across}
  %q.next = add nuw nsw i64 %q, {lanes}
  %q.more = icmp ult i64 %q.next, %whole
  br i1 %q.more, label %across, label %rest
rest:
  %any.rest = icmp ult i64 %whole, %length
  br i1 %any.rest, label %gathered, label %packed
gathered:
  %g = phi i64 [%whole, %rest], [%g.next, %gathered]
{gathered}
  %g.next = add nuw nsw i64 %g, 1
  %g.more = icmp ult i64 %g.next, %length
  br i1 %g.more, label %gathered, label %packed
packed:
  br label %tile
tile:
  %i = phi i64 [%begin, %packed], [%i.next, %tile.end]
  %done = phi i64 [%begin, %packed], [%following, %tile.end]
  %x.from = mul i64 %i, %x.row
  %x.rows = getelementptr {item}, ptr %x.here, i64 %x.from
  %out.from = mul i64 %i, %out.row
  %out.rows = getelementptr {item}, ptr %out.here, i64 %out.from
{starts}
  br label %step
step:
  %s = phi i64 [0, %tile], [%s.next, %step]
  %along = phi i64 [0, %tile], [%along.next, %step]
{step}
  %s.next = add nuw nsw i64 %s, 1
  %along.next = add i64 %along, %x.step
  %s.more = icmp ult i64 %s.next, %length
  br i1 %s.more, label %step, label %sums
sums:
{ends}
  %is.apart = icmp eq i64 %i, %done
  %is.alone = and i1 %is.first, %is.apart
  br i1 %is.alone, label %written, label %added
written:
{written}
  br label %tile.end
added:
{added}
  br label %tile.end
tile.end:
  %following = add i64 %i, {ROWS}
  %i.next = call i64 @llvm.umin.i64(i64 %following, i64 %last.block)
  %i.more = icmp ult i64 %following, %finish
  br i1 %i.more, label %tile, label %chunk.end
chunk.end:
  %c.next = add i64 %c, %longest
  %c.more = icmp ult i64 %c.next, %common
  br i1 %c.more, label %chunk, label %unit.end
unit.end:
  %u.next = add i64 %u, 1
  %u.more = icmp ult i64 %u.next, %last
  br i1 %u.more, label %unit, label %end
end:
  ret void
}}
"""
