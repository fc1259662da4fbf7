"""Every key of one and two parts of all kinds on each device, against NumPy: reads, and assignments of a number."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import xtensor as xp


def positions(values: Any) -> Any:
    return np.asarray(values, np.int32)


PARTS: dict[str, Any] = {
    "an integer": 1,
    "a negative integer": -2,
    "an array without an axis": positions(1),
    "an array of one element": positions([-1]),
    "an array": positions([1, 0]),
    "an array of two axes": positions([[0], [1]]),
    "an array without elements": positions([]),
    "a mask": np.asarray([True, False]),
    "a mask without an axis": np.asarray(True),
    "a reversed slice": slice(None, None, -1),
    "a slice": slice(1, None),
    "None": None,
    "True": True,
    "False": False,
    "an ellipsis": ...,
}

KEYS = [*((part,) for part in PARTS.values()), *itertools.product(PARTS.values(), repeat=2)]


def read(x: Any, key: Any) -> Any:
    return x[key]


def assigned(x: Any, key: Any) -> Any:
    x[key] = 99
    return x


@pytest.mark.parametrize("function", [read, assigned])
def test_every_key_of_two_parts_has_numpys_outcome(lenient_device, function):
    values = np.arange(8, dtype=np.int32).reshape(2, 2, 2)
    wrong = []
    # cubed computes a plan for each key. The last key has two ellipses.
    keys = [*KEYS[::17], KEYS[-1]] if lenient_device.backend == "cubed" else KEYS
    for key in keys:
        ours = tuple(xp.asarray(part) if isinstance(part, np.ndarray) else part for part in key)
        expected, result = outcome(function, values.copy(), key), outcome(function, xp.asarray(values, copy=True), ours)
        if result != expected:
            wrong.append((key, result, expected))
    assert not wrong, f"{len(wrong)}: {wrong[:5]}"


def outcome(function: Any, x: Any, key: Any) -> Any:
    """Return the shape and the elements, or IndexError, which each refused key raises."""
    try:
        result = function(x, key)
    except IndexError:
        return IndexError
    return result.shape, result.tolist()
