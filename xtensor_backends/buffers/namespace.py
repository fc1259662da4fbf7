"""The functions of a device in the standard's names and signatures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from xtensor.backend import DType, result_type, with_initial

from ..kernels.formulas import FORMULAS
from ..kernels.layouts import reduced_shape, sorted_axes
from ..kernels.reductions import KERNEL_REDUCTIONS, accumulate_dtype, combination, identity_element
from .arrays import BufferArray
from .creation import Random, arange, full
from .elementwise import cast, copied, copy_into
from .formulas import in_supported
from .functions import ELEMENTWISE, INPLACE, complex_of, elementwise, inplace
from .hosted import FFT, LINALG, on_host
from .indexing import getitem
from .products import product
from .reductions import reduce_program, reduction
from .runtime import Runtime
from .scans import scan
from .sorting import argsort_rows, nonzero, search, sort_rows
from .statistics import Statistics

__all__ = ["namespace"]

Axes = int | tuple[int, ...] | None
Shape = tuple[int, ...]

SPECIAL = [
    name.removeprefix("special.") for name, item in FORMULAS.items() if name[:8] == "special." and not item.covers
]


def namespace(runtime: Runtime) -> SimpleNamespace:
    """Return the functions on native arrays of a device."""
    statistics = Statistics(runtime)
    linalg = {name: on_host(runtime, f"linalg.{name}", getattr(np.linalg, name)) for name in LINALG}
    fft = {name: on_host(runtime, f"fft.{name}", getattr(np.fft, name)) for name in FFT}
    functions = SimpleNamespace(
        **{name: elementwise(runtime, name) for name in ELEMENTWISE},
        **{name: _reduction(name) if item.accumulates else _extreme(name) for name, item in KERNEL_REDUCTIONS.items()},
        arange=lambda start, stop, step, *, dtype: arange(runtime, start, stop, step, dtype),
        argsort=_argsort,
        astype=_astype,
        broadcast_to=lambda x, shape: x.broadcast(tuple(shape)),
        complex_of=complex_of,
        concat=_concat,
        cumulative_prod=_scan("multiply", 1),
        cumulative_sum=_scan("add", 0),
        empty=lambda shape, *, dtype: runtime.empty(shape, dtype),
        full=lambda shape, fill_value, *, dtype: full(runtime, shape, fill_value, dtype),
        imag=_imag,
        matmul=_matmul,
        mean=statistics.mean,
        nonzero=nonzero,
        permute_dims=lambda x, axes: x.permuted(axes),
        real=lambda x: x.component(0) if x.dtype.kind == "c" else x,
        reshape=_reshape,
        searchsorted=_searchsorted,
        sort=_sort,
        std=statistics.std,
        var=statistics.var,
        fft=SimpleNamespace(**fft),
        inplace=SimpleNamespace(**{name: inplace(runtime, name) for name in INPLACE}),
        linalg=SimpleNamespace(**linalg, vector_norm=statistics.vector_norm),
        random=Random(runtime),
        special=SimpleNamespace(**{name: elementwise(runtime, f"special.{name}") for name in SPECIAL}),
    )
    runtime.functions = functions
    return functions


# -- manipulation -----------------------------------------------------------------------------------------------------


def _astype(x: BufferArray, dtype: DType, *, copy: bool = True) -> BufferArray:
    dtype = in_supported(dtype, x.runtime.dtypes)  # compositions pass dtypes that not all devices have
    return copied(x) if copy and x.dtype == dtype else cast(x, dtype)


def _imag(x: BufferArray) -> BufferArray:
    if x.dtype.kind == "c":
        return x.component(1)
    return x.runtime.functions.full(x.shape, 0, dtype=x.dtype)  # type: ignore[no-any-return]


def _reshape(x: BufferArray, shape: Shape, *, copy: bool | None = None) -> BufferArray:
    if -1 in shape:  # compositions pass it
        known = -math.prod(shape)
        shape = tuple([x.size // max(1, known) if length == -1 else length for length in shape])
    if math.prod(shape) != x.size:
        raise ValueError(f"cannot reshape array of size {x.size} into shape {tuple(shape)}")
    if copy:
        x = copied(x)
    if x.is_dense:
        return x.view(shape, None, x.offset)
    try:
        # NumPy knows whether strides exist; the elements of this array are never read.
        described = as_strided(np.empty((), np.int8), x.shape, x.strides).reshape(shape, copy=False)
    except ValueError as error:
        if copy is False:
            raise ValueError("a copy is needed, which copy=False forbids") from error
        return copied(x).view(shape, None, 0)
    return x.view(shape, described.strides, x.offset)


def _concat(arrays: Sequence[BufferArray], *, axis: int | None) -> BufferArray:
    runtime = arrays[0].runtime
    if axis is None:
        arrays, axis = [_reshape(x, (x.size,)) for x in arrays], 0
    dtype = in_supported(result_type(*[x.dtype for x in arrays]), runtime.dtypes)
    shape = list(arrays[0].shape)
    axis %= len(shape)
    for x in arrays[1:]:
        if x.ndim != len(shape) or any(x.shape[k] != shape[k] for k in range(len(shape)) if k != axis):
            raise ValueError(
                f"arrays of shapes {tuple(shape)} and {x.shape} cannot be joined along axis {axis}: all other lengths "
                "must be equal"
            )
    shape[axis] = sum([x.shape[axis] for x in arrays])
    result, start = runtime.empty(shape, dtype), 0
    for x in arrays:
        copy_into(x, result.view(x.shape, result.strides, start * result.strides[axis]))
        start += x.shape[axis]
    return result


# -- reductions and scans ---------------------------------------------------------------------------------------------


def _accumulated(x: BufferArray, dtype: DType | None) -> DType:
    return in_supported(accumulate_dtype(x.dtype), x.runtime.dtypes) if dtype is None else dtype


def _reduced(name: str, x: BufferArray, axes: Shape, dtype: DType, keepdims: bool) -> BufferArray:
    """Return the reduction of the elements in a dtype, to which the kernel casts them."""
    if not axes:
        return copied(x, dtype)
    return reduce_program(reduction(name, x.dtype, dtype), (x,), (), x.shape, axes, keepdims=keepdims)[0]


def _reduction(name: str) -> Callable[..., Any]:
    def computed(
        x: BufferArray, *, axis: Axes = None, dtype: DType | None = None, keepdims: bool = False
    ) -> BufferArray:
        axes, dtype = sorted_axes(axis, x.ndim), _accumulated(x, dtype)
        if not x.size:
            shape, start = reduced_shape(x.shape, axes, keepdims=keepdims), identity_element(name, dtype)
            return x.runtime.functions.full(shape, start, dtype=dtype)  # type: ignore[no-any-return]
        return _reduced(name, x, axes, dtype, keepdims)

    return computed


def _extreme(name: str) -> Callable[..., Any]:
    def computed(x: BufferArray, *, axis: Axes = None, keepdims: bool = False) -> Any:
        axes = sorted_axes(axis, x.ndim)
        if x.dtype.kind == "c":
            return NotImplemented
        if not all(x.shape[k] for k in axes):
            raise ValueError(f"zero-size array to reduction operation {combination(name)} which has no identity")
        if not x.size:
            return x.runtime.empty(reduced_shape(x.shape, axes, keepdims=keepdims), x.dtype)
        return _reduced(name, x, axes, x.dtype, keepdims)

    return computed


def _scan(name: str, first: int) -> Callable[..., Any]:
    def computed(
        x: BufferArray, *, axis: int, dtype: DType | None = None, include_initial: bool = False
    ) -> BufferArray:
        axis %= x.ndim
        result = scan(name, cast(x, _accumulated(x, dtype)), axis)
        if not include_initial:
            return result
        make = partial(x.runtime.functions.full, dtype=result.dtype)
        return with_initial(lambda arrays, axis: _concat(arrays, axis=axis), make, result, axis, first)  # type: ignore[no-any-return]

    return computed


# -- sorting, searching, products -------------------------------------------------------------------------------------


def _along_last(x: BufferArray, axis: int, function: Callable[[BufferArray], BufferArray]) -> BufferArray:
    """Return the result of a function of rows for the elements along an axis."""
    axis %= x.ndim
    order = [*[k for k in range(x.ndim) if k != axis], axis]
    return function(x.permuted(order)).permuted([order.index(k) for k in range(x.ndim)])


def _reversed(x: BufferArray) -> BufferArray:
    if not x.size:
        return x
    step = x.strides[-1]
    return x.view(x.shape, (*x.strides[:-1], -step), x.offset + (x.shape[-1] - 1) * step)


def _argsort(x: BufferArray, *, axis: int = -1, descending: bool = False, stable: bool = True) -> BufferArray:
    def of_rows(rows: BufferArray) -> BufferArray:
        if not descending:
            return argsort_rows(rows)
        # Equal elements stay in their order: the reversed rows are sorted and reversed.
        positions = _reversed(argsort_rows(_reversed(rows)))
        return rows.runtime.functions.subtract(rows.shape[-1] - 1, positions)  # type: ignore[no-any-return]

    return _along_last(x, axis, of_rows)


def _sort(x: BufferArray, *, axis: int = -1, descending: bool = False, stable: bool = True) -> BufferArray:
    def of_rows(rows: BufferArray) -> BufferArray:
        if rows.shape[-1] < 2 or not rows.size:
            return copied(rows)
        # Equal elements, zeros of both signs, stay in their order.
        return _reversed(sort_rows(_reversed(rows))) if descending else sort_rows(rows)

    return _along_last(x, axis, of_rows)


def _searchsorted(x1: BufferArray, x2: Any, *, side: str = "left", sorter: BufferArray | None = None) -> BufferArray:
    runtime = x1.runtime
    if x2.__class__ is not BufferArray:
        x2 = full(runtime, (), x2, in_supported(result_type(x1.dtype, x2), runtime.dtypes))
    dtype = in_supported(result_type(x1.dtype, x2.dtype), runtime.dtypes)
    x1 = cast(x1, dtype)
    return search(x1 if sorter is None else getitem(x1, sorter), cast(x2, dtype), right=side == "right")


def _matmul(x1: BufferArray, x2: BufferArray) -> BufferArray:
    dtype = in_supported(result_type(x1.dtype, x2.dtype), x1.runtime.dtypes)
    x1, x2 = cast(x1, dtype), cast(x2, dtype)
    if not x1.ndim or not x2.ndim:
        raise ValueError("matmul takes arrays with an axis or more, not 0-d arrays")
    a = x1.view((1, *x1.shape), (0, *x1.strides), x1.offset) if x1.ndim == 1 else x1
    b = x2.view((*x2.shape, 1), (*x2.strides, 0), x2.offset) if x2.ndim == 1 else x2
    if a.shape[-1] != b.shape[-2]:
        raise ValueError(f"matmul: the lengths {a.shape[-1]} and {b.shape[-2]} of the summed axes differ")
    result = product(a, b)
    shape = list(result.shape)
    if x1.ndim == 1:
        del shape[-2]
    if x2.ndim == 1:
        del shape[-1]
    return result.view(shape, None, 0)
