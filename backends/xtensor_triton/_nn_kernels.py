# What Triton compiles is no Python: no types, constants in capitals, branches that must stay branches.
# ruff: noqa: ANN001, ANN202, N803, SIM108
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The kernels of neural networks that go along rows, each row read once where a tile holds it.

A program takes ``ROWS`` rows. ``WHOLE``: a tile holds them, and an element is loaded once and stored once. Otherwise a
row is gone over ``COLUMNS`` elements at a time: once to gather, each lane for itself, and once more to store, from the
end back to the beginning, where what was read last may still be in the cache.

``KEPT`` and ``INNER``, ``FORM``, ``DTYPE``: see :mod:`xtensor_triton._rows`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ._kernels import decoded, encoded, offsets_of, positions, program_number
from ._ops import divide, exp, log, sqrt


@triton.jit
def row_elements(
    x, base, column, exists, length, inner_shape, inner_steps, FILL: tl.constexpr,
    FORM: tl.constexpr, DTYPE: tl.constexpr, INNER: tl.constexpr,
):  # fmt: skip
    """The elements of rows at some columns, ``FILL`` where there are none, and where there are some."""
    mask = exists[:, None] & (column < length)[None, :]
    places = base[:, None] + offsets_of(column, inner_shape, inner_steps, INNER)[None, :]
    values = decoded(tl.load(x + places, mask=mask, other=0), FORM, DTYPE)
    return tl.where(mask, values, tl.full(values.shape, FILL, DTYPE)), mask


@triton.jit
def finite_or_zero(top):
    """What is taken from exponents: nothing where there is no element above minus infinity."""
    return tl.where(top == float("-inf"), 0.0, top)


