"""Matrix products and attention.

On a GPU, the vendor's library is fast for most matrix products. ``matmul.json`` lists the products that were measured,
with the GPU and the date (``python -m benchmarks._tune`` writes it); a kernel computes only those that it was measured
to compute faster, and products that may be rounded to TF32. In the interpreter, kernels compute all products.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import triton.language as tl

from . import _matrix_kernels as kernels
from ._context import Array, Builder, Context, Ready, Unsuited
from ._dtypes import BFLOAT16, FLOAT32, KERNEL_DTYPES, UNSPECIALIZED, DType, cast_dtype
from ._layout import (
    MAX_AXES,
    broadcast_shapes,
    collapse,
    dense_strides,
    is_contiguous,
    iteration,
    needs_64_bits,
)
from ._nn import check_dtypes, operand
from ._row_launches import strides_of

__all__ = ["Blocks", "choose_blocks", "functions", "linear", "matmul"]

Shape: TypeAlias = tuple[int, ...]

DOT_DTYPES: dict[DType, Any] = {
    np.dtype(np.float16): tl.float16,
    BFLOAT16: tl.bfloat16,
    FLOAT32: tl.float32,
}
"""The dtypes of matrices that kernels multiply, and Triton's; float64 is left to the vendor's library."""

ENOUGH_BLOCKS = 100
"""The number of blocks that occupies a large GPU, whose programs have a multiprocessor each."""

MIN_BLOCK, MAX_HEAD = 16, 256
"""The minimum side of a block in ``tl.dot``, and the maximum number of features of a head of attention."""


class Blocks(NamedTuple):
    """The launch configuration of a product: the block of a program, rows of blocks per group, compiler options."""

    rows: int
    columns: int
    inner: int
    group: int = 8
    warps: int = 4
    stages: int = 3


Chooser: TypeAlias = Callable[[Any, DType, int, int, int, str], Blocks]
"""Chooses blocks for ``(launcher, dtype, rows, columns, inner, precision)``, or raises :class:`Unsuited`."""


def functions(context: Context) -> dict[str, Callable[..., Any]]:
    """Return the functions of a device by name."""
    return {
        "matmul": matmul(context),
        "nn.linear": linear(context),
        "nn.scaled_dot_product_attention": _attention("nn.scaled_dot_product_attention", context),
    }


# -- products -----------------------------------------------------------------------------------------------------


class Matrices(NamedTuple):
    """A stack of matrices: an operand, its shape with two axes at least, and its strides in elements."""

    array: Array
    shape: Shape
    strides: Shape


def matmul(context: Context, choose: Chooser | None = None) -> Callable[[Any, Any], Any]:
    """Return the product of stacks of matrices, or of vectors, by :func:`choose_blocks` or another choice of blocks."""

    def prepare(operands: tuple[Any, Any]) -> Ready:
        x, y = operands
        if not x.ndim or not y.ndim:
            raise Unsuited("an operand is 0-dimensional")
        check_dtypes(x, y)
        x_shape, x_strides = x.shape, strides_of(x)
        y_shape, y_strides = y.shape, strides_of(y)
        if x.ndim == 1:
            x_shape, x_strides = (1, *x_shape), (0, *x_strides)
        if y.ndim == 1:
            y_shape, y_strides = (*y_shape, 1), (*y_strides, 0)
        builder = Builder(context, 2)
        left = Matrices(Array(1, x.dtype), x_shape, x_strides)
        right = Matrices(Array(2, y.dtype), y_shape, y_strides)
        *batch, rows, columns = _multiply(builder, left, right, None, "exact", choose or choose_blocks)
        shape = (*batch, *((rows,) if x.ndim > 1 else ()), *((columns,) if y.ndim > 1 else ()))
        return builder.ready(shape, x.dtype)

    return lambda x, y: context.call("matmul", prepare, (x, y))


def linear(context: Context, choose: Chooser | None = None) -> Callable[..., Any]:
    """Return ``x @ weight.T + bias``, by :func:`choose_blocks` or another choice of blocks."""

    def prepare(operands: tuple[Any, Any, Any], precision: str) -> Ready:
        x, weight, bias = operands
        check_dtypes(x, weight, bias)
        if bias is not None and not is_contiguous(bias.shape, strides_of(bias)):
            raise Unsuited("the bias is not contiguous")
        strides, weight_strides = strides_of(x), strides_of(weight)
        # Rows at equal distances are one matrix.
        lengths, (row_strides,) = collapse(x.shape[:-1], [strides[:-1]])
        left = Matrices(Array(1, x.dtype), (*lengths, x.shape[-1]), (*row_strides, strides[-1]))
        right = Matrices(Array(2, weight.dtype), weight.shape[::-1], weight_strides[::-1])
        builder = Builder(context, 3)
        _multiply(builder, left, right, operand(bias, 3), precision, choose or choose_blocks)
        return builder.ready((*x.shape[:-1], weight.shape[0]), x.dtype)

    def call(x: Any, weight: Any, bias: Any, *, precision: str) -> Any:
        return context.call("nn.linear", prepare, (x, weight, bias), (precision,))

    return call


def _multiply(builder: Builder, x: Matrices, y: Matrices, bias: Array | None, precision: str, choose: Chooser) -> Shape:
    """Add the launch of ``x @ y + bias`` and return the shape of its C-contiguous result."""
    dtype, launcher = x.array.dtype, builder.context.launcher
    if dtype not in DOT_DTYPES:
        raise Unsuited(f"no kernel multiplies matrices of {dtype}")
    if x.shape[-1] != y.shape[-2]:
        raise Unsuited(f"shapes {x.shape} and {y.shape} do not match")
    batch = broadcast_shapes(x.shape[:-2], y.shape[:-2])
    if batch is None:
        raise Unsuited(f"shapes {x.shape} and {y.shape} do not broadcast")
    rows, inner, columns = x.shape[-2], x.shape[-1], y.shape[-1]
    shape = (*batch, rows, columns)
    if not math.prod(shape) or not inner:
        raise Unsuited("there are no elements")
    blocks = choose(launcher, dtype, rows, columns, inner, precision)
    x_strides, y_strides = _broadcast(x.strides, len(shape)), _broadcast(y.strides, len(shape))
    out_strides = dense_strides(shape)
    merged = iteration(batch, [strides[:-2] for strides in (out_strides, x_strides, y_strides)])
    if len(merged.shape) > MAX_AXES:
        raise Unsuited(f"the batch has more than {MAX_AXES} axes after merging")
    offsets_64 = any(
        needs_64_bits(lengths, [strides])
        for lengths, strides in (
            (shape, out_strides),
            ((*batch, rows, inner), x_strides),
            ((*batch, inner, columns), y_strides),
        )
    )
    integer = "i64" if offsets_64 else "i32"
    axes = (integer,) * len(merged.shape)
    row_blocks, column_blocks = -(-rows // blocks.rows), -(-columns // blocks.columns)
    builder.launch(
        kernels.matmul_blocks,
        (Array(0, dtype), x.array, y.array, bias),
        (*(integer,) * 5, *(axes,) * 4, *(integer,) * 5),
        {
            **_dot_constants(launcher, dtype, precision),
            "BATCH": len(merged.shape),
            "OFFSETS_64": offsets_64,
            "EVEN": not (rows % blocks.rows or columns % blocks.columns or inner % blocks.inner),
            "ROWS": blocks.rows,
            "COLUMNS": blocks.columns,
            "INNER": blocks.inner,
            "GROUP": blocks.group,
        },
        math.prod(batch) * row_blocks * column_blocks,
        (
            *(rows, columns, inner, row_blocks, column_blocks, merged.shape, *merged.strides),
            *(x_strides[-2], x_strides[-1], y_strides[-2], y_strides[-1], out_strides[-2]),
        ),
        unmasked=True,
        warps=blocks.warps,
        stages=blocks.stages,
    )
    return shape


def _broadcast(strides: Shape, ndim: int) -> Shape:
    return (0,) * (ndim - len(strides)) + strides


def _dot_constants(launcher: Any, dtype: DType, precision: str) -> dict[str, Any]:
    return {
        "ENCODING": KERNEL_DTYPES[dtype].encoding,
        "DOT_DTYPE": tl.float32 if launcher.interprets else DOT_DTYPES[dtype],
        "PRECISION": "tf32" if precision == "tf32" and dtype == FLOAT32 else "ieee",
        "OUT_DTYPE": cast_dtype(dtype),
    }


def choose_blocks(launcher: Any, dtype: DType, rows: int, columns: int, inner: int, precision: str) -> Blocks:
    """Return the blocks of a product; raise :class:`Unsuited` if no kernel was measured to be faster."""
    if launcher.interprets:
        return Blocks(*(_block_side(length, MAX_HEAD) for length in (rows, columns, inner)))
    blocks = measured_blocks(str(launcher.target.arch), str(dtype), precision, rows, columns, inner)
    if blocks is not None:
        return blocks
    if precision == "tf32" and dtype == FLOAT32:
        return Blocks(128, 128, 32, 8, 8, 3)
    if dtype == BFLOAT16:
        # CuPy converts the operands to float32, and multiplies without tensor cores.
        return _usual_blocks(launcher.target, rows, columns)
    raise Unsuited(f"no kernel was measured to be faster on {launcher.target.arch}")


def _usual_blocks(target: Any, rows: int, columns: int) -> Blocks:
    """Return the blocks of a product in 16 bits that was not measured: large ones where they occupy the GPU."""
    if not _has_large_shared_memory(target):
        large = Blocks(128, 128, 32, 8, 8, 3 if target.backend == "cuda" else 2)
    else:
        large = Blocks(128, 256, 64, 8, 8, 3)
    if -(-rows // large.rows) * -(-columns // large.columns) >= ENOUGH_BLOCKS:
        return large
    return Blocks(_block_side(rows, 64), 64, 64, 8, 4, 3)


def measured_blocks(arch: str, dtype: str, precision: str, rows: int, columns: int, inner: int) -> Blocks | None:
    """Return the blocks of the nearest measured product whose sides differ by a factor of 2 at most.

    None if there is no such product, or if the kernel was slower.
    """
    sides = tuple(math.log2(length) for length in (rows, columns, inner))
    nearest, result = 1.0, None
    for measured_sides, speedup, blocks in _measured_products(arch, dtype, precision):
        distance = max(abs(side - other) for side, other in zip(sides, measured_sides, strict=True))
        if distance <= nearest:
            nearest, result = distance, blocks if speedup > 1 else None
    return result


@cache
def _measured_products(arch: str, dtype: str, precision: str) -> tuple[tuple[tuple[float, ...], float, Blocks], ...]:
    """Return the logarithms of the sides, the speed-up and the blocks of each measured product."""
    text = files(__package__).joinpath("matmul.json").read_text(encoding="utf-8")
    return tuple(
        (tuple(math.log2(side) for side in row["sides"]), row["speedup"], Blocks(*row["blocks"]))
        for row in json.loads(text)["products"]
        if (row["arch"], row["dtype"], row["precision"]) == (arch, dtype, precision)
    )


def _block_side(length: int, maximum: int) -> int:
    return min(max(1 << (length - 1).bit_length(), MIN_BLOCK), maximum)


# -- attention ----------------------------------------------------------------------------------------------------


def _has_large_shared_memory(target: Any) -> bool:
    """Whether a block can have 160 KiB of shared memory: on NVIDIA's GPUs for data centres, from the A100 on."""
    return bool(target.backend == "cuda" and (target.arch == 80 or 90 <= target.arch < 120))


