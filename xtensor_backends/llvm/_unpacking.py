"""Products of many vectors with quantized matrices: rows are unpacked to a buffer, which BLAS multiplies.

A buffer for all rows would take four or eight times the memory of the codes, and be read from there.
"""

from __future__ import annotations

import functools

import numpy as np

from xtensor.backend import Native

from . import _compile, _products, _threads
from ._calls import empty
from ._quantized_rows import LANES, TABLE, Rows, Variant
from ._runtime import call_unlocked

__all__ = ["multiply"]

BUFFER = 1 << 20
"""Numbers in the buffer, about: 4 MB, which the caches hold."""

LEAST_ROWS = 64
"""Rows in the buffer at least, without which a product of matrices is slow."""

NANOSECONDS = 0.15
"""Time for a number that is unpacked, about."""

PARTS = 4
"""Parts of the rows for each thread, in case another one is interrupted or begins late."""


def multiply(x: Native, codes: Native, scales: Native, offsets: Native | None, result: Native) -> None:
    """Write the product of vectors, of shape (v, n), with a quantized matrix of m rows to ``result``, (v, m)."""
    (rows, groups), columns = scales.shape, x.shape[-1]
    packed = codes.dtype.char == "B"
    chunks = codes.shape[1] // groups // LANES
    run = _run(Variant(packed, chunks, offsets is not None, 0, False, scales.dtype.char, False))
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


@functools.cache
def _run(variant: Variant) -> int:
    """Return the address of the function that unpacks groups, for :func:`_runtime.call_unlocked`."""
    table = _compile.has_feature("avx512f")
    key = f"unpacked {tuple(variant)} {table}"
    symbols = _threads.symbols()
    return _compile.compile_module(lambda: _module(variant, table), ["run"], key=key, symbols=symbols)["run"]


def _module(variant: Variant, table: bool) -> str:
    declarations = TABLE if variant.packed and table else ""
    return "".join([declarations, _MODULE, _Groups(1, variant, table).text()])


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


# Operands of ``run``: parts, threads, nanoseconds, then the arguments of ``job``: the arrays and the number of groups.
_MODULE = """
declare void @xtensor_parallel(ptr, ptr, i64, i64, i64)

define i64 @run(ptr %operands) nounwind {
entry:
  %parts = load i64, ptr %operands
  %threads.at = getelementptr i64, ptr %operands, i64 1
  %threads = load i64, ptr %threads.at
  %nanoseconds.at = getelementptr i64, ptr %operands, i64 2
  %nanoseconds = load i64, ptr %nanoseconds.at
  %arguments = getelementptr i64, ptr %operands, i64 3
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
  %output.at = getelementptr i64, ptr %arguments, i64 3
  %output = load ptr, ptr %output.at
  %count.at = getelementptr i64, ptr %arguments, i64 4
  %count = load i64, ptr %count.at
  %before = mul i64 %count, %part
  %first = udiv i64 %before, %parts
  %part.next = add i64 %part, 1
  %through = mul i64 %count, %part.next
  %last = udiv i64 %through, %parts
  call void @groups(ptr %codes, ptr %scales, ptr %offsets, ptr %output, i64 %first, i64 %last)
  ret void
}

"""
