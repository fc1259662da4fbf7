"""Points at the ends of the domains of differentiable functions, and exact derivatives there.

The references are definitions in mpmath, differentiated by central differences with so many digits that the quotient
has 20 correct ones: two computations with different steps and precisions agree.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "special"))

from special_references import REFERENCES, mp

import xtensor as xp
from xtensor import special
from xtensor.nn import functional

LARGEST, SMALLEST = 1.7976931348623157e308, 2.2250738585072014e-308

TINY = (5e-324, 1e-300, 1e-160, 1e-20, 1e-9, 1e-3)
MIDDLE = (0.5, 2.0)
TAIL = (20.0, 40.0, 300.0, 700.0)
HUGE = (1e8, 1e100, 1e300)


def both(*groups: Sequence[float]) -> tuple[float, ...]:
    """Return numbers with both signs."""
    values = [value for group in groups for value in group]
    return (*values, *[-value for value in values])


REAL = (0.0, -0.0, *both(TINY, MIDDLE, TAIL, HUGE))
POSITIVE = (*TINY, *MIDDLE, *TAIL, *HUGE)
UNIT = (0.0, *both(TINY, (0.1, 0.5, 0.9, 1 - 1e-5, 1 - 1e-10, 1 - 2**-53)))
PROBABILITIES = (*TINY, 0.1, 0.3, 0.5, 0.7, 0.9, 1 - 1e-5, 1 - 1e-10, 1 - 2**-53)
ABOVE_ONE = (1 + 2**-52, 1 + 1e-10, 1.001, 1.5, *TAIL, *HUGE)


class Case:
    """A function, its definition in mpmath, the values of each operand, and what limits the accuracy.

    Attributes
    ----------
    singular
        Real numbers at which the function is not smooth: a step of the differences stays away from them.
    places
        The operands by which the function is differentiated.
    tolerance
        Largest relative error of the derivatives of order 1, 2, and 3.
    derivative
        The exact derivative of an order at a point, by the last operand, where differences take too long.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        reference: Callable[..., Any],
        *operands: Sequence[float],
        singular: Sequence[float] = (),
        places: Sequence[int] | None = None,
        orders: int = 3,
        tolerance: Sequence[float] = (1e-12, 1e-10, 1e-8),
        derivative: Callable[..., Any] | None = None,
    ) -> None:
        self.function, self.reference = function, reference
        self.points = [tuple(map(float, point)) for point in product(*operands)]
        self.derivative = derivative
        self.singular, self.orders, self.tolerance = singular, orders, tolerance
        self.places = tuple(range(len(operands))) if places is None else tuple(places)


@cache
def exact_derivative(case: Case, point: tuple[float, ...], orders: tuple[int, ...]) -> Any:
    """Return a partial derivative with 20 digits, or raise ArithmeticError where the differences do not settle."""
    if case.derivative is not None:
        return case.derivative(sum(orders), *map(mp.mpf, point))
    previous = None
    for digits, extra in ((14, 50), (17, 120), (20, 400), (24, 1000)):
        value = _by_differences(case, point, orders, digits, extra)
        if previous is not None and value is not None and abs(value - previous) <= abs(value) * mp.mpf(10) ** -20:
            return value
        if previous is not None and abs(value) < min(mp.mpf(10) ** -18, abs(previous) / 10**5):
            return mp.mpf(0)
        previous = value
    raise ArithmeticError(f"no reference for the derivative of order {orders} at {point}")


def _by_differences(case: Case, point: tuple[float, ...], orders: tuple[int, ...], digits: int, extra: int) -> Any:
    with mp.workdps(60):
        steps = []
        for x in point:
            distance = min([abs(mp.mpf(x) - mp.mpf(s)) for s in case.singular if x != s], default=mp.mpf(1))
            size = abs(mp.mpf(x))
            scale = min(distance, size if size > 1e3 else 1 / (1 + size))
            steps.append(scale * mp.mpf(10) ** -digits)
        spread = max([float(mp.log10(max(abs(mp.mpf(x)), 1) / h)) for x, h in zip(point, steps, strict=True)])
        total = sum(orders)
        dps = int(extra + (digits + 5) * (total + 1) + max(spread, 0) * (total + 1))
    with mp.workdps(dps):
        value = mp.mpf(0)
        for shifts in product(*[range(order + 1) for order in orders]):
            weight, operands = mp.mpf(1), []
            for x, h, order, k in zip(point, steps, orders, shifts, strict=True):
                weight *= (-1) ** k * mp.binomial(order, k)
                operands.append(mp.mpf(x) + (mp.mpf(order) / 2 - k) * h if order else mp.mpf(x))
            f = case.reference(*operands)
            if f is None or isinstance(f, mp.mpc):
                return None
            value += weight * f
        for h, order in zip(steps, orders, strict=True):
            value /= h**order
        return value


