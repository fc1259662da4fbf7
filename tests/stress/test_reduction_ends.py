"""Reductions, norms, statistics and normalizations at the ends of the range, against exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import mpmath
import numpy as np
import pytest
from strategies import quiet, values_of

import xtensor as xp
from xtensor.nn import functional

from .tiers import LONG

FLOATS = ("f2", "f4", "f8")

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


def trapezoid(x: list[Fraction]) -> Fraction:
    return sum(x, Fraction(0)) - (x[0] + x[-1]) / 2


def with_missing(function: Callable[..., xp.Array]) -> Callable[..., xp.Array]:
    """Return a function of an array with as many elements that are NaN, along the reduced axis."""

    def reduced(x: xp.Array, axis: int | None, keepdims: bool) -> xp.Array:
        along = 0 if axis is None else axis
        return function(xp.concat([xp.full_like(x, xp.nan), x], axis=along), axis=axis, keepdims=keepdims)

    return reduced


def of_weights(scale: float) -> Callable[..., xp.Array]:
    """Return a mean whose weights are of another end of the range than the elements."""

    def reduced(x: xp.Array, axis: int | None, keepdims: bool) -> xp.Array:
        return xp.average(x, axis=axis, weights=xp.full_like(x, scale), keepdims=keepdims)

    return reduced


COMPOSED: dict[str, tuple[Callable[..., xp.Array], Callable[[list[Fraction]], Fraction]]] = {
    "nanmean": (with_missing(xp.nanmean), mean),
    "nanvar": (with_missing(xp.nanvar), variance),
    "nanstd": (with_missing(xp.nanstd), REDUCTIONS["std"][1]),
    "average of large weights": (of_weights(1e38), mean),
    "average of small weights": (of_weights(1e-37), mean),
}
"""Statistics that are built of other functions."""

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


def units(result: float, expected: Fraction, info: Any) -> float:
    """Return the error in units in the last place; an expected number beyond the range is infinite."""
    if abs(expected) >= Fraction(float(info.max)) * (1 + Fraction(float(info.eps)) / 4):
        return 0.0 if np.isinf(result) and (result > 0) == (expected > 0) else np.inf
    if not np.isfinite(result):
        return float(np.inf)
    with np.errstate(all="ignore"):
        unit = Fraction(float(np.spacing(np.asarray(float(abs(expected)), info.dtype))))
    return float(abs(Fraction(result) - expected) / unit)


def skip_without(device: xp.Device, dtype: str) -> None:
    if not device.supports(np.dtype(dtype)):
        pytest.skip(f"{device} does not support {dtype}")


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
            magnitude = max(map(abs, line)) if name.startswith(("sum", "mean", "nanmean", "average")) else None
            expected = reference(line)
            # Sums of both signs cancel: their error is one of the largest element.
            error = units(number, expected, info)
            if magnitude and error > TOLERANCE and not np.isinf(error):
                error *= float(abs(expected) / magnitude / len(line))
            if error > TOLERANCE:
                wrong.append(f"{name}: {number} for {float(expected) if abs(expected) < 2**1023 else 'infinity'}")
    return wrong


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", KINDS)
def test_reduction_is_right_at_the_ends_of_the_range(device, kind, dtype):
    skip_without(device, dtype)
    host = values(kind, np.finfo(dtype), (33, 33) if LONG else (17, 2))
    functions = {name: pair for name, pair in REDUCTIONS.items() if name != "sum" or kind in ("ordinary", "subnormal")}
    wrong = []
    for axis in (0, 1, None):
        for keepdims in (False, True) if LONG else (axis == 0,):
            wrong += check(device, host, functions, axis, keepdims)
    assert wrong == []


def fused(function: Callable[..., xp.Array]) -> Callable[..., xp.Array]:
    def reduced(x: xp.Array, axis: int | None, keepdims: bool) -> xp.Array:
        replayed = xp.fuse(lambda x: function(x, axis=axis, keepdims=keepdims))
        replayed(xp.reshape(xp.arange(x.size, dtype=x.dtype, device=x.device), x.shape))  # ordinary numbers
        return replayed(x)

    return reduced


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", KINDS if LONG else ("largest", "squares underflow", "zero"))
def test_fused_statistic_is_right_at_the_ends_of_the_range(device, kind, dtype):
    if device.name == "triton:interpret" and not LONG:
        pytest.skip("Triton's interpreter takes a minute: part of the long tier")
    host = values(kind, np.finfo(dtype), (33, 33) if LONG else (17, 2))
    pairs = REDUCTIONS | {name: COMPOSED[name] for name in ("nanmean", "nanvar", "nanstd")}
    functions = {name: (fused(function), exact) for name, (function, exact) in pairs.items() if name != "sum"}
    assert [line for axis in (0, 1, None) for line in check(device, host, functions, axis, axis == 0)] == []


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", KINDS)
def test_statistic_is_right_at_the_ends_of_the_range(device, kind, dtype):
    skip_without(device, dtype)
    host = values(kind, np.finfo(dtype), (33, 33) if LONG else (17, 2))
    functions = {name: pair for name, pair in COMPOSED.items() if dtype != "f2" or "weights" not in name}
    wrong = []
    for axis in (0, 1, None):
        wrong += check(device, host, functions, axis, keepdims=axis == 0)
    assert wrong == []


@pytest.mark.parametrize("alike", [False, True], ids=["beside ordinary", "beside such"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("zero", "equal")])
def test_covariances_are_right_at_the_ends_of_the_range(device, kind, alike):
    if not device.supports(xp.float64):
        pytest.skip(f"{device} does not support float64")
    info = np.finfo("f8")
    host = np.stack([values(kind, info, (17,)), values(kind if alike else "ordinary", info, (17,))[::-1]])
    rows = [[Fraction(item) for item in row] for row in host.tolist()]
    centers = [mean(row) for row in rows]
    with quiet():
        covariance, correlation = (
            values_of(f(xp.asarray(host, device=device))).tolist() for f in (xp.cov, xp.corrcoef)
        )

    def expected(i: int, j: int) -> Fraction:
        products = [(a - centers[i]) * (b - centers[j]) for a, b in zip(rows[i], rows[j], strict=True)]
        return sum(products, Fraction(0)) / (len(products) - 1)

    def deviation(i: int) -> Fraction:
        return root(expected(i, i))

    for i in (0, 1):
        for j in (0, 1):
            exact, found = expected(i, j), covariance[i][j]
            # The error of a covariance is one of the product of the deviations.
            error = max(deviation(i) * deviation(j) * 64 * Fraction(float(info.eps)), Fraction(1e-323))
            if np.isinf(found):
                assert abs(exact) + error > Fraction(float(info.max))
                assert (found > 0) == (exact > 0)
            else:
                assert abs(Fraction(found) - exact) <= error
            ratio = float(expected(i, j) / deviation(i) / deviation(j))
            assert abs(correlation[i][j] - ratio) <= 64 * float(info.eps)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "largest"])
def test_integral_is_right_at_the_ends_of_the_range(device, kind, dtype):
    info = np.finfo(dtype)
    host = values(kind, info, (17,))
    exact = trapezoid([Fraction(item) for item in host.tolist()])
    coordinates = np.arange(17.0).astype(dtype)
    largest = float(info.max)
    for scale in (1.0, 2.0**-60, 2.0**60 if abs(exact) * 2**60 < largest else 1.0):
        with quiet():
            result = float(xp.trapezoid(xp.asarray(host), xp.asarray((coordinates * scale).astype(dtype))))
            unscaled = float(xp.trapezoid(xp.asarray(host)))
        # Higham's bound for sums that are added one after another, which grow to the sum of the sizes.
        bound = 17 / 2 * math.fsum(abs(item) * float(info.eps) for item in host.tolist())
        assert abs(Fraction(result) - exact * Fraction(scale)) <= max(
            bound * scale, 17 * float(info.smallest_subnormal)
        )
        assert abs(Fraction(unscaled) - exact) <= max(bound, 17 * float(info.smallest_subnormal))


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
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", ["largest", "both signs", "squares overflow", "ordinary", "squares underflow"])
@pytest.mark.parametrize("eps", [0.0, 1e-5])
def test_normalization_is_right_at_the_ends_of_the_range(device, name, dtype, kind, eps):
    skip_without(device, dtype)
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


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("zero", "subnormal", "smallest normal")])
def test_cosine_is_right_at_the_ends_of_the_range(device, kind, dtype):
    skip_without(device, dtype)
    host = values(kind, np.finfo(dtype), (2, 5, 7))
    with quiet():
        result = values_of(functional.cosine_similarity(*map(xp.asarray, host), eps=0.0))
    assert result.dtype == host.dtype
    for x, y, number in zip(*host.tolist(), result.tolist(), strict=True):
        a, b = [Fraction(item) for item in x], [Fraction(item) for item in y]
        expected = sum((p * q for p, q in zip(a, b, strict=True)), Fraction(0)) / (norm(a) * norm(b))
        assert abs(number - float(expected)) <= (0.5 if dtype == "f2" else 8) * float(np.finfo(dtype).eps)


def huber(d: Fraction) -> Fraction:
    return d * d / 2 if abs(d) <= 1 else abs(d) - Fraction(1, 2)


HALF_LOSSES: dict[str, Callable[[Fraction], Fraction]] = {
    "mse_loss": lambda d: d * d,
    "l1_loss": abs,
    "smooth_l1_loss": huber,
    "huber_loss": huber,
}


@pytest.mark.parametrize("name", HALF_LOSSES)
@pytest.mark.parametrize("scale", [0.01, 1.0, 250.0])
def test_loss_of_float16_is_rounded_once(device, name, scale):
    if not device.supports(xp.float16):
        pytest.skip(f"{device} does not support float16")
    rng = np.random.default_rng(0)
    x, target = (rng.integers(-256, 256, (2, 64)) / 256.0 * scale).astype(np.float16)
    losses = [HALF_LOSSES[name](Fraction(a) - Fraction(b)) for a, b in zip(x.tolist(), target.tolist(), strict=True)]
    result = getattr(functional, name)(xp.asarray(x), xp.asarray(target))
    assert result.dtype == xp.float16
    assert units(float(result), mean(losses), np.finfo(np.float16)) <= 0.51


@pytest.mark.parametrize("scale", [2.0**-9, 1.0, 2.0**8])
def test_cross_product_of_float16_is_rounded_once(device, scale):
    if not device.supports(xp.float16):
        pytest.skip(f"{device} does not support float16")
    x, y = (np.random.default_rng(0).integers(1, 256, (2, 50, 3)) / 256.0 * scale).astype(np.float16)
    result = xp.linalg.cross(xp.asarray(x), xp.asarray(y))
    assert result.dtype == xp.float16
    for a, b, numbers in zip(x.tolist(), y.tolist(), values_of(result).tolist(), strict=True):
        for place, number in enumerate(numbers):
            i, j = (place + 1) % 3, (place + 2) % 3
            expected = Fraction(a[i]) * Fraction(b[j]) - Fraction(a[j]) * Fraction(b[i])
            assert units(number, expected, np.finfo(np.float16)) <= 0.51


@pytest.mark.parametrize(
    ("elements", "weights", "mean"),
    [([1e20, 1e-310], [0.0, 1.0], 1e-310), ([1e-20, 1.0, 1e300], [1e-290, 1e-310, 0.0], 2e-20)],
)
def test_element_without_weight_hides_no_others_from_a_mean(device, elements, weights, mean):
    skip_without(device, "f8")
    result = xp.average(xp.asarray(elements), weights=xp.asarray(weights))
    assert float(result) == pytest.approx(mean, rel=1e-12, abs=0)


def test_element_without_weight_hides_no_others_from_a_covariance(device):
    skip_without(device, "f8")
    x, weights = xp.asarray([1e200, 1e-150, 2e-150]), xp.asarray([0.0, 1.0, 1.0])
    assert float(xp.cov(x, aweights=weights)) == pytest.approx(5e-301, rel=1e-12, abs=0)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_gradient_of_a_variance_that_is_infinite_is_finite(device):
    skip_without(device, "f8")
    x = xp.asarray([1e200, 3e200, 1e200])
    gradient = values_of(xp.autograd.grad(lambda x: xp.nanvar(x, ddof=1))(x))
    np.testing.assert_allclose(gradient, np.asarray([-2 / 3, 4 / 3, -2 / 3]) * 1e200, rtol=1e-12)


def test_hessian_of_the_variance_of_equal_elements(device):
    hessian = values_of(xp.autograd.hessian(xp.nanvar)(xp.ones(3)))
    np.testing.assert_allclose(hessian, 2 / 3 * (np.eye(3) - 1 / 3), atol=1e-14)


def test_gradient_of_a_sum_of_negative_zeros_is_one(device):
    gradient = xp.autograd.grad(lambda x: xp.nansum(x, initial=-0.0))(xp.asarray([-0.0]))
    assert values_of(gradient).tolist() == [1.0]


def test_gradient_of_the_deviation_of_equal_elements_is_zero(device):
    x = xp.asarray([[1.0, 1.0], [1.0, 3.0]])
    gradient = values_of(xp.autograd.grad(lambda x: xp.sum(xp.nanstd(x, axis=1)))(x))
    np.testing.assert_allclose(gradient, [[0.0, 0.0], [-0.5, 0.5]], atol=1e-15)


@pytest.mark.parametrize(("dtype", "scale"), [("float64", 1e200), ("float64", 1e-200), ("float32", 1e30)])
@pytest.mark.parametrize("shift", [0, 1])
def test_deviations_from_a_given_mean_at_the_ends_of_the_range(dtype, scale, shift):
    unit = np.asarray(scale, dtype)
    numbers = np.asarray([3 * unit, 5 * unit, np.nan], dtype)
    center = np.asarray([shift * unit], dtype)
    exact = root(mean([(Fraction(float(x)) - Fraction(float(center[0]))) ** 2 for x in numbers[:2]]))
    result = xp.nanstd(xp.asarray(numbers), mean=xp.asarray(center))
    assert float(result) == pytest.approx(float(exact), rel=8 * float(np.finfo(dtype).eps), abs=0)
    result = np.std(xp.asarray(numbers[:2]), mean=xp.asarray(center))
    assert float(result) == pytest.approx(float(exact), rel=8 * float(np.finfo(dtype).eps), abs=0)


@pytest.mark.parametrize("order", [-10, -2, -1.5, -1, 0.3, 1.5, 3, 10])
@pytest.mark.parametrize("dtype", [*FLOATS, "c8", "c16"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("far from 0", "zero")])
def test_norm_of_any_order_is_right_at_the_ends_of_the_range(device, kind, dtype, order):
    skip_without(device, dtype)
    info = np.finfo(dtype)
    host = values(kind, info, (5, 3))
    host = host[host != 0].reshape(1, -1).astype(dtype)
    host = host + host[:, ::-1] * 0.25j if dtype[0] == "c" else host
    with quiet():
        norm = float(xp.linalg.vector_norm(xp.asarray(host), axis=1, ord=order)[0])
    exact = norm_of_order(host[0], order)
    if exact > float(info.max):
        assert norm == np.inf
    else:
        assert abs(norm - exact) <= 64 * float(info.eps) * exact + 2 * float(info.smallest_subnormal)


def norm_of_order(numbers: np.ndarray, order: float) -> mpmath.mpf:
    with mpmath.workprec(300):
        sizes = [abs(mpmath.mpc(complex(x))) for x in numbers]
        return sum(size ** mpmath.mpf(order) for size in sizes) ** (1 / mpmath.mpf(order))


def test_fused_norms_of_negative_order_at_the_ends_of_the_range(device):
    skip_without(device, "f8")
    norm = xp.fuse(lambda x: xp.linalg.vector_norm(x * 1.0, ord=-2))
    for scale in (1.0, 1.0, 2.0**600, 2.0**-600):  # the second call replays the first
        numbers = xp.asarray([3 * scale, 4 * scale])
        assert float(norm(numbers)) == pytest.approx(2.4 * scale, rel=8 * 2.0**-52, abs=0)


@pytest.mark.parametrize("order", [-2, -1, 1.5, 2, 3])
@pytest.mark.parametrize(("dtype", "scale"), [("f8", 1e200), ("f8", 1e-200), ("f4", 1e30), ("f4", 1e-30)])
def test_derivatives_of_norms_at_the_ends_of_the_range(device, dtype, scale, order):
    host = np.asarray([3 * scale, -4 * scale, 1.5 * scale]).astype(dtype)

    def norm(x: xp.Array) -> xp.Array:
        return xp.linalg.vector_norm(x, ord=order)

    x = xp.asarray(host)
    gradient, hessian = values_of(xp.autograd.grad(norm)(x)), values_of(xp.autograd.hessian(norm)(x))
    with mpmath.workprec(300):
        p, exact = mpmath.mpf(order), norm_of_order(host, order)
        sizes = [mpmath.mpf(float(item)) / exact for item in host]
        first = [mpmath.sign(size) * abs(size) ** (p - 1) for size in sizes]
        second = [[-(p - 1) * a * b for b in first] for a in first]
        for i, size in enumerate(sizes):
            second[i][i] += (p - 1) * abs(size) ** (p - 2)
    np.testing.assert_allclose(gradient, np.asarray(first, float), rtol=64 * float(np.finfo(dtype).eps))
    scaled = hessian.astype(float) * float(exact)  # ordinary numbers
    expected = np.asarray(second, float)
    np.testing.assert_allclose(scaled, expected, atol=256 * float(np.finfo(dtype).eps) * np.max(np.abs(expected)))


@pytest.mark.parametrize("exponent", [0, 600, 1015, -600, -1000])
def test_statistics_of_long_rows_at_the_ends_of_the_range(device, exponent):
    if not device.supports(xp.float64):
        pytest.skip(f"{device} does not support float64")
    numbers = np.random.default_rng(0).integers(-255, 256, (2, 70_001))
    scale = 2.0**exponent
    x = xp.asarray(numbers * scale)
    count = numbers.shape[1]
    with quiet():
        means, deviations = values_of(xp.mean(x, axis=1)), values_of(xp.std(x, axis=1))
        normalized = values_of(functional.layer_norm(x, eps=0.0))
    for row, line, average, deviation in zip(numbers, normalized, means, deviations, strict=True):
        total = int(np.sum(row))
        spread = math.sqrt(count * int(np.sum(row * row)) - total**2) / count
        assert average / scale == pytest.approx(total / count, rel=1e-13)
        assert deviation / scale == pytest.approx(spread, rel=1e-13)
        np.testing.assert_allclose(line, (row - total / count) / spread, rtol=1e-12, atol=1e-15)
