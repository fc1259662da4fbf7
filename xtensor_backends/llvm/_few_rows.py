"""Functions of neural networks for few rows of float32, such as those of one token of a text: one kernel for each.

NumPy takes several calls for each function, which take twice as long between the products of a token, whose matrices
have filled the caches. What is not computed here is left to NumPy's functions.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from llvmlite import ir

from xtensor.backend import Native

from ..kernels import exponential
from ..kernels.values import Value
from . import _compile, _threads
from ._builder import Builder
from ._calls import empty
from ._quantized_rows import SHARE, loads
from ._runtime import call, call_unlocked

__all__ = ["kernels"]

MOST_ELEMENTS = 1 << 14
"""Elements of a rotary embedding."""

MOST_SCORES = 1 << 16
"""Scores of an attention."""

LONGEST = 256
"""Elements of a key and of a value."""

NANOSECONDS = 0.05
"""Time for an element of a key or value of one head, about."""

FLOAT = np.dtype(np.float32)


def _rotary_embedding(x: Native, cos: Native, sin: Native, *, interleaved: bool) -> Native:
    if not 0 < x.size <= MOST_ELEMENTS or x.ndim < 2 or cos.shape != (x.shape[-2], x.shape[-1] // 2):
        return NotImplemented
    if sin.shape != cos.shape or not _is_plain(x) or not _is_plain(cos) or not _is_plain(sin):
        return NotImplemented
    result = empty(x.shape, FLOAT)
    positions, half = cos.shape
    distances = (2, 1) if interleaved else (1, half)
    call(_rotary(), x, cos, sin, result, x.size // x.shape[-1], positions, half, *distances)
    return result


def _attention(
    query: Native,
    key: Native,
    value: Native,
    mask: Native | None,
    *,
    causal: bool,
    scale: float,
    precision: str,
) -> Native:
    """Compute one query of each head, which attends to all keys."""
    if query.ndim != 3 or query.shape[1] != 1 or mask is not None or not _is_plain(query):
        return NotImplemented
    heads, _, size = query.shape
    groups, keys, width = value.shape
    if not 0 < size <= LONGEST or not 0 < width <= LONGEST:
        return NotImplemented
    if (causal and keys > 1) or not 0 < heads * keys <= MOST_SCORES:
        return NotImplemented
    for array in (key, value):
        if array.strides[1:] != (array.shape[2] * 4, 4) or array.strides[0] % 4 or not array.flags.aligned:
            return NotImplemented
    result, scores = empty((heads, 1, width), FLOAT), empty((heads, keys), FLOAT)
    threads = _threads.team()
    nanoseconds = int(heads * keys * (size + width) * NANOSECONDS)
    sizes = heads, heads // groups, keys, key.strides[0] // 4, value.strides[0] // 4
    operands = query, key, value, result, scores, *sizes, float(scale), 0
    failed = call_unlocked(_attention_of(size, width), groups, threads, nanoseconds, *operands)
    return NotImplemented if failed else result


def _is_plain(array: Native) -> bool:
    return array.__class__ is np.ndarray and array.dtype == FLOAT and bool(array.flags.carray)


@functools.cache
def _rotary() -> int:
    """Return the address of the kernel of positions."""
    return _compile.compile_module(_ROTATE, ["rotary_embedding"])["rotary_embedding"]


@functools.cache
def _attention_of(size: int, width: int) -> int:
    """Return the address of an attention whose keys and values have given lengths, which loops over them need."""
    module = functools.partial(_attention_module, size, width)
    key, symbols = f"attention of few rows {size} {width}", _threads.symbols()
    return _compile.compile_module(module, ["attention"], key=key, symbols=symbols)["attention"]


def _attention_module(size: int, width: int) -> str:
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(ir.FloatType(), [ir.FloatType()]), "exponential")
    function.linkage = "internal"
    builder = Builder(function.append_basic_block(), has_fma=_compile.has_fma())
    builder.ret(exponential.exp(Value(builder, function.args[0], FLOAT)).code)
    return f"{module}{_ATTEND.replace('SIZE', str(size)).replace('WIDTH', str(width))}"


_ROTARY = loads(
    "%operands",
    *("ptr x", "ptr cos", "ptr sin", "ptr out", "i64 vectors", "i64 positions", "i64 half"),
    *("i64 step", "i64 other"),
)
"""The distances, in elements, are those between pairs and between the elements of a pair."""

_ATTENTION = loads(
    "%arguments",
    *("ptr query", "ptr keys", "ptr values", "ptr out", "ptr scores", "i64 heads", "i64 members", "i64 number"),
    *("i64 key.step", "i64 value.step", "double scale", "i64 failed"),
)

_ROTATE = f"""
define i64 @rotary_embedding(ptr %operands) nounwind {{
entry:
{_ROTARY}
  %length = shl i64 %half, 1
  br label %vector
vector:
  %v = phi i64 [0, %entry], [%v.next, %after]
  %from = mul i64 %v, %length
  %first = getelementptr float, ptr %x, i64 %from
  %second = getelementptr float, ptr %first, i64 %other
  %first.out = getelementptr float, ptr %out, i64 %from
  %second.out = getelementptr float, ptr %first.out, i64 %other
  %position = urem i64 %v, %positions
  %angle.from = mul i64 %position, %half
  %cos.row = getelementptr float, ptr %cos, i64 %angle.from
  %sin.row = getelementptr float, ptr %sin, i64 %angle.from
  br label %pair
pair:
  %i = phi i64 [0, %vector], [%i.next, %pair]
  %pair.from = mul i64 %i, %step
  %a.at = getelementptr float, ptr %first, i64 %pair.from
  %b.at = getelementptr float, ptr %second, i64 %pair.from
  %c.at = getelementptr float, ptr %cos.row, i64 %i
  %s.at = getelementptr float, ptr %sin.row, i64 %i
  %a = load float, ptr %a.at
  %b = load float, ptr %b.at
  %c = load float, ptr %c.at
  %s = load float, ptr %s.at
  %ac = fmul float %a, %c
  %bs = fmul float %b, %s
  %bc = fmul float %b, %c
  %as = fmul float %a, %s
  %rotated = fsub float %ac, %bs
  %crossed = fadd float %bc, %as
  %rotated.at = getelementptr float, ptr %first.out, i64 %pair.from
  %crossed.at = getelementptr float, ptr %second.out, i64 %pair.from
  store float %rotated, ptr %rotated.at
  store float %crossed, ptr %crossed.at
  %i.next = add nuw nsw i64 %i, 1
  %i.more = icmp ult i64 %i.next, %half
  br i1 %i.more, label %pair, label %after
after:
  %v.next = add i64 %v, 1
  %v.more = icmp ult i64 %v.next, %vectors
  br i1 %v.more, label %vector, label %end
end:
  ret i64 0
}}

