# What Triton compiles is no Python: no types, constants in capitals, branches that must stay branches.
# ruff: noqa: ANN001, ANN202, N803, SIM108, SIM300
# mypy: disable-error-code="no-untyped-def, untyped-decorator, no-untyped-call"
"""The elementwise kernels: one of one operand, one of two, one of three, for every function and dtype.

``out[i] = OP(x[i], y[i], …)`` for the positions ``i < size``. What the constants take out of the code:

- ``OP`` is the device function of :mod:`xtensor_triton._ops`.
- ``X_SOURCE``: ``"array"`` is loaded element by element, ``"element"`` once, ``"scalar"`` is the argument itself.
- ``X_FORM``, ``OUT_FORM``: how a dtype lies in memory (:class:`xtensor_triton._dtypes.Stored`).
- ``X_DTYPE``: what the operand is computed in; ``int1`` stands for a truth value, computed as 0 or 1.
- ``NDIM`` is 0 where position and offset are the same, else the number of axes to find offsets by.
- ``WIDE``: offsets need 64 bits.
- ``SPLIT``: ``size`` is no multiple of 16. All blocks but the last are full, and only without a mask does the compiler
  know that neighbours are loaded together.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def program_number(WIDE: tl.constexpr):
    """Which program this is; a launch of more programs than one axis of the grid has is folded over two."""
    if WIDE:
        number = tl.program_id(0).to(tl.int64) + tl.program_id(1).to(tl.int64) * tl.num_programs(0)
    else:
        number = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    return number


@triton.jit
def positions(BLOCK: tl.constexpr, WIDE: tl.constexpr):
    """The positions that this program computes."""
    return program_number(WIDE) * BLOCK + tl.arange(0, BLOCK)


@triton.jit
def offsets_of(index, shape, steps, NDIM: tl.constexpr):
    """Where the elements at positions lie, from the innermost axis to the outermost."""
    rest = index
    offsets = index * 0
    for behind in tl.static_range(NDIM - 1):
        offsets += (rest % shape[NDIM - 1 - behind]) * steps[NDIM - 1 - behind]
        rest = rest // shape[NDIM - 1 - behind]
    return offsets + rest * steps[0]


@triton.jit
def decoded(value, FORM: tl.constexpr, DTYPE: tl.constexpr):
    """What was loaded, in the dtype of the computation."""
    if FORM == "bfloat16":
        value = (value.to(tl.uint32) << 16).to(tl.float32, bitcast=True)
    if FORM == "bool" or DTYPE == tl.int1:
        value = (value != 0).to(tl.uint8)
    if DTYPE != tl.int1:
        value = value.to(DTYPE)
    return value


@triton.jit
def encoded(value, FORM: tl.constexpr, DTYPE: tl.constexpr):
    """A result as it is stored; bfloat16 rounded half to even by hand, as the interpreter would cut it off."""
    if FORM == "bool":
        value = (value != 0).to(tl.uint8)
    elif FORM == "bfloat16":
        bits = value.to(tl.float32).to(tl.uint32, bitcast=True)
        value = (bits + (32767 + ((bits >> 16) & 1))) >> 16
        value = tl.where((bits & 0x7FFFFFFF) > 0x7F800000, 0x7FC0, value).to(tl.uint16)
    else:
        value = value.to(DTYPE)
    return value


@triton.jit
def fetch(
    x, index, mask, shape, steps, SOURCE: tl.constexpr, FORM: tl.constexpr, DTYPE: tl.constexpr, NDIM: tl.constexpr
):
    """An operand's elements at positions."""
    if SOURCE == "scalar":
        value = x
    elif SOURCE == "element":
        value = tl.load(x)
    elif NDIM == 0:
        value = tl.load(x + index, mask=mask)
    else:
        value = tl.load(x + offsets_of(index, shape, steps, NDIM), mask=mask)
    value = decoded(value, FORM, DTYPE)
    if SOURCE != "array":
        value = tl.full(index.shape, value, value.dtype)
    return value


@triton.jit
def put(out, value, index, mask, shape, steps, FORM: tl.constexpr, DTYPE: tl.constexpr, NDIM: tl.constexpr):
    """Store results at positions."""
    if NDIM == 0:
        offsets = index
    else:
        offsets = offsets_of(index, shape, steps, NDIM)
    tl.store(out + offsets, encoded(value, FORM, DTYPE), mask=mask)


@triton.jit
def unary_block(
    out, x, index, mask, shape, out_steps, x_steps, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_FORM: tl.constexpr, X_DTYPE: tl.constexpr,
    OUT_FORM: tl.constexpr, OUT_DTYPE: tl.constexpr, NDIM: tl.constexpr,
):  # fmt: skip
    value = OP(fetch(x, index, mask, shape, x_steps, X_SOURCE, X_FORM, X_DTYPE, NDIM))
    put(out, value, index, mask, shape, out_steps, OUT_FORM, OUT_DTYPE, NDIM)


