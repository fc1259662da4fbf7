"""Products of packed codes of 4 bits with vectors as integers of three digits, by the instruction VPDPBUSD of x86.

A group of 32 numbers of a vector is rounded to multiples of 2^-22 of its largest magnitude, an error of the size that
sums of float32 have. The digits of such an integer are bytes; the instruction adds their products with codes exactly,
four at a time. Vectors with elements that are not finite or very small are computed as floating-point numbers instead.

The digits of four groups are a block of 512 bytes: for each digit the first and the second halves of the groups (64
bytes each), 16 integers that subtract the centre of the codes, and the four scales.
"""

from __future__ import annotations

from collections.abc import Iterator

from ._lines import TYPES, Lines

__all__ = ["BLOCK", "GROUPS", "GROUP_BYTES", "Rows", "prepare"]

GROUP_BYTES = 16
"""Bytes of the codes of a group."""

GROUPS = 4
"""Groups of a block."""

BLOCK = 512
"""Bytes of the digits of a block."""

_CENTRES, _SCALES = 384, 448
"""Positions in a block."""

_PREPARE = """
declare <32 x float> @llvm.fabs.v32f32(<32 x float>)
declare <32 x float> @llvm.roundeven.v32f32(<32 x float>)
declare float @llvm.vector.reduce.fmax.v32f32(<32 x float>)
declare i1 @llvm.vector.reduce.or.v32i1(<32 x i1>)
declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
declare <16 x i32> @llvm.x86.avx512.vpdpbusd.512(<16 x i32>, <16 x i32>, <16 x i32>)

; Writes the digits of groups. Returns whether a number is not finite, or the largest of a group is very small.
define internal i1 @prepare(ptr noalias %x, i64 %groups, ptr noalias %blocks) nounwind {
entry:
  br label %group
group:
  %j = phi i64 [0, %entry], [%j.next, %group]
  %bad = phi i1 [false, %entry], [%bad.next, %group]
  %from = mul i64 %j, 32
  %x.at = getelementptr float, ptr %x, i64 %from
  %numbers = load <32 x float>, ptr %x.at, align 4
  %nothing = fmul <32 x float> %numbers, zeroinitializer
  %infinite = fcmp uno <32 x float> %nothing, zeroinitializer
  %any = call i1 @llvm.vector.reduce.or.v32i1(<32 x i1> %infinite)
  %magnitudes = call <32 x float> @llvm.fabs.v32f32(<32 x float> %numbers)
  %largest = call nnan float @llvm.vector.reduce.fmax.v32f32(<32 x float> %magnitudes)
  %small = fcmp olt float %largest, SMALLEST
  %some = fcmp ogt float %largest, 0.0
  %tiny = and i1 %small, %some
  %wrong = or i1 %any, %tiny
  %bad.next = or i1 %bad, %wrong
  %inexact = or i1 %any, %small
  %divisor = select i1 %inexact, float 1.0, float %largest
  %factor = fdiv float 4194304.0, %divisor
  %one = insertelement <32 x float> poison, float %factor, i64 0
  %all = shufflevector <32 x float> %one, <32 x float> poison, <32 x i32> zeroinitializer
  %scaled = fmul <32 x float> %numbers, %all
  %usable = select i1 %inexact, <32 x float> zeroinitializer, <32 x float> %scaled
  %rounded = call <32 x float> @llvm.roundeven.v32f32(<32 x float> %usable)
  %integers = fptosi <32 x float> %rounded to <32 x i32>
  %digit0 = trunc <32 x i32> %integers to <32 x i8>
  %wide0 = sext <32 x i8> %digit0 to <32 x i32>
  %rest1 = sub <32 x i32> %integers, %wide0
  %upper1 = ashr exact <32 x i32> %rest1, splat (i32 8)
  %digit1 = trunc <32 x i32> %upper1 to <32 x i8>
  %wide1 = sext <32 x i8> %digit1 to <32 x i32>
  %rest2 = sub <32 x i32> %upper1, %wide1
  %upper2 = ashr exact <32 x i32> %rest2, splat (i32 8)
  %digit2 = trunc <32 x i32> %upper2 to <32 x i8>
  %number = udiv i64 %j, 4
  %lane = urem i64 %j, 4
  %block.from = mul i64 %number, 512
  %lane.from = mul i64 %lane, 16
  %from.block = add i64 %block.from, %lane.from
  %place = getelementptr i8, ptr %blocks, i64 %from.block
STORES
  %first = shufflevector <32 x i32> %integers, <32 x i32> poison, <16 x i32> <FIRST>
  %second = shufflevector <32 x i32> %integers, <32 x i32> poison, <16 x i32> <SECOND>
  %both = add <16 x i32> %first, %second
  %p0 = shufflevector <16 x i32> %both, <16 x i32> poison, <4 x i32> <i32 0, i32 4, i32 8, i32 12>
  %p1 = shufflevector <16 x i32> %both, <16 x i32> poison, <4 x i32> <i32 1, i32 5, i32 9, i32 13>
  %p2 = shufflevector <16 x i32> %both, <16 x i32> poison, <4 x i32> <i32 2, i32 6, i32 10, i32 14>
  %p3 = shufflevector <16 x i32> %both, <16 x i32> poison, <4 x i32> <i32 3, i32 7, i32 11, i32 15>
  %p01 = add <4 x i32> %p0, %p1
  %p23 = add <4 x i32> %p2, %p3
  %sums = add <4 x i32> %p01, %p23
  %centre = mul <4 x i32> %sums, splat (i32 CENTRE)
  %centre.at = getelementptr i8, ptr %place, i64 384
  store <4 x i32> %centre, ptr %centre.at, align 16
  %scale = fmul float %divisor, 0x3E90000000000000
  %scale.index = mul i64 %lane, 4
  %scale.from = add i64 %block.from, %scale.index
  %scale.place = getelementptr i8, ptr %blocks, i64 %scale.from
  %scale.at = getelementptr i8, ptr %scale.place, i64 448
  store float %scale, ptr %scale.at, align 4
  %j.next = add i64 %j, 1
  %more = icmp ult i64 %j.next, %groups
  br i1 %more, label %group, label %end
end:
  ret i1 %bad.next
}
"""
"""The function that writes digits. 0x3E90000000000000 is 2^-22; the smallest largest magnitude is 2^-80."""


