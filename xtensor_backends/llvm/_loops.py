"""Loops over the elements of arrays, around a program.

The machine code of a program has an entry, which Python calls with addresses and numbers (:mod:`_runtime`), and a job,
which each thread calls for its part of the elements. The inner loop is a function whose pointers do not alias, so that
LLVM vectorises it: results are in new memory.

Layouts: ``"c"`` an operand whose elements are adjacent along the innermost axis, ``"s"`` one element for the whole
axis, ``"v"`` any other stride, ``"r"`` adjacent elements that are read as ``numpy.roll`` gives them. The axes around
the innermost one are walked by the job, an innermost row at a time, or a piece of it in which no operand is rolled over
its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from llvmlite import ir

from xtensor.backend import Program

from ..kernels.values import Value, cast
from . import _compile
from ._builder import Builder, llvm_type, load, load_element, memory_type, store
from ._emission import emit
from ._exceptions import by_flags, mask

__all__ = ["I1", "I64", "POINTER", "VOID", "Layout", "Slots", "Writer", "elementwise_module", "smaller", "wide"]

LINE = ir.VectorType(ir.IntType(64), 8)
"""A line of the caches, 64 bytes."""

BLOCK = 512
"""Elements that are computed in a core's cache before they are written past the caches."""

PIECE = 2048
"""Bytes of the pieces in which memory is copied that lies unfavourably."""

I1, I32, I64, POINTER, VOID = ir.IntType(1), ir.IntType(32), ir.IntType(64), ir.PointerType(), ir.VoidType()

FALSE = I1(0)


class Layout(NamedTuple):
    """How a kernel walks its operands: inputs first, then outputs.

    Attributes
    ----------
    operands
        The letter of each operand.
    axes
        The number of axes around the innermost one.
    over
        Index of the input whose memory the only output shares; that output is no operand then. -1 if none.
    streams
        Whether the outputs are written past the caches. All operands are adjacent elements then.
    """

    operands: str
    axes: int = 0
    over: int = -1
    streams: bool = False


