"""Derivatives of reductions and scans.

Conventions: ``max`` and ``min`` share the cotangent equally among equal elements; ``std`` and ``vector_norm`` have
derivative 0 where they are 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, TypeVar

from ... import _ops as xp
from ... import linalg
from ..._core.array import Array
from ..._core.dtypes import is_narrow, kind_of
from ..._core.rescaling import needs_scaling
from ..._core.scaling import largest, power_of_two
from ..._ops.counting import bincount
from .._table import constant, pullback
from .partial_products import cumulative_prod_pullback, may_divide, products_of_others

Axis = int | tuple[int, ...] | None

F = TypeVar("F", bound=Callable[..., Any])


def axes_of(axis: Axis, ndim: int) -> tuple[int, ...]:
    """Return reduced axes as numbers in ``[0, ndim)``."""
    if axis is None:
        return tuple(range(ndim))
    return tuple(item % ndim for item in (axis if isinstance(axis, tuple) else (axis,)))


def expanded(g: Array, shape: tuple[int, ...], axis: Axis, keepdims: bool) -> Array:
    """Return an Array of a reduction's shape with the reduced axes as axes of length 1; a single number is kept."""
    if keepdims or not g.shape:  # a number broadcasts to any shape
        return g
    reduced = axes_of(axis, len(shape))
    return xp.reshape(g, tuple(1 if i in reduced else length for i, length in enumerate(shape)))


def count(shape: tuple[int, ...], axis: Axis) -> int:
    return math.prod(shape[i] for i in axes_of(axis, len(shape)))


