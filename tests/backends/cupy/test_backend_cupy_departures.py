"""Corrections of what CuPy does otherwise than NumPy, over a stand-in that departs as CuPy does."""

from __future__ import annotations

import itertools
import math

import cupy_departures
import numpy as np
import pytest
from assignment_cases import OVERLAPPING, POSITIONS, READ_ONLY_WRITES
from cupy_support import FLOATS, INF, NAN, SPECIAL, needs_compiler, on_host, same, standin_device

import xtensor as xp
from xtensor_backends.cupy import _namespace

TINY = 1e-40
"""A subnormal number of float32."""


@pytest.fixture(scope="module")
def single():
    """The device of a stand-in with one GPU."""
    return standin_device("cuda:0")


@pytest.fixture(scope="module", params=[1, 2], ids=["one GPU", "two GPUs"])
def either(request):
    """The last device of a stand-in with one GPU, and with two."""
    return standin_device(f"cuda:{request.param - 1}", devices=request.param)


# -- assignment -------------------------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("assign", OVERLAPPING.values(), ids=OVERLAPPING)
def test_assignment_of_overlapping_memory_is_numpys(either, assign):
    values, positions = np.arange(5), np.asarray(POSITIONS)
    x = xp.asarray(values, device=either)
    assign(x, xp.asarray(positions, device=either))
    assign(values, positions)
    same(x, values)


@pytest.mark.parametrize("shift", [1, -1])
def test_overlapping_rows_are_copied_as_if_they_were_apart(single, shift):
    values = np.arange(12.0).reshape(4, 3)
    x = xp.asarray(values, device=single)
    if shift > 0:
        x[1:], values[1:] = x[:-1], values[:-1].copy()
    else:
        x[:-1], values[:-1] = x[1:], values[1:].copy()
    same(x, values)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_assignment_of_the_real_component_clears_the_imaginary_one(single, dtype):
    z = xp.asarray(np.array([1 + 2j, 3 - 4j], dtype), device=single)
    z[...] = xp.real(z)
    same(z, np.array([1, 3], dtype))


def test_assignment_of_the_same_bytes_in_another_dtype_converts_them(single):
    x = xp.asarray(np.array([1, 2], np.int32), device=single)
    bits = x._native.view(np.float32)
    single._library.setitem(bits, ..., x._native)
    same(bits, np.array([1, 2], np.float32))


@needs_compiler
@pytest.mark.parametrize("write", READ_ONLY_WRITES.values(), ids=READ_ONLY_WRITES)
def test_a_broadcast_view_is_read_only(either, write):
    x = xp.asarray([1.0, 2.0], device=either)
    with pytest.raises(ValueError, match="read-only"):
        write(xp.broadcast_to(x, (2, 2)), xp.asarray([0], device=either))
    same(x, [1.0, 2.0])


def test_arrays_without_repeated_elements_are_writable(single):
    x = xp.ones(3, device=single)
    xp.broadcast_to(x, (3,))
    x[0] = 7.0
    same(x, [7.0, 1.0, 1.0])
    column = xp.broadcast_to(xp.asarray([[1.0], [2.0]], device=single), (2, 1))
    column += 1.0
    same(column, [[2.0], [3.0]])
    empty = xp.broadcast_to(xp.zeros((1, 0), device=single), (3, 0))
    empty += 1.0
    empty[...] = 2.0
    assert empty.shape == (3, 0)


# -- index arrays out of bounds ---------------------------------------------------------------------------------------

OUTSIDE = {
    "an index array": (lambda x, i: x[i], [3]),
    "a negative index": (lambda x, i: x[i], [0, -4]),
    "an unsigned index": (lambda x, i: x[xp.astype(i, xp.uint64)], [3]),
    "beside a slice": (lambda x, i: x[:, i], [2]),
    "after an ellipsis": (lambda x, i: x[..., i], [-3]),
    "after None and an integer": (lambda x, i: x[None, 0, i], [2]),
    "a 0-d index": (lambda x, i: x[i[0]], [5]),
    "an assignment": (lambda x, i: x.__setitem__(i, 1.0), [3]),
    "take": (lambda x, i: xp.take(x, i, axis=1), [2]),
    "take_along_axis": (lambda x, i: xp.take_along_axis(x, xp.reshape(i, (-1, 1)), axis=0), [3]),
}


