"""MLX's functions in the standard's names and signatures, with NumPy's promotion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import mlx.core as mx
import numpy as np

from xtensor.backend import (
    arange_terms,
    axes_of,
    check_not_empty,
    check_positions,
    variance,
    with_initial,
    wrapped_namespace,
)

from ._elementwise import FUNCTIONS, astype, complex_of, where
from ._indexing import positions_of
from ._linalg import FOURIER, LINALG, matmul
from ._native import ARRAY, Array, MlxArray, from_numpy, running
from ._operands import FLOATS, HALVES, INEXACT, OPERANDS, cast, number

__all__ = ["namespace"]

Function = Callable[..., Any]
Axes = int | tuple[int, ...] | None

BLOCK = 64
"""Elements that are added one after the other: the sums of blocks are added in the same way."""


def namespace(device: Any) -> Any:
    """Return the functions on native arrays, which run on a device."""
    run = running(device)

    def chapter(functions: dict[str, Function]) -> SimpleNamespace:
        return SimpleNamespace(**{name: run(function) for name, function in functions.items()})

    whole = chapter({**FUNCTIONS, **STRUCTURE})
    whole.broadcast_to = running(device, copies=False)(mx.broadcast_to)
    whole.linalg, whole.fft = chapter(LINALG), chapter(FOURIER)
    return wrapped_namespace(MlxArray, whole)


# -- creation and manipulation ----------------------------------------------------------------------------------------


def _full(shape: tuple[int, ...], fill_value: Any, *, dtype: Any) -> Array:
    value = cast(fill_value, dtype) if fill_value.__class__ is ARRAY else number(fill_value, dtype)
    return mx.full(shape, value, dtype=dtype)


def _arange(start: Any, stop: Any, step: Any, *, dtype: Any) -> Array:
    kind = OPERANDS.kinds[dtype]
    length, first, stride = arange_terms(start, stop, step, kind)
    if kind in "biu":
        return cast(mx.arange(length, dtype=mx.int64) * number(stride, mx.int64) + number(first, mx.int64), dtype)
    terms = np.arange(length) * stride + first  # rounded once to the dtype, so in float64, by the host
    terms[:1] = first  # the sign of a zero
    return from_numpy(terms.astype(MlxArray.numpy_dtypes[dtype]))


def _reshape(x: Array, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    result = mx.reshape(x, shape)
    if copy is False and MlxArray(result).host().ctypes.data != MlxArray(x).host().ctypes.data:
        raise ValueError("a copy is needed, which copy=False forbids")
    return result


def _concat(arrays: Sequence[Array], *, axis: int | None) -> Array:
    arrays = OPERANDS.several(arrays)
    if axis is None:
        arrays, axis = [x.reshape(-1) for x in arrays], 0
    return mx.concatenate(list(arrays), axis)


def _take_along_axis(x: Array, indices: Array, *, axis: int) -> Array:
    indices, length = cast(indices, mx.int64), x.shape[axis]
    check_positions(indices, length, axis)
    return mx.take_along_axis(x, mx.where(indices < 0, indices + length, indices), axis)


# -- reductions and scans ---------------------------------------------------------------------------------------------


def _of_nothing(x: Array, axes: tuple[int, ...], keepdims: bool, value: Any) -> Array:
    """Return a reduction of an array without elements, on which MLX's may never end."""
    lengths = [1 if axis in axes else length for axis, length in enumerate(x.shape) if keepdims or axis not in axes]
    return mx.full(lengths, number(value, x.dtype))  # with an integer, MLX makes integers of booleans


