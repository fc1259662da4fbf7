"""Statistical functions (Array API standard 2025.12, "Statistical Functions")."""

from __future__ import annotations

import math
from typing import Any

from .. import _composed
from .._core.array import Array, Axis, apply
from .._core.checks import check_axes, check_axis, check_dtype
from .._core.dispatch import device_of
from .._core.dtypes import DType
from .._core.errors import describe
from .._core.operations import Operation, declare, operation
from .data_types import astype

__all__ = ["cumulative_prod", "cumulative_sum", "max", "mean", "min", "prod", "std", "sum", "var"]


CUMULATIVE_PROD = declare(
    "cumulative_prod", "scan", accepts="numeric", dtype="accumulated", shape="argument", numpy="cumulative_prod"
)


def cumulative_prod(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    r"""The products :math:`\prod_{j \le i} x_j` along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a numeric dtype.
    axis
        The axis to go along; may be left out for an array of one dimension.
    dtype
        The dtype of result and computation. By default that of ``x``; integers narrower than the default integer
        become the default integer, unsigned ones ``uint64``.
    include_initial
        Whether the result begins with 1, and so is longer by one along ``axis``.

    Returns
    -------
    Array
        The cumulative products, of the shape of ``x`` unless ``include_initial``.

    Raises
    ------
    ValueError
        If ``axis`` is missing for more than one dimension, or out of bounds.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``cumulative_prod``.
    """
    device = device_of(x, "cumulative_prod")
    axis = _scanned(x, axis, "cumulative_prod")
    if dtype is not None:
        x, dtype = _cast(x, dtype, "cumulative_prod")
    return apply(CUMULATIVE_PROD, device, x._native, axis=axis, dtype=dtype, include_initial=include_initial)


CUMULATIVE_SUM = declare(
    "cumulative_sum", "scan", accepts="numeric", dtype="accumulated", shape="argument", numpy="cumulative_sum"
)


def cumulative_sum(x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Array:
    r"""The sums :math:`\sum_{j \le i} x_j` along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions, of a numeric dtype.
    axis
        The axis to go along; may be left out for an array of one dimension.
    dtype
        The dtype of result and computation. By default that of ``x``; integers narrower than the default integer
        become the default integer, unsigned ones ``uint64``.
    include_initial
        Whether the result begins with 0, and so is longer by one along ``axis``.

    Returns
    -------
    Array
        The cumulative sums, of the shape of ``x`` unless ``include_initial``.

    Raises
    ------
    ValueError
        If ``axis`` is missing for more than one dimension, or out of bounds.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``cumulative_sum``.
    """
    device = device_of(x, "cumulative_sum")
    axis = _scanned(x, axis, "cumulative_sum")
    if dtype is not None:
        x, dtype = _cast(x, dtype, "cumulative_sum")
    return apply(CUMULATIVE_SUM, device, x._native, axis=axis, dtype=dtype, include_initial=include_initial)


MAX = declare("max", "reduction", accepts="real", shape="reduced", numpy="max")


def max(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    r"""The largest element, :math:`\max_i x_i`, over all or some axes.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    axis
        The axis or axes to reduce; None reduces all of them.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The maxima, of the dtype of ``x``. NaN where a NaN is among the elements.

    Raises
    ------
    ValueError
        If there is no element to choose from, or an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``max``.
    """
    device = device_of(x, "max")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "max")
    return apply(MAX, device, x._native, axis=axis, keepdims=keepdims)


MEAN = declare(
    "mean", "reduction", accepts="floating", shape="reduced", numpy="mean", composition=_composed.statistical.mean
)


def mean(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    r"""The arithmetic mean, :math:`\frac{1}{N} \sum_i x_i`, over all or some axes.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are averaged in the default floating-point dtype.
    axis
        The axis or axes to reduce; None reduces all of them.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The means, of the dtype of ``x``. NaN where ``N`` is 0 or a NaN is among the elements.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``mean``.
    """
    device = device_of(x, "mean")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "mean")
    return apply(MEAN, device, x._native, axis=axis, keepdims=keepdims)


MIN = declare("min", "reduction", accepts="real", shape="reduced", numpy="min")


def min(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    r"""The smallest element, :math:`\min_i x_i`, over all or some axes.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    axis
        The axis or axes to reduce; None reduces all of them.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The minima, of the dtype of ``x``. NaN where a NaN is among the elements.

    Raises
    ------
    ValueError
        If there is no element to choose from, or an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``min``.
    """
    device = device_of(x, "min")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "min")
    return apply(MIN, device, x._native, axis=axis, keepdims=keepdims)


PROD = declare("prod", "reduction", accepts="numeric", dtype="accumulated", shape="reduced", numpy="prod")


def prod(x: Array, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    r"""The product, :math:`\prod_i x_i`, over all or some axes.

    Parameters
    ----------
    x
        Array of a numeric dtype.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of result and computation. By default that of ``x``; integers narrower than the default integer
        become the default integer, unsigned ones ``uint64``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The products; 1 where there is no element.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``prod``.
    """
    device = device_of(x, "prod")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "prod")
    if dtype is not None:
        x, dtype = _cast(x, dtype, "prod")
    return apply(PROD, device, x._native, axis=axis, dtype=dtype, keepdims=keepdims)


STD = declare(
    "std", "reduction", accepts="real floating", shape="reduced", numpy="std", composition=_composed.statistical.std
)


def std(
    x: Array, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False, ddof: float | None = None
) -> Array:
    r"""The standard deviation, :math:`\sqrt{\frac{1}{N - c} \sum_i (x_i - \bar x)^2}`, over all or some axes.

    Parameters
    ----------
    x
        Array of a real-valued floating-point dtype.
    axis
        The axis or axes to reduce; None reduces all of them.
    correction
        What is taken from the number of elements ``N`` (:math:`c`): 0 for a population, 1 for a sample (Bessel).
    keepdims
        Whether the reduced axes stay, with length 1.
    ddof
        NumPy's name for ``correction``, for callers that know no other.

    Returns
    -------
    Array
        The standard deviations, of the dtype of ``x``. NaN where ``N - c`` is not above 0.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``std``.
    """
    device_of(x, "std")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "std")
    return _spread(STD, x, axis, correction if ddof is None else ddof, keepdims)


SUM = declare("sum", "reduction", accepts="numeric", dtype="accumulated", shape="reduced", numpy="sum")


def sum(x: Array, /, *, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Array:
    r"""The sum, :math:`\sum_i x_i`, over all or some axes.

    Parameters
    ----------
    x
        Array of a numeric dtype.
    axis
        The axis or axes to reduce; None reduces all of them.
    dtype
        The dtype of result and computation. By default that of ``x``; integers narrower than the default integer
        become the default integer, unsigned ones ``uint64``.
    keepdims
        Whether the reduced axes stay, with length 1.

    Returns
    -------
    Array
        The sums; 0 where there is no element. Infinities of both signs, or a NaN, give NaN.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``sum``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.sum(xp.asarray([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    Array([4., 6.])
    """
    device = device_of(x, "sum")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "sum")
    if dtype is not None:
        x, dtype = _cast(x, dtype, "sum")
    return apply(SUM, device, x._native, axis=axis, dtype=dtype, keepdims=keepdims)


VAR = declare(
    "var", "reduction", accepts="real floating", shape="reduced", numpy="var", composition=_composed.statistical.var
)


def var(
    x: Array, /, *, axis: Axis = None, correction: float = 0.0, keepdims: bool = False, ddof: float | None = None
) -> Array:
    r"""The variance, :math:`\frac{1}{N - c} \sum_i (x_i - \bar x)^2`, over all or some axes.

    Parameters
    ----------
    x
        Array of a real-valued floating-point dtype.
    axis
        The axis or axes to reduce; None reduces all of them.
    correction
        What is taken from the number of elements ``N`` (:math:`c`): 0 for a population, 1 for a sample (Bessel).
    keepdims
        Whether the reduced axes stay, with length 1.
    ddof
        NumPy's name for ``correction``, for callers that know no other.

    Returns
    -------
    Array
        The variances, of the dtype of ``x``. NaN where ``N - c`` is not above 0.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Statistical Functions, ``var``.
    """
    device_of(x, "var")
    if axis is not None:
        axis = check_axes(axis, x._native.ndim, "var")
    return _spread(VAR, x, axis, correction if ddof is None else ddof, keepdims)


def _cast(x: Array, dtype: Any, name: str) -> tuple[Array, DType | None]:
    """The array and the dtype to compute in; bfloat16, in which no library gathers, is cast to beforehand."""
    wanted = check_dtype(dtype, x._device, name)
    return (x, wanted) if wanted.kind != "V" else (astype(x, wanted, copy=False), None)


def _scanned(x: Array, axis: int | None, name: str) -> int:
    """The axis of a cumulative function."""
    ndim = x._native.ndim
    if axis is None:
        if ndim != 1:
            raise ValueError(
                f"{name}() needs an axis for an array of shape {x.shape}; only one of 1 dimension has a default"
            )
        axis = 0
    return check_axis(axis, ndim, name)


def _spread(row: Operation, x: Array, axis: Any, correction: Any, keepdims: bool) -> Array:
    """A variance or standard deviation: NaN where no degree of freedom is left, which libraries make infinite."""
    if isinstance(correction, bool) or not isinstance(correction, (int, float)):
        raise TypeError(f"{row.label}(): correction is a real number, not {describe(correction)}")
    device, shape = x._device, x.shape
    if correction > 0 and math.prod(shape if axis is None else (shape[i] for i in axis)) <= correction:
        spread = apply(row, device, x._native, axis=axis, correction=0.0, keepdims=keepdims)
        return apply(operation("multiply"), device, spread._native, math.nan)
    return apply(row, device, x._native, axis=axis, correction=correction, keepdims=keepdims)
