"""Indexing and assignment on SYCL devices, against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from assignment_cases import OVERLAPPING, POSITIONS
from dpnp_support import host, on_sycl, sycl

import xtensor as xp

__all__ = ["sycl"]

VALUES = np.arange(120.0).reshape(2, 3, 4, 5)
MASK = np.array([True, False, True])
KEYS = {
    "adjacent": (slice(None), [0, 2], [1, 3]),
    "apart": ([0, 1], slice(None), [2, 3]),
    "apart by an ellipsis": ([0, 1], ..., [2, 3]),
    "apart by an ellipsis of no axis": (slice(None), [0, 1], ..., [1, 2], [3, 4]),
    "apart by None": ([0, 1], None, [2, 1]),
    "None first": (None, [0, 1]),
    "an int before": (0, slice(None), [2, 3]),
    "an int after": (slice(None), [1, 2], 3),
    "an int apart": (slice(None), [1, 2], slice(None), 3),
    "broadcast": ([[0], [1]], [0, 1, 2]),
    "a mask": (slice(None), MASK),
    "a mask of two axes": (slice(None), VALUES[0, :, :, 0] % 2 == 0, slice(1, 3)),
    "a mask and indices": (0, MASK, [1, 2]),
    "two masks apart": (np.array([True, True]), slice(None), np.array([True, False, True, False])),
    "True": (True, 0),
    "False": (0, False),
    "a 0-d mask": (np.array(True), slice(1)),
    "a 0-d index": (np.array(1), slice(None), [0, 1]),
    "negative": ([-1, -2], -1),
    "empty": (slice(None), np.zeros(0, dtype=int)),
    "unequal dtypes": (np.array([0, 1], dtype="int8"), np.array([1, 1], dtype="uint64")),
    "reversed slices": (slice(None, None, -1), [2, 0], slice(None, None, -2)),
    "NumPy integers": (np.int32(1), np.uint8(2)),
}


def native_key(key):
    return tuple(xp.asarray(part) if isinstance(part, (list, np.ndarray)) else part for part in key)


@on_sycl
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_indexing_is_numpys(sycl, key):
    result = xp.asarray(VALUES)[native_key(key)]
    assert result.device is sycl
    assert result.shape == VALUES[key].shape
    assert np.array_equal(host(result), VALUES[key])


@on_sycl
@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize("fill", ["scalar", "whole", "last axis", "one more axis"])
def test_assignment_is_numpys(sycl, key, fill):
    shape = VALUES[key].shape
    value = {
        "scalar": np.asarray(-7.0),
        "whole": -np.arange(float(np.prod(shape, dtype=int))).reshape(shape),
        "last axis": -np.arange(float(shape[-1])) if shape else np.asarray(-1.0),
        "one more axis": -np.ones((1, *shape)),
    }[fill]
    expected = VALUES.copy()
    expected[key] = value
    x = xp.asarray(VALUES)
    x[native_key(key)] = xp.asarray(value)
    assert np.array_equal(host(x), expected)


@on_sycl
@pytest.mark.parametrize(
    "key",
    [([2],), (0, [3]), ([-3],), ([0, 1], [0, 1, 2]), (0, 0, 0, 0, 0), (..., ...), (np.ones(3, bool),), ([0.5],)],
    ids=str,
)
def test_keys_that_numpy_rejects_raise_index_error(sycl, key):
    with pytest.raises(IndexError):
        VALUES[tuple(np.asarray(part) if isinstance(part, list) else part for part in key)]
    with pytest.raises(IndexError):
        xp.asarray(VALUES)[native_key(key)]
    x = xp.asarray(VALUES)
    with pytest.raises(IndexError):
        x[native_key(key)] = 0.0
    assert np.array_equal(host(x), VALUES)


@on_sycl
def test_take_out_of_bounds_raises(sycl):
    x = xp.arange(3)
    for positions in ([3], [-4]):
        with pytest.raises(IndexError, match="out of bounds"):
            xp.take(x, xp.asarray(positions))
        with pytest.raises(IndexError, match="out of bounds"):
            xp.take_along_axis(x, xp.asarray(positions))


@on_sycl
@pytest.mark.parametrize("value", [300, -1])
def test_an_integer_that_does_not_fit_is_not_assigned(sycl, value):
    x = xp.zeros(2, dtype=xp.uint8)
    with pytest.raises(OverflowError):
        x[0] = value
    assert host(x).tolist() == [0, 0]


@on_sycl
@pytest.mark.parametrize("value", [300.0, -129.5, 1e30, np.inf, np.nan])
@pytest.mark.parametrize("key", [0, [0, 1]], ids=["basic", "index array"])
def test_a_float_that_an_integer_dtype_cannot_represent_is_refused_as_by_numpy(sycl, value, key):
    with pytest.raises((OverflowError, ValueError)) as expected:
        np.zeros(2, dtype=np.int8)[0] = value
    x = xp.zeros(2, dtype=xp.int8)
    with pytest.raises(expected.type):
        x[xp.asarray(key) if isinstance(key, list) else key] = value
    assert host(x).tolist() == [0, 0]


@on_sycl
def test_a_float_is_truncated_in_an_assignment_to_integers(sycl):
    x = xp.zeros(2, dtype=xp.int8)
    x[0], x[1] = 2.7, -2.7
    assert host(x).tolist() == [2, -2]


@on_sycl
@pytest.mark.parametrize("assign", OVERLAPPING.values(), ids=OVERLAPPING)
def test_assignment_of_overlapping_memory_is_numpys(sycl, assign):
    values, positions = np.arange(5), np.asarray(POSITIONS)
    x = xp.asarray(values, copy=True)
    assign(x, xp.asarray(positions))
    assign(values, positions)
    assert host(x).tolist() == values.tolist()
