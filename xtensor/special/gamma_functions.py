"""Gamma function, its reciprocal, its logarithm and functions derived from it.

The formulas are for real operands; their approximations are described in ``_gamma_approximations``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_integer
from .._core.errors import shortened
from .._core.tracing_errors import any_true, rarely
from ._arithmetic import nearest_integer
from ._declaration import arrays, library_function, special
from ._gamma_approximations import (
    STIRLING_FROM,
    gamma_ratio,
    gammaln_near_two,
    scaled_gamma,
    shift_to_interval,
    stirling_correction,
)

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, RealOperand

__all__ = ["gamma", "gammaln", "gammasgn", "loggamma", "multigammaln", "poch", "rgamma"]

TERMS_AT_ONCE = 2**16
"""Number of terms of ``multigammaln`` that are in memory at a time."""

MOST_TERMS = 10**7
"""Largest dimension of ``multigammaln``, whose sum takes some seconds on a CPU."""


@special(complex=True)
def gamma(x: AnyArray, /) -> Array:
    r"""Gamma function :math:`\Gamma(x) = \int_0^\infty t^{x-1} e^{-t} dt`, continued to negative numbers.

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
    Special values: ±inf at ±0, ``+inf`` at ``+inf``, NaN at negative integers and ``-inf``. The formula is within 7 ulp
    for real operands: Stirling's formula with its power in two halves, and below -1 the reflection
    ``-π / (x sin(πx) Γ(-x))``.

    See ``scipy.special.gamma``; NIST DLMF 5.2.
    """
    (x,) = arrays(x)
    reflect = x <= -1
    magnitude = xp.where(reflect, -x, x)
    result = scaled_gamma(magnitude, 1.0, 1.0)
    nearest, rest = nearest_integer(x)
    sine = xp.sin(math.pi * rest) * (1 - 2 * xp.remainder(nearest, 2.0))
    reflected = xp.where(rest == 0, math.nan, math.pi / (magnitude * sine) / result)
    return xp.where(x == math.inf, x, xp.where(reflect, reflected, result))


@special(complex=True)
def rgamma(x: AnyArray, /) -> Array:
    r"""Reciprocal of the gamma function, :math:`1 / \Gamma(x)`, which has no poles.

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
    Special values: 0 at 0, at negative integers and at ``+inf``.

    See ``scipy.special.rgamma``; NIST DLMF 5.2.
    """
    return xp.where((x == -math.inf) | ((x < 0) & (xp.floor(x) == x)), 0.0, 1 / gamma(x))


@special()
def gammaln(x: AnyArray, /) -> Array:
    r"""Logarithm of the absolute value of the gamma function, :math:`\ln |\Gamma(x)|`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at 0, at negative integers and at ``+inf``. :func:`gammasgn` is the sign of the gamma
    function. The formula is within 3 ulp from -1; below, ``ln|Γ(x)| = -ln|x sin(πx) / π| - ln Γ(-x)`` has zeros, and
    the error is at most 3 ulp of the largest term.

    See ``scipy.special.gammaln``; NIST DLMF 5.2.
    """
    (x,) = arrays(x)
    reflect = x <= -1
    magnitude = xp.where(reflect, -x, x)
    shift, steps = shift_to_interval(magnitude)
    log_ratio = xp.log(xp.abs(gamma_ratio(magnitude, steps)))
    near = gammaln_near_two(magnitude, shift) + xp.where(magnitude < 1, -log_ratio, log_ratio)
    constant = math.log(2 * math.pi) / 2 - 0.5
    far = (magnitude - 0.5) * (xp.log(magnitude) - 1) + (constant + stirling_correction(magnitude))
    result = xp.where(magnitude < STIRLING_FROM, near, far)
    _, rest = nearest_integer(x)
    sine = xp.abs(xp.sin(math.pi * rest))
    reflected = xp.where(rest == 0, math.inf, -xp.log(magnitude * (sine / math.pi)) - result)
    return xp.where(xp.isinf(x), x, xp.where(reflect, reflected, result))


@special()
def gammasgn(x: AnyArray, /) -> Array:
    r"""Sign of the gamma function, :math:`\operatorname{sgn} \Gamma(x)`.

    Parameters
    ----------
    x
        Array of a real dtype.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ±1 at ±0, NaN at negative integers, ``-inf`` and NaN.

    See ``scipy.special.gammasgn``; NIST DLMF 5.2.
    """
    floor = xp.floor(x)
    negative = xp.where(floor == x, math.nan, 1 - 2 * xp.remainder(floor, 2.0))
    sign = xp.where(x > 0, 1.0, xp.where(x == 0, xp.copysign(1.0, x), negative))
    return xp.where(xp.isnan(x) | (x == -math.inf), math.nan, sign)


@special(complex=True)
def loggamma(x: AnyArray, /) -> Array:
    r"""Principal branch of the logarithm of the gamma function, :math:`\ln \Gamma(x)`.

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
    Special values: ``+inf`` at 0 and ``+inf``, NaN for negative real numbers. Complex numbers have a branch cut along
    the negative real axis.

    See ``scipy.special.loggamma``; NIST DLMF 5.2.
    """
    return xp.where(x < 0, math.nan, gammaln(x))


@special(prefer_formula=True, operands=("a",))
def multigammaln(a: AnyArray, d: int) -> Array:
    r"""Logarithm of the multivariate gamma function, :math:`\ln \Gamma_d(a)` with
    :math:`\Gamma_d(a) = \pi^{d(d-1)/4} \prod_{j=1}^{d} \Gamma(a - (j - 1) / 2)`.

    Parameters
    ----------
    a
        Array of a real dtype, greater than ``(d - 1) / 2``.
    d
        Dimension; at least 1.

    Returns
    -------
    Array
        Array of the shape of ``a`` and its floating-point dtype.

    Raises
    ------
    ValueError
        If ``d`` is not from 1 to 10 million, or an element of ``a`` is not greater than ``(d - 1) / 2``.

    Notes
    -----
    The check of the elements blocks until the device has computed them. The sum has ``d`` terms for each element.

    See ``scipy.special.multigammaln``; NIST DLMF 35.3.
    """
    dimension = check_integer(d, "multigammaln", "d")
    if not 1 <= dimension <= MOST_TERMS:
        raise ValueError(f"multigammaln(): the dimension d is from 1 to {MOST_TERMS}, not {shortened(dimension)}")
    if rarely(any_true, a <= (dimension - 1) / 2):
        raise ValueError(
            f"multigammaln(): with d = {dimension}, all elements of a must be greater than {(dimension - 1) / 2}"
        )
    result = xp.zeros_like(a) + dimension * (dimension - 1) / 4 * math.log(math.pi)
    step = max(1, TERMS_AT_ONCE // max(a.size, 1))
    for first in range(0, dimension, step):
        halves = xp.arange(first, min(first + step, dimension), dtype=a.dtype, device=a.device) / 2
        result = result + xp.sum(gammaln(xp.expand_dims(a, axis=-1) - halves), axis=-1)
    return result


@library_function()
def poch(z: RealOperand, m: RealOperand, /) -> Array:
    r"""Pochhammer symbol :math:`(z)_m = \Gamma(z + m) / \Gamma(z)`.

    Parameters
    ----------
    z, m
        Real numbers.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    1 for ``m = 0``.

    See ``scipy.special.poch``; NIST DLMF 5.2.
    """
