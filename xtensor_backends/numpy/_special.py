"""SciPy's special functions, imported when the first of them is asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["Special"]

TRIALS = np.iinfo(np.long)
COUNTS = np.iinfo(np.intc)

FAR = 1e11
"""Absolute value beyond which SciPy's ``hyp1f1`` may add one term of a series for each unit, or return NaN."""


class Special:
    """SciPy's special functions as attributes; SciPy is imported when the first one is asked for."""

    def __getattr__(self, name: str) -> Callable[..., Native]:
        import scipy.special  # optional, and as costly to import as NumPy

        # SciPy may have wrapped a function in its own dispatch.
        function: Any = getattr(scipy.special, name)
        function = getattr(function, "__wrapped__", function)
        if name in LARGE_COUNTS:
            function = _with_large_counts(function, LARGE_COUNTS[name], scipy.special)
            return _with_integer_trials(function) if name in ("bdtr", "bdtrc", "bdtri") else function
        if name == "powm1":
            return _with_signed_zeros(function)
        if name == "hyp1f1":
            return _with_asymptotics(function, scipy.special)
        if name in ("digamma", "psi"):
            return _with_pole_at_minus_one(function)
        return function if isinstance(function, np.ufunc) else _in_double_precision(function)


def _in_double_precision(function: Callable[..., Native]) -> Callable[..., Native]:
    """A function that is not a ufunc, which chooses the dtype of its result itself."""

    @wraps(function)
    def computed(*operands: Any) -> Native:
        operands64 = (
            x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) if isinstance(x, np.ndarray) else x
            for x in operands
        )
        result = np.asarray(function(*operands64))
        with np.errstate(over="ignore"):  # infinite beyond float32
            return result.astype(operands[0].dtype)

    return computed


def _with_large_counts(
    function: Callable[..., Native], formula: Callable[..., Native], library: Any
) -> Callable[..., Native]:
    """A function of counts; SciPy's takes 32 bits of them, and wraps or refuses the others.

    ``formula`` is its definition by the incomplete beta or gamma function, in double precision.
    """

    @wraps(function)
    def computed(*operands: Native) -> Native:
        if not any(map(_has_large_counts, operands[:-1])):
            return function(*operands)
        counts = [np.floor(x) for x in operands[:-1]]
        large = functools.reduce(np.logical_or, [np.abs(x) >= COUNTS.max for x in counts])
        small = [np.asarray(np.where(np.abs(x) >= COUNTS.max, 1, x), x.dtype) for x in operands[:-1]]
        result = function(*small, operands[-1])
        with np.errstate(all="ignore"):
            values = formula(library, *[x.astype(np.float64) for x in (*counts, operands[-1])])
        return np.asarray(np.where(large, values, result), result.dtype)

    return computed


def _has_large_counts(x: Native) -> bool:
    """Whether a count does not fit into 32 bits. Allocates nothing, and is not misled by NaN."""
    return bool(x.size) and bool(
        np.fmax.reduce(x, axis=None) >= COUNTS.max or np.fmin.reduce(x, axis=None) <= -COUNTS.max
    )


def _large_pdtri(library: Any, k: Native, y: Native) -> Native:
    return np.where((k >= 0) & (y >= 0) & (y < 1), library.gammainccinv(k + 1, y), np.nan)


def _large_bdtr(library: Any, k: Native, n: Native, p: Native) -> Native:
    valid = (k >= 0) & (n >= k) & (p >= 0) & (p <= 1)
    return np.where(valid, np.where(n == k, 1.0, library.betaincc(k + 1, n - k, p)), np.nan)


def _large_bdtrc(library: Any, k: Native, n: Native, p: Native) -> Native:
    valid = (n >= k) & (p >= 0) & (p <= 1)
    above = np.where(n == k, 0.0, library.betainc(k + 1, n - k, p))
    return np.where(valid, np.where(k < 0, 1.0, above), np.nan)


def _large_bdtri(library: Any, k: Native, n: Native, y: Native) -> Native:
    valid = (k >= 0) & (n > k) & (y >= 0) & (y <= 1)
    return np.where(valid, library.betaincinv(k + 1, n - k, 1 - y), np.nan)


def _large_negative_binomial(name: str) -> Callable[..., Native]:
    def formula(library: Any, k: Native, n: Native, p: Native) -> Native:
        valid = (k >= 0) & (n > 0) & (p >= 0) & (p <= 1)
        return np.where(valid, getattr(library, name)(n, k + 1, p), np.nan)

    return formula


def _large_expn(library: Any, n: Native, x: Native) -> Native:
    total = n + x  # DLMF 8.20.2; the next term is below 1 / n**2
    return np.where((n >= 0) & (x >= 0), np.exp(-x) / total * (1 + n / total / total), np.nan)


