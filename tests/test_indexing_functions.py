"""The indexing functions on each device, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, expect, few, operands, shapes

import xtensor as xp


@given(data=st.data())
def test_take_picks_positions_along_an_axis(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=1, min_side=1)))
    axis = data.draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    length = x.host.shape[axis]
    positions = st.integers(-length, length - 1)
    indices = data.draw(operands(dtypes(device, "i"), shapes(min_dims=1, max_dims=1), positions))
    expect(xp.take(x.array, indices.array, axis=axis), np.take(x.host, indices.host, axis=axis))


@few
@given(data=st.data())
def test_take_with_unsigned_indices(device, data):
    x = data.draw(operands(dtypes(device), (4,)))
    indices = data.draw(operands(dtypes(device, "u"), (3,), st.integers(0, 3)))
    expect(xp.take(x.array, indices.array), np.take(x.host, indices.host.astype(np.int64)))


@few
@given(data=st.data())
def test_take_of_one_dimension_needs_no_axis(device, data):
    x = data.draw(operands(dtypes(device), (5,)))
    indices = data.draw(operands(np.dtype(np.int64), (3,), st.integers(0, 4)))
    expect(xp.take(x.array, indices.array), np.take(x.host, indices.host))


@few
@given(data=st.data())
def test_take_of_no_positions_is_empty(device, data):
    x = data.draw(operands(dtypes(device), (2, 3)))
    indices = xp.asarray([], dtype=xp.int64)
    expect(xp.take(x.array, indices, axis=1), np.take(x.host, np.asarray([], np.int64), axis=1))


def test_take_of_several_dimensions_needs_an_axis(device):
    with pytest.raises(ValueError, match="axis"):
        xp.take(xp.ones((2, 2)), xp.asarray([0]))


@pytest.mark.parametrize("position", [3, -4, 100])
def test_take_of_a_position_out_of_bounds_is_refused(device, position):
    with pytest.raises(IndexError):
        xp.take(xp.ones(3), xp.asarray([0, position]))


@given(data=st.data())
def test_take_along_axis_picks_other_positions_in_each_line(device, data):
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
def test_take_along_axis_of_argsort_sorts(device, data):
    x = data.draw(operands(dtypes(device, "iuf"), (3, 4), special=False))
    expect(xp.take_along_axis(x.array, xp.argsort(x.array)), np.sort(x.host), signs=False)


def test_take_along_axis_out_of_bounds_is_refused(device):
    with pytest.raises(IndexError):
        xp.take_along_axis(xp.ones((2, 2)), xp.asarray([[2], [0]]))


@pytest.mark.parametrize("name", ["take", "take_along_axis"])
@pytest.mark.parametrize("dtype", ["float64", "bool", "complex128"])
def test_indices_that_are_no_integers_are_refused(device, name, dtype):
    with pytest.raises(TypeError, match=dtype):
        getattr(xp, name)(xp.ones(2), xp.zeros(2, dtype=dtype), axis=0)
