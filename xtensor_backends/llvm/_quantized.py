"""Products of few vectors with quantized matrices, whose codes are read once and never stored as numbers.

A row's sum has a fixed order: 16 partial sums along the columns, group after group. It does not depend on the number of
threads. Several rows are read at once: a processor reads several runs of memory faster than one.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator

import numpy as np

from xtensor.backend import Native

from . import _compile, _digits, _threads
from ._calls import empty
from ._lines import Lines
from ._runtime import call_unlocked

__all__ = ["kernels"]

LANES = 16
"""Elements that are computed at one time."""

MOST_VECTORS = 8
"""Number of vectors up to which the codes are read again for each; a product of matrices is faster from there on."""

MIN_SIZE = 1 << 12
"""Number of codes from which on the kernel is faster than the composition."""

NANOSECONDS = 0.1
"""Time for a code, about."""

ROWS = {1: 4, 2: 4}
"""Rows that are computed at once, by the number of vectors; 2 for more: the sums of all stay in registers."""

LINE = 64
"""Bytes of a line of the caches."""

UNROLLED = 8
"""Chunks of a group up to which they are computed without a loop."""


def _quantized_linear(x: Native, codes: Native, scales: Native, offsets: Native | None = None, /) -> Native:
    operands = (x, codes, scales) if offsets is None else (x, codes, scales, offsets)
    for operand in operands:
        if operand.__class__ is not np.ndarray or not operand.flags.c_contiguous:
            return NotImplemented
    if codes.ndim != 2 or scales.ndim != 2 or not x.ndim or codes.size < MIN_SIZE or not scales.size:
        return NotImplemented
    packed = codes.dtype.char == "B"
    rows, groups = scales.shape
    length, rest = divmod(codes.shape[1], groups)
    vectors = math.prod(x.shape[:-1])
    if (
        x.dtype != FLOAT
        or scales.dtype != FLOAT
        or codes.dtype.char not in "bB"
        or rest
        or length % LANES
        or codes.shape[0] != rows
        or x.shape[-1] != codes.shape[1] * (1 + packed)
        or (offsets is not None and (offsets.dtype != FLOAT or offsets.shape != scales.shape))
        or not 0 < vectors <= MOST_VECTORS
    ):
        return NotImplemented
    result = empty((*x.shape[:-1], rows), FLOAT)
    sums: Native | int = 0
    if offsets is not None:
        sums = np.sum(np.reshape(x, (vectors, groups, -1)), axis=-1, dtype=np.float32)
    threads = _threads.team()
    nanoseconds = int(codes.size * vectors * NANOSECONDS)
    digits: Native | int = 0
    if packed and length == _digits.GROUP_BYTES and groups % _digits.GROUPS == 0 and _compile.has_feature("avx512vnni"):
        digits = empty((vectors * groups // _digits.GROUPS, _digits.BLOCK), BYTES)
    run = _run(packed, length // LANES, offsets is not None, vectors, digits.__class__ is not int)
    given = 0 if offsets is None else offsets
    matrix = codes, scales, given, x, sums, result, rows, groups, digits, 0
    call_unlocked(run, PARTS * threads, threads, nanoseconds, *matrix)
    return result


FLOAT, BYTES = np.dtype(np.float32), np.dtype(np.uint8)

MATRIX, OUTPUT = "ptr %codes, ptr %scales, ptr %offsets", "ptr %sums, ptr %result, i64 %rows, i64 %groups"
"""Arguments of the functions that compute some rows."""

PARTS = 4
"""Parts of the rows for each thread, in case another one is interrupted or begins late."""


@functools.cache
def _run(packed: bool, chunks: int, shifted: bool, vectors: int, digits: bool) -> int:
    """Return the address of the function that computes all rows, for :func:`_runtime.call_unlocked`."""
    table = _compile.has_feature("avx512f")
    key = f"quantized {packed} {chunks} {shifted} {vectors} {digits} {table}"
    return _compile.compile_module(
        lambda: _module(packed, chunks, shifted, vectors, digits, table), ["run"], key=key, symbols=_threads.symbols()
    )["run"]


def _module(packed: bool, chunks: int, shifted: bool, vectors: int, digits: bool, table: bool) -> str:
    """Return the module for groups of a number of chunks of 16 bytes.

    Parameters
    ----------
    packed, shifted
        Whether a byte has two codes, and whether there are offsets.
    digits
        Whether vectors are computed as integers where these are exact.
    table
        Whether the processor looks up the numbers of 16 codes by one instruction.
    """
    rows = ROWS.get(vectors, 2)
    functions = [_Rows(number, packed, chunks, shifted, vectors, table).text() for number in sorted({rows, 1})]
    text = _MODULE.replace("ROWS", str(rows)).replace("VECTORS", str(vectors))
    text = text.replace("MATRIX", MATRIX).replace("OUTPUT", OUTPUT)
    if digits:
        functions += [_digits.Rows(number, shifted, vectors).text() for number in sorted({rows, 1})]
        functions.append(_digits.prepare(shifted=shifted))
    else:
        text = text.replace("@prepare(", "@nothing(").replace("@digits", "@rows")
        functions.append("define internal i1 @nothing(ptr %x, i64 %groups, ptr %blocks) nounwind { ret i1 true }\n")
    declarations = _TABLE if packed and table else ""
    return "".join([text, declarations, *functions])


class _Rows(Lines):
    """Writes the function that computes some rows for all vectors."""

    def __init__(self, rows: int, packed: bool, chunks: int, shifted: bool, vectors: int, table: bool) -> None:
        super().__init__()
        self.rows, self.vectors = range(rows), range(vectors)
        self.packed, self.chunks, self.shifted, self.table = packed, chunks, shifted, table
        self.bytes = LANES * chunks
        self.columns = self.bytes * (2 if packed else 1)

    def splat(self, number: str) -> str:
        one = self.let(f"insertelement <16 x float> poison, float {number}, i64 0")
        return self.let(f"shufflevector <16 x float> {one}, <16 x float> poison, <16 x i32> zeroinitializer")

    def fma(self, x: str, y: str, z: str) -> str:
        if z == "zeroinitializer":
            return self.let(f"fmul <16 x float> {x}, {y}")
        function = "call <16 x float> @llvm.fmuladd.v16f32"
        return self.let(f"{function}(<16 x float> {x}, <16 x float> {y}, <16 x float> {z})")

    def each(self) -> Iterator[tuple[int, int]]:
        return ((row, vector) for row in self.rows for vector in self.vectors)

    def text(self) -> str:
        """Return the function."""
        self.lines = [
            f"define internal void @rows{len(self.rows)}(ptr noalias %codes, ptr noalias %scales, ptr noalias "
            "%offsets, ptr noalias %x, ptr noalias %sums, ptr noalias %result, i64 %rows, i64 %groups, i64 %i) "
            "noinline nounwind {",
            "entry:",
        ]
        width = self.let(f"mul i64 %groups, {self.bytes}")
        columns = self.let(f"mul i64 %groups, {self.columns}")
        codes, scales, offsets = [], [], []
        for row in self.rows:
            number = self.let(f"add i64 %i, {row}")
            codes.append(self.at("i8", "%codes", self.let(f"mul i64 {number}, {width}")))
            first = self.let(f"mul i64 {number}, %groups")
            scales.append(self.at("float", "%scales", first))
            offsets.append(self.at("float", "%offsets", first))
        xs = [self.at("float", "%x", self.let(f"mul i64 {columns}, {vector}")) for vector in self.vectors]
        sums = [self.at("float", "%sums", self.let(f"mul i64 %groups, {vector}")) for vector in self.vectors]
        self.lines += ["  br label %group", "group:", "  %j = phi i64 [0, %entry], [%j.next, %end]"]
        for row, vector in self.each():
            names = f"{row}.{vector}"
            self.lines.append(f"  %all.{names} = phi <16 x float> [zeroinitializer, %entry], [%all.next.{names}, %end]")
            self.lines.append(f"  %shift.{names} = phi float [0.0, %entry], [%shift.next.{names}, %end]")
        first_code, first_x = self.let(f"mul i64 %j, {self.bytes}"), self.let(f"mul i64 %j, {self.columns}")
        self.prefetch("i8", codes[0], width, self.bytes)
        self.prefetch("float", scales[0], "%groups", 1)
        group_codes = [self.at("i8", base, first_code) for base in codes]
        group_xs = [self.at("float", base, first_x) for base in xs]
        dots = self.group(group_codes, group_xs)
        for row in self.rows:
            scale = self.splat(self.let(f"load float, ptr {self.at('float', scales[row], '%j')}, align 4"))
            offset = (
                self.let(f"load float, ptr {self.at('float', offsets[row], '%j')}, align 4") if self.shifted else ""
            )
            for vector in self.vectors:
                names = f"{row}.{vector}"
                total = self.fma(dots[row, vector], scale, f"%all.{names}")
                self.lines.append(f"  %all.next.{names} = fadd <16 x float> {total}, splat (float -0.0)")
                shift = "-0.0"
                if self.shifted:
                    x_sum = self.let(f"load float, ptr {self.at('float', sums[vector], '%j')}, align 4")
                    shift = self.let(f"fmul float {offset}, {x_sum}")
                self.lines.append(f"  %shift.next.{names} = fadd float %shift.{names}, {shift}")
        self.lines += [
            "  br label %end",
            "end:",
            "  %j.next = add i64 %j, 1",
            "  %more = icmp ult i64 %j.next, %groups",
            "  br i1 %more, label %group, label %sums.of.rows",
            "sums.of.rows:",
        ]
        for row, vector in self.each():
            names = f"{row}.{vector}"
            reduce = "call reassoc float @llvm.vector.reduce.fadd.v16f32"
            total = self.let(f"{reduce}(float 0.0, <16 x float> %all.next.{names})")
            total = self.let(f"fsub float {total}, %shift.next.{names}")
            number = self.let(f"add i64 %i, {row}")
            out = self.let(f"add i64 {self.let(f'mul i64 %rows, {vector}')}, {number}")
            self.lines.append(f"  store float {total}, ptr {self.at('float', '%result', out)}, align 4")
        return "\n".join([*self.lines, "  ret void", "}", ""])

    def prefetch(self, kind: str, first: str, length: str, step: int) -> None:
        """Write the prefetch of a group's share of what follows the rows.

        A processor that prefetches by itself begins anew with each row.
        """
        step *= len(self.rows)
        behind = self.at(kind, first, self.let(f"mul i64 {length}, {len(self.rows)}"))
        start = self.at(kind, behind, self.let(f"mul i64 %j, {step}"))
        for distance in range(0, step * (4 if kind == "float" else 1), LINE):
            place = self.at("i8", start, distance)
            self.lines.append(f"  call void @llvm.prefetch.p0(ptr {place}, i32 0, i32 3, i32 1)")

    def group(self, codes: list[str], xs: list[str]) -> dict[tuple[int, int], str]:
        """Write the products of the codes of a group; return the sums of each row and vector."""
        dots = dict.fromkeys(self.each(), "zeroinitializer")
        if self.chunks <= UNROLLED:
            for chunk in range(self.chunks):
                self.chunk(codes, xs, chunk * LANES, dots)
            return dots
        self.lines += ["  br label %chunk", "chunk:", "  %k = phi i64 [0, %group], [%k.next, %chunk]"]
        for row, vector in self.each():
            name = f"%dot.{row}.{vector}"
            dots[row, vector] = name
            self.lines.append(f"  {name} = phi <16 x float> [zeroinitializer, %group], [{name}.next, %chunk]")
        self.chunk(codes, xs, self.let(f"mul i64 %k, {LANES}"), dots)
        for (row, vector), dot in dots.items():
            dots[row, vector] = name = f"%dot.{row}.{vector}.next"
            self.lines.append(f"  {name} = fadd <16 x float> {dot}, splat (float -0.0)")
        self.lines += [
            "  %k.next = add i64 %k, 1",
            f"  %k.more = icmp ult i64 %k.next, {self.chunks}",
            "  br i1 %k.more, label %chunk, label %after",
            "after:",
        ]
        return dots

    def chunk(self, codes: list[str], xs: list[str], first: str | int, dots: dict[tuple[int, int], str]) -> None:
        """Write the products of 16 bytes of each row, which are added to the sums."""
        parts = []
        for start in (0, self.bytes) if self.packed else (0,):
            bases = [self.at("float", base, start) for base in xs] if start else xs
            places = [self.at("float", base, first) for base in bases]
            parts.append([self.let(f"load <16 x float>, ptr {place}, align 4") for place in places])
        for row in self.rows:
            code = self.let(f"load <16 x i8>, ptr {self.at('i8', codes[row], first)}, align 1")
            numbers = self.unpacked(code) if self.packed else [self.let(f"sitofp <16 x i8> {code} to <16 x float>")]
            for vector in self.vectors:
                for number, part in zip(numbers, parts, strict=True):
                    dots[row, vector] = self.fma(number, part[vector], dots[row, vector])

    def unpacked(self, code: str) -> list[str]:
        """Write the numbers of the lower and of the upper halves of bytes."""
        first = 0 if self.shifted else -8
        if self.table:
            values = ", ".join([f"float {first + number}.0" for number in range(16)])
            low = self.let(f"zext <16 x i8> {code} to <16 x i32>")
            high = self.let(f"lshr <16 x i32> {low}, splat (i32 4)")
            look_up = f"call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <{values}>, <16 x i32>"
            return [self.let(f"{look_up} {half})") for half in (low, high)]
        halves = self.let(f"and <16 x i8> {code}, splat (i8 15)"), self.let(f"lshr <16 x i8> {code}, splat (i8 4)")
        centred = [self.let(f"add <16 x i8> {half}, splat (i8 {first})") for half in halves]
        return [self.let(f"sitofp <16 x i8> {half} to <16 x float>") for half in centred]


_TABLE = "declare <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float>, <16 x i32>)\n\n"
"""Selects elements by the lower four bits of the indices."""

# Operands of ``run``: parts, threads, nanoseconds, then the arguments of ``job``: the arrays, the numbers of rows and
# groups, the memory for digits, and whether floating-point numbers are computed with, which ``run`` sets.
_MODULE = """
declare <16 x float> @llvm.fmuladd.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @xtensor_parallel(ptr, ptr, i64, i64, i64)

