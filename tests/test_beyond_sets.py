"""Distinct elements, operations on sets, partitions and orders: NumPy's values, dtypes and errors on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import expect, made, operands, shapes, values_of

import xtensor as xp

F4, F8, C8, C16, I2, I4, I8, U1, B = (np.dtype(name) for name in ("f4", "f8", "c8", "c16", "i2", "i4", "i8", "u1", "?"))
ANY = st.sampled_from([F4, F8, C16, I4, U1, B])
PAIRS = st.sampled_from([(F4, F8), (I4, F8), (U1, I8), (F8, C16), (B, I8), (C16, C16), (F8, F8)])

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def some_values(dtype):
    """Draw few different values, so that equal ones and NaN are frequent."""
    common = [0, 1] if dtype.kind == "b" else [0, 1, 2, 5]
    if dtype.kind in "fc":
        common += [math.nan, -1.5, math.inf, -math.inf]
    if dtype.kind == "c":
        common += [1j, 1 - 2j, complex(math.nan, 1), complex(1, math.nan)]
    return st.sampled_from(common)


@st.composite
def arrays(draw, dtypes=ANY, **limits):
    dtype = draw(dtypes)
    return draw(operands(dtype, draw(shapes(**limits)), some_values(dtype)))


def agree(results, expected):
    """Compare tuples of results."""
    results, expected = (value if isinstance(value, (tuple, list)) else (value,) for value in (results, expected))
    assert len(results) == len(expected)
    for result, reference in zip(results, expected, strict=True):
        if np.asarray(reference).dtype.kind == "c":  # the other component of a complex NaN is not specified
            expect(xp.isnan(result), np.isnan(reference))
            result, reference = xp.where(xp.isnan(result), 0, result), np.where(np.isnan(reference), 0, reference)
        expect(result, reference, signs=False)


# -- distinct elements ------------------------------------------------------------------------------------------------


@given(data=st.data(), flags=st.tuples(*[st.booleans()] * 3), equal_nan=st.booleans())
def test_unique_matches_numpy(device, data, flags, equal_nan):
    host, x = data.draw(arrays())
    expected = np.unique(host, *flags, equal_nan=equal_nan, sorted=True)
    agree(xp.unique(x, *flags, equal_nan=equal_nan), expected)


@given(data=st.data(), flags=st.tuples(*[st.booleans()] * 3))
def test_unique_slices_match_numpy(device, data, flags):
    host, x = data.draw(arrays(st.sampled_from([F8, I4, U1, B]), min_dims=1, max_dims=3, max_side=3))
    axis = data.draw(st.integers(-host.ndim, host.ndim - 1))
    agree(xp.unique(x, *flags, axis=axis), np.unique(host, *flags, axis=axis))


def test_unique_complex_slices_match_numpy(device):
    host, x = made([[1j, 2.0], [1.0, 0.0], [1j, 2.0], [1j, 1.0]])
    agree(xp.unique(x, True, True, True, axis=0), np.unique(host, True, True, True, axis=0))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0,), (2, 0, 3)], ids=str)
def test_unique_slices_of_empty_arrays_match_numpy(device, shape):
    host, x = made(np.zeros(shape))
    agree(xp.unique(x, True, True, True, axis=0), np.unique(host, True, True, True, axis=0))


def test_unique_with_an_axis_out_of_bounds_raises(device):
    with pytest.raises(np.exceptions.AxisError, match="axis 2 is out of bounds for array of dimension 2"):
        xp.unique(xp.ones((2, 2)), axis=2)


# -- sets -------------------------------------------------------------------------------------------------------------

SETS = ["intersect1d", "setdiff1d", "setxor1d", "union1d"]


@pytest.mark.parametrize("name", SETS)
@given(data=st.data())
def test_set_operation_matches_numpy(device, name, data):
    dtype1, dtype2 = data.draw(PAIRS)
    (host1, x1), (host2, x2) = data.draw(arrays(st.just(dtype1))), data.draw(arrays(st.just(dtype2)))
    if dtype1.kind == "c":  # NumPy itself finds complex NaN by their order
        host1, x1 = made(np.nan_to_num(host1))
    agree(getattr(xp, name)(x1, x2), getattr(np, name)(host1, host2))


@pytest.mark.parametrize("name", ["intersect1d", "setdiff1d", "setxor1d"])
def test_set_operation_of_distinct_elements_matches_numpy(device, name):
    (host1, x1), (host2, x2) = made([3, 1, 2, 7]), made([7, 5, 3])
    expected = getattr(np, name)(host1, host2, assume_unique=True)
    expect(getattr(xp, name)(x1, x2, assume_unique=True), expected)


@pytest.mark.parametrize("assume_unique", [False, True])
def test_indices_of_common_elements_match_numpy(device, assume_unique):
    first, second = ([3, 1, 2, 7], [7, 5, 3]) if assume_unique else ([[3, 1], [3, 7]], [7, 7, 5, 3])
    (host1, x1), (host2, x2) = made(first), made(second)
    agree(
        xp.intersect1d(x1, x2, assume_unique, return_indices=True),
        np.intersect1d(host1, host2, assume_unique, return_indices=True),
    )


@pytest.mark.parametrize("name", SETS)
def test_set_operation_takes_a_list_beside_an_array(device, name):
    host, x = made([3, 1, 2, 2])
    expect(getattr(xp, name)(x, [2, 5]), getattr(np, name)(host, [2, 5]))
    expect(getattr(xp, name)([2, 5], x), getattr(np, name)([2, 5], host))


# -- orders -----------------------------------------------------------------------------------------------------------


@given(data=st.data(), count=st.integers(1, 3))
def test_lexsort_matches_numpy(device, data, count):
    shape = data.draw(shapes(1, 2))
    pairs = []
    for _ in range(count):
        dtype = data.draw(ANY)
        pairs.append(data.draw(operands(dtype, shape, some_values(dtype))))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    expected = np.lexsort(tuple(pair.host for pair in pairs), axis=axis)
    expect(xp.lexsort(tuple(pair.array for pair in pairs), axis=axis), expected)


@given(data=st.data())
def test_lexsort_of_the_rows_of_an_array_matches_numpy(device, data):
    host, x = data.draw(arrays(min_dims=2, max_dims=3, min_side=1))
    expect(xp.lexsort(x), np.lexsort(host))


@pytest.mark.parametrize(
    ("keys", "error", "match"),
    [
        ((), TypeError, "need sequence of keys with len > 0 in lexsort"),
        (((2,), (3,)), ValueError, "all keys need to be the same shape"),
    ],
    ids=str,
)
def test_lexsort_refuses_keys(device, keys, error, match):
    with pytest.raises(error, match=match):
        xp.lexsort(tuple(xp.ones(shape) for shape in keys))


@given(data=st.data())
def test_partition_is_one_of_numpy(device, data):
    host, x = data.draw(arrays(min_dims=1, min_side=1))
    axis = data.draw(st.none() | st.integers(-host.ndim, host.ndim - 1))
    length = host.size if axis is None else host.shape[axis]
    kth = data.draw(st.integers(-length, length - 1) | st.lists(st.integers(0, length - 1), min_size=1))
    line = xp.reshape(x, (-1,)) if axis is None else x
    order, along = xp.argpartition(x, kth, axis), -1 if axis is None else axis
    for result in (xp.partition(x, kth, axis), xp.take_along_axis(line, order, axis=along)):
        found = np.moveaxis(values_of(result), along, -1)
        ordered = np.moveaxis(np.sort(host, axis=axis), along, -1)
        agree(xp.asarray(np.sort(found, axis=-1)), ordered)
        for position in np.atleast_1d(kth).tolist():
            # The sorted order of either side is that part of the whole: smaller elements come before the position.
            agree(xp.asarray(found[..., position]), ordered[..., position])
            agree(xp.asarray(np.sort(found[..., :position], axis=-1)), ordered[..., :position])
    assert order.dtype == device.default_dtypes["indexing"]


def test_partition_of_many_elements_is_one_of_numpy(device):
    rng = np.random.default_rng(3)
    for host in (rng.normal(size=5000), rng.integers(-9, 9, size=5000), rng.normal(size=(3, 2000)).astype(F4)):
        x = xp.asarray(host)
        for kth in (7, [3, 900], list(range(0, 1000, 40))):
            for result in (xp.partition(x, kth), xp.take_along_axis(x, xp.argpartition(x, kth), axis=-1)):
                found = values_of(result)
                for position in np.atleast_1d(kth).tolist():
                    at = found[..., position, None]
                    assert (at == np.sort(host, axis=-1)[..., position, None]).all()
                    assert (found[..., :position] <= at).all()
                    assert (found[..., position:] >= at).all()
                assert (np.sort(found, axis=-1) == np.sort(host, axis=-1)).all()


@pytest.mark.parametrize("name", ["partition", "argpartition"])
@pytest.mark.parametrize(
    ("args", "options", "error", "match"),
    [
        ((3,), {}, ValueError, r"kth\(=3\) out of bounds \(3\)"),
        ((1.5,), {}, TypeError, "Partition index must be integer"),
        ((1,), {"kind": "quick"}, ValueError, "select kind must be 'introselect'"),
        ((1,), {"order": "f"}, ValueError, "Cannot specify order when the array has no fields"),
        ((1, 2), {}, np.exceptions.AxisError, "axis 2 is out of bounds"),
    ],
    ids=str,
)
def test_partition_refuses_arguments(device, name, args, options, error, match):
    with pytest.raises(error, match=match):
        getattr(xp, name)(xp.ones(3), *args, **options)


@pytest.mark.parametrize("dtype", [F4, F8, C8, C16, I2, I4, I8, U1, B], ids=str)
def test_sort_complex_matches_numpy(device, dtype):
    host, x = made(np.asarray([[3, 1, 0], [2, 0, 1]]).astype(dtype) * dtype.type(1j if dtype.kind == "c" else 1))
    expect(xp.sort_complex(x), np.sort_complex(host))


def test_sort_complex_orders_by_both_components(device):
    host, x = made([1 + 2j, 1 + 1j, 0.5 + 9j, complex(math.nan, 1), 2 - 1j])
    agree(xp.sort_complex(x), np.sort_complex(host))