@pytest.mark.parametrize(("use", "positions"), OUTSIDE.values(), ids=OUTSIDE)
def test_index_arrays_out_of_bounds_raise_if_they_are_checked(monkeypatch, use, positions):
    monkeypatch.setenv("XTENSOR_CHECK_INDICES", "1")
    for device in (standin_device("cuda:0"), standin_device("cuda:1", devices=2)):
        x = xp.zeros((3, 2), device=device)
        with pytest.raises(IndexError, match="out of bounds for axis . with size"):
            use(x, xp.asarray(positions, device=device))
        same(x, np.zeros((3, 2)))


def test_index_arrays_within_bounds_pass_the_check(monkeypatch):
    monkeypatch.setenv("XTENSOR_CHECK_INDICES", "1")
    device = standin_device("cuda:0")
    values = np.arange(6.0).reshape(3, 2)
    x = xp.asarray(values, device=device)
    positions = np.array([-3, 2, 0])
    i = xp.asarray(positions, device=device)
    same(x[i], values[positions])
    same(x[i, 0], values[positions, 0])
    same(x[x > 1.0], values[values > 1.0])
    same(x[True, i], values[True, positions])
    same(xp.take(x, i, axis=0), values[positions])
    x[i[:1], ...] = -1.0
    same(x, [[-1.0, -1.0], [2.0, 3.0], [4.0, 5.0]])


@pytest.mark.parametrize(("use", "positions"), OUTSIDE.values(), ids=OUTSIDE)
def test_index_arrays_out_of_bounds_wrap_around_without_the_check(monkeypatch, use, positions):
    monkeypatch.setenv("XTENSOR_CHECK_INDICES", "0")
    device = standin_device("cuda:0")
    calls = device._library.library.calls
    x, i = xp.zeros((3, 2), device=device), xp.asarray(positions, device=device)
    calls.clear()
    use(x, i)
    assert "to host" not in calls  # the host does not wait


def test_take_along_a_later_axis_keeps_positions_of_32_bits(single, monkeypatch):
    for module in (cupy_departures, _namespace):
        monkeypatch.setattr(module, "LARGEST_COUNT", 8)
    values, positions = np.arange(24).reshape(2, 3, 4), np.array([2, 0, 1, 1])
    x, i = xp.asarray(values, device=single), xp.asarray(positions, device=single)
    for axis in range(3):
        i_axis = i[:2] if axis == 0 else i % values.shape[axis]
        expected = np.take(values, on_host(i_axis) % values.shape[axis], axis=axis)
        same(xp.take(x, i_axis % values.shape[axis], axis=axis), expected)


# -- complex numbers --------------------------------------------------------------------------------------------------


