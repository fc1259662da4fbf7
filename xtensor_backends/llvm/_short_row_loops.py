"""Loops that compute programs with reductions among their steps over rows of a few elements: one loop over the rows.

The elements of a row are computed side by side, so that no row starts a loop of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from xtensor.backend import Program

from ..kernels.reductions import KERNEL_REDUCTIONS
from ..kernels.values import Value, constant
from ._builder import Builder, load, memory_type, store
from ._costs import has_formula
from ._emission import computed
from ._loops import I1, I64, POINTER, Writer, wide
from ._reduction_loops import combined, identity

__all__ = ["short_rows_module", "walks_short_rows"]

LONGEST = 16
"""Elements of a row, at most."""

MOST_STEPS = 128
"""Operations for a row, at most: LLVM takes more than proportional time for more."""


def walks_short_rows(program: Program, length: int) -> bool:
    """Whether the elements of a row are computed side by side."""
    return length <= LONGEST and length * len(program.steps) <= MOST_STEPS and not has_formula(program)


class _ShortRows(Writer):
    """The functions of a program over rows of one length.

    Parameters
    ----------
    full
        For each value of the program whether it has an element for each element of a row.
    kinds
        The kind of each input: ``"p"`` adjacent rows, ``"n"`` one number for each row, ``"i"`` one row for all of them,
        ``"o"`` one number for all.
    length
        The elements of a row.
    """

    def __init__(self, program: Program, full: Sequence[bool], kinds: str, length: int) -> None:
        super().__init__(program, kinds)
        self.full, self.length = full, length
        self.dtypes = program.dtypes

    def place(self, builder: Builder, pointer: Any, index: Any, kind: str, lane: int, dtype: Any) -> Any:
        """The address of an element of a row, or of what is one number for it."""
        if kind == "p":
            number = builder.add(builder.mul(index, I64(self.length)), I64(lane), flags=("nsw",))
        else:
            number = {"n": index, "i": I64(lane), "o": I64(0)}[kind]
        return builder.gep(pointer, [number], inbounds=True, source_etype=memory_type(dtype))

    def inner(self) -> Any:
        """``inner(rows, scalars..., pointers...)``: whether an element is doubtful."""
        types = [I64, *map(wide, self.scalars), *[POINTER] * len(self.arrays)]
        builder, (rows, *rest) = self.begin("inner", I1, types)
        numbers, pointers = self.numbers(builder, rest[: len(self.scalars)]), rest[len(self.scalars) :]
        self.return_if_empty(builder, rows)
        builder.ret(self.each(builder, rows, lambda loop, index: self.row(loop, index, numbers, pointers)))
        return builder.function

    def row(self, loop: Builder, index: Any, numbers: Sequence[Value], pointers: Sequence[Any]) -> Any:
        """Compute a row; return whether an element is doubtful."""
        program, count = self.program, len(self.program.inputs)
        lanes: list[dict[int, Value]] = [{} for _ in range(self.length)]
        doubtful = constant(loop, False, bool)

        def keep(position: int, values: Sequence[Value]) -> None:
            for lane, known in enumerate(lanes):
                known[position] = values[lane % len(values)]

        for position in range(count):
            kind, dtype, pointer = self.letters[position], self.dtypes[position], pointers[position]
            width = self.length if kind in "pi" else 1
            keep(position, [load(loop, self.place(loop, pointer, index, kind, i, dtype), dtype) for i in range(width)])
        for position, number in enumerate(self.moved(loop, numbers), count):
            keep(position, [number])
        for position, step in enumerate(program.steps, count + len(numbers)):
            if step.name in KERNEL_REDUCTIONS:
                total = constant(loop, identity(step.name, self.dtypes[position]), self.dtypes[position])
                for known in lanes:
                    total = combined(step.name, total, known[step.operands[0]])
                keep(position, [total])
                continue
            parts = []
            for known in lanes if self.full[position] else lanes[:1]:
                value, doubtful = computed(step, known, doubtful)
                parts.append(value)
            keep(position, parts)
        for position, pointer in zip(program.outputs, pointers[count:], strict=True):
            kind = "p" if self.full[position] else "n"
            for lane, known in enumerate(lanes if kind == "p" else lanes[:1]):
                store(known[position], self.place(loop, pointer, index, kind, lane, self.dtypes[position]))
        return doubtful.code

    def job(self) -> Any:
        """``job(arguments, part, parts)``: the rows of a part."""
        inner = self.inner()
        builder, flag, slots, part, parts = self.begin_job()
        rows = slots.read()
        first, last = self.share(builder, rows, part, parts, multiple=64)
        outputs = ["p" if self.full[position] else "n" for position in self.program.outputs]
        pointers = []
        for kind, dtype in zip([*self.letters, *outputs], self.arrays, strict=True):
            step = {"p": self.length * dtype.itemsize, "n": dtype.itemsize}.get(kind, 0)
            pointers.append(self.offset(builder, slots.read(POINTER), (first, I64(step))))
        scalars = [slots.read(wide(dtype)) for dtype in self.scalars]
        self.mark(builder, flag, builder.call(inner, [builder.sub(last, first), *scalars, *pointers]))
        builder.ret_void()
        return builder.function


def short_rows_module(program: Program, full: Sequence[bool], kinds: str, length: int) -> ir.Module:
    """Return the module of a program over rows of a few elements.

    The operands of ``run``: parts, threads, nanoseconds, the number of rows; the address of each input and output; the
    scalars.
    """
    return _ShortRows(program, full, kinds, length).written_module()
