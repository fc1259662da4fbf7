"""Reductions, norms, statistics and normalizations at the ends of the range, against exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
import pytest
from strategies import quiet, values_of

import xtensor as xp
from xtensor.nn import functional

from .tiers import LONG

DIGITS = 2400
"""Binary digits behind the point of roots: more than the square of the smallest float64 has."""

TOLERANCE = 24.0
"""Units in the last place: sums along the first axis of 33 rows are added one after another."""


def mean(x: list[Fraction]) -> Fraction:
    return sum(x, Fraction(0)) / len(x)


def variance(x: list[Fraction]) -> Fraction:
    center = mean(x)
    return mean([(item - center) ** 2 for item in x])


def root(x: Fraction) -> Fraction:
    return Fraction(isqrt(int(x * 4**DIGITS)), 2**DIGITS)


def norm(x: list[Fraction]) -> Fraction:
    return root(sum((item * item for item in x), Fraction(0)))


REDUCTIONS: dict[str, tuple[Callable[..., xp.Array], Callable[[list[Fraction]], Fraction]]] = {
    "mean": (xp.mean, mean),
    "var": (xp.var, variance),
    "std": (xp.std, lambda x: root(variance(x))),
    "vector_norm": (xp.linalg.vector_norm, norm),
    "sum": (xp.sum, lambda x: sum(x, Fraction(0))),
}

HALF_REDUCTIONS: dict[str, tuple[Callable[..., xp.Array], Callable[[list[Fraction]], Fraction]]] = {
    **REDUCTIONS,
    "nansum": (xp.nansum, REDUCTIONS["sum"][1]),
    "nanmean": (xp.nanmean, mean),
    "nanvar": (xp.nanvar, variance),
    "nanstd": (xp.nanstd, REDUCTIONS["std"][1]),
    "average": (lambda x, axis, keepdims: xp.average(x, axis=axis, weights=xp.ones_like(x), keepdims=keepdims), mean),
}
"""Functions that add up float16, with those that are built of others."""


def values(kind: str, info: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Return numbers of one end of the range of a dtype."""
    x = np.random.default_rng(0).integers(1, 256, shape) / 256.0  # exact in each dtype
    largest, normal, eps = float(info.max), float(info.smallest_normal), float(info.eps)
    scaled = {
        "largest": lambda: x * (largest / 2),
        "both signs": lambda: (x - 0.5) * largest,
        "squares overflow": lambda: x * largest**0.6,
        "ordinary": lambda: x,
        "squares underflow": lambda: x * normal**0.6,
        "smallest normal": lambda: x * (normal * 256),
        "subnormal": lambda: np.floor(x * 200) * float(info.smallest_subnormal),
        "far from 0": lambda: 1.0 / eps + np.floor(x * 16) * 2.0,
        "zero": lambda: x * 0.0,
        "equal": lambda: x * 0.0 + 0.1,
    }[kind]
    return scaled().astype(info.dtype)


KINDS = (
    *("largest", "both signs", "squares overflow", "ordinary", "squares underflow", "smallest normal", "subnormal"),
    *("far from 0", "zero", "equal"),
)

LOOKS = ("numpy", "llvm", "strict", "dpnp")
"""Backends whose values the host looks at; see docs/semantics.md."""


def units(result: float, expected: Fraction, info: Any) -> float:
    """Return the error in units in the last place; an expected number beyond the range is infinite."""
    if abs(expected) >= Fraction(float(info.max)) * (1 + Fraction(float(info.eps)) / 4):
        return 0.0 if np.isinf(result) else np.inf
    if not np.isfinite(result):
        return float(np.inf)
    with np.errstate(all="ignore"):
        unit = Fraction(float(np.spacing(np.asarray(float(abs(expected)), info.dtype))))
    return float(abs(Fraction(result) - expected) / unit)