def _attention_blocks(dtype: DType, precision: str, width: int, target: Any, *, masked: bool) -> Blocks:
    """Return queries and keys per block, and compiler options that fit registers and shared memory of a target."""
    if target.backend == "hip":
        return Blocks(64 if width <= 128 else 32, 32, width, 1, 4, 1)
    if dtype == np.float32:
        # Products in float32 take no tensor cores, and need the registers of more threads than those in TF32.
        warps = 4 if width <= 128 and precision == "tf32" else 8
        return Blocks(64 if width <= 64 else 32, 32, width, 1, warps, 2 if width <= 64 else 1)
    if width <= 128:
        # A block of a mask takes registers as well.
        keys = 32 if masked and width > 64 else 64
        return Blocks(64, keys, width, 1, 4, 3 if _has_large_shared_memory(target) else 2)
    return Blocks(64, 32, width, 1, 8, 2)


def _attention(name: str, context: Context) -> Callable[..., Any]:
    def prepare(operands: tuple[Any, Any, Any, Any], causal: bool, scale: float, precision: str) -> Ready:
        return _prepare_attention(context, operands, causal, scale, precision)

    def call(query: Any, key: Any, value: Any, mask: Any, *, causal: bool, scale: float, precision: str) -> Any:
        return context.call(name, prepare, (query, key, value, mask), (causal, scale, precision))

    return call


