"""Utility functions on each device, compared with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, expect, few, operands, quiet, shapes

import xtensor as xp


def axes_of(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    """None, an axis, or a tuple of distinct axes, possibly empty; positive and negative."""
    if not shape:
        return st.sampled_from([None, ()])
    axis = st.integers(-len(shape), len(shape) - 1)
    return st.none() | axis | st.lists(axis, max_size=3, unique_by=lambda axis: axis % len(shape)).map(tuple)


@pytest.mark.parametrize("name", ["all", "any"])
@given(data=st.data())
def test_all_and_any_equal_numpys(device, name, data):
    x = data.draw(operands(dtypes(device)))
    axis, keepdims = data.draw(axes_of(x.host.shape)), data.draw(st.booleans())
    expected = getattr(np, name)(x.host.astype(bool), axis=axis, keepdims=keepdims)
    expect(getattr(xp, name)(x.array, axis=axis, keepdims=keepdims), expected, dtype=bool)


@pytest.mark.parametrize(("name", "expected"), [("all", True), ("any", False)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float64", "complex64"])
def test_all_and_any_of_no_elements(device, name, expected, dtype):
    expect(getattr(xp, name)(xp.zeros(0, dtype=dtype)), np.asarray(expected))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), complex(0, float("nan"))], ids=repr)
def test_nan_and_infinities_are_true(device, value):
    assert bool(xp.all(xp.asarray([value])))


@pytest.mark.parametrize("value", [0.0, -0.0, complex(-0.0, 0.0)], ids=repr)
def test_signed_zeros_are_false(device, value):
    assert not bool(xp.any(xp.asarray([value])))


@given(data=st.data())
def test_diff_equals_numpys(device, data):
    x = data.draw(operands(dtypes(device, "iufc"), shapes(min_dims=1)))
    axis = data.draw(st.integers(-x.host.ndim, x.host.ndim - 1))
    n = data.draw(st.integers(0, 3))
    with quiet():
        expect(xp.diff(x.array, axis=axis, n=n), np.diff(x.host, axis=axis, n=n))


@pytest.mark.parametrize("ends", [("prepend",), ("append",), ("prepend", "append")], ids=str)
@few
@given(data=st.data())
def test_diff_with_prepend_and_append(device, ends, data):
    dtype = data.draw(dtypes(device, "iufc"))
    x = data.draw(operands(dtype, (2, 3)))
    edges = {end: data.draw(operands(dtype, (2, data.draw(st.integers(0, 2))))) for end in ends}
    with quiet():
        result = xp.diff(x.array, **{end: edge.array for end, edge in edges.items()})
        expect(result, np.diff(x.host, **{end: edge.host for end, edge in edges.items()}))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("ends", [{"prepend": 2}, {"append": 0.5}, {"prepend": 1.0, "append": 3}], ids=str)
def test_diff_with_a_number_at_an_end(device, ends, axis):
    values = np.asarray([[1.0, 4.0, 9.0], [2.0, -1.0, 0.5]])
    expect(xp.diff(xp.asarray(values), axis=axis, **ends), np.diff(values, axis=axis, **ends))
    arrays = {end: xp.asarray(float(number)) for end, number in ends.items()}
    expect(xp.diff(xp.asarray(values), axis=axis, **arrays), np.diff(values, axis=axis, **ends))


def test_diff_with_a_number_of_numpy_at_an_end(device):
    assert xp.diff(xp.asarray([1.0, 4.0]), append=np.float64(9.0)).tolist() == [3.0, 5.0]


def test_diff_of_integers_with_a_number_keeps_the_dtype(device):
    x = xp.asarray([1, 4], dtype=xp.int32)
    assert xp.diff(x, append=9).dtype == xp.int32
    assert xp.diff(x, append=9).tolist() == [3, 5]


@pytest.mark.parametrize("edge", ["2", {1}])
def test_diff_refuses_something_else_than_an_array_or_a_number_at_an_end(device, edge):
    with pytest.raises(TypeError, match=r"^diff\(\) takes an xtensor Array, not"):
        xp.diff(xp.ones(3), append=edge)


def test_diff_of_order_zero_is_a_new_array(device):
    x = xp.ones(3)
    y = xp.diff(x, n=0, prepend=xp.zeros(1))
    assert y.tolist() == [1.0, 1.0, 1.0]
    y[0] = 7.0
    assert x.tolist() == [1.0, 1.0, 1.0]


def test_diff_of_order_beyond_the_length_is_empty(device):
    assert xp.diff(xp.ones(3), n=5).shape == (0,)


def test_diff_refuses_a_negative_order(device):
    with pytest.raises(ValueError, match="^order must be non-negative but got -1; diff"):
        xp.diff(xp.ones(3), n=-1)


TESTED = ("all", "any", "diff")


def test_tested_functions_are_those_of_the_chapter():
    from xtensor._ops import utility

    assert set(TESTED) == set(utility.__all__)


@pytest.mark.parametrize("name", ["all", "any"])
def test_result_is_written_to_out(device, name):
    x, out = xp.asarray([[True, False], [True, True]]), xp.zeros(2, dtype=bool)
    expected = getattr(xp, name)(x, axis=0).tolist()
    assert getattr(xp, name)(x, axis=0, out=out) is out
    assert out.tolist() == expected
    assert getattr(xp, name)(x, axis=0, out=None).tolist() == expected
