"""Loops that compute programs with reductions among their steps, one row after the other.

A row is gone over several times while it is in a core's cache: each pass computes the reductions whose operands are
known by then, and the last one the results. In between, what is one number for the row is computed once. Values of a
pass that a later one needs are kept in memory for one row where they are dear, and computed again where they are cheap.

The order of a sum is fixed by the length of the row alone: blocks of a fixed length, added one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from llvmlite import ir

from xtensor.backend import Program, Step

from ..kernels.reductions import KERNEL_REDUCTIONS
from ..kernels.values import Value, constant, isnan
from ._builder import Builder, llvm_type, load, memory_type, store
from ._costs import SIMPLE
from ._emission import computed
from ._loops import I1, I64, POINTER, Writer, smaller, wide
from ._reduction_loops import BLOCK, combined, extreme, identity, is_extreme

__all__ = ["Schedule", "rows_program_module"]


WHOLE = 64
"""Elements of which a loop computes a multiple without a rest, whatever the length of its vectors."""


@dataclass(slots=True)
class Pass:
    """One pass over a row.

    Attributes
    ----------
    steps
        Elementwise steps, by the numbers of their values, in order.
    reductions
        Reductions of this pass.
    loads, stores
        Values that are read from memory of an earlier pass, or written for a later one.
    outputs
        Results of the program that are written.
    inputs
        Arrays with an element for each element of the row.
    numbers
        Values that are one number for the row.
    """

    steps: list[int] = field(default_factory=list)
    reductions: list[int] = field(default_factory=list)
    loads: list[int] = field(default_factory=list)
    stores: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)


class Schedule:
    """The passes of a program over a row.

    Parameters
    ----------
    program
        The program, with reductions among its steps.
    letters
        The layout of each input along the row: ``"s"`` is one number for the row.

    Attributes
    ----------
    passes
        The passes in order.
    kept
        The values, not results, that a pass writes to memory for a later one.
    """

    def __init__(self, program: Program, letters: str) -> None:
        self.first = len(program.inputs) + len(program.scalars)
        self.program = program
        self.full = [letter != "s" for letter in letters] + [False] * len(program.scalars)
        self.level = [0] * self.first
        for step in program.steps:
            level = max((self.level[position] for position in step.operands), default=0)
            reduces = step.name in KERNEL_REDUCTIONS
            self.level.append(level + reduces)
            self.full.append(not reduces and any(self.full[position] for position in step.operands))
        count = max(self.level[position] + self.full[position] for position in range(len(self.level)))
        self.passes = [Pass() for _ in range(count)]
        self.kept: list[int] = []
        for position in program.outputs:
            if self.full[position]:
                self.passes[self.level[position]].outputs.append(position)
        for position, step in enumerate(program.steps, self.first):
            if step.name in KERNEL_REDUCTIONS:
                self.passes[self.level[position] - 1].reductions.append(position)
        for number in reversed(range(count)):
            self._fill(number)

    def step(self, position: int) -> Step:
        """The step that computes a value."""
        return self.program.steps[position - self.first]

    def _fill(self, number: int) -> None:
        """Determine what a pass needs for its results; passes after it are complete."""
        this, done = self.passes[number], set()

        def need(position: int) -> None:
            if position in done:
                return
            done.add(position)
            if not self.full[position]:
                this.numbers.append(position)
            elif position < self.first:
                this.inputs.append(position)
            elif self.level[position] < number and self.step(position).name not in SIMPLE:
                this.loads.append(position)
                earlier = self.passes[self.level[position]]
                if position not in (*earlier.stores, *earlier.outputs):
                    earlier.stores.append(position)
                    self.kept.append(position)
            else:
                for operand in self.step(position).operands:
                    need(operand)
                this.steps.append(position)

        for position in this.reductions:
            need(self.step(position).operands[0])
        for position in (*this.outputs, *this.stores):
            need(position)


class _Rows(Writer):
    """The functions of a program with reductions among its steps."""

    def __init__(self, program: Program, letters: str) -> None:
        super().__init__(program, letters)
        self.schedule = Schedule(program, letters)
        self.dtypes = program.dtypes

    def sweep(self, number: int, *, short: bool) -> Any:
        """A pass over a block of a row, or over fewer elements than ``WHOLE``: whether an element is doubtful.

        The largest or smallest floating-point number is first found by the processor's instruction, which knows no NaN.
        A block with NaN is gone over again. The sign of a zero is any, as in the standard.
        """
        name = f"{'rest' if short else 'pass'}{number}"
        if not self.extremes(number):
            return self.written(name, number, short=short)
        quick = self.written(f"{name}_quick", number, short=short, quick=True)
        return self.repeated(name, quick, self.written(f"{name}_exact", number, short=short))

    def extremes(self, number: int) -> list[int]:
        """The reductions of a pass that are the largest or smallest floating-point number of the row."""
        positions = self.schedule.passes[number].reductions
        return [i for i in positions if is_extreme(self.schedule.step(i).name) and self.dtypes[i].kind == "f"]

    def identity(self, builder: Builder, position: int) -> Value:
        """The number that a reduction begins with."""
        dtype = self.dtypes[position]
        return constant(builder, identity(self.schedule.step(position).name, dtype), dtype)

    def written(self, name: str, number: int, *, short: bool, quick: bool = False) -> Any:
        """The function of a pass. Where it is quick, NaN among the operands of an extreme is doubtful, too.

        Its arguments: the number of elements; the numbers for the row; extremes of the blocks before; the addresses of
        the inputs, of what is loaded, stored and written, and of the reductions; the strides of inputs that have one.
        """
        this = self.schedule.passes[number]
        extremes = self.extremes(number)
        strided = [position for position in this.inputs if self.letters[position] == "v"]
        addressed = [*this.inputs, *this.loads, *this.stores, *this.outputs, *this.reductions]
        numbers = [llvm_type(self.dtypes[position]) for position in (*this.numbers, *extremes)]
        types = [I64, *numbers, *[POINTER] * len(addressed), *[I64] * len(strided)]
        builder, (length, *rest) = self.begin(name, I1, types)
        given, rest = rest[: len(numbers)], rest[len(numbers) :]
        begun = dict(zip(extremes, given[len(this.numbers) :], strict=True))
        pointers, steps = rest[: len(addressed)], rest[len(addressed) :]
        stride = dict(zip(strided, steps, strict=True))
        before, positions, ends = builder.block, iter(pointers), list[Value]()
        unknown = constant(builder, False, bool)
        for position, argument in begun.items() if quick else ():
            unknown = unknown | isnan(Value(builder, argument, self.dtypes[position]))

        def write(loop: Builder, index: Any) -> Any:
            totals = []
            for position in this.reductions:
                totals.append(loop.phi(llvm_type(self.dtypes[position])))
                totals[-1].add_incoming(begun.get(position) or self.identity(loop, position).code, before)
            values: dict[int, Value] = {
                position: Value(loop, argument, self.dtypes[position])
                for position, argument in zip(this.numbers, given[: len(this.numbers)], strict=True)
            }

            def address(position: int) -> Any:
                pointer = next(positions)
                if position in stride:
                    return self.offset(loop, pointer, (index, stride[position]))
                return loop.gep(pointer, [index], inbounds=True, source_etype=memory_type(self.dtypes[position]))

            for position in (*this.inputs, *this.loads):
                values[position] = load(loop, address(position), self.dtypes[position])
            doubtful = constant(loop, False, bool)
            for position in this.steps:
                values[position], doubtful = computed(self.schedule.step(position), values, doubtful)
            for position in (*this.stores, *this.outputs):
                store(values[position], address(position))
            for position, total in zip(this.reductions, totals, strict=True):
                step = self.schedule.step(position)
                value, accumulated = values[step.operands[0]], combined
                if quick and position in extremes:
                    accumulated, doubtful = extreme, doubtful | isnan(value)
                ends.append(accumulated(step.name, Value(loop, total, step.dtype), value))
                total.add_incoming(ends[-1].code, loop.block)
            return doubtful.code

        doubted = self.each(builder, length, write, unknown.code, folds_tail=short)
        for value, pointer in zip(ends, positions, strict=True):
            store(Value(builder, value.code, value.dtype), pointer)
        builder.ret(doubted)
        return builder.function

    def job(self) -> Any:
        """``job(arguments, part, parts)``: all passes over each row of a part."""
        numbers = range(len(self.schedule.passes))
        sweeps = [(self.sweep(number, short=False), self.sweep(number, short=True)) for number in numbers]
        schedule, program = self.schedule, self.program
        builder, flag, slots, part, parts = self.begin_job()
        length, rows = slots.read(), slots.read()
        inputs = [
            (slots.read(POINTER), slots.read() if letter == "v" else None, slots.read()) for letter in self.letters
        ]
        outputs = [slots.read(POINTER) for _ in program.outputs]
        kept = [slots.read(POINTER) for _ in schedule.kept]
        scalars = self.numbers(builder, [slots.read(wide(dtype)) for dtype in self.scalars])
        reductions = [position for this in schedule.passes for position in this.reductions]
        partial = {position: self.memory(builder) for position in reductions}
        total = {position: self.memory(builder) for position in reductions}
        blocks = builder.sdiv(builder.add(length, I64(BLOCK - 1)), I64(BLOCK))
        first, last = self.share(builder, rows, part, parts)
        with self.counted(builder, first, last) as (loop, row):
            # The address of each value's row, and the stride of its elements.
            where: dict[int, tuple[Any, Any]] = {}
            values: dict[int, Value] = {}
            for position, (base, stride, row_stride) in enumerate(inputs):
                dtype = self.dtypes[position]
                address = self.offset(loop, base, (row, row_stride))
                if schedule.full[position]:
                    where[position] = address, I64(dtype.itemsize) if stride is None else stride
                else:
                    values[position] = load(loop, address, dtype)
            for position, scalar in enumerate(self.moved(loop, scalars), len(inputs)):
                values[position] = scalar
            for unit, positions, bases in ((part, schedule.kept, kept), (row, program.outputs, outputs)):
                for position, base in zip(positions, bases, strict=True):
                    size = I64(self.dtypes[position].itemsize)
                    stride = loop.mul(length, size) if schedule.full[position] else size
                    where[position] = self.offset(loop, base, (unit, stride)), size
            for number, both in enumerate(sweeps):
                self.once(loop, flag, number, values)
                self.sweep_over(loop, flag, number, both, length, blocks, where, values, partial, total)
            self.once(loop, flag, len(sweeps), values)
            for position in program.outputs:
                if not schedule.full[position]:
                    store(values[position], where[position][0])
        builder.ret_void()
        return builder.function

    def once(self, loop: Builder, flag: Any, level: int, values: dict[int, Value]) -> None:
        """Compute what is one number for the row and known before a pass."""
        schedule = self.schedule
        for position in range(schedule.first, len(schedule.full)):
            step = schedule.step(position)
            if not schedule.full[position] and schedule.level[position] == level and step.name not in KERNEL_REDUCTIONS:
                values[position], doubtful = computed(step, values, constant(loop, False, bool))
                self.mark(loop, flag, doubtful.code)

    def sweep_over(
        self,
        loop: Builder,
        flag: Any,
        number: int,
        sweeps: tuple[Any, Any],
        length: Any,
        blocks: Any,
        where: dict[int, tuple[Any, Any]],
        values: dict[int, Value],
        partial: dict[int, Any],
        total: dict[int, Any],
    ) -> None:
        """Go over the blocks of a row, and combine their results.

        An extreme begins with that of the blocks before. Sums of blocks do not wait for one another.
        """
        schedule = self.schedule
        this = schedule.passes[number]
        for position in this.reductions:
            store(self.identity(loop, position), total[position])
        addressed = [*this.inputs, *this.loads, *this.stores, *this.outputs]
        strides = [where[position][1] for position in this.inputs if self.letters[position] == "v"]
        numbers = [values[position].code for position in this.numbers]
        extremes = self.extremes(number)
        results = [(total if position in extremes else partial)[position] for position in this.reductions]

        def go_over(inner: Builder, sweep: Any, begin: Any, count: Any) -> None:
            with inner.if_then(inner.icmp_signed(">", count, I64(0))):
                pointers = [
                    self.offset(inner, where[position][0], (begin, where[position][1])) for position in addressed
                ]
                before = [load(inner, total[position], self.dtypes[position]) for position in this.reductions]
                pairs = zip(this.reductions, before, strict=True)
                begun = [number.code for position, number in pairs if position in extremes]
                self.mark(inner, flag, inner.call(sweep, [count, *numbers, *begun, *pointers, *results, *strides]))
                for position, number in zip(this.reductions, before, strict=True):
                    if position not in extremes:
                        more = load(inner, partial[position], number.dtype)
                        store(combined(schedule.step(position).name, number, more), total[position])

        with self.counted(loop, I64(0), blocks) as (inner, block):
            begin = inner.mul(block, I64(BLOCK))
            count = smaller(inner, I64(BLOCK), inner.sub(length, begin))
            whole = inner.and_(count, I64(-WHOLE))
            go_over(inner, sweeps[0], begin, whole)
            go_over(inner, sweeps[1], inner.add(begin, whole), inner.sub(count, whole))
        for position in this.reductions:
            values[position] = load(loop, total[position], self.dtypes[position])


def rows_program_module(program: Program, letters: str) -> ir.Module:
    """Return the module of a program with reductions among its steps.

    The operands of ``run``: parts, threads, nanoseconds, the length of a row, the number of rows; for each input its
    address, its stride in a row where the letter is "v", and its stride between rows; the address of each output, whose
    rows are adjacent; of each value that is kept, a row for each part; the scalars.
    """
    return _Rows(program, letters).written_module()
