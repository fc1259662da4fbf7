# What Triton compiles is no Python: no types, constants in capitals, branches that must stay branches.
# ruff: noqa: ANN001, ANN202, N803, SIM108
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The kernels that go along rows: reductions, positions of extremes, scans.

A program takes ``ROWS`` rows, and of each the elements from ``part · chunk`` on, ``chunk`` of them, ``COLUMNS`` at a
time. With one part a row it writes the result; with several, what it has found goes into a table of ``rows × parts``
that a second launch goes along. No two programs write to one place, so that a result is the same in every run.

``KEPT`` and ``INNER`` are the numbers of axes to find a row's and an element's place by; ``FORM``, ``DTYPE``: see
:mod:`xtensor_triton._kernels`; ``TOTAL`` is the dtype in which results are gathered.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ._kernels import decoded, encoded, offsets_of, program_number
from ._ops import divide, maximum, minimum, multiply, sqrt


@triton.jit
def program_part(parts, ROWS: tl.constexpr, WIDE: tl.constexpr):
    """The rows and the part of this program."""
    program = program_number(WIDE)
    return (program // parts) * ROWS + tl.arange(0, ROWS), program % parts


@triton.jit
def gathered(values, OP: tl.constexpr):
    """A row's elements made one."""
    if OP == "sum":
        result = tl.sum(values, 1)
    elif OP == "prod":
        result = tl.reduce(values, 1, multiply)
    elif OP == "max":
        result = tl.reduce(values, 1, maximum)
    else:
        result = tl.reduce(values, 1, minimum)
    return result


@triton.jit
def mapped(values, row_means, MAP: tl.constexpr, TOTAL: tl.constexpr):
    """What is gathered of an element: itself, whether it is not 0, or its squared distance from the mean."""
    if MAP == "truth":
        values = (values != 0).to(TOTAL)
    else:
        values = values.to(TOTAL)
    if MAP == "squares":
        values = values - row_means
        values = values * values
    return values


@triton.jit
def reduce_rows(
    out, x, means, rows, length, chunk, parts, divisor, kept_shape, kept_steps, inner_shape, inner_steps,
    OP: tl.constexpr, MAP: tl.constexpr, FINISH: tl.constexpr, IDENTITY: tl.constexpr, COMPENSATE: tl.constexpr,
    FORM: tl.constexpr, DTYPE: tl.constexpr, TOTAL: tl.constexpr, OUT_FORM: tl.constexpr, OUT_DTYPE: tl.constexpr,
    KEPT: tl.constexpr, INNER: tl.constexpr, WIDE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row, part] = OP(MAP(x[row, …]))``, then ``FINISH``: division by ``divisor``, and a square root.

    ``COMPENSATE`` keeps what each addition rounds away (Knuth's TwoSum) and adds it in the end.
    """
    row, part = program_part(parts, ROWS, WIDE)
    exists = row < rows
    base = offsets_of(row, kept_shape, kept_steps, KEPT)
    if MAP == "squares":
        row_means = tl.load(means + row, mask=exists, other=0)[:, None]
    else:
        row_means = 0
    total = tl.full([ROWS, COLUMNS], IDENTITY, TOTAL)
    lost = tl.full([ROWS, COLUMNS], 0, TOTAL)
    start = part * chunk
    end = tl.minimum(start + chunk, length)
    for first in tl.range(start, end, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        mask = exists[:, None] & (column < end)[None, :]
        places = base[:, None] + offsets_of(column, inner_shape, inner_steps, INNER)[None, :]
        values = mapped(decoded(tl.load(x + places, mask=mask, other=0), FORM, DTYPE), row_means, MAP, TOTAL)
        values = tl.where(mask, values, tl.full([ROWS, COLUMNS], IDENTITY, TOTAL))
        if OP == "sum":
            if COMPENSATE:
                sum = total + values
                added = sum - total
                lost += (total - (sum - added)) + (values - added)
                total = sum
            else:
                total += values
        elif OP == "prod":
            total *= values
        elif OP == "max":
            total = maximum(total, values)
        else:
            total = minimum(total, values)
    result = gathered(total, OP)
    if COMPENSATE:
        # Where a sum is infinite or NaN, what it lost is NaN.
        correction = tl.sum(lost, 1)
        result = tl.where(correction == correction, result + correction, result)
    if FINISH != "none":
        result = divide(result, divisor.to(TOTAL))
        if FINISH == "root":
            result = sqrt(result)
    tl.store(out + row * parts + part, encoded(result, OUT_FORM, OUT_DTYPE), mask=exists)


@triton.jit
def prefer_larger(value, place, other, other_place):
    """The larger of two values and its place, NaN above all, of equal ones the first."""
    above = (value > other) | ((value != value) & (other == other))
    tied = (value == other) | ((value != value) & (other != other))
    keep = above | (tied & (place < other_place))
    return tl.where(keep, value, other), tl.where(keep, place, other_place)


@triton.jit
def prefer_smaller(value, place, other, other_place):
    below = (value < other) | ((value != value) & (other == other))
    tied = (value == other) | ((value != value) & (other != other))
    keep = below | (tied & (place < other_place))
    return tl.where(keep, value, other), tl.where(keep, place, other_place)


@triton.jit
def find_in_rows(
    out, out_values, x, places, rows, length, chunk, parts, kept_shape, kept_steps, inner_shape, inner_steps,
    LARGEST: tl.constexpr, IDENTITY: tl.constexpr, NOWHERE: tl.constexpr, PLACED: tl.constexpr, VALUES: tl.constexpr,
    FORM: tl.constexpr, DTYPE: tl.constexpr, PLACE: tl.constexpr,
    KEPT: tl.constexpr, INNER: tl.constexpr, WIDE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row, part]`` is where the extreme of ``x[row, …]`` stands; ``PLACED``: the places are loaded, too.

    A place counts in ``PLACE``; ``NOWHERE`` is behind every place, and belongs to ``IDENTITY``, which loses every tie.
    """
    row, part = program_part(parts, ROWS, WIDE)
    exists = row < rows
    base = offsets_of(row, kept_shape, kept_steps, KEPT)
    best = tl.full([ROWS, COLUMNS], IDENTITY, DTYPE)
    where = tl.full([ROWS, COLUMNS], NOWHERE, PLACE)
    start = part * chunk
    end = tl.minimum(start + chunk, length)
    for first in tl.range(start, end, COLUMNS):
        column = first + tl.arange(0, COLUMNS)
        mask = exists[:, None] & (column < end)[None, :]
        offsets = base[:, None] + offsets_of(column, inner_shape, inner_steps, INNER)[None, :]
        value = decoded(tl.load(x + offsets, mask=mask, other=0), FORM, DTYPE)
        value = tl.where(mask, value, tl.full([ROWS, COLUMNS], IDENTITY, DTYPE))
        if PLACED:
            place = tl.load(places + offsets, mask=mask, other=NOWHERE)
        else:
            place = tl.where(mask, column[None, :], NOWHERE).to(PLACE)
        if LARGEST:
            best, where = prefer_larger(best, where, value, place)
        else:
            best, where = prefer_smaller(best, where, value, place)
    if LARGEST:
        best_of_row, place_of_row = tl.reduce((best, where), 1, prefer_larger)
    else:
        best_of_row, place_of_row = tl.reduce((best, where), 1, prefer_smaller)
    tl.store(out + row * parts + part, place_of_row.to(tl.int64), mask=exists)
    if VALUES:
        tl.store(out_values + row * parts + part, best_of_row, mask=exists)


@triton.jit
def scan_rows(
    out, x, carries, rows, length, chunk, parts, kept_shape, kept_steps, kept_out_steps, step, out_step,
    OP: tl.constexpr, IDENTITY: tl.constexpr, CARRIED: tl.constexpr, SHIFT: tl.constexpr,
    FORM: tl.constexpr, DTYPE: tl.constexpr, TOTAL: tl.constexpr, OUT_FORM: tl.constexpr, OUT_DTYPE: tl.constexpr,
    KEPT: tl.constexpr, WIDE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """``out[row, i + SHIFT] = OP(x[row, : i + 1])``; with ``SHIFT`` 1, a row begins with ``IDENTITY``.

    ``CARRIED``: ``carries[row, part]`` holds what stands before a part.
    """
    row, part = program_part(parts, ROWS, WIDE)
    exists = row < rows
    base = offsets_of(row, kept_shape, kept_steps, KEPT)
    out_base = offsets_of(row, kept_shape, kept_out_steps, KEPT)
    carry = tl.full([ROWS], IDENTITY, TOTAL)
    if CARRIED:
        carry = tl.load(carries + row * (parts + 1) + part, mask=exists, other=IDENTITY)
    if SHIFT:
        beginning = encoded(tl.full([ROWS], IDENTITY, TOTAL), OUT_FORM, OUT_DTYPE)
        tl.store(out + out_base, beginning, mask=exists & ((part + row * 0) == 0))
    start = part * chunk
    end = tl.minimum(start + chunk, length)
    for first in tl.range(start, end, COLUMNS):
        lane = tl.arange(0, COLUMNS)
        column = first + lane
        mask = exists[:, None] & (column < end)[None, :]
        values = decoded(tl.load(x + (base[:, None] + (column * step)[None, :]), mask=mask, other=0), FORM, DTYPE)
        values = tl.where(mask, values.to(TOTAL), tl.full([ROWS, COLUMNS], IDENTITY, TOTAL))
        if OP == "sum":
            scanned = tl.cumsum(values, 1) + carry[:, None]
        else:
            scanned = tl.cumprod(values, 1) * carry[:, None]
        places = out_base[:, None] + ((column + SHIFT) * out_step)[None, :]
        tl.store(out + places, encoded(scanned, OUT_FORM, OUT_DTYPE), mask=mask)
        carry = tl.sum(tl.where((lane == COLUMNS - 1)[None, :], scanned, tl.full([ROWS, COLUMNS], 0, TOTAL)), 1)
