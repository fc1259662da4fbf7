"""Reductions of large arrays by kernels: NumPy's values, errors no larger than NumPy's, one result for all threads."""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys

import numpy as np
import pytest

import xtensor as xp

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

from llvm_kernels import DTYPES, INTEGERS, LAYOUTS, by_kernel, laid_out, outcome, values
from stress.tiers import scale

import xtensor_backends.llvm

RNG = np.random.default_rng
FLOATS = ("float32", "float64")
COUNT = 1_100_000
"""Elements from which kernels compute every reduction."""

SHAPES = [
    *(((COUNT,), None), ((1100, 1000), 0), ((1100, 1000), 1), ((5, 400, 550), 1), ((5, 400, 550), (0, 1))),
    *(((5, 400, 550), (0, 2)), ((25, 11, 40, 100), (0, 2, 3)), ((25, 11, 40, 100), (1, 3))),
]


def agree(result, expected, tolerance):
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=tolerance, strict=True)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_exact_reductions_are_numpys(dtype, shape, axis):
    x = values(RNG(0), dtype, shape, special=False)
    a = xp.asarray(x, device="cpu")
    whole = dtype in INTEGERS
    for name in ("sum", "prod", "max", "min") if whole else ("max", "min"):
        if dtype == "bool":
            continue  # the standard has none
        result = by_kernel(lambda y, name=name: getattr(xp, name)(y, axis=axis, keepdims=True), a)
        np.testing.assert_array_equal(np.asarray(result), getattr(np, name)(x, axis=axis, keepdims=True), strict=True)


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_rounded_reductions_are_numpys_nearly(dtype, shape, axis):
    x = RNG(0).uniform(0.5, 1.5, shape).astype(dtype)
    a = xp.asarray(x, device="cpu")
    tolerance = 64 * float(np.finfo(dtype).eps)
    for name in ("sum", "mean", "var", "std"):
        result = by_kernel(lambda y, name=name: getattr(xp, name)(y, axis=axis), a)
        agree(
            np.asarray(result),
            np.asarray(getattr(np, name)(x.astype(np.longdouble), axis=axis).astype(dtype)),
            tolerance,
        )


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_position_is_that_of_the_first_extreme(name, dtype):
    x = values(RNG(0), dtype, COUNT)
    x[[COUNT // 3, COUNT // 2]] = x[COUNT // 3]
    for array in (x, values(RNG(1), dtype, COUNT, special=False), np.zeros(COUNT, dtype)):
        result = by_kernel(getattr(xp, name), xp.asarray(array, device="cpu"))
        assert int(result) == getattr(np, name)(array)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf, 0.0, -0.0])
def test_special_values_and_warnings_are_numpys(dtype, special):
    x = np.full(COUNT, -0.0 if special == 0 else 1.0, dtype)
    x[[17, COUNT - 5]] = special
    for name in ("sum", "prod", "max", "min", "mean", "var", "std"):
        for array in (x, np.concat([x, -x])):

            def function(a, name=name):
                return getattr(xp, name)(a)

            expected, result = (outcome(function, [array], device) for device in ("numpy", "cpu"))
            assert result[1] == expected[1]
            np.testing.assert_array_equal(result[0], expected[0], strict=True)
            if name != "max" and name != "min":  # the standard leaves the sign of zero to them
                assert np.signbit(result[0]) == np.signbit(expected[0])


def test_overflow_of_a_sum_warns_as_numpys():
    x = np.full(COUNT, 1e305)
    expected, result = (outcome(lambda a: xp.sum(a), [x], device) for device in ("numpy", "cpu"))
    assert result == expected
    assert "overflow" in result[1][0][1]


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("shape", [(0,), (3, 0), (COUNT,), (2, COUNT)])
def test_accumulate_dtype_is_the_results(name, shape):
    """Blocks of narrow integers were added in 64 bits."""
    x = values(RNG(0), "int8", shape)
    for dtype in ("int8", "uint16", "int32"):
        expected = getattr(np, name)(x, dtype=dtype, axis=-1)
        result = getattr(xp, name)(xp.asarray(x, device="cpu"), dtype=np.dtype(dtype), axis=-1)
        assert result.dtype == dtype
        np.testing.assert_array_equal(np.asarray(result), expected)


