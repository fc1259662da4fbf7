"""Operations of random words: their rows of the table, and calls of them."""

from __future__ import annotations

from typing import Any

from .. import _composed
from .._core.array import Array, apply, attempt
from .._core.device import Device
from .._core.dtypes import DType
from .._core.operations import Operation, declare

__all__ = ["MAIN", "NORMAL", "UNIFORM", "Stream", "attempt_draw", "bits", "blocks"]

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
"""``bits(*, key, stream, start, count)``: ``count`` words of a stream from the word ``start`` on, as uint64."""

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
"""``uniform_numbers(*, key, start, count, dtype)``: numbers in [0, 1) from the main stream.

float64 takes a word for a number, float32 half a word; ``start`` counts words or halves, accordingly.
"""

NORMAL = declare("random.normal_numbers", "random", operands=0, dtype="argument", shape="argument", primitive=False)
"""``normal_numbers(*, key, start, count, dtype)``: normal numbers, one for a word of the main stream."""


def bits(device: Device, *, key: tuple[int, int], stream: Stream, start: int, count: int) -> Array:
    """Return words of a stream."""
    return apply(BITS, device, key=key, stream=stream, start=start, count=count)


def blocks(x: Array, *, key: tuple[int, int], stream: Stream) -> Array:
    """Return the words of blocks as an array of shape ``(n, 4)``."""
    return apply(BLOCKS, x._device, x._native, key=key, stream=stream)


def attempt_draw(
    operation: Operation, device: Device, *, key: tuple[int, int], start: int, count: int, dtype: DType
) -> Any:
    """Return numbers by the device's own implementation; NotImplemented without one."""
    return attempt(operation, device, key=key, start=start, count=count, dtype=dtype)
