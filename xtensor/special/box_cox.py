"""Box-Cox transformations and their inverses.

``exp(λ log x)`` would amplify the rounding error of ``log x`` by the exponent, so the formulas use powers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._arithmetic import exact_product
from ._declaration import arrays, special

if TYPE_CHECKING:
    from .._core.annotations import RealOperand

__all__ = ["boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p"]


@special()
def boxcox(x: RealOperand, lmbda: RealOperand, /) -> Array:
    r"""Box-Cox transformation :math:`(x^\lambda - 1) / \lambda`; :math:`\ln x` for :math:`\lambda = 0`.

    Parameters
    ----------
    x
        Array of a real dtype; nonnegative.
    lmbda
        Exponents :math:`\lambda`.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: NaN for ``x < 0``; at ``x = 0``, ``-1 / lmbda`` for positive ``lmbda`` and ``-inf`` otherwise.

    See ``scipy.special.boxcox``; Box and Cox, "An Analysis of Transformations", J. R. Stat. Soc. B 26 (1964).
    """
    x, lmbda = arrays(x, lmbda)
    base = xp.where(x < 0, math.nan, x)
    return _transform(xp.log(x), lmbda, lambda exponent: base**exponent)


@special()
def boxcox1p(x: RealOperand, lmbda: RealOperand, /) -> Array:
    r"""Box-Cox transformation of :math:`1 + x`: :math:`((1 + x)^\lambda - 1) / \lambda`; :math:`\ln(1 + x)` for
    :math:`\lambda = 0`.

    Parameters
    ----------
    x
        Array of a real dtype; at least -1.
    lmbda
        Exponents :math:`\lambda`.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN for ``x < -1``. Accurate near ``x = 0``.

    See ``scipy.special.boxcox1p``; Box and Cox, "An Analysis of Transformations", J. R. Stat. Soc. B 26 (1964).
    """
    x, lmbda = arrays(x, lmbda)
    base = xp.where(x < -1, math.nan, x)
    return _transform(xp.log1p(x), lmbda, lambda exponent: _power_of_sum(base, 0.0, exponent, 0.0))


@special()
def inv_boxcox(y: RealOperand, lmbda: RealOperand, /) -> Array:
    r"""Inverse of :func:`boxcox`: :math:`(1 + \lambda y)^{1 / \lambda}`; :math:`e^y` for :math:`\lambda = 0`.

    Parameters
    ----------
    y
        Transformed values.
    lmbda
        Exponents :math:`\lambda`.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN for ``lmbda * y < -1``.

    See ``scipy.special.inv_boxcox``; Box and Cox, "An Analysis of Transformations", J. R. Stat. Soc. B 26 (1964).
    """
    y, lmbda = arrays(y, lmbda)
    product, product_error = exact_product(lmbda, y)
    inverse = 1 / lmbda
    inverted, inverted_error = exact_product(lmbda, inverse)
    inverse_error = ((1 - inverted) - inverted_error) / lmbda
    base = xp.where(product < -1, math.nan, product)
    power = _power_of_sum(base, product_error, inverse, inverse_error)
    # For small p = λy, where the power would amplify the rounding error of 1 + p:
    # log(1 + p) / λ = y (1 - p/2 + p²/3 - …)
    series = product * (-1 / 2 + product * (1 / 3 + product * (-1 / 4 + product * (1 / 5 - product / 6))))
    correction = xp.where(xp.isfinite(y), y * series, 0.0)
    near_one = xp.where(xp.abs(correction) < 1, xp.exp(y) * xp.exp(correction), xp.exp(y + correction))
    overflow = (product == math.inf) & xp.isfinite(y)
    power = xp.where(overflow, xp.exp(_log_of_product(y, lmbda) / lmbda), power)
    power = xp.where(xp.isinf(lmbda), math.nan, power)
    return xp.where((xp.abs(product) < 2**-10) | (lmbda == 0), near_one, power)


@special()
def inv_boxcox1p(y: RealOperand, lmbda: RealOperand, /) -> Array:
    r"""Inverse of :func:`boxcox1p`: :math:`(1 + \lambda y)^{1 / \lambda} - 1`; :math:`e^y - 1` for
    :math:`\lambda = 0`.

    Parameters
    ----------
    y
        Transformed values.
    lmbda
        Exponents :math:`\lambda`.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    NaN for ``lmbda * y < -1``. Accurate near ``y = 0``.

    See ``scipy.special.inv_boxcox1p``; Box and Cox, "An Analysis of Transformations", J. R. Stat. Soc. B 26 (1964).
    """
    y, lmbda = arrays(y, lmbda)
    product = lmbda * y
    log = xp.where((product == math.inf) & xp.isfinite(y), _log_of_product(y, lmbda), xp.log1p(product))
    exponent = xp.where((lmbda == 0) | (xp.abs(product) < 1e-30), y, log / lmbda)
    return xp.where(xp.abs(exponent) < 0.5, xp.expm1(exponent), inv_boxcox(y, lmbda) - 1)


def _transform(log: Array, lmbda: Array, power: Callable[[Array], Array]) -> Array:
    """Return the transformation from the logarithm of the base and from a function that computes its powers."""
    exponent = lmbda * log
    whole, half = power(lmbda), power(lmbda / 2)
    large = xp.where(xp.isinf(whole), half * (half / lmbda), (whole - 1) / lmbda)
    result = xp.where(xp.abs(exponent) < 1, xp.expm1(exponent) / lmbda, large)
    undefined = xp.isnan(exponent) | (xp.isinf(lmbda) & (exponent == math.inf))
    result = xp.where(undefined, math.nan, result)
    return xp.where((xp.abs(lmbda) < 1e-19) | (xp.abs(exponent) < 1e-20), log, result)


def _log_of_product(x: Array, y: Array) -> Array:
    """Return ``log|x y|``, without overflow of the product."""
    return xp.log(xp.abs(x)) + xp.log(xp.abs(y))


def _power_of_sum(x: Array, x_error: Array | float, y: Array, y_error: Array | float) -> Array:
    """Return ``(1 + x + x_error) ** (y + y_error)`` for errors below the rounding of x and y."""
    total = 1 + x
    back = total - 1
    rest = ((1 - (total - back)) + (x - back)) + x_error
    correction = xp.log1p(rest / total) * y + y_error * xp.log(total)
    power = total**y
    factor = xp.exp(xp.where(xp.isfinite(correction), correction, 0.0))
    return xp.where((power == 0) | xp.isinf(power), power, power * factor)
