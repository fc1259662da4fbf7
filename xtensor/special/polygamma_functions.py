"""Digamma function and its derivatives, the polygamma functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from ._arithmetic import nearest_integer, polynomial
from ._declaration import arrays, special
from ._gamma_approximations import STIRLING_FROM, scaled_gamma, shift_to_interval
from .zeta_functions import scaled_hurwitz_zeta

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, RealOperand

__all__ = ["digamma", "polygamma", "psi"]

DERIVATIVE = (
    *(-3.2935074030722783e-06, 5.76365634372951e-06, 1.0291383034539685e-06),
    *(-1.800914949009462e-06, -1.3261470594699286e-05, 2.32082489796975e-05),
    *(-2.669467310498993e-05, 4.6720720962308e-05, -8.926346778394534e-05),
    *(0.000156249430035497, -0.00027088207535043765, 0.0004743363459893717),
    *(-0.0008315298346895101, 0.0014574293103879056, -0.0025566832807120605),
    *(0.004491808244822196, -0.007910468964123119, 0.01398578650500961),
    *(-0.02489004848337945, 0.044799654443056884, -0.08228558635584395),
    *(0.15712011335215764, -0.32625462786810555, 0.8581832171262993),
)
"""ψ(y) / (y - z) as a polynomial in y - 1.75 for y in [1, 2.5], where z = 1.4616… is the zero of ψ.

Interpolated at Chebyshev nodes; the relative error is 3e-16.
"""

ZERO, ZERO_ERROR = 0.46163214496836236, -1.552234816e-17
"""The zero of ψ(1 + t) in double precision, and the exact zero minus that number."""

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)
"""Bernoulli numbers of even index from 2."""

ASYMPTOTIC = tuple(number / (2 * k) for k, number in enumerate(BERNOULLI, 1))[::-1]


@special(complex=True)
def psi(x: AnyArray, /) -> Array:
    r"""Digamma function :math:`\psi(x) = \Gamma'(x) / \Gamma(x)`.

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
    Special values: ``-inf`` at ``+0``, ``+inf`` at ``-0``, ``+inf`` at ``+inf``, NaN at negative integers and ``-inf``.
    The formula is within 4 ulp from -1/2 for real operands; below, it is ``ψ(-x) - 1/x - π cot(πx)``, which has more
    zeros, and the error is at most 4 ulp of the largest term.

    See ``scipy.special.psi``; NIST DLMF 5.2.
    """
    (x,) = arrays(x)
    reflect = x <= -1
    magnitude = xp.where(reflect, -x, x)
    shift, steps = shift_to_interval(magnitude)
    root = float(np.asarray(ZERO, dtype=x.dtype))
    distance_to_zero = ((magnitude + (shift - 1)) - root) - (ZERO - root + ZERO_ERROR)
    reciprocals = xp.where(steps >= 1, 1 / (magnitude - 1), 0.0)
    for k in range(2, int(STIRLING_FROM) - 1):
        reciprocals = reciprocals + xp.where(steps >= k, 1 / (magnitude - k), 0.0)
    below_zero = -(1 + 2 * magnitude) / (magnitude * (1 + magnitude))
    reciprocals = xp.where(magnitude < 0, below_zero, xp.where(magnitude < 1, -1 / magnitude, reciprocals))
    near = distance_to_zero * polynomial(DERIVATIVE, (magnitude + shift) - 1.75) + reciprocals
    inverse = 1 / magnitude
    inverse_square = inverse * inverse
    far = xp.log(magnitude) - inverse / 2 - inverse_square * polynomial(ASYMPTOTIC, inverse_square)
    result = xp.where(magnitude < STIRLING_FROM, near, far)
    _, rest = nearest_integer(x)
    near_half = xp.abs(rest) > 0.25
    tangent = xp.tan(math.pi * xp.where(near_half, 0.5 - xp.abs(rest), rest))
    # the cotangent is exactly zero at half-integers
    cotangent = xp.where(near_half, xp.copysign(tangent, rest), 1 / tangent)
    reflected = result + inverse - math.pi * cotangent
    return xp.where(reflect, xp.where(rest == 0, math.nan, reflected), result)


@special(complex=True)
def digamma(x: AnyArray, /) -> Array:
    r"""Digamma function :math:`\psi(x) = \Gamma'(x) / \Gamma(x)`; the same function as :func:`psi`.

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
    Special values: ``-inf`` at ``+0``, ``+inf`` at ``-0``, ``+inf`` at ``+inf``, NaN at negative integers and ``-inf``.

    See ``scipy.special.digamma``; NIST DLMF 5.2.
    """
    return psi(x)


@special()
def polygamma(n: RealOperand, x: RealOperand) -> Array:
    r"""Polygamma function :math:`\psi^{(n)}(x) = \frac{d^n}{dx^n} \psi(x)`.

    Parameters
    ----------
    n
        Orders of the derivative; nonnegative integers.
    x
        Array of a real dtype.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    ``polygamma(0, x)`` is ``psi(x)``. The formula is ``(-1)^(n + 1) n! ζ(n + 1, x)``. It is within 9 ulp for positive
    ``x``; rounding of ``x + k`` adds ``n / 2`` ulp.

    See ``scipy.special.polygamma``; NIST DLMF 5.15.
    """
    n, x = arrays(n, x)
    # Γ(n + 1) and ζ(n + 1, x) are computed in a unit in which neither overflows.
    order = n + 1
    extent = xp.clip(x, 0.5, 2.0**20)
    unit = xp.where(order < STIRLING_FROM, 1.0, 2.0 ** xp.round(xp.log2(order / math.e * extent) / 2))
    magnitude = scaled_gamma(order, scaled_hurwitz_zeta(order, x, unit), unit)
    derivative = xp.where(xp.remainder(n, 2.0) == 0, -magnitude, magnitude)
    result = xp.where(n == 0, psi(x), derivative)
    return xp.where((n >= 0) & (n - xp.floor(n) == 0), result, math.nan)
