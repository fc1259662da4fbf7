"""Every slice of a short axis on each device, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from every_key import LONGEST, slices, standard_defines

import xtensor as xp


@pytest.mark.parametrize("length", range(LONGEST + 1))
def test_every_slice_selects_the_elements_that_numpy_selects(device, length):
    values = np.arange(float(length))
    x = xp.asarray(values, device=device)
    wrong = []
    for key in slices(length):
        try:
            found = x[key].tolist()
        except IndexError:
            # The device strict refuses ends for which the standard defines nothing.
            found = values[key].tolist() if not standard_defines(key, length) and device.backend == "strict" else None
        if found != values[key].tolist():
            wrong.append((key, found))
    assert not wrong, f"{len(wrong)}: {wrong[:5]}"


@pytest.mark.parametrize("length", range(LONGEST + 1))
def test_every_slice_assigns_the_elements_that_numpy_assigns(lenient_device, length):
    wrong = []
    for key in list(slices(length))[:: 1 if length < LONGEST else 7]:
        expected = np.arange(length, dtype=np.float32)
        x = xp.asarray(expected.copy(), device=lenient_device, copy=True)
        values = -1 - np.arange(expected[key].size, dtype=np.float32)
        expected[key] = values
        x[key] = xp.asarray(values, device=lenient_device)
        if x.tolist() != expected.tolist():
            wrong.append((key, x.tolist()))
    assert not wrong, f"{len(wrong)}: {wrong[:5]}"
