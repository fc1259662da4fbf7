"""Assignments whose operands share memory, and writes into broadcast views, on every device."""

from __future__ import annotations

import numpy as np
import pytest
from assignment_cases import OVERLAPPING, POSITIONS

import xtensor as xp


@pytest.mark.parametrize("assign", OVERLAPPING.values(), ids=OVERLAPPING)
def test_assignment_of_overlapping_memory_is_numpys(device, assign):
    values, positions = np.arange(5), np.asarray(POSITIONS)
    x = xp.asarray(values, copy=True)
    try:
        assign(x, xp.asarray(positions))
    except IndexError:  # the standard has no assignment to an array of integers
        assert str(device) == "strict"
        return
    assign(values, positions)
    assert x.tolist() == values.tolist()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_assignment_of_the_real_component_clears_the_imaginary_one(device, dtype):
    z = xp.asarray([1 + 2j, 3 - 4j], dtype=getattr(xp, dtype))
    z[...] = xp.astype(xp.real(z), z.dtype)
    assert z.tolist() == [1, 3]
