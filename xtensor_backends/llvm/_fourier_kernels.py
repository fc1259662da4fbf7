"""Fourier transforms of several rows or columns at once, whose elements are the lanes of vectors.

The passes are those of Stockham's algorithm: each reads one buffer and writes another one, so that the results are in
order. The real and the imaginary parts of the same element of all columns are two adjacent vectors, and the roots of
unity are the same for all columns, so that no pass moves numbers between lanes. Rows are transposed block by block when
they are read and written.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir

from xtensor.backend import Program, Step

from . import _compile
from ._builder import Builder, llvm_type
from ._calls import Kernel, compiled
from ._loops import I1, I32, I64, POINTER, VOID, Slots, Writer, smaller

__all__ = ["CHUNK", "RADICES", "lanes", "pairs_kernel", "roots", "transform_kernel"]

RADICES = (8, 4, 2, 3, 5, 7, 11)
"""Numbers of elements that a pass transforms at once, whose products are the lengths of transforms."""

CHUNK = 1024
"""Elements of each half of a row that a thread computes at a time."""

MOST_EXACT = 2**15
"""Roots of unity up to which they are computed with more digits, which takes five times as long."""

Complex = tuple[Any, Any]


def lanes(dtype: Any) -> int:
    """Return the number of columns that are transformed at once."""
    return (64 if _compile.has_feature("avx512f") else 32) // int(dtype.itemsize)


def roots(numerators: np.ndarray[Any, Any], denominator: int, part: Any) -> np.ndarray[Any, Any]:
    """Return real and imaginary parts of ``exp(-2 pi i numerators / denominator)``, by angles of at most an eighth."""
    number = np.longdouble if numerators.size <= MOST_EXACT else np.float64
    eighths, rest = np.divmod(8 * (numerators % denominator), denominator)
    angles = np.where(eighths % 2, denominator - rest, rest) * (np.arctan(number(1.0)) / denominator)
    cos, sin = np.cos(angles), np.sin(angles)
    is_crossed = (eighths + 1) % 4 >= 2
    cos, sin = np.where(is_crossed, sin, cos), np.where(is_crossed, cos, sin)
    cos = np.where((eighths >= 2) & (eighths < 6), -cos, cos)
    pairs: np.ndarray[Any, Any] = np.stack([cos, np.where(eighths >= 4, sin, -sin)], axis=-1).astype(part)
    return pairs


def transform_kernel(dtype: Any) -> Kernel | None:
    """Return the kernel that transforms rows or columns, for the dtype of the parts of a number."""
    return _kernel("fft.fft", _Transform, dtype)


def pairs_kernel(dtype: Any) -> Kernel | None:
    """Return the kernel between the transform of real numbers and that of their pairs, as complex numbers."""
    return _kernel("fft.rfft", _Pairs, dtype)


def _kernel(name: str, writer: Any, dtype: Any) -> Kernel | None:
    program, count = _program(name, dtype), lanes(dtype)
    return compiled(program, count, lambda: writer(program, dtype, count).written_module())


@functools.cache
def _program(name: str, dtype: Any) -> Program:
    return Program((dtype.name,), (), (Step(name, (0,), dtype.name),), (1,)).shared()


class _Lanes:
    """Instructions of vectors with one number for each lane, or of numbers where there is one lane."""

    def __init__(self, builder: Builder, dtype: Any, count: int) -> None:
        self.builder, self.dtype, self.count, self.size = builder, dtype, count, dtype.itemsize
        self.part = llvm_type(dtype)
        self.kind = ir.VectorType(self.part, count) if count > 1 else self.part

    def constant(self, number: float) -> Any:
        return ir.Constant(self.kind, [number] * self.count if self.count > 1 else number)

    def splat(self, number: Any) -> Any:
        if self.count == 1:
            return number
        undefined = ir.Constant(self.kind, ir.Undefined)
        one = self.builder.insert_element(undefined, number, I32(0))
        return self.builder.shuffle_vector(one, undefined, self.mask([0] * self.count))

    @staticmethod
    def mask(order: Sequence[int]) -> Any:
        return ir.Constant(ir.VectorType(I32, len(order)), list(order))

    def at(self, base: Any, index: Any) -> Any:
        index = I64(index) if isinstance(index, int) else index
        return self.builder.gep(base, [index], source_etype=self.part)

    def load(self, base: Any, index: Any) -> Any:
        return self.builder.load(self.at(base, index), typ=self.kind, align=self.size)

    def store(self, value: Any, base: Any, index: Any) -> None:
        self.builder.store(value, self.at(base, index), align=self.size)

    def same(self, base: Any, index: Any) -> Any:
        """Return a number of memory in all lanes."""
        return self.splat(self.builder.load(self.at(base, index), typ=self.part, align=self.size))

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        signature = ir.FunctionType(self.kind, [self.kind] * 3)
        name = f"llvm.fmuladd.{f'v{self.count}' if self.count > 1 else ''}f{8 * self.size}"
        function = self.builder.module.globals.get(name) or ir.Function(self.builder.module, signature, name)
        return self.builder.call(function, [x, y, z])

    def add(self, x: Complex, y: Complex) -> Complex:
        return self.builder.fadd(x[0], y[0]), self.builder.fadd(x[1], y[1])

    def subtract(self, x: Complex, y: Complex) -> Complex:
        return self.builder.fsub(x[0], y[0]), self.builder.fsub(x[1], y[1])

    def scale(self, x: Complex, factor: Any) -> Complex:
        return self.builder.fmul(x[0], factor), self.builder.fmul(x[1], factor)

    def multiply(self, x: Complex, y: Complex) -> Complex:
        b = self.builder
        return self.fma(x[0], y[0], b.fneg(b.fmul(x[1], y[1]))), self.fma(x[0], y[1], b.fmul(x[1], y[0]))

    def separated(self, base: Any, index: Any, *, backwards: bool = False) -> Complex:
        """Return complex numbers of memory, the last one first if ``backwards``."""
        halves = self.load(base, index), self.load(base, self.builder.add(index, I64(self.count)))
        if self.count == 1:
            return halves
        order = range(self.count)[:: -1 if backwards else 1]
        real, imag = ([2 * number + part for number in order] for part in (0, 1))
        return tuple([self.builder.shuffle_vector(*halves, self.mask(part)) for part in (real, imag)])

    def join(self, x: Complex, base: Any, index: Any, *, backwards: bool = False) -> None:
        """Write complex numbers to memory, the last one first if ``backwards``."""
        order = [number + part for number in range(self.count)[:: -1 if backwards else 1] for part in (0, self.count)]
        for half, value in enumerate(x):
            mask = self.mask(order[half * self.count : (half + 1) * self.count])
            joined = value if self.count == 1 else self.builder.shuffle_vector(*x, mask)
            self.store(joined, base, self.builder.add(index, I64(half * self.count)))

    def transposed(self, rows: list[Any]) -> list[Any]:
        """Return the columns of as many rows as there are lanes: halves, quarters, … of two rows change places."""
        distance = self.count // 2
        while distance:
            upper = [lane if not lane & distance else lane - distance + self.count for lane in range(self.count)]
            lower = [lane + distance if not lane & distance else lane + self.count for lane in range(self.count)]
            for first in [row for row in range(self.count) if not row & distance]:
                pair = rows[first], rows[first + distance]
                rows[first] = self.builder.shuffle_vector(*pair, self.mask(upper))
                rows[first + distance] = self.builder.shuffle_vector(*pair, self.mask(lower))
            distance //= 2
        return rows

    def transform(self, xs: Sequence[Complex]) -> list[Complex]:
        """Return the transform of a power of two of numbers, or of an odd prime number of them."""
        if len(xs) % 2:
            return self._of_odd(xs)
        if len(xs) == 2:
            return [self.add(*xs), self.subtract(*xs)]
        even, odd = self.transform(xs[::2]), self.transform(xs[1::2])
        odd = [self._turned(x, 8 * number // len(xs)) for number, x in enumerate(odd)]
        pairs = list(zip(even, odd, strict=True))
        return [self.add(*pair) for pair in pairs] + [self.subtract(*pair) for pair in pairs]

    def _turned(self, x: Complex, eighths: int) -> Complex:
        """Return a product with ``exp(-2 pi i eighths / 8)``, for 0 to 3."""
        if eighths == 0:
            return x
        if eighths == 2:
            return x[1], self.builder.fneg(x[0])
        root = self.constant(math.sqrt(0.5))
        turned = self.builder.fadd(*x), self.builder.fsub(x[1], x[0])
        if eighths == 3:
            turned = turned[1], self.builder.fneg(turned[0])
        return self.scale(turned, root)

    def _of_odd(self, xs: Sequence[Complex]) -> list[Complex]:
        """Return the transform by sums and differences of the numbers whose roots of unity are conjugates."""
        count, first = len(xs), xs[0]
        halves = range(1, count // 2 + 1)
        sums = [self.add(xs[number], xs[count - number]) for number in halves]
        differences = [self.subtract(xs[number], xs[count - number]) for number in halves]
        results = [functools.reduce(self.add, sums, first)] * count
        for k in halves:
            cosines, sines = roots(np.array(halves) * k, count, self.dtype).T.tolist()
            even, odd = first, self.scale(differences[0], self.constant(-sines[0]))
            for j, (cosine, sine) in enumerate(zip(cosines, sines, strict=True)):
                cos, sin = self.constant(cosine), self.constant(-sine)
                even = self.fma(sums[j][0], cos, even[0]), self.fma(sums[j][1], cos, even[1])
                if j:
                    odd = self.fma(differences[j][0], sin, odd[0]), self.fma(differences[j][1], sin, odd[1])
            turned = odd[1], self.builder.fneg(odd[0])
            results[k], results[count - k] = self.add(even, turned), self.subtract(even, turned)
        return results


class _Kernel(Writer):
    """A module for vectors of some lanes."""

    def __init__(self, program: Program, dtype: Any, count: int) -> None:
        super().__init__(program, "cc")
        self.dtype, self.count = dtype, count
        self.part, self.item = llvm_type(dtype), 2 * dtype.itemsize

    def number(self, builder: Builder, slots: Slots) -> Any:
        """Return an operand that is a number of the dtype."""
        number = slots.read(ir.DoubleType())
        return builder.fptrunc(number, self.part) if self.dtype.itemsize == 4 else number

    def lanes(self, builder: Builder, count: int = 0) -> _Lanes:
        return _Lanes(builder, self.dtype, count or self.count)


class _Transform(_Kernel):
    """Transforms of groups of members, which are rows or columns.

    The operands of ``run`` after parts, threads and nanoseconds: ``length``, ``members``, ``groups``, ``scale``; the
    number of passes, their table with ``radix, m, s, position of the roots`` for each, and the roots; the roots by
    which results are multiplied, for the members of a block and for blocks, or 0; the buffers of all parts; and for
    the source and for the result: address, whether members are rows, whether real and imaginary parts are swapped, and
    the distances in bytes between elements, members and groups. Last the number of elements that the source has, with
    the addresses of the next one and of all following ones, which are zeros.
    """

    def passing(self, radix: int) -> Any:
        """``pass(x, y, m, s, roots)``.

        For ``p < m`` and ``q < s``, the transform of ``x[q + s (p + m j)]`` along ``j``, times the roots of ``p``, is
        ``y[q + s (radix p + k)]``.
        """
        builder, (x, y, m, s, roots) = self.begin(f"pass{radix}", VOID, [POINTER, POINTER, I64, I64, POINTER])

        def write(inside: Builder, source: Any, target: Any, root: Any = None) -> None:
            v, pair = self.lanes(inside), 2 * self.count
            apart, xs = inside.mul(inside.mul(m, s), I64(pair)), []
            for j in range(radix):
                place = inside.add(inside.mul(source, I64(pair)), inside.mul(apart, I64(j)))
                xs.append((v.load(x, place), v.load(v.at(x, place), self.count)))
            for k, value in enumerate(v.transform(xs)):
                place = inside.mul(inside.add(target, inside.mul(s, I64(k))), I64(pair))
                if k and root is not None:
                    value = v.multiply(value, (v.same(root, 2 * k - 2), v.same(root, 2 * k - 1)))
                v.store(value[0], y, place)
                v.store(value[1], v.at(y, place), self.count)

        with self.counted(builder, I64(0), s) as (inside, q):  # the roots of p = 0 are 1
            write(inside, q, q)
        with self.counted(builder, I64(1), m) as (outside, p):
            root = self.lanes(outside).at(roots, outside.mul(p, I64(2 * radix - 2)))
            first = outside.mul(p, s)
            with self.counted(outside, I64(0), s) as (inside, q):
                write(inside, inside.add(first, q), inside.add(inside.mul(first, I64(radix)), q), root)
        builder.ret_void()
        return builder.function

    def places(self, builder: Builder, buffer: Any, swap: Any) -> Complex:
        """Return the addresses of real and imaginary parts."""
        first = builder.mul(swap, I64(self.count))
        v = self.lanes(builder)
        return v.at(buffer, first), v.at(buffer, builder.sub(I64(self.count), first))

    def read_columns(self) -> Any:
        kinds = [POINTER, I64, POINTER, I64, I64, I64, POINTER, POINTER]
        builder, arguments = self.begin("read_columns", VOID, kinds)
        x, step, buffer, swap, length, given, edge, zeros = arguments
        parts = self.places(builder, buffer, swap)
        with self.counted(builder, I64(0), length) as (inside, i):
            v = self.lanes(inside)
            outside = inside.select(inside.icmp_signed("==", i, given), edge, zeros)
            row = inside.select(inside.icmp_signed("<", i, given), self.offset(inside, x, (i, step)), outside)
            for part, value in zip(parts, v.separated(row, I64(0)), strict=True):
                v.store(value, part, inside.mul(i, I64(2 * self.count)))
        builder.ret_void()
        return builder.function

    def write_columns(self) -> Any:
        kinds = [POINTER, I64, POINTER, I64, I64, self.part]
        builder, (y, step, buffer, swap, length, scale) = self.begin("write_columns", VOID, kinds)
        parts = self.places(builder, buffer, swap)
        with self.counted(builder, I64(0), length) as (inside, i):
            v = self.lanes(inside)
            value = [v.load(part, inside.mul(i, I64(2 * self.count))) for part in parts]
            v.join(v.scale((value[0], value[1]), v.splat(scale)), self.offset(inside, y, (i, step)), I64(0))
        builder.ret_void()
        return builder.function

    def blocks(self, builder: Builder, length: Any) -> Any:
        """A loop over blocks of elements of rows; the last one ends with the rows."""
        return self.counted(builder, I64(0), _quotient(builder, length, self.count // 2))

    def read_rows(self) -> Any:
        builder, (x, step, buffer, swap, length) = self.begin("read_rows", VOID, [POINTER, I64, POINTER, I64, I64])
        parts, half = self.places(builder, buffer, swap), self.count // 2
        with self.blocks(builder, length) as (inside, block):
            v = self.lanes(inside)
            i = smaller(inside, inside.mul(block, I64(half)), inside.sub(length, I64(half)))
            start = self.offset(inside, x, (i, I64(self.item)))
            rows = [v.load(self.offset(inside, start, (I64(lane), step)), 0) for lane in range(self.count)]
            for number, column in enumerate(v.transposed(rows)):
                place = inside.add(inside.mul(i, I64(2 * self.count)), I64(number // 2 * 2 * self.count))
                v.store(column, parts[number % 2], place)
        builder.ret_void()
        return builder.function

    def write_rows(self, *, multiplied: bool) -> Any:
        factors = [POINTER, POINTER] if multiplied else [self.part]
        kinds = [POINTER, I64, POINTER, I64, I64, I64, *factors]
        builder, arguments = self.begin(f"write_rows{multiplied:d}", VOID, kinds)
        y, step, buffer, swap, length, skipped, *factors = arguments
        parts, half = self.places(builder, buffer, swap), self.count // 2
        with self.blocks(builder, length) as (inside, block):
            v = self.lanes(inside)
            i = smaller(inside, inside.mul(block, I64(half)), inside.sub(length, I64(half)))
            columns: list[Any] = []
            for number in range(half):
                element = inside.add(i, I64(number))
                place = inside.mul(element, I64(2 * self.count))
                value = v.load(parts[0], place), v.load(parts[1], place)
                if multiplied:
                    of_members = v.load(factors[0], place), v.load(v.at(factors[0], place), self.count)
                    of_block = v.at(factors[1], inside.mul(element, I64(2)))
                    root = v.multiply(of_members, (v.same(of_block, 0), v.same(of_block, 1)))
                    columns += v.multiply(value, root)
                else:
                    columns += v.scale(value, v.splat(factors[0]))
            start = self.offset(inside, y, (i, I64(self.item)))
            for lane, row in enumerate(v.transposed(columns)):
                with inside.if_then(inside.icmp_signed(">=", I64(lane), skipped)):
                    v.store(row, self.offset(inside, start, (I64(lane), step)), 0)
        builder.ret_void()
        return builder.function

    def job(self) -> Any:
        passes = {radix: self.passing(radix) for radix in RADICES}
        read_columns, write_columns, read_rows = self.read_columns(), self.write_columns(), self.read_rows()
        write_rows, write_products = self.write_rows(multiplied=False), self.write_rows(multiplied=True)
        builder, _, slots, part, parts = self.begin_job()
        length, members, groups, scale = slots.read(), slots.read(), slots.read(), self.number(builder, slots)
        steps, table, roots, of_members, of_blocks, buffers = slots.read(), *[slots.read(POINTER) for _ in range(5)]
        x, x_rows, x_swap, *x_steps = [slots.read(POINTER), *[slots.read() for _ in range(5)]]
        y, y_rows, y_swap, *y_steps = [slots.read(POINTER), *[slots.read() for _ in range(5)]]
        given, edge, zeros = slots.read(), slots.read(POINTER), slots.read(POINTER)
        v = self.lanes(builder)
        size = builder.mul(length, I64(2 * self.count))
        first = v.at(buffers, builder.mul(builder.mul(part, size), I64(2)))
        second = v.at(first, size)

        def parity(inside: Builder, number: Any) -> tuple[Any, Any]:
            """The buffers that are read and written after a number of passes."""
            odd = inside.trunc(number, I1)
            return inside.select(odd, second, first), inside.select(odd, first, second)

        blocks = _quotient(builder, members, self.count)
        with self.counted(builder, *self.share(builder, builder.mul(blocks, groups), part, parts)) as (inside, unit):
            group, block = inside.sdiv(unit, blocks), inside.srem(unit, blocks)
            begin = inside.mul(block, I64(self.count))
            member = smaller(inside, begin, inside.sub(members, I64(self.count)))
            skipped = inside.sub(begin, member)  # the block before has written them, by other factors
            source = self.offset(inside, x, (member, x_steps[1]), (group, x_steps[2]))
            target = self.offset(inside, y, (member, y_steps[1]), (group, y_steps[2]))
            with inside.if_else(inside.trunc(x_rows, I1)) as (rows, columns):
                with rows:
                    inside.call(read_rows, [source, x_steps[1], first, x_swap, length])
                with columns:
                    behind = [self.offset(inside, place, (member, I64(self.item))) for place in (edge, zeros)]
                    inside.call(read_columns, [source, x_steps[0], first, x_swap, length, given, *behind])
            with self.counted(inside, I64(0), steps) as (loop, number):
                row = Slots(loop, self.offset(loop, table, (number, I64(32))))
                radix, m, s, root = row.read(), row.read(), row.read(), self.lanes(loop).at(roots, row.read())
                pair = parity(loop, number)
                for known, passing in passes.items():
                    with loop.if_then(loop.icmp_signed("==", radix, I64(known))):
                        loop.call(passing, [*pair, m, s, root])
            result, _ = parity(inside, steps)
            with inside.if_else(inside.trunc(y_rows, I1)) as (rows, columns):
                with rows, inside.if_else(inside.icmp_signed("==", of_members, POINTER(None))) as (plain, multiplied):
                    with plain:
                        inside.call(write_rows, [target, y_steps[1], result, y_swap, length, skipped, scale])
                    with multiplied:
                        of_block = self.lanes(inside).at(of_blocks, inside.mul(inside.mul(block, length), I64(2)))
                        arguments = [target, y_steps[1], result, y_swap, length, skipped, of_members, of_block]
                        inside.call(write_products, arguments)
                with columns:
                    inside.call(write_columns, [target, y_steps[0], result, y_swap, length, scale])
        builder.ret_void()
        return builder.function


class _Pairs(_Kernel):
    """Makes the transforms of rows of ``2 m`` real numbers of those of their pairs, as complex numbers, or back.

    The operands of ``run`` after parts, threads and nanoseconds: ``m``, the number of rows, whether back, the factor,
    and that of the ends of rows; for the source and for the result address and distance of rows in bytes; the roots.
    A result may be in the memory of its source.
    """

    def halves_of_row(self) -> Any:
        """``halves_of_row(x, y, m, roots, sign, factor, first, last)``.

        With ``r[k] = conj(x[m - k])``, ``e = factor (x + r)`` and ``t = roots factor (x - r)``, ``y[k]`` is ``e + t``,
        and ``y[m - k]`` is the conjugate of ``e - t``. The imaginary parts of the roots have the factor ``sign``.
        """
        kinds = [POINTER, POINTER, I64, POINTER, self.part, self.part, I64, I64]
        builder, (x, y, m, roots, sign, factor, first, last) = self.begin("halves_of_row", VOID, kinds, aliased=True)

        def write(inside: Builder, v: _Lanes, k: Any) -> None:
            other = inside.mul(inside.sub(m, inside.add(k, I64(v.count - 1))), I64(2))
            here = inside.mul(k, I64(2))
            z, r, w = v.separated(x, here), v.separated(x, other, backwards=True), v.separated(roots, here)
            even = v.scale((inside.fadd(z[0], r[0]), inside.fsub(z[1], r[1])), v.splat(factor))
            odd = v.scale((inside.fsub(z[0], r[0]), inside.fadd(z[1], r[1])), v.splat(factor))
            turned = v.multiply(odd, (w[0], inside.fmul(w[1], v.splat(sign))))
            v.join(v.add(even, turned), y, here)
            v.join((inside.fsub(even[0], turned[0]), inside.fsub(turned[1], even[1])), y, other, backwards=True)

        # A vector is read after another one is written: those of the two halves must not overlap.
        middle = builder.sdiv(builder.add(m, I64(1)), I64(2))
        whole = builder.sdiv(builder.sub(smaller(builder, last, middle), first), I64(self.count))
        with self.counted(builder, I64(0), whole) as (inside, number):
            write(inside, self.lanes(inside), inside.add(first, inside.mul(number, I64(self.count))))
        with self.counted(builder, builder.add(first, builder.mul(whole, I64(self.count))), last) as (inside, k):
            write(inside, self.lanes(inside, 1), k)
        builder.ret_void()
        return builder.function

    def job(self) -> Any:
        halves = self.halves_of_row()
        builder, _, slots, part, parts = self.begin_job()
        m, rows, back, factor, factor_of_ends = (
            slots.read(),
            slots.read(),
            slots.read(),
            self.number(builder, slots),
            self.number(builder, slots),
        )
        (x, x_step), (y, y_step) = [(slots.read(POINTER), slots.read()) for _ in range(2)]
        roots, back = slots.read(POINTER), builder.trunc(back, I1)
        sign = builder.select(back, self.part(-1.0), self.part(1.0))
        half, zero = builder.sdiv(m, I64(2)), self.part(0.0)
        chunks = builder.add(builder.sdiv(half, I64(CHUNK)), I64(1))
        with self.counted(builder, *self.share(builder, builder.mul(rows, chunks), part, parts)) as (inside, unit):
            row, chunk = inside.sdiv(unit, chunks), inside.srem(unit, chunks)
            source, target = self.offset(inside, x, (row, x_step)), self.offset(inside, y, (row, y_step))
            v = self.lanes(inside, 1)
            with inside.if_then(inside.icmp_signed("==", chunk, I64(0))):
                second = inside.select(back, inside.mul(m, I64(2)), I64(1))
                pair = v.load(source, I64(0)), v.load(source, second)
                ends = v.scale((inside.fadd(*pair), inside.fsub(*pair)), factor_of_ends)
                v.store(ends[0], target, I64(0))
                v.store(inside.select(back, ends[1], zero), target, I64(1))
                with inside.if_then(inside.not_(back)):
                    v.join((ends[1], zero), target, inside.mul(m, I64(2)))
            first = inside.add(inside.mul(chunk, I64(CHUNK)), I64(1))
            last = smaller(inside, inside.add(first, I64(CHUNK)), inside.add(half, I64(1)))
            inside.call(halves, [source, target, m, roots, sign, factor, first, last])
        builder.ret_void()
        return builder.function


def _quotient(builder: Builder, number: Any, divisor: int) -> Any:
    """Return a quotient that is rounded up."""
    return builder.sdiv(builder.add(number, I64(divisor - 1)), I64(divisor))