def prepare(*, shifted: bool) -> str:
    """Return the function that writes digits, for codes of 0 … 15, or of -8 … 7 without ``shifted``."""
    stores = []
    halves = {half: ", ".join([f"i32 {16 * half + number}" for number in range(16)]) for half in (0, 1)}
    for digit in range(3):
        for half in (0, 1):
            name = f"%digit{digit}.{half}"
            stores += [
                f"  {name} = shufflevector <32 x i8> %digit{digit}, <32 x i8> poison, <16 x i32> <{halves[half]}>",
                f"  {name}.at = getelementptr i8, ptr %place, i64 {(2 * digit + half) * 64}",
                f"  store <16 x i8> {name}, ptr {name}.at, align 16",
            ]
    text = _PREPARE.replace("STORES", "\n".join(stores)).replace("CENTRE", "0" if shifted else "-8")
    text = text.replace("FIRST", halves[0]).replace("SECOND", halves[1])
    return text.replace("SMALLEST", "0x3AF0000000000000")


class Rows(Lines):
    """Writes the function that computes some rows for all vectors, with digits in the place of the vectors."""

    def __init__(self, rows: int, shifted: bool, vectors: int, kind: str, near: bool) -> None:
        super().__init__()
        (self.kind, self.size), self.near = TYPES[kind], near
        self.rows, self.vectors, self.shifted = range(rows), range(vectors), shifted

    def read(self, kind: str, base: str, align: int, index: str | int, step: str = "i8") -> str:
        return self.let(f"load {kind}, ptr {self.at(step, base, index)}, align {align}")

    def each(self) -> Iterator[str]:
        return (f"{row}.{vector}" for row in self.rows for vector in self.vectors)

    def text(self) -> str:
        """Return the function."""
        count = len(self.rows)
        self.lines = [
            f"define internal void @digits{count}(ptr noalias %codes, ptr noalias %scales, ptr noalias %offsets, "
            "ptr noalias %digits, ptr noalias %sums, ptr noalias %result, i64 %rows, i64 %groups, i64 %i) "
            "noinline nounwind {",
            "entry:",
        ]
        width = self.let(f"mul i64 %groups, {GROUP_BYTES}")
        blocks = self.let(f"udiv i64 %groups, {GROUPS}")
        size = self.let(f"mul i64 {blocks}, {BLOCK}")
        numbers = [self.let(f"add i64 %i, {row}") for row in self.rows]
        codes = [self.at("i8", "%codes", self.let(f"mul i64 {number}, {width}")) for number in numbers]
        firsts = [self.let(f"mul i64 {number}, %groups") for number in numbers]
        scales = [self.at(self.kind, "%scales", first) for first in firsts]
        offsets = [self.at(self.kind, "%offsets", first) for first in firsts]
        digits = [self.at("i8", "%digits", self.let(f"mul i64 {size}, {vector}")) for vector in self.vectors]
        sums = [self.at("float", "%sums", self.let(f"mul i64 %groups, {vector}")) for vector in self.vectors]
        next_codes = self.at("i8", codes[0], self.let(f"mul i64 {width}, {count}"))
        next_scales = self.at(self.kind, scales[0], self.let(f"mul i64 %groups, {count}"))
        self.lines += ["  br label %block", "block:", "  %j = phi i64 [0, %entry], [%j.next, %block]"]
        for name in self.each():
            self.lines.append(f"  %all.{name} = phi <16 x float> [zeroinitializer, %entry], [%all.next.{name}, %block]")
            if self.shifted:
                start = f"[zeroinitializer, %entry], [%shift.next.{name}, %block]"
                self.lines.append(f"  %shift.{name} = phi <4 x float> {start}")
        code_from = self.let("mul i64 %j, 64")
        for line in range(count):
            start = self.at("i8", next_codes, self.let(f"mul i64 %j, {64 * count}"))
            self.prefetch(self.at("i8", start, 64 * line))
        self.prefetch(self.at("i8", next_scales, self.let(f"mul i64 %j, {GROUPS * self.size * count}")))
        group_from, block_from = self.let(f"mul i64 %j, {GROUPS}"), self.let(f"mul i64 %j, {BLOCK}")
        given = [self.block(self.at("i8", base, block_from)) for base in digits]
        x_sums = [self.read("<4 x float>", base, 4, group_from, "float") for base in sums] if self.shifted else []
        for row in self.rows:
            code = self.read("<64 x i8>", codes[row], 1, code_from)
            halves = self.let(f"and <64 x i8> {code}, splat (i8 15)"), self.let(f"lshr <64 x i8> {code}, splat (i8 4)")
            words = [self.let(f"bitcast <64 x i8> {half} to <16 x i32>") for half in halves]
            scale = self.number(scales[row], group_from, GROUPS)
            offset = self.number(offsets[row], group_from, GROUPS) if self.shifted else ""
            for vector in self.vectors:
                total = self.total(words, *given[vector])
                both = self.let(f"fmul <4 x float> {scale}, {given[vector][2]}")
                lanes = ", ".join([f"i32 {number // 4}" for number in range(16)])
                factor = self.let(f"shufflevector <4 x float> {both}, <4 x float> poison, <16 x i32> <{lanes}>")
                name = f"{row}.{vector}"
                self.lines.append(
                    f"  %all.next.{name} = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> {total}, "
                    f"<16 x float> {factor}, <16 x float> %all.{name})"
                )
                if self.shifted:
                    product = self.let(f"fmul <4 x float> {offset}, {x_sums[vector]}")
                    self.lines.append(f"  %shift.next.{name} = fadd <4 x float> %shift.{name}, {product}")
        self.lines += [
            "  %j.next = add i64 %j, 1",
            f"  %more = icmp ult i64 %j.next, {blocks}",
            "  br i1 %more, label %block, label %end",
            "end:",
        ]
        for row in self.rows:
            for vector in self.vectors:
                self.finish(f"{row}.{vector}", numbers[row], vector)
        return "\n".join([*self.lines, "  ret void", "}", ""])

    def block(self, base: str) -> tuple[list[str], str, str]:
        """Read a block: the six vectors of digits, the centres, and the scales."""
        digits = [self.read("<16 x i32>", base, 16, 64 * number) for number in range(6)]
        centres = self.read("<16 x i32>", base, 16, _CENTRES)
        return digits, centres, self.read("<4 x float>", base, 4, _SCALES)

    def total(self, words: list[str], digits: list[str], centres: str, scales: str) -> str:
        """Write the sums of products of codes and integers, as floating-point numbers."""
        dot = "call <16 x i32> @llvm.x86.avx512.vpdpbusd.512"
        total = centres
        for digit in range(3):
            sums = "zeroinitializer" if digit else centres
            for half in (0, 1):
                arguments = f"<16 x i32> {sums}, <16 x i32> {words[half]}, <16 x i32> {digits[2 * digit + half]}"
                sums = self.let(f"{dot}({arguments})")
            if digit:
                sums = self.let(f"shl <16 x i32> {sums}, splat (i32 {8 * digit})")
                sums = self.let(f"add <16 x i32> {total}, {sums}")
            total = sums
        return self.let(f"sitofp <16 x i32> {total} to <16 x float>")

    def finish(self, name: str, number: str, vector: int) -> None:
        """Write the sum of a row to the result."""
        reduce = "call reassoc float @llvm.vector.reduce.fadd"
        total = self.let(f"{reduce}.v16f32(float 0.0, <16 x float> %all.next.{name})")
        if self.shifted:
            shift = self.let(f"{reduce}.v4f32(float 0.0, <4 x float> %shift.next.{name})")
            total = self.let(f"fsub float {total}, {shift}")
        out = self.let(f"add i64 {self.let(f'mul i64 %rows, {vector}')}, {number}")
        self.lines.append(f"  store float {total}, ptr {self.at('float', '%result', out)}, align 4")
