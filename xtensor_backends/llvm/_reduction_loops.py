"""Loops that reduce a program's values to one for each block of elements.

The order of the operations is fixed by the sizes alone, whatever the number of threads: an axis is divided into blocks
of a fixed length, each block is reduced by one thread with the lanes of a vector as partial results, and the results
of the blocks are combined pairwise: neighbours first, then neighbouring pairs. The lanes come from LLVM's vectorizer,
which may reorder the one addition of the reduction and nothing else.

Along the innermost axis, ``rows``: the job's unit is a block of a row, its results are one number for each reduction.
Along an axis around it, ``columns``: the unit is a block of rows and a block of columns, which are added row by row.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from llvmlite import ir

from xtensor.backend import Program

from ..kernels.formulas import FORMULAS
from ..kernels.reductions import combination, identity_element
from ..kernels.values import Value, constant, isnan
from ._builder import Builder, llvm_type, load, memory_type, store
from ._costs import has_formula
from ._emission import emit
from ._loops import I1, I64, POINTER, VOID, Slots, Writer, smaller, wide

__all__ = [
    "BLOCK",
    "COLUMNS",
    "ROWS",
    "columns_module",
    "combined",
    "extreme",
    "identity",
    "is_extreme",
    "rows_module",
]

BLOCK = 2048
"""Elements of a block along the innermost axis."""

COLUMNS = 512
"""Elements of a block of columns."""

ROWS = 128
"""Rows of a block of columns."""

GROUP = 4
"""Rows of a block of columns that are combined in one loop, where an element takes a few instructions."""


def identity(name: str, dtype: Any) -> float | int:
    """Return the number that a reduction begins with."""
    if dtype.kind == "f" and combination(name) == "add":
        return -0.0  # adding it changes no number
    return identity_element(name, dtype)


def combined(name: str, total: Value, value: Value) -> Value:
    """Return a total with one more value."""
    builder: Any = total.builder  # llvmlite's
    combine = combination(name)
    if total.kind == "f" and combine in ("add", "multiply"):
        operation = builder.fadd if combine == "add" else builder.fmul
        # The only place where LLVM may change the order of rounding operations: into lanes.
        return Value(builder, operation(total.code, value.code, flags=("reassoc",)), total.dtype)
    if total.kind == "f" and is_extreme(name):
        kind = llvm_type(total.dtype)
        function = builder.module.declare_intrinsic(f"llvm.{combine}", [kind], ir.FunctionType(kind, [kind, kind]))
        return Value(builder, builder.call(function, [total.code, value.code]), total.dtype)
    return FORMULAS[combine].function(total, value)  # type: ignore[no-any-return]


def is_extreme(name: str) -> bool:
    """Whether a reduction finds the largest or the smallest value."""
    return combination(name) in ("maximum", "minimum")


def extreme(name: str, total: Value, value: Value) -> Value:
    """Return the larger or the smaller one of two numbers by the processor's instruction; any number for NaN."""
    builder: Any = total.builder
    kind = total.code.type
    intrinsic = "llvm.maxnum" if combination(name) == "maximum" else "llvm.minnum"
    function = builder.module.declare_intrinsic(intrinsic, [kind], ir.FunctionType(kind, [kind, kind]))
    chosen = builder.call(function, [total.code, value.code], fastmath=("nnan", "nsz"))
    return Value(builder, chosen, total.dtype)


def rows_module(program: Program, letters: str, *, has_fma: bool | None = None) -> ir.Module:
    """Return the module of a program whose reductions go along the innermost axis.

    The operands of ``run``: parts, threads, nanoseconds, the length of a row, the number of rows; for each input its
    address, its stride in a row where the letter is "v", and its stride between rows; for each reduction the addresses
    of one number for each block of each row, and of one number for each row, or 0 where the blocks are not to be
    combined; the scalars.
    """
    return _Rows(program, letters, has_fma=has_fma).written_module()


def columns_module(program: Program, letters: str, *, has_fma: bool | None = None) -> ir.Module:
    """Return the module of a program whose reductions go along the axis around the innermost one.

    The operands are those of :func:`rows_module`, after the number of rows the number of such matrices, and how many
    rows of the caller's are taken for one; a third stride of each input is that between matrices. The first address of
    a reduction is that of a row of numbers for each block of rows of each matrix, the second one that of a row of the
    caller's length for each matrix, or 0 where the blocks are not to be combined.
    """
    return _Columns(program, letters, has_fma=has_fma).written_module()