def relative_error(result: float, exact: Any) -> float:
    """Return the relative error; numbers that overflow or are subnormal count as infinity and 0."""
    if math.isnan(result):
        return math.inf
    if abs(exact) >= LARGEST * 0.99:
        return 0.0 if (result > 0) == (exact > 0) and abs(result) > 1e307 else math.inf
    if exact == 0:
        return 0.0 if abs(result) < 1e-12 else math.inf
    if abs(exact) < SMALLEST * 1e3:
        return 0.0 if abs(result) < SMALLEST * 1e4 else math.inf
    return float(abs(mp.mpf(result) - exact) / abs(exact)) if math.isfinite(result) else math.inf


# -- the cases --------------------------------------------------------------------------------------------------------

CASES: dict[str, Case] = {}


def _elementary(name: str, reference: Any, *operands: Sequence[float], **options: Any) -> None:
    CASES[name] = Case(getattr(xp, name), reference, *operands, **options)


def of_special(name: str, *operands: Sequence[float], **options: Any) -> None:
    CASES[f"special.{name}"] = Case(getattr(special, name), REFERENCES[name], *operands, **options)


_elementary("exp", mp.exp, REAL)
_elementary("exp2", lambda x: mp.mpf(2) ** x, REAL)
_elementary("expm1", mp.expm1, REAL)
_elementary("log", mp.log, POSITIVE, singular=(0,))
_elementary("log2", lambda x: mp.log(x, 2), POSITIVE, singular=(0,))
_elementary("log10", lambda x: mp.log(x, 10), POSITIVE, singular=(0,))
_elementary("log1p", mp.log1p, (0.0, *both(TINY), -0.5, -1 + 1e-10, -1 + 2**-53, *MIDDLE, *HUGE), singular=(-1,))
_elementary("sqrt", mp.sqrt, POSITIVE, singular=(0,))
_elementary("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), both(TINY, MIDDLE, HUGE), singular=(0,))
_elementary("square", lambda x: x * x, REAL)
_elementary("reciprocal", lambda x: 1 / x, both(TINY, MIDDLE, HUGE), singular=(0,))
_elementary("sin", mp.sin, tuple(x for x in REAL if abs(x) < 1e4))
_elementary("cos", mp.cos, tuple(x for x in REAL if abs(x) < 1e4))
_elementary("tan", mp.tan, tuple(x for x in REAL if abs(x) < 1e4), tolerance=(1e-11, 1e-9, 1e-8))
_elementary("asin", mp.asin, UNIT, singular=(-1, 1))
_elementary("acos", mp.acos, UNIT, singular=(-1, 1))
_elementary("atan", mp.atan, REAL)
_elementary("sinh", mp.sinh, REAL)
_elementary("cosh", mp.cosh, REAL)
_elementary("tanh", mp.tanh, REAL)
_elementary("asinh", mp.asinh, REAL)
_elementary("acosh", mp.acosh, ABOVE_ONE, singular=(1,))
_elementary("atanh", mp.atanh, UNIT, singular=(-1, 1))
AWAY = (1e-300, 1e-160, 1.0, 3.0, 1e160, 1e300)
_elementary("hypot", lambda x, y: mp.sqrt(x * x + y * y), both(AWAY), AWAY, singular=(0,), orders=2)
_elementary("atan2", mp.atan2, both(AWAY), both(AWAY), singular=(0,), orders=2)
_elementary(
    "divide", lambda x, y: x / y, both((1e-300, 1.0, 1e300)), (1e-300, 1e-10, 3.0, 1e300), singular=(0,), orders=2
)
_elementary(
    "pow", lambda x, y: x**y, (1e-300, 1e-5, 0.5, 1.0, 2.0, 1e100, 1e300), (-2.0, -0.5, 1e-10, 0.5, 1.0, 2.0, 3.0),
    singular=(0,), orders=2,
)  # fmt: skip
LOGS = (0.0, 1e-300, -2.0, 40.0, 700.0, -800.0, 1e300)
_elementary("logaddexp", lambda x, y: x + mp.log1p(mp.exp(y - x)), LOGS, LOGS, tolerance=(1e-12, 1e-10, 1e-8), orders=2)
_elementary(
    "logaddexp2", lambda x, y: x + mp.log1p(mp.mpf(2) ** (y - x)) / mp.log(2), LOGS, LOGS,
    tolerance=(1e-12, 1e-10, 1e-8), orders=2,
)  # fmt: skip
_elementary("remainder", lambda x, y: x - y * mp.floor(x / y), (1.0, 5.0, 7.3), (0.1, 0.3, 2.0), orders=1)

SMALL_AND_MIDDLE = (0.0, -0.0, *both(TINY, MIDDLE))
BESSEL = (*SMALL_AND_MIDDLE, *both((4.0, 8.0, 10.0, 30.0)))


def of_bessel(function: Callable[..., Any], n: int, sign: int, factor: int, decay: int) -> Callable[..., Any]:
    """Return the derivative of order m of ``exp(decay |x|)`` times a Bessel function (DLMF 10.6.7, 10.29.5)."""

    def unscaled(m: int, x: Any) -> Any:
        terms = (sign**k * mp.binomial(m, k) * function(n - m + 2 * k, x) for k in range(m + 1))
        return (mp.mpf(factor) / 2) ** m * mp.fsum(terms)

    def derivative(m: int, x: Any) -> Any:
        with mp.workdps(60 + int(8 * max(0, mp.log10(abs(x) or 1)))):
            if not decay:
                return +unscaled(m, x)
            slope = decay * (1 if x > 0 else -1)
            terms = (mp.binomial(m, k) * slope ** (m - k) * unscaled(k, x) for k in range(m + 1))
            return mp.exp(decay * abs(x)) * mp.fsum(terms)

    return derivative


def _bessel(name: str, points: Sequence[float], *kind: Any, **options: Any) -> None:
    of_special(name, points, derivative=of_bessel(*kind), **options)


SCALED = (24.0, 26.0, 100.0, 700.0, 1e4, 1e10, 1e100)
for _n in (0, 1):
    _bessel(f"j{_n}", BESSEL, mp.besselj, _n, -1, 1, 0, tolerance=(1e-11, 1e-9, 1e-7))
    _bessel(f"i{_n}", (*BESSEL, *both((100.0, 700.0))), mp.besseli, _n, 1, 1, 0)
    _bessel(f"i{_n}e", (*[x for x in BESSEL if x], *both(SCALED)), mp.besseli, _n, 1, 1, -1)
    _bessel(f"y{_n}", (*TINY[3:], *MIDDLE, 8.0, 10.0, 30.0), mp.bessely, _n, -1, 1, 0, tolerance=(1e-11, 1e-9, 1e-7))
    _bessel(f"k{_n}", (*TINY[1:], *MIDDLE, 8.0, 10.0, 30.0, 100.0, 600.0), mp.besselk, _n, 1, -1, 0)
    _bessel(f"k{_n}e", (*TINY[1:], *MIDDLE, 8.0, 10.0, *SCALED), mp.besselk, _n, 1, -1, 1)
CASES["special.yn"] = Case(
    lambda x: special.yn(3, x), lambda x: mp.bessely(3, x), (*TINY[3:], *MIDDLE, 8.0, 30.0),
    derivative=of_bessel(mp.bessely, 3, -1, 1, 0), tolerance=(1e-11, 1e-9, 1e-7),
)  # fmt: skip

GAMMA = (
    *TINY,
    *[-x for x in TINY],
    0.1,
    0.5,
    0.9,
    1.0,
    1.3,
    2.0,
    2.5,
    5.0,
    20.0,
    100.0,
    170.0,
    -0.5,
    -1 + 1e-9,
    -1 - 1e-5,
    -3.3,
    -10.5,
)
WHOLE = tuple(float(-n) for n in range(12))


def _of_psi(m: int, x: Any) -> Any:
    with mp.workdps(120):
        return mp.polygamma(m, x)


def of_gammaln(m: int, x: Any) -> Any:
    return _of_psi(m - 1, x)


def _of_gamma(m: int, x: Any) -> Any:
    with mp.workdps(120):
        first, second, third = [mp.polygamma(k, x) for k in range(3)]
        factors = first, first**2 + second, first**3 + 3 * first * second + third
        return mp.gamma(x) * factors[m - 1]


of_special("gamma", GAMMA, derivative=_of_gamma)
of_special("psi", GAMMA, derivative=_of_psi)
of_special("loggamma", tuple(x for x in GAMMA if x > 0), derivative=of_gammaln)
of_special("digamma", GAMMA, derivative=_of_psi)
of_special("gammaln", (*GAMMA, 1e10, 1e100, 1e300), derivative=of_gammaln)
of_special("rgamma", (0.0, -1.0, -2.0, -5.0, -10.0, *GAMMA))
of_special("poch", (0.5, 3.0, 20.0), (0.1, 0.5, 4.0), singular=WHOLE, orders=2, tolerance=(1e-11, 1e-9))
of_special("betaln", (0.1, 0.5, 3.0, 20.0), (0.1, 0.5, 4.0), singular=WHOLE, orders=2, tolerance=(1e-11, 1e-9))
of_special("binom", (5.5, 20.3), (0.5, 1.0, 3.3), orders=2, tolerance=(1e-11, 1e-9))
of_special("zeta", (2.0, 3.5), (1e-100, 1e-5, 0.5, 1.0, 30.0), singular=WHOLE, places=(1,), orders=2)
of_special("polygamma", (1.0, 2.0), (1e-60, 1e-5, 0.5, 1.0, 30.0, 1e50), singular=WHOLE, places=(1,), orders=2)
SHAPES = (0.5, 1.0, 2.0, 7.5)
RATES = (1e-300, 1e-5, 1.0, 100.0)
DENSITY = (1e-11, 1e-9, 1e-7)
for _name in ("gammainc", "chdtr"):
    of_special(_name, SHAPES, RATES, singular=(0,), places=(1,), tolerance=DENSITY)
    CASES[f"special.{_name}c"] = Case(  # mpmath's complement takes minutes with hundreds of digits
        getattr(special, f"{_name}c"), partial(lambda lower, a, x: 1 - lower(a, x), REFERENCES[_name]), SHAPES, RATES,
        singular=(0,), places=(1,), tolerance=DENSITY,
    )  # fmt: skip


def _betainc(a: Any, b: Any, x: Any) -> Any:
    """Return the function for whole numbers a and b: a polynomial, also outside [0, 1]."""
    n = int(a + b) - 1
    return sum(mp.binomial(n, j) * x**j * (1 - x) ** (n - j) for j in range(int(a), n + 1))


PROPORTIONS = (0.0, 1.0, 1e-300, 1e-10, 0.3, 1 - 1e-10)
for _name, _reference in (("betainc", _betainc), ("betaincc", lambda a, b, x: 1 - _betainc(a, b, x))):
    CASES[f"special.{_name}"] = Case(
        getattr(special, _name), _reference, (1.0, 2.0, 3.0, 5.0), (1.0, 2.0, 4.0), PROPORTIONS,
        places=(2,), tolerance=DENSITY,
    )  # fmt: skip
for _name in ("fdtr", "fdtrc"):
    of_special(
        _name, (2.0, 3.0), (1.0, 4.0), (1e-60, 1e-10, 0.3, 5.0, 1e10), singular=(0,), places=(2,), tolerance=DENSITY
    )
of_special("stdtr", (1.0, 5.0), (0.0, *both((1e-300, 1e-10, 0.5, 3.0, 1e5))), places=(1,), tolerance=DENSITY, orders=2)


def _of_gaussian(scale: Any, factor: Any) -> Callable[..., Any]:
    """Return the derivative of order m of a function whose derivative is ``factor exp(-(scale x)^2)``."""

    def derivative(m: int, x: Any) -> Any:
        t = scale * x
        hermite = (1, -2 * t, 4 * t * t - 2)[m - 1]  # times (-1)^(m - 1)
        return factor * scale ** (m - 1) * hermite * mp.exp(-t * t)

    return derivative


def _of_erfcx(m: int, x: Any) -> Any:
    with mp.workdps(120):
        values = [mp.exp(x * x) * mp.erfc(x)]
        values.append(2 * x * values[0] - 2 / mp.sqrt(mp.pi))
        for k in range(1, m):
            values.append(2 * x * values[k] + 2 * k * values[k - 1])
        return values[m]


def _of_log_ndtr(m: int, x: Any) -> Any:
    with mp.workdps(120):
        h = mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi) / (mp.erfc(-x / mp.sqrt(2)) / 2)
        excess = x + h
        return (h, -h * excess, h * (excess * excess - (1 - h * excess)))[m - 1]