@triton.jit
def largest_and_total(
    x, base, exists, length, inner_shape, inner_steps, FORM: tl.constexpr, DTYPE: tl.constexpr,
    INNER: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The largest element of each row, and the sum of exponentials that it is taken from, in one pass.

    A lane keeps its own largest element and sum; a new largest one scales the sum (Milakov and Gimelshein, 2018).
    """
    top = tl.full([ROWS, COLUMNS], float("-inf"), DTYPE)
    total = tl.full([ROWS, COLUMNS], 0, DTYPE)
    for first in tl.range(0, length, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        values, _ = row_elements(
            x, base, column, exists, length, inner_shape, inner_steps, float("-inf"), FORM, DTYPE, INNER
        )
        above = tl.maximum(top, values)
        taken = finite_or_zero(above)
        total = total * exp(top - taken) + exp(values - taken)
        top = above
    row_top = tl.max(top, 1)
    row_total = tl.sum(total * exp(top - finite_or_zero(row_top)[:, None]), 1)
    return row_top, row_total


@triton.jit
def softmax_rows(
    out, x, rows, length, kept_shape, kept_steps, inner_shape, inner_steps, kept_out_steps, inner_out_steps,
    LOG: tl.constexpr, WHOLE: tl.constexpr, FORM: tl.constexpr, DTYPE: tl.constexpr,
    OUT_FORM: tl.constexpr, OUT_DTYPE: tl.constexpr,
    KEPT: tl.constexpr, INNER: tl.constexpr, WIDE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row] = exp(x[row] - max) / sum(exp(x[row] - max))``, or its logarithm."""
    row = program_number(WIDE) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base = offsets_of(row, kept_shape, kept_steps, KEPT)
    out_base = offsets_of(row, kept_shape, kept_out_steps, KEPT)
    if WHOLE:
        column = tl.arange(0, COLUMNS)
        values, mask = row_elements(
            x, base, column, exists, length, inner_shape, inner_steps, float("-inf"), FORM, DTYPE, INNER
        )
        centred = values - tl.max(values, 1)[:, None]
        weights = exp(centred)
        total = tl.sum(tl.where(mask, weights, 0.0), 1)[:, None]
        if LOG:
            result = centred - log(total)
        else:
            result = divide(weights, total.broadcast_to(weights.shape))
        places = out_base[:, None] + offsets_of(column, inner_shape, inner_out_steps, INNER)[None, :]
        tl.store(out + places, encoded(result, OUT_FORM, OUT_DTYPE), mask=mask)
    else:
        top, total = largest_and_total(
            x, base, exists, length, inner_shape, inner_steps, FORM, DTYPE, INNER, ROWS, COLUMNS
        )
        for behind in tl.range(0, (length + COLUMNS - 1) // COLUMNS):
            column = ((length - 1) // COLUMNS - behind) * COLUMNS + tl.arange(0, COLUMNS)
            values, mask = row_elements(
                x, base, column, exists, length, inner_shape, inner_steps, float("-inf"), FORM, DTYPE, INNER
            )
            centred = values - top[:, None]
            if LOG:
                result = centred - log(total)[:, None]
            else:
                result = divide(exp(centred), total[:, None].broadcast_to(centred.shape))
            places = out_base[:, None] + offsets_of(column, inner_shape, inner_out_steps, INNER)[None, :]
            tl.store(out + places, encoded(result, OUT_FORM, OUT_DTYPE), mask=mask)


@triton.jit
def cross_entropy_rows(
    out, x, target, rows, length, smoothing, ignored, kept_shape, kept_steps, inner_shape, inner_steps,
    kept_target_steps,
    IGNORES: tl.constexpr, SMOOTH: tl.constexpr, WHOLE: tl.constexpr, FORM: tl.constexpr, DTYPE: tl.constexpr,
    KEPT: tl.constexpr, INNER: tl.constexpr, WIDE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row] = log(sum(exp(x[row]))) - x[row, target[row]]``, mixed with the mean over all classes by ``SMOOTH``.

    Rows whose target is no class give NaN, those whose target is ``ignored`` 0.
    """
    row = program_number(WIDE) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base = offsets_of(row, kept_shape, kept_steps, KEPT)
    wanted = tl.load(target + offsets_of(row, kept_shape, kept_target_steps, KEPT), mask=exists, other=0).to(tl.int64)
    inside = (wanted >= 0) & (wanted < length)
    spot = base + offsets_of(tl.where(inside, wanted, 0), inner_shape, inner_steps, INNER)
    chosen = decoded(tl.load(x + spot, mask=exists & inside, other=0), FORM, DTYPE)
    if WHOLE:
        values, mask = row_elements(
            x, base, tl.arange(0, COLUMNS), exists, length, inner_shape, inner_steps, float("-inf"), FORM, DTYPE, INNER
        )
        top = tl.max(values, 1)
        total = tl.sum(tl.where(mask, exp(values - top[:, None]), 0.0), 1)
        if SMOOTH:
            whole = tl.sum(tl.where(mask, values - top[:, None], 0.0), 1)
    else:
        top, total = largest_and_total(
            x, base, exists, length, inner_shape, inner_steps, FORM, DTYPE, INNER, ROWS, COLUMNS
        )
        if SMOOTH:
            sums = tl.full([ROWS, COLUMNS], 0, DTYPE)
            for first in tl.range(0, length, COLUMNS):
                values, mask = row_elements(
                    x, base, first + tl.arange(0, COLUMNS), exists, length, inner_shape, inner_steps, 0.0,
                    FORM, DTYPE, INNER,
                )  # fmt: skip
                sums += tl.where(mask, values - top[:, None], 0.0)
            whole = tl.sum(sums, 1)
    logarithm = log(total)
    loss = logarithm - (chosen - top)
    if SMOOTH:
        share = smoothing.to(DTYPE)
        loss = (1.0 - share) * loss + share * (logarithm - divide(whole, (whole * 0 + 1.0) * length))
    loss = tl.where(inside, loss, float("nan"))
    if IGNORES:
        loss = tl.where(wanted == ignored, 0.0, loss)
    tl.store(out + row, loss.to(DTYPE), mask=exists)


@triton.jit
def normalized(values, weight, bias, column, inside, FORM: tl.constexpr, DTYPE: tl.constexpr):
    """Scaled and shifted by what belongs to a column."""
    if weight is not None:
        values = values * decoded(tl.load(weight + column, mask=inside, other=0), FORM, DTYPE)[None, :]
    if bias is not None:
        values = values + decoded(tl.load(bias + column, mask=inside, other=0), FORM, DTYPE)[None, :]
    return values


@triton.jit
def normalize_rows(
    out, x, weight, bias, rows, length, eps, kept_shape, kept_steps, inner_shape, inner_steps,
    kept_out_steps, inner_out_steps,
    CENTRE: tl.constexpr, WHOLE: tl.constexpr, FORM: tl.constexpr, DTYPE: tl.constexpr,
    OUT_FORM: tl.constexpr, OUT_DTYPE: tl.constexpr,
    KEPT: tl.constexpr, INNER: tl.constexpr, WIDE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row] = (x[row] - mean) / sqrt(mean((x[row] - mean)²) + eps) · weight + bias``; the mean is 0 without
    ``CENTRE``.
    """
    row = program_number(WIDE) * ROWS + tl.arange(0, ROWS)
    exists = row < rows
    base = offsets_of(row, kept_shape, kept_steps, KEPT)
    out_base = offsets_of(row, kept_shape, kept_out_steps, KEPT)
    number = tl.full([ROWS], 0, DTYPE) + length
    if WHOLE:
        column = tl.arange(0, COLUMNS)
        values, mask = row_elements(x, base, column, exists, length, inner_shape, inner_steps, 0.0, FORM, DTYPE, INNER)
        if CENTRE:
            values = tl.where(mask, values - divide(tl.sum(values, 1), number)[:, None], 0.0)
        spread = sqrt(divide(tl.sum(values * values, 1), number) + eps.to(DTYPE))
        values = divide(values, spread[:, None].broadcast_to(values.shape))
        values = normalized(values, weight, bias, column, column < length, FORM, DTYPE)
        places = out_base[:, None] + offsets_of(column, inner_shape, inner_out_steps, INNER)[None, :]
        tl.store(out + places, encoded(values, OUT_FORM, OUT_DTYPE), mask=mask)
    else:
        # Each lane keeps the mean of its elements and the sum of squared distances from it (Welford, 1962); those of
        # lanes are put together by the distances between their means (Chan, Golub and LeVeque, 1979).
        mean = tl.full([ROWS, COLUMNS], 0, DTYPE)
        squares = tl.full([ROWS, COLUMNS], 0, DTYPE)
        count = tl.full([ROWS, COLUMNS], 0, DTYPE)
        for first in tl.range(0, length, COLUMNS):
            values, mask = row_elements(
                x, base, first + tl.arange(0, COLUMNS), exists, length, inner_shape, inner_steps, 0.0,
                FORM, DTYPE, INNER,
            )  # fmt: skip
            if CENTRE:
                count += mask.to(DTYPE)
                distance = tl.where(mask, values - mean, 0.0)
                mean += divide(distance, tl.maximum(count, 1.0))
                squares += distance * tl.where(mask, values - mean, 0.0)
            else:
                squares += values * values
        if CENTRE:
            row_mean = divide(tl.sum(mean * count, 1), number)
            apart = mean - row_mean[:, None]
            square = tl.sum(squares + count * (apart * apart), 1)
        else:
            row_mean = number * 0
            square = tl.sum(squares, 1)
        spread = sqrt(divide(square, number) + eps.to(DTYPE))
        for behind in tl.range(0, (length + COLUMNS - 1) // COLUMNS):
            column = ((length - 1) // COLUMNS - behind) * COLUMNS + tl.arange(0, COLUMNS)
            values, mask = row_elements(
                x, base, column, exists, length, inner_shape, inner_steps, 0.0, FORM, DTYPE, INNER
            )
            values = divide(values - row_mean[:, None], spread[:, None].broadcast_to(values.shape))
            values = normalized(values, weight, bias, column, column < length, FORM, DTYPE)
            places = out_base[:, None] + offsets_of(column, inner_shape, inner_out_steps, INNER)[None, :]
            tl.store(out + places, encoded(values, OUT_FORM, OUT_DTYPE), mask=mask)


@triton.jit
def rotate_pairs(
    out, x, cos, sin, size, x_apart, out_apart, shape, out_steps, x_steps, cos_steps, sin_steps,
    FORM: tl.constexpr, DTYPE: tl.constexpr, OUT_DTYPE: tl.constexpr,
    NDIM: tl.constexpr, WIDE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Pairs turned by an angle: ``x_apart`` and ``out_apart`` are the distances of a pair's elements."""
    index = positions(BLOCK, WIDE)
    mask = index < size
    start = x + offsets_of(index, shape, x_steps, NDIM)
    first = decoded(tl.load(start, mask=mask, other=0), FORM, DTYPE)
    second = decoded(tl.load(start + x_apart, mask=mask, other=0), FORM, DTYPE)
    c = decoded(tl.load(cos + offsets_of(index, shape, cos_steps, NDIM), mask=mask, other=0), FORM, DTYPE)
    s = decoded(tl.load(sin + offsets_of(index, shape, sin_steps, NDIM), mask=mask, other=0), FORM, DTYPE)
    into = out + offsets_of(index, shape, out_steps, NDIM)
    tl.store(into, encoded(first * c - second * s, FORM, OUT_DTYPE), mask=mask)
    tl.store(into + out_apart, encoded(second * c + first * s, FORM, OUT_DTYPE), mask=mask)