class _Reducing(Writer, ABC):
    """Common part of both kinds of reductions."""

    def __init__(self, program: Program, letters: str, *, has_fma: bool | None) -> None:
        super().__init__(program, letters, has_fma=has_fma)
        self.results = [program.dtypes[location] for _, location in program.reductions]

    def types(self, rows: int) -> list[Any]:
        strided = [I64] * self.letters.count("v")
        pointers = [POINTER] * (rows * len(self.arrays) + len(self.results))
        return [I64, *[wide(dtype) for dtype in self.scalars], *pointers, *strided]

    def block(self, name: str = "block", rows: int = 1) -> Any:
        """``block(length, scalars..., inputs..., results..., strides...)``: whether an element is doubtful.

        A function of several rows has the inputs of the first row, then those of the second, and so on.
        """
        builder, (length, *rest) = self.begin(name, I1, self.types(rows))
        ends = np.cumsum([len(self.scalars), rows * len(self.arrays), len(self.results)])
        scalars, pointers, results, strides = (
            rest[: ends[0]],
            rest[ends[0] : ends[1]],
            rest[ends[1] : ends[2]],
            rest[ends[2] :],
        )
        before, numbers = builder.block, self.numbers(builder, scalars)
        reduced: list[Value] = []

        def write(loop: Builder, index: Any) -> Any:
            totals, doubted = self.totals(loop, before), I1(0)
            for row in range(rows):
                own = pointers[row * len(self.arrays) : (row + 1) * len(self.arrays)]
                elements = self.elements(loop, index, own, strides)
                values, doubtful = emit(self.program, [*elements, *self.moved(loop, numbers)])
                reduced[:] = self.combine(loop, index, values, totals, results)
                doubted = loop.or_(doubted, self.doubt(doubtful, values).code)
            return doubted

        doubted = self.each(builder, length, write)
        for value, result in zip(reduced, results, strict=False):
            store(Value(builder, value.code, value.dtype), result)
        builder.ret(doubted)
        return builder.function

    def totals(self, loop: Builder, before: Any) -> list[Any]:
        """Numbers that go from one element of a block to the next."""
        return []

    def doubt(self, doubtful: Value, values: list[Value]) -> Value:
        """Whether an element is doubtful for the function that is written."""
        return doubtful

    def location(self, builder: Builder, base: Any, index: Any, dtype: Any) -> Any:
        """The address of a number."""
        return builder.gep(base, [index], source_etype=memory_type(dtype))

    @abstractmethod
    def combine(
        self, loop: Builder, index: Any, values: list[Value], totals: list[Any], results: list[Any]
    ) -> list[Value]:
        """Combine an element with what came before it; return the numbers that are written after the last one."""


