"""Distributions made of gamma, normal and uniform numbers, of which an element owns as many as it needs.

A lane is a sequence of streams that one use of words has for itself.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.dtypes import DType
from .._fuse.formulas import compute_formula
from ..special.logistic import expit
from . import _formulas as formulas
from ._arguments import Size, non_negative
from ._continuous import Continuous

if TYPE_CHECKING:
    from .._core.annotations import ArrayLike, DTypeLike

__all__ = ["Gammas", "factor_of_tiny"]


class Gammas(Continuous):
    __slots__ = ()

    def _log_gammas(self, start: int, count: int, lane: int, shape: Array) -> tuple[Array, Array]:
        """Return gamma numbers of the shape parameter, or of one more where it is less than 1, and a logarithm.

        A gamma number of the shape parameter is the product of the first and of the exponential of the second result.
        It underflows for small parameters, but its logarithm does not. The lane after ``lane`` is used, too.
        """
        raised = xp.where(shape < 1.0, shape + 1.0, shape)
        third = raised - 1.0 / 3.0
        numbers = self._accepted(_propose_gamma, "nw", start, count, lane, third, 1.0 / xp.sqrt(third * 9.0))
        if shape.ndim == 0 and float(shape) >= 1.0:
            return numbers, xp.zeros_like(numbers)
        words = self._own_words(start, count, lane + 1, 0)
        with np.errstate(all="ignore"):
            return numbers, compute_formula(_log_of_power, words, shape)

    def _gammas(self, start: int, count: int, lane: int, shape: Array, scale: float | Array = 1.0) -> Array:
        numbers, logarithms = self._log_gammas(start, count, lane, shape)
        if shape.ndim == 0 and float(shape) >= 1.0:
            return numbers * scale
        # In two steps: the product with the scale may be an ordinary number where the exponential underflows.
        root = xp.exp(logarithms * 0.5)
        return (numbers * root) * (scale * root)

    def _log_gamma_numbers(self, start: int, count: int, lane: int, shape: Array) -> Array:
        numbers, logarithms = self._log_gammas(start, count, lane, shape)
        with np.errstate(all="ignore"):
            return xp.log(numbers) + logarithms

    def _gamma_numbers(
        self, shape: tuple[int, ...], parameter: float | Array, dtype: DType, lane: int = 0, start: int | None = None
    ) -> Array:
        """Return gamma numbers of a shape; they take positions unless ``start`` says which ones they own."""
        count = math.prod(shape)
        first = self.bit_generator.take(count) if start is None else start
        return xp.reshape(self._gammas(first, count, lane, self._flat(parameter, shape, dtype)), shape)

    def _gamma_ratios(
        self, start: int, count: int, lanes: tuple[int, int], first: Array, second: Array
    ) -> tuple[Array, Array]:
        """Return two factors of the ratios of gamma numbers, of which one or both may underflow."""
        factor = factor_of_tiny(xp.maximum(first, second))
        (above, log_above), (below, log_below) = (
            self._log_gammas(start, count, lane, shape * factor)
            for lane, shape in zip(lanes, (first, second), strict=True)
        )
        return above / below, xp.exp(log_above - log_below)

    def standard_gamma(
        self, shape: ArrayLike, size: Size = None, dtype: DTypeLike | None = None, out: Array | None = None
    ) -> Array:
        r"""Draw from the gamma distribution :math:`f(x) = x^{k-1} e^{-x} / \Gamma(k)` for x ≥ 0.

        Parameters
        ----------
        shape
            Parameter k.
        size
            Shape of the result; None for the shape of the parameter.
        dtype
            float64 or float32. Default: the device's default real floating-point dtype.
        out
            Array of the shape and the dtype, which is filled and returned.

        Raises
        ------
        TypeError
            If the dtype is another one, or ``out`` has another one.
        ValueError
            If the parameter is negative, or ``out`` has another shape or device.

        Notes
        -----
        Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables" (2000).
        """
        parameter = self._parameter(shape, "standard_gamma", "shape", non_negative, "< 0", "numbers from 0 on")
        size = self._shape("standard_gamma", size, parameter) if out is None or size is not None else None
        return self._standard(
            "standard_gamma", lambda wanted, real: self._gamma_numbers(wanted, parameter, real), size, dtype, out
        )

    def gamma(self, shape: ArrayLike, scale: ArrayLike = 1.0, size: Size = None) -> Array:
        r"""Draw from the gamma distribution :math:`f(x) = x^{k-1} e^{-x/\theta} / \theta^k \Gamma(k)` for x ≥ 0.

        Parameters
        ----------
        shape, scale
            Parameters k and :math:`\theta`, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If a parameter is negative.
        """
        parameter = self._parameter(shape, "gamma", "shape", non_negative, "< 0", "numbers from 0 on")
        factor = self._scale(scale, "gamma")
        wanted = self._shape("gamma", size, parameter, factor)
        count = math.prod(wanted)
        start = self.bit_generator.take(count)
        shapes, scales = (self._flat(x, wanted, self._float) for x in (parameter, factor))
        return xp.reshape(self._gammas(start, count, 0, shapes, scales), wanted)

    def chisquare(self, df: ArrayLike, size: Size = None) -> Array:
        """Draw from the chi-squared distribution, of a sum of squares of ``df`` standard normal numbers.

        Parameters
        ----------
        df
            Degrees of freedom.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``df`` is not positive.
        """
        degrees = self._positive(df, "chisquare", "df")
        return self._gamma_numbers(self._shape("chisquare", size, degrees), degrees / 2.0, self._float) * 2.0

    def f(self, dfnum: ArrayLike, dfden: ArrayLike, size: Size = None) -> Array:
        """Draw from the F distribution, of the ratio of two chi-squared numbers, each over its degrees of freedom.

        Parameters
        ----------
        dfnum, dfden
            Degrees of freedom of the numerator and of the denominator, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If a parameter is not positive.
        """
        numerator = self._positive(dfnum, "f", "dfnum")
        denominator = self._positive(dfden, "f", "dfden")
        shape = self._shape("f", size, numerator, denominator)
        start = self.bit_generator.take(math.prod(shape))
        return self._ratios_of_chi_squared(start, shape, (0, 2), numerator, denominator, self._float)

    def _ratios_of_chi_squared(
        self,
        start: int,
        shape: tuple[int, ...],
        lanes: tuple[int, int],
        first: float | Array,
        second: float | Array,
        dtype: DType,
    ) -> Array:
        """Return ratios of two chi-squared numbers, each over its degrees of freedom."""
        degrees = [self._flat(x, shape, dtype) for x in (first, second)]
        with np.errstate(all="ignore"):
            halves = [x * 0.5 for x in degrees]
            ratios, powers = self._gamma_ratios(start, math.prod(shape), lanes, *halves)
            return xp.reshape(ratios * powers * (degrees[1] / degrees[0]), shape)

    def standard_t(self, df: ArrayLike, size: Size = None) -> Array:
        r"""Draw from Student's t distribution :math:`f(x) \propto (1 + x^2/\nu)^{-(\nu+1)/2}`.

        Parameters
        ----------
        df
            Degrees of freedom :math:`\nu`.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``df`` is not positive.
        """
        degrees = self._positive(df, "standard_t", "df")
        shape = self._shape("standard_t", size, degrees)
        start = self.bit_generator.take(math.prod(shape))
        normal = self._normals(start, shape, self._float)
        flat = self._flat(degrees, shape, self._float)
        with np.errstate(all="ignore"):
            halves, logarithms = self._log_gammas(start, math.prod(shape), 0, flat * 0.5)
            divisors = xp.sqrt(2.0 * halves / flat)
            return normal / xp.reshape(divisors, shape) * xp.reshape(xp.exp(logarithms * -0.5), shape)

    def beta(self, a: ArrayLike, b: ArrayLike, size: Size = None) -> Array:
        r"""Draw from the beta distribution :math:`f(x) \propto x^{a-1} (1-x)^{b-1}` for x in [0, 1].

        Parameters
        ----------
        a, b
            Parameters, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If a parameter is not positive.
        """
        first, second = self._positive(a, "beta", "a"), self._positive(b, "beta", "b")
        shape = self._shape("beta", size, first, second)
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        # By the logarithms of two gamma numbers: both may underflow.
        parameters = [self._flat(parameter, shape, self._float) for parameter in (first, second)]
        factor = factor_of_tiny(xp.maximum(*parameters))
        with np.errstate(all="ignore"):
            logarithms = [
                self._log_gamma_numbers(start, count, lane, parameter * factor)
                for lane, parameter in zip((0, 2), parameters, strict=True)
            ]
            return xp.reshape(expit(logarithms[0] - logarithms[1]), shape)

    def wald(self, mean: ArrayLike, scale: ArrayLike, size: Size = None) -> Array:
        r"""Draw from the Wald (inverse Gaussian) distribution
        :math:`f(x) = \sqrt{\lambda / 2\pi x^3} \, e^{-\lambda (x-\mu)^2 / 2\mu^2 x}` for x > 0.

        Parameters
        ----------
        mean, scale
            Parameters :math:`\mu` and :math:`\lambda`, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If a parameter is not positive.

        Notes
        -----
        Michael, Schucany and Haas, "Generating Random Variates Using Transformations with Multiple Roots" (1976).
        """
        location, factor = self._positive(mean, "wald", "mean"), self._positive(scale, "wald", "scale")
        shape = self._shape("wald", size, location, factor)
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        normals = self._normals(start, (count,), self._float)
        words = self._own_words(start, count, 0, 0)
        parameters = [self._flat(parameter, shape, self._float) for parameter in (location, factor)]
        with np.errstate(all="ignore"):
            return xp.reshape(compute_formula(_wald, normals, words, *parameters), shape)

    def vonmises(self, mu: ArrayLike, kappa: ArrayLike, size: Size = None) -> Array:
        r"""Draw from the von Mises distribution :math:`f(x) \propto e^{\kappa \cos(x-\mu)}` for x in [-π, π].

        Parameters
        ----------
        mu, kappa
            Mode :math:`\mu`, an angle, and concentration :math:`\kappa`, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If ``kappa`` is negative.

        Notes
        -----
        Best and Fisher, "Efficient Simulation of the von Mises Distribution" (1979); normal numbers for
        :math:`\kappa` above 10⁶.
        """
        mode = self._parameter(mu, "vonmises", "mu")
        concentration = self._scale(kappa, "vonmises", "kappa")
        shape = self._shape("vonmises", size, mode, concentration)
        count = math.prod(shape)
        k = self._flat(concentration, shape, self._float)
        start = self.bit_generator.take(count)
        angles = xp.reshape(self._accepted(_propose_angle, "wwn", start, count, 0, k, _wrapped_radius(k)), shape) + mode
        return xp.remainder(angles + math.pi, 2.0 * math.pi) - math.pi


def _propose_gamma(x: Array, words: Array, d: Array, c: Array) -> tuple[Array, Array]:
    """Propose ``d v`` for the shape parameter d + 1/3, where v is the cube of ``1 + c x`` for a normal number x."""
    root = 1.0 + c * x
    v = root * root * root
    bound = x * x * 0.5 + d - d * v + d * xp.log(v)
    # The exact bound is about -x⁴ / 108 d; for a large d, what remains of its terms is their rounding error.
    accepted = (root > 0.0) & ((formulas.log_uniform(words, dtype=d.dtype) < bound) | (d > 1e10))
    return d * v, accepted


def factor_of_tiny(largest: Array) -> Array:
    """Return a factor of parameters of gamma numbers, from the largest one of those that are compared.

    The logarithms of gamma numbers of tiny parameters overflow. The probability that a number is the largest is then a
    ratio of parameters, and the others are 0 next to it.
    """
    tiny = float(xp.finfo(largest.dtype).smallest_normal)
    return xp.where(largest < tiny ** (2 / 3), tiny**-0.4, xp.ones_like(largest))


def _log_of_power(words: Array, shape: Array) -> Array:
    """Return the logarithm of a uniform number to the power 1 / shape where shape is less than 1, else 0."""
    return xp.where(shape < 1.0, formulas.log_uniform(words, dtype=shape.dtype) / shape, 0.0)


def _wald(normal: Array, words: Array, mean: Array, scale: Array) -> Array:
    """Return the smaller root of a quadratic equation, or the larger one, with their probabilities."""
    half = normal * normal * 0.5
    excess = half * (mean / scale)
    # The smaller root without cancellation: the product of the roots is mean². The larger one may overflow.
    near = mean / (1.0 + excess + xp.sqrt(excess) * xp.sqrt(excess + 2.0))
    inverse = scale / mean
    far = scale / (inverse + half + xp.sqrt(half) * xp.sqrt(half + 2.0 * inverse))
    smaller = xp.where(excess <= 1.0, near, far)
    chosen = formulas.closed(words, dtype=mean.dtype) * (1.0 + smaller / mean) <= 1.0
    return xp.where(chosen, smaller, mean * (mean / smaller))


def _wrapped_radius(kappa: Array) -> Array:
    """Return the parameter ρ of Best and Fisher's wrapped Cauchy envelope, without cancellation for small κ."""
    root = xp.sqrt(1.0 + xp.sqrt(1.0 + 4.0 * kappa * kappa))
    return 2.0 * kappa / (root * (root + math.sqrt(2.0)))


def _propose_angle(first: Array, second: Array, normal: Array, kappa: Array, rho: Array) -> tuple[Array, Array]:
    p, upper = formulas.folded(first, dtype=kappa.dtype)
    tangent = xp.tan(p * math.pi)
    angle = 2.0 * xp.atan((1.0 - rho) / (1.0 + rho) * tangent)
    # Best and Fisher's κ (s - cos θ) with s = (1 + ρ²) / 2ρ, which is infinite for κ = 0, but κ s is not.
    root = xp.sqrt(1.0 + xp.sqrt(1.0 + 4.0 * kappa * kappa))
    y = (1.0 + rho * rho) * (root * (root + math.sqrt(2.0)) * 0.25) - kappa * xp.cos(angle)
    narrow = kappa > 1e6
    value = xp.where(narrow, normal / xp.sqrt(kappa), xp.where(upper, angle, -angle))
    log_v = formulas.log_uniform(second, dtype=kappa.dtype)
    return value, narrow | (xp.log(y) - log_v + 1.0 - y >= 0.0)