define i64 @run(ptr %operands) nounwind {
entry:
  %parts = load i64, ptr %operands
  %threads.at = getelementptr i64, ptr %operands, i64 1
  %threads = load i64, ptr %threads.at
  %nanoseconds.at = getelementptr i64, ptr %operands, i64 2
  %nanoseconds = load i64, ptr %nanoseconds.at
  %arguments = getelementptr i64, ptr %operands, i64 3
  %x.at = getelementptr i64, ptr %arguments, i64 3
  %x = load ptr, ptr %x.at
  %groups.at = getelementptr i64, ptr %arguments, i64 7
  %groups = load i64, ptr %groups.at
  %digits.at = getelementptr i64, ptr %arguments, i64 8
  %digits = load ptr, ptr %digits.at
  %columns = mul i64 %groups, 32
  %size = mul i64 %groups, 128
  br label %vector
vector:
  %v = phi i64 [0, %entry], [%v.next, %vector]
  %bad = phi i1 [false, %entry], [%bad.next, %vector]
  %x.from = mul i64 %v, %columns
  %v.x = getelementptr float, ptr %x, i64 %x.from
  %digits.from = mul i64 %v, %size
  %v.digits = getelementptr i8, ptr %digits, i64 %digits.from
  %wrong = call i1 @prepare(ptr %v.x, i64 %groups, ptr %v.digits)
  %bad.next = or i1 %bad, %wrong
  %v.next = add i64 %v, 1
  %v.more = icmp ult i64 %v.next, VECTORS
  br i1 %v.more, label %vector, label %compute
compute:
  %floats = zext i1 %bad.next to i64
  %floats.at = getelementptr i64, ptr %arguments, i64 9
  store i64 %floats, ptr %floats.at
  call void @xtensor_parallel(ptr @job, ptr %arguments, i64 %parts, i64 %threads, i64 %nanoseconds)
  ret i64 0
}

