"""Weighted means, covariances, correlations and ranges of values, with NumPy's names and signatures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .. import linalg
from .._core.array import Array, Axis
from .._core.checks import check_axes, check_dtype
from .._core.compositions import composed
from .._core.device import base_device
from .._core.dtypes import finfo, is_narrow, result_type
from .._core.errors import describe
from .._core.rescaling import needs_scaling, rescaled_where_needed
from .._core.scaling import factors_in_range, is_ordinary, largest, least_power, normalized, power_of_two
from .._core.tracing_errors import any_true, rarely
from . import _casts
from ._arguments import as_arrays, shared_device, store, with_derivative_of
from ._flags import number, truth
from ._fused import weighted_mean
from ._weights import fit_weights

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, DTypeLike

__all__ = ["average", "corrcoef", "cov", "ptp"]


@composed
def average(
    a: AnyArray, axis: Axis = None, weights: AnyArray | None = None, returned: bool = False, *, keepdims: bool = False
) -> Array | tuple[Array, Array]:
    r"""Return the weighted mean, :math:`\sum_i w_i a_i / \sum_i w_i`, over all or some axes.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    weights
        The weights, of the shape of ``a`` or of its reduced axes; None weights all elements equally.
    returned
        Whether to return the sums of the weights in addition.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array or tuple of Array
        The means, of the promoted dtype, in floating point for integers and booleans; with ``returned``, the sums of
        the weights in addition, of the same shape and dtype.

    Raises
    ------
    ZeroDivisionError
        If weights sum to zero.
    TypeError
        If the shapes differ and ``axis`` is None.
    ValueError
        If the shape of the weights does not fit, or an axis is out of bounds.

    Notes
    -----
    NumPy, ``average``.
    """
    if weights is None:
        (a,) = as_arrays("average", a)
        a = _casts.floating(a)
        mean = xp.mean(a, axis=axis, keepdims=keepdims)
        count = a.size / mean.size if mean.size else math.nan
        total = xp.full(mean.shape, count, dtype=mean.dtype, device=mean.device)
    else:
        given = weights
        a, weights = as_arrays("average", a, weights)
        axes = None if axis is None else check_axes(axis, a.ndim, "average")
        weights = fit_weights(weights, a, axes, "average", given)
        fused = weighted_mean(a, weights, axes, keepdims)
        if fused is not None:
            return fused if truth(returned, "average", "returned") else fused[0]
        dtype = _casts.supported(result_type(a.dtype, weights.dtype), a.device)
        if a.dtype.kind in "biu":
            dtype = _casts.double(dtype, a)
        # Two booleans have a sum and a product of numbers, as everywhere else.
        values, factors = (_casts.widened(_casts.counted(xp.astype(x, dtype, copy=False))) for x in (a, weights))
        with np.errstate(over="ignore"):
            total = xp.sum(factors, axis=axes, dtype=factors.dtype, keepdims=keepdims)
        if rarely(any_true, total == 0):
            raise ZeroDivisionError(
                "Weights sum to zero, can't be normalized; average() needs a sum of weights other than 0 for each mean"
            )

        def compute(values: Array, factors: Array) -> tuple[Array, Array]:
            total = xp.sum(factors, axis=axes, dtype=factors.dtype, keepdims=keepdims)
            products = xp.sum(values * factors, axis=axes, dtype=factors.dtype, keepdims=keepdims)
            return products / total, xp.where(xp.isfinite(total), xp.abs(products), xp.inf)

        def joined(_: Array, value: Array) -> Array:
            """Return the value with the derivative of a sum with normalized weights, which does not leave the range."""
            share = factors / xp.mean(factors, axis=axes, keepdims=True)
            with np.errstate(all="ignore"):
                number = float(values.size // max(value.size, 1))
                total = xp.sum(values * (share / number), axis=axes, dtype=value.dtype, keepdims=keepdims)
            return with_derivative_of(total, value)

        reduced = tuple(range(a.ndim)) if axes is None else axes
        if base_device(a.device).lazy:
            mean = _mean_of_chunks(values, factors, reduced, keepdims)
        else:
            mean = rescaled_where_needed(xp, compute, lambda: (values, factors), (1, 0), reduced, joined=joined)
        total = xp.broadcast_to(total, mean.shape)
        if is_narrow(dtype):
            mean, total = xp.astype(mean, dtype), xp.astype(total, dtype)
    return (mean, total.copy()) if truth(returned, "average", "returned") else mean


def _mean_of_chunks(values: Array, weights: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    """Return the weighted mean on a lazy device, which reads the weights twice and the values once."""
    if weights.size:
        weights = normalized(xp, weights, axes) * 0.5  # no product is larger than its element
    products = values * weights
    weighted, total = (xp.sum(x, axis=axes, dtype=products.dtype, keepdims=keepdims) for x in (products, weights))
    # The sum may leave the range, a mean does not.
    inner = xp.mean(products, axis=axes, keepdims=keepdims) / xp.mean(weights, axis=axes, keepdims=keepdims)
    return xp.where(xp.isfinite(weighted), weighted / total, inner)


@composed
def corrcoef(x: AnyArray, y: AnyArray | None = None, rowvar: bool = True, *, dtype: DTypeLike | None = None) -> Array:
    r"""Return the correlation coefficients, :math:`r_{ij} = c_{ij} / \sqrt{c_{ii} c_{jj}}`, of covariances :math:`c`.

    Parameters
    ----------
    x, y, rowvar
        The samples, as in :func:`cov`.
    dtype
        The dtype of the result, as in :func:`cov`.

    Returns
    -------
    Array
        The coefficients, each component between -1 and 1: a matrix, or a 0-d Array for one variable.

    Raises
    ------
    ValueError
        If an array has more than two dimensions.

    Notes
    -----
    NumPy, ``corrcoef``.
    """
    if dtype is not None:
        dtype = check_dtype(dtype, shared_device("corrcoef", x, y), "corrcoef")
        if is_narrow(dtype):
            return xp.astype(corrcoef(x, y, rowvar, dtype=xp.float32), dtype)
    covariance = _cov("corrcoef", x, y, rowvar, dtype=dtype, scaled=False)
    if not covariance.ndim:
        return covariance / covariance
    diagonal = xp.sqrt(xp.real(linalg.diagonal(covariance)))
    diagonal = xp.astype(diagonal, covariance.dtype, copy=False)
    coefficients: Array = covariance / diagonal[:, None] / diagonal[None, :]
    if coefficients.dtype.kind != "c":
        return xp.clip(coefficients, -1.0, 1.0)
    real, imag = (xp.astype(xp.clip(part(coefficients), -1.0, 1.0), coefficients.dtype) for part in (xp.real, xp.imag))
    return real + imag * 1j


@composed
def cov(
    m: AnyArray,
    y: AnyArray | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: AnyArray | None = None,
    aweights: AnyArray | None = None,
    *,
    dtype: DTypeLike | None = None,
) -> Array:
    r"""Return the covariances of variables.

    :math:`c_{ij} = \frac{1}{N - d} \sum_k (x_{ik} - \bar x_i) \overline{(x_{jk} - \bar x_j)}`.

    Parameters
    ----------
    m
        The samples, of one or two dimensions: one variable in each row, one observation in each column.
    y
        More variables, with as many observations.
    rowvar
        Whether the rows are the variables; otherwise the columns are.
    bias
        Whether to divide by ``N``, the number of observations, rather than by ``N - 1``.
    ddof
        The number :math:`d` that reduces the divisor; it overrides ``bias``.
    fweights
        The number of times that each observation counts: integers of shape ``(N,)``.
    aweights
        The relative importance of each observation, of shape ``(N,)``.
    dtype
        The dtype of the result. By default the promoted dtype, but at least the default real floating-point dtype.

    Returns
    -------
    Array
        The covariances: a matrix, or a 0-d Array for one variable. NaN or infinite if the divisor is not positive.

    Raises
    ------
    ValueError
        If an array has more than two dimensions, weights are negative, or ``ddof`` is not an integer.
    TypeError
        If ``fweights`` are not integers.
    RuntimeError
        If weights have more than one dimension, or not the number of observations.

    Notes
    -----
    NumPy, ``cov``. Unlike NumPy, the function does not warn about a divisor that is not positive.
    """
    return _cov("cov", m, y, rowvar, bias, ddof, fweights, aweights, dtype)


@composed
def ptp(a: AnyArray, axis: Axis = None, out: Array | None = None, keepdims: bool = False) -> Array:
    r"""Return the range of the values, :math:`\max_i a_i - \min_i a_i`, over all or some axes.

    Parameters
    ----------
    a
        Array of real numbers.
    axis
        The axis or axes to reduce; None reduces all of them.
    out
        The Array to write the result to.
    keepdims
        Whether the reduced axes remain, with length 1.

    Returns
    -------
    Array
        The ranges, of the dtype of ``a``; NaN if a slice contains a NaN.

    Raises
    ------
    ValueError
        If a slice is empty, or an axis is out of bounds.
    TypeError
        If ``a`` is boolean or complex.

    Notes
    -----
    NumPy, ``ptp``. Ranges of signed integers wrap around, as in NumPy. Complex numbers, which NumPy orders, are
    refused.
    """
    (a,) = as_arrays("ptp", a)
    if a.dtype.kind == "b" and a.size:  # the extremes of no elements are refused as such
        raise TypeError(
            "numpy boolean subtract, the `-` operator, is not supported; ptp() takes numbers, cast with xtensor.astype"
        )
    largest, smallest = (reduce(a, axis=axis, keepdims=keepdims) for reduce in (xp.max, xp.min))
    return store("ptp", largest - smallest, out)


def _cov(
    name: str,
    m: Any,
    y: Any,
    rowvar: bool,
    bias: bool = False,
    ddof: Any = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: DTypeLike | None = None,
    scaled: bool = True,
) -> Array:
    """Return the covariances; ``name`` is the public function.

    Without ``scaled``, each variable may be divided by a number, on which correlations do not depend.
    """
    rowvar, bias = truth(rowvar, name, "rowvar"), truth(bias, name, "bias")
    if ddof is not None:
        ddof = number(ddof, name, "ddof")
        if not float(ddof).is_integer():
            raise ValueError(f"ddof must be integer; {name}() got {describe(ddof)}")
    originals = {"fweights": fweights, "aweights": aweights}
    given = [m, *(x for x in (y, fweights, aweights) if x is not None)]
    arrays = iter(as_arrays(name, *given))
    m, y, fweights, aweights = (
        next(arrays) if i == 0 or x is not None else None for i, x in enumerate((m, y, fweights, aweights))
    )
    samples = [("m", m)] if y is None else [("m", m), ("y", y)]
    for label, x in samples:
        if x.ndim > 2:
            raise ValueError(f"{label} has more than 2 dimensions; {name}() takes one or two, not shape {x.shape}")
    device = m.device
    if dtype is None:
        dtype = _casts.supported(_casts.double(result_type(*[x.dtype for _, x in samples]), m), device)
    dtype = check_dtype(dtype, device, name)
    if dtype.kind not in "fcV":
        dtype = _casts.double(dtype, m)
    if is_narrow(dtype):
        single = _cov(name, m, y, rowvar, bias, ddof, fweights, aweights, xp.float32, scaled)
        return xp.astype(single, dtype)
    x = _rows(m, dtype, transposed=not rowvar and m.ndim != 1)
    if not x.shape[0]:
        return xp.zeros((0, 0), dtype=device.default_dtypes["real floating"], device=device)
    if y is not None:
        y = xp.reshape(y, (1,) * (2 - y.ndim) + y.shape)
        more = _rows(y, dtype, transposed=not rowvar and y.shape[0] != 1)
        if more.shape[1] != x.shape[1]:
            raise ValueError(
                "all the input array dimensions except for the concatenation axis must match exactly; "
                f"{name}() got {x.shape[1]} observations, and {describe(given[1])} for y"
            )
        x = xp.concat((x, more))
    divisor = int(not bias) if ddof is None else int(ddof)
    weights = _sample_weights(name, x, fweights, aweights, originals)
    if weights is None:
        factor: Any = max(x.shape[1] - divisor, 0)
        factor = xp.full((), factor, dtype=dtype, device=device)
    else:
        real = finfo(dtype).dtype
        total = xp.sum(weights, dtype=weights.dtype)
        if not divisor:
            factor = total
        elif aweights is None:
            factor = total - divisor
        else:
            factor = total - divisor * xp.sum(weights * xp.astype(aweights, weights.dtype), dtype=weights.dtype) / total
        factor = xp.astype(xp.astype(xp.where(factor > 0, factor, 0.0), real), dtype, copy=False)
        weights = xp.astype(xp.astype(weights, real), dtype, copy=False)
        if rarely(any_true, total == 0):
            raise ZeroDivisionError(
                f"Weights sum to zero, can't be normalized; {name}() needs a positive sum of weights, not of shape "
                f"{weights.shape}"
            )
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        covariance = _products(_centered(x, weights), weights, factor)
    if not x.size or not needs_scaling(_may_be_wrong, covariance, x):
        return _squeezed(covariance)
    size = largest(xp, x, (1,))
    scale = power_of_two(xp, xp.where((size > 0.0) & xp.isfinite(size), size, 1.0))
    # The error of a mean that is far larger than the distances from it is of their size.
    with np.errstate(divide="ignore", invalid="ignore"):
        again = _products(_centered(_centered(x / scale, weights), weights), weights, factor)
    if not scaled:
        return _squeezed(again)
    # Scaled elements underflow as well where a large one has no weight.
    lost = xp.real(linalg.diagonal(again)) < least_power(x.dtype)
    finite = xp.isfinite(covariance)
    kept = finite & (lost[:, None] | lost[None, :])
    for product in factors_in_range(xp, *xp.broadcast_arrays(scale, scale.mT)):
        again = again * product
    if weights is None and base_device(device).lazy:  # without another product of the samples
        return _squeezed(again)
    # Of sums that overflow, only scaled ones have the right sign: fused operations add products to an infinity.
    trusted = finite | xp.isnan(again)
    return _squeezed(xp.where(kept | (trusted & ~xp.isfinite(again)), covariance, again))


def _centered(x: Array, weights: Array | None) -> Array:
    """Return the distances of the samples from the means of the variables."""
    if weights is None:  # where the sum leaves the range, so do the products
        return x - xp.sum(x, axis=1, keepdims=True) / float(x.shape[1] or xp.nan)
    return x - xp.sum(x * weights, axis=1, keepdims=True) / xp.sum(weights)


def _products(x: Array, weights: Array | None, factor: Array) -> Array:
    """Return the mean products of distances."""
    weighted = x if weights is None else x * weights
    transposed = weighted.mT if x.dtype.kind != "c" else xp.conj(weighted.mT)
    return xp.matmul(x, transposed) * (1.0 / factor)


def _may_be_wrong(xp: Any, covariance: Any, x: Any) -> bool:
    """Return whether a product left the range or lost its digits: none is larger than both squares."""
    error = xp.multiply(xp.abs(x[..., 0]), 4.0 * math.sqrt(np.finfo(x.dtype).eps))
    variances = xp.linalg.diagonal(covariance, offset=0)
    deviations = xp.sqrt(xp.real(variances) if variances.dtype.kind == "c" else variances)
    precise = xp.where(xp.greater_equal(deviations, error), deviations, math.nan)
    return not is_ordinary(xp, precise, math.sqrt(least_power(x.dtype)))


def _squeezed(covariance: Array) -> Array:
    return xp.reshape(covariance, tuple(length for length in covariance.shape if length != 1))


def _rows(x: Array, dtype: Any, *, transposed: bool) -> Array:
    """Return samples with one variable in each row."""
    x = xp.astype(x if x.ndim == 2 else xp.reshape(x, (1,) * (2 - x.ndim) + x.shape), dtype, copy=False)
    return x.mT if transposed else x


def _sample_weights(
    name: str, x: Array, fweights: Array | None, aweights: Array | None, originals: dict[str, Any]
) -> Array | None:
    """Return the product of both weights of the observations, or None without weights.

    ``originals`` are the weights of the caller, for messages.
    """
    product = None
    for label, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        weights = xp.astype(weights, x.device.default_dtypes["real floating"])
        if label == "fweights" and rarely(any_true, weights != xp.round(weights)):
            raise TypeError(f"fweights must be integer; {name}() got {describe(originals[label])}")
        if weights.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {label}; {name}() takes shape ({x.shape[1]},)")
        if weights.shape != (x.shape[1],):
            raise RuntimeError(
                f"incompatible numbers of samples and {label}; {name}() got {x.shape[1]} samples and weights of shape "
                f"{weights.shape}"
            )
        if rarely(any_true, weights < 0):
            raise ValueError(f"{label} cannot be negative; {name}() got {describe(originals[label])}")
        product = weights if product is None else product * weights
    return product
