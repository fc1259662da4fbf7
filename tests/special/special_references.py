"""Exact values of special functions, computed with mpmath from the functions' definitions.

A reference takes exact real operands (mpmath numbers) and returns an mpmath number with 40 correct digits, or None
outside the domain and at poles, where the expected value is a convention and not a number. Inverse functions are the
roots of the references of their inverses; the starting point of the root search does not affect the value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import mpmath
import numpy as np

mp = mpmath.MPContext()
mp.dps = 60


def exact(name: str, operands: Sequence[float]) -> Any:
    """Return the value of a function of floating-point numbers, or None."""
    return _exact(name, tuple(float(operand) for operand in operands))


@cache
def _exact(name: str, operands: tuple[float, ...]) -> Any:
    value = REFERENCES[name](*map(mp.mpf, operands))
    return None if value is None or isinstance(value, mp.mpc) or not mp.isfinite(value) else value


def exact_complex(name: str, operand: complex) -> complex:
    """Return the value of a function of a complex number, rounded to double precision."""
    return complex(COMPLEX_REFERENCES[name](mp.mpc(operand)))


def error_in_ulp(result: float, value: Any, dtype: Any) -> float:
    """Return the distance of a result from an exact value in units in the last place of the value in a dtype."""
    limits = np.finfo(dtype)
    rounded = rounded_to(value, dtype)
    if result == rounded:
        return 0.0
    if not math.isfinite(result) or not math.isfinite(rounded):
        return math.inf
    ulp = max(float(np.spacing(abs(rounded))), float(limits.smallest_normal))
    return float(abs(mp.mpf(result) - value) / ulp)


def rounded_to(value: Any, dtype: Any) -> Any:
    """Return an exact value rounded to a dtype."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(float(value)).astype(dtype)[()]


# -- definitions ------------------------------------------------------------------------------------------------------


def is_integer(x: Any) -> bool:
    return bool(x == mp.floor(x))


