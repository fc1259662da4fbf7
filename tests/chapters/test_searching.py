"""Searching functions on each device, compared with NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import (
    broadcastable,
    defined_on,
    dtype_pairs,
    dtypes,
    elements,
    expect,
    few,
    made,
    operands,
    quiet,
    shapes,
)

import xtensor as xp


def index_dtype() -> np.dtype:
    return xp.__array_namespace_info__().default_dtypes()["indexing"]


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize(
    ("elements", "position"),
    [
        ([complex(1, math.nan), 2, complex(math.nan, 0)], 0),
        ([2 + 1j, 1 + 2j, complex(math.nan, 1), complex(1, math.nan)], 2),
        ([[3j, 1], [complex(math.nan, math.nan), 2]], 2),
    ],
)
def test_index_of_the_first_complex_nan_is_within_the_array(lenient_device, name, elements, position):
    x = xp.asarray(elements, dtype=xp.complex64)
    try:
        xp.max(x)
    except (TypeError, NotImplementedError):  # the device's library has no order of complex numbers
        with pytest.raises((TypeError, NotImplementedError), match="real|no implementation"):
            getattr(xp, name)(x)
    else:
        assert int(getattr(xp, name)(x)) == position


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@given(data=st.data())
def test_index_of_the_extremum_equals_numpys(device, name, data):
    x = data.draw(operands(dtypes(device, "iuf"), shapes(min_side=1)))
    axis = data.draw(st.none() | st.integers(-x.host.ndim, x.host.ndim - 1)) if x.host.ndim else None
    keepdims = data.draw(st.booleans())
    result = getattr(xp, name)(x.array, axis=axis, keepdims=keepdims)
    expect(result, getattr(np, name)(x.host, axis=axis, keepdims=keepdims), dtype=index_dtype())


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_index_of_the_extremum_is_that_of_the_first_nan(device, name):
    assert int(getattr(xp, name)(xp.asarray([1.0, math.nan, -1.0, math.nan]))) == 1


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_index_of_the_extremum_is_the_first_of_equal_elements(device, name):
    assert int(getattr(xp, name)(xp.asarray([3, 3, 3]))) == 0


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_index_of_the_extremum_of_no_elements_is_refused(device, name):
    with pytest.raises(ValueError, match=name):
        getattr(xp, name)(xp.ones(0))


@given(data=st.data())
def test_count_nonzero_equals_numpys(device, data):
    x = data.draw(operands(dtypes(device)))
    axis = data.draw(st.none() | st.integers(-x.host.ndim, x.host.ndim - 1)) if x.host.ndim else None
    keepdims = data.draw(st.booleans())
    result = xp.count_nonzero(x.array, axis=axis, keepdims=keepdims)
    expect(result, np.count_nonzero(x.host, axis=axis, keepdims=keepdims), dtype=index_dtype())


@few
@given(data=st.data())
def test_count_nonzero_over_several_axes(device, data):
    x = data.draw(operands(dtypes(device), (2, 3, 2)))
    expect(xp.count_nonzero(x.array, axis=(0, -1)), np.count_nonzero(x.host, axis=(0, 2)), dtype=index_dtype())


@given(data=st.data())
def test_nonzero_equals_numpys(device, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=1)))
    results = xp.nonzero(x.array)
    assert isinstance(results, tuple)
    for result, expected in zip(results, np.nonzero(x.host), strict=True):
        expect(result, expected, dtype=index_dtype())


def test_nonzero_of_a_0d_array_is_refused(device):
    with pytest.raises(ValueError, match="^Calling nonzero on 0d arrays is not allowed.*0-d"):
        xp.nonzero(xp.asarray(1.0))


@pytest.mark.parametrize("side", ["left", "right"])
@given(data=st.data())
def test_searchsorted_equals_numpys(device, side, data):
    dtype = data.draw(dtypes(device, "iuf"))
    finite = elements(dtype, special=False)
    host = np.sort(data.draw(operands(dtype, shapes(min_dims=1, max_dims=1, max_side=6), finite)).host)
    values = data.draw(operands(dtype, values=finite))
    result = xp.searchsorted(made(host).array, values.array, side=side)
    expect(result, np.searchsorted(host, values.host, side=side), dtype=index_dtype())


@pytest.mark.parametrize("side", ["left", "right"])
@few
@given(data=st.data())
def test_searchsorted_with_a_sorter(device, side, data):
    dtype = data.draw(dtypes(device, "iuf"))
    finite = elements(dtype, special=False)
    x = data.draw(operands(dtype, (5,), finite))
    values = data.draw(operands(dtype, (3,), finite))
    result = xp.searchsorted(x.array, values.array, side=side, sorter=xp.argsort(x.array))
    expect(result, np.searchsorted(np.sort(x.host), values.host, side=side), dtype=index_dtype())


@few
@given(data=st.data())
def test_searchsorted_of_a_python_scalar(device, data):
    value = data.draw(st.integers(-5, 5))
    expect(xp.searchsorted(xp.asarray([-3, 0, 2]), value), np.searchsorted([-3, 0, 2], value), dtype=index_dtype())


@pytest.mark.parametrize(
    ("shape", "sorter", "error", "message"),
    [
        ((2, 2), None, ValueError, r"^object too deep for desired array.*searchsorted.*\(2, 2\)"),
        ((), None, ValueError, "searchsorted.*0-d"),
        ((2,), [0.0, 1.0], TypeError, "^sorter must only contain integers.*searchsorted"),
        ((2,), [0, 1, 2], ValueError, r"^sorter.size must equal a.size.*searchsorted.*\(3,\).*\(2,\)"),
    ],
    ids=["2-d", "0-d", "sorter of floats", "sorter of another length"],
)
def test_searchsorted_refuses_invalid_arguments(device, shape, sorter, error, message):
    with pytest.raises(error, match=message):
        xp.searchsorted(xp.ones(shape), xp.ones(2), sorter=None if sorter is None else xp.asarray(sorter))


@given(data=st.data())
def test_where_equals_numpys(device, data):
    dtype1, dtype2 = data.draw(dtype_pairs(device, "biufc"))
    condition_shape, shape1, shape2 = data.draw(broadcastable(3))
    condition = data.draw(operands(np.dtype(bool), condition_shape))
    x1, x2 = data.draw(operands(dtype1, shape1)), data.draw(operands(dtype2, shape2))
    with quiet():
        result = xp.where(condition.array, x1.array, x2.array)
        expect(result, np.where(condition.host, x1.host, x2.host))


@pytest.mark.parametrize("first", [True, False], ids=["scalar first", "scalar second"])
@few
@given(data=st.data())
def test_where_with_a_python_scalar_has_the_dtype_of_the_array(device, first, data):
    condition = data.draw(operands(np.dtype(bool), (3,)))
    x = data.draw(operands(dtypes(device), (3,)))
    kind = {"b": bool, "i": int, "u": int, "f": float, "c": complex}[x.host.dtype.kind]
    choices = (kind(1), x) if first else (x, kind(1))
    result = xp.where(condition.array, *(getattr(choice, "array", choice) for choice in choices))
    expect(result, np.where(condition.host, *(getattr(choice, "host", choice) for choice in choices)))


@few
@given(data=st.data())
def test_where_with_a_numeric_condition_follows_numpy(device, data):
    condition = data.draw(operands(dtypes(device, "iuf"), (4,)))
    if defined_on(device):
        with pytest.raises(TypeError):
            xp.where(condition.array, xp.ones(4), xp.zeros(4))
    else:
        result = xp.where(condition.array, xp.ones(4), xp.zeros(4))
        expect(result, np.where(condition.host, 1.0, 0.0), dtype=xp.ones(1).dtype)


TESTED = ("argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where")


def test_tested_functions_are_those_of_the_chapter():
    from xtensor._ops import searching

    assert set(TESTED) == set(searching.__all__)
