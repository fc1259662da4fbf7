"""Programs with reductions among their steps over arrays: a row after the other, each while it is in a core's cache."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from xtensor.backend import Program

from . import _threads
from ._calls import MOST_LAYOUTS, MOST_PARTS, Kernel, compiled, empty
from ._row_loops import Schedule, rows_program_module
from ._short_row_loops import short_rows_module, walks_short_rows
from ._sizes import SHORTEST
from ._walks import joined_stride

__all__ = ["compute_rows", "takes_rows"]

Array = np.ndarray[Any, Any]

Shape = tuple[int, ...]

MIN_SIZE_ROWS = SHORTEST
"""Rows from which a kernel goes over one after the other: each is computed by one thread."""

SHORTEST_ROW = 2
"""Elements of a row from which NumPy's loops, which start anew for each row, are slower."""

LONGEST = 2**15
"""Elements of a row up to which all values of a row fit into a core's cache."""


def takes_rows(shape: Shape) -> bool:
    """Whether rows of a shape are computed one after the other."""
    return math.prod(shape[:-1]) >= MIN_SIZE_ROWS and SHORTEST_ROW <= shape[-1] <= LONGEST


def compute_rows(
    program: Program, arrays: Sequence[Array], scalars: Sequence[float], shape: Shape
) -> tuple[Array, ...] | None:
    """Return the outputs of a program with reductions among its steps, which go along the last axis.

    Parameters
    ----------
    arrays
        One for each input, of its dtype; each broadcasts to ``shape``.
    scalars
        Python numbers, one for each scalar of the program.
    shape
        The shape over which the program goes.

    Returns
    -------
    tuple of arrays, or None
        An output that is one number for each row has the last axis with length 1. None where the kernel does not take
        the layout, and where an element is doubtful.
    """
    key = "layout of rows", shape, tuple([(x.shape, x.strides) for x in arrays])
    try:
        layout = program.kernels[key]
    except KeyError:
        layout = _layout(program, arrays, shape) if takes_rows(shape) else None
        if len(program.kernels) < MOST_LAYOUTS:
            program.kernels[key] = layout
    if layout is None:
        return None
    operands: list[Any] = [*layout.lengths]
    for x, steps, whole in zip(arrays, layout.steps, layout.copied, strict=True):
        if not x.flags.aligned:
            return None
        operands += x if whole is None else np.ascontiguousarray(np.broadcast_to(x, whole)), *steps
    outputs = tuple([empty(*result) for result in layout.results])
    operands += outputs
    if layout.kept:
        parts = MOST_PARTS * _threads.threads()
        operands += [empty((parts, shape[-1]), dtype) for dtype in layout.kept]
    return None if layout.kernel.run(layout.size, tuple(operands), scalars) else outputs


class Layout(NamedTuple):
    """How a kernel goes over arrays of certain shapes and strides.

    Attributes
    ----------
    kernel
        The kernel.
    size
        The number of elements of all rows.
    lengths
        Its first operands: the length of a row, where it is one, and the number of rows.
    steps
        The strides that follow the address of each array.
    copied
        For each array that is copied first, the shape of the copy; None for others.
    results
        The shape and the dtype of each output.
    kept
        The dtypes of values that are kept, a row for each part.
    """

    kernel: Kernel
    size: int
    lengths: tuple[int, ...]
    steps: list[tuple[int, ...]]
    copied: list[Shape | None]
    results: list[tuple[Shape, Any]]
    kept: list[Any]


def _layout(program: Program, arrays: Sequence[Array], shape: Shape) -> Layout | None:
    """Return how a kernel goes over arrays that broadcast to a shape; None where LLVM cannot compile it."""
    length, rows = shape[-1], math.prod(shape[:-1])
    letters, kinds = "", ""
    steps: list[tuple[int, ...]] = []
    copied: list[Shape | None] = []
    for array in arrays:
        strides = np.broadcast_to(array, shape).strides
        row_stride = joined_stride(shape[:-1], strides[:-1])
        copied.append(None)
        if row_stride is None:  # of a mask that is the same for each example, and the like
            copied[-1] = whole = (*shape[:-1], array.shape[-1] if array.ndim else 1)
            strides = np.broadcast_to(np.empty(whole, array.dtype), shape).strides
            row_stride = strides[-2]
        alone = strides[-1] == 0 and (not array.ndim or array.shape[-1] == 1)  # a view of one number may be a row
        letter = "s" if alone else "c" if strides[-1] == array.itemsize else "v"
        letters += letter
        kinds += {("c", length * array.itemsize): "p", ("s", array.itemsize): "n", ("c", 0): "i", ("s", 0): "o"}.get(
            (letter, row_stride), " "
        )
        steps.append((strides[-1], row_stride) if letter == "v" else (row_stride,))
    schedule: Schedule | None = program.kernels.get(("schedule", letters))
    if schedule is None:
        schedule = program.kernels["schedule", letters] = Schedule(program, letters)
    side_by_side = " " not in kinds and walks_short_rows(program, length)
    if side_by_side:
        kernel = compiled(
            program,
            f"rows of {length}, {kinds}",
            lambda: short_rows_module(program, schedule.full, kinds, length),
        )
    else:
        kernel = compiled(program, f"row after row, {letters}", lambda: rows_program_module(program, letters))
    if kernel is None:
        return None
    full = [schedule.full[position] for position in program.outputs]
    results = [(shape if whole else (*shape[:-1], 1), dtype) for whole, dtype in zip(full, kernel.results, strict=True)]
    if side_by_side:
        return Layout(kernel, rows * length, (rows,), [()] * len(arrays), copied, results, [])
    kept = [program.dtypes[position] for position in schedule.kept]
    return Layout(kernel, rows * length, (length, rows), steps, copied, results, kept)
