"""Fused programs of several kernels: groups of rows, equal calls, constants, gradients, profilers."""

from __future__ import annotations

import cProfile
import importlib.util
from typing import Any

import numpy as np
import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

import xtensor as xp
from xtensor import autograd, fuse
from xtensor.nn import functional


def array(*shape: int) -> xp.Array:
    return xp.asarray(np.random.default_rng(0).standard_normal(shape), device="cpu")


def softmax(x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def plan_of(fused: Any) -> Any:
    return next(iter(fused._plans.values()))[0].plan


def assert_replayed(function: Any, *args: Any) -> Any:
    """Compare a replay with the function, and return the fused function."""
    fused = fuse(function)
    fused(*args)
    found, expected = fused(*args), function(*args)
    for x, y in zip(*[[z] if isinstance(z, xp.Array) else z for z in (found, expected)], strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-12, atol=1e-13)
    return fused


def test_groups_of_rows_of_two_lengths_that_need_each_other():
    def both(x, y, x2, y2):
        first = softmax(x)
        second = softmax(y + xp.sum(first * x, axis=-1, keepdims=True))
        third = softmax(y2)
        return second, softmax(x2 + xp.sum(third * y2, axis=-1, keepdims=True))

    assert_replayed(both, array(32, 4), array(32, 8), array(32, 4), array(32, 8))


@pytest.mark.parametrize("shape", [(32, 8), (4, 8, 8)])
def test_view_of_one_number_for_a_row_is_a_row(shape):
    view = xp.broadcast_to(array(*shape[:-1], 1), shape)
    assert_replayed(lambda x, y: (softmax(x) * y, y * 2.0), array(*shape), view)


def test_mask_of_the_last_two_axes_is_a_part_of_the_rows_kernel():
    mask = xp.asarray(np.tri(16, dtype=bool), device="cpu")
    fused = assert_replayed(lambda x, mask: softmax(xp.where(mask, x, -1e30)), array(4, 3, 16, 16), mask)
    assert plan_of(fused).kernels == 1


def test_equal_calls_are_made_once():
    fused = assert_replayed(lambda x, y: (xp.exp(x @ y), xp.sin(x @ y)), array(20, 20), array(20, 20))
    assert [kind for kind, _ in plan_of(fused).kinds].count("call") == 1


def test_equal_results_are_two_arrays():
    x, y = array(20, 20), array(20, 20)
    fused = fuse(lambda x, y: (x @ y, x @ y))
    fused(x, y)
    first, second = fused(x, y)
    first[...] = 0.0
    assert float(xp.max(xp.abs(second))) > 0.0


def test_constants_that_differ_in_the_sign_of_zero_are_two():
    def signs(x):
        zeros = xp.asarray([0.0, 0.0], device="cpu"), xp.asarray([-0.0, -0.0], device="cpu")
        return [xp.copysign(x, zero) for zero in zeros]

    assert_replayed(signs, xp.asarray([1.0, 2.0], device="cpu"))


def test_write_to_what_a_constant_condition_selects_is_no_write_to_the_operand():
    def written(x):
        y = x @ x
        z = xp.where(xp.ones((20, 20), dtype=xp.bool, device="cpu"), y, 0.0)
        z[0, :] = 7.0
        return y, z

    assert_replayed(written, array(20, 20))


def test_result_that_a_constant_condition_selects_is_a_new_array():
    x = array(20, 20)
    fused = fuse(lambda x: xp.where(xp.ones((20, 20), dtype=xp.bool, device="cpu"), x, 0.0))
    fused(x)
    fused(x)[...] = 0.0
    assert float(xp.max(xp.abs(x))) > 0.0


def test_constants_are_computed_by_the_recording():
    def masked(x):
        places = xp.arange(16, device="cpu")
        return xp.where(places[:, None] >= places[None, :], x, 0.0)

    fused = assert_replayed(masked, array(16, 16))
    assert plan_of(fused).kernels == 1
    assert len(plan_of(fused).actions) == 1


def test_constant_that_the_function_writes_to_has_its_new_elements():
    def written(x):
        zeros = xp.zeros(4, device="cpu")
        before = zeros + 1.0
        zeros[0] = 5.0
        return x + zeros + 1.0, x + before

    assert_replayed(written, array(4))


def attention(q: Any) -> Any:
    return xp.sum(functional.scaled_dot_product_attention(q, q * 2.0, q * 3.0, causal=True) ** 2)


GRADIENTS = {
    "attention": (attention, (2, 3, 16, 8)),
    "layer_norm": (lambda x: xp.sum(functional.layer_norm(x) ** 3), (32, 16)),
    "gelu by tanh": (lambda x: xp.sum(functional.gelu(x, approximate="tanh") ** 2), (32, 16)),
    "slices": (lambda x: xp.sum(xp.exp(x[:, 2:5]) * x[:, 4:7]), (32, 16)),
    "relu": (lambda x: xp.sum((functional.relu(x) @ xp.matrix_transpose(x)) ** 2), (32, 16)),
    "conv2d": (lambda x: xp.sum(functional.conv2d(x, x[:3, :, :3, :3], padding=1) ** 2), (4, 2, 8, 8)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradient_of_a_replay(name):
    function, shape = GRADIENTS[name]
    assert_replayed(autograd.grad(function), array(*shape))


def test_function_is_recorded_under_a_profiler_in_c():
    profile = cProfile.Profile()
    profile.enable()
    try:
        found = fuse(lambda x: xp.sum(x * 2.0))(array(4))
    finally:
        profile.disable()
    assert found.shape == ()
    assert profile.getstats()
