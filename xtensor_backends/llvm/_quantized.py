"""Products with quantized matrices: of few vectors straight from the codes, of more of them by BLAS.

A row's sum with few vectors has a fixed order, which does not depend on the number of threads.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from xtensor.backend import Native

from . import _compile, _digits, _threads, _unpacking
from ._calls import empty
from ._quantized_rows import LANES, PARTS, RUN, SHARE, TABLE, Rows, Variant, address_of_run, loads
from ._runtime import call_unlocked

__all__ = ["kernels"]

MOST_VECTORS = 8
"""Number of vectors up to which the codes are read again for each; a product of matrices is faster from there on."""

MIN_SIZE = 1 << 12
"""Number of codes from which on the kernel is faster than the composition."""

NANOSECONDS = 0.1
"""Time for a code, about."""

ROWS = {1: 4, 2: 4}
"""Rows that are computed at once, by the number of vectors; 2 for more: the sums of all stay in registers."""

NEAR = 16 << 10
"""Bytes of vectors and of the rows that are read at once up to which the next rows are prefetched to the first cache.

It holds 32 KiB. Where it does not hold the vectors, rows in it take longer: 2,048 of 5,632 codes of 4 bits 0.31 ms
instead of 0.20 ms."""


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
        or scales.dtype.char not in _kinds()
        or codes.dtype.char not in "bB"
        or rest
        or length % LANES
        or codes.shape[0] != rows
        or x.shape[-1] != codes.shape[1] * (1 + packed)
        or (offsets is not None and (offsets.dtype != scales.dtype or offsets.shape != scales.shape))
        or not vectors
    ):
        return NotImplemented
    result = empty((*x.shape[:-1], rows), FLOAT)
    if vectors > MOST_VECTORS:
        _unpacking.multiply(x.reshape(vectors, -1), codes, scales, offsets, result.reshape(vectors, rows))
        return result
    sums: Native | int = 0
    if offsets is not None:
        sums = np.sum(np.reshape(x, (vectors, groups, -1)), axis=-1, dtype=np.float32)
    threads = _threads.team()
    nanoseconds = int(codes.size * vectors * NANOSECONDS)
    exact = packed and length == _digits.GROUP_BYTES and groups % _digits.GROUPS == 0 and _has_digits()
    digits = empty((vectors * groups // _digits.GROUPS, _digits.BLOCK), BYTES) if exact else x
    together = ROWS.get(vectors, 2) * (codes.shape[1] + groups * scales.itemsize)
    near = together + digits.nbytes <= NEAR
    variant = Variant(packed, length // LANES, offsets is not None, vectors, exact, scales.dtype.char, near)
    run = address_of_run("quantized", variant, _module)
    given = 0 if offsets is None else offsets
    matrix = codes, scales, given, x, sums, result, rows, groups, digits, 0
    call_unlocked(run, PARTS * threads, threads, nanoseconds, *matrix)
    return result


def _has_digits() -> bool:
    return _compile.has_feature("avx512vnni")


@functools.cache
def _kinds() -> str:
    """Return NumPy's letters of the dtypes of scales that the processor reads; LLVM calls a function for others."""
    return "fe" if _compile.has_feature("f16c") or _compile.has_feature("fullfp16") else "f"


FLOAT, BYTES = np.dtype(np.float32), np.dtype(np.uint8)

MATRIX, OUTPUT = "ptr %codes, ptr %scales, ptr %offsets", "ptr %sums, ptr %result, i64 %rows, i64 %groups"
"""Arguments of the functions that compute some rows."""


def _module(variant: Variant, table: bool) -> str:
    rows = ROWS.get(variant.vectors, 2)
    functions = [Rows(number, variant, table).text() for number in sorted({rows, 1})]
    text = _MODULE.replace("ROWS", str(rows)).replace("VECTORS", str(variant.vectors))
    text = text.replace("MATRIX", MATRIX).replace("OUTPUT", OUTPUT)
    if variant.digits:
        options = variant.shifted, variant.vectors, variant.kind, variant.near
        functions += [_digits.Rows(number, *options).text() for number in sorted({rows, 1})]
        functions.append(_digits.prepare(shifted=variant.shifted))
    else:
        text = text.replace("@prepare(", "@nothing(").replace("@digits", "@rows")
        functions.append("define internal i1 @nothing(ptr %x, i64 %groups, ptr %blocks) nounwind { ret i1 true }\n")
    declarations = TABLE if variant.packed and table else ""
    return "".join([text, declarations, *functions])


_ARGUMENTS = loads(
    "%arguments",
    *("ptr codes", "ptr scales", "ptr offsets", "ptr x", "ptr sums", "ptr result", "i64 rows", "i64 groups"),
    *("ptr digits", "i64 floats.number"),
)
"""The arguments of ``@job``: the arrays, the numbers of rows and groups, the memory for digits, and whether
floating-point numbers are computed with, which ``@run`` sets."""

_DIGITS = f"""
{_ARGUMENTS}
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
  store i64 %floats, ptr %floats.number.at
"""
"""The beginning of ``@run``: the digits of all vectors, and whether one has none."""

_MODULE = f"""
declare <16 x float> @llvm.fmuladd.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
{RUN.replace("BODY", _DIGITS)}
define internal void @job(ptr %arguments, i64 %part, i64 %parts) nounwind {{
entry:
{_ARGUMENTS}
  %floats = icmp ne i64 %floats.number, 0
{SHARE.replace("%count", "%rows")}
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
}}
"""


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions by the names of their operations."""
    return {"nn.quantized_linear": _quantized_linear}
