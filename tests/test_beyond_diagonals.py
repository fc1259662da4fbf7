"""Diagonals, triangles, identity and Vandermonde matrices: NumPy's results on every device."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy_calls import SAMPLE_DTYPES, compare, compare_errors, same, sample
from strategies import expect, made, operands, shapes, values_of

import xtensor as xp

CALLS = {
    "diagflat": lambda np, x: np.diagflat(x),
    "diagflat above": lambda np, x: np.diagflat(x[0, 0, :], 2),
    "diagflat below": lambda np, x: np.diagflat([x[0, 0, 0], x[0, 0, 1]], k=-1),
    "diagonal": lambda np, x: np.diagonal(x),
    "diagonal of other axes": lambda np, x: np.diagonal(x, 1, axis1=2, axis2=0),
    "diagonal outside": lambda np, x: np.diagonal(x, -9, 1, 2),
    "diagonal of a matrix": lambda np, x: np.diagonal(x[0, :, :], 1),
    "trace": lambda np, x: np.trace(x),
    "trace of other axes": lambda np, x: np.trace(x, -1, -1, 1),
    "trace of a matrix": lambda np, x: np.trace(x[0, :, :], offset=1),
    "vander": lambda np, x: np.vander(x[0, 0, :]),
    "vander increasing": lambda np, x: np.vander(x[0, 0, :], 6, increasing=True),
    "vander of one column": lambda np, x: np.vander(x[0, 0, :], 1),
    "vander without columns": lambda np, x: np.vander(x[0, 0, :], N=0),
    "diag_indices_from": lambda np, x: np.diag_indices_from(x[:, :2, :2]),
    "tril_indices_from": lambda np, x: np.tril_indices_from(x[0, :, :], 1),
    "triu_indices_from": lambda np, x: np.triu_indices_from(x[0, :, :], k=-1),
}


@pytest.mark.parametrize("dtype", SAMPLE_DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_function_of_an_array_matches_numpy(device, name, dtype):
    compare(CALLS[name], sample((2, 3, 4), dtype, special=False), ulp=8, signs=False)


CREATED = {
    "tri": lambda np: np.tri(3),
    "tri of columns": lambda np: np.tri(3, 5, -1, dtype="uint8"),
    "tri of booleans": lambda np: np.tri(3, 2, k=1, dtype=bool),
    "tri beyond": lambda np: [np.tri(2, 3, 9), np.tri(2, 3, -9), np.tri(0, 3), np.tri(3, 0)],
    "identity": lambda np: np.identity(3),
    "identity of integers": lambda np: np.identity(2, dtype="int32"),
    "diag_indices": lambda np: np.diag_indices(3),
    "diag_indices of three": lambda np: np.diag_indices(2, ndim=3),
    "tril_indices": lambda np: np.tril_indices(3),
    "tril_indices of columns": lambda np: np.tril_indices(3, -1, 5),
    "triu_indices": lambda np: np.triu_indices(4, 2),
    "triu_indices of columns": lambda np: np.triu_indices(3, k=-1, m=2),
}


@pytest.mark.parametrize("name", CREATED)
def test_created_array_matches_numpy(device, name):
    same(CREATED[name](xp), CREATED[name](np))


@given(n=st.integers(0, 4), m=st.none() | st.integers(0, 4), k=st.integers(-6, 6))
def test_triangles_match_numpy(device, n, m, k):
    same(xp.tri(n, m, k), np.tri(n, m, k))
    same(xp.tril_indices(n, k, m), np.tril_indices(n, k, m))
    same(xp.triu_indices(n, k, m), np.triu_indices(n, k, m))


def test_result_is_on_the_device_that_is_asked_for(device):
    host = xp.device("cpu")
    like = xp.zeros(1, device=host)
    for result in (
        *(xp.identity(2, device="cpu"), xp.identity(2, like=like), xp.tri(2, like=like), xp.tri(2, device=host)),
        *(
            xp.diag_indices(2, device="cpu")[0],
            xp.tril_indices(2, device="cpu")[0],
            xp.triu_indices(2, device="cpu")[1],
        ),
    ):
        assert result.device is host


@given(data=st.data())
def test_filled_diagonal_matches_numpy(device, data):
    dtype = np.dtype(data.draw(st.sampled_from(["float64", "int32", "uint8", "bool", "complex128"])))
    shape = data.draw(shapes(2, 2, 0, 6) | st.sampled_from([(3, 3, 3), (2, 2, 2, 2), (0, 0, 0)]))
    host, x = data.draw(operands(dtype, shape, bound=5.0, special=False, layouts=("plain", "transposed", "part")))
    wrap = data.draw(st.booleans())
    values = data.draw(st.sampled_from([1, [1], [0, 1], np.asarray([[0, 1], [1, 1]]), np.arange(40) % 3]))
    expected = host.copy()
    np.fill_diagonal(expected, values, wrap)
    assert xp.fill_diagonal(x, xp.asarray(values) if isinstance(values, np.ndarray) else values, wrap) is None
    expect(x, expected)


def test_trace_is_written_to_out_in_another_dtype(device):
    host, x = made([[1, 2], [3, 4]], "int32")
    out = xp.zeros((), dtype="float64")
    assert xp.trace(x, dtype="int64", out=out) is out
    expect(out, np.asarray(5.0))
    expect(xp.trace(x, dtype="float32"), np.trace(host, dtype="float32"))


def test_copies_do_not_change_the_diagonal(device):
    x = xp.zeros((2, 2))
    xp.fill_diagonal(x, 3)
    assert values_of(x).tolist() == [[3.0, 0.0], [0.0, 3.0]]


ERRORS = [
    (lambda np, x: np.fill_diagonal(x[0, :], 1), ValueError, "array must be at least 2-d"),
    (lambda np, x: np.fill_diagonal(x[None, ...], 1), ValueError, "All dimensions of input must be of equal length"),
    (lambda np, x: np.diag_indices_from(x[0, :]), ValueError, "input array must be at least 2-d"),
    (lambda np, x: np.diag_indices_from(x), ValueError, "All dimensions of input must be of equal length"),
    (lambda np, x: np.tril_indices_from(x[0, :]), ValueError, "input array must be 2-d"),
    (lambda np, x: np.triu_indices_from(x[0, :]), ValueError, "input array must be 2-d"),
    (lambda np, x: np.vander(x), ValueError, "x must be a one-dimensional array or sequence."),
    (lambda np, x: np.vander(x[0, :], -1), ValueError, "negative dimensions are not allowed"),
    (lambda np, x: np.diagonal(x[0, :]), ValueError, "diag requires an array of at least two dimensions"),
    (lambda np, x: np.trace(x[0, :]), ValueError, "diag requires an array of at least two dimensions"),
    (lambda np, x: np.diagonal(x, 0, 1, -1), ValueError, "axis1 and axis2 cannot be the same"),
    (lambda np, x: np.diagonal(x, 0, 1, 5), ValueError, "axis"),
    (lambda np, x: np.tri(2, like=[1]), TypeError, "The `like` argument must be an array-like that implements"),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS, ids=[words for _, _, words in ERRORS])
def test_error_has_the_words_of_numpy(device, call, error, words):
    compare_errors(call, error, words, sample((2, 3)))


@pytest.mark.parametrize("call", [lambda: xp.tri(-1), lambda: xp.tril_indices(2, 0, -1), lambda: xp.identity(-1)])
def test_negative_lengths_are_refused(device, call):
    with pytest.raises(ValueError, match="negative"):
        call()


def test_number_that_is_no_integer_is_refused(device):
    for call in (lambda: xp.tri(2.5), lambda: xp.identity("2"), lambda: xp.triu_indices(2, 0.5)):
        with pytest.raises(TypeError, match="is an integer"):
            call()


def test_diagonal_is_not_filled_from_an_empty_array(device):
    with pytest.raises(ValueError, match="val has no elements"):
        xp.fill_diagonal(xp.zeros((2, 2)), [])