LARGE_COUNTS: dict[str, Callable[..., Native]] = {
    "bdtr": _large_bdtr,
    "bdtrc": _large_bdtrc,
    "bdtri": _large_bdtri,
    "expn": _large_expn,
    "nbdtr": _large_negative_binomial("betainc"),
    "nbdtrc": _large_negative_binomial("betaincc"),
    "nbdtri": _large_negative_binomial("betaincinv"),
    "pdtri": _large_pdtri,
}
"""The functions that take 32 bits of a count, with the formula for larger counts."""


def _with_signed_zeros(function: Callable[..., Native]) -> Callable[..., Native]:
    """``powm1``; SciPy's loses the sign of a zero base: ``-0.0`` to the power of -1 is ``-inf``."""

    @wraps(function)
    def computed(x: Native | float, y: Native | float) -> Native:
        result = function(x, y)
        is_zero = np.equal(x, 0)
        if not np.any(is_zero):
            return result
        with np.errstate(all="ignore"):
            return np.where(is_zero, np.power(x, y) - 1, result).astype(result.dtype)

    return computed


def _with_pole_at_minus_one(function: Callable[..., Native]) -> Callable[..., Native]:
    """The digamma function; right of its pole at -1, SciPy's has a relative error of ``1e-16 / (x + 1)``."""

    @wraps(function)
    def computed(x: Native) -> Native:
        result = function(x)
        if x.dtype.kind == "c":
            return result
        is_near = (x > -1) & (x < -0.6)
        if not np.any(is_near):
            return result
        near = x[is_near].astype(np.float64)
        result = np.array(result)
        result[is_near] = function(near + 2) - 1 / near - 1 / (near + 1)
        return result

    return computed


def _with_integer_trials(function: Callable[..., Native]) -> Callable[..., Native]:
    """A binomial function; SciPy's warns of every floating-point number of trials, integral or not."""

    @wraps(function)
    def computed(k: Native, n: Native, p: Native) -> Native:
        finite = np.isfinite(n)
        trials = np.clip(np.where(finite, n, 0), TRIALS.min, TRIALS.max).astype(np.long)
        result = function(k.astype(np.float64), trials, p.astype(np.float64))
        return np.where(finite, result, np.nan).astype(p.dtype)

    return computed


def _with_asymptotics(function: Callable[..., Native], library: Any) -> Callable[..., Native]:
    """``hyp1f1``; SciPy's does not return for large real operands, infinities among them.

    The leading terms of DLMF 13.7.1 and 13.7.2 for large ``x``; NaN where a parameter is too large for them.
    """

    @wraps(function)
    def computed(a: Native | float, b: Native | float, x: Native) -> Native:
        if x.dtype.kind == "c" or not np.any(np.abs(x) > FAR):
            return function(a, b, x)
        alpha, beta, z = np.broadcast_arrays(*(np.asarray(operand, np.float64) for operand in (a, b, x)))
        largest = np.maximum(np.abs(alpha), np.abs(beta))
        terminates = (alpha <= 0) & (alpha == np.floor(alpha))
        hard = (z > FAR) & ~terminates | (z < -FAR) & (largest > 1e4) | np.isinf(z)
        near = function(a, b, np.where(hard, np.ones((), x.dtype), x))
        far = np.full(z.shape, np.nan)
        with np.errstate(all="ignore"):
            known = hard & (largest <= np.abs(z) / 1e4)
            for chosen, formula in (
                (known & (z > 0) & ~terminates, _far_right),
                (known & (z < 0), _far_left),
                (known & (z > 0) & terminates, _end_of_polynomial),
            ):
                far[chosen] = formula(library, alpha[chosen], beta[chosen], z[chosen])
            far[known & (beta <= 0) & (beta == np.floor(beta))] = np.inf
            return np.where(hard, far, near).astype(near.dtype)

    return computed


def _far_right(library: Any, a: Native, b: Native, x: Native) -> Native:
    sign = library.gammasgn(a) * library.gammasgn(b)
    x = np.minimum(x, 1e300)  # infinity minus infinity would be NaN
    return sign * np.exp(x + (a - b) * np.log(x) + library.gammaln(b) - library.gammaln(a))


def _far_left(library: Any, a: Native, b: Native, x: Native) -> Native:
    power = np.where(a == 0, 0.0, a * np.log(-x))
    first = a * (a - b + 1) / -x
    second = first * (a + 1) * (a - b + 2) / (-2 * x)
    sign = library.gammasgn(b) * library.gammasgn(b - a)
    below = library.gammaln(b - a)
    leading = np.exp(library.gammaln(b) - below - power) * (1 + first + second)
    return np.where(np.isposinf(below), 0.0, sign * leading)


def _end_of_polynomial(library: Any, a: Native, b: Native, x: Native) -> Native:
    """The value at infinity of a polynomial of degree ``-a``."""
    sign = np.where(a % 2 == 0, 1.0, -1.0) * library.gammasgn(b) * library.gammasgn(b - a)
    return np.where(a == 0, 1.0, sign * x)
