"""Means, deviations and normalizations by Triton's kernels whose sums or squares leave the range."""

from __future__ import annotations

import math

import numpy as np
import pytest

import xtensor as xp
from xtensor.nn import functional

NUMBERS = [3.0, 5.0, -1.0, 1.0, -3.0, 7.0]
"""Elements of mean 2, whose distances from it have the sum of squares 70; the sum of their squares is 94."""


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "float64"])
@pytest.mark.parametrize("exponent", [0.0, 0.97, 0.6, -0.6, -0.9])
@pytest.mark.parametrize("copies", [1, 6000])
def test_rows_at_the_ends_of_the_range(device, dtype, exponent, copies):
    if device.backend != "triton":
        pytest.skip("of Triton's kernels")
    bits, epsilon = (1021, 2.0**-52) if dtype == "float64" else (125, 2.0**-23)
    epsilon = 2.0**-7 if dtype == "bfloat16" else epsilon
    scale = 2.0 ** round(exponent * bits)
    row = np.tile(np.asarray(NUMBERS), copies)
    x = xp.astype(xp.asarray([row * scale, row], dtype=xp.float64), getattr(xp, dtype))

    def numbers(result):
        return xp.to_numpy(xp.astype(result, xp.float64))

    np.testing.assert_allclose(numbers(xp.mean(x, axis=1)) / [scale, 1], 2.0, rtol=4 * epsilon)
    np.testing.assert_allclose(numbers(xp.std(x, axis=1)) / [scale, 1], math.sqrt(70 / 6), rtol=4 * epsilon)
    for function, expected in (
        (functional.layer_norm, (row - 2.0) / math.sqrt(70 / 6)),
        (functional.rms_norm, row / math.sqrt(94 / 6)),
    ):
        np.testing.assert_allclose(numbers(function(x, eps=0.0)), [expected] * 2, rtol=16 * epsilon)
