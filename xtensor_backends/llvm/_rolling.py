"""Elementwise kernels that read arrays as ``numpy.roll`` gives them, without a copy: finite differences on a ring."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xtensor.backend import Program

from ..kernels.layouts import dense_strides
from ._calls import LARGEST, elementwise_kernel, empty
from ._costs import writes_past_caches
from ._runtime import adjacent
from ._sizes import BYTES_STREAMED, SHORTEST
from ._walks import MOST_AXES

__all__ = ["rolling"]

Array = np.ndarray[Any, Any]


def rolling(
    program: Program, shape: tuple[int, ...], shifts: Sequence[tuple[int, ...] | None]
) -> Callable[[tuple[Array, ...], Sequence[float]], tuple[Array, ...] | None] | None:
    """Return what computes a program's outputs for arrays of one shape, of which it reads some as rolled.

    It returns None for arrays that are not adjacent, and an empty tuple where an element is doubtful.

    Parameters
    ----------
    shifts
        For each input that is rolled the shift along each axis, from 0 to before its length.
    """
    if program.checks:
        return None
    lengths, moves = _joined_shifts(shape, shifts)
    size, axes = math.prod(shape), len(lengths) - 1
    if axes > MOST_AXES or lengths[-1] < SHORTEST:
        return None
    letters = "".join(["c" if shift is None else "r" for shift in shifts]) + "c" * len(program.outputs)
    streams = not axes and size * LARGEST >= BYTES_STREAMED and writes_past_caches(program, size)
    kernel = elementwise_kernel(program, letters, axes, streams=streams)
    if kernel is None:
        return None
    before = size, lengths[-1], *lengths[:-1]
    dtypes = [*program.dtypes[: len(shifts)], *kernel.results]
    after = [
        (*dense_strides(lengths, dtype.itemsize)[:-1], *(shift or ()))
        for dtype, shift in zip(dtypes, [*moves, *[None] * len(kernel.results)], strict=True)
    ]

    def compute_rolled(arrays: tuple[Array, ...], scalars: Sequence[float]) -> tuple[Array, ...] | None:
        if adjacent(*arrays) != size:
            return None
        outputs = tuple([empty(shape, dtype, "C") for dtype in kernel.results])
        operands: tuple[Any, ...] = before
        for array, numbers in zip(arrays + outputs, after, strict=True):
            operands += array, *numbers
        return () if kernel.run(size, operands, scalars) else outputs

    return compute_rolled


def _joined_shifts(
    shape: tuple[int, ...], shifts: Sequence[tuple[int, ...] | None]
) -> tuple[list[int], list[tuple[int, ...] | None]]:
    """Join each axis along which no array is rolled to the one before; return the lengths and shifts of the axes."""
    kept = [axis for axis in range(len(shape)) if not axis or any(shift and shift[axis] for shift in shifts)]
    sizes = [math.prod(shape[axis + 1 : end]) for axis, end in zip(kept, [*kept[1:], len(shape)], strict=True)]
    lengths = [shape[axis] * size for axis, size in zip(kept, sizes, strict=True)]
    moves = [
        None if shift is None else tuple([shift[axis] * size for axis, size in zip(kept, sizes, strict=True)])
        for shift in shifts
    ]
    return lengths, moves
