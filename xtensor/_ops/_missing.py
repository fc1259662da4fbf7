"""Reductions of the elements that are neither NaN nor masked, for the public functions of :mod:`nan_reductions`.

A mask and NaN are one thing here: both make an element invalid, and invalid elements get a value that changes nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _ops as xp
from .. import linalg
from .._core.array import Array, Axis
from .._core.checks import check_axes
from .._core.device import base_device
from .._core.dtypes import finfo, kind_of
from .._core.errors import describe
from .._core.indexing import ASSIGNED_WHERE
from .._core.large_calls import call_elementwise_if_implemented
from .._core.rescaling import rescaled_where_needed
from .._core.tracing_errors import any_true, rarely
from . import _casts
from ._arguments import as_arrays, flattened, on_device, store, with_derivative_of
from ._fused import mean_of_numbers, of_numbers, sum_of_numbers, variance_of_numbers

__all__ = ["accumulated", "argextreme", "correction_of", "extreme", "mean", "reduced", "sum_from", "variance"]


def accumulated(name: str, a: Any, axis: Any, dtype: Any, out: Array | None, accumulate: Any, identity: Any) -> Array:
    """Return cumulative sums or products; ``identity`` replaces NaN unless it is None."""
    (a,) = as_arrays(name, a)
    if identity is not None and kind_of(a.dtype) in "fc":
        a = xp.where(xp.isnan(a), identity, a)
    a = _casts.counted(a)
    a, axis = (flattened(a), 0) if axis is None else (a, axis)
    return store(name, accumulate(a, axis=axis, dtype=_casts.reduction_dtype(out, a, dtype)), out)


def reduced(
    name: str,
    a: Any,
    axis: Axis,
    dtype: Any,
    out: Array | None,
    keepdims: bool,
    initial: Any,
    where: Any,
    reduce: Any,
    combine: Any,
    identity: int,
) -> Array:
    """Return the sum or product of the valid elements, combined with an initial value."""
    if reduce is xp.sum and where is True and dtype is None and out is None and initial is None:
        computed = of_numbers(sum_of_numbers, a, axis, keepdims)
        if computed is not NotImplemented:
            return computed  # type: ignore[no-any-return]
    numbers = _casts.counted(_with_identity(name, a, where, identity))
    result = reduce(numbers, axis=axis, dtype=_casts.reduction_dtype(out, numbers, dtype), keepdims=keepdims)
    if initial is not None:
        start = _initial(name, initial, result)
        result = sum_from(start, result, numbers, axis, keepdims) if reduce is xp.sum else combine(result, start)
    return store(name, result, out)


def sum_from(initial: Array, total: Array, x: Array, axis: Axis, keepdims: bool) -> Array:
    """Return the sum of an initial value and of elements, whose sum without it is ``total``.

    Negative zeros alone have the sum -0, where a sum of no elements is +0.
    """
    result = initial + total
    if kind_of(x.dtype) != "f" or kind_of(result.dtype) != "f":
        return result
    negative = xp.all(xp.signbit(x), axis=axis, keepdims=keepdims) & xp.signbit(initial)
    return xp.where(negative & (result == 0), -(-initial - total), result)


def mean(name: str, a: Any, axis: Axis, dtype: Any, out: Array | None, keepdims: bool, where: Any) -> Array:
    """Return the arithmetic mean of the valid elements."""
    if where is True and dtype is None and out is None:
        computed = of_numbers(mean_of_numbers, a, axis, keepdims)
        if computed is not NotImplemented:
            return computed  # type: ignore[no-any-return]
    a, invalid = _invalid(name, a, where)
    a = _floating(a, dtype, out, name)
    if invalid is None and a.size:
        return store(name, xp.mean(a, axis=axis, keepdims=keepdims), out)
    result_dtype, a = a.dtype, _casts.widened(a)
    count = _count(a, invalid, axis, keepdims)

    def compute(x: Array) -> tuple[Array, None]:
        quotient = _quotient(xp.sum(x, axis=axis, dtype=x.dtype, keepdims=keepdims), count)
        return quotient, None

    axes = _axes(axis, a.ndim, name)
    quotient = rescaled_where_needed(
        xp, compute, lambda: (_filled(a, invalid, 0.0),), (1,), axes, joined=with_derivative_of
    )
    if base_device(a.device).lazy and invalid is not None:  # the sum may have left the range, a mean does not
        factor = _quotient(xp.full_like(count, a.size / max(count.size, 1)), count)
        average = xp.mean(_filled(a, invalid, 0.0), axis=axis, keepdims=keepdims) * xp.astype(factor, a.dtype)
        quotient = xp.where(xp.isfinite(quotient), quotient, average)
    return store(name, xp.astype(quotient, result_dtype, copy=False), out)


def variance(
    name: str,
    a: Any,
    axis: Axis,
    dtype: Any,
    out: Array | None,
    correction: float,
    keepdims: bool,
    where: Any,
    mean: Any,
    *,
    root: bool = False,
) -> Array:
    """Return the variance of the valid elements, from their mean or the given one; or its root."""
    if where is True and dtype is None and out is None and mean is None:
        computed = of_numbers(variance_of_numbers, a, axis, keepdims, float(correction), of_squares=True)
        if computed is not NotImplemented:
            return xp.sqrt(computed) if root else computed
    a, invalid = _invalid(name, a, where)
    a = _floating(a, dtype, out, name)
    if invalid is None and mean is None and not correction and a.size:
        return (xp.std if root else xp.var)(a, axis=axis, keepdims=keepdims)
    real, a = finfo(a.dtype).dtype, _casts.widened(a)
    count = _count(a, invalid, axis, True)

    center = None if mean is None else xp.astype(on_device(name, mean, a.device), a.dtype)

    def compute(x: Array) -> tuple[Array, Array]:
        error = None
        if center is not None:
            distance = x
        else:
            average = _quotient(xp.sum(x, axis=axis, dtype=x.dtype, keepdims=True), count)
            if invalid is None:
                distance = x - average
            else:
                x -= average  # in memory of this function: as many arrays as NumPy has
                distance = _cleared(x, invalid)
            # The error of a mean that is far larger than the distances is of their size.
            error = xp.sum(distance, axis=axis, dtype=x.dtype, keepdims=keepdims)
        # The squared modulus; abs() would take a square root first.
        if kind_of(x.dtype) == "f":
            distance *= distance
            squares = distance
        else:
            squares = xp.real(distance) ** 2 + xp.imag(distance) ** 2
        total = xp.sum(squares, axis=axis, dtype=squares.dtype, keepdims=keepdims)
        number = xp.reshape(count, total.shape)
        if error is not None:
            error = xp.abs(error)
            excess = error * _quotient(error, number)
            total = xp.where(excess > total, 0.0, total - xp.where(xp.isfinite(excess), excess, 0.0))
        result = _quotient(total, number - correction)
        return _root(result) if root else result, total

    def operands() -> tuple[Array]:
        # Distances from a given mean are scaled, not the elements: the mean may be of any scale.
        return (_filled(a if center is None else a - center, invalid, 0.0),)

    axes, degree = _axes(axis, a.ndim, name), 1 if root else 2

    def joined(_: Array, value: Array) -> Array:
        """Return the value with the derivative of a formula whose derivatives do not leave the range."""
        (x,) = operands()
        with np.errstate(all="ignore"):
            if center is None:
                weight = _quotient(xp.full_like(count, x.size / max(count.size, 1)), count)
                x = x - xp.mean(x, axis=axis, keepdims=True) * xp.astype(weight, x.dtype)
                x = x if invalid is None else _cleared(x, invalid)
            if root:
                size = linalg.vector_norm(x, axis=axes, keepdims=keepdims)
                divisor = xp.astype(xp.reshape(count, size.shape) - correction, size.dtype)
                return with_derivative_of(size / xp.sqrt(divisor), value)
            squares = xp.real(x) ** 2 + xp.imag(x) ** 2 if x.dtype.kind == "c" else x * x
            total = xp.sum(squares, axis=axis, dtype=squares.dtype, keepdims=keepdims)
            return with_derivative_of(_quotient(total, xp.reshape(count, total.shape) - correction), value)

    result = rescaled_where_needed(
        xp, compute, operands, (degree,), axes, centered=center is None, repeats=True, joined=joined
    )
    return xp.astype(result, real, copy=False)


def extreme(
    name: str, a: Any, axis: Axis, out: Array | None, keepdims: bool, initial: Any, where: Any, *, largest: bool
) -> Array:
    """Return the largest or smallest valid element, or the initial value if that exceeds it."""
    a, invalid = _invalid(name, a, where)
    if initial is None and where is not True:
        raise ValueError(
            f"reduction operation '{'fmax' if largest else 'fmin'}' does not have an identity, so to use a where mask "
            f"one has to specify 'initial'; {name}() got {describe(where)} for where"
        )
    if initial is not None:
        a = _casts.comparison_operand(out, a)
    reduce: Any = xp.max if largest else xp.min
    larger = xp.maximum if largest else xp.minimum
    numbers = _casts.counting(a)
    floating = kind_of(a.dtype) == "f"
    if a.dtype.kind == "c":  # in the order of the real part, then of the imaginary part
        if initial is not None:
            raise TypeError(f"{name}() takes initial for real numbers, not for {a.dtype}; omit it")
        reduce = _last_complex if largest else _first_complex
        identity: Any = complex(-xp.inf, -xp.inf) if largest else complex(xp.inf, xp.inf)
    elif floating:
        identity = -xp.inf if largest else xp.inf
    else:
        limits = np.iinfo(numbers.dtype)
        identity = int(limits.min if largest else limits.max)
    if initial is None:
        result = reduce(_filled(numbers, invalid, identity), axis=axis, keepdims=keepdims)
        if invalid is not None:
            result = xp.where(xp.all(invalid, axis=axis, keepdims=keepdims), xp.nan, result)
    else:
        exists = xp.ones(a.shape, dtype=np.bool_, device=a.device) if invalid is None else ~invalid
        exists = xp.any(exists, axis=axis, keepdims=keepdims)
        start = xp.broadcast_to(_initial(name, initial, numbers), exists.shape)
        result = start
        if a.size:
            extremes = reduce(_filled(numbers, invalid, identity), axis=axis, keepdims=keepdims)
            exceeds = ~exists | (start == larger(start, extremes))
            result = xp.where(exceeds, start, extremes)
    return store(name, xp.astype(result, a.dtype, copy=False), out)


def _first_complex(a: Array, *, axis: Axis, keepdims: bool, position: int = 0) -> Array:
    """Return the first element over some axes in the order of the real part, then of the imaginary part."""
    axes = _axes(axis, a.ndim, "nanmin")
    others = tuple(i for i in range(a.ndim) if i not in axes)
    kept = tuple(1 if i in axes else a.shape[i] for i in range(a.ndim))
    count = math.prod(a.shape[i] for i in axes)
    if not count:
        raise ValueError(
            f"zero-size array to reduction operation fmin which has no identity; there is no element in shape {a.shape}"
        )
    lines = xp.reshape(xp.permute_dims(a, (*others, *axes)), (*(a.shape[i] for i in others), count))
    result = _casts.sort(lines)[..., position]
    return xp.reshape(result, kept) if keepdims else result


def _last_complex(a: Array, *, axis: Axis, keepdims: bool) -> Array:
    return _first_complex(a, axis=axis, keepdims=keepdims, position=-1)


def _axes(axis: Axis, ndim: int, name: str) -> tuple[int, ...]:
    """Return the reduced axes."""
    return tuple(range(ndim)) if axis is None else check_axes(axis, ndim, name)


def argextreme(name: str, a: Any, axis: int | None, out: Array | None, keepdims: bool, *, largest: bool) -> Array:
    """Return the index of the first element that equals the extreme."""
    (a,) = as_arrays(name, a)
    if kind_of(a.dtype) in "fc":
        positions = extreme(name, a, axis, None, True, None, True, largest=largest)
        if rarely(any_true, xp.isnan(positions)):
            raise ValueError(
                f"All-NaN slice encountered; {name}(): a slice of the array of shape {a.shape} has only NaN; remove it "
                "or replace NaN before"
            )
        matches = a == positions
        result = xp.argmax(_casts.counting(matches), axis=axis, keepdims=keepdims)
    else:
        numbers = _casts.counting(a)
        result = (xp.argmax if largest else xp.argmin)(numbers, axis=axis, keepdims=keepdims)
    if isinstance(out, Array) and out.dtype != result.dtype:
        raise TypeError(
            f"Cannot cast array data from {out.dtype!r} to {result.dtype!r} according to the rule 'safe'; {name}()"
            f" writes indices to an Array of {result.dtype}"
        )
    return store(name, result, out)


def correction_of(name: str, ddof: float, correction: float | None) -> float:
    """Return the degrees-of-freedom adjustment, which either of two parameters may give."""
    chosen = ddof if correction is None else correction
    if isinstance(chosen, bool) or not isinstance(chosen, (int, float, np.number)):
        raise TypeError(f"{name}(): ddof is a real number, not {describe(chosen)}")
    if correction is not None and ddof:
        raise ValueError(
            f"ddof and correction can't be provided simultaneously.; {name}(): they are two names of one number, give "
            "one of them"
        )
    return float(chosen)


def _invalid(name: str, a: Any, where: Any) -> tuple[Array, Array | None]:
    """Return an array and a mask of its invalid elements: NaN, and those not selected; None if all are valid."""
    given = as_arrays(name, a) if isinstance(where, bool) else as_arrays(name, a, where)
    x = given[0]
    invalid = xp.isnan(x) if kind_of(x.dtype) in "fc" else None
    if where is True:
        return x, invalid
    if where is False:
        return x, xp.ones(x.shape, dtype=np.bool_, device=x.device)
    if hasattr(where, "dtype") and where.dtype.kind != "b":
        raise TypeError(
            f"Cannot cast array data from {where.dtype!r} to dtype('bool') according to the rule 'safe'; {name}() takes"
            " a mask of booleans for where"
        )
    unselected = ~xp.broadcast_to(xp.astype(given[1], np.bool_), x.shape)
    return x, unselected if invalid is None else invalid | unselected


def _with_identity(name: str, a: Any, where: Any, identity: int) -> Array:
    """Return an array with the identity element of a reduction in place of its invalid elements."""
    return _filled(*_invalid(name, a, where), identity)


def _filled(a: Array, invalid: Array | None, value: Any) -> Array:
    """Return an array with a number in place of its invalid elements."""
    if invalid is None:
        return a
    if kind_of(a.dtype) in "fc":
        return xp.where(invalid, value, a)  # a Python number promotes to the dtype of the array
    return xp.where(invalid, xp.full((), value, dtype=a.dtype, device=a.device), a)


def _cleared(a: Array, invalid: Array) -> Array:
    """Return an array that nobody else has with zeros in place of its invalid elements."""
    zero = xp.zeros((), dtype=a.dtype, device=a.device)
    if (
        call_elementwise_if_implemented(ASSIGNED_WHERE, a.device, a._native, invalid._native, zero._native)
        is NotImplemented
    ):
        return xp.where(invalid, zero, a)
    return a


def _initial(name: str, value: Any, like: Array) -> Array:
    """Return an initial value as a 0-d Array of the dtype of another."""
    initial = on_device(name, value, like.device)
    if initial.ndim:
        raise ValueError(
            f"setting an array element with a sequence.; {name}() takes one number for initial, not {describe(value)}"
        )
    return xp.astype(initial, like.dtype)


def _floating(a: Array, dtype: Any, out: Any, name: str) -> Array:
    """Return an array as floating-point numbers: of ``dtype``, of its own dtype or of the default one."""
    if isinstance(out, Array) and kind_of(a.dtype) in "fc" and kind_of(out.dtype) not in "fc":
        raise TypeError(f"If a is inexact, then out must be inexact; {name}() does not write to dtype {out.dtype}")
    if dtype is None:
        a = _casts.floating(a)
        dtype = _casts.reduction_dtype(out, a, None)
        return a if dtype is None else xp.astype(a, dtype)
    result = xp.astype(a, dtype, copy=False)
    if kind_of(result.dtype) not in "fc":
        raise TypeError(
            f"If a is inexact, then dtype must be inexact; {name}(): dtype is a floating-point one, not {result.dtype}"
        )
    return result


def _count(a: Array, invalid: Array | None, axis: Axis, keepdims: bool) -> Array:
    """Return the number of valid elements, in the real dtype of the precision of ``a``."""
    if invalid is None and axis is None and keepdims is False:
        return xp.full((), a.size, dtype=finfo(a.dtype).dtype, device=a.device)
    if invalid is None:
        invalid = xp.zeros(a.shape, dtype=np.bool_, device=a.device)
    counted = xp.count_nonzero(invalid, axis=axis, keepdims=keepdims)
    return xp.astype(a.size // max(counted.size, 1) - counted, finfo(a.dtype).dtype)


def _root(x: Array) -> Array:
    """Return square roots; the derivative at 0 is 0, as that of :func:`std`."""
    is_zero = x == 0
    return xp.where(is_zero, 0.0, xp.sqrt(xp.where(is_zero, 1.0, x)))


def _quotient(total: Array, count: Array) -> Array:
    """Return ``total / count``, NaN where the count is not positive, as is the derivative of real numbers."""
    is_complex = total.dtype.kind == "c"
    divisor = xp.astype(xp.where(count > 0, count, 1.0 if is_complex else xp.nan), total.dtype)
    with np.errstate(invalid="ignore"):
        quotient = total / divisor
    return xp.where(count > 0, quotient, xp.nan) if is_complex else quotient
