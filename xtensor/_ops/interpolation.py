"""Interpolation, integrals, differences and phases of sampled values, with NumPy's names and signatures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as standard
from .._core.array import Array
from .._core.calls import apply
from .._core.checks import check_axis
from .._core.compositions import composed
from .._core.device import base_device
from .._core.dtypes import can_cast, is_narrow, result_type
from .._core.errors import describe
from .._core.operations import COMPLEX_OF
from .._core.rescaling import rescaled_where_needed
from . import _casts
from ._arguments import as_arrays, flattened, on_device, with_derivative_of
from ._flags import number

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, Operand, RealOperand

__all__ = ["ediff1d", "interp", "trapezoid", "unwrap"]


@composed
def ediff1d(ary: AnyArray, to_end: Any = None, to_begin: Any = None) -> Array:
    """Return the differences of consecutive elements of a flattened array.

    Parameters
    ----------
    ary
        Array of numbers.
    to_end, to_begin
        Numbers to append to the differences, or to put before them: Arrays or array-likes, which are flattened.

    Returns
    -------
    Array
        The differences, of one dimension and of the dtype of ``ary``.

    Raises
    ------
    TypeError
        If ``ary`` is boolean, or a number does not cast to its dtype by the rule "same_kind".

    Notes
    -----
    NumPy, ``ediff1d``.
    """
    device = as_arrays("ediff1d", ary, *(x for x in (to_end, to_begin) if x is not None))[0].device
    ary = flattened(on_device("ediff1d", ary, device))
    if ary.dtype.kind == "b":
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported; ediff1d() takes numbers, cast with "
            "xtensor.astype"
        )
    length = ary.shape[0]
    differences = ary[min(1, length) :] - ary[: max(length - 1, 0)]
    pieces = [differences]
    for label, value in (("to_begin", to_begin), ("to_end", to_end)):
        if value is None:
            continue
        x = on_device("ediff1d", value, device)
        if not can_cast(x.dtype, ary.dtype, "same_kind"):
            raise TypeError(
                f"dtype of `{label}` must be compatible with input `ary` under the `same_kind` rule.; ediff1d() got "
                f"{describe(value)} beside {ary.dtype}"
            )
        x = flattened(standard.astype(x, ary.dtype, copy=False))
        pieces = [x, *pieces] if label == "to_begin" else [*pieces, x]
    return standard.concat(pieces) if len(pieces) > 1 else differences


@composed
def interp(
    x: AnyArray,
    xp: AnyArray,
    fp: AnyArray,
    left: Operand | None = None,
    right: Operand | None = None,
    period: float | None = None,
) -> Array:
    r"""Return the values of a piecewise linear function that is given by points.

    Between two points, :math:`f(x) = f_j + (x - x_j) \frac{f_{j + 1} - f_j}{x_{j + 1} - x_j}`.

    Parameters
    ----------
    x
        The coordinates at which the function is evaluated, of any shape.
    xp
        The coordinates of the points, of shape ``(N,)`` and increasing; in any order if ``period`` is given.
    fp
        The real or complex values at the points, of shape ``(N,)``.
    left, right
        The values for ``x < xp[0]`` and for ``x > xp[-1]``; None selects the first and the last value.
    period
        The period of ``x`` and of ``xp``; with it, ``left`` and ``right`` are ignored.

    Returns
    -------
    Array
        The values, of the shape of ``x``, in the default real or complex floating-point dtype. NaN where ``x`` is NaN.

    Raises
    ------
    ValueError
        If there are no points, ``xp`` and ``fp`` are not of one dimension and one length, or ``period`` is 0.
    TypeError
        If coordinates are complex, or ``left`` or ``right`` is complex for real values.

    Notes
    -----
    NumPy, ``interp``. The order of ``xp`` is not checked, as in NumPy.
    """
    x, knots, values = as_arrays("interp", x, xp, fp)
    kinds = x.device.default_dtypes
    for label, coordinates in (("x", x), ("xp", knots)):
        if coordinates.dtype.kind == "c":
            raise TypeError(f"interp() takes real numbers for {label}, not {coordinates.dtype}")
    x, knots = (standard.astype(item, kinds["real floating"], copy=False) for item in (x, knots))
    dtype = kinds["complex floating" if values.dtype.kind == "c" else "real floating"]
    values = standard.astype(values, dtype, copy=False)
    if knots.ndim != 1 or values.ndim != 1:
        raise ValueError(f"Data points must be 1-D sequences; interp() got {describe(xp)} and {describe(fp)}")
    if knots.shape != values.shape:
        raise ValueError(f"fp and xp are not of the same length.; interp() got {describe(xp)} and {describe(fp)}")
    if not knots.shape[0]:
        raise ValueError("array of sample points is empty; interp() needs one point at least")
    if period is not None:
        period = number(period, "interp", "period")
        if period == 0:
            raise ValueError("period must be a non-zero value; interp() got 0")
        period, left, right = abs(period), None, None
        x, knots = x % period, knots % period
        order = standard.argsort(knots)
        knots, values = standard.take(knots, order), standard.take(values, order)
        knots = standard.concat((knots[-1:] - period, knots, knots[:1] + period))
        values = standard.concat((values[-1:], values, values[:1]))
    result = _piecewise(flattened(x), knots, values)
    for value, is_left in ((left, True), (right, False)):
        if value is None:
            continue
        edge = on_device("interp", value, x.device)
        if edge.ndim or (edge.dtype.kind == "c" and dtype.kind != "c"):
            raise TypeError(
                f"must be real number, not {type(value).__name__}; interp() got {describe(value)}, and fp is real"
            )
        outside = flattened(x < knots[:1] if is_left else x > knots[-1:])
        result = standard.where(outside, standard.astype(edge, dtype), result)
    return result if x.ndim == 1 else standard.reshape(result, x.shape)


@composed
def trapezoid(y: AnyArray, x: AnyArray | None = None, dx: RealOperand = 1.0, axis: int = -1) -> Array:
    r"""Return an integral by the trapezoidal rule, :math:`\sum_i (x_{i + 1} - x_i) (y_{i + 1} + y_i) / 2`.

    Parameters
    ----------
    y
        The samples of the integrand.
    x
        Their coordinates: of one dimension, or of a shape that broadcasts against ``y``. None for equal distances.
    dx
        The distance between samples if ``x`` is None.
    axis
        The axis to integrate along.

    Returns
    -------
    Array
        The integrals, of the promoted dtype, in floating point for integers and booleans.

    Raises
    ------
    ValueError
        If the axis is out of bounds, or the shapes do not fit.

    Notes
    -----
    NumPy, ``trapezoid``. Integers become floating-point numbers before they are added, so sums of small integer dtypes
    do not overflow.
    """
    y = as_arrays("trapezoid", y, *(item for item in (x, dx) if isinstance(item, Array)))[0]
    given_axis, axis = axis, check_axis(axis, y.ndim, "trapezoid")
    y = _casts.floating(y)
    if is_narrow(y.dtype):
        others = [item for item in (x, dx) if hasattr(item, "dtype")]
        single = trapezoid(_casts.widened(y), x, dx, given_axis)
        return standard.astype(
            single,
            result_type(y.dtype, *[_casts.floating(on_device("trapezoid", item, y.device)).dtype for item in others]),
        )
    if x is None:
        steps = dx if isinstance(dx, (int, float, complex)) else _casts.floating(on_device("trapezoid", dx, y.device))
        return _integral(y, axis, lambda: steps)
    given = x
    x = on_device("trapezoid", x, y.device)
    logical = x.dtype.kind == "b"  # NumPy's difference of booleans is their exclusive or
    x = _casts.floating(x)
    if not x.ndim:
        raise ValueError(
            f"diff requires input that is at least one dimensional; trapezoid() got {describe(given)} for x"
        )
    along = check_axis(given_axis if x.ndim > 1 else 0, x.ndim, "trapezoid")
    if x.ndim == 1:
        x, along = standard.reshape(x, tuple(-1 if i == axis else 1 for i in range(y.ndim))), axis

    def distances(x: Array) -> Array:
        steps = _after(x, along) - _before(x, along)
        return standard.abs(steps) if logical else steps

    if x.ndim != y.ndim or x.size == 1:
        return _integral(y, axis, lambda: distances(x))
    return _integral(y, axis, distances, x)


def _integral(y: Array, axis: int, steps_of: Callable[..., Any], *coordinates: Array) -> Array:
    """Return an integral; ``steps_of`` returns the distances of the samples, of which the integral is a multiple."""
    lazy = base_device(y.device).lazy

    def compute(y: Array, *coordinates: Array) -> tuple[Array, None]:
        steps = steps_of(*coordinates)
        left, right = _before(y, axis), _after(y, axis)
        if lazy:
            return _sum_of_chunks(left, right, steps, axis), None
        heights = right + left
        if isinstance(steps, Array):
            steps, heights = _casts.promoted(steps, heights)
        elif isinstance(steps, complex) and heights.dtype.kind != "c":
            heights = standard.astype(heights, result_type(heights.dtype, np.complex64))
        areas = heights / 2.0 if steps.__class__ is float and steps == 1.0 else steps * heights / 2.0
        return standard.sum(areas, axis=axis - y.ndim, dtype=areas.dtype), None

    operands = y, *coordinates
    return rescaled_where_needed(  # type: ignore[no-any-return]
        standard, compute, lambda: operands, (1,) * len(operands), (axis,), joined=with_derivative_of
    )


def _sum_of_chunks(left: Array, right: Array, steps: Any, axis: int) -> Array:
    """Return an integral on a lazy device, where nothing is computed again with scaled operands.

    The sum of two samples may leave the range where their products with half a step do not, and a sum of areas where
    their mean does not.
    """
    if isinstance(steps, Array):
        steps, left, right = _casts.promoted(steps, left, right)
    elif isinstance(steps, complex) and left.dtype.kind != "c":
        left, right = (standard.astype(x, result_type(x.dtype, np.complex64)) for x in (left, right))
    half = steps * 0.5
    areas = half * left + half * right
    total = standard.sum(areas, axis=axis - left.ndim, dtype=areas.dtype)
    if not areas.size:
        return total
    mean = standard.mean(areas, axis=axis - left.ndim) * float(areas.shape[axis])
    return standard.where(standard.isfinite(total), total, mean)


@composed
def unwrap(p: AnyArray, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi) -> Array:
    """Return phases with jumps replaced by their complements with respect to the period.

    Parameters
    ----------
    p
        Array of real numbers.
    discont
        The smallest difference of consecutive elements that is a jump; None, or a number below it, selects half the
        period.
    axis
        The axis along which the phases continue.
    period
        The period of the phases. For integers, an integer period keeps the integer dtype.

    Returns
    -------
    Array
        The phases, of the dtype of ``p``; in floating point for integers with a period that is not an integer.

    Raises
    ------
    ValueError
        If the axis is out of bounds.
    TypeError
        If ``p`` is boolean or complex.

    Notes
    -----
    NumPy, ``unwrap``.
    """
    (p,) = as_arrays("unwrap", p)
    if p.dtype.kind in "bc":
        raise TypeError(
            f"unwrap() takes real numbers, not {p.dtype}; cast with xtensor.astype or take xtensor.angle(p)"
        )
    axis = check_axis(axis, p.ndim, "unwrap")
    period = number(period, "unwrap", "period")
    differences = _after(p, axis) - _before(p, axis)
    high: float
    if p.dtype.kind in "iu" and isinstance(period, (int, np.integer)):
        high, rest = divmod(int(period), 2)
        ambiguous = rest == 0
    else:
        p, differences = _casts.floating(p), _casts.floating(differences)
        high, ambiguous = float(period) / 2, True
    low = -high
    discont = high if discont is None else number(discont, "unwrap", "discont")
    wrapped = standard.remainder(differences - low, period) + low
    if ambiguous:
        wrapped = standard.where((wrapped == low) & (differences > 0), high, wrapped)
    correction = standard.where(_below(differences, discont), 0, wrapped - differences)
    shift = standard.cumulative_sum(correction, axis=axis, dtype=p.dtype)
    first = p[(*(slice(None),) * axis, slice(0, min(1, p.shape[axis])), ...)]
    return standard.concat((first, _after(p, axis) + shift), axis=axis)


def _below(differences: Array, limit: float) -> Array:
    """Return whether differences are smaller than a limit, which may be a fraction next to integers."""
    sizes = standard.abs(differences)
    return sizes < (math.ceil(limit) if sizes.dtype.kind in "iu" else limit)


def _before(x: Array, axis: int) -> Array:
    """Return the elements that have a successor along an axis."""
    return x[(*(slice(None),) * axis, slice(0, max(x.shape[axis] - 1, 0)), ...)]


def _after(x: Array, axis: int) -> Array:
    """Return the elements that have a predecessor along an axis."""
    return x[(*(slice(None),) * axis, slice(min(x.shape[axis], 1), None), ...)]


def _piecewise(x: Array, knots: Array, values: Array) -> Array:
    """Return the function at coordinates of one dimension; those outside get the first or the last value."""
    if values.dtype.kind == "c":  # a product with an infinite complex number would mix its parts
        parts = [_piecewise(x, knots, part)._native for part in (standard.real(values), standard.imag(values))]
        result = apply(COMPLEX_OF, x.device, *parts)
        return standard.where(standard.isnan(x), standard.astype(x, values.dtype), result)
    count = knots.shape[0]
    if count == 1:
        result = standard.broadcast_to(values, x.shape)
    else:
        index = standard.searchsorted(knots, x, side="right") - 1
        index = standard.maximum(standard.minimum(index, count - 2), 0)
        start, end = standard.take(knots, index), standard.take(knots, index + 1)
        low, high = standard.take(values, index), standard.take(values, index + 1)
        # Coordinates outside are replaced before, so that they raise no warnings.
        at = standard.where((x < start) | (x > end), start, x)
        width = standard.astype(standard.where(end == start, 1.0, end - start), values.dtype)
        slope = (high - low) / width
        result = slope * standard.astype(at - start, values.dtype) + low
        # An infinite slope may give NaN from one end only. Equal infinite values need no slope.
        other = slope * standard.astype(at - end, values.dtype) + high
        result = standard.where(standard.isnan(result), other, result)
        result = standard.where(standard.isnan(result) & (low == high), low, result)
        # At a point the value is exact, even next to an infinite one.
        result = standard.where(at == start, low, standard.where(at == end, high, result))
        result = standard.where(x < knots[:1], values[:1], standard.where(x >= knots[-1:], values[-1:], result))
    return standard.where(standard.isnan(x), standard.astype(x, values.dtype), result)