@pullback("sum", linear=True)
def _sum(g: Array, out: Any, x: Any, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    return expanded(g, x.shape, axis, keepdims)


@pullback("mean", linear=True)
def _mean(g: Array, out: Any, x: Any, *, axis: Axis = None, keepdims: bool = False) -> Array:
    return expanded(g, x.shape, axis, keepdims) / max(count(x.shape, axis), 1)


def in_float32(function: F, compute: Callable[..., Array] | None = None) -> F:
    """Return a pullback that computes in float32 for 16-bit floating-point numbers.

    Its intermediate results leave their range where the cotangent of the operand does not, as does the result, which
    ``compute`` computes in float32 for a pullback that uses it.
    """

    @wraps(function)
    def widened(g: Array, out: Any, x: Array, **options: Any) -> Array:
        if not is_narrow(x.dtype):
            return function(g, out, x, **options)  # type: ignore[no-any-return]
        g, x = xp.astype(g, xp.float32), xp.astype(x, xp.float32)
        return function(g, None if compute is None else compute(x, **options), x, **options)  # type: ignore[no-any-return]

    return widened  # type: ignore[return-value]


@pullback("var", keeps="x")
@in_float32
def _var(g: Array, out: Any, x: Array, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False) -> Array:
    return expanded(g, x.shape, axis, keepdims) * _distance(x, axis) * (2.0 * _weight(x, axis, correction))


def _distance(x: Array, axis: Axis) -> Array:
    """Return the distances from the mean; of complex numbers, their conjugates."""
    distance = x - xp.mean(x, axis=axis, keepdims=True)
    return xp.conj(distance) if kind_of(x.dtype) == "c" else distance


def _weight(x: Array, axis: Axis, correction: float) -> float:
    """Return the weight of each square in a variance."""
    divisor = max(count(x.shape, axis) - correction, 0.0)
    return 1.0 / divisor if divisor else math.nan


@pullback("std", keeps="out x")
@partial(in_float32, compute=xp.std)
def _std(
    g: Array, out: Array, x: Array, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    # Distances in units of the deviation are ordinary numbers, by which no tangent overflows.
    is_zero = out == 0
    # NaN remains: a cotangent of a function that is NaN, such as a deviation without degrees of freedom.
    g, deviation = (
        expanded(item, x.shape, axis, keepdims)
        for item in (xp.where(is_zero & (g == g), 0, g), xp.where(is_zero, 1, out))
    )
    return g * (_distance(x, axis) / deviation) * _weight(x, axis, correction)


@pullback("max", "min", keeps="out x")
def _extreme(g: Array, out: Array, x: Array, *, axis: Axis = None, keepdims: bool = False) -> Array:
    result = expanded(out, x.shape, axis, keepdims)
    equal = (x == result) | (x != x)  # of elements with a NaN, the NaNs
    ties = xp.sum(xp.astype(equal, g.dtype), axis=axis, keepdims=True, dtype=g.dtype)
    return xp.where(equal, expanded(g, x.shape, axis, keepdims) / ties, 0)


@pullback("prod", keeps="out x")
def _prod(g: Array, out: Array, x: Array, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    g = expanded(g, x.shape, axis, keepdims)
    if may_divide(out, x):
        return g * expanded(out, x.shape, axis, keepdims) / x
    rows, restore = _along_last(xp.astype(x, out.dtype, copy=False), axis)
    by_x: Array = g * restore(products_of_others(rows))
    return by_x


def _along_last(x: Array, axis: Axis) -> tuple[Array, Any]:
    """Return an Array with the reduced axes as one, the last, and the function that restores the shape."""
    reduced = axes_of(axis, x.ndim)
    kept = tuple(i for i in range(x.ndim) if i not in reduced)
    order = (*kept, *reduced)
    moved = xp.permute_dims(x, order)
    back = tuple(order.index(i) for i in range(x.ndim))

    def restore(y: Array) -> Array:
        return xp.permute_dims(xp.reshape(y, moved.shape), back)

    return xp.reshape(moved, (*[x.shape[i] for i in kept], math.prod(x.shape[i] for i in reduced))), restore


@pullback("cumulative_sum", linear=True)
def _cumulative_sum(
    g: Array, out: Any, x: Any, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    axis = 0 if axis is None else axis % x.ndim
    if include_initial:
        g = g[(*(slice(None),) * axis, slice(1, None), ...)]
    return reversed_sum(g, axis)


def reversed_sum(g: Array, axis: int) -> Array:
    """Return the sums of each element and all after it."""
    return xp.flip(xp.cumulative_sum(xp.flip(g, axis=axis), axis=axis, dtype=g.dtype), axis=axis)


@pullback("cumulative_prod", keeps="out x")
def _cumulative_prod(
    g: Array, out: Array, x: Array, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    axis = 0 if axis is None else axis % x.ndim
    if include_initial:
        rest: Any = (*(slice(None),) * axis, slice(1, None), ...)
        g, out = g[rest], out[rest]
    if may_divide(out, x):
        return reversed_sum(g * out, axis) / x
    factors, terms = xp.moveaxis(xp.astype(x, out.dtype, copy=False), axis, -1), xp.moveaxis(g, axis, -1)
    return xp.moveaxis(cumulative_prod_pullback(factors, terms), -1, axis)


@pullback("linalg.vector_norm", keeps="out x")
@partial(in_float32, compute=linalg.vector_norm)
def _vector_norm(g: Array, out: Array, x: Array, *, axis: Axis = None, keepdims: bool = False, ord: float = 2) -> Array:
    if ord not in (0, 1, math.inf, -math.inf) and needs_scaling(_any_infinite, out):
        x, out = _with_finite_norm(x, out, axis, keepdims, ord)
    length, g = expanded(out, x.shape, axis, keepdims), expanded(g, x.shape, axis, keepdims)
    direction = xp.conj(x) if kind_of(x.dtype) == "c" else x
    if ord == 2:
        return g * _over(direction, length)
    if ord == 0:
        return xp.zeros_like(x)
    size = xp.abs(x)
    unit = _over(direction, size)
    if ord in (math.inf, -math.inf):
        extreme = xp.max if ord > 0 else xp.min
        share = xp.astype(size == extreme(size, axis=axis, keepdims=True), g.dtype)
        return g * unit * (share / xp.sum(share, axis=axis, keepdims=True, dtype=share.dtype))
    if ord == 1:
        return g * unit
    return g * unit * xp.where(size == 0, 0, _over(size, length) ** (ord - 1))


def _any_infinite(xp: Any, norms: Any) -> Any:
    return xp.any(xp.isinf(norms), axis=None, keepdims=False)


def _with_finite_norm(x: Array, out: Array, axis: Axis, keepdims: bool, ord: float) -> tuple[Array, Array]:
    """Return Arrays with the same gradient of their norms, divided by a power of two where these overflow."""
    size = largest(xp, x, axes_of(axis, x.ndim))
    overflows = xp.isinf(xp.reshape(out, size.shape)) & xp.isfinite(size)
    x = x / xp.where(overflows, power_of_two(xp, xp.where(overflows, size, 1.0)), 1.0)
    return x, linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)


def _over(x: Array, length: Array) -> Array:
    """Return a quotient, 0 where the divisor is 0."""
    is_zero = length == 0
    return xp.where(is_zero, 0, x / xp.where(is_zero, 1, length))


@pullback("bincount", keeps="x", linear=True, several=True, public=bincount)
def _bincount(g: Array, out: Any, x: Array, weights: Any, minlength: int) -> Any:
    return None, xp.take(g, x)


constant(
    "any", "all", "argmax", "argmin", "count_nonzero", "nonzero", "argsort", "searchsorted", "isin",
    "zeros", "ones", "empty", "eye", "arange", "linspace", "fft.fftfreq", "fft.rfftfreq", "linalg.matrix_rank",
)  # fmt: skip
