# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The kernel of products with quantized matrices: the codes become numbers in registers.

A group has ``LENGTH`` bytes of codes, and a scale. ``PACKED``: a byte has two codes, of a column in the lower bits and
of the column ``LENGTH`` further in the upper ones. ``SHIFTED``: each group has an offset as well; otherwise packed
codes are centred at 8. Products are accumulated in float32.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ._kernels import decode, encode, program_index


@triton.jit
def with_product(
    total, x, at, exists, code, scale, offset, ENCODING: tl.constexpr, SHIFTED: tl.constexpr, SINGLE: tl.constexpr
):
    """Add the products of vectors with a block of the matrix to their sums."""
    numbers = decode(tl.load(x + at, mask=exists, other=0), ENCODING, tl.float32)
    matrix = code.to(tl.float32) * scale
    if SHIFTED:
        matrix -= offset
    if SINGLE:
        total += tl.sum(matrix * numbers, axis=1)[None, :]
    else:
        total = tl.dot(numbers, tl.trans(matrix), total, input_precision="ieee")
    return total


@triton.jit
def quantized_blocks(
    out, x, codes, scales, offsets, vectors, rows, width, groups, row_blocks,
    ENCODING: tl.constexpr, SCALE_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr, PACKED: tl.constexpr,
    SHIFTED: tl.constexpr, LENGTH: tl.constexpr, OFFSETS_64: tl.constexpr,
    VECTORS: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Products of ``VECTORS`` vectors with ``ROWS`` rows, by ``COLUMNS`` bytes of codes at a time."""
    program = program_index(OFFSETS_64)
    row = (program % row_blocks) * ROWS + tl.arange(0, ROWS)
    vector = (program // row_blocks) * VECTORS + tl.arange(0, VECTORS)
    start = vector * (width * 2 if PACKED else width)
    total = tl.zeros([VECTORS, ROWS], tl.float32)
    for first in tl.range(0, width, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        group = column // LENGTH
        inside = (row < rows)[:, None] & (column < width)[None, :]
        exists = (vector < vectors)[:, None] & (column < width)[None, :]
        code = tl.load(codes + (row * width)[:, None] + column[None, :], mask=inside, other=0)
        place = (row * groups)[:, None] + group[None, :]
        scale = decode(tl.load(scales + place, mask=inside, other=0), SCALE_ENCODING, tl.float32)
        offset = scale
        if SHIFTED:
            offset = decode(tl.load(offsets + place, mask=inside, other=0), SCALE_ENCODING, tl.float32)
        if PACKED:
            low = (code & 15).to(tl.int8)
            high = (code >> 4).to(tl.int8)
            if not SHIFTED:
                low -= 8
                high -= 8
            at = start[:, None] + (column + group * LENGTH)[None, :]
            total = with_product(total, x, at, exists, low, scale, offset, ENCODING, SHIFTED, VECTORS == 1)
            total = with_product(total, x, at + LENGTH, exists, high, scale, offset, ENCODING, SHIFTED, VECTORS == 1)
        else:
            at = start[:, None] + column[None, :]
            total = with_product(total, x, at, exists, code, scale, offset, ENCODING, SHIFTED, VECTORS == 1)
    written = (vector < vectors)[:, None] & (row < rows)[None, :]
    tl.store(out + (vector * rows)[:, None] + row[None, :], encode(total, ENCODING, OUT_DTYPE), mask=written)
