"""The NumPy backend's sorting, powers and steps of compositions: bit for bit what slower functions of NumPy give."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import xtensor as xp
from xtensor_backends.numpy import _sorting
from xtensor_backends.numpy._namespace import moveaxis
from xtensor_backends.numpy._sorting import argsort, partition

CPU = xp.device("cpu")
SHAPES = [(0,), (1,), (50,), (3000,), (3, 40), (40, 3), (0, 3), (3, 0), (60, 70), (4, 5, 30)]
DTYPES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint64", "bool"]


def on_cpu(host):
    return xp.asarray(host, device=CPU)


def random_numbers(rng, shape):
    return rng.normal(size=shape) * 10


def random_ties(rng, shape):
    return np.round(rng.normal(size=shape))


def zeros_of_both_signs(rng, shape):
    return np.copysign(np.where(rng.random(shape) < 0.5, 0.0, rng.normal(size=shape)), rng.normal(size=shape))


def special_numbers(rng, shape):
    return rng.choice([np.nan, -np.inf, np.inf, 0.0, -0.0, 1.0], size=shape)


def array(values, shape, dtype):
    """Return random values of a dtype; NaN get random payloads and signs."""
    rng = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        x = values(rng, shape).astype(dtype)
    if x.dtype.kind == "f":
        bits, missing = x.view(f"u{x.dtype.itemsize}"), np.isnan(x)
        sign = bits.dtype.type(1 << (8 * x.dtype.itemsize - 1))
        bits[missing] ^= rng.integers(0, 200, int(missing.sum())).astype(bits.dtype)
        bits[missing & (rng.random(shape) < 0.5)] ^= sign
    return x


def same_bits(x, y):
    """Return whether two arrays have the same dtype, shape and bytes."""
    return (x.dtype, x.shape) == (y.dtype, y.shape) and np.ascontiguousarray(x).tobytes() == np.ascontiguousarray(
        y
    ).tobytes()


@pytest.mark.parametrize("values", [random_numbers, random_ties, zeros_of_both_signs, special_numbers])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("descending", [False, True])
def test_sort_and_argsort_are_those_of_the_stable_algorithm(shape, dtype, values, descending):
    whole = array(values, shape, dtype)
    for x in (whole, whole[::-1], whole.T):
        for axis in range(x.ndim):
            given = np.flip(x, axis=axis) if descending else x
            ordered, order = np.sort(given, axis=axis, kind="stable"), np.argsort(given, axis=axis, kind="stable")
            if descending:
                ordered, order = np.flip(ordered, axis=axis), np.flip(x.shape[axis] - 1 - order, axis=axis)
            assert same_bits(np.asarray(xp.sort(on_cpu(x), axis=axis, descending=descending)), ordered)
            assert same_bits(np.asarray(xp.argsort(on_cpu(x), axis=axis, descending=descending)), order)


@pytest.mark.parametrize("seed", range(20))
def test_float16_with_zeros_of_both_signs_is_ordered_as_float32_is(seed):
    whole = np.round(np.random.default_rng(seed).normal(size=3000)).astype(np.float16)
    half, single = on_cpu(whole), on_cpu(whole.astype(np.float32))

    def outcomes(x):
        counts = xp.unique_counts(x)
        return (
            xp.sort(x),
            xp.sort(x, stable=False),
            xp.unique_values(x),
            *counts,
            xp.median(x),
            xp.quantile(x, np.linspace(0.0, 1.0, 30), method="lower"),
            xp.histogram(x, xp.asarray([-2.0, -1.0, 0.0, 1.0, 2.0], dtype=x.dtype))[0],
            xp.isin(x, counts.values[1:]),
        )

    for found, expected in zip(outcomes(half), outcomes(single), strict=True):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize("count", [1, 7, 1000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_histogram_counts_elements_on_edges_into_the_bin_that_they_begin(dtype, count):
    edges = np.linspace(-1.0, 2.0, count + 1, dtype=dtype)
    below = np.nextafter(edges[1:], edges.dtype.type(-np.inf))
    x = np.concatenate([edges, below, np.asarray([np.nan, -5.0, 5.0], dtype)])
    counts, found = xp.histogram(on_cpu(x), on_cpu(edges))
    np.testing.assert_array_equal(np.asarray(found), edges)
    expected = np.full(count, 2)
    expected[-1] = 3
    np.testing.assert_array_equal(np.asarray(counts), expected)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("exponent", [2, 2.0, -1, -1.0, 0.5, 1, 0, 3, 1.5])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int8", "int64", "uint8"])
def test_power_with_a_number_is_that_of_numpys_operator(dtype, exponent):
    numbers = np.asarray([0.0, -0.0, 1, -1, 2.5, -2.5, math.inf, -math.inf, math.nan, 1e-310, 1e300, 5e-324, 7])
    with np.errstate(all="ignore"):
        x = (np.add.outer(numbers, 1j * numbers).reshape(-1) if dtype.startswith("complex") else numbers).astype(dtype)
        try:
            expected = x**exponent
        except (ValueError, OverflowError) as error:
            with pytest.raises(type(error)):
                on_cpu(x) ** exponent
            return
        results = [np.asarray(on_cpu(x) ** exponent), np.asarray(xp.pow(on_cpu(x), exponent))]
    for result in results:
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)
        assert np.array_equal(np.signbit(result.real), np.signbit(expected.real))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_root_of_float16_is_the_standards():
    x = on_cpu(np.asarray([-0.0, -np.inf, 4.0], np.float16))
    result = np.asarray(x**0.5)
    assert result.tolist() == [0.0, math.inf, 2.0]
    assert not np.signbit(result[0])


@pytest.mark.parametrize("length", [1, 2, 999, 1000, 5001])
@pytest.mark.parametrize("missing", [0, 7])
@pytest.mark.parametrize("method", ["linear", "lower", "higher", "midpoint", "averaged_inverted_cdf"])
def test_quantiles_of_long_lines_are_those_of_sorted_lines(length, missing, method):
    x = np.random.default_rng(0).normal(size=(3, length))
    x[1, :missing] = np.nan
    levels = [0.0, 0.1, 0.5, 0.77, 1.0]
    for level in (*levels, levels):
        ours = np.asarray(xp.nanquantile(on_cpu(x), level, axis=1, method=method))
        rows = [np.sort(row[~np.isnan(row)]) for row in x]
        expected = [
            np.quantile(row, level, method=method) if row.size else np.full(np.shape(level), np.nan) for row in rows
        ]
        np.testing.assert_allclose(ours, np.stack(expected, axis=-1), rtol=1e-12)
    ordinary = np.asarray(xp.median(on_cpu(x), axis=1))
    np.testing.assert_allclose(ordinary, np.median(x, axis=1))


@pytest.mark.parametrize("rtol", [0.0, 1e-5, math.inf, math.nan])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_isclose_has_the_values_of_the_definition(dtype, rtol):
    numbers = np.asarray([0.0, -0.0, 1.0, 1 + 1e-6, 2.0, math.inf, -math.inf, math.nan], dtype)
    x, y = (part.reshape(-1) for part in np.meshgrid(numbers, numbers))

    def close(a, b):
        if not (np.isfinite(a) and np.isfinite(b)):
            return bool(a == b)
        return bool(a == b) or bool(abs(a - b) <= 1e-8 + rtol * abs(b))

    with np.errstate(invalid="ignore"):
        expected = [close(a, b) for a, b in zip(x, y, strict=True)]
    assert np.asarray(xp.isclose(on_cpu(x), on_cpu(y), rtol=rtol)).tolist() == expected


def test_counts_of_a_histogram_are_those_of_a_loop():
    x = np.random.default_rng(0).integers(-3, 9, 500).astype(float)
    x[::50] = np.nan
    edges = np.asarray([-2.0, 0.0, 0.0, 1.5, 3.0, 3.0])
    ours = np.asarray(xp.histogram(on_cpu(x), on_cpu(edges))[0])
    inside = [[a <= v < b or (i == len(edges) - 2 and v == b) for v in x] for i, (a, b) in enumerate(pairwise(edges))]
    assert ours.tolist() == [sum(row) for row in inside]


@pytest.mark.parametrize("largest", [True, False])
def test_extreme_number_of_a_slice_of_nan_is_nan(largest):
    x = on_cpu(np.asarray([[math.nan, 1.0, -math.inf], [math.nan, math.nan, math.nan]]))
    result = (xp.nanmax if largest else xp.nanmin)(x, axis=1)
    np.testing.assert_array_equal(np.asarray(result), [1.0 if largest else -math.inf, math.nan])


@pytest.mark.parametrize("write", [xp.putmask, xp.place])
def test_masked_assignment_to_memory_that_is_read_only_raises(write):
    host = np.arange(3.0)
    host.flags.writeable = False
    x = xp.asarray(host, device=CPU)
    with pytest.raises(ValueError, match="read-only"):
        write(x, on_cpu(np.asarray([True, False, True])), on_cpu(np.zeros(3)))
    assert host.tolist() == [0.0, 1.0, 2.0]


def test_elements_of_a_vector_are_values_that_later_writes_do_not_change():
    x = on_cpu(np.arange(4.0))
    elements = []
    for element in x:
        elements.append(element)
        x[...] = x + 10.0
    assert [float(element) for element in elements] == [0.0, 11.0, 22.0, 33.0]


@pytest.mark.parametrize(
    "key", [0, -1, 2, slice(1, 3), slice(3, 1), slice(None), slice(None, None, 2), slice(None, None, -1)]
)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_deletion_of_one_item_or_a_slice_is_numpys(key, axis):
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(np.asarray(xp.delete(on_cpu(x), key, axis)), np.delete(x, key, axis))


@pytest.mark.parametrize("position", [0, 1, 3, -1])
@pytest.mark.parametrize("axis", [0, 1, None])
def test_insertion_at_one_position_is_numpys(position, axis):
    x = np.arange(12.0).reshape(3, 4)
    np.testing.assert_array_equal(
        np.asarray(xp.insert(on_cpu(x), position, 5.0, axis)), np.insert(x, position, 5.0, axis)
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_norms_of_all_elements_in_every_layout(dtype, keepdims):
    values = np.random.default_rng(0).uniform(-1.0, 1.0, (4, 7)).astype(dtype)
    if values.dtype.kind == "c":
        values.imag = np.random.default_rng(1).uniform(-1.0, 1.0, (4, 7))
    expected = math.sqrt(math.fsum(abs(complex(value)) ** 2 for value in values.flat))
    for layout in (values, np.asfortranarray(values), values[::-1, ::-1], np.repeat(values, 2, axis=1)[:, ::2]):
        x = xp.asarray(layout, device="numpy")
        for norm in (xp.linalg.vector_norm, xp.linalg.matrix_norm):
            result = norm(x, keepdims=keepdims)
            assert result.shape == ((1, 1) if keepdims else ())
            assert result.dtype == values.real.dtype
            tolerance = 8 * float(np.finfo(values.dtype).eps)
            assert abs(float(xp.reshape(result, ())) - expected) <= tolerance * expected


def test_norm_of_no_elements_is_zero():
    assert float(xp.linalg.vector_norm(xp.zeros((0, 3), device="numpy"))) == 0.0
    assert float(xp.linalg.matrix_norm(xp.zeros((0, 3), device="numpy"))) == 0.0


def test_a_diagonal_is_filled_in_shared_memory():
    host = np.zeros((3, 3))
    x = xp.asarray(host, device="numpy")
    xp.fill_diagonal(x, 2.0)
    xp.fill_diagonal(x.mT, 3.0)
    np.testing.assert_array_equal(host, 3.0 * np.eye(3), strict=True)


def test_nan_functions_leave_their_operands():
    host = np.asarray([[1.0, np.nan], [3.0, 5.0]])
    x = xp.asarray(host.copy(), device="numpy")
    assert float(xp.nanvar(x)) == 8.0 / 3.0
    assert float(xp.nanvar(x, where=xp.asarray([[True, True], [True, False]], device="numpy"))) == 1.0
    np.testing.assert_array_equal(xp.to_numpy(x), host, strict=True)


def close_numbers(rng, shape):
    return 1 + rng.uniform(size=shape) * 2.0**-34


def very_close_numbers(rng, shape):
    return 1e300 * rng.integers(-1, 2, size=shape) + 1 + rng.integers(0, 5000, size=shape) * 2.0**-52


def few_close_pairs(rng, shape):
    x = rng.normal(size=shape) * 10.0 ** rng.integers(-300, 300, size=shape)
    x.reshape(-1)[1::40] = np.nextafter(x.reshape(-1)[::40], np.inf)
    x.reshape(-1)[2::40] = np.nextafter(x.reshape(-1)[::40], -np.inf)
    return x


def ordered_numbers(rng, shape):
    return np.sort(np.round(rng.normal(size=shape), 2), axis=-1)


def integers_of_all_bits(rng, shape):
    return rng.integers(-(2**63), 2**63 - 1, size=shape, endpoint=True)


@pytest.mark.parametrize("shape", [(5000,), (3, 5000), (300, 17), (20, 40, 30)])
@pytest.mark.parametrize(
    ("make", "dtype"),
    [
        (close_numbers, "float64"),
        (very_close_numbers, "float64"),
        (few_close_pairs, "float64"),
        (ordered_numbers, "float64"),
        (ordered_numbers, "float32"),
        (special_numbers, "float32"),
        (integers_of_all_bits, "int64"),
        (integers_of_all_bits, "uint64"),
        (integers_of_all_bits, "int32"),
    ],
)
def test_indices_are_sorted_as_by_numpys_stable_algorithm(make, dtype, shape):
    x = make(np.random.default_rng(8), shape).astype(dtype)
    for axis in range(-1, x.ndim - 1):
        for descending in (False, True):
            lines = np.flip(x, axis=axis) if descending else x
            expected = np.argsort(lines, axis=axis, kind="stable")
            if descending:
                expected = np.flip(x.shape[axis] - 1 - expected, axis=axis)
            result = argsort(x, axis=axis, descending=descending)
            np.testing.assert_array_equal(result, expected, strict=True)


def test_close_numbers_are_compared_after_they_are_sorted(monkeypatch):
    """Neither the exchange of neighbours nor the other algorithm would be missed if the keys were always exact."""
    answers = []
    decide = _sorting._decide
    monkeypatch.setattr(_sorting, "_decide", lambda *args: answers.append(decide(*args)) or answers[-1])
    rng = np.random.default_rng(9)
    for make in (few_close_pairs, very_close_numbers, integers_of_all_bits):
        argsort(make(rng, (5000,)))
    argsort(make(rng, (5000,)).astype(np.int32))
    assert answers == [True, False, True]


@pytest.mark.parametrize("make", [random_numbers, random_ties, zeros_of_both_signs])
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_at_the_positions_of_a_partition_are_those_of_the_sorted_order(dtype, make):
    rng = np.random.default_rng(5)
    for shape in [(1000,), (2001,), (3, 5000)]:
        x = array(make, shape, dtype)
        ordered, length = np.sort(x.astype(np.float64), axis=-1), shape[-1]
        for count in (1, 2, 5, 16, 17):
            positions = rng.integers(0, length, count)
            result = partition(x, positions.tolist())
            np.testing.assert_array_equal(result[..., positions], ordered[..., positions])
            np.testing.assert_array_equal(np.sort(result.astype(np.float64), axis=-1), ordered)


def test_medians_of_many_elements_are_numpys():
    rng = np.random.default_rng(6)
    for size in (5000, 5001):
        host = rng.normal(size=size)
        gaps = np.where(host > 1, np.nan, host)
        levels = np.linspace(0, 1, 7)
        for x in (host, gaps, (host * 9).astype(np.int64), np.stack((host, gaps))):
            assert xp.median(on_cpu(x)) == np.median(x) or np.isnan(np.median(x))
            np.testing.assert_array_equal(np.asarray(xp.nanmedian(on_cpu(x), axis=-1)), np.nanmedian(x, axis=-1))
            quantiles = np.asarray(xp.nanquantile(on_cpu(x), levels))
            np.testing.assert_allclose(quantiles, np.nanquantile(x, levels), rtol=1e-12)
            assert np.isnan(np.asarray(xp.median(on_cpu(x)))) == np.isnan(np.median(x))


@pytest.mark.parametrize(
    ("source", "destination"),
    [((0, 2), (1, 0)), ((-1,), (0,)), ((0,), (-1,)), (1, -1), (-1, 0), ((), ()), ((2, 1, 0), (0, 1, 2))],
)
def test_axes_are_moved_as_numpy_moves_them(source, destination):
    x = np.zeros((2, 3, 4))
    result = moveaxis(x, source, destination)
    assert result.shape == np.moveaxis(x, source, destination).shape
    assert np.shares_memory(result, x)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_linspace_takes_integers_beyond_64_bits(count):
    result = xp.linspace(0, 3 * 10**19, count, device="cpu")
    assert result.tolist() == [0.0, 1e19, 2e19, 3e19][:count]


@pytest.mark.parametrize("size", [0, 1, 1000, 1001])  # few elements are counted
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float64", "complex64"])
def test_any_and_all_are_those_of_the_elements(size, dtype):
    for true in sorted({0, 1, size - 1, size} & {*range(size + 1)}):
        x = xp.asarray(np.random.default_rng(5).permutation(np.arange(size) < true).astype(dtype), device="cpu")
        assert (bool(xp.any(x)), bool(xp.all(x))) == (true > 0, true == size)
        assert (xp.any(x, keepdims=True).shape, xp.all(x, keepdims=True).shape) == ((1,), (1,))


def test_nan_is_true_and_zeros_of_both_signs_are_false():
    for size in (1, 1001):
        assert xp.all(xp.asarray(np.full(size, np.nan), device="cpu"))
        assert not xp.any(xp.asarray(np.full(size, -0.0), device="cpu"))
