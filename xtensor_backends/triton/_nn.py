"""Functions of neural networks along rows: softmax, normalization, cross entropy; and the rotary embedding."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import _nn_kernels as kernels
from ._context import Array, Builder, Context, Ready, Unsuited
from ._dtypes import FLOAT32, KERNEL_DTYPES, UNSPECIALIZED, DType, cast_dtype, result_constants
from ._layout import MAX_AXES, Rows, dense_strides, is_contiguous, iteration, rows
from ._reductions import sum_of
from ._row_launches import kind_of, layout_of, reduce, row_arguments, row_constants, row_types, strides_of

__all__ = ["check_dtypes", "functions", "operand"]


def functions(context: Context, kernels_of: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return the functions by name; ``kernels_of`` holds the device's other kernel functions."""
    return {
        "nn.softmax": _softmax("nn.softmax", context, log=False),
        "nn.log_softmax": _softmax("nn.log_softmax", context, log=True),
        "nn.layer_norm": _normalization("nn.layer_norm", context, centre=True),
        "nn.rms_norm": _normalization("nn.rms_norm", context, centre=False),
        "nn.cross_entropy": _cross_entropy("nn.cross_entropy", context, kernels_of),
        "nn.rotary_embedding": _rotary_embedding("nn.rotary_embedding", context),
    }


def check_dtypes(x: Any, *others: Any) -> None:
    """Raise :class:`Unsuited` unless the dtype is a real floating-point one and the same for all operands."""
    if kind_of(x.dtype) != "f":
        raise Unsuited(f"x has dtype {x.dtype}")
    for other in others:
        if other is not None and other.dtype != x.dtype:
            raise Unsuited(f"the operands have dtypes {x.dtype} and {other.dtype}")


def operand(x: Any, position: int) -> Array | None:
    """Return the array of an operand, if it is present."""
    return None if x is None else Array(position, x.dtype)


def _work_dtype(dtype: DType) -> DType:
    """Dtype that elements of a dtype are computed in."""
    return dtype if dtype.itemsize > 2 else FLOAT32


def _add_row_launch(
    builder: Builder,
    kernel: Any,
    arrays: tuple[Array | None, ...],
    layout: Rows,
    scalars: tuple[tuple[str, float], ...],
    constants: dict[str, Any],
    *,
    per_row: bool = False,
) -> None:
    """Add a launch along rows.

    ``arrays`` are the result, ``x`` and the parameters; ``scalars`` are types and values. The second strides of
    ``layout`` are those of the result, or with ``per_row`` of a parameter with one element per row.
    """
    out, x, *_ = arrays
    assert out is not None
    assert x is not None
    outer, inner = layout
    integer, axes = row_types(layout)
    tiling = builder.context.row_tiling(layout, _work_dtype(x.dtype).itemsize, reads_only=per_row)
    # A launch over two axes of the grid has programs beyond the last row.
    exact = not (layout.number % tiling.rows or layout.length % tiling.turn)
    exact = exact and tiling.programs <= builder.context.launcher.longest_axis
    constants = {
        **constants,
        "SINGLE_TILE": tiling.single_tile,
        "EXACT": exact,
        "ENCODING": KERNEL_DTYPES[x.dtype].encoding,
        "DTYPE": KERNEL_DTYPES[x.dtype].compute,
        **result_constants(out.dtype),
        **row_constants(layout, tiling),
    }
    number = 1 if per_row else 2
    second, second_types = (outer.strides[1], inner.strides[1])[:number], axes[1:3][:number]
    types = (integer, integer, *(UNSPECIALIZED + kind for kind, _ in scalars), *axes, *second_types)
    arguments = (layout.number, layout.length, *(value for _, value in scalars), *row_arguments(layout), *second)
    builder.launch(kernel, arrays, types, constants, tiling.programs, arguments, warps=tiling.warps)


def _softmax(name: str, context: Context, *, log: bool) -> Callable[..., Any]:
    def prepare(operands: tuple[Any], axis: int) -> Ready:
        (x,) = operands
        check_dtypes(x)
        layout = layout_of(x, (axis,), dense_strides(x.shape), ordered=True)
        builder = Builder(context, 1)
        arrays = (Array(0, x.dtype), Array(1, x.dtype))
        _add_row_launch(builder, kernels.softmax_rows, arrays, layout, (), {"LOG": log})
        return builder.ready(x.shape, x.dtype)

    def softmax(x: Any, *, axis: int) -> Any:
        return context.call(name, prepare, (x,), (axis,))

    return softmax


def _normalization(name: str, context: Context, *, centre: bool) -> Callable[..., Any]:
    def prepare(operands: tuple[Any, Any, Any], axes: tuple[int, ...], eps: float) -> Ready:
        x, weight, bias = operands
        check_dtypes(x, weight, bias)
        for parameter in (weight, bias):
            if parameter is not None and not is_contiguous(parameter.shape, strides_of(parameter)):
                raise Unsuited("a parameter is not contiguous")
        layout = layout_of(x, axes, dense_strides(x.shape), ordered=True)
        builder = Builder(context, 3)
        arrays = (Array(0, x.dtype), Array(1, x.dtype), operand(weight, 2), operand(bias, 3))
        limits = np.finfo(_work_dtype(x.dtype))
        constants = {"CENTRE": centre, "LEAST": float(limits.smallest_normal / limits.eps)}
        scalars = (("fp64", eps), ("fp64", math.sqrt(eps)))
        _add_row_launch(builder, kernels.normalize_rows, arrays, layout, scalars, constants)
        return builder.ready(x.shape, x.dtype)

    def normalize(x: Any, weight: Any, bias: Any = None, *, axes: tuple[int, ...], eps: float) -> Any:
        return context.call(name, prepare, (x, weight, bias), (axes, eps))

    return normalize


