"""torch's functions in the standard's names and signatures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import torch

from xtensor.backend import (
    arange_terms,
    axes_of,
    check_not_empty,
    check_positions,
    with_initial,
    wrapped_namespace,
)

from ._elementwise import DIRECT, FUNCTIONS, PLAIN, astype, complex_of, where
from ._inplace import Inplace
from ._linalg import Fourier, Linalg, matmul
from ._native import (
    COMPLEX,
    FLOATS,
    HALVES,
    INEXACT,
    SIGNED,
    TENSOR,
    TO_NUMPY,
    Tensor,
    TorchArray,
    ordered,
    signed,
    wide,
)
from ._nn import Networks
from ._operands import OPERANDS, cast, number

__all__ = ["namespace"]

Axes = int | tuple[int, ...] | None

ADDED = (PLAIN | COMPLEX) - HALVES
"""The dtypes that torch adds up in the dtype itself, with NumPy's values."""


def namespace(device: torch.device) -> Any:
    """Return the functions on native arrays of a device."""
    direct = {**DIRECT, "sum": (torch.sum, ADDED & INEXACT)}
    functions = wrapped_namespace(TorchArray, _functions(device), direct=direct)
    functions.inplace = Inplace()
    return functions


def _functions(device: torch.device) -> SimpleNamespace:
    return SimpleNamespace(
        **FUNCTIONS,
        all=_all,
        any=_any,
        arange=partial(_arange, device),
        argmax=_position(torch.argmax),
        argmin=_position(torch.argmin),
        argsort=_argsort,
        astype=astype,
        broadcast_to=_broadcast_to,
        complex_of=complex_of,
        concat=_concat,
        cumulative_prod=_scan(torch.cumprod, 1),
        cumulative_sum=_scan(torch.cumsum, 0),
        sums_at=_sums_at,
        empty=partial(_empty, device),
        fft=Fourier(),
        flip=_flip,
        full=partial(_full, device),
        linalg=Linalg(),
        matmul=matmul,
        max=_extreme(torch.amax, "maximum"),
        mean=_mean,
        min=_extreme(torch.amin, "minimum"),
        nn=Networks(),
        nonzero=_nonzero,
        permute_dims=torch.permute,
        prod=_prod,
        reshape=_reshape,
        searchsorted=_searchsorted,
        sort=_sort,
        stack=_stack,
        std=_std,
        sum=_sum,
        take_along_axis=_take_along_axis,
        var=_var,
        where=where,
    )


# -- creation ---------------------------------------------------------------------------------------------------------


def _empty(device: torch.device, shape: tuple[int, ...], *, dtype: torch.dtype) -> Tensor:
    return torch.empty(shape, dtype=dtype, device=device)


def _full(device: torch.device, shape: tuple[int, ...], fill_value: Any, *, dtype: torch.dtype) -> Tensor:
    value = cast(fill_value, dtype) if fill_value.__class__ is TENSOR else number(fill_value, dtype, device)
    result = torch.empty(shape, dtype=dtype, device=device)
    result.copy_(value)
    return result


def _arange(device: torch.device, start: Any, stop: Any, step: Any, *, dtype: torch.dtype) -> Tensor:
    length, first, stride = arange_terms(start, stop, step, TO_NUMPY[dtype].kind)
    if dtype in INEXACT:
        wide_dtype = torch.float32 if device.type == "mps" else torch.float64
        result = torch.arange(length, dtype=wide_dtype, device=device) * stride + first
        result[:1] = first  # the sign of a zero
        return cast(result, dtype)
    result = torch.arange(length, dtype=torch.int64, device=device) * stride + first
    return result.view(dtype) if dtype is torch.uint64 else result.to(dtype)


# -- manipulation -----------------------------------------------------------------------------------------------------


