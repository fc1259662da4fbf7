"""Comparison of what a consumer makes of Arrays with what it makes of NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import xtensor as xp


def on_host(value: Any) -> Any:
    """Return a value with NumPy arrays in the place of Arrays, also in sequences and dictionaries."""
    if isinstance(value, xp.Array):
        return value.numpy()
    if isinstance(value, (list, tuple)):
        return [on_host(item) for item in value]
    if isinstance(value, dict):
        return {key: on_host(item) for key, item in value.items()}
    return value


def assert_same(result: Any, expected: Any, *, rtol: float = 0.0) -> None:
    """Fail unless two results have the same shapes, dtypes and values, within ``rtol``."""
    result, expected = on_host(result), on_host(expected)
    if isinstance(expected, (list, dict)):
        assert len(result) == len(expected)
        keys = expected if isinstance(expected, dict) else range(len(expected))
        for key in keys:
            assert_same(result[key], expected[key], rtol=rtol)
        return
    if not isinstance(expected, (np.ndarray, np.generic, float, complex)):
        assert result == expected
        return
    result, expected = np.asarray(result), np.asarray(expected)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    if expected.dtype.kind in "fc":
        np.testing.assert_allclose(result, expected, rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(result, expected)
