"""Scaled dot-product attention of ``xtensor.nn`` against a reference that computes one query at a time."""

from __future__ import annotations

import numpy as np
import pytest
from nn_support import FLOATS, asarray, dtype_on, expect, extended, normal
from strategies import values_of

import xtensor as xp
from xtensor.nn import functional as F  # noqa: N812 - conventional alias


def attention_reference(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    mask: np.ndarray | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> np.ndarray:
    """Return the softmax-weighted mean of the values, computed for one query at a time."""
    query, key, value = map(extended, (query, key, value))
    scale = 1 / np.sqrt(np.longdouble(query.shape[-1])) if scale is None else scale
    result = np.zeros((*query.shape[:-1], value.shape[-1]), np.longdouble)
    for index in np.ndindex(*query.shape[:-1]):
        *head, position = index
        if head:
            head[-1] = head[-1] * key.shape[-3] // query.shape[-3]
        keys, values = key[tuple(head)], value[tuple(head)]
        scores = np.sum(keys * query[index], axis=-1) * scale
        attended = np.arange(len(keys)) <= position if causal else np.ones(len(keys), bool)
        if mask is not None and mask.dtype == bool:
            attended &= mask[index]
        elif mask is not None:
            scores = scores + mask[index]
        if attended.any():
            weights = np.exp(scores[attended])
            result[index] = np.average(values[attended], axis=0, weights=weights)
    return result


def attention_operands(n: int, m: int, dtype=np.float32, heads: int = 3, key_heads: int = 3) -> tuple[np.ndarray, ...]:
    query, key = normal((2, heads, n, 16), dtype, 0, 1.0), normal((2, key_heads, m, 16), dtype, 1, 1.0)
    return query, key, normal((2, key_heads, m, 8), dtype, 2)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("lengths", [(1, 1), (5, 7), (40, 40), (33, 70), (3, 0)])
def test_attention(device, name, causal, lengths):
    dtype = dtype_on(device, name)
    operands = attention_operands(*lengths, dtype)
    result = F.scaled_dot_product_attention(*map(asarray, operands), causal=causal)
    expect(result, attention_reference(*operands, causal=causal), dtype, scale=6.0)


@pytest.mark.parametrize("mask_heads", [None, 1, "heads"])
@pytest.mark.parametrize("heads", [(4, 2), (6, 1), (3, 3)])
def test_attention_with_grouped_queries(device, heads, mask_heads):
    operands = attention_operands(9, 12, heads=heads[0], key_heads=heads[1])
    shape = (9, 12) if mask_heads is None else (heads[0] if mask_heads == "heads" else 1, 9, 12)
    mask = np.random.default_rng(3).random(shape) > 0.3
    expected = attention_reference(*operands, np.broadcast_to(mask, (2, heads[0], 9, 12)))
    result = F.scaled_dot_product_attention(*map(asarray, operands), mask=asarray(mask))
    expect(result, expected, np.float32, scale=6.0)


def test_attention_of_matrices_without_heads(device):
    operands = [x[0, 0] for x in attention_operands(5, 7)]
    expect(
        F.scaled_dot_product_attention(*map(asarray, operands)),
        attention_reference(*operands),
        np.float32,
        scale=6.0,
    )


@pytest.mark.parametrize("shape", [(9, 12), (1, 12), (9, 1), (3, 9, 12), (2, 1, 9, 12), (2, 3, 9, 12), (12,), ()])
@pytest.mark.parametrize("kind", ["boolean", "additive"])
def test_mask_broadcasts_over_heads_and_queries(device, shape, kind):
    operands = attention_operands(9, 12)
    numbers = normal(shape, seed=4)
    mask = np.asarray(numbers > -1.0 if kind == "boolean" else numbers)
    expected = attention_reference(*operands, np.broadcast_to(mask, (2, 3, 9, 12)), scale=0.25)
    result = F.scaled_dot_product_attention(*map(asarray, operands), mask=asarray(mask), scale=0.25)
    expect(result, expected, np.float32, scale=6.0)


@pytest.mark.parametrize("kind", ["boolean", "additive"])
def test_attention_of_a_fully_masked_query_is_zero(device, kind):
    operands = [x[0, 0] for x in attention_operands(4, 5)]
    attends = np.array([[True] * 5, [False] * 5, [True] * 5, [False] * 5])
    mask = attends if kind == "boolean" else np.where(attends, 0.0, -np.inf).astype(np.float32)
    result = F.scaled_dot_product_attention(*map(asarray, operands), mask=asarray(mask))
    expect(result, attention_reference(*operands) * attends[:, :1], np.float32, scale=6.0)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_attention_of_a_fully_masked_query_is_zero_beside_values_that_are_not_finite(device, name, value):
    x = xp.ones((2, 3), dtype=dtype_on(device, name))
    mask = xp.asarray([[False, False], [True, True]])
    result = values_of(F.scaled_dot_product_attention(x, x, x * value, mask=mask))
    assert result[0].tolist() == [0.0] * 3
    assert not np.isfinite(result[1]).any()


def test_attention_of_zero_query_heads_is_empty(device):
    query, key = xp.ones((0, 4, 8)), xp.ones((2, 5, 8))
    assert F.scaled_dot_product_attention(query, key, xp.ones((2, 5, 3))).shape == (0, 4, 3)


def test_attention_of_strided_operands(device):
    x = normal((2, 20, 3, 4, 16), scale=1)  # batch, position, query or key or value, head, features
    packed = asarray(x)
    operands = (xp.moveaxis(packed[:, :, part, ...], 1, 2) for part in range(3))
    expected = attention_reference(*(np.swapaxes(x[:, :, part], 1, 2) for part in range(3)))
    expect(F.scaled_dot_product_attention(*operands), expected, np.float32, scale=6.0)
