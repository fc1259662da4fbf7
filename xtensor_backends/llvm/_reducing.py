"""Reductions of programs over some axes by kernels: whole arrays, rows, columns, and other axes after one another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from xtensor.backend import Program, Step

from ..kernels.layouts import reduced_shape
from ..kernels.reductions import combination
from ._calls import Kernel, compiled, empty, in_row_major_order
from ._reduction_loops import BLOCK, ROWS, columns_module, rows_module
from ._reduction_walks import memory_order, order_of_results, reduction_walk
from ._rows import compute_rows, takes_rows
from ._short_row_loops import walks_short_rows
from ._sizes import SHORTEST
from ._walks import joined_letters

__all__ = ["kernel_of", "reduce"]

Array = np.ndarray[Any, Any]


def kernel_of(program: Program, letters: str, *, columns: bool) -> Kernel | None:
    make = columns_module if columns else rows_module
    return compiled(program, (letters, columns), lambda: make(program, letters))


def reduce(
    program: Program,
    arrays: Sequence[Array],
    scalars: Sequence[float],
    shape: tuple[int, ...],
    axes: Sequence[int],
    *,
    keepdims: bool = False,
    partial: bool = False,
) -> tuple[Array, ...] | None:
    """Return the reductions of a program over some axes.

    Parameters
    ----------
    arrays
        One for each input, of its dtype; each broadcasts to ``shape``.
    scalars
        Python numbers, one for each scalar of the program.
    shape
        The shape over which the program goes.
    axes
        The axes that are reduced, in ascending order.
    keepdims
        Whether they remain with length 1.
    partial
        Whether the results of the blocks are wanted: an axis of blocks in the place of the reduced axes.

    Returns
    -------
    tuple of arrays, or None
        None where a kernel does not take the layout, and where an element is doubtful.
    """
    order = None if partial else memory_order(arrays, shape)
    if order is not None:
        arrays = [(x if x.shape == shape else np.broadcast_to(x, shape)).transpose(order) for x in arrays]
        shape, places = tuple([shape[axis] for axis in order]), sorted([order.index(axis) for axis in axes])
        reduced = reduce(program, arrays, scalars, shape, places, keepdims=keepdims)
        back = order_of_results(order, axes, keepdims=keepdims)
        return None if reduced is None else tuple([result.transpose(back) for result in reduced])
    letters = joined_letters(arrays, shape) if len(axes) == len(shape) else ""
    if letters:
        return _reduce_whole(program, letters, arrays, scalars, shape, keepdims=keepdims, partial=partial)
    if not all(array.flags.aligned for array in arrays):
        return None
    walk = reduction_walk(tuple([(array.shape, array.strides, array.itemsize) for array in arrays]), shape, tuple(axes))
    if walk is None:
        return None
    if "v" in walk.letters and not walk.columns and not all(x.flags.c_contiguous for x in arrays):
        # Elements of a row that lie apart are read one by one: NumPy adds them up faster, and others are copied first.
        if not program.steps:
            return None
        copies = [in_row_major_order(x, x.shape) for x in arrays]
        return reduce(program, copies, scalars, shape, axes, keepdims=keepdims, partial=partial)
    wanted = reduced_shape(shape, axes, keepdims=keepdims)
    if len(walk.axes) < len(axes):
        parts = None if partial else reduce(program, arrays, scalars, shape, walk.axes, keepdims=True)
        others = tuple([axis for axis in axes if axis not in walk.axes])
        return None if parts is None else _combined(program, parts, others, wanted)
    kernel, dtypes = kernel_of(program, walk.letters, columns=walk.columns), program.dtypes
    if kernel is None:
        return None
    operands: list[Any] = [*walk.sizes]
    for array, copied, strides in zip(arrays, walk.copied, walk.strides, strict=True):
        operands += array if copied is None else np.ascontiguousarray(np.broadcast_to(array, copied)), *strides
    if not walk.columns:
        if (
            not partial
            and tuple(axes) == (len(shape) - 1,)
            and walks_short_rows(program, shape[-1])
            and takes_rows(shape)
        ):
            reduced = compute_rows(_with_reductions(program), arrays, scalars, shape)
            return None if reduced is None else tuple([result.reshape(wanted) for result in reduced])
        return _rows(kernel, program, operands, scalars, wanted, partial=partial)
    length, rows, matrices = walk.sizes
    operands.insert(3, walk.joined)
    results = []
    for _, position in program.reductions:
        blocks = empty((matrices, -(-rows // ROWS), length), dtypes[position])
        results.append(blocks if partial else empty(wanted, dtypes[position]))
        operands += blocks, 0 if partial else results[-1]
    return None if kernel.run(matrices * rows * length, tuple(operands), scalars) else tuple(results)


def _with_reductions(program: Program) -> Program:
    """Return the program whose last steps are the reductions, and its results theirs."""
    extended: Program | None = program.kernels.get("with reductions")
    if extended is None:
        last = [Step(name, (position,), program.dtypes[position].name) for name, position in program.reductions]
        outputs = tuple(range(len(program.dtypes), len(program.dtypes) + len(last)))
        extended = Program(program.inputs, program.scalars, (*program.steps, *last), outputs).shared()
        program.kernels["with reductions"] = extended
    return extended


def _combined(
    program: Program, parts: Sequence[Array], axes: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[Array, ...]:
    """Return the reductions along further axes, in a shape."""
    with np.errstate(all="ignore"):
        return tuple(
            [
                np.asarray(getattr(np, combination(name)).reduce(part, axis=axes, dtype=part.dtype)).reshape(shape)
                for (name, _), part in zip(program.reductions, parts, strict=True)
            ]
        )


def _rows(
    kernel: Kernel,
    program: Program,
    operands: list[Any],
    scalars: Sequence[float],
    shape: tuple[int, ...],
    *,
    partial: bool,
) -> tuple[Array, ...] | None:
    """Return the reductions of rows, or of their blocks, by a kernel."""
    length, rows = operands[:2]
    blocks = -(-length // BLOCK)
    make = np.empty if rows == 1 else empty  # of few bytes, it is faster
    results = []
    for _, position in program.reductions:
        part = make((rows, blocks), program.dtypes[position])
        results.append(part if partial else make(shape, program.dtypes[position]))
        operands += [part, 0 if partial else results[-1]]
    return None if kernel.run(rows * length, tuple(operands), scalars) else tuple(results)


def _reduce_whole(
    program: Program,
    letters: str,
    arrays: Sequence[Array],
    scalars: Sequence[float],
    shape: tuple[int, ...],
    *,
    keepdims: bool,
    partial: bool,
) -> tuple[Array, ...] | None:
    """Reduce arrays whose elements are adjacent to one number each; the way with the fewest steps."""
    length = math.prod(shape)
    if length < SHORTEST:
        return None
    kernel = kernel_of(program, letters, columns=False)
    if kernel is None:
        return None
    operands: list[Any] = [length, 1]
    for array in arrays:
        operands += [array, 0]
    return _rows(kernel, program, operands, scalars, (1,) * len(shape) if keepdims else (), partial=partial)
