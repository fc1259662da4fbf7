"""Functions with NumPy's names that are fused: NumPy's results and warnings, by kernels."""

from __future__ import annotations

import importlib.util
import warnings

import numpy as np
import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

import xtensor as xp
import xtensor_backends.llvm
from xtensor import autograd, special


def with_nan(dtype):
    x = np.random.default_rng(0).normal(size=(300, 400)).astype(dtype)
    x[np.random.default_rng(1).random(x.shape) < 0.1] = np.nan
    return x


def third_call(function, *operands, **options):
    """The result of a call after two others, and the calls of each kernel that computed it."""
    for _ in range(2):
        function(*operands, **options)
    with xtensor_backends.llvm.count_calls() as calls:
        result = function(*operands, **options)
    return result, calls.kernels


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar", "nanstd"])
def test_reductions_that_ignore_nan(name, axis, dtype):
    x = with_nan(dtype)
    for options in ({}, {"keepdims": True}, {"ddof": 1} if name in ("nanvar", "nanstd") else {}):
        result, kernels = third_call(getattr(xp, name), xp.asarray(x, device="cpu"), axis=axis, **options)
        expected = getattr(np, name)(x.astype("float64"), axis=axis, **options)
        assert kernels
        assert (result.dtype, result.shape) == (np.dtype(dtype), expected.shape)
        np.testing.assert_allclose(np.asarray(result), expected, rtol=2e-5 if dtype == "float32" else 1e-12, atol=1e-5)


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanvar"])
def test_slices_of_nan_and_infinities(name):
    x = with_nan("float64")
    x[3], x[5, 7] = np.nan, np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result, _ = third_call(getattr(xp, name), xp.asarray(x, device="cpu"), axis=1)
        expected = getattr(np, name)(x, axis=1)
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12)


def test_a_sum_that_overflows_warns():
    x = xp.asarray(np.full((300, 400), 1e307), device="cpu")
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="overflow encountered in reduce"):
            assert float(xp.nansum(x)) == np.inf


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_weighted_averages(axis, dtype, keepdims):
    rng = np.random.default_rng(6)
    hosts = [rng.uniform(0.5, 2.0, (300, 400)).astype(dtype) for _ in range(2)]
    x, weights = (xp.asarray(host, device="cpu") for host in hosts)
    results, kernels = third_call(xp.average, x, axis, weights, returned=True, keepdims=keepdims)
    expected = np.average(hosts[0].astype("float64"), axis, hosts[1], returned=True, keepdims=keepdims)
    assert kernels
    for result, reference in zip(results, expected, strict=True):
        assert (result.dtype, result.shape) == (np.dtype(dtype), np.shape(reference))
        np.testing.assert_allclose(np.asarray(result), reference, rtol=2e-6 if dtype == "float32" else 1e-13)
    mean, _ = third_call(xp.average, x, axis, weights, keepdims=keepdims)
    np.testing.assert_array_equal(np.asarray(mean), np.asarray(results[0]), strict=True)


def test_weighted_averages_that_are_not_finite():
    x, large, zero = (xp.full(100_000, value, device="cpu") for value in (1e-10, 1e305, 0.0))
    for _ in range(3):
        mean = float(xp.average(x, weights=large))  # the sum of the weights is infinite, their mean is not
        assert mean == pytest.approx(1e-10, rel=1e-14, abs=0)
        with pytest.raises(ZeroDivisionError, match="sum to zero"):
            xp.average(x, weights=zero)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("equal_nan", [False, True])
def test_closeness(dtype, equal_nan):
    rng = np.random.default_rng(2)
    x = rng.normal(size=100_000).astype(dtype)
    y = x + (rng.normal(size=x.shape) * 1e-5).astype(dtype) * rng.integers(0, 2, x.shape)
    for place, (a, b) in enumerate(
        [(np.nan, np.nan), (np.inf, np.inf), (np.inf, -np.inf), (1, np.nan), (np.inf, 1), (-0.0, 0.0)]
    ):
        x[place], y[place] = a, b
    arrays = [xp.asarray(item, device="cpu") for item in (x, y)]
    for rtol, atol in ((1e-5, 1e-8), (0.0, 1e-6), (1e-3, 0)):
        result, kernels = third_call(xp.isclose, *arrays, rtol, atol, equal_nan)
        assert kernels
        np.testing.assert_array_equal(np.asarray(result), np.isclose(x, y, rtol, atol, equal_nan))