@needs_compiler
def test_members_beside_a_complex_nan_are_found(single):
    members = np.array([1, 5, complex(0, NAN), complex(NAN, 1), 2j])
    elements = np.array([1, 5, 2j, 3, complex(0, NAN), complex(NAN, 1), -1])
    for x2 in (members, members[::-1].copy(), members[:3]):
        result = xp.isin(xp.asarray(elements, device=single), xp.asarray(x2, device=single))
        same(result, [any(bool(a == b) for b in x2) for a in elements])


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_the_reciprocal_of_a_complex_number_neither_overflows_nor_is_nan(single, dtype):
    large = float(np.finfo(dtype).max) / 2
    x = np.array([INF, complex(0, -INF), complex(INF, 2), complex(large, large), complex(3, -4)], dtype)
    result = on_host(xp.reciprocal(xp.asarray(x, device=single)))
    expected = np.array([0, 0, 0, complex(0.5 / large, -0.5 / large), 0.12 + 0.16j], dtype)
    np.testing.assert_allclose(result, expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize(("name", "exact"), [("log", math.log), ("log2", math.log2), ("log10", math.log10)])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_the_logarithm_of_the_largest_complex_numbers_is_finite(single, name, exact, dtype):
    largest = float(np.finfo(dtype).max)
    x = np.array([complex(largest, largest / 4), complex(-largest, -largest), complex(largest, 0)], dtype)
    result = on_host(getattr(xp, name)(xp.asarray(x, device=single)))
    magnitudes = [exact(largest) + exact(math.hypot(1, part)) for part in (0.25, 1.0, 0.0)]
    np.testing.assert_allclose(result.real, magnitudes, rtol=1e-6 if dtype is np.complex64 else 1e-14)
    unit = exact(math.e)
    angles = [math.atan2(0.25, 1) * unit, math.atan2(-1, -1) * unit, 0.0]
    np.testing.assert_allclose(result.imag, angles, rtol=1e-6 if dtype is np.complex64 else 1e-14)


@pytest.mark.parametrize(("name", "exact"), [("log", math.log), ("log2", math.log2), ("log10", math.log10)])
def test_the_logarithm_of_subnormal_complex_numbers_has_all_digits(single, name, exact):
    tiny = float(np.finfo(np.float64).smallest_subnormal)
    x = np.array([complex(tiny, tiny), complex(-3 * tiny, tiny), complex(0, 0), complex(2.0**-1022, tiny)])
    result = on_host(getattr(xp, name)(xp.asarray(x, device=single)))
    magnitudes = [exact(tiny) + exact(math.sqrt(2)), exact(tiny) + exact(math.sqrt(10)), -INF, exact(2.0**-1022)]
    np.testing.assert_allclose(result.real, magnitudes, rtol=1e-15)


# -- float16 ----------------------------------------------------------------------------------------------------------


def test_products_of_float16_with_one_element_are_added_up_in_float32(single):
    x = xp.asarray(np.array([300.0, -300.0], np.float16), device=single)
    y = xp.asarray(np.array([300.0, 300.0], np.float16), device=single)
    row, column = xp.reshape(x, (1, 2)), xp.reshape(y, (2, 1))
    for result in (
        xp.matmul(x, y),
        xp.matmul(row, column),
        xp.vecdot(x, y),
        xp.tensordot(x, y, axes=1),
        xp.tensordot(row, column, axes=((0, 1), (1, 0))),
    ):
        assert result.dtype == np.float16
        assert float(on_host(result).reshape(())) == 0.0


def test_products_of_float16_with_several_elements_are_cupys(single):
    x = np.arange(6, dtype=np.float16).reshape(2, 3)
    a = xp.asarray(x, device=single)
    same(xp.matmul(a, a.T), x @ x.T)
    same(xp.tensordot(a, a, axes=0), np.tensordot(x, x, axes=0))


def test_sums_of_float16_are_added_up_in_float32(single):
    x = np.full((2, 4096), 1.0, np.float16)
    x[0, 1::2] = 2**-11
    a = xp.asarray(x, device=single)
    expected = x.astype(np.float64).sum(axis=1).astype(np.float16)
    same(xp.sum(a, axis=1), expected)
    same(xp.sum(a, axis=1, keepdims=True), expected[:, None])
    wide = xp.sum(a, axis=1, dtype=xp.float32)
    assert wide.dtype == np.float32
    narrow = xp.sum(xp.asarray(x.astype(np.float32), device=single), axis=1, dtype=xp.float16)
    same(narrow, expected)
    rising = np.array([2048, 1, 1, 1], np.float16)
    same(xp.cumulative_sum(xp.asarray(rising, device=single)), np.array([2048, 2048, 2050, 2052], np.float16))


@pytest.mark.parametrize("name", ["var", "std"])
def test_variances_of_float16_are_computed_in_float32(single, name):
    x = (np.random.default_rng(0).standard_normal(70_000) * 8).astype(np.float16)
    result = getattr(xp, name)(xp.asarray(x, device=single), correction=1)
    assert result.dtype == np.float16
    same(result, getattr(x.astype(np.float64), name)(ddof=1).astype(np.float16))


# -- bfloat16 ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles_of_bfloat16_keep_the_dtype(single, name):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = np.arange(1, 13).reshape(3, 4).astype(bfloat16)
    result = getattr(xp, name)(xp.asarray(x, device=single), k=1)
    assert result.dtype == bfloat16
    np.testing.assert_array_equal(on_host(result).astype(np.float32), getattr(np, name)(x.astype(np.float32), 1))


# -- scans ------------------------------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize("axis", [0, 1])
def test_cumulative_products_are_taken_in_order(single, dtype, axis):
    x = np.array([[0.0, 1e200, 1e200, 1e200], [1.0, 2.0, 3.0, 4.0]], dtype)
    x = x if axis == 1 else np.ascontiguousarray(x.T)
    same(xp.cumulative_prod(xp.asarray(x, device=single), axis=axis), np.cumprod(x, axis=axis))


@needs_compiler
def test_cumulative_products_begin_with_one_and_round_float16_once(single):
    x = np.linspace(0.5, 1.5, 12).astype(np.float16).reshape(3, 4)
    result = xp.cumulative_prod(xp.asarray(x, device=single), axis=1, include_initial=True)
    expected = np.cumprod(x, axis=1, dtype=np.float32).astype(np.float16)
    same(result, np.concatenate([np.ones((3, 1), np.float16), expected], axis=1))


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_scans_of_too_many_elements_are_refused(single, name):
    x = xp.broadcast_to(xp.ones((1,), dtype=xp.int8, device=single), (2**31,))
    with pytest.raises(NotImplementedError, match="in parts"):
        getattr(xp, name)(x)


# -- subnormal numbers of float32 -------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_subnormal_numbers_are_not_zero(single, dtype):
    x = np.array([[0.0, TINY], [-0.0, -TINY]], dtype)
    if dtype is np.complex64:
        x[1, 0] = complex(0, TINY)
    a = xp.asarray(x, device=single)
    for positions, expected in zip(xp.nonzero(a), np.nonzero(x), strict=True):
        same(positions, expected)
    for name in ("any", "all", "count_nonzero"):
        for options in ({}, {"axis": 0}, {"axis": 1, "keepdims": True}):
            same(getattr(xp, name)(a, **options), getattr(np, name)(x, **options))
    same(xp.astype(a, xp.bool), x.astype(bool))
    same(xp.astype(a[:, ::-1], xp.bool), x[:, ::-1].astype(bool))
    same(xp.any(a[0, 1]), True)


@needs_compiler
def test_subnormal_numbers_are_ordered_and_distinct(single):
    x = np.array([TINY, 0.0, -TINY, 2 * TINY, TINY, -1.0], np.float32)
    a = xp.asarray(x, device=single)
    same(xp.max(a[:3]), x[0])
    same(xp.min(a), np.float32(-1))
    same(xp.min(a[:5]), x[2])
    same(xp.max(a[1:3]), np.float32(0))
    bins = np.sort(x)
    for side in ("left", "right"):
        result = xp.searchsorted(xp.asarray(bins, device=single), a, side=side)
        same(result, np.searchsorted(bins, x, side=side))
    members = np.array([TINY, 1.0], np.float32)
    same(xp.isin(a, xp.asarray(members, device=single)), np.isin(x, members))
    for result, expected in zip(xp.unique_all(a), np.unique_all(x), strict=True):
        same(result, expected)
    same(xp.unique_values(a), np.unique(x))


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float16, *FLOATS])
@pytest.mark.parametrize("name", ["max", "min"])
def test_extremes_of_every_pair_are_numpys(single, dtype, name):
    values = np.array([*SPECIAL, np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max], dtype)
    for pair in itertools.product(values, repeat=2):
        result = getattr(xp, name)(xp.asarray(np.array(pair, dtype), device=single))
        assert result.dtype == dtype
        np.testing.assert_array_equal(on_host(result), getattr(np, name)(np.array(pair, dtype)))
    same(getattr(xp, name)(xp.asarray(np.array([-0.0, -0.0], dtype), device=single)), dtype(-0.0))


