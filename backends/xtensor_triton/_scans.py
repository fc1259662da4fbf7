"""Cumulative sums and products over kernels.

A long row is split: a first launch gathers each part, a second one scans what they found, and a third scans the
elements of all parts at once, each from where the parts before it end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from . import _rows as kernels
from ._dtypes import BFLOAT16, STORED
from ._fallthrough import Context, Unsuited
from ._layout import MOST_AXES, Rows, element_strides, rows
from ._reductions import TRITON, Gathering, Reductions, element, gathers_in, summed

__all__ = ["functions"]

DType: TypeAlias = "np.dtype[Any]"


def functions(context: Context, storage: Any) -> dict[str, Callable[..., Any]]:
    """The functions by their names; ``storage`` holds those to fall through to."""
    launches = Reductions(context)
    return {
        name: _cumulative(name, context, launches, getattr(storage, name), op, identity)
        for name, op, identity in (("cumulative_sum", "sum", 0), ("cumulative_prod", "prod", 1))
    }


def _cumulative(
    name: str, context: Context, launches: Reductions, fallback: Callable[..., Any], op: str, identity: int
) -> Callable[..., Any]:
    def scan(x: Any, *, axis: int, dtype: DType | None = None, include_initial: bool = False) -> Any:
        x = context.array(x)
        try:
            if x.dtype not in STORED or not x.size:
                raise Unsuited(f"an operand of {x.dtype}" if x.size else "no elements")
            cast = x.dtype if dtype is None else dtype
            if cast not in STORED or dtype == np.bool_ or (BFLOAT16 in (x.dtype, cast) and cast != x.dtype):
                raise Unsuited(f"elements of {x.dtype} cast to {cast}")
            total = gathers_in(cast)
            how = Gathering(op, "none", identity, element(cast), TRITON[total], total)
            axis %= x.ndim
            shape = tuple(length + (place == axis and include_initial) for place, length in enumerate(x.shape))
            out = context.empty(shape, summed(x.dtype) if dtype is None else dtype)
            strides, into = element_strides(x), element_strides(out)
            if strides is None or into is None:
                raise Unsuited("strides that do not fall on elements")
            layout = rows(x.shape, [strides, into], (axis,))
            if len(layout.kept.shape) > MOST_AXES:
                raise Unsuited(f"more than {MOST_AXES} axes")
            _scan(name, launches, x, layout, how, out, include_initial, context.tiling(layout))
        except Unsuited as reason:
            options = {"axis": axis, "dtype": dtype, "include_initial": include_initial}
            return context.fall_through(name, reason, fallback, (x,), **options)
        return out

    return scan


def _scan(
    name: str, launches: Reductions, x: Any, layout: Rows, how: Gathering, out: Any, initial: bool, tiling: Any
) -> None:
    context = launches.context
    carries = None
    if tiling.parts > 1:
        found = context.empty((layout.number, tiling.parts), how.total_host)
        launches.gather_parts(name, x, layout, how, found, tiling)
        carries = context.empty((layout.number, tiling.parts + 1), how.total_host)
        again = rows(found.shape, [(tiling.parts, 1), (tiling.parts + 1, 1)], (1,))
        plain = how._replace(dtype=how.total)
        _scan(name, launches, found, again, plain, carries, True, context.whole(again))
    kept, inner = layout
    integer = "i64" if kept.wide else "i32"
    source, result = STORED[x.dtype], STORED[out.dtype]
    axes = (integer,) * len(kept.shape)
    types = (
        *(result.pointer, source.pointer, None if carries is None else STORED[how.total_host].pointer),
        *(integer,) * 4,
        *(axes, axes, axes, integer, integer),
    )
    constants = {
        "OP": how.op,
        "IDENTITY": how.identity,
        "CARRIED": carries is not None,
        "SHIFT": int(initial),
        "FORM": source.form,
        "DTYPE": how.dtype,
        "TOTAL": how.total,
        "OUT_FORM": result.form,
        "OUT_DTYPE": element(out.dtype),
        "KEPT": len(kept.shape),
        "WIDE": kept.wide,
        "ROWS": tiling.rows,
        "COLUMNS": tiling.columns,
    }
    pointer = context.pointer
    context.launch(
        name,
        launches.kernel(kernels.scan_rows, types, constants),
        tiling.programs,
        *(pointer(out), pointer(x), None if carries is None else pointer(carries)),
        *(layout.number, layout.length, tiling.chunk, tiling.parts),
        *(kept.shape, kept.strides[0], kept.strides[1], inner.strides[0][0], inner.strides[1][0]),
    )
