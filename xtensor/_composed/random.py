"""Random words by Philox4x64-10: the formula for all devices.

Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC 2011). A block of four words of 64 bits
is a function of a counter (four words) and a key (two words). Block ``b`` has the counter ``(b + 1, 0, s0, s1)``, where
``(s0, s1)`` is the stream, as :class:`numpy.random.Philox` counts.

Products of 128 bits are composed of products of 32-bit halves, because the standard has no wider integer than uint64.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.backend import Native
from .._core.random_constants import PHILOX_MULTIPLIERS, PHILOX_ROUNDS, PHILOX_WEYL

__all__ = ["bits", "blocks", "philox", "product"]

UINT64 = np.dtype(np.uint64)

LOW = 2**32 - 1


def bits(xp: Any, *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...]) -> Native:
    count = math.prod(shape)
    first, skipped = divmod(start, 4)
    number = -(-(skipped + count) // 4)
    counters = xp.add(xp.arange(0, number, 1, dtype=UINT64), first)
    words = xp.reshape(blocks(xp, counters, key=key, stream=stream), (4 * number,))
    drawn = words[skipped : skipped + count]
    return drawn if len(shape) == 1 else xp.reshape(drawn, shape)


def blocks(xp: Any, x: Native, *, key: tuple[int, int], stream: tuple[int, int]) -> Native:
    zero = xp.zeros(x.shape, dtype=UINT64)
    counter = (xp.add(x, 1), zero, *(xp.full(x.shape, word, dtype=UINT64) for word in stream))
    return xp.stack(philox(xp, counter, key), axis=x.ndim)


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