"""
"""The kernel of positions: a loop over single elements, of which LLVM makes one over vectors."""

_ATTEND = f"""
declare float @llvm.fmuladd.f32(float, float, float)
declare void @xtensor_parallel(ptr, ptr, i64, i64, i64)

define i64 @attention(ptr %operands) nounwind {{
entry:
{loads("%operands", "i64 parts", "i64 threads", "i64 nanoseconds")}
  %arguments = getelementptr i64, ptr %operands, i64 3
  call void @xtensor_parallel(ptr @job, ptr %arguments, i64 %parts, i64 %threads, i64 %nanoseconds)
  %failed.at = getelementptr i64, ptr %arguments, i64 11
  %failed = load i64, ptr %failed.at
  ret i64 %failed
}}

define internal void @job(ptr %arguments, i64 %part, i64 %parts) nounwind {{
entry:
{_ATTENTION}
  %scale.single = fptrunc double %scale to float
{SHARE.replace("%count", "%heads")}
  br label %test
test:
  %h = phi i64 [%first, %entry], [%h.next, %head.end]
  %inside = icmp ult i64 %h, %last
  br i1 %inside, label %head, label %end
head:
  %group = udiv i64 %h, %members
  %query.from = mul i64 %h, SIZE
  %head.query = getelementptr float, ptr %query, i64 %query.from
  %out.from = mul i64 %h, WIDTH
  %head.out = getelementptr float, ptr %out, i64 %out.from
  %scores.from = mul i64 %h, %number
  %head.scores = getelementptr float, ptr %scores, i64 %scores.from
  %keys.from = mul i64 %group, %key.step
  %head.keys = getelementptr float, ptr %keys, i64 %keys.from
  %values.from = mul i64 %group, %value.step
  %head.values = getelementptr float, ptr %values, i64 %values.from
  call void @head(ptr %head.query, ptr %head.keys, ptr %head.values, ptr %head.out, ptr %head.scores,
    i64 %number, float %scale.single, ptr %failed.at)
  br label %head.end
head.end:
  %h.next = add i64 %h, 1
  br label %test
end:
  ret void
}}

