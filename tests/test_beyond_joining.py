"""Joined and split arrays, and arrays with a least number of dimensions: NumPy's results on every device."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy_calls import SAMPLE_DTYPES, compare, compare_errors, sample
from strategies import dtypes_of, few, made, operands, shapes, values_of

import xtensor as xp

JOINS = {
    "append": lambda np, a, b: np.append(a, b),
    "append along an axis": lambda np, a, b: np.append(a, b, 1),
    "append values": lambda np, a, b: np.append(a, [1.5, 2]),
    "append a scalar": lambda np, a, b: np.append(a, 2.5),
    "hstack": lambda np, a, b: np.hstack([a, b]),
    "hstack vectors": lambda np, a, b: np.hstack((a[0, :], b[1, :], a[0, 0], [4])),
    "hstack an array": lambda np, a, b: np.hstack(a),
    "hstack as a dtype": lambda np, a, b: np.hstack([a, b], dtype="complex128"),
    "hstack by a rule": lambda np, a, b: np.hstack([a.real, b.real], dtype="int32", casting="unsafe"),
    "vstack": lambda np, a, b: np.vstack((a, b)),
    "vstack vectors": lambda np, a, b: np.vstack((a[0, :], b, [1, 2, 3])),
    "vstack as a dtype": lambda np, a, b: np.vstack((a, b), dtype="complex64", casting="unsafe"),
    "dstack": lambda np, a, b: np.dstack((a, b)),
    "dstack vectors": lambda np, a, b: np.dstack((a[0, :], [1, 2, 3])),
    "column_stack": lambda np, a, b: np.column_stack((a, b[:, 0], [7, 8])),
    "column_stack scalars": lambda np, a, b: np.column_stack((a[0, 0], 3)),
    "block": lambda np, a, b: np.block([[a, b], [b, a]]),
    "block of vectors": lambda np, a, b: np.block([a[0, :], 5, b[0, :]]),
    "block of ranks": lambda np, a, b: np.block([[a, b[:, :1]], [b[0, :], 9]]),
    "block in three levels": lambda np, a, b: np.block([[[a]], [[b]]]),
    "block of one": lambda np, a, b: np.block(a),
    "atleast_1d": lambda np, a, b: np.atleast_1d(a, b[0, 0], 3),
    "atleast_2d": lambda np, a, b: np.atleast_2d(a, b[0, :], b[0, 0], [1, 2]),
    "atleast_3d": lambda np, a, b: np.atleast_3d(a, b[0, :], b[0, 0], 7),
    "atleast_1d of one": lambda np, a, b: np.atleast_1d(a[0, 0]),
    "atleast_2d of one": lambda np, a, b: np.atleast_2d(a[0, :]),
    "atleast_3d of one": lambda np, a, b: np.atleast_3d(a[None, ...]),
}


@pytest.mark.parametrize("dtypes", [*zip(SAMPLE_DTYPES, SAMPLE_DTYPES, strict=True), ("int32", "float32")], ids=str)
@pytest.mark.parametrize("name", JOINS)
def test_joined_arrays_match_numpy(device, name, dtypes):
    compare(JOINS[name], sample((2, 3), dtypes[0]), sample((2, 3), dtypes[1], seed=1))


@pytest.mark.parametrize("function", ["hstack", "vstack", "dstack", "column_stack"])
@few
@given(data=st.data())
def test_stacks_of_any_dtypes_match_numpy(device, function, data):
    dtypes = [data.draw(st.sampled_from(dtypes_of(device))) for _ in range(2)]
    if np.result_type(*dtypes) not in device.dtypes:
        return
    shape = data.draw(shapes(1, 3, 1))
    (a, x), (b, y) = (data.draw(operands(dtype, shape)) for dtype in dtypes)
    expected = getattr(np, function)([a, b])
    result = getattr(xp, function)([x, y])
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(values_of(result), expected)


SPLITS = {
    "array_split": lambda np, x: np.array_split(x, 3, axis=1),
    "array_split into more than there are": lambda np, x: np.array_split(x, 9),
    "array_split at positions": lambda np, x: np.array_split(x, [1, 1, -1, 9], 1),
    "array_split backwards": lambda np, x: np.array_split(x, (3, 1), axis=-2),
    "array_split at positions of an array": lambda np, x: np.array_split(x, np.asarray([2, 3]), axis=1),
    "split": lambda np, x: np.split(x, 2),
    "split along an axis": lambda np, x: np.split(x, 5, axis=1),
    "split at positions": lambda np, x: np.split(x, [2, 3], -1),
    "split into a fraction": lambda np, x: np.split(x, 2.0),
    "hsplit": lambda np, x: np.hsplit(x, 5),
    "hsplit a vector": lambda np, x: np.hsplit(x[:, 0, 0], 2),
    "vsplit": lambda np, x: np.vsplit(x, [1]),
    "dsplit": lambda np, x: np.dsplit(x, 3),
}


@pytest.mark.parametrize("name", SPLITS)
def test_split_arrays_match_numpy(device, name):
    compare(SPLITS[name], sample((4, 5, 3), "int32"))


ERRORS = [
    (lambda np, x: np.hstack([]), ValueError, "need at least one array to concatenate"),
    (lambda np, x: np.vstack(iter([x])), TypeError, 'arrays to stack must be passed as a "sequence" type such as list'),
    (
        lambda np, x: np.hstack([x], dtype=int),
        TypeError,
        "Cannot cast array data from dtype('float64') to dtype('int64')",
    ),
    (
        lambda np, x: np.hstack([x], dtype=int, casting="free"),
        ValueError,
        "casting must be one of 'no', 'equiv', 'safe'",
    ),
    (
        lambda np, x: np.block([x, [x]]),
        ValueError,
        "List depths are mismatched. First element was at depth 1, but there",
    ),
    (lambda np, x: np.block([[x], []]), ValueError, "List at arrays[1] cannot be empty"),
    (lambda np, x: np.block([[x], (x,)]), TypeError, "arrays[1] is a tuple. Only lists can be used to arrange blocks"),
    (lambda np, x: np.array_split(x, 0), ValueError, "number sections must be larger than 0."),
    (lambda np, x: np.split(x, 2, axis=1), ValueError, "array split does not result in an equal division"),
    (lambda np, x: np.hsplit(x[0, 0], 1), ValueError, "hsplit only works on arrays of 1 or more dimensions"),
    (lambda np, x: np.vsplit(x[0, :], 1), ValueError, "vsplit only works on arrays of 2 or more dimensions"),
    (lambda np, x: np.dsplit(x, 1), ValueError, "dsplit only works on arrays of 3 or more dimensions"),
    (lambda np, x: np.append(x, x, 5), ValueError, "axis 5 is out of bounds for array of dimension 2"),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS, ids=[words for _, _, words in ERRORS])
def test_error_has_the_words_of_numpy(device, call, error, words):
    compare_errors(call, error, words, sample((2, 3)))


def test_arrays_beside_an_array_are_operands(device):
    if not device.host:
        pytest.skip("a NumPy array beside an Array off the host is a transfer, which other tests decide")
    host, x = made([1.0, 2.0])
    assert values_of(xp.vstack((host, x))).tolist() == [[1.0, 2.0], [1.0, 2.0]]
