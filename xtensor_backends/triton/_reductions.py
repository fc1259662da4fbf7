"""Reductions: sums, products, extrema and their positions, means, variances, truth, counts.

A variance is the mean of squared deviations from a mean that is computed first, so that it does not cancel.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import triton.language as tl

from ..kernels.layouts import reduced_shape, sorted_axes
from ..kernels.reductions import KERNEL_REDUCTIONS, combination, identity_element
from ._context import Array, Builder, Context, Ready, Unsuited
from ._dtypes import BFLOAT16, FLOAT32, FLOAT64, INT32, INT64, KERNEL_DTYPES, DType, cast_dtype
from ._row_launches import (
    Reduction,
    arg_extremum,
    deviations,
    kind_of,
    layout_of,
    product_dtype,
    reduce,
    result_dtype,
    sum_dtype,
)

__all__ = ["REDUCTIONS", "check_cast", "functions", "sum_of"]

Axis: TypeAlias = "int | tuple[int, ...] | None"


class Function(NamedTuple):
    """A reduction: how elements of a dtype are reduced, and the dtype of the result."""

    how: Callable[[DType], Reduction]
    result: Callable[[DType], DType]


def functions(context: Context) -> dict[str, Callable[..., Any]]:
    """Return the reductions of a device by name."""
    return {
        **{name: _reduction(name, context, function) for name, function in REDUCTIONS.items()},
        "argmax": _arg_extremum("argmax", context, "max"),
        "argmin": _arg_extremum("argmin", context, "min"),
        "var": _variance("var", context, "mean"),
        "std": _variance("std", context, "root"),
    }


def sum_of(dtype: DType) -> Reduction:
    """Sum of elements of a dtype."""
    return _accumulated("sum", dtype)


def _accumulated(op: str, dtype: DType) -> Reduction:
    """Reduction of elements of a dtype in a wider one."""
    sums = combination(op) == "add"
    accumulate = sum_dtype(dtype) if sums else product_dtype(dtype)
    scales = sums and dtype in (BFLOAT16, FLOAT64)
    return Reduction(op, identity_element(op, accumulate), cast_dtype(dtype), accumulate, scales=scales)


def _in_dtype(op: str, dtype: DType) -> Reduction:
    """Reduction of elements in their dtype, of half dtypes in float32."""
    kind_of(dtype)
    compute = KERNEL_DTYPES[dtype].compute
    accumulate = FLOAT32 if compute == tl.float32 else np.dtype(np.uint8) if dtype == np.bool_ else dtype
    return Reduction(op, identity_element(op, dtype), compute, accumulate)


def _truth_of(dtype: DType, op: str, accumulate: DType = INT32) -> Reduction:
    return Reduction(op, 1 if op == "min" else 0, KERNEL_DTYPES[dtype].compute, accumulate, "truth")


def _mean_of(dtype: DType) -> Reduction:
    return sum_of(_mean_dtype(dtype))


def _mean_dtype(dtype: DType) -> DType:
    return dtype if kind_of(dtype) == "f" else FLOAT64


REDUCTIONS: dict[str, Function] = {
    **{
        name: Function(partial(_accumulated, name), result_dtype)
        if item.accumulates
        else Function(partial(_in_dtype, name), lambda dtype: dtype)
        for name, item in KERNEL_REDUCTIONS.items()
    },
    "mean": Function(_mean_of, _mean_dtype),
    "any": Function(lambda dtype: _truth_of(dtype, "max"), lambda dtype: np.dtype(bool)),
    "all": Function(lambda dtype: _truth_of(dtype, "min"), lambda dtype: np.dtype(bool)),
    "count_nonzero": Function(lambda dtype: _truth_of(dtype, "sum", INT64), lambda dtype: INT64),
}


def check_cast(source: DType, dtype: DType | None) -> DType:
    """Return the dtype that elements are cast to before they are reduced; raise :class:`Unsuited` for no kernel."""
    kind_of(source)
    if dtype is None:
        return source
    if kind_of(dtype) == "b" or (BFLOAT16 in (source, dtype) and source != dtype):
        raise Unsuited(f"no kernel reduces {source} cast to {dtype}")
    return dtype


def _reduction(name: str, context: Context, function: Function) -> Callable[..., Any]:
    def prepare(operands: tuple[Any], axis: Axis, keepdims: bool, dtype: DType | None) -> Ready:
        (x,) = operands
        axes = sorted_axes(axis, x.ndim)
        shape = reduced_shape(x.shape, axes, keepdims=keepdims)
        how = function.how(check_cast(x.dtype, dtype))
        layout = layout_of(x, axes)
        result = function.result(x.dtype) if dtype is None else dtype
        divisor = layout.length if name == "mean" else None
        builder = Builder(context, 1)
        reduce(builder, Array(1, x.dtype), layout, how, Array(0, result), divisor=divisor)
        return builder.ready(shape, result)

    def call(x: Any, *, axis: Axis = None, keepdims: bool = False, dtype: DType | None = None) -> Any:
        if keepdims.__class__ is not bool:
            return context.decline(name, f"keepdims is {keepdims!r}", (x,))
        return context.call(name, prepare, (x,), (axis, keepdims, dtype))

    return call


def _arg_extremum(name: str, context: Context, op: str) -> Callable[..., Any]:
    def prepare(operands: tuple[Any], axis: Axis, keepdims: bool) -> Ready:
        (x,) = operands
        axes = sorted_axes(axis, x.ndim)
        shape = reduced_shape(x.shape, axes, keepdims=keepdims)
        builder = Builder(context, 1)
        arg_extremum(builder, Array(1, x.dtype), layout_of(x, axes, ordered=True), Array(0, INT64), op)
        return builder.ready(shape, INT64)

    def call(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
        if keepdims.__class__ is not bool:
            return context.decline(name, f"keepdims is {keepdims!r}", (x,))
        return context.call(name, prepare, (x,), (axis, keepdims))

    return call


def _variance(name: str, context: Context, finish: str) -> Callable[..., Any]:
    """``finish`` is ``"mean"`` for the variance and ``"root"`` for the standard deviation."""

    def prepare(operands: tuple[Any], axis: Axis, correction: float, keepdims: bool) -> Ready:
        (x,) = operands
        axes = sorted_axes(axis, x.ndim)
        shape = reduced_shape(x.shape, axes, keepdims=keepdims)
        how, result = _mean_of(x.dtype), _mean_dtype(x.dtype)
        layout = layout_of(x, axes)
        builder = Builder(context, 1)
        source = Array(1, x.dtype)
        means = builder.scratch(shape, how.accumulate)
        reduce(builder, source, layout, how, means, divisor=layout.length)
        divisor = max(layout.length - correction, 0)
        deviations(builder, source, layout, how, means, Array(0, result), divisor=divisor, finish=finish)
        return builder.ready(shape, result)

    def call(x: Any, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
        if keepdims.__class__ is not bool:
            return context.decline(name, f"keepdims is {keepdims!r}", (x,))
        if correction.__class__ not in (int, float) or abs(correction) >= 2**63:
            return context.decline(name, f"correction is {correction!r}", (x,))
        return context.call(name, prepare, (x,), (axis, correction, keepdims))

    return call
