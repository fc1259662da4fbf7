"""Products with quantized matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import _quantized_kernels as kernels
from ._context import Array, Builder, Context, Ready, Unsuited
from ._dtypes import FLOAT32, KERNEL_DTYPES, cast_dtype
from ._layout import is_contiguous
from ._nn import operand

__all__ = ["functions"]

NAME = "nn.quantized_linear"

ROWS, COLUMNS, VECTORS = 32, 128, 32
"""Rows, bytes of codes and vectors of a block on a GPU, at most; the number of vectors is 1, or 16 and more."""

LEAST_VECTORS = 16
"""The least side of a block in ``tl.dot``."""

LIMIT = 2**31 - 2**21
"""Elements from which on offsets have 64 bits, with a margin for the block that contains the last one."""


def functions(context: Context) -> dict[str, Callable[..., Any]]:
    """Return the functions of a device by name."""

    def prepare(operands: tuple[Any, ...]) -> Ready:
        return _prepare(context, *operands)

    def call(x: Any, codes: Any, scales: Any, offsets: Any = None) -> Any:
        if x.ndim and not is_contiguous(x.shape, _strides(x)):
            x = x.copy()
        return context.call(NAME, prepare, (x, codes, scales, offsets))

    return {NAME: call}


def _strides(x: Any) -> tuple[int, ...]:
    return tuple([step // x.itemsize for step in x.strides])


def _prepare(context: Context, x: Any, codes: Any, scales: Any, offsets: Any) -> Ready:
    kind = KERNEL_DTYPES.get(x.dtype)
    if kind is None or kind.kind != "f" or x.itemsize > 4:
        raise Unsuited(f"no kernel computes the product in {x.dtype}")
    if codes.dtype.char not in "bB" or scales.dtype.itemsize > 4 or scales.dtype not in KERNEL_DTYPES:
        raise Unsuited(f"the codes have dtype {codes.dtype}, and the scales {scales.dtype}")
    if scales.dtype not in (x.dtype, *([] if x.dtype != FLOAT32 else KERNEL_DTYPES)):
        raise Unsuited(f"the vectors have dtype {x.dtype}, and the scales {scales.dtype}")
    if offsets is not None and (offsets.dtype != scales.dtype or offsets.shape != scales.shape):
        raise Unsuited("the offsets have another dtype or shape than the scales")
    if codes.ndim != 2 or scales.ndim != 2 or codes.shape[0] != scales.shape[0] or not codes.size or not scales.size:
        raise Unsuited(f"the codes have shape {codes.shape}, and the scales {scales.shape}")
    for part in (codes, scales, *([] if offsets is None else [offsets])):
        if not is_contiguous(part.shape, _strides(part)):
            raise Unsuited("a part of the matrix is not contiguous")
    packed, (rows, width), groups = codes.dtype.char == "B", codes.shape, scales.shape[1]
    columns = width * (1 + packed)
    if not x.ndim or x.shape[-1] != columns or width % groups or not x.size:
        raise Unsuited(f"x has shape {x.shape}, and the matrix {columns} columns in {groups} groups")
    vectors = math.prod(x.shape[:-1])
    blocks = ROWS, COLUMNS, VECTORS
    if context.launcher.interprets:  # a program costs it the most
        blocks = _side(rows, 256), _side(width, 256), 256
    row_blocks = -(-rows // blocks[0])
    together = 1 if vectors == 1 else max(LEAST_VECTORS, _side(vectors, blocks[2]))
    offsets_64 = max(codes.size, x.size, vectors * rows) >= LIMIT
    integer = "i64" if offsets_64 else "i32"
    builder = Builder(context, 4)
    builder.launch(
        kernels.quantized_blocks,
        (Array(0, x.dtype), Array(1, x.dtype), Array(2, codes.dtype), Array(3, scales.dtype), operand(offsets, 4)),
        (integer,) * 5,
        {
            "ENCODING": kind.encoding,
            "SCALE_ENCODING": KERNEL_DTYPES[scales.dtype].encoding,
            "OUT_DTYPE": cast_dtype(x.dtype),
            "PACKED": packed,
            "SHIFTED": offsets is not None,
            "LENGTH": width // groups,
            "OFFSETS_64": offsets_64,
            "VECTORS": together,
            "ROWS": blocks[0],
            "COLUMNS": blocks[1],
        },
        row_blocks * -(-vectors // together),
        (vectors, rows, width, groups, row_blocks),
        unmasked=True,
    )
    return builder.ready((*x.shape[:-1], rows), x.dtype)


def _side(length: int, most: int) -> int:
    return min(max(1 << (length - 1).bit_length(), LEAST_VECTORS), most)
