# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Kernel of random numbers: words by Philox4x64-10, converted to uniform or normal numbers where they are made.

A lane computes a block of four words. ``KIND`` is the number that is stored of a word: ``"bits"`` itself, ``"uniform"``
one in [0, 1) (two of float32), ``"normal"`` a normal number. ``FIRST`` and ``SECOND`` are the multipliers, each with
the constant that is added to its half of the key.
"""

from __future__ import annotations

import triton
import triton.language as tl

from ._kernels import block_indices
from ._library import divide, sqrt


@triton.jit
def philox(c0, c1, c2, c3, k0, k1, FIRST: tl.constexpr, SECOND: tl.constexpr, ROUNDS: tl.constexpr):
    """Return the words of blocks for counters and a key."""
    first = tl.full(c0.shape, FIRST[0], tl.uint64)
    second = tl.full(c0.shape, SECOND[0], tl.uint64)
    for _ in tl.static_range(ROUNDS):
        high0 = tl.umulhi(c0, first)
        high1 = tl.umulhi(c2, second)
        low0 = c0 * first
        low1 = c2 * second
        c0 = high1 ^ c1 ^ k0
        c2 = high0 ^ c3 ^ k1
        c1 = low1
        c3 = low0
        k0 += tl.full(k0.shape, FIRST[1], tl.uint64)
        k1 += tl.full(k1.shape, SECOND[1], tl.uint64)
    return c0, c1, c2, c3


@triton.jit
def rational(x, COEFFICIENTS: tl.constexpr, COUNT: tl.constexpr):
    """Polynomial, highest power first, by Horner's scheme."""
    value = x * COEFFICIENTS[0]
    for i in tl.static_range(1, COUNT - 1):
        value = (value + COEFFICIENTS[i]) * x
    return value + COEFFICIENTS[COUNT - 1]


@triton.jit
def negative_logarithm(p, COEFFICIENTS: tl.constexpr, COUNT: tl.constexpr):
    """-ln p by operations that are rounded alike on every device; the exponent is that of the representation."""
    if p.dtype == tl.float64:
        pattern = p.to(tl.int64, bitcast=True)
        exponent = (pattern - 0x3FE6A09E667F3BCD) >> 52
        m = (pattern - (exponent << 52)).to(tl.float64, bitcast=True)
    else:
        pattern = p.to(tl.int32, bitcast=True)
        exponent = (pattern - 0x3F3504F3) >> 23
        m = (pattern - (exponent << 23)).to(tl.float32, bitcast=True)
    s = divide(m - 1.0, m + 1.0)
    return (exponent * -1).to(p.dtype) * 0.6931471805599453 - rational(s * s, COEFFICIENTS, COUNT) * s


@triton.jit
def normal(
    word, DTYPE: tl.constexpr, CENTRE: tl.constexpr, TAIL: tl.constexpr, LOGARITHM: tl.constexpr,
    COUNTS: tl.constexpr,
):  # fmt: skip
    """Normal number by inversion, in the order of operations of the formula for all devices."""
    k = word >> 11
    upper = k >= 0x10000000000000
    distance = tl.where(upper, k ^ 0x1FFFFFFFFFFFFF, k)
    p = (distance.to(tl.int64).to(DTYPE) + 0.5) * 1.1102230246251565e-16
    q = 0.5 - p
    near = 0.180625 - q * q
    far = sqrt(negative_logarithm(p, LOGARITHM, COUNTS[4])) - 1.6
    is_near = q <= 0.425
    # Triton 3.6 takes the tuples within a tuple for arguments of the kernel unless they are named constants.
    upper_near = rational(near, tl.constexpr(CENTRE[0]), COUNTS[0]) * q
    lower_near = rational(near, tl.constexpr(CENTRE[1]), COUNTS[1])
    upper_far = rational(far, tl.constexpr(TAIL[0]), COUNTS[2])
    lower_far = rational(far, tl.constexpr(TAIL[1]), COUNTS[3])
    numerator = tl.where(is_near, upper_near, upper_far)
    denominator = tl.where(is_near, lower_near, lower_far)
    quantile = divide(numerator, denominator)
    return tl.where(upper, quantile, quantile * -1.0)


