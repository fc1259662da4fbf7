"""Shapes and strides as the kernels take them; pure functions, that need neither Triton nor a device.

A kernel runs over positions 0, 1, …, size - 1 and finds the element of each operand by dividing the position by the
lengths of the axes. The fewer the axes the fewer the divisions: axes of length 1 go, and neighbours that lie one behind
the other in every operand become one. Strides count elements, and broadcast axes have stride 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = [
    "MOST_AXES",
    "Iteration",
    "Rows",
    "broadcast_shapes",
    "collapse",
    "dense_strides",
    "element_strides",
    "is_dense",
    "iteration",
    "memory_order",
    "needs_64_bits",
    "overlap",
    "rows",
]

MOST_AXES = 6
"""How many axes the kernels take once collapsed; more are left to the storage's functions."""

Shape = tuple[int, ...]


class Iteration(NamedTuple):
    """Collapsed axes, outermost first, and each operand's strides along them; ``wide`` where offsets need 64 bits."""

    shape: Shape
    strides: tuple[Shape, ...]
    wide: bool

    @property
    def is_flat(self) -> bool:
        """Whether each operand is one run of neighbouring elements, or one element, and the first is a run."""
        return len(self.shape) == 1 and self.strides[0][0] == 1 and all(steps[0] in (0, 1) for steps in self.strides)


class Rows(NamedTuple):
    """Operands as rows: the collapsed axes that stay, and those that are gone over within a row."""

    kept: Iteration
    reduced: Iteration

    @property
    def number(self) -> int:
        """The number of rows."""
        return math.prod(self.kept.shape)

    @property
    def length(self) -> int:
        """The number of elements in each."""
        return math.prod(self.reduced.shape)


def broadcast_shapes(*shapes: Shape) -> Shape | None:
    """The common shape, or None where there is none."""
    ndim = max(map(len, shapes))
    result = [1] * ndim
    for shape in shapes:
        for axis, length in enumerate(shape, ndim - len(shape)):
            if length != 1 and result[axis] != length:
                if result[axis] != 1:
                    return None
                result[axis] = length
    return tuple(result)


def element_strides(x: Any, shape: Shape | None = None) -> Shape | None:
    """Strides in elements, broadcast to ``shape``; None where some do not fall on elements."""
    itemsize = x.dtype.itemsize
    steps = []
    for length, step in zip(x.shape, x.strides, strict=True):
        count, rest = divmod(step, itemsize)
        if rest and length > 1:
            return None
        steps.append(count if length != 1 else 0)
    if shape is None:
        return tuple(steps)
    return (0,) * (len(shape) - len(steps)) + tuple(steps)


def dense_strides(shape: Shape) -> Shape:
    """The strides of an array in row-major order without gaps."""
    steps = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        steps[axis - 1] = steps[axis] * shape[axis]
    return tuple(steps)


def is_dense(shape: Shape, strides: Shape) -> bool:
    """Whether no two indices name one element by a stride of 0."""
    return all(step or length == 1 for length, step in zip(shape, strides, strict=True))


def memory_order(shape: Shape, strides: Sequence[Shape]) -> tuple[int, ...]:
    """The axes from the largest steps to the smallest, the first operand that can tell two apart deciding."""
    order: list[int] = []
    for axis in range(len(shape)):
        place = len(order)
        while place and _steps_further(axis, order[place - 1], shape, strides):
            place -= 1
        order.insert(place, axis)
    return tuple(order)


def _steps_further(axis: int, other: int, shape: Shape, strides: Sequence[Shape]) -> bool:
    if shape[axis] == 1 or shape[other] == 1:
        return False
    for steps in strides:
        mine, theirs = abs(steps[axis]), abs(steps[other])
        if mine and theirs and mine != theirs:
            return mine > theirs
    return False


def collapse(shape: Shape, strides: Sequence[Shape]) -> tuple[Shape, tuple[Shape, ...]]:
    """The fewest axes that visit the same elements in the same order; one axis at least."""
    lengths: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        if lengths and all(kept[-1] == operand[axis] * length for kept, operand in zip(steps, strides, strict=True)):
            lengths[-1] *= length
            for kept, operand in zip(steps, strides, strict=True):
                kept[-1] = operand[axis]
        else:
            lengths.append(length)
            for kept, operand in zip(steps, strides, strict=True):
                kept.append(operand[axis])
    if not lengths:
        return (1,), tuple((1,) if index == 0 else (0,) for index in range(len(strides)))
    return tuple(lengths), tuple(map(tuple, steps))


def needs_64_bits(shape: Shape, strides: Sequence[Shape]) -> bool:
    """Whether a position or an offset goes beyond 32 bits; room is left for a block behind the last position."""
    reach = 2**31 - 2**21
    if math.prod(shape) >= reach:
        return True
    return any(
        sum((length - 1) * abs(step) for length, step in zip(shape, steps, strict=True)) >= reach for steps in strides
    )


def iteration(shape: Shape, strides: Sequence[Shape]) -> Iteration:
    """Collapsed axes of operands that have one shape."""
    lengths, steps = collapse(shape, strides)
    return Iteration(lengths, steps, needs_64_bits(lengths, steps))


def rows(shape: Shape, strides: Sequence[Shape], axes: Sequence[int], *, ordered: bool = False) -> Rows:
    """Operands of one shape as rows along some axes.

    The axes of a row are taken in the order of the first operand's memory, unless the order of elements counts
    (``ordered``). Rows are counted in the order of the axes that stay.
    """
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    reduced = sorted(axes)
    if not ordered:
        order = memory_order(tuple(shape[axis] for axis in reduced), [tuple(strides[0][axis] for axis in reduced)])
        reduced = [reduced[place] for place in order]
    outer, inner = (
        iteration(tuple(shape[axis] for axis in part), [tuple(steps[axis] for axis in part) for steps in strides])
        for part in (kept, reduced)
    )
    wide = needs_64_bits(shape, strides)
    return Rows(outer._replace(wide=wide), inner._replace(wide=wide))


def overlap(x1: Any, start1: int, x2: Any, start2: int) -> bool:
    """Whether the memory that two arrays reach over has bytes in common; ``start`` is the address of an array."""
    low1, high1 = _reach(x1, start1)
    low2, high2 = _reach(x2, start2)
    return low1 < high2 and low2 < high1


def _reach(x: Any, start: int) -> tuple[int, int]:
    low = high = start
    for length, step in zip(x.shape, x.strides, strict=True):
        if step < 0:
            low += (length - 1) * step
        else:
            high += (length - 1) * step
    return low, high + x.dtype.itemsize
