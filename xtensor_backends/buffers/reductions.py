"""Kernels of reductions: of arrays, and of the values of a program, which are not in memory.

A work item reduces a part of a row, in blocks of :data:`BLOCK` elements, so that rounding errors of sums grow with the
number of blocks. The parts of a row are reduced by a second kernel. Neighbouring work items read neighbouring elements;
on a CPU, a work item reads elements that follow one another: :mod:`xtensor_backends.buffers.lanes`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np

from xtensor.backend import DType, Program, Step

from ..kernels.layouts import reduced_shape
from ..kernels.reductions import combination
from .arrays import BufferArray
from .elementwise import copied, scalar_arguments, scalar_values, values_of
from .formulas import apply
from .lanes import lanes_of, write_lanes
from .languages import Language
from .layouts import Offsets, layout_of, needs_64_bits, strides_in
from .runtime import Number
from .source import Kernel, SourceBuilder

__all__ = ["reduce", "reduce_program", "reduction"]

Shape = tuple[int, ...]

BLOCK = 64
"""Elements that a work item combines before it combines their result with the others."""

FEWEST_ITEMS = 4096
"""Work items from which rows are not divided."""

PART = 256
"""Elements of a part of a row, at least."""

ITEMS, ROWS, COLUMNS = "items", "rows", "columns"
"""Elements that a work item reduces: a part of a row, one by one; lanes of adjacent rows; or lanes of a row."""


def reduce(name: str, x: BufferArray, axes: Shape, *, keepdims: bool) -> BufferArray:
    """Return the reduction of an array over some axes, in its dtype; it has elements."""
    if not axes:
        return copied(x)
    return reduce_program(reduction(name, x.dtype, x.dtype), (x,), (), x.shape, axes, keepdims=keepdims)[0]


@cache
def reduction(name: str, source: DType, target: DType) -> Program:
    """Return the program that casts elements and reduces them."""
    steps = () if source == target else (Step("astype", (0,), target.name),)
    return Program((source.name,), (), steps, (), ((name, len(steps)),)).shared()


def reduce_program(
    program: Program,
    arrays: Sequence[BufferArray],
    scalars: Sequence[Number],
    shape: Shape,
    axes: Shape,
    *,
    keepdims: bool,
) -> tuple[BufferArray, ...]:
    """Return the reductions of a program over some axes of a shape; there are elements."""
    strides = strides_in(arrays, shape)
    runtime = arrays[0].runtime
    plan = _plan(shape, strides, axes, keepdims, runtime.language.has_loops)
    if plan.first:
        first = reduce_program(program, arrays, scalars, shape, plan.first, keepdims=True)
        rest = tuple([axis for axis in axes if axis not in plan.first])
        results = [reduce(name, x, rest, keepdims=True) for x, (name, _) in zip(first, program.reductions, strict=True)]
        return tuple([x.view(plan.shape, None, 0) for x in results])
    return _launched(program, plan, arrays, scalar_arguments(program, scalars))


def _launched(
    program: Program, plan: Plan, arrays: Sequence[BufferArray], scalars: Sequence[np.generic]
) -> tuple[BufferArray, ...]:
    """Launch the kernel of a plan, and those that reduce its parts."""
    runtime = arrays[0].runtime
    results = [runtime.empty(plan.partial, program.dtypes[position]) for _, position in program.reductions]
    wide = needs_64_bits(*arrays, *results) or plan.wide
    key = "reduction", runtime.language, plan.form, plan.keys, wide
    kernel = program.kernels.get(key)
    if kernel is None:
        kernel = program.kernels[key] = _kernel(program, runtime.language, plan.form, plan.keys, wide)
    numbers = (*plan.sizes, *[x.offset for x in arrays], *plan.numbers)
    runtime.launch(kernel, (*results, *arrays), scalars, numbers, plan.items)
    if plan.totals is None:
        return tuple(results)
    totals: list[BufferArray] = []
    for x, (name, _) in zip(results, program.reductions, strict=True):
        totals += _launched(reduction(name, x.dtype, x.dtype), plan.totals, (x,), ())
    return tuple(totals)


class Plan(NamedTuple):
    """How a reduction is computed.

    Attributes
    ----------
    shape, partial
        The shapes of the result, and of the reductions of the parts of rows, which is the same where there is one part.
    totals
        How these are reduced to the result; None where there is one part.
    first
        The axes that are reduced before the others, by a call of its own; none where one kernel reduces all.
    form, items
        What a work item reduces, and the number of work items.
    sizes
        The number of rows, their length, and the number of their parts.
    keys, numbers
        The keys of the layouts of rows and of their elements, and the numbers of both.
    wide
        Whether there are so many elements that positions need 64 bits.
    """

    shape: Shape
    partial: Shape
    totals: Plan | None
    first: Shape
    form: str
    items: int
    sizes: tuple[int, int, int]
    keys: tuple[tuple[int, str], tuple[int, str]]
    numbers: Shape
    wide: bool

    def with_shape(self, shape: Shape) -> Plan:
        """Return the plan with another shape of the result, of as many elements."""
        if self.totals is None:
            return self._replace(shape=shape, partial=shape)
        return self._replace(shape=shape, totals=self.totals.with_shape(shape))


@lru_cache(2048)  # without the cache it takes half of the time of a small launch
def _plan(shape: Shape, strides: tuple[Shape, ...], axes: Shape, keepdims: bool, has_loops: bool) -> Plan:
    outer = tuple([axis for axis in range(len(shape)) if axis not in axes])
    result = reduced_shape(shape, axes, keepdims=keepdims)
    kept, reduced = layout_of(*_of_axes(shape, strides, outer)), layout_of(*_of_axes(shape, strides, axes))
    rows, length = math.prod(kept.shape), math.prod(reduced.shape)
    first: Shape = ()
    form, parts = ITEMS, _parts(rows, length)
    items = parts * rows
    if has_loops:
        if len(reduced.shape) > 1:
            # The last axes come first, along which elements follow one another.
            first = next(axes[k:] for k in range(1, len(axes)) if _are_one(shape, strides, axes[k:]))
        lanes = lanes_of(kept, reduced)
        form, parts, items = ROWS if lanes.are_rows else COLUMNS, lanes.parts, lanes.items
    numbers = (*kept.numbers, *reduced.numbers)
    partial, totals = result, None
    if parts > 1:
        partial = parts, rows
        totals = _plan(partial, ((rows, 1),), (0,), False, has_loops).with_shape(result)
    sizes, keys = (rows, length, parts), (kept.key, reduced.key)
    return Plan(result, partial, totals, first, form, items, sizes, keys, numbers, rows * length >= 2**30)


def _are_one(shape: Shape, strides: tuple[Shape, ...], axes: Shape) -> bool:
    """Whether axes are one axis for all operands."""
    return len(layout_of(*_of_axes(shape, strides, axes)).shape) == 1


def _parts(rows: int, length: int) -> int:
    """Return the number of parts of a row."""
    if rows >= FEWEST_ITEMS or length < 2 * PART:
        return 1
    return min(-(-length // PART), -(-FEWEST_ITEMS // rows))


def _of_axes(shape: Shape, strides: Sequence[Shape], axes: Shape) -> tuple[Shape, tuple[Shape, ...]]:
    return tuple([shape[axis] for axis in axes]), tuple([tuple([steps[axis] for axis in axes]) for steps in strides])


def _kernel(
    program: Program, language: Language, form: str, keys: tuple[tuple[int, str], tuple[int, str]], wide: bool
) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    dtypes = [program.dtypes[position] for _, position in program.reductions]
    outputs = [builder.output(dtype) for dtype in dtypes]
    inputs = [builder.input(dtype) for dtype in program.dtypes[: len(program.inputs)]]
    rows, length, parts = builder.numbers(3)
    starts = builder.numbers(len(inputs))
    row_offsets, column_offsets = [Offsets(builder, key) for key in keys]
    scalars = scalar_values(builder, program)

    def elements(column: str, bases: Sequence[str]) -> list[Any]:
        values = values_of(builder, program, inputs, column_offsets.at(column, bases), scalars)
        return [values[position] for _, position in program.reductions]

    def combined(first: Sequence[Any], second: Sequence[Any]) -> list[Any]:
        pairs = zip(first, second, program.reductions, strict=True)
        return [apply(builder, combination(name), [x, y], x.dtype) for x, y, (name, _) in pairs]

    if form != ITEMS:
        write_lanes(
            builder,
            row_offsets,
            outputs,
            dtypes,
            (rows, length, parts),
            starts,
            elements,
            combined,
            are_rows=form == ROWS,
        )
        return builder.kernel()

    def combine(targets: Sequence[Any], values: Sequence[Any]) -> None:
        for target, value in zip(targets, combined(targets, values), strict=True):
            builder.assign(target, value)

    part, row = builder.index(f"i / {rows}"), builder.index(f"i % {rows}")
    bases = row_offsets.at(row, starts)
    # The elements of a part are those from its number on, in steps of the number of parts.
    totals = [builder.variable(value) for value in elements(part, bases)]
    position = builder.counter(f"{part} + {parts}")
    with builder.block(f"while ({position} < {length})"):
        block = [builder.variable(value) for value in elements(position, bases)]
        builder.lines.append(f"{position} += {parts};")
        with builder.loop(str(BLOCK), "1"), builder.block(f"if ({position} < {length})"):
            combine(block, elements(position, bases))
            builder.lines.append(f"{position} += {parts};")
        combine(totals, block)
    for buffer, total in zip(outputs, totals, strict=True):
        builder.store(buffer, "i", total)
    return builder.kernel()