def on(condition: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """Restrict a reference to operands that satisfy a condition."""
    return lambda *operands: function(*operands) if condition(*operands) else None


def not_at_poles(function: Callable[..., Any]) -> Callable[..., Any]:
    return on(lambda x: x > 0 or not is_integer(x), function)


def inverse(function: Callable[..., Any], start: Callable[..., float], limit: float = 1.0) -> Callable[..., Any]:
    """Return the inverse of a positive function in its last operand, for values strictly between 0 and a limit."""

    def inverted(*operands: Any) -> Any:
        *parameters, y = operands
        if not 0 < y < limit:
            return None
        first = start(*map(float, operands))
        if not math.isfinite(first) or first == 0:
            return None
        logarithm = mp.log(y)

        def residual(x: Any) -> Any:
            return mp.log(function(*parameters, x)) - logarithm

        x = mp.mpf(first)
        step = (min(x, 1 - x) if x < 1 else x) * mp.mpf(10) ** -8
        points = (x, x - step)
        return mp.findroot(residual, points, solver="secant", tol=mp.mpf(10) ** -80, maxsteps=60)

    return inverted


def lower_gamma(a: Any, x: Any) -> Any:
    return mp.gammainc(a, 0, x, regularized=True) if x > 0 else mp.mpf(0)


def upper_gamma(a: Any, x: Any) -> Any:
    return mp.gammainc(a, x, mp.inf, regularized=True) if x > 0 else mp.mpf(1)


def lower_beta(a: Any, b: Any, x: Any) -> Any:
    return mp.betainc(a, b, 0, x, regularized=True)


def upper_beta(a: Any, b: Any, x: Any) -> Any:
    return lower_beta(b, a, 1 - x)


def binomial_terms(n: Any, p: Any, js: Any) -> Any:
    return mp.fsum(mp.binomial(n, j) * p**j * (1 - p) ** (n - j) for j in js)


def binomial(k: Any, n: Any, p: Any) -> Any:
    return binomial_terms(n, p, range(int(k) + 1))


def binomial_survival(k: Any, n: Any, p: Any) -> Any:
    return binomial_terms(n, p, range(int(k) + 1, int(n) + 1))


def negative_binomial(k: Any, n: Any, p: Any) -> Any:
    return mp.fsum(mp.binomial(n + j - 1, j) * p**n * (1 - p) ** j for j in range(int(k) + 1))


def f_distribution(dfn: Any, dfd: Any, x: Any) -> Any:
    return lower_beta(dfn / 2, dfd / 2, dfn * x / (dfd + dfn * x))


def student(df: Any, t: Any) -> Any:
    tail = lower_beta(df / 2, mp.mpf(1) / 2, df / (df + t * t)) / 2
    return tail if t < 0 else 1 - tail


def normal(x: Any) -> Any:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def log_normal(x: Any) -> Any:
    return mp.log(normal(x)) if x < 5 else mp.log1p(-normal(-x))


def normal_quantile(p: Any) -> Any:
    if p > 0.5:
        return -normal_quantile(1 - p)
    if p > 0.01:
        return mp.sqrt(2) * mp.erfinv(2 * p - 1)
    start = -mp.sqrt(-2 * mp.log(p))
    logarithm = mp.log(p)
    return mp.findroot(lambda x: log_normal(x) - logarithm, start, tol=mp.mpf(10) ** -80)


def sine_of_degrees(x: Any) -> Any:
    return mp.sinpi(x / 180)


def cosine_of_degrees(x: Any) -> Any:
    return mp.cospi(x / 180)


def box_cox(x: Any, lmbda: Any) -> Any:
    if x == 0:
        return -1 / lmbda if lmbda > 1e-18 else None
    return mp.log(x) if lmbda == 0 else mp.expm1(lmbda * mp.log(x)) / lmbda


def log_of_inverse_box_cox(y: Any, lmbda: Any) -> Any:
    return y if lmbda == 0 else mp.log1p(lmbda * y) / lmbda


def in_range_of_box_cox(y: Any, lmbda: Any) -> bool:
    return bool(1 + lmbda * y > 0 and abs(log_of_inverse_box_cox(y, lmbda)) < 1e6)


def hurwitz(s: Any, q: Any) -> Any:
    """Sum (q + k)^-s, for negative q and integer s term by term up to the first positive q + k."""
    count = max(0, int(mp.ceil(-q)))
    with mp.workdps(60 + int(s * mp.log10(1 + abs(q)))):  # mpmath's zeta is accurate to absolute digits
        rest = mp.zeta(s, q + count)
    return mp.fsum((q + k) ** -int(s) for k in range(count)) + rest if count else rest


def in_domain_of_hurwitz(s: Any, q: Any) -> bool:
    return bool(s > 1 and (q > 0 or (is_integer(s) and not is_integer(q))))


def in_domain_of_polygamma(n: Any, x: Any) -> bool:
    return is_integer(n) and n >= 0 and (x > 0 or not is_integer(x))


def polygamma(n: Any, x: Any) -> Any:
    return mp.psi(0, x) if n == 0 else (-1) ** (int(n) + 1) * mp.factorial(n) * hurwitz(n + 1, x)


def legendre(m: Any, v: Any, x: Any) -> Any:
    """Differentiate the Legendre polynomial of integer degree term by term (DLMF 14.7.13 and 18.5.8)."""
    degree, order = int(v), int(m)
    terms = (
        (-1) ** k
        * mp.binomial(degree, k)
        * mp.binomial(2 * (degree - k), degree)
        * mp.ff(power, order)
        * x ** (power - order)
        for k in range(degree // 2 + 1)
        if (power := degree - 2 * k) >= order
    )
    return (-1) ** order * mp.sqrt(1 - x * x) ** order * mp.fsum(terms) / mp.mpf(2) ** degree


def positive(*operands: Any) -> bool:
    return all(operand > 0 for operand in operands)


def probability(*operands: Any) -> bool:
    return bool(0 <= operands[-1] <= 1)


def scipys(name: str) -> Callable[..., float]:
    """Return SciPy's function, as the starting point of a root search."""

    def function(*operands: Any) -> float:
        import scipy.special

        if name == "bdtri":
            operands = (operands[0], int(operands[1]), operands[2])
        return float(getattr(scipy.special, name)(*operands))

    return function


REFERENCES: dict[str, Callable[..., Any]] = {
    "bdtr": on(lambda k, n, p: 0 <= k <= n and 0 <= p <= 1, binomial),
    "bdtrc": on(lambda k, n, p: 0 <= k <= n and 0 <= p <= 1, binomial_survival),
    "bdtri": on(lambda k, n, y: 0 <= k < n, inverse(binomial, scipys("bdtri"))),
    "betainc": on(probability, lower_beta),
    "betaincc": on(probability, upper_beta),
    "betaincinv": inverse(lower_beta, scipys("betaincinv")),
    "betaln": lambda a, b: mp.log(abs(mp.beta(a, b))),
    "binom": mp.binomial,
    "boxcox": on(lambda x, lmbda: x >= 0, box_cox),
    "boxcox1p": on(lambda x, lmbda: x >= -1, lambda x, lmbda: box_cox(1 + x, lmbda)),
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "chdtr": on(lambda v, x: v > 0 and x >= 0, lambda v, x: lower_gamma(v / 2, x / 2)),
    "chdtrc": on(lambda v, x: v > 0 and x >= 0, lambda v, x: upper_gamma(v / 2, x / 2)),
    "chdtri": inverse(lambda v, x: upper_gamma(v / 2, x / 2), scipys("chdtri")),
    "cosdg": on(lambda x: abs(x) <= 1e14, cosine_of_degrees),
    "cosm1": lambda x: -2 * mp.sin(x / 2) ** 2,
    "cotdg": on(
        lambda x: abs(x) <= 1e14 and sine_of_degrees(x) != 0, lambda x: cosine_of_degrees(x) / sine_of_degrees(x)
    ),
    "digamma": not_at_poles(lambda x: mp.psi(0, x)),
    "ellipk": on(lambda m: m < 1, mp.ellipk),
    "ellipkm1": on(positive, lambda p: mp.ellipk(1 - p)),
    "entr": on(lambda x: x >= 0, lambda x: -x * mp.log(x) if x > 0 else mp.mpf(0)),
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfcinv": on(lambda y: 0 < y < 2, lambda y: -normal_quantile(y / 2) / mp.sqrt(2)),
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "erfinv": on(
        lambda y: -1 < y < 1, lambda y: mp.erfinv(y) if abs(y) < 0.9 else normal_quantile((1 + y) / 2) / mp.sqrt(2)
    ),
    "exp1": on(positive, mp.e1),
    "exp10": lambda x: mp.mpf(10) ** x,
    "exp2": lambda x: mp.mpf(2) ** x,
    "expi": on(lambda x: x != 0, mp.ei),
    "expit": lambda x: 1 / (1 + mp.exp(-x)),
    "expn": on(lambda n, x: x > 0, mp.expint),
    "exprel": lambda x: mp.expm1(x) / x if x != 0 else mp.mpf(1),
    "fdtr": on(lambda dfn, dfd, x: x >= 0, f_distribution),
    "fdtrc": on(lambda dfn, dfd, x: x >= 0, lambda dfn, dfd, x: lower_beta(dfd / 2, dfn / 2, dfd / (dfd + dfn * x))),
    "fdtri": inverse(f_distribution, scipys("fdtri")),
    "gamma": not_at_poles(mp.gamma),
    "gammainc": on(lambda a, x: a > 0 and x >= 0, lower_gamma),
    "gammaincc": on(lambda a, x: a > 0 and x >= 0, upper_gamma),
    "gammainccinv": inverse(upper_gamma, scipys("gammainccinv")),
    "gammaincinv": inverse(lower_gamma, scipys("gammaincinv")),
    "gammaln": not_at_poles(lambda x: mp.re(mp.loggamma(x))),
    "gammasgn": not_at_poles(lambda x: mp.sign(mp.gamma(x))),
    "gdtr": on(lambda a, b, x: a > 0 and b > 0 and x >= 0, lambda a, b, x: lower_gamma(b, a * x)),
    "gdtrc": on(lambda a, b, x: a > 0 and b > 0 and x >= 0, lambda a, b, x: upper_gamma(b, a * x)),
    "huber": on(
        lambda delta, r: delta >= 0,
        lambda delta, r: r * r / 2 if abs(r) <= delta else delta * (abs(r) - delta / 2),
    ),
    "hyp1f1": mp.hyp1f1,
    "i0": lambda x: mp.besseli(0, x),
    "i0e": lambda x: mp.exp(-abs(x)) * mp.besseli(0, x),
    "i1": lambda x: mp.besseli(1, x),
    "i1e": lambda x: mp.exp(-abs(x)) * mp.besseli(1, x),
    "inv_boxcox": on(in_range_of_box_cox, lambda y, lmbda: mp.exp(log_of_inverse_box_cox(y, lmbda))),
    "inv_boxcox1p": on(in_range_of_box_cox, lambda y, lmbda: mp.expm1(log_of_inverse_box_cox(y, lmbda))),
    "j0": lambda x: mp.besselj(0, x),
    "j1": lambda x: mp.besselj(1, x),
    "k0": on(positive, lambda x: mp.besselk(0, x)),
    "k0e": on(positive, lambda x: mp.exp(x) * mp.besselk(0, x)),
    "k1": on(positive, lambda x: mp.besselk(1, x)),
    "k1e": on(positive, lambda x: mp.exp(x) * mp.besselk(1, x)),
    "kl_div": on(positive, lambda x, y: x * mp.log(x / y) - x + y),
    "log_expit": lambda x: -mp.log1p(mp.exp(-x)),
    "log_ndtr": log_normal,
    "loggamma": on(positive, mp.loggamma),
    "logit": on(lambda x: 0 < x < 1, lambda x: mp.log(x / (1 - x))),
    "lpmv": on(lambda m, v, x: abs(x) <= 1, legendre),
    "nbdtr": negative_binomial,
    "nbdtrc": lambda k, n, p: 1 - negative_binomial(k, n, p),
    "nbdtri": inverse(negative_binomial, scipys("nbdtri")),
    "ndtr": normal,
    "ndtri": on(lambda y: 0 < y < 1, normal_quantile),
    "pdtr": on(lambda k, m: k >= 0, lambda k, m: upper_gamma(mp.floor(k) + 1, m)),
    "pdtrc": on(lambda k, m: k >= 0, lambda k, m: lower_gamma(mp.floor(k) + 1, m)),
    "pdtri": inverse(lambda k, m: upper_gamma(k + 1, m), scipys("pdtri")),
    "poch": mp.rf,
    "polygamma": on(in_domain_of_polygamma, polygamma),
    "powm1": on(lambda x, y: x > 0 and y * mp.log(x) < 80, lambda x, y: mp.expm1(y * mp.log(x))),
    "pseudo_huber": on(lambda delta, r: delta > 0, lambda delta, r: delta**2 * (mp.sqrt(1 + (r / delta) ** 2) - 1)),
    "psi": not_at_poles(lambda x: mp.psi(0, x)),
    "radian": lambda d, m, s: mp.pi / 180 * (d + m / 60 + s / 3600),
    "rel_entr": on(positive, lambda x, y: x * mp.log(x / y)),
    "rgamma": mp.rgamma,
    "sinc": on(lambda x: x == 0 or not is_integer(x), mp.sincpi),
    "sindg": on(lambda x: abs(x) <= 1e14, sine_of_degrees),
    "softplus": lambda x: mp.log1p(mp.exp(x)),
    "spence": lambda z: mp.re(mp.polylog(2, 1 - z)),
    "stdtr": student,
    "stdtrit": inverse(student, scipys("stdtrit")),
    "tandg": on(
        lambda x: abs(x) <= 1e14 and cosine_of_degrees(x) != 0, lambda x: sine_of_degrees(x) / cosine_of_degrees(x)
    ),
    "xlog1py": on(lambda x, y: y > -1, lambda x, y: x * mp.log1p(y)),
    "xlogy": on(lambda x, y: y > 0, lambda x, y: x * mp.log(y)),
    "y0": on(positive, lambda x: mp.bessely(0, x)),
    "y1": on(positive, lambda x: mp.bessely(1, x)),
    "yn": on(lambda n, x: x > 0, mp.bessely),
    "zeta": on(in_domain_of_hurwitz, hurwitz),
    "zetac": on(lambda x: x != 1, lambda x: mp.zeta(x) - 1),
}

COMPLEX_REFERENCES: dict[str, Callable[..., Any]] = {
    "digamma": lambda z: mp.psi(0, z),
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erfcx": lambda z: mp.exp(z * z) * mp.erfc(z),
    "exp1": mp.e1,
    "expi": mp.ei,
    "gamma": mp.gamma,
    "log_ndtr": lambda z: mp.log(normal(z)),
    "loggamma": mp.loggamma,
    "ndtr": normal,
    "psi": lambda z: mp.psi(0, z),
    "rgamma": mp.rgamma,
    "sinc": mp.sincpi,
    "spence": lambda z: mp.polylog(2, 1 - z),
}
