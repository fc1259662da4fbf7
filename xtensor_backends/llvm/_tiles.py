"""Blocks of 8 rows of a triangular solution, whose sums stay in vectors of AVX-512.

A block has the numbers of 3 vectors as columns, or of fewer. The products with the rows above are added in registers,
as in :mod:`_product_kernel`; then the rows of the block are solved one after the other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from xtensor.backend import Native

from . import _compile
from ._lines import Lines
from ._quantized_rows import RUN

__all__ = [
    "ITEMS",
    "MULTIPLICATIONS",
    "PARTS",
    "ROWS",
    "VECTORS",
    "Distances",
    "Launch",
    "Layout",
    "Tile",
    "is_supported",
    "row_major",
]

ROWS, VECTORS = 8, 3
"""Rows of a block, and its vectors: more read the rows above fewer times."""

ITEMS = {"f": ("float", 16), "d": ("double", 8)}
"""LLVM's types by NumPy's letters, and the numbers of a vector."""

LONGEST = 64
"""Products of a sum. The sums are added to a total, whose rounding errors hardly grow with the rows."""

MULTIPLICATIONS = {"f": 60, "d": 30}
"""Multiplications of a core in a nanosecond, about."""

MOST_KEPT = 2**12
"""Matrices of a stack up to which their distances are kept for the next call."""

PARTS = 8
"""Parts for each thread, in case another one is interrupted or begins late."""

Layout = tuple[tuple[int, ...], tuple[int, ...]]
"""The shape and the strides of an array."""


def is_supported(char: str, rows: int) -> bool:
    """Whether kernels compute with a dtype, and with matrices of as many rows."""
    return char in ITEMS and rows >= ROWS and _compile.has_feature("avx512f")


def row_major(shape: tuple[int, ...], size: int) -> Layout:
    """Return the layout of a new array whose elements have a size in bytes."""
    return shape, tuple([size * math.prod(shape[axis + 1 :]) for axis in range(len(shape))])


class Distances:
    """The distances in elements at which each matrix of a stack begins in some arrays.

    Parameters
    ----------
    stack
        The shape of the stack, to which those of the arrays broadcast.
    size
        The bytes of an element.
    starts
        The distance of the first matrix in each array: of its last element where rows are read in reverse.
    layouts
        The layouts of the arrays.
    """

    def __init__(self, stack: tuple[int, ...], size: int, starts: tuple[int, ...], *layouts: Layout) -> None:
        self.arguments = stack, size, starts, layouts
        self._kept = self._computed() if math.prod(stack) <= MOST_KEPT else None

    @property
    def table(self) -> Native:
        """The distances, for a matrix in all arrays one after the other."""
        return self._computed() if self._kept is None else self._kept

    def _computed(self) -> Native:
        stack, size, starts, layouts = self.arguments
        result = np.empty((*stack, len(layouts)), np.int64)
        result[...] = starts
        for number, (shape, strides) in enumerate(layouts):
            for axis in range(len(shape) - 2):
                if shape[axis] > 1:
                    position = np.arange(shape[axis]).reshape(-1, *[1] * (len(shape) - axis - 3))
                    result[..., number] += position * (strides[axis] // size)
        return result


class Launch(NamedTuple):
    """How a kernel is called for arrays of some layouts.

    Attributes
    ----------
    before, after
        The operands before the addresses of the arrays, and those after them.
    shape, copies
        The shape of the result, and that of the memory which the kernel needs besides.
    distances
        Where the matrices begin in the arrays.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    shape: tuple[int, ...]
    copies: tuple[int, ...]
    distances: Distances


