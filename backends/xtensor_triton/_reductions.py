"""Reductions over kernels: sums, products, extremes and their positions, means, variances, truth, counts.

Floating-point sums are gathered in a wider dtype than the elements': float16 and bfloat16 in float32, float32 in
float64; float64 keeps what it rounds away beside the sum. A variance is the mean of squared distances from a mean found
first, which no cancellation spoils.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import triton.language as tl

from . import _rows as kernels
from ._dtypes import BFLOAT16, OPERAND, STORED
from ._fallthrough import Context, Unsuited
from ._layout import MOST_AXES, Rows, element_strides, rows

__all__ = ["functions"]

DType: TypeAlias = "np.dtype[Any]"
Axis: TypeAlias = "int | tuple[int, ...] | None"


class Gathering(NamedTuple):
    """How rows are gathered: see :func:`xtensor_triton._rows.reduce_rows`.

    ``dtype`` is Triton's for an element, ``total`` and ``total_host`` Triton's and NumPy's for what is gathered.
    """

    op: str
    map: str
    identity: float
    dtype: Any
    total: Any
    total_host: DType

    @property
    def compensated(self) -> bool:
        """Whether additions keep what they round away."""
        return self.op == "sum" and self.total_host == np.float64


FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
INT32, INT64, UINT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint64)
TRITON: dict[DType, Any] = {
    FLOAT32: tl.float32,
    FLOAT64: tl.float64,
    INT32: tl.int32,
    INT64: tl.int64,
    UINT64: tl.uint64,
}


def gathers_in(dtype: DType) -> DType:
    """The dtype in which sums and products of a dtype are gathered."""
    kind = _kind(dtype)
    if kind == "f":
        return FLOAT64 if dtype in (FLOAT32, FLOAT64) else FLOAT32
    return UINT64 if kind == "u" else INT64


def summed(dtype: DType) -> DType:
    """The dtype of a sum or product, as the standard says."""
    return dtype if _kind(dtype) == "f" else gathers_in(dtype)


def element(dtype: DType) -> Any:
    """Triton's dtype of an element that is cast to a dtype first."""
    return tl.float16 if dtype == np.float16 else STORED[dtype].dtype


def lowest(dtype: DType, *, largest: bool) -> float:
    """What every element is above, for the largest; or below."""
    if _kind(dtype) == "f":
        return -math.inf if largest else math.inf
    if dtype == np.bool_:
        return 0 if largest else 1
    limits = np.iinfo(dtype)
    return int(limits.min if largest else limits.max)


def _kind(dtype: DType) -> str:
    if dtype not in STORED:
        raise Unsuited(f"computation in {dtype}")
    return STORED[dtype].kind


