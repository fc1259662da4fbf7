"""Corrections of reductions whose intermediate results overflow, underflow or cancel: means, norms and variances."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .backend import Native
from .compiled import is_within
from .dtypes import DType, is_narrow, kind_of
from .scaling import is_ordinary, largest, least_power, rescaled, smallest

__all__ = ["REDUCTION_CORRECTIONS"]

Function: TypeAlias = Callable[..., Native]


class ScaledReduction:
    """Reductions for which ``f(s x) = s**degree f(x)``: means, norms, variances and their roots.

    The library's result is returned where it is an ordinary number. Where it is infinite or NaN for finite elements, or
    so small or large that powers of the elements or the root of their sum lost digits, it is computed again from the
    elements divided by a power of two.

    Attributes
    ----------
    degree
        The degree of homogeneity.
    power
        The exponent of the powers that underflow where the result does not; 0 for none, None for a result of any sign.
        That of norms is ``ord``.
    centered
        Whether ``f(x + c) = f(x)``. Where the mean is far larger than the distances from it, its error is of their
        size: the distances are then reduced.
    axes
        The reduced axes of a function without the option ``axis``.
    """

    def __init__(
        self, degree: int, power: int | None = 0, *, centered: bool = False, axes: tuple[int, ...] | None = None
    ) -> None:
        self.degree, self.power, self.centered, self.axes = degree, power, centered, axes

    def __call__(self, xp: Any, raw: Function) -> Function:
        """Return the corrected function of a library."""
        degree, centered = self.degree, self.centered
        is_mean = self.power is None

        def corrected(x: Native, **options: Any) -> Native:
            if is_mean and x.size and (largest_sum := LARGEST_SUMS.get(x.dtype)) is not None:
                most = largest_sum / x.size
                if is_within(x, -most, most):
                    return raw(x, **options)  # no sum overflows
            if is_narrow(x.dtype):
                return xp.astype(corrected(xp.astype(x, np.dtype(np.float32)), **options), x.dtype)
            limits = self._limits(x, options)
            if limits is None:
                return raw(x, **options)
            least, most, eps = limits
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                result = raw(x, **options)
                error = _error_of_mean(xp, x, options, eps) if centered else None
                if is_ordinary(xp, result, least, error, degree, most):
                    return result
                reduced = self._reduced(x, options)
                if math.prod([x.shape[axis] for axis in reduced]) <= options.get("correction", -1.0):
                    return raw(x, **options)
                wrong = _outside(xp, result, limits)
                if error is not None:
                    cancels = xp.less(result, error if degree == 1 else xp.square(error))
                    wrong = xp.logical_or(wrong, xp.logical_and(cancels, xp.less(0.0, result)))
                    # Distances between larger elements do not underflow: all are equal where the result is 0.
                    small = xp.reshape(xp.less_equal(largest(xp, x, reduced), least / eps), result.shape)
                    wrong = xp.logical_and(wrong, xp.logical_or(small, xp.not_equal(result, 0.0)))

            def again(scaled: Native) -> Native:
                if centered:
                    scaled = xp.subtract(scaled, xp.mean(scaled, axis=reduced, keepdims=True))
                return raw(scaled, **options)

            # Powers of negative orders are largest for the smallest element.
            size = smallest if self._order(options) < 0 else largest
            better = rescaled(xp, again, (x,), (degree,), reduced, result, wrong, size)
            return raw(x, **options) if better is None else better  # with the library's warnings

        return corrected

    def check(self, x: Native, options: dict[str, Any]) -> Callable[..., bool] | None:
        """Return whether a result of the composition may be wrong, as a function of a namespace and the result.

        None where no result can be. The composition removes the error of the mean itself. Where the function is given
        the elements as well, it knows that the norm of zeros, and the deviation of equal elements, are 0.
        """
        limits = None if is_narrow(x.dtype) else self._limits(x, options)
        if limits is None:
            return None
        reduced = tuple([axis - x.ndim for axis in self._reduced(x, options)])
        largest_doubtful = limits.least / limits.eps if self.centered else math.inf

        def leaves_range(xp: Any, result: Native, x: Native | None = None) -> bool:
            if is_ordinary(xp, result, limits.least, most=limits.most):
                return False
            if x is None:
                return True
            size = xp.reshape(largest(xp, x, reduced), result.shape)
            right = xp.logical_or(xp.equal(size, 0.0), xp.less(largest_doubtful, size))
            right = xp.logical_and(right, xp.equal(result, 0.0))
            wrong = xp.logical_and(_outside(xp, result, limits), xp.logical_not(right))
            return bool(xp.any(wrong, axis=None, keepdims=False))

        return leaves_range

    def _limits(self, x: Native, options: dict[str, Any]) -> _Limits | None:
        if not x.size or kind_of(x.dtype) not in "fc":
            return None
        if "ord" in options:
            return _limits_of_norms(x.dtype, self._order(options))
        return _limits(x.dtype, self.power)

    def _order(self, options: dict[str, Any]) -> float:
        """The order of a norm by powers of all elements; 0 for other norms, and for what is no norm."""
        order = options.get("ord", 0)
        if self.axes is not None:
            return 2.0 if order == "fro" else 0.0
        return 0.0 if math.isinf(order) else float(order)

    def _reduced(self, x: Native, options: dict[str, Any]) -> tuple[int, ...]:
        return _reduced_axes(x, options) if self.axes is None else tuple([x.ndim + axis for axis in self.axes])


LARGEST_SUMS: dict[DType, float] = {
    np.dtype(name): float(np.finfo(name).max) / 2.0 for name in ("float32", "float64", "complex64", "complex128")
}
"""Sums of absolute values, by dtype, that are not infinite however they are rounded."""


class _Limits(NamedTuple):
    """Limits of ordinary results, -infinity and infinity for results of any sign and size, and the dtype's epsilon."""

    least: float
    most: float
    eps: float


