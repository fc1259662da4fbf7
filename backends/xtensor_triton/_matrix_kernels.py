# What Triton compiles is no Python: no types, constants in capitals, branches that must stay branches.
# ruff: noqa: ANN001, ANN202, N803, SIM108
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The kernels that multiply matrices: products, and attention.

Operands are strided as they are, transposed ones too, and batches are found as the rows of a reduction are. ``PART`` is
the dtype in which elements are multiplied, float32 in the interpreter, whose arithmetic of half precisions is wrong;
products are added up in float32. ``PRECISION`` says how float32 is multiplied: ``"ieee"``, or ``"tf32"`` if asked for.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ._kernels import decoded, encoded, offsets_of, program_number
from ._ops import divide, exp


@triton.jit
def factor(value, FORM: tl.constexpr, PART: tl.constexpr):
    """What was loaded of a matrix, as it is multiplied."""
    if FORM == "bfloat16":
        if tl.bfloat16 == PART:
            value = value.to(tl.bfloat16, bitcast=True)
        else:
            value = decoded(value, FORM, PART)
    else:
        value = value.to(PART)
    return value


@triton.jit
def matmul_blocks(
    out, x, y, bias, rows, columns, inner, row_blocks, column_blocks,
    batch_shape, out_batch, x_batch, y_batch,
    x_row, x_inner, y_inner, y_column, out_row,
    FORM: tl.constexpr, PART: tl.constexpr, PRECISION: tl.constexpr, OUT_DTYPE: tl.constexpr,
    BATCH: tl.constexpr, WIDE: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, INNER: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """``out[b] = x[b] @ y[b] + bias``, a block of ``ROWS × COLUMNS`` a program.

    Blocks are taken in groups of ``GROUP`` rows of blocks, column by column, so that neighbouring programs share what
    they load in the cache.
    """
    program = program_number(WIDE)
    blocks = row_blocks * column_blocks
    batch = program // blocks
    block = program % blocks
    in_group = GROUP * column_blocks
    first_row = (block // in_group) * GROUP
    height = tl.minimum(row_blocks - first_row, GROUP)
    row = (first_row + (block % in_group) % height) * ROWS + tl.arange(0, ROWS)
    column = ((block % in_group) // height) * COLUMNS + tl.arange(0, COLUMNS)
    x += offsets_of(batch, batch_shape, x_batch, BATCH)
    y += offsets_of(batch, batch_shape, y_batch, BATCH)
    out += offsets_of(batch, batch_shape, out_batch, BATCH)
    total = tl.zeros([ROWS, COLUMNS], tl.float32)
    for first in tl.range(0, inner, INNER):
        along = first + tl.arange(0, INNER)
        x_mask = (row < rows)[:, None] & (along < inner)[None, :]
        y_mask = (along < inner)[:, None] & (column < columns)[None, :]
        left = tl.load(x + (row * x_row)[:, None] + (along * x_inner)[None, :], mask=x_mask, other=0)
        right = tl.load(y + (along * y_inner)[:, None] + (column * y_column)[None, :], mask=y_mask, other=0)
        total = tl.dot(factor(left, FORM, PART), factor(right, FORM, PART), total, input_precision=PRECISION)
    if bias is not None:
        total += decoded(tl.load(bias + column, mask=column < columns, other=0), FORM, tl.float32)[None, :]
    mask = (row < rows)[:, None] & (column < columns)[None, :]
    tl.store(out + (row * out_row)[:, None] + column[None, :], encoded(total, FORM, OUT_DTYPE), mask=mask)


@triton.jit
def attention_blocks(
    out, query, key, value, mask, queries, keys, width, value_width, scale, blocks,
    batch_shape, out_batch, query_batch, key_batch, value_batch, mask_batch,
    out_row, query_row, query_step, key_row, key_step, value_row, value_step, mask_row, mask_step,
    CAUSAL: tl.constexpr, MASK: tl.constexpr, FORM: tl.constexpr, PART: tl.constexpr, PRECISION: tl.constexpr,
    OUT_DTYPE: tl.constexpr, BATCH: tl.constexpr, WIDE: tl.constexpr,
    QUERIES: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr, VALUE_WIDTH: tl.constexpr,
):  # fmt: skip
    """``softmax(scale · query @ keyᵀ + mask) @ value``, without the matrix of scores (Dao et al., 2022).

    A program takes ``QUERIES`` queries of a head and goes over the keys, ``KEYS`` at a time; it keeps each query's
    largest score and its sum of exponentials, and scales what it has where a larger score comes up. ``MASK`` is
    ``"none"``, ``"bool"`` or the form of numbers that are added.
    """
    program = program_number(WIDE)
    head = program // blocks
    # The last queries see most keys where the order counts: they go first.
    row = (blocks - 1 - program % blocks) * QUERIES + tl.arange(0, QUERIES)
    query += offsets_of(head, batch_shape, query_batch, BATCH)
    key += offsets_of(head, batch_shape, key_batch, BATCH)
    value += offsets_of(head, batch_shape, value_batch, BATCH)
    out += offsets_of(head, batch_shape, out_batch, BATCH)
    along = tl.arange(0, WIDTH)
    aside = tl.arange(0, VALUE_WIDTH)
    exists = row < queries
    q_mask = exists[:, None] & (along < width)[None, :]
    q = factor(tl.load(query + (row * query_row)[:, None] + (along * query_step)[None, :], mask=q_mask, other=0),
               FORM, PART)  # fmt: skip
    top = tl.full([QUERIES], float("-inf"), tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    gathered = tl.zeros([QUERIES, VALUE_WIDTH], tl.float32)
    end = keys
    if CAUSAL:
        end = tl.minimum(keys, (blocks - program % blocks) * QUERIES)
    for first in tl.range(0, end, KEYS):
        place = first + tl.arange(0, KEYS)
        k_mask = (along < width)[:, None] & (place < keys)[None, :]
        k = tl.load(key + (place * key_row)[None, :] + (along * key_step)[:, None], mask=k_mask, other=0)
        scores = tl.dot(q, factor(k, FORM, PART), input_precision=PRECISION) * scale.to(tl.float32)
        seen = exists[:, None] & (place < keys)[None, :]
        if MASK != "none":
            spot = offsets_of(head, batch_shape, mask_batch, BATCH)
            spot = mask + spot + (row * mask_row)[:, None] + (place * mask_step)[None, :]
            if MASK == "bool":
                scores = tl.where(tl.load(spot, mask=seen, other=0) != 0, scores, float("-inf"))
            else:
                scores += decoded(tl.load(spot, mask=seen, other=0), MASK, tl.float32)
        if CAUSAL:
            seen = seen & (row[:, None] >= place[None, :])
        scores = tl.where(seen, scores, float("-inf"))
        above = tl.maximum(top, tl.max(scores, 1))
        taken = tl.where(above == float("-inf"), 0.0, above)
        weights = exp(scores - taken[:, None])
        shrunk = exp(top - taken)
        total = total * shrunk + tl.sum(weights, 1)
        v_mask = (place < keys)[:, None] & (aside < value_width)[None, :]
        v = tl.load(value + (place * value_row)[:, None] + (aside * value_step)[None, :], mask=v_mask, other=0)
        gathered = tl.dot(
            weights.to(PART), factor(v, FORM, PART), gathered * shrunk[:, None], input_precision=PRECISION
        )
        top = above
    total = tl.where(total == 0, 1.0, total)
    result = divide(gathered, total[:, None].broadcast_to(gathered.shape))
    o_mask = exists[:, None] & (aside < value_width)[None, :]
    tl.store(out + (row * out_row)[:, None] + aside[None, :], encoded(result, FORM, OUT_DTYPE), mask=o_mask)
