"""Operations of random words: their rows of the table, and calls of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply
from .._core.device import Device
from .._core.operations import declare
from .._core.random_constants import PHILOX_MULTIPLIERS, PHILOX_ROUNDS, PHILOX_WEYL

__all__ = ["MAIN", "NORMAL", "UNIFORM", "Stream", "bits", "blocks"]

Stream = tuple[int, int]
"""Two words of the counter. The stream (0, 0) is the main one; its words are those of :class:`numpy.random.Philox`."""

MAIN: Stream = (0, 0)


UINT64 = np.dtype(np.uint64)


LOW = 2**32 - 1


def philox(xp: Any, counter: tuple[Native, ...], key: tuple[int, int]) -> list[Native]:
    """Return the four words of blocks, for the four words of their counters."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(PHILOX_ROUNDS):
        high0, low0 = product(xp, c0, *_halves(PHILOX_MULTIPLIERS[0]))
        high1, low1 = product(xp, c2, *_halves(PHILOX_MULTIPLIERS[1]))
        c0 = xp.bitwise_xor(xp.bitwise_xor(high1, c1), xp.full((), k0, dtype=UINT64))
        c2 = xp.bitwise_xor(xp.bitwise_xor(high0, c3), xp.full((), k1, dtype=UINT64))
        c1, c3 = low1, low0
        k0, k1 = (k0 + PHILOX_WEYL[0]) % 2**64, (k1 + PHILOX_WEYL[1]) % 2**64
    return [c0, c1, c2, c3]


def _halves(number: int) -> tuple[int, int]:
    return number & LOW, number >> 32


def product(xp: Any, x: Any, y_low: Any, y_high: Any) -> tuple[Any, Any]:
    """Return the high and the low word of the 128-bit product of x and y, whose 32-bit halves are given."""
    x_low, x_high = xp.bitwise_and(x, LOW), xp.bitwise_right_shift(x, 32)
    lowest = xp.multiply(x_low, y_low)
    middle = xp.add(xp.multiply(x_high, y_low), xp.bitwise_right_shift(lowest, 32))
    other = xp.add(xp.multiply(x_low, y_high), xp.bitwise_and(middle, LOW))
    carry = xp.add(xp.bitwise_right_shift(middle, 32), xp.bitwise_right_shift(other, 32))
    low = xp.bitwise_or(xp.bitwise_left_shift(other, 32), xp.bitwise_and(lowest, LOW))
    return xp.add(xp.multiply(x_high, y_high), carry), low


def _compose_bits(
    xp: Any, *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...]
) -> Native:
    count = math.prod(shape)
    first, skipped = divmod(start, 4)
    number = -(-(skipped + count) // 4)
    counters = xp.add(xp.arange(0, number, 1, dtype=UINT64), first)
    words = xp.reshape(_compose_blocks(xp, counters, key=key, stream=stream), (4 * number,))
    drawn = words[skipped : skipped + count]
    return drawn if len(shape) == 1 else xp.reshape(drawn, shape)


def _compose_blocks(xp: Any, x: Native, *, key: tuple[int, int], stream: tuple[int, int]) -> Native:
    zero = xp.zeros(x.shape, dtype=UINT64)
    counter = (xp.add(x, 1), zero, *(xp.full(x.shape, word, dtype=UINT64) for word in stream))
    return xp.stack(philox(xp, counter, key), axis=x.ndim)


BITS = declare(
    "random.bits",
    "random",
    operands=0,
    dtype="argument",
    shape="argument",
    composition=_compose_bits,
    primitive=False,
)
"""``bits(*, key, stream, start, shape)``: words of a stream from ``start`` on, as uint64, in row-major order."""

BLOCKS = declare(
    "random.blocks",
    "random",
    accepts="integer",
    dtype="argument",
    shape="argument",
    composition=_compose_blocks,
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
