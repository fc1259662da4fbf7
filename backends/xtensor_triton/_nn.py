"""Functions of neural networks over kernels that go along rows: softmax, normalisations, cross entropy, rotation.

What no kernel takes is left to the core, which computes it in terms of the other functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from . import _nn_kernels as kernels
from ._dtypes import OPERAND, STORED
from ._fallthrough import Context, Unsuited, left
from ._gathering import Reductions, Stage, element, kind_of
from ._layout import MOST_AXES, Rows, dense_strides, element_strides, iteration, rows
from ._reductions import kept
from ._tiling import Fused

__all__ = ["functions", "matching", "strides_of"]

DType: TypeAlias = "np.dtype[Any]"


def functions(context: Context, found: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The functions by their names; ``found`` holds the device's other kernels."""
    launches = Reductions(context)
    return {
        "nn.softmax": _softmax("softmax", launches, log=False),
        "nn.log_softmax": _softmax("log_softmax", launches, log=True),
        "nn.layer_norm": _normalization("layer_norm", launches, centre=True),
        "nn.rms_norm": _normalization("rms_norm", launches, centre=False),
        "nn.cross_entropy": _cross_entropy(launches, found),
        "nn.rotary_embedding": _rotary_embedding(launches),
    }


class Ready(NamedTuple):
    """A launch, and the shape and dtype of what it makes."""

    stage: Stage
    shape: tuple[int, ...]
    dtype: DType


