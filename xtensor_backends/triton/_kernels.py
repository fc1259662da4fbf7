# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803, SIM108, SIM300
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Device functions that all kernels share: indices of a program's elements, their offsets, loads and stores.

Each constant removes branches from the compiled code:

- ``SOURCE``: ``"array"`` loads every element, ``"element"`` loads one, ``"scalar"`` uses the argument itself.
- ``ENCODING``: how a dtype is stored (:class:`xtensor_backends.triton._dtypes.KernelDType`).
- ``DTYPE``: the compute dtype; ``int1`` converts to a truth value, computed as 0 or 1.
- ``NDIM``: the number of axes that offsets are computed from; 0 if the offset is the index.
- ``OFFSETS_64``: indices and offsets have 64 bits.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def program_index(OFFSETS_64: tl.constexpr):
    """Index of this program. A launch of more programs than one grid axis allows uses two axes."""
    if OFFSETS_64:
        number = tl.program_id(0).to(tl.int64) + tl.program_id(1).to(tl.int64) * tl.num_programs(0)
    else:
        number = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    return number


@triton.jit
def block_indices(BLOCK: tl.constexpr, OFFSETS_64: tl.constexpr):
    """Indices that this program computes."""
    return program_index(OFFSETS_64) * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def element_offsets(index, shape, strides, NDIM: tl.constexpr):
    """Offsets of the elements at indices, computed from the innermost axis to the outermost."""
    quotient = index
    offsets = index * 0
    for i in tl.static_range(NDIM - 1):
        offsets += (quotient % shape[NDIM - 1 - i]) * strides[NDIM - 1 - i]
        quotient = quotient // shape[NDIM - 1 - i]
    return offsets + quotient * strides[0]


@triton.jit
def decode(value, ENCODING: tl.constexpr, DTYPE: tl.constexpr):
    """Convert loaded values to the compute dtype."""
    if ENCODING == "bfloat16":
        value = (value.to(tl.uint32) << 16).to(tl.float32, bitcast=True)
    if ENCODING == "bool" or DTYPE == tl.int1:
        value = (value != 0).to(tl.uint8)
    if DTYPE != tl.int1:
        value = value.to(DTYPE)
    return value


@triton.jit
def encode(value, ENCODING: tl.constexpr, DTYPE: tl.constexpr):
    """Convert results to the stored form. The rounding to bfloat16 is explicit, because the interpreter truncates."""
    if ENCODING == "bool":
        value = (value != 0).to(tl.uint8)
    elif ENCODING == "bfloat16":
        bits = value.to(tl.float32).to(tl.uint32, bitcast=True)
        value = (bits + (32767 + ((bits >> 16) & 1))) >> 16
        value = tl.where((bits & 0x7FFFFFFF) > 0x7F800000, 0x7FC0, value).to(tl.uint16)
    else:
        value = value.to(DTYPE)
    return value


@triton.jit
def rounded(value, ENCODING: tl.constexpr, DTYPE: tl.constexpr):
    """Convert results to what is read after they were stored."""
    return decode(encode(value, ENCODING, DTYPE), ENCODING, DTYPE)


@triton.jit
def load_operand(
    x,
    index,
    mask,
    shape,
    strides,
    SOURCE: tl.constexpr,
    ENCODING: tl.constexpr,
    DTYPE: tl.constexpr,
    NDIM: tl.constexpr,
):
    """Load an operand's elements at indices."""
    if SOURCE == "scalar":
        value = x
    elif SOURCE == "element":
        value = tl.load(x)
    elif NDIM == 0:
        value = tl.load(x + index, mask=mask)
    else:
        value = tl.load(x + element_offsets(index, shape, strides, NDIM), mask=mask)
    value = decode(value, ENCODING, DTYPE)
    if SOURCE != "array":
        value = tl.full(index.shape, value, value.dtype)
    return value


@triton.jit
def store_result(
    out, value, index, mask, shape, strides, ENCODING: tl.constexpr, DTYPE: tl.constexpr, NDIM: tl.constexpr
):
    """Store results at indices."""
    if NDIM == 0:
        offsets = index
    else:
        offsets = element_offsets(index, shape, strides, NDIM)
    tl.store(out + offsets, encode(value, ENCODING, DTYPE), mask=mask)
