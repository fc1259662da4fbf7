"""Reductions of OpenCL's devices in lanes: lengths around their number, every order of axes, rounding errors."""

from __future__ import annotations

import itertools
import math

import mpmath
import numpy as np
import pytest
from library_devices import opened_or_skipped

pytest.importorskip("pyopencl", reason="pyopencl is not installed: environment tests-opencl")

import xtensor as xp
from xtensor._core.calls import wrap
from xtensor.backend import REDUCTIONS, Reduction
from xtensor_backends.buffers.reductions import reduce
from xtensor_backends.kernels.reductions import KERNEL_REDUCTIONS

DEVICE = "opencl:0"

SHAPES = (
    (1,),
    (31,),
    (127,),
    (128,),
    (129,),
    (8320,),
    (70_001,),
    (3, 4),
    (33, 130),
    (130, 33),
    (2, 300, 3),
    (40, 5, 33),
)

VIEWS = {
    "whole": lambda x: x,
    "reversed": lambda x: x[..., ::-1],
    "every second": lambda x: x[..., ::2],
    "transposed": lambda x: xp.permute_dims(x, tuple(range(x.ndim))[::-1]),
    "repeated": lambda x: xp.broadcast_to(x, (3, *x.shape)),
}


@pytest.fixture(scope="module", autouse=True)
def opened():
    return opened_or_skipped(DEVICE)


def sums(values, axes):
    """The sums of an array of integers along axes, by Python's integers."""
    kept = [k for k in range(values.ndim) if k not in axes]
    result = {}
    for position in itertools.product(*map(range, values.shape)):
        key = tuple([position[k] for k in kept])
        result[key] = result.get(key, 0) + int(values[position])
    return list(result.values())


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_of_integers_are_exact_along_all_axes(shape, view):
    values = np.random.default_rng(1).integers(-99, 99, shape)
    for dtype in (xp.int32, xp.float32, xp.complex128):
        x = VIEWS[view](xp.asarray(values.astype(dtype), device=DEVICE))
        host = xp.to_numpy(x).real
        for count in range(1, x.ndim + 1):
            for axes in itertools.combinations(range(x.ndim), count):
                found = xp.to_numpy(xp.sum(x, axis=axes)).ravel().tolist()
                assert found == sums(host, axes), (dtype, axes)


@pytest.mark.parametrize("length", [100, 4097, 300_000])
def test_maximum_is_found_at_every_end_and_nan_wins(length):
    for position in (0, 1, length // 2, length - 2, length - 1):
        values = np.full(length, -2.0)
        values[position] = -1.0
        assert float(xp.max(xp.asarray(values, device=DEVICE))) == -1.0
        values[position] = math.nan
        assert math.isnan(float(xp.max(xp.asarray(values, device=DEVICE))))


def test_products_of_complex_numbers_keep_infinite_parts():
    found = complex(xp.prod(xp.asarray([complex(math.inf, 0.0)], device=DEVICE)))
    assert (found.real, found.imag) == (math.inf, 0.0)


def test_rounding_errors_of_long_sums_are_small():
    values = np.full(3_000_000, 0.1, np.float32)
    exact = float(values[0]) * len(values)
    assert float(xp.sum(xp.asarray(values, device=DEVICE))) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("shape", [(1000,), (200, 40), (40, 200)], ids=str)
def test_fused_sums_compute_elements_that_formulas_do_not_cover(shape):
    values = np.linspace(1.0, 3.0, math.prod(shape)).reshape(shape)
    values.flat[::97] = 1e22
    function = xp.fuse(lambda x: xp.sum(xp.sin(x), axis=0))
    found = xp.to_numpy(function(xp.asarray(values, device=DEVICE)))
    with mpmath.workdps(60):
        rows = values.reshape(shape[0], -1)
        expected = [float(mpmath.fsum([mpmath.sin(float(x)) for x in column])) for column in rows.T]
    np.testing.assert_allclose(np.ravel(found), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_each_reduction_of_the_record_is_computed(name):
    values = np.random.default_rng(0).integers(0, 2, (40, 5, 33)).astype(np.float32)
    for axis in (None, 0, 1, (0, 2)):
        found = getattr(xp, name)(xp.asarray(values, device=DEVICE), axis=axis)
        assert xp.to_numpy(found).tolist() == getattr(np, name)(values, axis=axis).tolist()


def test_kernels_compute_a_new_reduction_by_its_record(monkeypatch):
    monkeypatch.setitem(KERNEL_REDUCTIONS, "xor", Reduction("bitwise_xor"))
    values = np.random.default_rng(0).integers(-(2**62), 2**62, (40, 5, 33))
    x = xp.asarray(values, device=DEVICE)
    for axes in ((0,), (1,), (0, 2), (0, 1, 2)):
        found = xp.to_numpy(wrap(reduce("xor", x._native, axes, keepdims=False), x._device))
        np.testing.assert_array_equal(found, np.bitwise_xor.reduce(values, axis=axes), strict=True)