def test_closeness_of_numbers_whose_distance_overflows():
    x, y = np.full(100_000, 1.7e308), np.full(100_000, -1.7e308)
    arrays = [xp.asarray(item, device="cpu") for item in (x, y)]
    for _ in range(3):
        with pytest.warns(RuntimeWarning, match="overflow encountered in subtract"):
            assert not bool(xp.any(xp.isclose(*arrays)))


def test_a_small_first_operand_is_broadcast():
    x = np.random.default_rng(0).normal(size=100_000)
    gradient, kernels = third_call(autograd.grad(special.logsumexp), xp.asarray(x, device="cpu"))
    assert kernels["equal+subtract+where+exp"]
    np.testing.assert_allclose(np.asarray(gradient), np.exp(x - x.max()) / np.exp(x - x.max()).sum(), rtol=1e-12)


# -- small arrays ---------------------------------------------------------------------------------------------------


def few(x, y):
    return x * y + 1.5


@pytest.mark.parametrize("shape", [(), (1,), (3, 4)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_a_small_elementwise_function_is_one_call_of_a_kernel(shape, dtype):
    host = np.arange(1, 1 + np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    x = xp.asarray(host, device="cpu")
    fused = xp.fuse(few)
    fused(x, x)
    ((recorded,),) = fused._plans.values()
    plan = recorded.plan
    assert plan.direct is not None
    with xtensor_backends.llvm.count_calls() as calls:
        result = fused(x, x)
    assert sum(calls.kernels.values()) == 1
    expected = few(host, host)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(result), expected)


@pytest.mark.parametrize(
    "view",
    [lambda x: x[::2], lambda x: x[::-1], lambda x: xp.reshape(x, (3, 2)).T, lambda x: xp.broadcast_to(x[:1], (6,))],
    ids=["steps", "reversed", "transposed", "broadcast"],
)
def test_small_arrays_of_another_layout_give_the_same(view):
    fused = xp.fuse(few)
    x = xp.asarray(np.arange(6.0), device="cpu")
    other = view(x)
    adjacent = xp.asarray(np.array(other), copy=True, device="cpu")
    expected = few(np.array(other), np.array(other))
    for operands in ((adjacent, adjacent), (other, other), (adjacent, other), (other, adjacent)):
        np.testing.assert_array_equal(np.asarray(fused(*operands)), expected)


def test_a_number_that_changes_and_a_doubtful_element_are_not_computed_directly():
    x = xp.asarray([1.0, 2.0], device="cpu")
    scaled = xp.fuse(lambda x, factor: x * factor + 1.0)
    for factor in (2.0, 3.0):
        assert scaled(x, factor).tolist() == [1.0 + factor, 1.0 + 2.0 * factor]
    roots = xp.fuse(lambda x: xp.sqrt(x) + 1.0)
    assert roots(x).tolist() == [2.0, 1.0 + 2.0**0.5]
    with np.errstate(all="ignore"):
        assert np.isnan(np.asarray(roots(-x))).all()


def test_operands_keep_their_places():
    difference = xp.fuse(lambda x, y, z: z - x)
    arrays = [xp.asarray([value], device="cpu") for value in (1.0, 10.0, 100.0)]
    for _ in range(2):
        assert difference(*arrays).tolist() == [99.0]


@pytest.mark.parametrize(("name", "expected"), [("nanmean", 7 / 3), ("nanvar", 14 / 9), ("nanstd", 14**0.5 / 3)])
def test_elements_that_are_nan_do_not_count(name, expected):
    # Of 1, 2 and 4 the mean is 7/3, and the squares of the distances are 16/9, 1/9 and 25/9.
    fused, x = xp.fuse(getattr(xp, name)), xp.asarray([1.0, 2.0, 4.0, np.nan], device="cpu")
    for _ in range(2):
        assert float(fused(x)) == pytest.approx(expected, rel=1e-15)
