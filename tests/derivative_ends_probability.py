"""Cases of derivatives at the ends: aliases, elliptic integrals, distributions, and functions of networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from derivative_ends import (
    BESSEL,
    CASES,
    DENSITY,
    HUGE,
    LOGS,
    MIDDLE,
    PROPORTIONS,
    RATES,
    REAL,
    SHAPES,
    SMALL_AND_MIDDLE,
    TAIL,
    TINY,
    Case,
    both,
    of_bessel,
    of_gammaln,
    of_special,
    sigmoid,
)
from special_references import mp

import xtensor as xp
from xtensor import special
from xtensor.nn import functional

CASES["special.exp2"] = Case(special.exp2, lambda x: mp.mpf(2) ** x, REAL)
CASES["special.cbrt"] = Case(special.cbrt, CASES["cbrt"].reference, both(TINY, MIDDLE, HUGE), singular=(0,))
CASES["i0"] = Case(xp.i0, lambda x: mp.besseli(0, x), BESSEL, derivative=of_bessel(mp.besseli, 0, 1, 1, 0))
CASES["sinc"] = Case(
    xp.sinc, mp.sincpi, (*SMALL_AND_MIDDLE, *both((0.4, 0.6, 0.7, 30.5))), tolerance=(1e-11, 1e-10, 1e-9)
)
CASES["float_power"] = Case(
    xp.float_power, lambda x, y: x**y, (1e-300, 0.5, 1.0, 2.0, 1e300), (-2.0, 1e-10, 0.5, 1.0, 3.0),
    singular=(0,), orders=2,
)  # fmt: skip
DEGREES = (0.0, *both(TINY), 30.0, 89.0, 180.0, 360.5)
of_special("tandg", DEGREES, singular=(90,))
of_special("cotdg", (1e-3, 30.0, 90.0, 179.0, -45.0), singular=(0, 180), tolerance=(1e-11, 1e-10, 1e-8))
of_special("ellipk", (0.0, *both(TINY), 0.5, 0.9, 1 - 1e-5, 1 - 1e-10, -5.0, -1e5), singular=(1,), tolerance=DENSITY)
of_special("ellipkm1", (1e-100, 1e-10, 0.5, 1 - 1e-9, 1.0, 3.0), singular=(0,), tolerance=DENSITY)
of_special("huber", (0.5, 3.0), (0.0, *both((1e-300, 1e-9, 0.3, 1e5))), singular=(-3, -0.5, 0.5, 3), orders=2)


def _of_density(shape: Callable[..., Any], rate: Callable[..., Any]) -> Callable[..., Any]:
    """Return the derivative of order m, by x, of a distribution of gamma with ``shape`` and ``rate``."""

    def derivative(m: int, *operands: Any) -> Any:
        with mp.workdps(700):
            x, b, a = operands[-1], shape(*operands), rate(*operands)
            density = a * (a * x) ** (b - 1) * mp.exp(-a * x) / mp.gamma(b)
            slope = (b - 1) / x - a
            return (density, density * slope, density * (slope**2 - (b - 1) / x**2))[m - 1]

    return derivative


def _negative(derivative: Callable[..., Any]) -> Callable[..., Any]:
    return lambda m, *operands: -derivative(m, *operands)


_of_gdtr = _of_density(lambda a, b, x: b, lambda a, b, x: a)
_of_pdtrc = _of_density(lambda k, x: k + 1, lambda k, x: mp.mpf(1))
COUNTS, TRIALS = (0.0, 1.0, 4.0), (5.0, 9.0)
of_special("gdtr", (0.5, 3.0), SHAPES, RATES, derivative=_of_gdtr, places=(2,), tolerance=DENSITY)
of_special("gdtrc", (0.5, 3.0), SHAPES, RATES, derivative=_negative(_of_gdtr), places=(2,), tolerance=DENSITY)
of_special("pdtrc", COUNTS, (1e-300, 1e-5, 1.0, 100.0), derivative=_of_pdtrc, places=(1,), tolerance=DENSITY)
of_special("pdtr", COUNTS, (1e-300, 1e-5, 1.0, 100.0), derivative=_negative(_of_pdtrc), places=(1,), tolerance=DENSITY)


def _of_beta(shapes: Callable[..., Any]) -> Callable[..., Any]:
    """Return the derivative of order m, by p, of a distribution of beta with two ``shapes``."""

    def derivative(m: int, *operands: Any) -> Any:
        with mp.workdps(700):
            p, (a, b) = operands[-1], shapes(*operands)
            density = p ** (a - 1) * (1 - p) ** (b - 1) / mp.beta(a, b)
            slope = (a - 1) / p - (b - 1) / (1 - p)
            curvature = slope**2 - (a - 1) / p**2 - (b - 1) / (1 - p) ** 2
            return (density, density * slope, density * curvature)[m - 1]

    return derivative


_of_bdtrc = _of_beta(lambda k, n, p: (k + 1, n - k))
_of_nbdtr = _of_beta(lambda k, n, p: (n, k + 1))
for _name, _derivative in (
    ("bdtr", _negative(_of_bdtrc)),
    ("bdtrc", _of_bdtrc),
    ("nbdtr", _of_nbdtr),
    ("nbdtrc", _negative(_of_nbdtr)),
):
    of_special(_name, COUNTS, TRIALS, PROPORTIONS[2:], derivative=_derivative, places=(2,), tolerance=DENSITY)


def _of_hyp1f1(m: int, a: Any, b: Any, x: Any) -> Any:
    """Return the derivative of order m by x (DLMF 13.3.16)."""
    with mp.workdps(60):
        return mp.rf(a, m) / mp.rf(b, m) * mp.hyp1f1(a + m, b + m, x)


of_special(
    "hyp1f1", (0.5, 2.0), (1.5, 3.0), (0.0, *both((1e-300, 1e-9, 0.5, 20.0)), 100.0),
    derivative=_of_hyp1f1, places=(2,), tolerance=DENSITY,
)  # fmt: skip
CASES["special.multigammaln"] = Case(
    lambda x: special.multigammaln(x, 3), lambda x: x, (1 + 1e-10, 1.001, 2.0, 20.0, 1e5, 1e100),
    derivative=lambda m, x: mp.fsum(of_gammaln(m, x - mp.mpf(j) / 2) for j in range(3)), tolerance=DENSITY,
)  # fmt: skip


def _of_two(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the first result of a function along an axis of two elements."""
    return lambda x, y: function(xp.stack([x, y], axis=-1), axis=-1)[..., 0]


