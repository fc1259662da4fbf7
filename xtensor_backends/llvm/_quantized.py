"""Products of few vectors with quantized matrices, whose codes are read once and never stored as numbers.

A row's sum has a fixed order: 16 partial sums along the columns, group after group. It does not depend on the number of
threads.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from xtensor.backend import Native

from . import _compile, _threads
from ._calls import empty

__all__ = ["kernels"]

LANES = 16
"""Elements that are computed at one time."""

MOST_VECTORS = 8
"""Number of vectors up to which the codes are read again for each; a product of matrices is faster from there on."""

MIN_SIZE = 1 << 12
"""Number of codes from which on the kernel is faster than the composition."""

NANOSECONDS = 0.1
"""Time for a code, about."""


def _quantized_linear(x: Native, codes: Native, scales: Native, offsets: Native | None = None, /) -> Native:
    operands = (x, codes, scales) if offsets is None else (x, codes, scales, offsets)
    if not all(isinstance(operand, np.ndarray) and operand.flags.c_contiguous for operand in operands):
        return NotImplemented
    if codes.ndim != 2 or scales.ndim != 2 or not x.ndim or codes.size < MIN_SIZE or not scales.size:
        return NotImplemented
    packed = codes.dtype.char == "B"
    rows, groups = scales.shape
    length, rest = divmod(codes.shape[1], groups)
    vectors = math.prod(x.shape[:-1])
    if (
        any(operand.dtype.char != "f" or not operand.dtype.isnative for operand in operands if operand is not codes)
        or codes.dtype.char not in "bB"
        or rest
        or length % LANES
        or codes.shape[0] != rows
        or x.shape[-1] != codes.shape[1] * (1 + packed)
        or (offsets is not None and offsets.shape != scales.shape)
        or not 0 < vectors <= MOST_VECTORS
    ):
        return NotImplemented
    result = empty((*x.shape[:-1], rows), np.dtype(np.float32))
    sums: Native | None = None
    if offsets is not None:
        sums = np.sum(np.reshape(x, (vectors, groups, -1)), axis=-1, dtype=np.float32)
    addresses = [0 if operand is None else operand.ctypes.data for operand in (codes, scales, offsets, x, sums, result)]
    arguments = np.asarray([*addresses, rows, groups, vectors], dtype=np.int64)
    job = _job(packed, length // LANES, offsets is not None)
    parts = min(rows, 4 * _threads.threads())
    nanoseconds = int(codes.size * vectors * NANOSECONDS)
    _threads.run(job, arguments.ctypes.data, parts, nanoseconds=nanoseconds)
    return result


@functools.cache
def _job(packed: bool, chunks: int, shifted: bool) -> int:
    """Return the address of the function that computes a part of the rows."""
    key = f"quantized {packed} {chunks} {shifted}"
    return _compile.compile_module(lambda: _module(packed, chunks, shifted), ["job"], key=key)["job"]


def _module(packed: bool, chunks: int, shifted: bool) -> str:
    """Return the module for groups of a number of chunks of 16 bytes."""
    columns = LANES * chunks * (2 if packed else 1)
    text = _MODULE.replace("CHUNK\n", _PACKED if packed else _PLAIN)
    text = text.replace("SHIFT_STEP", _SHIFTED if shifted else "  %shift.next = fadd float %shift, 0.0")
    text = text.replace("CENTRE", "0" if shifted else "8")
    for name, value in {"COLUMNS": columns, "BYTES": LANES * chunks, "CHUNKS": chunks}.items():
        text = text.replace(name, str(value))
    return text


# Arguments: codes, scales, offsets, x, sums of x in each group, result, rows, groups, vectors.
_MODULE = """
declare <16 x float> @llvm.fmuladd.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>)