def _prepare_attention(
    context: Context, operands: tuple[Any, Any, Any, Any], causal: bool, scale: float, precision: str
) -> Ready:
    query, key, value, mask = operands
    launcher, dtype = context.launcher, query.dtype
    if dtype not in DOT_DTYPES:
        raise Unsuited(f"no kernel computes attention in {dtype}")
    check_dtypes(query, key, value)
    queries, width = query.shape[-2:]
    keys, value_width = value.shape[-2:]
    shape = (*query.shape[:-1], value_width)
    if not math.prod(shape) or not keys or not width:
        raise Unsuited("there are no elements")
    if max(width, value_width) > MAX_HEAD:
        raise Unsuited(f"a head has {max(width, value_width)} features, more than {MAX_HEAD}")
    batch = query.shape[:-2]
    mask_shape = (*batch, queries, keys)
    mask_encoding, mask_strides = "none", (0,) * query.ndim
    if mask is not None:
        if mask.dtype not in (np.dtype(bool), dtype):
            raise Unsuited(f"the mask has dtype {mask.dtype}")
        mask_strides = strides_of(mask, mask_shape)
        mask_encoding = KERNEL_DTYPES[mask.dtype].encoding
    # The heads of keys and values are shared by groups of heads of queries.
    heads = key.shape[-3] if key.ndim > 2 else 1
    group = query.shape[-3] // heads if query.ndim > 2 else 1
    grouped_batch = (*batch[:-1], heads, group) if batch else ()
    strides = [dense_strides(shape), strides_of(query), strides_of(key), strides_of(value)]
    merged = iteration(
        grouped_batch,
        [
            *(_split_heads(part[:-2], heads, group) for part in strides[:2]),
            *((*part[:-2], 0) if batch else () for part in strides[2:]),
            _split_heads(mask_strides[:-2], heads, group),
        ],
    )
    if len(merged.shape) > MAX_AXES:
        raise Unsuited(f"the batch has more than {MAX_AXES} axes after merging")
    offsets_64 = any(
        needs_64_bits(lengths, [part])
        for lengths, part in zip(
            (shape, query.shape, key.shape, value.shape, mask_shape), (*strides, mask_strides), strict=True
        )
    )
    widths = tuple(max(MIN_BLOCK, 1 << (length - 1).bit_length()) for length in (width, value_width))
    if launcher.interprets:
        blocks = Blocks(_block_side(queries, 64), _block_side(keys, 64), widths[0])
    else:
        blocks = _attention_blocks(dtype, precision, max(widths), launcher.target, masked=mask is not None)
    integer = "i64" if offsets_64 else "i32"
    axes = (integer,) * len(merged.shape)
    query_blocks = -(-queries // blocks.rows)
    fast = dtype != FLOAT32 or precision == "tf32"
    builder = Builder(context, 4)
    builder.launch(
        kernels.attention_blocks,
        (*(Array(position, dtype) for position in range(4)), operand(mask, 4)),
        (*(integer,) * 4, UNSPECIALIZED + "fp64", integer, *(axes,) * 6, *(integer,) * 9),
        {
            "CAUSAL": causal,
            "MASK": mask_encoding,
            **_dot_constants(launcher, dtype, precision),
            "BATCH": len(merged.shape),
            "OFFSETS_64": offsets_64,
            "FAST": fast,
            "LATE": fast and mask is None and scale > 0,
            "EVEN": widths == (width, value_width),
            "QUERIES": blocks.rows,
            "KEYS": blocks.columns,
            "WIDTH": widths[0],
            "VALUE_WIDTH": widths[1],
        },
        math.prod(grouped_batch) * query_blocks,
        (
            *(queries, keys, width, value_width, float(scale), query_blocks, merged.shape, *merged.strides),
            strides[0][-2],
            *(step for part in strides[1:] for step in part[-2:]),
            *mask_strides[-2:],
        ),
        unmasked=True,
        warps=blocks.warps,
        stages=blocks.stages,
    )
    return builder.ready(shape, dtype)


def _split_heads(strides: Shape, heads: int, group: int) -> Shape:
    """Return the strides of a batch whose last axis, the heads, is split into groups."""
    return (*strides[:-1], strides[-1] * group, strides[-1]) if strides else ()
