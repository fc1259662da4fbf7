"""Axes and strides of operands, as all generators see them."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["dense_strides", "merged_axes", "reduced_shape", "sorted_axes"]

Shape = tuple[int, ...]


def sorted_axes(axis: int | Shape | None, ndim: int) -> Shape:
    """Return the axes of a reduction in ascending order, none of them negative; None names all."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(sorted([number % ndim for number in (axis if isinstance(axis, tuple) else (axis,))]))


def reduced_shape(shape: Shape, axes: Sequence[int], *, keepdims: bool) -> Shape:
    """Return the shape of a reduction's result."""
    return tuple([1 if axis in axes else length for axis, length in enumerate(shape) if keepdims or axis not in axes])


def dense_strides(shape: Sequence[int], itemsize: int = 1) -> Shape:
    """Return the strides of elements that follow one another in row-major order, in elements or in bytes."""
    strides = [itemsize] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return tuple(strides)


def merged_axes(shape: Sequence[int], strides: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """Return lengths and each operand's strides, without axes of length 1.

    Neighbouring axes are one where every operand walks them as one.
    """
    lengths: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        if lengths and all(merged[-1] == x[axis] * length for merged, x in zip(steps, strides, strict=True)):
            lengths[-1] *= length
            for merged, x in zip(steps, strides, strict=True):
                merged[-1] = x[axis]
        else:
            lengths.append(length)
            for merged, x in zip(steps, strides, strict=True):
                merged.append(x[axis])
    return lengths, steps
