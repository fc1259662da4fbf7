# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803, SIM108
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Kernels of neural networks along rows: softmax, cross entropy, normalization; and the rotary embedding.

A program processes ``ROWS`` rows. ``SINGLE_TILE``: a tile holds complete rows, and each element is loaded once and
stored once. Otherwise a first loop over tiles of ``COLUMNS`` elements reduces the row, and a second loop in reverse
order stores the result, so that its first loads hit the cache.

``EXACT``: tiles have no elements beyond the end of a row and no rows beyond the last, so that nothing is masked. Rows
are scaled by a reciprocal, because a division of each element takes as long as its exponential.

``OUTER`` and ``INNER``, ``ENCODING``, ``DTYPE``: see :mod:`xtensor_backends.triton._row_kernels`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ._kernels import block_indices, decode, element_offsets, encode, program_index
from ._library import divide, exp, log1p, reciprocal, sqrt
from ._row_kernels import any_row, load_tile, power_of_two, tile_mask


@triton.jit
def row_elements(
    x, base, column, exists, length, inner_shape, inner_strides, FILL: tl.constexpr,
    ENCODING: tl.constexpr, DTYPE: tl.constexpr, INNER: tl.constexpr, EXACT: tl.constexpr,
):  # fmt: skip
    """Load the elements of rows at columns; return them, with ``FILL`` beyond the end, and the mask."""
    mask = tile_mask(column, length, exists, EXACT)
    values = load_tile(x, base, column, mask, inner_shape, inner_strides, ENCODING, DTYPE, INNER)
    return tl.where(mask, values, tl.full(values.shape, FILL, DTYPE)), mask


@triton.jit
def finite_or_zero(top):
    """Shift for exponents: the maximum, or 0 if it is infinite."""
    return tl.where(tl.abs(top) == float("inf"), 0.0, top)


@triton.jit
def add_pairs(a1, a2, b1, b2):
    """Sums of two numbers each, for reductions that take two sums at once."""
    return a1 + b1, a2 + b2


@triton.jit
def exponentials(centred):
    """1 for each 0, and exponentials of other numbers: the number of largest elements is summed by itself."""
    is_largest = centred == 0
    return tl.where(is_largest, 1.0, 0.0).to(centred.dtype), tl.where(is_largest, 0.0, exp(centred))


@triton.jit
def log_of_sum(top, count, others):
    """``log(count + others)``, with all digits of ``others`` for one largest element; the maximum if it is infinite."""
    return tl.where((tl.abs(top) == float("inf")) & (others == others), top, log1p((count - 1.0) + others))


@triton.jit
def max_and_sums(
    x, base, exists, length, inner_shape, inner_strides, ENCODING: tl.constexpr, DTYPE: tl.constexpr,
    INNER: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, EXACT: tl.constexpr,
):  # fmt: skip
    """Maximum of each row, the number of elements that equal it, and the sum of the other ``exp(x - maximum)``.

    In one pass, like the maximum and sum of Milakov and Gimelshein (2018): each lane keeps a maximum and the sum of the
    exponentials of all its elements but one that is the maximum.
    """
    top = tl.full([ROWS, COLUMNS], float("-inf"), DTYPE)
    rest = tl.full([ROWS, COLUMNS], 0, DTYPE)
    lane = tl.arange(0, COLUMNS)
    for first in tl.range(0, length, 4 * COLUMNS):
        a, _ = row_elements(
            x, base, first + lane, exists, length, inner_shape, inner_strides, float("-inf"),
            ENCODING, DTYPE, INNER, EXACT,
        )  # fmt: skip
        b, _ = row_elements(
            x, base, first + COLUMNS + lane, exists, length, inner_shape, inner_strides, float("-inf"),
            ENCODING, DTYPE, INNER, EXACT,
        )  # fmt: skip
        c, _ = row_elements(
            x, base, first + 2 * COLUMNS + lane, exists, length, inner_shape, inner_strides, float("-inf"),
            ENCODING, DTYPE, INNER, EXACT,
        )  # fmt: skip
        d, _ = row_elements(
            x, base, first + 3 * COLUMNS + lane, exists, length, inner_shape, inner_strides, float("-inf"),
            ENCODING, DTYPE, INNER, EXACT,
        )  # fmt: skip
        rest_ab, rest_cd = exp(distance(a, b)), exp(distance(c, d))
        top_ab, rest_ab = joined(tl.maximum(a, b), rest_ab, tl.maximum(c, d), rest_cd)
        top, rest = joined(top, rest, top_ab, rest_ab)
    row_top = tl.max(top, 1)
    is_largest = top == row_top[:, None]
    others = tl.where(is_largest, rest, (rest + 1.0) * exp(top - finite_or_zero(row_top)[:, None]))
    row_count, row_others = tl.reduce((tl.where(is_largest, 1.0, 0.0).to(DTYPE), others), 1, add_pairs)
    return row_top, row_count, row_others


