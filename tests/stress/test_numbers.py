"""Long sums, means, variances and norms beside exact ones: the error is no worse than NumPy's, on every device."""

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

PLACES = 4.0
"""Errors, in units of the last place of what is exact, that no sum of this length can be blamed for."""


def drawn(name: str, dtype: np.dtype) -> np.ndarray:
    rng = np.random.default_rng(0)
    values = {
        "uniform": lambda: rng.random(SIZE),
        "normal, mean 1000": lambda: rng.normal(1000.0, 1.0, SIZE),
        "lognormal": lambda: rng.lognormal(0.0, 3.0, SIZE),
        "falling": lambda: 1.0 / np.arange(1, SIZE + 1),
    }[name]()
    return values.astype(dtype)


def exact_sum(values: np.ndarray) -> float:
    """The sum, rounded once; long doubles go in as two numbers."""
    high = values.astype(np.float64)
    low = (values - high).astype(np.float64)
    return math.fsum((math.fsum(high), math.fsum(low)))


def exact(name: str, x: np.ndarray) -> float:
    """What a reduction would be without rounding: squares and distances in extended precision, sums exact."""
    wide = x.astype(np.longdouble)
    mean = exact_sum(wide) / x.size
    if name == "sum":
        return exact_sum(wide)
    if name == "mean":
        return mean
    if name == "vector_norm":
        return math.sqrt(exact_sum(wide * wide))
    distance = wide - np.longdouble(mean)
    variance = (exact_sum(distance * distance)) / x.size
    return variance if name == "var" else math.sqrt(variance)


@lru_cache
def exact_of(name: str, values: str, dtype: np.dtype) -> float:
    """The exact reduction of drawn values, which is the same for all devices."""
    return exact(name, drawn(values, dtype))


FUNCTIONS: dict[str, tuple[Callable[[xp.Array], xp.Array], Callable[[np.ndarray], Any]]] = {
    "sum": (xp.sum, np.sum),
    "mean": (xp.mean, np.mean),
    "var": (xp.var, np.var),
    "std": (xp.std, np.std),
    "vector_norm": (xp.linalg.vector_norm, np.linalg.vector_norm),
}


def places(got: Any, wanted: float, dtype: np.dtype) -> float:
    """The error in units of the last place."""
    return abs(float(got) - wanted) / float(np.spacing(np.asarray(wanted, dtype)))


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="extended precision is needed for what is exact")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("values", ["uniform", "normal, mean 1000", "lognormal", "falling"])
def test_error_of_a_long_reduction_is_no_worse_than_numpys(device, values, dtype, figures):
    dtype = np.dtype(dtype)
    if dtype not in device.dtypes:
        pytest.skip(f"{device} has no {dtype}")
    host = drawn(values, dtype)
    x = xp.asarray(host)
    worse = []
    for name, (function, reference) in FUNCTIONS.items():
        wanted = exact_of(name, values, dtype)
        with quiet():
            got, theirs = values_of(function(x)), reference(host)
        ours, numpys = places(got, wanted, dtype), places(theirs, wanted, dtype)
        figures.record(**{name: f"{ours:.2g} ({numpys:.2g})"})
        if ours > max(numpys, PLACES):
            worse.append(f"{name}: {ours:.3g} units of the last place, NumPy {numpys:.3g}")
    figures.record(elements=SIZE)
    assert worse == []
