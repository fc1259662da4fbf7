"""SciPy's special functions, imported when the first of them is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from xtensor.backend import Native

__all__ = ["special"]

WHOLE = np.iinfo(np.long)


def special(name: str, kind: str) -> Callable[..., Native] | None:
    """SciPy's function, without the dispatch by which SciPy may have wrapped it; ImportError without SciPy."""
    import scipy.special

    function = getattr(scipy.special, name, None)
    function = getattr(function, "__wrapped__", function)
    if function is None:
        return None
    if name in ("bdtr", "bdtrc", "bdtri"):
        return _of_whole_trials(function)
    return function if isinstance(function, np.ufunc) else _in_double_precision(function)


def _in_double_precision(function: Callable[..., Native]) -> Callable[..., Native]:
    """A function that is not a ufunc, and so has results of its own choice of dtype."""

    @wraps(function)
    def computed(*operands: Any) -> Native:
        exact = (x.astype(np.float64) if isinstance(x, np.ndarray) else x for x in operands)
        result = np.asarray(function(*exact))
        with np.errstate(over="ignore"):  # beyond single precision it is infinite
            return result.astype(operands[0].dtype)

    return computed


def _of_whole_trials(function: Callable[..., Native]) -> Callable[..., Native]:
    """The binomial functions warn of every floating-point number of trials, whole or not."""

    @wraps(function)
    def computed(k: Native, n: Native, p: Native) -> Native:
        known = np.isfinite(n)
        whole = np.clip(np.where(known, n, 0), WHOLE.min, WHOLE.max).astype(np.long)
        result = function(k.astype(np.float64), whole, p.astype(np.float64))
        return np.where(known, result, np.nan).astype(p.dtype)

    return computed