def _broadcast_to(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    result = torch.broadcast_to(x, shape)
    # Without a repeated axis nothing tells that the result is read-only.
    return result if result.numel() != x.numel() else result.clone()


def _concat(arrays: Sequence[Tensor], *, axis: int | None) -> Tensor:
    arrays = OPERANDS.several(arrays)
    if axis is None:
        arrays, axis = [x.reshape(-1) for x in arrays], 0
    if any(x.dim() != arrays[0].dim() for x in arrays):  # torch leaves out any vector without elements
        raise ValueError(f"all the input arrays must have same number of dimensions, not {[x.dim() for x in arrays]}")
    return torch.cat(arrays, axis)


def _stack(arrays: Sequence[Tensor], *, axis: int) -> Tensor:
    return torch.stack(OPERANDS.several(arrays), axis)


def _flip(x: Tensor, *, axis: Axes = None) -> Tensor:
    return torch.flip(signed(x), axes_of(x, axis)).view(x.dtype)


def _reshape(x: Tensor, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    if copy is False:
        try:
            return x.view(shape)
        except RuntimeError as error:
            raise ValueError("a copy is needed, which copy=False forbids") from error
    return x.reshape(shape).clone() if copy else x.reshape(shape)


def _take_along_axis(x: Tensor, indices: Tensor, *, axis: int) -> Tensor:
    indices = indices.to(torch.int64)
    length = x.shape[axis]
    check_positions(indices, length, axis)
    indices = torch.where(indices < 0, indices + length, indices)
    return torch.take_along_dim(signed(x), indices, axis).view(x.dtype)


# -- reductions and scans ---------------------------------------------------------------------------------------------


def _as_summand(x: Tensor, dtype: torch.dtype) -> Tensor:
    """Return elements in the dtype in which sums and products have the bits of those in ``dtype``."""
    return signed(cast(x, dtype))


def _sum(x: Tensor, *, axis: Axes = None, dtype: torch.dtype | None = None, keepdims: bool = False) -> Tensor:
    dtype, axes = OPERANDS.accumulated(x.dtype) if dtype is None else dtype, axes_of(x, axis)
    if x.dtype is dtype and dtype in ADDED and axes:
        return torch.sum(x, axes, keepdim=keepdims, dtype=dtype)
    if not axes:
        return astype(x, dtype, copy=True)
    if dtype is torch.bool:
        return torch.any(x.to(torch.bool), axes, keepdim=keepdims)
    if dtype in HALVES:  # one rounding
        return cast(torch.sum(cast(x, torch.float32), axes, keepdim=keepdims), dtype)
    x = _as_summand(x, dtype)
    return torch.sum(x, axes, keepdim=keepdims, dtype=x.dtype).view(dtype)


def _prod(x: Tensor, *, axis: Axes = None, dtype: torch.dtype | None = None, keepdims: bool = False) -> Tensor:
    dtype, axes = OPERANDS.accumulated(x.dtype) if dtype is None else dtype, axes_of(x, axis)
    if not axes:
        return astype(x, dtype, copy=True)
    if dtype is torch.bool:
        return torch.all(x.to(torch.bool), axes, keepdim=keepdims)
    # One rounding: the products along several axes of a half dtype are of float32.
    result = _as_summand(x, torch.float32 if dtype in HALVES else dtype)
    for item in sorted([item % x.dim() for item in axes], reverse=True):
        result = torch.prod(result, item, keepdim=keepdims, dtype=result.dtype)
    return cast(result, dtype) if dtype in HALVES else result.view(dtype)


def _extreme(function: Any, name: str) -> Any:
    def computed(x: Tensor, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
        axes = axes_of(x, axis)
        if x.dtype in COMPLEX:
            return NotImplemented
        if not axes:
            return x.clone()
        check_not_empty(x, axes, name)
        if x.dtype in SIGNED:
            smallest = torch.iinfo(SIGNED[x.dtype]).min
            return (function(ordered(x), axes, keepdim=keepdims) ^ smallest).view(x.dtype)
        return function(x, axes, keepdim=keepdims)

    return computed


def _mean(x: Tensor, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    axes = axes_of(x, axis)
    x = x if x.dtype in INEXACT else x.to(torch.float64)
    return torch.mean(x, axes, keepdim=keepdims) if axes else x.clone()


def _var(x: Tensor, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    axes = axes_of(x, axis)
    x = x if x.dtype in INEXACT else x.to(torch.float64)
    if not axes:  # a variance of one element: an axis of length 1
        return _var(x[None], axis=0, correction=correction)
    if not x.numel():  # for which torch warns
        result = torch.mean(x.real, axes, keepdim=keepdims)
        return torch.zeros_like(result) if correction < 0 else result
    count = math.prod([x.shape[item] for item in axes])
    if count > max(correction, 0.0):
        return torch.var(x, axes, correction=correction, keepdim=keepdims)
    return torch.var(x, axes, correction=0, keepdim=keepdims) * count / 0.0


def _std(x: Tensor, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    return FUNCTIONS["sqrt"](_var(x, axis=axis, correction=correction, keepdims=keepdims))


def _any(x: Tensor, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    axes, truth = axes_of(x, axis), signed(x).to(torch.bool)
    return torch.any(truth, axes, keepdim=keepdims) if axes else truth.clone()


def _all(x: Tensor, *, axis: Axes = None, keepdims: bool = False) -> Tensor:
    axes, truth = axes_of(x, axis), signed(x).to(torch.bool)
    return torch.all(truth, axes, keepdim=keepdims) if axes else truth.clone()


def _scan(function: Any, first: int) -> Any:
    def computed(x: Tensor, *, axis: int, dtype: torch.dtype | None = None, include_initial: bool = False) -> Tensor:
        dtype = OPERANDS.accumulated(x.dtype) if dtype is None else dtype
        if dtype is torch.bool:
            return computed(x, axis=axis, include_initial=include_initial) != 0
        # A GPU's kernels would add up two-byte numbers in two bytes.
        x = cast(x, torch.float32) if dtype in HALVES else _as_summand(x, dtype)
        result = function(x, axis, dtype=x.dtype)
        if include_initial:
            full = partial(torch.full, dtype=x.dtype, device=x.device)
            result = with_initial(torch.cat, full, result, axis % x.dim(), first)
        return cast(result, dtype) if dtype in HALVES else result.view(dtype)

    return computed


def _sums_at(values: Tensor, positions: Tensor, size: int) -> Tensor:
    if values.dtype not in (torch.float32, torch.float64) or values.device.type == "mps":
        return NotImplemented
    # In float64, as a GPU adds up in any order.
    sums = torch.zeros(size, dtype=torch.float64, device=values.device)
    return sums.index_add_(0, positions.to(torch.int64), values.to(torch.float64)).to(values.dtype)


# -- searching and sorting --------------------------------------------------------------------------------------------


def _position(function: Any) -> Any:
    def computed(x: Tensor, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
        if x.dtype in COMPLEX:
            return NotImplemented
        if not (x.numel() if axis is None else x.shape[axis]):
            raise ValueError(f"attempt to get {function.__name__} of an empty sequence")
        x = x.to(torch.uint8) if x.dtype is torch.bool else ordered(x)
        if axis is not None or not keepdims:
            return function(x, axis, keepdim=keepdims)
        return function(x).reshape((1,) * x.dim())

    return computed


def _argsort(x: Tensor, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    if x.dtype in COMPLEX:  # in NumPy's order: numbers without NaN, by their components, then those with NaN
        order = torch.argsort(x.imag, dim=axis, descending=descending, stable=True)
        for keys in (x.real, torch.isnan(x.real) * 2 + torch.isnan(x.imag)):
            sorted_keys = torch.take_along_dim(keys, order, axis)
            later = torch.argsort(sorted_keys, dim=axis, descending=descending, stable=True)
            order = torch.take_along_dim(order, later, axis)
        return order
    return torch.argsort(ordered(x), dim=axis, descending=descending, stable=True)


def _sort(x: Tensor, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    if x.dtype in COMPLEX:
        return NotImplemented
    if x.dtype in SIGNED:
        values = torch.sort(ordered(x), dim=axis, descending=descending)[0]
        return (values ^ torch.iinfo(values.dtype).min).view(x.dtype)
    return torch.sort(x, dim=axis, descending=descending, stable=True)[0]


def _searchsorted(x1: Tensor, x2: Any, *, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    x1, x2 = OPERANDS.promoted(x1, x2)
    if x1.dtype in COMPLEX:
        return NotImplemented
    if sorter is not None:
        x1 = signed(x1)[sorter.to(torch.int64)].view(x1.dtype)
    x1, x2 = _sort_keys(x1).contiguous(), _sort_keys(x2)
    result = torch.searchsorted(x1, x2.reshape(-1).contiguous(), right=side == "right")
    return result.reshape(x2.shape)


def _sort_keys(x: Tensor) -> Tensor:
    """Return integers in the order of the elements: NaN is the largest number, as in a sorted array."""
    if x.dtype is torch.bool:
        return x.to(torch.uint8)
    if x.dtype not in FLOATS:
        return ordered(x)
    dtype = {2: torch.int16, 4: torch.int32, 8: torch.int64}[x.dtype.itemsize]
    bits = (x + 0.0).contiguous().view(dtype)  # -0 + 0 is +0
    largest = torch.iinfo(dtype).max
    keys = torch.where(bits < 0, bits ^ largest, bits)
    return torch.where(torch.isnan(x), largest, keys)


def _nonzero(x: Tensor) -> Any:
    return torch.nonzero(wide(x) if x.dtype is not torch.uint64 else signed(x), as_tuple=True)
