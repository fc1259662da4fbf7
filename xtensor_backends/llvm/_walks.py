"""Layouts of operands that broadcast: how a kernel walks their elements."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..kernels.layouts import dense_strides, merged_axes
from ._sizes import MIN_SIZE_SHORT, SHORTEST, SHORTEST_OF_MANY

__all__ = [
    "MOST_AXES",
    "Layouts",
    "Walk",
    "broadcast_strides",
    "has_rows",
    "joined_letters",
    "joined_stride",
    "walk_of",
]

Array = np.ndarray[Any, Any]

MOST_AXES = 4
"""Axes around the innermost one that a kernel walks."""

LONGEST_PART = 1024
"""Elements of the innermost axis at most where it is a part of one that lies across short rows."""

Layouts = tuple[tuple[tuple[int, ...], tuple[int, ...], int], ...]
"""The shape, the strides and the itemsize of each of several arrays."""


class Walk(NamedTuple):
    """How a kernel walks arrays that broadcast.

    Attributes
    ----------
    letters
        The layout of each input and output along the innermost axis; see :mod:`_loops`.
    sizes
        The number of elements, the length of the innermost axis, and the lengths of the axes around it.
    strides
        The strides of each input and output that follow its address; empty where none follow.
    made
        The shape of an output as it is made, whose innermost axis is that of the kernel.
    order
        The order of its axes in the result; None where it is the same.
    across
        Whether the innermost axis lies across rows that are too short for a loop of their own.
    """

    letters: str
    sizes: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    made: tuple[int, ...]
    order: tuple[int, ...] | None
    across: bool


@functools.lru_cache(maxsize=512)
def walk_of(arrays: Layouts, results: tuple[int, ...], *, several: bool = False) -> Walk | None:
    """Return how a kernel walks arrays of some shapes, strides and itemsizes; None where NumPy's loop is as fast.

    Parameters
    ----------
    arrays
        The shape, the strides and the itemsize of each input.
    results
        The itemsize of each output.
    several
        Whether the kernel computes several steps, for each of which NumPy's loop would start anew on each axis.
    """
    shape = np.broadcast_shapes(*[lengths for lengths, _, _ in arrays])
    views = [broadcast_strides(lengths, strides, shape) for lengths, strides, _ in arrays]
    axes = [axis for axis, length in enumerate(shape) if length != 1]
    # The axis of the smallest stride is the innermost one: of the first operand that has all elements
    # in memory, else of any.
    whole = [view for view, (own, _, _) in zip(views, arrays, strict=True) if own == shape]
    leading = next((view for view in whole if all(view[axis] for axis in axes)), whole[0] if whole else views[0])
    axes.sort(key=lambda axis: -abs(leading[axis]))
    permutation = [axis for axis, length in enumerate(shape) if length == 1] + axes
    made = tuple([shape[axis] for axis in permutation])
    order = tuple(sorted(range(len(shape)), key=permutation.__getitem__))
    itemsizes = [*(size for _, _, size in arrays), *results]
    for size in results:
        strides = dense_strides(made, size)
        views.append(tuple([strides[axis] for axis in order]))
    lengths, walked = merged_axes([shape[axis] for axis in axes], [[view[axis] for axis in axes] for view in views])
    shortest = min(SHORTEST, SHORTEST_OF_MANY) if several or math.prod(shape) >= MIN_SIZE_SHORT else SHORTEST
    across = bool(lengths) and lengths[-1] < shortest
    if across:
        lengths, walked = _across(lengths, walked)
    if len(lengths) > MOST_AXES + 1 or not lengths or lengths[-1] < shortest:
        return None
    letters = "".join([{size: "c", 0: "s"}.get(steps[-1], "v") for steps, size in zip(walked, itemsizes, strict=True)])
    strides_of_all = tuple(
        [(*(steps[-1:] if letter == "v" else ()), *steps[:-1]) for letter, steps in zip(letters, walked, strict=True)]
    )
    sizes = math.prod(shape), lengths[-1], *lengths[:-1]
    return Walk(letters, sizes, strides_of_all, made, None if permutation == sorted(permutation) else order, across)


def broadcast_strides(lengths: tuple[int, ...], strides: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array as one of another shape, to which it broadcasts."""
    missing = len(shape) - len(lengths)
    own = [
        stride if length == wanted else 0
        for stride, length, wanted in zip(strides, lengths, shape[missing:], strict=True)
    ]
    return (*(0,) * missing, *own)


def joined_letters(arrays: Sequence[Array], shape: tuple[int, ...]) -> str:
    """Return the letters of arrays of a shape whose elements are adjacent, and of single elements, which broadcast.

    "" where there are other arrays, or none of the shape.
    """
    letters = ""
    for array in arrays:
        if not array.flags.carray:
            return ""
        if array.shape == shape:
            letters += "c"
        elif array.size == 1 and array.ndim <= len(shape):
            letters += "s"
        else:
            return ""
    return letters if "c" in letters else ""


def has_rows(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether the elements lie next to each other along an axis, or are one element."""
    return any(length > 1 and abs(stride) <= itemsize for length, stride in zip(shape, strides, strict=True))


def _across(lengths: list[int], strides: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Make parts of the longest axis the innermost one, which stay in a core's cache; the whole axis if it is prime."""
    axis = max(range(len(lengths)), key=lengths.__getitem__)
    length = lengths[axis]
    part = next((size for size in range(min(length - 1, LONGEST_PART), SHORTEST - 1, -1) if length % size == 0), length)
    outer = [length // part] if part < length else []
    before, after = lengths[:axis], lengths[axis + 1 :]
    walked = [
        [*steps[:axis], *[steps[axis] * part for _ in outer], *steps[axis + 1 :], steps[axis]] for steps in strides
    ]
    return [*before, *outer, *after, part], walked


def joined_stride(lengths: Sequence[int], strides: Sequence[int]) -> int | None:
    """The stride of a group of axes walked as one; 0 for one element, None where they do not lie together."""
    joined = 0
    size = 1
    for length, stride in zip(reversed(lengths), reversed(strides), strict=True):
        if length == 1:
            continue
        if size == 1:
            joined = stride
        elif stride != joined * size:
            return None
        size *= length
    return joined
