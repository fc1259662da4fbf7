# Triton compiles this code: no type annotations, upper-case constants, branches that stay branches.
# ruff: noqa: ANN001, ANN202, N803, SIM108, SIM300
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""Elementwise kernels for one, two and three operands, and the device functions that all kernels share.

``out[i] = OP(x[i], y[i], …)`` for ``i < size``. Each constant removes branches from the compiled code:

- ``OP`` is a device function of :mod:`xtensor_backends.triton._formulas`.
- ``X_SOURCE``: ``"array"`` loads every element, ``"element"`` loads one, ``"scalar"`` uses the argument itself.
- ``X_ENCODING``, ``OUT_ENCODING``: how a dtype is stored (:class:`xtensor_backends.triton._dtypes.KernelDType`).
- ``X_DTYPE``: the compute dtype; ``int1`` converts to a truth value, computed as 0 or 1.
- ``NDIM``: the number of axes that offsets are computed from; 0 if the offset is the index.
- ``OFFSETS_64``: indices and offsets have 64 bits.
- ``SPLIT``: ``size`` is no multiple of 16. Full blocks then run without a mask, because the compiler vectorizes loads
  only where it knows that the mask is uniform.
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


@triton.jit
def unary_block(
    out, x, index, mask, shape, out_strides, x_strides, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_ENCODING: tl.constexpr, X_DTYPE: tl.constexpr,
    OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr, NDIM: tl.constexpr,
):  # fmt: skip
    value = OP(load_operand(x, index, mask, shape, x_strides, X_SOURCE, X_ENCODING, X_DTYPE, NDIM))
    store_result(out, value, index, mask, shape, out_strides, OUT_ENCODING, OUT_DTYPE, NDIM)


@triton.jit
def unary(
    out, x, size, shape, out_strides, x_strides, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_ENCODING: tl.constexpr, X_DTYPE: tl.constexpr,
    OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr,
    NDIM: tl.constexpr, OFFSETS_64: tl.constexpr, SPLIT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    index = block_indices(BLOCK, OFFSETS_64)
    if SPLIT:
        if (program_index(OFFSETS_64) + 1) * BLOCK <= size:
            unary_block(
                out, x, index, None, shape, out_strides, x_strides, OP,
                X_SOURCE, X_ENCODING, X_DTYPE, OUT_ENCODING, OUT_DTYPE, NDIM,
            )  # fmt: skip
        else:
            unary_block(
                out, x, index, index < size, shape, out_strides, x_strides, OP,
                X_SOURCE, X_ENCODING, X_DTYPE, OUT_ENCODING, OUT_DTYPE, NDIM,
            )  # fmt: skip
    else:
        unary_block(
            out, x, index, index < size, shape, out_strides, x_strides, OP,
            X_SOURCE, X_ENCODING, X_DTYPE, OUT_ENCODING, OUT_DTYPE, NDIM,
        )  # fmt: skip


@triton.jit
def binary_block(
    out, x, y, index, mask, shape, out_strides, x_strides, y_strides, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_ENCODING: tl.constexpr, X_DTYPE: tl.constexpr,
    Y_SOURCE: tl.constexpr, Y_ENCODING: tl.constexpr, Y_DTYPE: tl.constexpr,
    OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr, NDIM: tl.constexpr,
):  # fmt: skip
    first = load_operand(x, index, mask, shape, x_strides, X_SOURCE, X_ENCODING, X_DTYPE, NDIM)
    second = load_operand(y, index, mask, shape, y_strides, Y_SOURCE, Y_ENCODING, Y_DTYPE, NDIM)
    store_result(out, OP(first, second), index, mask, shape, out_strides, OUT_ENCODING, OUT_DTYPE, NDIM)


@triton.jit
def binary(
    out, x, y, size, shape, out_strides, x_strides, y_strides, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_ENCODING: tl.constexpr, X_DTYPE: tl.constexpr,
    Y_SOURCE: tl.constexpr, Y_ENCODING: tl.constexpr, Y_DTYPE: tl.constexpr,
    OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr,
    NDIM: tl.constexpr, OFFSETS_64: tl.constexpr, SPLIT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    index = block_indices(BLOCK, OFFSETS_64)
    if SPLIT:
        if (program_index(OFFSETS_64) + 1) * BLOCK <= size:
            binary_block(
                out, x, y, index, None, shape, out_strides, x_strides, y_strides, OP,
                X_SOURCE, X_ENCODING, X_DTYPE, Y_SOURCE, Y_ENCODING, Y_DTYPE, OUT_ENCODING, OUT_DTYPE, NDIM,
            )  # fmt: skip
        else:
            binary_block(
                out, x, y, index, index < size, shape, out_strides, x_strides, y_strides, OP,
                X_SOURCE, X_ENCODING, X_DTYPE, Y_SOURCE, Y_ENCODING, Y_DTYPE, OUT_ENCODING, OUT_DTYPE, NDIM,
            )  # fmt: skip
    else:
        binary_block(
            out, x, y, index, index < size, shape, out_strides, x_strides, y_strides, OP,
            X_SOURCE, X_ENCODING, X_DTYPE, Y_SOURCE, Y_ENCODING, Y_DTYPE, OUT_ENCODING, OUT_DTYPE, NDIM,
        )  # fmt: skip


@triton.jit
def ternary(
    out, x, y, z, size, shape, out_strides, x_strides, y_strides, z_strides, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_ENCODING: tl.constexpr, X_DTYPE: tl.constexpr,
    Y_SOURCE: tl.constexpr, Y_ENCODING: tl.constexpr, Y_DTYPE: tl.constexpr,
    Z_SOURCE: tl.constexpr, Z_ENCODING: tl.constexpr, Z_DTYPE: tl.constexpr,
    OUT_ENCODING: tl.constexpr, OUT_DTYPE: tl.constexpr,
    NDIM: tl.constexpr, OFFSETS_64: tl.constexpr, SPLIT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    index = block_indices(BLOCK, OFFSETS_64)
    mask = index < size
    first = load_operand(x, index, mask, shape, x_strides, X_SOURCE, X_ENCODING, X_DTYPE, NDIM)
    second = load_operand(y, index, mask, shape, y_strides, Y_SOURCE, Y_ENCODING, Y_DTYPE, NDIM)
    third = load_operand(z, index, mask, shape, z_strides, Z_SOURCE, Z_ENCODING, Z_DTYPE, NDIM)
    store_result(out, OP(first, second, third), index, mask, shape, out_strides, OUT_ENCODING, OUT_DTYPE, NDIM)
