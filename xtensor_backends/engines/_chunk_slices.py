"""Places of chunks in an array."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["Slices", "joint", "lengths_of", "number_of"]

Slices = tuple[slice, ...]
"""Where a chunk lies: the indices of its elements along each axis."""


def lengths_of(slices: Slices) -> tuple[int, ...]:
    """Return the lengths of slices."""
    return tuple([part.stop - part.start for part in slices])


def number_of(shape: tuple[int, ...], index: Sequence[int]) -> int:
    """Return the number of an element of an array of a shape, in the order of rows."""
    number = 0
    for length, i in zip(shape, index, strict=True):
        number = number * length + i
    return number


def joint(operands: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape to which operands broadcast, and the smallest lengths of their chunks.

    Parameters
    ----------
    operands
        The shape and the lengths of a chunk of each operand.
    """
    shape = np.broadcast_shapes(*[own for own, _ in operands])
    lengths = list(shape)
    for own, chunk in operands:
        for axis, (n, length) in enumerate(zip(own, chunk, strict=True), start=len(shape) - len(own)):
            if n == shape[axis]:
                lengths[axis] = min(lengths[axis], max(length, 1))
    return shape, tuple(lengths)