of_special("erf", REAL, derivative=_of_gaussian(mp.mpf(1), 2 / mp.sqrt(mp.pi)))
of_special("erfc", REAL, derivative=_of_gaussian(mp.mpf(1), -2 / mp.sqrt(mp.pi)))
of_special("ndtr", REAL, derivative=_of_gaussian(mp.sqrt(0.5), 1 / mp.sqrt(2 * mp.pi)))
of_special("erfcx", (0.0, *both(TINY, MIDDLE), 3.0, 4.0, 6.0, -20.0, *TAIL, 1e8), derivative=_of_erfcx)
LOWER = (-8.0, -20.0, -37.0, -100.0, -1e3)
of_special(
    "log_ndtr",
    (0.0, *both(TINY, MIDDLE), 3.0, 8.0, 20.0, 37.0, *LOWER),
    derivative=_of_log_ndtr,
    tolerance=(1e-12, 1e-10, 1e-7),
)
CASES["log_ndtr far"] = Case(
    special.log_ndtr,
    REFERENCES["log_ndtr"],
    (-1e8, -1e10, -1e100),
    derivative=lambda m, x: -x if m == 1 else mp.mpf(-1),
    orders=2,
)
of_special("erfinv", UNIT, singular=(-1, 1))
of_special("erfcinv", (*PROBABILITIES[1:], 1.5, 1.9999), singular=(0, 2))
of_special("ndtri", PROBABILITIES[1:], singular=(0, 1))
of_special("exp1", (*TINY, *MIDDLE, 30.0, 600.0), singular=(0,))
of_special("expi", (*both(TINY[3:], MIDDLE, (30.0, 600.0)), 715.0), singular=(0,))