class Tile(Lines):
    """Writes a block: the sums, and the rows that are solved.

    Attributes
    ----------
    item
        LLVM's type of a number.
    size
        Its bytes.
    lanes, vectors, width
        The numbers of a vector, the vectors of a row, and the numbers of a row.
    vector, column, mask
        LLVM's types of vectors of numbers, of the numbers of a block's column, and of whether columns are the matrix's.
    """

    def __init__(self, char: str, vectors: int) -> None:
        super().__init__()
        self.item, self.lanes = ITEMS[char]
        self.size = 64 // self.lanes
        self.vectors, self.width = vectors, vectors * self.lanes
        self.vector, self.mask = f"<{self.lanes} x {self.item}>", f"<{self.lanes} x i1>"
        self.column = f"<{ROWS} x {self.item}>"
        self.suffix = f"v{self.lanes}f{8 * self.size}"
        self.masked = f"i32 {self.size}, {self.mask}"

    def flush(self) -> str:
        """Return the lines that were written since the last call."""
        lines, self.lines = self.lines, []
        return "\n".join(lines)

    def address(self, base: str, index: str | int) -> str:
        """Write the address of an element; return its name."""
        return self.at(self.item, base, index)

    def element(self, base: str, index: str | int) -> str:
        """Write a vector of one element of memory."""
        number = self.let(f"load {self.item}, ptr {self.address(base, index)}, align {self.size}")
        return self.splat(number, self.item, self.lanes)

    def load(self, base: str, h: int) -> str:
        return self.let(f"load {self.vector}, ptr {self.address(base, h * self.lanes)}, align {self.size}")

    def fma(self, x: str, y: str, total: str) -> str:
        operands = f"{self.vector} {x}, {self.vector} {y}, {self.vector} {total}"
        return f"call {self.vector} @llvm.fmuladd.{self.suffix}({operands})"

    def minus_product(self, value: str, factor: str, other: str) -> str:
        """Write a vector less the product of two others."""
        return self.let(self.fma(self.let(f"fneg {self.vector} {factor}"), other, value))

    def find_matrices(self, *names: str) -> str:
        """Return the lines that find the matrices of number ``%matrix``: ``%a.matrix`` of the array ``%a``.

        The table has the distances of each matrix from the arrays' beginnings, see :class:`Distances`.
        """
        lines = [f"  %table.from = mul i64 %matrix, {len(names)}"]
        for number, name in enumerate(names):
            lines += [
                f"  %{name}.in.table = add i64 %table.from, {number}",
                f"  %{name}.found = getelementptr i64, ptr %table, i64 %{name}.in.table",
                f"  %{name}.distance = load i64, ptr %{name}.found",
                f"  %{name}.matrix = getelementptr {self.item}, ptr %{name}, i64 %{name}.distance",
            ]
        return "\n".join(lines)

    def masks(self, left: str = "%left") -> list[str]:
        """Write which lanes of the vectors are among the columns that are left."""
        left, masks = self.splat(left, "i64", self.lanes), []
        for h in range(self.vectors):
            numbers = ", ".join(f"i64 {number}" for number in range(h * self.lanes, (h + 1) * self.lanes))
            masks.append(self.let(f"icmp ult <{self.lanes} x i64> <{numbers}>, {left}"))
        return masks

    def add(self, above: str, factors: list[str], masks: list[str] | None = None) -> None:
        """Write ``%new0``, ...: ``%sum0``, ... and the products of the row above with each row's factor.

        Masks are given where elements beyond the columns may not have been written: subnormal numbers take long.
        """
        known = self.load_masked(above, masks) if masks else [self.load(above, h) for h in range(self.vectors)]
        for row, factor in enumerate(factors):
            for h in range(self.vectors):
                number = row * self.vectors + h
                self.lines.append(f"  %new{number} = {self.fma(factor, known[h], f'%sum{number}')}")

    def sums_of_products(self, above: str, factors: list[str], masks: list[str] | None = None) -> str:
        """Return the loops over the rows above row ``%i`` that add products, from ``%tile`` to ``%solve``.

        ``above`` is the place of row ``%s``, and ``factors`` are its factors for each row of the block; the lines that
        are written compute both.
        """
        self.add(above, factors, masks)
        step, sums, totals, ends = self.flush(), [], [], []
        for number in range(ROWS * self.vectors):
            sums.append(f"  %sum{number} = phi {self.vector} [zeroinitializer, %chunk], [%new{number}, %step]")
            before = f"phi {self.vector} [zeroinitializer, %tile], [%next{number}, %chunk.end]"
            totals += [f"  %before{number} = {before}", f"  %total{number} = {before}"]
            ends.append(f"  %next{number} = fadd {self.vector} %before{number}, %new{number}")
        return f"""
  %is.first = icmp eq i64 %i, 0
  br i1 %is.first, label %solve, label %chunk
chunk:
  %c = phi i64 [0, %tile], [%c.next, %chunk.end]
{chr(10).join(totals[::2])}
  %c.following = add i64 %c, {LONGEST}
  %c.next = call i64 @llvm.umin.i64(i64 %c.following, i64 %i)
  br label %step
step:
  %s = phi i64 [%c, %chunk], [%s.next, %step]
{chr(10).join(sums)}
{step}
  %s.next = add nuw nsw i64 %s, 1
  %s.more = icmp ult i64 %s.next, %c.next
  br i1 %s.more, label %step, label %chunk.end
chunk.end:
{chr(10).join(ends)}
  %c.more = icmp ult i64 %c.next, %i
  br i1 %c.more, label %chunk, label %solve
solve:
{chr(10).join(totals[1::2])}"""

    def load_masked(self, start: str, masks: list[str]) -> list[str]:
        """Write the elements of a row; 0 for those beyond the columns."""
        values = []
        for h, mask in enumerate(masks):
            read = f"@llvm.masked.load.{self.suffix}.p0(ptr {self.address(start, h * self.lanes)}, {self.masked} {mask}"
            values.append(self.let(f"call {self.vector} {read}, {self.vector} zeroinitializer)"))
        return values

    def minus_sums(self, given: list[str], row: int) -> list[str]:
        """Write the elements of a row of the right side less the sums."""
        return [
            self.let(f"fsub {self.vector} {value}, %total{row * self.vectors + h}") for h, value in enumerate(given)
        ]

    def load_transposed(self, start: str, step: str) -> list[list[str]]:
        """Write the rows of a block of which each column lies together; beyond the matrix its last column is read."""
        columns = []
        for column in range(self.width):
            number = self.let(f"call i64 @llvm.umin.i64(i64 {column}, i64 %left.last)")
            place = self.address(start, self.let(f"mul i64 {number}, {step}"))
            columns.append(self.let(f"load {self.column}, ptr {place}, align {self.size}"))
        if self.lanes > ROWS:  # a vector has two columns
            order = ", ".join(f"i32 {lane}" for lane in range(self.lanes))
            pairs = zip(columns[::2], columns[1::2], strict=True)
            columns = [
                self.let(f"shufflevector {self.column} {first}, {self.column} {second}, <{self.lanes} x i32> <{order}>")
                for first, second in pairs
            ]
        rounds = self.lanes.bit_length() - 1
        blocks = [columns[begin : begin + ROWS] for begin in range(0, len(columns), ROWS)]
        parts = [self.interleaved(block, rounds, self.vector, self.lanes) for block in blocks]
        return [[part[row] for part in parts] for row in range(ROWS)]

    def store_transposed(self, rows: list[list[str]], start: str, step: str) -> None:
        """Write a block so that each of its ``%left`` columns lies together."""
        number, zeros = 0, f"<{ROWS} x i32> zeroinitializer"
        for h in range(self.vectors):
            for whole in self.interleaved([row[h] for row in rows], ROWS.bit_length() - 1, self.vector, self.lanes):
                for begin in range(0, self.lanes, ROWS):
                    order = ", ".join(f"i32 {lane}" for lane in range(begin, begin + ROWS))
                    both = f"{self.vector} {whole}, {self.vector} poison"
                    column = self.let(f"shufflevector {both}, <{ROWS} x i32> <{order}>")
                    is_inside = self.let(f"icmp ugt i64 %left, {number}")
                    one = self.let(f"insertelement <{ROWS} x i1> poison, i1 {is_inside}, i64 0")
                    mask = self.let(f"shufflevector <{ROWS} x i1> {one}, <{ROWS} x i1> poison, {zeros}")
                    place = self.address(start, self.let(f"mul i64 {number}, {step}"))
                    store = f"({self.column} {column}, ptr {place}, i32 {self.size}, <{ROWS} x i1> {mask})"
                    self.lines.append(f"  call void @llvm.masked.store.v{ROWS}f{8 * self.size}.p0{store}")
                    number += 1

    def store(self, values: list[str], to: str, masks: list[str]) -> None:
        """Write a row of the block."""
        for h, mask in enumerate(masks):
            store = f"({self.vector} {values[h]}, ptr {self.address(to, h * self.lanes)}, {self.masked} {mask})"
            self.lines.append(f"  call void @llvm.masked.store.{self.suffix}.p0{store}")

    def head(self, arguments: str) -> str:
        """Return the beginning of a module and of its job, with the lines that load the job's arguments."""
        stores = [
            f"declare void @llvm.masked.store.v{count}f{8 * self.size}.p0"
            f"(<{count} x {self.item}>, ptr, i32, <{count} x i1>)"
            for count in sorted({ROWS, self.lanes})
        ]
        return f"""
declare {self.vector} @llvm.fmuladd.{self.suffix}({self.vector}, {self.vector}, {self.vector})
declare {self.vector} @llvm.masked.load.{self.suffix}.p0(ptr, i32, {self.mask}, {self.vector})
{chr(10).join(stores)}
declare {self.item} @llvm.sqrt.f{8 * self.size}({self.item})
declare i64 @llvm.umin.i64(i64, i64)
{RUN.replace("BODY", "")}
define internal void @job(ptr %arguments, i64 %part, i64 %parts) nounwind {{
entry:
{arguments}
  %last.begin = sub i64 %rows, {ROWS}"""
