# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803, SIM108
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The kernel of attention.

Operands have any strides, including transposed ones. ``DOT_DTYPE`` is the dtype of the operands of ``tl.dot``: float32
in the interpreter, whose half-precision arithmetic is wrong. Products are accumulated in float32. ``PRECISION`` is that
of float32 products: ``"ieee"``, or ``"tf32"`` if the caller allows it.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ._kernels import decode, element_offsets, encode, program_index
from ._library import divide, exp


@triton.jit
def dot_pointer(pointer, ENCODING: tl.constexpr, DOT_DTYPE: tl.constexpr):
    """Return the pointer to the elements of a matrix as the dtype of ``tl.dot``, where that is how they are stored.

    A conversion between the load and the product would keep the tensor cores from reading shared memory.
    """
    if ENCODING == "bfloat16" and tl.bfloat16 == DOT_DTYPE:
        pointer = pointer.to(tl.pointer_type(tl.bfloat16), bitcast=True)
    return pointer


@triton.jit
def dot_operand(value, ENCODING: tl.constexpr, DOT_DTYPE: tl.constexpr):
    """Convert loaded elements of a matrix to the dtype of ``tl.dot``."""
    if ENCODING == "bfloat16" and tl.bfloat16 != DOT_DTYPE:
        value = decode(value, ENCODING, DOT_DTYPE)
    else:
        value = value.to(DOT_DTYPE)
    return value


@triton.jit
def exponential(x, FAST: tl.constexpr):
    """``2 ** x`` if ``FAST``, else ``e ** x``."""
    if FAST:
        result = tl.exp2(x)
    else:
        result = exp(x)
    return result


@triton.jit
def attend(
    top, total, attended, q, row, exists, first, key, value, mask, keys, width, value_width, scale,
    key_row, key_inner, value_row, value_inner, mask_row, mask_inner,
    CAUSAL: tl.constexpr, MASK: tl.constexpr, ENCODING: tl.constexpr, DOT_DTYPE: tl.constexpr, PRECISION: tl.constexpr,
    FAST: tl.constexpr, LATE: tl.constexpr, EVEN: tl.constexpr,
    KEYS: tl.constexpr, WIDTH: tl.constexpr, VALUE_WIDTH: tl.constexpr,
):  # fmt: skip
    """Let queries attend to ``KEYS`` keys from ``first`` on; return the new maximum, sum and weighted sum of values.

    ``FAST``: scores are in units of log 2, in which a GPU computes exponentials; float32 has too few digits for large
    scores in these units. ``LATE``: scores are scaled, by a positive number, in the instruction that subtracts the
    maximum. ``EVEN``: there are that many keys, and heads have as many features as the blocks.
    """
    column = first + tl.arange(0, KEYS)
    inner_column = tl.arange(0, WIDTH)
    value_column = tl.arange(0, VALUE_WIDTH)
    if EVEN:
        # The compiler removes a mask that is true everywhere.
        k_mask = tl.full([WIDTH, KEYS], True, tl.int1)
        v_mask = tl.full([KEYS, VALUE_WIDTH], True, tl.int1)
    else:
        k_mask = (inner_column < width)[:, None] & (column < keys)[None, :]
        v_mask = (column < keys)[:, None] & (value_column < value_width)[None, :]
    k = tl.load(key + (column * key_row)[None, :] + (inner_column * key_inner)[:, None], mask=k_mask, other=0)
    scores = tl.dot(q, dot_operand(k, ENCODING, DOT_DTYPE), input_precision=PRECISION)
    if not LATE:
        scores *= scale
    if MASK != "none":
        inside = exists[:, None] & (column < keys)[None, :]
        mask_offsets = mask + (row * mask_row)[:, None] + (column * mask_inner)[None, :]
        if MASK == "bool":
            scores = tl.where(tl.load(mask_offsets, mask=inside, other=0) != 0, scores, float("-inf"))
        else:
            added = decode(tl.load(mask_offsets, mask=inside, other=0), MASK, tl.float32)
            if FAST:
                scaled = added * 1.4426950408889634
                # A row of the smallest numbers masks nothing, unlike one of infinities.
                overflowed = (tl.abs(scaled) == float("inf")) & (tl.abs(added) != float("inf"))
                added = tl.where(overflowed, tl.where(added < 0, -3.4028234663852886e38, 3.4028234663852886e38), scaled)
            scores += added
    if not EVEN:
        scores = tl.where((column < keys)[None, :], scores, float("-inf"))
    if CAUSAL:
        scores = tl.where(row[:, None] >= column[None, :], scores, float("-inf"))
    largest = tl.max(scores, 1)
    if LATE:
        largest *= scale
    new_top = tl.maximum(top, largest)
    shift = tl.where(new_top == float("-inf"), 0.0, new_top)
    if LATE:
        centred = tl.fma(
            scores, tl.full(scores.shape, 0, tl.float32) + scale, -shift[:, None].broadcast_to(scores.shape)
        )
    else:
        centred = scores - shift[:, None]
    weights = exponential(centred, FAST)
    rescale = exponential(top - shift, FAST)
    v = tl.load(value + (column * value_row)[:, None] + (value_column * value_inner)[None, :], mask=v_mask, other=0)
    attended = tl.dot(
        weights.to(DOT_DTYPE),
        dot_operand(v, ENCODING, DOT_DTYPE),
        attended * rescale[:, None],
        input_precision=PRECISION,
    )
    return new_top, total * rescale + tl.sum(weights, 1), attended