class Writer:
    """Writes the functions of a module: what all kinds of loops share.

    Parameters
    ----------
    program
        What is computed for each element.
    letters
        The layout of each input and output along the innermost axis.
    has_fma
        Whether the CPU has a fused multiply-add instruction; None for this machine's.
    """

    def __init__(self, program: Program, letters: str, *, has_fma: bool | None = None) -> None:
        self.program = program
        self.letters = letters
        self.has_fma = _compile.has_fma() if has_fma is None else has_fma
        self.module = ir.Module()
        self.loops = 0
        dtypes = program.dtypes
        self.arrays = [*dtypes[: len(program.inputs)], *(dtypes[location] for location in program.outputs)]
        self.scalars = dtypes[len(program.inputs) : len(program.inputs) + len(program.scalars)]

    def job(self) -> Any:
        """Write ``job(arguments, part, parts)``, and the functions that it calls; return it."""
        raise NotImplementedError

    def written_module(self) -> ir.Module:
        """Return the module, with all functions."""
        self.entry(self.job())
        return self.module

    def function(self, name: str, result: Any, arguments: Sequence[Any], *, internal: bool = False) -> Any:
        function = ir.Function(self.module, ir.FunctionType(result, list(arguments)), name)
        function.attributes.add("nounwind")
        if internal:
            function.linkage = "internal"
        return function

    def builder(self, block: Any) -> Builder:
        return Builder(block, has_fma=self.has_fma)

    def begin(
        self, name: str, result: Any, kinds: Sequence[Any], *, aliased: bool = False
    ) -> tuple[Builder, list[Any]]:
        """Begin an inner function; return its builder and its arguments.

        Its pointers share no memory unless they are ``aliased``. LLVM knows so of arguments only: it is not inlined.
        """
        function = self.function(name, result, kinds, internal=True)
        function.attributes.add("noinline")
        for argument in function.args:
            if argument.type == POINTER and not aliased:
                argument.add_attribute("noalias")
        return self.builder(function.append_basic_block()), list(function.args)

    def begin_job(self) -> tuple[Builder, Any, Slots, Any, Any]:
        """Begin ``job(arguments, part, parts)``; return its builder, the flag's address, its operands, both numbers."""
        function = self.function("job", VOID, [POINTER, I64, I64], internal=True)
        builder = self.builder(function.append_basic_block())
        slots = Slots(builder, function.args[0])
        flag = slots.address()
        return builder, flag, Slots(builder, slots.read(POINTER)), *function.args[1:]

    def numbers(self, builder: Builder, scalars: Sequence[Any]) -> list[Value]:
        """The scalars of the program in their dtypes."""
        names = []
        for value, dtype in zip(scalars, self.scalars, strict=True):
            if dtype.kind == "f":
                names.append(cast(Value(builder, value, "float64"), dtype))
            else:
                narrow = value if dtype.itemsize == 8 else builder.trunc(value, llvm_type(dtype))
                names.append(Value(builder, narrow, dtype))
        return names

    def moved(self, builder: Builder, numbers: Sequence[Value]) -> list[Value]:
        """Values that another builder has made, for use with this one."""
        return [Value(builder, number.code, number.dtype) for number in numbers]

    def addresses(self, builder: Builder, index: Any, pointers: Sequence[Any], strides: Sequence[Any]) -> list[Any]:
        """The addresses of the elements of an index along the innermost axis."""
        given = iter(strides)
        addresses_of = []
        for letter, pointer, dtype in zip(self.letters, pointers, self.arrays, strict=True):
            if letter in "cr":
                addresses_of.append(builder.gep(pointer, [index], inbounds=True, source_etype=memory_type(dtype)))
            elif letter == "s":
                addresses_of.append(pointer)
            else:
                addresses_of.append(self.offset(builder, pointer, (index, next(given))))
        return addresses_of

    def elements(self, builder: Builder, index: Any, pointers: Sequence[Any], strides: Sequence[Any]) -> list[Value]:
        """The elements of an index along the innermost axis."""
        locations = self.addresses(builder, index, pointers, strides)
        return [load(builder, location, dtype) for location, dtype in zip(locations, self.arrays, strict=True)]

    def offset(self, builder: Builder, base: Any, *moves: tuple[Any, Any]) -> Any:
        """The address that is away from another one by a number of strides along each of several axes."""
        distance = I64(0)
        for index, stride in moves:
            distance = builder.add(distance, builder.mul(index, stride))
        return builder.gep(base, [distance], source_etype=ir.IntType(8))

    def copy(self, builder: Builder, target: Any, source: Any, size: Any) -> None:
        """Copy bytes to memory that does not overlap theirs."""
        builder.call(self.module.globals.get("copy") or self._copy(), [target, source, size])

    def _copy(self) -> Any:
        """``copy(target, source, size)``.

        glibc's memcpy copies 4 KiB and more by one instruction, ``rep movsb``, which takes ten times as long on Zen 3
        where the addresses are a few bytes apart, seen within a page (https://sourceware.org/bugzilla, 30994). Shorter
        pieces it copies by vector instructions.
        """
        move = self.module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, I64])
        function = self.function("copy", VOID, [POINTER] * 2 + [I64], internal=True)
        target, source, size = function.args
        builder = self.builder(function.append_basic_block())
        distance = builder.sub(builder.ptrtoint(target, I64), builder.ptrtoint(source, I64))
        is_even = builder.icmp_signed("==", builder.and_(distance, I64(63)), I64(0))
        is_short = builder.icmp_signed("<=", size, I64(PIECE))
        with builder.if_then(builder.or_(is_even, is_short)):
            builder.call(move, [target, source, size, I1(0)])
            builder.ret_void()
        pieces = builder.sdiv(builder.add(size, I64(PIECE - 1)), I64(PIECE))
        with self.counted(builder, I64(0), pieces) as (inside, index):
            done = inside.mul(index, I64(PIECE))
            count = smaller(inside, inside.sub(size, done), I64(PIECE))
            locations = [inside.gep(start, [done], source_etype=ir.IntType(8)) for start in (target, source)]
            inside.call(move, [*locations, count, I1(0)])
        builder.ret_void()
        return function

    def memory(self, builder: Builder, slots: int = 1, align: int = 8) -> Any:
        """The address of new memory of the function, eight bytes for each slot."""
        memory = builder.alloca(I64, size=slots)
        memory.align = align
        # llvmlite gives it a type of pointers to I64, in which nothing else can be stored.
        return builder.inttoptr(builder.ptrtoint(memory, I64), POINTER)

    def repeated(self, name: str, quick: Any, exact: Any) -> Any:
        """A function that calls one that takes its arguments, and where that one's result is true, another one."""
        function = self.function(name, I1, quick.function_type.args, internal=True)
        builder = self.builder(function.append_basic_block())
        with builder.if_then(builder.call(quick, function.args), likely=False):
            builder.ret(builder.call(exact, function.args))
        builder.ret(I1(0))
        return function

    def fold_tail(self, branch: Any) -> None:
        """Let the vectorizer compute the elements after the last whole vector by one vector with a mask.

        One at a time, they take longer than all others in a row of a few hundred elements.
        """
        enable = self.module.add_metadata(
            [ir.MetaDataString(self.module, "llvm.loop.vectorize.predicate.enable"), I1(1)]
        )
        loop = self.module.add_metadata([enable, I64(self.loops)])
        self.loops += 1
        loop.operands = (loop, enable)  # LLVM knows a loop by metadata that contain themselves
        branch.set_metadata("llvm.loop", loop)

    def share(self, builder: Builder, total: Any, part: Any, parts: Any, *, multiple: int = 1) -> tuple[Any, Any]:
        """The first and the last unit of a part. Parts begin at multiples of a number."""
        size = builder.sdiv(builder.add(total, builder.sub(parts, I64(1))), parts)
        if multiple > 1:
            size = builder.and_(builder.add(size, I64(multiple - 1)), I64(-multiple))
        first = builder.mul(part, size)
        return first, smaller(builder, builder.add(first, size), total)

    def mark(self, builder: Builder, flag: Any, doubtful: Any) -> None:
        """Set the flag of the arguments where an element is doubtful; all threads that do so write the same."""
        with builder.if_then(doubtful, likely=False):
            builder.store(I64(1), flag)

    @contextmanager
    def stepped(self, builder: Builder, first: Any, last: Any) -> Iterator[tuple[Builder, Any, list[Any]]]:
        """A loop from a number to before another one; the builder goes on after it.

        What is written within appends to the list by how much the number grows.
        """
        before, steps = builder.block, list[Any]()
        test, body, done = (builder.function.append_basic_block(name) for name in ("test", "body", "done"))
        builder.branch(test)
        head = self.builder(test)
        index = head.phi(I64)
        index.add_incoming(first, before)
        head.cbranch(head.icmp_signed("<", index, last), body, done)
        inside = self.builder(body)
        yield inside, index, steps
        index.add_incoming(inside.add(index, steps[0]), inside.block)
        inside.branch(test)
        builder.position_at_end(done)

    @contextmanager
    def counted(self, builder: Builder, first: Any, last: Any) -> Iterator[tuple[Builder, Any]]:
        """A loop over each number from one to before another one; the builder goes on after it."""
        with self.stepped(builder, first, last) as (inside, index, steps):
            steps.append(I64(1))
            yield inside, index

    def each(
        self,
        builder: Builder,
        length: Any,
        write: Callable[[Builder, Any], Any],
        doubt: Any = FALSE,
        *,
        folds_tail: bool = False,
    ) -> Any:
        """Write a loop over at least one element, which LLVM vectorises; the builder goes on after it.

        Parameters
        ----------
        write
            Writes what is computed for the element of an index; returns whether it is doubtful.
        doubt
            Whether the result is doubtful before the loop.
        folds_tail
            As :meth:`fold_tail`.

        Returns
        -------
        Any
            Whether an element is doubtful.
        """
        before = builder.block
        body, after = (builder.function.append_basic_block(name) for name in ("body", "after"))
        builder.branch(body)
        loop = self.builder(body)
        index, doubtful = loop.phi(I64), loop.phi(I1)
        index.add_incoming(I64(0), before)
        doubtful.add_incoming(doubt, before)
        doubted = loop.or_(doubtful, write(loop, index))
        following = loop.add(index, I64(1), flags=("nsw",))
        index.add_incoming(following, loop.block)
        doubtful.add_incoming(doubted, loop.block)
        branch = loop.cbranch(loop.icmp_signed("<", following, length), body, after)
        if folds_tail:
            self.fold_tail(branch)
        builder.position_at_end(after)
        return doubted

    def return_if_empty(self, builder: Builder, length: Any) -> None:
        """Return from a function, with nothing doubtful, unless it has elements."""
        with builder.if_then(builder.icmp_signed("<=", length, I64(0)), likely=False):
            builder.ret(I1(0))

    # -- what Python calls --------------------------------------------------------------------------------------------

    def entry(self, job: Any) -> None:
        """``run(operands)``: the flag. The operands: parts, threads, nanoseconds, and what the job reads."""
        job.linkage = ""  # calls of several kernels together need its address
        region = self.function("xtensor_parallel", VOID, [POINTER, POINTER, I64, I64, I64])
        function = self.function("run", I64, [POINTER])
        builder = self.builder(function.append_basic_block())
        slots = Slots(builder, function.args[0])
        parts, threads, nanoseconds = slots.read(), slots.read(), slots.read()
        frame = self.memory(builder, 2)
        filled = Slots(builder, frame)
        filled.write(I64(0))
        read = slots.address()
        filled.write(read)
        with builder.if_else(builder.icmp_signed("<=", parts, I64(1))) as (alone, together):
            with alone:
                builder.call(job, [frame, I64(0), I64(1)])
            with together:
                builder.call(region, [job, frame, parts, threads, nanoseconds])
        self.finish(builder, Slots(builder, read))
        builder.ret(builder.load(frame, typ=I64))

    def finish(self, builder: Builder, slots: Slots) -> None:
        """Compute what follows all parts of the job, from the operands that the job reads."""


