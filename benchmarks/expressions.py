"""Whole expressions, over NumPy's time: on the device ``numpy``, and with kernels on the device ``cpu``.

NumPy computes into temporaries that nothing else refers to, and has short ways for powers with scalar exponents. A
benchmark of single calls shows neither. Each row from 10,000 elements has the limit 1.05 on the measured device, and
the command fails if one is exceeded.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._cases import Group, Limit, Statement, Variant, vectors
from ._libraries import on_device

SIZES = (10**3, 10**4, 10**5, 10**6, 10**7)
SMALLEST_LIMITED = 10**4
LIMIT = 1.05

X = vectors("x")
XY = vectors("x", "y")


def signed(variant: Variant) -> dict[str, Any]:
    """Return a vector of both signs and a Python number."""
    return {"x": np.random.default_rng(0).uniform(-2.0, 2.0, variant.size).astype(variant.dtype), "c": 0.3989422804}


def standardised(variant: Variant) -> dict[str, Any]:
    """Return a vector with a mean and a deviation, which are arrays without axes."""
    return {**X(variant), "m": np.asarray(1.5, variant.dtype), "s": np.asarray(0.3, variant.dtype)}


def columns(variant: Variant) -> dict[str, Any]:
    """Return a matrix with a mean and a deviation for each column."""
    side = math.isqrt(variant.size)
    x = X(Variant(variant.size // side * side, variant.dtype))["x"].reshape(-1, side)
    return {"x": x, "means": x.mean(axis=0), "deviations": np.full(side, 0.3, variant.dtype)}


CASES = (
    Statement("x * 2 + 1", X),
    Statement("((x * 2 + 1) * x - 3)", X),
    Statement("abs(x - y)", XY),
    Statement("(x - m) / s", standardised),
    Statement("(x - means) / deviations", columns),
    Statement("x**2", X),
    Statement("x**0.5", X),
    Statement("x**-1", X),
    Statement("xp.mean((x - y)**2)", XY),
    Statement("xp.exp(-x * x / 2) * c", signed),
    Statement("xp.where(x > 0, x, xp.exp(x) - 1)", signed),
    Statement("x *= 2; x += 1; x /= 2; x -= 0.5", X),  # gives x again, so that it can be repeated
)

GROUP = Group(
    title="whole expressions",
    cases=CASES,
    sizes=SIZES,
    dtypes=("float64", "float32"),
    peers=(on_device("cpu"), on_device("numpy")),
    limits=tuple(Limit(case.name, size, LIMIT) for case in CASES for size in SIZES if size >= SMALLEST_LIMITED),
    rounds=100,
    max_seconds=0.8,
    sweeps=3,
    device="numpy",
    enforced=True,
)
