"""Loops over the elements of arrays, around a program.

The machine code of a program has an entry, which Python calls, and a job, which each thread calls for its part of the
elements. The inner loop is a function whose pointers do not alias, so that LLVM vectorises it: results are in new memory,
or in that of an operand with the same layout.

Layouts: ``"c"`` an operand whose elements are adjacent along the innermost axis, ``"s"`` one element for the whole axis,
``"v"`` any other stride. The axes around the innermost one are walked by the job, an innermost row at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from ._program import Program
from ._values import Builder, Value, cast, llvm_type, load, memory_type, store

__all__ = ["Layout", "module"]

I1, I64, POINTER, VOID = ir.IntType(1), ir.IntType(64), ir.PointerType(), ir.VoidType()

DATA_OFFSET = 16
"""Offset of the pointer to the elements in an object of NumPy's array class (``PyArrayObject_fields``)."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a kernel walks its operands: inputs first, then outputs.

    Attributes
    ----------
    operands
        The letter of each operand.
    axes
        The number of axes around the innermost one.
    """

    operands: str
    axes: int = 0

    @property
    def flat(self) -> bool:
        """Whether all elements are adjacent, so that the entry takes the arrays themselves."""
        return not self.axes and set(self.operands) <= {"c"}


class _Writer:
    """Writes the functions of one module."""

    def __init__(self, program: Program, layout: Layout, *, has_fma: bool) -> None:
        self.program = program
        self.layout = layout
        self.has_fma = has_fma
        self.module = ir.Module()
        dtypes = program.dtypes
        self.arrays = [*dtypes[: len(program.inputs)], *(dtypes[place] for place in program.outputs)]
        self.scalars = dtypes[len(program.inputs) : len(program.inputs) + len(program.scalars)]

    def function(self, name: str, result: Any, arguments: Sequence[Any], *, internal: bool = False) -> Any:
        function = ir.Function(self.module, ir.FunctionType(result, list(arguments)), name)
        function.attributes.add("nounwind")
        if internal:
            function.linkage = "internal"
        return function

    def builder(self, block: Any) -> Builder:
        return Builder(block, has_fma=self.has_fma)

    # -- the innermost loop -----------------------------------------------------------------------------------------

    def inner(self) -> Any:
        """``inner(length, scalars..., pointers..., strides...)``: whether an element is doubtful."""
        strided = [letter for letter in self.layout.operands if letter == "v"]
        scalar_types = [_wide(dtype) for dtype in self.scalars]
        types = [I64, *scalar_types, *[POINTER] * len(self.arrays), *[I64] * len(strided)]
        function = self.function("inner", I1, types, internal=True)
        function.attributes.add("noinline")  # LLVM knows only of arguments that they do not alias
        length, rest = function.args[0], list(function.args[1:])
        scalars, rest = rest[: len(self.scalars)], rest[len(self.scalars) :]
        pointers, strides = rest[: len(self.arrays)], rest[len(self.arrays) :]
        for pointer in pointers:
            pointer.add_attribute("noalias")
        before, body, after = (function.append_basic_block(name) for name in ("before", "body", "after"))
        start = self.builder(before)
        numbers = [_narrow(start, value, dtype) for value, dtype in zip(scalars, self.scalars, strict=True)]
        start.cbranch(start.icmp_signed(">", length, I64(0)), body, after)

        loop = self.builder(body)
        index = loop.phi(I64)
        doubt = loop.phi(I1)
        places = iter(strides)
        addresses = []
        for letter, pointer, dtype in zip(self.layout.operands, pointers, self.arrays, strict=True):
            if letter == "c":
                addresses.append(loop.gep(pointer, [index], inbounds=True, source_etype=memory_type(dtype)))
            elif letter == "s":
                addresses.append(pointer)
            else:
                offset = loop.mul(index, next(places))
                addresses.append(loop.gep(pointer, [offset], inbounds=True, source_etype=ir.IntType(8)))
        count = len(self.program.inputs)
        loaded = [load(loop, address, dtype) for address, dtype in zip(addresses[:count], self.arrays, strict=False)]
        given = [Value(loop, number.ir, number.dtype) for number in numbers]
        values, doubtful = self.program.emit([*loaded, *given])
        for place, address in zip(self.program.outputs, addresses[count:], strict=True):
            store(values[place], address)
        following = loop.add(index, I64(1), flags=("nsw",))
        doubted = loop.or_(doubt, doubtful.ir)
        index.add_incoming(I64(0), before)
        index.add_incoming(following, loop.block)
        doubt.add_incoming(I1(0), before)
        doubt.add_incoming(doubted, loop.block)
        loop.cbranch(loop.icmp_signed("<", following, length), body, after)

        end = self.builder(after)
        outcome = end.phi(I1)
        outcome.add_incoming(I1(0), before)
        outcome.add_incoming(doubted, loop.block)
        end.ret(outcome)
        return function

    # -- the part of a thread ---------------------------------------------------------------------------------------

    def job(self, inner: Any) -> Any:
        """``job(arguments, part, parts)``: the inner loop over each innermost row of a part of the elements."""
        function = self.function("job", VOID, [POINTER, I64, I64], internal=True)
        arguments, part, parts = function.args
        entry, test, row_block, done = (function.append_basic_block(name) for name in ("entry", "test", "row", "done"))
        builder = self.builder(entry)
        slots = _Slots(builder, arguments)
        flag = slots.address()
        total, length = slots.read(), slots.read()
        sizes = [slots.read() for _ in range(self.layout.axes)]
        bases, inner_strides, outer_strides = [], [], []
        for letter in self.layout.operands:
            bases.append(slots.read(POINTER))
            inner_strides.append(slots.read() if letter == "v" else None)
            outer_strides.append([slots.read() for _ in range(self.layout.axes)])
        scalars = [slots.read(_wide(dtype)) for dtype in self.scalars]
        # Parts begin at multiples of 64 elements: threads write to different cache lines.
        share = builder.sdiv(builder.add(total, builder.sub(parts, I64(1))), parts)
        share = builder.and_(builder.add(share, I64(63)), I64(-64))
        first = builder.mul(part, share)
        last = _smaller(builder, builder.add(first, share), total)
        builder.branch(test)

        builder = self.builder(test)
        position = builder.phi(I64)
        position.add_incoming(first, entry)
        builder.cbranch(builder.icmp_signed("<", position, last), row_block, done)

        builder = self.builder(row_block)
        if self.layout.axes:
            row, column = builder.sdiv(position, length), builder.srem(position, length)
            count = _smaller(builder, builder.sub(length, column), builder.sub(last, position))
        else:
            row, column = I64(0), position
            count = builder.sub(last, position)
        indices: list[Any] = []
        for size in reversed(sizes):
            indices.insert(0, builder.srem(row, size))
            row = builder.sdiv(row, size)
        pointers = []
        for letter, base, inner_stride, strides, dtype in zip(
            self.layout.operands, bases, inner_strides, outer_strides, self.arrays, strict=True
        ):
            step = {"c": I64(dtype.itemsize), "s": I64(0)}.get(letter, inner_stride)
            offset = builder.mul(column, step)
            for index, stride in zip(indices, strides, strict=True):
                offset = builder.add(offset, builder.mul(index, stride))
            pointers.append(builder.gep(base, [offset], source_etype=ir.IntType(8)))
        given = [stride for stride in inner_strides if stride is not None]
        doubtful = builder.call(inner, [count, *scalars, *pointers, *given])
        self._mark(builder, doubtful, flag)
        position.add_incoming(builder.add(position, count), builder.block)
        builder.branch(test)
        self.builder(done).ret_void()
        return function

    def _mark(self, builder: Builder, doubtful: Any, flag: Any) -> None:
        """Set the flag of the arguments where an element is doubtful; all threads that do so write the same."""
        with builder.if_then(doubtful, likely=False):
            builder.store(I64(1), flag)

    # -- what Python calls --------------------------------------------------------------------------------------------

    def entry(self, job: Any) -> None:
        """``run(arguments, parts, threads)``: the flag. The arguments are in memory, as the job reads them."""
        parallel = self.function("xtensor_parallel_short", VOID, [POINTER, POINTER, I64, I64])
        function = self.function("run", I64, [POINTER, I64, I64])
        arguments, parts, threads = function.args
        builder = self.builder(function.append_basic_block())
        self._run(builder, parallel, job, arguments, parts, threads)
        if not self.layout.flat:
            return
        # For arrays whose elements are all adjacent: run_flat(elements, parts, threads, scalars..., arrays...).
        types = [I64, I64, I64, *map(_wide, self.scalars), *[POINTER] * len(self.arrays)]
        function = self.function("run_flat", I64, types)
        total, parts, threads, *rest = function.args
        scalars, arrays = rest[: len(self.scalars)], rest[len(self.scalars) :]
        builder = self.builder(function.append_basic_block())
        memory = builder.alloca(I64, size=3 + len(rest))
        # llvmlite gives it a type of pointers to I64, in which nothing else can be stored.
        filled = builder.inttoptr(builder.ptrtoint(memory, I64), POINTER)
        slots = _Slots(builder, filled)
        slots.write(I64(0))
        slots.write(total)
        slots.write(total)
        for array in arrays:
            place = builder.gep(array, [I64(DATA_OFFSET)], source_etype=ir.IntType(8))
            slots.write(builder.load(place, typ=POINTER))
        for scalar in scalars:
            slots.write(scalar)
        self._run(builder, parallel, job, filled, parts, threads)

    def _run(self, builder: Builder, parallel: Any, job: Any, arguments: Any, parts: Any, threads: Any) -> None:
        with builder.if_else(builder.icmp_signed("<=", parts, I64(1))) as (alone, together):
            with alone:
                builder.call(job, [arguments, I64(0), I64(1)])
            with together:
                builder.call(parallel, [job, arguments, parts, threads])
        builder.ret(builder.load(arguments, typ=I64))


class _Slots:
    """The arguments of a job in memory, eight bytes each, in order."""

    def __init__(self, builder: Builder, memory: Any) -> None:
        self.builder = builder
        self.memory = memory
        self.count = 0

    def address(self) -> Any:
        place = self.builder.gep(self.memory, [I64(self.count)], inbounds=True, source_etype=I64)
        self.count += 1
        return place

    def read(self, kind: Any = I64) -> Any:
        return self.builder.load(self.address(), typ=kind)

    def write(self, value: Any) -> None:
        self.builder.store(value, self.address())


def _wide(dtype: Any) -> Any:
    """The type in which a scalar is passed: a double, or an integer of 64 bits."""
    return ir.DoubleType() if dtype.kind == "f" else I64


def _narrow(builder: Builder, value: Any, dtype: Any) -> Value:
    if dtype.kind == "f":
        return cast(Value(builder, value, "float64"), dtype)
    return Value(builder, value if dtype.itemsize == 8 else builder.trunc(value, llvm_type(dtype)), dtype)


def _smaller(builder: Builder, first: Any, second: Any) -> Any:
    return builder.select(builder.icmp_signed("<", first, second), first, second)


def module(program: Program, layout: Layout, *, has_fma: bool) -> ir.Module:
    """Return the module of an elementwise program: its functions are ``run`` and, for flat layouts, ``run_flat``."""
    writer = _Writer(program, layout, has_fma=has_fma)
    writer.entry(writer.job(writer.inner()))
    return writer.module
