"""Products of many vectors with quantized matrices: rows are unpacked to a buffer, which BLAS multiplies.

A buffer for all rows would take four or eight times the memory of the codes, and be read from there.
"""

from __future__ import annotations

import numpy as np

from xtensor.backend import Native

from . import _products, _threads
from ._calls import empty
from ._quantized_rows import LANES, PARTS, RUN, SHARE, TABLE, Rows, Variant, address_of_run, loads
from ._runtime import call_unlocked

__all__ = ["multiply"]

BUFFER = 1 << 20
"""Numbers in the buffer, about: 4 MB, which the caches hold."""

LEAST_ROWS = 64
"""Rows in the buffer at least, without which a product of matrices is slow."""

NANOSECONDS = 0.15
"""Time for a number that is unpacked, about."""


def multiply(x: Native, codes: Native, scales: Native, offsets: Native | None, result: Native) -> None:
    """Write the product of vectors, of shape (v, n), with a quantized matrix of m rows to ``result``, (v, m)."""
    (rows, groups), columns = scales.shape, x.shape[-1]
    packed = codes.dtype.char == "B"
    chunks = codes.shape[1] // groups // LANES
    variant = Variant(packed, chunks, offsets is not None, 0, False, scales.dtype.char, False)
    run = address_of_run("unpacked", variant, _module)
    step = min(rows, max(LEAST_ROWS, BUFFER // columns))
    buffer = empty((step, columns), x.dtype)
    threads = _threads.team()
    for first in range(0, rows, step):
        part = slice(first, min(first + step, rows))
        matrix = buffer[: part.stop - first]
        given = 0 if offsets is None else offsets[part]
        count = matrix.shape[0] * groups
        nanoseconds = int(matrix.size * NANOSECONDS)
        call_unlocked(run, PARTS * threads, threads, nanoseconds, codes[part], scales[part], given, matrix, count)
        with np.errstate(all="ignore"):
            if not _products.shared(x, matrix.T, result[:, part]):
                np.matmul(x, matrix.T, out=result[:, part])


def _module(variant: Variant, table: bool) -> str:
    declarations = TABLE if variant.packed and table else ""
    return "".join([declarations, RUN.replace("BODY", ""), _JOB, _Groups(1, variant, table).text()])


class _Groups(Rows):
    """Writes the function that unpacks groups, of which a matrix is a series."""

    def text(self) -> str:
        """Return the function."""
        self.lines = [
            "define internal void @groups(ptr noalias %codes, ptr noalias %scales, ptr noalias %offsets, "
            "ptr noalias %output, i64 %first, i64 %last) noinline nounwind {",
            "entry:",
            "  %any = icmp ult i64 %first, %last",
            "  br i1 %any, label %group, label %end",
            "group:",
            "  %j = phi i64 [%first, %entry], [%j.next, %after]",
        ]
        scale = self.splat(self.number("%scales", "%j"))
        offset = self.splat(self.number("%offsets", "%j")) if self.shifted else ""
        codes = self.at("i8", "%codes", self.let(f"mul i64 %j, {self.bytes}"))
        output = self.at("float", "%output", self.let(f"mul i64 %j, {self.columns}"))
        self.lines += ["  br label %chunk", "chunk:", "  %k = phi i64 [0, %group], [%k.next, %chunk]"]
        column = self.let(f"mul i64 %k, {LANES}")
        code = self.let(f"load <16 x i8>, ptr {self.at('i8', codes, column)}, align 1")
        numbers = self.unpacked(code) if self.packed else [self.let(f"sitofp <16 x i8> {code} to <16 x float>")]
        for half, number in enumerate(numbers):
            value = self.let(f"fmul <16 x float> {number}, {scale}")
            if self.shifted:
                value = self.let(f"fsub <16 x float> {value}, {offset}")
            place = self.at("float", self.at("float", output, column), half * self.bytes)
            self.lines.append(f"  store <16 x float> {value}, ptr {place}, align 4")
        self.lines += [
            "  %k.next = add i64 %k, 1",
            f"  %k.more = icmp ult i64 %k.next, {self.chunks}",
            "  br i1 %k.more, label %chunk, label %after",
            "after:",
            "  %j.next = add i64 %j, 1",
            "  %more = icmp ult i64 %j.next, %last",
            "  br i1 %more, label %group, label %end",
            "end:",
        ]
        return "\n".join([*self.lines, "  ret void", "}", ""])


_JOB = f"""
define internal void @job(ptr %arguments, i64 %part, i64 %parts) nounwind {{
entry:
{loads("%arguments", "ptr codes", "ptr scales", "ptr offsets", "ptr output", "i64 count")}
{SHARE}
  call void @groups(ptr %codes, ptr %scales, ptr %offsets, ptr %output, i64 %first, i64 %last)
  ret void
}}

"""