class _Elementwise(Writer):
    """A program whose outputs have an element for each element of the inputs."""

    def __init__(self, program: Program, layout: Layout, *, has_fma: bool | None) -> None:
        super().__init__(program, layout.operands, has_fma=has_fma)
        self.over, self.axes, self.streams = layout.over, layout.axes, layout.streams
        if self.over >= 0:
            self.arrays = self.arrays[: len(program.inputs)]

    def inner(self) -> Any:
        """``inner(length, scalars..., pointers..., strides...)``: whether an element is doubtful."""
        strided = [I64] * self.letters.count("v")
        types = [I64, *map(wide, self.scalars), *[POINTER] * len(self.arrays), *strided]
        builder, (length, *rest) = self.begin("inner", I1, types)
        scalars, rest = rest[: len(self.scalars)], rest[len(self.scalars) :]
        pointers, strides = rest[: len(self.arrays)], rest[len(self.arrays) :]
        count, numbers = len(self.program.inputs), self.numbers(builder, scalars)

        def write(loop: Builder, index: Any) -> Any:
            locations = self.addresses(loop, index, pointers, strides)
            given = zip(locations[:count], self.arrays, strict=False)
            loaded = [load_element(loop, location, dtype) for location, dtype in given]
            values, doubtful = emit(self.program, [*loaded, *self.moved(loop, numbers)])
            written = locations[count:] if self.over < 0 else [locations[self.over]]
            for output, location in zip(self.program.outputs, written, strict=True):
                store(values[output], location)
            return doubtful.code

        self.return_if_empty(builder, length)
        builder.ret(self.each(builder, length, write))
        return builder.function

    def stream(self, builder: Builder, location: Any, source: Any, size: Any) -> None:
        """Copy bytes past the caches, in lines of 64 bytes. The rest, and all to another place, go the usual way."""
        address = builder.ptrtoint(location, I64)
        is_line = builder.icmp_signed("==", builder.and_(address, I64(63)), I64(0))
        lines = builder.select(is_line, builder.ashr(size, I64(6)), I64(0))
        with self.counted(builder, I64(0), lines) as (inside, index):
            line = inside.load(inside.gep(source, [index], source_etype=LINE), typ=LINE, align=64)
            written = inside.store(line, inside.gep(location, [index], source_etype=LINE), align=64)
            written.set_metadata("nontemporal", self.module.add_metadata([I32(1)]))
        done = builder.shl(lines, I64(6))
        rest = [builder.gep(start, [done], source_etype=ir.IntType(8)) for start in (location, source)]
        self.copy(builder, rest[0], rest[1], builder.sub(size, done))

    def job(self) -> Any:
        """``job(arguments, part, parts)``: the inner loop over each innermost row of a part of the elements."""
        inner, axes = self.inner(), self.axes
        builder, flag, slots, part, parts = self.begin_job()
        total, length = slots.read(), slots.read()
        sizes = [slots.read() for _ in range(axes)]
        bases, inner_strides, outer_strides = [], [], []
        shifts: list[list[Any]] = []
        for letter in self.letters:
            bases.append(slots.read(POINTER))
            inner_strides.append(slots.read() if letter == "v" else None)
            outer_strides.append([slots.read() for _ in range(axes)])
            shifts.append([slots.read() for _ in range(axes + 1)] if letter == "r" else [])
        scalars = [slots.read(wide(dtype)) for dtype in self.scalars]
        count = len(self.program.inputs)
        written = self.arrays[count:] if self.streams else []
        blocks = [self.memory(builder, BLOCK * dtype.itemsize // 8, align=64) for dtype in written]
        flags = by_flags(self.program)
        if flags:
            builder.call(self.function("feclearexcept", I32, [I32]), [I32(mask())])
        # In multiples of 64 elements, so that threads write to different cache lines.
        first, last = self.share(builder, total, part, parts, multiple=64)
        with self.stepped(builder, first, last) as (inside, position, steps):
            if axes:
                row, column = inside.sdiv(position, length), inside.srem(position, length)
                count = smaller(inside, inside.sub(length, column), inside.sub(last, position))
            else:
                row, column = I64(0), position
                count = inside.sub(last, position)
                if self.streams:
                    count = smaller(inside, count, I64(BLOCK))
            indices: list[Any] = []
            for size in reversed(sizes):
                indices.insert(0, inside.srem(row, size))
                row = inside.sdiv(row, size)
            pointers = []
            for letter, base, inner_stride, strides, shift, dtype in zip(
                self.letters, bases, inner_strides, outer_strides, shifts, self.arrays, strict=True
            ):
                step = {"c": I64(dtype.itemsize), "r": I64(dtype.itemsize), "s": I64(0)}.get(letter, inner_stride)
                places = [*indices, column]
                if shift:
                    is_behind = inside.icmp_signed("<", column, shift[-1])
                    end = inside.select(is_behind, shift[-1], length)
                    count = smaller(inside, count, inside.sub(end, column))
                    places = [rolled(inside, *item) for item in zip(places, shift, [*sizes, length], strict=True)]
                pointers.append(self.offset(inside, base, *zip(places, [*strides, step], strict=True)))
            given = [stride for stride in inner_strides if stride is not None]
            results = pointers[len(pointers) - len(blocks) :]
            doubtful = inside.call(inner, [count, *scalars, *pointers[: len(pointers) - len(blocks)], *blocks, *given])
            for result, block, dtype in zip(results, blocks, self.arrays[len(self.program.inputs) :], strict=False):
                self.stream(inside, result, block, inside.mul(count, I64(dtype.itemsize)))
            self.mark(inside, flag, doubtful)
            steps.append(count)
        if self.streams:
            builder.fence("seq_cst")  # such stores become visible to other threads in any order
        if flags:
            raised = builder.call(self.function("fetestexcept", I32, [I32]), [I32(mask())])
            with builder.if_then(builder.icmp_signed("!=", raised, I32(0)), likely=False):
                builder.atomic_rmw(
                    "or", builder.bitcast(flag, ir.PointerType(I64)), builder.zext(raised, I64), "monotonic"
                )
        builder.ret_void()
        return builder.function


class Slots:
    """The arguments of a job in memory, eight bytes each, in order."""

    def __init__(self, builder: Builder, memory: Any) -> None:
        self.builder = builder
        self.memory = memory
        self.count = 0

    def address(self) -> Any:
        location = self.builder.gep(self.memory, [I64(self.count)], inbounds=True, source_etype=I64)
        self.count += 1
        return location

    def read(self, kind: Any = I64) -> Any:
        return self.builder.load(self.address(), typ=kind)

    def write(self, value: Any) -> None:
        self.builder.store(value, self.address())


def wide(dtype: Any) -> Any:
    """The type in which a scalar is passed: a double, or an integer of 64 bits."""
    return ir.DoubleType() if dtype.kind == "f" else I64


def smaller(builder: Builder, first: Any, second: Any) -> Any:
    """The smaller one of two integers."""
    return builder.select(builder.icmp_signed("<", first, second), first, second)


def rolled(builder: Builder, index: Any, shift: Any, length: Any) -> Any:
    """The index that ``numpy.roll`` moves to another one along an axis, by a shift of 0 to before its length."""
    before = builder.sub(index, shift)
    return builder.select(builder.icmp_signed("<", index, shift), builder.add(before, length), before)


def elementwise_module(program: Program, layout: Layout, *, has_fma: bool | None = None) -> ir.Module:
    """Return the module of an elementwise program, with the function ``run``.

    Its operands: parts, threads, nanoseconds, elements, the length of the innermost axis, the lengths of the axes
    around it; for each input and output its address, its stride along the innermost axis where the letter is "v", its
    strides along the axes around it, its shifts along these and the innermost axis where the letter is "r"; the
    scalars.
    """
    return _Elementwise(program, layout, has_fma=has_fma).written_module()
