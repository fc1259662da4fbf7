"""The generator of kernels for :func:`xtensor.fuse`: a program's elementwise operations, and reductions of them.

A program is computed in the dtypes in which the kernels of its operations compute, and reduced in the order in which
the kernels of reductions add. :mod:`xtensor_backends.triton._program_source` writes the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from xtensor.backend import DType, Generator, Native, Program

from ..kernels.layouts import reduced_shape
from ._context import SCALARS, Array, Builder, Context, Ready, Scalar, Unsuited
from ._dtypes import compute_dtype, result_constants
from ._layout import MAX_AXES, Rows, broadcast_shapes, dense_strides, iteration, memory_order, rows
from ._plans import computation, converter
from ._program_source import ProgramKernel, elementwise_kernel, reduction_kernel
from ._row_launches import kind_of, reduce_table, reduction_tiling, strides_of

__all__ = ["TritonGenerator"]

Shape = tuple[int, ...]

MOST_STEPS = 256
"""Steps of a kernel. A zeta function of 419 steps took 12 s to compile, and needed 4 KiB of stack for each thread."""


class TritonGenerator(Generator):
    """Kernels of programs on one device.

    Parameters
    ----------
    context
        The device's context.
    call
        ``context.call`` with the device as the current one.
    """

    def __init__(self, context: Context, call: Callable[..., Any]) -> None:
        self._context = context
        self._call = call

    def resolve(self, name: str, kinds: Sequence[DType | type]) -> tuple[tuple[DType, ...], DType] | None:
        try:
            computed = computation(name, tuple(kinds))
        except Unsuited:
            return None
        if name == "pow" and computed.loop[1].kind == "i":
            return None  # a negative exponent is an error, which a kernel cannot raise
        return computed.loop, computed.out

    def compute(
        self, program: Program, arrays: Sequence[Native], scalars: Sequence[float]
    ) -> tuple[Native, ...] | None:
        return self._run("fuse", self._elementwise, program, (), arrays, scalars)

    def reduce(
        self,
        program: Program,
        arrays: Sequence[Native],
        scalars: Sequence[float],
        shape: tuple[int, ...],
        axes: Sequence[int],
        *,
        keepdims: bool = False,
    ) -> tuple[Native, ...] | None:
        if not program.steps:
            return None  # the device's own function has a kernel for this
        return self._run("fuse.reduce", self._reduction, program, (shape, tuple(axes), keepdims), arrays, scalars)

    def _run(
        self,
        name: str,
        prepare: Callable[..., Ready],
        program: Program,
        options: tuple[Any, ...],
        arrays: Sequence[Native],
        scalars: Sequence[float],
    ) -> tuple[Native, ...] | None:
        def prepare_program(operands: tuple[Any, ...], key: str, *options: Any) -> Ready:
            return prepare(program, operands, *options)

        try:
            result = self._call(name, prepare_program, (*arrays, *scalars), (program.key, *options))
        except OverflowError:  # a number that its dtype cannot represent: the operation's own function raises this
            return None
        return None if result is NotImplemented else result

    # -- preparing ----------------------------------------------------------------------------------------------------

    def _elementwise(self, program: Program, operands: tuple[Any, ...]) -> Ready:
        arrays = _arrays(program, operands)
        shape = broadcast_shapes(*[x.shape for x in arrays])
        if shape is None or not program.outputs:
            raise Unsuited("the shapes do not broadcast" if shape is None else "there is no output")
        kernel = elementwise_kernel(program)
        builder = Builder(self._context, len(operands))
        strides = [strides_of(x, shape) for x in arrays]
        order = memory_order(shape, strides)
        shape = tuple([shape[axis] for axis in order])
        strides = [tuple([steps[axis] for axis in order]) for steps in strides]
        first, *others = [program.dtypes[position] for position in program.outputs]
        results = [Array(0, first), *[builder.scratch(shape, dtype) for dtype in others]]
        size = math.prod(shape)
        if size:
            merged = iteration(shape, [dense_strides(shape), *strides])
            if len(merged.shape) > MAX_AXES:
                raise Unsuited(f"the operands have more than {MAX_AXES} axes after merging")
            context = self._context
            flat = merged.is_flat and not merged.offsets_64
            ndim = 0 if flat else len(merged.shape)
            block = context.block(size, _block(program))
            integer = "i64" if merged.offsets_64 else "i32"
            constants = {
                **{f"X{k}": "array" if any(steps) else "element" for k, steps in enumerate(merged.strides[1:])},
                "NDIM": ndim,
                "OFFSETS_64": merged.offsets_64,
                "SPLIT": flat and bool(size & 15) and not context.launcher.interprets,
                "BLOCK": block,
            }
            layout = (None,) * (len(arrays) + 2) if flat else (merged.shape, *merged.strides)
            builder.launch(
                kernel.function,
                (*results, *_operands(kernel, program)),
                (integer, *[None if item is None else (integer,) * ndim for item in layout]),
                constants,
                -(-size // block),
                (size, *layout),
            )
        axes = None if order == tuple(range(len(order))) else tuple(map(order.index, range(len(order))))
        fields = {"converters": _converters(program), "axes": axes, "results": len(results)}
        return builder.ready(shape, first, **fields)

    def _reduction(
        self, program: Program, operands: tuple[Any, ...], shape: Shape, axes: Shape, keepdims: bool
    ) -> Ready:
        arrays = _arrays(program, operands)
        kernel = reduction_kernel(program)
        layout = _rows(shape, [strides_of(x, shape) for x in arrays], axes)
        tiling = reduction_tiling(self._context, layout, *kernel.reductions)
        builder = Builder(self._context, len(operands))
        result_shape = reduced_shape(shape, axes, keepdims=keepdims)
        first, *others = [program.dtypes[position] for _, position in program.reductions]
        results = [Array(0, first), *[builder.scratch(result_shape, dtype) for dtype in others]]
        targets = results
        table = layout.number, tiling.parts
        if tiling.parts > 1:
            targets = [builder.scratch(table, how.accumulate) for how in kernel.reductions]
        constants: dict[str, Any] = {}
        for k, (how, target) in enumerate(zip(kernel.reductions, targets, strict=True)):
            constants[f"O{k}_IDENTITY"] = how.identity
            constants |= {
                f"O{k}_{key.removeprefix('OUT_')}": item for key, item in result_constants(target.dtype).items()
            }
        outer, inner = layout
        constants |= {
            "OUTER": len(outer.shape),
            "INNER": len(inner.shape),
            "OFFSETS_64": outer.offsets_64,
            "ROWS": tiling.rows,
            "COLUMNS": tiling.columns,
        }
        integer = "i64" if outer.offsets_64 else "i32"
        pairs = [part for pair in zip(outer.strides[1:], inner.strides[1:], strict=True) for part in pair]
        axis_arguments = (outer.shape, inner.shape, *pairs)
        builder.launch(
            kernel.function,
            (*targets, *_operands(kernel, program)),
            (*(integer,) * 4, *[(integer,) * len(item) for item in axis_arguments]),
            constants,
            tiling.programs,
            (layout.number, layout.length, tiling.chunk, tiling.parts, *axis_arguments),
            warps=tiling.warps,
        )
        if tiling.parts > 1:
            for how, target, result in zip(kernel.reductions, targets, results, strict=True):
                reduce_table(builder, target, table, how, result)
        return builder.ready(result_shape, first, converters=_converters(program), results=len(results))


def _arrays(program: Program, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arrays among the operands of a program; raise :class:`Unsuited` if no kernel computes it."""
    arrays = operands[: len(program.inputs)]
    if not arrays or any(x.__class__ in SCALARS for x in arrays):
        raise Unsuited("the program has no arrays")
    if len(program.steps) > MOST_STEPS:
        raise Unsuited(f"the program has {len(program.steps)} steps, more than {MOST_STEPS}")
    for dtype in program.dtypes:
        kind_of(dtype)
    if any(x.dtype != dtype for x, dtype in zip(arrays, program.dtypes, strict=False)):
        raise Unsuited("the arrays have other dtypes than the program's inputs")
    return arrays


