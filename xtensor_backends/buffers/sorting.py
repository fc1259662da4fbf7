"""Sorting by merges, binary searches, and the positions of true elements.

A pass of the stable merge sort doubles the length of the sorted runs: each element finds its position in the merged run
by a binary search in the run next to its own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from xtensor.backend import DType

from .arrays import BufferArray
from .complex_formulas import complex_after
from .elementwise import cast, dense
from .languages import INDEX, Language
from .layouts import needs_64_bits
from .real_formulas import sort_after
from .scans import scan
from .source import Kernel, SourceBuilder, unravelled

__all__ = ["argsort_rows", "nonzero", "search", "sort_rows"]

KEYS, FIRST, POSITIONS = "keys", "first", "positions"
"""Passes that move keys alone, that begin with positions, and that move positions with the keys."""


def sort_rows(x: BufferArray) -> BufferArray:
    """Return an array with sorted rows: its elements along the last axis."""
    return _sorted(x, False)[0]


def argsort_rows(x: BufferArray) -> BufferArray:
    """Return the positions that sort the rows of an array; equal elements stay in their order."""
    return _sorted(x, True)[1]


def _sorted(x: BufferArray, with_positions: bool) -> tuple[BufferArray, BufferArray]:
    keys = dense(x)
    runtime, length = x.runtime, x.shape[-1]
    positions = runtime.functions.broadcast_to(
        runtime.functions.arange(0, length, 1, dtype=runtime.index_dtype), x.shape
    )
    if length < 2 or not x.size:
        return keys, dense(positions)
    wide, width = needs_64_bits(keys), 1
    while width < length:
        mode = KEYS if not with_positions else FIRST if width == 1 else POSITIONS
        kernel = _merge(runtime.language, x.dtype, runtime.index_dtype, mode, wide)
        merged, moved = (
            runtime.empty(x.shape, x.dtype),
            runtime.empty(x.shape if with_positions else (), positions.dtype),
        )
        arrays = {KEYS: (merged, keys), FIRST: (merged, moved, keys), POSITIONS: (merged, moved, keys, positions)}[mode]
        runtime.launch(kernel, arrays, (), [keys.offset, length, width], x.size)
        keys, positions, width = merged, moved, 2 * width
    return keys, positions


@cache
def _merge(language: Language, dtype: DType, index: DType, mode: str, wide: bool) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    merged = builder.output(dtype)
    moved = builder.output(index) if mode != KEYS else ""
    keys = builder.input(dtype)
    positions = builder.input(index) if mode == POSITIONS else ""
    start, length, width = builder.numbers(3)
    column = builder.index(f"i % {length}")
    row = builder.index(f"i - {column}")
    pair = builder.index(f"({column} / (2 * {width})) * 2 * {width}")
    own = builder.load(keys, f"{start} + i", dtype)
    is_second = f"({column} - {pair} >= {width})"
    # Bounds of the other run, which may have fewer elements, or none, at the end of a row.
    first = builder.index(language.choice(is_second, pair, _smaller(language, f"{pair} + {width}", length)))
    last = _smaller(language, f"{pair} + 2 * {width}", length)
    low = builder.counter(first)
    high = builder.counter(language.choice(is_second, f"{pair} + {width}", f"({last})"))
    with builder.block(f"while ({low} < {high})"):
        middle = builder.index(f"({low} + {high}) / 2")
        other = builder.load(keys, f"{start} + {row} + {middle}", dtype)
        # Of equal elements those of the first run come first.
        before = builder.declare(
            "bool", language.choice(is_second, f"!{_after(other, own).code}", _after(own, other).code)
        )
        _narrow(builder, before, low, middle, high)
    own_number = language.choice(is_second, f"{column} - {width}", column)
    target = builder.index(f"{row} + ({own_number}) + {low} - {first}")
    builder.store(merged, target, own)
    if mode == FIRST:
        builder.store(moved, target, builder.position(column, index))
    elif mode == POSITIONS:
        builder.store(moved, target, builder.load(positions, "i", index))
    return builder.kernel()


def _smaller(language: Language, first: str, second: str) -> str:
    return f"({language.choice(f'({first} < {second})', first, second)})"


def _narrow(builder: SourceBuilder, before: str, low: str, middle: str, high: str) -> None:
    """Continue a binary search after or before its middle."""
    with builder.block(f"if ({before})"):
        builder.lines.append(f"{low} = {middle} + 1;")
    with builder.block("else"):
        builder.lines.append(f"{high} = {middle};")


def _after(a: Any, b: Any) -> Any:
    return complex_after(a, b) if a.kind == "c" else sort_after(a, b)


def search(x: BufferArray, wanted: BufferArray, *, right: bool) -> BufferArray:
    """Return the positions at which elements of the same dtype would be inserted into a sorted vector."""
    x, wanted = dense(x), dense(wanted)
    runtime = x.runtime
    result = runtime.empty(wanted.shape, runtime.index_dtype)
    kernel = _search(runtime.language, x.dtype, runtime.index_dtype, right, needs_64_bits(x, wanted))
    runtime.launch(kernel, (result, x, wanted), (), [x.offset, wanted.offset, x.size], wanted.size)
    return result


@cache
def _search(language: Language, dtype: DType, index: DType, right: bool, wide: bool) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    output, source, wanted = builder.output(index), builder.input(dtype), builder.input(dtype)
    start, start_of_wanted, length = builder.numbers(3)
    own = builder.load(wanted, f"{start_of_wanted} + i", dtype)
    low, high = builder.counter("0"), builder.counter(length)
    with builder.block(f"while ({low} < {high})"):
        middle = builder.index(f"({low} + {high}) / 2")
        other = builder.load(source, f"{start} + {middle}", dtype)
        before = ~_after(other, own) if right else _after(own, other)
        _narrow(builder, before.code, low, middle, high)
    builder.store(output, "i", builder.position(low, index))
    return builder.kernel()


def nonzero(x: BufferArray) -> tuple[BufferArray, ...]:
    """Return the positions of the elements that are not 0 along each axis. Blocks until the device has counted them."""
    runtime, index = x.runtime, x.runtime.index_dtype
    mask = dense(cast(x, np.dtype(np.bool)))
    if not x.size:
        return tuple([runtime.empty((0,), index) for _ in x.shape])
    flat = mask.view((x.size,), None, mask.offset)
    total = scan("add", cast(flat, index), 0)
    count = int(total.view((), (), x.size - 1))
    indices = runtime.empty((x.ndim, count), index)
    if count:
        kernel = _compact(runtime.language, index, x.ndim, needs_64_bits(x, total, indices))
        runtime.launch(kernel, (indices, flat, total), (), [flat.offset, count, *x.shape], x.size)
    return tuple([indices.basic((axis, slice(0, count, 1))) for axis in range(x.ndim)])


@cache
def _compact(language: Language, index: DType, ndim: int, wide: bool) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    output = builder.output(index)
    mask, total = builder.input(np.dtype(np.bool)), builder.input(index)
    start, count = builder.numbers(2)
    shape = builder.numbers(ndim)
    chosen: Any = builder.load(mask, f"{start} + i", np.dtype(np.bool))
    with builder.block(f"if ({chosen.code})"):
        number: Any = builder.load(total, "i", index)
        target = builder.index(f"{language.cast(INDEX, number.code)} - 1")
        for axis, coordinate in enumerate(unravelled(builder, "i", shape)):
            builder.store(output, f"{axis} * {count} + {target}", builder.position(coordinate, index))
    return builder.kernel()
