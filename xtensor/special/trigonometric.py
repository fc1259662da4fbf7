"""Trigonometric functions of degrees, and trigonometric functions without cancellation.

Degrees are reduced exactly to at most 45 before they are converted to radians.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._declaration import arrays, special

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, RealOperand

__all__ = ["cosdg", "cosm1", "cotdg", "radian", "sinc", "sindg", "tandg"]

DEGREE = math.pi / 180
"""One degree in radians."""

LARGEST_ANGLE = 1e14
"""Degrees above which the result is 0, as in SciPy, because the spacing of numbers is too coarse for an angle."""


@special()
def sindg(x: AnyArray, /) -> Array:
    r"""Sine :math:`\sin(\pi x / 180)` of an angle in degrees.

    Parameters
    ----------
    x
        Angles in degrees.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Zeros at multiples of 180 are exact. Special values: 0 for angles beyond ``1e14`` and infinities, NaN for NaN.

    See ``scipy.special.sindg``; NIST DLMF 4.14.
    """
    (x,) = arrays(x)
    sine, cosine, _, quadrant = _reduced(xp.abs(x))
    result = xp.where(xp.remainder(quadrant, 2.0) == 0, sine, cosine)
    result = xp.where(quadrant >= 2, -result, result)
    return _zero_if_large(x, xp.where(x < 0, -result, result))


@special()
def cosdg(x: AnyArray, /) -> Array:
    r"""Cosine :math:`\cos(\pi x / 180)` of an angle in degrees.

    Parameters
    ----------
    x
        Angles in degrees.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Zeros at odd multiples of 90 are exact. Special values: 0 for angles beyond ``1e14`` and infinities, NaN for NaN.

    See ``scipy.special.cosdg``; NIST DLMF 4.14.
    """
    (x,) = arrays(x)
    sine, cosine, _, quadrant = _reduced(xp.abs(x))
    result = xp.where(xp.remainder(quadrant, 2.0) == 0, cosine, sine)
    return _zero_if_large(x, xp.where((quadrant == 1) | (quadrant == 2), -result, result))


@special()
def tandg(x: AnyArray, /) -> Array:
    r"""Tangent :math:`\tan(\pi x / 180)` of an angle in degrees.

    Parameters
    ----------
    x
        Angles in degrees.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at odd multiples of 90, 0 at multiples of 180, 0 for angles beyond ``1e14`` and infinities,
    NaN for NaN.

    See ``scipy.special.tandg``; NIST DLMF 4.14.
    """
    (x,) = arrays(x)
    _, _, tangent, quadrant = _reduced(xp.abs(x))
    even = xp.remainder(quadrant, 2.0) == 0
    result = xp.where(even, tangent, xp.where(tangent == 0, math.inf, -1 / tangent))
    return _zero_if_large(x, xp.where((x < 0) & ~xp.isinf(result), -result, result))


@special()
def cotdg(x: AnyArray, /) -> Array:
    r"""Cotangent :math:`\cot(\pi x / 180)` of an angle in degrees.

    Parameters
    ----------
    x
        Angles in degrees.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` at multiples of 180, 0 at odd multiples of 90, 0 for angles beyond ``1e14`` and infinities,
    NaN for NaN.

    See ``scipy.special.cotdg``; NIST DLMF 4.14.
    """
    (x,) = arrays(x)
    _, _, tangent, quadrant = _reduced(xp.abs(x))
    even = xp.remainder(quadrant, 2.0) == 0
    result = xp.where(even, xp.where(tangent == 0, math.inf, 1 / tangent), -tangent)
    return _zero_if_large(x, xp.where((x < 0) & ~xp.isinf(result), -result, result))


@special()
def radian(d: RealOperand, m: RealOperand, s: RealOperand, /) -> Array:
    r"""Angle :math:`\frac{\pi}{180} (d + m / 60 + s / 3600)` in radians, from degrees, minutes and seconds.

    Parameters
    ----------
    d
        Degrees.
    m
        Minutes of arc.
    s
        Seconds of arc.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Infinities and NaN propagate as in the sum.

    See ``scipy.special.radian``.
    """
    d, m, s = arrays(d, m, s)
    return ((d * 60 + m) * 60 + s) * (DEGREE / 3600)


@special()
def cosm1(x: AnyArray, /) -> Array:
    r"""Cosine minus one, :math:`\cos x - 1 = -2 \sin^2(x / 2)`, computed without cancellation near 0.

    Parameters
    ----------
    x
        Angles in radians.

    Returns
    -------
    Array
        Array of the shape of ``x`` and its floating-point dtype.

    Notes
    -----
    NaN for infinities and NaN.

    See ``scipy.special.cosm1``; NIST DLMF 4.14.
    """
    (x,) = arrays(x)
    half = xp.sin(x / 2)
    return -2 * (half * half)


@special(complex=True, complex_formula=True, prefer_formula=True)
def sinc(x: AnyArray) -> Array:
    r"""Normalized sinc function :math:`\frac{\sin \pi x}{\pi x}`; 1 at 0.

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
    The operand of the sine is rounded, as in NumPy: the results at nonzero integers are small, but not exactly 0. NaN
    for infinities.

    See ``scipy.special.sinc``.
    """
    (x,) = arrays(x)
    angle = math.pi * x
    return xp.where(x == 0, 1.0, xp.sin(angle) / angle)


def _reduced(x: Array) -> tuple[Array, Array, Array, Array]:
    """Return sine, cosine and tangent of the angle from the nearest multiple of 90 degrees, and its quadrant."""
    turn = xp.remainder(x, 360.0)
    quarter = xp.round(turn / 90)
    degrees = turn - 90 * quarter
    angle = degrees * DEGREE
    # the tangent of 45 degrees is exactly 1, but π/4 is rounded
    tangent = xp.where(xp.abs(degrees) == 45, xp.sign(angle), xp.tan(angle))
    return xp.sin(angle), xp.cos(angle), tangent, xp.remainder(quarter, 4.0)


def _zero_if_large(x: Array, result: Array) -> Array:
    return xp.where(xp.abs(x) > LARGEST_ANGLE, 0.0, result)
