"""Layouts of operands: merged axes, and the expressions of offsets in a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ..kernels.layouts import merged_axes
from .arrays import BufferArray, broadcast_strides
from .source import SourceBuilder, unravelled

__all__ = ["CONTIGUOUS", "STRIDED", "Layout", "Offsets", "contiguous", "layout_of", "needs_64_bits", "strides_in"]

Shape = tuple[int, ...]

CONTIGUOUS, SAME, STRIDED = "c", "0", "s"
"""How an operand's offset follows from the index: the index itself, one element for all, or strides."""


class Layout(NamedTuple):
    """Operands over merged axes.

    Attributes
    ----------
    key
        What a kernel is compiled for: the number of axes, and the letter of each operand.
    shape
        The lengths of the merged axes.
    numbers
        The arguments that :class:`Offsets` reads, without the offsets of the first elements.
    """

    key: tuple[int, str]
    shape: Shape
    numbers: Shape


@lru_cache(2048)  # without the cache it takes a fourth of the time of a small launch
def layout_of(shape: Shape, strides: tuple[Shape, ...]) -> Layout:
    """Return operands of a shape with adjacent axes merged where all operands permit it.

    Several axes are as many as the next power of two, with axes of length 1 at the front, and every operand has strides
    then, so that few kernels serve all layouts.
    """
    lengths, operands = merged_axes(shape, strides)
    if not lengths:
        return Layout((1, CONTIGUOUS * len(strides)), (1,), ())
    missing = (1 << (len(lengths) - 1).bit_length()) - len(lengths)
    merged = (*(1,) * missing, *lengths)
    operands = [[0] * missing + steps for steps in operands]
    letters = STRIDED * len(strides) if len(merged) > 1 else "".join(map(_letter, operands))
    numbers = list(merged) if len(merged) > 1 else []
    for letter, steps in zip(letters, operands, strict=True):
        if letter == STRIDED:
            numbers += steps
    return Layout((len(merged), letters), merged, tuple(numbers))


@cache
def contiguous(number: int) -> Layout:
    """Return the layout of a number of operands of one shape, each of whose elements follow one another."""
    return Layout((1, CONTIGUOUS * number), (1,), ())


def _letter(steps: list[int]) -> str:
    return {0: SAME, 1: CONTIGUOUS}.get(steps[0], STRIDED)


class Offsets:
    """The offsets of operands in a kernel: the arguments that it reads, and expressions of them.

    Parameters
    ----------
    builder
        The kernel's builder.
    key
        The key of a layout.
    """

    def __init__(self, builder: SourceBuilder, key: tuple[int, str]) -> None:
        ndim, self._letters = key
        self._builder = builder
        self._shape = builder.numbers(ndim) if ndim > 1 else [""] * ndim
        self._strides = [builder.numbers(ndim) if letter == STRIDED else [] for letter in self._letters]

    def at(self, index: str, starts: Sequence[str]) -> list[str]:
        """Declare the offset of each operand at an index, from its first element on; return the names."""
        builder = self._builder
        coordinates = unravelled(builder, index, self._shape) if STRIDED in self._letters else []
        offsets = []
        for letter, steps, start in zip(self._letters, self._strides, starts, strict=True):
            terms = [start]
            if letter == CONTIGUOUS:
                terms.append(index)
            elif letter == STRIDED:
                terms += [f"{c} * {step}" for c, step in zip(coordinates, steps, strict=True)]
            offsets.append(builder.index(" + ".join(terms)) if len(terms) > 1 else start)
        return offsets

    @property
    def inner(self) -> str:
        """The name of the last axis's length; "" where there is one axis."""
        return self._shape[-1]

    def moved(self, offsets: Sequence[str], lane: str) -> list[str]:
        """Declare the offset of each operand a number of elements further along the last axis; return the names."""
        moved = []
        for letter, steps, offset in zip(self._letters, self._strides, offsets, strict=True):
            step = f"{lane} * {steps[-1]}" if letter == STRIDED else lane
            moved.append(offset if letter == SAME else self._builder.index(f"{offset} + {step}"))
        return moved


def strides_in(arrays: Sequence[BufferArray], shape: Shape) -> tuple[Shape, ...]:
    """Return the strides of arrays in a shape to which they broadcast."""
    return tuple([x.strides if x.shape == shape else broadcast_strides(x, shape) for x in arrays])


def needs_64_bits(*arrays: BufferArray) -> bool:
    """Whether a kernel over arrays needs positions of 64 bits: of elements that repeat, too."""
    for x in arrays:  # noqa: SIM110 - a generator takes three times as long
        if x.block.size >= 2**31 or x.size >= 2**30:
            return True
    return False