def _operands(kernel: ProgramKernel, program: Program) -> list[Array | Scalar]:
    """Return the arrays and scalars of a program as a kernel's arguments."""
    count = len(program.inputs)
    arrays = [Array(position, dtype) for position, dtype in enumerate(program.dtypes[:count], 1)]
    return [*arrays, *[Scalar(position, kind) for position, kind in enumerate(kernel.scalars, count + 1)]]


def _converters(program: Program) -> tuple[Callable[[Any], Any] | None, ...]:
    """Return the conversions of scalars to kernel arguments; None for an array."""
    count = len(program.inputs)
    dtypes = program.dtypes[count : count + len(program.scalars)]
    return (*(None,) * count, *[converter(dtype, compute_dtype(dtype)) for dtype in dtypes])


def _block(program: Program) -> int:
    """Return the elements of a GPU's program: as many as a kernel of one operation with the largest dtype has."""
    return {1: 4096, 2: 2048}.get(max([dtype.itemsize for dtype in program.dtypes]), 1024)


def _rows(shape: Shape, strides: Sequence[Shape], axes: Shape) -> Rows:
    """Return arrays as rows in the order of the elementwise result that is reduced, which is not in memory.

    The first strides are those of this result.
    """
    if not math.prod(shape):
        raise Unsuited("there are no elements")
    order = memory_order(shape, strides)
    dense = dict(zip(order, dense_strides(tuple([shape[axis] for axis in order])), strict=True))
    layout = rows(shape, [tuple([dense[axis] for axis in range(len(shape))]), *strides], axes)
    if max(len(layout.outer.shape), len(layout.inner.shape)) > MAX_AXES:
        raise Unsuited(f"the operands have more than {MAX_AXES} axes after merging")
    return layout
