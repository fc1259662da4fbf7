"""Products of matrices by tiles: a work item computes a few rows and columns, whose operands it reads once for all.

Sums are made of blocks of :data:`BLOCK` products, so that rounding errors grow with the number of blocks.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np

from xtensor.backend import DType

from ..kernels.values import Complex, constant
from .arrays import BufferArray
from .formulas import apply
from .languages import Language
from .layouts import Offsets, layout_of, needs_64_bits, strides_in
from .source import Kernel, SourceBuilder

__all__ = ["product"]

TILE = 4
"""Rows and columns of a work item."""

BLOCK = 64


def product(a: BufferArray, b: BufferArray) -> BufferArray:
    """Return the products of stacks of matrices of one dtype, (…, M, K) and (…, K, N)."""
    runtime = a.runtime
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    (rows, length), columns = a.shape[-2:], b.shape[-1]
    result = runtime.empty((*batch, rows, columns), a.dtype)
    stacks = [x.view(x.shape[:-2], x.strides[:-2], x.offset) for x in (a, b)]
    layout = layout_of(batch, strides_in(stacks, batch))
    wide = needs_64_bits(a, b, result) or result.size * length >= 2**31
    kernel = _kernel(runtime.language, a.dtype, layout.key, wide)
    numbers = [rows, columns, length, *a.strides[-2:], *b.strides[-2:], a.offset, b.offset, *layout.numbers]
    items = math.prod(batch) * -(-rows // TILE) * -(-columns // TILE)
    runtime.launch(kernel, (result, a, b), (), numbers, items)
    return result


def _zero(builder: SourceBuilder, dtype: DType) -> Any:
    if dtype.kind == "c":
        part = np.dtype(f"f{dtype.itemsize // 2}")
        return Complex(constant(builder, 0, part), constant(builder, 0, part))
    return constant(builder, 0, dtype)


@cache
def _kernel(language: Language, dtype: DType, key: tuple[int, str], wide: bool) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    output, first, second = builder.output(dtype), builder.input(dtype), builder.input(dtype)
    rows, columns, length, row_step, inner_step, outer_step, column_step = builder.numbers(7)
    starts = builder.numbers(2)
    offsets = Offsets(builder, key)
    tiles = builder.index(f"({columns} + {TILE - 1}) / {TILE}")
    tiles_down = builder.index(f"({rows} + {TILE - 1}) / {TILE}")
    column = builder.index(f"(i % {tiles}) * {TILE}")
    row = builder.index(f"((i / {tiles}) % {tiles_down}) * {TILE}")
    stack = builder.index(f"i / ({tiles} * {tiles_down})")
    a, b = offsets.at(stack, starts)
    # Rows and columns beyond the end repeat the last one, and are not written.
    a_offsets = [builder.index(f"{a} + {_within(language, row, k, rows)} * {row_step}") for k in range(TILE)]
    b_offsets = [builder.index(f"{b} + {_within(language, column, k, columns)} * {column_step}") for k in range(TILE)]
    totals = [[builder.variable(_zero(builder, dtype)) for _ in range(TILE)] for _ in range(TILE)]
    position = builder.counter("0")
    with builder.block(f"while ({position} < {length})"):
        sums = [[builder.variable(_zero(builder, dtype)) for _ in range(TILE)] for _ in range(TILE)]
        with builder.loop(str(BLOCK)), builder.block(f"if ({position} < {length})"):
            left = [builder.load(first, f"{offset} + {position} * {inner_step}", dtype) for offset in a_offsets]
            right = [builder.load(second, f"{offset} + {position} * {outer_step}", dtype) for offset in b_offsets]
            for x, targets in zip(left, sums, strict=True):
                for y, target in zip(right, targets, strict=True):
                    term = apply(builder, "multiply", [x, y], dtype)
                    builder.assign(target, apply(builder, "add", [target, term], dtype))
            builder.lines.append(f"{position} += 1;")
        for line, targets in zip(sums, totals, strict=True):
            for value, target in zip(line, targets, strict=True):
                builder.assign(target, apply(builder, "add", [target, value], dtype))
    base = builder.index(f"({stack} * {rows} + {row}) * {columns} + {column}")
    for k, line in enumerate(totals):
        for j, value in enumerate(line):
            with builder.block(f"if ({row} + {k} < {rows} && {column} + {j} < {columns})"):
                builder.store(output, f"{base} + {k} * {columns} + {j}", value)
    return builder.kernel()


def _within(language: Language, start: str, number: int, length: str) -> str:
    return "(" + language.choice(f"({start} + {number} < {length})", f"{start} + {number}", f"{length} - 1") + ")"
