"""Distributions of vectors.

One position of the stream for each element of the result where the elements are drawn independently of each other, and
one for each vector where an element depends on those before it (``multinomial``, ``multivariate_hypergeometric``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from .. import _ops as xp
from .. import linalg
from .._core.array import Array
from .._core.calls import wrap
from .._core.checks import check_integer
from .._core.dtypes import kind_of
from .._core.errors import shortened
from .._core.fp_warnings import rewarn
from .._core.operands import native_operand
from ..special.reductions import softmax_over
from ._arguments import Size, floating, non_negative, output_shape, probability, require
from ._counts import FLOAT64, INT64, Counts
from ._gammas import factor_of_tiny

if TYPE_CHECKING:
    from .._core.annotations import ArrayLike

__all__ = ["Vectors"]


class Vectors(Counts):
    __slots__ = ()

    def _vector(self, x: Any, function: str, name: str) -> Array:
        """Return an argument as an Array of the default floating-point dtype."""
        return floating(self._real(x, function, name))

    def _real(self, x: Any, function: str, name: str) -> Array:
        """Return an argument as an Array of real numbers."""
        array = (
            wrap(native_operand(x, self._device, function), self._device)
            if isinstance(x, Array)
            else xp.asarray(x, device=self._device)
        )
        if kind_of(array.dtype) not in "biuf":
            raise TypeError(
                f"{function}(): {name} has dtype {array.dtype}, expected real numbers; take xtensor.real(x)"
            )
        return array

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: Size = None,
        check_valid: Literal["warn", "raise", "ignore"] = "warn",
        tol: float = 1e-8,
        *,
        method: Literal["svd", "eigh", "cholesky"] = "svd",
    ) -> Array:
        r"""Draw vectors of the normal distribution with a mean vector and a covariance matrix.

        Parameters
        ----------
        mean
            Mean, a vector of n elements.
        cov
            Covariance, a symmetric positive semidefinite matrix of shape (n, n).
        size
            Shape of the draws; the result has n elements for each, along a last axis.
        check_valid
            What is done with a matrix that is not positive semidefinite.
        tol
            Tolerance of that check, for the singular values.
        method
            The factorization of the matrix, :math:`A A^T`; the vectors are :math:`\mu + A z` for normal z.

        Raises
        ------
        ValueError
            If the shapes do not match, a word is not one of those above, or the matrix is not valid and
            ``check_valid`` is ``"raise"``.
        LinAlgError
            If the matrix is not positive definite and ``method`` is ``"cholesky"``.
        """
        if method not in ("svd", "eigh", "cholesky"):
            raise ValueError(f"method must be one of {{'eigh', 'svd', 'cholesky'}}; it is {shortened(method)}")
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError(f"check_valid must equal 'warn', 'raise', or 'ignore'; it is {shortened(check_valid)}")
        centre, covariance = (
            self._vector(x, "multivariate_normal", name) for x, name in ((mean, "mean"), (cov, "cov"))
        )
        if centre.ndim != 1:
            raise ValueError(f"mean must be 1 dimensional; it has shape {centre.shape}; pass one vector")
        if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
            raise ValueError(f"cov must be 2 dimensional and square; it has shape {covariance.shape}; pass one matrix")
        if centre.shape[0] != covariance.shape[0]:
            raise ValueError(
                f"mean and cov must have same length; they have shapes {centre.shape} and {covariance.shape}"
            )
        shape = (*output_shape("multivariate_normal", size), centre.shape[0])
        factor = _factor(covariance, method, check_valid, tol)
        numbers = self._normal_numbers(shape, self._float)
        rows = xp.reshape(numbers, (-1, shape[-1])) if numbers.size else numbers
        if not numbers.size:
            return numbers
        return xp.reshape(xp.matmul(rows, xp.matrix_transpose(factor)), shape) + centre

    def dirichlet(self, alpha: ArrayLike, size: Size = None) -> Array:
        r"""Draw vectors of sum 1 of the Dirichlet distribution :math:`f(x) \propto \prod_i x_i^{\alpha_i - 1}`.

        Parameters
        ----------
        alpha
            Parameters, a vector of k numbers, 0 or more; the elements of those that are 0 are 0.
        size
            Shape of the draws; the result has k elements for each, along a last axis.

        Raises
        ------
        ValueError
            If ``alpha`` is not a vector, or an element is negative.
        """
        parameters = self._vector(alpha, "dirichlet", "alpha")
        if parameters.ndim != 1:
            raise ValueError(
                f"alpha must be 1 dimensional; dirichlet(): it has shape {parameters.shape}; pass one vector"
            )
        require(non_negative(parameters), "alpha < 0", parameters, "dirichlet() takes numbers from 0 on")
        shape = (*output_shape("dirichlet", size), parameters.shape[0])
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        if not count:
            return xp.zeros(shape, dtype=self._float, device=self._device)
        # By the logarithms of gamma numbers: all of a vector may underflow.
        parameters = parameters * factor_of_tiny(xp.max(parameters))
        logarithms = self._log_gamma_numbers(start, count, 0, self._flat(parameters, shape, self._float))
        return softmax_over(xp.reshape(logarithms, shape), (len(shape) - 1,))

    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: Size = None) -> Array:
        """Draw the numbers of n experiments with each of k outcomes.

        Parameters
        ----------
        n
            Number of experiments, which broadcasts with the axes of ``pvals`` but the last one.
        pvals
            Probabilities of the outcomes, along the last axis; the last one is what the others leave.
        size
            Shape of the draws; the result has k elements for each, along a last axis.

        Raises
        ------
        ValueError
            If ``n`` is negative, an element of ``pvals`` is not a probability, or those before the last exceed 1.

        Notes
        -----
        One binomial number for each outcome, of the experiments that the outcomes before it have left.
        """
        self._count_parameters("multinomial")
        trials = self._whole(n, "multinomial", "n")
        p = self._vector(pvals, "multinomial", "pvals")
        if p.ndim == 0 or not p.shape[-1]:
            raise ValueError(
                "pvals must have at least 1 dimension and the last dimension of pvals must be greater than 0; it has "
                f"shape {p.shape}; multinomial() takes a probability for each outcome"
            )
        require(probability(p), "pvals < 0, pvals > 1 or pvals contains NaNs", p, "take probabilities from 0 to 1")
        before = xp.cumulative_sum(p, axis=-1, include_initial=True)
        require(before[..., -2] <= 1.0 + 1e-12, "sum(pvals[:-1]) > 1.0", p, "divide pvals by their sum")
        number = self._array(trials, INT64)
        shape = output_shape("multinomial", size, number, p[..., 0])
        outcomes, count = p.shape[-1], math.prod(shape)
        start = self.bit_generator.take(count)
        left = xp.reshape(xp.broadcast_to(number, shape), (count,))
        drawn = []
        for outcome in range(outcomes - 1):
            rest = 1.0 - before[..., outcome]
            share = xp.clip(xp.where(rest > 0, p[..., outcome] / xp.where(rest > 0, rest, 1.0), 0.0), 0.0, 1.0)
            numbers = self._binomial_numbers(start, count, outcome, left, self._flat(share, shape, FLOAT64))
            drawn.append(numbers)
            left = left - numbers
        return xp.reshape(self._in_range(xp.stack([*drawn, left], axis=-1)), (*shape, outcomes))

    def multivariate_hypergeometric(
        self, colors: ArrayLike, nsample: int, size: Size = None, method: Literal["marginals", "count"] = "marginals"
    ) -> Array:
        """Draw the numbers of each colour in a sample without replacement.

        Parameters
        ----------
        colors
            Number of items of each of k colours, a vector of integers.
        nsample
            Number of items in the sample.
        size
            Shape of the draws; the result has k elements for each, along a last axis.
        method
            Accepted for NumPy's signature; the numbers are always those of ``"marginals"``.

        Raises
        ------
        ValueError
            If ``colors`` is not a vector of nonnegative numbers below 10⁹ together, or the sample is larger.
        """
        self._count_parameters("multivariate_hypergeometric")
        if method not in ("marginals", "count"):
            raise ValueError(f'method must be "count" or "marginals".; it is {shortened(method)}')
        sample = check_integer(nsample, "multivariate_hypergeometric", "nsample")
        require(sample >= 0, "nsample must be nonnegative.", sample, "take a sample of 0 or more")
        given = self._real(colors, "multivariate_hypergeometric", "colors")
        words = "colors must be a one-dimensional sequence of nonnegative integers not exceeding 9223372036854775807."
        require(given.ndim == 1, words, given, "pass one vector")
        require(given.dtype.kind in "biu" or not given.size, words, given, "cast them with xtensor.astype")
        items = floating(given)
        require(non_negative(items), words, items, "take numbers from 0 on")
        total = float(xp.sum(items)) if items.size else 0.0
        require(total < 1e9, "sum(colors) must be less than 1000000000", total, "take smaller numbers")
        require(sample <= total, "nsample > sum(colors)", sample, f"take a sample up to {total:.0f}")
        shape = output_shape("multivariate_hypergeometric", size)
        count, kinds = math.prod(shape), items.shape[0]
        if not kinds:
            return xp.zeros((*shape, 0), dtype=self._device.default_dtypes["integral"], device=self._device)
        start = self.bit_generator.take(count)
        left = xp.full((count,), float(sample), dtype=FLOAT64, device=self._device)
        rest, drawn = self._array(total, FLOAT64), []
        for kind in range(kinds - 1):
            good = items[kind]
            rest = rest - good
            numbers = self._hypergeometric_numbers(start, count, kind, good, rest, left)
            drawn.append(numbers)
            left = left - numbers
        return self._as_integers(xp.stack([*drawn, left], axis=-1), (*shape, kinds))


def _factor(covariance: Array, method: str, check_valid: str, tol: float) -> Array:
    """Return a matrix A with ``A @ A.T`` equal to the covariance: its symmetric root, or a triangular one."""
    if method == "cholesky":
        return linalg.cholesky(covariance)
    if method == "eigh":
        values, vectors = linalg.eigh(covariance)
        valid = bool(xp.all(values >= -tol))
    else:
        vectors, values, right = linalg.svd(covariance)
        rebuilt = xp.matmul(xp.matrix_transpose(right) * values, right)
        valid = bool(xp.all(xp.abs(rebuilt - covariance) <= tol + tol * xp.abs(covariance)))
    if not valid and check_valid != "ignore":
        message = "covariance is not symmetric positive-semidefinite."
        if check_valid == "raise":
            raise ValueError(f"{message} Pass a valid matrix, or check_valid='ignore'")
        rewarn(RuntimeWarning(message))
    # The symmetric square root: unlike the vectors, it is unique, the same on all devices.
    return xp.matmul(vectors * xp.sqrt(xp.abs(values)), xp.matrix_transpose(vectors))
