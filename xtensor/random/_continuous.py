"""Continuous distributions by inversion: one word for a number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.dtypes import DType
from .._fuse.formulas import compute_formula
from . import _formulas as formulas
from ._arguments import Size, non_negative, positive, require
from ._stream import StreamOfNumbers

if TYPE_CHECKING:
    from .._core.annotations import ArrayLike, DTypeLike

__all__ = ["Continuous"]

NON_NEGATIVE = "numbers from 0 on"
POSITIVE = "positive numbers"


class Continuous(StreamOfNumbers):
    __slots__ = ()

    def _scale(self, value: ArrayLike, function: str, name: str = "scale") -> float | Array:
        return self._parameter(value, function, name, non_negative, "< 0", NON_NEGATIVE)

    def _positive(self, value: ArrayLike, function: str, name: str) -> float | Array:
        return self._parameter(value, function, name, positive, "<= 0", POSITIVE)

    def _normal_numbers(self, shape: tuple[int, ...], dtype: DType) -> Array:
        return self._normals(self.bit_generator.take(math.prod(shape)), shape, dtype)

    def _exponential_numbers(self, shape: tuple[int, ...], dtype: DType) -> Array:
        return compute_formula(formulas.exponential, self._words(shape), dtype=dtype)  # type: ignore[no-any-return]

    def standard_normal(self, size: Size = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
        r"""Draw from the normal distribution of mean 0 and variance 1, :math:`f(x) = e^{-x^2/2} / \sqrt{2\pi}`.

        Parameters
        ----------
        size
            Shape of the result; None for a 0-d Array.
        dtype
            float64 or float32. Default: the device's default real floating-point dtype.
        out
            Array of the shape and the dtype, which is filled and returned.

        Returns
        -------
        Array
            Numbers that agree on all devices within 2 units in the last place. None is beyond 8.3 in absolute value,
            where the probability is 2⁻⁵³.

        Raises
        ------
        TypeError
            If the dtype is another one, or ``out`` has another one.
        ValueError
            If ``size`` has a negative length, or ``out`` another shape or device.
        """
        return self._standard("standard_normal", self._normal_numbers, size, dtype, out)

    def normal(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> Array:
        r"""Draw from the normal distribution :math:`f(x) = e^{-(x-\mu)^2 / 2\sigma^2} / \sqrt{2\pi\sigma^2}`.

        Parameters
        ----------
        loc, scale
            Mean :math:`\mu` and standard deviation :math:`\sigma`, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Returns
        -------
        Array
            Numbers of the device's default real floating-point dtype.

        Raises
        ------
        ValueError
            If ``scale`` is negative.
        """
        mean = self._parameter(loc, "normal", "loc")
        deviation = self._scale(scale, "normal")
        shape = self._shape("normal", size, mean, deviation)
        numbers = self._normal_numbers(shape, self._float)
        if mean.__class__ is float and deviation.__class__ is float and (mean, deviation) == (0.0, 1.0):
            return numbers
        return compute_formula(_affine, numbers, mean, deviation)  # type: ignore[no-any-return]

    def lognormal(self, mean: ArrayLike = 0.0, sigma: ArrayLike = 1.0, size: Size = None) -> Array:
        r"""Draw :math:`e^x`, where x is normal with the mean and the standard deviation of the logarithm.

        Parameters
        ----------
        mean, sigma
            Mean and standard deviation of the logarithm, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If ``sigma`` is negative.
        """
        location = self._parameter(mean, "lognormal", "mean")
        deviation = self._scale(sigma, "lognormal", "sigma")
        numbers = self._normal_numbers(self._shape("lognormal", size, location, deviation), self._float)
        with np.errstate(all="ignore"):
            return compute_formula(_exponential_of_affine, numbers, location, deviation)  # type: ignore[no-any-return]

    def standard_exponential(
        self,
        size: Size = None,
        dtype: DTypeLike | None = None,
        method: Literal["zig", "inv"] = "zig",
        out: Array | None = None,
    ) -> Array:
        """Draw from the exponential distribution of mean 1, :math:`f(x) = e^{-x}` for x ≥ 0.

        Parameters
        ----------
        size
            Shape of the result; None for a 0-d Array.
        dtype
            float64 or float32. Default: the device's default real floating-point dtype.
        method
            Accepted for NumPy's signature; the numbers are always computed by inversion.
        out
            Array of the shape and the dtype, which is filled and returned.

        Raises
        ------
        TypeError
            If the dtype is another one, or ``out`` has another one.
        ValueError
            If ``size`` has a negative length, or ``out`` another shape or device.
        """
        return self._standard("standard_exponential", self._exponential_numbers, size, dtype, out)

    def exponential(self, scale: ArrayLike = 1.0, size: Size = None) -> Array:
        r"""Draw from the exponential distribution :math:`f(x) = e^{-x/\beta} / \beta` for x ≥ 0.

        Parameters
        ----------
        scale
            Mean :math:`\beta`.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``scale`` is negative.
        """
        return self._drawn("exponential", formulas.scaled_exponential, size, self._scale(scale, "exponential"))

    def laplace(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> Array:
        r"""Draw from the Laplace distribution :math:`f(x) = e^{-|x-\mu|/\lambda} / 2\lambda`.

        Parameters
        ----------
        loc, scale
            Location :math:`\mu` and scale :math:`\lambda`, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If ``scale`` is negative.
        """
        location = self._parameter(loc, "laplace", "loc")
        return self._drawn("laplace", formulas.laplace, size, location, self._scale(scale, "laplace"))

    def logistic(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> Array:
        r"""Draw from the logistic distribution, of distribution function :math:`1 / (1 + e^{-(x-\mu)/s})`.

        Parameters
        ----------
        loc, scale
            Location :math:`\mu` and scale s, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If ``scale`` is negative.
        """
        location = self._parameter(loc, "logistic", "loc")
        return self._drawn("logistic", formulas.logistic, size, location, self._scale(scale, "logistic"))

    def gumbel(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Size = None) -> Array:
        r"""Draw from the Gumbel distribution, of distribution function :math:`\exp(-e^{-(x-\mu)/\beta})`.

        Parameters
        ----------
        loc, scale
            Location :math:`\mu` and scale :math:`\beta`, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If ``scale`` is negative.
        """
        location = self._parameter(loc, "gumbel", "loc")
        return self._drawn("gumbel", formulas.gumbel, size, location, self._scale(scale, "gumbel"))

    def standard_cauchy(self, size: Size = None) -> Array:
        r"""Draw from the Cauchy distribution :math:`f(x) = 1 / \pi (1 + x^2)`.

        Parameters
        ----------
        size
            Shape of the result; None for a 0-d Array.
        """
        return self._drawn("standard_cauchy", formulas.cauchy, size)

    def rayleigh(self, scale: ArrayLike = 1.0, size: Size = None) -> Array:
        r"""Draw from the Rayleigh distribution :math:`f(x) = x / \sigma^2 \, e^{-x^2/2\sigma^2}` for x ≥ 0.

        Parameters
        ----------
        scale
            Mode :math:`\sigma`.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``scale`` is negative.
        """
        return self._drawn("rayleigh", formulas.rayleigh, size, self._scale(scale, "rayleigh"))

    def weibull(self, a: ArrayLike, size: Size = None) -> Array:
        r"""Draw from the Weibull distribution :math:`f(x) = a x^{a-1} e^{-x^a}` for x ≥ 0.

        Parameters
        ----------
        a
            Shape of the distribution; with 0, the numbers are 0.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``a`` is negative.
        """
        shape = self._scale(a, "weibull", "a")
        if isinstance(shape, Array):
            numbers = self._drawn("weibull", formulas.weibull, size, xp.where(shape == 0.0, 1.0, shape))
            return xp.where(shape == 0.0, 0.0, numbers)
        return self._drawn("weibull", formulas.weibull, size, shape or 1.0) * float(shape != 0.0)

    def pareto(self, a: ArrayLike, size: Size = None) -> Array:
        r"""Draw from the Pareto (Lomax) distribution :math:`f(x) = a (1 + x)^{-a-1}` for x ≥ 0.

        Parameters
        ----------
        a
            Shape of the distribution.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``a`` is not positive.
        """
        return self._drawn("pareto", formulas.pareto, size, self._positive(a, "pareto", "a"))

    def power(self, a: ArrayLike, size: Size = None) -> Array:
        r"""Draw from the power distribution :math:`f(x) = a x^{a-1}` for x in [0, 1].

        Parameters
        ----------
        a
            Shape of the distribution.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``a`` is not positive.
        """
        return self._drawn("power", formulas.power, size, self._positive(a, "power", "a"))

    def triangular(self, left: ArrayLike, mode: ArrayLike, right: ArrayLike, size: Size = None) -> Array:
        """Draw from the triangular distribution, whose density rises from left to the mode and falls to right.

        Parameters
        ----------
        left, mode, right
            Ends and mode of the distribution, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If the mode is not between left and right, or these are equal.
        """
        first, middle, last = (
            self._parameter(value, "triangular", name)
            for value, name in ((left, "left"), (mode, "mode"), (right, "right"))
        )
        expected = "triangular() takes left <= mode <= right, and left < right"
        # NaN is no error: the numbers are NaN.
        require((first > middle) ^ True, "left > mode", first, expected)
        require((middle > last) ^ True, "mode > right", last, expected)
        require(first != last, "left == right", first, expected)
        return self._drawn("triangular", formulas.triangular, size, first, last - first, middle - first, last - middle)


def _affine(numbers: Array, loc: float | Array, scale: float | Array) -> Array:
    return numbers * scale + loc


def _exponential_of_affine(numbers: Array, loc: float | Array, scale: float | Array) -> Array:
    return xp.exp(numbers * scale + loc)
