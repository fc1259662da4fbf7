"""Products of matrices and attention over kernels.

A vendor's library multiplies matrices as well as anybody, mostly. Which of the two is faster was measured, where it
was, and stands in ``matmul.json`` with the GPU and the date (``python -m benchmarks._tune`` writes it); what is
not in that table goes to the storage's function. In the interpreter, kernels are what is to be tried, and take all.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import triton.language as tl

from . import _matrix_kernels as kernels
from ._dtypes import BFLOAT16, OPERAND, STORED
from ._fallthrough import Context, Unsuited, left
from ._gathering import Reductions, Stage, element
from ._layout import MOST_AXES, broadcast_shapes, dense_strides, element_strides, iteration, needs_64_bits
from ._nn import matching, strides_of
from ._reductions import kept

__all__ = ["Blocks", "functions"]

DType: TypeAlias = "np.dtype[Any]"
Shape: TypeAlias = tuple[int, ...]

PARTS: dict[DType, Any] = {
    np.dtype(np.float16): tl.float16,
    BFLOAT16: tl.bfloat16,
    np.dtype(np.float32): tl.float32,
}
"""The dtypes that kernels multiply, and Triton's for them. A GPU's float64 belongs to the vendor's library."""

NARROWEST, WIDEST = 16, 256
"""The shortest side of a block that ``tl.dot`` takes, and the widest heads of attention."""


class Blocks(NamedTuple):
    """The block of a program, how many rows of blocks go together, and the options of the compilation."""

    rows: int
    columns: int
    inner: int
    group: int = 8
    warps: int = 4
    stages: int = 3


