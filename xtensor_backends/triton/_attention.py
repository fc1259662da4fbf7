"""Attention."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import triton.language as tl

from . import _attention_kernels as kernels
from ._context import Array, Builder, Context, Ready, Unsuited
from ._dtypes import BFLOAT16, FLOAT32, KERNEL_DTYPES, UNSPECIALIZED, DType, cast_dtype
from ._layout import MAX_AXES, dense_strides, iteration, needs_64_bits
from ._nn import check_dtypes, operand
from ._row_launches import strides_of

__all__ = ["functions"]

Shape: TypeAlias = tuple[int, ...]

DOT_DTYPES: dict[DType, Any] = {
    np.dtype(np.float16): tl.float16,
    BFLOAT16: tl.bfloat16,
    FLOAT32: tl.float32,
}
"""The dtypes of matrices that kernels multiply, and Triton's; float64 is left to the vendor's library."""

MIN_BLOCK, MAX_HEAD = 16, 256
"""The minimum side of a block in ``tl.dot``, and the maximum number of features of a head of attention."""


class Blocks(NamedTuple):
    """The launch configuration: the queries and keys of a block, and compiler options."""

    queries: int
    keys: int
    warps: int = 4
    stages: int = 1


def functions(context: Context) -> dict[str, Callable[..., Any]]:
    """Return the functions of a device by name."""
    return {"nn.scaled_dot_product_attention": _attention("nn.scaled_dot_product_attention", context)}


def _dot_constants(launcher: Any, dtype: DType, precision: str) -> dict[str, Any]:
    return {
        "ENCODING": KERNEL_DTYPES[dtype].encoding,
        "DOT_DTYPE": tl.float32 if launcher.interprets else DOT_DTYPES[dtype],
        "PRECISION": "tf32" if precision == "tf32" and dtype == FLOAT32 else "ieee",
        "OUT_DTYPE": cast_dtype(dtype),
    }


def _block_side(length: int) -> int:
    """Queries or keys of a block in the interpreter."""
    return min(max(1 << (length - 1).bit_length(), MIN_BLOCK), 64)


def _has_large_shared_memory(target: Any) -> bool:
    """Whether a block can have 160 KiB of shared memory: on NVIDIA's GPUs for data centres, from the A100 on."""
    return bool(target.backend == "cuda" and (target.arch == 80 or 90 <= target.arch < 120))


def _attention_blocks(dtype: DType, precision: str, width: int, target: Any, *, masked: bool) -> Blocks:
    """Return queries and keys per block, and compiler options that fit registers and shared memory of a target."""
    if target.backend == "hip":
        return Blocks(64 if width <= 128 else 32, 32)
    if dtype == np.float32:
        # Products in float32 take no tensor cores, and need the registers of more threads than those in TF32.
        warps = 4 if width <= 128 and precision == "tf32" else 8
        return Blocks(64 if width <= 64 else 32, 32, warps, 2 if width <= 64 else 1)
    if width <= 128:
        # A block of a mask takes registers as well.
        keys = 32 if masked and width > 64 else 64
        return Blocks(64, keys, 4, 3 if _has_large_shared_memory(target) else 2)
    return Blocks(64, 32, 8, 2)


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
            *(_split_heads(part[:-2], group) for part in strides[:2]),
            *((*part[:-2], 0) if batch else () for part in strides[2:]),
            _split_heads(mask_strides[:-2], group),
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
        blocks = Blocks(_block_side(queries), _block_side(keys))
    else:
        blocks = _attention_blocks(dtype, precision, max(widths), launcher.target, masked=mask is not None)
    integer = "i64" if offsets_64 else "i32"
    axes = (integer,) * len(merged.shape)
    query_blocks = -(-queries // blocks.queries)
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
            "QUERIES": blocks.queries,
            "KEYS": blocks.keys,
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


def _split_heads(strides: Shape, group: int) -> Shape:
    """Return the strides of a batch whose last axis, the heads, is split into groups."""
    return (*strides[:-1], strides[-1] * group, strides[-1]) if strides else ()
