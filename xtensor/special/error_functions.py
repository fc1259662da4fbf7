"""Error functions, their inverses, and the normal distribution.

Formulas for real operands:

- erf, erfc, erfcx: rational approximations of Cody, "Rational Chebyshev Approximation for the Error Function" (1969),
  with the coefficients of his SPECFUN, CALERF;
- erfinv, erfcinv, ndtri: rational approximations of Wichura, "Algorithm AS 241: The Percentage Points of the Normal
  Distribution" (1988).

Stated errors are in units in the last place (ulp), measured against mpmath in single and double precision.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from ._arithmetic import exact_product, polynomial
from ._declaration import arrays, special

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["erf", "erfc", "erfcinv", "erfcx", "erfinv", "log_ndtr", "ndtr", "ndtri"]

Rational = tuple[tuple[float, ...], tuple[float, ...]]
"""Coefficients of a numerator and a denominator, highest power first."""

NEAR_ZERO = 0.46875
"""Largest magnitude for which erf is computed by its approximation near zero."""

ERF_NEAR_ZERO: Rational = (
    (1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2, 3.20937758913846947e3),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)
"""erf(x) / x as a function of x²."""

ERFCX_TO_4: Rational = (
    (
        *(2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1),
        *(2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3),
        1.23033935479799725e3,
    ),
    (
        *(1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3),
        *(3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3),
    ),
)
"""erfcx(x) for x from 0.46875 to 4."""

ERFCX_FROM_4: Rational = (
    (
        *(1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1),
        *(1.60837851487422766e-2, 6.58749161529837803e-4),
    ),
    (
        *(1.0, 2.56852019228982242, 1.87295284992346047, 5.27905102951428412e-1, 6.05183413124413191e-2),
        2.33520497626869185e-3,
    ),
)
"""x² (1/√π - x erfcx(x)) as a function of 1/x² for x from 4."""

QUANTILE_CENTER: Rational = (
    (
        *(2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4),
        *(1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080),
    ),
    (
        *(5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4),
        *(5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0),
    ),
)
"""ndtri(p) / (p - 1/2) as a function of 0.425² - (p - 1/2)²."""

QUANTILE_TAIL: Rational = (
    (
        *(7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258),
        *(3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734),
    ),
    (
        *(1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1),
        *(6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1.0),
    ),
)
"""-ndtri(p) as a function of √(-ln p) - 1.6, for √(-ln p) up to 5."""

QUANTILE_FAR_TAIL: Rational = (
    (
        *(2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2),
        *(2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720),
    ),
    (
        *(2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4),
        *(1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0),
    ),
)
"""-ndtri(p) as a function of √(-ln p) - 5, for √(-ln p) from 5."""

ROOT_OF_HALF_ERROR = -4.833646656726457e-17
"""√(1/2) minus its double-precision value."""


@special(complex=True)
def erf(x: AnyArray, /) -> Array:
    r"""Error function :math:`\frac{2}{\sqrt\pi} \int_0^x e^{-t^2} dt`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Odd function. Special values: 1 at ``+inf``, -1 at ``-inf``.

    See ``scipy.special.erf``; NIST DLMF 7.2.
    """
    (x,) = arrays(x)
    magnitude = xp.abs(x)
    away_from_zero = xp.copysign(1 - _erfc_away_from_zero(magnitude), x)
    return xp.where(magnitude <= NEAR_ZERO, _erf_near_zero(x), away_from_zero)


@special(complex=True)
def erfc(x: AnyArray, /) -> Array:
    r"""Complementary error function :math:`1 - \operatorname{erf} x`, computed without cancellation.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: 2 at ``-inf``, 0 at ``+inf``.

    See ``scipy.special.erfc``; NIST DLMF 7.2.
    """
    (x,) = arrays(x)
    magnitude = xp.abs(x)
    tail = _erfc_away_from_zero(magnitude)
    return xp.where(magnitude <= NEAR_ZERO, 1 - _erf_near_zero(x), xp.where(x < 0, 2 - tail, tail))


@special(complex=True)
def erfcx(x: AnyArray, /) -> Array:
    r"""Scaled complementary error function :math:`e^{x^2} \operatorname{erfc} x`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at ``-inf``, 0 at ``+inf``. The formula is within 4 ulp for real operands.

    See ``scipy.special.erfcx``; NIST DLMF 7.2.
    """
    (x,) = arrays(x)
    magnitude = xp.abs(x)
    scaled = _erfcx_away_from_zero(magnitude)
    near_zero = xp.exp(x * x) * (1 - _erf_near_zero(x))
    growth = xp.where(magnitude > 30, math.inf, _exp_of_square(magnitude, 1))
    return xp.where(magnitude <= NEAR_ZERO, near_zero, xp.where(x < 0, 2 * growth - scaled, scaled))


@special()
def erfinv(y: AnyArray, /) -> Array:
    r"""Inverse of the error function: the :math:`x` with :math:`\operatorname{erf} x = y`.

    Parameters
    ----------
    y
        Array of a real dtype in ``[-1, 1]``.

    Returns
    -------
    Array
        Array of the shape of ``y`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 1, ``-inf`` at -1, NaN outside the domain. The formula is within 6 ulp.

    See ``scipy.special.erfinv``; NIST DLMF 7.17.
    """
    (y,) = arrays(y)
    central = _quantile_near_center(y / 2)
    tail = xp.copysign(_quantile_in_tail((1 - xp.abs(y)) / 2), y)
    return xp.where(xp.abs(y) <= 0.85, central, tail) / math.sqrt(2)


@special()
def erfcinv(y: AnyArray, /) -> Array:
    r"""Inverse of the complementary error function: the :math:`x` with :math:`\operatorname{erfc} x = y`.

    Parameters
    ----------
    y
        Array of a real dtype in ``[0, 2]``.

    Returns
    -------
    Array
        Array of the shape of ``y`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 0, ``-inf`` at 2, NaN outside the domain. The formula is within 6 ulp.

    See ``scipy.special.erfcinv``; NIST DLMF 7.17.
    """
    (y,) = arrays(y)
    central = _quantile_near_center((1 - y) / 2)
    tail = xp.where(y < 1, _quantile_in_tail(y / 2), -_quantile_in_tail((2 - y) / 2))
    return xp.where(xp.abs(1 - y) <= 0.85, central, tail) / math.sqrt(2)


@special(complex=True)
def ndtr(x: AnyArray, /) -> Array:
    r"""Normal cumulative distribution function :math:`\frac{1}{\sqrt{2\pi}} \int_{-\infty}^x e^{-t^2/2} dt`.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: 0 at ``-inf``, 1 at ``+inf``. Small results keep their relative precision.

    See ``scipy.special.ndtr``; NIST DLMF 7.2.
    """
    # The rounding error d of t = -x / √2 matters: erfc(t + d) ≈ erfc(t) exp(-2 t d) where t is large.
    (x,) = arrays(x)
    root = float(np.asarray(math.sqrt(0.5), dtype=x.dtype))
    t, error = exact_product(-x, xp.full_like(x, root))
    error = error - x * (math.sqrt(0.5) - root + ROOT_OF_HALF_ERROR)
    return erfc(t) / 2 * xp.where((t > 0) & (t < 40), xp.exp(-2 * t * error), 1.0)


@special()
def ndtri(y: AnyArray, /) -> Array:
    r"""Inverse of the normal cumulative distribution function: the :math:`x` with
    :math:`\operatorname{ndtr}(x) = y`.

    Parameters
    ----------
    y
        Probabilities in ``[0, 1]``.

    Returns
    -------
    Array
        Array of the shape of ``y`` and its floating-point dtype.

    Notes
    -----
    Special values: ``-inf`` at 0, ``+inf`` at 1, NaN outside the domain.

    See ``scipy.special.ndtri``; NIST DLMF 7.17.
    """
    return -math.sqrt(2) * erfcinv(2 * y)


@special(complex=True)
def log_ndtr(x: AnyArray, /) -> Array:
    r"""Logarithm of the normal cumulative distribution function, :math:`\ln \operatorname{ndtr}(x)`, computed
    without underflow.

    Parameters
    ----------
    x
        Array of a real or complex dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``-inf`` at ``-inf``, 0 at ``+inf``.

    See ``scipy.special.log_ndtr``; NIST DLMF 7.2.
    """
    (x,) = arrays(x)
    lower = xp.log(erfcx(-x * math.sqrt(0.5)) / 2) - x * (x / 2)
    return xp.where(x < -1, lower, xp.log1p(-ndtr(-x)))


def _quotient(coefficients: Rational, x: Array) -> Array:
    numerator, denominator = coefficients
    return polynomial(numerator, x) / polynomial(denominator, x)


def _erf_near_zero(x: Array) -> Array:
    return x * _quotient(ERF_NEAR_ZERO, x * x)


def _erfc_away_from_zero(x: Array) -> Array:
    """Return erfc(x) for x from 0.46875."""
    return xp.where(x > 30, 0.0, _exp_of_square(x, -1) * _erfcx_away_from_zero(x))


def _erfcx_away_from_zero(x: Array) -> Array:
    """Return erfcx(x) for x from 0.46875."""
    inverse_square = 1 / (x * x)
    far = (1 / math.sqrt(math.pi) - inverse_square * _quotient(ERFCX_FROM_4, inverse_square)) / x
    return xp.where(x <= 4, _quotient(ERFCX_TO_4, x), far)


def _exp_of_square(x: Array, sign: int) -> Array:
    """Return exp(±x²), with x² split into an exact square and a small rest, because exp amplifies rounding errors."""
    coarse = xp.trunc(x * 16) / 16
    return xp.exp(sign * coarse * coarse) * xp.exp(sign * (x - coarse) * (x + coarse))


def _quantile_near_center(q: Array) -> Array:
    """Return ndtri(1/2 + q) for magnitudes of q up to 0.425."""
    return q * _quotient(QUANTILE_CENTER, 0.180625 - q * q)


def _quantile_in_tail(p: Array) -> Array:
    """Return -ndtri(p) for p up to 0.075: +inf at 0, NaN below."""
    root = xp.sqrt(-xp.log(p))
    tail = xp.where(root <= 5, _quotient(QUANTILE_TAIL, root - 1.6), _quotient(QUANTILE_FAR_TAIL, root - 5))
    return xp.where(p == 0, math.inf, tail)