class _Rows(_Reducing):
    """A block has one number as its result, which stays in a register until its end.

    The largest or smallest floating-point number of a block is first found by the processor's instruction, which knows
    no NaN, in half the time. A block with NaN is gone over again. The sign of a zero is any, as in the standard.
    """

    quick = False
    """Whether the function that is written knows no NaN, and says where it met one."""

    def totals(self, loop: Builder, before: Any) -> list[Any]:
        accumulators = []
        for (name, _), dtype in zip(self.program.reductions, self.results, strict=True):
            accumulators.append(loop.phi(llvm_type(dtype)))
            accumulators[-1].add_incoming(constant(loop, identity(name, dtype), dtype).code, before)
        return accumulators

    def combine(
        self, loop: Builder, index: Any, values: list[Value], totals: list[Any], results: list[Any]
    ) -> list[Value]:
        ends = []
        for (name, location), total, dtype in zip(self.program.reductions, totals, self.results, strict=True):
            before = Value(loop, total, dtype)
            ends.append((extreme if self.quick else combined)(name, before, values[location]))
            total.add_incoming(ends[-1].code, loop.block)
        return ends

    def doubt(self, doubtful: Value, values: list[Value]) -> Value:
        return doubtful | isnan(values[self.program.reductions[0][1]]) if self.quick else doubtful

    def block(self, name: str = "block", rows: int = 1) -> Any:
        names = [reduction for reduction, _ in self.program.reductions]
        if len(names) != 1 or not is_extreme(names[0]) or self.results[0].kind != "f":
            return super().block(name, rows)
        self.quick = True
        quick = super().block("quick", rows)
        self.quick = False
        return self.repeated(name, quick, super().block("exact", rows))

    def read(self, slots: Slots) -> tuple[Any, Any, list[Any], list[tuple[Any, Any]], list[Any]]:
        """Length and number of rows; each input's address and strides; each reduction's addresses; scalars."""
        length, rows = slots.read(), slots.read()
        inputs = [
            (slots.read(POINTER), slots.read() if letter == "v" else None, slots.read()) for letter in self.letters
        ]
        results = [(slots.read(POINTER), slots.read(POINTER)) for _ in self.results]
        return length, rows, inputs, results, [slots.read(wide(dtype)) for dtype in self.scalars]

    def blocks(self, builder: Builder, length: Any) -> Any:
        """The number of blocks of a row."""
        return builder.sdiv(builder.add(length, I64(BLOCK - 1)), I64(BLOCK))

    def job(self) -> Any:
        block = self.block()
        builder, flag, slots, part, parts = self.begin_job()
        length, rows, inputs, results, scalars = self.read(slots)
        strides = []
        blocks = self.blocks(builder, length)
        first, last = self.share(builder, builder.mul(rows, blocks), part, parts)
        with self.counted(builder, first, last) as (loop, unit):
            row, begin = loop.sdiv(unit, blocks), loop.mul(loop.srem(unit, blocks), I64(BLOCK))
            count = smaller(loop, I64(BLOCK), loop.sub(length, begin))
            pointers = []
            for (base, stride, row_stride), letter, dtype in zip(inputs, self.letters, self.arrays, strict=True):
                step = {"c": I64(dtype.itemsize), "s": I64(0)}.get(letter, stride)
                pointers.append(self.offset(loop, base, (begin, step), (row, row_stride)))
                if letter == "v":
                    strides.append(stride)
            given = [
                self.offset(loop, base, (unit, I64(dtype.itemsize)))
                for (base, _), dtype in zip(results, self.results, strict=True)
            ]
            self.mark(loop, flag, loop.call(block, [count, *scalars, *pointers, *given, *strides]))
        builder.ret_void()
        return builder.function

    def finish(self, builder: Builder, slots: Slots) -> None:
        length, rows, _, results, _ = self.read(slots)
        blocks = self.blocks(builder, length)
        for (name, _), (partial, final), dtype in zip(self.program.reductions, results, self.results, strict=True):
            wanted = builder.icmp_unsigned("!=", builder.ptrtoint(final, I64), I64(0))
            with self.counted(builder, I64(0), builder.select(wanted, rows, I64(0))) as (loop, row):
                first = loop.mul(row, blocks)
                self.combine_blocks(loop, name, partial, first, blocks, dtype)
                total = load(loop, self.location(loop, partial, first, dtype), dtype)
                if dtype.kind == "f" and combination(name) == "add":
                    total += 0.0  # as NumPy's, a sum of negative zeros is 0
                store(total, self.location(loop, final, row, dtype))

    def combine_blocks(self, builder: Builder, name: str, base: Any, first: Any, blocks: Any, dtype: Any) -> None:
        """Combine the numbers of a row's blocks pairwise, in the place of the first one."""
        zeros = self.module.declare_intrinsic("llvm.ctlz", [I64], ir.FunctionType(I64, [I64, I1]))
        levels = builder.sub(I64(64), builder.call(zeros, [builder.sub(blocks, I64(1)), I1(0)]))
        with self.counted(builder, I64(0), levels) as (outer, level):
            width = outer.shl(I64(1), level)
            pairs = outer.ashr(outer.add(blocks, outer.sub(width, I64(1))), outer.add(level, I64(1)))
            with self.counted(outer, I64(0), pairs) as (loop, pair):
                left = loop.add(first, loop.shl(pair, loop.add(level, I64(1))))
                locations = [self.location(loop, base, index, dtype) for index in (left, loop.add(left, width))]
                numbers = [load(loop, location, dtype) for location in locations]
                store(combined(name, *numbers), locations[0])


