"""Values at the limits: empty axes, infinities, the bounds of integer dtypes, sums that overflow, on every device.

Each test fails where a library wraps, overflows or reads uninitialised memory without an error.
"""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import dtypes_of, expect, few, made, quiet, values_of

import xtensor as xp

LARGEST = 2**63 - 1


# -- Fourier transforms of empty axes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "ihfft", "irfft", "hfft"])
@pytest.mark.parametrize("shape", [(0, 3), (0, 0), (2, 0, 3)], ids=repr)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_transform_along_an_empty_axis_is_that_of_zeros(device, name, shape, n):
    axis = shape.index(0)
    dtype = xp.float32 if name in ("rfft", "ihfft") else xp.complex64
    padded = tuple(1 if position == axis else length for position, length in enumerate(shape))
    for _ in range(3):  # uninitialised memory may happen to be zero
        result = getattr(xp.fft, name)(xp.zeros(shape, dtype=dtype), n=n, axis=axis)
        expected = getattr(np.fft, name)(np.zeros(padded, dtype), n=n, axis=axis)
        expect(result, expected, signs=False)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize("axes", [(0,), (0, 1), (1, 0)], ids=repr)
def test_transform_along_several_axes_with_an_empty_one(device, name, axes):
    dtype = xp.float32 if name == "rfftn" else xp.complex64
    lengths = (3,) * len(axes)
    for _ in range(3):
        result = getattr(xp.fft, name)(xp.ones((0, 2), dtype=dtype), s=lengths, axes=axes)
        expect(result, np.zeros(result.shape, result.dtype), signs=False)
    assert result.shape == getattr(np.fft, name)(np.zeros((1, 2), dtype), s=lengths, axes=axes).shape


@pytest.mark.parametrize("n", [1, 2, 5])
def test_transform_of_a_broadcast_array_of_length_1(device, n):
    values = np.asarray([2 + 0.5j, 0.5 + 2j, 4j], np.complex64)
    x = xp.broadcast_to(xp.asarray(values), (1, 3))
    expect(
        xp.fft.irfft(x, n=n), np.fft.irfft(values[None].astype(np.complex128), n=n), dtype=np.float32, ulp=8, atol=1e-6
    )


# -- quantiles beside infinities --------------------------------------------------------------------------------------


def exact_quantile(values: list[float], level: float) -> float:
    """Return the linear quantile in exact arithmetic; infinite if an element with a weight is infinite."""
    ordered = sorted(values)
    position = (len(ordered) - 1) * Fraction(level)
    below = math.floor(position)
    weight = position - below
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    if weight == 0 or low == high:
        return low
    if math.isinf(low) or math.isinf(high):
        return low + high
    return float(Fraction(low) * (1 - weight) + Fraction(high) * weight)


@few
@given(
    values=st.lists(st.sampled_from([-math.inf, math.inf, -1e308, 1e308, 0.0, 1.0, -2.5]), min_size=1, max_size=6),
    level=st.sampled_from([0.0, 0.125, 0.25, 0.5, 0.75, 0.875, 1.0]),
)
def test_quantile_is_exact_beside_infinities(device, values, level):
    if np.dtype(float) not in device.dtypes:
        pytest.skip("no float64")
    with quiet():
        result = xp.quantile(xp.asarray(values), level)
    expect(result, np.asarray(exact_quantile(values, level)), ulp=2, signs=False)


@pytest.mark.parametrize(
    ("values", "level", "expected"),
    [([-math.inf, 1.0], 0.5, -math.inf), ([-math.inf, 1.0, 2.0], 0.25, -math.inf), ([1.0, math.inf], 0.5, math.inf)],
)
def test_quantile_interpolated_from_an_infinity_is_infinite(device, values, level, expected):
    assert float(xp.quantile(xp.asarray(values), level)) == expected


# -- Python integers beyond a dtype -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "int64"])
def test_integer_beyond_the_dtype_is_refused(device, dtype):
    limits = np.iinfo(dtype)
    condition, x = xp.asarray([True, False]), xp.ones(2, dtype=np.dtype(dtype))
    for value in (int(limits.max) + 1, int(limits.min) - 1):
        for call in (
            lambda value=value: xp.where(condition, x, value),
            lambda value=value: xp.where(condition, value, x),
            lambda value=value: xp.full(2, value, dtype=x.dtype),
            lambda value=value: xp.full_like(x, value),
            lambda value=value: x.__setitem__(0, value),
        ):
            with pytest.raises(OverflowError, match=f"^Python integer {value} out of bounds for {dtype}"):
                call()
    for value in (int(limits.max), int(limits.min)):
        expect(xp.where(condition, x, value), np.asarray([1, value], dtype))


