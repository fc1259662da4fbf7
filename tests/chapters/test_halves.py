"""Arithmetic of float16 and bfloat16 on each device that computes with them, against exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import xtensor as xp

pytestmark = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])

DIVIDENDS = (1000.0, -1000.0, 276.0, 306.0, -294.0, 13.1875, -7.0, 0.0078125, 0.0)
DIVISORS = (3.0, -2.5, 2.5, 0.7890625, -0.12890625, 7.0, 100.5)


@pytest.fixture
def pairs(device, dtype):
    """Dividends and divisors of a dtype on the device, and the same as fractions."""
    if dtype not in device.dtype_names() or not hasattr(xp, dtype):
        pytest.skip(f"the device does not compute with {dtype}")
    dividends, divisors = [x.reshape(-1) for x in np.meshgrid(DIVIDENDS, DIVISORS)]
    arrays = [xp.asarray(x, dtype=getattr(xp, dtype)) for x in (dividends, divisors)]
    exact = [[Fraction(value) for value in xp.to_numpy(x).astype(float).tolist()] for x in arrays]
    return arrays, list(zip(*exact, strict=True))


def rounded(values: list[Fraction], dtype: str) -> list[float]:
    """Return numbers that float64 holds, rounded once to a dtype."""
    assert all(Fraction(float(value)) == value for value in values)
    kind = getattr(xp, dtype)
    return np.asarray([float(value) for value in values]).astype(kind).astype(float).tolist()  # type: ignore[no-any-return]


def test_floor_divide_is_rounded_once(pairs, dtype):
    (x, y), exact = pairs
    expected = rounded([Fraction(math.floor(a / b)) for a, b in exact], dtype)
    result = xp.floor_divide(x, y)
    assert result.dtype == x.dtype
    assert xp.to_numpy(result).astype(float).tolist() == expected


def test_remainder_is_rounded_once(pairs, dtype):
    (x, y), exact = pairs
    expected = rounded([a - b * math.floor(a / b) for a, b in exact], dtype)
    result = xp.remainder(x, y)
    assert result.dtype == x.dtype
    assert xp.to_numpy(result).astype(float).tolist() == expected
