"""Order statistics, products, running sums, norms of matrices and normalizations at the ends of the range.

The references are fractions, or mpmath with 200 digits where there are roots and exponentials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import mpmath
import numpy as np
import pytest
from strategies import quiet, values_of

import xtensor as xp
from xtensor._core.rescaling import host_looks_at
from xtensor.backend import TABLE
from xtensor.nn import functional

from .test_reduction_ends import (
    COMPOSED,
    FLOATS,
    HALF_REDUCTIONS,
    KINDS,
    REDUCTIONS,
    mean,
    root,
    skip_without,
    units,
    values,
)
from .tiers import LONG

Line = list[Fraction]
Reference = Callable[[Line], Fraction]


def quantile(x: Line, level: Fraction) -> Fraction:
    ordered, position = sorted(x), level * (len(x) - 1)
    lower = math.floor(position)
    upper = min(lower + 1, len(x) - 1)
    return ordered[lower] + (ordered[upper] - ordered[lower]) * (position - lower)


def of_level(function: Callable[..., Any], level: float, **options: Any) -> Callable[..., xp.Array]:
    return lambda x, axis: function(x, level, axis=axis, **options)


def behind_nan(function: Callable[..., Any]) -> Callable[..., xp.Array]:
    """Return a function of an array with as many elements that are NaN, along the reduced axis."""
    return lambda x, axis: function(xp.concat([xp.full_like(x, xp.nan), x], axis=axis), axis=axis)


def at_level(level: float) -> Reference:
    return lambda x: quantile(x, Fraction(level))


STATISTICS: dict[str, tuple[Callable[..., xp.Array], Reference]] = {
    "max": (xp.max, max),
    "min": (xp.min, min),
    "nanmax": (behind_nan(xp.nanmax), max),
    "nanmin": (behind_nan(xp.nanmin), min),
    "ptp": (xp.ptp, lambda x: max(x) - min(x)),
    "median": (xp.median, at_level(0.5)),
    "nanmedian": (behind_nan(xp.nanmedian), at_level(0.5)),
    "quantile": (of_level(xp.quantile, 0.25), at_level(0.25)),
    "quantile midpoint": (of_level(xp.quantile, 0.25, method="midpoint"), lambda x: sum(sorted(x)[4:6]) / Fraction(2)),
    "percentile": (of_level(xp.percentile, 75), at_level(0.75)),
    "nanquantile": (behind_nan(of_level(xp.nanquantile, 0.25)), at_level(0.25)),
    "nanpercentile": (behind_nan(of_level(xp.nanpercentile, 75)), at_level(0.75)),
    "l1_loss": (
        lambda x, axis: xp.stack([functional.l1_loss(row, xp.zeros_like(row)) for row in xp.unstack(x, axis=1 - axis)]),
        lambda x: mean([abs(item) for item in x]),
    ),
    "avg_pool1d": (
        lambda x, axis: functional.avg_pool1d(xp.moveaxis(x, axis, -1)[:, None, :], 18)[:, 0, 0],
        mean,
    ),
    "adaptive_avg_pool1d in unequal parts": (  # of 19 elements, the last one twice
        lambda x, axis: functional.adaptive_avg_pool1d(
            xp.moveaxis(xp.concat([x, xp.take(x, xp.asarray([17]), axis=axis)], axis=axis), axis, -1)[:, None, :], 2
        )[:, 0, 0],
        lambda x: mean(x[:10]),
    ),
    "adaptive_avg_pool1d": (
        lambda x, axis: functional.adaptive_avg_pool1d(xp.moveaxis(x, axis, -1)[:, None, :], 1)[:, 0, 0],
        mean,
    ),
}
"""Functions of lines of 18 elements, of which the quartiles lie between two elements, and the exact values."""


def skip_plain_formula(device: xp.Device) -> None:
    """Skip a function that keeps its plain formula on engines and GPUs, as docs/semantics.md says."""
    if not host_looks_at(device):
        pytest.skip(f"{device} keeps the plain formula")


def lines_of(host: np.ndarray, axis: int) -> list[Line]:
    return [[Fraction(float(item)) for item in line] for line in np.moveaxis(host, axis, -1)]


def fused(function: Callable[..., xp.Array]) -> Callable[..., xp.Array]:
    def replayed(x: xp.Array, axis: int) -> xp.Array:
        recorded = xp.fuse(lambda x: function(x, axis=axis))
        recorded(xp.reshape(xp.arange(x.size, dtype=x.dtype, device=x.device), x.shape))  # ordinary numbers
        return recorded(x)

    return replayed


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", KINDS)
def test_statistic_of_lines_is_right_at_the_ends_of_the_range(device, kind, dtype):
    skip_without(device, dtype)
    info, host = np.finfo(dtype), values(kind, np.finfo(dtype), (18, 18))
    wrong = []
    for axis in (0, 1) if LONG else (0,):
        lines = lines_of(host, axis)
        for name, (function, exact) in STATISTICS.items():
            if "pool" in name and not host_looks_at(device):  # keeps the plain formula, as docs/semantics.md says
                continue
            for way in (function, fused(function)) if dtype != "f2" and LONG else (function,):
                with quiet():
                    result = values_of(way(xp.asarray(host), axis=axis))
                assert (result.dtype, result.shape) == (host.dtype, (18,)), name
                for line, number in zip(lines, result.tolist(), strict=True):
                    expected = exact(line)
                    # A quantile between elements of both signs cancels.
                    size = max(max(map(abs, line)), Fraction(float(info.smallest_subnormal)))
                    error = abs(Fraction(number) - expected) / size if math.isfinite(number) else math.inf
                    if units(number, expected, info) > 4.0 and error > 4 * Fraction(float(info.eps)):
                        wrong.append((name, axis, number, float(expected)))
    assert wrong == []


@pytest.mark.parametrize("name", ["cumulative_sum", "cumsum", "nancumsum"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "largest"])
def test_running_sum_is_right_at_the_ends_of_the_range(device, kind, dtype, name):
    skip_without(device, dtype)
    info = np.finfo(dtype)
    host = values(kind, info, (17, 3))
    host[1::2] = -host[:-1:2]  # no partial sum leaves the range
    with quiet():
        result = values_of(getattr(xp, name)(xp.asarray(host), axis=0))
    assert result.dtype == host.dtype
    for line, numbers in zip(lines_of(host, 0), result.T.tolist(), strict=True):
        sizes = accumulate(abs(item) for item in line)
        for number, expected, size in zip(numbers, accumulate(line), sizes, strict=True):
            assert abs(Fraction(number) - expected) <= 17 * Fraction(float(info.eps)) * size


@pytest.mark.parametrize("name", ["prod", "nanprod", "cumulative_prod", "cumprod", "nancumprod"])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "both signs"])
def test_product_is_right_at_the_ends_of_the_range(device, kind, dtype, name):
    skip_without(device, dtype)
    info = np.finfo(dtype)
    host = values(kind, info, (17, 3))
    with quiet():
        result = values_of(getattr(xp, name)(xp.asarray(host), axis=0))
    assert result.dtype == host.dtype
    for line, numbers in zip(lines_of(host, 0), np.atleast_2d(result.T).reshape(3, -1).tolist(), strict=True):
        products = list(accumulate(line, lambda x, y: x * y))
        for number, expected in zip(numbers, products if len(numbers) > 1 else products[-1:], strict=True):
            # Each factor may round a subnormal product.
            is_small = abs(expected) < Fraction(float(info.smallest_normal)) * 2
            assert units(number, expected, info) <= 17 * (16 if is_small else 1)


# -- exponentials -----------------------------------------------------------------------------------------------------

ROWS = {
    "softmax": (lambda x, excess: mpmath.exp(-excess), lambda x: xp.special.softmax(x, axis=1)),
    "log_softmax": (lambda x, excess: -excess, lambda x: xp.special.log_softmax(x, axis=1)),
    "nn.softmax": (lambda x, excess: mpmath.exp(-excess), lambda x: functional.softmax(x, axis=1)),
    "nn.log_softmax": (lambda x, excess: -excess, lambda x: functional.log_softmax(x, axis=1)),
    "logsumexp": (lambda x, excess: x + excess, lambda x: xp.special.logsumexp(x, axis=1, keepdims=True)),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("scale", [0.0, 1e-30, 1e-3, 1.0, 11.0, 80.0, 700.0, 1e4, 1e30, 1e300])
def test_exponentials_of_rows_are_right_at_the_ends_of_the_range(device, name, dtype, scale):
    skip_without(device, dtype)
    info = np.finfo(dtype)
    if scale > float(info.max) / 2:
        pytest.skip("beyond the range of the dtype")
    exact, function = ROWS[name]
    host = (np.random.default_rng(0).integers(-256, 257, (5, 9)) / 256.0 * scale).astype(dtype)
    with quiet():
        result = values_of(function(xp.asarray(host)))
    with mpmath.workdps(60):
        for line, numbers in zip(host.tolist(), result.tolist(), strict=True):
            for place, number in enumerate(numbers):
                item, others = line[place], [mpmath.mpf(item) for item in line[:place] + line[place + 1 :]]
                # The logarithm of the sum of exponentials, less the element: the sum of small terms keeps its digits.
                excess = mpmath.log1p(mpmath.fsum(mpmath.exp(other - item) for other in others))
                expected = exact(mpmath.mpf(item), excess)
                bound = 16 * float(info.eps) * max(abs(expected), abs(item) * (not name.endswith("log_softmax")))
                bound = max(bound, 16 * float(info.eps) * abs(expected), 2 * float(info.smallest_subnormal))
                if abs(expected) > float(info.max):
                    assert number == math.copysign(math.inf, expected)
                elif name.endswith("softmax") and "log" not in name:
                    # The distance from the largest element is rounded before the exponential.
                    assert abs(number - expected) <= max(bound, (16 + 2 * scale) * float(info.eps) * expected)
                else:
                    assert abs(number - expected) <= bound, (item, number, float(expected))


# -- norms of matrices ------------------------------------------------------------------------------------------------


def exact_norm(matrix: Sequence[Sequence[float]], order: Any) -> Any:
    """Return a norm of a matrix of four rows and three columns."""
    with mpmath.workdps(60):
        a = mpmath.matrix(matrix)
        scale = max(abs(item) for item in a)
        if not scale:
            return mpmath.mpf(0)
        a = a / scale
        if order in (1, -1, math.inf, -math.inf):
            lines = [[abs(a[i, j]) for i in range(4)] for j in range(3)]
            lines = lines if abs(order) == 1 else [[abs(a[i, j]) for j in range(3)] for i in range(4)]
            return scale * (max if order > 0 else min)(map(mpmath.fsum, lines))
        if order == "fro":
            return scale * mpmath.sqrt(mpmath.fsum(item * item for item in a))
        singular = mpmath.svd_r(a, compute_uv=False)
        return scale * (mpmath.fsum(singular) if order == "nuc" else max(singular) if order == 2 else min(singular))


@pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["matrix_norm", "norm"])
def test_norm_of_matrices_is_right_at_the_ends_of_the_range(device, kind, dtype, order, name):
    skip_without(device, dtype)
    info = np.finfo(dtype)
    host = values(kind, info, (2, 4, 3))
    function = getattr(xp.linalg, name)
    try:
        with quiet():
            x = xp.asarray(host)
            result = function(x, ord=order) if name == "matrix_norm" else function(x, ord=order, axis=(1, 2))
    except TypeError:
        assert dtype == "f2"  # no decomposition has float16
        return
    assert result.dtype == host.dtype
    for matrix, number in zip(host.tolist(), values_of(result).tolist(), strict=True):
        expected, size = exact_norm(matrix, order), exact_norm(matrix, "fro")
        if expected > float(info.max):
            assert number == math.inf
        else:  # The error of a singular value is one of the largest.
            assert abs(number - expected) <= 32 * float(info.eps) * size + 2 * float(info.smallest_subnormal)


# -- covariances and normalizations -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("zero", "equal")])
def test_covariances_of_each_dtype_are_right_at_the_ends_of_the_range(device, kind, dtype):
    skip_without(device, dtype)
    info = np.finfo(dtype)
    host = values(kind, info, (3, 17))
    rows = lines_of(host, 1)
    centers = [mean(row) for row in rows]
    with quiet():
        covariance, correlation = (values_of(f(xp.asarray(host))) for f in (xp.cov, xp.corrcoef))

    def exact(i: int, j: int) -> Fraction:
        products = [(a - centers[i]) * (b - centers[j]) for a, b in zip(rows[i], rows[j], strict=True)]
        return sum(products, Fraction(0)) / (len(products) - 1)

    deviations = [root(exact(i, i)) for i in range(3)]
    for i in range(3):
        for j in range(3):
            number, size = covariance[i, j].item(), deviations[i] * deviations[j]
            if math.isinf(number):
                assert abs(exact(i, j)) + 64 * Fraction(float(info.eps)) * size > Fraction(float(info.max))
                assert (number > 0) == (exact(i, j) > 0)
            else:
                bound = max(64 * Fraction(float(info.eps)) * size, 2 * Fraction(float(info.smallest_subnormal)))
                assert abs(Fraction(number) - exact(i, j)) <= bound
            assert abs(correlation[i, j].item() - float(exact(i, j) / size)) <= 64 * float(info.eps)


NORMALIZATIONS: dict[str, Callable[[xp.Array, float], xp.Array]] = {
    "batch_norm": lambda x, eps: xp.permute_dims(
        functional.batch_norm(xp.permute_dims(x, (1, 0)), None, None, training=True, eps=eps), (1, 0)
    ),
    "group_norm": lambda x, eps: xp.reshape(functional.group_norm(xp.reshape(x, (1, 3, -1)), 3, eps=eps), x.shape),
    "instance_norm": lambda x, eps: xp.squeeze(functional.instance_norm(xp.expand_dims(x, axis=0), eps=eps), axis=0),
}
"""Normalizations of the rows of a matrix."""


@pytest.mark.parametrize("name", NORMALIZATIONS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", ["largest", "both signs", "squares overflow", "ordinary", "squares underflow"])
@pytest.mark.parametrize("eps", [0.0, 1e-5])
def test_normalization_of_channels_is_right_at_the_ends_of_the_range(device, name, dtype, kind, eps):
    skip_without(device, dtype)
    if name == "batch_norm":
        skip_plain_formula(device)
    host = values(kind, np.finfo(dtype), (3, 33))
    with quiet():
        result = values_of(NORMALIZATIONS[name](xp.asarray(host), eps))
    assert result.dtype == host.dtype
    for line, numbers in zip(lines_of(host, 1), result.tolist(), strict=True):
        center = mean(line)
        divisor = root(mean([(item - center) ** 2 for item in line]) + Fraction(eps))
        for item, number in zip(line, numbers, strict=True):
            expected = float((item - center) / divisor)
            assert abs(number - expected) <= 32 * float(np.finfo(dtype).eps) * max(abs(expected), 1.0)


@pytest.mark.parametrize("exponent", [600, -600, 1015, -1000])
@pytest.mark.parametrize("is_fused", [False, True])
def test_derivatives_of_batch_norm_do_not_depend_on_the_scale(device, exponent, is_fused):
    skip_without(device, "f8")
    skip_plain_formula(device)
    numbers, scale = np.random.default_rng(0).integers(-255, 256, (5, 3)) / 256.0, 2.0**exponent
    w = xp.asarray(np.random.default_rng(1).integers(-9, 9, (5, 3)) * 1.0)

    def loss(x: xp.Array) -> xp.Array:
        return xp.sum(functional.batch_norm(x, None, None, training=True, eps=0.0) ** 3 * w)

    def product(x: xp.Array) -> xp.Array:
        return xp.sum(xp.autograd.grad(loss)(x) * scale * w)

    first, second = (xp.autograd.grad(function) for function in (loss, product))
    if is_fused:
        first, second = xp.fuse(first), xp.fuse(second)
        with quiet():
            for function in (first, second):
                function(xp.asarray(numbers))  # ordinary numbers
    with quiet():
        found = [values_of(function(xp.asarray(numbers * scale))) * scale for function in (first, second)]
    scale = 1.0
    expected = [values_of(xp.autograd.grad(function)(xp.asarray(numbers))) for function in (loss, product)]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("is_differentiated", [False, True])
def test_running_statistics_at_the_ends_of_the_range(device, is_differentiated):
    skip_without(device, "f8")
    skip_plain_formula(device)
    host = np.asarray([[1.5e308, 1e-200], [1.5e308, 3e-200], [-1.5e308, 2e-200]])
    layer = xp.nn.BatchNorm1d(2, momentum=1.0, eps=0.0, affine=False, dtype=xp.float64)
    with quiet():
        if is_differentiated:
            xp.autograd.grad(lambda x: xp.sum(layer(x)))(xp.asarray(host))
        else:
            layer(xp.asarray(host))
    np.testing.assert_allclose(values_of(layer.running_mean), [0.5e308, 2e-200], rtol=1e-14)
    assert values_of(layer.running_var).tolist() == [math.inf, 0.0]


def test_every_reduction_is_compared_with_exact_numbers():
    tested = {*REDUCTIONS, *COMPOSED, *HALF_REDUCTIONS, *STATISTICS, "cov", "corrcoef", "trapezoid"}
    exact = {"argmax", "argmin", "all", "any", "count_nonzero"}  # no rounding
    names = {name.removeprefix("linalg.") for name, row in TABLE.items() if row.kind == "reduction"}
    assert names - tested - exact == {"prod"}
    statistics = [name for name in dir(xp) if name.startswith("nan") and name not in ("nan", "nan_to_num")]
    elsewhere = {"nancumsum", "nancumprod", "nanprod", "nanargmax", "nanargmin"}
    assert {*statistics} - tested == elsewhere