class Reductions:
    """The launches of one device."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._made: dict[Any, Any] = {}

    def kernel(self, function: Any, types: tuple[Any, ...], constants: Mapping[str, Any]) -> Any:
        """A kernel, made once for each of its forms."""
        variant = (function.__name__, types, tuple(constants.values()))
        found = self._made.get(variant)
        if found is None:
            found = self._made[variant] = self.context.launcher.kernel(function, types, constants)
        return found

    def gather(
        self,
        name: str,
        x: Any,
        layout: Rows,
        how: Gathering,
        out: Any,
        *,
        finish: str = "none",
        divisor: float = 1.0,
        means: Any = None,
    ) -> None:
        """Reduce each row of ``x`` into ``out``, through a table of parts where rows are split."""
        tiling = self.context.tiling(layout)
        if tiling.parts == 1:
            self._launch(name, x, layout, how, out, tiling, finish, divisor, means)
            return
        table = self.context.empty((layout.number, tiling.parts), how.total_host)
        self.gather_parts(name, x, layout, how, table, tiling, means)
        again = rows(table.shape, [(tiling.parts, 1)], (1,))
        plain = how._replace(map="none", dtype=how.total)
        self._launch(name, table, again, plain, out, self.context.whole(again), finish, divisor, None)

    def gather_parts(
        self, name: str, x: Any, layout: Rows, how: Gathering, table: Any, tiling: Any, means: Any = None
    ) -> None:
        """Reduce each part of each row into a table."""
        self._launch(name, x, layout, how, table, tiling, "none", 1.0, means)

    def _launch(
        self,
        name: str,
        x: Any,
        layout: Rows,
        how: Gathering,
        out: Any,
        tiling: Any,
        finish: str,
        divisor: float,
        means: Any,
    ) -> None:
        kept, inner = layout
        integer = "i64" if kept.wide else "i32"
        source, result = STORED[x.dtype], STORED[out.dtype]
        outer_type, inner_type = (integer,) * len(kept.shape), (integer,) * len(inner.shape)
        types = (
            *(result.pointer, source.pointer, None if means is None else STORED[means.dtype].pointer),
            *(integer,) * 4,
            *(OPERAND + "fp64", outer_type, outer_type, inner_type, inner_type),
        )
        constants = {
            "OP": how.op,
            "MAP": how.map,
            "FINISH": finish,
            "IDENTITY": how.identity,
            "COMPENSATE": how.compensated,
            "FORM": source.form,
            "DTYPE": how.dtype,
            "TOTAL": how.total,
            "OUT_FORM": result.form,
            "OUT_DTYPE": element(out.dtype),
            "KEPT": len(kept.shape),
            "INNER": len(inner.shape),
            "WIDE": kept.wide,
            "ROWS": tiling.rows,
            "COLUMNS": tiling.columns,
        }
        pointer = self.context.pointer
        self.context.launch(
            name,
            self.kernel(kernels.reduce_rows, types, constants),
            tiling.programs,
            *(pointer(out), pointer(x), None if means is None else pointer(means)),
            *(layout.number, layout.length, tiling.chunk, tiling.parts, float(divisor)),
            *(kept.shape, kept.strides[0], inner.shape, inner.strides[0]),
        )

    def find(self, name: str, x: Any, layout: Rows, out: Any, *, largest: bool) -> None:
        """The positions of each row's extreme, through tables of parts where rows are split."""
        tiling = self.context.tiling(layout)
        if tiling.parts == 1:
            self._find(name, x, layout, out, None, None, tiling, largest)
            return
        places = self.context.empty((layout.number, tiling.parts), INT64)
        values = self.context.empty(places.shape, FLOAT32 if STORED[x.dtype].dtype == tl.float32 else x.dtype)
        self._find(name, x, layout, places, values, None, tiling, largest)
        again = rows(places.shape, [(tiling.parts, 1)], (1,))
        self._find(name, values, again, out, None, places, self.context.whole(again), largest)

    def _find(
        self, name: str, x: Any, layout: Rows, out: Any, values: Any, places: Any, tiling: Any, largest: bool
    ) -> None:
        kept, inner = layout
        integer = "i64" if kept.wide else "i32"
        source = STORED[x.dtype]
        outer_type, inner_type = (integer,) * len(kept.shape), (integer,) * len(inner.shape)
        types = (
            *("*i64", None if values is None else STORED[values.dtype].pointer, source.pointer),
            None if places is None else "*i64",
            *(integer,) * 4,
            *(outer_type, outer_type, inner_type, inner_type),
        )
        long = kept.wide or places is not None
        constants = {
            "LARGEST": largest,
            "IDENTITY": lowest(x.dtype, largest=largest),
            "NOWHERE": 2**62 if long else 2**31 - 1,
            "PLACED": places is not None,
            "VALUES": values is not None,
            "FORM": source.form,
            "DTYPE": source.dtype,
            "PLACE": tl.int64 if long else tl.int32,
            "KEPT": len(kept.shape),
            "INNER": len(inner.shape),
            "WIDE": kept.wide,
            "ROWS": tiling.rows,
            "COLUMNS": tiling.columns,
        }
        pointer = self.context.pointer
        optional = (None if item is None else pointer(item) for item in (values, places))
        self.context.launch(
            name,
            self.kernel(kernels.find_in_rows, types, constants),
            tiling.programs,
            *(pointer(out), next(optional), pointer(x), next(optional)),
            *(layout.number, layout.length, tiling.chunk, tiling.parts),
            *(kept.shape, kept.strides[0], inner.shape, inner.strides[0]),
        )


# -- functions ----------------------------------------------------------------------------------------------------


def functions(context: Context, storage: Any) -> dict[str, Callable[..., Any]]:
    """The functions by their names; ``storage`` holds those to fall through to."""
    launches = Reductions(context)
    found: dict[str, Callable[..., Any]] = {
        name: _gathered(name, context, launches, getattr(storage, name), how) for name, how in GATHERINGS.items()
    }
    for name, largest in (("argmax", True), ("argmin", False)):
        found[name] = _positions(name, context, launches, getattr(storage, name), largest)
    for name, finish in (("var", "mean"), ("std", "root")):
        found[name] = _spread(name, context, launches, getattr(storage, name), finish)
    return found


def _sum(dtype: DType) -> Gathering:
    total = gathers_in(dtype)
    return Gathering("sum", "none", 0, element(dtype), TRITON[total], total)


def _prod(dtype: DType) -> Gathering:
    return _sum(dtype)._replace(op="prod", identity=1)


def _extreme(dtype: DType, op: str) -> Gathering:
    stored = STORED[dtype]
    host = FLOAT32 if stored.dtype == tl.float32 else np.dtype(np.uint8) if dtype == np.bool_ else dtype
    return Gathering(op, "none", lowest(dtype, largest=op == "max"), stored.dtype, stored.dtype, host)


def _truth(dtype: DType, op: str, total: DType = INT32) -> Gathering:
    return Gathering(op, "truth", 1 if op == "min" else 0, STORED[dtype].dtype, TRITON[total], total)


def _mean(dtype: DType) -> Gathering:
    return _sum(dtype if _kind(dtype) == "f" else FLOAT64)


