"""Grids, conversions of indices and assignments to indices and masks: NumPy's results on every device."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy_calls import SAMPLE_DTYPES, compare, compare_errors, on_device, same, sample
from strategies import expect, made, operands, outcome, shapes, values_of

import xtensor as xp

CALLS = {
    "argwhere": lambda np, x: np.argwhere(x),
    "argwhere of a number": lambda np, x: [np.argwhere(x[0, 2]), np.argwhere(np.zeros_like(x[0, 2]))],
    "flatnonzero": lambda np, x: np.flatnonzero(x),
    "flatnonzero of a number": lambda np, x: np.flatnonzero(x[0, 2]),
}


@pytest.mark.parametrize("dtype", SAMPLE_DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_nonzero_elements_match_numpy(device, name, dtype):
    compare(CALLS[name], sample((3, 4), dtype))


GRIDS = {
    "indices": lambda np: np.indices((2, 3)),
    "indices of a dtype": lambda np: np.indices((2,), dtype="float32"),
    "indices of no axis": lambda np: np.indices(()),
    "indices of an empty grid": lambda np: np.indices((0, 2)),
    "sparse indices": lambda np: np.indices((2, 3, 1), sparse=True),
}


@pytest.mark.parametrize("name", GRIDS)
def test_grid_matches_numpy(device, name):
    same(GRIDS[name](xp), GRIDS[name](np))
    assert xp.indices((1,), device="cpu").device is xp.device("cpu")


def test_index_product_matches_numpy(device):
    compare(lambda np, i: np.ix_(i, [1, 2], [True, False, True]), np.asarray([0, 2]))
    compare(lambda np, i: np.ix_(i, []), np.asarray([True, False, True]))
    compare(lambda np, i: np.ix_(i), np.asarray([], dtype="float64"))


@given(data=st.data(), order=st.sampled_from(["C", "F"]))
def test_coordinates_match_numpy(device, data, order):
    shape = data.draw(shapes(1, 3, 1, 5))
    flat, x = data.draw(operands(np.dtype("int32"), None, st.integers(0, int(np.prod(shape)) - 1)))
    expected = np.unravel_index(flat, shape, order)
    coordinates = xp.unravel_index(x, shape, order=order)
    same(coordinates, expected)
    expect(xp.ravel_multi_index(coordinates, shape, order=order), np.ravel_multi_index(expected, shape, order=order))


@given(data=st.data(), modes=st.sampled_from(["wrap", "clip", ("wrap", "clip"), ("clip", "wrap")]))
def test_flat_indices_within_the_shape_match_numpy(device, data, modes):
    rows, x = data.draw(operands(np.dtype("int64"), (3,), st.integers(-9, 9)))
    columns, y = data.draw(operands(np.dtype("int64"), (2, 1), st.integers(-9, 9)))
    expect(xp.ravel_multi_index((x, y), (4, 5), modes), np.ravel_multi_index((rows, columns), (4, 5), modes))


def test_flat_indices_of_rows_match_numpy(device):
    compare(lambda np, i: np.ravel_multi_index(i, (3, 4)), np.asarray([[0, 1, 2], [3, 0, 1]]))
    compare(lambda np, i: np.ravel_multi_index((i, 2), (3, 4)), np.asarray([0, 1], dtype="uint8"))
    compare(lambda np, i: np.unravel_index(i, 7), np.asarray([0, 6]))
    compare(lambda np, i: np.unravel_index(i, ()), np.asarray(0))
    compare(lambda np, i: np.unravel_index([i, 1], (2, 3)), np.asarray(5))


def assigned(function, host, *arguments, **options):
    """Check that a function changes an Array in place as NumPy's changes its array, and returns None."""
    expected, x = host.copy(), xp.asarray(host, copy=True)
    assert getattr(np, function)(expected, *arguments, **options) is None
    assert getattr(xp, function)(x, *on_device(arguments), **{k: on_device(v) for k, v in options.items()}) is None
    expect(x, expected)


VALUES = [7, [1, 0], [], (1, 0, 1, 1, 0, 0, 1, 1, 0), np.asarray([[1, 0], [1, 1]])]