@triton.jit
def unary(
    out, x, size, shape, out_steps, x_steps, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_FORM: tl.constexpr, X_DTYPE: tl.constexpr,
    OUT_FORM: tl.constexpr, OUT_DTYPE: tl.constexpr,
    NDIM: tl.constexpr, WIDE: tl.constexpr, SPLIT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    index = positions(BLOCK, WIDE)
    if SPLIT:
        if (program_number(WIDE) + 1) * BLOCK <= size:
            unary_block(
                out, x, index, None, shape, out_steps, x_steps, OP,
                X_SOURCE, X_FORM, X_DTYPE, OUT_FORM, OUT_DTYPE, NDIM,
            )  # fmt: skip
        else:
            unary_block(
                out, x, index, index < size, shape, out_steps, x_steps, OP,
                X_SOURCE, X_FORM, X_DTYPE, OUT_FORM, OUT_DTYPE, NDIM,
            )  # fmt: skip
    else:
        unary_block(
            out, x, index, index < size, shape, out_steps, x_steps, OP,
            X_SOURCE, X_FORM, X_DTYPE, OUT_FORM, OUT_DTYPE, NDIM,
        )  # fmt: skip


@triton.jit
def binary_block(
    out, x, y, index, mask, shape, out_steps, x_steps, y_steps, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_FORM: tl.constexpr, X_DTYPE: tl.constexpr,
    Y_SOURCE: tl.constexpr, Y_FORM: tl.constexpr, Y_DTYPE: tl.constexpr,
    OUT_FORM: tl.constexpr, OUT_DTYPE: tl.constexpr, NDIM: tl.constexpr,
):  # fmt: skip
    first = fetch(x, index, mask, shape, x_steps, X_SOURCE, X_FORM, X_DTYPE, NDIM)
    second = fetch(y, index, mask, shape, y_steps, Y_SOURCE, Y_FORM, Y_DTYPE, NDIM)
    put(out, OP(first, second), index, mask, shape, out_steps, OUT_FORM, OUT_DTYPE, NDIM)


@triton.jit
def binary(
    out, x, y, size, shape, out_steps, x_steps, y_steps, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_FORM: tl.constexpr, X_DTYPE: tl.constexpr,
    Y_SOURCE: tl.constexpr, Y_FORM: tl.constexpr, Y_DTYPE: tl.constexpr,
    OUT_FORM: tl.constexpr, OUT_DTYPE: tl.constexpr,
    NDIM: tl.constexpr, WIDE: tl.constexpr, SPLIT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    index = positions(BLOCK, WIDE)
    if SPLIT:
        if (program_number(WIDE) + 1) * BLOCK <= size:
            binary_block(
                out, x, y, index, None, shape, out_steps, x_steps, y_steps, OP,
                X_SOURCE, X_FORM, X_DTYPE, Y_SOURCE, Y_FORM, Y_DTYPE, OUT_FORM, OUT_DTYPE, NDIM,
            )  # fmt: skip
        else:
            binary_block(
                out, x, y, index, index < size, shape, out_steps, x_steps, y_steps, OP,
                X_SOURCE, X_FORM, X_DTYPE, Y_SOURCE, Y_FORM, Y_DTYPE, OUT_FORM, OUT_DTYPE, NDIM,
            )  # fmt: skip
    else:
        binary_block(
            out, x, y, index, index < size, shape, out_steps, x_steps, y_steps, OP,
            X_SOURCE, X_FORM, X_DTYPE, Y_SOURCE, Y_FORM, Y_DTYPE, OUT_FORM, OUT_DTYPE, NDIM,
        )  # fmt: skip


@triton.jit
def ternary(
    out, x, y, z, size, shape, out_steps, x_steps, y_steps, z_steps, OP: tl.constexpr,
    X_SOURCE: tl.constexpr, X_FORM: tl.constexpr, X_DTYPE: tl.constexpr,
    Y_SOURCE: tl.constexpr, Y_FORM: tl.constexpr, Y_DTYPE: tl.constexpr,
    Z_SOURCE: tl.constexpr, Z_FORM: tl.constexpr, Z_DTYPE: tl.constexpr,
    OUT_FORM: tl.constexpr, OUT_DTYPE: tl.constexpr,
    NDIM: tl.constexpr, WIDE: tl.constexpr, SPLIT: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    index = positions(BLOCK, WIDE)
    mask = index < size
    first = fetch(x, index, mask, shape, x_steps, X_SOURCE, X_FORM, X_DTYPE, NDIM)
    second = fetch(y, index, mask, shape, y_steps, Y_SOURCE, Y_FORM, Y_DTYPE, NDIM)
    third = fetch(z, index, mask, shape, z_steps, Z_SOURCE, Z_FORM, Z_DTYPE, NDIM)
    put(out, OP(first, second, third), index, mask, shape, out_steps, OUT_FORM, OUT_DTYPE, NDIM)
