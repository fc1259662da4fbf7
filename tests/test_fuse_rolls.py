"""Rolled arrays within fused functions, which kernels read without a copy, beside NumPy's rolls."""

from __future__ import annotations

import importlib.util
import itertools

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd

COMPILED = importlib.util.find_spec("llvmlite") is not None

SHAPES = [(10_000,), (257,), (64,), (17,), (100, 200), (3, 5_000), (5_000, 3), (20, 30, 40), (2, 3, 4, 50), (1_000, 1)]

SHIFTS = [1, -1, 3, -7, 0, 10_001]


def shifts_of(shape):
    """Return shifts and axes of a shape: one axis, two in one call, one of them twice, and the flat array."""
    last = len(shape) - 1
    for number, shift in enumerate(SHIFTS):
        yield shift, number % len(shape)
        yield (shift, 2), (last, 0)
        yield (shift, -1, 4), (0, last, 0)
    yield 5, None


def actions_of(fused):
    """Return the names of a recording's kernels and calls."""
    ((recorded,),) = fused._plans.values()
    return [action.__doc__ for action in recorded.plan.actions]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8"])
@pytest.mark.parametrize("place", ["cpu", "numpy"])
def test_rolled_operands_are_those_of_numpy(shape, dtype, place):
    values = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    for shift, axis in shifts_of(shape):
        fused = xp.fuse(
            lambda u, shift=shift, axis=axis: u - xp.roll(u, shift, axis=axis) * xp.roll(u * u, 2, axis=axis)
        )
        expected = values - np.roll(values, shift, axis) * np.roll(values * values, 2, axis)
        for _ in range(2):
            np.testing.assert_array_equal(np.asarray(fused(xp.asarray(values, device=place))), expected, strict=True)


@pytest.mark.skipif(not COMPILED, reason="needs llvmlite, the extra xtensor[llvm]")
def test_kernel_reads_the_rolled_array_itself():
    u = xp.asarray(np.random.default_rng(1).normal(size=(40, 300)), device="cpu")
    fused = xp.fuse(lambda u: u + 0.1 * (xp.roll(u, 1, axis=1) - 2.0 * u + xp.roll(u, (-1, 3), axis=(1, 0))))
    fused(u)
    assert actions_of(fused) == ["roll roll multiply subtract add multiply add"]


@pytest.mark.skipif(not COMPILED, reason="needs llvmlite, the extra xtensor[llvm]")
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda u: (xp.roll(u, 1), u * 2.0), "a result"),
        (lambda u: xp.sum(xp.roll(u, 1) + 0.0 * u), "read by the kernel of a reduction"),
        (lambda u: xp.max(xp.roll(u, 1)) + xp.roll(u, 1), "read by a reduction itself"),
        (lambda u: (xp.sum(xp.roll(u, 1) * u), xp.roll(u, 1) - u), "read by two kernels, of which one reduces"),
        (lambda u: xp.sort(xp.roll(u, 1)) * 2.0, "read by a call"),
        (lambda u: xp.roll(xp.reshape(u, (50, 20)), 3) * 2.0, "a flat array of two axes"),
        (lambda u: xp.roll(u, 1) * xp.reshape(u, (1000, 1))[:1], "beside an array that broadcasts"),
        (lambda u: xp.roll(xp.reshape(u, (500, 2)), 1, axis=1) * 2.0, "short rows"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_other_rolls_are_computed_before(function, reason):
    u = xp.asarray(np.random.default_rng(2).normal(size=1000), device="cpu")
    fused, expected = xp.fuse(function), function(u)
    for _ in range(2):
        found = fused(u)
        for item, wanted in zip(*[x if isinstance(x, tuple) else (x,) for x in (found, expected)], strict=True):
            np.testing.assert_allclose(np.asarray(item), np.asarray(wanted), rtol=1e-14)
    names = actions_of(fused)
    from xtensor_backends.llvm._sizes import SHORTEST

    assert names.count("roll") == (reason != "short rows" or SHORTEST > 2)


def test_arrays_of_another_order_are_rolled_before():
    values = np.asfortranarray(np.random.default_rng(3).normal(size=(60, 70)))
    fused = xp.fuse(lambda u: u - xp.roll(u, 1, axis=0))
    fused(xp.asarray(np.ascontiguousarray(values), device="cpu"))
    for given in (values, values[::-1, ::2], np.broadcast_to(values[:1], (60, 70))):
        x = xp.asarray(given, device="cpu")
        np.testing.assert_array_equal(np.asarray(fused(x)), given - np.roll(given, 1, 0))


def test_an_array_that_is_rolled_before_stays_for_later_kernels():
    row = np.arange(30.0)

    def function(u, xp=np):
        rolled = xp.roll(u, 1, axis=0)
        first = xp.sort(rolled * (row if xp is np else xp.asarray(row, device="cpu")), axis=1)
        second = xp.sort(rolled * 2.0 + first, axis=1)
        return rolled * (row if xp is np else xp.asarray(row, device="cpu")) + second

    values = np.random.default_rng(6).normal(size=(20, 30))
    fused = xp.fuse(lambda u: function(u, xp))
    for given in (values, np.asfortranarray(values)):
        for _ in range(2):
            found = np.asarray(fused(xp.asarray(given, device="cpu")))
            np.testing.assert_allclose(found, function(values), rtol=1e-14)


def test_empty_and_single_arrays():
    for shape, shift in itertools.product([(0,), (1,), (0, 5), (5, 0), (1, 1)], (1, -3)):
        fused = xp.fuse(lambda u, shift=shift: u * 2.0 - xp.roll(u, shift, axis=0))
        values = np.ones(shape)
        np.testing.assert_array_equal(np.asarray(fused(xp.asarray(values, device="cpu"))), values, strict=True)


def test_gradient_of_differences_on_a_ring():
    values = np.random.default_rng(4).normal(size=500)
    gradient = xp.fuse(autograd.grad(lambda u: xp.sum((u - xp.roll(u, 1)) ** 2)))
    expected = 2 * (2 * values - np.roll(values, 1) - np.roll(values, -1))
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(gradient(xp.asarray(values, device="cpu"))), expected, rtol=1e-13)


def test_a_number_changes_without_another_recording():
    values = np.random.default_rng(5).normal(size=300)
    step = xp.fuse(lambda u, rate: u + rate * xp.roll(u, -1))
    for rate in (0.5, 0.25):
        found = np.asarray(step(xp.asarray(values, device="cpu"), rate))
        np.testing.assert_allclose(found, values + rate * np.roll(values, -1), rtol=1e-15)
    assert len(step._plans) == 1