@pytest.mark.parametrize("dtype", SAMPLE_DTYPES)
@pytest.mark.parametrize("values", VALUES, ids=str)
def test_put_matches_numpy(device, values, dtype):
    host = sample((2, 3), dtype)
    assigned("put", host, [0, -1, 3], values)
    assigned("put", host, np.asarray([[0, 2], [5, 1]]), values)
    assigned("put", host, [-7, 9, 4], values, mode="wrap")
    assigned("put", host, [-7, 9, 3], values, "clip")
    assigned("put", host[0, :], 1, values)
    assigned("put", np.asarray(host[0, 0]), [0], values)
    assigned("put", host, [], values)


@pytest.mark.parametrize("dtype", SAMPLE_DTYPES)
@pytest.mark.parametrize("values", VALUES, ids=str)
def test_masked_assignments_match_numpy(device, values, dtype):
    host = sample((2, 3), dtype)
    for mask in (host != 0, [True, False, True, True, False, True], np.asarray([[0, 1, 2], [0, 3, 0]]), host != host):
        if isinstance(values, np.ndarray):
            values = values.astype(host.dtype)
        assigned("putmask", host, mask, values)
        if np.size(values) or not np.any(mask):
            assigned("place", host, mask, values if isinstance(values, (list, tuple, np.ndarray)) else [values])
    assigned("putmask", np.asarray(host[0, 0]), True, 1)
    assigned("place", host[:0, :], host[:0, :] != 0, [1])


@given(data=st.data())
def test_last_of_equal_indices_decides(device, data):
    if not device.host:
        return
    host, x = data.draw(operands(np.dtype("int64"), data.draw(shapes(1, 3, 1)), layouts=("plain", "part", "strided")))
    indices = data.draw(st.lists(st.integers(-host.size, host.size - 1), max_size=8))
    values = data.draw(st.lists(st.integers(-9, 9), min_size=1, max_size=8))
    expected = host.copy()
    np.put(expected, indices, values)
    xp.put(x, indices, values)
    expect(x, expected)


COPIES = [
    (1, {}),
    ([[1, 0, 1]], {}),
    ([[[1, 0, 1]]], {}),
    ([[1], [0]], {"casting": "unsafe"}),
    (True, {"where": [True, False, True]}),
    (True, {"where": [[0], [2]]}),
    ([[0, 1, 0]], {"casting": "unsafe", "where": np.asarray([[True], [False]])}),
    (np.asarray([True, False, True]), {"casting": "safe"}),
]


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64", "uint8", "bool"])
@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_numbers_are_cast_as_numpy_casts_them(device, casting, dtype):
    for number in (True, 1, 1.5, 1j):
        if casting == "unsafe" and number == 1j:
            continue
        x, host = xp.zeros(2, dtype=dtype), np.zeros(2, dtype=dtype)
        expected, result = (outcome(n.copyto, y, number, casting) for n, y in ((np, host), (xp, x)))
        assert result is expected
        expect(x, host)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64", "uint8"])
@pytest.mark.parametrize(("values", "options"), COPIES, ids=str)
def test_copied_elements_match_numpy(device, values, options, dtype):
    if dtype == "uint8" and isinstance(values, list):
        options = {**options, "casting": "unsafe"}
    assigned("copyto", sample((2, 3), dtype), values, **options)


def test_copy_takes_a_number_of_any_precision(device):
    assigned("copyto", np.zeros(2, dtype="float32"), 0.1)
    assigned("copyto", np.zeros(2, dtype="uint8"), 200)
    assigned("copyto", np.asarray(2.0), 3)
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        xp.copyto(xp.zeros(2, dtype="uint8"), 300)


def test_copy_between_parts_of_one_array_matches_numpy(device):
    host, x = made(np.arange(6.0))
    np.copyto(host[1:], host[:-1])
    part = x[1:]
    xp.copyto(part, x[:-1])
    expect(part, host[1:])


