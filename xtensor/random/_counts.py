"""Discrete distributions: counts, as integers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._fuse.formulas import compute_formula
from . import _count_formulas as counts
from . import _formulas as formulas
from ._arguments import (
    Size,
    above_one,
    at_least,
    below_one,
    non_negative,
    positive_probability,
    probability,
    require,
    whole_numbers,
)
from ._gammas import Gammas

if TYPE_CHECKING:
    from .._core.annotations import ArrayLike

__all__ = ["Counts"]

WHOLE = "integers from 0 on"
PROBABILITY = "probabilities from 0 to 1"
FLOAT64, INT64 = np.dtype(np.float64), np.dtype(np.int64)

LARGEST_MEAN = float(2**63 - 1) - 10.0 * math.sqrt(2**63 - 1)
"""NumPy's bound of a Poisson distribution's mean: ten standard deviations below the largest integer."""


class Counts(Gammas):
    __slots__ = ()

    def _count_parameters(self, function: str) -> None:
        """Raise TypeError on a device without float64, in which counts are computed."""
        if FLOAT64 not in self._device.dtypes:
            raise TypeError(
                f"{function}() computes in float64, which device {self._device} does not support; draw on "
                "device='cpu' and move the result with x.to_device"
            )

    def _whole(self, value: Any, function: str, name: str) -> int | Array:
        """Return a parameter that is a number of things, rounded towards 0, as an integer or an int64 Array."""
        numbers = whole_numbers(value, self._device, function, name)
        message, remedy = f"{name} < 0 or beyond int64", f"{function}() takes {WHOLE}"
        if isinstance(numbers, Array):
            require(numbers.dtype != np.uint64 or numbers < 2**63, message, numbers, remedy)
            numbers = self._array(numbers, INT64)
            require(numbers >= 0, message, numbers, remedy)
            return numbers
        require(math.isfinite(numbers) and -1 < numbers < 2**63, message, numbers, remedy)
        return int(numbers)

    def _as_integers(self, numbers: Array, shape: tuple[int, ...]) -> Array:
        """Return counts as integers; those beyond int64 become the largest integer."""
        dtype = self._device.default_dtypes["integral"]
        limit = counts.LARGEST if dtype.itemsize == 8 else float(2 ** (8 * dtype.itemsize - 1) - 1)
        beyond = ~(numbers < limit)
        integers = xp.astype(xp.where(beyond, 0.0, numbers), dtype)
        return xp.reshape(xp.where(beyond, 2 ** (8 * dtype.itemsize - 1) - 1, integers), shape)

    def _in_range(self, integers: Array) -> Array:
        """Return int64 counts in the device's default dtype; those beyond it become its largest integer."""
        dtype = self._device.default_dtypes["integral"]
        if dtype == INT64:
            return integers
        return xp.astype(xp.minimum(integers, 2 ** (8 * dtype.itemsize - 1) - 1), dtype)

    def _geometric_numbers(self, function: str, p: float | Array, size: Size) -> Array:
        shape = self._shape(function, size, p)
        log_failure = xp.log1p(-self._array(p, FLOAT64))
        words = self._words(shape)
        return self._as_integers(compute_formula(formulas.geometric, words, log_failure, dtype=FLOAT64), shape)

    def geometric(self, p: ArrayLike, size: Size = None) -> Array:
        """Draw the number of trials to the first success, :math:`P(k) = (1 - p)^{k-1} p` for k from 1 on.

        Parameters
        ----------
        p
            Probability of success.
        size
            Shape of the result; None for the shape of the parameter.

        Returns
        -------
        Array
            Integers; those beyond the dtype become its largest integer.

        Raises
        ------
        ValueError
            If ``p`` is not in (0, 1].
        """
        self._count_parameters("geometric")
        success = self._parameter(
            p, "geometric", "p", positive_probability, "<= 0, p > 1 or p contains NaNs", "probabilities above 0, to 1"
        )
        with np.errstate(all="ignore"):
            return self._geometric_numbers("geometric", success, size)

    def _poisson_numbers(self, start: int, count: int, lane: int, mean: Array) -> Array:
        """Return Poisson numbers as float64; ``mean`` is 0-d or has an element for each of ``count``."""
        with np.errstate(all="ignore"):
            # A mean that is a random number may be larger; all of its counts would be rejected.
            mean = xp.minimum(mean, LARGEST_MEAN)
            top = counts.poisson_logarithm(xp.floor(mean), xp.maximum(mean, counts.TINY))
            return self._accepted(counts.propose_poisson, "ww", start, count, lane, mean, top)

    def poisson(self, lam: ArrayLike = 1.0, size: Size = None) -> Array:
        r"""Draw from the Poisson distribution :math:`P(k) = \lambda^k e^{-\lambda} / k!`.

        Parameters
        ----------
        lam
            Mean :math:`\lambda`.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``lam`` is negative or NaN, or so large that counts exceed int64.
        """
        self._count_parameters("poisson")
        mean = self._parameter(lam, "poisson", "lam", at_least(0), "< 0 or lam is NaN", "numbers from 0 on")
        require(mean <= LARGEST_MEAN, "lam value too large", mean, f"poisson() takes means up to {LARGEST_MEAN:.4g}")
        shape = self._shape("poisson", size, mean)
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        return self._as_integers(self._poisson_numbers(start, count, 0, self._flat(mean, shape, FLOAT64)), shape)

    def _binomial_numbers(self, start: int, count: int, lane: int, n: Array, p: Array) -> Array:
        """Return binomial numbers as int64; the parameters are 0-d or have an element for each of ``count``.

        The rarer outcome is drawn in float64. What is left of the trials is exact, as a difference of integers.
        """
        with np.errstate(all="ignore"):
            trials = xp.astype(n, FLOAT64)
            smaller = xp.minimum(p, 1.0 - p)
            mode = xp.minimum(xp.floor((trials + 1.0) * smaller), trials)
            top = counts.binomial_logarithm(mode, trials, smaller)
            numbers = self._accepted(counts.propose_binomial, "ww", start, count, lane, trials, smaller, top)
            rarer = xp.minimum(xp.astype(numbers, INT64), n)
            return xp.where(p > 0.5, n - rarer, rarer)

    def binomial(self, n: ArrayLike, p: ArrayLike, size: Size = None) -> Array:
        r"""Draw the number of successes of n trials, :math:`P(k) = \binom{n}{k} p^k (1-p)^{n-k}`.

        Parameters
        ----------
        n, p
            Number of trials and probability of success, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If ``n`` is negative or ``p`` is not in [0, 1].
        """
        self._count_parameters("binomial")
        trials = self._whole(n, "binomial", "n")
        success = self._parameter(p, "binomial", "p", probability, "< 0, p > 1 or p is NaN", PROBABILITY)
        shape = self._shape("binomial", size, trials, success)
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        parameters = self._flat(trials, shape, INT64), self._flat(success, shape, FLOAT64)
        return xp.reshape(self._in_range(self._binomial_numbers(start, count, 0, *parameters)), shape)

    def negative_binomial(self, n: ArrayLike, p: ArrayLike, size: Size = None) -> Array:
        r"""Draw the number of failures before the n-th success, :math:`P(k) = \binom{k+n-1}{k} p^n (1-p)^k`.

        Parameters
        ----------
        n, p
            Number of successes, which need not be an integer, and probability of success; they broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If ``n`` is not positive, ``p`` is not in (0, 1], or counts would exceed int64.
        """
        self._count_parameters("negative_binomial")
        successes = self._positive(n, "negative_binomial", "n")
        success = self._parameter(
            p,
            "negative_binomial",
            "p",
            positive_probability,
            "<= 0, p > 1 or p contains NaNs",
            "probabilities above 0, to 1",
        )
        odds = (1.0 - success) / success
        require(
            odds * (successes + 10.0 * successes**0.5) <= LARGEST_MEAN,
            "n too large or p too small",
            successes,
            "negative_binomial() takes parameters whose counts are below 2**63",
        )
        shape = self._shape("negative_binomial", size, successes, success)
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        mean = self._gammas(start, count, 0, self._flat(successes, shape, FLOAT64)) * self._flat(odds, shape, FLOAT64)
        return self._as_integers(self._poisson_numbers(start, count, 2, mean), shape)

    def _hypergeometric_numbers(
        self, start: int, count: int, lane: int, good: Array, bad: Array, sample: Array
    ) -> Array:
        with np.errstate(all="ignore"):
            mode = xp.floor((sample + 1.0) * ((good + 1.0) / (good + bad + 2.0)))
            mode = xp.clip(mode, xp.maximum(sample - bad, 0.0), xp.minimum(sample, good))
            top = counts.hypergeometric_logarithm(mode, good, bad, sample)
            return self._accepted(counts.propose_hypergeometric, "ww", start, count, lane, good, bad, sample, top)

    def hypergeometric(self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: Size = None) -> Array:
        r"""Draw the number of good ones among a sample without replacement,
        :math:`P(k) = \binom{g}{k} \binom{b}{n-k} / \binom{g+b}{n}`.

        Parameters
        ----------
        ngood, nbad, nsample
            Numbers g of good ones, b of bad ones and n of those in the sample, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If a number is negative, ``ngood`` or ``nbad`` is 10⁹ or more, or the sample is larger than all.
        """
        self._count_parameters("hypergeometric")
        good, bad, sample = (
            self._whole(value, "hypergeometric", name)
            for value, name in ((ngood, "ngood"), (nbad, "nbad"), (nsample, "nsample"))
        )
        for number in (good, bad):
            require(number < 1e9, "both ngood and nbad must be less than 1000000000", number, "take smaller numbers")
        require(sample <= good + bad, "ngood + nbad < nsample", sample, "hypergeometric() takes samples up to all")
        shape = self._shape("hypergeometric", size, good, bad, sample)
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        parameters = (self._flat(x, shape, FLOAT64) for x in (good, bad, sample))
        return self._as_integers(self._hypergeometric_numbers(start, count, 0, *parameters), shape)

    def zipf(self, a: ArrayLike, size: Size = None) -> Array:
        r"""Draw from the Zipf (zeta) distribution :math:`P(k) = k^{-a} / \zeta(a)` for k from 1 on.

        Parameters
        ----------
        a
            Exponent. Near 1, most numbers would be beyond int64: those below 2⁶³ are drawn.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``a`` is 1 or less.
        """
        self._count_parameters("zipf")
        exponent = self._parameter(a, "zipf", "a", above_one, "<= 1 or a is NaN", "numbers above 1")
        shape = self._shape("zipf", size, exponent)
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        # Above 1000, every number is 1, and powers would overflow.
        parameter = xp.minimum(self._flat(exponent, shape, FLOAT64), 1000.0)
        return self._as_integers(self._accepted(counts.propose_zipf, "ww", start, count, 0, parameter), shape)

    def logseries(self, p: ArrayLike, size: Size = None) -> Array:
        r"""Draw from the logarithmic distribution :math:`P(k) = -p^k / k \ln(1-p)` for k from 1 on.

        Parameters
        ----------
        p
            Parameter.
        size
            Shape of the result; None for the shape of the parameter.

        Raises
        ------
        ValueError
            If ``p`` is not in [0, 1).

        Notes
        -----
        Kemp, "Efficient Generation of Logarithmically Distributed Pseudo-Random Variables" (1981).
        """
        self._count_parameters("logseries")
        parameter = self._parameter(
            p, "logseries", "p", below_one, "< 0, p >= 1 or p is NaN", "numbers from 0 to below 1"
        )
        shape = self._shape("logseries", size, parameter)
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        words = [self._own_words(start, count, 0, use) for use in range(2)]
        with np.errstate(all="ignore"):
            numbers = compute_formula(_logarithmic, words[0], words[1], self._flat(parameter, shape, FLOAT64))
        return self._as_integers(numbers, shape)

    def noncentral_chisquare(self, df: ArrayLike, nonc: ArrayLike, size: Size = None) -> Array:
        """Draw from the noncentral chi-squared distribution, of a sum of squares of ``df`` normal numbers.

        Parameters
        ----------
        df, nonc
            Degrees of freedom, and the sum of the squares of the means; they broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If ``df`` is not positive, or ``nonc`` is negative or above 1.8·10¹⁹.

        Notes
        -----
        The degrees of freedom of a central chi-squared number are raised by twice a Poisson number of mean nonc / 2.
        """
        self._count_parameters("noncentral_chisquare")
        degrees = self._positive(df, "noncentral_chisquare", "df")
        excess = self._parameter(nonc, "noncentral_chisquare", "nonc", non_negative, "< 0", "numbers from 0 on")
        shape = self._shape("noncentral_chisquare", size, degrees, excess)
        start = self.bit_generator.take(math.prod(shape))
        raised = self._raised(start, shape, degrees, excess)
        return xp.reshape(self._gammas(start, math.prod(shape), 0, raised, 2.0), shape)

    def _raised(self, start: int, shape: tuple[int, ...], degrees: float | Array, excess: float | Array) -> Array:
        """Return half the degrees of freedom of central chi-squared numbers, raised by Poisson numbers of lane 2."""
        half = self._flat(excess, shape, FLOAT64) * 0.5
        require((half <= LARGEST_MEAN) | (half != half), "nonc value too large", excess, "take a smaller one")
        return self._flat(degrees, shape, FLOAT64) * 0.5 + self._poisson_numbers(start, math.prod(shape), 2, half)

    def noncentral_f(self, dfnum: ArrayLike, dfden: ArrayLike, nonc: ArrayLike, size: Size = None) -> Array:
        """Draw from the noncentral F distribution: the numerator is a noncentral chi-squared number.

        Parameters
        ----------
        dfnum, dfden, nonc
            Degrees of freedom of the numerator and of the denominator, and the numerator's sum of squares of means;
            they broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Raises
        ------
        ValueError
            If a number of degrees of freedom is not positive, or ``nonc`` is negative or above 1.8·10¹⁹.
        """
        self._count_parameters("noncentral_f")
        numerator = self._positive(dfnum, "noncentral_f", "dfnum")
        denominator = self._positive(dfden, "noncentral_f", "dfden")
        excess = self._parameter(nonc, "noncentral_f", "nonc", non_negative, "< 0", "numbers from 0 on")
        shape = self._shape("noncentral_f", size, numerator, denominator, excess)
        start = self.bit_generator.take(math.prod(shape))
        with np.errstate(all="ignore"):
            raised = self._raised(start, shape, numerator, excess)
            below = self._flat(denominator, shape, FLOAT64)
            ratios, powers = self._gamma_ratios(start, math.prod(shape), (0, 3), raised, below * 0.5)
            degrees = below / self._flat(numerator, shape, FLOAT64)
            return xp.reshape(ratios * powers * degrees, shape)


def _logarithmic(first: Array, second: Array, p: Array) -> Array:
    r = xp.log1p(-p)
    q = -xp.expm1(r * (1.0 - formulas.closed(first, dtype=p.dtype)))
    log_v = formulas.log_uniform(second, dtype=p.dtype)
    v = xp.exp(log_v)
    large = xp.floor(1.0 + log_v / xp.log(q))
    return xp.where(v >= p, 1.0, xp.where(v <= q * q, xp.maximum(large, 1.0), xp.where(v >= q, xp.ones_like(v), 2.0)))
