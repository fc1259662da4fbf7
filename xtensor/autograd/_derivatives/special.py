"""Derivatives of the special functions with respect to the arguments for which formulas are known.

Source of the formulas: NIST Digital Library of Mathematical Functions, chapters 5 to 8, 10, 13, 14 and 25. The
derivative of an inverse function is the reciprocal of the function's. Functions without a row are composed of others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import _ops as xp
from ... import special
from ..._core.array import Array
from ..._fuse.formulas import compute_formula
from ...nn import functional
from .._rules import differentiated_by_pullback
from .._table import constant, elementwise, pullback
from .bessel import bessel_i, bessel_j, scaled_bessel_i, scaled_bessel_k
from .densities import beta_density, f_density, gamma_density, t_density
from .elementwise import power_by_base, power_by_exponent
from .families import (
    direction,
    erfc_ratio,
    exponential_moment,
    gaussian_moment,
    inverse_square_of_cbrt,
    is_complex,
    log_of_ratio,
    logarithm_moment,
    logistic_density,
    mills_ratio,
    quotient,
    relative_rest,
    sine_moment,
)

SQRT_PI, SQRT_2PI, SQRT_HALF = math.sqrt(math.pi), math.sqrt(2 * math.pi), math.sqrt(0.5)
DEGREE = math.pi / 180


def enter(name: str, *functions: Callable[..., Any] | None) -> None:
    """Enter a special function, which a device may compute by its formula."""
    elementwise(f"special.{name}", *functions, public=getattr(special, name))


# -- Bessel functions (DLMF 10.6, 10.29) ------------------------------------------------------------------------------

enter("i0", lambda g, x: g * special.i1(x))
enter("i0e", lambda g, x: g * scaled_bessel_i(0, 1, x))
enter("i1", lambda g, x: g * (special.i0(x) + bessel_i(2, x)) / 2)
enter("i1e", lambda g, x: g * scaled_bessel_i(1, 1, x))
enter("j0", lambda g, x: -g * special.j1(x))
enter("j1", lambda g, x: g * (special.j0(x) - bessel_j(2, x)) / 2)
enter("k0", lambda g, x: -g * special.k1(x))
enter("k0e", lambda g, x: g * scaled_bessel_k(0, 1, x))
enter("k1", lambda g, out, x: -g * (special.k0(x) + out / x))
enter("k1e", lambda g, x: g * scaled_bessel_k(1, 1, x))
enter("y0", lambda g, x: -g * special.y1(x))
enter("y1", lambda g, out, x: g * (special.y0(x) - out / x))
enter("yn", None, lambda g, out, x, y: g * (xp.where(xp.isinf(out), 0, special.yn(x - 1, y)) - x * out / y))

# -- gamma, beta and zeta functions (DLMF 5.2, 8.8, 8.17, 25.11) ------------------------------------------------------

enter("gamma", lambda g, out, x: g * out * special.psi(x))
enter("rgamma", lambda g, out, x: g * _slope_of_rgamma(out, x))
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


def _slope_of_rgamma(out: Array, x: Array) -> Array:
    """The derivative of 1/Γ, for x < 1/2 by the reflection formula, which has no pole."""
    if is_complex(x):
        return -out * special.psi(x)
    is_left = x < 0.5
    right = xp.where(is_left, 1.0, x)
    y = 1 - xp.where(is_left, x, 0.0)
    degrees = 180 * y
    gamma = special.gamma(y)
    left = -gamma * special.cosdg(degrees) - gamma * special.psi(y) * special.sindg(degrees) / math.pi
    return xp.where(is_left, left, -special.rgamma(right) * special.psi(right))


# -- error functions (DLMF 7.10) --------------------------------------------------------------------------------------

enter("erf", lambda g, x: g * (2 / SQRT_PI) * _exponential_of_square(x))
enter("erfc", lambda g, x: g * (-2 / SQRT_PI) * _exponential_of_square(x))
enter("erfcx", lambda g, out, x: g * (2 * x * out - 2 / SQRT_PI if is_complex(x) else -2 * out * erfc_ratio(1, x)))
enter("erfinv", lambda g, out: g * (SQRT_PI / 2) * xp.exp(out * out))
enter("erfcinv", lambda g, out: g * (-SQRT_PI / 2) * xp.exp(out * out))
enter("ndtr", lambda g, x: g * (1 / SQRT_2PI) * _exponential_of_square(x * SQRT_HALF))
enter("ndtri", lambda g, out: g * SQRT_2PI * xp.exp(out * out / 2))
enter("log_ndtr", lambda g, out, x: g * (xp.exp(-x * x / 2 - out) / SQRT_2PI if is_complex(x) else mills_ratio(x)))


def _exponential_of_square(x: Array) -> Array:
    return xp.exp(-x * x) if is_complex(x) else gaussian_moment(0, x)


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
enter("expi", lambda g, x: g * (xp.exp(x / 2) / x) * xp.exp(x / 2))  # exp(x) overflows before the quotient
enter(
    "expn",
    None,
    lambda g, x, y: -g * xp.where(x == 0, xp.exp(-y) * (1 + 1 / y) / y, special.expn(xp.where(x == 0, 1, x) - 1, y)),
)
enter("hyp1f1", None, None, lambda g, x, y, z: g * x / y * special.hyp1f1(x + 1, y + 1, z))
enter("lpmv", None, None, lambda g, out, x, y, z: g * (y * z * out - (x + y) * special.lpmv(x, y - 1, z)) / (z * z - 1))
enter("spence", lambda g, x: -g * logarithm_moment(0, x))

# -- logistic functions, entropy and losses ---------------------------------------------------------------------------

enter("expit", lambda g, x: g * logistic_density(x))
enter("log_expit", lambda g, x: g * special.expit(-x))
enter("logit", lambda g, x: g / x + g / (1 - x))
enter("softplus", lambda g, x: g * special.expit(x))
enter("xlogy", lambda g, y: g * xp.log(y), lambda g, x, y: g * quotient(x, y))
enter("xlog1py", lambda g, y: g * xp.log1p(y), lambda g, x, y: g * quotient(x, 1 + y))
enter("entr", lambda g, x: -g * (xp.log(x) + 1))
enter("rel_entr", lambda g, x, y: g * (log_of_ratio(x, y) + 1), lambda g, x, y: -g * x / y)
enter("kl_div", lambda g, x, y: g * log_of_ratio(x, y), lambda g, x, y: g * relative_rest(x, y))
enter(
    "huber",
    lambda g, x, y: g * xp.maximum(xp.abs(y) - x, 0),
    lambda g, x, y: g * xp.clip(y, -x, x),
)
enter(
    "pseudo_huber",
    lambda g, x, y: g * _by_threshold(x, y),
    lambda g, x, y: g * x * direction(y, x),
)


def _steepness(delta: Any, r: Any) -> Any:
    return xp.hypot(xp.ones_like(r), r / delta)


def _by_threshold(delta: Any, r: Any) -> Any:
    r""":math:`\delta (s - 1)^2 / s` of the steepness s: :math:`s - 1 = u^2 / (s + 1)`, where :math:`u = r / \delta`."""
    ratio, steepness = r / delta, _steepness(delta, r)
    excess = ratio * (ratio / (steepness + 1))
    return delta * (excess / steepness) * excess


# -- powers and exponentials ------------------------------------------------------------------------------------------

enter("cbrt", lambda g, x: g * inverse_square_of_cbrt(x) / 3)
enter("exp2", lambda g, out: g * out * math.log(2))
enter("exp10", lambda g, out: g * out * math.log(10))
enter("exprel", lambda g, x: g * exponential_moment(1, x))
enter("powm1", power_by_base, lambda g, x, y: power_by_exponent(g, x**y, x, y))
enter("boxcox", lambda g, x, y: g * x ** (y - 1), lambda g, x, y: g * _by_lambda(xp.log(x), y))
enter("boxcox1p", lambda g, x, y: g * (1 + x) ** (y - 1), lambda g, x, y: g * _by_lambda(xp.log1p(x), y))
enter("inv_boxcox", lambda g, out, x, y: g * out / (1 + x * y), lambda g, out, x, y: g * out * _inverse_by_lambda(x, y))
enter(
    "inv_boxcox1p",
    lambda g, out, x, y: g * (1 + out) / (1 + x * y),
    lambda g, out, x, y: g * (1 + out) * _inverse_by_lambda(x, y),
)


def _by_lambda(logarithm: Array, y: Any) -> Array:
    r"""The derivative of :math:`(e^{\lambda l} - 1) / \lambda` by :math:`\lambda`, for the logarithm l."""
    return logarithm * logarithm * exponential_moment(1, y * logarithm)


def _inverse_by_lambda(y: Any, lmbda: Any) -> Array:
    r"""The derivative of :math:`\ln(1 + \lambda y) / \lambda` by :math:`\lambda`."""
    slope: Array = -y * y * logarithm_moment(1, 1 + lmbda * y)
    return slope


# -- trigonometric functions ------------------------------------------------------------------------------------------

enter("sindg", lambda g, x: g * special.cosdg(x) * DEGREE)
enter("cosdg", lambda g, x: -g * special.sindg(x) * DEGREE)
enter("tandg", lambda g, out: g * (1 + out * out) * DEGREE)
enter("cotdg", lambda g, out: -g * (1 + out * out) * DEGREE)
enter("radian", lambda g: g * DEGREE, lambda g: g * (DEGREE / 60), lambda g: g * (DEGREE / 3600))
enter("cosm1", lambda g, x: -g * xp.sin(x))
enter("sinc", lambda g, x: g * math.pi * sine_moment(1, math.pi * x))

constant("special.gammasgn")


# -- softmax ----------------------------------------------------------------------------------------------------------


elementwise("nn.relu", lambda g, out: xp.where(out > 0, g, 0), public=functional.relu)


@pullback("nn.softmax", keeps="out", public=functional.softmax)
def _softmax(g: Array, out: Array, x: Any, *, axis: int) -> Array:
    return _through_shares(g, out, axis)


def _through_shares(g: Array, out: Array, axis: int) -> Array:
    """The pullback of shares that sum to 1: a constant of ``g`` has no effect.

    The weighted mean is subtracted twice: the first difference may cancel where one share is nearly 1.
    """
    g = g - xp.sum(g * out, axis=axis, keepdims=True)
    return out * (g - xp.sum(g * out, axis=axis, keepdims=True))


def rows_logsumexp(x: Array) -> Array:
    return special.logsumexp(x, axis=-1, keepdims=True)


@pullback("nn.logsumexp", keeps="out x", public=rows_logsumexp)
def _logsumexp(g: Array, out: Array, x: Array) -> Array:
    return g * shares_of_sum(x, out)


def _pull_shares(g: Array, out: Array, x: Any, total: Any) -> Any:
    """The pullback by x, of which the logarithm of the sum is a function."""
    return _through_shares(g, out, -1), None


def _connect_shares(g: Array, out: Any, x: Any, total: Any) -> Any:
    return xp.sum(g, axis=-1, keepdims=True, dtype=g.dtype), None


@differentiated_by_pullback(_pull_shares, "out", _connect_shares)
def shares_of_sum(x: Array, total: Array) -> Array:
    r""":math:`e^x` divided by its sum along the last axis, whose logarithm is given."""
    return compute_formula(_shares, x, total)  # type: ignore[no-any-return]


def _shares(x: Array, total: Array) -> Array:
    return xp.exp(xp.where(x == total, 0, x - total))  # infinite elements among them


@pullback("nn.log_softmax", keeps="out", public=functional.log_softmax)
def _log_softmax(g: Array, out: Array, x: Any, *, axis: int) -> Array:
    """Of ``g - exp(out) * sum(g)``, without cancellation where a share is nearly 1."""
    copy = +g  # so that a pass back through this formula adds the cotangents of the difference first
    others = xp.sum(copy, axis=axis, keepdims=True) - copy
    return -g * xp.expm1(out) - xp.exp(out) * others


# -- activations ------------------------------------------------------------------------------------------------------

SATURATED = 1000.0
"""Magnitude from which a gate is 0 or 1: larger operands would give infinity times 0."""


def _slope_of_silu(x: Array) -> Array:
    x = xp.clip(x, -SATURATED, SATURATED)
    return special.expit(x) * (1 + x * special.expit(-x))


def _slope_of_gelu(x: Array) -> Array:
    return special.ndtr(x) + gaussian_moment(1, x * SQRT_HALF) / SQRT_PI


elementwise("nn.silu", lambda g, x: g * _slope_of_silu(x), public=functional.silu)
elementwise(
    "nn.swiglu",
    lambda g, x, y: g * y * _slope_of_silu(x),
    lambda g, x: g * functional.silu(x),
    public=functional.swiglu,
)
elementwise("nn.gelu", lambda g, x: g * _slope_of_gelu(x), public=functional.gelu)
