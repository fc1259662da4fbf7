"""The error function and the normal distribution.

Near 0 they are ``erf(x) = x + x P(x**2)``. In the tail ``erf(x) = 1 - exp(P(x))``, where P approximates
``log(erfc(x))``, and ``erfc(x) = exp(-x**2) G(x)`` with ``(1 + 2 x) G(x)`` a polynomial in ``(x - 4) / (x + 4)``
(Shepherd and Laframboise, Mathematics of Computation 36, 1981). The rounding error of the square is carried into the
exponential function. Coefficients are minimax approximations fitted with Remez's algorithm.
"""

from __future__ import annotations

from typing import NamedTuple

from ._exponential import exponential, format_of, log, log1p, polynomial
from ._values import Value, constant, copysign, fabs, fma, select, two_product

__all__ = ["erf", "erfc", "erfcx", "gelu", "log_ndtr", "ndtr"]


class Coefficients(NamedTuple):
    """Coefficients for a floating-point format.

    Attributes
    ----------
    near
        ``erf(x) / x - 1`` in ``x**2`` up to ``x = 1``.
    far, last
        ``log(erfc(x))`` from 1 to ``last``, from where on erf is 1.
    tail
        ``(1 + 2 x) exp(x**2) erfc(x)`` in ``(x - 4) / (x + 4)`` from 1/2 on.
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
        1.2329952,
        -0.13962144,
        0.015378135,
        0.06810602,
        -0.10102197,
        0.09365969,
        -0.066387035,
        0.03741868,
        -0.016169135,
        0.004650388,
        -0.00062927714,
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
        1.2329951186255526,
        -0.13962111684056247,
        0.015379652102621644,
        0.06809705425468605,
        -0.10103906603642128,
        0.09373283499861547,
        -0.06633036580940567,
        0.03716751553247268,
        -0.01619773409263068,
        0.005031970030889509,
        -0.0007577730355660785,
        -0.00019925703673317503,
        0.000150620524690065,
        -2.4397794440233322e-05,
        -1.1218655551983249e-05,
        5.705875015805383e-06,
        2.8744098650180976e-07,
        -8.186087880374071e-07,
        8.211951490924399e-08,
        1.0252525045884936e-07,
        -2.2911983849524797e-08,
        -9.397878852720729e-09,
        3.2851792796747593e-09,
    ),
    -4.833646656726457e-17,
)

SQRT_HALF = 0.7071067811865476

NEAR = 0.75
"""Below it ``1 - erf(x)`` is more accurate than the tail's formula."""


def _coefficients(x: Value) -> Coefficients:
    return DOUBLE if x.dtype.itemsize == 8 else SINGLE


def _near(x: Value) -> Value:
    """The error function between -1 and 1."""
    return fma(x, polynomial(x * x, _coefficients(x).near), x)


def _normal_near(a: Value) -> Value:
    """``erf(a / sqrt(2))`` up to ``sqrt(2)``, without the rounding error of the quotient."""
    x = a * SQRT_HALF
    error = fma(a, SQRT_HALF, -x) + a * _coefficients(a).sqrt_half_rest
    return fma(x, polynomial(x * x, _coefficients(a).near), error) + x


def _tail(a: Value) -> Value:
    """``exp(a**2) erfc(a)`` from 1/2 on."""
    return _product(a, 4.0) * 0.5 / (a + 0.5)


def _normal_tail(a: Value) -> Value:
    """``exp(a**2 / 2) erfc(a / sqrt(2))`` from sqrt(1/2) on, without the rounding error of ``a / sqrt(2)``."""
    return _product(a, 4.0 / SQRT_HALF) / fma(a, 2.0 * SQRT_HALF, 1.0)


def _product(a: Value, middle: float) -> Value:
    """``(1 + 2 x) exp(x**2) erfc(x)`` where ``a`` is to ``middle`` as ``x`` is to 4."""
    # A finite number gives the limit at infinity.
    limit = 2.0 ** (format_of(a).bias - 1)
    finite = select(a > limit, constant(a.builder, limit, a.dtype), a)
    return polynomial((finite - middle) / (finite + middle), _coefficients(a).tail)


def _gaussian(x: Value, scale: float, factor: Value) -> Value:
    """``factor * exp(scale * x**2)``; the scale is a power of 2."""
    # The square of a larger number overflows, and its error is not a number.
    limit = 2.0**6
    x = select(x > limit, constant(x.builder, limit, x.dtype), x)
    square, error = two_product(x, x)
    return exponential(square * scale, error * scale, factor=factor)


def erf(x: Value) -> Value:
    """The error function."""
    coefficients = _coefficients(x)
    a = fabs(x)
    limited = select(a > coefficients.last, constant(x.builder, coefficients.last, x.dtype), a)
    far = 1.0 - exponential(polynomial(limited, coefficients.far))
    return copysign(select(a < 1.0, _near(a), far), x)


def erfc(x: Value) -> Value:
    """``1 - erf(x)``."""
    a = fabs(x)
    tail = _gaussian(a, -1.0, _tail(a))
    return select(a < NEAR, 1.0 - _near(x), select(x < 0, 2.0 - tail, tail))


def erfcx(x: Value) -> Value:
    """``exp(x**2) * erfc(x)``."""
    a = fabs(x)
    tail = _tail(a)
    near = a < NEAR
    growth = _gaussian(a, 1.0, select(near, 1.0 - _near(x), constant(x.builder, 2.0, x.dtype)))
    return select(near, growth, select(x < 0, growth - tail, tail))


def ndtr(x: Value) -> Value:
    """The distribution function of the standard normal distribution, ``erfc(-x / sqrt(2)) / 2``."""
    a = fabs(x)
    tail = _gaussian(a, -0.5, _normal_tail(a) * 0.5)
    near = fma(_near(x * SQRT_HALF), 0.5, 0.5)
    return select(a < NEAR / SQRT_HALF, near, select(x < 0, tail, 1.0 - tail))


def log_ndtr(x: Value) -> Value:
    """The logarithm of :func:`ndtr`."""
    a = fabs(x)
    half = _normal_tail(a) * 0.5
    upper = select(a < NEAR / SQRT_HALF, fma(_normal_near(a), -0.5, 0.5), _gaussian(a, -0.5, half))
    far = x < -1.0
    below = log(select(far, half, upper))
    return select(x > 0, log1p(-upper), select(far, fma(x * -0.5, x, below), below))


def gelu(x: Value) -> Value:
    """``x * ndtr(x)``; -0 at minus infinity."""
    a = fabs(x)
    # The tail is multiplied before it underflows.
    limited = select(a > 64.0, constant(x.builder, 64.0, x.dtype), a)
    tail = _gaussian(a, -0.5, _normal_tail(a) * 0.5 * limited)
    near = x * fma(_near(x * SQRT_HALF), 0.5, 0.5)
    return select(a < NEAR / SQRT_HALF, near, select(x < 0, -tail, x - tail))