def _of_expn(m: int, n: Any, x: Any) -> Any:
    """Return the derivative of order m of the exponential integral (DLMF 8.19.13), by 8.19.12 for n <= 0."""
    with mp.workdps(60):
        if n > m:
            return (-1) ** m * mp.expint(n - m, x)
        value = mp.exp(-x) / x
        for k in range(1, m - int(n) + 1):
            value = (mp.exp(-x) + k * value) / x
        return (-1) ** m * value


def _of_spence(m: int, z: Any) -> Any:
    """Return the derivative of order m - 1 of ``log(z) / (1 - z)``."""
    with mp.workdps(120):
        u = z - 1
        if not u:
            return (mp.mpf(-1), mp.mpf(1) / 2, mp.mpf(-2) / 3)[m - 1]
        values = [mp.log(z) / u]
        values.append((1 / z - values[0]) / u)
        values.append((-1 / z**2 - 2 * values[1]) / u)
        return -values[m - 1]


of_special("expn", (1.0, 2.0, 4.0), (*TINY, *MIDDLE, 30.0, 600.0), derivative=_of_expn, places=(1,), orders=2)
of_special(
    "spence",
    (1e-300, 1e-10, 0.3, 0.5, 0.9, 1 - 1e-3, 1 - 1e-9, 1.0, 1 + 1e-9, 1.001, 1.3, 1.6, 3.0, 1e5),
    derivative=_of_spence,
)
of_special("expit", REAL)
of_special("log_expit", REAL)
of_special("softplus", REAL)
of_special("logit", PROBABILITIES, singular=(0, 1))
XS, YS = (0.0, 1e-10, -2.0), (1e-300, 1e-10, 1.0, 3.0)
of_special("xlogy", XS, YS, singular=(0,), orders=2)
of_special("xlog1py", XS, (-0.5, 1e-10, 3.0), singular=(0, -1), orders=2)
of_special("entr", POSITIVE, singular=(0,))
PAIRS = (1e-10, 0.5, 0.5 + 1e-12, 3.0)
of_special("rel_entr", PAIRS, PAIRS, singular=(0,), orders=2)
of_special("kl_div", PAIRS, PAIRS, singular=(0,), orders=2)
of_special("pseudo_huber", (0.5, 3.0), (0.0, *both((1e-9, 0.3, 1e5))), singular=(0,), orders=2)
of_special("exp10", REAL)
of_special("exprel", REAL)
of_special("powm1", (0.5, 1 + 1e-10, 2.0), (-0.5, 1e-20, 1.0, 100.0, -100.0), singular=(0,), orders=2)
of_special(
    "boxcox",
    (1e-300, 1e-5, 0.5, 1 + 1e-12, 2.0, 1e5),
    (0.0, *both((1e-300, 1e-12, 1e-4, 1e-3, 0.3, 2.0))),
    singular=(0,),
    orders=2,
)
of_special(
    "boxcox1p", (1e-300, 1e-5, 0.5, 2.0, 1e5), (0.0, *both((1e-12, 1e-4, 1e-3, 0.3, 2.0))), singular=(-1,), orders=2
)
of_special("inv_boxcox", (1e-300, 1e-5, 0.3, 0.4), (0.0, *both((1e-12, 1e-4, 1e-3, 0.3, 2.0))), orders=2)
of_special("inv_boxcox1p", (1e-300, 1e-5, 0.3, 0.4), (0.0, *both((1e-12, 1e-4, 1e-3, 0.3, 2.0))), orders=2)
of_special("cosm1", tuple(x for x in REAL if abs(x) < 1e4))
of_special("sindg", (0.0, *both(TINY), 30.0, 90.0, 180.0, 360.5))
of_special("cosdg", (0.0, *both(TINY), 30.0, 90.0, 180.0, 360.5))
CASES["special.sinc"] = Case(
    special.sinc, mp.sincpi, (*SMALL_AND_MIDDLE, *both((0.4, 0.6, 0.7, 30.5))), tolerance=(1e-11, 1e-10, 1e-9)
)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x))


