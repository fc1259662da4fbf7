"""NumPy's keys: views for ints and slices, kernels that gather and scatter for index arrays and masks."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from xtensor.backend import DType, Program, Step, resolved_key, split_key

from .arrays import BufferArray
from .elementwise import cast, compute, copied, copy_into
from .languages import INDEX, Language
from .layouts import Offsets, layout_of, needs_64_bits
from .reductions import reduce_program
from .sorting import nonzero
from .source import Kernel, SourceBuilder

__all__ = ["getitem", "setitem"]


def getitem(x: BufferArray, key: Any) -> BufferArray:
    """Return ``x[key]``: a view for a basic key."""
    parts = resolved_key(key, x.shape, BufferArray)
    if _is_basic(parts):
        return x.basic(parts)
    view, at = _selection(x, parts)
    result = x.runtime.empty(at.shape, x.dtype)
    _move(result, at, view, gathers=True)
    return result


def setitem(x: BufferArray, key: Any, value: Any) -> BufferArray:
    """Assign a native array or a Python number to ``x[key]``; of several values for one element any one stays."""
    if not x.is_writable:
        raise ValueError("assignment destination is read-only: it is a broadcast view; copy it with xtensor.asarray")
    parts = resolved_key(key, x.shape, BufferArray)
    source = value if value.__class__ is BufferArray else _number(value, x)
    if _is_basic(parts):
        view = x.basic(parts)
        copy_into(_apart(_without_leading_axes(source, view.ndim), x), view)
        return x
    view, at = _selection(x, parts)
    source = _apart(cast(_without_leading_axes(source, at.ndim), x.dtype), x).broadcast(at.shape)
    _move(source, at, view, gathers=False)
    return x


def _is_basic(parts: list[Any]) -> bool:
    return not any(part.__class__ is BufferArray or part.__class__ is bool for part in parts)


def _number(value: Any, x: BufferArray) -> BufferArray:
    if value.__class__ is float and x.dtype.kind in "iu":
        value = int(value)
    return x.runtime.functions.full((), value, dtype=x.dtype)  # type: ignore[no-any-return]


def _apart(source: BufferArray, x: BufferArray) -> BufferArray:
    """Return an operand of an assignment to an array, a copy if it is in the same memory."""
    return copied(source) if source.block is x.block else source


def _without_leading_axes(x: BufferArray, ndim: int) -> BufferArray:
    while x.ndim > ndim and x.shape[0] == 1:
        x = x.view(x.shape[1:], x.strides[1:], x.offset)
    return x


# -- index arrays -----------------------------------------------------------------------------------------------------


def _selection(x: BufferArray, parts: list[Any]) -> tuple[BufferArray, BufferArray]:
    """Return a view and offsets, both with the shape of the result: an element is at their sum.

    The view repeats its first element along the axes of the index arrays, and the offsets along the others.
    """
    runtime = x.runtime
    basic, positions = split_key(
        parts,
        x.shape,
        nonzero=nonzero,
        positions=_checked,
        constant=lambda values: runtime.upload(np.asarray(values, runtime.index_dtype)),
    )
    view = x.basic(basic)
    axes = [axis for axis, item in enumerate(positions) if item.__class__ is BufferArray]
    arrays = [positions[axis] for axis in axes]
    offsets = _offsets(arrays, [view.shape[axis] for axis in axes], [view.strides[axis] for axis in axes])
    before = axes[0] if axes == list(range(axes[0], axes[-1] + 1)) else 0
    others = [axis for axis in range(view.ndim) if axis not in axes]
    first, last = others[:before], others[before:]
    shape = (*[view.shape[k] for k in first], *offsets.shape, *[view.shape[k] for k in last])
    repeated = (0,) * offsets.ndim
    strides = (*[view.strides[k] for k in first], *repeated, *[view.strides[k] for k in last])
    at = offsets.view(shape, ((0,) * len(first) + offsets.strides + (0,) * len(last)), offsets.offset)
    return view.view(shape, strides, view.offset), at


def _checked(part: BufferArray, length: int, axis: int) -> BufferArray:
    """Return positions in the dtype of indices; IndexError for one out of bounds. Blocks until they are compared."""
    if part.size:
        program = Program((part.dtype.name,), (), (), (), (("min", 0), ("max", 0))).shared()
        ends = reduce_program(program, (part,), (), part.shape, tuple(range(part.ndim)), keepdims=False)
        lowest, highest = map(int, ends)
        if lowest < -length or highest >= length:
            wrong = highest if highest >= length else lowest
            raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {length}")
    return cast(part, part.runtime.index_dtype)


def _offsets(arrays: list[BufferArray], lengths: list[int], strides: list[int]) -> BufferArray:
    """Return the offsets of positions along several axes."""
    program = _offset_program(len(arrays), arrays[0].dtype.name)
    scalars = [number for pair in zip(lengths, strides, strict=True) for number in pair]
    return compute(program, arrays, [*scalars, 0])[0]


@cache
def _offset_program(count: int, index: str) -> Program:
    """The sum of positions, each plus its axis' length where it is negative, times its stride."""
    steps: list[Step] = []

    def step(name: str, *operands: int, dtype: str = index) -> int:
        steps.append(Step(name, operands, dtype))
        return 3 * count + len(steps)

    zero, total = 3 * count, -1
    for k in range(count):
        length, stride = count + 2 * k, count + 2 * k + 1
        negative = step("less", k, zero, dtype="bool")
        position = step("where", negative, step("add", k, length), k)
        term = step("multiply", position, stride)
        total = term if k == 0 else step("add", total, term)
    return Program((index,) * count, (index,) * (2 * count + 1), tuple(steps), (total,)).shared()


def _move(elements: BufferArray, at: BufferArray, view: BufferArray, *, gathers: bool) -> None:
    """Copy elements between an array and the positions of a view."""
    runtime = view.runtime
    layout = layout_of(at.shape, (elements.strides, at.strides, view.strides))
    wide = needs_64_bits(elements, at, view)
    kernel = _moving(runtime.language, view.dtype, at.dtype, layout.key, gathers, wide)
    arrays = (elements, view, at) if gathers else (view, elements, at)
    numbers = [elements.offset, at.offset, view.offset, *layout.numbers]
    runtime.launch(kernel, arrays, (), numbers, at.size)


@cache
def _moving(language: Language, dtype: DType, index: DType, key: tuple[int, str], gathers: bool, wide: bool) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    target, source, positions = builder.output(dtype), builder.input(dtype), builder.input(index)
    starts = builder.numbers(3)
    element, at, base = Offsets(builder, key).at("i", starts)
    number: Any = builder.load(positions, at, index)
    position = builder.index(f"{base} + {language.cast(INDEX, number.code)}")
    if gathers:
        builder.store(target, element, builder.load(source, position, dtype))
    else:
        builder.store(target, position, builder.load(source, element, dtype))
    return builder.kernel()
