"""Shapes and strides in the form that kernels use; pure functions without Triton or a device.

A kernel iterates over the indices 0, 1, …, size - 1 and computes each operand's offset by dividing the index by the
lengths of the axes. Fewer axes need fewer divisions: axes of length 1 are removed, and neighbouring axes that are
contiguous in every operand are merged. Strides count elements; broadcast axes have stride 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..kernels.layouts import dense_strides, merged_axes

__all__ = [
    "MAX_AXES",
    "Iteration",
    "Rows",
    "broadcast_shapes",
    "collapse",
    "dense_strides",
    "element_strides",
    "is_contiguous",
    "is_injective",
    "iteration",
    "memory_order",
    "needs_64_bits",
    "overlap",
    "rows",
]

MAX_AXES = 6
"""The maximum number of axes that kernels support, after axes are merged."""

Shape = tuple[int, ...]


class Iteration(NamedTuple):
    """Merged axes, outermost first, and each operand's strides; ``offsets_64`` if offsets need 64 bits."""

    shape: Shape
    strides: tuple[Shape, ...]
    offsets_64: bool

    @property
    def is_flat(self) -> bool:
        """Whether the first operand is contiguous, and each other one contiguous or a single element."""
        return len(self.shape) == 1 and self.strides[0][0] == 1 and all(steps[0] in (0, 1) for steps in self.strides)


class Rows(NamedTuple):
    """Operands as rows: the merged axes that number the rows, and those within a row."""

    outer: Iteration
    inner: Iteration

    @property
    def number(self) -> int:
        """The number of rows."""
        return math.prod(self.outer.shape)

    @property
    def length(self) -> int:
        """The number of elements of a row."""
        return math.prod(self.inner.shape)


def broadcast_shapes(*shapes: Shape) -> Shape | None:
    """Return the broadcast shape, or None if the shapes do not broadcast."""
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
    """Return strides in elements, broadcast to ``shape``; None if a stride is no multiple of the item size."""
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


def is_contiguous(shape: Shape, strides: Shape) -> bool:
    """Whether strides are those of a C-contiguous array; the strides of axes of length 1 do not count."""
    return all(
        length == 1 or step == dense for length, step, dense in zip(shape, strides, dense_strides(shape), strict=True)
    )


def is_injective(shape: Shape, strides: Shape) -> bool:
    """Whether no axis has stride 0, so that a result can be written."""
    return all(step or length == 1 for length, step in zip(shape, strides, strict=True))


def memory_order(shape: Shape, strides: Sequence[Shape]) -> tuple[int, ...]:
    """Return the axes by decreasing stride; the first operand whose strides along two axes differ orders these."""
    order: list[int] = []
    for axis in range(len(shape)):
        position = len(order)
        while position and _has_larger_stride(axis, order[position - 1], shape, strides):
            position -= 1
        order.insert(position, axis)
    return tuple(order)


def _has_larger_stride(axis: int, other: int, shape: Shape, strides: Sequence[Shape]) -> bool:
    if shape[axis] == 1 or shape[other] == 1:
        return False
    for steps in strides:
        first, second = abs(steps[axis]), abs(steps[other])
        if first and second and first != second:
            return first > second
    return False


def collapse(shape: Shape, strides: Sequence[Shape]) -> tuple[Shape, tuple[Shape, ...]]:
    """Merge axes as far as the elements are visited in the same order; return at least one axis."""
    lengths, steps = merged_axes(shape, strides)
    if not lengths:
        return (1,), tuple((1,) if index == 0 else (0,) for index in range(len(strides)))
    return tuple(lengths), tuple(map(tuple, steps))


def needs_64_bits(shape: Shape, strides: Sequence[Shape]) -> bool:
    """Whether an index or an offset exceeds 32 bits, with a margin for the block that contains the last index."""
    limit = 2**31 - 2**21
    if math.prod(shape) >= limit:
        return True
    return any(
        sum((length - 1) * abs(step) for length, step in zip(shape, steps, strict=True)) >= limit for steps in strides
    )


def iteration(shape: Shape, strides: Sequence[Shape]) -> Iteration:
    """Return the merged axes of operands of one shape."""
    lengths, steps = collapse(shape, strides)
    return Iteration(lengths, steps, needs_64_bits(lengths, steps))


def rows(shape: Shape, strides: Sequence[Shape], axes: Sequence[int], *, ordered: bool = False) -> Rows:
    """Return operands of one shape as rows along some axes.

    Within a row, axes have the order of the first operand's memory, or with ``ordered`` their own. Rows are numbered
    in the order of the other axes.
    """
    rest = [axis for axis in range(len(shape)) if axis not in axes]
    along = sorted(axes)
    if not ordered:
        order = memory_order(tuple(shape[axis] for axis in along), [tuple(strides[0][axis] for axis in along)])
        along = [along[position] for position in order]
    outer, inner = (
        iteration(tuple(shape[axis] for axis in part), [tuple(steps[axis] for axis in part) for steps in strides])
        for part in (rest, along)
    )
    if outer.shape == (1,):
        # The compiler knows that a multiple of 0 is aligned, and vectorizes the loads of the one row.
        outer = outer._replace(strides=((0,),) * len(strides))
    offsets_64 = needs_64_bits(shape, strides)
    return Rows(outer._replace(offsets_64=offsets_64), inner._replace(offsets_64=offsets_64))


def overlap(x1: Any, start1: int, x2: Any, start2: int) -> bool:
    """Whether the address ranges of two arrays overlap; ``start`` is the address of the first element."""
    low1, high1 = _address_range(x1, start1)
    low2, high2 = _address_range(x2, start2)
    return low1 < high2 and low2 < high1


def _address_range(x: Any, start: int) -> tuple[int, int]:
    low = high = start
    for length, step in zip(x.shape, x.strides, strict=True):
        if step < 0:
            low += (length - 1) * step
        else:
            high += (length - 1) * step
    return low, high + x.dtype.itemsize
