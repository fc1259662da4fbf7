"""Errors of long sums, means, variances and norms: not greater than NumPy's on any device."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from strategies import quiet, values_of

import xtensor as xp

from .tiers import scale

SIZE = scale(200_000, 10_000_000)

TOLERANCE = 4.0
"""Error in units in the last place that is accepted even if NumPy's error is smaller."""


def random_values(name: str, dtype: np.dtype) -> np.ndarray:
    rng = np.random.default_rng(0)
    values = {
        "uniform": lambda: rng.random(SIZE),
        "normal, mean 1000": lambda: rng.normal(1000.0, 1.0, SIZE),
        "lognormal": lambda: rng.lognormal(0.0, 3.0, SIZE),
        "falling": lambda: 1.0 / np.arange(1, SIZE + 1),
    }[name]()
    return values.astype(dtype)


def exact_sum(values: np.ndarray) -> float:
    """Return the sum, rounded once. Each long double is split into two doubles."""
    high = values.astype(np.float64)
    low = (values - high).astype(np.float64)
    return math.fsum((math.fsum(high), math.fsum(low)))


def exact(name: str, x: np.ndarray) -> float:
    """Return a reduction with exact sums, and with squares and distances in extended precision."""
    extended = x.astype(np.longdouble)
    mean = exact_sum(extended) / x.size
    if name == "sum":
        return exact_sum(extended)
    if name == "mean":
        return mean
    if name == "vector_norm":
        return math.sqrt(exact_sum(extended * extended))
    distance = extended - np.longdouble(mean)
    variance = (exact_sum(distance * distance)) / x.size
    return variance if name == "var" else math.sqrt(variance)


@lru_cache
def exact_of(name: str, values: str, dtype: np.dtype) -> float:
    """Return the exact reduction of random values; cached for all devices."""
    return exact(name, random_values(values, dtype))


FUNCTIONS: dict[str, tuple[Callable[[xp.Array], xp.Array], Callable[[np.ndarray], Any]]] = {
    "sum": (xp.sum, np.sum),
    "mean": (xp.mean, np.mean),
    "var": (xp.var, np.var),
    "std": (xp.std, np.std),
    "vector_norm": (xp.linalg.vector_norm, np.linalg.vector_norm),
}


def error_in_ulp(result: Any, expected: float, dtype: np.dtype) -> float:
    """Return the error in units in the last place of the expected value."""
    return abs(float(result) - expected) / float(np.spacing(np.asarray(expected, dtype)))


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="this platform has no extended precision")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("values", ["uniform", "normal, mean 1000", "lognormal", "falling"])
def test_error_of_a_long_reduction_is_no_worse_than_numpys(device, values, dtype, figures):
    dtype = np.dtype(dtype)
    if not device.supports(dtype):
        pytest.skip(f"{device} does not support {dtype}")
    host = random_values(values, dtype)
    x = xp.asarray(host)
    worse = []
    for name, (function, reference) in FUNCTIONS.items():
        expected = exact_of(name, values, dtype)
        with quiet():
            result, numpy_result = values_of(function(x)), reference(host)
        error, numpy_error = error_in_ulp(result, expected, dtype), error_in_ulp(numpy_result, expected, dtype)
        figures.record(**{name: f"{error:.2g} ({numpy_error:.2g})"})
        if error > max(numpy_error, TOLERANCE):
            worse.append(f"{name}: {error:.3g} units in the last place, NumPy {numpy_error:.3g}")
    figures.record(elements=SIZE)
    assert worse == []