@triton.jit
def store_word(
    out, word, index, size, KIND: tl.constexpr, DTYPE: tl.constexpr, CENTRE: tl.constexpr, TAIL: tl.constexpr,
    LOGARITHM: tl.constexpr, COUNTS: tl.constexpr,
):  # fmt: skip
    """Store what is made of a word; ``index`` is that of its first element, which may be outside."""
    if KIND == "bits":
        tl.store(out + index, word, mask=(index >= 0) & (index < size))
    elif KIND == "normal":
        value = normal(word, DTYPE, CENTRE, TAIL, LOGARITHM, COUNTS)
        tl.store(out + index, value, mask=(index >= 0) & (index < size))
    elif tl.float64 == DTYPE:
        value = (word >> 11).to(tl.int64).to(tl.float64) * 1.1102230246251565e-16
        tl.store(out + index, value, mask=(index >= 0) & (index < size))
    else:
        low = ((word & 0xFFFFFFFF) >> 8).to(tl.int32).to(tl.float32) * 5.960464477539063e-08
        high = (word >> 40).to(tl.int32).to(tl.float32) * 5.960464477539063e-08
        tl.store(out + index, low, mask=(index >= 0) & (index < size))
        tl.store(out + (index + 1), high, mask=(index + 1 >= 0) & (index + 1 < size))


@triton.jit
def random_numbers(
    out, counter, stream0, stream1, key0, key1, size, skipped, KIND: tl.constexpr, DTYPE: tl.constexpr,
    FIRST: tl.constexpr, SECOND: tl.constexpr, ROUNDS: tl.constexpr, CENTRE: tl.constexpr, TAIL: tl.constexpr,
    LOGARITHM: tl.constexpr, COUNTS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """``out[i]`` is made of word ``skipped + i`` of the blocks from ``counter`` on."""
    block = block_indices(BLOCK, True)
    zero = tl.full(block.shape, 0, tl.uint64)
    w0, w1, w2, w3 = philox(
        zero + counter + block.to(tl.uint64), zero, zero + stream0, zero + stream1, zero + key0, zero + key1,
        FIRST, SECOND, ROUNDS,
    )  # fmt: skip
    elements: tl.constexpr = 2 if KIND == "uniform" and tl.float32 == DTYPE else 1
    index = block * (4 * elements) - skipped
    store_word(out, w0, index, size, KIND, DTYPE, CENTRE, TAIL, LOGARITHM, COUNTS)
    store_word(out, w1, index + elements, size, KIND, DTYPE, CENTRE, TAIL, LOGARITHM, COUNTS)
    store_word(out, w2, index + 2 * elements, size, KIND, DTYPE, CENTRE, TAIL, LOGARITHM, COUNTS)
    store_word(out, w3, index + 3 * elements, size, KIND, DTYPE, CENTRE, TAIL, LOGARITHM, COUNTS)


@triton.jit
def random_blocks(
    out, numbers, stream0, stream1, key0, key1, size,
    FIRST: tl.constexpr, SECOND: tl.constexpr, ROUNDS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """``out[i]`` is block ``numbers[i]`` of a stream."""
    index = block_indices(BLOCK, True)
    mask = index < size
    zero = tl.full(index.shape, 0, tl.uint64)
    counter = tl.load(numbers + index, mask=mask, other=0) + tl.full(index.shape, 1, tl.uint64)
    w0, w1, w2, w3 = philox(
        counter, zero, zero + stream0, zero + stream1, zero + key0, zero + key1, FIRST, SECOND, ROUNDS
    )
    tl.store(out + 4 * index, w0, mask=mask)
    tl.store(out + (4 * index + 1), w1, mask=mask)
    tl.store(out + (4 * index + 2), w2, mask=mask)
    tl.store(out + (4 * index + 3), w3, mask=mask)