@triton.jit
def attention_blocks(
    out, query, key, value, mask, queries, keys, width, value_width, scale, blocks,
    batch_shape, out_batch, query_batch, key_batch, value_batch, mask_batch,
    out_row, query_row, query_inner, key_row, key_inner, value_row, value_inner, mask_row, mask_inner,
    CAUSAL: tl.constexpr, MASK: tl.constexpr, ENCODING: tl.constexpr, DOT_DTYPE: tl.constexpr, PRECISION: tl.constexpr,
    OUT_DTYPE: tl.constexpr, BATCH: tl.constexpr, OFFSETS_64: tl.constexpr, FAST: tl.constexpr, LATE: tl.constexpr,
    EVEN: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr, VALUE_WIDTH: tl.constexpr,
):  # fmt: skip
    """``softmax(scale · query @ keyᵀ + mask) @ value`` without the matrix of scores (Dao et al., 2022).

    A program computes ``QUERIES`` queries of a head in a loop over the keys, ``KEYS`` at a time. It keeps each query's
    maximum score and sum of exponentials, and rescales them when the maximum grows. A first loop takes the keys that
    all of its queries see, without comparisons, and a second one the others. ``MASK`` is ``"none"``, ``"bool"`` or the
    encoding of numbers that are added to the scores. ``EVEN``: heads have ``WIDTH`` and ``VALUE_WIDTH`` features.
    """
    program = program_index(OFFSETS_64)
    head = program // blocks
    # With a causal mask, the last queries attend to most keys; they run first.
    first_row = (blocks - 1 - program % blocks) * QUERIES
    row = first_row + tl.arange(0, QUERIES)
    query = dot_pointer(query, ENCODING, DOT_DTYPE) + element_offsets(head, batch_shape, query_batch, BATCH)
    key = dot_pointer(key, ENCODING, DOT_DTYPE) + element_offsets(head, batch_shape, key_batch, BATCH)
    value = dot_pointer(value, ENCODING, DOT_DTYPE) + element_offsets(head, batch_shape, value_batch, BATCH)
    out += element_offsets(head, batch_shape, out_batch, BATCH)
    if MASK != "none":
        mask += element_offsets(head, batch_shape, mask_batch, BATCH)
    inner_column = tl.arange(0, WIDTH)
    value_column = tl.arange(0, VALUE_WIDTH)
    exists = row < queries
    q_mask = exists[:, None] & (inner_column < width)[None, :]
    q = tl.load(query + (row * query_row)[:, None] + (inner_column * query_inner)[None, :], mask=q_mask, other=0)
    q = dot_operand(q, ENCODING, DOT_DTYPE)
    top = tl.full([QUERIES], float("-inf"), tl.float32)
    total = tl.zeros([QUERIES], tl.float32)
    attended = tl.zeros([QUERIES, VALUE_WIDTH], tl.float32)
    scale = (scale * (1.4426950408889634 if FAST else 1.0)).to(tl.float32)
    end = keys
    seen = keys
    if CAUSAL:
        end = tl.minimum(keys, first_row + QUERIES)
        seen = tl.minimum(keys, first_row + 1)
    seen = (seen // KEYS) * KEYS
    for first in tl.range(0, seen, KEYS):
        top, total, attended = attend(
            top, total, attended, q, row, exists, first, key, value, mask, keys, width, value_width, scale,
            key_row, key_inner, value_row, value_inner, mask_row, mask_inner,
            False, MASK, ENCODING, DOT_DTYPE, PRECISION, FAST, LATE, EVEN, KEYS, WIDTH, VALUE_WIDTH,
        )  # fmt: skip
    for first in tl.range(seen, end, KEYS):
        top, total, attended = attend(
            top, total, attended, q, row, exists, first, key, value, mask, keys, width, value_width, scale,
            key_row, key_inner, value_row, value_inner, mask_row, mask_inner,
            CAUSAL, MASK, ENCODING, DOT_DTYPE, PRECISION, FAST, LATE, False, KEYS, WIDTH, VALUE_WIDTH,
        )  # fmt: skip
    result = divide(attended, total[:, None].broadcast_to(attended.shape))
    result = tl.where((total == 0)[:, None], 0.0, result)
    o_mask = exists[:, None] & (value_column < value_width)[None, :]
    tl.store(out + (row * out_row)[:, None] + value_column[None, :], encode(result, ENCODING, OUT_DTYPE), mask=o_mask)