def _summed(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    """Return sums. MLX adds float32 one after the other: long sums are those of blocks."""
    count = math.prod([x.shape[axis] for axis in axes])
    if not x.size:
        return _of_nothing(x, axes, keepdims, 0)
    if count <= BLOCK or x.dtype not in INEXACT:
        return mx.sum(x, axis=axes, keepdims=keepdims)
    rest = [axis for axis in range(x.ndim) if axis not in axes]
    lengths = [x.shape[axis] for axis in rest]
    rows = mx.transpose(x, (*rest, *axes)).reshape(*lengths, count)
    while rows.shape[-1] > BLOCK:
        whole = rows.shape[-1] // BLOCK * BLOCK
        blocks = mx.sum(rows[..., :whole].reshape(*lengths, -1, BLOCK), axis=-1)
        rows = mx.concatenate([blocks, rows[..., whole:]], -1) if whole < rows.shape[-1] else blocks
    result = mx.sum(rows, axis=-1)
    return mx.expand_dims(result, sorted(axes)) if keepdims else result


def _sum(x: Array, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Array:
    return _accumulating(_summed, x, axis, dtype, keepdims)


def _prod(x: Array, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Array:
    return _accumulating(_multiplied, x, axis, dtype, keepdims)


def _multiplied(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    if not x.size:
        return _of_nothing(x, axes, keepdims, 1)
    return mx.prod(x, axis=axes, keepdims=keepdims)


def _accumulating(function: Function, x: Array, axis: Axes, dtype: Any, keepdims: bool) -> Array:
    dtype, axes = OPERANDS.accumulated(x.dtype) if dtype is None else dtype, axes_of(x, axis)
    x = cast(x, dtype)
    if not axes:
        return x
    if dtype == mx.bool_:
        return (_any if function is _summed else _all)(x, axis=axes, keepdims=keepdims)
    return cast(function(cast(x, mx.float32) if dtype in HALVES else x, axes, keepdims), dtype)


def _mean(x: Array, *, axis: Axes = None, keepdims: bool = False) -> Array:
    axes, x = axes_of(x, axis), _floats(x)
    if not axes:
        return x
    return _summed(x, axes, keepdims) / max(math.prod([x.shape[item] for item in axes]), 0.0)


def _floats(x: Array) -> Array:
    return x if x.dtype in INEXACT else cast(x, mx.float32)


MOMENTS = SimpleNamespace(
    conj=mx.conj,
    mean=_mean,
    real=mx.real,
    sum=lambda x, *, axis, keepdims: _summed(x, axis, keepdims),
)


def _var(x: Array, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    x = _floats(x)
    is_complex = x.dtype == mx.complex64
    return variance(MOMENTS, x, axis=axis, correction=correction, keepdims=keepdims, is_complex=is_complex)


def _std(x: Array, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    return mx.sqrt(_var(x, axis=axis, correction=correction, keepdims=keepdims))


def _extreme(function: Function, name: str) -> Function:
    def computed(x: Array, *, axis: Axes = None, keepdims: bool = False) -> Array:
        axes = axes_of(x, axis)
        if x.dtype == mx.complex64:
            return NotImplemented
        check_not_empty(x, axes, name)
        if not axes:
            return x
        if not x.size:
            return _of_nothing(x, axes, keepdims, 0)
        return function(x, axis=axes, keepdims=keepdims)

    return computed


def _truth(function: Function, of_nothing: bool) -> Function:
    def computed(x: Array, *, axis: Axes = None, keepdims: bool = False) -> Array:
        axes, truth = axes_of(x, axis), x != 0
        if not x.size:
            return _of_nothing(truth, axes, keepdims, of_nothing)
        return function(truth, axis=axes, keepdims=keepdims) if axes else truth

    return computed


_any, _all = _truth(mx.any, False), _truth(mx.all, True)


def _scan(function: Function, first: int) -> Function:
    def computed(x: Array, *, axis: int, dtype: Any = None, include_initial: bool = False) -> Array:
        dtype = OPERANDS.accumulated(x.dtype) if dtype is None else dtype
        if dtype == mx.bool_:
            return computed(x, axis=axis, include_initial=include_initial) != 0
        x = cast(x, dtype)
        result = function(x, axis=axis) if x.size else x
        if not include_initial:
            return result
        return with_initial(mx.concatenate, partial(mx.full, dtype=dtype), result, axis % x.ndim, first)

    return computed


# -- searching and sorting --------------------------------------------------------------------------------------------


def _position(function: Function, name: str) -> Function:
    def computed(x: Array, *, axis: int | None = None, keepdims: bool = False) -> Array:
        if x.dtype == mx.complex64:
            return NotImplemented
        if not (x.size if axis is None else x.shape[axis]):
            raise ValueError(f"attempt to get {name} of an empty sequence")
        if not x.size:
            return cast(_of_nothing(x, axes_of(x, axis), keepdims, 0), mx.int64)
        x = cast(x, mx.uint8) if x.dtype == mx.bool_ else x
        if axis is None:
            result = cast(function(x.reshape(-1), axis=0), mx.int64)
            return result.reshape((1,) * x.ndim) if keepdims else result
        return cast(function(x, axis=axis, keepdims=keepdims), mx.int64)

    return computed


def _order_keys(x: Array) -> list[Array]:
    """Return non-negative integers of 32 bits in the order of the elements, the least significant ones first.

    NaN is the largest number. Complex numbers are in the order of their components, those with NaN last.
    """
    if x.dtype == mx.complex64:
        real, imaginary = mx.real(x), mx.imag(x)
        missing = mx.isnan(real).astype(mx.uint64) * 2 + mx.isnan(imaginary).astype(mx.uint64)
        return [*_order_keys(imaginary), *_order_keys(real), missing]
    if x.dtype in FLOATS:
        bits = mx.contiguous(cast(x, mx.float32) + 0.0).view(mx.int32)  # -0 + 0 is +0
        bits = mx.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
        x = mx.where(mx.isnan(x), 0x7FFFFFFF, bits)
    if x.dtype == mx.int64:
        x = mx.contiguous(x).view(mx.uint64) ^ number(2**63, mx.uint64)
    if x.dtype == mx.uint64:
        return [x & 0xFFFFFFFF, x >> 32]
    return [cast(cast(x, mx.int64) + (2**31 if OPERANDS.kinds[x.dtype] == "i" else 0), mx.uint64)]


def _argsort(x: Array, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return the stable order: of keys and positions in one integer, which are all different."""
    axis, length = axis % x.ndim, x.shape[axis]
    if not x.size:
        return mx.zeros(x.shape, dtype=mx.int64)
    shape = [length if item == axis else 1 for item in range(x.ndim)]
    positions = mx.arange(length, dtype=mx.uint64).reshape(shape)
    order: Any = None
    for key in _order_keys(x):
        key = key if order is None else mx.take_along_axis(key, order, axis)
        key = 0xFFFFFFFF - key if descending else key
        rank = cast(mx.sort((key << 32) | positions, axis=axis) & 0xFFFFFFFF, mx.int64)
        order = rank if order is None else mx.take_along_axis(order, rank, axis)
    return order


def _searchsorted(x1: Array, x2: Any, *, side: str = "left", sorter: Array | None = None) -> Array:
    x1, x2 = OPERANDS.promoted(x1, x2)
    if x1.dtype == mx.complex64:
        return NotImplemented
    if x1.dtype == mx.bool_:
        x1, x2 = cast(x1, mx.uint8), cast(x2, mx.uint8)
    if sorter is not None:
        check_positions(sorter, x1.shape[0], 0)
        x1 = mx.take(x1, cast(sorter, mx.int64))
    if not x1.size or not x2.size:
        return mx.zeros(x2.shape, dtype=mx.int64)
    return cast(mx.searchsorted(x1, x2, side=side), mx.int64)


STRUCTURE: dict[str, Function] = {
    "all": _all,
    "any": _any,
    "arange": _arange,
    "argmax": _position(mx.argmax, "argmax"),
    "argmin": _position(mx.argmin, "argmin"),
    "argsort": _argsort,
    "astype": astype,
    "complex_of": complex_of,
    "concat": _concat,
    "cumulative_prod": _scan(mx.cumprod, 1),
    "cumulative_sum": _scan(mx.cumsum, 0),
    "full": _full,
    "matmul": matmul,
    "max": _extreme(mx.max, "maximum"),
    "mean": _mean,
    "min": _extreme(mx.min, "minimum"),
    "nonzero": positions_of,
    "permute_dims": lambda x, axes: mx.transpose(x, axes) if axes else x,
    "prod": _prod,
    "reshape": _reshape,
    "searchsorted": _searchsorted,
    "std": _std,
    "sum": _sum,
    "take_along_axis": _take_along_axis,
    "var": _var,
    "where": where,
}
"""Functions on MLX's arrays by their operations' names."""
