"""Powers of one half, which NumPy computes as square roots by the shapes of its operands, on each device."""

from __future__ import annotations

import operator
from math import inf

import numpy as np
import pytest
from strategies import dtypes_of, expect

import xtensor as xp

BASES, POWERS_OF_ONE_HALF = [-0.0, -inf, 4.0, 0.0, inf, 1.0], [0.0, inf, 2.0, 0.0, inf, 1.0]

ROOTS = {
    "pow, an array of one element": lambda x, half: xp.pow(x, xp.reshape(half, (1,))),
    "pow, an array without axes": xp.pow,
    "pow, broadcast": lambda x, half: xp.pow(x, xp.broadcast_to(half, x.shape)),
    "pow, one for each base": lambda x, half: xp.pow(x, xp.broadcast_to(half, x.shape) + 0),
    "pow, a row": lambda x, half: xp.pow(xp.stack([x, x]), xp.stack([half, half])[:, None])[1, :],
    "float_power, a number": lambda x, half: xp.astype(xp.float_power(x, 0.5), x.dtype),
    "float_power, an array": lambda x, half: xp.astype(xp.float_power(x, half), x.dtype),
    "in place": lambda x, half: operator.ipow(xp.asarray(x, copy=True), half),
}


@pytest.mark.parametrize("form", ROOTS)
@pytest.mark.parametrize("repeats", [1, 3000])
def test_arrays_of_exponents_and_float_power_take_no_square_root(device, form, repeats):
    for dtype in dtypes_of(device, "f"):
        x = xp.asarray(np.tile(np.array(BASES, dtype), repeats))
        result = ROOTS[form](x, xp.asarray(0.5, dtype=dtype))
        expect(result, np.tile(np.array(POWERS_OF_ONE_HALF, dtype), repeats), ulp=4)


def test_power_of_one_number_is_that_of_many(device):
    for dtype in dtypes_of(device, "f"):
        half = xp.asarray(0.5, dtype=dtype)
        for base, expected in zip(BASES, POWERS_OF_ONE_HALF, strict=True):
            expect(xp.pow(xp.asarray(base, dtype=dtype), half), np.array(expected, dtype), ulp=4)
            expect(xp.pow(base, half), np.array(expected, dtype), ulp=4)


def test_root_of_float16_in_place_is_that_of_the_operator(device):
    if xp.float16 not in device.dtypes:
        pytest.skip("no float16")
    x = xp.asarray(np.array(BASES, np.float16))
    x **= 0.5
    expect(x, np.array(POWERS_OF_ONE_HALF, np.float16), ulp=1)