# -- sorts and sets with NaN of both signs ----------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("dtype", [np.float16, *FLOATS])
def test_sets_and_sorts_of_nan_of_both_signs_are_numpys(single, dtype):
    x = np.array([2.0, NAN, -1.0, NAN, 2.0, INF], dtype)
    x[1] = -x[1]
    assert np.signbit(x[1]) != np.signbit(x[3])
    a = xp.asarray(x, device=single)
    same(xp.unique_values(a), np.unique(x, equal_nan=False))
    for result, expected in zip(xp.unique_all(a), np.unique_all(x), strict=True):
        same(result, expected)
    members = x[:4].copy()
    same(xp.isin(a, xp.asarray(members, device=single)), np.isin(x, members))
    same(xp.sort(a), np.sort(x))
    same(xp.argsort(a), np.argsort(x, kind="stable"))


# -- integers, booleans -----------------------------------------------------------------------------------------------


@needs_compiler
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("name", ["bitwise_left_shift", "bitwise_right_shift"])
def test_shifts_by_the_width_or_more_are_numpys(single, dtype, name):
    info = np.iinfo(dtype)
    counts = [0, 1, info.bits - 1, info.bits, info.bits + 1, 2**32, 2**32 + 1, info.max, -1]
    counts = np.array([count for count in counts if info.min <= count <= info.max], dtype)
    for value in (1, 5, info.max, info.min):
        x = np.full(counts.shape, value, dtype)
        expected = getattr(np, name)(x, counts)
        same(getattr(xp, name)(xp.asarray(x, device=single), xp.asarray(counts, device=single)), expected)
    in_place = xp.asarray(np.full(counts.shape, info.max, dtype), device=single)
    alias = in_place[...]
    operate = in_place.__ilshift__ if name == "bitwise_left_shift" else in_place.__irshift__
    operate(xp.asarray(counts, device=single))
    same(alias, getattr(np, name)(np.full(counts.shape, info.max, dtype), counts))


