"""Means, deviations, norms, statistics and normalizations on CuPy whose intermediate results leave the range."""

from __future__ import annotations

import numpy as np
import pytest
from cupy_support import needs_compiler, on_host, standin_device

import xtensor as xp
from xtensor.nn import functional

pytestmark = needs_compiler

ROW = [3.0, 5.0, -1.0, 1.0, -3.0, 7.0]
"""Elements of mean 2, whose distances from it have the sum of squares 70; the sum of their squares is 94."""

ENDS = pytest.mark.parametrize("end", ["ordinary", "largest", "squares overflow", "squares underflow", "smallest"])
DTYPES = pytest.mark.parametrize("dtype", ["float32", "float64"])


@pytest.fixture(scope="module")
def single():
    """The device of a stand-in with one GPU."""
    return standin_device("cuda:0")


def scale_of(end, dtype):
    limits = np.finfo(dtype)
    exponent = {
        "ordinary": 0,
        "largest": limits.maxexp - 3,
        "squares overflow": limits.maxexp * 5 // 8,
        "squares underflow": limits.minexp * 5 // 8,
        "smallest": limits.minexp + 12,
    }[end]
    return 2.0**exponent


def same_but_for_rounding(result, expected, scale):
    assert float(result) / scale == pytest.approx(expected, rel=8 * float(np.finfo(result.dtype).eps), abs=0)


@DTYPES
@ENDS
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (xp.mean, 2.0),
        (xp.std, (70 / 6) ** 0.5),
        (lambda x: xp.std(x, correction=1), 14**0.5),
        (lambda x: xp.linalg.vector_norm(x / 8.0), 94**0.5 / 8),
        (lambda x: xp.linalg.vector_norm(x / 8.0, ord=3), 524 ** (1 / 3) / 8),
        (lambda x: xp.linalg.vector_norm(x, ord=-1), 1 / (1 / 3 + 1 / 5 + 1 + 1 + 1 / 3 + 1 / 7)),
        (lambda x: xp.nanmean(xp.concat([x, xp.full_like(x, xp.nan)])), 2.0),
        (lambda x: xp.nanstd(xp.concat([x, xp.full_like(x, xp.nan)])), (70 / 6) ** 0.5),
        (lambda x: xp.average(x, weights=xp.asarray([1.0, 1.0, 0.0, 0.0, 0.0, 0.0], device=x.device)), 4.0),
        (lambda x: xp.trapezoid(x / 8.0), 7.0 / 8.0),
    ],
    ids=["mean", "std", "std of a sample", "norm", "norm 3", "norm -1", "nanmean", "nanstd", "average", "trapezoid"],
)
def test_statistic_is_a_multiple_of_that_of_ordinary_numbers(single, function, expected, end, dtype):
    scale = scale_of(end, dtype)
    x = xp.asarray(np.asarray(ROW, dtype) * np.asarray(scale, dtype), device=single)
    same_but_for_rounding(on_host(function(x)), expected, scale)


@DTYPES
@ENDS
@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_normalization_does_not_depend_on_the_scale(single, name, end, dtype):
    scale = scale_of(end, dtype)
    x = xp.asarray(np.asarray([ROW], dtype) * np.asarray(scale, dtype), device=single)
    result = on_host(getattr(functional, name)(x, eps=0.0))
    row = np.asarray(ROW)
    expected = (row - 2) / (70 / 6) ** 0.5 if name == "layer_norm" else row / (94 / 6) ** 0.5
    np.testing.assert_allclose(result[0], expected, rtol=16 * float(np.finfo(dtype).eps))


def test_variance_of_complex_numbers_whose_squares_overflow_is_infinite_and_the_deviation_finite(single):
    z = xp.asarray([3e200 + 4e200j, -3e200 - 4e200j], device=single)
    assert np.isinf(on_host(xp.var(z)))
    assert float(on_host(xp.std(z))) == pytest.approx(5e200, rel=1e-15)


@DTYPES
def test_variance_of_small_distances_from_a_large_mean_keeps_its_digits(single, dtype):
    start = 1 / float(np.finfo(dtype).eps)
    x = xp.asarray(np.asarray([0.0, 2.0, 4.0, 6.0, 8.0, 8.0, 8.0], dtype) + np.asarray(start, dtype), device=single)
    assert float(on_host(xp.var(x))) == pytest.approx(440 / 49, rel=1e-6 if dtype == "float32" else 1e-14)


def test_variance_of_equal_elements_is_zero(single):
    assert float(on_host(xp.var(xp.full((17,), 0.1, device=single)))) == 0.0


def test_deviation_without_degrees_of_freedom_is_nan(single):
    assert np.isnan(on_host(xp.std(xp.asarray([1.0], device=single), correction=1)))


def test_mean_of_no_elements_is_nan(single):
    assert np.isnan(on_host(xp.mean(xp.zeros((0, 2), device=single), axis=0))).all()
