"""Sums of rows by Triton's kernels: means, deviations and normalizations that leave the range, small exponentials."""

from __future__ import annotations

import math

import numpy as np
import pytest
from triton_kernels import guarded

import xtensor as xp
from xtensor.nn import functional
from xtensor_backends.triton import _tiling

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


@pytest.mark.parametrize("columns", [5, 100])
@pytest.mark.parametrize("last", [-800.0, math.inf, -math.inf, math.nan])
def test_log_softmax_of_rows_of_several_tiles_keeps_small_terms(columns, last, monkeypatch):
    monkeypatch.setattr(_tiling, "LONGEST_ROW", 32)
    functions, memory = guarded()
    row = np.full(columns, -800.0)
    row[:3], row[-1] = (-40.0, 0.0, -800.0), last
    x = memory.copy_of(np.stack([row, np.where(row == -40.0, 0.0, row)]))
    # log(1 + exp(-40)) and log(2), to all digits; an infinite element has all of the sum.
    sums = np.array([[math.log1p(math.exp(-40.0))], [math.log(2.0)]])
    sums = np.maximum(sums, last) if last != -math.inf else sums
    with np.errstate(invalid="ignore"):
        expected = x - sums
    np.testing.assert_allclose(functions["nn.log_softmax"](x, axis=1), expected, rtol=1e-15)
    losses = functions["nn.cross_entropy"](
        x, memory.copy_of(np.array([1, 1])), label_smoothing=0.0, ignore_index=-1, reduction="none"
    )
    np.testing.assert_allclose(losses, -expected[:, 1], rtol=1e-15)
    memory.check()
