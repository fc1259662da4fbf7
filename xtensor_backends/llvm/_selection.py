"""The elements of an array where a mask is true, and those at some indices.

NumPy's loop over a mask branches at each element, which a processor mispredicts where the mask is irregular: 4 ns an
element, and 0.3 to 0.5 ns in long runs. Here each element is written, and the place of the next one moves on by the
mask's value. Eight elements are skipped or copied at once where the mask is the same for all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from xtensor.backend import Native, Program, Step

from ._builder import Builder, alignment
from ._calls import Kernel, compiled, empty
from ._loops import I1, I64, POINTER, VOID, Writer, smaller
from ._sizes import BYTES_ROWS, BYTES_TAKEN, MIN_SIZE_SELECTED

__all__ = ["kernels"]

BYTE = ir.IntType(8)

GROUP = 8
"""Elements whose masks are read at once."""

BLOCK = 1 << 15
"""Elements of a block, at least: a thread computes whole blocks, whose selected elements are counted beforehand."""

MOST_BLOCKS = 64
"""Blocks of an array, at most."""

ITEMSIZES = (1, 2, 4, 8, 16)

CALL = 256
"""Bytes that are copied in the time that it takes to begin another copy."""


class _Selection(Writer):
    """The selected elements, one after the other.

    The operands of ``run``: parts, threads, nanoseconds, the number of elements, the length of a block, the addresses
    of the mask, of the input, of the place of each block's first element with the number of all, and of the output.
    """

    def block(self) -> Any:
        """``block(length, count, mask, input, output)``: ``count`` selected elements of ``length`` ones.

        No more is written, so that threads can write next to each other.
        """
        element = ir.IntType(8 * self.program.dtypes[0].itemsize)
        function = self.function("block", VOID, [I64, I64, POINTER, POINTER, POINTER], internal=True)
        length, count, mask, given, output = function.args
        for pointer in (mask, given, output):
            pointer.add_attribute("noalias")
        names = ("before", "test", "look", "whole", "some", "copy", "mixed", "single", "write", "done")
        blocks = {name: function.append_basic_block(name) for name in names}
        builder = {name: self.builder(block) for name, block in blocks.items()}
        align = alignment(element.width // 8)

        def at(name: str, base: Any, index: Any, kind: Any = element) -> Any:
            return builder[name].gep(base, [index], inbounds=True, source_etype=kind)

        builder["before"].branch(blocks["test"])
        test = builder["test"]
        index, position = test.phi(I64), test.phi(I64)

        def follow(name: str, read: Any, written: Any) -> None:
            """Go on from a block with the next element to read, and the place of the next one to write."""
            index.add_incoming(read, blocks[name])
            position.add_incoming(written, blocks[name])

        follow("before", I64(0), I64(0))
        more = test.and_(test.icmp_signed("<", position, count), test.icmp_signed("<", index, length))
        test.cbranch(more, blocks["look"], blocks["done"])

        look = builder["look"]
        behind = look.add(index, I64(GROUP))
        look.cbranch(look.icmp_signed("<=", behind, length), blocks["whole"], blocks["single"])

        whole = builder["whole"]
        word = whole.load(at("whole", mask, index, BYTE), typ=I64, align=1)
        whole.cbranch(whole.icmp_signed("==", word, I64(0)), blocks["test"], blocks["some"])
        follow("whole", behind, position)

        some = builder["some"]
        after = some.add(position, I64(GROUP))
        all_selected = some.icmp_signed("==", word, I64(int.from_bytes(b"\1" * GROUP, "little")))
        # Mixed groups write past the last element that they select, so those at the end are computed singly.
        enough = some.icmp_signed("<=", after, count)
        where = some.select(all_selected, I64(0), I64(1))
        switch = some.switch(some.select(enough, where, I64(2)), blocks["single"])
        switch.add_case(I64(0), blocks["copy"])
        switch.add_case(I64(1), blocks["mixed"])

        copy = builder["copy"]
        vector = ir.VectorType(element, GROUP)
        copied = copy.load(at("copy", given, index), typ=vector, align=align)
        copy.store(copied, at("copy", output, position), align=align)
        copy.branch(blocks["test"])
        follow("copy", behind, after)

        mixed = builder["mixed"]
        following = position
        for number in range(GROUP):
            source = mixed.add(index, I64(number))
            value = mixed.load(at("mixed", given, source), typ=element, align=align)
            mixed.store(value, at("mixed", output, following), align=align)
            selects = mixed.load(at("mixed", mask, source, BYTE), typ=BYTE)
            following = mixed.add(following, mixed.zext(mixed.and_(selects, BYTE(1)), I64))
        mixed.branch(blocks["test"])
        follow("mixed", behind, following)

        single = builder["single"]
        selects = single.icmp_signed("!=", single.load(at("single", mask, index, BYTE), typ=BYTE), BYTE(0))
        one_behind = single.add(index, I64(1))
        single.cbranch(selects, blocks["write"], blocks["test"])
        follow("single", one_behind, position)

        write = builder["write"]
        value = write.load(at("write", given, index), typ=element, align=align)
        write.store(value, at("write", output, position), align=align)
        one_after = write.add(position, I64(1))
        write.branch(blocks["test"])
        follow("write", one_behind, one_after)

        builder["done"].ret_void()
        return function

    def job(self) -> Any:
        """``job(arguments, part, parts)``: the blocks of a part."""
        block = self.block()
        itemsize = I64(self.program.dtypes[0].itemsize)
        builder, _, slots, part, parts = self.begin_job()
        total, length = slots.read(), slots.read()
        mask, given, positions, output = (slots.read(POINTER) for _ in range(4))
        blocks = builder.sdiv(builder.add(total, builder.sub(length, I64(1))), length)
        first, last = self.share(builder, blocks, part, parts)
        with self.counted(builder, first, last) as (loop, number):
            begin = loop.mul(number, length)
            position, end = (
                loop.load(loop.gep(positions, [at], source_etype=I64), typ=I64)
                for at in (number, loop.add(number, I64(1)))
            )
            loop.call(
                block,
                [
                    smaller(loop, length, loop.sub(total, begin)),
                    loop.sub(end, position),
                    self.offset(loop, mask, (begin, I64(1))),
                    self.offset(loop, given, (begin, itemsize)),
                    self.offset(loop, output, (position, itemsize)),
                ],
            )
        builder.ret_void()
        return builder.function


class _Gathering(Writer):
    """The elements at indices, of which negative ones count from the end; the flag is set where one is out of bounds.

    The operands of ``run``: parts, threads, nanoseconds, the number of indices, the number of elements, the addresses
    of the input, of the indices, and of the output.
    """

    def inner(self) -> Any:
        """``inner(length, elements, input, indices, output)``: whether an index is out of bounds."""
        element = ir.IntType(8 * self.program.dtypes[0].itemsize)
        kinds = [I64, I64, POINTER, POINTER, POINTER]
        builder, (length, elements, given, indices, output) = self.begin("inner", I1, kinds)
        align = alignment(element.width // 8)

        def write(loop: Builder, number: Any) -> Any:
            index = loop.load(loop.gep(indices, [number], inbounds=True, source_etype=I64), typ=I64)
            negative = loop.icmp_signed("<", index, I64(0))
            position = loop.add(index, loop.select(negative, elements, I64(0)))
            outside = loop.icmp_unsigned(">=", position, elements)
            address = loop.gep(given, [loop.select(outside, I64(0), position)], inbounds=True, source_etype=element)
            value = loop.load(address, typ=element, align=align)
            loop.store(value, loop.gep(output, [number], inbounds=True, source_etype=element), align=align)
            return outside

        self.return_if_empty(builder, length)
        builder.ret(self.each(builder, length, write))
        return builder.function

    def job(self) -> Any:
        """``job(arguments, part, parts)``: the indices of a part."""
        inner = self.inner()
        builder, flag, slots, part, parts = self.begin_job()
        total, elements = slots.read(), slots.read()
        given, indices, output = (slots.read(POINTER) for _ in range(3))
        first, last = self.share(builder, total, part, parts, multiple=64)
        beyond = builder.call(
            inner,
            [
                builder.sub(last, first),
                elements,
                given,
                self.offset(builder, indices, (first, I64(8))),
                self.offset(builder, output, (first, I64(self.program.dtypes[0].itemsize))),
            ],
        )
        self.mark(builder, flag, beyond)
        builder.ret_void()
        return builder.function


class _Rows(Writer):
    """The rows at indices, as :class:`_Gathering` takes elements.

    The operands of ``run``: parts, threads, nanoseconds, the number of indices, the number of rows, the bytes of a row,
    the addresses of the input, of the indices, and of the output.
    """

    def job(self) -> Any:
        """``job(arguments, part, parts)``: the indices of a part."""
        builder, flag, slots, part, parts = self.begin_job()
        total, rows, width = slots.read(), slots.read(), slots.read()
        given, indices, output = (slots.read(POINTER) for _ in range(3))
        first, last = self.share(builder, total, part, parts, multiple=8)
        with self.counted(builder, first, last) as (loop, number):
            index = loop.load(loop.gep(indices, [number], inbounds=True, source_etype=I64), typ=I64)
            position = loop.add(index, loop.select(loop.icmp_signed("<", index, I64(0)), rows, I64(0)))
            outside = loop.icmp_unsigned(">=", position, rows)
            self.mark(loop, flag, outside)
            source = self.offset(loop, given, (loop.select(outside, I64(0), position), width))
            self.copy(loop, self.offset(loop, output, (number, width)), source, width)
        builder.ret_void()
        return builder.function


@functools.cache
def _kernel(name: str, itemsize: int) -> Kernel | None:
    dtype = "complex128" if itemsize == 16 else f"uint{8 * itemsize}"
    key, writer = {"selected": ("bool", _Selection), "take": ("int64", _Gathering), "rows": ("int64", _Rows)}[name]
    program = Program((dtype, key), (), (Step(name, (0, 1), dtype),), (2,)).shared()
    return compiled(program, name, lambda: writer(program, "cc").written_module())


def _is_plain(x: Native, key: Native) -> bool:
    """Whether both are NumPy's arrays whose elements are adjacent, of sizes that the kernels move."""
    return (
        x.__class__ is np.ndarray
        and key.__class__ is np.ndarray
        and x.flags.c_contiguous
        and x.flags.aligned
        and key.flags.c_contiguous
        and key.flags.aligned
        and x.dtype.kind in "biufc"
        and x.itemsize in ITEMSIZES
    )


