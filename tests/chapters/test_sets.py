"""Set functions on each device, compared with NumPy and with direct searches on the host; each NaN is distinct."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import defined_on, dtype_pairs, dtypes, elements, expect, few, operands, shapes, values_of

import xtensor as xp


def index_dtype() -> np.dtype:
    return xp.__array_namespace_info__().default_dtypes()["indexing"]


def duplicates(dtype: np.dtype) -> st.SearchStrategy:
    """Small finite values, so that duplicates are frequent."""
    return elements(dtype, bound=2.0, special=False)


@given(data=st.data())
def test_unique_values_equals_numpys(device, data):
    dtype = data.draw(dtypes(device))
    x = data.draw(operands(dtype, values=duplicates(dtype)))
    result = xp.unique_values(x.array)
    assert (type(result), result.dtype, result.ndim) == (xp.Array, dtype, 1)
    assert np.array_equal(np.sort(values_of(result)), np.unique(x.host))


@given(data=st.data())
def test_unique_counts_are_the_numbers_of_occurrences(device, data):
    dtype = data.draw(dtypes(device))
    x = data.draw(operands(dtype, values=duplicates(dtype)))
    result = xp.unique_counts(x.array)
    assert result._fields == ("values", "counts")
    assert result.counts.dtype == index_dtype()
    host = values_of(result.values)
    assert values_of(result.counts).tolist() == [int(np.sum(x.host == value)) for value in host]


@given(data=st.data())
def test_unique_inverse_reconstructs_the_array(device, data):
    dtype = data.draw(dtypes(device))
    x = data.draw(operands(dtype, values=duplicates(dtype)))
    result = xp.unique_inverse(x.array)
    assert result._fields == ("values", "inverse_indices")
    assert (result.inverse_indices.shape, result.inverse_indices.dtype) == (x.host.shape, index_dtype())
    assert np.array_equal(values_of(result.values)[values_of(result.inverse_indices)], x.host)


@given(data=st.data())
def test_unique_all_has_first_indices_inverse_indices_and_counts(device, data):
    dtype = data.draw(dtypes(device))
    x = data.draw(operands(dtype, values=duplicates(dtype)))
    result = xp.unique_all(x.array)
    assert result._fields == ("values", "indices", "inverse_indices", "counts")
    host = {name: values_of(part) for name, part in result._asdict().items()}
    flat = x.host.ravel()
    assert np.array_equal(flat[host["indices"]], host["values"])
    assert host["indices"].tolist() == [int(np.argmax(flat == value)) for value in host["values"]]
    assert np.array_equal(host["values"][host["inverse_indices"]], x.host)
    assert int(host["counts"].sum()) == flat.size


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
def test_each_nan_is_distinct(device, name):
    result = getattr(xp, name)(xp.asarray([math.nan, 1.0, math.nan, 1.0]))
    values = result if name == "unique_values" else result.values
    assert values.shape == (3,)


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
def test_signed_zeros_are_equal(device, name):
    result = getattr(xp, name)(xp.asarray([0.0, -0.0]))
    values = result if name == "unique_values" else result.values
    assert values.shape == (1,)


@pytest.mark.parametrize("invert", [False, True])
@given(data=st.data())
def test_isin_of_integers_equals_numpys(device, invert, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "iu"))
    x1 = data.draw(operands(dtype1, values=elements(dtype1, bound=3)))
    x2 = data.draw(operands(dtype2, values=elements(dtype2, bound=3)))
    expect(xp.isin(x1.array, x2.array, invert=invert), np.isin(x1.host, x2.host, invert=invert))


@few
@given(data=st.data())
def test_isin_with_a_python_scalar(device, data):
    x = data.draw(operands(dtypes(device, "iu"), bound=2))
    expect(xp.isin(x.array, 1), np.isin(x.host, 1))
    expect(xp.isin(1, x.array), np.isin(1, x.host))


@few
@given(data=st.data())
def test_isin_of_floats_follows_numpy(device, data):
    dtype = data.draw(dtypes(device, "f"))
    x1 = data.draw(operands(dtype, shapes(max_dims=2)))
    x2 = data.draw(operands(dtype, (3,)))
    if defined_on(device):
        with pytest.raises(TypeError, match="isin"):
            xp.isin(x1.array, x2.array)
    else:
        expect(xp.isin(x1.array, x2.array), np.isin(x1.host, x2.host))


TESTED = ("isin", "unique_all", "unique_counts", "unique_inverse", "unique_values")


def test_tested_functions_are_those_of_the_chapter():
    from xtensor._ops import sets

    assert set(TESTED) == set(sets.__all__)


def test_isin_accepts_a_list(device):
    x = xp.asarray([1, 2, 3], device=device)
    assert xp.isin(x, [3, 1, 7]).tolist() == [True, False, True]
    assert xp.isin([1, 9], x).tolist() == [True, False]