def check(
    device: xp.Device, host: np.ndarray, functions: dict[str, Any], axis: int | None, keepdims: bool
) -> list[str]:
    info = np.finfo(host.dtype)
    lines = [host.reshape(-1)] if axis is None else list(np.moveaxis(host, axis, -1))
    exact = [[Fraction(float(item)) for item in line] for line in lines]
    wrong = []
    for name, (function, reference) in functions.items():
        with quiet():
            result = values_of(function(xp.asarray(host), axis=axis, keepdims=keepdims))
        assert result.dtype == host.dtype
        shape = (1,) * host.ndim if axis is None else tuple(1 if i == axis else n for i, n in enumerate(host.shape))
        assert result.shape == (
            shape if keepdims else tuple(n for i, n in enumerate(host.shape) if axis not in (None, i))
        )
        for line, number in zip(exact, result.reshape(-1).tolist(), strict=True):
            magnitude = max(map(abs, line)) if name in ("sum", "mean") else None
            expected = reference(line)
            # Sums of both signs cancel: their error is one of the largest element.
            error = units(number, expected, info)
            if magnitude and error > TOLERANCE and not np.isinf(error):
                error *= float(abs(expected) / magnitude / len(line))
            if error > TOLERANCE:
                wrong.append(f"{name}: {number} for {float(expected) if abs(expected) < 2**1023 else 'infinity'}")
    return wrong


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", KINDS)
def test_reduction_is_right_at_the_ends_of_the_range(device, kind, dtype):
    if device.backend not in LOOKS:
        pytest.skip(f"the host does not look at results on {device}: docs/semantics.md")
    host = values(kind, np.finfo(dtype), (33, 33) if LONG else (17, 2))
    functions = {name: pair for name, pair in REDUCTIONS.items() if name != "sum" or kind in ("ordinary", "subnormal")}
    wrong = []
    for axis in (0, 1, None):
        for keepdims in (False, True) if LONG else (axis == 0,):
            wrong += check(device, host, functions, axis, keepdims)
    assert wrong == []


@pytest.mark.parametrize("shape", [(4099, 2), (2, 4099)])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_float16_is_added_up_in_float32(device, shape, axis):
    if not device.supports(xp.float16):
        pytest.skip(f"{device} does not support float16")
    host = np.full(shape, 3.0, np.float16)
    assert check(device, host, HALF_REDUCTIONS, axis, keepdims=False) == []


@pytest.mark.parametrize("name", ["nanvar", "nanstd", "nanmean", "average", "std", "mean", "vector_norm"])
def test_statistic_of_large_float16_is_rounded_once(device, name):
    if not device.supports(xp.float16):
        pytest.skip(f"{device} does not support float16")
    host = np.array([30000.0, -30000.0, 20000.0, 64.0], np.float16)
    assert check(device, host, {name: HALF_REDUCTIONS[name]}, None, keepdims=False) == []


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", ["largest", "both signs", "squares overflow", "ordinary", "squares underflow"])
@pytest.mark.parametrize("eps", [0.0, 1e-5])
def test_normalization_is_right_at_the_ends_of_the_range(device, name, dtype, kind, eps):
    if device.backend not in ("numpy", "llvm", "strict"):
        pytest.skip(f"the host does not look at mean squares on {device}: docs/nn.md")
    host = values(kind, np.finfo(dtype), (3, 33))
    with quiet():
        result = values_of(getattr(functional, name)(xp.asarray(host), eps=eps))
    for line, numbers in zip(host.tolist(), result.tolist(), strict=True):
        exact = [Fraction(item) for item in line]
        center = mean(exact) if name == "layer_norm" else Fraction(0)
        divisor = root(mean([(item - center) ** 2 for item in exact]) + Fraction(eps))
        for item, number in zip(exact, numbers, strict=True):
            expected = (item - center) / divisor
            # Of the distance from the mean, the absolute error is one of the largest element.
            bound = 32 * float(np.finfo(dtype).eps) * max(float(abs(expected)), 1.0 if name == "layer_norm" else 0.0)
            assert abs(number - float(expected)) <= bound