def softplus(x: Any) -> Any:
    return mp.log1p(mp.exp(x))


CASES["special.logsumexp"] = Case(
    lambda x, y: special.logsumexp(xp.stack([x, y]), axis=0), CASES["logaddexp"].reference, LOGS[:-1], LOGS[:-1],
    orders=2,
)  # fmt: skip
CASES["special.softmax"] = Case(_of_two(special.softmax), lambda x, y: sigmoid(x - y), LOGS[:-1], LOGS[:-1], orders=2)
CASES["special.log_softmax"] = Case(
    _of_two(special.log_softmax), lambda x, y: -softplus(y - x), LOGS[:-1], LOGS[:-1], orders=2
)
CASES["nn.glu"] = Case(_of_two(functional.glu), lambda x, y: x * sigmoid(y), (0.0, -2.0), LOGS[:-1], orders=2)
LOGISTIC = (0.0, *both((1e-9, 1e-3), MIDDLE, TAIL, HUGE))
CASES["nn.sigmoid"] = Case(functional.sigmoid, sigmoid, LOGISTIC)
CASES["nn.logsigmoid"] = Case(functional.logsigmoid, lambda x: -softplus(-x), LOGISTIC)
CASES["nn.softplus"] = Case(lambda x: functional.softplus(x, threshold=1e9), softplus, LOGISTIC[:-6])
CASES["nn.tanh"] = Case(functional.tanh, mp.tanh, LOGISTIC)
CASES["nn.mish"] = Case(
    functional.mish, lambda x: x * mp.tanh(softplus(x)), (0.0, *both((1e-9, 1e-3), MIDDLE, TAIL)),
)  # fmt: skip
CASES["nn.elu"] = Case(
    functional.elu, lambda x: x if x > 0 else mp.expm1(x), both(TINY, MIDDLE, TAIL, HUGE), singular=(0,)
)
CASES["nn.binary_cross_entropy_with_logits"] = Case(
    lambda x, t: functional.binary_cross_entropy_with_logits(x, t, reduction="none"),
    lambda x, t: softplus(x) - t * x, (0.0, *both((1e-9, 0.5, 40.0, 700.0))), (0.0, 0.25, 1.0), places=(0,),
)  # fmt: skip
CASES["nn.binary_cross_entropy"] = Case(
    lambda x, t: functional.binary_cross_entropy(x, t, reduction="none"),
    lambda x, t: -t * mp.log(x) - (1 - t) * mp.log1p(-x), (1e-40, 1e-10, 0.3, 0.5, 1 - 1e-10), (0.25, 0.75),
    singular=(0, 1), places=(0,),
)  # fmt: skip
