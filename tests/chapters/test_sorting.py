"""Sorting functions on each device, compared with NumPy: order of equal elements, signed zeros and NaN."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, elements, expect, few, operands, shapes, values_of

import xtensor as xp


def index_dtype() -> np.dtype:
    return xp.__array_namespace_info__().default_dtypes()["indexing"]


def stable_order(host: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """Return the indices that sort finite numbers stably."""
    if not descending:
        return np.argsort(host, axis=axis, stable=True)
    # Negating ranks instead of values cannot overflow.
    ranks = np.unique(host, return_inverse=True)[1].reshape(host.shape)
    return np.argsort(-ranks, axis=axis, stable=True)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("stable", [False, True])
@given(data=st.data())
def test_sort_along_an_axis_equals_numpys(device, descending, stable, data):
    dtype = data.draw(dtypes(device, "iuf"))
    x = data.draw(operands(dtype, shapes(min_dims=1), elements(dtype, special=False)))
    axis = data.draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    expected = np.sort(x.host, axis=axis)
    expected = np.flip(expected, axis=axis) if descending else expected
    expect(xp.sort(x.array, axis=axis, descending=descending, stable=stable), expected, signs=False)


@pytest.mark.parametrize("descending", [False, True])
@given(data=st.data())
def test_stable_argsort_preserves_the_order_of_equal_elements(device, descending, data):
    dtype = data.draw(dtypes(device, "iuf"))
    x = data.draw(operands(dtype, shapes(min_dims=1, max_side=6), elements(dtype, special=False, bound=2.0)))
    axis = data.draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    result = xp.argsort(x.array, axis=axis, descending=descending)
    expect(result, stable_order(x.host, axis, descending), dtype=index_dtype())


@pytest.mark.parametrize("descending", [False, True])
@few
@given(data=st.data())
def test_unstable_argsort_sorts(device, descending, data):
    dtype = data.draw(dtypes(device, "iuf"))
    x = data.draw(operands(dtype, (3, 5), elements(dtype, special=False, bound=2.0)))
    order = values_of(xp.argsort(x.array, descending=descending, stable=False))
    expected = values_of(xp.sort(x.array, descending=descending))
    assert np.array_equal(np.take_along_axis(x.host, order, axis=-1), expected)
    assert np.array_equal(np.sort(order), np.broadcast_to(np.arange(5), (3, 5)))


@few
@given(data=st.data())
def test_sort_puts_nan_last(device, data):
    x = data.draw(operands(dtypes(device, "f"), shapes(min_dims=1)))
    expect(xp.sort(x.array), np.sort(x.host), signs=False)


def test_stable_sort_preserves_the_order_of_signed_zeros(device):
    host = np.asarray([0.0, -0.0, -1.0, 0.0, -0.0])
    expect(xp.sort(xp.asarray(host)), host[[2, 0, 1, 3, 4]])


def test_stable_descending_sort_preserves_the_order_of_signed_zeros(device):
    host = np.asarray([0.0, -0.0, -1.0, 0.0, -0.0])
    expect(xp.sort(xp.asarray(host), descending=True), host[[0, 1, 3, 4, 2]])


@few
@given(data=st.data())
def test_sort_does_not_modify_its_operand(device, data):
    x = data.draw(operands(dtypes(device, "iuf"), shapes(min_dims=1)))
    before = values_of(x.array).copy()
    xp.sort(x.array)
    expect(x.array, before)


@pytest.mark.parametrize("name", ["argsort", "sort"])
def test_sorting_a_0d_array_is_refused(device, name):
    with pytest.raises((ValueError, IndexError), match="axis"):
        getattr(xp, name)(xp.asarray(1.0))
