"""The error function and the normal distribution.

Near 0 the error function is ``erf(x) = x + x P(x**2)``; further out ``erf(x) = 1 - exp(P(x))``, where P approximates
``log(erfc(x))``. All else comes from ``exp(a**2 / 2) erfc(a / sqrt(2)) / 2 = t Q(a t - 1/2)`` with ``t = 1 / (a + 4)``
for ``a >= 0``, which needs one division, and in which rounding errors of t nearly cancel (Shepherd and Laframboise,
Mathematics of Computation 36, 1981, have a variable of this kind). The rounding error of the square is carried into the
exponential function. Coefficients of the error function are minimax approximations, fitted with Remez's algorithm.
Those of Q have the least squares of the relative error, each fitted after the ones before it were rounded.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .exponential import exponential, format_of, log, log1p, polynomial
from .values import Formula, Value, constant, copysign, fabs, fma, select, two_product

__all__ = ["TABLE", "erf", "erfc", "erfcx", "gelu", "log_ndtr", "ndtr"]


class Coefficients(NamedTuple):
    """Coefficients for a floating-point format.

    Attributes
    ----------
    near
        ``erf(x) / x - 1`` in ``x**2`` up to ``x = 1``.
    far, last
        ``log(erfc(x))`` from 1 to ``last``, from where on erf is 1.
    tail
        ``(a + 4) exp(a**2 / 2) erfc(a / sqrt(2)) / 2`` in ``a / (a + 4) - 1/2``, for all ``a >= 0``; 2 where ``a = 0``.
    sqrt_half_rest
        The difference of sqrt(1/2) and the nearest number of the format.
    """

    near: tuple[float, ...]
    far: tuple[float, ...]
    last: float
    tail: tuple[float, ...]
    sqrt_half_rest: float


SINGLE = Coefficients(
    (0.12837912, -0.37612328, 0.11280182, -0.026711343, 0.0049175685, -0.00056314317),
    (0.00018844915, -1.1295803, -0.63321656, -0.10842193, 0.025210235, -0.0042052474, 0.00044146526, -2.1697007e-05),
    4.0,
    (
        0.75528514,
        -1.2157929,
        1.5485494,
        -1.4922096,
        0.9663358,
        -0.24044366,
        -0.22252588,
        0.20040746,
        0.033181608,
        -0.080919325,
    ),
    1.210161710447897e-08,
)
DOUBLE = Coefficients(
    (
        0.12837916709551256,
        -0.3761263890318352,
        0.11283791670944202,
        -0.026866170643113325,
        0.0052239776061284325,
        -0.0008548325929595397,
        0.00012055293580635138,
        -1.4924712301571797e-05,
        1.6447130843528275e-06,
        -1.6206303680412627e-07,
        1.3710920904550675e-08,
        -7.779333186251881e-10,
    ),
    (
        -5.029667958552263e-07,
        -1.1283740883216342,
        -0.6366436333728056,
        -0.10270342461493019,
        0.018990149855584625,
        0.0004106692327374403,
        -0.0019159880349715306,
        0.0007706806681184395,
        -0.00013507498024380383,
        -2.025392570497714e-05,
        2.2817317787740382e-05,
        -8.66551308984919e-06,
        2.135271049040802e-06,
        -3.732271355729545e-07,
        4.64125640725093e-08,
        -3.933291346702043e-09,
        2.0444047992478192e-10,
        -4.9271360796928425e-12,
    ),
    6.0,
    (
        0.7552851304157515,
        -1.2157932839437857,
        1.5485496029688768,
        -1.4921748636766772,
        0.9663451982494822,
        -0.24128604700090617,
        -0.2227003110292432,
        0.208744766010453,
        0.034136123555090235,
        -0.11832070795453262,
        -0.001953566276960169,
        0.071978162510331,
        0.0029281922745772754,
        -0.04852011191562374,
        -0.01024779616286736,
        0.03365110778093924,
        0.01738936989033651,
        -0.02126083475784797,
        -0.02076825127383285,
        0.010255002900335633,
        0.01703822130160183,
        -0.00267508518699007,
        -0.007218341121694005,
    ),
    -4.833646656726457e-17,
)

SQRT_HALF = 0.7071067811865476


def _coefficients(x: Value) -> Coefficients:
    return DOUBLE if x.dtype.itemsize == 8 else SINGLE


def _near(x: Value, rest: Value) -> Value:
    """``erf(x + rest)`` up to 1, for a rest that is a rounding error."""
    return x + fma(x, polynomial(x * x, _coefficients(x).near), rest)


def _tail(a: Value, finite: Value | None = None) -> Value:
    """``exp(a**2) erfc(a)`` for ``a >= 0``; ``finite`` is the same number, or a finite one where ``a`` is infinite."""
    return _quotient((a if finite is None else finite) * SQRT_HALF, fma(a, SQRT_HALF, 2.0))


def _normal_tail(a: Value, finite: Value | None = None) -> Value:
    """``exp(a**2 / 2) erfc(a / sqrt(2)) / 2`` likewise."""
    return _quotient(a if finite is None else finite, a + 4.0)


def _quotient(a: Value, denominator: Value) -> Value:
    t = 1.0 / denominator
    return t * polynomial(fma(a, t, -0.5), _coefficients(a).tail)


def _finite(a: Value) -> Value:
    """The operand; the largest finite number for infinity."""
    largest = constant(a.builder, float(np.finfo(a.dtype).max), a.dtype)
    return select(a > largest, largest, a)


def _limited(a: Value, scale: float) -> Value:
    """An operand of :func:`_gaussian`, limited to where the exponential function is not yet 0 or infinite."""
    form = format_of(a)
    limit = constant(a.builder, math.sqrt((form.lowest if scale < 0 else form.highest) / scale), a.dtype)
    return select(a > limit, limit, a)


def _gaussian(a: Value, scale: float, factor: Value) -> Value:
    """``factor * exp(scale * a**2)`` for ``a >= 0`` within the limit; the scale is plus or minus a power of 2."""
    form = format_of(a)
    square, error = two_product(a, a)
    limits = (form.lowest, 0.0) if scale < 0 else (0.0, form.highest)
    return exponential(square * scale, error * scale, factor=factor, limits=limits)


def erf(x: Value) -> Value:
    """The error function."""
    coefficients = _coefficients(x)
    a = fabs(x)
    limited = select(a > coefficients.last, constant(x.builder, coefficients.last, x.dtype), a)
    far = 1.0 - exponential(polynomial(limited, coefficients.far))
    near = fma(x, polynomial(x * x, coefficients.near), x)
    return copysign(select(a < 1.0, near, far), x)


def erfc(x: Value) -> Value:
    """``1 - erf(x)``."""
    a = _limited(fabs(x), -1.0)
    upper = _gaussian(a, -1.0, _tail(a))
    return select(x < 0, 2.0 - upper, upper)


def erfcx(x: Value) -> Value:
    """``exp(x**2) * erfc(x)``."""
    a = fabs(x)
    tail = _tail(a, _finite(a))
    growth = _gaussian(_limited(a, 1.0), 1.0, constant(x.builder, 2.0, x.dtype))
    return select(x < 0, growth - tail, tail)


def ndtr(x: Value) -> Value:
    """The distribution function of the standard normal distribution, ``erfc(-x / sqrt(2)) / 2``."""
    a = _limited(fabs(x), -0.5)
    upper = _gaussian(a, -0.5, _normal_tail(a))
    return select(x < 0, upper, 1.0 - upper)


def log_ndtr(x: Value) -> Value:
    """The logarithm of :func:`ndtr`."""
    a = fabs(x)
    tail = _normal_tail(a, _finite(a))
    # Next to 0 a logarithm has the error of its operand nearly half again; this formula has the least.
    quotient = a * SQRT_HALF
    rest = fma(a, SQRT_HALF, -quotient) + a * _coefficients(x).sqrt_half_rest
    is_near = a < 1.0
    upper = select(is_near, fma(_near(quotient, rest), -0.5, 0.5), _gaussian(_limited(a, -0.5), -0.5, tail))
    below = log(select(is_near, upper, tail))
    return select(x > 0, log1p(-upper), select(is_near, below, fma(x * -0.5, x, below)))


def gelu(x: Value) -> Value:
    """``x * ndtr(x)``; -0 at minus infinity."""
    a = _limited(fabs(x), -0.5)
    # The tail is multiplied before it underflows.
    upper = _gaussian(a, -0.5, _normal_tail(a) * a)
    return select(x < 0, constant(x.builder, -0.0, x.dtype), x) - upper


TABLE: dict[str, Formula] = {
    "nn.gelu": Formula(gelu),
    "special.erf": Formula(erf),
    "special.erfc": Formula(erfc),
    "special.erfcx": Formula(erfcx),
    "special.log_ndtr": Formula(log_ndtr),
    "special.ndtr": Formula(ndtr),
}
"""The formulas of these functions."""
