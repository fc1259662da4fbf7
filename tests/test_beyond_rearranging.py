"""Arrays turned, flattened, repeated, with elements removed and inserted: NumPy's results on every device."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy_calls import SAMPLE_DTYPES, compare, compare_errors, on_device, sample
from strategies import expect, operands, shapes

import xtensor as xp

CALLS = {
    "fliplr": lambda np, x: np.fliplr(x),
    "flipud": lambda np, x: np.flipud(x),
    "rot90": lambda np, x: np.rot90(x),
    "rot90 twice": lambda np, x: np.rot90(x, 2),
    "rot90 three times": lambda np, x: np.rot90(x, 3, axes=(2, 0)),
    "rot90 back": lambda np, x: np.rot90(x, -1, (1, -1)),
    "rot90 never": lambda np, x: np.rot90(x, k=4),
    "rollaxis": lambda np, x: np.rollaxis(x, 2),
    "rollaxis to the end": lambda np, x: np.rollaxis(x, 0, 3),
    "rollaxis from the end": lambda np, x: np.rollaxis(x, -1, -2),
    "rollaxis in place": lambda np, x: np.rollaxis(x, 1, 2),
    "swapaxes": lambda np, x: np.swapaxes(x, 0, -1),
    "ravel": lambda np, x: np.ravel(x),
    "ravel by columns": lambda np, x: np.ravel(x, order="F"),
    "ravel in any order": lambda np, x: np.ravel(x, "A"),
    "ravel a scalar": lambda np, x: np.ravel(x[0, 0, 0]),
    "resize to more": lambda np, x: np.resize(x, (5, 3, 3)),
    "resize to less": lambda np, x: np.resize(x, 4),
    "resize to nothing": lambda np, x: np.resize(x, (0, 3)),
    "resize to a scalar": lambda np, x: np.resize(x, ()),
    "resize nothing": lambda np, x: np.resize(x[:0, ...], (2, 2)),
    "trim_zeros": lambda np, x: np.trim_zeros(x),
    "trim_zeros of a vector": lambda np, x: np.trim_zeros(
        np.concat([np.zeros_like(x[0, 0, :]), x[0, 1, :], np.zeros_like(x[0, 0, :])])
    ),
    "trim_zeros in front": lambda np, x: np.trim_zeros(np.where(x == x[0, 0, 2], x, np.zeros_like(x)), "F"),
    "trim_zeros behind": lambda np, x: np.trim_zeros(
        np.where(x == x[0, 0, 2], x, np.zeros_like(x)), trim="b", axis=(0, -1)
    ),
    "trim_zeros of zeros": lambda np, x: np.trim_zeros(x != x, axis=1),
    "delete": lambda np, x: np.delete(x, 1),
    "delete from the end": lambda np, x: np.delete(x, -1, axis=2),
    "delete several": lambda np, x: np.delete(x, [0, -1, 0], 2),
    "delete a slice": lambda np, x: np.delete(x, slice(None, None, -2), 1),
    "delete by a mask": lambda np, x: np.delete(x, [True, False, True], axis=1),
    "delete nothing": lambda np, x: np.delete(x, [], 0),
    "delete by an array": lambda np, x: np.delete(x, np.asarray([0, 2]), 1),
    "delete by an array of unsigned integers": lambda np, x: np.delete(x, np.asarray([0, 2], dtype="uint8"), 1),
    "insert": lambda np, x: np.insert(x, 1, 3),
    "insert items": lambda np, x: np.insert(x, 1, [1, 0, 1, 0], axis=1),
    "insert rows": lambda np, x: np.insert(x, 1, [[1, 0, 1, 0], [0, 0, 1, 1]], axis=1),
    "insert at one position of a list": lambda np, x: np.insert(x, [1], [[1], [0], [1]], axis=1),
    "insert at positions": lambda np, x: np.insert(x, [3, 0, -1, 0], [1, 0, 1, 0], axis=2),
    "insert at a slice": lambda np, x: np.insert(x, slice(0, 2), 1, axis=1),
    "insert at the end": lambda np, x: np.insert(x, 12, 1),
    "insert by a mask": lambda np, x: np.insert(x, np.asarray([True, False, True]), 0, axis=1),
    "insert nowhere": lambda np, x: np.insert(x, [], 0, axis=1),
    "insert an array": lambda np, x: np.insert(x, 2, x[:, 0, :], axis=1),
    "insert several at one position": lambda np, x: np.insert(x, 2, [1, 0, 1]),
    "insert into a vector": lambda np, x: np.insert(x[0, 0, :], [1, 1, 4], [1, 0, 1]),
    "insert several into a vector": lambda np, x: np.insert(x[0, 0, :], 2, [1, 0, 1]),
}


LISTS = [
    lambda np, x: np.rot90([x, x]),
    lambda np, x: np.ravel([x, x]),
    lambda np, x: np.delete([x, x], 1, 0),
    lambda np, x: np.insert([x, x], 1, 5, 1),
    lambda np, x: np.array_split([x, x], 2),
    lambda np, x: np.resize([x, x], 5),
    lambda np, x: np.diagonal([x, x]),
    lambda np, x: np.trace([x, x]),
    lambda np, x: np.argwhere([x, x]),
    lambda np, x: np.kron([x, x], [1, 2]),
]


@pytest.mark.parametrize("number", range(len(LISTS)))
def test_list_of_arrays_is_an_operand(device, number):
    compare(LISTS[number], np.asarray([1, 0, 2]))


@pytest.mark.parametrize("dtype", SAMPLE_DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_rearranged_array_matches_numpy(device, name, dtype):
    compare(CALLS[name], sample((2, 3, 4), dtype, special=False))


@pytest.mark.parametrize("dtypes", [*zip(SAMPLE_DTYPES, SAMPLE_DTYPES, strict=True), ("int32", "float32")], ids=str)
@pytest.mark.parametrize(
    "shapes", [((2, 3), (2, 2)), ((3,), (2, 2)), ((2, 1, 2), (3,)), ((), (2,)), ((0,), (2,))], ids=str
)
def test_kronecker_product_matches_numpy(device, dtypes, shapes):
    operands = (sample(shape, dtype, special=False) for shape, dtype in zip(shapes, dtypes, strict=True))
    compare(lambda np, a, b: np.kron(a, b), *operands)


def test_kronecker_product_takes_array_likes(device):
    compare(lambda np, a: np.kron(a, [1, 2]), sample((2, 2), "int32"))
    compare(lambda np, a: np.kron(2, a), sample((2, 2), "int64"))


@given(data=st.data())
def test_insertion_matches_numpy(device, data):
    host, x = data.draw(operands(np.dtype("int64"), data.draw(shapes(1, 3, 0))))
    axis = data.draw(st.none() | st.integers(-host.ndim, host.ndim - 1))
    length = host.size if axis is None else host.shape[axis]
    positions = data.draw(st.lists(st.integers(-length, length), max_size=5) | st.integers(-length, length))
    expect(xp.insert(x, positions, 7, axis), np.insert(host, positions, 7, axis))


@given(data=st.data())
def test_deletion_matches_numpy(device, data):
    host, x = data.draw(operands(np.dtype("int64"), data.draw(shapes(1, 3, 1))))
    axis = data.draw(st.none() | st.integers(-host.ndim, host.ndim - 1))
    length = host.size if axis is None else host.shape[axis]
    position = st.integers(-length, length - 1)
    positions = data.draw(st.lists(position, max_size=5) | position)
    expect(xp.delete(x, positions, axis), np.delete(host, positions, axis))
    removed = np.asarray(positions, dtype=np.int64)
    expect(xp.delete(x, on_device(removed), axis), np.delete(host, removed, axis))


def test_rearranged_empty_array_matches_numpy(device):
    compare(lambda np, x: [np.rot90(x, 0), np.ravel(x), np.delete(x, slice(None))], sample((2, 0)))


ERRORS = [
    (lambda np, x: np.fliplr(x[0, :]), ValueError, "Input must be >= 2-d."),
    (lambda np, x: np.flipud(x[0, 0]), ValueError, "Input must be >= 1-d."),
    (lambda np, x: np.rot90(x, axes=(0,)), ValueError, "len(axes) must be 2."),
    (lambda np, x: np.rot90(x, axes=(1, -1)), ValueError, "Axes must be different."),
    (lambda np, x: np.rot90(x, axes=(0, 5)), ValueError, "Axes=(0, 5) out of range for array of ndim=2."),
    (lambda np, x: np.rollaxis(x, 0, 9), ValueError, "'start' arg requires -2 <= start < 3, but 9 was passed in"),
    (lambda np, x: np.swapaxes(x, 0, 5), ValueError, "ax"),
    (lambda np, x: np.ravel(x, order="Q"), ValueError, "order must be one of 'C', 'F', 'A', or 'K' (got 'Q')"),
    (lambda np, x: np.resize(x, (2, -1)), ValueError, "all elements of `new_shape` must be non-negative"),
    (lambda np, x: np.trim_zeros(x, "fx"), ValueError, "unexpected character(s) in `trim`: 'fx'"),
    (lambda np, x: np.delete(x, 9), IndexError, "index 9 is out of bounds for axis 0 with size 6"),
    (lambda np, x: np.delete(x, [0, -4], 1), IndexError, "index -4 is out of bounds for axis"),
    (lambda np, x: np.delete(x, [True], 1), ValueError, "boolean array argument obj to delete must be one dimensional"),
    (lambda np, x: np.delete(x, [0.5, 1]), IndexError, "arrays used as indices must be of integer (or boolean) type"),
    (lambda np, x: np.insert(x, -7, 1), IndexError, "index -7 is out of bounds for axis 0 with size 6"),
    (lambda np, x: np.insert(x, [[0, 1]], 1), ValueError, "index array argument obj to insert must be one dimensional"),
    (lambda np, x: np.insert(x, [0.5, 1.0], 1), IndexError, "arrays used as indices must be of integer (or boolean)"),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS, ids=[words for _, _, words in ERRORS])
def test_error_has_the_words_of_numpy(device, call, error, words):
    compare_errors(call, error, words, sample((2, 3)))
