"""SciPy's special functions, imported when the first of them is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["Special"]

TRIALS = np.iinfo(np.long)


class Special:
    """SciPy's special functions as attributes; SciPy is imported when the first one is asked for."""

    def __getattr__(self, name: str) -> Callable[..., Native]:
        import scipy.special  # optional, and as costly to import as NumPy

        # SciPy may have wrapped a function in its own dispatch.
        function: Any = getattr(scipy.special, name)
        function = getattr(function, "__wrapped__", function)
        if name in ("bdtr", "bdtrc", "bdtri"):
            return _with_integer_trials(function)
        if name == "powm1":
            return _with_signed_zeros(function)
        return function if isinstance(function, np.ufunc) else _in_double_precision(function)


def _in_double_precision(function: Callable[..., Native]) -> Callable[..., Native]:
    """A function that is not a ufunc, which chooses the dtype of its result itself."""

    @wraps(function)
    def computed(*operands: Any) -> Native:
        operands64 = (x.astype(np.float64) if isinstance(x, np.ndarray) else x for x in operands)
        result = np.asarray(function(*operands64))
        with np.errstate(over="ignore"):  # infinite beyond float32
            return result.astype(operands[0].dtype)

    return computed


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


def _with_integer_trials(function: Callable[..., Native]) -> Callable[..., Native]:
    """A binomial function; SciPy's warns of every floating-point number of trials, integral or not."""

    @wraps(function)
    def computed(k: Native, n: Native, p: Native) -> Native:
        finite = np.isfinite(n)
        trials = np.clip(np.where(finite, n, 0), TRIALS.min, TRIALS.max).astype(np.long)
        result = function(k.astype(np.float64), trials, p.astype(np.float64))
        return np.where(finite, result, np.nan).astype(p.dtype)

    return computed
