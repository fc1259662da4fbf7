"""Functions of networks for few rows on NumPy's arrays: their values, and what they leave to the formulas."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp
from xtensor_backends.numpy import _few_rows


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).standard_normal(shape)


@pytest.mark.parametrize(("queries", "keys", "causal"), [(1, 21, False), (3, 21, False), (1, 1, True)])
def test_attention_of_few_queries_is_a_weighted_mean(queries: int, keys: int, causal: bool) -> None:
    query, key, value = normal(4, queries, 8), normal(2, 50, 8)[:, 10:31, :], normal(2, 50, 5)[:, 10:31, :]
    key, value = key[:, :keys, :], value[:, :keys, :]
    found = _few_rows.scaled_dot_product_attention(query, key, value, None, causal=causal, scale=0.3, precision="exact")
    for head in range(4):
        weights = np.exp(query[head] @ key[head // 2].T * 0.3)
        expected = weights @ value[head // 2] / weights.sum(axis=-1, keepdims=True)
        np.testing.assert_allclose(found[head], expected, rtol=1e-12)


def test_only_query_attends_causally_to_the_first_key(device: xp.Device) -> None:
    query, key, value = (xp.asarray(normal(2, length, 4)) for length in (1, 3, 3))
    found = xp.nn.functional.scaled_dot_product_attention(query, key, value, causal=True)
    np.testing.assert_allclose(xp.to_numpy(found), xp.to_numpy(value[:, :1, :]), rtol=1e-6)


@pytest.mark.parametrize("number", [np.inf, np.nan])
def test_attention_with_scores_that_are_not_finite_is_left_to_the_formula(number: float) -> None:
    query = normal(2, 1, 4)
    query[0, 0, 0] = number
    arrays = query, normal(2, 3, 4), normal(2, 3, 4)
    options = {"causal": False, "scale": 1.0, "precision": "exact"}
    assert _few_rows.scaled_dot_product_attention(*arrays, None, **options) is NotImplemented


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_norm_whose_squares_leave_the_range_is_left_to_the_formula(factor: float) -> None:
    assert _few_rows.rms_norm(normal(1, 64) * factor, None, axes=(1,), eps=0.0) is NotImplemented


def test_norm_of_few_rows_has_the_mean_square_1() -> None:
    found = _few_rows.rms_norm(normal(3, 64), np.full(64, 2.0), axes=(1,), eps=0.0)
    np.testing.assert_allclose(np.mean(found**2, axis=1), 4.0, rtol=1e-12)


@pytest.mark.parametrize("interleaved", [True, False])
def test_rotary_embedding_multiplies_by_complex_numbers(interleaved: bool) -> None:
    x, angles = normal(2, 3, 8), normal(3, 4)
    found = _few_rows.rotary_embedding(x, np.cos(angles), np.sin(angles), interleaved=interleaved)
    first, second = (np.s_[..., ::2], np.s_[..., 1::2]) if interleaved else (np.s_[..., :4], np.s_[..., 4:])
    expected = (x[first] + 1j * x[second]) * np.exp(1j * angles)
    np.testing.assert_allclose(found[first] + 1j * found[second], expected, rtol=1e-12)
