"""Formulas of functions with NumPy's names that are one kernel, or two, where the device has a generator.

Kernels do not warn. Where NumPy may warn, the result is not finite; the caller then computes it without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _ops as xp
from .._core.array import Array, Axis
from .._core.dtypes import kind_of
from .._core.scaling import least_power
from .._fuse.formulas import attempt_formula

__all__ = ["close", "mean_of_numbers", "of_numbers", "sum_of_numbers", "variance_of_numbers", "weighted_mean"]


MIN_SIZE = 2**15
"""Elements from which these functions gain by kernels; below, a call takes longer than NumPy's loops."""


def of_numbers(
    formula: Callable[..., Array], a: Any, axis: Any, keepdims: Any, *further: float, of_squares: bool = False
) -> Any:
    """Return a formula's result for the elements that are not NaN; NotImplemented where NumPy's functions compute.

    ``of_squares`` says that small results may have lost digits.
    """
    if a.__class__ is not Array or a.size < MIN_SIZE or kind_of(a.dtype) != "f" or not a._device.host:
        return NotImplemented
    if keepdims.__class__ is not bool or not (
        axis is None or axis.__class__ is int or (axis.__class__ is tuple and axis)
    ):
        return NotImplemented
    result = attempt_formula(formula, a, axis, keepdims, *further)
    if result is NotImplemented or not bool(xp.all(xp.isfinite(result))):
        return NotImplemented
    if of_squares and not bool(xp.all(result >= least_power(a.dtype))):
        return NotImplemented
    return result


def sum_of_numbers(a: Array, axis: Axis, keepdims: bool) -> Array:
    """Sum of the elements that are not NaN."""
    return xp.sum(xp.where(xp.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)


def mean_of_numbers(a: Array, axis: Axis, keepdims: bool) -> Array:
    """Mean of the elements that are not NaN."""
    return sum_of_numbers(a, axis, keepdims) / _count(a, axis, keepdims)


def variance_of_numbers(a: Array, axis: Axis, keepdims: bool, correction: float) -> Array:
    """Variance of the elements that are not NaN."""
    distance = xp.where(xp.isnan(a), 0.0, a - mean_of_numbers(a, axis, True))
    count, error = _count(a, axis, keepdims), xp.sum(distance, axis=axis, keepdims=keepdims)
    total = xp.sum(distance * distance, axis=axis, keepdims=keepdims)
    return xp.maximum(total - error * (error / count), 0.0) / (count - correction)


def _count(a: Array, axis: Axis, keepdims: bool) -> Array:
    valid = xp.astype(xp.logical_not(xp.isnan(a)), xp.int64)
    return xp.astype(xp.sum(valid, axis=axis, keepdims=keepdims), a.dtype)


def _gain(x: Array, y: Array) -> bool:
    return (
        x.size >= MIN_SIZE and kind_of(x.dtype) == "f" and x._device.host and x.shape == y.shape and x.dtype == y.dtype
    )


def weighted_mean(x: Array, weights: Array, axis: Axis, keepdims: bool) -> tuple[Array, Array] | None:
    """Return the weighted mean and the sum of the weights; None where NumPy's functions compute."""
    if not _gain(x, weights) or keepdims.__class__ is not bool:
        return None
    fused = attempt_formula(_weighted_mean, x, weights, axis, keepdims)
    if fused is NotImplemented:
        return None
    mean, total, products = fused
    usable = xp.isfinite(mean) & xp.isfinite(total) & (xp.abs(products) >= least_power(x.dtype))
    return (mean, total) if bool(xp.all(usable)) else None


def _weighted_mean(x: Array, weights: Array, axis: Axis, keepdims: bool) -> tuple[Array, Array, Array]:
    total, products = (xp.sum(item, axis=axis, keepdims=keepdims) for item in (weights, x * weights))
    return products / total, total, products


def close(x: Array, y: Array, rtol: float, atol: float) -> Any:
    """Return whether real numbers are close; NotImplemented where NumPy's functions compute."""
    if not _gain(x, y):
        return NotImplemented
    fused = attempt_formula(_close, x, y, float(rtol), float(atol))
    if fused is NotImplemented:
        return NotImplemented
    result, largest = fused
    return result if bool(xp.isfinite(largest)) else NotImplemented


def _close(x: Array, y: Array, rtol: float, atol: float) -> tuple[Array, Array]:
    """Whether elements are close, and the largest of the numbers that are compared, of which NumPy may warn."""
    finite = xp.isfinite(x) & xp.isfinite(y)
    reference = xp.where(finite, y, 0.0)
    distance = xp.abs(xp.where(finite, x, 0.0) - reference)
    tolerance = rtol * xp.abs(reference) + atol
    return (finite & (distance <= tolerance)) | (x == y), xp.max(xp.maximum(distance, tolerance))