@needs_compiler
def test_shifts_promote_and_take_python_scalars(single):
    x = np.array([1, -8], np.int8)
    a = xp.asarray(x, device=single)
    same(a << 2, x << 2)
    same(a >> 1, x >> 1)
    wide = np.array([40, 3], np.int64)
    result = a << xp.asarray(wide, device=single)
    assert result.dtype == np.int64
    same(result, x << wide)


@pytest.mark.parametrize("name", ["bitwise_left_shift", "bitwise_right_shift"])
def test_shifts_refuse_operands_that_promote_to_floats(single, name):
    for shape in ((), (0,), (2,)):
        x, counts = (xp.ones(shape, dtype=dtype, device=single) for dtype in (xp.int8, xp.uint64))
        with pytest.raises(TypeError, match="shift"):
            getattr(xp, name)(x, counts)


def test_signs_of_truth_values_are_refused(single):
    with pytest.raises(TypeError, match="sign"):
        xp.sign(xp.asarray([True, False], device=single))


def test_logical_not_takes_complex_numbers(single):
    same(xp.logical_not(xp.asarray([0j, 1j, 1 + 0j], device=single)), [True, False, False])


@needs_compiler
@pytest.mark.parametrize("name", ["float32", "complex64"])
def test_logical_not_of_a_subnormal_number_is_false(single, name):
    same(xp.logical_not(xp.asarray([0.0, 1e-40, -0.0], dtype=name, device=single)), [True, False, True])


@needs_compiler
@pytest.mark.parametrize("shape", [(5,), (1, 5), (5, 1)])
def test_a_descending_sort_keeps_zeros_of_both_signs_in_order(single, shape):
    x = np.array([0.0, -0.0, -1.0, 0.0, -0.0]).reshape(shape)
    axis = shape.index(5)
    expected = np.array([0.0, -0.0, 0.0, -0.0, -1.0]).reshape(shape)
    same(xp.sort(xp.asarray(x, device=single), axis=axis, descending=True), expected)


@pytest.mark.parametrize("value", [1, 1.5, np.float64(1.5), np.int64(1)])
def test_an_index_may_be_an_integer_of_numpy(single, value):
    host = np.zeros((3, 2))
    x = xp.asarray(host, device=single)
    for key in ((np.int64(2), 1), np.int64(0)):
        x[key], host[key] = value, value
    same(x, host)
    same(x[np.int64(2), 1], host[2, 1])


