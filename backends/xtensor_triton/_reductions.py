"""Reductions over kernels: sums, products, extremes and their positions, means, variances, truth, counts.

A variance is the mean of squared distances from a mean found first, which no cancellation spoils.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import triton.language as tl

from ._dtypes import BFLOAT16, STORED
from ._fallthrough import Context, Unsuited
from ._gathering import (
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    TRITON,
    Gathering,
    Reductions,
    Steps,
    element,
    gathers_in,
    kind_of,
    lowest,
    multiplies_in,
    summed,
)
from ._layout import MOST_AXES, Rows, element_strides, rows

__all__ = ["check_flag", "functions", "kept"]

DType: TypeAlias = "np.dtype[Any]"
Axis: TypeAlias = "int | tuple[int, ...] | None"

MOST_READY = 256
"""The reductions that are kept for the next operands of the same dtype, shape and strides."""


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
    total = multiplies_in(dtype)
    return Gathering("prod", "none", 1, element(dtype), TRITON[total], total)


def _extreme(dtype: DType, op: str) -> Gathering:
    stored = STORED[dtype]
    host = FLOAT32 if stored.dtype == tl.float32 else np.dtype(np.uint8) if dtype == np.bool_ else dtype
    return Gathering(op, "none", lowest(dtype, largest=op == "max"), stored.dtype, stored.dtype, host)


def _truth(dtype: DType, op: str, total: DType = INT32) -> Gathering:
    return Gathering(op, "truth", 1 if op == "min" else 0, STORED[dtype].dtype, TRITON[total], total)


def _mean(dtype: DType) -> Gathering:
    return _sum(dtype if kind_of(dtype) == "f" else FLOAT64)


class Function(NamedTuple):
    """How a reduction gathers elements of a dtype, and the dtype of its result."""

    how: Callable[[DType], Gathering]
    result: Callable[[DType], DType]


GATHERINGS: dict[str, Function] = {
    "sum": Function(_sum, summed),
    "prod": Function(_prod, summed),
    "max": Function(lambda dtype: _extreme(dtype, "max"), lambda dtype: dtype),
    "min": Function(lambda dtype: _extreme(dtype, "min"), lambda dtype: dtype),
    "mean": Function(_mean, lambda dtype: dtype if kind_of(dtype) == "f" else FLOAT64),
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


class Ready(NamedTuple):
    """A reduction of operands of one dtype, shape and strides: its launches, and the result's shape and dtype."""

    steps: tuple[Steps, ...]
    shape: tuple[int, ...]
    dtype: DType


def kept(ready: dict[Any, Any], key: Any, make: Callable[[], Any]) -> Any:
    """What was made for a key before; a few hundred are kept."""
    found = ready.get(key)
    if found is None:
        if len(ready) >= MOST_READY:
            ready.clear()
        found = ready[key] = make()
    return found


def check_flag(value: Any) -> None:
    """Leave what is no flag to the storage's function, which says so."""
    if value.__class__ is not bool:
        raise Unsuited(f"a flag of {type(value).__name__}")


def _axes(axis: Axis, ndim: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(ndim))
    return tuple(item % ndim for item in axis) if isinstance(axis, tuple) else (axis % ndim,)