def _outside(xp: Any, result: Native, limits: _Limits) -> Native:
    """Return a mask of the results that are not finite, or outside the limits."""
    wrong = xp.logical_not(xp.isfinite(result))
    if limits.least > 0.0:
        wrong = xp.logical_or(wrong, xp.less(result, limits.least))
    if limits.most < math.inf:
        wrong = xp.logical_or(wrong, xp.less(limits.most, result))
    return wrong


@cache
def _limits(dtype: DType, power: int | None) -> _Limits:
    """The limits of results that are roots of sums of powers, where these sums have all digits."""
    least = -math.inf if power is None else least_power(dtype) ** (1.0 / power) if power else 0.0
    return _Limits(least, math.inf, float(np.finfo(dtype).eps))


@cache
def _limits_of_norms(dtype: DType, order: float) -> _Limits | None:
    """The limits of norms; None where no power of an element leaves the range."""
    # The error of a rounded reciprocal of the order is multiplied by the logarithm of the norm.
    is_exact = abs(math.frexp(order)[0]) == 0.5
    least, most = (0.0, math.inf) if is_exact else (2.0**-40, 2.0**40)
    if order > 1:
        least = max(least, least_power(dtype) ** (1.0 / order))
    elif order <= -1:
        least = max(least, float(np.finfo(dtype).max) ** (1.0 / order))
        most = min(most, least_power(dtype) ** (1.0 / order))
    elif is_exact or not order:
        return None
    return _Limits(least, most, float(np.finfo(dtype).eps))


def _error_of_mean(xp: Any, x: Native, options: dict[str, Any], eps: float) -> Native:
    """A bound below which a standard deviation is doubtful, in the shape of the result.

    Where distances from the mean are far smaller than it, any element is as large as the mean: here the first one.
    """
    axes = _reduced_axes(x, options)
    # Additions are pairwise along the last axis alone; along others, the errors of all add up.
    additions = 16
    if axes and axes[-1] != x.ndim - 1:
        additions = max(16, math.prod([x.shape[axis] for axis in axes]))
    first = slice(0, 1) if options["keepdims"] else 0
    center = xp.abs(x[tuple([first if axis in axes else slice(None) for axis in range(x.ndim)])])
    return xp.multiply(center, math.sqrt(additions * eps))


def _reduced_axes(x: Native, options: dict[str, Any]) -> tuple[int, ...]:
    """The axes of a reduction, in ascending order."""
    axis = options.get("axis")
    if axis is None:
        return tuple(range(x.ndim))
    return tuple(sorted(item % x.ndim for item in (axis if isinstance(axis, tuple) else (axis,))))


REDUCTION_CORRECTIONS: dict[str, ScaledReduction] = {
    "linalg.matrix_norm": ScaledReduction(1, axes=(-2, -1)),
    "linalg.vector_norm": ScaledReduction(1),
    "mean": ScaledReduction(1, power=None),
    "std": ScaledReduction(1, power=2, centered=True),
    "var": ScaledReduction(2, centered=True),
}
"""Corrections of reductions. They block until the device has finished."""
