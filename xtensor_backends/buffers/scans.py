"""Cumulative sums and products.

A work item scans a segment of a row. The last elements of the segments are scanned in turn, and a second kernel
combines each element with the result of the segments before its own.
"""

from __future__ import annotations

import math
from functools import cache

from xtensor.backend import DType

from .arrays import BufferArray
from .elementwise import dense
from .formulas import apply
from .languages import Language
from .layouts import needs_64_bits
from .source import Kernel, SourceBuilder

__all__ = ["scan"]

ITEMS = 4096
"""Work items from which rows are not divided into segments."""

SEGMENT = 64
"""Elements of a segment."""


def scan(name: str, x: BufferArray, axis: int) -> BufferArray:
    """Return the scan of an array along an axis by an operation, ``"add"`` or ``"multiply"``, in its dtype."""
    x = dense(x)
    runtime = x.runtime
    result = runtime.empty(x.shape, x.dtype)
    if not x.size:
        return result
    length, inner = x.shape[axis], math.prod(x.shape[axis + 1 :])
    rows = x.size // length
    segment = length if rows >= ITEMS or length <= 4 * SEGMENT else SEGMENT
    segments = -(-length // segment)
    wide = needs_64_bits(x)
    kernel = _segments(runtime.language, name, x.dtype, wide)
    numbers = [x.offset, rows, length, inner, segment]
    runtime.launch(kernel, (result, x), (), numbers, rows * segments)
    if segments > 1:
        outer = rows // inner
        shape, strides = (outer, segments - 1, inner), (length * inner, segment * inner, 1)
        ends = scan(name, result.view(shape, strides, (segment - 1) * inner), 1)
        numbers = [ends.offset, length, inner, segment, segments - 1]
        runtime.launch(_combined(runtime.language, name, x.dtype, wide), (result, ends), (), numbers, x.size)
    return result


@cache
def _segments(language: Language, name: str, dtype: DType, wide: bool) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    output, source = builder.output(dtype), builder.input(dtype)
    start, rows, length, inner, segment = builder.numbers(5)
    row, number = builder.index(f"i % {rows}"), builder.index(f"i / {rows}")
    base = builder.index(f"({row} / {inner}) * {length} * {inner} + {row} % {inner}")
    first = builder.index(f"{number} * {segment}")
    total = builder.variable(builder.load(source, f"{start} + {base} + {first} * {inner}", dtype))
    builder.store(output, f"{base} + {first} * {inner}", total)
    with builder.loop(segment, "1") as k, builder.block(f"if ({first} + {k} < {length})"):
        offset = builder.index(f"{base} + ({first} + {k}) * {inner}")
        builder.assign(total, apply(builder, name, [total, builder.load(source, f"{start} + {offset}", dtype)], dtype))
        builder.store(output, offset, total)
    return builder.kernel()


@cache
def _combined(language: Language, name: str, dtype: DType, wide: bool) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    output, ends = builder.output(dtype), builder.input(dtype)
    start, length, inner, segment, number = builder.numbers(5)
    column, row = builder.index(f"i % {inner}"), builder.index(f"i / {inner}")
    before = builder.index(f"(({row} % {length}) / {segment}) - 1")
    with builder.block(f"if ({before} >= 0)"):
        offset = f"{start} + (({row} / {length}) * {number} + {before}) * {inner} + {column}"
        value = apply(builder, name, [builder.load(ends, offset, dtype), builder.load(output, "i", dtype)], dtype)
        builder.store(output, "i", value)
    return builder.kernel()
