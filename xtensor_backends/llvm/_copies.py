"""Arrays joined and reshaped, by copies of bytes that threads share into memory that is kept.

NumPy copies on one core. Every array here is a matrix of bytes, whose rows follow each other at a distance: the items
along the axis of the joint and behind it are a row.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from xtensor.backend import Native, Program, Step

from ._builder import alignment, memory_type
from ._calls import LEAST_COPIED, Kernel, compiled, empty, transposed
from ._loops import I64, POINTER, VOID, Writer, smaller
from ._sizes import BYTES_JOINED, MOST_ELEMENTS_JOINED, SHORTEST_JOINED

__all__ = ["kernels"]


class _Copy(Writer):
    """The rows of a matrix of bytes, copied into another one.

    The operands of ``run``: parts, threads, nanoseconds, the number of bytes, the length of a row, and the addresses of
    the input and the output, each with the bytes from one row to the next; then the bytes before the first row of the
    output.
    """

    def job(self) -> Any:
        """``job(arguments, part, parts)``: the bytes of a part."""
        builder, _, slots, part, parts = self.begin_job()
        total, length = slots.read(), slots.read()
        given, given_stride = slots.read(POINTER), slots.read()
        output, output_stride = slots.read(POINTER), slots.read()
        output = self.offset(builder, output, (slots.read(), I64(1)))
        # In multiples of a line of the caches, so that no two threads write to one.
        first, last = self.share(builder, total, part, parts, multiple=64)
        with self.stepped(builder, first, last) as (loop, position, steps):
            row, column = loop.sdiv(position, length), loop.srem(position, length)
            steps.append(smaller(loop, loop.sub(length, column), loop.sub(last, position)))
            source = self.offset(loop, given, (row, given_stride), (column, I64(1)))
            target = self.offset(loop, output, (row, output_stride), (column, I64(1)))
            self.copy(loop, target, source, steps[0])
        builder.ret_void()
        return builder.function


class _ShortRows(Writer):
    """The first row of each array, one after another, then the second ones, for rows of a few elements.

    The operands of ``run``: parts, threads, nanoseconds, the number of rows, the addresses of the arrays and of the
    output.

    Parameters
    ----------
    counts
        The elements of a row of each array.
    """

    def __init__(self, program: Program, counts: Sequence[int]) -> None:
        super().__init__(program, "c" * len(program.dtypes))
        self.counts = counts

    def job(self) -> Any:
        """``job(arguments, part, parts)``: the rows of a part."""
        builder, _, slots, part, parts = self.begin_job()
        total = slots.read()
        pointers = [slots.read(POINTER) for _ in range(len(self.counts) + 1)]
        first, last = self.share(builder, total, part, parts, multiple=64)
        builder.call(self._inner(), [first, last, *pointers])
        builder.ret_void()
        return builder.function

    def _inner(self) -> Any:
        """``inner(first, last, inputs..., output)``: some rows."""
        kinds = [I64, I64, *[POINTER] * (len(self.counts) + 1)]
        builder, (first, last, *inputs, output) = self.begin("inner", VOID, kinds)
        size = self.arrays[0].itemsize
        element = ir.VectorType(I64, 2) if size == 16 else memory_type(self.arrays[0])
        align = alignment(size)
        with self.counted(builder, first, last) as (inside, index):
            target = inside.mul(index, I64(sum(self.counts)))
            for given, count in zip(inputs, self.counts, strict=True):
                source = inside.mul(index, I64(count))
                for position in range(count):
                    read = inside.gep(given, [inside.add(source, I64(position))], inbounds=True, source_etype=element)
                    write = inside.gep(output, [target], inbounds=True, source_etype=element)
                    inside.store(inside.load(read, typ=element, align=align), write, align=align)
                    target = inside.add(target, I64(1))
        builder.ret_void()
        return builder.function


@functools.cache
def _kernel() -> Kernel | None:
    program = Program(("uint8",), (), (Step("copied", (0,), "uint8"),), (1,)).shared()
    return compiled(program, "copied", lambda: _Copy(program, "c").written_module())


@functools.cache
def _kernel_of_short_rows(size: int, counts: tuple[int, ...]) -> Kernel | None:
    """The kernel for elements of a number of bytes, of which a row of each array has a number."""
    dtype = "complex128" if size == 16 else f"uint{8 * size}"
    program = Program((dtype,) * len(counts), (), (Step("copied", (0,), dtype),), (len(counts),)).shared()
    return compiled(program, f"rows of {counts}", lambda: _ShortRows(program, counts).written_module())


def _joined_short_rows(arrays: Sequence[Native], shape: tuple[int, ...], rows: int) -> Native:
    """The same as :func:`_joined` for rows of a few elements."""
    counts = tuple([x.size // rows for x in arrays])
    if sum(counts) > MOST_ELEMENTS_JOINED or not all(counts) or not all(x.flags.aligned for x in arrays):
        return NotImplemented
    kernel = _kernel_of_short_rows(arrays[0].itemsize, counts)
    if kernel is None:
        return NotImplemented
    output = empty(shape, arrays[0].dtype, "C")
    kernel.run(output.size, (rows, *arrays, output), ())
    return output


def _joined(arrays: Sequence[Native], shape: tuple[int, ...], rows: int) -> Native:
    """Return an array of a shape that has the first row of each array, one after another, then the second ones."""
    if not rows:
        return NotImplemented
    lengths = [x.nbytes // rows for x in arrays]
    if rows > 1 and min(lengths) < SHORTEST_JOINED:
        return _joined_short_rows(arrays, shape, rows)
    kernel = _kernel()
    if kernel is None:
        return NotImplemented
    output = empty(shape, arrays[0].dtype, "C")
    whole, begin = sum(lengths), 0
    for x, length in zip(arrays, lengths, strict=True):
        if length:
            kernel.run(rows * length, (rows * length, length, x, length, output, whole, begin), ())
        begin += length
    return output


def concat(arrays: Sequence[Native], axis: int | None = 0) -> Native:
    """Return the arrays joined along an axis; NotImplemented for those that NumPy casts, reorders or refuses."""
    first = arrays[0]
    dtype, size, length = first.dtype, 0, 0
    position = 0 if axis is None else axis
    before, behind = first.shape[:position], first.shape[position + 1 :]
    for x in arrays:
        if x.__class__ is not np.ndarray or x.dtype != dtype or not x.flags.c_contiguous:
            return NotImplemented
        shape = x.shape
        if axis is not None and (shape[:axis] != before or shape[axis + 1 :] != behind or len(shape) != first.ndim):
            return NotImplemented
        size += x.size
        length += shape[position] if shape else 1
    if size * first.itemsize < BYTES_JOINED or not dtype.isnative:
        return NotImplemented
    if axis is None:
        return _joined(arrays, (size,), 1)
    return _joined(arrays, (*before, length, *behind), math.prod(before))


def stack(arrays: Sequence[Native], axis: int = 0) -> Native:
    """Return the arrays joined along a new axis; NotImplemented for those that NumPy casts, reorders or refuses."""
    first = arrays[0]
    dtype, shape = first.dtype, first.shape
    if first.nbytes * len(arrays) < BYTES_JOINED or not dtype.isnative:
        return NotImplemented
    for x in arrays:
        if x.__class__ is not np.ndarray or x.dtype != dtype or x.shape != shape or not x.flags.c_contiguous:
            return NotImplemented
    before, behind = shape[:axis], shape[axis:]
    return _joined(arrays, (*before, len(arrays), *behind), math.prod(before))


def reshape(x: Native, shape: tuple[int, ...], *, copy: bool | None = None) -> Native:
    """Return an array of another shape, whose elements threads copy where they are many and in another order."""
    if copy is False or x.flags.c_contiguous:
        return x.reshape(shape, copy=copy)
    if copy is None:
        with contextlib.suppress(ValueError):
            return x.reshape(shape, copy=False)
    result = empty(x.shape, x.dtype, "C")
    return result.reshape(shape) if transposed(x, result) else x.reshape(shape, copy=copy)


concat.min_size = stack.min_size = BYTES_JOINED // 16  # type: ignore[attr-defined]
reshape.min_size = LEAST_COPIED  # type: ignore[attr-defined]


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    return {"large.concat": concat, "large.stack": stack, "large.reshape": reshape}
