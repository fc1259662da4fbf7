"""Derivatives of the special functions with respect to the arguments for which formulas are known.

Source of the formulas: NIST Digital Library of Mathematical Functions, chapters 5 to 8, 10, 13, 14 and 25. The
derivative of an inverse function is the reciprocal of the function's. Functions without a row are composed of others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import _standard as xp
from ... import special
from ..._core.array import Array
from ..._fuse.formulas import compute_formula
from ...nn import functional
from .._table import constant, elementwise, pullback
from .elementwise import power_by_base, power_by_exponent

SQRT_PI, SQRT_2PI = math.sqrt(math.pi), math.sqrt(2 * math.pi)
DEGREE = math.pi / 180


def enter(name: str, *functions: Callable[..., Any] | None) -> None:
    """Enter a special function, which a device may compute by its formula."""
    elementwise(f"special.{name}", *functions, public=getattr(special, name))


def unless_zero(x: Array, value: Callable[[Array], Any], at_zero: Any) -> Array:
    """Return a function of ``x`` that is divided by it, and the limit at 0."""
    is_zero = x == 0
    return xp.where(is_zero, at_zero, value(xp.where(is_zero, 1, x)))


def gamma_density(a: Any, x: Any) -> Array:
    r""":math:`x^{a-1} e^{-x} / \Gamma(a)`."""
    return xp.exp(special.xlogy(a - 1, x) - x - special.gammaln(a))


def beta_density(a: Any, b: Any, x: Any) -> Array:
    """:math:`x^{a-1} (1-x)^{b-1} / B(a, b)`."""
    return xp.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b))


def f_density(n: Any, d: Any, x: Any) -> Array:
    """The density of the F distribution."""
    ratio = n * x / (n * x + d)
    density: Array = beta_density(n / 2, d / 2, ratio) * (n * d / (n * x + d) ** 2)
    return density


def t_density(n: Any, t: Any) -> Array:
    """The density of Student's t distribution."""
    logarithm = -(n + 1) / 2 * xp.log1p(t * t / n) - xp.log(n) / 2
    return xp.exp(logarithm - special.betaln(n / 2, xp.full_like(n, 0.5)))


# -- Bessel functions (DLMF 10.6, 10.29) ------------------------------------------------------------------------------

enter("i0", lambda g, x: g * special.i1(x))
enter("i0e", lambda g, out, x: g * (special.i1e(x) - xp.sign(x) * out))
enter("i1", lambda g, out, x: g * (special.i0(x) - _over(out, x)))
enter("i1e", lambda g, out, x: g * (special.i0e(x) - xp.sign(x) * out - _over(out, x)))
enter("j0", lambda g, x: -g * special.j1(x))
enter("j1", lambda g, out, x: g * (special.j0(x) - _over(out, x)))
enter("k0", lambda g, x: -g * special.k1(x))
enter("k0e", lambda g, out, x: g * (out - special.k1e(x)))
enter("k1", lambda g, out, x: -g * (special.k0(x) + out / x))
enter("k1e", lambda g, out, x: g * (out - special.k0e(x) - out / x))
enter("y0", lambda g, x: -g * special.y1(x))
enter("y1", lambda g, out, x: g * (special.y0(x) - out / x))
enter("yn", None, lambda g, out, x, y: g * (special.yn(x - 1, y) - x * out / y))


def _over(value: Array, x: Array) -> Array:
    """A function that behaves as x/2 around 0, divided by x."""
    is_zero = x == 0
    return xp.where(is_zero, 0.5, value / xp.where(is_zero, 1, x))


# -- gamma, beta and zeta functions (DLMF 5.2, 8.8, 8.17, 25.11) ------------------------------------------------------

