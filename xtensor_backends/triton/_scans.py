"""Cumulative sums and products.

A long row is split into parts: one launch reduces each part, a second one scans the partial results, and a third scans
the elements of all parts at once, each part starting from the result of those before it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _row_kernels as kernels
from ._context import Array, Builder, Context, Ready
from ._dtypes import KERNEL_DTYPES, DType, cast_dtype, result_constants
from ._layout import Rows, dense_strides, rows
from ._reductions import check_cast
from ._row_launches import Reduction, layout_of, product_dtype, reduce_parts, result_dtype, sum_dtype
from ._tiling import SCANNING_PROGRAMS, Tiling

__all__ = ["functions"]


def functions(context: Context) -> dict[str, Callable[..., Any]]:
    """Return the scans of a device by name."""
    return {
        "cumulative_sum": _scan("cumulative_sum", context, "sum"),
        "cumulative_prod": _scan("cumulative_prod", context, "prod"),
    }


def _scan(name: str, context: Context, op: str) -> Callable[..., Any]:
    def prepare(operands: tuple[Any], axis: int, dtype: DType | None, include_initial: bool) -> Ready:
        (x,) = operands
        cast = check_cast(x.dtype, dtype)
        identity, accumulate = (0, sum_dtype(cast)) if op == "sum" else (1, product_dtype(cast))
        how = Reduction(op, identity, cast_dtype(cast), accumulate)
        axis %= x.ndim
        shape = tuple(length + (item == axis and include_initial) for item, length in enumerate(x.shape))
        strides = dense_strides(shape)
        layout = layout_of(x, (axis,), strides)
        result = result_dtype(x.dtype) if dtype is None else dtype
        builder = Builder(context, 1)
        source, out = Array(1, x.dtype), Array(0, result)
        tiling = context.tiling(layout, limit=SCANNING_PROGRAMS)
        _scan_rows(builder, source, layout, how, out, strides[axis], include_initial, tiling)
        return builder.ready(shape, result)

    def call(x: Any, *, axis: int, dtype: DType | None = None, include_initial: bool = False) -> Any:
        if include_initial.__class__ is not bool:
            return context.decline(name, f"include_initial is {include_initial!r}", (x,))
        return context.call(name, prepare, (x,), (axis, dtype, include_initial))

    return call


def _scan_rows(
    builder: Builder,
    x: Array,
    layout: Rows,
    how: Reduction,
    out: Array,
    out_stride: int,
    initial: bool,
    tiling: Tiling,
) -> None:
    """Add the launches that scan each row of ``x``.

    The strides of ``out`` are the second of ``layout``, and ``out_stride`` along a row. With ``initial``, each row of
    the result begins with the identity element.
    """
    outer, inner = layout
    carries = None
    if tiling.parts > 1:
        table = (layout.number, tiling.parts)
        carries_shape = (layout.number, tiling.parts + 1)
        parts = reduce_parts(builder, x, layout, how, tiling)
        carries = builder.scratch(carries_shape, how.accumulate)
        parts_layout = rows(table, [dense_strides(table), dense_strides(carries_shape)], (1,))
        unsplit = builder.context.unsplit_tiling(parts_layout)
        _scan_rows(builder, parts, parts_layout, how.of_partial_results, carries, 1, True, unsplit)
    integer = "i64" if outer.offsets_64 else "i32"
    axes = (integer,) * len(outer.shape)
    constants = {
        "OP": how.op,
        "IDENTITY": how.identity,
        "HAS_CARRIES": carries is not None,
        "SHIFT": int(initial),
        "ENCODING": KERNEL_DTYPES[x.dtype].encoding,
        "DTYPE": how.dtype,
        "ACCUMULATE_DTYPE": how.accumulate_in,
        **result_constants(out.dtype),
        "OUTER": len(outer.shape),
        "OFFSETS_64": outer.offsets_64,
        "ROWS": tiling.rows,
        "COLUMNS": tiling.columns,
    }
    types = (*(integer,) * 4, axes, axes, axes, integer, integer)
    rows_of = (outer.shape, *outer.strides, inner.strides[0][0], out_stride)
    arguments = (layout.number, layout.length, tiling.chunk, tiling.parts, *rows_of)
    builder.launch(
        kernels.scan_rows, (out, x, carries), types, constants, tiling.programs, arguments, warps=tiling.warps
    )
