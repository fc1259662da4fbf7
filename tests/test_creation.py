"""Creation functions on each device, against NumPy; asarray and from_dlpack have tests of their own chapter, too."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, dtypes_of, elements, expect, few, operands, quiet, shapes, values_of

import xtensor as xp

CONSTANT = {"empty": None, "ones": 1, "zeros": 0}
"""Functions that make an array of one value, and the value; what ``empty`` holds is open."""


@pytest.mark.parametrize("name", CONSTANT)
@given(data=st.data())
def test_array_of_one_value_has_shape_and_dtype(device, name, data):
    shape, dtype = data.draw(shapes()), data.draw(dtypes(device))
    result = getattr(xp, name)(shape, dtype=dtype)
    expected = values_of(result) if CONSTANT[name] is None else np.full(shape, CONSTANT[name], dtype)
    expect(result, expected, dtype=dtype, device=device)
    assert result.shape == shape


@pytest.mark.parametrize("name", CONSTANT)
@pytest.mark.parametrize("shape", [3, (3,), [3]], ids=repr)
def test_one_length_may_stand_for_a_shape(device, name, shape):
    assert getattr(xp, name)(shape).shape == (3,)


@pytest.mark.parametrize("name", CONSTANT)
def test_dtype_by_default_is_the_devices_float(device, name):
    info = xp.__array_namespace_info__()
    assert getattr(xp, name)(2).dtype == info.default_dtypes(device=device)["real floating"]


@pytest.mark.parametrize("name", CONSTANT)
@given(data=st.data())
def test_array_like_another_has_its_shape_and_dtype(device, name, data):
    x = data.draw(operands(dtypes(device)))
    result = getattr(xp, f"{name}_like")(x.array)
    expected = values_of(result) if CONSTANT[name] is None else np.full_like(x.host, CONSTANT[name])
    expect(result, expected, dtype=x.host.dtype)
    assert result.shape == x.host.shape


@pytest.mark.parametrize("name", [*CONSTANT, "full"])
@few
@given(data=st.data())
def test_array_like_another_takes_another_dtype(device, name, data):
    x = data.draw(operands(dtypes(device), special=False, bound=3.0))
    dtype = data.draw(dtypes(device))
    value = (1,) if name == "full" else ()
    result = getattr(xp, f"{name}_like")(x.array, *value, dtype=dtype)
    assert (result.dtype, result.shape) == (dtype, x.host.shape)


@pytest.mark.parametrize("name", [*CONSTANT, "full"])
def test_array_like_another_takes_another_device(device, name):
    x = xp.ones((2, 3))
    value = (1.0,) if name == "full" else ()
    for other in xp.devices():
        assert getattr(xp, f"{name}_like")(x, *value, device=other).device is other


@pytest.mark.parametrize("name", CONSTANT)
def test_array_like_one_on_another_device_stays_there(device, name):
    for other in xp.devices():
        assert getattr(xp, f"{name}_like")(xp.ones(2, device=other)).device is other


@given(data=st.data())
def test_full_holds_the_value(device, data):
    shape, dtype = data.draw(shapes()), data.draw(dtypes(device))
    value = data.draw(elements(dtype))
    expect(xp.full(shape, value, dtype=dtype), np.full(shape, value, dtype))


@given(data=st.data())
def test_full_like_holds_the_value(device, data):
    x = data.draw(operands(dtypes(device)))
    value = data.draw(elements(x.host.dtype))
    expect(xp.full_like(x.array, value), np.full_like(x.host, value))


@pytest.mark.parametrize("value", [True, 3, 2.5, 1j], ids=repr)
def test_full_takes_the_default_dtype_of_the_values_kind(device, value):
    kinds = {bool: "bool", int: "integral", float: "real floating", complex: "complex floating"}
    defaults = {"bool": xp.bool, **xp.__array_namespace_info__().default_dtypes(device=device)}
    assert xp.full(2, value).dtype == defaults[kinds[type(value)]]


@given(data=st.data())
def test_arange_counts_as_numpy(device, data):
    start, stop = data.draw(st.integers(-20, 20)), data.draw(st.integers(-20, 20))
    step = data.draw(st.integers(-7, 7).filter(bool))
    dtype = data.draw(st.none() | dtypes(device, "if"))
    expected = np.arange(start, stop, step, dtype=dtype)
    expect(xp.arange(start, stop, step, dtype=dtype), expected, dtype=dtype or np.int64)


@given(data=st.data())
def test_arange_of_floats_spaces_evenly(device, data):
    start = data.draw(st.floats(-10, 10))
    step = data.draw(st.sampled_from([0.25, 0.5, 1.5, -0.75]))
    count = data.draw(st.integers(0, 9))
    dtype = dtypes_of(device, "f")[-1]
    result = xp.arange(start, start + step * (count - 0.5), step, dtype=dtype)
    expect(result, start + step * np.arange(count), dtype=dtype, ulp=8, signs=False, atol=1e-14)


@pytest.mark.parametrize("arguments", [(5,), (0,), (-3,), (2, 9), (9, 2), (0, 10, 3), (10, 0, -3)], ids=str)
def test_arange_with_fewer_arguments(device, arguments):
    expect(xp.arange(*arguments), np.arange(*arguments), dtype=np.int64)


def test_bounds_may_be_0d_arrays_and_decide_the_device(lenient_device):
    bound = xp.asarray(4)
    with xp.use_device("cpu"):
        made = [
            xp.arange(bound),
            xp.arange(1, bound + 1, xp.asarray(1, device=lenient_device)),
            xp.linspace(0, bound, 5),
        ]
    assert all(x.device is lenient_device for x in made)
    assert [x.tolist() for x in made] == [[0, 1, 2, 3], [1, 2, 3, 4], [0.0, 1.0, 2.0, 3.0, 4.0]]
    assert xp.linspace(0, xp.asarray(1j), 2).tolist() == [0.0, 1j]


@pytest.mark.parametrize("bound", [xp.asarray([4], device="cpu"), xp.asarray(True, device="cpu")], ids=["1-d", "bool"])
def test_bounds_that_are_no_numbers_raise(device, bound):
    with pytest.raises(TypeError, match="stop is a real number"):
        xp.arange(bound, device=device)
    with pytest.raises(TypeError, match="start is a number"):
        xp.linspace(bound, 1, 3, device=device)


@given(data=st.data())
def test_linspace_reaches_from_start_to_stop(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    start, stop = (data.draw(elements(dtype, bound=1e3, special=False)) for _ in range(2))
    count, endpoint = data.draw(st.integers(0, 9)), data.draw(st.booleans())
    result = xp.linspace(start, stop, count, dtype=dtype, endpoint=endpoint)
    expected = np.linspace(start, stop, count, dtype=dtype, endpoint=endpoint)
    atol = 8 * float(np.finfo(dtype).eps) * max(abs(start), abs(stop))
    expect(result, expected, ulp=4, signs=False, atol=atol)


@few
@given(data=st.data())
def test_linspace_begins_and_ends_exactly(device, data):
    start, stop = data.draw(st.floats(-1e6, 1e6, width=32)), data.draw(st.floats(-1e6, 1e6, width=32))
    result = xp.linspace(start, stop, data.draw(st.integers(2, 50)))
    assert (float(result[0]), float(result[-1])) == (start, stop)


@pytest.mark.parametrize("bound", [2, 1.0, 1j], ids=repr)
def test_linspace_takes_the_default_float_of_the_bounds(device, bound):
    defaults = xp.__array_namespace_info__().default_dtypes(device=device)
    kind = "complex floating" if isinstance(bound, complex) else "real floating"
    assert xp.linspace(0, bound, 3).dtype == defaults[kind]


@given(data=st.data())
def test_eye_has_ones_on_one_diagonal(device, data):
    rows, columns = data.draw(st.integers(0, 4)), data.draw(st.none() | st.integers(0, 4))
    k, dtype = data.draw(st.integers(-5, 5)), data.draw(dtypes(device))
    expect(xp.eye(rows, columns, k=k, dtype=dtype), np.eye(rows, columns, k=k, dtype=dtype))


@pytest.mark.parametrize("name", ["tril", "triu"])
@given(data=st.data())
def test_triangle_keeps_one_side_of_a_diagonal(device, name, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=2)))
    k = data.draw(st.integers(-5, 5))
    expect(getattr(xp, name)(x.array, k=k), getattr(np, name)(x.host, k=k))


@pytest.mark.parametrize("name", ["tril", "triu"])
@pytest.mark.parametrize("shape", [(), (3,)], ids=str)
def test_triangle_needs_a_matrix(device, name, shape):
    with pytest.raises(ValueError, match="two or more dimensions"):
        getattr(xp, name)(xp.ones(shape))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@given(data=st.data())
def test_meshgrid_gives_the_coordinates_of_a_grid(device, indexing, data):
    dtype = data.draw(dtypes(device))
    count = data.draw(st.integers(0, 3))
    xs = [data.draw(operands(dtype, shapes(min_dims=1, max_dims=1, max_side=3))) for _ in range(count)]
    results = xp.meshgrid(*(x.array for x in xs), indexing=indexing)
    assert isinstance(results, tuple)
    expected = np.meshgrid(*(x.host for x in xs), indexing=indexing)
    for result, grid in zip(results, expected, strict=True):
        expect(result, grid)


def test_meshgrid_gives_arrays_that_can_be_written_to(device):
    first, second = xp.meshgrid(xp.asarray([1.0, 2.0]), xp.asarray([3.0, 4.0]))
    first[0, 0] = 9.0
    expect(first, np.asarray([[9.0, 2.0], [1.0, 2.0]]), dtype=first.dtype)
    expect(second, np.asarray([[3.0, 3.0], [4.0, 4.0]]), dtype=second.dtype)


@given(data=st.data())
def test_asarray_of_a_numpy_array_keeps_dtype_and_values(device, data):
    x = data.draw(operands(dtypes(device)))
    expect(xp.asarray(x.host), x.host)


@few
@given(data=st.data())
def test_asarray_of_nested_lists_gives_the_same_values(device, data):
    dtype = data.draw(dtypes(device))
    host = data.draw(operands(dtype, shapes(min_side=1))).host
    expect(xp.asarray(host.tolist(), dtype=dtype), host)


@few
@given(data=st.data())
def test_asarray_with_copy_shares_nothing(device, data):
    x = data.draw(operands(dtypes(device), (3,), layouts=("plain",)))
    result = xp.asarray(x.array, copy=True)
    x.array[...] = xp.ones((), dtype=x.host.dtype)
    expect(result, x.host)


@few
@given(data=st.data())
def test_asarray_of_an_array_without_copy_is_that_array(device, data):
    x = data.draw(operands(dtypes(device)))
    assert xp.asarray(x.array) is x.array
    assert xp.asarray(x.array, copy=False) is x.array


@few
@given(data=st.data())
def test_asarray_casts_to_another_dtype(device, data):
    x = data.draw(operands(dtypes(device, "biuf"), special=False, bound=100.0))
    dtype = data.draw(dtypes(device, "fc"))
    with quiet():
        expect(xp.asarray(x.array, dtype=dtype), x.host.astype(dtype))


@given(data=st.data())
def test_from_dlpack_of_an_array_has_its_values(device, data):
    x = data.draw(operands(dtypes(device)))
    expect(xp.from_dlpack(x.array), x.host)


@pytest.mark.parametrize("copy", [None, True])
@few
@given(data=st.data())
def test_from_dlpack_reads_a_numpy_array(device, copy, data):
    x = data.draw(operands(dtypes(device)))
    host = np.array(x.host)
    result = xp.from_dlpack(host, device=device, copy=copy)
    expect(result, host, device=device)


def test_arrays_made_under_use_device_are_on_it(device):
    made_here = [xp.ones(1), xp.asarray([1]), xp.arange(3), xp.eye(2), xp.linspace(0, 1, 2), xp.full(2, 1)]
    assert {str(x.device) for x in made_here} == {str(device)}


TESTED = (
    *("arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace"),
    *("meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like"),
)


def test_every_creation_function_is_tested_here():
    from xtensor._standard import creation as _creation

    assert set(TESTED) == set(_creation.__all__)
