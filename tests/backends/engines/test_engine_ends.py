"""Statistics, norms and normalizations of engines at the ends of the range, against exact arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import mpf
from strategies import quiet, values_of

import xtensor as xp
from xtensor.nn import functional

ENGINES = [name for name in ("dask", "cubed") if find_spec(name) is not None]
if not ENGINES:
    pytest.skip("no engine is installed: tox -e engines", allow_module_level=True)


def mean(x: list[mpf]) -> mpf:
    return mpmath.fsum(x) / len(x)


def variance(x: list[mpf]) -> mpf:
    return mean([(item - mean(x)) ** 2 for item in x])


def norm(order: float) -> tuple[Callable[..., xp.Array], Callable[[list[mpf]], mpf]]:
    return (
        lambda x: xp.linalg.vector_norm(x, ord=order),
        lambda x: mpmath.fsum(abs(item) ** mpf(order) for item in x) ** (1 / mpf(order)),
    )


def deviation(x: list[mpf]) -> mpf:
    return mpmath.sqrt(variance(x))


def with_missing(function: Callable[..., xp.Array]) -> Callable[[xp.Array], xp.Array]:
    return lambda x: function(xp.concat([xp.full_like(x, xp.nan), x]))


def of_weights(scale: float) -> Callable[[xp.Array], xp.Array]:
    return lambda x: xp.average(x, weights=xp.full_like(x, scale))


FUNCTIONS: dict[str, tuple[Callable[[xp.Array], xp.Array], Callable[[list[mpf]], mpf]]] = {
    "mean": (xp.mean, mean),
    "var": (xp.var, variance),
    "std": (xp.std, deviation),
    "nanmean": (with_missing(xp.nanmean), mean),
    "nanvar": (with_missing(xp.nanvar), variance),
    "nanstd": (with_missing(xp.nanstd), deviation),
    "mean of large weights": (of_weights(1e38), mean),
    "mean of small weights": (of_weights(1e-37), mean),
    "matrix_norm": (xp.linalg.matrix_norm, norm(2)[1]),
    **{f"norm of order {order}": norm(order) for order in (-2, 1, 1.5, 2, 3, 10)},
}


def numbers_of(kind: str, dtype: Any) -> np.ndarray:
    x = np.random.default_rng(0).integers(1, 256, (5, 3)) / 256.0
    largest, normal = float(np.finfo(dtype).max), float(np.finfo(dtype).smallest_normal)
    scaled = {
        "largest": x * (largest * 0.999),
        "both signs": (x * 2.0 - 1.0) * (largest * 0.999),
        "squares overflow": x * largest**0.65,
        "ordinary": x,
        "squares underflow": x * normal**0.65,
    }
    return scaled[kind].astype(dtype)


KINDS = ("largest", "both signs", "squares overflow", "ordinary", "squares underflow")


CALLS = [
    *[("dask", dtype, name) for name in FUNCTIONS for dtype in ("f4", "f8")],
    *[
        ("cubed", "f8", name)
        for name in ("mean", "std", "mean of large weights", "norm of order -2", "norm of order 3")
    ],
]
"""Cubed merges the same partial results, and takes far longer."""


@pytest.mark.parametrize(("engine", "dtype", "name"), [call for call in CALLS if call[0] in ENGINES])
def test_reduction_of_chunks_is_right_at_the_ends_of_the_range(engine, dtype, name):
    function, reference = FUNCTIONS[name]
    info = np.finfo(dtype)
    hosts = [numbers_of(kind, dtype) for kind in KINDS]
    with quiet():
        lazy = [function(xp.engines.rechunk(xp.asarray(host, device=engine), (2, 2))) for host in hosts]
        results = [float(x) for x in xp.engines.compute(*lazy)]
    for host, result in zip(hosts, results, strict=True):
        with mpmath.workprec(2400):
            exact = reference([mpf(x) for x in host.ravel().tolist()])
            if abs(exact) > float(info.max):
                assert result == np.inf
            else:
                size = float(np.max(np.abs(host))) if "mean" in name else abs(exact)
                assert abs(result - exact) <= 32 * float(info.eps) * size + 4 * float(info.smallest_subnormal)


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", [name for name in ENGINES if name == "dask"])
def test_normalization_in_chunks_is_right_at_the_ends_of_the_range(engine, kind, name):
    host = numbers_of(kind, "f8")
    with quiet():
        x = xp.engines.rechunk(xp.asarray(host, device=engine), (2, 2))
        result = values_of(getattr(functional, name)(x, eps=0.0))
    for line, numbers in zip(host.tolist(), result.tolist(), strict=True):
        with mpmath.workprec(2400):
            center = mean(list(map(mpf, line))) if name == "layer_norm" else mpf(0)
            root = mpmath.sqrt(mean([(item - center) ** 2 for item in map(mpf, line)]))
            exact = [(item - center) / root for item in map(mpf, line)]
        assert numbers == pytest.approx(list(map(float, exact)), rel=1e-14, abs=1e-14)


@pytest.mark.parametrize("engine", ENGINES)
def test_mean_of_an_infinity_in_another_chunk_is_infinite(engine):
    x = xp.engines.rechunk(xp.asarray([xp.inf, 1.0, 2.0], device=engine), (1,))
    assert float(xp.mean(x)) == xp.inf


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("numbers", "integral"), [((1.6e308, 1.6e308), 1.6e308), ((3.0, 5.0, 8.0), 10.5)])
def test_trapezoid_of_two_large_samples_does_not_overflow(engine, numbers, integral):
    x = xp.engines.rechunk(xp.asarray(numbers, device=engine), (1,))
    assert float(xp.trapezoid(x)) == integral
    assert float(xp.trapezoid(x, dx=0.5)) == integral / 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("step", [1.0, 0.5, 2.0])
def test_areas_that_cancel_leave_no_infinity(engine, step):
    y = np.asarray([1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]) * 2.0**1022
    y[-1] = 0.0  # the last area is half of the others'
    with quiet():
        area = xp.trapezoid(xp.engines.rechunk(xp.asarray(y, device=engine), (2,)), dx=step)
        assert float(area) == pytest.approx(step * 2.0**1021, rel=1e-14)