CASES["nn.silu"] = Case(functional.silu, lambda x: x * sigmoid(x), (0.0, *both((1e-3,), MIDDLE, TAIL, HUGE)))
CASES["nn.swiglu"] = Case(functional.swiglu, lambda x, y: x * sigmoid(x) * y, LOGS[:-1], (0.0, 2.0), orders=2)


def _of_gelu(m: int, x: Any) -> Any:
    with mp.workdps(80):
        density = mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
        share = mp.erfc(-x / mp.sqrt(2)) / 2 if abs(x) < 1e10 else mp.mpf(x > 0)
        first = share + x * density
        return (first, density * (2 - x * x), density * x * (x * x - 4))[m - 1]


CASES["nn.gelu"] = Case(functional.gelu, lambda x: x, REAL, derivative=_of_gelu, tolerance=(1e-11, 1e-9, 1e-7))


def _of_product(m: int, x: Any) -> Any:
    y = 1 + x
    return (mp.log1p(x) + x / y, 1 / y + 1 / y**2, -1 / y**2 - 2 / y**3)[m - 1]


CASES["xlogy(x, x + 1)"] = Case(
    lambda x: special.xlogy(x, x + 1), lambda x: x * mp.log1p(x), (0.0, 0.5), derivative=_of_product
)


def partials(case: Case) -> list[tuple[int, ...]]:
    """Return the orders of the derivatives of a case: up to the highest in each operand, and mixed ones of order 2."""
    count = len(case.points[0])
    found = [
        tuple([order if i == place else 0 for i in range(count)])
        for place in case.places
        for order in range(1, case.orders + 1)
    ]
    if len(case.places) == 2 and case.orders > 1:
        found.append(tuple([1 if i in case.places else 0 for i in range(count)]))
    return found


def computed(case: Case, orders: tuple[int, ...], mode: str) -> np.ndarray:
    """Return a partial derivative at all points of a case, by nested transforms."""
    from xtensor import autograd

    operands = [xp.asarray(column) for column in np.asarray(case.points).T]
    function: Callable[..., Any] = case.function
    for place, order in enumerate(orders):
        for _ in range(order):
            function = _differentiated(function, place, mode, autograd)
    with np.errstate(all="ignore"), xp.transfers("allow"):
        return np.asarray(xp.to_numpy(function(*operands)))


def _differentiated(function: Callable[..., Any], place: int, mode: str, autograd: Any) -> Callable[..., Any]:
    if mode == "reverse":
        return autograd.grad(lambda *operands: xp.sum(function(*operands)), argnums=place)  # type: ignore[no-any-return]

    def pushed(*operands: Any) -> Any:
        def of_one(x: Any) -> Any:
            return function(*operands[:place], x, *operands[place + 1 :])

        return autograd.jvp(of_one, (operands[place],), (xp.ones_like(operands[place]),))[1]

    return pushed
