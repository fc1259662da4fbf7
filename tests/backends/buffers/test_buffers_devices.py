"""Devices with kernels over buffers, OpenCL's and WebGPU's: exact values, ends of the range, kernels, memory."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from library_devices import REFUSED, status_of_forked_process

import xtensor as xp
from xtensor._core.rates import Rates


@pytest.fixture(autouse=True)
def with_buffers(device):
    """A device of buffers: the tests of other devices are elsewhere."""
    if device.backend not in ("opencl", "webgpu"):
        pytest.skip(f"the device {device} has no kernels over buffers")


# -- fused functions ---------------------------------------------------------------------------------------------------


def test_write_to_a_view_within_fuse_changes_its_array():
    def cleared(x):
        z = x * 2
        row = z[1]
        row[...] = 0
        return z

    fused = xp.fuse(cleared)
    for _ in range(2):
        assert fused(xp.ones((2, 3), dtype=xp.float32)).tolist() == [[2, 2, 2], [0, 0, 0]]


def test_constant_condition_within_fuse():
    chosen = xp.asarray([True, True])
    fused = xp.fuse(lambda x: xp.where(chosen & True, x * 2, 0.0))
    for _ in range(2):
        assert fused(xp.ones(2, dtype=xp.float32)).tolist() == [2, 2]


def test_gradient_of_cross_entropy_within_fuse():
    classes = xp.asarray([0, 1])
    loss = xp.fuse(xp.autograd.grad(lambda z: xp.nn.functional.cross_entropy(z, classes)))
    for _ in range(2):  # (softmax - one-hot) / 2 of equal logits
        assert loss(xp.zeros((2, 2), dtype=xp.float32)).tolist() == [[-0.25, 0.25], [0.25, -0.25]]


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("name", ["rows", "transpose", "every other column", "reversed"])
def test_orders_are_those_of_the_device_memory(name, order):
    view = {
        "rows": lambda x: x,
        "transpose": lambda x: x.T,
        "every other column": lambda x: x.T[::2],
        "reversed": lambda x: x[::-1],
    }[name]
    host = np.arange(12, dtype=np.int32).reshape(3, 4)
    x, right = view(xp.asarray(host)), view(host)
    assert x.ravel(order).tolist() == x.flatten(order).tolist() == right.ravel(order).tolist()
    assert x.copy(order).tolist() == right.tolist()
    if order != "K":
        assert x.reshape((2, -1), order=order).tolist() == right.reshape((2, -1), order=order).tolist()


def test_linspace_of_integers_is_exact():
    for start, stop, count in [
        (0, 2**31 - 1, 2),
        (-(2**31), 2**31 - 1, 4),
        (7, -7, 5),
        (5, 5, 3),
        (0, 10, 4),
        (1, 9, 0),
    ]:
        parts = max(count - 1, 1)
        expected = [start + i * (stop - start) // parts for i in range(count)]
        assert xp.linspace(start, stop, count, dtype=xp.int32).tolist() == expected


# -- reductions, order, products --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(100_003,), (7, 5000), (5000, 7), (3, 700, 5), (1, 1), (2, 0, 3)])
def test_sums_of_integers_are_exact(shape):
    dtype = xp.asarray(0).dtype
    bound = 2 ** (dtype.itemsize * 4 - 2)
    values = np.random.default_rng(3).integers(-bound, bound, shape).astype(dtype)
    x = xp.asarray(values)
    for axis in (None, *range(len(shape))):
        assert xp.sum(x, axis=axis).tolist() == np.sum(values, axis=axis).tolist()
        assert xp.sum(xp.permute_dims(x, tuple(range(x.ndim))[::-1]), axis=axis).shape == values.T.sum(axis=axis).shape


def test_error_of_a_sum_of_float32_grows_slowly():
    x = xp.full((2**22,), 0.1, dtype=xp.float32)
    exact = 2**22 * Fraction(float(np.float32(0.1)))
    assert abs(Fraction(float(xp.sum(x))) - exact) < exact * Fraction(1, 2**18)


@pytest.mark.parametrize("length", [1, 64, 257, 4097, 100_000])
def test_cumulative_sums_of_integers_are_exact(length):
    values = np.random.default_rng(4).integers(-1000, 1000, (2, length))
    x = xp.asarray(values.tolist(), dtype=xp.int32)
    assert xp.cumulative_sum(x, axis=1).tolist() == np.cumsum(values, axis=1).tolist()
    assert xp.cumulative_sum(x.T, axis=0).tolist() == np.cumsum(values.T, axis=0).tolist()


@pytest.mark.parametrize("length", [0, 1, 2, 3, 31, 1000, 4096])
@pytest.mark.parametrize("descending", [False, True])
def test_argsort_is_stable(length, descending):
    values = np.random.default_rng(5).integers(0, 10, length).tolist()
    x = xp.asarray(values, dtype=xp.asarray(0).dtype)
    order = xp.argsort(x, descending=descending).tolist()
    assert order == sorted(range(length), key=lambda k: -values[k] if descending else values[k])


def test_complex_numbers_with_nan_have_no_order():
    x = xp.asarray([complex(1.0, math.nan), 1.0, 1.0], dtype=xp.complex64)
    y = xp.asarray([2.0, complex(2.0, math.nan), complex(1.0, 2.0)], dtype=xp.complex64)
    assert xp.less(x, y).tolist() == xp.less_equal(x, y).tolist() == [False, False, True]
    assert xp.greater(y, x).tolist() == xp.greater_equal(y, x).tolist() == [False, False, True]


def test_nan_is_the_largest_number_of_a_sorted_array():
    x = xp.asarray([2.0, math.nan, 1.0, math.nan, -math.inf], dtype=xp.float32)
    assert xp.argsort(x).tolist() == [4, 2, 0, 1, 3]
    numbers = xp.asarray([math.nan, 2.0, -0.0], dtype=xp.float32)
    assert xp.searchsorted(xp.sort(x), numbers).tolist() == [3, 2, 1]


@pytest.mark.parametrize("shapes", [((5, 7), (7, 3)), ((4, 1, 6, 9), (3, 9, 2)), ((8,), (8,)), ((3, 0), (0, 2))])
def test_products_of_matrices_of_integers_are_exact(shapes):
    dtype = xp.asarray(0).dtype
    bound = 2 ** (dtype.itemsize * 4 - 4)
    a, b = (np.random.default_rng(6).integers(-bound, bound, shape).astype(dtype) for shape in shapes)
    x, y = (xp.asarray(values) for values in (a, b))
    assert xp.matmul(x, y).tolist() == (a @ b).tolist()
    if a.ndim > 1:
        assert xp.matmul(y.mT, x.mT).tolist() == (b.swapaxes(-1, -2) @ a.swapaxes(-1, -2)).tolist()


# -- assignments ------------------------------------------------------------------------------------------------------


def test_assignment_to_overlapping_views_reads_before_it_writes():
    x = xp.arange(10)
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    y = xp.arange(6)
    y += y[::-1]
    assert y.tolist() == [5] * 6


# -- ends of the range ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [-2, 1.5, 2, 3])
@pytest.mark.parametrize("power", [-120, -100, -70, 0, 70, 100, 124])
def test_norms_and_deviations_at_the_ends_of_float32(order, power):
    numbers = np.asarray([[3.0, -4.0, 2.0], [1.0, 5.0, -2.0]], np.float32)
    scale = np.float32(2.0**power)
    x = xp.asarray(numbers * scale)
    sizes = (np.abs(numbers.astype(float)) ** order).sum(axis=1) ** (1 / order)
    norms = xp.to_numpy(xp.linalg.vector_norm(x, axis=1, ord=order)) / scale
    np.testing.assert_allclose(norms, sizes, rtol=1e-6)
    # The means are 1/3 and 4/3, the mean squares 29/3 and 10.
    np.testing.assert_allclose(xp.to_numpy(xp.mean(x, axis=1)) / scale, [1 / 3, 4 / 3], rtol=1e-6)
    deviations = xp.to_numpy(xp.std(x, axis=1, correction=1)) / scale
    np.testing.assert_allclose(deviations, [math.sqrt(43 / 3), math.sqrt(37 / 3)], rtol=1e-6)


@pytest.mark.parametrize("power", [-120, 100])
def test_fused_statistics_at_the_ends_of_float32(power):
    fused = xp.fuse(lambda x: (xp.mean(x * 1.0), xp.std(x * 1.0), xp.linalg.vector_norm(x * 1.0)))
    numbers = xp.asarray([1.0, 5.0, -2.0, 4.0], dtype=xp.float32)
    for scale in (1.0, 2.0**power):  # the second call replays the first
        results = [float(result) / scale for result in fused(numbers * scale)]
        np.testing.assert_allclose(results, [2.0, math.sqrt(7.5), math.sqrt(46.0)], rtol=1e-6)


@pytest.mark.parametrize("order", [-2, 0.25, 2])
@pytest.mark.parametrize("power", [-147, 127])
def test_norms_of_complex_numbers_whose_moduli_have_few_digits_or_overflow(order, power):
    x = xp.asarray((np.asarray([1 + 1j, 1 - 1j, -1 + 1j, -1 - 1j]) * 1.5 * 2.0**power).astype(np.complex64))
    exact = math.sqrt(2.0) * 4.0 ** (1 / order) * 1.5 * 2.0**power
    norm = float(xp.linalg.vector_norm(x, ord=order))
    largest = float(np.finfo(np.float32).max)
    assert norm == (math.inf if exact > largest else pytest.approx(exact, rel=1e-6, abs=2.0**-149))


@pytest.mark.parametrize("count", [1, 3, 64, 5000])
def test_mean_of_large_numbers_is_finite(count):
    largest = float(np.finfo(np.float32).max) * (1 - 2.0**-20)  # by more than the error of a sum
    x = xp.full((count,), largest, dtype=xp.float32)
    assert float(xp.mean(x)) == pytest.approx(largest, rel=1e-6)
    assert float(xp.mean(xp.concat([x, x * 0.0 + xp.inf]))) == xp.inf
    assert float(xp.linalg.vector_norm(x * 0.0 + xp.inf)) == xp.inf
    assert math.isnan(float(xp.std(x * xp.nan)))


# -- choice -----------------------------------------------------------------------------------------------------------

CHOICE = """
import json, sys
import xtensor as xp
chosen = str(xp.default_device())
print(json.dumps([chosen, float(xp.sum(xp.ones(5))), "pyopencl" in sys.modules]))
"""


@pytest.mark.parametrize("is_faster", [True, False])
def test_device_is_the_default_one_once_it_was_measured_faster(device, tmp_path, is_faster):
    names = [field.name for field in fields(Rates)]
    own = dict.fromkeys(names, 2.0 if is_faster else 0.5)
    (tmp_path / "rates").mkdir()
    rates = {"cpu": dict.fromkeys(names, 1.0), str(device): own}
    (tmp_path / "rates" / "rates.json").write_text(json.dumps({platform.node(): rates}))
    environment = {name: value for name, value in os.environ.items() if name != "XTENSOR_DEVICE"}
    environment["XTENSOR_CACHE_DIR"] = str(tmp_path)
    command = [sys.executable, "-c", CHOICE]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    chosen, total, imports_opencl = json.loads(done.stdout)
    assert (chosen == device) == is_faster
    assert total == 5.0
    assert imports_opencl == (is_faster and device.backend == "opencl")


# -- kernels, the host, memory ----------------------------------------------------------------------------------------


def test_fused_function_is_one_kernel():
    function = xp.fuse(lambda x, y: xp.sin(x) * y + xp.sqrt(y) - 2.0)
    x, y = (xp.arange(1.0, 1001.0) for _ in range(2))
    function(x, y)
    with xp.profile() as record:
        result = function(x, y)
    assert [key[2] for key in record.records] == ["fused kernel"]
    assert result.tolist() == (xp.sin(x) * y + xp.sqrt(y) - 2.0).tolist()


@pytest.mark.parametrize("expression", ["x + 1.0", "xp.linalg.svd(x)[1]", "xp.nn.functional.layer_norm(x, x[0], x[1])"])
def test_first_call_of_a_process_may_be_fused(device, expression):
    # wgpu parses the types of its interface when they are first used.
    program = f"""