define void @job(ptr %arguments, i64 %part, i64 %parts) nounwind {
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
  %vectors.at = getelementptr i64, ptr %arguments, i64 8
  %vectors = load i64, ptr %vectors.at
  %columns = mul i64 %groups, COLUMNS
  %bytes = mul i64 %groups, BYTES
  %before = mul i64 %rows, %part
  %first = udiv i64 %before, %parts
  %part.next = add i64 %part, 1
  %through = mul i64 %rows, %part.next
  %last = udiv i64 %through, %parts
  %none = icmp uge i64 %first, %last
  br i1 %none, label %end, label %row

row:
  %i = phi i64 [%first, %entry], [%i.next, %row.end]
  %row.bytes = mul i64 %i, %bytes
  %row.codes = getelementptr i8, ptr %codes, i64 %row.bytes
  %row.groups = mul i64 %i, %groups
  %row.scales = getelementptr float, ptr %scales, i64 %row.groups
  %row.offsets = getelementptr float, ptr %offsets, i64 %row.groups
  br label %vector

vector:
  %v = phi i64 [0, %row], [%v.next, %vector.end]
  %v.columns = mul i64 %v, %columns
  %v.x = getelementptr float, ptr %x, i64 %v.columns
  %v.groups = mul i64 %v, %groups
  %v.sums = getelementptr float, ptr %sums, i64 %v.groups
  br label %group

group:
  %j = phi i64 [0, %vector], [%j.next, %group.end]
  %all = phi <16 x float> [zeroinitializer, %vector], [%all.next, %group.end]
  %shift = phi float [0.0, %vector], [%shift.next, %group.end]
  %j.bytes = mul i64 %j, BYTES
  %j.codes = getelementptr i8, ptr %row.codes, i64 %j.bytes
  %j.columns = mul i64 %j, COLUMNS
  %j.x = getelementptr float, ptr %v.x, i64 %j.columns
  br label %chunk

chunk:
  %k = phi i64 [0, %group], [%k.next, %chunk]
  %dot = phi <16 x float> [zeroinitializer, %group], [%dot.next, %chunk]
  %k.bytes = mul i64 %k, 16
  %k.codes = getelementptr i8, ptr %j.codes, i64 %k.bytes
  %code = load <16 x i8>, ptr %k.codes, align 1
  %k.x = getelementptr float, ptr %j.x, i64 %k.bytes
  %low.x = load <16 x float>, ptr %k.x, align 4
CHUNK
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, CHUNKS
  br i1 %k.more, label %chunk, label %group.end

group.end:
  %scale.at = getelementptr float, ptr %row.scales, i64 %j
  %scale = load float, ptr %scale.at, align 4
  %scale.one = insertelement <16 x float> poison, float %scale, i64 0
  %scale.all = shufflevector <16 x float> %scale.one, <16 x float> poison, <16 x i32> zeroinitializer
  %all.next = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %dot.next, <16 x float> %scale.all, <16 x float> %all)
SHIFT_STEP
  %j.next = add i64 %j, 1
  %j.more = icmp ult i64 %j.next, %groups
  br i1 %j.more, label %group, label %vector.end

vector.end:
  %total = call reassoc float @llvm.vector.reduce.fadd.v16f32(float 0.0, <16 x float> %all.next)
  %sum = fsub float %total, %shift.next
  %v.rows = mul i64 %v, %rows
  %out = add i64 %v.rows, %i
  %out.at = getelementptr float, ptr %result, i64 %out
  store float %sum, ptr %out.at, align 4
  %v.next = add i64 %v, 1
  %v.more = icmp ult i64 %v.next, %vectors
  br i1 %v.more, label %vector, label %row.end

row.end:
  %i.next = add i64 %i, 1
  %i.more = icmp ult i64 %i.next, %last
  br i1 %i.more, label %row, label %end

end:
  ret void
}
"""

_PLAIN = """
  %number = sitofp <16 x i8> %code to <16 x float>
  %dot.next = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %number, <16 x float> %low.x, <16 x float> %dot)
"""

_PACKED = """
  %low.code = and <16 x i8> %code, splat (i8 15)
  %high.code = lshr <16 x i8> %code, splat (i8 4)
  %low.centred = sub <16 x i8> %low.code, splat (i8 CENTRE)
  %high.centred = sub <16 x i8> %high.code, splat (i8 CENTRE)
  %low = sitofp <16 x i8> %low.centred to <16 x float>
  %high = sitofp <16 x i8> %high.centred to <16 x float>
  %high.at = getelementptr float, ptr %k.x, i64 BYTES
  %high.x = load <16 x float>, ptr %high.at, align 4
  %half = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %low, <16 x float> %low.x, <16 x float> %dot)
  %dot.next = call <16 x float> @llvm.fmuladd.v16f32(<16 x float> %high, <16 x float> %high.x, <16 x float> %half)
"""

_SHIFTED = """
  %offset.at = getelementptr float, ptr %row.offsets, i64 %j
  %offset = load float, ptr %offset.at, align 4
  %sum.at = getelementptr float, ptr %v.sums, i64 %j
  %x.sum = load float, ptr %sum.at, align 4
  %shift.one = fmul float %offset, %x.sum
  %shift.next = fadd float %shift, %shift.one
"""


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions by the names of their operations."""
    return {"nn.quantized_linear": _quantized_linear}
