"""Reductions on a CPU: a work item combines elements that follow one another in many results, which become vectors.

The results, the lanes, are those of adjacent elements of a row, which are combined at the end, or those of adjacent
rows. Without them each sum would wait for the one before it, and a work item would read an element of each cache line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from xtensor.backend import DType

from .layouts import CONTIGUOUS, STRIDED, Layout, Offsets
from .source import SourceBuilder

__all__ = ["Lanes", "lanes_of", "write_lanes"]

LANES = 128
"""Results of a work item: several vectors, whose sums do not wait for each other."""

SHORT = 32
"""Adjacent elements from which lanes are worth it."""

BLOCK = 64
"""Elements that a lane combines before it combines their result with the others."""

PARTS = 64
"""Work items into which rows are divided. Their number does not depend on the CPU, and so do sums not."""

LEAST = 8192
"""Elements of a work item, at least, where rows are divided."""


class Lanes(NamedTuple):
    """The form of a reduction.

    Attributes
    ----------
    are_rows
        Whether lanes are rows, not elements of a row.
    parts
        The number of parts of a row.
    items
        The number of work items.
    """

    are_rows: bool
    parts: int
    items: int


def lanes_of(kept: Layout, reduced: Layout) -> Lanes:
    """Return the form of a reduction of an axis, with the layouts of the axes that are kept and of that one."""
    rows, inner, length = math.prod(kept.shape), kept.shape[-1], reduced.shape[-1]
    are_rows = length < SHORT or (inner >= SHORT and _step(kept) < _step(reduced))
    lanes = min(inner, LANES) if are_rows else 1
    groups = rows // inner * -(-inner // lanes)
    parts = max(1, min(-(-PARTS // groups), length * lanes // LEAST, length))
    return Lanes(are_rows, parts, parts * groups)


def _step(layout: Layout) -> int:
    """Return the distance of adjacent elements of the first operand along the last axis."""
    ndim, letters = layout.key
    if letters[0] != STRIDED:
        return 1 if letters[0] == CONTIGUOUS else 0
    return abs(layout.numbers[2 * ndim - 1 if ndim > 1 else 0])


def write_lanes(
    builder: SourceBuilder,
    kept: Offsets,
    outputs: Sequence[str],
    dtypes: Sequence[DType],
    sizes: tuple[str, str, str],
    starts: Sequence[str],
    elements: Callable[[str, Sequence[str]], Sequence[Any]],
    combined: Callable[[Sequence[Any], Sequence[Any]], Sequence[Any]],
    *,
    are_rows: bool,
) -> None:
    """Write the statements of a work item.

    Parameters
    ----------
    builder, kept
        The builder of the kernel, and the offsets of rows in it.
    outputs, dtypes
        The buffers with the results of each part and row, and their dtypes.
    sizes
        The names of the number of rows, of their length and of the number of their parts.
    starts
        The names of the offsets of the operands' first elements.
    elements
        Writes the values that are reduced, one for each output, at a column of the row with given offsets.
    combined
        Writes the combinations of two sequences of values.
    are_rows
        Whether lanes are rows, not elements of a row.
    """
    rows, length, parts = sizes
    choice = builder.language.choice
    inner = kept.inner or rows
    groups = builder.index(f"{rows} / {inner} * (({inner} + {LANES - 1}) / {LANES})") if are_rows else rows
    part, group = builder.index(f"i / {groups}"), builder.index(f"i % {groups}")
    row = group
    if are_rows:
        # The lanes are rows along the last axis only, so that their offsets follow from the first one's.
        number = builder.index(f"({inner} + {LANES - 1}) / {LANES}")
        first = builder.index(f"{group} % {number} * {LANES}")
        row = builder.index(f"{group} / {number} * {inner} + {first}")
    bases = kept.at(row, starts)
    size = builder.index(f"{length} / {parts}")
    column = builder.counter(f"{part} * {size}")
    stop = builder.index(choice(f"{part} == {parts} - 1", length, f"{column} + {size}"))
    left = f"{inner} - {first}" if are_rows else f"{stop} - {column}"
    lanes = builder.index(choice(f"{left} < {LANES}", left, str(LANES)))
    blocks, totals = ([builder.array(dtype, LANES) for dtype in dtypes] for _ in range(2))

    def each_lane(count: str, write: Callable[[str], None]) -> None:
        lane = builder.name()
        builder.vectors(lane, ("0", count), lambda: write(lane))

    def load(names: Sequence[str], lane: str) -> list[Any]:
        return [builder.load(name, lane, dtype) for name, dtype in zip(names, dtypes, strict=True)]

    def store(names: Sequence[str], lane: str, values: Sequence[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            builder.store(name, lane, value)

    def at(lane: str) -> Sequence[Any]:
        if are_rows:
            return elements(column, kept.moved(bases, lane))
        return elements(builder.index(f"{column} + {lane}"), bases)

    begun = builder.counter("0")
    with builder.block(f"while ({column} < {stop})"):
        # The elements that remain at the end may be fewer than the lanes: they are a block of their own.
        present = lanes if are_rows else builder.index(choice(f"{left} < {LANES}", left, str(LANES)))
        step, more = ("1", f"{column} < {stop}") if are_rows else (str(LANES), f"{left} >= {LANES}")
        each_lane(present, lambda lane: store(blocks, lane, at(lane)))
        builder.lines.append(f"{column} += {'1' if are_rows else present};")
        count = builder.counter("1")
        with builder.block(f"while ({count} < {BLOCK} && {more})"):
            each_lane(
                lanes if are_rows else step,
                lambda lane: store(blocks, lane, combined(load(blocks, lane), at(lane))),
            )
            builder.lines += [f"{column} += {step};", f"{count}++;"]
        with builder.block(f"if ({begun} == 0)"):
            each_lane(present, lambda lane: store(totals, lane, load(blocks, lane)))
        with builder.block("else"):
            each_lane(present, lambda lane: store(totals, lane, combined(load(totals, lane), load(blocks, lane))))
        builder.lines.append(f"{begun} = 1;")
    if are_rows:
        target = builder.index(f"{part} * {rows} + {row}")
        each_lane(lanes, lambda lane: store(outputs, builder.index(f"{target} + {lane}"), load(totals, lane)))
        return
    width = builder.counter(lanes)
    with builder.block(f"while ({width} > 1)"):
        half = builder.index(f"({width} + 1) / 2")
        each_lane(
            f"{width} - {half}",
            lambda lane: store(
                totals, lane, combined(load(totals, lane), load(totals, builder.index(f"{lane} + {half}")))
            ),
        )
        builder.lines.append(f"{width} = {half};")
    store(outputs, "i", load(totals, "0"))
