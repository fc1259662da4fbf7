"""Reductions of large arrays by kernels: sums, products, extremes, means, variances.

Results do not depend on the number of threads; see :mod:`xtensor_backends.llvm._reduction_loops`. Each function takes
what the function of its name of NumPy's backend takes, and returns NotImplemented where NumPy is to compute: few
elements, dtypes without kernels, axes that do not lie together in memory, and results of which NumPy may warn.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from xtensor.backend import Native, Program, Step

from ..kernels.layouts import sorted_axes
from ..kernels.reductions import KERNEL_REDUCTIONS, accumulate_dtype, combination
from ._calls import Kernel
from ._emission import supported, supported_elementwise
from ._exceptions import underflow_is_reported
from ._reducing import kernel_of, reduce
from ._reduction_loops import BLOCK
from ._reduction_walks import memory_order, order_of_results
from ._rows import compute_rows, takes_rows
from ._sizes import (
    BYTES_ADDED,
    BYTES_EXTREME,
    MIN_SIZE_DECIDED,
    MIN_SIZE_REDUCED,
    MIN_SIZE_SHORT_ROWS,
    MIN_SIZE_TOTAL,
    SHORT_ROW,
    SHORTEST,
)

__all__ = ["kernels"]

Array = np.ndarray[Any, Any]
Axis = int | tuple[int, ...] | None

EXTREME = {"any": "max", "all": "min"}
"""The reduction of booleans that each of the two is."""


def _in_memory_order(function: Callable[..., Native]) -> Callable[..., Native]:
    """Make a reduction see the axes of an array as its elements follow each other in memory."""

    @functools.wraps(function)
    def ordered(x: Native, *, axis: Axis = None, keepdims: bool = False, **options: Any) -> Native:
        order = memory_order((x,), x.shape)
        if order is None:
            return function(x, axis=axis, keepdims=keepdims, **options)
        axes = sorted_axes(axis, x.ndim)
        places = None if axis is None else tuple([order.index(number) for number in axes])
        result = function(x.transpose(order), axis=places, keepdims=keepdims, **options)
        if result is NotImplemented:
            return result
        return result.transpose(order_of_results(order, axes, keepdims=keepdims))

    return ordered


def _all_finite(x: Array) -> bool:
    return math.isfinite(x) if not x.ndim else bool(np.isfinite(x).all())


def _all_ordinary(roots: Array, x: Array, axes: tuple[int, ...]) -> bool:
    """Whether roots of sums of squares are finite, and no square underflowed.

    Distances and elements that are 0 have the root 0; squares of the distances of larger elements do not underflow.
    """
    if not _all_finite(roots):
        return False
    info = np.finfo(x.dtype)
    least = math.sqrt(info.smallest_normal / info.eps)
    if roots.min() >= least:
        return True
    extremes = [reduce(_program(name, x.dtype, x.dtype), (x,), (), x.shape, axes) for name in ("max", "min")]
    if None in extremes:
        return False
    largest = np.maximum(*[np.abs(pair[0]) for pair in extremes if pair is not None])
    return bool(np.all((largest == 0) | (largest > least / info.eps) | (roots.reshape(largest.shape) >= least)))


def _is_small(x: Array, axis: Axis) -> bool:
    """Whether NumPy adds up rows of the array as fast."""
    if x.size < MIN_SIZE_REDUCED:
        return True
    if x.nbytes >= BYTES_ADDED or axis is None or not x.ndim or x.shape[-1] <= SHORT_ROW:
        return False
    axes = axis if isinstance(axis, tuple) else (axis,)
    return bool(axes) and -1 not in axes and x.ndim - 1 not in axes


@functools.cache
def _program(name: str, dtype: Any, total: Any) -> Program:
    steps: tuple[Step, ...] = ()
    if name == "squares":
        name, steps = "sum", (Step("square", (0,), dtype.name),)
    elif dtype != total:
        steps = (Step("astype", (0,), total.name),)
    return Program((dtype.name,), (), steps, (), ((name, len(steps)),)).shared()


_totals: dict[Any, tuple[Kernel | None, Any, bool]] = {}
"""Kernels of whole arrays, the dtypes of their results, and whether NumPy may warn of infinite or NaN ones, by the
reduction and the arrays' dtype."""


