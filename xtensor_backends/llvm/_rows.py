"""Programs with reductions among their steps over arrays: a row after the other, each while it is in a core's cache."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xtensor.backend import Program

from . import _compile, _threads
from ._calls import MOST_PARTS, Kernel, compiled, empty
from ._row_loops import Schedule, rows_program_module
from ._short_row_loops import short_rows_module, walks_short_rows
from ._sizes import SHORTEST
from ._walks import joined_stride

__all__ = ["compute_rows", "takes_rows"]

Array = np.ndarray[Any, Any]

MIN_SIZE_ROWS = SHORTEST
"""Rows from which a kernel goes over one after the other: each is computed by one thread."""

SHORTEST_ROW = 2
"""Elements of a row from which NumPy's loops, which start anew for each row, are slower."""

LONGEST = 2**15
"""Elements of a row up to which all values of a row fit into a core's cache."""


def takes_rows(shape: tuple[int, ...]) -> bool:
    """Whether rows of a shape are computed one after the other."""
    return math.prod(shape[:-1]) >= MIN_SIZE_ROWS and SHORTEST_ROW <= shape[-1] <= LONGEST


def compute_rows(
    program: Program, arrays: Sequence[Array], scalars: Sequence[float], shape: tuple[int, ...]
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
    length, rows = shape[-1], math.prod(shape[:-1])
    if not takes_rows(shape):
        return None
    letters, kinds, operands, walked = "", "", [], []
    for array in arrays:
        strides = array.strides
        if array.shape != shape:
            strides = np.broadcast_to(array, shape).strides
        if not array.flags.aligned:
            return None
        row_stride = joined_stride(shape[:-1], strides[:-1])
        if row_stride is None:  # of a mask that is the same for each example, and the like
            whole = (*shape[:-1], array.shape[-1] if array.ndim else 1)
            array = np.ascontiguousarray(np.broadcast_to(array, whole))
            strides = array.strides
            row_stride = strides[-2]
        alone = strides[-1] == 0 and (not array.ndim or array.shape[-1] == 1)  # a view of one number may be a row
        letter = "s" if alone else "c" if strides[-1] == array.itemsize else "v"
        letters += letter
        walked.append(array)
        kinds += {("c", length * array.itemsize): "p", ("s", array.itemsize): "n", ("c", 0): "i", ("s", 0): "o"}.get(
            (letter, row_stride), " "
        )
        operands += [array, *([strides[-1]] if letter == "v" else []), row_stride]
    side_by_side = " " not in kinds and walks_short_rows(program, length)
    compiled = _kernel_of_short_rows(program, kinds, length) if side_by_side else _kernel(program, letters)
    if compiled is None:
        return None
    kernel, full, kept = compiled
    outputs = [
        empty(shape if whole else (*shape[:-1], 1), dtype) for whole, dtype in zip(full, kernel.results, strict=True)
    ]
    if side_by_side:
        return None if kernel.run(rows * length, (rows, *walked, *outputs), scalars) else tuple(outputs)
    parts = MOST_PARTS * _threads.threads() if kept else 0
    memory = [empty((parts, length), dtype) for dtype in kept]
    if kernel.run(rows * length, (length, rows, *operands, *outputs, *memory), scalars):
        return None
    return tuple(outputs)


CompiledRows = tuple[Kernel, list[bool], list[Any]]
"""A kernel, which outputs have an element for each element of a row, and the dtypes of values that are kept."""


def _kernel(program: Program, letters: str) -> CompiledRows | None:
    return _compiled_rows(
        program, letters, letters, lambda: rows_program_module(program, letters, has_fma=_compile.has_fma())
    )


def _kernel_of_short_rows(program: Program, kinds: str, length: int) -> CompiledRows | None:
    letters = "".join(["s" if kind in "no" else "c" for kind in kinds])

    def make() -> Any:
        full = Schedule(program, letters).full
        return short_rows_module(program, full, kinds, length, has_fma=_compile.has_fma())

    return _compiled_rows(program, letters, f"{kinds} of {length}", make)


def _compiled_rows(program: Program, letters: str, walk: str, make: Callable[[], Any]) -> CompiledRows | None:
    key = "row after row", walk
    try:
        return program.kernels[key]  # type: ignore[no-any-return]
    except KeyError:
        kernel = compiled(program, ("row after row's code", walk), f"{walk} row after row", make)
        entry = None
        if kernel is not None:
            schedule = Schedule(program, letters)
            full = [schedule.full[position] for position in program.outputs]
            entry = kernel, full, [program.dtypes[position] for position in schedule.kept]
        program.kernels[key] = entry
        return entry
