"""Convolutions of many examples in float32 without a matrix of windows, which would be several times the input.

Examples are the last axis, along which a kernel reads whole vectors. A *tap* is an element of a filter, a *position*
one of the output; the element that a tap reads at a position lies at the sum of two distances, which are in tables. So
the kernels know no axes, strides and dilations.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from xtensor.backend import Native
from xtensor_backends.numpy._networks import Networks, Widths

from . import _compile, _threads
from ._calls import empty, in_row_major_order
from ._lines import Lines
from ._quantized_rows import RUN, SHARE, loads
from ._runtime import call_unlocked

__all__ = ["SharedNetworks"]

LANES = 16
"""Examples of a vector."""

FILTERS, VECTORS = 8, 2
"""Filters and vectors of a block of the output, whose sums stay in registers."""

SIDE = 4
"""Filters and taps of a block of a derivative by the filters."""

LEAST_WORK = 1 << 19
"""Multiplications from which the kernels are faster than the product of matrices."""

MULTIPLICATIONS = 40
"""Multiplications of a core in a nanosecond, about."""

FLOAT = np.dtype(np.float32)


class SharedNetworks(Networks):
    """Convolutions whose copies threads share, by kernels where these are faster than the product of matrices."""

    @staticmethod
    def ordered(x: Native) -> Native:
        return in_row_major_order(x, x.shape)

    @classmethod
    def convolution(cls, x: Native, weight: Native, bias: Native | None, **settings: Any) -> Native:
        result = _convolution(x, weight, bias, **settings)
        return super().convolution(x, weight, bias, **settings) if result is NotImplemented else result

    @classmethod
    def conv_by_weight(cls, x: Native, g: Native, **settings: Any) -> Native:
        result = _by_weight(x, g, **settings)
        return super().conv_by_weight(x, g, **settings) if result is NotImplemented else result


def _convolution(
    x: Native,
    weight: Native,
    bias: Native | None,
    *,
    strides: tuple[int, ...],
    widths: Widths,
    dilations: tuple[int, ...],
    groups: int,
) -> Native:
    """Return the convolution; NotImplemented where the product of matrices computes it."""
    filters, kernel = weight.shape[0], weight.shape[2:]
    outputs = SharedNetworks.outputs(x, kernel, strides, widths, dilations)
    work = math.prod(outputs) * weight.size * x.shape[0]
    if groups != 1 or filters % FILTERS or weight.dtype != FLOAT or not _is_suited(x, outputs, work):
        return NotImplemented
    elements, taps, positions = _distances(x, kernel, strides, widths, dilations, outputs)
    matrix = weight.reshape(-1, FILTERS, taps.size).transpose(0, 2, 1).copy()
    product = empty((filters, positions.size, x.shape[0]), FLOAT)
    terms = np.zeros(filters, FLOAT) if bias is None else np.ascontiguousarray(bias)
    operands = elements, matrix, product, taps, positions, terms, taps.size, positions.size, filters, x.shape[0]
    _run("convolution", positions.size, work, operands)
    return np.moveaxis(product.reshape(filters, *outputs, x.shape[0]), -1, 0)


def _by_weight(
    x: Native,
    g: Native,
    *,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    widths: Widths,
    dilations: tuple[int, ...],
    groups: int,
) -> Native:
    """Return the derivative by the filters; NotImplemented where the product of matrices computes it."""
    filters, outputs = g.shape[1], g.shape[2:]
    work = g.size * x.shape[1] * math.prod(kernel)
    if groups != 1 or filters % SIDE or g.dtype != FLOAT or not _is_suited(x, outputs, work):
        return NotImplemented
    elements, taps, positions = _distances(x, kernel, strides, widths, dilations, outputs)
    count = taps.size
    taps = np.append(taps, taps[:1].repeat(-count % SIDE))
    rows = SharedNetworks.padded(g, [(0, 0)] * len(kernel), last=True)
    product = empty((filters, taps.size), FLOAT)
    operands = elements, rows, product, taps, positions, product, taps.size, positions.size, filters, x.shape[0]
    _run("by_weight", filters // SIDE, work, operands)
    result: Native = np.ascontiguousarray(product[:, :count])
    return result.reshape(filters, x.shape[1], *kernel)


def _is_suited(x: Native, outputs: tuple[int, ...], work: int) -> bool:
    """Whether examples are the last axis of windows as well, and fill vectors."""
    if x.dtype != FLOAT or work < LEAST_WORK or x.shape[0] % (VECTORS * LANES):
        return False
    return x.shape[0] > outputs[-1] and _compile.has_feature("avx512f")


def _distances(
    x: Native,
    kernel: tuple[int, ...],
    strides: Sequence[int],
    widths: Widths,
    dilations: Sequence[int],
    outputs: tuple[int, ...],
) -> tuple[Native, Native, Native]:
    """Return the elements with their padding, examples last, and the distances of the taps and of the positions."""
    elements = SharedNetworks.padded(x, widths, last=True)
    steps = [step // elements.itemsize for step in elements.strides]
    within = [width * step for width, step in zip(dilations, steps[1:-1], strict=True)]
    between = [stride * step for stride, step in zip(strides, steps[1:-1], strict=True)]
    return elements, _sums((x.shape[1], *kernel), (steps[0], *within)), _sums(outputs, tuple(between))


@functools.lru_cache(maxsize=256)
def _sums(shape: tuple[int, ...], steps: tuple[int, ...]) -> Native:
    """Return the distances of the elements of a shape, in order."""
    total: Native = np.zeros((), np.int64)
    for length, step in zip(shape, steps, strict=True):
        total = total[..., None] + np.arange(length) * step
    return total.reshape(-1)


def _run(name: str, parts: int, work: int, operands: tuple[Any, ...]) -> None:
    threads = _threads.team()
    call_unlocked(_address(name), min(parts, 8 * threads), threads, work // MULTIPLICATIONS, *operands)


@functools.cache
def _address(name: str) -> int:
    text = {"convolution": _convolution_text, "by_weight": _by_weight_text}[name]
    return _compile.compile_module(text, ["run"], key=name, symbols=_threads.symbols())["run"]


_ARGUMENTS = loads(
    "%arguments",
    *("ptr x", "ptr rows", "ptr out", "ptr taps", "ptr positions", "ptr terms"),
    *("i64 tap.count", "i64 position.count", "i64 filters", "i64 examples"),
)

_HEAD = f"""
declare <16 x float> @llvm.fmuladd.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare float @llvm.vector.reduce.fadd.v16f32(float, <16 x float>)
{RUN.replace("BODY", "")}
define internal void @job(ptr %arguments, i64 %part, i64 %parts) nounwind {{
entry:
{_ARGUMENTS}
"""


class Block(Lines):
    """Writes the sums of a block, which a loop adds to."""

    def vector(self, base: str, index: str | int) -> str:
        return self.let(f"load <16 x float>, ptr {self.at('float', base, index)}, align 4")

    def sums(self, count: int, before: str, loop: str) -> None:
        for number in range(count):
            self.lines.append(f"  %sum{number} = phi <16 x float> [zeroinitializer, {before}], [%new{number}, {loop}]")

    def add(self, number: int, x: str, y: str) -> None:
        arguments = f"<16 x float> {x}, <16 x float> {y}, <16 x float> %sum{number}"
        self.lines.append(f"  %new{number} = call <16 x float> @llvm.fmuladd.v16f32({arguments})")


def _convolution_text() -> str:
    block = Block()
    block.sums(FILTERS * VECTORS, "%block", "%tap")
    tap = block.let("load i64, ptr " + block.at("i64", "%taps", "%t"))
    place = block.at("float", "%here", tap)
    vectors = [block.vector(place, LANES * number) for number in range(VECTORS)]
    weights = block.at("float", "%matrix", block.let(f"mul i64 %t, {FILTERS}"))
    for row in range(FILTERS):
        weight = block.splat(block.let("load float, ptr " + block.at("float", weights, row)))
        for number, vector in enumerate(vectors):
            block.add(row * VECTORS + number, weight, vector)
    loop, block.lines = block.lines, []
    for row in range(FILTERS):
        start = block.at("float", "%there", block.let(f"mul i64 %size, {row}"))
        term = block.splat(block.let("load float, ptr " + block.at("float", "%term", row)))
        for number in range(VECTORS):
            total = block.let(f"fadd <16 x float> %new{row * VECTORS + number}, {term}")
            address = block.at("float", start, LANES * number)
            block.lines.append(f"  store <16 x float> {total}, ptr {address}, align 4")
    return f"""{_HEAD}
{SHARE.replace("%count", "%position.count")}
  %size = mul i64 %position.count, %examples
  %any = icmp ult i64 %first, %last
  br i1 %any, label %position, label %end
position:
  %p = phi i64 [%first, %entry], [%p.next, %position.end]
  %position.at = getelementptr i64, ptr %positions, i64 %p
  %distance = load i64, ptr %position.at
  %x.here = getelementptr float, ptr %x, i64 %distance
  %out.from = mul i64 %p, %examples
  %out.here = getelementptr float, ptr %out, i64 %out.from
  br label %filter
filter:
  %f = phi i64 [0, %position], [%f.next, %filter.end]
  %matrix.from = mul i64 %f, %tap.count
  %matrix = getelementptr float, ptr %rows, i64 %matrix.from
  %filter.from = mul i64 %f, %size
  %out.filter = getelementptr float, ptr %out.here, i64 %filter.from
  %term = getelementptr float, ptr %terms, i64 %f
  br label %block
block:
  %e = phi i64 [0, %filter], [%e.next, %block.end]
  %here = getelementptr float, ptr %x.here, i64 %e
  %there = getelementptr float, ptr %out.filter, i64 %e
  br label %tap
tap:
  %t = phi i64 [0, %block], [%t.next, %tap]
{chr(10).join(loop)}
  %t.next = add nuw nsw i64 %t, 1
  %t.more = icmp ult i64 %t.next, %tap.count
  br i1 %t.more, label %tap, label %block.end
block.end:
{chr(10).join(block.lines)}
  %e.next = add i64 %e, {LANES * VECTORS}
  %e.more = icmp ult i64 %e.next, %examples
  br i1 %e.more, label %block, label %filter.end
filter.end:
  %f.next = add i64 %f, {FILTERS}
  %f.more = icmp ult i64 %f.next, %filters
  br i1 %f.more, label %filter, label %position.end
position.end:
  %p.next = add i64 %p, 1
  %p.more = icmp ult i64 %p.next, %last
  br i1 %p.more, label %position, label %end
end:
  ret void
}}
"""


def _by_weight_text() -> str:
    block = Block()
    taps = [
        block.at("float", "%x", block.let("load i64, ptr " + block.at("i64", "%tap.at", number)))
        for number in range(SIDE)
    ]
    rows = [block.at("float", "%row", block.let(f"mul i64 %size, {number}")) for number in range(SIDE)]
    before, block.lines = block.lines, []
    block.sums(SIDE * SIDE, "%block", "%example.end")
    outer, block.lines = block.lines, []
    inner = [line.replace("%sum", "%part").replace("%block", "%position").replace("%new", "%next") for line in outer]
    inner = [
        line.replace("zeroinitializer", f"%sum{n}").replace("%example.end", "%example") for n, line in enumerate(inner)
    ]
    x_from, row_from = block.let("add i64 %distance, %e"), block.let("add i64 %row.from, %e")
    xs = [block.vector(tap, x_from) for tap in taps]
    gs = [block.vector(row, row_from) for row in rows]
    for i, g in enumerate(gs):
        for j, x in enumerate(xs):
            arguments = f"<16 x float> {g}, <16 x float> {x}, <16 x float> %part{i * SIDE + j}"
            block.lines.append(f"  %next{i * SIDE + j} = call <16 x float> @llvm.fmuladd.v16f32({arguments})")
    loop, block.lines = block.lines, []
    for i in range(SIDE):
        start = block.at("float", "%there", block.let(f"mul i64 %tap.count, {i}"))
        for j in range(SIDE):
            reduce = "call reassoc float @llvm.vector.reduce.fadd.v16f32"
            total = block.let(f"{reduce}(float 0.0, <16 x float> %next{i * SIDE + j})")
            block.lines.append(f"  store float {total}, ptr {block.at('float', start, j)}, align 4")
    outer = [line.replace("%new", "%next") for line in outer]
    return f"""{_HEAD}
  %blocks = udiv i64 %filters, {SIDE}
{SHARE.replace("%count", "%blocks")}
  %size = mul i64 %position.count, %examples
  %any = icmp ult i64 %first, %last
  br i1 %any, label %filter, label %end
