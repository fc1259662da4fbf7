"""Loops that reduce a program's values to one for each block of elements.

The order of the operations is fixed by the sizes alone, whatever the number of threads: an axis is divided into blocks
of a fixed length, each block is reduced by one thread with the lanes of a vector as partial results, and the results
of the blocks are combined pairwise: neighbours first, then neighbouring pairs. The lanes come from LLVM's vectorizer,
which may reorder the one addition of the reduction and nothing else.

Along the innermost axis, ``rows``: the job's unit is a block of a row, its results are one number for each reduction.
Along an axis around it, ``columns``: the unit is a block of rows and a block of columns, which are added row by row;
the caller combines the blocks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from llvmlite import ir

from xtensor.backend import Program

from ..kernels.values import Value, constant, isnan, maximum, minimum
from ._builder import Builder, llvm_type, load, memory_type, store
from ._emission import emit
from ._loops import I1, I64, POINTER, VOID, Slots, Writer, smaller, wide

__all__ = [
    "BLOCK",
    "COLUMNS",
    "REDUCTIONS",
    "ROWS",
    "columns_module",
    "combined",
    "extreme",
    "identity",
    "rows_module",
]

REDUCTIONS = frozenset(("max", "min", "prod", "sum"))

BLOCK = 2048
"""Elements of a block along the innermost axis."""

COLUMNS = 512
"""Elements of a block of columns."""

ROWS = 128
"""Rows of a block of columns."""


def identity(name: str, dtype: Any) -> float | int:
    """Return the number that a reduction begins with."""
    if name == "sum":
        return -0.0 if dtype.kind == "f" else 0  # adding -0.0 changes no number
    if name == "prod":
        return 1
    if dtype.kind == "f":
        return -np.inf if name == "max" else np.inf
    if dtype.kind == "b":
        return name == "min"
    limits = np.iinfo(dtype)
    return limits.min if name == "max" else limits.max


def combined(name: str, total: Value, value: Value) -> Value:
    """Return a total with one more value."""
    builder: Any = total.builder  # llvmlite's
    if name in ("sum", "prod"):
        if total.kind == "f":
            operation = builder.fadd if name == "sum" else builder.fmul
            # The only place where LLVM may change the order of rounding operations: into lanes.
            return Value(builder, operation(total.code, value.code, flags=("reassoc",)), total.dtype)
        return total + value if name == "sum" else total * value
    if total.kind == "f":
        intrinsic = "llvm.maximum" if name == "max" else "llvm.minimum"
        kind = llvm_type(total.dtype)
        function = builder.module.declare_intrinsic(intrinsic, [kind], ir.FunctionType(kind, [kind, kind]))
        return Value(builder, builder.call(function, [total.code, value.code]), total.dtype)
    if total.kind == "b":
        return total | value if name == "max" else total & value
    return maximum(total, value) if name == "max" else minimum(total, value)


def extreme(name: str, total: Value, value: Value) -> Value:
    """Return the larger or the smaller one of two numbers by the processor's instruction; any number for NaN."""
    builder: Any = total.builder
    kind = total.code.type
    intrinsic = "llvm.maxnum" if name == "max" else "llvm.minnum"
    function = builder.module.declare_intrinsic(intrinsic, [kind], ir.FunctionType(kind, [kind, kind]))
    found = builder.call(function, [total.code, value.code], fastmath=("nnan", "nsz"))
    return Value(builder, found, total.dtype)


def rows_module(program: Program, letters: str, *, has_fma: bool) -> ir.Module:
    """Return the module of a program whose reductions go along the innermost axis.

    The operands of ``run``: parts, threads, nanoseconds, the length of a row, the number of rows; for each input its
    address, its stride in a row where the letter is "v", and its stride between rows; for each reduction the addresses
    of one number for each block of each row, and of one number for each row, or 0 where the blocks are not to be
    combined; the scalars.
    """
    writer = _Rows(program, letters, has_fma=has_fma)
    writer.entry(writer.job(writer.block()))
    return writer.module