def _left(x: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(length for axis, length in enumerate(x.shape) if axis not in axes)


def _shaped(out: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    if not keepdims:
        return out
    axes = _axes(axis, x.ndim)
    return out.reshape(tuple(1 if axis in axes else length for axis, length in enumerate(x.shape)))


def _gathered(
    name: str, context: Context, launches: Reductions, fallback: Callable[..., Any], function: Function
) -> Callable[..., Any]:
    takes_dtype = name in ("sum", "prod")
    found: dict[Any, Ready] = {}

    def prepared(x: Any, axis: Axis, dtype: DType | None) -> Ready:
        axes = _axes(axis, x.ndim)
        layout = layout_of(x, axes)
        cast = x.dtype if dtype is None else dtype
        if (cast == np.bool_ and dtype is not None) or (BFLOAT16 in (x.dtype, cast) and cast != x.dtype):
            raise Unsuited(f"elements of {x.dtype} cast to {cast}")
        result = function.result(x.dtype) if dtype is None else dtype
        finish, divisor = ("mean", layout.length) if name == "mean" else ("none", 1)
        steps = launches.gathering(x.dtype, layout, function.how(cast), result, finish=finish, divisor=divisor)
        return Ready((steps,), _left(x, axes), result)

    def reduce(x: Any, *, axis: Axis = None, keepdims: bool = False, dtype: DType | None = None) -> Any:
        x = context.array(x)
        try:
            check_flag(keepdims)
            ready = kept(found, (x.dtype, x.shape, x.strides, axis, dtype), lambda: prepared(x, axis, dtype))
            out = context.empty(ready.shape, ready.dtype)
            launches.gather(name, ready.steps[0], x, out)
        except Unsuited as reason:
            given = {"dtype": dtype} if takes_dtype else {}
            return context.fall_through(name, reason, fallback, (x,), axis=axis, keepdims=keepdims, **given)
        return _shaped(out, x, axis, keepdims)

    return reduce


def _positions(
    name: str, context: Context, launches: Reductions, fallback: Callable[..., Any], largest: bool
) -> Callable[..., Any]:
    found: dict[Any, Ready] = {}

    def prepared(x: Any, axis: Axis) -> Ready:
        axes = _axes(axis, x.ndim)
        steps = launches.finding(x.dtype, layout_of(x, axes, ordered=True), largest=largest)
        return Ready((steps,), _left(x, axes), INT64)

    def find(x: Any, *, axis: int | None = None, keepdims: bool = False) -> Any:
        x = context.array(x)
        try:
            check_flag(keepdims)
            ready = kept(found, (x.dtype, x.shape, x.strides, axis), lambda: prepared(x, axis))
            out = context.empty(ready.shape, INT64)
            launches.find(name, ready.steps[0], x, out)
        except Unsuited as reason:
            return context.fall_through(name, reason, fallback, (x,), axis=axis, keepdims=keepdims)
        return _shaped(out, x, axis, keepdims)

    return find


def _spread(
    name: str, context: Context, launches: Reductions, fallback: Callable[..., Any], finish: str
) -> Callable[..., Any]:
    found: dict[Any, Ready] = {}

    def prepared(x: Any, axis: Axis, correction: float) -> Ready:
        axes = _axes(axis, x.ndim)
        layout = layout_of(x, axes)
        how = _mean(x.dtype)
        result = x.dtype if kind_of(x.dtype) == "f" else FLOAT64
        means = launches.gathering(x.dtype, layout, how, how.total_host, finish="mean", divisor=layout.length)
        squares = launches.gathering(
            x.dtype,
            layout,
            how._replace(map="squares"),
            result,
            finish=finish,
            divisor=max(layout.length - correction, 0),
            means=how.total_host,
        )
        return Ready((means, squares), _left(x, axes), result)

    def reduce(x: Any, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Any:
        x = context.array(x)
        try:
            check_flag(keepdims)
            if correction.__class__ not in (int, float) or abs(correction) >= 2**63:
                raise Unsuited(f"the correction {correction!r}")
            key = (x.dtype, x.shape, x.strides, axis, correction)
            ready = kept(found, key, lambda: prepared(x, axis, correction))
            means = context.empty(ready.shape, _mean(x.dtype).total_host)
            out = context.empty(ready.shape, ready.dtype)
            launches.gather(name, ready.steps[0], x, means)
            launches.gather(name, ready.steps[1], x, out, means)
        except Unsuited as reason:
            return context.fall_through(
                name, reason, fallback, (x,), axis=axis, correction=correction, keepdims=keepdims
            )
        return _shaped(out, x, axis, keepdims)

    return reduce
