"""Operations of random words: their rows of the table, and calls of them."""

from __future__ import annotations

from .. import _composed
from .._core.array import Array, apply
from .._core.device import Device
from .._core.operations import declare

__all__ = ["MAIN", "NORMAL", "UNIFORM", "Stream", "bits", "blocks"]

Stream = tuple[int, int]
"""Two words of the counter. The stream (0, 0) is the main one; its words are those of :class:`numpy.random.Philox`."""

MAIN: Stream = (0, 0)


BITS = declare(
    "random.bits",
    "random",
    operands=0,
    dtype="argument",
    shape="argument",
    composition=_composed.random.bits,
    primitive=False,
)
"""``bits(*, key, stream, start, shape)``: words of a stream from ``start`` on, as uint64, in row-major order."""

BLOCKS = declare(
    "random.blocks",
    "random",
    accepts="integer",
    dtype="argument",
    shape="argument",
    composition=_composed.random.blocks,
    primitive=False,
)
"""``blocks(x, *, key, stream)``: the four words of each block whose number is an element of ``x``, a uint64 array."""

UNIFORM = declare("random.uniform_numbers", "random", operands=0, dtype="argument", shape="argument", primitive=False)
"""``uniform_numbers(*, key, stream, start, shape, dtype)``: numbers in [0, 1), in row-major order.

float64 takes a word for a number, float32 half a word; ``start`` counts words or halves, accordingly.
"""

NORMAL = declare("random.normal_numbers", "random", operands=0, dtype="argument", shape="argument", primitive=False)
"""``normal_numbers(*, key, stream, start, shape, dtype)``: normal numbers, one for a word, in row-major order."""


def bits(device: Device, *, key: tuple[int, int], stream: Stream, start: int, shape: tuple[int, ...]) -> Array:
    """Return words of a stream, one for each element of a shape."""
    return apply(BITS, device, key=key, stream=stream, start=start, shape=shape)


def blocks(x: Array, *, key: tuple[int, int], stream: Stream) -> Array:
    """Return the words of blocks as an array of shape ``(n, 4)``."""
    return apply(BLOCKS, x._device, x._native, key=key, stream=stream)
