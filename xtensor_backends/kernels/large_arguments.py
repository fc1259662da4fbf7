"""Reduction of large arguments of trigonometric functions, after Payne and Hanek.

A number is an integer times a power of two, ``m 2**e``. Of the digits of 2/pi, those whose product with it is a
multiple of 4 change nothing; the next seven give the quadrant and a remainder with all its digits.

Payne and Hanek, "Radian reduction for trigonometric functions" (SIGNUM Newsletter 18, 1983).
"""

from __future__ import annotations

import numpy as np

from .values import Value, bits, cast, constant, fabs, select, two_product, two_sum

__all__ = ["reduce_large"]

TWO_OVER_PI = int(
    "A2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561B7246E3A424DD2E006492EEA09D1921CFE1D"
    "EB1CB129A73EE88235F52EBB4484E99C7026B45F7E413991D639835339F49C845F8BBDF9283B1FF897FFDE05980FEF2F118B"
    "5A0A6D1F6D367ECF27CB09B74F463F669E5FEA2D7527BAC7EBE5F17B3D0739F78A5292EA6BFB5FB11F8D5D0856033046FC7B"
    "6BABF0CFBC209AF4361D",
    16,
)
"""The first 1280 binary digits of 2/pi after the point."""

BITS = 1280

DIGITS = 7
"""Digits of 2/pi that are multiplied: the product has 27 bits or more beyond the largest cancellation and rounding."""

HALF_PI = {
    np.dtype(np.float32): (1.5707963705062866, -4.371139000186241e-08),
    np.dtype(np.float64): (1.5707963267948966, 6.123233995736766e-17),
}
"""Two parts of pi/2."""


def reduce_large(x: Value) -> tuple[Value, Value]:
    """The number of the quadrant in its low bits, and the difference from the nearest multiple of pi/2.

    Takes finite numbers with ``|x| >= 2**12``.
    """
    builder, dtype = x.builder, x.dtype
    size = 4 * dtype.itemsize  # bits of a digit: half of an integer
    integer, word = np.dtype(f"i{dtype.itemsize}"), np.dtype(f"u{dtype.itemsize}")
    limits = np.finfo(dtype)
    pattern = cast(bits(fabs(x)), word)
    mantissa = (pattern & (2**limits.nmant - 1)) | 2**limits.nmant
    exponent = cast(pattern >> limits.nmant, integer) - (limits.maxexp - 1 + limits.nmant)
    # The first digit that counts, and the shift of the product; the table begins with a digit of 0.
    bits_of_size = size.bit_length() - 1
    first = (exponent - 2 + size) >> bits_of_size
    shift = cast(exponent + size - (first << bits_of_size), word)
    low_mask = 2**size - 1
    digits = _digits(first, size, (limits.maxexp - limits.nmant - 3 + size) // size, word)
    product = _product(digits, (mantissa & low_mask, mantissa >> size), low_mask, size)
    # Shift left, so that the two bits of the quadrant are the highest ones.
    left = shift - 2
    shifted = []
    for position, digit in enumerate(product):
        below = product[position + 1] if position + 1 < DIGITS else constant(builder, 0, word)
        shifted.append(((digit << left) | (below >> (constant(builder, size, word) - left))) & low_mask)
    quadrant = shifted[0] >> (size - 2)
    # Round to the nearest: from one half on, the fraction less 1, whose absolute value has the inverted digits.
    rounds_up = (shifted[0] >> (size - 3) & 1) != 0
    quadrant = quadrant + cast(rounds_up, word)
    fraction = [shifted[0] & (2 ** (size - 2) - 1), *shifted[1:]]
    fraction = [select(rounds_up, digit ^ mask, digit) for digit, mask in zip(fraction, _masks(size), strict=True)]
    high, low = constant(builder, 0.0, dtype), constant(builder, 0.0, dtype)
    for position in reversed(range(DIGITS)):
        term = cast(fraction[position], dtype) * 2.0 ** (2 - size * (position + 1))
        high, error = two_sum(term, high)
        low = low + error
    high, low = two_sum(high, low)
    first_part, second_part = HALF_PI[dtype]
    main, error = two_product(high, first_part)
    rest = main + (error + (high * second_part + low * first_part))
    rest = select(rounds_up, -rest, rest)
    negative = x < 0
    count = cast(quadrant, integer)
    return select(negative, -count, count), select(negative, -rest, rest)


def _masks(size: int) -> list[int]:
    return [2 ** (size - 2) - 1, *[2**size - 1] * (DIGITS - 1)]


def _digits(first: Value, size: int, largest: int, word: np.dtype[np.generic]) -> list[Value]:
    """Seven digits of the table from a position on: the table is shifted by each bit of the position."""
    stages = largest.bit_length()
    digits = [0, *[TWO_OVER_PI >> BITS - size * (k + 1) for k in range(DIGITS + 2**stages - 2)]]
    table = [constant(first.builder, digit % 2**size, word) for digit in digits]
    for stage in reversed(range(stages)):
        moves = (first >> stage & 1) != 0
        table = [select(moves, table[k + 2**stage], table[k]) for k in range(DIGITS + 2**stage - 1)]
    return table


def _product(digits: list[Value], factor: tuple[Value, Value], mask: int, size: int) -> list[Value]:
    """The digits of a product modulo the first one, the highest first."""
    result = [digit ^ digit for digit in digits]
    for shift, part in enumerate(factor):
        carry = digits[0] ^ digits[0]
        for position in reversed(range(DIGITS)):
            target = position - shift
            if target < 0:
                continue
            total = digits[position] * part + result[target] + carry
            result[target] = total & mask
            carry = total >> size
    return result