def strides_of(x: Any, shape: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """An operand's strides in elements; :class:`Unsuited` where no kernel takes it."""
    if kind_of(x.dtype) != "f":
        raise Unsuited(f"an operand of {x.dtype}")
    found = element_strides(x, shape)
    if found is None:
        raise Unsuited("strides that do not fall on elements")
    return found


def matching(x: Any, *others: Any) -> None:
    """Leave operands of several dtypes to the core."""
    for other in others:
        if other is not None and other.dtype != x.dtype:
            raise Unsuited(f"operands of {x.dtype} and {other.dtype}")


def _dense(context: Context, *arrays: Any) -> None:
    for array in arrays:
        if array is not None and not context.contiguous(array):
            raise Unsuited("a parameter that is not one run of elements")


def _by_rows(x: Any, axes: tuple[int, ...], strides: list[tuple[int, ...]]) -> Rows:
    """Rows along axes, in their order; :class:`Unsuited` where there is nothing to do, or there are too many axes."""
    if not x.size:
        raise Unsuited("no elements")
    layout = rows(x.shape, strides, axes, ordered=True)
    if max(len(layout.kept.shape), len(layout.reduced.shape)) > MOST_AXES:
        raise Unsuited(f"more than {MOST_AXES} axes")
    return layout


def _prepared(
    launches: Reductions,
    kernel: Any,
    source: DType,
    layout: Rows,
    pointers: tuple[str | None, ...],
    numbers: tuple[tuple[str, float], ...],
    constants: dict[str, Any],
    *,
    elements: bool,
) -> Stage:
    """A launch along rows. ``elements``: the result has an element for each one of a row, else one for the row."""
    kept_axes, inner = layout
    integer = "i64" if kept_axes.wide else "i32"
    stored = STORED[source]
    outer_type, inner_type = (integer,) * len(kept_axes.shape), (integer,) * len(inner.shape)
    tiling: Fused = launches.context.fused(layout, _wide(source).itemsize)
    types = (
        *(stored.pointer if elements else STORED[_wide(source)].pointer, stored.pointer, *pointers),
        *(integer, integer, *(OPERAND + kind for kind, _ in numbers)),
        *(outer_type, outer_type, inner_type, inner_type),
        *((outer_type, inner_type) if elements else (outer_type,)),
    )
    into = {"OUT_FORM": stored.form, "OUT_DTYPE": element(source)} if elements else {}
    constants = {
        **constants,
        "WHOLE": tiling.whole,
        "FORM": stored.form,
        "DTYPE": stored.dtype,
        **into,
        "KEPT": len(kept_axes.shape),
        "INNER": len(inner.shape),
        "WIDE": kept_axes.wide,
        "ROWS": tiling.rows,
        "COLUMNS": tiling.columns,
    }
    arguments = (
        *(layout.number, layout.length, *(value for _, value in numbers)),
        *(kept_axes.shape, kept_axes.strides[0], inner.shape, inner.strides[0]),
        *((kept_axes.strides[1], inner.strides[1]) if elements else (kept_axes.strides[1],)),
    )
    return launches.stage(kernel, types, constants, tiling.programs, arguments, warps=tiling.warps)


def _wide(dtype: DType) -> DType:
    """The dtype that losses are gathered in."""
    return dtype if dtype.itemsize > 2 else np.dtype(np.float32)


def _softmax(name: str, launches: Reductions, *, log: bool) -> Callable[..., Any]:
    context = launches.context
    found: dict[Any, Ready] = {}

    def prepared(x: Any, axis: int) -> Ready:
        layout = _by_rows(x, (axis,), [strides_of(x), dense_strides(x.shape)])
        stage = _prepared(launches, kernels.softmax_rows, x.dtype, layout, (), (), {"LOG": log}, elements=True)
        return Ready(stage, x.shape, x.dtype)

    def softmax(x: Any, *, axis: int) -> Any:
        x = context.array(x)
        try:
            ready = kept(found, (x.dtype, x.shape, x.strides, axis), lambda: prepared(x, axis))
            out = context.empty(ready.shape, ready.dtype)
            launches.launch(name, ready.stage, out, x)
        except Unsuited as reason:
            return context.fall_through(name, reason, left, (x,), axis=axis)
        return out

    return softmax


def _normalization(name: str, launches: Reductions, *, centre: bool) -> Callable[..., Any]:
    context = launches.context
    found: dict[Any, Ready] = {}

    def prepared(x: Any, weight: Any, bias: Any, axes: tuple[int, ...], eps: float) -> Ready:
        layout = _by_rows(x, axes, [strides_of(x), dense_strides(x.shape)])
        matching(x, weight, bias)
        pointers = tuple(None if parameter is None else STORED[x.dtype].pointer for parameter in (weight, bias))
        stage = _prepared(
            launches,
            kernels.normalize_rows,
            x.dtype,
            layout,
            pointers,
            (("fp64", eps),),
            {"CENTRE": centre},
            elements=True,
        )
        return Ready(stage, x.shape, x.dtype)

    def normalize(x: Any, weight: Any, bias: Any = None, *, axes: tuple[int, ...], eps: float) -> Any:
        x = context.array(x)
        try:
            _dense(context, weight, bias)
            given = tuple(None if parameter is None else parameter.dtype for parameter in (weight, bias))
            key = (x.dtype, x.shape, x.strides, given, axes, eps)
            ready = kept(found, key, lambda: prepared(x, weight, bias, axes, eps))
            out = context.empty(ready.shape, ready.dtype)
            launches.launch(name, ready.stage, out, x, weight, bias)
        except Unsuited as reason:
            return context.fall_through(name, reason, left, (x, weight), axes=axes, eps=eps)
        return out

    return normalize


def _cross_entropy(launches: Reductions, functions: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    context = launches.context
    found: dict[Any, Ready] = {}

    def prepared(x: Any, target: Any, smoothing: float, ignored: int | None) -> Ready:
        if target.dtype not in STORED:
            raise Unsuited(f"classes of {target.dtype}")
        steps = element_strides(target)
        if steps is None:
            raise Unsuited("strides that do not fall on elements")
        layout = _by_rows(x, (x.ndim - 1,), [strides_of(x), (*steps, 0)])
        stage = _prepared(
            launches,
            kernels.cross_entropy_rows,
            x.dtype,
            layout,
            (STORED[target.dtype].pointer,),
            (("fp64", smoothing), ("i64", ignored or 0)),
            {"IGNORES": ignored is not None, "SMOOTH": bool(smoothing)},
            elements=False,
        )
        return Ready(stage, target.shape, _wide(x.dtype))

    def cross_entropy(x: Any, target: Any, *, label_smoothing: float, ignore_index: int | None, reduction: str) -> Any:
        x, target = context.array(x), context.array(target)
        options = (label_smoothing, ignore_index)
        try:
            if ignore_index is not None and abs(ignore_index) >= 2**63:
                raise Unsuited(f"the class {ignore_index}")
            key = (x.dtype, x.shape, x.strides, target.dtype, target.strides, options)
            ready = kept(found, key, lambda: prepared(x, target, *options))
            losses = context.empty(ready.shape, ready.dtype)
            launches.launch("cross_entropy", ready.stage, losses, x, target)
        except Unsuited as reason:
            return context.fall_through("cross_entropy", reason, left, (x, target))
        if reduction != "none":
            total = functions["sum"](losses)
            if reduction == "mean":
                number: Any = float(losses.size)
                if ignore_index is not None:
                    number = functions["count_nonzero"](functions["not_equal"](target, ignore_index))
                    number = functions["astype"](number, ready.dtype)
                total = functions["divide"](total, number)
            losses = total
        return losses if x.dtype == ready.dtype else functions["astype"](losses, x.dtype)

    return cross_entropy


def _rotary_embedding(launches: Reductions) -> Callable[..., Any]:
    context = launches.context
    found: dict[Any, Ready] = {}

    def prepared(x: Any, cos: Any, sin: Any, interleaved: bool) -> Ready:
        matching(x, cos, sin)
        if not x.size:
            raise Unsuited("no elements")
        half = x.shape[-1] // 2
        shape = (*x.shape[:-1], half)
        steps, into = strides_of(x), dense_strides(x.shape)
        turns = [strides_of(angle, shape) for angle in (cos, sin)]
        along, apart = (2, 1) if interleaved else (1, half)
        pairs = [(*strides[:-1], strides[-1] * along) for strides in (into, steps)]
        visited = iteration(shape, [*pairs, *turns])
        if len(visited.shape) > MOST_AXES:
            raise Unsuited(f"more than {MOST_AXES} axes")
        stored, integer = STORED[x.dtype], "i64" if visited.wide else "i32"
        axes, size = (integer,) * len(visited.shape), math.prod(shape)
        block = context.block(size, 1024)
        types = (*(stored.pointer,) * 4, *(integer,) * 3, *(axes,) * 5)
        constants = {
            "FORM": stored.form,
            "DTYPE": stored.dtype,
            "OUT_DTYPE": element(x.dtype),
            "NDIM": len(visited.shape),
            "WIDE": visited.wide,
            "BLOCK": block,
        }
        arguments = (size, apart * steps[-1], apart * into[-1], visited.shape, *visited.strides)
        stage = launches.stage(kernels.rotate_pairs, types, constants, -(-size // block), arguments)
        return Ready(stage, x.shape, x.dtype)

    def rotary_embedding(x: Any, cos: Any, sin: Any, *, interleaved: bool) -> Any:
        x = context.array(x)
        try:
            angles = tuple((angle.dtype, angle.shape, angle.strides) for angle in (cos, sin))
            key = (x.dtype, x.shape, x.strides, angles, interleaved)
            ready = kept(found, key, lambda: prepared(x, cos, sin, interleaved))
            out = context.empty(ready.shape, ready.dtype)
            launches.launch("rotary_embedding", ready.stage, out, x, cos, sin)
        except Unsuited as reason:
            return context.fall_through("rotary_embedding", reason, left, (x, cos, sin), interleaved=interleaved)
        return out

    return rotary_embedding