enter("gamma", lambda g, out, x: g * out * special.psi(x))
enter("rgamma", lambda g, out, x: -g * out * special.psi(x))
enter("gammaln", lambda g, x: g * special.psi(x))
enter("loggamma", lambda g, x: g * special.psi(x))
enter("psi", lambda g, x: g * special.polygamma(1, x))
enter("digamma", lambda g, x: g * special.polygamma(1, x))
enter("polygamma", None, lambda g, x, y: g * special.polygamma(x + 1, y))
enter(
    "poch",
    lambda g, out, x, y: g * out * (special.psi(x + y) - special.psi(x)),
    lambda g, out, x, y: g * out * special.psi(x + y),
)
enter(
    "betaln",
    lambda g, x, y: g * (special.psi(x) - special.psi(x + y)),
    lambda g, x, y: g * (special.psi(y) - special.psi(x + y)),
)
enter(
    "binom",
    lambda g, out, x, y: g * out * (special.psi(x + 1) - special.psi(x - y + 1)),
    lambda g, out, x, y: g * out * (special.psi(x - y + 1) - special.psi(y + 1)),
)
enter("gammainc", None, lambda g, x, y: g * gamma_density(x, y))
enter("gammaincc", None, lambda g, x, y: -g * gamma_density(x, y))
enter("gammaincinv", None, lambda g, out, x: g / gamma_density(x, out))
enter("gammainccinv", None, lambda g, out, x: -g / gamma_density(x, out))
enter("betainc", None, None, lambda g, x, y, z: g * beta_density(x, y, z))
enter("betaincc", None, None, lambda g, x, y, z: -g * beta_density(x, y, z))
enter("betaincinv", None, None, lambda g, out, x, y: g / beta_density(x, y, out))
enter("zeta", None, lambda g, x, y: -g * x * special.zeta(x + 1, y))
enter("zetac", None)

# -- error functions (DLMF 7.10) --------------------------------------------------------------------------------------

enter("erf", lambda g, x: g * (2 / SQRT_PI) * xp.exp(-x * x))
enter("erfc", lambda g, x: g * (-2 / SQRT_PI) * xp.exp(-x * x))
enter("erfcx", lambda g, out, x: g * (2 * x * out - 2 / SQRT_PI))
enter("erfinv", lambda g, out: g * (SQRT_PI / 2) * xp.exp(out * out))
enter("erfcinv", lambda g, out: g * (-SQRT_PI / 2) * xp.exp(out * out))
enter("ndtr", lambda g, x: g * (1 / SQRT_2PI) * xp.exp(-x * x / 2))
enter("ndtri", lambda g, out: g * SQRT_2PI * xp.exp(out * out / 2))
enter("log_ndtr", lambda g, out, x: g * (1 / SQRT_2PI) * xp.exp(-x * x / 2 - out))

# -- distributions ----------------------------------------------------------------------------------------------------

enter("chdtr", None, lambda g, x, y: g * gamma_density(x / 2, y / 2) / 2)
enter("chdtrc", None, lambda g, x, y: -g * gamma_density(x / 2, y / 2) / 2)
enter("chdtri", None, lambda g, out, x: -2 * g / gamma_density(x / 2, out / 2))
enter("fdtr", None, None, lambda g, x, y, z: g * f_density(x, y, z))
enter("fdtrc", None, None, lambda g, x, y, z: -g * f_density(x, y, z))
enter("fdtri", None, None, lambda g, out, x, y: g / f_density(x, y, out))
enter(
    "gdtr", lambda g, x, y, z: g * z * gamma_density(y, x * z), None, lambda g, x, y, z: g * x * gamma_density(y, x * z)
)
enter(
    "gdtrc",
    lambda g, x, y, z: -g * z * gamma_density(y, x * z),
    None,
    lambda g, x, y, z: -g * x * gamma_density(y, x * z),
)
enter("stdtr", None, lambda g, x, y: g * t_density(x, y))
enter("stdtrit", None, lambda g, out, x: g / t_density(x, out))
enter("bdtr", None, None, lambda g, x, y, z: -g * beta_density(xp.floor(x) + 1, y - xp.floor(x), z))
enter("bdtrc", None, None, lambda g, x, y, z: g * beta_density(xp.floor(x) + 1, y - xp.floor(x), z))
enter("bdtri", None, None, lambda g, out, x, y: -g / beta_density(xp.floor(x) + 1, y - xp.floor(x), out))
enter("nbdtr", None, None, lambda g, x, y, z: g * beta_density(y, x + 1, z))
enter("nbdtrc", None, None, lambda g, x, y, z: -g * beta_density(y, x + 1, z))
enter("nbdtri", None, None, lambda g, out, x, y: g / beta_density(y, x + 1, out))
enter("pdtr", None, lambda g, x, y: -g * gamma_density(xp.floor(x) + 1, y))
enter("pdtrc", None, lambda g, x, y: g * gamma_density(xp.floor(x) + 1, y))
enter("pdtri", None, lambda g, out, x: -g / gamma_density(x + 1, out))

