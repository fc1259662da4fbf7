"""Values that dpnp's functions alone compute wrongly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from dpnp_support import DTYPES, bits, host, on_sycl, sycl

import xtensor as xp

__all__ = ["sycl"]

COMPLEX_FUNCTIONS = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "log", "log10", "sqrt")
NAN, INF = math.nan, math.inf
COMPLEX = [np.complex64, np.complex128]


# -- elementwise ------------------------------------------------------------------------------------------------------


@on_sycl
def test_where_of_arrays_with_negative_strides(sycl):
    values = np.arange(12.0).reshape(3, 4)
    x = xp.asarray(values, device=sycl)[::-1, ::-1]
    expected = np.where(values > 5.0, 0.0, values)[::-1, ::-1]
    np.testing.assert_array_equal(np.asarray(xp.where(x > 5.0, 0.0, x).to_device("cpu")), expected)


@on_sycl
@pytest.mark.parametrize("name", COMPLEX_FUNCTIONS)
@pytest.mark.parametrize("layout", ["plain", "reversed", "strided", "0-d", "transposed"])
def test_complex_functions_are_as_accurate_in_every_layout(sycl, name, layout):
    large = np.array([[1e6j, -1e6 + 1j, 3e4, -1.0], [0.5 + 0.5j, 2j, 1e-6j, complex(-0.0, -1e-6)]])
    key = {"reversed": (slice(None, None, -1),), "strided": (slice(None), slice(None, None, 2)), "0-d": (0, 0)}
    for dtype in (dtype for dtype in DTYPES if dtype.kind == "c"):
        values, x = large.astype(dtype), xp.asarray(large.astype(dtype))
        if layout == "transposed":
            values, x = values.T, x.T
        values, x = values[key.get(layout, ...)], x[key.get(layout, ...)]
        with np.errstate(all="ignore"):
            expected = np.asarray(getattr(np, name)(values))
        np.testing.assert_allclose(host(getattr(xp, name)(x)), expected, rtol=32 * np.finfo(dtype).eps)


@on_sycl
def test_sqrt_of_a_0d_complex_zero_keeps_its_signs(sycl):
    for dtype in (dtype for dtype in DTYPES if dtype.kind == "c"):
        root = host(xp.sqrt(xp.asarray(np.asarray(complex(-0.0, 0.0), dtype=dtype))))
        assert (np.signbit(root.real), np.signbit(root.imag)) == (False, False)


@on_sycl
def test_floor_divide_agrees_with_remainder(sycl):
    x1, x2 = np.array([1.0, -1.0, 2.5, 0.0, -0.0, 7.0]), np.array([0.1, 0.1, -0.001, 3.0, 3.0, -2.0])
    result = host(xp.floor_divide(xp.asarray(x1), xp.asarray(x2)))
    assert result.tolist() == np.floor_divide(x1, x2).tolist()
    assert np.signbit(result).tolist() == np.signbit(np.floor_divide(x1, x2)).tolist()
    assert host(xp.asarray(1.0) // 0.1) == 9.0


@on_sycl
def test_a_complex_number_to_the_power_of_zero_is_one(sycl):
    bases = xp.asarray([0j, complex("inf"), 2j])
    assert host(bases**0).tolist() == [1.0, 1.0, 1.0]
    assert host(bases ** xp.zeros(3, dtype=bases.dtype)).tolist() == [1.0, 1.0, 1.0]


@on_sycl
@pytest.mark.parametrize("dtype", COMPLEX)
def test_a_complex_number_to_the_power_of_zero_is_one_in_place(sycl, dtype):
    x = xp.asarray([0j, complex("inf"), 2j], dtype=dtype)
    x **= xp.zeros(3, dtype=dtype)
    assert host(x).tolist() == [1.0, 1.0, 1.0]


@on_sycl
@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_quotients_in_place_are_those_of_the_function(sycl, dtype):
    a, b = np.random.default_rng(0).random((2, 1000, 2)).view(np.complex128)[..., 0].astype(dtype)
    x, y = xp.asarray(a), xp.asarray(b)
    expected = host(x / y)
    x /= y
    assert bits(host(x)) == bits(expected)


@on_sycl
def test_acosh_of_a_nan_on_the_imaginary_axis(sycl):
    result = xp.acosh(xp.asarray(complex(0.0, np.nan))).item()
    assert np.isnan(result.real)
    assert abs(result.imag) == pytest.approx(np.pi / 2)


@on_sycl
def test_clip_takes_bounds_of_a_wider_dtype(sycl):
    x = xp.asarray([-3, 0, 3], dtype=xp.int8)
    assert host(xp.clip(x, None, 2.5)).tolist() == [-3.0, 0.0, 2.5]
    assert xp.clip(x, -1, 1).dtype == xp.int8


@on_sycl
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64"])
def test_reciprocal_of_integers_is_integers(sycl, dtype):
    values = np.array([1, 1]) if dtype == "bool" else np.array([1, 2, 7])
    expected = np.reciprocal(values.astype(dtype))
    result = host(xp.reciprocal(xp.asarray(values.astype(dtype))))
    assert (result.dtype, result.tolist()) == (expected.dtype, expected.tolist())


@on_sycl
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_scalars_promote_weakly(sycl, dtype):
    x = xp.ones(2, dtype=dtype)
    for scalar in (True, 2, 2.0, 2j):
        expected = np.ones(2, dtype=dtype) + scalar
        assert (x + scalar).dtype == expected.dtype
        assert (scalar + x).dtype == expected.dtype


@on_sycl
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("layout", ["contiguous", "strided"])
@pytest.mark.parametrize("name", ["sqrt", "divide", "reciprocal", "inplace divide"])
def test_real_results_are_correctly_rounded(sycl, name, layout, dtype):
    rng = np.random.default_rng(0)
    a, b = ((rng.random(20_000) * 10.0 ** rng.integers(-10, 10, 20_000)).astype(dtype) for _ in range(2))
    key = slice(None) if layout == "contiguous" else slice(None, None, 2)
    x, y = xp.asarray(a)[key], xp.asarray(b)[key]
    if name == "inplace divide":
        x /= y
        result, expected = x, a[key] / b[key]
    elif name == "divide":
        result, expected = x / y, a[key] / b[key]
    else:
        result, expected = getattr(xp, name)(x), getattr(np, name)(a[key])
    assert np.count_nonzero(host(result) != expected) == 0


@on_sycl
def test_quotients_of_integers_are_correctly_rounded(sycl):
    a, b = np.random.default_rng(0).integers(1, 10**9, (2, 20_000))
    assert np.count_nonzero(host(xp.asarray(a) / xp.asarray(b)) != a / b) == 0


@on_sycl
@pytest.mark.parametrize("value", [2, -0.0, 1e-300, 3.0])
def test_dividing_in_place_by_a_scalar(sycl, value):
    x = xp.asarray([1.0, -3.0])
    with np.errstate(all="ignore"):
        expected = np.asarray([1.0, -3.0]) / value
    x /= value
    assert host(x).tolist() == expected.tolist()


@on_sycl
@pytest.mark.parametrize("dtype", COMPLEX)
def test_reciprocal_of_complex_zero_is_nan(sycl, dtype):
    result = host(xp.reciprocal(xp.asarray([0j, 0j], dtype=dtype)))
    assert np.isnan(result.real).all()
    assert np.isnan(result.imag).all()


@on_sycl
@pytest.mark.parametrize("dtype", COMPLEX)
def test_reciprocal_of_a_complex_number_on_an_axis_keeps_the_signs_of_zeros(sycl, dtype):
    result = host(xp.reciprocal(xp.asarray([4 + 0j, -4 + 0j, 4j, complex(-0.0, 4.0)], dtype=dtype)))
    expected = np.asarray([complex(0.25, -0.0), complex(-0.25, -0.0), complex(0.0, -0.25), complex(-0.0, -0.25)], dtype)
    assert bits(result) == bits(expected)


@on_sycl
def test_reciprocal_of_a_large_complex_number_does_not_overflow(sycl):
    assert host(xp.reciprocal(xp.asarray([1e300 + 1e300j])))[0] == pytest.approx(5e-301 - 5e-301j, rel=1e-14, abs=0)


@on_sycl
@pytest.mark.parametrize("dtype", COMPLEX)
def test_reciprocal_of_a_complex_array_with_negative_strides(sycl, dtype):
    x = xp.asarray([[4 + 0j, 0.5j]], dtype=dtype)[::-1, ::-1]
    np.testing.assert_array_equal(host(xp.reciprocal(x)), [[-2j, 0.25]])


@on_sycl
@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype.kind in "biu"], ids=str)
def test_reciprocal_of_integer_zero_is_what_numpy_gives(sycl, dtype):
    values = np.asarray([0, 1]).astype(dtype)
    with np.errstate(all="ignore"):
        expected = np.reciprocal(values)
    result = host(xp.reciprocal(xp.asarray(values)))
    assert (result.dtype, result.tolist()) == (expected.dtype, expected.tolist())


@on_sycl
@pytest.mark.parametrize("a", [1e-300, -1e-300, -2.5e-308, 0.0, -0.0, 1.0, -INF])
@pytest.mark.parametrize("b", [0.0, -0.0])
def test_exp_of_a_number_on_the_real_axis_stays_there(sycl, a, b):
    result = host(xp.exp(xp.asarray([complex(a, b)])))[0]
    assert result.real == math.exp(a)
    assert bits(result.imag) == bits(np.float64(b))


@on_sycl
@pytest.mark.parametrize("a", [INF, -INF, NAN])
@pytest.mark.parametrize("b", [0.0, -0.0])
def test_tan_of_a_number_on_the_real_axis_stays_there(sycl, a, b):
    result = host(xp.tan(xp.asarray([complex(a, b)])))[0]
    assert np.isnan(result.real)
    assert bits(result.imag) == bits(np.float64(b))


@on_sycl
@pytest.mark.parametrize("a", [INF, -INF])
def test_atan_of_infinity_beside_nan_has_a_positive_zero(sycl, a):
    result = host(xp.atan(xp.asarray([complex(a, NAN)])))[0]
    assert result.real == math.copysign(math.pi / 2, a)
    assert bits(result.imag) == bits(np.float64(0.0))


@on_sycl
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (complex(INF, 1), 1),
        (complex(-INF, -2), -1),
        (complex(3, INF), 1j),
        (complex(0, -INF), -1j),
        (3 + 4j, 0.6 + 0.8j),
    ],
)
def test_sign_of_a_complex_number_with_an_infinite_component(sycl, dtype, value, expected):
    assert host(xp.sign(xp.asarray([value], dtype=dtype)))[0] == pytest.approx(expected, rel=1e-6)


@on_sycl
def test_sign_of_a_large_complex_number_has_magnitude_one(sycl):
    assert abs(host(xp.sign(xp.asarray([1e308 - 1e308j])))[0]) == pytest.approx(1.0)


@on_sycl
@pytest.mark.parametrize(
    "power",
    [
        lambda: xp.asarray([2, 3]) ** -1,
        lambda: xp.asarray([2, 3]) ** xp.asarray([1, -1]),
        lambda: 2 ** xp.asarray([-1, 1]),
        lambda: xp.asarray([True]) ** xp.asarray([-1], dtype=xp.int8),
        lambda: xp.asarray([2], dtype=xp.uint8) ** xp.asarray([-1], dtype=xp.int16),
        lambda: xp.asarray([2, 3]).__ipow__(-1),
    ],
    ids=["scalar", "array", "reflected", "bool", "unsigned base", "in place"],
)
def test_an_integer_to_a_negative_power_raises(sycl, power):
    with pytest.raises(ValueError, match="Integers to negative integer powers"):
        power()


@on_sycl
def test_an_integer_to_a_negative_power_is_not_written_in_place(sycl):
    x = xp.asarray([2, 3])
    with pytest.raises(ValueError, match="negative"):
        x **= -1
    assert host(x).tolist() == [2, 3]


@on_sycl
def test_powers_of_integers(sycl):
    assert host(xp.asarray([2, 3, -2]) ** xp.asarray([0, 2, 3])).tolist() == [1, 9, -8]
    assert host(xp.asarray([2.0]) ** -1).tolist() == [0.5]
    assert (xp.asarray([], dtype=xp.int64) ** -1).shape == (0,)


# -- searching and sets -----------------------------------------------------------------------------------------------


@on_sycl
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_nan_is_the_extreme(sycl, name):
    function = getattr(xp, name)
    assert function(xp.asarray([NAN, 5.0, NAN])).item() == 0
    x = xp.asarray([[1.0, NAN, NAN], [NAN, 2.0, NAN], [3.0, 3.0, 3.0]], dtype=xp.float32)
    assert host(function(x, axis=1)).tolist() == [1, 0, 0]
    assert host(function(x, axis=0, keepdims=True)).tolist() == [[1, 0, 0]]


@on_sycl
def test_the_first_of_equal_extremes_is_found(sycl):
    assert xp.argmax(xp.asarray([1, 7, 7])).item() == 1
    assert xp.argmin(xp.asarray([3.0, 1.0, 1.0])).item() == 1


@on_sycl
def test_isin_tells_large_signed_and_unsigned_integers_apart(sycl):
    x1 = xp.asarray([2**63 - 1, -1, 2**53 + 1, 2**53])
    x2 = xp.asarray([2**63, 2**64 - 1, 2**53], dtype=xp.uint64)
    assert host(xp.isin(x1, x2)).tolist() == [False, False, False, True]
    assert host(xp.isin(x2, x1)).tolist() == [False, False, True]


# -- reductions -------------------------------------------------------------------------------------------------------


@on_sycl
@pytest.mark.skipif(np.dtype(np.float16) not in DTYPES, reason="the device has no float16")
@pytest.mark.parametrize(("name", "expected"), [("mean", 60.0), ("sum", 60_000.0), ("var", 0.0), ("std", 0.0)])
def test_float16_is_accumulated_in_float32(sycl, name, expected):
    result = getattr(xp, name)(xp.full((2, 1000), 60.0, dtype=np.float16), axis=1)
    assert result.dtype == np.float16
    assert host(result).tolist() == [np.float16(expected)] * 2


@on_sycl
@pytest.mark.skipif(np.dtype(np.float16) not in DTYPES, reason="the device has no float16")
def test_mean_of_float16_does_not_overflow(sycl):
    assert host(xp.mean(xp.full(1000, 60_000.0, dtype=np.float16))) == 60_000.0


@on_sycl
@pytest.mark.skipif(np.dtype(np.float16) not in DTYPES, reason="the device has no float16")
@pytest.mark.parametrize("shapes", [((4,), (4,)), ((2, 4), (4,)), ((4,), (4, 2)), ((1, 4), (4, 1)), ((2, 4), (4, 1))])
def test_products_of_float16_with_vectors(sycl, shapes):
    a, b = (np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape).astype(np.float16) for shape in shapes)
    result = xp.matmul(xp.asarray(a), xp.asarray(b))
    assert result.dtype == np.float16
    assert host(result).tolist() == (a.astype(int) @ b.astype(int)).tolist()
    if a.shape == b.shape:
        assert host(xp.vecdot(xp.asarray(a), xp.asarray(b))) == 30.0


# -- matrices and Fourier transforms ----------------------------------------------------------------------------------


@on_sycl
def test_products_of_a_broadcast_matrix_and_its_transpose(sycl):
    values = np.broadcast_to(np.arange(3.0), (3, 3))
    x = xp.broadcast_to(xp.arange(3.0), (3, 3))
    assert host(x @ x.T).tolist() == (values @ values.T).tolist()
    assert host(xp.tensordot(x, x.T, axes=1)).tolist() == (values @ values.T).tolist()
    assert host(xp.linalg.matrix_power(x, 2)).tolist() == (values @ values).tolist()
    y = xp.ones((3, 3))
    y @= x
    assert host(y).tolist() == (np.ones((3, 3)) @ values).tolist()


SYMMETRIC = np.asarray([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])
LAYOUTS = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1, ::-1],
    "broadcast": lambda x: xp.broadcast_to(x[:1, :1], (3, 3)),
}


@on_sycl
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_eigenvalues_of_every_layout_leave_the_operand_as_it_was(sycl, layout):
    x = layout(xp.asarray(SYMMETRIC))
    values = host(x).copy()
    np.testing.assert_allclose(host(xp.linalg.eigvalsh(x)), np.linalg.eigvalsh(values), atol=1e-14)
    assert host(x).tolist() == values.tolist()


@on_sycl
def test_pinv_of_a_singular_matrix_ignores_singular_values_of_rounding_errors(sycl):
    values = np.arange(16.0, dtype=np.float32).reshape(4, 4)
    expected = np.linalg.pinv(values.astype(np.float64))
    np.testing.assert_allclose(host(xp.linalg.pinv(xp.asarray(values))), expected, atol=1e-4)


@on_sycl
def test_norm_of_an_empty_complex_matrix_is_real(sycl):
    assert xp.linalg.matrix_norm(xp.zeros((0, 4), dtype=xp.complex64), ord=2).dtype == xp.float32


@on_sycl
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn"])
def test_transforms_of_a_broadcast_array(sycl, name):
    real = name in ("rfft", "ihfft", "rfftn")
    row = np.asarray([0.5, 0.25]) if real else np.asarray([0.5 + 1j, 0.25])
    values = np.broadcast_to(row[:, None], (2, 4))
    x = xp.broadcast_to(xp.asarray(row)[:, None], (2, 4))
    np.testing.assert_allclose(host(getattr(xp.fft, name)(x)), getattr(np.fft, name)(values), atol=1e-14)


@on_sycl
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("shape", [(0, 4), (4, 0, 3)])
def test_transforms_of_an_empty_batch(sycl, name, shape):
    dtype = xp.float32 if name in ("rfft", "ihfft") else xp.complex64
    expected = getattr(np.fft, name)(np.zeros(shape, dtype))
    result = getattr(xp.fft, name)(xp.zeros(shape, dtype=dtype))
    assert (result.shape, result.dtype.kind) == (expected.shape, expected.dtype.kind)


@on_sycl
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize(("shape", "s", "axes"), [((0, 4), None, (1,)), ((4, 0, 3), (2,), (0,))])
def test_transforms_of_an_empty_batch_over_several_axes(sycl, name, shape, s, axes):
    dtype = xp.float64 if name == "rfftn" else xp.complex128
    expected = getattr(np.fft, name)(np.zeros(shape, dtype), s=s, axes=axes)
    result = getattr(xp.fft, name)(xp.zeros(shape, dtype=dtype), s=s, axes=axes)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