def test_random_reductions_are_numpys():
    rng = random.Random(0)
    for _ in range(scale(200, 2000)):
        seed, dtype = rng.randrange(1 << 30), rng.choice([*INTEGERS, *FLOATS])
        shape = rng.choice([(COUNT,), (200, 250), (3, 7, 2000), (2000, 20), (20, 50, 40), (3, 2, 5, 7, 11, 20)])
        axes = rng.sample(range(len(shape)), rng.randint(1, len(shape)))
        axis = rng.choice([None, axes[0], tuple(axes)])
        x = laid_out(values(RNG(seed), dtype, shape, special=False), rng.choice(LAYOUTS))
        a = xp.asarray(x, device="cpu", copy=False)
        for name in ("sum", "max", "min"):
            result = np.asarray(getattr(xp, name)(a, axis=axis))
            expected = getattr(np, name)(x, axis=axis)
            if name == "sum" and dtype in FLOATS:
                size = np.sum(np.abs(x), axis=axis)  # of the terms, which cancel
                assert np.all(np.abs(result - expected) <= 100 * np.finfo(dtype).eps * size), (seed, shape, axis)
            else:
                np.testing.assert_array_equal(result, expected, err_msg=f"{name} {seed} {shape} {axis}")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["sum", "mean", "var"])
def test_error_at_ten_million_elements_is_no_worse_than_numpys(name, dtype):
    x = RNG(5).uniform(0, 1, 10**7).astype(dtype)
    exact = getattr(np, name)(x.astype(np.longdouble))
    result = np.asarray(by_kernel(getattr(xp, name), xp.asarray(x, device="cpu")))
    errors = [abs(float(value - exact)) for value in (result, getattr(np, name)(x))]
    assert errors[0] <= max(errors[1], float(np.spacing(result)))


THREADS = """
import sys; sys.path[:0] = {path!r}
import hashlib
import numpy as np
import xtensor as xp, xtensor_backends.llvm
rng = np.random.default_rng(3)
digest = hashlib.sha256()
def add(x):
    digest.update(np.asarray(x).tobytes())
with xtensor_backends.llvm.count_calls() as calls:
    for dtype in ("float32", "float64"):
        for shape in ((1_000_003,), (1000, 1001), (7, 150_001), (150_001, 7), (30, 300, 100)):
            x = xp.asarray(rng.normal(size=shape).astype(dtype), device="cpu")
            for name in ("sin", "exp", "abs"):
                add(getattr(xp, name)(x))
            add(x * x + 1)
            for axis in (None, *range(len(shape))):
                for name in ("sum", "prod", "mean", "var", "std", "max", "min"):
                    add(getattr(xp, name)(x, axis=axis))
            add(xp.fuse(lambda a: xp.sum(a * a + 1))(x))
assert calls.kernels["sum"] and calls.kernels["sin"], calls.kernels
print(digest.hexdigest(), calls.parts > sum(calls.kernels.values()))
"""