define internal void @head(ptr noalias %query, ptr noalias %keys, ptr noalias %values, ptr noalias %out,
    ptr noalias %scores, i64 %number, float %scale, ptr noalias %failed) nounwind {{
entry:
  br label %key
key:
  %j = phi i64 [0, %entry], [%j.next, %key.end]
  %largest = phi float [0xFFF0000000000000, %entry], [%largest.next, %key.end]
  %key.from = mul i64 %j, SIZE
  %key.at = getelementptr float, ptr %keys, i64 %key.from
  br label %dot
dot:
  %d = phi i64 [0, %key], [%d.next, %dot]
  %sum = phi float [0.0, %key], [%sum.next, %dot]
  %q.at = getelementptr float, ptr %query, i64 %d
  %k.at = getelementptr float, ptr %key.at, i64 %d
  %q = load float, ptr %q.at
  %k = load float, ptr %k.at
  %product = fmul reassoc contract float %q, %k
  %sum.next = fadd reassoc contract float %sum, %product
  %d.next = add nuw nsw i64 %d, 1
  %d.more = icmp ult i64 %d.next, SIZE
  br i1 %d.more, label %dot, label %key.end
key.end:
  %score = fmul float %sum.next, %scale
  %score.at = getelementptr float, ptr %scores, i64 %j
  store float %score, ptr %score.at
  %larger = fcmp ugt float %score, %largest
  %largest.next = select i1 %larger, float %score, float %largest
  %j.next = add nuw nsw i64 %j, 1
  %j.more = icmp ult i64 %j.next, %number
  br i1 %j.more, label %key, label %weights
weights:
  %w = phi i64 [0, %key.end], [%w.next, %weights]
  %total = phi float [0.0, %key.end], [%total.next, %weights]
  %w.at = getelementptr float, ptr %scores, i64 %w
  %w.score = load float, ptr %w.at
  %difference = fsub float %w.score, %largest.next
  %weight = call float @exponential(float %difference)
  store float %weight, ptr %w.at
  %total.next = fadd reassoc float %total, %weight
  %w.next = add nuw nsw i64 %w, 1
  %w.more = icmp ult i64 %w.next, %number
  br i1 %w.more, label %weights, label %check
check:
  %wrong = fcmp uno float %total.next, %largest.next
  br i1 %wrong, label %fail, label %clear
fail:
  store i64 1, ptr %failed
  ret void
clear:
  %c = phi i64 [0, %check], [%c.next, %clear]
  %c.at = getelementptr float, ptr %out, i64 %c
  store float 0.0, ptr %c.at
  %c.next = add nuw nsw i64 %c, 1
  %c.more = icmp ult i64 %c.next, WIDTH
  br i1 %c.more, label %clear, label %value
value:
  %v = phi i64 [0, %clear], [%v.next, %value.end]
  %p.at = getelementptr float, ptr %scores, i64 %v
  %p = load float, ptr %p.at
  %value.from = mul i64 %v, WIDTH
  %value.at = getelementptr float, ptr %values, i64 %value.from
  br label %mix
mix:
  %e = phi i64 [0, %value], [%e.next, %mix]
  %x.at = getelementptr float, ptr %value.at, i64 %e
  %o.at = getelementptr float, ptr %out, i64 %e
  %x = load float, ptr %x.at
  %o = load float, ptr %o.at
  %o.next = call float @llvm.fmuladd.f32(float %p, float %x, float %o)
  store float %o.next, ptr %o.at
  %e.next = add nuw nsw i64 %e, 1
  %e.more = icmp ult i64 %e.next, WIDTH
  br i1 %e.more, label %mix, label %value.end
value.end:
  %v.next = add nuw nsw i64 %v, 1
  %v.more = icmp ult i64 %v.next, %number
  br i1 %v.more, label %value, label %divide
divide:
  %f = phi i64 [0, %value.end], [%f.next, %divide]
  %f.at = getelementptr float, ptr %out, i64 %f
  %f.number = load float, ptr %f.at
  %f.result = fdiv float %f.number, %total.next
  store float %f.result, ptr %f.at
  %f.next = add nuw nsw i64 %f, 1
  %f.more = icmp ult i64 %f.next, WIDTH
  br i1 %f.more, label %divide, label %end
end:
  ret void
}}
"""
"""The kernel of attention: each head by one thread."""


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions by the names of their operations."""
    return {
        "nn.rotary_embedding": _rotary_embedding,
        "nn.scaled_dot_product_attention": _attention,
    }
