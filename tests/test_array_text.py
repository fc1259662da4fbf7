"""Text of Arrays: NumPy's, with the class name, the dtype and the device where they are not the default ones."""

from __future__ import annotations

import numpy as np
import pytest

import xtensor as xp

CASES = {
    "empty": np.zeros(0),
    "empty matrix": np.zeros((0, 3)),
    "empty columns": np.zeros((2, 0)),
    "empty booleans": np.zeros((0, 2), dtype=bool),
    "summarised": np.arange(2000.0),
    "summarised matrix": np.ones((40, 50)),
    "summarised int8": np.arange(2000, dtype=np.int8),
    "summarised stack": np.zeros((30, 1, 51), dtype=np.float32),
    "scalar": np.asarray(1.0),
    "matrix": np.asarray([[1.0, 2.5], [3.0, np.nan]]),
    "default integers": np.arange(3),
    "booleans": np.asarray([True, False]),
    "float32": np.asarray([1.5, 2.5], dtype=np.float32),
    **{f"{length} of uint16": np.arange(length, dtype=np.uint16) for length in range(14, 44)},
}


def numpys(values: np.ndarray) -> str:
    """NumPy's text with the name of our class, which has as many letters."""
    return "A" + repr(values).removeprefix("a")


@pytest.mark.parametrize("values", CASES.values(), ids=CASES)
def test_repr_is_numpys(values):
    with xp.use_device("cpu"):
        assert repr(xp.asarray(values)) == numpys(values)


@pytest.mark.parametrize("values", CASES.values(), ids=CASES)
def test_str_is_numpys(device, values):
    assert str(xp.asarray(values)) == str(values)


@pytest.mark.parametrize("threshold", [3, 10])
def test_repr_follows_numpys_print_options(threshold):
    values = np.arange(6.0)
    with np.printoptions(threshold=threshold, linewidth=20), xp.use_device("cpu"):
        assert repr(xp.asarray(values)) == numpys(values)


def test_repr_of_an_empty_array_names_shape_dtype_and_device(device):
    x = xp.zeros((0, 3), device=device)
    with xp.use_device("cpu"):
        named = "" if str(device) == "cpu" else f", device={str(device)!r}"
        assert repr(x).replace("\n      ", " ") == f"Array([], shape=(0, 3), dtype={x.dtype}{named})"
