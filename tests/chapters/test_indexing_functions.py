"""Indexing functions on each device, compared with NumPy."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, expect, few, operands, shapes, skip_unless_held

import xtensor as xp


@given(data=st.data())
def test_take_along_an_axis_equals_numpys(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=1, min_side=1)))
    axis = data.draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    length = x.host.shape[axis]
    bounds = st.integers(-length, length - 1)
    indices = data.draw(operands(dtypes(device, "i"), shapes(min_dims=1, max_dims=1), bounds))
    expect(xp.take(x.array, indices.array, axis=axis), np.take(x.host, indices.host, axis=axis))


@few
@given(data=st.data())
def test_take_with_unsigned_indices(device, data):
    x = data.draw(operands(dtypes(device), (4,)))
    indices = data.draw(operands(dtypes(device, "u"), (3,), st.integers(0, 3)))
    expect(xp.take(x.array, indices.array), np.take(x.host, indices.host.astype(np.int64)))


@few
@given(data=st.data())
def test_take_of_a_1d_array_has_a_default_axis(device, data):
    x = data.draw(operands(dtypes(device), (5,)))
    indices = data.draw(operands(np.dtype(np.int64), (3,), st.integers(0, 4)))
    expect(xp.take(x.array, indices.array), np.take(x.host, indices.host))


@few
@given(data=st.data())
def test_take_with_empty_indices_is_empty(device, data):
    x = data.draw(operands(dtypes(device), (2, 3)))
    indices = xp.asarray([], dtype=xp.int64)
    expect(xp.take(x.array, indices, axis=1), np.take(x.host, np.asarray([], np.int64), axis=1))


def test_take_of_a_2d_array_requires_axis(device):
    with pytest.raises(ValueError, match=r"axis is required.*\(2, 2\)"):
        xp.take(xp.ones((2, 2)), xp.asarray([0]))


@pytest.fixture
def checking(device):
    """Device that checks positions; a GPU does so only on request, see test_backend_cupy_departures.py."""
    if device.backend in ("cupy", "triton") and not device.host and os.environ.get("XTENSOR_CHECK_INDICES") != "1":
        pytest.skip(f"{device} takes positions modulo the length")
    return device


@pytest.mark.parametrize("index", [3, -4, 100])
def test_take_refuses_an_index_out_of_bounds(checking, index):
    with pytest.raises(IndexError):
        xp.take(xp.ones(3), xp.asarray([0, index]))


@given(data=st.data())
def test_take_along_axis_equals_numpys(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=1, min_side=1)))
    axis = data.draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    shape = list(x.host.shape)
    length = shape[axis]
    shape[axis] = data.draw(st.integers(0, 4))
    indices = data.draw(operands(np.dtype(np.int64), tuple(shape), st.integers(-length, length - 1)))
    result = xp.take_along_axis(x.array, indices.array, axis=axis)
    expect(result, np.take_along_axis(x.host, indices.host, axis=axis))


@few
@given(data=st.data())
def test_take_along_axis_broadcasts_the_other_axes(device, data):
    x = data.draw(operands(dtypes(device), (3, 4)))
    indices = data.draw(operands(np.dtype(np.int64), (1, 2), st.integers(0, 3)))
    expect(xp.take_along_axis(x.array, indices.array), np.take_along_axis(x.host, indices.host, axis=-1))


@few
@given(data=st.data())
def test_take_along_axis_with_argsort_sorts(device, data):
    x = data.draw(operands(dtypes(device, "iuf"), (3, 4), special=False))
    expect(xp.take_along_axis(x.array, xp.argsort(x.array)), np.sort(x.host), signs=False)


def test_take_along_axis_refuses_an_index_out_of_bounds(checking):
    with pytest.raises(IndexError):
        xp.take_along_axis(xp.ones((2, 2)), xp.asarray([[2], [0]]))


def test_take_along_axis_refuses_another_number_of_dimensions(device):
    with pytest.raises(ValueError, match="^`indices` and `arr` must have the same number of dimensions"):
        xp.take_along_axis(xp.ones((2, 2)), xp.asarray([0, 1]))


@pytest.mark.parametrize("name", ["take", "take_along_axis"])
@pytest.mark.parametrize("dtype", ["float64", "bool", "complex128"])
def test_non_integer_indices_are_refused(device, name, dtype):
    with pytest.raises(TypeError, match=dtype):
        getattr(xp, name)(xp.ones(2), xp.zeros(2, dtype=dtype), axis=0)


def test_take_accepts_a_list_of_indices(device):
    x = xp.asarray([[1, 2, 3], [4, 5, 6]], device=device)
    assert xp.take(x, [2, 0], axis=1).tolist() == [[3, 1], [6, 4]]
    assert xp.take(x, [], axis=0).shape == (0, 3)


def test_take_of_an_integer_selects_without_the_axis(device):
    x = xp.reshape(xp.arange(6), (2, 3))
    assert xp.take(x, 1, axis=0).tolist() == [3, 4, 5]
    assert xp.take(x, -1, axis=1).tolist() == [2, 5]
    with pytest.raises(IndexError):
        xp.take(x, 2, axis=0)


# -- positions out of bounds ------------------------------------------------------------------------------------------


def positions(*values):
    skip_unless_held(values)
    return xp.asarray(values)


WRONG_KEYS = {
    "integer": lambda wrong: (wrong, 0),
    "integer of the last axis": lambda wrong: (..., wrong),
    "integer beside a slice": lambda wrong: (slice(None), wrong),
    "index array": lambda wrong: (positions(0, wrong),),
    "index array of the last axis": lambda wrong: (slice(None), positions(wrong, 0)),
    "index array of the last axis beside an integer": lambda wrong: (0, positions(wrong, 0)),
    "two index arrays": lambda wrong: (positions(0, 1), positions(0, wrong)),
    "integer beside an index array": lambda wrong: (wrong, positions(0, 1)),
    "index array beside a mask": lambda wrong: (positions(wrong), xp.asarray([True, False, False])),
}
"""Keys of an array of shape (3, 3) with a position that is out of bounds."""


@pytest.mark.parametrize("wrong", [3, -4, 2**31, 2**62])
@pytest.mark.parametrize("key", WRONG_KEYS.values(), ids=WRONG_KEYS)
def test_key_with_a_position_out_of_bounds_reads_nothing(checking, key, wrong):
    x = xp.ones((3, 3))
    with pytest.raises(IndexError):
        x[key(wrong)].tolist()


@pytest.mark.parametrize("wrong", [3, -4, 2**31, 2**62])
@pytest.mark.parametrize("key", WRONG_KEYS.values(), ids=WRONG_KEYS)
def test_key_with_a_position_out_of_bounds_writes_nothing(checking, key, wrong):
    x = xp.ones((3, 3))
    with pytest.raises(IndexError):
        x[key(wrong)] = 2.0
    assert x.tolist() == [[1.0] * 3] * 3