# -- exponential integrals, hypergeometric and Legendre functions (DLMF 6.2, 8.19, 13.3, 14.10, 25.12) -----------------

enter("exp1", lambda g, x: -g * xp.exp(-x) / x)
enter("expi", lambda g, x: g * xp.exp(x) / x)
enter(
    "expn",
    None,
    lambda g, x, y: -g * xp.where(x == 0, xp.exp(-y) * (1 + 1 / y) / y, special.expn(xp.where(x == 0, 1, x) - 1, y)),
)
enter("hyp1f1", None, None, lambda g, x, y, z: g * x / y * special.hyp1f1(x + 1, y + 1, z))
enter("lpmv", None, None, lambda g, out, x, y, z: g * (y * z * out - (x + y) * special.lpmv(x, y - 1, z)) / (z * z - 1))
enter("spence", lambda g, x: g * xp.where(x == 1, -1, xp.log(x) / xp.where(x == 1, 1, 1 - x)))

# -- logistic functions, entropy and losses ---------------------------------------------------------------------------

enter("expit", lambda g, out: g * out * (1 - out))
enter("log_expit", lambda g, x: g * special.expit(-x))
enter("logit", lambda g, x: g / (x * (1 - x)))
enter("softplus", lambda g, x: g * special.expit(x))
enter("xlogy", lambda g, y: g * xp.log(y), lambda g, x, y: g * xp.where(x == 0, 0, x / xp.where(x == 0, 1, y)))
enter("xlog1py", lambda g, y: g * xp.log1p(y), lambda g, x, y: g * xp.where(x == 0, 0, x / xp.where(x == 0, 1, 1 + y)))
enter("entr", lambda g, x: -g * (xp.log(x) + 1))
enter("rel_entr", lambda g, x, y: g * (xp.log(x / y) + 1), lambda g, x, y: -g * x / y)
enter("kl_div", lambda g, x, y: g * xp.log(x / y), lambda g, x, y: g * (1 - x / y))
enter(
    "huber",
    lambda g, x, y: g * xp.maximum(xp.abs(y) - x, 0),
    lambda g, x, y: g * xp.clip(y, -x, x),
)
enter(
    "pseudo_huber",
    lambda g, x, y: g * (2 * x * (_steepness(x, y) - 1) - y * y / (x * _steepness(x, y))),
    lambda g, x, y: g * y / _steepness(x, y),
)


def _steepness(delta: Any, r: Any) -> Any:
    return xp.hypot(xp.ones_like(r), r / delta)


# -- powers and exponentials ------------------------------------------------------------------------------------------

enter("cbrt", lambda g, out: g / (3 * out * out))
enter("exp2", lambda g, out: g * out * math.log(2))
enter("exp10", lambda g, out: g * out * math.log(10))
enter("exprel", lambda g, out, x: g * _slope_of_exprel(out, x))
enter("powm1", power_by_base, lambda g, out, x, y: power_by_exponent(g, out + 1, x, y))
enter("boxcox", lambda g, x, y: g * x ** (y - 1), lambda g, out, x, y: g * _by_lambda(out, xp.log(x), y))
enter("boxcox1p", lambda g, x, y: g * (1 + x) ** (y - 1), lambda g, out, x, y: g * _by_lambda(out, xp.log1p(x), y))
enter("inv_boxcox", lambda g, out, y: g * out ** (1 - y), lambda g, out, x, y: g * out * _inverse_by_lambda(x, y))
enter(
    "inv_boxcox1p",
    lambda g, out, y: g * (1 + out) ** (1 - y),
    lambda g, out, x, y: g * (1 + out) * _inverse_by_lambda(x, y),
)


