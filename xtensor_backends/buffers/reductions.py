"""Kernels of reductions: of arrays, and of the values of a program, which are not in memory.

A work item reduces a part of a row, in blocks of :data:`BLOCK` elements, so that rounding errors of sums grow with the
number of blocks. The parts of a row are reduced by a second kernel. Neighbouring work items read neighbouring elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

from xtensor.backend import DType, Program, Step

from .arrays import BufferArray
from .elementwise import copied, scalar_arguments, scalar_values, values_of
from .formulas import apply
from .languages import Language
from .layouts import Offsets, layout_of, needs_64_bits, strides_in
from .runtime import Number
from .source import Kernel, SourceBuilder

__all__ = ["OPERATIONS", "reduce", "reduce_program", "reduction"]

Shape = tuple[int, ...]

OPERATIONS = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}
"""The operation of two elements for each reduction."""

BLOCK = 64
"""Elements that a work item combines before it combines their result with the others."""

ITEMS = 4096
"""Work items from which rows are not divided."""

PART = 256
"""Elements of a part of a row, at least."""


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
    outer = tuple([axis for axis in range(len(shape)) if axis not in axes])
    rows = math.prod([shape[axis] for axis in outer])
    length = math.prod([shape[axis] for axis in axes])
    parts = _parts(rows, length)
    result_shape = tuple(
        [1 if axis in axes else shape[axis] for axis in range(len(shape)) if keepdims or axis not in axes]
    )
    strides = strides_in(arrays, shape)
    results = _launch(program, arrays, scalars, (shape, strides, outer, axes), parts)
    if parts > 1:
        results = [
            reduce(name, table, (0,), keepdims=False)
            for table, (name, _) in zip(results, program.reductions, strict=True)
        ]
    return tuple([x.view(result_shape, None, 0) for x in results])


def _parts(rows: int, length: int) -> int:
    """Return the number of parts of a row."""
    if rows >= ITEMS or length < 2 * PART:
        return 1
    return min(-(-length // PART), -(-ITEMS // rows))


def _launch(
    program: Program,
    arrays: Sequence[BufferArray],
    scalars: Sequence[Number],
    layout: tuple[Shape, tuple[Shape, ...], Shape, Shape],
    parts: int,
) -> list[BufferArray]:
    """Return the reductions of each part, with the shape (parts, rows)."""
    shape, strides, outer, axes = layout
    runtime = arrays[0].runtime
    rows = layout_of(*_of_axes(shape, strides, outer))
    columns = layout_of(*_of_axes(shape, strides, axes))
    number, length = math.prod(rows.shape), math.prod(columns.shape)
    dtypes = [program.dtypes[position] for _, position in program.reductions]
    results = [runtime.empty((parts, number), dtype) for dtype in dtypes]
    wide = needs_64_bits(*arrays, *results) or number * length >= 2**31
    key = "reduction", runtime.language, rows.key, columns.key, wide
    kernel = program.kernels.get(key)
    if kernel is None:
        kernel = program.kernels[key] = _kernel(program, runtime.language, rows.key, columns.key, wide)
    numbers = [number, length, parts, *[x.offset for x in arrays], *rows.numbers, *columns.numbers]
    runtime.launch(kernel, (*results, *arrays), scalar_arguments(program, scalars), numbers, parts * number)
    return results


def _of_axes(shape: Shape, strides: Sequence[Shape], axes: Shape) -> tuple[Shape, tuple[Shape, ...]]:
    return tuple([shape[axis] for axis in axes]), tuple([tuple([steps[axis] for axis in axes]) for steps in strides])


def _kernel(
    program: Program, language: Language, rows: tuple[int, str], columns: tuple[int, str], wide: bool
) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    outputs = [builder.output(program.dtypes[position]) for _, position in program.reductions]
    inputs = [builder.input(dtype) for dtype in program.dtypes[: len(program.inputs)]]
    number, length, parts = builder.numbers(3)
    starts = builder.numbers(len(inputs))
    row_offsets, column_offsets = Offsets(builder, rows), Offsets(builder, columns)
    scalars = scalar_values(builder, program)
    part, row = builder.index(f"i / {number}"), builder.index(f"i % {number}")
    bases = row_offsets.at(row, starts)

    def elements(index: str) -> list[Any]:
        values = values_of(builder, program, inputs, column_offsets.at(index, bases), scalars)
        return [values[position] for _, position in program.reductions]

    def combine(targets: Sequence[Any], values: Sequence[Any]) -> None:
        for target, value, (name, _) in zip(targets, values, program.reductions, strict=True):
            builder.assign(target, apply(builder, OPERATIONS[name], [target, value], target.dtype))

    # The elements of a part are those from its number on, in steps of the number of parts.
    totals = [builder.variable(value) for value in elements(part)]
    position = builder.counter(f"{part} + {parts}")
    with builder.block(f"while ({position} < {length})"):
        block = [builder.variable(value) for value in elements(position)]
        builder.lines.append(f"{position} += {parts};")
        with builder.loop(str(BLOCK), "1"), builder.block(f"if ({position} < {length})"):
            combine(block, elements(position))
            builder.lines.append(f"{position} += {parts};")
        combine(totals, block)
    for buffer, total in zip(outputs, totals, strict=True):
        builder.store(buffer, "i", total)
    return builder.kernel()