@pytest.mark.parametrize("key", [1.5, 1.0, np.float32(1.0), (0, 1.5), 1j])
def test_a_number_with_a_fraction_is_no_index(single, key):
    x = xp.ones((3, 3), device=single)
    with pytest.raises(IndexError, match="only integers"):
        x[key]
    with pytest.raises(IndexError, match="only integers"):
        x[key] = 2.0
    same(x, np.ones((3, 3)))


@needs_compiler
def test_bfloat16_numbers_are_taken_as_they_are_and_have_neighbours_of_their_own(single):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    host = np.array([[1.0, -0.0], [NAN, INF]], bfloat16)
    x, order = (xp.asarray(values, device=single) for values in (host, np.array([1, 0])))
    by_rows = np.array([[1, 1], [0, 0]])
    for result, expected in (
        (xp.take(x, order, axis=0), host[::-1]),
        (xp.take_along_axis(x, xp.asarray(by_rows, device=single), axis=0), host[::-1]),
    ):
        assert result.dtype == bfloat16
        np.testing.assert_array_equal(on_host(result).view(np.uint16), expected.view(np.uint16))
    following = xp.nextafter(x[0, :], xp.asarray(np.array([2.0, 2.0], bfloat16), device=single))
    assert following.dtype == bfloat16
    np.testing.assert_array_equal(on_host(following).view(np.uint16), [0x3F81, 0x0001])
    with pytest.raises(TypeError, match="complex"):
        x += 1j
    np.testing.assert_array_equal(on_host(x).view(np.uint16), host.view(np.uint16))


@pytest.mark.parametrize("exponent", [2, 0.5, -1.0])
def test_short_powers_are_rounded_exactly(single, exponent):
    values = np.array([0.1, 3.0, 7.7])
    x = xp.asarray(values, device=single)
    same(x**exponent, values**exponent)
    x **= exponent
    same(x, values**exponent)


def test_an_integer_to_a_negative_python_integer_is_refused(single):
    x = xp.asarray([1, 2], device=single)
    with pytest.raises(ValueError, match="negative integer powers"):
        x**-1
    with pytest.raises(ValueError, match="negative integer powers"):
        x **= -1
    same(x, [1, 2])
    same(xp.asarray([1.0, 2.0], device=single) ** -1, [1.0, 0.5])
    same(2**x, [2, 4])


def test_a_difference_of_order_zero_is_a_new_array(single):
    x = xp.asarray([1.0, 4.0], device=single)
    y = xp.diff(x, n=0)
    y[0] = 7.0
    same(x, [1.0, 4.0])


def test_rounding_keeps_integers(single):
    for dtype in (np.int8, np.uint64):
        result = xp.round(xp.asarray(np.array([1, 2], dtype), device=single))
        assert result.dtype == dtype
        same(result, [1, 2])


def test_where_of_two_scalars_has_the_default_dtypes(single):
    condition = xp.asarray([True, False], device=single)
    for x1, x2, dtype in ((1, 300, np.int64), (1, 2.5, np.float64), (True, False, np.bool_), (1, 2j, np.complex128)):
        result = xp.where(condition, x1, x2)
        assert result.dtype == dtype
        same(result, np.where([True, False], x1, x2))


def test_positions_and_counts_of_uint64_are_taken(single):
    x = xp.asarray([[3, 1], [2, 5]], device=single)
    i = xp.asarray(np.array([[1, 0]], np.uint64), device=single)
    same(xp.take_along_axis(x, i, axis=0), [[2, 1]])
    same(xp.repeat(x, xp.asarray(np.array([2, 1], np.uint64), device=single), axis=0), [[3, 1], [3, 1], [2, 5]])
    nothing = xp.asarray(np.array([], np.uint64), device=single)
    assert xp.repeat(nothing, nothing).shape == (0,)


@needs_compiler
def test_an_intermediate_array_that_cannot_be_addressed_is_refused(single):
    with pytest.raises(xp.OutOfMemoryError):
        xp.arange(0.0, 2.0**60, 1.0, dtype=xp.float32, device=single)  # computed in float64
