"""Results of homogeneous functions, computed again from scaled operands where intermediate results leave the range.

The functions take a namespace: that of a device's native arrays or the one of Arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .compiled import is_within
from .tracing_errors import is_known

if TYPE_CHECKING:
    from .dtypes import DType

__all__ = [
    "factors_in_range",
    "is_ordinary",
    "largest",
    "least_power",
    "normalized",
    "power_of_two",
    "rescaled",
    "scales_of",
    "smallest",
    "with_scaled_operands",
]


def rescaled(
    xp: Any,
    compute: Callable[..., Any],
    operands: Sequence[Any],
    degrees: Sequence[int],
    axes: tuple[int, ...],
    result: Any,
    wrong: Any,
    size_of: Callable[[Any, Any, tuple[int, ...]], Any] | None = None,
    *,
    looks: bool = True,
) -> Any:
    """Return the result of a reduction, with wrong elements computed again; None where no operand can be scaled.

    The function is homogeneous: ``f(s x, t y) = s**degree t**degree f(x, y)``.

    Parameters
    ----------
    compute
        The reduction as a function of the operands alone.
    operands
        Operands that broadcast against each other, of as many dimensions.
    degrees
        The degree of homogeneity in each operand.
    axes
        The reduced axes. Each slice over them is divided by its own power of two.
    result
        The result for the operands as they are.
    wrong
        Mask of the shape of the result. Slices without a finite number other than zero remain as they are.
    size_of
        Function that returns the number of each slice by which it is scaled; None for :func:`largest`.
    looks
        Whether the host may look at values.
    """
    scales, can_scale = scales_of(xp, operands, axes, size_of or largest)
    usable = wrong
    for mask in can_scale:
        usable = xp.logical_and(usable, xp.reshape(mask, result.shape))
    if looks and is_known(xp.logical_not(xp.any(usable, axis=None, keepdims=False))):
        return None
    again = with_scaled_operands(xp, compute, operands, scales, degrees)
    # An infinite result that is right is kept: its derivatives are those of ordinary numbers.
    better = xp.logical_or(xp.isfinite(again), xp.isnan(result))
    return xp.where(xp.logical_and(usable, better), again, result)


def scales_of(
    xp: Any, operands: Sequence[Any], axes: tuple[int, ...], size_of: Callable[[Any, Any, tuple[int, ...]], Any]
) -> tuple[list[Any], list[Any]]:
    """Return the power of two of each slice of operands, and masks of the slices that have one; 1 for others."""
    sizes = [size_of(xp, x, axes) for x in operands]
    shape = np.broadcast_shapes(*[size.shape for size in sizes])
    sizes = [xp.broadcast_to(size, shape) for size in sizes]
    masks = [xp.logical_and(xp.less(0.0, size), xp.isfinite(size)) for size in sizes]
    return [power_of_two(xp, xp.where(mask, size, 1.0)) for size, mask in zip(sizes, masks, strict=True)], masks


def with_scaled_operands(
    xp: Any, compute: Callable[..., Any], operands: Sequence[Any], scales: Sequence[Any], degrees: Sequence[int]
) -> Any:
    """Return the result of a homogeneous function of operands divided by powers of two, multiplied by theirs."""
    with np.errstate(all="ignore"):
        result = compute(*[_quotient(xp, x, scale) for x, scale in zip(operands, scales, strict=True)])
    factors = [xp.reshape(scale, result.shape) for scale, n in zip(scales, degrees, strict=True) for _ in range(n)]
    for factor in factors_in_range(xp, *factors) if len(degrees) == 2 and len(factors) == 2 else factors:
        result = xp.multiply(result, factor)
    return result


def _quotient(xp: Any, x: Any, scale: Any) -> Any:
    """Return numbers divided by a power of two; complex division takes the reciprocal, which may overflow."""
    if x.dtype.kind != "c":
        return xp.divide(x, scale)
    limits = np.finfo(scale.dtype)
    is_small = xp.less(scale, 4.0 * float(limits.smallest_normal))
    factor = xp.where(is_small, 4.0 / float(limits.eps), xp.divide(scale, scale))
    return xp.divide(xp.multiply(x, factor), xp.multiply(scale, factor))


def factors_in_range(xp: Any, x1: Any, x2: Any) -> tuple[Any, Any]:
    """Return factors of the same product, by which a number is multiplied without leaving the range in between."""
    large, small = xp.maximum(x1, x2), xp.minimum(x1, x2)
    opposite = xp.logical_and(xp.less(1.0, large), xp.less(small, 1.0))
    with np.errstate(over="ignore", under="ignore"):
        return xp.where(opposite, xp.multiply(large, small), large), xp.where(opposite, 1.0, small)


def largest(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """Return the largest component in absolute value, with the reduced axes of length 1."""
    parts = (xp.real(x), xp.imag(x)) if x.dtype.kind == "c" else (x,)
    sizes = [xp.max(xp.abs(part), axis=axes, keepdims=True) for part in parts]
    return sizes[0] if len(sizes) == 1 else xp.maximum(*sizes)


def normalized(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """Return an operand with each slice divided by a power of two, so that its largest component is about 1."""
    return _quotient(xp, x, scales_of(xp, (x,), axes, largest)[0][0])


def smallest(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """Return the smallest of the largest components in absolute value, with the reduced axes of length 1."""
    size = xp.maximum(xp.abs(xp.real(x)), xp.abs(xp.imag(x))) if x.dtype.kind == "c" else xp.abs(x)
    return xp.min(size, axis=axes, keepdims=True)


def power_of_two(xp: Any, x: Any) -> Any:
    """Return powers of two not greater than positive numbers, and greater than a third of them.

    They are constants for derivatives: functions of them do not depend on the scale.
    """
    limits = np.finfo(x.dtype)
    factor = 2.0**limits.nmant
    # Subnormal numbers have no digits below those of the smallest one.
    is_subnormal = xp.less(x, float(limits.smallest_normal))
    with np.errstate(over="ignore"):
        x = xp.where(is_subnormal, xp.multiply(x, factor), x)
    below = xp.nextafter(x, xp.multiply(x, 0.0))
    power = xp.multiply(xp.subtract(xp.nextafter(below, math.inf), below), factor)
    return xp.where(is_subnormal, xp.divide(power, factor), power)


def least_power(dtype: DType) -> float:
    """Return the smallest number for which a sum of powers or products that is not less has all its digits."""
    limits = np.finfo(dtype)
    return float(limits.smallest_normal / limits.eps)


def is_ordinary(
    xp: Any, result: Any, least: float = 0.0, error: Any = None, degree: int = 1, most: float = math.inf
) -> bool:
    """Whether all elements of a result are finite, between two numbers, and far from the error of the mean.

    Parameters
    ----------
    least
        The smaller number. 0 stands for a result that is never negative, -infinity for one of any sign.
    error
        Array of the shape of the result, which is not less than its power of ``degree``.
    most
        The larger number.
    """
    if result.ndim and result.size == 1:
        result, error = xp.reshape(result, ()), None if error is None else xp.reshape(error, ())
    if error is not None:
        bound = float(xp.max(error, axis=None, keepdims=False) if error.ndim else error)
        least = max(least, bound if degree == 1 else bound * bound)
    is_complex = result.dtype.kind == "c"
    within = is_within(result, -math.inf, math.inf) if is_complex else is_within(result, least, most)
    if within is not None:
        return within
    if is_complex or (least == -math.inf and result.ndim):
        return bool(xp.all(xp.isfinite(result), axis=None, keepdims=False))
    if not result.ndim:
        low = high = float(result)
    else:
        high = float(xp.max(result, axis=None, keepdims=False))
        low = float(xp.min(result, axis=None, keepdims=False)) if least else 0.0
    # NaN is less than no number, and not between others.
    return least <= low and -math.inf < low and high <= most and high < math.inf
