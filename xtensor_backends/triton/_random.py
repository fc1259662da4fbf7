"""Random words, uniform and normal numbers, each by one kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xtensor.backend import NORMAL_QUANTILES, PHILOX_MULTIPLIERS, PHILOX_ROUNDS, PHILOX_WEYL

from . import _random_kernels as kernels
from ._context import Array, Builder, Context, Ready, Scalar, Unsuited
from ._dtypes import KERNEL_DTYPES, UINT64, UNSPECIALIZED, DType
from ._layout import is_contiguous
from ._row_launches import strides_of

__all__ = ["functions"]

BLOCKS = 256
"""Blocks of four words that a program computes."""

WORD = UNSPECIALIZED + "u64"

PHILOX = {
    "FIRST": (PHILOX_MULTIPLIERS[0], PHILOX_WEYL[0]),
    "SECOND": (PHILOX_MULTIPLIERS[1], PHILOX_WEYL[1]),
    "ROUNDS": PHILOX_ROUNDS,
}
"""Constants of the kernels."""


def functions(context: Context) -> dict[str, Callable[..., Any]]:
    """Return the functions of random numbers by name."""
    return {
        "random.bits": _draw("random.bits", context, "bits"),
        "random.blocks": _blocks("random.blocks", context),
        "random.uniform_numbers": _draw("random.uniform_numbers", context, "uniform"),
        "random.normal_numbers": _draw("random.normal_numbers", context, "normal"),
    }


def _draw(name: str, context: Context, kind: str) -> Callable[..., Any]:
    def prepare(words: tuple[int, ...], shape: tuple[int, ...], skipped: int, dtype: DType) -> Ready:
        if dtype not in KERNEL_DTYPES or (kind != "bits" and dtype.name not in NORMAL_QUANTILES):
            raise Unsuited(f"the dtype is {dtype}")
        builder = Builder(context, len(words))
        count = math.prod(shape)
        if count:
            blocks = -(-(skipped + count) // _elements_of_block(kind, dtype))
            block = context.block(blocks, BLOCKS)
            builder.launch(
                kernels.random_numbers,
                (Array(0, dtype), *(Scalar(position + 1, WORD) for position in range(len(words)))),
                ("i64", "i64"),
                _constants(kind, dtype, block),
                -(-blocks // block),
                (count, skipped),
            )
        return builder.ready(shape, dtype, converters=(int,) * len(words))

    def draw(
        *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...], dtype: DType = UINT64
    ) -> Any:
        first, skipped = divmod(start, _elements_of_block(kind, dtype))
        words = ((first + 1) % 2**64, *stream, *key)
        return context.call(name, prepare, words, (shape, skipped, dtype))

    return draw


def _blocks(name: str, context: Context) -> Callable[..., Any]:
    def prepare(operands: tuple[Any, ...]) -> Ready:
        x, *words = operands
        if x.dtype != UINT64 or x.ndim != 1 or not is_contiguous(x.shape, strides_of(x)):
            raise Unsuited("the numbers are not a contiguous vector of uint64")
        builder = Builder(context, len(operands))
        if x.size:
            block = context.block(x.size, BLOCKS)
            builder.launch(
                kernels.random_blocks,
                (Array(0, UINT64), Array(1, UINT64), *(Scalar(position + 2, WORD) for position in range(len(words)))),
                ("i64",),
                {**PHILOX, "BLOCK": block},
                -(-x.size // block),
                (x.size,),
            )
        return builder.ready((x.size, 4), UINT64, converters=(None, *(int,) * len(words)))

    def blocks(x: Any, *, key: tuple[int, int], stream: tuple[int, int]) -> Any:
        return context.call(name, prepare, (x, *stream, *key))

    return blocks


def _elements_of_block(kind: str, dtype: DType) -> int:
    return 8 if kind == "uniform" and dtype.itemsize == 4 else 4


def _constants(kind: str, dtype: DType, block: int) -> dict[str, Any]:
    centre, tail, logarithm = NORMAL_QUANTILES.get(dtype.name, ((), (), ()))
    return {
        "KIND": kind,
        "DTYPE": KERNEL_DTYPES[dtype].compute,
        **PHILOX,
        "CENTRE": centre,
        "TAIL": tail,
        "LOGARITHM": logarithm,
        "COUNTS": tuple(map(len, (*centre, *tail, logarithm))),
        "BLOCK": block,
    }
