"""The functions of ``numpy.emath``: real numbers outside a function's real domain have complex results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._ops._arguments import as_arrays

__all__ = ["REAL_DOMAINS"]


def _complex_if(x: Array, outside: Array) -> Array:
    """Return an array as a complex one if any element is outside the real domain."""
    return xp.astype(x, np.result_type(x.dtype, np.complex64)) if bool(xp.any(outside)) else x


def _of_non_negative(x: Array) -> Array:
    return x if x.dtype.kind not in "fi" else _complex_if(x, xp.less(x, 0))


def _of_unit_interval(x: Array) -> Array:
    return x if x.dtype.kind == "c" else _complex_if(x, xp.greater(xp.abs(x), 1))


def _function(name: str, domain: Callable[[Array], Array], function: Callable[[Array], Array]) -> Callable[..., Array]:
    def extended(x: Any) -> Array:
        (x,) = as_arrays(name, x)
        x = domain(x)
        return function(x if x.dtype.kind in "fc" else xp.astype(x, x.device.default_dtypes["real floating"]))

    return extended


def logn(n: Any, x: Any) -> Array:
    """Return the logarithm to base ``n``; NumPy, ``emath.logn``."""
    n, x = (REAL_DOMAINS["log"](value) for value in as_arrays("logn", n, x))
    return xp.divide(x, n)


def power(x: Any, p: Any) -> Array:
    """Return powers, complex ones of negative numbers; NumPy, ``emath.power``."""
    x, p = as_arrays("power", x, p)
    x = _of_non_negative(x)
    if p.dtype.kind == "i" and bool(xp.any(xp.less(p, 0))):
        p = xp.astype(p, p.device.default_dtypes["real floating"])
    return xp.pow(x, p if p.dtype.kind == x.dtype.kind else xp.astype(p, np.result_type(p.dtype, x.dtype)))


REAL_DOMAINS: dict[str, Callable[..., Array]] = {
    "arccos": _function("arccos", _of_unit_interval, xp.acos),
    "arcsin": _function("arcsin", _of_unit_interval, xp.asin),
    "arctanh": _function("arctanh", _of_unit_interval, xp.atanh),
    "log": _function("log", _of_non_negative, xp.log),
    "log10": _function("log10", _of_non_negative, xp.log10),
    "log2": _function("log2", _of_non_negative, xp.log2),
    "logn": logn,
    "power": power,
    "sqrt": _function("sqrt", _of_non_negative, xp.sqrt),
}
