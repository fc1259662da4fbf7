"""Creation functions on each device, compared with NumPy; test_asarray.py tests asarray and from_dlpack in detail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes, dtypes_of, elements, expect, few, operands, quiet, shapes
from usable import usable_devices

import xtensor as xp

CONSTANT = {"empty": None, "ones": 1, "zeros": 0}
"""Functions that create an array of one value, with the value; the elements of ``empty`` are unspecified."""


def check_constant(result, value, shape, dtype, device):
    """Check the shape, dtype and device of an array, and its elements unless ``value`` is None."""
    assert (result.shape, result.dtype, result.device) == (shape, dtype, device)
    if value is not None:
        expect(result, np.full(shape, value, dtype))


@pytest.mark.parametrize("name", CONSTANT)
@given(data=st.data())
def test_constant_array_has_shape_dtype_and_value(device, name, data):
    shape, dtype = data.draw(shapes()), data.draw(dtypes(device))
    check_constant(getattr(xp, name)(shape, dtype=dtype), CONSTANT[name], shape, dtype, device)


@pytest.mark.parametrize("name", CONSTANT)
@pytest.mark.parametrize("shape", [3, (3,), [3]], ids=repr)
def test_shape_may_be_an_integer_or_a_sequence(device, name, shape):
    assert getattr(xp, name)(shape).shape == (3,)


@pytest.mark.parametrize("name", CONSTANT)
def test_default_dtype_is_real_floating(device, name):
    info = xp.__array_namespace_info__()
    assert getattr(xp, name)(2).dtype == info.default_dtypes(device=device)["real floating"]


@pytest.mark.parametrize("name", CONSTANT)
@given(data=st.data())
def test_like_function_takes_shape_and_dtype_from_the_array(device, name, data):
    x = data.draw(operands(dtypes(device)))
    check_constant(getattr(xp, f"{name}_like")(x.array), CONSTANT[name], x.host.shape, x.host.dtype, device)


@pytest.mark.parametrize("name", [*CONSTANT, "full"])
@few
@given(data=st.data())
def test_like_function_with_dtype(device, name, data):
    x = data.draw(operands(dtypes(device), special=False, bound=3.0))
    dtype = data.draw(dtypes(device))
    value = (1,) if name == "full" else ()
    result = getattr(xp, f"{name}_like")(x.array, *value, dtype=dtype)
    assert (result.dtype, result.shape) == (dtype, x.host.shape)


@pytest.mark.parametrize("name", [*CONSTANT, "full"])
def test_like_function_with_device(device, name):
    x = xp.ones((2, 3), dtype=xp.float32)
    value = (1.0,) if name == "full" else ()
    for other in usable_devices():
        assert getattr(xp, f"{name}_like")(x, *value, device=other).device is other


@pytest.mark.parametrize("shape", [(), 4, (0, 2), (3, 1, 2)], ids=str)
@pytest.mark.parametrize("name", [*CONSTANT, "full"])
def test_like_function_with_shape(device, name, shape):
    x = xp.ones((2, 3), dtype=xp.float32)
    value = (7.0,) if name == "full" else ()
    result = getattr(xp, f"{name}_like")(x, *value, shape=shape)
    lengths = (shape,) if isinstance(shape, int) else shape
    check_constant(result, CONSTANT.get(name, 7.0), lengths, np.dtype(np.float32), device)


@pytest.mark.parametrize("name", [*CONSTANT, "full"])
def test_like_function_refuses_a_negative_length(device, name):
    value = (7.0,) if name == "full" else ()
    with pytest.raises(ValueError, match=f"{name}_like"):
        getattr(xp, f"{name}_like")(xp.ones(2), *value, shape=(-1,))


@pytest.mark.parametrize("name", CONSTANT)
def test_like_function_defaults_to_the_device_of_the_array(device, name):
    for other in usable_devices():
        assert getattr(xp, f"{name}_like")(xp.ones(2, device=other)).device is other


@given(data=st.data())
def test_full_has_the_fill_value(device, data):
    shape, dtype = data.draw(shapes()), data.draw(dtypes(device))
    value = data.draw(elements(dtype))
    expect(xp.full(shape, value, dtype=dtype), np.full(shape, value, dtype))


@given(data=st.data())
def test_full_like_has_the_fill_value(device, data):
    x = data.draw(operands(dtypes(device)))
    value = data.draw(elements(x.host.dtype))
    expect(xp.full_like(x.array, value), np.full_like(x.host, value))


@pytest.mark.parametrize("value", [True, 3, 2.5, 1j], ids=repr)
def test_full_defaults_to_the_dtype_of_the_scalars_kind(device, value):
    kinds = {bool: "bool", int: "integral", float: "real floating", complex: "complex floating"}
    defaults = {"bool": xp.bool, **xp.__array_namespace_info__().default_dtypes(device=device)}
    assert xp.full(2, value).dtype == defaults[kinds[type(value)]]


def test_full_refuses_an_integer_out_of_bounds(device):
    with pytest.raises(OverflowError, match="^Python integer 300 out of bounds for uint8.*full"):
        xp.full(2, 300, dtype=xp.uint8)


def test_full_refuses_a_complex_value_for_a_real_dtype(device):
    with pytest.raises(TypeError, match=r"full\(\): complex fill_value 1j .* float32"):
        xp.full(2, 1j, dtype=xp.float32)


@given(data=st.data())
def test_arange_equals_numpys(device, data):
    start, stop = data.draw(st.integers(-20, 20)), data.draw(st.integers(-20, 20))
    step = data.draw(st.integers(-7, 7).filter(bool))
    dtype = data.draw(st.none() | dtypes(device, "if"))
    expected = np.arange(start, stop, step, dtype=dtype)
    expect(xp.arange(start, stop, step, dtype=dtype), expected, dtype=dtype or np.int64)


@given(data=st.data())
def test_arange_of_floats_is_evenly_spaced(device, data):
    start = data.draw(st.floats(-10, 10))
    step = data.draw(st.sampled_from([0.25, 0.5, 1.5, -0.75]))
    count = data.draw(st.integers(0, 9))
    dtype = dtypes_of(device, "f")[-1]
    result = xp.arange(start, start + step * (count - 0.5), step, dtype=dtype)
    expect(result, start + step * np.arange(count), dtype=dtype, ulp=8, signs=False, atol=1e-14)


@pytest.mark.parametrize("arguments", [(5,), (0,), (-3,), (2, 9), (9, 2), (0, 10, 3), (10, 0, -3)], ids=str)
def test_arange_with_optional_arguments_omitted(device, arguments):
    expect(xp.arange(*arguments), np.arange(*arguments), dtype=np.int64)


@pytest.mark.parametrize("stop", [float("inf"), float("-inf"), float("nan"), 1e30], ids=repr)
def test_arange_refuses_a_length_beyond_the_address_space(device, stop):
    with pytest.raises(ValueError, match="^Maximum allowed size exceeded.*arange"):
        xp.arange(0, stop)


def test_arange_refuses_a_zero_step(device):
    with pytest.raises(ValueError, match="step is 0"):
        xp.arange(0, 1, 0)


def test_bounds_may_be_0d_arrays_which_determine_the_device(lenient_device):
    bound = xp.asarray(4)
    with xp.use_device("cpu"):
        results = [
            xp.arange(bound),
            xp.arange(1, bound + 1, xp.asarray(1, device=lenient_device)),
            xp.linspace(0, bound, 5),
        ]
    assert all(x.device is lenient_device for x in results)
    assert [x.tolist() for x in results] == [[0, 1, 2, 3], [1, 2, 3, 4], [0.0, 1.0, 2.0, 3.0, 4.0]]
    assert xp.linspace(0, xp.asarray(1j), 2).tolist() == [0.0, 1j]


@pytest.mark.parametrize("bound", [xp.asarray([4], device="cpu"), xp.asarray(True, device="cpu")], ids=["1-d", "bool"])
def test_non_numeric_bound_raises(device, bound):
    with pytest.raises(TypeError, match="stop is a real number"):
        xp.arange(bound, device=device)
    with pytest.raises(TypeError, match="start is a number"):
        xp.linspace(bound, 1, 3, device=device)


@given(data=st.data())
def test_linspace_equals_numpys(device, data):
    dtype = data.draw(dtypes(device, "fc"))
    start, stop = (data.draw(elements(dtype, bound=1e3, special=False)) for _ in range(2))
    count, endpoint = data.draw(st.integers(0, 9)), data.draw(st.booleans())
    result = xp.linspace(start, stop, count, dtype=dtype, endpoint=endpoint)
    expected = np.linspace(start, stop, count, dtype=dtype, endpoint=endpoint)
    atol = 8 * float(np.finfo(dtype).eps) * max(abs(start), abs(stop))
    expect(result, expected, ulp=4, signs=False, atol=atol)


@few
@given(data=st.data())
def test_linspace_contains_both_bounds_exactly(device, data):
    start, stop = data.draw(st.floats(-1e6, 1e6, width=32)), data.draw(st.floats(-1e6, 1e6, width=32))
    result = xp.linspace(start, stop, data.draw(st.integers(2, 50)))
    assert (float(result[0]), float(result[-1])) == (start, stop)


@pytest.mark.parametrize("bound", [2, 1.0, 1j], ids=repr)
def test_linspace_defaults_to_the_floating_dtype_of_the_bounds(device, bound):
    defaults = xp.__array_namespace_info__().default_dtypes(device=device)
    kind = "complex floating" if isinstance(bound, complex) else "real floating"
    assert xp.linspace(0, bound, 3).dtype == defaults[kind]


def test_linspace_refuses_a_negative_number_of_samples(device):
    with pytest.raises(ValueError, match="^Number of samples, -1, must be non-negative.*linspace"):
        xp.linspace(0, 1, -1)


def test_linspace_refuses_complex_bounds_for_a_real_dtype(device):
    with pytest.raises(TypeError, match="linspace.*complex dtype, not float32"):
        xp.linspace(0, 1j, 3, dtype=xp.float32)


@given(data=st.data())
def test_eye_has_ones_on_one_diagonal(device, data):
    rows, columns = data.draw(st.integers(0, 4)), data.draw(st.none() | st.integers(0, 4))
    k, dtype = data.draw(st.integers(-5, 5)), data.draw(dtypes(device))
    expect(xp.eye(rows, columns, k=k, dtype=dtype), np.eye(rows, columns, k=k, dtype=dtype))


@pytest.mark.parametrize("name", ["tril", "triu"])
@given(data=st.data())
def test_triangle_equals_numpys(device, name, data):
    x = data.draw(operands(dtypes(device), shapes(min_dims=2)))
    k = data.draw(st.integers(-5, 5))
    expect(getattr(xp, name)(x.array, k=k), getattr(np, name)(x.host, k=k))


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangle_refuses_fewer_than_two_dimensions(device, name):
    with pytest.raises(ValueError, match="two or more dimensions"):
        getattr(xp, name)(xp.ones(()))
    with pytest.raises(ValueError, match="two or more dimensions"):
        getattr(xp, name)(xp.ones(3, device="strict"))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@given(data=st.data())
def test_meshgrid_equals_numpys(device, indexing, data):
    dtype = data.draw(dtypes(device))
    count = data.draw(st.integers(0, 3))
    xs = [data.draw(operands(dtype, shapes(min_dims=1, max_dims=1, max_side=3))) for _ in range(count)]
    results = xp.meshgrid(*(x.array for x in xs), indexing=indexing)
    assert isinstance(results, tuple)
    expected = np.meshgrid(*(x.host for x in xs), indexing=indexing)
    for result, grid in zip(results, expected, strict=True):
        expect(result, grid)


def test_meshgrid_results_are_writable_and_share_no_memory(device):
    first, second = xp.meshgrid(xp.asarray([1.0, 2.0]), xp.asarray([3.0, 4.0]))
    first[0, 0] = 9.0
    expect(first, np.asarray([[9.0, 2.0], [1.0, 2.0]]), dtype=first.dtype)
    expect(second, np.asarray([[3.0, 3.0], [4.0, 4.0]]), dtype=second.dtype)


@given(data=st.data())
def test_asarray_of_a_numpy_array_preserves_dtype_and_values(device, data):
    x = data.draw(operands(dtypes(device)))
    expect(xp.asarray(x.host), x.host)


@few
@given(data=st.data())
def test_asarray_of_nested_lists_preserves_values(device, data):
    dtype = data.draw(dtypes(device))
    host = data.draw(operands(dtype, shapes(min_side=1))).host
    expect(xp.asarray(host.tolist(), dtype=dtype), host)


@few
@given(data=st.data())
def test_asarray_with_copy_shares_no_memory(device, data):
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
def test_from_dlpack_of_an_array_preserves_values(device, data):
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


def test_arrays_are_created_on_the_default_device(device):
    arrays = [xp.ones(1), xp.asarray([1]), xp.arange(3), xp.eye(2), xp.linspace(0, 1, 2), xp.full(2, 1)]
    assert {str(x.device) for x in arrays} == {str(device)}


TESTED = (
    *("arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like", "linspace"),
    *("meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like"),
)


def test_tested_functions_are_those_of_the_chapter():
    from xtensor._ops import STANDARD

    chapter = ("conversion", "creation", "filling", "triangles")
    assert set(TESTED) == {name for module in chapter for name in STANDARD[module]}


@pytest.mark.parametrize(
    "bounds", [(np.int8(-100), np.int8(100)), (np.float16(-6e4), np.float16(6e4), np.float16(1e4))]
)
def test_arange_between_scalars_whose_difference_exceeds_their_dtype(bounds):
    x = xp.arange(*bounds, device="numpy")
    assert x.tolist() == np.arange(*[bound.item() for bound in bounds]).tolist()