def functions(context: Context, storage: Any, found: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """The functions by their names; ``storage`` has those to fall through to, ``found`` the device's other kernels."""
    product = Product(context)
    return {
        "matmul": _matmul(product, storage.matmul),
        "nn.linear": _linear(product, storage.matmul, found["add"]),
        "nn.scaled_dot_product_attention": _attention(context),
    }


# -- products -----------------------------------------------------------------------------------------------------


class Ready(NamedTuple):
    """A launch, and the shape of its result."""

    stage: Stage
    shape: Shape


class Product:
    """Products of matrices on one device."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._launches = Reductions(context)
        self._ready: dict[Any, Ready] = {}

    def __call__(self, name: str, x: Any, y: Any, bias: Any, precision: str) -> Any:
        """``x @ y + bias`` of two stacks of matrices; :class:`Unsuited` where the storage's function is to do it."""
        key = (x.dtype, y.dtype, x.shape, x.strides, y.shape, y.strides, bias is not None, precision)
        ready = kept(self._ready, key, lambda: self._prepared(x, y, bias, precision))
        out = self.context.empty(ready.shape, x.dtype)
        self._launches.launch(name, ready.stage, out, x, y, bias)
        return out

    def _prepared(self, x: Any, y: Any, bias: Any, precision: str) -> Ready:
        if x.dtype not in PARTS:
            raise Unsuited(f"products in {x.dtype}")
        matching(x, y, bias)
        if min(x.ndim, y.ndim) < 2 or x.shape[-1] != y.shape[-2]:
            raise Unsuited(f"operands of shapes {x.shape} and {y.shape}")
        batch = broadcast_shapes(x.shape[:-2], y.shape[:-2])
        if batch is None:
            raise Unsuited("shapes that do not broadcast")
        rows, inner, columns = x.shape[-2], x.shape[-1], y.shape[-1]
        shape = (*batch, rows, columns)
        if not math.prod(shape) or not inner:
            raise Unsuited("no elements")
        blocks = self._blocks(x.dtype, rows, columns, inner, precision)
        x_steps, y_steps = strides_of(x, (*batch, rows, inner)), strides_of(y, (*batch, inner, columns))
        into = dense_strides(shape)
        visited = iteration(batch, [steps[:-2] for steps in (into, x_steps, y_steps)])
        if len(visited.shape) > MOST_AXES:
            raise Unsuited(f"more than {MOST_AXES} axes")
        wide = any(
            needs_64_bits(lengths, [steps])
            for lengths, steps in (
                (shape, into),
                ((*batch, rows, inner), x_steps),
                ((*batch, inner, columns), y_steps),
            )
        )
        stored, integer = STORED[x.dtype], "i64" if wide else "i32"
        axes = (integer,) * len(visited.shape)
        types = (
            *(stored.pointer,) * 3,
            None if bias is None else stored.pointer,
            *(integer,) * 5,
            *(axes,) * 4,
            *(integer,) * 5,
        )
        constants = {
            "FORM": stored.form,
            "PART": tl.float32 if self.context.launcher.interprets else PARTS[x.dtype],
            "PRECISION": "tf32" if precision == "tf32" and x.dtype == np.float32 else "ieee",
            "OUT_DTYPE": element(x.dtype),
            "BATCH": len(visited.shape),
            "WIDE": wide,
            "ROWS": blocks.rows,
            "COLUMNS": blocks.columns,
            "INNER": blocks.inner,
            "GROUP": blocks.group,
        }
        down, across = -(-rows // blocks.rows), -(-columns // blocks.columns)
        arguments = (
            *(rows, columns, inner, down, across, visited.shape, *visited.strides),
            *(x_steps[-2], x_steps[-1], y_steps[-2], y_steps[-1], into[-2]),
        )
        stage = self._launches.stage(
            kernels.matmul_blocks,
            types,
            constants,
            math.prod(batch) * down * across,
            arguments,
            warps=blocks.warps,
            stages=blocks.stages,
        )
        return Ready(stage, shape)

    def _blocks(self, dtype: DType, rows: int, columns: int, inner: int, precision: str) -> Blocks:
        launcher = self.context.launcher
        if launcher.interprets:
            return Blocks(*(_side(length, WIDEST) for length in (rows, columns, inner)))
        found = measured(str(launcher.target.arch), str(dtype), precision, rows, columns, inner)
        if found is not None:
            return found
        if precision == "tf32" and dtype == np.float32:
            return Blocks(128, 128, 32, 8, 8, 3)
        raise Unsuited(f"products that no measurement gives to a kernel on {launcher.target.arch}")


def measured(arch: str, dtype: str, precision: str, rows: int, columns: int, inner: int) -> Blocks | None:
    """The blocks of the nearest product that was measured, if a kernel was faster there; none beyond a factor of 2."""
    sides = tuple(math.log2(length) for length in (rows, columns, inner))
    nearest, blocks = 1.0, None
    for where, at, found in _table(arch, dtype, precision):
        distance = max(abs(here - there) for here, there in zip(sides, where, strict=True))
        if distance <= nearest:
            nearest, blocks = distance, found if at > 1 else None
    return blocks


@cache
def _table(arch: str, dtype: str, precision: str) -> tuple[tuple[tuple[float, ...], float, Blocks], ...]:
    """The measured products: the logarithms of their sides, the speed-up, the blocks."""
    text = files(__package__).joinpath("matmul.json").read_text(encoding="utf-8")
    return tuple(
        (tuple(math.log2(side) for side in row["sides"]), row["speedup"], Blocks(*row["blocks"]))
        for row in json.loads(text)["products"]
        if (row["arch"], row["dtype"], row["precision"]) == (arch, dtype, precision)
    )


def _side(length: int, longest: int) -> int:
    return min(max(1 << (length - 1).bit_length(), NARROWEST), longest)


def _matmul(product: Product, fallback: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    context = product.context

    def matmul(x: Any, y: Any) -> Any:
        x, y = context.array(x), context.array(y)
        try:
            if not x.ndim or not y.ndim:
                raise Unsuited("a 0-d operand")
            left_side = x if x.ndim > 1 else x[None, :]
            right_side = y if y.ndim > 1 else y[:, None]
            out = product("matmul", left_side, right_side, None, "exact")
        except Unsuited as reason:
            return context.fall_through("matmul", reason, fallback, (x, y))
        if x.ndim == 1:
            out = out[..., 0, :]
        return out if y.ndim > 1 else out[..., 0]

    return matmul


def _linear(product: Product, storages: Callable[..., Any], add: Callable[..., Any]) -> Callable[..., Any]:
    context = product.context

    def linear(x: Any, weight: Any, bias: Any, *, precision: str) -> Any:
        x = context.array(x)
        if x.ndim == 1 or not x.size or x.dtype not in PARTS:
            return context.fall_through("linear", Unsuited(f"x of {x.dtype}{list(x.shape)}"), left, (x, weight))
        # Rows that lie one behind the other are one matrix.
        rows = x.reshape((-1, x.shape[-1])) if context.contiguous(x) else x
        try:
            if bias is not None and not context.contiguous(bias):
                raise Unsuited("a bias that is not one run of elements")
            out = product("linear", rows, weight.T, bias, precision)
        except Unsuited as reason:
            out = context.fall_through("linear", reason, storages, (rows, weight.T))
            out = out if bias is None else add(out, bias)
        return out.reshape((*x.shape[:-1], weight.shape[0]))

    return linear


# -- attention ----------------------------------------------------------------------------------------------------


def attention_blocks(dtype: DType, width: int, masked: bool, backend: str) -> Blocks:
    """Queries, keys, and the options: what the registers and the shared memory of a target hold."""
    if backend == "hip":
        return Blocks(64 if width <= 128 else 32, 32, width, 1, 4, 1)
    if dtype == np.float32:
        return Blocks(64 if width <= 64 else 32, 32, width, 1, 4 if width <= 128 else 8, 2 if width <= 64 else 1)
    if width <= 128:
        return Blocks(128 if width <= 64 or not masked else 64, 64, width, 1, 8, 3 if width <= 64 else 2)
    return Blocks(64, 32, width, 1, 8, 2)


def _attention(context: Context) -> Callable[..., Any]:
    launches = Reductions(context)
    found: dict[Any, Ready] = {}

    def attention(query: Any, key: Any, value: Any, mask: Any, *, causal: bool, scale: float, precision: str) -> Any:
        operands = (query, key, value, mask)
        try:
            signs = tuple(None if x is None else (x.dtype, x.shape, x.strides) for x in operands)
            ready = kept(
                found,
                (signs, causal, scale, precision),
                lambda: _prepared_attention(launches, operands, causal, scale, precision),
            )
            out = context.empty(ready.shape, query.dtype)
            launches.launch("scaled_dot_product_attention", ready.stage, out, query, key, value, mask)
        except Unsuited as reason:
            return context.fall_through("scaled_dot_product_attention", reason, left, operands[:3], causal=causal)
        return out

    return attention


def _prepared_attention(
    launches: Reductions, operands: tuple[Any, ...], causal: bool, scale: float, precision: str
) -> Ready:
    query, key, value, mask = operands
    launcher = launches.context.launcher
    if query.dtype not in PARTS:
        raise Unsuited(f"attention in {query.dtype}")
    matching(query, key, value)
    queries, width = query.shape[-2:]
    keys, value_width = value.shape[-2:]
    shape = (*query.shape[:-1], value_width)
    if not math.prod(shape) or not keys or not width:
        raise Unsuited("no elements")
    if max(width, value_width) > WIDEST:
        raise Unsuited(f"heads of {max(width, value_width)} features, more than {WIDEST}")
    batch = query.shape[:-2]
    heads = key.shape[-3] if key.ndim > 2 else 1
    group = query.shape[-3] // heads if query.ndim > 2 else 1
    over = (*batch[:-1], heads, group) if batch else ()
    into = dense_strides(shape)
    steps = [into, strides_of(query), strides_of(key), strides_of(value)]
    outer = [
        _by_group(into[:-2], heads, group),
        _by_group(steps[1][:-2], heads, group),
        *((*part[:-2], 0) if batch else () for part in steps[2:]),
    ]
    form, pointer = "none", None
    seen: Shape = (0,) * query.ndim
    if mask is not None:
        if mask.dtype not in STORED or (mask.dtype != np.bool_ and mask.dtype != query.dtype):
            raise Unsuited(f"a mask of {mask.dtype}")
        found = element_strides(mask, (*batch, queries, keys))
        if found is None:
            raise Unsuited("strides that do not fall on elements")
        seen = found
        form = "bool" if mask.dtype == np.bool_ else STORED[mask.dtype].form
        pointer = STORED[mask.dtype].pointer
    outer.append(_by_group(seen[:-2], heads, group))
    visited = iteration(over, outer)
    if len(visited.shape) > MOST_AXES:
        raise Unsuited(f"more than {MOST_AXES} axes")
    extents = zip((query, key, value), steps[1:], strict=True)
    wide = needs_64_bits(shape, [into]) or any(needs_64_bits(x.shape, [part]) for x, part in extents)
    wide = wide or needs_64_bits((*batch, queries, keys), [seen])
    widths = tuple(max(NARROWEST, 1 << (length - 1).bit_length()) for length in (width, value_width))
    if launcher.interprets:
        blocks = Blocks(_side(queries, 64), _side(keys, 64), widths[0])
    else:
        blocks = attention_blocks(query.dtype, max(widths), mask is not None, launcher.target.backend)
    stored, integer = STORED[query.dtype], "i64" if wide else "i32"
    axes = (integer,) * len(visited.shape)
    number = -(-queries // blocks.rows)
    types = (
        *(stored.pointer,) * 4,
        pointer,
        *(*(integer,) * 4, OPERAND + "fp64", integer),
        *(axes,) * 6,
        *(integer,) * 9,
    )
    constants = {
        "CAUSAL": causal,
        "MASK": form,
        "FORM": stored.form,
        "PART": tl.float32 if launcher.interprets else PARTS[query.dtype],
        "PRECISION": "tf32" if precision == "tf32" and query.dtype == np.float32 else "ieee",
        "OUT_DTYPE": element(query.dtype),
        "BATCH": len(visited.shape),
        "WIDE": wide,
        "QUERIES": blocks.rows,
        "KEYS": blocks.columns,
        "WIDTH": widths[0],
        "VALUE_WIDTH": widths[1],
    }
    arguments = (
        *(queries, keys, width, value_width, float(scale), number, visited.shape, *visited.strides),
        into[-2],
        *(step for part in steps[1:] for step in part[-2:]),
        *seen[-2:],
    )
    stage = launches.stage(
        kernels.attention_blocks,
        types,
        constants,
        math.prod(over) * number,
        arguments,
        warps=blocks.warps,
        stages=blocks.stages,
    )
    return Ready(stage, shape)


def _by_group(strides: Shape, heads: int, group: int) -> Shape:
    """The strides of batches and heads with the heads' axis split into groups."""
    return (*strides[:-1], strides[-1] * group, strides[-1]) if strides else ()
