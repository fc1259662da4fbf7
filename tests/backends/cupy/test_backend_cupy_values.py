"""The CuPy backend's elementwise functions, reductions, sorts and creation, over a stand-in for CuPy."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from cupy_support import FLOATS, INF, NAN, SPECIAL, needs_compiler, on_host, pairs, same, standin_device

import xtensor as xp


@pytest.fixture(scope="module")
def single():
    """The device of a stand-in with one GPU."""
    return standin_device("cuda:0")


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
def test_floor_divide_of_finite_operands_is_numpys(single, dtype):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(2000) * 10.0 ** rng.integers(-3, 4, 2000) for _ in range(2))
    x, y = x.astype(dtype), y.astype(dtype)
    x[:3], y[:3] = (1.0, -1.0, 6.0), (0.1, 0.1, -0.1)
    same(xp.floor_divide(xp.asarray(x, device=single), xp.asarray(y, device=single)), np.floor_divide(x, y))


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
def test_floor_divide_of_special_operands_is_the_floor_of_the_quotient(single, dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = np.floor(x / y)
    same(xp.floor_divide(xp.asarray(x, device=single), xp.asarray(y, device=single)), expected)


@needs_compiler
def test_floor_divide_of_float16_is_rounded_once(single):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(5000) * 100).astype(np.float16), rng.standard_normal(5000).astype(np.float16)
    with np.errstate(all="ignore"):
        expected = np.floor_divide(x, y)
    same(xp.floor_divide(xp.asarray(x, device=single), xp.asarray(y, device=single)), expected)


@needs_compiler
def test_floor_divide_of_bfloat16_is_rounded_once(single):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x, y = np.array([1000.0, 7.0, -1e4], bfloat16), np.array([3.0, 2.0, 7.0], bfloat16)
    expected = np.floor_divide(x.astype(np.float32), y.astype(np.float32)).astype(bfloat16)
    quotient = xp.floor_divide(xp.asarray(x, device=single), xp.asarray(y, device=single))
    assert quotient.dtype == bfloat16
    np.testing.assert_array_equal(on_host(quotient).astype(np.float32), expected.astype(np.float32))


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
def test_remainder_is_numpys(single, dtype):
    x, y = pairs(dtype)
    with np.errstate(all="ignore"):
        expected = np.remainder(x, y)
    same(xp.remainder(xp.asarray(x, device=single), xp.asarray(y, device=single)), expected)


@needs_compiler
@pytest.mark.parametrize("scalar", [2, 2.5, -INF])
def test_python_scalars_take_the_dtype_of_the_array(single, scalar):
    x = np.array([5.0, -5.0, 0.0], np.float32)
    for array, other in ((x, scalar), (scalar, x)):
        given = (xp.asarray(part, device=single) if isinstance(part, np.ndarray) else part for part in (array, other))
        result = xp.remainder(*given)
        assert result.dtype == np.float32
        with np.errstate(all="ignore"):
            same(result, np.remainder(array, other))


@needs_compiler
def test_integers_and_mixed_dtypes_of_remainder_promote(single):
    x = np.array([7, -7], np.int32)
    same(xp.remainder(xp.asarray(x, device=single), 4), x % 4)
    result = xp.remainder(xp.asarray(x, device=single), xp.asarray(np.array([2.5, INF], np.float32), device=single))
    assert result.dtype == np.float64
    same(result, [2.0, INF])


@needs_compiler
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("name", ["log", "log2", "log10", "log1p"])
def test_complex_logarithms_of_special_values_are_numpys(single, dtype, name):
    a, b = pairs(dtype(0).real.dtype)
    x = np.empty(a.shape, dtype)
    x.real, x.imag = a, b
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x)
    result = getattr(xp, name)(xp.asarray(x, device=single))
    host = on_host(result)
    for part, wanted in ((host.real, expected.real), (host.imag, expected.imag)):
        np.testing.assert_allclose(part, wanted, rtol=4e-6 if dtype is np.complex64 else 1e-14, atol=1e-300)


@needs_compiler
def test_complex_log1p_and_expm1_keep_what_is_near_zero(single):
    tiny = np.array([1e-20 + 1e-20j, -1e-18j])
    same(xp.log1p(xp.asarray(tiny[:1], device=single)), tiny[:1], rtol=1e-15)
    same(xp.imag(xp.expm1(xp.asarray(tiny, device=single))), tiny.imag, rtol=1e-15)
    same(xp.real(xp.expm1(xp.asarray(tiny[:1], device=single))), tiny.real[:1], rtol=1e-15)


@needs_compiler
@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("expm1", complex(-0.0, 0.0), complex(0.0, 0.0)),
        ("expm1", complex(INF, 0.0), complex(INF, 0.0)),
        ("expm1", complex(INF, -0.0), complex(INF, -0.0)),
        ("expm1", complex(-INF, NAN), complex(-1.0, 0.0)),
        ("expm1", complex(-INF, INF), complex(-1.0, 0.0)),
        ("expm1", complex(INF, INF), complex(INF, NAN)),
        ("expm1", complex(NAN, 0.0), complex(NAN, 0.0)),
        ("tanh", complex(INF, 2.0), complex(1.0, 0.0)),
        ("tanh", complex(-INF, -2.0), complex(-1.0, -0.0)),
        ("tanh", complex(0.0, INF), complex(0.0, NAN)),
        ("tanh", complex(0.0, NAN), complex(0.0, NAN)),
        ("tan", complex(INF, 0.0), complex(NAN, 0.0)),
        ("tan", complex(2.0, INF), complex(0.0, 1.0)),
        ("acosh", complex(0.0, NAN), complex(NAN, math.pi / 2)),
        ("round", complex(2.5, -0.5), complex(2.0, -0.0)),
    ],
)
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_special_cases_are_the_standards(single, name, x, expected, dtype):
    same(getattr(xp, name)(xp.asarray([x], dtype=dtype, device=single)), np.array([expected], dtype))


@needs_compiler
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_division_is_numpys(single, dtype):
    parts = [complex(*pair) for pair in itertools.product([0.0, 1.0, -2.5, 1e30], repeat=2)]
    x, y = np.array(list(itertools.product(parts, parts)), dtype).T
    with np.errstate(all="ignore"):
        expected = x / y
    result = xp.divide(xp.asarray(x, device=single), xp.asarray(y, device=single))
    np.testing.assert_allclose(on_host(result), expected, rtol=1e-5, atol=0)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_division_does_not_overflow(single, dtype):
    large = dtype(complex(0.5, 0.25) * float(np.finfo(dtype).max))
    x = xp.asarray(np.array([large, large]), device=single)
    y = xp.asarray(np.array([large, 1j * large]), device=single)
    np.testing.assert_allclose(on_host(xp.divide(x, y)), [1, -1j], rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize(
    ("x", "expected"),
    [(3 - 4j, 0.6 - 0.8j), (0j, 0j), (complex(-INF, 2.0), -1 + 0j), (complex(1.0, INF), 1j), (complex(NAN, 1.0), NAN)],
)
def test_the_sign_of_a_complex_number_has_magnitude_one(single, x, expected):
    result = on_host(xp.sign(xp.asarray([x], dtype=xp.complex128, device=single)))[0]
    if math.isnan(abs(expected)):
        assert math.isnan(result.real)
        assert math.isnan(result.imag)
    else:
        np.testing.assert_allclose(result, expected, rtol=1e-15)


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
def test_nextafter_is_numpys_among_subnormals_and_special_values(single, dtype):
    tiny = np.finfo(dtype).smallest_subnormal
    values = np.array([*SPECIAL, tiny, -tiny, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
    x, y = np.array(list(itertools.product(values, values)), dtype).T
    with np.errstate(all="ignore"):
        expected, towards_zero = np.nextafter(x, y), np.nextafter(x, dtype(0.0))
    same(xp.nextafter(xp.asarray(x, device=single), xp.asarray(y, device=single)), expected)
    same(xp.nextafter(xp.asarray(x, device=single), 0.0), towards_zero)


@needs_compiler
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@pytest.mark.parametrize("values", [[-INF, -INF], [INF, INF], [1.0, NAN, NAN], [0.0, -0.0], [-0.0, 0.0], [-INF, INF]])
def test_extremes_of_infinities_and_nan_are_numpys(single, dtype, name, values):
    x = np.array(values, dtype)
    result = getattr(xp, name)(xp.asarray(x, device=single))
    assert result.dtype == (np.int64 if name.startswith("arg") else dtype)
    np.testing.assert_array_equal(on_host(result), getattr(np, name)(x))


@needs_compiler
@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize(("axis", "keepdims"), [(None, True), (0, False), ((0, 2), True), ((), False)])
def test_extremes_go_over_any_axes(single, name, axis, keepdims):
    x = np.random.default_rng(0).standard_normal((2, 3, 4))
    result = getattr(xp, name)(xp.asarray(x, device=single), axis=axis, keepdims=keepdims)
    same(result, getattr(np, name)(x, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_extremes_of_nothing_are_refused(single, name):
    words = "attempt to get arg" if name.startswith("arg") else "zero-size array to reduction operation"
    with pytest.raises(ValueError, match=words):
        getattr(xp, name)(xp.zeros((0, 3), device=single))


@needs_compiler
def test_a_product_is_taken_in_order(single):
    x = xp.asarray([[1e200, 1e200, 0.0], [0.0, 1e200, 1e200]], device=single)
    same(xp.prod(x, axis=1), [NAN, 0.0])
    same(xp.prod(x, axis=1, keepdims=True), [[NAN], [0.0]])
    same(xp.prod(x[:0, :]), 1.0)


@needs_compiler
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [*FLOATS, np.int8, np.uint64, np.bool_])
def test_argsort_keeps_equal_elements_in_their_order(single, dtype, descending):
    x = np.array([1, 0, 1, 0, 0, 1, 1], dtype)
    result = on_host(xp.argsort(xp.asarray(x, device=single), descending=descending))
    expected = [0, 2, 5, 6, 1, 3, 4] if descending else [1, 3, 4, 0, 2, 5, 6]
    if dtype in FLOATS:  # zeros of both signs are equal
        negative = np.where(x == 0, -x, x)
        result = on_host(xp.argsort(xp.asarray(negative, device=single), descending=descending))
    np.testing.assert_array_equal(result, expected)


@needs_compiler
def test_sorts_put_nan_of_either_sign_last(single):
    x = np.array([1.0, -NAN, -INF, NAN, 0.5])
    same(xp.sort(xp.asarray(x, device=single)), [-INF, 0.5, 1.0, NAN, NAN])
    assert not np.signbit(on_host(xp.sort(xp.asarray(x, device=single)))[-2:]).any()
    same(xp.argsort(xp.asarray(x, device=single)), [2, 4, 0, 1, 3])
    same(xp.sort(xp.asarray(x, device=single), descending=True), [NAN, NAN, 1.0, 0.5, -INF])


@pytest.mark.parametrize("value", [-0.0, complex(-0.0, 0.0), complex(0.0, -0.0), 0.0, 0, False, 1.5])
@pytest.mark.parametrize("shape", [(), (1,), (2, 3)])
def test_a_negative_zero_survives_asarray(single, value, shape):
    expected = np.full(shape, value)
    same(xp.asarray(expected, device=single), expected)
    same(xp.asarray(expected.tolist(), device=single), expected)


@needs_compiler
def test_a_negative_zero_survives_full_and_assignment(single):
    for value in (-0.0, complex(-0.0, 0.0), complex(0.0, -0.0)):
        dtype = np.complex128 if isinstance(value, complex) else np.float64
        same(xp.full((2, 2), value, device=single), np.full((2, 2), value, dtype))
        x = xp.ones((3,), dtype=dtype, device=single)
        x[0:2] = value
        x[2] = value
        same(x, np.full(3, value, dtype))


def test_a_negative_zero_into_integers_is_zero(single):
    x = xp.ones((2,), dtype=xp.int32, device=single)
    x[...] = -0.0
    same(x, [0, 0])


@needs_compiler
@pytest.mark.parametrize(
    ("args", "dtype"),
    [
        ((10, 0, -3), np.uint8),
        ((2**63, 2**63 + 3, 1), np.uint64),
        ((-(2**63), -(2**63) + 5, 2), np.int64),
        ((0, 1, 0.1), np.float64),
        ((0.5, 3, 1), np.float32),
        ((5,), np.float64),
        ((3, 3, 1), np.int16),
        ((100, -100, -50), np.int8),
    ],
)
def test_arange_is_numpys(single, args, dtype):
    result = xp.arange(*args, dtype=dtype, device=single)
    if len(args) == 3 and dtype in (np.uint8, np.int8):
        expected = np.arange(*args).astype(dtype)  # NumPy refuses a negative step of an unsigned dtype
    else:
        expected = np.arange(*args, dtype=dtype)
    assert result.dtype == dtype
    np.testing.assert_allclose(on_host(result), expected, rtol=1e-15)


@needs_compiler
@pytest.mark.parametrize(
    ("args", "options"),
    [
        ((0, 1, 5), {}),
        ((0, 1, 5), {"endpoint": False}),
        ((1, 1, 3), {}),
        ((2, 7, 1), {}),
        ((2, 7, 0), {}),
        ((0, 10, 4), {"dtype": np.int32}),
        ((0, -10, 4), {"dtype": np.int32}),
        ((1 + 2j, 3 - 1j, 4), {}),
        ((0, 5e-324, 3), {}),
        ((0.1, 0.3, 7), {"dtype": np.float32}),
    ],
)
def test_linspace_is_numpys(single, args, options):
    result = xp.linspace(*args, device=single, **options)
    expected = np.linspace(*args, **options)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(on_host(result), expected, rtol=1e-15, atol=0)


def test_clip_gives_nan_for_a_bound_that_is_nan(single):
    x = xp.asarray([1.0, 5.0, NAN], device=single)
    same(xp.clip(x, xp.asarray([NAN, 2.0, 0.0], device=single), 3.0), [NAN, 3.0, NAN])


@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize("shape", [(3, 2), (0, 2), (3, 0)])
def test_cumulative_functions_begin_with_the_initial_value(single, name, shape):
    x = np.arange(1, 1 + math.prod(shape), dtype=np.int8).reshape(shape)
    result = getattr(xp, name)(xp.asarray(x, device=single), axis=0, include_initial=True)
    expected = getattr(np, name)(x, axis=0, include_initial=True, dtype=np.int64)
    assert result.dtype == np.int64
    same(result, expected)


@needs_compiler
@pytest.mark.parametrize("x", [[], [3, 1, 3, 2], [[2.0, NAN], [NAN, -0.0]]])
def test_unique_functions_are_numpys(single, x):
    x = np.array(x)
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        for result, expected in zip(getattr(xp, name)(xp.asarray(x, device=single)), getattr(np, name)(x), strict=True):
            same(result, expected)
    same(xp.unique_values(xp.asarray(x, device=single)), np.unique(x, equal_nan=False))


@needs_compiler
def test_isin_and_searchsorted_compare_in_the_promoted_dtype(single):
    small = xp.asarray(np.array([-1, 1], np.int64), device=single)
    large = xp.asarray(np.array([1, 2**64 - 1], np.uint64), device=single)
    same(xp.isin(small, large), [False, True])
    neighbours = np.array([2**63 - 1]), np.array([2**63], np.uint64)  # one number in float64
    same(xp.isin(*(xp.asarray(x, device=single) for x in neighbours)), [False])
    same(xp.searchsorted(large, small), [0, 0])
    same(
        xp.isin(xp.asarray([1.0, NAN], device=single), xp.asarray([NAN, 1.0], device=single), invert=True),
        [False, True],
    )
    same(xp.searchsorted(xp.asarray([1.0, 2.0], device=single), 2.0, side="right"), 2)


@pytest.mark.parametrize(("axis", "shape"), [(None, (1, 1)), (0, (1, 3)), ((0, 1), (1, 1))])
def test_count_nonzero_keeps_axes(single, axis, shape):
    x = xp.asarray([[0, 1, 2], [3, 0, 0]], device=single)
    result = xp.count_nonzero(x, axis=axis, keepdims=True)
    assert result.shape == shape
    assert int(xp.sum(result)) == 3


def test_diff_takes_its_edges(single):
    x = xp.asarray([1, 4, 9], device=single)
    same(xp.diff(x), [3, 5])
    same(xp.diff(x, n=2), [2])
    same(xp.diff(x, prepend=xp.asarray([0], device=single), append=xp.asarray([16], device=single)), [1, 3, 5, 7])


def test_a_complex_array_becomes_true_where_either_component_is_not_zero(single):
    same(xp.astype(xp.asarray([0j, 1j, 1 + 0j], device=single), xp.bool), [False, True, True])


def test_where_of_two_scalars_takes_the_default_dtypes(single):
    condition = xp.asarray([True, False], device=single)
    assert xp.where(condition, 1, 2.5).dtype == np.float64
    assert xp.where(condition, 1, 2).dtype == np.int64
    assert xp.where(condition, xp.ones(2, dtype=xp.float32, device=single), 2.5).dtype == np.float32


@needs_compiler
@pytest.mark.parametrize("dtype", ["int8", "float16", "float64", "complex64"])
@pytest.mark.parametrize(("shift", "axis"), [(1, None), (-5, None), (2, 0), (-1, 1), (7, -1), (0, 1), (-12, 2)])
def test_roll_is_numpys(single, shift, axis, dtype):
    x = np.arange(60).reshape(3, 4, 5).astype(dtype)
    array = xp.asarray(x, device=single)
    for key in [(...,), (slice(None, None, -1), slice(None), slice(1, None, 2))]:
        same(xp.roll(array[key], shift, axis=axis), np.roll(x[key], shift, axis=axis))


@needs_compiler
def test_gradient_of_an_index_array_has_the_sum_at_each_position(single):
    """In the order of the elements: with segments longer than several blocks, and positions that none has."""
    rng = np.random.default_rng(0)
    positions = np.concatenate([rng.integers(0, 40, 1000), np.full(1500, 7), np.full(3, 49)])
    weights = rng.integers(-50, 50, positions.size).astype(np.float64)
    index, factors = (xp.asarray(item, device=single) for item in (positions, weights))
    gradient = xp.autograd.grad(lambda x: xp.sum(xp.take(x, index) * factors))(xp.zeros(50, device=single))
    expected = np.zeros(50)
    np.add.at(expected, positions, weights)
    same(gradient, expected)


@needs_compiler
@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
@pytest.mark.parametrize("shape", [(3, 0), (0, 0), (0, 3)])
def test_normalization_of_rows_without_elements_is_empty(single, name, shape):
    assert getattr(xp.nn.functional, name)(xp.ones(shape, device=single)).shape == shape