@pytest.mark.parametrize("value", [300.0, 1e30, -1e30, math.nan, math.inf])
def test_float_beyond_an_integer_dtype_is_not_assigned(lenient_device, value):
    with xp.use_device(lenient_device):
        x = xp.zeros(2, dtype=xp.int8)
        with pytest.raises((OverflowError, ValueError)):
            x[0] = value
        expect(x, np.zeros(2, np.int8))


@pytest.mark.parametrize("values", [[1, 2**63 + 1], [2**63 + 1], [-1, 2**63], [[0], [2**64 - 1]]], ids=repr)
def test_list_of_integers_beyond_int64_is_refused(device, values):
    with pytest.raises(OverflowError, match="out of bounds for int64"):
        xp.asarray(values)


def test_list_of_large_integers_and_a_float_is_floating(device):
    assert xp.asarray([1, 2**63 + 1, 0.5]).dtype == device.default_dtypes["real floating"]


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((0, 2**64, 2**62), None),
        ((250, 260), "uint8"),
        ((-1, 3), "uint8"),
        ((3, -2, -1), "uint8"),
        ((-100, -200, -50), "int8"),
        ((0.5, 300.0), "uint8"),
    ],
    ids=repr,
)
def test_arange_beyond_the_dtype_is_refused(device, arguments, dtype):
    with pytest.raises(OverflowError, match="out of bounds for"):
        xp.arange(*arguments, dtype=None if dtype is None else np.dtype(dtype))


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((250, 256), "uint8"),
        ((3, -1, -1), "uint8"),
        ((0, 2**64, 2**62), "uint64"),
        ((-128, 128, 51), "int8"),
        ((2**63 - 3, 2**63), "int64"),
        ((-(2**63), -(2**63) + 2), "int64"),
    ],
    ids=repr,
)
def test_arange_up_to_the_bounds_of_the_dtype(device, arguments, dtype):
    expect(xp.arange(*arguments, dtype=np.dtype(dtype)), np.asarray(list(range(*arguments)), dtype))


COMPARISONS = {
    "equal": lambda value: value == 0,
    "not_equal": lambda value: value != 0,
    "less": lambda value: value > 0,
    "less_equal": lambda value: value > 0,
    "greater": lambda value: value < 0,
    "greater_equal": lambda value: value < 0,
}


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize(("dtype", "value"), [("uint64", -1), ("int8", 200), ("uint8", 256), ("int64", -(2**70))])
def test_comparison_with_an_integer_beyond_the_dtype_is_exact(lenient_device, name, dtype, value):
    limits = np.iinfo(dtype)
    with xp.use_device(lenient_device):
        x = xp.asarray([limits.min, 0, limits.max], dtype=np.dtype(dtype))
        expected = np.full(3, COMPARISONS[name](value))
        expect(getattr(xp, name)(x, value), expected)
        mirrored = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
        expect(getattr(xp, mirrored.get(name, name))(value, x), expected)


# -- indices beyond the index dtype -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [2**64 - 1, 2**63, 2**63 + 1])
def test_unsigned_index_does_not_wrap_to_a_negative_one(device, value):
    x, indices = xp.arange(4), xp.asarray([value], dtype=xp.uint64)
    for call in (
        lambda: xp.take(x, indices),
        lambda: xp.take_along_axis(x, indices),
        lambda: x[indices],
        lambda: x.__setitem__(indices, 9),
        lambda: xp.reshape(x, (2, 2))[xp.asarray([0]), indices],
        lambda: x[np.asarray([value], np.uint64)],
    ):
        with pytest.raises((IndexError, TypeError)):
            call()
    expect(x, np.arange(4))


def test_unsigned_index_within_bounds_selects(device):
    expect(xp.arange(4)[xp.asarray([3, 0], dtype=xp.uint64)], np.asarray([3, 0]))


@pytest.mark.parametrize("key", [slice(None, None, 2**70), slice(None, None, -(2**70)), slice(-(2**70), 2**70)])
def test_slice_with_numbers_beyond_64_bits(lenient_device, key):
    with xp.use_device(lenient_device):
        x = xp.arange(4)
        expect(x[key], np.arange(4)[key])
        x[key] = 9
        host = np.arange(4)
        host[key] = 9
        expect(x, host)


# -- counts and sizes beyond memory -----------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [[2**62] * 4, [LARGEST, LARGEST, 2, 0], [2**61, 0, 0, 0]], ids=repr)
def test_repeat_beyond_memory_is_refused(device, counts):
    for dtype in (xp.int64, xp.uint64):
        with pytest.raises(ValueError, match="more than memory has addresses"):
            xp.repeat(xp.ones(4), xp.asarray(counts, dtype=dtype))
    with pytest.raises(ValueError, match="more than memory has addresses"):
        xp.repeat(xp.ones((2, 4)), xp.asarray(counts), axis=1)


