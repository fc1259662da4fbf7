"""Layouts of operands that are reduced along axes: which axes a kernel joins, and how it walks them."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

from ..kernels.layouts import dense_strides
from ._sizes import SHORTEST
from ._walks import Array, Layouts, broadcast_strides, joined_stride

__all__ = ["ReductionWalk", "memory_order", "order_of_results", "reduction_walk"]


LONGEST_SHORT, LONGEST_JOINED, LEAST_JOINED = 32, 256, 4096
"""Elements of a row below which a loop over them is short, of several rows that are one at most, and of all rows."""


class ReductionWalk(NamedTuple):
    """How a kernel reduces arrays that broadcast.

    Attributes
    ----------
    axes
        The axes along which the kernel goes, in ascending order. Where it has fewer axes than the reduction, the
        results are reduced along the others, and the other attributes are empty.
    columns
        Whether axes that remain lie within those that are reduced.
    letters
        The layout of each input along the innermost axis; see :mod:`_loops`.
    sizes
        The length of the innermost axis, the number of rows, and, with columns, the number of matrices.
    copied
        For each input None, or the shape of a row-major copy that the kernel reads in its place.
    strides
        The strides of each input that follow its address.
    joined
        The number of short rows that the kernel takes for one, whose columns are added up afterwards.
    """

    axes: tuple[int, ...]
    columns: bool = False
    letters: str = ""
    sizes: tuple[int, ...] = ()
    copied: tuple[tuple[int, ...] | None, ...] = ()
    strides: tuple[tuple[int, ...], ...] = ()
    joined: int = 1


@functools.lru_cache(maxsize=512)
def reduction_walk(arrays: Layouts, shape: tuple[int, ...], axes: tuple[int, ...]) -> ReductionWalk | None:
    """Return how a kernel reduces arrays of some layouts; None where it does not, or NumPy's loop is as fast.

    Parameters
    ----------
    arrays
        The shape, the strides and the itemsize of each input.
    shape
        The shape to which they broadcast.
    axes
        The axes that are reduced, in ascending order.
    """
    views = [broadcast_strides(own, strides, shape) for own, strides, _ in arrays]
    shapes = [own for own, _, _ in arrays]
    run = tuple(_run(shapes, views, shape, axes)) if len(axes) > 1 else axes
    if len(run) < len(axes):
        return ReductionWalk(run)
    groups = _groups(shape, axes)
    columns = any(length != 1 for length in groups[2])
    matrices, rows, length = map(math.prod, groups)
    if not columns:
        rows, length = matrices, rows
    if not rows or not length or (length < SHORTEST and rows < SHORTEST):
        return None
    letters, all_copied, all_strides = "", [], []
    for (own, _, itemsize), view in zip(arrays, views, strict=True):
        copied, joined_axes = None, _joined(groups, view)
        if joined_axes is None:
            if math.prod(own) == math.prod(shape):
                return None
            copied = _compact(own, groups)
            joined_axes = _joined(groups, broadcast_strides(copied, dense_strides(copied, itemsize), shape))
            assert joined_axes is not None
        outer, reduced, inner = joined_axes
        if not columns:
            inner, reduced = reduced, outer
        letter = {itemsize: "c", 0: "s"}.get(inner, "v")
        letters += letter
        all_copied.append(copied)
        all_strides.append((*((inner,) if letter == "v" else ()), reduced, *((outer,) if columns else ())))
    if not columns:
        return ReductionWalk(axes, columns, letters, (length, rows), tuple(all_copied), tuple(all_strides))
    adjacent = all(
        letter == "c" and strides[0] == length * itemsize
        for letter, strides, (_, _, itemsize) in zip(letters, all_strides, arrays, strict=True)
    )
    joined = _joined_rows(rows, length) if adjacent and rows * length >= LEAST_JOINED else 1
    if joined > 1:
        all_strides = [(reduced * joined, outer) for reduced, outer in all_strides]
    sizes = length * joined, rows // joined, matrices
    return ReductionWalk(axes, columns, letters, sizes, tuple(all_copied), tuple(all_strides), joined)


def _joined_rows(rows: int, length: int) -> int:
    """Return how many adjacent rows, of a few elements, are one row of at most ``LONGEST_JOINED`` elements together."""
    if length >= LONGEST_SHORT:
        return 1
    return next(number for number in range(LONGEST_JOINED // length, 0, -1) if rows % number == 0)


Groups = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Lengths of the axes before those that are reduced, of these, and of those after them."""