def columns_module(program: Program, letters: str, *, has_fma: bool) -> ir.Module:
    """Return the module of a program whose reductions go along the axis around the innermost one.

    The operands are those of :func:`rows_module`, after the number of rows the number of such matrices; a third stride
    of each input is that between matrices. The results are a row of numbers for each block of rows of each matrix.
    """
    writer = _Columns(program, letters, has_fma=has_fma)
    writer.entry(writer.job(writer.block()))
    return writer.module


class _Reducing(Writer, ABC):
    """Common part of both kinds of reductions."""

    def __init__(self, program: Program, letters: str, *, has_fma: bool) -> None:
        super().__init__(program, letters, has_fma=has_fma)
        self.results = [program.dtypes[location] for _, location in program.reductions]

    def types(self) -> list[Any]:
        strided = [I64] * self.letters.count("v")
        pointers = [POINTER] * (len(self.arrays) + len(self.results))
        return [I64, *[wide(dtype) for dtype in self.scalars], *pointers, *strided]

    def arguments(self, function: Any) -> tuple[Any, list[Any], list[Any], list[Any], list[Any]]:
        """Return the length, the scalars, the inputs, the results and the strides of a block function."""
        length, rest = function.args[0], list(function.args[1:])
        ends = np.cumsum([len(self.scalars), len(self.arrays), len(self.results)])
        return length, rest[: ends[0]], rest[ends[0] : ends[1]], rest[ends[1] : ends[2]], rest[ends[2] :]

    def block(self, name: str = "block") -> Any:
        """``block(length, scalars..., inputs..., results..., strides...)``: whether an element is doubtful."""
        function = self.function(name, I1, self.types(), internal=True)
        function.attributes.add("noinline")
        length, scalars, pointers, results, strides = self.arguments(function)
        for pointer in [*pointers, *results]:
            pointer.add_attribute("noalias")
        before, body, after = (function.append_basic_block(name) for name in ("before", "body", "after"))
        start = self.builder(before)
        numbers = self.numbers(start, scalars)
        start.branch(body)  # a block has at least one element
        loop = self.builder(body)
        index, doubt = loop.phi(I64), loop.phi(I1)
        index.add_incoming(I64(0), before)
        doubt.add_incoming(I1(0), before)
        totals = self.totals(loop, before)
        values, doubtful = emit(
            self.program, [*self.elements(loop, index, pointers, strides), *self.moved(loop, numbers)]
        )
        ends = self.combine(loop, index, values, totals, results)
        doubtful = self.doubt(doubtful, values)
        following = loop.add(index, I64(1), flags=("nsw",))
        doubted = loop.or_(doubt, doubtful.code)
        index.add_incoming(following, loop.block)
        doubt.add_incoming(doubted, loop.block)
        loop.cbranch(loop.icmp_signed("<", following, length), body, after)
        end = self.builder(after)
        for value, result in zip(ends, results, strict=False):
            store(Value(end, value.code, value.dtype), result)
        end.ret(doubted)
        return function

    def totals(self, loop: Builder, before: Any) -> list[Any]:
        """Numbers that go from one element of a block to the next."""
        return []

    def doubt(self, doubtful: Value, values: list[Value]) -> Value:
        """Whether an element is doubtful for the function that is written."""
        return doubtful

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
        found = []
        for (name, _), dtype in zip(self.program.reductions, self.results, strict=True):
            found.append(loop.phi(llvm_type(dtype)))
            found[-1].add_incoming(constant(loop, identity(name, dtype), dtype).code, before)
        return found

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

    def block(self, name: str = "block") -> Any:
        names = [reduction for reduction, _ in self.program.reductions]
        if names not in (["max"], ["min"]) or self.results[0].kind != "f":
            return super().block(name)
        self.quick = True
        quick = super().block("quick")
        self.quick = False
        return self.repeated(name, quick, super().block("exact"))

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

    def job(self, block: Any) -> Any:
        function = self.function("job", VOID, [POINTER, I64, I64], internal=True)
        arguments, part, parts = function.args
        builder = self.builder(function.append_basic_block())
        flag, slots = self.frame(builder, arguments)
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
        return function

    def finish(self, builder: Builder, slots: Slots) -> None:
        length, rows, _, results, _ = self.read(slots)
        blocks = self.blocks(builder, length)
        for (name, _), (partial, final), dtype in zip(self.program.reductions, results, self.results, strict=True):
            wanted = builder.icmp_unsigned("!=", builder.ptrtoint(final, I64), I64(0))
            with self.counted(builder, I64(0), builder.select(wanted, rows, I64(0))) as (loop, row):
                first = loop.mul(row, blocks)
                self.combine_blocks(loop, name, partial, first, blocks, dtype)
                total = load(loop, self.location(loop, partial, first, dtype), dtype)
                if name == "sum" and dtype.kind == "f":
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

    def location(self, builder: Builder, base: Any, index: Any, dtype: Any) -> Any:
        """The address of a number."""
        return builder.gep(base, [index], source_etype=memory_type(dtype))