def test_repeat_refuses_a_negative_count_among_several(device):
    with pytest.raises(ValueError, match="repeats may not contain negative values"):
        xp.repeat(xp.ones(3), xp.asarray([1, -1, 2]))


@pytest.mark.parametrize("dtype", ["uint8", "uint64"])
def test_repeat_takes_unsigned_counts(device, dtype):
    expect(xp.repeat(xp.arange(3), xp.asarray([1, 2, 0], dtype=np.dtype(dtype))), np.asarray([0, 1, 1]))


@pytest.mark.parametrize("name", ["empty", "zeros", "ones"])
def test_array_beyond_memory_is_refused_by_its_bytes(device, name):
    with pytest.raises(ValueError, match="more than memory has addresses"):
        getattr(xp, name)(2**62)
    with pytest.raises(ValueError, match="more than memory has addresses"):
        xp.full((2**31, 2**31), 1.0)


@pytest.mark.parametrize("value", [10**400, -(10**5000)], ids=["400 digits", "5000 digits"])
def test_fill_value_of_many_digits_is_refused(device, value):
    with pytest.raises(OverflowError, match="out of bounds for int64"):
        xp.full(2, value)


# -- accumulate dtypes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["sum", "prod", "cumulative_sum", "cumulative_prod", "trace"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_real_accumulate_dtype_of_complex_numbers_is_refused(device, name, dtype):
    if np.dtype(dtype) not in device.dtypes:
        pytest.skip(f"no {dtype}")
    if name == "trace":
        x, function = xp.ones((2, 2), dtype=xp.complex64), xp.linalg.trace
    else:
        x, function = xp.ones(2, dtype=xp.complex64), getattr(xp, name)
    with pytest.raises(TypeError, match="imaginary components"):
        function(x, dtype=np.dtype(dtype))


# -- intermediate results that overflow -------------------------------------------------------------------------------


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_linspace_over_the_whole_range_of_a_dtype(device, dtype, endpoint):
    if np.dtype(dtype) not in dtypes_of(device, "fc"):
        pytest.skip(f"no {dtype}")
    largest = float(np.finfo(dtype).max)
    start, stop = (
        (complex(-largest, largest), complex(largest, -largest)) if "complex" in dtype else (-largest, largest)
    )
    result = xp.linspace(start, stop, 5, dtype=np.dtype(dtype), endpoint=endpoint)
    parts = 4 if endpoint else 5
    factors = [Fraction(2 * i, parts) - 1 for i in range(5)]
    exact = [float(Fraction(largest) * factor) for factor in factors]
    expected = [complex(value, -value) for value in exact] if "complex" in dtype else exact
    expect(result, np.asarray(expected, dtype), ulp=4, signs=False, atol=largest * float(np.finfo(dtype).eps))


def test_linspace_with_an_infinite_bound_warns_of_nothing(device):
    expect(xp.linspace(0.0, 1e300, 2), np.asarray([0.0, 1e300]))


def test_square_of_large_complex_components_is_no_nan_on_sycl(device):
    if device.backend != "dpnp":
        pytest.skip("dpnp's square")
    expect(xp.square(xp.asarray([1e200 + 1e200j])), np.asarray([complex(0.0, math.inf)]))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_sign_of_complex_numbers_whose_absolute_value_overflows(device, dtype):
    if np.dtype(dtype) not in dtypes_of(device, "c"):
        pytest.skip(f"no {dtype}")
    largest = float(np.finfo(dtype).max)
    x = xp.asarray([complex(largest, largest), complex(-largest, largest), complex(0, -largest)], dtype=np.dtype(dtype))
    half = math.sqrt(0.5)
    expect(xp.sign(x), np.asarray([complex(half, half), complex(-half, half), -1j], dtype), ulp=4, signs=False)


@pytest.mark.parametrize("name", ["asin", "acos", "atan", "asinh", "acosh", "atanh"])
def test_inverse_functions_of_a_number_with_one_nan_are_nan(device, name):
    """Of a finite component that is not 0 nothing else follows (C, annex G.6)."""
    for dtype in dtypes_of(device, "c") or pytest.skip("no complex numbers"):
        large = float(np.sqrt(np.finfo(dtype).max)) * 0.9
        parts = (3.0, -0.25, large, -large)
        values = [complex(part, math.nan) for part in parts] + [complex(math.nan, part) for part in parts]
        with np.errstate(invalid="ignore"):
            result = xp.to_numpy(getattr(xp, name)(xp.asarray(values, dtype=dtype)))
        assert np.isnan(result.real).all()
        assert np.isnan(result.imag).all()


# -- matrices with infinities and NaN ---------------------------------------------------------------------------------

