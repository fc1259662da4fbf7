"""Operands, comparison and dtype selection of the tests of ``xtensor.nn``."""

from __future__ import annotations

import numpy as np
import pytest
from strategies import quiet, values_of

import xtensor as xp

FLOATS = ("float16", "bfloat16", "float32", "float64")


def dtype_on(device: xp.Device, name: str) -> np.dtype:
    """The dtype of a name; skips the test where the device does not support it."""
    if name == "bfloat16":
        pytest.importorskip("ml_dtypes", reason="ml_dtypes, which defines bfloat16, is not installed")
        dtype = xp.bfloat16
    else:
        dtype = np.dtype(name)
    if not device.supports(dtype):
        pytest.skip(f"{device} does not support {name}")
    return dtype


def normal(shape, dtype=np.float32, seed: int = 0, scale: float = 2.0) -> np.ndarray:
    """Normally distributed values with a standard deviation of ``scale``."""
    return (np.random.default_rng(seed).normal(size=shape) * scale).astype(dtype)


def extended(x: np.ndarray) -> np.ndarray:
    """The same values in NumPy's widest floating-point dtype."""
    return x.astype(np.float64).astype(np.longdouble)


def asarray(x: np.ndarray) -> xp.Array:
    """A copy of the values on the default device."""
    return xp.asarray(x, copy=True)


def expect(result: xp.Array, expected: np.ndarray, dtype, *, ulp: float = 8, scale: float | None = None) -> None:
    """Fail unless an Array has the expected dtype, shape and values.

    ``ulp`` is the admissible error in units in the last place, of ``scale`` where that exceeds the expected value.
    """
    assert type(result) is xp.Array
    assert result.device is xp.default_device()
    assert result.dtype == dtype
    assert result.shape == np.shape(expected)
    limits = xp.finfo(dtype)
    values = extended(values_of(result))
    with quiet():
        margin = limits.eps * ulp * np.maximum(np.abs(expected), scale or 0.0) + limits.smallest_normal
        same = (values == expected) | (np.isnan(values) & np.isnan(expected)) | (np.abs(values - expected) <= margin)
    assert np.all(same), (values[~same], np.asarray(expected)[~same])
