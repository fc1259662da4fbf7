"""Products with quantized matrices: of few vectors straight from the codes, of more of them by BLAS.

A row's sum with few vectors has a fixed order, which does not depend on the number of threads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from xtensor.backend import Native

from . import _compile, _digits, _threads, _unpacking
from ._calls import empty
from ._quantized_rows import LANES, PARTS, RUN, SHARE, TABLE, Rows, Variant, address_of_run, loads
from ._runtime import call_unlocked

__all__ = ["kernels"]

Layout: TypeAlias = tuple[bool, bool, str, int, int]
"""Whether a byte of a matrix has two codes, whether it has offsets, the letter of scales, the groups and columns."""

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
    results = _quantized_linears(x, codes, scales, offsets)
    return results if results is NotImplemented else results[0]


def _quantized_linears(x: Native, /, *parts: Native) -> list[Native] | Any:
    """Compute the products with several matrices of one format in one region: the vectors are prepared once.

    ``parts`` are the codes, scales and offsets (None without) of each.
    """
    layout = _layout(*parts[:3])
    if layout is None:
        return NotImplemented
    _, shifted, _, groups, columns = layout
    if x.dtype != FLOAT or not x.ndim or x.shape[-1] != columns or not x.size or not _is_plain(x):
        return NotImplemented
    if len(parts) > 3 * MOST_MATRICES:
        return NotImplemented
    for first in range(3, len(parts), 3):
        if _layout(*parts[first : first + 3]) != layout:
            return NotImplemented
    vectors, size = x.size // columns, 0
    results: list[Native] = []
    operands: list[Any] = []
    for codes, scales, offsets in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        rows = codes.shape[0]
        result = empty((*x.shape[:-1], rows), FLOAT)
        results.append(result)
        operands += codes, scales, 0 if offsets is None else offsets, result, rows
        size += codes.size
        if vectors > MOST_VECTORS:
            _unpacking.multiply(x.reshape(vectors, -1), codes, scales, offsets, result.reshape(vectors, -1))
    if vectors > MOST_VECTORS:
        return results
    sums = np.sum(np.reshape(x, (vectors, groups, -1)), axis=-1, dtype=np.float32) if shifted else 0
    run, exact = _code(layout, vectors)
    digits = empty((vectors * groups // _digits.GROUPS, _digits.BLOCK), BYTES) if exact else 0
    threads = _threads.team()
    nanoseconds = int(size * vectors * NANOSECONDS)
    call_unlocked(run, PARTS * threads, threads, nanoseconds, x, sums, groups, digits, 0, len(results), *operands)
    return results


def _layout(codes: Native, scales: Native, offsets: Native | None) -> Layout | None:
    """Return the layout of a matrix; None where its parts do not match, or no kernel computes it or gains anything."""
    if not _is_plain(codes) or not _is_plain(scales) or codes.ndim != 2 or scales.ndim != 2 or codes.size < MIN_SIZE:
        return None
    rows, groups = scales.shape
    width, kind, packed = codes.shape[1], scales.dtype.char, codes.dtype.char == "B"
    if codes.shape[0] != rows or not groups or width % (groups * LANES) or kind not in _kinds():
        return None
    if not packed and codes.dtype.char != "b":
        return None
    if offsets is None:
        return packed, False, kind, groups, width * (1 + packed)
    if not _is_plain(offsets) or offsets.dtype != scales.dtype or offsets.shape != scales.shape:
        return None
    return packed, True, kind, groups, width * (1 + packed)


def _is_plain(array: Native) -> bool:
    return array.__class__ is np.ndarray and bool(array.flags.c_contiguous)


@functools.cache
def _code(layout: Layout, vectors: int) -> tuple[int, bool]:
    """Return the address of the function for a number of vectors, and whether it takes digits of these."""
    packed, shifted, kind, groups, columns = layout
    width = columns // (1 + packed)
    exact = packed and width // groups == _digits.GROUP_BYTES and groups % _digits.GROUPS == 0 and _has_digits()
    together = ROWS.get(vectors, 2) * (width + groups * np.dtype(kind).itemsize)
    near = together + (vectors * groups // _digits.GROUPS * _digits.BLOCK if exact else 4 * vectors * columns) <= NEAR
    variant = Variant(packed, width // groups // LANES, shifted, vectors, exact, kind, near)
    return address_of_run("quantized", variant, _module), exact


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
