"""Kernels of functions of networks for few rows: their values, and what they leave to NumPy's functions."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor.nn import functional
from xtensor_backends.llvm import _few_rows


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


@pytest.fixture
def used(monkeypatch):
    """A 1 for each call of a kernel."""
    calls = []
    for name in ("call", "call_unlocked"):
        call = getattr(_few_rows, name)
        monkeypatch.setattr(_few_rows, name, lambda *args, call=call: (calls.append(1), call(*args))[1])
    return calls


@pytest.mark.parametrize("shape", [(2048,), (1, 7), (3, 65)], ids=str)
@pytest.mark.parametrize("weighted", [True, False])
def test_norm_divides_by_the_root_of_the_mean_square(shape, weighted):
    x, weight = normal(*shape), normal(shape[-1]) if weighted else None
    weight_array = None if weight is None else xp.asarray(weight, device="cpu")
    found = functional.rms_norm(xp.asarray(x, device="cpu"), weight_array, eps=0.5)
    exact = x.astype(np.float64)
    expected = exact / np.sqrt(np.mean(exact**2, axis=-1, keepdims=True) + 0.5) * (1.0 if weight is None else weight)
    np.testing.assert_allclose(xp.to_numpy(found), expected, rtol=1e-6)


@pytest.mark.parametrize("factor", [1e20, 1e-30])
def test_norm_whose_squares_leave_the_range_is_right(factor):
    x = normal(1, 64) * np.float32(factor)
    exact = x.astype(np.float64)
    expected = exact / np.sqrt(np.mean(exact**2, axis=-1, keepdims=True))
    found = functional.rms_norm(xp.asarray(x, device="cpu"), eps=0.0)
    np.testing.assert_allclose(xp.to_numpy(found), expected, rtol=1e-6)


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("shape", [(3, 8), (4, 3, 40), (2, 4, 1, 6)], ids=str)
def test_positions_multiply_complex_numbers(shape, interleaved, used):
    x, angles = normal(*shape), normal(shape[-2], shape[-1] // 2)
    arrays = [xp.asarray(array, device="cpu") for array in (x, np.cos(angles), np.sin(angles))]
    found = xp.to_numpy(functional.rotary_embedding(*arrays, interleaved=interleaved))
    half = shape[-1] // 2
    first, second = (np.s_[..., ::2], np.s_[..., 1::2]) if interleaved else (np.s_[..., :half], np.s_[..., half:])
    expected = (x[first] + 1j * x[second]) * np.exp(1j * angles.astype(np.float64))
    np.testing.assert_allclose(found[first] + 1j * found[second], expected, rtol=0, atol=2e-6)
    assert used == [1]


@pytest.mark.parametrize(("heads", "groups"), [(1, 1), (6, 2), (32, 4)])
@pytest.mark.parametrize(("keys", "size", "width"), [(1, 64, 64), (21, 5, 3), (100, 32, 48)])
@pytest.mark.parametrize("threads", [1, 2])
def test_attention_of_one_query_is_a_weighted_mean(heads, groups, keys, size, width, threads, used):
    query, key, value = normal(heads, 1, size), normal(groups, 200, size), normal(groups, 200, width)
    key, value = key[:, 50 : 50 + keys, :], value[:, 50 : 50 + keys, :]
    with _few_rows._threads.limit(threads):
        found = functional.scaled_dot_product_attention(
            *[xp.asarray(array, device="cpu", copy=False) for array in (query, key, value)], causal=keys == 1, scale=0.3
        )
    query, key, value = (array.astype(np.float64) for array in (query, key, value))
    for head in range(heads):
        group = head // (heads // groups)
        weights = np.exp(query[head] @ key[group].T * 0.3)
        expected = weights @ value[group] / weights.sum(axis=-1, keepdims=True)
        np.testing.assert_allclose(xp.to_numpy(found)[head], expected, rtol=0, atol=2e-6)
    assert used == [1]


def test_scores_of_any_size_have_weights(used):
    key = np.asarray([[[1.0], [0.0], [-1.0]]], np.float32)
    value = np.asarray([[[1.0], [2.0], [4.0]]], np.float32)
    for number, expected in ((1e30, 1.0), (-1e30, 4.0), (1e-30, 7 / 3)):
        arrays = [xp.asarray(array, device="cpu") for array in (np.asarray([[[number]]], np.float32), key, value)]
        assert float(functional.scaled_dot_product_attention(*arrays)[0, 0, 0]) == pytest.approx(expected, rel=1e-6)
    assert used == [1] * 3


@pytest.mark.parametrize("number", [np.inf, -np.inf, np.nan])
def test_attention_with_scores_that_are_not_finite_is_left_to_numpy(number):
    query = normal(2, 1, 4)
    query[0, 0, 0] = number
    options = {"causal": False, "scale": 1.0, "precision": "exact"}
    assert _few_rows._attention(query, normal(2, 3, 4), normal(2, 3, 4), None, **options) is NotImplemented


@pytest.mark.parametrize(
    "change",
    [
        lambda q, k, v: (q.astype(np.float64), k.astype(np.float64), v.astype(np.float64)),
        lambda q, k, v: (np.repeat(q, 2, axis=1), k, v),
        lambda q, k, v: (q[..., ::2], k[..., ::2], v),
        lambda q, k, v: (q[None], k[None], v[None]),
        lambda q, k, v: (np.repeat(q, 100, axis=-1), np.repeat(k, 100, axis=-1), v),
    ],
)
def test_attention_of_other_operands_is_left_to_numpy(change, used):
    arrays = change(normal(4, 1, 4), normal(2, 3, 4), normal(2, 3, 4))
    found = _few_rows._attention(*arrays, None, causal=False, scale=1.0, precision="exact")
    assert found is NotImplemented
    assert used == []
