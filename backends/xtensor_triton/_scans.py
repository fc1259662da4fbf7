"""Cumulative sums and products over kernels.

A long row is split: a first launch gathers each part, a second one scans what they found, and a third scans the
elements of all parts at once, each from where the parts before it end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from . import _rows as kernels
from ._dtypes import BFLOAT16, STORED
from ._fallthrough import Context, Unsuited
from ._gathering import TRITON, Gathering, Reductions, Stage, element, gathers_in, multiplies_in, summed
from ._layout import MOST_AXES, Rows, dense_strides, element_strides, rows
from ._reductions import check_flag, kept
from ._tiling import Tiling

__all__ = ["functions"]

DType: TypeAlias = "np.dtype[Any]"


def functions(context: Context, storage: Any) -> dict[str, Callable[..., Any]]:
    """The functions by their names; ``storage`` holds those to fall through to."""
    launches = Reductions(context)
    return {
        name: _cumulative(name, context, launches, getattr(storage, name), op, identity)
        for name, op, identity in (("cumulative_sum", "sum", 0), ("cumulative_prod", "prod", 1))
    }


class Scan(NamedTuple):
    """The launches of a scan; where rows are split, ``parts`` gathers a table, and ``carries`` scans that first."""

    stage: Stage
    shape: tuple[int, ...]
    dtype: DType
    parts: Stage | None = None
    table: tuple[int, int] | None = None
    carries: Scan | None = None


def _cumulative(
    name: str, context: Context, launches: Reductions, fallback: Callable[..., Any], op: str, identity: int
) -> Callable[..., Any]:
    found: dict[Any, Scan] = {}

    def prepared(x: Any, axis: int, dtype: DType | None, initial: bool) -> Scan:
        if x.dtype not in STORED or not x.size:
            raise Unsuited(f"an operand of {x.dtype}" if x.size else "no elements")
        cast = x.dtype if dtype is None else dtype
        if cast not in STORED or dtype == np.bool_ or (BFLOAT16 in (x.dtype, cast) and cast != x.dtype):
            raise Unsuited(f"elements of {x.dtype} cast to {cast}")
        total = gathers_in(cast) if op == "sum" else multiplies_in(cast)
        how = Gathering(op, "none", identity, element(cast), TRITON[total], total)
        axis %= x.ndim
        shape = tuple(length + (place == axis and initial) for place, length in enumerate(x.shape))
        strides = element_strides(x)
        if strides is None:
            raise Unsuited("strides that do not fall on elements")
        steps = dense_strides(shape)
        layout = rows(x.shape, [strides, steps], (axis,))
        if len(layout.kept.shape) > MOST_AXES:
            raise Unsuited(f"more than {MOST_AXES} axes")
        result = summed(x.dtype) if dtype is None else dtype
        return _scanning(launches, x.dtype, layout, how, result, initial, context.tiling(layout), shape, steps[axis])

    def scan(x: Any, *, axis: int, dtype: DType | None = None, include_initial: bool = False) -> Any:
        x = context.array(x)
        try:
            check_flag(include_initial)
            key = (x.dtype, x.shape, x.strides, axis, dtype, include_initial)
            ready: Scan = kept(found, key, lambda: prepared(x, axis, dtype, include_initial))
            return _scan(name, launches, ready, x)
        except Unsuited as reason:
            options = {"axis": axis, "dtype": dtype, "include_initial": include_initial}
            return context.fall_through(name, reason, fallback, (x,), **options)

    return scan


def _scan(name: str, launches: Reductions, ready: Scan, x: Any) -> Any:
    """Launch what is ready, the parts and what stands before them first."""
    empty = launches.context.empty
    carries = None
    if ready.parts is not None and ready.carries is not None:
        table = empty(ready.table, ready.carries.dtype)
        launches.launch(name, ready.parts, table, x, None)
        carries = _scan(name, launches, ready.carries, table)
    out = empty(ready.shape, ready.dtype)
    launches.launch(name, ready.stage, out, x, carries)
    return out


def _scanning(
    launches: Reductions,
    source: DType,
    layout: Rows,
    how: Gathering,
    out: DType,
    initial: bool,
    tiling: Tiling,
    shape: tuple[int, ...],
    out_step: int,
) -> Scan:
    """The launches that scan rows into a dense result of a shape, whose elements along a row are ``out_step`` apart."""
    kept, inner = layout
    split = tiling.parts > 1
    integer = "i64" if kept.wide else "i32"
    stored, result = STORED[source], STORED[out]
    axes = (integer,) * len(kept.shape)
    types = (
        *(result.pointer, stored.pointer, STORED[how.total_host].pointer if split else None),
        *(integer,) * 4,
        *(axes, axes, axes, integer, integer),
    )
    constants = {
        "OP": how.op,
        "IDENTITY": how.identity,
        "CARRIED": split,
        "SHIFT": int(initial),
        "FORM": stored.form,
        "DTYPE": how.dtype,
        "TOTAL": how.total,
        "OUT_FORM": result.form,
        "OUT_DTYPE": element(out),
        "KEPT": len(kept.shape),
        "WIDE": kept.wide,
        "ROWS": tiling.rows,
        "COLUMNS": tiling.columns,
    }
    arguments = (
        *(layout.number, layout.length, tiling.chunk, tiling.parts),
        *(kept.shape, kept.strides[0], kept.strides[1], inner.strides[0][0], out_step),
    )
    stage = launches.stage(kernels.scan_rows, types, constants, tiling.programs, arguments)
    if not split:
        return Scan(stage, shape, out)
    table, wider = (layout.number, tiling.parts), (layout.number, tiling.parts + 1)
    again = rows(table, [dense_strides(table), dense_strides(wider)], (1,))
    plain = how._replace(dtype=how.total)
    whole = launches.context.whole(again)
    carries = _scanning(launches, how.total_host, again, plain, how.total_host, True, whole, wider, 1)
    return Scan(stage, shape, out, launches.parts(source, layout, how, tiling), table, carries)
