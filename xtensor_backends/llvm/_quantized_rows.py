"""Sums of some rows of a quantized matrix as floating-point numbers: the function that computes them.

A row's sum has a fixed order: 16 partial sums along the columns, group after group. Several rows are read at once: a
processor reads several runs of memory faster than one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from . import _compile, _threads
from ._lines import TYPES, Lines

__all__ = ["LANES", "PARTS", "RUN", "SHARE", "TABLE", "Rows", "Variant", "address_of_run", "loads"]

LANES = 16
"""Elements that are computed at one time."""

LINE = 64
"""Bytes of a line of the caches."""

PARTS = 4
"""Parts of the rows for each thread, in case another one is interrupted or begins late."""

UNROLLED = 8
"""Chunks of a group up to which they are computed without a loop."""


class Variant(NamedTuple):
    """Properties on which the code of a product depends.

    Attributes
    ----------
    packed, shifted
        Whether a byte has two codes, and whether there are offsets.
    chunks
        Number of chunks of 16 bytes of a group.
    vectors
        Number of vectors.
    digits
        Whether vectors are computed as integers where these are exact.
    kind
        NumPy's letter of the dtype of scales and offsets.
    near
        Whether the next rows are prefetched to the first cache.
    """

    packed: bool
    chunks: int
    shifted: bool
    vectors: int
    digits: bool
    kind: str
    near: bool


class Rows(Lines):
    """Writes the function that computes some rows for all vectors."""

    def __init__(self, rows: int, variant: Variant, table: bool) -> None:
        super().__init__()
        self.rows, self.vectors = range(rows), range(variant.vectors)
        self.packed, self.chunks, self.shifted, self.table = variant.packed, variant.chunks, variant.shifted, table
        (self.kind, self.size), self.near = TYPES[variant.kind], variant.near
        self.bytes = LANES * self.chunks
        self.columns = self.bytes * (2 if self.packed else 1)

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
            scales.append(self.at(self.kind, "%scales", first))
            offsets.append(self.at(self.kind, "%offsets", first))
        xs = [self.at("float", "%x", self.let(f"mul i64 {columns}, {vector}")) for vector in self.vectors]
        sums = [self.at("float", "%sums", self.let(f"mul i64 %groups, {vector}")) for vector in self.vectors]
        self.lines += ["  br label %group", "group:", "  %j = phi i64 [0, %entry], [%j.next, %end]"]
        for row, vector in self.each():
            names = f"{row}.{vector}"
            self.lines.append(f"  %all.{names} = phi <16 x float> [zeroinitializer, %entry], [%all.next.{names}, %end]")
            self.lines.append(f"  %shift.{names} = phi float [0.0, %entry], [%shift.next.{names}, %end]")
        first_code, first_x = self.let(f"mul i64 %j, {self.bytes}"), self.let(f"mul i64 %j, {self.columns}")
        self.prefetch_share(codes[0], width, self.bytes)
        self.prefetch_share(scales[0], self.let(f"mul i64 %groups, {self.size}"), self.size)
        group_codes = [self.at("i8", base, first_code) for base in codes]
        group_xs = [self.at("float", base, first_x) for base in xs]
        dots = self.group(group_codes, group_xs)
        for row in self.rows:
            scale = self.splat(self.number(scales[row], "%j"))
            offset = self.number(offsets[row], "%j") if self.shifted else ""
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

    def prefetch_share(self, first: str, length: str, step: int) -> None:
        """Write the prefetch of a group's share of what follows the rows, as bytes.

        A processor that prefetches by itself begins anew with each row.
        """
        step *= len(self.rows)
        behind = self.at("i8", first, self.let(f"mul i64 {length}, {len(self.rows)}"))
        start = self.at("i8", behind, self.let(f"mul i64 %j, {step}"))
        for distance in range(0, step, LINE):
            self.prefetch(self.at("i8", start, distance))

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


TABLE = "declare <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float>, <16 x i32>)\n\n"
"""Selects elements by the lower four bits of the indices."""


def loads(base: str, *members: str) -> str:
    """Return the lines that load the members of a structure, each of 8 bytes: ``%codes`` for ``"ptr codes"``."""
    lines = []
    for number, member in enumerate(members):
        kind, name = member.split()
        lines.append(f"  %{name}.at = getelementptr i64, ptr {base}, i64 {number}")
        lines.append(f"  %{name} = load {kind}, ptr %{name}.at")
    return "\n".join(lines)


RUN = f"""
declare void @xtensor_parallel(ptr, ptr, i64, i64, i64)

define i64 @run(ptr %operands) nounwind {{
entry:
{loads("%operands", "i64 parts", "i64 threads", "i64 nanoseconds")}
  %arguments = getelementptr i64, ptr %operands, i64 3
BODY
  call void @xtensor_parallel(ptr @job, ptr %arguments, i64 %parts, i64 %threads, i64 %nanoseconds)
  ret i64 0
}}
"""
"""The function that computes all rows; its operands are parts, threads, nanoseconds and the arguments of ``@job``."""

SHARE = """
  %before = mul i64 %count, %part
  %first = udiv i64 %before, %parts
  %part.next = add i64 %part, 1
  %through = mul i64 %count, %part.next
  %last = udiv i64 %through, %parts
"""
"""Lines that compute the range of a part of ``%count`` rows or groups."""


@functools.cache
def address_of_run(name: str, variant: Variant, module: Callable[[Variant, bool], str]) -> int:
    """Return the address of ``@run`` of a module, for :func:`_runtime.call_unlocked`.

    ``module`` makes the text; its last argument tells whether the processor looks up the numbers of 16 codes by one
    instruction.
    """
    table = _compile.has_feature("avx512f")
    key = f"{name} {tuple(variant)} {table}"
    symbols = _threads.symbols()
    return _compile.compile_module(lambda: module(variant, table), ["run"], key=key, symbols=symbols)["run"]