class Function(NamedTuple):
    """How a reduction gathers elements of a dtype, and the dtype of its result."""

    how: Callable[[DType], Gathering]
    result: Callable[[DType], DType]


GATHERINGS: dict[str, Function] = {
    "sum": Function(_sum, summed),
    "prod": Function(_prod, summed),
    "max": Function(lambda dtype: _extreme(dtype, "max"), lambda dtype: dtype),
    "min": Function(lambda dtype: _extreme(dtype, "min"), lambda dtype: dtype),
    "mean": Function(_mean, lambda dtype: dtype if _kind(dtype) == "f" else FLOAT64),
    "any": Function(lambda dtype: _truth(dtype, "max"), lambda dtype: np.dtype(bool)),
    "all": Function(lambda dtype: _truth(dtype, "min"), lambda dtype: np.dtype(bool)),
    "count_nonzero": Function(lambda dtype: _truth(dtype, "sum", INT64), lambda dtype: INT64),
}


def layout_of(x: Any, axes: tuple[int, ...], *, ordered: bool = False) -> Rows:
    """The rows of an array that kernels go along; :class:`Unsuited` where they do not."""
    if x.dtype not in STORED:
        raise Unsuited(f"an operand of {x.dtype}")
    if not x.size:
        raise Unsuited("no elements")
    strides = element_strides(x)
    if strides is None:
        raise Unsuited("strides that do not fall on elements")
    layout = rows(x.shape, [strides], axes, ordered=ordered)
    if max(len(layout.kept.shape), len(layout.reduced.shape)) > MOST_AXES:
        raise Unsuited(f"more than {MOST_AXES} axes")
    return layout


def _axes(axis: Axis, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple(item % ndim for item in axis) if isinstance(axis, tuple) else (axis % ndim,)


def _result(context: Context, x: Any, axes: tuple[int, ...], dtype: DType) -> Any:
    return context.empty(tuple(length for axis, length in enumerate(x.shape) if axis not in axes), dtype)


def _shaped(out: Any, x: Any, axes: tuple[int, ...], keepdims: bool) -> Any:
    if not keepdims:
        return out
    return out.reshape(tuple(1 if axis in axes else length for axis, length in enumerate(x.shape)))


def _gathered(
    name: str, context: Context, launches: Reductions, fallback: Callable[..., Any], function: Function
) -> Callable[..., Any]:
    takes_dtype = name in ("sum", "prod")

    def reduce(x: Any, *, axis: Axis = None, keepdims: bool = False, dtype: DType | None = None) -> Any:
        x = context.array(x)
        try:
            axes = _axes(axis, x.ndim)
            layout = layout_of(x, axes)
            cast = x.dtype if dtype is None else dtype
            if (cast == np.bool_ and dtype is not None) or (BFLOAT16 in (x.dtype, cast) and cast != x.dtype):
                raise Unsuited(f"elements of {x.dtype} cast to {cast}")
            out = _result(context, x, axes, function.result(x.dtype) if dtype is None else dtype)
            finish, divisor = ("mean", layout.length) if name == "mean" else ("none", 1)
            launches.gather(name, x, layout, function.how(cast), out, finish=finish, divisor=divisor)
        except Unsuited as reason:
            given = {"dtype": dtype} if takes_dtype else {}
            return context.fall_through(name, reason, fallback, (x,), axis=axis, keepdims=keepdims, **given)
        return _shaped(out, x, axes, keepdims)

    return reduce


def _positions(
    name: str, context: Context, launches: Reductions, fallback: Callable[..., Any], largest: bool
) -> Callable[..., Any]:
    def find(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
        x = context.array(x)
        try:
            axes = _axes(axis, x.ndim)
            layout = layout_of(x, axes, ordered=True)
            out = _result(context, x, axes, INT64)
            launches.find(name, x, layout, out, largest=largest)
        except Unsuited as reason:
            return context.fall_through(name, reason, fallback, (x,), axis=axis, keepdims=keepdims)
        return _shaped(out, x, axes, keepdims)

    return find


def _spread(
    name: str, context: Context, launches: Reductions, fallback: Callable[..., Any], finish: str
) -> Callable[..., Any]:
    def reduce(x: Any, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
        x = context.array(x)
        try:
            axes = _axes(axis, x.ndim)
            layout = layout_of(x, axes)
            how = _mean(x.dtype)
            means = _result(context, x, axes, how.total_host)
            launches.gather(name, x, layout, how, means, finish="mean", divisor=layout.length)
            out = _result(context, x, axes, x.dtype if _kind(x.dtype) == "f" else FLOAT64)
            freedom = max(layout.length - correction, 0)
            squares = how._replace(map="squares")
            launches.gather(name, x, layout, squares, out, finish=finish, divisor=freedom, means=means)
        except Unsuited as reason:
            return context.fall_through(
                name, reason, fallback, (x,), axis=axis, correction=correction, keepdims=keepdims
            )
        return _shaped(out, x, axes, keepdims)

    return reduce