NOT_FINITE = [
    [[math.nan, 1.0], [1.0, 2.0]],
    [[1.0, 0.0], [0.0, math.inf]],
    [[[1.0, 0.0], [0.0, 1.0]], [[-math.inf] * 2] * 2],
    [[1.0, math.nan], [0.0, 1.0]],
]


@pytest.mark.parametrize("rows", [2, 64])
@pytest.mark.parametrize("matrix", NOT_FINITE, ids=repr)
@pytest.mark.parametrize(
    "name", ["cholesky", "eig", "eigh", "eigvals", "eigvalsh", "matrix_rank", "pinv", "svd", "svdvals"]
)
def test_decomposition_of_infinite_or_nan_elements_is_refused(device, name, matrix, rows):
    """Of 64 rows, some devices have kernels."""
    x = np.zeros((*np.shape(matrix)[:-2], rows, rows)) + np.eye(rows)
    x[..., -2:, -2:] = matrix
    with pytest.raises(np.linalg.LinAlgError, match="must not contain infs or NaNs"):
        getattr(xp.linalg, name)(xp.asarray(x))


def test_inverse_of_a_matrix_with_a_nan_is_nan(device):
    stack = made([[[math.nan, 1.0], [1.0, 2.0]], [[2.0, 0.0], [0.0, 4.0]]])
    expect(xp.linalg.inv(stack.array), np.asarray([[[math.nan] * 2] * 2, [[0.5, 0.0], [0.0, 0.25]]]), signs=False)


@pytest.mark.parametrize("right", [[2.0, 4.0], [[2.0], [4.0]]], ids=["vector", "matrix"])
def test_solution_for_a_matrix_with_a_nan_is_nan(device, right):
    stack = made([[[1.0, math.nan], [1.0, 2.0]], [[2.0, 0.0], [0.0, 4.0]]])
    result = xp.linalg.solve(stack.array, xp.asarray(right))
    expected = np.asarray([[math.nan, math.nan], [1.0, 1.0]])
    expect(result, expected if result.ndim == 2 else expected[..., None])


# -- bounds beyond the dtype ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "lower", "upper"),
    [("uint32", -3, 5), ("int8", -1000, 1000), ("int8", 300, None), ("uint8", None, -1), ("uint32", -3, 1e300)],
)
@pytest.mark.parametrize("values", [[0, 1, 7, 100], []], ids=["values", "empty"])
def test_clip_takes_bounds_beyond_the_dtype(lenient_device, dtype, lower, upper, values):
    wide = np.asarray([value if lower is None else max(value, lower) for value in values])
    expected = np.asarray([value if upper is None else min(value, upper) for value in wide.tolist()])
    result_dtype = "float64" if isinstance(upper, float) else dtype
    limits = np.iinfo(dtype)
    with xp.use_device(lenient_device):
        result = xp.clip(xp.asarray(values, dtype=np.dtype(dtype)), lower, upper)
    expect(result, np.clip(expected, limits.min, limits.max).astype(result_dtype))


# -- NaN payloads -----------------------------------------------------------------------------------------------------

MOVES = {
    "asarray": lambda x: xp.asarray(x, copy=True),
    "astype": lambda x: xp.astype(x, x.dtype, copy=True),
    "broadcast_to": lambda x: xp.broadcast_to(x, (2, *x.shape))[1, ...],
    "concat": lambda x: xp.concat([x[:1], x[1:]]),
    "flip": lambda x: xp.flip(xp.flip(x)),
    "index array": lambda x: x[xp.arange(x.shape[0])],
    "mask": lambda x: x[xp.ones(x.shape, dtype=xp.bool)],
    "repeat": lambda x: xp.repeat(x, 1),
    "roll": lambda x: xp.roll(xp.roll(x, 1), -1),
    "stack": lambda x: xp.stack([x, x])[0, ...],
    "take": lambda x: xp.take(x, xp.arange(x.shape[0]), axis=0),
    "tile": lambda x: xp.tile(x, (1,)),
    "where": lambda x: xp.where(xp.ones(x.shape, dtype=xp.bool), x, x),
    "to_device": lambda x: x.to_device("cpu").to_device(x.device),
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
}


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize(("dtype", "bits"), [("float32", [0x7FC12345, 0xFFC54321]), ("float64", [0x7FF8123456789ABC])])
def test_bits_of_a_nan_survive_where_elements_only_move(device, move, dtype, bits):
    if np.dtype(dtype) not in device.dtypes:
        pytest.skip(f"no {dtype}")
    host = np.asarray([*bits, 0], f"u{np.dtype(dtype).itemsize}").view(dtype)
    moved = values_of(MOVES[move](xp.asarray(host, copy=True)))
    assert moved.view(f"u{host.itemsize}").tolist() == host.view(f"u{host.itemsize}").tolist()