def _slope_of_exprel(out: Array, x: Array) -> Array:
    near = xp.abs(x) < 1e-3  # the difference would cancel
    series = 0.5 + x * (1 / 3 + x * (1 / 8 + x / 30))
    return xp.where(near, series, (xp.exp(x) - out) / xp.where(near, 1, x))


def _by_lambda(out: Array, logarithm: Array, y: Any) -> Array:
    r""":math:`(x^\lambda \ln x - f)/\lambda`, whose limit at 0 is half the square of the logarithm."""
    near = xp.abs(y * logarithm) < 1e-3  # the difference would cancel
    t = y * logarithm
    series = logarithm * logarithm * (0.5 + t * (1 / 3 + t * (1 / 8 + t / 30)))
    return xp.where(near, series, (xp.exp(t) * logarithm - out) / xp.where(near, 1, y))


def _inverse_by_lambda(y: Any, lmbda: Any) -> Array:
    r""":math:`y / (\lambda (1 + \lambda y)) - \ln(1 + \lambda y)/\lambda^2`, whose limit at 0 is :math:`-y^2/2`."""
    t = lmbda * y
    near = xp.abs(t) < 1e-3  # the difference would cancel
    series = -y * y * (0.5 - t * (2 / 3 - t * (3 / 4 - t * 4 / 5)))
    divisor = xp.where(near, 1, lmbda)
    return xp.where(near, series, (y / (1 + t) - xp.log1p(t) / divisor) / divisor)


# -- trigonometric functions ------------------------------------------------------------------------------------------

enter("sindg", lambda g, x: g * special.cosdg(x) * DEGREE)
enter("cosdg", lambda g, x: -g * special.sindg(x) * DEGREE)
enter("tandg", lambda g, out: g * (1 + out * out) * DEGREE)
enter("cotdg", lambda g, out: -g * (1 + out * out) * DEGREE)
enter("radian", lambda g: g * DEGREE, lambda g: g * (DEGREE / 60), lambda g: g * (DEGREE / 3600))
enter("cosm1", lambda g, x: -g * xp.sin(x))
enter("sinc", lambda g, out, x: g * _slope_of_sinc(out, x))

constant("special.gammasgn")


def _slope_of_sinc(out: Array, x: Array) -> Array:
    near = xp.abs(x) < 1e-3  # the difference would cancel
    square = (math.pi * x) ** 2
    series = -(math.pi**2) * x * (1 / 3 - square * (1 / 30 - square / 840))
    return xp.where(near, series, (xp.cos(math.pi * x) - out) / xp.where(near, 1, x))


# -- softmax ----------------------------------------------------------------------------------------------------------


elementwise("nn.relu", lambda g, out: xp.where(out > 0, g, 0), public=functional.relu)


@pullback("nn.softmax", keeps="out", public=functional.softmax)
def _softmax(g: Array, out: Array, x: Any, *, axis: int) -> Array:
    weighted = g * out
    return weighted - out * xp.sum(weighted, axis=axis, keepdims=True)


def rows_logsumexp(x: Array) -> Array:
    return special.logsumexp(x, axis=-1, keepdims=True)


@pullback("nn.logsumexp", keeps="out x", public=rows_logsumexp)
def _logsumexp(g: Array, out: Array, x: Array) -> Array:
    return compute_formula(_share_of_sum, g, out, x)  # type: ignore[no-any-return]


def _share_of_sum(g: Array, out: Array, x: Array) -> Array:
    return g * xp.exp(xp.where(x == out, 0, x - out))  # infinite elements among them


@pullback("nn.log_softmax", keeps="out", public=functional.log_softmax)
def _log_softmax(g: Array, out: Array, x: Any, *, axis: int) -> Array:
    return g - xp.exp(out) * xp.sum(g, axis=axis, keepdims=True)
