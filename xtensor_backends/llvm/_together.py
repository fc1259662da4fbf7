"""Several elementwise kernels in one call: the updates of all parameters of a network.

A table in memory has the function and the operands of each kernel. One region of the threads goes over the parts of all
of them, so that small arrays share it with large ones.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from xtensor.backend import Program, Step

from . import _compile
from ._calls import MOST_OPERANDS, Kernel, Waiting, compiled, compute
from ._loops import I1, I64, POINTER, VOID, Slots, Writer, smaller
from ._runtime import call

__all__ = ["compute_together"]

Array = np.ndarray[Any, Any]

HEAD = 6
"""Numbers of a table's entry before the operands of a kernel: the length of the entry, the address of the kernel's job,
the numbers of the parts before it and of its own, and what the job gets: the flag and the address of the operands."""

PART = 2_000.0
"""Nanoseconds of a part of a kernel."""

JOB = ir.FunctionType(VOID, [POINTER, I64, I64]).as_pointer()

PROGRAM = Program((), (), (Step("together", (), "int64"),)).shared()


def compute_together(
    calls: Sequence[tuple[Program, tuple[Array, ...], Sequence[float]]],
) -> list[tuple[Array, ...] | None]:
    """Return the outputs of several programs, each for arrays and scalars, by one call.

    None for a program whose kernel does not take the layout of its arrays, and for all where an element is doubtful.
    """
    waiting: Waiting = []
    made: list[tuple[Array, ...] | None] = []
    for program, arrays, scalars in calls:
        outputs = compute(program, arrays, scalars, None, waiting)
        if outputs and len(waiting[-1][2]) + HEAD + 2 > MOST_OPERANDS:
            waiting.pop()
            outputs = None
        made.append(outputs or None)
    return made if _run(waiting) else [None] * len(made)


def _run(waiting: Waiting) -> bool:
    """Call kernels; return whether all have computed."""
    if not waiting:
        return True
    kernel = _kernel()
    if kernel is None:
        return False
    store = _store()
    table = np.empty(sum([HEAD + len(operands) for _, _, operands in waiting]), dtype=np.int64)
    address = table.ctypes.data
    nanoseconds, position, before = 0.0, 0, 0
    for each, elements, operands in waiting:
        length, parts = HEAD + len(operands), int(elements * each.cost / PART) + 1
        place = address + 8 * position
        call(store, place, length, length, each.job, before, parts, 0, place + 8 * HEAD, *operands)
        nanoseconds += elements * each.cost
        position += length
        before += parts
    return not kernel.run(int(nanoseconds), (table, position, before), ())


def _kernel() -> Kernel | None:
    """Return the kernel of the jobs of a table; its elements are nanoseconds."""
    kernel = compiled(PROGRAM, "together", lambda: _Together().written_module())
    if kernel is not None:
        kernel.cost = 1.0
    return kernel


@functools.cache
def _store() -> int:
    """Return the address of a function that writes its operands to memory."""
    return _compile.compile_module(_store_module, ["store"], key="store")["store"]


class _Together(Writer):
    """Parts of the jobs of a table."""

    def __init__(self) -> None:
        super().__init__(PROGRAM, "", has_fma=False)

    def store(self) -> None:
        """``store(operands)``: write numbers to memory. The operands: its address, how many they are, the numbers."""
        copy = self.module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, I64])
        function = self.function("store", I64, [POINTER])
        builder = self.builder(function.append_basic_block())
        slots = Slots(builder, function.args[0])
        target, count = slots.read(POINTER), slots.read()
        builder.call(copy, [target, slots.address(), builder.mul(count, I64(8)), I1(0)])
        builder.ret(I64(0))

    def job(self) -> Any:
        """``job(arguments, part, parts)``: a part of all parts of the jobs of a table."""
        builder, flag, slots, part, parts = self.begin_job()
        table, length, total = slots.read(POINTER), slots.read(), slots.read()
        first, last = self.share(builder, total, part, parts)
        with self.stepped(builder, I64(0), length) as (inside, position, steps):
            slots = Slots(inside, inside.gep(table, [position], source_etype=I64))
            steps.append(slots.read())
            job, before, own = inside.inttoptr(slots.read(), JOB), slots.read(), slots.read()
            frame = slots.address()
            begin = inside.select(inside.icmp_signed(">", first, before), inside.sub(first, before), I64(0))
            end = smaller(inside, inside.sub(last, before), own)
            with self.counted(inside, begin, end) as (loop, index):
                loop.call(job, [frame, index, own])
            self.mark(inside, flag, inside.icmp_signed("!=", inside.load(frame, typ=I64), I64(0)))
        builder.ret_void()
        return builder.function


def _store_module() -> ir.Module:
    writer = _Together()
    writer.store()
    return writer.module