def selected(x: Native, key: Native) -> Native:
    if not _is_plain(x, key) or not x.size:
        return NotImplemented
    if key.dtype == np.bool_:
        if key.shape == x.shape:
            return _masked(x, key) if key.size >= MIN_SIZE_SELECTED else NotImplemented
        if key.ndim != 1 or key.shape != x.shape[:1] or x.nbytes < BYTES_ROWS:
            return NotImplemented
        return _taken_rows(x, key.nonzero()[0])
    if key.dtype != np.int64:
        return NotImplemented
    if x.ndim > 1:
        return _taken_rows(x, key)
    return _taken(x, key) if key.size * min(x.itemsize, 8) >= BYTES_TAKEN else NotImplemented


def _taken_rows(x: Native, indices: Native) -> Native:
    """Return the rows at some indices, each of all elements along the axes behind the first one."""
    size, width = indices.size, x.nbytes // x.shape[0]
    kernel = _kernel("rows", 1) if size * width >= BYTES_ROWS else None
    if kernel is None:
        return NotImplemented
    output = empty((*indices.shape, *x.shape[1:]), x.dtype, "C")
    doubtful = kernel.run(size * max(width, CALL), (size, x.shape[0], width, x, indices, output), ())
    return NotImplemented if doubtful else output


def _taken(x: Native, indices: Native) -> Native:
    kernel = _kernel("take", x.itemsize)
    if kernel is None:
        return NotImplemented
    size, output = indices.size, empty(indices.shape, x.dtype, "C")
    return NotImplemented if kernel.run(size, (size, x.size, x, indices, output), ()) else output


def _masked(x: Native, mask: Native) -> Native:
    kernel = _kernel("selected", x.itemsize)
    if kernel is None:
        return NotImplemented
    size = x.size
    length = max(BLOCK, -(-size // (MOST_BLOCKS * GROUP)) * GROUP)
    flat = mask.reshape(-1)
    positions, total = [0], 0
    for begin in range(0, size, length):
        total += int(np.count_nonzero(flat[begin : begin + length]))
        positions.append(total)
    if not total:
        return np.empty(0, x.dtype)
    output = empty((total,), x.dtype, "C")
    if kernel.run(size, (size, length, mask, x, np.asarray(positions, np.int64), output), ()):
        return NotImplemented
    return output


selected.min_size = min(MIN_SIZE_SELECTED, BYTES_ROWS // 8, BYTES_TAKEN // 8)  # type: ignore[attr-defined]


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    return {"large.selected": selected}
