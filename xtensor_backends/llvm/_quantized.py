"""Products with quantized matrices: of few vectors straight from the codes, of more of them by BLAS.

A row's sum with few vectors has a fixed order, which does not depend on the number of threads.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from xtensor.backend import Native

from . import _compile, _digits, _threads, _unpacking
from ._calls import empty
from ._quantized_rows import LANES, PARTS, RUN, SHARE, TABLE, Rows, Variant, address_of_run, loads
from ._runtime import call_unlocked

__all__ = ["kernels"]

Matrix: TypeAlias = tuple[Native, Native, Native | None]
"""Codes, scales and offsets."""

MOST_MATRICES = 16
"""Number of matrices of one call, by the number of its operands."""

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
    results = _quantized_linears(x, ((codes, scales, offsets),))
    return results if results is NotImplemented else results[0]


def _quantized_linears(x: Native, matrices: Sequence[Matrix], /) -> list[Native] | Any:
    """Compute the products with several matrices of one format in one region: the vectors are prepared once."""
    codes, scales, offsets = matrices[0]
    if not _is_plain(x) or not x.ndim or x.dtype != FLOAT or len(matrices) > MOST_MATRICES:
        return NotImplemented
    if not all(map(_is_matrix, matrices)) or scales.dtype.char not in _kinds() or codes.dtype.char not in "bB":
        return NotImplemented
    packed, shifted = codes.dtype.char == "B", offsets is not None
    groups, width = scales.shape[1], codes.shape[1]
    length, rest = divmod(width, groups)
    vectors = math.prod(x.shape[:-1])
    if rest or length % LANES or x.shape[-1] != width * (1 + packed) or not vectors:
        return NotImplemented
    for codes_of, scales_of, offsets_of in matrices[1:]:
        if (
            codes_of.dtype != codes.dtype
            or scales_of.dtype != scales.dtype
            or (codes_of.shape[1], scales_of.shape[1]) != (width, groups)
            or (offsets_of is not None) is not shifted
        ):
            return NotImplemented
    results = [empty((*x.shape[:-1], matrix[0].shape[0]), FLOAT) for matrix in matrices]
    if vectors > MOST_VECTORS:
        for matrix, result in zip(matrices, results, strict=True):
            _unpacking.multiply(x.reshape(vectors, -1), *matrix, result.reshape(vectors, -1))
        return results
    sums: Native | int = 0
    if shifted:
        sums = np.sum(np.reshape(x, (vectors, groups, -1)), axis=-1, dtype=np.float32)
    exact = packed and length == _digits.GROUP_BYTES and groups % _digits.GROUPS == 0 and _has_digits()
    digits = empty((vectors * groups // _digits.GROUPS, _digits.BLOCK), BYTES) if exact else x
    together = ROWS.get(vectors, 2) * (width + groups * scales.itemsize)
    near = together + digits.nbytes <= NEAR
    variant = Variant(packed, length // LANES, shifted, vectors, exact, scales.dtype.char, near)
    run = address_of_run("quantized", variant, _module)
    operands: list[Any] = [x, sums, groups, digits, 0, len(matrices)]
    size = 0
    for (codes_of, scales_of, offsets_of), result in zip(matrices, results, strict=True):
        operands += codes_of, scales_of, 0 if offsets_of is None else offsets_of, result, codes_of.shape[0]
        size += codes_of.size
    threads = _threads.team()
    call_unlocked(run, PARTS * threads, threads, int(size * vectors * NANOSECONDS), *operands)
    return results


def _is_plain(array: Native) -> bool:
    return array.__class__ is np.ndarray and bool(array.flags.c_contiguous)


def _is_matrix(matrix: Matrix) -> bool:
    """Whether the parts of a matrix match, and a kernel gains anything."""
    codes, scales, offsets = matrix
    if not _is_plain(codes) or not _is_plain(scales) or codes.ndim != 2 or scales.ndim != 2:
        return False
    if codes.size < MIN_SIZE or not scales.size or codes.shape[0] != scales.shape[0]:
        return False
    return offsets is None or (_is_plain(offsets) and offsets.dtype == scales.dtype and offsets.shape == scales.shape)


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


_ARGUMENTS = loads("%arguments", "ptr x", "ptr sums", "i64 groups", "ptr digits", "i64 floats.number", "i64 count")
"""The arguments of ``@job``: the vectors, their sums, the number of groups, the memory for digits, whether
floating-point numbers are computed with, which ``@run`` sets, and the number of matrices."""

_MATRIX = loads("%matrix.at", "ptr codes", "ptr scales", "ptr offsets", "ptr result", "i64 rows")
"""The arguments that follow, for each matrix. A part has some rows of each."""

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
  %matrices = getelementptr i64, ptr %arguments, i64 6
  br label %matrix
matrix:
  %number = phi i64 [0, %entry], [%number.next, %matrix.end]
  %matrix.from = mul i64 %number, 5
  %matrix.at = getelementptr i64, ptr %matrices, i64 %matrix.from
{_MATRIX}
{SHARE.replace("%count", "%rows")}
  br label %test.several
test.several:
  %i = phi i64 [%first, %matrix], [%i.next, %several.floats], [%i.next, %several.digits]
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
  br i1 %left, label %one, label %matrix.end
one:
  %r.next = add i64 %r, 1
  br i1 %floats, label %one.floats, label %one.digits
one.floats:
  call void @rows1(MATRIX, ptr %x, OUTPUT, i64 %r)
  br label %test.one
one.digits:
  call void @digits1(MATRIX, ptr %digits, OUTPUT, i64 %r)
  br label %test.one
matrix.end:
  %number.next = add i64 %number, 1
  %more = icmp ult i64 %number.next, %count
  br i1 %more, label %matrix, label %end
end:
  ret void
}}
"""


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions by the names of their operations."""
    return {
        "nn.quantized_linear": _quantized_linear,
        "nn.quantized_linears": _quantized_linears,
    }
