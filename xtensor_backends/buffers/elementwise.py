"""Kernels of programs: elementwise operations on arrays that broadcast together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xtensor.backend import DType, Program, Step

from .arrays import BufferArray
from .formulas import apply
from .languages import Language
from .layouts import Offsets, contiguous, layout_of, needs_64_bits, strides_in
from .runtime import Number, numbers_of
from .source import Kernel, SourceBuilder

__all__ = [
    "broadcast_shape",
    "cast",
    "compute",
    "copied",
    "copy_into",
    "dense",
    "scalar_arguments",
    "scalar_values",
    "single",
    "values_of",
]

Shape = tuple[int, ...]


def compute(
    program: Program,
    arrays: Sequence[BufferArray],
    scalars: Sequence[Number] = (),
    outputs: Sequence[BufferArray] | None = None,
) -> tuple[BufferArray, ...]:
    """Return a program's outputs, in new arrays or in given ones of one shape."""
    runtime = arrays[0].runtime
    shape = broadcast_shape(arrays) if outputs is None else outputs[0].shape
    if outputs is None:
        outputs = [runtime.empty(shape, program.dtypes[position]) for position in program.outputs]
    operands = (*outputs, *arrays)
    for x in operands:
        if not x.is_dense or x.shape != shape:
            layout = layout_of(shape, strides_in(operands, shape))
            break
    else:
        layout = contiguous(len(operands))
    # Compilers see that contiguous elements follow one another by positions of 64 bits, of which no sum overflows.
    wide = layout.key[0] == 1 or needs_64_bits(*operands)
    key = "elementwise", runtime.language, layout.key, wide
    kernel = program.kernels.get(key)
    if kernel is None:
        kernel = program.kernels[key] = _kernel(program, runtime.language, layout.key, wide)
    numbers = (*[x.offset for x in operands], *layout.numbers)
    runtime.launch(kernel, operands, scalar_arguments(program, scalars) if scalars else (), numbers, outputs[0].size)
    return tuple(outputs)


def _kernel(program: Program, language: Language, key: tuple[int, str], wide: bool) -> Kernel:
    builder = SourceBuilder(language, wide=wide)
    outputs = [builder.output(program.dtypes[position]) for position in program.outputs]
    inputs = [builder.input(dtype) for dtype in program.dtypes[: len(program.inputs)]]
    starts = builder.numbers(len(outputs) + len(inputs))
    scalars = scalar_values(builder, program)
    layout = Offsets(builder, key)

    def write() -> None:
        offsets = layout.at("i", starts)
        values = values_of(builder, program, inputs, offsets[len(outputs) :], scalars)
        for buffer, offset, position in zip(outputs, offsets, program.outputs, strict=False):
            builder.store(buffer, offset, values[position])

    builder.each(write)
    return builder.kernel()


def values_of(
    builder: SourceBuilder, program: Program, inputs: Sequence[str], offsets: Sequence[str], scalars: Sequence[Any]
) -> list[Any]:
    """Write the instructions of a program for elements of its inputs and its numbers; return all its values."""
    values = [
        builder.load(buffer, offset, dtype)
        for buffer, offset, dtype in zip(inputs, offsets, program.dtypes, strict=False)
    ]
    values += scalars
    for step in program.steps:
        operands = [values[position] for position in step.operands]
        values.append(apply(builder, step.name, operands, np.dtype(step.dtype)))
    return values


def scalar_values(builder: SourceBuilder, program: Program) -> list[Any]:
    """Return the numbers of a program as values of its kernel."""
    count = len(program.inputs)
    return [builder.scalar(dtype) for dtype in program.dtypes[count : count + len(program.scalars)]]


def scalar_arguments(program: Program, scalars: Sequence[Number]) -> Sequence[np.generic]:
    """Return the numbers of a program as arguments of its kernel."""
    if not scalars:
        return ()
    dtypes = program.dtypes[len(program.inputs) :]
    return [number for value, dtype in zip(scalars, dtypes, strict=False) for number in numbers_of(value, dtype)]


def broadcast_shape(arrays: Sequence[BufferArray]) -> Shape:
    """Return the shape to which arrays broadcast."""
    first = arrays[0].shape
    for x in arrays[1:]:
        if x.shape != first:
            return np.broadcast_shapes(*[x.shape for x in arrays])
    return first


def single(
    name: str, inputs: Sequence[DType], scalars: Sequence[int], computed: Sequence[DType], out: DType
) -> Program:
    """Return the program of one operation, with casts of its operands.

    Parameters
    ----------
    name
        The operation.
    inputs
        The dtypes of the operands.
    scalars
        The positions of the operands that are Python numbers.
    computed, out
        The dtypes to which operands are cast, and the result's.
    """
    arrays = [position for position in range(len(inputs)) if position not in scalars]
    order = [*arrays, *scalars]
    steps: list[Step] = []
    operands = []
    for position, (given, wanted) in enumerate(zip(inputs, computed, strict=True)):
        number = order.index(position)
        if position not in scalars and given != wanted:
            steps.append(Step("astype", (number,), wanted.name))
            number = len(inputs) + len(steps) - 1
        operands.append(number)
    steps.append(Step(name, tuple(operands), out.name))
    return Program(
        tuple([inputs[position].name for position in arrays]),
        tuple([computed[position].name for position in scalars]),
        tuple(steps),
        (len(inputs) + len(steps) - 1,),
    ).shared()


_casts: dict[tuple[DType, DType], Program] = {}


def _cast_program(source: DType, target: DType) -> Program:
    program = _casts.get((source, target))
    if program is None:
        steps = () if source == target else (Step("astype", (0,), target.name),)
        program = _casts[source, target] = Program((source.name,), (), steps, (len(steps),)).shared()
    return program


def cast(x: BufferArray, dtype: DType) -> BufferArray:
    """Return an array in another dtype, or itself in its own."""
    return x if x.dtype == dtype else compute(_cast_program(x.dtype, dtype), (x,))[0]


def copied(x: BufferArray, dtype: DType | None = None) -> BufferArray:
    """Return a dense copy of an array."""
    return compute(_cast_program(x.dtype, dtype or x.dtype), (x,))[0]


def dense(x: BufferArray) -> BufferArray:
    """Return an array, or a copy, whose elements follow one another."""
    return x if x.is_dense else copied(x)


def copy_into(x: BufferArray, target: BufferArray) -> None:
    """Write the elements of an array, which broadcasts, to another one."""
    compute(_cast_program(x.dtype, target.dtype), (x.broadcast(target.shape),), (), (target,))
