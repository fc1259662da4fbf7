"""Words of 64 bits as two of 32, for the random numbers of devices that have no larger integers."""

from __future__ import annotations

import numpy as np

from ..kernels.values import Value, bits, cast, constant, from_bits, select

__all__ = ["Word", "high_product"]

UINT32, INT32, FLOAT32 = np.dtype(np.uint32), np.dtype(np.int32), np.dtype(np.float32)

LOW = 2**32 - 1


class Word:
    """Two halves of a word, with the operations of :class:`Value` that generators of random numbers need."""

    __slots__ = ("high", "low")

    def __init__(self, low: Value, high: Value) -> None:
        self.low = low
        self.high = high

    def __xor__(self, other: Word | int) -> Word:
        low, high = (other.low, other.high) if isinstance(other, Word) else (other & LOW, other >> 32)
        return Word(self.low ^ low, self.high ^ high)

    def __add__(self, other: Word | int) -> Word:
        low, high = (other.low, other.high) if isinstance(other, Word) else (other & LOW, other >> 32)
        total, carry = _sum(self.low, low)
        return Word(total, self.high + high + carry)

    def __rshift__(self, count: int) -> Word:
        return Word((self.low >> count) | (self.high << (32 - count)), self.high >> count)

    def product(self, number: int) -> tuple[Word, Word]:
        """The high and the low word of the product with a constant."""
        (h0, l0), (h1, l1) = (high_product(part, number & LOW) for part in (self.low, self.high))
        (h2, l2), (h3, l3) = (high_product(part, number >> 32) for part in (self.low, self.high))
        middle, first = _sum(h0, l1)
        middle, second = _sum(middle, l2)
        upper, third = _sum(h1, h2)
        upper, fourth = _sum(upper, l3)
        upper, fifth = _sum(upper, first + second)
        return Word(upper, h3 + third + fourth + fifth), Word(l0, middle)

    def single(self) -> Value:
        """The nearest float32, of two the one with the even significand; the word is below 2**56."""
        # A bit stands for all lost ones, so that the conversion of 32 bits rounds as one of 64 does.
        size = select(self.high != 0, _digits(self.high), 0)
        top = (self.high << (constant(size.builder, 32, UINT32) - size)) | (self.low >> size)
        lost = (self.low & ((constant(size.builder, 1, UINT32) << size) - 1)) != 0
        word = select(self.high == 0, self.low, top | cast(lost, UINT32))
        scale = from_bits((cast(size, INT32) + 127) << 23, FLOAT32)
        return cast(word, FLOAT32) * scale


def _digits(x: Value) -> Value:
    """The number of binary digits of an integer from 1 to 2**24, as its float32 has it."""
    return cast((bits(cast(x, FLOAT32)) >> 23) - 126, UINT32)


def _sum(a: Value, b: Value | int) -> tuple[Value, Value]:
    """The sum and its carry."""
    total = a + b
    return total, cast(total < a, UINT32)


def high_product(x: Value, number: int) -> tuple[Value, Value]:
    """The high and the low word of the product of a word and a constant."""
    size = 4 * x.dtype.itemsize
    mask = 2**size - 1
    low, high = x & mask, x >> size
    lowest = low * (number & mask)
    middle = high * (number & mask) + (lowest >> size)
    other = low * (number >> size) + (middle & mask)
    return high * (number >> size) + (middle >> size) + (other >> size), x * number
