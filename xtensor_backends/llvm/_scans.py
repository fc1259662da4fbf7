"""Cumulative sums of large arrays by kernels.

The sums of blocks of a fixed length are computed first, then the sums before each block, then each block on its own,
so that threads share the work and the result does not depend on their number. Four blocks are added up side by side,
because a processor waits several cycles for each sum that the next one needs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import Native, Program, Step

from ..kernels.reductions import accumulate_dtype
from ..kernels.values import Value
from ._builder import Builder, load, memory_type, store
from ._calls import compiled, empty
from ._emission import emit, supported
from ._loops import I1, I64, POINTER, VOID, Writer, smaller
from ._reducing import reduce
from ._reduction_loops import BLOCK
from ._sizes import MIN_SIZE_INTEGERS_SCANNED, MIN_SIZE_REDUCED

__all__ = ["kernels"]

ABREAST = 4
"""Blocks that are added up side by side."""


class _Scan(Writer):
    """A running sum of the program's only value along the rows of a matrix whose elements are adjacent.

    The operands of ``run``: parts, threads, nanoseconds, the length of a row, the number of rows, the addresses of the
    input, of the sum before each block of each row, and of the output.
    """

    def lines(self, count: int) -> Any:
        """``lines(length, input, sums, output)``: some blocks, one after the other in memory, side by side."""
        source, result = self.program.dtypes[0], self.program.dtypes[-1]
        kinds = [I64, POINTER, POINTER, POINTER]
        builder, (length, given, sums, output) = self.begin(f"lines{count}", VOID, kinds)
        before, size = builder.block, I64(result.itemsize)
        firsts = [load(builder, self.offset(builder, sums, (I64(line), size)), result) for line in range(count)]

        def write(loop: Builder, index: Any) -> Any:
            totals = []
            for first in firsts:
                totals.append(loop.phi(first.code.type))
                totals[-1].add_incoming(first.code, before)
            for line, total in enumerate(totals):
                position = loop.add(index, I64(line * BLOCK))
                address = loop.gep(given, [position], inbounds=True, source_etype=memory_type(source))
                values, _ = emit(self.program, [load(loop, address, source)])
                following = Value(loop, total, result) + values[-1]
                store(following, loop.gep(output, [position], inbounds=True, source_etype=memory_type(result)))
                total.add_incoming(following.code, loop.block)
            return I1(0)

        self.each(builder, length, write)
        builder.ret_void()
        return builder.function

    def job(self) -> Any:
        one, several = self.lines(1), self.lines(ABREAST)
        source, result = self.program.dtypes[0], self.program.dtypes[-1]
        builder, _, slots, part, parts = self.begin_job()
        length, rows = slots.read(), slots.read()
        given, sums, output = slots.read(POINTER), slots.read(POINTER), slots.read(POINTER)
        blocks = builder.sdiv(builder.add(length, I64(BLOCK - 1)), I64(BLOCK))
        groups = builder.sdiv(builder.add(blocks, I64(ABREAST - 1)), I64(ABREAST))
        first, last = self.share(builder, builder.mul(rows, groups), part, parts)
        with self.counted(builder, first, last) as (loop, unit):
            row, block = loop.sdiv(unit, groups), loop.mul(loop.srem(unit, groups), I64(ABREAST))
            end = smaller(loop, loop.add(block, I64(ABREAST)), blocks)

            def positions(inner: Any, number: Any) -> tuple[Any, Any, Any]:
                begin = inner.add(inner.mul(row, length), inner.mul(number, I64(BLOCK)))
                total = inner.add(inner.mul(row, blocks), number)
                return (
                    self.offset(inner, given, (begin, I64(source.itemsize))),
                    self.offset(inner, sums, (total, I64(result.itemsize))),
                    self.offset(inner, output, (begin, I64(result.itemsize))),
                )

            whole = loop.icmp_signed("<=", loop.mul(loop.add(block, I64(ABREAST)), I64(BLOCK)), length)
            with loop.if_else(whole) as (full, partial):
                with full:
                    loop.call(several, [I64(BLOCK), *positions(loop, block)])
                with partial, self.counted(loop, block, end) as (inner, number):
                    rest = inner.sub(length, inner.mul(number, I64(BLOCK)))
                    inner.call(one, [smaller(inner, I64(BLOCK), rest), *positions(inner, number)])
        builder.ret_void()
        return builder.function


@functools.cache
def _program(dtype: Any, total: Any) -> Program:
    """The elements in the dtype of the sums."""
    steps = (Step("astype", (0,), total.name),)
    return Program((dtype.name,), (), steps, (), (("sum", 1),)).shared()


def cumulative_sum(x: Native, *, axis: int, dtype: Any = None, include_initial: bool = False) -> Native:
    total = accumulate_dtype(x.dtype) if dtype is None else dtype
    if include_initial or not x.size or axis % x.ndim != x.ndim - 1 or not x.flags.carray:
        return NotImplemented
    if not (supported(x.dtype) and supported(total)) or total.kind == "b" or x.dtype.kind == "b":
        return NotImplemented
    if x.dtype == total and total.kind in "iu" and x.size < MIN_SIZE_INTEGERS_SCANNED:
        return NotImplemented
    program = _program(x.dtype, total)
    length = x.shape[-1]
    matrix = x.reshape(-1, length)
    totals = reduce(program, (matrix,), (), matrix.shape, (1,), partial=True)
    if totals is None:
        return NotImplemented
    (blocks,) = totals
    with np.errstate(all="ignore"):
        ends = np.cumsum(blocks, axis=1, dtype=blocks.dtype)
    if total.kind == "f" and not np.isfinite(ends).all():
        return NotImplemented  # NumPy warns where a sum overflows
    sums = np.zeros_like(ends)
    sums[:, 1:] = ends[:, :-1]
    kernel = compiled(program, "scan", lambda: _Scan(program, "c").written_module())
    if kernel is None:
        return NotImplemented
    output = empty(x.shape, total, "C")
    kernel.run(x.size, (length, matrix.shape[0], matrix, sums, output), ())
    return output


cumulative_sum.min_size = MIN_SIZE_REDUCED  # type: ignore[attr-defined]


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    return {"large.cumulative_sum": cumulative_sum}