import xtensor as xp
x = xp.reshape(xp.arange(16.0, device={str(device)!r}), (4, 4))
function = lambda x: {expression}
assert xp.all(xp.abs(xp.fuse(function)(x) - function(x)) < 1e-4)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_profile_lists_what_the_host_computes(device):
    x = xp.asarray([[2.0, 1.0], [1.0, 3.0]])
    with xp.profile() as record:
        xp.linalg.cholesky(x)
        x + x
    assert [key for key in record.records if key[2] == "host"] == [("linalg.cholesky", str(device), "host")]


def test_gradient_of_an_exact_function(device):
    gradient = xp.autograd.grad(lambda x: xp.sum(x * x * x))(xp.asarray([1.0, 2.0, -3.0]))
    assert (gradient.device, gradient.tolist()) == (device, [3.0, 12.0, 27.0])


def test_memory_of_released_arrays_is_used_again_and_can_be_returned(device):
    device.release_memory()
    before = device.memory()
    x = xp.ones(2**18)
    during = device.memory()
    assert during.pool_used - before.pool_used >= x.nbytes
    del x
    after = device.memory()
    assert after.pool_total == during.pool_total > after.pool_used
    y = xp.ones(2**18)
    assert device.memory().pool_total == during.pool_total
    del y
    device.release_memory()
    assert device.memory().pool_total == device.memory().pool_used


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_forked_process_is_refused(device):
    assert status_of_forked_process(str(device)) == REFUSED