def _groups(shape: tuple[int, ...], axes: Sequence[int]) -> Groups:
    start, end = axes[0], axes[-1] + 1
    return shape[:start], shape[start:end], shape[end:]


def _joined(groups: Groups, strides: tuple[int, ...]) -> tuple[int, int, int] | None:
    """Return the stride of each group of axes; None where the axes of one do not lie together."""
    start = len(groups[0])
    end = start + len(groups[1])
    outer, reduced, inner = map(joined_stride, groups, (strides[:start], strides[start:end], strides[end:]))
    return None if outer is None or reduced is None or inner is None else (outer, reduced, inner)


def _compact(own: tuple[int, ...], groups: Groups) -> tuple[int, ...]:
    """Return the shape of a copy of a broadcast operand in which the axes of each group lie together.

    A group of axes along which the operand has one element has the length 1 in the copy.
    """
    lengths = (1,) * (sum(map(len, groups)) - len(own)) + own
    shape: tuple[int, ...] = ()
    for group in groups:
        part = lengths[len(shape) : len(shape) + len(group)]
        shape += part if math.prod(part) == 1 else group
    return shape


def _run(
    shapes: Sequence[tuple[int, ...]],
    views: Sequence[tuple[int, ...]],
    shape: tuple[int, ...],
    axes: Sequence[int],
) -> list[int]:
    """Return those of the axes along which a kernel goes.

    They are adjacent, and joined in each operand. Of several such runs it is the one for which the fewest elements of
    operands are copied, and of these the one of most elements.
    """
    runs: list[list[int]] = []
    for axis in axes:
        if runs and runs[-1][-1] == axis - 1:
            joined = slice(runs[-1][0], axis + 1)
            if all(joined_stride(shape[joined], strides[joined]) is not None for strides in views):
                runs[-1].append(axis)
                continue
        runs.append([axis])

    def cost(run: list[int]) -> tuple[int, int]:
        groups, copied = _groups(shape, run), 0
        for own, strides in zip(shapes, views, strict=True):
            if _joined(groups, strides) is None:
                copied += math.prod(_compact(own, groups))
        return copied, -math.prod(groups[1])

    return runs[0] if len(runs) == 1 else min(runs, key=cost)


def memory_order(arrays: Sequence[Array], shape: tuple[int, ...]) -> list[int] | None:
    """Return the axes as the elements of the first whole array follow each other in memory; None where they do."""
    whole = [x for x in arrays if x.shape == shape]
    leading = next((x for x in whole if x.flags.c_contiguous or 0 not in _steps(x)), None)
    if leading is None or leading.flags.c_contiguous:
        return None
    steps = _steps(leading)
    if steps == sorted(steps, reverse=True):
        return None
    return sorted(range(len(shape)), key=lambda axis: -abs(leading.strides[axis]))


def _steps(x: Array) -> list[int]:
    """Return the magnitudes of the strides of axes with several elements."""
    return [abs(stride) for stride, length in zip(x.strides, x.shape, strict=True) if length != 1]


def order_of_results(order: Sequence[int], axes: Sequence[int], *, keepdims: bool) -> list[int]:
    """Return the axes of a result whose axes are in another order, in their own."""
    left = order if keepdims else [axis for axis in order if axis not in axes]
    return sorted(range(len(left)), key=left.__getitem__)