class _Columns(_Reducing):
    """A block has a row of numbers as its result, with which a row of elements is combined in memory."""

    def combine(
        self, loop: Builder, index: Any, values: list[Value], totals: list[Any], results: list[Any]
    ) -> list[Value]:
        for (name, location), result, dtype in zip(self.program.reductions, results, self.results, strict=True):
            address = loop.gep(result, [index], inbounds=True, source_etype=memory_type(dtype))
            store(combined(name, load(loop, address, dtype), values[location]), address)
        return []

    def job(self, block: Any) -> Any:
        function = self.function("job", VOID, [POINTER, I64, I64], internal=True)
        arguments, part, parts = function.args
        builder = self.builder(function.append_basic_block())
        flag, slots = self.frame(builder, arguments)
        length, rows, matrices = slots.read(), slots.read(), slots.read()
        inputs, strides = [], []
        for letter in self.letters:
            base, stride = slots.read(POINTER), slots.read() if letter == "v" else None
            inputs.append((base, stride, slots.read(), slots.read()))
        results = [slots.read(POINTER) for _ in self.results]
        scalars = [slots.read(wide(dtype)) for dtype in self.scalars]
        across = builder.sdiv(builder.add(length, I64(COLUMNS - 1)), I64(COLUMNS))
        down = builder.sdiv(builder.add(rows, I64(ROWS - 1)), I64(ROWS))
        start, end = self.share(builder, builder.mul(matrices, builder.mul(across, down)), part, parts)
        with self.counted(builder, start, end) as (loop, unit):
            column = loop.mul(loop.srem(unit, across), I64(COLUMNS))
            strip = loop.sdiv(unit, across)  # of all matrices' blocks of rows
            matrix, first = loop.sdiv(strip, down), loop.mul(loop.srem(strip, down), I64(ROWS))
            last = smaller(loop, loop.add(first, I64(ROWS)), rows)
            count = smaller(loop, I64(COLUMNS), loop.sub(length, column))
            given = []
            for base, dtype in zip(results, self.results, strict=True):
                location = loop.add(loop.mul(strip, length), column)
                given.append(self.offset(loop, base, (location, I64(dtype.itemsize))))
            with self.counted(loop, first, last) as (inner, row):
                pointers = []
                for (base, stride, row_stride, matrix_stride), letter, dtype in zip(
                    inputs, self.letters, self.arrays, strict=True
                ):
                    step = {"c": I64(dtype.itemsize), "s": I64(0)}.get(letter, stride)
                    moves = (column, step), (row, row_stride), (matrix, matrix_stride)
                    pointers.append(self.offset(inner, base, *moves))
                    if letter == "v":
                        strides.append(stride)
                self.mark(inner, flag, inner.call(block, [count, *scalars, *pointers, *given, *strides]))
        builder.ret_void()
        return function