filter:
  %f = phi i64 [%first, %entry], [%f.next, %filter.end]
  %f.row = mul i64 %f, {SIDE}
  %rows.from = mul i64 %f.row, %size
  %row = getelementptr float, ptr %rows, i64 %rows.from
  %out.from = mul i64 %f.row, %tap.count
  %out.here = getelementptr float, ptr %out, i64 %out.from
  br label %block
block:
  %t = phi i64 [0, %filter], [%t.next, %block.end]
  %tap.at = getelementptr i64, ptr %taps, i64 %t
  %there = getelementptr float, ptr %out.here, i64 %t
{chr(10).join(before)}
  br label %position
position:
  %p = phi i64 [0, %block], [%p.next, %example.end]
{chr(10).join(outer)}
  %position.at = getelementptr i64, ptr %positions, i64 %p
  %distance = load i64, ptr %position.at
  %row.from = mul i64 %p, %examples
  br label %example
example:
  %e = phi i64 [0, %position], [%e.next, %example]
{chr(10).join(inner)}
{chr(10).join(loop)}
  %e.next = add nuw nsw i64 %e, {LANES}
  %e.more = icmp ult i64 %e.next, %examples
  br i1 %e.more, label %example, label %example.end
example.end:
  %p.next = add nuw nsw i64 %p, 1
  %p.more = icmp ult i64 %p.next, %position.count
  br i1 %p.more, label %position, label %block.end
block.end:
{chr(10).join(block.lines)}
  %t.next = add i64 %t, {SIDE}
  %t.more = icmp ult i64 %t.next, %tap.count
  br i1 %t.more, label %block, label %filter.end
filter.end:
  %f.next = add i64 %f, 1
  %f.more = icmp ult i64 %f.next, %last
  br i1 %f.more, label %filter, label %end
end:
  ret void
}}
"""
