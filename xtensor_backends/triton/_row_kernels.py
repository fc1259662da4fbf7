# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803, SIM108
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Kernels along rows: reductions, positions of extrema, scans.

A program processes ``ROWS`` rows, and of each row ``chunk`` elements from ``part · chunk`` on, ``COLUMNS`` at a time.
If rows have one part, it stores the result; else it stores a partial result in a table of ``rows × parts`` that a
second launch reduces. No two programs write to the same element, so that results are reproducible.

``OUTER`` and ``INNER`` are the numbers of axes that the offsets of a row and of an element within it are computed from.
``OP`` names the operation that combines two numbers of a reduction, in scans the reduction. ``ACCUMULATE_DTYPE`` is the
dtype of partial results. ``ENCODING``, ``DTYPE``: see
:mod:`xtensor_backends.triton._kernels`.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ._kernels import decode, element_offsets, encode, program_index
from ._library import divide, maximum, minimum, multiply, reciprocal, sqrt


@triton.jit
def rows_and_part(parts, ROWS: tl.constexpr, OFFSETS_64: tl.constexpr):
    """Rows and part of this program."""
    program = program_index(OFFSETS_64)
    return (program // parts) * ROWS + tl.arange(0, ROWS), program % parts


@triton.jit
def reduce_tile(values, OP: tl.constexpr):
    """Reduce each row of a tile."""
    if OP == "add":
        result = tl.sum(values, 1)
    elif OP == "multiply":
        result = tl.reduce(values, 1, multiply)
    elif OP == "maximum":
        result = tl.reduce(values, 1, maximum)
    else:
        result = tl.reduce(values, 1, minimum)
    return result


@triton.jit
def load_tile(
    x, base, column, mask, inner_shape, inner_strides, ENCODING: tl.constexpr, DTYPE: tl.constexpr, INNER: tl.constexpr
):
    """Load the elements of columns of rows that begin at the offsets ``base``."""
    offsets = base[:, None] + element_offsets(column, inner_shape, inner_strides, INNER)[None, :]
    return decode(tl.load(x + offsets, mask=mask, other=0), ENCODING, DTYPE)


@triton.jit
def accumulate(total, errors, values, OP: tl.constexpr, COMPENSATE: tl.constexpr):
    """Combine a tile with those before it.

    ``COMPENSATE`` sums the rounding error of each addition (Knuth's TwoSum) in ``errors``.
    """
    if OP == "add":
        if COMPENSATE:
            sum = total + values
            added = sum - total
            errors += (total - (sum - added)) + (values - added)
            total = sum
        else:
            total += values
    elif OP == "multiply":
        total *= values
    elif OP == "maximum":
        total = maximum(total, values)
    else:
        total = minimum(total, values)
    return total, errors


@triton.jit
def reduce_total(total, errors, OP: tl.constexpr, COMPENSATE: tl.constexpr):
    """Reduce each row of the combined tiles, and add the errors of a sum."""
    result = reduce_tile(total, OP)
    if COMPENSATE:
        # The error of an infinite or NaN sum is NaN.
        correction = tl.sum(errors, 1)
        result = tl.where(correction == correction, result + correction, result)
    return result


@triton.jit
def map_elements(values, factor, MAP: tl.constexpr, ACCUMULATE_DTYPE: tl.constexpr):
    """Map elements before they are reduced: to themselves, times a factor of their row if present, or to ``x != 0``."""
    if MAP == "truth":
        values = (values != 0).to(ACCUMULATE_DTYPE)
    else:
        values = values.to(ACCUMULATE_DTYPE)
    if factor is not None:
        values = values * factor[:, None]
    return values


@triton.jit
def tile_mask(column, end, exists, EXACT: tl.constexpr):
    """Mask of the elements of a tile that lie before the end of a row that exists."""
    if EXACT:
        # The compiler removes a mask that is true everywhere.
        mask = tl.full([exists.shape[0], column.shape[0]], True, tl.int1)
    else:
        mask = exists[:, None] & (column < end)[None, :]
    return mask


@triton.jit
def reduce_part(
    x, base, exists, start, end, factor, inner_shape, inner_strides, OP: tl.constexpr, MAP: tl.constexpr,
    IDENTITY: tl.constexpr, COMPENSATE: tl.constexpr, ENCODING: tl.constexpr, DTYPE: tl.constexpr,
    ACCUMULATE_DTYPE: tl.constexpr, EXACT: tl.constexpr, INNER: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Reduce the elements of each row from ``start`` to ``end``."""
    total = tl.full([ROWS, COLUMNS], IDENTITY, ACCUMULATE_DTYPE)
    errors = tl.full([ROWS, COLUMNS], 0, ACCUMULATE_DTYPE)
    for first in tl.range(start, end, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        mask = tile_mask(column, end, exists, EXACT)
        values = load_tile(x, base, column, mask, inner_shape, inner_strides, ENCODING, DTYPE, INNER)
        values = map_elements(values, factor, MAP, ACCUMULATE_DTYPE)
        values = tl.where(mask, values, tl.full([ROWS, COLUMNS], IDENTITY, ACCUMULATE_DTYPE))
        total, errors = accumulate(total, errors, values, OP, COMPENSATE)
    return reduce_total(total, errors, OP, COMPENSATE)


@triton.jit
def any_row(condition):
    """Whether a condition holds for any row."""
    return tl.max(condition.to(tl.int32), 0) > 0


@triton.jit
def power_of_two(x):
    """Power of two not greater than a positive number, within limits that keep quotients and their squares in range."""
    if x.dtype == tl.float64:
        power = (x.to(tl.int64, bitcast=True) & 0x7FF0000000000000).to(tl.float64, bitcast=True)
        power = tl.minimum(tl.maximum(power, 2.0**-1000), 2.0**1000)
    else:
        power = (x.to(tl.int32, bitcast=True) & 0x7F800000).to(tl.float32, bitcast=True)
        power = tl.minimum(tl.maximum(power, 2.0**-120), 2.0**120)
    return power


@triton.jit
def scale_of_part(
    x, base, exists, start, end, inner_shape, inner_strides, ENCODING: tl.constexpr, DTYPE: tl.constexpr,
    ACCUMULATE_DTYPE: tl.constexpr, EXACT: tl.constexpr, INNER: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Power of two near the largest element of each row from ``start`` to ``end``."""
    largest = tl.full([ROWS, COLUMNS], 0, ACCUMULATE_DTYPE)
    for first in tl.range(start, end, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        mask = tile_mask(column, end, exists, EXACT)
        values = load_tile(x, base, column, mask, inner_shape, inner_strides, ENCODING, DTYPE, INNER)
        largest = tl.maximum(largest, tl.where(mask, tl.abs(values.to(ACCUMULATE_DTYPE)), 0.0))
    return power_of_two(tl.max(largest, 1))


@triton.jit
def reduce_rows(
    out, x, rows, length, chunk, parts, divisor, outer_shape, outer_strides, inner_shape, inner_strides,
    OP: tl.constexpr, MAP: tl.constexpr, IS_MEAN: tl.constexpr, SCALES: tl.constexpr, IDENTITY: tl.constexpr,
    COMPENSATE: tl.constexpr, ENCODING: tl.constexpr, DTYPE: tl.constexpr, ACCUMULATE_DTYPE: tl.constexpr,
    EXACT: tl.constexpr, OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr,
    OUTER: tl.constexpr, INNER: tl.constexpr, OFFSETS_64: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row, part] = OP(MAP(x[row, …]))``, divided by ``divisor`` with ``IS_MEAN``.

    ``EXACT``: all tiles lie within the rows and parts, so that nothing is masked. ``SCALES``: means of rows whose sum
    leaves the range are computed again from elements divided by a power of two.
    """
    row, part = rows_and_part(parts, ROWS, OFFSETS_64)
    exists = row < rows
    base = element_offsets(row, outer_shape, outer_strides, OUTER)
    start = part * chunk
    end = tl.minimum(start + chunk, length)
    result = reduce_part(
        x, base, exists, start, end, None, inner_shape, inner_strides, OP, MAP, IDENTITY, COMPENSATE,
        ENCODING, DTYPE, ACCUMULATE_DTYPE, EXACT, INNER, ROWS, COLUMNS,
    )  # fmt: skip
    if IS_MEAN:
        result = divide(result, divisor.to(ACCUMULATE_DTYPE))
    if SCALES:
        overflows = exists & ((tl.abs(result) < float("inf")) == 0)
        if any_row(overflows):
            scale = scale_of_part(
                x, base, exists, start, end, inner_shape, inner_strides,
                ENCODING, DTYPE, ACCUMULATE_DTYPE, EXACT, INNER, ROWS, COLUMNS,
            )  # fmt: skip
            again = reduce_part(
                x, base, exists, start, end, reciprocal(scale), inner_shape, inner_strides, OP, MAP, IDENTITY,
                COMPENSATE, ENCODING, DTYPE, ACCUMULATE_DTYPE, EXACT, INNER, ROWS, COLUMNS,
            )  # fmt: skip
            result = tl.where(overflows, divide(again, divisor.to(ACCUMULATE_DTYPE)) * scale, result)
    tl.store(out + row * parts + part, encode(result, OUT_ENCODING, OUT_DTYPE), mask=exists)


@triton.jit
def squares_of_part(
    x, base, exists, start, end, center, factor, inner_shape, inner_strides, COMPENSATE: tl.constexpr,
    ENCODING: tl.constexpr, DTYPE: tl.constexpr, ACCUMULATE_DTYPE: tl.constexpr, EXACT: tl.constexpr,
    INNER: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Sums of ``(x · factor - center)²`` and of ``x · factor - center`` over each row from ``start`` to ``end``."""
    total = tl.full([ROWS, COLUMNS], 0, ACCUMULATE_DTYPE)
    errors = tl.full([ROWS, COLUMNS], 0, ACCUMULATE_DTYPE)
    drift = tl.full([ROWS, COLUMNS], 0, ACCUMULATE_DTYPE)
    for first in tl.range(start, end, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        mask = tile_mask(column, end, exists, EXACT)
        values = load_tile(x, base, column, mask, inner_shape, inner_strides, ENCODING, DTYPE, INNER)
        distance = tl.where(mask, values.to(ACCUMULATE_DTYPE) * factor[:, None] - center[:, None], 0.0)
        total, errors = accumulate(total, errors, distance * distance, "add", COMPENSATE)
        drift += distance
    return reduce_total(total, errors, "add", COMPENSATE), tl.sum(drift, 1)


@triton.jit
def deviation_rows(
    out, out_drift, x, x_drift, means, rows, length, chunk, parts, divisor, number,
    outer_shape, outer_strides, inner_shape, inner_strides,
    FINISH: tl.constexpr, SCALES: tl.constexpr, LEAST: tl.constexpr, TOLERANCE: tl.constexpr, COMPENSATE: tl.constexpr,
    ENCODING: tl.constexpr, DTYPE: tl.constexpr, ACCUMULATE_DTYPE: tl.constexpr, EXACT: tl.constexpr,
    OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr,
    OUTER: tl.constexpr, INNER: tl.constexpr, OFFSETS_64: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Root of the sum of ``(x[row, …] - mean)²`` for a part of a row (``FINISH`` is ``"part"``), variance of a row
    (``"mean"``) or standard deviation (``"root"``).

    A second launch reads the roots of parts as ``x``, without ``means``. ``out_drift`` and ``x_drift`` are the sums of
    ``x - mean`` over parts divided by ``number``, the length of a row: they add up to the rounding error of the mean.
    Their part of the squares is subtracted; what is left is 0 where it is not greater than ``TOLERANCE`` times them.
    ``SCALES``: rows whose squares leave the range, or sum up to less than ``LEAST``, are computed again from elements
    divided by a power of two.
    """
    row, part = rows_and_part(parts, ROWS, OFFSETS_64)
    exists = row < rows
    base = element_offsets(row, outer_shape, outer_strides, OUTER)
    if means is not None:
        center = tl.load(means + row, mask=exists, other=0)
    else:
        center = tl.full([ROWS], 0, ACCUMULATE_DTYPE)
    start = part * chunk
    end = tl.minimum(start + chunk, length)
    scale = tl.full([ROWS], 1, ACCUMULATE_DTYPE)
    total, drift = squares_of_part(
        x, base, exists, start, end, center, scale, inner_shape, inner_strides, COMPENSATE,
        ENCODING, DTYPE, ACCUMULATE_DTYPE, EXACT, INNER, ROWS, COLUMNS,
    )  # fmt: skip
    if SCALES:
        unusual = exists & (((total >= LEAST) & (total < float("inf"))) == 0)
        if any_row(unusual):
            power = scale_of_part(
                x, base, exists, start, end, inner_shape, inner_strides,
                ENCODING, DTYPE, ACCUMULATE_DTYPE, EXACT, INNER, ROWS, COLUMNS,
            )  # fmt: skip
            scale = tl.where(unusual, power, scale)
            factor = reciprocal(scale)
            total, drift = squares_of_part(
                x, base, exists, start, end, center * factor, factor, inner_shape, inner_strides, COMPENSATE,
                ENCODING, DTYPE, ACCUMULATE_DTYPE, EXACT, INNER, ROWS, COLUMNS,
            )  # fmt: skip
    if FINISH == "part":
        tl.store(out_drift + row * parts + part, divide(drift, number.to(ACCUMULATE_DTYPE)) * scale, mask=exists)
        result = sqrt(total) * scale
    else:
        if x_drift is not None:
            error = reduce_part(
                x_drift, base, exists, start, end, None, inner_shape, inner_strides, "add", "none", 0, False,
                "plain", ACCUMULATE_DTYPE, ACCUMULATE_DTYPE, EXACT, INNER, ROWS, COLUMNS,
            ) * reciprocal(scale)  # fmt: skip
        else:
            error = divide(drift, number.to(ACCUMULATE_DTYPE))
        excess = number.to(ACCUMULATE_DTYPE) * (error * error)
        # All elements are equal where the distances are the rounding error of the mean.
        rest = tl.where(total - excess <= total * TOLERANCE, 0.0, total - excess)
        total = tl.where(excess <= 2.0 * total, rest, total)
        result = divide(total, divisor.to(ACCUMULATE_DTYPE))
        if FINISH == "root":
            result = sqrt(result) * scale
        else:
            result = result * scale * scale
    tl.store(out + row * parts + part, encode(result, OUT_ENCODING, OUT_DTYPE), mask=exists)


@triton.jit
def select_larger(value, index, other, other_index):
    """Return the larger value and its index; NaN is largest, and the lower index wins a tie."""
    larger = (value > other) | ((value != value) & (other == other))
    tied = (value == other) | ((value != value) & (other != other))
    first = larger | (tied & (index < other_index))
    return tl.where(first, value, other), tl.where(first, index, other_index)


@triton.jit
def select_smaller(value, index, other, other_index):
    """Return the smaller value and its index; NaN is smallest, and the lower index wins a tie."""
    smaller = (value < other) | ((value != value) & (other == other))
    tied = (value == other) | ((value != value) & (other != other))
    first = smaller | (tied & (index < other_index))
    return tl.where(first, value, other), tl.where(first, index, other_index)


@triton.jit
def arg_extremum_rows(
    out, out_values, x, indices, rows, length, chunk, parts, outer_shape, outer_strides, inner_shape, inner_strides,
    LARGEST: tl.constexpr, IDENTITY: tl.constexpr, INVALID_INDEX: tl.constexpr, HAS_INDICES: tl.constexpr,
    STORE_VALUES: tl.constexpr, ENCODING: tl.constexpr, DTYPE: tl.constexpr, INDEX_DTYPE: tl.constexpr,
    OUTER: tl.constexpr, INNER: tl.constexpr, OFFSETS_64: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row, part]`` is the index of the maximum (or minimum) of ``x[row, …]``.

    ``HAS_INDICES`` loads the index of each element from ``indices``. ``INVALID_INDEX`` is larger than every index, so
    that the ``IDENTITY`` of masked elements loses every tie. ``STORE_VALUES`` also stores the extrema.
    """
    row, part = rows_and_part(parts, ROWS, OFFSETS_64)
    exists = row < rows
    base = element_offsets(row, outer_shape, outer_strides, OUTER)
    best = tl.full([ROWS, COLUMNS], IDENTITY, DTYPE)
    best_index = tl.full([ROWS, COLUMNS], INVALID_INDEX, INDEX_DTYPE)
    start = part * chunk
    end = tl.minimum(start + chunk, length)
    for first in tl.range(start, end, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        mask = exists[:, None] & (column < end)[None, :]
        offsets = base[:, None] + element_offsets(column, inner_shape, inner_strides, INNER)[None, :]
        value = decode(tl.load(x + offsets, mask=mask, other=0), ENCODING, DTYPE)
        value = tl.where(mask, value, tl.full([ROWS, COLUMNS], IDENTITY, DTYPE))
        if HAS_INDICES:
            index = tl.load(indices + offsets, mask=mask, other=INVALID_INDEX)
        else:
            index = tl.where(mask, column[None, :], INVALID_INDEX).to(INDEX_DTYPE)
        if LARGEST:
            best, best_index = select_larger(best, best_index, value, index)
        else:
            best, best_index = select_smaller(best, best_index, value, index)
    if LARGEST:
        row_best, row_index = tl.reduce((best, best_index), 1, select_larger)
    else:
        row_best, row_index = tl.reduce((best, best_index), 1, select_smaller)
    tl.store(out + row * parts + part, row_index.to(tl.int64), mask=exists)
    if STORE_VALUES:
        tl.store(out_values + row * parts + part, row_best, mask=exists)


@triton.jit
def scan_rows(
    out, x, carries, rows, length, chunk, parts, outer_shape, outer_strides, outer_out_strides, stride, out_stride,
    OP: tl.constexpr, IDENTITY: tl.constexpr, HAS_CARRIES: tl.constexpr, SHIFT: tl.constexpr,
    ENCODING: tl.constexpr, DTYPE: tl.constexpr, ACCUMULATE_DTYPE: tl.constexpr,
    OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr,
    OUTER: tl.constexpr, OFFSETS_64: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row, i + SHIFT] = OP(x[row, : i + 1])``; with ``SHIFT`` 1, a row begins with ``IDENTITY``.

    ``HAS_CARRIES``: ``carries[row, part]`` is the result of all parts before a part.
    """
    row, part = rows_and_part(parts, ROWS, OFFSETS_64)
    exists = row < rows
    base = element_offsets(row, outer_shape, outer_strides, OUTER)
    out_base = element_offsets(row, outer_shape, outer_out_strides, OUTER)
    carry = tl.full([ROWS], IDENTITY, ACCUMULATE_DTYPE)
    if HAS_CARRIES:
        carry = tl.load(carries + row * (parts + 1) + part, mask=exists, other=IDENTITY)
    if SHIFT:
        beginning = encode(tl.full([ROWS], IDENTITY, ACCUMULATE_DTYPE), OUT_ENCODING, OUT_DTYPE)
        tl.store(out + out_base, beginning, mask=exists & ((part + row * 0) == 0))
    start = part * chunk
    end = tl.minimum(start + chunk, length)
    for first in tl.range(start, end, COLUMNS):
        lane = tl.arange(0, COLUMNS)
        column = first + lane
        mask = exists[:, None] & (column < end)[None, :]
        values = decode(tl.load(x + (base[:, None] + (column * stride)[None, :]), mask=mask, other=0), ENCODING, DTYPE)
        values = tl.where(mask, values.to(ACCUMULATE_DTYPE), tl.full([ROWS, COLUMNS], IDENTITY, ACCUMULATE_DTYPE))
        if OP == "sum":
            scanned = tl.cumsum(values, 1) + carry[:, None]
        else:
            scanned = tl.cumprod(values, 1) * carry[:, None]
        offsets = out_base[:, None] + ((column + SHIFT) * out_stride)[None, :]
        tl.store(out + offsets, encode(scanned, OUT_ENCODING, OUT_DTYPE), mask=mask)
        carry = tl.sum(
            tl.where((lane == COLUMNS - 1)[None, :], scanned, tl.full([ROWS, COLUMNS], 0, ACCUMULATE_DTYPE)), 1
        )