define internal void @job(ptr %arguments, i64 %part, i64 %parts) nounwind {
entry:
  %codes = load ptr, ptr %arguments
  %scales.at = getelementptr i64, ptr %arguments, i64 1
  %scales = load ptr, ptr %scales.at
  %offsets.at = getelementptr i64, ptr %arguments, i64 2
  %offsets = load ptr, ptr %offsets.at
  %x.at = getelementptr i64, ptr %arguments, i64 3
  %x = load ptr, ptr %x.at
  %sums.at = getelementptr i64, ptr %arguments, i64 4
  %sums = load ptr, ptr %sums.at
  %result.at = getelementptr i64, ptr %arguments, i64 5
  %result = load ptr, ptr %result.at
  %rows.at = getelementptr i64, ptr %arguments, i64 6
  %rows = load i64, ptr %rows.at
  %groups.at = getelementptr i64, ptr %arguments, i64 7
  %groups = load i64, ptr %groups.at
  %digits.at = getelementptr i64, ptr %arguments, i64 8
  %digits = load ptr, ptr %digits.at
  %floats.at = getelementptr i64, ptr %arguments, i64 9
  %floats.number = load i64, ptr %floats.at
  %floats = icmp ne i64 %floats.number, 0
  %before = mul i64 %rows, %part
  %first = udiv i64 %before, %parts
  %part.next = add i64 %part, 1
  %through = mul i64 %rows, %part.next
  %last = udiv i64 %through, %parts
  br label %test.several
test.several:
  %i = phi i64 [%first, %entry], [%i.next, %several.floats], [%i.next, %several.digits]
  %i.next = add i64 %i, ROWS
  %enough = icmp ule i64 %i.next, %last
  br i1 %enough, label %several, label %test.one
several:
  br i1 %floats, label %several.floats, label %several.digits
several.floats:
  call void @rowsROWS(MATRIX, ptr %x, OUTPUT, i64 %i)
  br label %test.several
several.digits:
  call void @digitsROWS(MATRIX, ptr %digits, OUTPUT, i64 %i)
  br label %test.several
test.one:
  %r = phi i64 [%i, %test.several], [%r.next, %one.floats], [%r.next, %one.digits]
  %left = icmp ult i64 %r, %last
  br i1 %left, label %one, label %end
one:
  %r.next = add i64 %r, 1
  br i1 %floats, label %one.floats, label %one.digits
one.floats:
  call void @rows1(MATRIX, ptr %x, OUTPUT, i64 %r)
  br label %test.one
one.digits:
  call void @digits1(MATRIX, ptr %digits, OUTPUT, i64 %r)
  br label %test.one
end:
  ret void
}
"""


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions by the names of their operations."""
    return {"nn.quantized_linear": _quantized_linear}
