"""Launches along rows: reductions and positions of extrema, in one launch or in two.

Sums are accumulated in a wider dtype than that of the elements: float16 and bfloat16 in float32, float32 in float64;
sums of float64 are compensated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import triton.language as tl

from ..kernels.reductions import combination, identity_element
from . import _row_kernels as kernels
from ._context import Array, Builder, Context, Unsuited
from ._dtypes import FLOAT32, FLOAT64, INT64, KERNEL_DTYPES, UINT64, UNSPECIALIZED, DType, result_constants
from ._layout import MAX_AXES, Rows, element_strides, rows
from ._tiling import ACCUMULATORS, ADJACENT_ROWS, RowTiling, Tiling, sequential_tiling

__all__ = [
    "Reduction",
    "arg_extremum",
    "deviations",
    "kind_of",
    "layout_of",
    "product_dtype",
    "reduce",
    "reduce_parts",
    "reduce_table",
    "reduction_tiling",
    "result_dtype",
    "row_arguments",
    "row_constants",
    "row_types",
    "strides_of",
    "sum_dtype",
]

IN_ORDER_LIMIT = 1024
"""Products of at most this many floating-point factors are multiplied in order, as NumPy does: the result of a product
that overflows or underflows on the way, and then meets 0 or infinity, depends on the order.
"""

COMBINATIONS = frozenset(("add", "maximum", "minimum", "multiply"))
"""The operations by which ``reduce_tile`` combines numbers: Triton takes no function from a constant of a kernel."""


class Reduction(NamedTuple):
    """How rows are reduced: see :func:`xtensor_backends.triton._row_kernels.reduce_rows`.

    Attributes
    ----------
    op
        The name of a reduction of the elements, such as ``"sum"``.
    identity
        The identity element of ``op``.
    dtype
        The Triton dtype that elements are read as.
    accumulate
        The dtype that partial results are accumulated in.
    map
        The function of each element that is reduced: ``"none"`` or ``"truth"``.
    scales
        Whether sums and squares of elements leave the range of ``accumulate``: means and deviations are then computed
        from elements divided by a power of two.
    """

    op: str
    identity: float
    dtype: Any
    accumulate: DType
    map: str = "none"
    scales: bool = False

    @property
    def accumulate_in(self) -> Any:
        """The Triton dtype of partial results."""
        return KERNEL_DTYPES[self.accumulate].compute

    @property
    def combine(self) -> str:
        """The operation that combines two partial results."""
        name = combination(self.op)
        if name not in COMBINATIONS:
            raise Unsuited(f"no kernel combines numbers by {name}")
        return name

    @property
    def compensate(self) -> bool:
        """Whether the rounding errors of a sum are added at the end: of numbers that are no narrower than the sum."""
        return self.combine == "add" and self.accumulate == FLOAT64 and self.dtype == tl.float64

    @property
    def of_partial_results(self) -> Reduction:
        """The reduction of partial results."""
        return self._replace(map="none", dtype=self.accumulate_in)


def kind_of(dtype: DType) -> str:
    """Return the kind of a dtype; raise :class:`Unsuited` if no kernel supports it."""
    if dtype not in KERNEL_DTYPES:
        raise Unsuited(f"no kernel supports {dtype}")
    return KERNEL_DTYPES[dtype].kind


def sum_dtype(dtype: DType) -> DType:
    """Accumulate dtype of sums."""
    kind = kind_of(dtype)
    if kind == "f":
        return FLOAT64 if dtype in (FLOAT32, FLOAT64) else FLOAT32
    return UINT64 if kind == "u" else INT64


def product_dtype(dtype: DType) -> DType:
    """Accumulate dtype of products: float32 stays float32, so that products overflow as the result's dtype does."""
    return FLOAT32 if dtype == FLOAT32 else sum_dtype(dtype)


def result_dtype(dtype: DType) -> DType:
    """Dtype of a sum or product by the standard."""
    return dtype if kind_of(dtype) == "f" else sum_dtype(dtype)