ERRORS = [
    (lambda np, x: np.copyto(x, 1, where=x), TypeError, "Cannot cast array data from dtype('int64') to dtype('bool')"),
    (lambda np, x: np.ix_(x), ValueError, "Cross index must be 1 dimensional"),
    (lambda np, x: np.unravel_index(x.astype("float64"), (9, 9)), TypeError, "only int indices permitted"),
    (lambda np, x: np.ravel_multi_index((x, x.astype("float64")), (9, 9)), TypeError, "only int indices permitted"),
    (
        lambda np, x: np.ravel_multi_index((x,), (9, 9)),
        ValueError,
        "parameter multi_index must be a sequence of length 2",
    ),
    (
        lambda np, x: np.ravel_multi_index((x, x), (9, 9), "turn"),
        ValueError,
        "clipmode must be one of 'clip', 'raise', or",
    ),
    (
        lambda np, x: np.ravel_multi_index((x, x), (9, 9), ("wrap",)),
        ValueError,
        "list of clipmodes has wrong length (1 in",
    ),
    (lambda np, x: np.put(x[:0, :], [0], 1), IndexError, "cannot replace elements of an empty array"),
    (
        lambda np, x: np.put(x, [0], 1, "turn"),
        ValueError,
        "clipmode must be one of 'clip', 'raise', or 'wrap' (got 'turn')",
    ),
    (lambda np, x: np.putmask(x, [True], 1), ValueError, "putmask: mask and data must be the same size"),
    (lambda np, x: np.place(x, [True], [1]), ValueError, "place: mask and data must be the same size"),
    (
        lambda np, x: np.place(x, x >= 0, x.astype("float64")),
        TypeError,
        "Cannot cast array data from dtype('float64') to",
    ),
    (
        lambda np, x: np.putmask(x, x >= 0, x.astype("float64")),
        TypeError,
        "Cannot cast array data from dtype('float64')",
    ),
    (lambda np, x: np.place(x, x >= 0, []), ValueError, "Cannot insert from an empty array!"),
    (
        lambda np, x: np.copyto(x, 1.5),
        TypeError,
        "Cannot cast scalar from dtype('float64') to dtype('int64') according to",
    ),
    (
        lambda np, x: np.copyto(x, x.astype("float64")),
        TypeError,
        "Cannot cast array data from dtype('float64') to dtype('int64')",
    ),
    (lambda np, x: np.copyto(x, [1, 2]), ValueError, "could not broadcast input array from shape (2,) into shape (2"),
    (
        lambda np, x: np.copyto(x, 1, where=[True, False]),
        ValueError,
        "could not broadcast where mask from shape (2,) into",
    ),
    (
        lambda np, x: np.copyto(x, 1, "free"),
        ValueError,
        "casting must be one of 'no', 'equiv', 'safe', 'same_kind', 'unsafe'",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS, ids=[words for _, _, words in ERRORS])
def test_error_has_the_words_of_numpy(device, call, error, words):
    compare_errors(call, error, words, np.asarray([[0, 1, 2], [3, 4, 5]]))


BOUNDS = [
    (lambda np, x: np.unravel_index(x, (2, 2)), ValueError, "index 4 is out of bounds for array with size 4"),
    (lambda np, x: np.ravel_multi_index((x, x), (9, 5)), ValueError, "invalid entry in coordinates array"),
    (lambda np, x: np.put(x, [0, 22], 1), IndexError, "index 22 is out of bounds for axis 0 with size 6"),
    (lambda np, x: np.put(x, [-7], 1), IndexError, "index -7 is out of bounds for axis 0 with size 6"),
]


@pytest.mark.parametrize(("call", "error", "words"), BOUNDS, ids=[words for _, _, words in BOUNDS])
def test_index_out_of_bounds_is_an_error_on_the_host(device, call, error, words):
    if not device.host:
        pytest.skip(f"{device} does not check index bounds")
    compare_errors(call, error, words, np.asarray([[0, 1, 2], [3, 4, 5]]))


def test_array_that_is_not_written_to_is_refused(device):
    for call in (lambda x: xp.put([1], [0], x), lambda x: xp.copyto(np.ones(1), x), lambda x: xp.place([1], [1], x)):
        with pytest.raises(TypeError, match="takes an xtensor Array"):
            call(xp.ones(1))


def test_views_of_an_array_that_is_written_to_see_the_elements_on_the_host(device):
    if device.name == "strict" or not device.host:
        return
    x = xp.zeros((2, 3))
    xp.put(x[1, :], [0], 5.0)
    assert values_of(x).tolist() == [[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]]
