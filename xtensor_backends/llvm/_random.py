"""Kernels of random numbers: words by Philox4x64-10, uniform and normal numbers.

A thread computes a few hundred words at a time into a buffer on its stack and converts them from there: the words one
block after the other, by the processor's product of 64 bits, and the numbers in a loop that LLVM vectorises.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir

from xtensor.backend import (
    PHILOX_MULTIPLIERS,
    PHILOX_ROUNDS,
    PHILOX_WEYL,
    DType,
    Native,
    Program,
    Step,
)

from ..kernels.random_numbers import normal, uniform
from ..kernels.values import Value
from ._builder import Builder, load, memory_type, store
from ._calls import compiled, empty
from ._loops import I64, POINTER, VOID, Writer, smaller
from ._runtime import signed

__all__ = ["kernels"]

I128 = ir.IntType(128)
UINT32, UINT64 = np.dtype(np.uint32), np.dtype(np.uint64)

BLOCKS = 64
"""Blocks of four words in the buffer."""

Formula = Callable[[Value, DType], Value]


def word(x: Value, _dtype: DType) -> Value:
    return x


class _Random(Writer):
    """The words of a range of blocks, converted by a formula.

    The operands of ``run``: parts, threads, the number of blocks, the counter of the first one (its lowest word), the
    two words of the stream, the two words of the key, the elements to skip, their number, and the
    address of the output.
    """

    def __init__(self, program: Program, source: DType, formula: Formula) -> None:
        super().__init__(program, "c")
        self.source = source
        self.result: DType = program.dtypes[-1]
        self.formula = formula
        self.per_block = 32 // source.itemsize

    def fill(self) -> Any:
        """``fill(blocks, counter, stream..., key..., output)``: the words of some blocks."""
        builder, (number, counter, *stream_and_key, output) = self.begin("fill", VOID, [*[I64] * 6, POINTER])
        with self.counted(builder, I64(0), number) as (loop, index):
            _store_block(self, loop, loop.add(counter, index), stream_and_key, index, output)
        builder.ret_void()
        return builder.function

    def convert(self) -> Any:
        """``convert(elements, words, output)``: the formula of each element."""
        builder, (length, words, output) = self.begin("convert", VOID, [I64, POINTER, POINTER])
        with self.counted(builder, I64(0), length) as (loop, index):
            location = loop.gep(words, [index], inbounds=True, source_etype=memory_type(self.source))
            value = self.formula(load(loop, location, self.source), self.result)
            store(value, loop.gep(output, [index], inbounds=True, source_etype=memory_type(self.result)))
        builder.ret_void()
        return builder.function

    def job(self) -> Any:
        fill, convert = self.fill(), self.convert()
        builder, _, slots, part, parts = self.begin_job()
        buffer = self.memory(builder, 4 * BLOCKS)
        blocks, counter = slots.read(), slots.read()
        stream_and_key = [slots.read() for _ in range(4)]
        skipped, count, output = slots.read(), slots.read(), slots.read(POINTER)
        end = builder.add(skipped, count)
        chunks = builder.sdiv(builder.add(blocks, I64(BLOCKS - 1)), I64(BLOCKS))
        first, last = self.share(builder, chunks, part, parts)
        with self.counted(builder, first, last) as (loop, chunk):
            block = loop.mul(chunk, I64(BLOCKS))
            following = smaller(loop, loop.add(block, I64(BLOCKS)), blocks)
            loop.call(fill, [loop.sub(following, block), loop.add(counter, block), *stream_and_key, buffer])
            base = loop.mul(block, I64(self.per_block))
            begin = _larger(loop, base, skipped)
            length = loop.sub(smaller(loop, loop.mul(following, I64(self.per_block)), end), begin)
            words = self.offset(loop, buffer, (loop.sub(begin, base), I64(self.source.itemsize)))
            target = self.offset(loop, output, (loop.sub(begin, skipped), I64(self.result.itemsize)))
            loop.call(convert, [length, words, target])
        builder.ret_void()
        return builder.function


class _Blocks(Writer):
    """The words of the blocks whose numbers are the elements of an array.

    The operands of ``run``: parts, threads, the number of blocks, the two words of the stream, the two of the key, and
    the addresses of the numbers and of the output.
    """

    def job(self) -> Any:
        builder, _, slots, part, parts = self.begin_job()
        blocks = slots.read()
        stream_and_key = [slots.read() for _ in range(4)]
        numbers, output = slots.read(POINTER), slots.read(POINTER)
        first, last = self.share(builder, blocks, part, parts, multiple=16)
        with self.counted(builder, first, last) as (loop, index):
            number = load(loop, self.offset(loop, numbers, (index, I64(8))), UINT64).code
            _store_block(self, loop, loop.add(number, I64(1)), stream_and_key, index, output)
        builder.ret_void()
        return builder.function


def _store_block(writer: Writer, builder: Builder, counter: Any, stream_and_key: Any, index: Any, output: Any) -> None:
    """Compute the four words of a counter and store them as the block of an index."""
    words, key = [counter, I64(0), *stream_and_key[:2]], stream_and_key[2:]
    for _ in range(PHILOX_ROUNDS):
        (high0, low0), (high1, low1) = (
            _product(builder, words[2 * location], number) for location, number in enumerate(PHILOX_MULTIPLIERS)
        )
        words = [
            builder.xor(builder.xor(high1, words[1]), key[0]),
            low1,
            builder.xor(builder.xor(high0, words[3]), key[1]),
            low0,
        ]
        key = [builder.add(value, I64(step)) for value, step in zip(key, PHILOX_WEYL, strict=True)]
    location = writer.offset(builder, output, (index, I64(32)))
    for position, value in enumerate(words):
        builder.store(value, writer.offset(builder, location, (I64(position), I64(8))), align=8)


def _product(builder: Builder, x: Any, number: int) -> tuple[Any, Any]:
    """The high and the low word of a product."""
    product = builder.mul(builder.zext(x, I128), I128(number))
    return builder.trunc(builder.lshr(product, I128(64)), I64), builder.trunc(product, I64)


def _larger(builder: Builder, first: Any, second: Any) -> Any:
    return builder.select(builder.icmp_signed(">", first, second), first, second)


FORMULAS: dict[str, Formula] = {"random.uniform_numbers": uniform, "random.normal_numbers": normal}


@functools.cache
def _program(name: str | None, dtype: DType) -> Program:
    steps: tuple[Step, ...] = (Step("random.bits", (), "uint64"),)
    if name is not None:
        steps = (*steps, Step(name, (0,), dtype.name))
    return Program((), (), steps, (len(steps) - 1,)).shared()


def _draw(
    name: str | None,
    dtype: DType,
    key: tuple[int, int],
    stream: tuple[int, int],
    start: int,
    shape: tuple[int, ...],
) -> Native:
    """Return numbers; ``start`` counts words, or halves of words for uniform numbers of float32."""
    program = _program(name, dtype)
    source = UINT32 if name == "random.uniform_numbers" and dtype.itemsize == 4 else UINT64
    formula = word if name is None else FORMULAS[name]
    kernel = compiled(program, "draw", lambda: _Random(program, source, formula).written_module())
    if kernel is None:
        return NotImplemented
    per_block = 32 // source.itemsize
    first, skipped = divmod(start, per_block)
    count = math.prod(shape)
    blocks = -(-(skipped + count) // per_block)
    output = empty(shape, dtype, "C")
    words = map(signed, ((first + 1) % 2**64, *stream, *key))
    kernel.run(count, (blocks, *words, skipped, count, output), ())
    return output


def bits(*, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...]) -> Native:
    return _draw(None, UINT64, key, stream, start, shape)


def blocks(x: Native, *, key: tuple[int, int], stream: tuple[int, int]) -> Native:
    program = Program((), (), (Step("random.blocks", (), "uint64"),), (0,)).shared()
    kernel = compiled(program, "blocks", lambda: _Blocks(program, "c").written_module())
    if kernel is None or x.dtype != UINT64 or x.ndim != 1 or not x.flags.carray:
        return NotImplemented
    output = empty((x.size, 4), UINT64, "C")
    kernel.run(4 * x.size, (x.size, *map(signed, (*stream, *key)), x, output), ())
    return output


def _numbers(name: str) -> Callable[..., Native]:
    def draw(
        *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...], dtype: DType
    ) -> Native:
        return _draw(name, dtype, key, stream, start, shape)

    return draw


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions of random numbers by name."""
    return {"random.bits": bits, "random.blocks": blocks, **{name: _numbers(name) for name in FORMULAS}}