@triton.jit
def distance(x1, x2):
    """``-|x1 - x2|``, 0 for equal infinities."""
    return tl.where(x1 == x2, 0.0, tl.abs(x1 - x2) * -1.0)


@triton.jit
def joined(top1, rest1, top2, rest2):
    """Maximum of two parts of a lane, and the sum of the exponentials of all their elements but one maximum."""
    factor = exp(distance(top1, top2))
    first = rest1 + (rest2 + 1.0) * factor
    second = rest2 + (rest1 + 1.0) * factor
    return tl.maximum(top1, top2), tl.where(top1 >= top2, first, second)


@triton.jit
def softmax_rows(
    out, x, rows, length, outer_shape, outer_strides, inner_shape, inner_strides, outer_out_strides, inner_out_strides,
    LOG: tl.constexpr, SINGLE_TILE: tl.constexpr, EXACT: tl.constexpr, ENCODING: tl.constexpr, DTYPE: tl.constexpr,
    OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr,
    OUTER: tl.constexpr, INNER: tl.constexpr, OFFSETS_64: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row] = exp(x[row] - max) / sum(exp(x[row] - max))``, or its logarithm."""
    row = program_index(OFFSETS_64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base = element_offsets(row, outer_shape, outer_strides, OUTER)
    out_base = element_offsets(row, outer_shape, outer_out_strides, OUTER)
    if SINGLE_TILE:
        column = tl.arange(0, COLUMNS)
        values, mask = row_elements(
            x, base, column, exists, length, inner_shape, inner_strides, float("-inf"), ENCODING, DTYPE, INNER, EXACT
        )
        top = tl.max(values, 1)
        if LOG:
            centred = values - finite_or_zero(top)[:, None]
            count, others = tl.reduce(exponentials(centred), 1, add_pairs)
            result = centred - log_of_sum(top, count, others)[:, None]
        else:
            weights = exp(values - top[:, None])
            result = weights * reciprocal(tl.sum(tl.where(mask, weights, 0.0), 1)[:, None])
        offsets = out_base[:, None] + element_offsets(column, inner_shape, inner_out_strides, INNER)[None, :]
        tl.store(out + offsets, encode(result, OUT_ENCODING, OUT_DTYPE), mask=mask)
    else:
        top, count, others = max_and_sums(
            x, base, exists, length, inner_shape, inner_strides, ENCODING, DTYPE, INNER, ROWS, COLUMNS, EXACT
        )
        if LOG:
            logarithm = log_of_sum(top, count, others)[:, None]
            top = finite_or_zero(top)
        else:
            scale = reciprocal(tl.where(tl.abs(top) == float("inf"), float("nan"), count + others))[:, None]
        for i in tl.range(0, (length + COLUMNS - 1) // COLUMNS):
            column = ((length - 1) // COLUMNS - i) * COLUMNS + tl.arange(0, COLUMNS)
            values, mask = row_elements(
                x,
                base,
                column,
                exists,
                length,
                inner_shape,
                inner_strides,
                float("-inf"),
                ENCODING,
                DTYPE,
                INNER,
                EXACT,
            )
            centred = values - top[:, None]
            if LOG:
                result = centred - logarithm
            else:
                result = exp(centred) * scale
            offsets = out_base[:, None] + element_offsets(column, inner_shape, inner_out_strides, INNER)[None, :]
            tl.store(out + offsets, encode(result, OUT_ENCODING, OUT_DTYPE), mask=mask)


@triton.jit
def cross_entropy_rows(
    out, x, target, rows, length, smoothing, ignored, outer_shape, outer_strides, inner_shape, inner_strides,
    outer_target_strides,
    IGNORES: tl.constexpr, SMOOTH: tl.constexpr, SINGLE_TILE: tl.constexpr, EXACT: tl.constexpr,
    ENCODING: tl.constexpr, DTYPE: tl.constexpr, OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr,
    OUTER: tl.constexpr, INNER: tl.constexpr, OFFSETS_64: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row] = log(sum(exp(x[row]))) - x[row, target[row]]``; ``SMOOTH`` adds label smoothing.

    The loss is NaN if the target is no class, and 0 if it is ``ignored``.
    """
    row = program_index(OFFSETS_64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base = element_offsets(row, outer_shape, outer_strides, OUTER)
    label_offset = element_offsets(row, outer_shape, outer_target_strides, OUTER)
    label = tl.load(target + label_offset, mask=exists, other=0).to(tl.int64)
    if SINGLE_TILE:
        column = tl.arange(0, COLUMNS)
        values, mask = row_elements(
            x, base, column, exists, length, inner_shape, inner_strides, float("-inf"), ENCODING, DTYPE, INNER, EXACT
        )
    # The target's own element depends on the target. It is loaded while the row, which was requested before, arrives.
    valid = (label >= 0) & (label < length)
    offset = base + element_offsets(tl.where(valid, label, 0), inner_shape, inner_strides, INNER)
    chosen = decode(tl.load(x + offset, mask=exists & valid, other=0), ENCODING, DTYPE)
    if SINGLE_TILE:
        top = tl.max(values, 1)
        count, others = tl.reduce(exponentials(values - finite_or_zero(top)[:, None]), 1, add_pairs)
        logarithm = log_of_sum(top, count, others)
        top = finite_or_zero(top)
        if SMOOTH:
            row_sum = tl.sum(tl.where(mask, values - top[:, None], 0.0), 1)
    else:
        top, count, others = max_and_sums(
            x, base, exists, length, inner_shape, inner_strides, ENCODING, DTYPE, INNER, ROWS, COLUMNS, EXACT
        )
        logarithm = log_of_sum(top, count, others)
        top = finite_or_zero(top)
        if SMOOTH:
            sums = tl.full([ROWS, COLUMNS], 0, DTYPE)
            for first in tl.range(0, length, COLUMNS):
                values, mask = row_elements(
                    x, base, first + tl.arange(0, COLUMNS), exists, length, inner_shape, inner_strides, 0.0,
                    ENCODING, DTYPE, INNER, EXACT,
                )  # fmt: skip
                sums += tl.where(mask, values - top[:, None], 0.0)
            row_sum = tl.sum(sums, 1)
    loss = logarithm - (chosen - top)
    if SMOOTH:
        weight = smoothing.to(DTYPE)
        uniform = weight * (logarithm - divide(row_sum, tl.full(row_sum.shape, 0, DTYPE) + length))
        # With weight 0, the target does not count even if its loss is infinite.
        loss = tl.where(weight == 1.0, uniform, (1.0 - weight) * loss + uniform)
    loss = tl.where(valid, loss, float("nan"))
    if IGNORES:
        loss = tl.where(label == ignored, 0.0, loss)
    tl.store(out + row, encode(loss, OUT_ENCODING, OUT_DTYPE), mask=exists)


@triton.jit
def scale_and_shift(values, weight, bias, column, valid, ENCODING: tl.constexpr, DTYPE: tl.constexpr):
    """Multiply by the weight and add the bias of each column, if present."""
    if weight is not None:
        values = values * decode(tl.load(weight + column, mask=valid, other=0), ENCODING, DTYPE)[None, :]
    if bias is not None:
        values = values + decode(tl.load(bias + column, mask=valid, other=0), ENCODING, DTYPE)[None, :]
    return values


@triton.jit
def deviations_of_tile(values, mask, number, CENTRE: tl.constexpr):
    """Deviations of complete rows from their means, and the mean of their squares; without ``CENTRE`` the mean is 0."""
    if CENTRE:
        values = tl.where(mask, values - divide(tl.sum(values, 1), number)[:, None], 0.0)
        # The rounding error of the mean is removed; a small standard deviation would magnify it.
        total, square = tl.reduce((values, values * values), 1, add_pairs)
        error = divide(total, number)
        values -= error[:, None]
        variance = divide(square, number) - error * error
        variance = tl.where(variance < 0.0, 0.0, variance)  # a NaN stays one
    else:
        variance = divide(tl.sum(values * values, 1), number)
    return values, variance


@triton.jit
def moments_of_rows(
    x, base, exists, length, factor, number, inner_shape, inner_strides, CENTRE: tl.constexpr,
    ENCODING: tl.constexpr, DTYPE: tl.constexpr, INNER: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
    EXACT: tl.constexpr,
):  # fmt: skip
    """Mean of ``x · factor`` over each row, its rounding error, and the mean square of the deviations from it.

    Each lane keeps the mean of its elements and the sum of squared deviations (Welford, 1962); lanes are combined by
    the deviations of their means (Chan, Golub and LeVeque, 1979).
    """
    mean = tl.full([ROWS, COLUMNS], 0, DTYPE)
    squares = tl.full([ROWS, COLUMNS], 0, DTYPE)
    count = tl.full([ROWS, COLUMNS], 0, DTYPE)
    for first in tl.range(0, length, COLUMNS):
        values, mask = row_elements(
            x, base, first + tl.arange(0, COLUMNS), exists, length, inner_shape, inner_strides, 0.0,
            ENCODING, DTYPE, INNER, EXACT,
        )  # fmt: skip
        values = values * factor[:, None]
        if CENTRE:
            count += mask.to(DTYPE)
            deviation = tl.where(mask, values - mean, 0.0)
            mean += divide(deviation, tl.maximum(count, 1.0))
            squares += deviation * tl.where(mask, values - mean, 0.0)
        else:
            squares += values * values
    if CENTRE:
        row_mean = divide(tl.sum(mean * count, 1), number)
        mean_deviation = mean - row_mean[:, None]
        mean_error = divide(tl.sum(mean_deviation * count, 1), number)
        mean_deviation -= mean_error[:, None]
        square = tl.sum(squares + count * (mean_deviation * mean_deviation), 1)
    else:
        row_mean = number * 0
        mean_error = number * 0
        square = tl.sum(squares, 1)
    return row_mean, mean_error, divide(square, number)


@triton.jit
def normalize_rows(
    out, x, weight, bias, rows, length, eps, root_eps, outer_shape, outer_strides, inner_shape, inner_strides,
    outer_out_strides, inner_out_strides,
    CENTRE: tl.constexpr, LEAST: tl.constexpr, SINGLE_TILE: tl.constexpr, EXACT: tl.constexpr,
    ENCODING: tl.constexpr, DTYPE: tl.constexpr, OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr,
    OUTER: tl.constexpr, INNER: tl.constexpr, OFFSETS_64: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row] = (x[row] - mean) / sqrt(mean((x[row] - mean)²) + eps) · weight + bias``; without ``CENTRE`` the mean
    counts as 0.

    Elements are divided by a power of two that neither they nor the root of ``eps`` exceed by far, so that no square
    leaves the range; those of long rows where the mean square leaves it, or is less than ``LEAST``.
    """
    row = program_index(OFFSETS_64) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base = element_offsets(row, outer_shape, outer_strides, OUTER)
    out_base = element_offsets(row, outer_shape, outer_out_strides, OUTER)
    number = tl.full([ROWS], 0, DTYPE) + length
    factor = tl.full([ROWS], 1, DTYPE)
    added = factor * eps.to(DTYPE)
    if SINGLE_TILE:
        column = tl.arange(0, COLUMNS)
        values, mask = row_elements(
            x, base, column, exists, length, inner_shape, inner_strides, 0.0, ENCODING, DTYPE, INNER, EXACT
        )
        factor = reciprocal(power_of_two(tl.maximum(tl.max(tl.abs(values), 1), root_eps.to(DTYPE))))
        added = added * factor * factor
        values, variance = deviations_of_tile(values * factor[:, None], mask, number, CENTRE)
        values = values * reciprocal(sqrt(variance + added))[:, None]
        values = scale_and_shift(values, weight, bias, column, column < length, ENCODING, DTYPE)
        offsets = out_base[:, None] + element_offsets(column, inner_shape, inner_out_strides, INNER)[None, :]
        tl.store(out + offsets, encode(values, OUT_ENCODING, OUT_DTYPE), mask=mask)
    else:
        row_mean, mean_error, variance = moments_of_rows(
            x, base, exists, length, factor, number, inner_shape, inner_strides, CENTRE,
            ENCODING, DTYPE, INNER, ROWS, COLUMNS, EXACT,
        )  # fmt: skip
        unusual = exists & (((variance + added >= LEAST) & (variance + added < float("inf"))) == 0)
        if any_row(unusual):
            largest = tl.full([ROWS, COLUMNS], 0, DTYPE) + root_eps.to(DTYPE)
            for first in tl.range(0, length, COLUMNS):
                values, mask = row_elements(
                    x, base, first + tl.arange(0, COLUMNS), exists, length, inner_shape, inner_strides, 0.0,
                    ENCODING, DTYPE, INNER, EXACT,
                )  # fmt: skip
                largest = tl.maximum(largest, tl.abs(values))
            factor = tl.where(unusual, reciprocal(power_of_two(tl.max(largest, 1))), factor)
            added = added * factor * factor
            row_mean, mean_error, variance = moments_of_rows(
                x, base, exists, length, factor, number, inner_shape, inner_strides, CENTRE,
                ENCODING, DTYPE, INNER, ROWS, COLUMNS, EXACT,
            )  # fmt: skip
        scale = reciprocal(sqrt(variance + added))[:, None]
        for i in tl.range(0, (length + COLUMNS - 1) // COLUMNS):
            column = ((length - 1) // COLUMNS - i) * COLUMNS + tl.arange(0, COLUMNS)
            values, mask = row_elements(
                x, base, column, exists, length, inner_shape, inner_strides, 0.0, ENCODING, DTYPE, INNER, EXACT
            )
            values = values * factor[:, None] - row_mean[:, None] - mean_error[:, None]
            values = values * scale
            values = scale_and_shift(values, weight, bias, column, column < length, ENCODING, DTYPE)
            offsets = out_base[:, None] + element_offsets(column, inner_shape, inner_out_strides, INNER)[None, :]
            tl.store(out + offsets, encode(values, OUT_ENCODING, OUT_DTYPE), mask=mask)


@triton.jit
def rotate_pairs(
    out, x, cos, sin, size, x_pair_stride, out_pair_stride, shape, out_strides, x_strides, cos_strides, sin_strides,
    ENCODING: tl.constexpr, DTYPE: tl.constexpr, OUT_DTYPE: tl.constexpr,
    NDIM: tl.constexpr, OFFSETS_64: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Rotate pairs of elements by angles; the elements of a pair are ``x_pair_stride`` apart."""
    index = block_indices(BLOCK, OFFSETS_64)
    mask = index < size
    start = x + element_offsets(index, shape, x_strides, NDIM)
    first = decode(tl.load(start, mask=mask, other=0), ENCODING, DTYPE)
    second = decode(tl.load(start + x_pair_stride, mask=mask, other=0), ENCODING, DTYPE)
    c = decode(tl.load(cos + element_offsets(index, shape, cos_strides, NDIM), mask=mask, other=0), ENCODING, DTYPE)
    s = decode(tl.load(sin + element_offsets(index, shape, sin_strides, NDIM), mask=mask, other=0), ENCODING, DTYPE)
    target = out + element_offsets(index, shape, out_strides, NDIM)
    tl.store(target, encode(first * c - second * s, ENCODING, OUT_DTYPE), mask=mask)
    tl.store(target + out_pair_stride, encode(second * c + first * s, ENCODING, OUT_DTYPE), mask=mask)