def _cross_entropy(name: str, context: Context, kernels_of: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    astype, count_nonzero, divide, not_equal = (
        kernels_of[key] for key in ("astype", "count_nonzero", "divide", "not_equal")
    )

    def prepare(
        operands: tuple[Any, Any], smoothing: float, ignored: int | None, reduction: str, result: DType
    ) -> Ready:
        x, target = operands
        check_dtypes(x)
        if ignored is not None and abs(ignored) >= 2**63:
            raise Unsuited(f"the ignored class {ignored} is out of range")
        layout = layout_of(x, (x.ndim - 1,), (*strides_of(target), 0), ordered=True)
        dtype = _work_dtype(x.dtype)
        builder = Builder(context, 2)
        losses = Array(0, result) if reduction == "none" else builder.scratch(target.shape, dtype)
        _add_row_launch(
            builder,
            kernels.cross_entropy_rows,
            (losses, Array(1, x.dtype), Array(2, target.dtype)),
            layout,
            (("fp64", smoothing), ("i64", ignored or 0)),
            {"IGNORES": ignored is not None, "SMOOTH": bool(smoothing)},
            per_row=True,
        )
        if reduction == "none":
            return builder.ready(target.shape, result)
        all_losses = rows(target.shape, [dense_strides(target.shape)], range(target.ndim))
        out = Array(0, result)
        divisor = all_losses.length if reduction == "mean" else None
        reduce(builder, losses, all_losses, sum_of(dtype), out, divisor=divisor)
        return builder.ready((), result)

    def cross_entropy(x: Any, target: Any, *, label_smoothing: float, ignore_index: int | None, reduction: str) -> Any:
        if reduction != "mean" or ignore_index is None:
            options = (label_smoothing, ignore_index, reduction, x.dtype)
            return context.call(name, prepare, (x, target), options)
        # The mean over the targets that are not ignored: a sum, divided by a count that the device computes.
        dtype = _work_dtype(x.dtype)
        total = context.call(name, prepare, (x, target), (label_smoothing, ignore_index, "sum", dtype))
        if total is NotImplemented:
            return total
        count = _chain(not_equal(target, ignore_index), count_nonzero, lambda number: astype(number, dtype))
        mean = _chain(count, lambda number: divide(total, number), lambda mean: astype(mean, x.dtype, copy=False))
        if mean is NotImplemented:
            return context.decline(name, "the targets that are not ignored cannot be counted", (x, target))
        return mean

    return cross_entropy


def _chain(value: Any, *steps: Callable[[Any], Any]) -> Any:
    """Apply functions one after another; return NotImplemented as soon as one does."""
    for step in steps:
        if value is NotImplemented:
            break
        value = step(value)
    return value


def _rotary_embedding(name: str, context: Context) -> Callable[..., Any]:
    def prepare(operands: tuple[Any, Any, Any], interleaved: bool) -> Ready:
        x, cos, sin = operands
        check_dtypes(x, cos, sin)
        if not x.size:
            raise Unsuited("there are no elements")
        half = x.shape[-1] // 2
        shape = (*x.shape[:-1], half)
        x_strides, out_strides = strides_of(x), dense_strides(x.shape)
        # The first elements of all pairs are visited, and the second is found at a fixed distance.
        spacing, distance = (2, 1) if interleaved else (1, half)
        firsts = [(*strides[:-1], strides[-1] * spacing) for strides in (out_strides, x_strides)]
        merged = iteration(shape, [*firsts, strides_of(cos, shape), strides_of(sin, shape)])
        if len(merged.shape) > MAX_AXES:
            raise Unsuited(f"the operands have more than {MAX_AXES} axes after merging")
        integer, size = "i64" if merged.offsets_64 else "i32", math.prod(shape)
        block = context.block(size, 1024)
        builder = Builder(context, 3)
        builder.launch(
            kernels.rotate_pairs,
            tuple(Array(position, x.dtype) for position in range(4)),
            (*(integer,) * 3, *((integer,) * len(merged.shape),) * 5),
            {
                "ENCODING": KERNEL_DTYPES[x.dtype].encoding,
                "DTYPE": KERNEL_DTYPES[x.dtype].compute,
                "OUT_DTYPE": cast_dtype(x.dtype),
                "NDIM": len(merged.shape),
                "OFFSETS_64": merged.offsets_64,
                "BLOCK": block,
            },
            -(-size // block),
            (size, distance * x_strides[-1], distance * out_strides[-1], merged.shape, *merged.strides),
        )
        return builder.ready(x.shape, x.dtype)

    def rotary_embedding(x: Any, cos: Any, sin: Any, *, interleaved: bool) -> Any:
        return context.call(name, prepare, (x, cos, sin), (interleaved,))

    return rotary_embedding
