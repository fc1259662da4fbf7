"""The standard's reductions with NumPy's parameters: ``dtype``, ``out``, ``initial``, ``where``, ``ddof``, ``mean``.

Array's methods and ``__array_function__`` use them. A masked element is replaced by the identity element of the
reduction; means and variances divide by the number of elements that are left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array, Axis
from .._core.checks import check_axes
from .._core.dtypes import as_dtype
from .._core.errors import describe
from .._core.methods import NO_VALUE
from .._ops._arguments import as_arrays, store
from .._ops._casts import comparison_operand, counted, floating, reduction_dtype
from .._ops._missing import sum_from
from ..linalg import vector_norm

__all__ = ["NO_VALUE", "all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "std", "sum", "var"]


def all(
    a: Any, axis: Axis = None, out: Array | None = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
) -> Array:
    """Return whether all elements are true; NumPy, ``all``."""
    a, axis = _operand("all", a, axis)
    result = xp.all(_masked("all", a, where, True), axis=axis, keepdims=_flag(keepdims))
    return store("all", result, out, "unsafe")


def any(
    a: Any, axis: Axis = None, out: Array | None = None, keepdims: Any = NO_VALUE, *, where: Any = NO_VALUE
) -> Array:
    """Return whether some element is true; NumPy, ``any``."""
    a, axis = _operand("any", a, axis)
    result = xp.any(_masked("any", a, where, False), axis=axis, keepdims=_flag(keepdims))
    return store("any", result, out, "unsafe")


def argmax(a: Any, axis: int | None = None, out: Array | None = None, *, keepdims: Any = NO_VALUE) -> Array:
    """Return the index of the first maximum; NumPy, ``argmax``."""
    a, axis = _operand("argmax", a, axis)
    return store("argmax", xp.argmax(counted(a), axis=axis, keepdims=_flag(keepdims)), out)


def argmin(a: Any, axis: int | None = None, out: Array | None = None, *, keepdims: Any = NO_VALUE) -> Array:
    """Return the index of the first minimum; NumPy, ``argmin``."""
    a, axis = _operand("argmin", a, axis)
    return store("argmin", xp.argmin(counted(a), axis=axis, keepdims=_flag(keepdims)), out)


def max(
    a: Any,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Array:
    """Return the maximum; NumPy, ``max``."""
    return _extremum("max", "maximum", a, axis, out, keepdims, initial, where)


def min(
    a: Any,
    axis: Axis = None,
    out: Array | None = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Array:
    """Return the minimum; NumPy, ``min``."""
    return _extremum("min", "minimum", a, axis, out, keepdims, initial, where)


def _extremum(
    name: str, ufunc: str, a: Any, axis: Axis, out: Array | None, keepdims: Any, initial: Any, where: Any
) -> Array:
    a, axis = _operand(name, a, axis)
    boolean = a.dtype.kind == "b"
    a = counted(a)
    keepdims = _flag(keepdims)
    if initial is NO_VALUE:
        if _is_mask(where):
            raise ValueError(
                f"reduction operation '{ufunc}' does not have an identity, so to use a where mask one has to specify "
                f"'initial'; pass initial= to {name}() beside where={describe(where)}"
            )
        result = getattr(xp, name)(a, axis=axis, keepdims=keepdims)
    else:
        a = _masked(name, comparison_operand(out, a), where, initial)
        if a.size:
            result = getattr(xp, name)(a, axis=axis, keepdims=keepdims)
            result = getattr(xp, ufunc)(result, _like(initial, result))
        else:
            result = xp.full(_reduced_shape(name, a, axis, keepdims), initial, dtype=a.dtype, device=a.device)
    return store(name, xp.astype(result, np.bool_) if boolean else result, out)


def sum(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Array:
    """Return the sum; NumPy, ``sum``."""
    a, axis = _operand("sum", a, axis)
    a = _masked("sum", counted(a), where, 0)
    result = xp.sum(a, axis=axis, dtype=reduction_dtype(out, a, dtype), keepdims=_flag(keepdims))
    if initial is not NO_VALUE:
        result = sum_from(_like(initial, result), result, a, axis, _flag(keepdims))
    return store("sum", result, out)


def prod(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: Any = NO_VALUE,
    initial: Any = NO_VALUE,
    where: Any = NO_VALUE,
) -> Array:
    """Return the product; NumPy, ``prod``."""
    a, axis = _operand("prod", a, axis)
    a = _masked("prod", counted(a), where, 1)
    result = xp.prod(a, axis=axis, dtype=reduction_dtype(out, a, dtype), keepdims=_flag(keepdims))
    return store("prod", result if initial is NO_VALUE else xp.multiply(result, _like(initial, result)), out)


def mean(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
) -> Array:
    """Return the arithmetic mean, in ``dtype``; NumPy, ``mean``."""
    (a,) = as_arrays("mean", a)
    dtype = _unrounded(a, dtype, out)
    if dtype is not None:  # elements are cast first, to integers as well
        a = xp.astype(a, as_dtype(dtype, "mean"), copy=False)
    x = floating(a)
    if not _is_mask(where):
        result = xp.mean(x, axis=axis, keepdims=_flag(keepdims))
    else:
        total = xp.sum(_masked("mean", x, where, 0), axis=axis, keepdims=_flag(keepdims))
        result = xp.divide(total, xp.astype(_count(x, where, axis, _flag(keepdims)), total.dtype))
    if dtype is not None:
        result = xp.astype(result, as_dtype(dtype, "mean"), copy=False)
    return store("mean", result, out)


def var(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    ddof: Any = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Array:
    """Return the variance, whose divisor is the number of elements less ``ddof``; NumPy, ``var``."""
    (a,) = as_arrays("var", a)
    dtype = _unrounded(a, dtype, out)
    return store("var", _variance("var", a, axis, dtype, ddof, keepdims, where, mean, correction), out)


def std(
    a: Any,
    axis: Axis = None,
    dtype: Any = None,
    out: Array | None = None,
    ddof: Any = 0,
    keepdims: Any = NO_VALUE,
    *,
    where: Any = NO_VALUE,
    mean: Any = NO_VALUE,
    correction: Any = NO_VALUE,
) -> Array:
    """Return the standard deviation, the root of the variance; NumPy, ``std``."""
    (a,) = as_arrays("std", a)
    dtype = _unrounded(a, dtype, out)
    return store("std", _variance("std", a, axis, dtype, ddof, keepdims, where, mean, correction), out)


def _variance(
    name: str, a: Any, axis: Axis, dtype: Any, ddof: Any, keepdims: Any, where: Any, center: Any, correction: Any
) -> Array:
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError(f"ddof and correction can't be provided simultaneously; pass one of them to {name}()")
        ddof = correction
    x, keepdims = _floating(name, a, dtype), _flag(keepdims)
    if not _is_mask(where) and center is NO_VALUE and x.dtype.kind != "c":
        result: Array = getattr(xp, name)(x, axis=axis, correction=ddof, keepdims=keepdims)
    else:
        if center is NO_VALUE:
            center = mean(x, axis, keepdims=True, where=where)
        deviation = xp.abs(xp.subtract(x, as_arrays(name, x, center)[1]))
        deviation = _masked(name, deviation, where, 0)
        count = xp.astype(_count(x, where, axis, keepdims), deviation.dtype)
        freedom = xp.maximum(xp.subtract(count, float(ddof)), 0.0)
        if name == "std":  # the norm's powers stay in range, and its derivative at 0 is 0
            length = vector_norm(deviation, axis=axis, keepdims=keepdims)
            result = xp.divide(length, xp.sqrt(freedom))
        else:
            result = xp.divide(xp.sum(xp.square(deviation), axis=axis, keepdims=keepdims), freedom)
    if dtype is not None and as_dtype(dtype, name).kind != "c":
        result = xp.astype(result, as_dtype(dtype, name), copy=False)
    return result


def _operand(name: str, a: Any, axis: Any) -> tuple[Array, Any]:
    """Return an operand as an Array, and the axes to reduce; NumPy takes axis 0 of a 0-d array for no axis."""
    x: Array = as_arrays(name, a)[0]
    return x, None if not x.ndim and axis.__class__ is int and axis in (0, -1) else axis


def _flag(keepdims: Any) -> Any:
    return False if keepdims is NO_VALUE else keepdims


def _is_mask(where: Any) -> bool:
    return where is not NO_VALUE and where is not True


def _floating(name: str, a: Array, dtype: Any) -> Array:
    """Return an array in the dtype in which a mean is computed: integers in the default floating-point dtype."""
    if dtype is not None and as_dtype(dtype, name).kind not in "biu":
        return xp.astype(a, as_dtype(dtype, name), copy=False)
    return floating(a)


def _unrounded(a: Array, dtype: Any, out: Any) -> Any:
    """Return the dtype of a mean that is written to an array: it is not rounded to a narrower one before."""
    if dtype is not None or out is None:
        return dtype
    return reduction_dtype(out, floating(a), None) or (np.float32 if a.dtype == np.float16 else None)


def _masked(name: str, a: Array, where: Any, neutral: Any) -> Array:
    """Return an array with a value that does not affect the reduction in the place of the elements to ignore."""
    if not _is_mask(where):
        return a
    mask = xp.broadcast_to(as_arrays(name, a, where)[1], a.shape)  # a mask adds no axes and no elements
    return xp.where(mask, a, _like(neutral, a))


def _count(a: Array, where: Any, axis: Axis, keepdims: bool) -> Array:
    """Return the number of elements along the reduced axes that the mask selects."""
    selected = xp.ones_like(a, dtype=np.bool_)
    return xp.count_nonzero(_masked("count_nonzero", selected, where, False), axis=axis, keepdims=keepdims)


def _like(value: Any, a: Array) -> Array:
    """Return a value as a 0-d array of the dtype of an array, or an Array in its dtype."""
    if isinstance(value, Array):
        return xp.astype(value, a.dtype, copy=False)
    return xp.asarray(value, dtype=a.dtype, device=a.device)


def _reduced_shape(name: str, a: Array, axis: Axis, keepdims: bool) -> tuple[int, ...]:
    axes = range(a.ndim) if axis is None else check_axes(axis, a.ndim, name)
    if keepdims:
        return tuple([1 if position in axes else length for position, length in enumerate(a.shape)])
    return tuple([length for position, length in enumerate(a.shape) if position not in axes])