class _Columns(_Reducing):
    """A block has a row of numbers as its result, with which a row of elements is combined in memory."""

    def combine(
        self, loop: Builder, index: Any, values: list[Value], totals: list[Any], results: list[Any]
    ) -> list[Value]:
        for (name, location), result, dtype in zip(self.program.reductions, results, self.results, strict=True):
            address = loop.gep(result, [index], inbounds=True, source_etype=memory_type(dtype))
            store(combined(name, load(loop, address, dtype), values[location]), address)
        return []

    def read(self, slots: Slots) -> tuple[list[Any], list[tuple[Any, ...]], list[tuple[Any, Any]], list[Any]]:
        """The sizes; each input's address and strides, of which the first may be None; each reduction's; scalars."""
        sizes = [slots.read() for _ in range(4)]
        inputs = [
            (slots.read(POINTER), slots.read() if letter == "v" else None, slots.read(), slots.read())
            for letter in self.letters
        ]
        results = [(slots.read(POINTER), slots.read(POINTER)) for _ in self.results]
        return sizes, inputs, results, [slots.read(wide(dtype)) for dtype in self.scalars]

    def job(self) -> Any:
        block = self.block()
        # A group of rows loads and stores the results once.
        grouped = None if has_formula(self.program) else self.block("grouped", GROUP)
        builder, flag, slots, part, parts = self.begin_job()
        (length, rows, matrices, _), inputs, results, scalars = self.read(slots)
        strides = [stride for _, stride, _, _ in inputs if stride is not None]
        across = builder.sdiv(builder.add(length, I64(COLUMNS - 1)), I64(COLUMNS))
        down = self.down(builder, rows)
        start, end = self.share(builder, builder.mul(matrices, builder.mul(across, down)), part, parts)
        with self.counted(builder, start, end) as (loop, unit):
            column = loop.mul(loop.srem(unit, across), I64(COLUMNS))
            strip = loop.sdiv(unit, across)  # of all matrices' blocks of rows
            matrix, first = loop.sdiv(strip, down), loop.mul(loop.srem(strip, down), I64(ROWS))
            last = smaller(loop, loop.add(first, I64(ROWS)), rows)
            count = smaller(loop, I64(COLUMNS), loop.sub(length, column))
            given = []
            for (name, _), (partial, _), dtype in zip(self.program.reductions, results, self.results, strict=True):
                location = loop.add(loop.mul(strip, length), column)
                given.append(self.location(loop, partial, location, dtype))
                self.fill(loop, given[-1], count, identity(name, dtype), dtype)

            def pointers(inner: Builder, row: Any) -> list[Any]:
                pieces = []
                for (base, stride, of_rows, of_matrices), letter, dtype in zip(
                    inputs, self.letters, self.arrays, strict=True
                ):
                    step = {"c": I64(dtype.itemsize), "s": I64(0)}.get(letter, stride)
                    pieces.append(self.offset(inner, base, (column, step), (row, of_rows), (matrix, of_matrices)))
                return pieces

            if grouped is not None:
                groups = loop.sdiv(loop.sub(last, first), I64(GROUP))
                with self.counted(loop, I64(0), groups) as (inner, group):
                    row = inner.add(first, inner.mul(group, I64(GROUP)))
                    together = [each for k in range(GROUP) for each in pointers(inner, inner.add(row, I64(k)))]
                    self.mark(inner, flag, inner.call(grouped, [count, *scalars, *together, *given, *strides]))
                first = loop.add(first, loop.mul(groups, I64(GROUP)))
            with self.counted(loop, first, last) as (inner, row):
                operands = [count, *scalars, *pointers(inner, row), *given, *strides]
                self.mark(inner, flag, inner.call(block, operands))
        builder.ret_void()
        return builder.function

    def finish(self, builder: Builder, slots: Slots) -> None:
        (length, rows, matrices, joined), _, results, _ = self.read(slots)
        width, count = builder.sdiv(length, joined), builder.mul(self.down(builder, rows), joined)
        for (name, _), (partial, final), dtype in zip(self.program.reductions, results, self.results, strict=True):
            merge = self.merge(name, dtype)
            wanted = builder.icmp_unsigned("!=", builder.ptrtoint(final, I64), I64(0))
            with self.counted(builder, I64(0), builder.select(wanted, matrices, I64(0))) as (outer, matrix):
                target = self.location(outer, final, outer.mul(matrix, width), dtype)
                # A sum of negative zeros is 0, as NumPy's.
                start = 0.0 if dtype.kind == "f" and combination(name) == "add" else identity(name, dtype)
                self.fill(outer, target, width, start, dtype)
                with self.counted(outer, I64(0), count) as (loop, row):
                    place = loop.mul(loop.add(loop.mul(matrix, count), row), width)
                    loop.call(merge, [width, target, self.location(loop, partial, place, dtype)])

    def down(self, builder: Builder, rows: Any) -> Any:
        """The number of blocks of rows."""
        return builder.sdiv(builder.add(rows, I64(ROWS - 1)), I64(ROWS))

    def fill(self, builder: Builder, target: Any, count: Any, number: float, dtype: Any) -> None:
        """Write a number to each of some elements."""
        with self.counted(builder, I64(0), count) as (loop, index):
            store(constant(loop, number, dtype), self.location(loop, target, index, dtype))

    def merge(self, name: str, dtype: Any) -> Any:
        """``merge(count, totals, numbers)``: combine each total with a number."""
        name_of_function = f"merge{len(self.module.functions)}"
        builder, (count, totals, numbers) = self.begin(name_of_function, VOID, [I64, POINTER, POINTER])
        with self.counted(builder, I64(0), count) as (loop, index):
            total, number = (self.location(loop, base, index, dtype) for base in (totals, numbers))
            store(combined(name, load(loop, total, dtype), load(loop, number, dtype)), total)
        builder.ret_void()
        return builder.function