def _total(name: str, x: Array) -> Array | None:
    """Reduce all elements, which are adjacent; the way with the fewest steps."""
    key = name, x.dtype
    try:
        kernel, dtype, checks = _totals[key]
    except KeyError:
        adds = name in KERNEL_REDUCTIONS and KERNEL_REDUCTIONS[name].accumulates
        dtype = accumulate_dtype(x.dtype) if adds else x.dtype
        kernel = kernel_of(_program(name, x.dtype, dtype), "c", columns=False) if supported(x.dtype) else None
        checks = (adds or name == "squares") and dtype.kind == "f"
        _totals[key] = kernel, dtype, checks
    length = x.size
    if kernel is None or length < SHORTEST:
        return None
    total = np.empty((), dtype)
    doubtful = kernel.run(length, (length, 1, x, 0, np.empty(-(-length // BLOCK), dtype), total), ())
    return None if doubtful or (checks and not math.isfinite(total)) else total


def _sums(name: str) -> Callable[..., Native]:
    def function(x: Native, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Native:
        if axis is None and dtype is None and not keepdims and x.flags.carray:
            whole = _total(name, x)
            return NotImplemented if whole is None else whole
        if _is_small(x, axis):
            return NotImplemented
        total = accumulate_dtype(x.dtype) if dtype is None else dtype
        if not (supported(x.dtype) and supported(total)) or not x.ndim or total.kind == "b":
            return NotImplemented
        axes = sorted_axes(axis, x.ndim)
        results = reduce(_program(name, x.dtype, total), (x,), (), x.shape, axes, keepdims=keepdims) if axes else None
        if results is None or (total.kind == "f" and not _all_finite(results[0])):
            return NotImplemented
        return results[0]

    return function


def _extremes(name: str) -> Callable[..., Native]:
    def function(x: Native, *, axis: Axis = None, keepdims: bool = False) -> Native:
        if x.nbytes < BYTES_EXTREME and (axis is None or x.ndim < 2 or x.shape[-1] > SHORT_ROW):
            return NotImplemented
        if axis is None and not keepdims and x.flags.carray:
            whole = _total(name, x)
            return NotImplemented if whole is None else whole
        if not supported(x.dtype) or not x.ndim:
            return NotImplemented
        axes = sorted_axes(axis, x.ndim)
        results = reduce(_program(name, x.dtype, x.dtype), (x,), (), x.shape, axes, keepdims=keepdims) if axes else None
        return NotImplemented if results is None else results[0]

    return function


def _positions(name: str) -> Callable[..., Native]:
    """The position of an extreme in a whole array: in the first block that has it, which NumPy looks through."""
    extreme = "max" if name == "argmax" else "min"

    def function(x: Native, *, axis: int | None = None, keepdims: bool = False) -> Native:
        whole = axis is None or x.ndim == 1
        if (
            x.nbytes < BYTES_EXTREME
            or not whole
            or keepdims
            or not supported(x.dtype)
            or x.dtype.kind == "b"
            or not x.flags.c_contiguous
        ):
            return NotImplemented
        flat = x.reshape(-1)
        extremes = reduce(_program(extreme, x.dtype, x.dtype), (flat,), (), flat.shape, (0,), partial=True)
        if extremes is None:
            return NotImplemented
        begin = int(getattr(extremes[0][0], name)()) * BLOCK
        return np.asarray(begin + getattr(flat[begin : begin + BLOCK], name)())

    return function


def mean(x: Native, *, axis: Axis = None, keepdims: bool = False) -> Native:
    if x.dtype.kind != "f" or not supported(x.dtype) or not x.ndim:
        return NotImplemented
    if axis is None and not keepdims and x.flags.carray:
        total = _total("sum", x)
        return NotImplemented if total is None else np.divide(total, x.size, out=total)
    average = None if _is_small(x, axis) else _mean(x, sorted_axes(axis, x.ndim), keepdims=keepdims)
    return NotImplemented if average is None or not _all_finite(average) else average


def _mean(x: Array, axes: tuple[int, ...], *, keepdims: bool) -> Array | None:
    results = reduce(_program("sum", x.dtype, x.dtype), (x,), (), x.shape, axes, keepdims=keepdims) if axes else None
    if results is None:
        return None
    return np.asarray(results[0] / x.dtype.type(math.prod([x.shape[axis] for axis in axes])))


@functools.cache
def _squares(dtype: Any) -> Program:
    """The sums of the squares of the distances from another operand, and of the distances."""
    steps = Step("subtract", (0, 1), dtype.name), Step("square", (2,), dtype.name)
    return Program((dtype.name, dtype.name), (), steps, (), (("sum", 3), ("sum", 2))).shared()


@functools.cache
def _deviation(dtype: Any, root: bool) -> Program:
    """The variance of rows, or its root; the scalars are the length of a row and the divisor.

    The square of the distances' mean, which is the error of the elements' mean, is subtracted from that of the squares.
    """
    name = dtype.name
    steps = [
        Step("sum", (0,), name),
        Step("divide", (3, 1), name),
        Step("subtract", (0, 4), name),
        Step("square", (5,), name),
        Step("sum", (6,), name),
        Step("sum", (5,), name),
        Step("square", (8,), name),
        Step("divide", (9, 1), name),
        Step("subtract", (7, 10), name),
        Step("abs", (11,), name),  # a difference of 0 may be rounded below it
        Step("divide", (12, 2), name),
    ]
    if root:
        steps.append(Step("sqrt", (13,), name))
    return Program((name,), (name, name), tuple(steps), (2 + len(steps),)).shared()


def _spread(x: Native, axis: Axis, correction: float, *, keepdims: bool, root: bool) -> Native:
    """The variance, or its root."""
    if x.dtype.kind != "f" or not supported(x.dtype) or not x.ndim:
        return NotImplemented
    axes = sorted_axes(axis, x.ndim)
    number = math.prod([x.shape[axis] for axis in axes])
    count = number - correction
    if count <= 0:
        return NotImplemented
    if axes == (x.ndim - 1,) and takes_rows(x.shape):
        rows = compute_rows(_deviation(x.dtype, root), (x,), (number, count), x.shape)
        if rows is not None and (_all_ordinary(rows[0], x, axes) if root else _all_finite(rows[0])):
            return rows[0] if keepdims else rows[0].reshape(x.shape[:-1])
        return NotImplemented
    center = _mean(x, axes, keepdims=True)
    if center is None:
        return NotImplemented
    results = reduce(_squares(x.dtype), (x, center), (), x.shape, axes, keepdims=keepdims)
    if results is None or not _all_finite(results[0]):
        return NotImplemented
    squares, distances = results
    with np.errstate(all="ignore"):
        variance = np.asarray(np.abs(squares - distances * distances / x.dtype.type(number)) / x.dtype.type(count))
    if not root:
        return variance if _all_finite(variance) else NotImplemented
    deviation = np.asarray(np.sqrt(variance))
    return deviation if _all_ordinary(deviation, x, axes) else NotImplemented


def var(x: Native, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Native:
    return _spread(x, axis, correction, keepdims=keepdims, root=False)


def std(x: Native, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Native:
    return _spread(x, axis, correction, keepdims=keepdims, root=True)


@functools.cache
def _counting(dtype: Any) -> Program:
    """The number of elements that are not zero."""
    if dtype.kind == "b":
        return Program((dtype.name,), (), (Step("astype", (0,), "int64"),), (), (("sum", 1),)).shared()
    steps = Step("not_equal", (0, 1), "bool"), Step("astype", (2,), "int64")
    return Program((dtype.name,), (dtype.name,), steps, (), (("sum", 3),)).shared()


def count_nonzero(x: Native, *, axis: Axis = None, keepdims: bool = False) -> Native:
    if not supported(x.dtype) or x.dtype.kind == "b" or not x.ndim:  # NumPy counts booleans by the word
        return NotImplemented
    if x.dtype.kind != "f" and x.size < MIN_SIZE_DECIDED:
        return NotImplemented
    axes = sorted_axes(axis, x.ndim)
    results = reduce(_counting(x.dtype), (x,), (0,), x.shape, axes, keepdims=keepdims) if axes else None
    return NotImplemented if results is None else results[0]


@functools.cache
def _deciding(name: str, dtype: Any) -> Program:
    """Whether any element, or each one, is not zero."""
    steps = (Step("not_equal", (0, 1), "bool"),)
    return Program((dtype.name,), (dtype.name,), steps, (), ((EXTREME[name], 2),)).shared()


def _decisions(name: str) -> Callable[..., Native]:
    """Any or all of a whole array: parts of growing length until one decides, as NumPy ends there, too.

    Along axes before the last one: a reduction of short rows, for each of which NumPy calls a function.
    """
    extreme = EXTREME[name]

    def function(x: Native, *, axis: Axis = None, keepdims: bool = False) -> Native:
        whole = axis is None or len(sorted_axes(axis, x.ndim)) == x.ndim
        if (
            x.dtype.kind == "b"
            and not whole
            and x.shape[-1] <= SHORT_ROW
            and x.ndim - 1 not in sorted_axes(axis, x.ndim)
        ):
            results = reduce(
                _program(extreme, x.dtype, x.dtype), (x,), (), x.shape, sorted_axes(axis, x.ndim), keepdims=keepdims
            )
            return NotImplemented if results is None else results[0]
        if not whole or not supported(x.dtype) or x.dtype.kind == "b" or not x.flags.carray:
            return NotImplemented
        if x.size < MIN_SIZE_DECIDED:
            return NotImplemented
        flat, begin, length = x.reshape(-1), 0, MIN_SIZE_DECIDED // 8 or 1
        result = getattr(np, name)(flat[:length])
        while bool(result) is (name == "all") and begin + length < flat.size:
            begin, length = begin + length, 2 * length
            part = flat[begin : begin + length]
            results = (
                reduce(_deciding(name, x.dtype), (part,), (0,), part.shape, (0,)) if part.size >= SHORTEST else None
            )
            result = getattr(np, name)(part) if results is None else results[0]
        return np.asarray(result).reshape((1,) * x.ndim if keepdims else ())

    return function


def vector_norm(x: Native, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Native:
    """Euclidean norms. A complex number's square is the sum of two, whose order does not matter for a whole array."""
    if ord != 2 or x.dtype.kind not in "fc" or not supported_elementwise(x.dtype) or not x.ndim:
        return NotImplemented
    if (axis is None or len(sorted_axes(axis, x.ndim)) == x.ndim) and x.flags.carray:
        total = _total("squares", x.view(x.real.dtype) if x.dtype.kind == "c" else x)
        if total is None:
            return NotImplemented
        norm = np.sqrt(total, out=total).reshape((1,) * x.ndim if keepdims else ())
        is_small = total < math.sqrt(np.finfo(total.dtype).smallest_normal / np.finfo(total.dtype).eps)
        return NotImplemented if is_small else norm
    if axis is None or x.dtype.kind == "c" or _is_small(x, axis):
        return NotImplemented
    axes = sorted_axes(axis, x.ndim)
    results = (
        reduce(_program("squares", x.dtype, x.dtype), (x,), (), x.shape, axes, keepdims=keepdims) if axes else None
    )
    norms = None if results is None or not _all_finite(results[0]) else np.asarray(np.sqrt(results[0]))
    return NotImplemented if norms is None or not _all_ordinary(norms, x, axes) else norms


def matrix_norm(x: Native, *, keepdims: bool = False, ord: Any = "fro") -> Native:
    """Frobenius norms."""
    return vector_norm(x, axis=(x.ndim - 2, x.ndim - 1), keepdims=keepdims) if ord == "fro" else NotImplemented


def _with_flag(function: Callable[..., Native], *, checks: bool) -> Callable[..., Native]:
    """A reduction that leaves it to NumPy to refuse another value of ``keepdims`` than True and False.

    ``checks``: also to report underflow.
    """

    def declining(x: Native, *, keepdims: bool = False, **options: Any) -> Native:
        if keepdims.__class__ is not bool or (checks and underflow_is_reported()):
            return NotImplemented
        return function(x, keepdims=keepdims, **options)

    return declining


MIN_SIZE = {
    **dict.fromkeys(("argmax", "argmin"), BYTES_EXTREME // 8),
    **dict.fromkeys(("any", "all"), MIN_SIZE_SHORT_ROWS),
    **dict.fromkeys(("mean", "linalg.vector_norm", "linalg.matrix_norm"), MIN_SIZE_TOTAL),
    **{name: MIN_SIZE_TOTAL if item.accumulates else MIN_SIZE_SHORT_ROWS for name, item in KERNEL_REDUCTIONS.items()},
}
"""Elements from which a function is asked at all."""


def kernels() -> dict[str, Callable[..., Native]]:
    """Return the functions for operands of many elements, by the names of the overlay's contract."""
    by_name: dict[str, Callable[..., Native]] = {
        name: _sums(name) if item.accumulates else _extremes(name) for name, item in KERNEL_REDUCTIONS.items()
    }
    by_name |= {"mean": mean, "var": var, "std": std}
    by_name |= {"any": _decisions("any"), "all": _decisions("all"), "count_nonzero": count_nonzero}
    by_name |= {"linalg.vector_norm": vector_norm}
    by_name = {name: _in_memory_order(function) for name, function in by_name.items()}
    by_name |= {name: _positions(name) for name in ("argmax", "argmin")}
    by_name |= {"linalg.matrix_norm": matrix_norm}
    underflows = ["mean", "var", "std", "linalg.vector_norm", "linalg.matrix_norm"]
    underflows += [name for name in KERNEL_REDUCTIONS if combination(name) == "multiply"]
    by_name = {name: _with_flag(function, checks=name in underflows) for name, function in by_name.items()}
    for name, function in by_name.items():
        function.min_size = MIN_SIZE.get(name, MIN_SIZE_REDUCED)  # type: ignore[attr-defined]
    return {f"large.{name}": function for name, function in by_name.items()}