def strides_of(x: Any, shape: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Return strides in elements, broadcast to a shape; raise :class:`Unsuited` if no kernel supports the array."""
    kind_of(x.dtype)
    strides = element_strides(x, shape)
    if strides is None:
        raise Unsuited("a stride is no multiple of the item size")
    return strides


def layout_of(x: Any, axes: tuple[int, ...], *others: tuple[int, ...], ordered: bool = False) -> Rows:
    """Return an array as rows along axes, together with ``others``, the strides of arrays of the same shape."""
    strides = strides_of(x)
    if not x.size:
        raise Unsuited("there are no elements")
    layout = rows(x.shape, [strides, *others], axes, ordered=ordered)
    if max(len(layout.outer.shape), len(layout.inner.shape)) > MAX_AXES:
        raise Unsuited(f"the operand has more than {MAX_AXES} axes after merging")
    return layout


# -- the arguments of all kernels along rows ----------------------------------------------------------------------


def row_types(layout: Rows) -> tuple[str, tuple[Any, ...]]:
    """Return the type of integers, and the types of :func:`row_arguments`."""
    integer = "i64" if layout.outer.offsets_64 else "i32"
    outer, inner = (integer,) * len(layout.outer.shape), (integer,) * len(layout.inner.shape)
    return integer, (outer, outer, inner, inner)


def row_arguments(layout: Rows) -> tuple[Any, ...]:
    """Return the axes of rows and within rows: shape and strides of each."""
    outer, inner = layout
    return outer.shape, outer.strides[0], inner.shape, inner.strides[0]


def row_constants(layout: Rows, tiling: Tiling | RowTiling) -> dict[str, Any]:
    """Return the constants for the axes and the tiles."""
    outer, inner = layout
    axes = {"OUTER": len(outer.shape), "INNER": len(inner.shape), "OFFSETS_64": outer.offsets_64}
    return {**axes, "ROWS": tiling.rows, "COLUMNS": tiling.columns}


# -- reductions ---------------------------------------------------------------------------------------------------


def reduce(
    builder: Builder, x: Array, layout: Rows, how: Reduction, out: Array, *, divisor: float | None = None
) -> None:
    """Add the launches that reduce each row of ``x``; split rows need a second launch over their partial results.

    With a divisor, the result is a mean: partial results are divided as well, so that they do not leave the range.
    """
    tiling = reduction_tiling(builder.context, layout, how)
    if tiling.parts > 1:
        table = builder.scratch((layout.number, tiling.parts), how.accumulate)
        _reduce_rows(builder, x, layout, how, table, tiling, divisor)
        reduce_table(builder, table, (layout.number, tiling.parts), how, out)
    else:
        _reduce_rows(builder, x, layout, how, out, tiling, divisor)


def deviations(
    builder: Builder, x: Array, layout: Rows, how: Reduction, means: Array, out: Array, *, divisor: float, finish: str
) -> None:
    """Add the launches that compute the variance (``finish`` is ``"mean"``) or standard deviation (``"root"``) of rows.

    Parts of rows need a second launch over the roots of their sums of squares.
    """
    tiling = reduction_tiling(builder.context, layout, how)
    scalars = (divisor, layout.length)
    if tiling.parts == 1:
        _deviation_rows(builder, (out, None, x, None, means), layout, how, tiling, scalars, finish)
        return
    shape = (layout.number, tiling.parts)
    roots, drifts = (builder.scratch(shape, how.accumulate) for _ in range(2))
    _deviation_rows(builder, (roots, drifts, x, None, means), layout, how, tiling, scalars, "part")
    table = rows(shape, [(tiling.parts, 1)], (1,))
    arrays = (out, None, roots, drifts, None)
    unsplit = builder.context.unsplit_tiling(table)
    _deviation_rows(builder, arrays, table, how.of_partial_results, unsplit, scalars, finish)


def reduction_tiling(context: Context, layout: Rows, *reductions: Reduction) -> Tiling:
    """Return the distribution of rows over programs that compute one or more reductions of them."""
    is_short = layout.length <= IN_ORDER_LIMIT
    in_order = {is_short and how.combine == "multiply" and kind_of(how.accumulate) == "f" for how in reductions}
    if len(in_order) != 1:
        raise Unsuited("the reductions are computed in different orders")
    if in_order == {True}:
        return sequential_tiling(layout.number, layout.length)
    # A program keeps one number for each element of its tile and each reduction, and a compensated sum two.
    numbers = sum(1 + how.compensate for how in reductions)
    return context.tiling(layout, tile=max(ACCUMULATORS >> (numbers - 1).bit_length(), ADJACENT_ROWS))


def reduce_table(builder: Builder, table: Array, shape: tuple[int, int], how: Reduction, out: Array) -> None:
    """Add the launch that reduces each row of a table of partial results."""
    _, parts = shape
    layout = rows(shape, [(parts, 1)], (1,))
    tiling = builder.context.unsplit_tiling(layout)
    _reduce_rows(builder, table, layout, how.of_partial_results, out, tiling)


def reduce_parts(builder: Builder, x: Array, layout: Rows, how: Reduction, tiling: Tiling) -> Array:
    """Add the launch that reduces each part of each row, and return the table of partial results."""
    table = builder.scratch((layout.number, tiling.parts), how.accumulate)
    _reduce_rows(builder, x, layout, how, table, tiling)
    return table


def _reduce_rows(
    builder: Builder,
    x: Array,
    layout: Rows,
    how: Reduction,
    out: Array,
    tiling: Tiling,
    divisor: float | None = None,
) -> None:
    is_mean = divisor is not None
    constants = {"OP": how.combine, "MAP": how.map, "IS_MEAN": is_mean, "SCALES": is_mean and how.scales}
    constants |= {"IDENTITY": how.identity, **_constants(builder, x, layout, how, out, tiling)}
    integer, axes = row_types(layout)
    types = (*(integer,) * 4, UNSPECIALIZED + "fp64", *axes)
    scalars = (layout.number, layout.length, tiling.chunk, tiling.parts, float(divisor or 1))
    arguments = (*scalars, *row_arguments(layout))
    builder.launch(kernels.reduce_rows, (out, x), types, constants, tiling.programs, arguments, warps=tiling.warps)


def _deviation_rows(
    builder: Builder,
    arrays: tuple[Array | None, ...],
    layout: Rows,
    how: Reduction,
    tiling: Tiling,
    scalars: tuple[float, float],
    finish: str,
) -> None:
    """Add a launch of deviations; ``arrays`` are the first arguments of the kernel."""
    out, _, x, *_ = arrays
    assert out is not None
    assert x is not None
    limits = np.finfo(how.accumulate)
    constants = {
        "FINISH": finish,
        "SCALES": how.scales,
        "LEAST": float(limits.smallest_normal / limits.eps),
        "TOLERANCE": float(16 * limits.eps),
    }
    constants |= _constants(builder, x, layout, how, out, tiling)
    integer, axes = row_types(layout)
    types = (*(integer,) * 4, *(UNSPECIALIZED + "fp64",) * 2, *axes)
    integers = (layout.number, layout.length, tiling.chunk, tiling.parts)
    arguments = (*integers, *map(float, scalars), *row_arguments(layout))
    builder.launch(kernels.deviation_rows, arrays, types, constants, tiling.programs, arguments, warps=tiling.warps)


def _constants(builder: Builder, x: Array, layout: Rows, how: Reduction, out: Array, tiling: Tiling) -> dict[str, Any]:
    """Return the constants for dtypes and tiles."""
    # A launch over two axes of the grid has programs beyond the last row.
    exact = not (layout.number % tiling.rows or layout.length % tiling.chunk or tiling.chunk % tiling.columns)
    return {
        "COMPENSATE": how.compensate,
        "ENCODING": KERNEL_DTYPES[x.dtype].encoding,
        "DTYPE": how.dtype,
        "ACCUMULATE_DTYPE": how.accumulate_in,
        "EXACT": exact and tiling.programs <= builder.context.launcher.longest_axis,
        **result_constants(out.dtype),
        **row_constants(layout, tiling),
    }


# -- positions of extrema -----------------------------------------------------------------------------------------


def arg_extremum(builder: Builder, x: Array, layout: Rows, out: Array, op: str) -> None:
    """Add the launches that find the index of the ``"max"`` or ``"min"`` of each row."""
    context = builder.context
    tiling = context.tiling(layout)
    indices = None
    if tiling.parts > 1:
        table = (layout.number, tiling.parts)
        values = builder.scratch(table, FLOAT32 if KERNEL_DTYPES[x.dtype].compute == tl.float32 else x.dtype)
        indices = builder.scratch(table, INT64)
        _arg_extremum_rows(builder, x, None, layout, indices, values, tiling, op)
        layout = rows(table, [(tiling.parts, 1)], (1,))
        x, tiling = values, context.unsplit_tiling(layout)
    _arg_extremum_rows(builder, x, indices, layout, out, None, tiling, op)


def _arg_extremum_rows(
    builder: Builder,
    x: Array,
    indices: Array | None,
    layout: Rows,
    out: Array,
    out_values: Array | None,
    tiling: Tiling,
    op: str,
) -> None:
    integer, axes = row_types(layout)
    stored = KERNEL_DTYPES[x.dtype]
    indices_64 = layout.outer.offsets_64 or indices is not None
    constants = {
        "LARGEST": op == "max",
        "IDENTITY": identity_element(op, x.dtype),
        "INVALID_INDEX": 2**62 if indices_64 else 2**31 - 1,
        "HAS_INDICES": indices is not None,
        "STORE_VALUES": out_values is not None,
        "ENCODING": stored.encoding,
        "DTYPE": stored.compute,
        "INDEX_DTYPE": tl.int64 if indices_64 else tl.int32,
        **row_constants(layout, tiling),
    }
    arrays = (out, out_values, x, indices)
    arguments = (layout.number, layout.length, tiling.chunk, tiling.parts, *row_arguments(layout))
    types = (*(integer,) * 4, *axes)
    builder.launch(kernels.arg_extremum_rows, arrays, types, constants, tiling.programs, arguments, warps=tiling.warps)