def test_results_do_not_depend_on_the_number_of_threads():
    found = []
    for threads in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", THREADS.format(path=sys.path)],
            env={**os.environ, "XTENSOR_NUM_THREADS": threads},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        found.append(done.stdout.split())
    assert [divided for _, divided in found] == ["False", "True", "True"]
    assert len({digest for digest, _ in found}) == 1


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64"])
def test_cumulative_sum_of_narrow_integers_wraps_as_numpys(dtype):
    """The sums of blocks were added in 64 bits, and read as narrow integers."""
    x = values(RNG(0), dtype, (2, COUNT))
    result = by_kernel(lambda a: xp.cumulative_sum(a, axis=1, dtype=np.dtype(dtype)), xp.asarray(x, device="cpu"))
    np.testing.assert_array_equal(np.asarray(result), np.cumsum(x, axis=1, dtype=dtype), strict=True)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bool"])
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_numbers_that_are_not_zero_are_counted(dtype, shape, axis):
    x = values(RNG(0), dtype, shape)
    x[np.unravel_index(RNG(1).integers(0, x.size, x.size // 2), shape)] = 0
    array = xp.asarray(x, device="cpu")
    for keepdims in (False, True):
        with xtensor_backends.llvm.count_calls() as calls:
            result = xp.count_nonzero(array, axis=axis, keepdims=keepdims)
        assert calls.kernels
        expected = np.count_nonzero(x, axis=axis, keepdims=keepdims)
        np.testing.assert_array_equal(np.asarray(result), expected)
        assert result.dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint64"])
@pytest.mark.parametrize("place", [None, 0, 70_000, 300_000, 1_199_999])
def test_any_and_all_of_large_arrays(dtype, place):
    zeros, ones = np.zeros((3, 400_000), dtype), np.ones((3, 400_000), dtype)
    if place is not None:
        zeros.flat[place], ones.flat[place] = 1, 0
    for function, x in ((xp.any, zeros), (xp.all, ones), (xp.any, ones), (xp.all, zeros)):
        array = xp.asarray(x, device="cpu")
        for options in ({}, {"axis": (0, 1)}, {"keepdims": True}, {"axis": 1}):
            expected = getattr(np, function.__name__)(x, **options)
            result = function(array, **options)
            np.testing.assert_array_equal(np.asarray(result), expected)
            assert (result.dtype, result.shape) == (expected.dtype, expected.shape)


def test_any_and_all_of_many_elements_are_kernels():
    x = xp.zeros((1000, 1000), device="cpu")
    for function, array in ((xp.any, x), (xp.all, x + 1)):
        with xtensor_backends.llvm.count_calls() as calls:
            function(array)
        assert calls.kernels
    ones = x + 1
    with xtensor_backends.llvm.count_calls() as calls:  # the first element decides
        xp.any(ones)
    assert not calls.kernels


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "axis"), [((750, 800), 0), ((750, 800), 1), ((5, 400, 300), (0, 1))])
def test_euclidean_norms_of_rows(dtype, shape, axis):
    x = RNG(0).normal(size=shape).astype(dtype)
    result = by_kernel(lambda x: xp.linalg.vector_norm(x, axis=axis), xp.asarray(x, device="cpu"))
    exact = np.sqrt(np.sum(x.astype(np.longdouble) ** 2, axis=axis))
    np.testing.assert_allclose(np.asarray(result), exact.astype(dtype), rtol=8 * np.finfo(dtype).eps)


def test_norms_whose_squares_overflow_are_exact():
    x = np.full((300, 400), 1e200)
    result = xp.linalg.vector_norm(xp.asarray(x, device="cpu"), axis=1)
    np.testing.assert_allclose(np.asarray(result), 2e201, rtol=1e-15)  # sqrt(400) = 20


def test_norms_beyond_the_largest_number_are_infinite_with_numpys_warning():
    x = np.full((300, 400), 1e307)
    with pytest.warns(RuntimeWarning, match="overflow"):
        result = xp.linalg.vector_norm(xp.asarray(x, device="cpu"), axis=1)
    assert bool(xp.all(xp.isinf(result)))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("length", [1, 2, 3, 10, 63])
@pytest.mark.parametrize("name", ["max", "min", "sum", "mean", "std"])
@pytest.mark.parametrize("axis", [0, 1])
def test_rows_of_few_elements(name, length, dtype, axis):
    x = values(RNG(0), dtype, (200_000 // length, length), special=False)
    if name in ("mean", "std") and dtype == "int16":
        x = x.astype("float32")
    array = xp.asarray(x, device="cpu")
    function = getattr(xp, name)
    with xtensor_backends.llvm.count_calls() as calls:
        result = function(array, axis=axis)
    assert calls.kernels or length == 1
    exact = getattr(np, name)(x.astype(np.longdouble) if x.dtype.kind == "f" else x, axis=axis)
    precision = np.finfo(result.dtype).eps if result.dtype.kind == "f" else 0
    scale = float(np.max(np.sum(np.abs(x.astype(np.longdouble)), axis=axis)))
    np.testing.assert_allclose(np.asarray(result), exact.astype(result.dtype), rtol=0, atol=8 * precision * scale)
    assert result.dtype == getattr(np, name)(x, axis=axis).dtype


@pytest.mark.parametrize(("shape", "axis"), [((70_000, 10), 0), ((300, 4, 64), (0, 1)), ((9, 2_000, 5), 1)])
def test_any_and_all_of_booleans_in_short_rows_are_computed_by_kernels(shape, axis):
    x = np.zeros(shape, bool)
    x[-1, ..., 1] = True
    for function, mask in ((xp.any, x), (xp.all, ~x)):
        array = xp.asarray(mask, device="cpu")
        for keepdims in (False, True):
            result = by_kernel(lambda y, f=function, k=keepdims: f(y, axis=axis, keepdims=k), array)
            expected = getattr(np, function.__name__)(mask, axis=axis, keepdims=keepdims)
            np.testing.assert_array_equal(np.asarray(result), expected, strict=True)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "any", "std"])
def test_a_flag_that_numpy_refuses_is_refused(name):
    x = xp.asarray(np.ones(1_000_000), device="cpu")
    for keepdims in (None, "no", ()):
        with pytest.raises(TypeError):
            getattr(xp, name)(x, keepdims=keepdims)
