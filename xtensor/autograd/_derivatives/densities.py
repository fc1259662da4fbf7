"""Densities of distributions, which are the derivatives of their distribution functions."""

from __future__ import annotations

from typing import Any

from ... import _ops as xp
from ... import special
from ..._core.array import Array
from .._rules import differentiated_by_pullback, differentiated_by_rules

__all__ = ["beta_density", "f_density", "gamma_density", "t_density"]


def _lowered(exponent: Any, kernel: Any) -> Any:
    """The factor and the kernel of the derivative of a power: none where the exponent is 0, also at 0."""
    is_zero = exponent == 0
    return xp.where(is_zero, 0, exponent) * kernel(xp.where(is_zero, 1, exponent) - 1)


def _slope_of_gamma_kernel(g: Array, out: Array, x: Any, y: Any, z: Array) -> Any:
    return g * (_lowered(x, lambda exponent: gamma_kernel(exponent, y, z)) - out)


@differentiated_by_rules(None, None, _slope_of_gamma_kernel)
def gamma_kernel(p: Any, logarithm: Any, x: Array) -> Array:
    r""":math:`x^p e^{-x}` divided by the exponential of a logarithm."""
    return xp.exp(special.xlogy(p, x) - x - logarithm)


def gamma_density(a: Any, x: Any) -> Array:
    r""":math:`x^{a-1} e^{-x} / \Gamma(a)`."""
    return gamma_kernel(a - 1, special.gammaln(a), x)


def _pull_beta(g: Array, out: Any, p: Array, q: Array, logarithm: Array, x: Array, y: Array) -> Any:
    by_x = g * _lowered(p, lambda exponent: beta_kernel(exponent, q, logarithm, x, y))
    by_y = g * _lowered(q, lambda exponent: beta_kernel(p, exponent, logarithm, x, y))
    return None, None, None, by_x, by_y


@differentiated_by_pullback(_pull_beta, "p q logarithm x y", lambda g, *operands: (None, None, None, g, g))
def beta_kernel(p: Array, q: Array, logarithm: Array, x: Array, y: Array) -> Array:
    """:math:`x^p y^q` divided by the exponential of a logarithm."""
    return xp.exp(special.xlogy(p, x) + special.xlogy(q, y) - logarithm)


def beta_density(a: Any, b: Any, x: Any) -> Array:
    """:math:`x^{a-1} (1-x)^{b-1} / B(a, b)`."""
    return beta_kernel(a - 1, b - 1, special.betaln(a, b), x, 1 - x)


def f_density(n: Any, d: Any, x: Any) -> Array:
    """The density of the F distribution."""
    divisor = n * x + d
    ratio, rest = n * x / divisor, d / divisor
    kernel = beta_kernel(n / 2 - 1, d / 2 - 1, special.betaln(n / 2, d / 2), ratio, rest)
    density: Array = kernel * (n * rest / divisor)
    return density


def t_density(n: Any, t: Any) -> Array:
    """The density of Student's t distribution."""
    logarithm = -(n + 1) / 2 * xp.log1p(t * t / n) - xp.log(n) / 2
    return xp.exp(logarithm - special.betaln(n / 2, xp.full_like(n, 0.5)))
