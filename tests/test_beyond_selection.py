"""Selections and functions applied along axes: NumPy's results on every device."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy_calls import SAMPLE_DTYPES, compare, compare_errors, sample
from strategies import expect, made, operands

import xtensor as xp


def zero(np, x):
    return x == np.zeros_like(x)


CALLS = {
    "compress": lambda np, x: np.compress([True, False, True], x),
    "compress along an axis": lambda np, x: np.compress([0, 1, 0, 2], x, axis=1),
    "compress by a short condition": lambda np, x: np.compress([0, 1], x, -1),
    "compress by a long condition": lambda np, x: np.compress([1, 0, 1, 0, 0, 0], x, axis=0),
    "compress by an array": lambda np, x: np.compress(x[:, 0] == x[0, 0], x, axis=0),
    "extract": lambda np, x: np.extract(x == x[0, 0], x),
    "extract by a list": lambda np, x: np.extract([[1, 0, 1]], x),
    "choose": lambda np, x: np.choose([[0, 1, 1, 0]], [x, x[::-1, :]]),
    "choose a scalar": lambda np, x: np.choose([[2], [1], [0]], [x, 7, x[0, :]]),
    "choose around": lambda np, x: np.choose([-1, 5, 2, -4], [x, x[::-1, :]], mode="wrap"),
    "choose the nearest": lambda np, x: np.choose([-1, 5, 2, -4], x, mode="clip"),
    "choose by booleans": lambda np, x: np.choose(~zero(np, x), [x, 9]),
    "select": lambda np, x: np.select([zero(np, x), x == x[0, 0]], [x, x[::-1, :]]),
    "select scalars": lambda np, x: np.select([zero(np, x), x == x[0, 0]], [x[::-1, :], x], default=2),
    "select by broadcasting": lambda np, x: np.select(
        (zero(np, x[:, :1]), [True, False, True, True]), (x[0, :], [[2]]), 3
    ),
    "select numbers alone": lambda np, x: np.select([zero(np, x)], [1.5], 2),
    "piecewise": lambda np, x: np.piecewise(x, [zero(np, x), x == x[0, 0]], [lambda v: v[::-1], 3]),
    "piecewise with a default": lambda np, x: np.piecewise(x, [zero(np, x)], [1, lambda v, k: v if k else -v], 1),
    "piecewise by one condition": lambda np, x: np.piecewise(x[0, :], x[1, :] == x[2, :], [1, lambda v: v]),
    "piecewise by rows": lambda np, x: np.piecewise(x, x[:, :3] == x[0, 0], [1, lambda v: v[:, ::-1], 3]),
    "piecewise everywhere": lambda np, x: np.piecewise(x, True, [lambda v: v[::-1, ...]]),
    "piecewise of a number": lambda np, x: np.piecewise(x[0, 0], [x[0, 0] == x[0, 0]], [lambda v: v, 0]),
    "piecewise by a list": lambda np, x: np.piecewise(x[0, :], [True, False, True, True], [lambda v: v, 0]),
    "piecewise without a case": lambda np, x: np.piecewise(x, [x != x], [lambda v: 1 / 0]),
    "apply_along_axis": lambda np, x: np.apply_along_axis(np.flip, 0, x),
    "apply_along_axis to numbers": lambda np, x: np.apply_along_axis(lambda v: v[1], 1, x),
    "apply_along_axis to matrices": lambda np, x: np.apply_along_axis(np.diag, 0, np.stack([x, x])),
    "apply_along_axis with arguments": lambda np, x: np.apply_along_axis(lambda v, n, k: v[n:k], -1, x, 1, k=3),
    "apply_over_axes": lambda np, x: np.apply_over_axes(lambda a, axis: np.flip(a, axis=axis), x, [0, -1]),
    "apply_over_axes that removes": lambda np, x: np.apply_over_axes(lambda a, i: np.any(a, axis=i), x, (0, 1)),
    "apply_over_axes to one": lambda np, x: np.apply_over_axes(lambda a, i: np.all(a, axis=i), x, 1),
}


@pytest.mark.parametrize("dtype", SAMPLE_DTYPES)
@pytest.mark.parametrize("name", CALLS)
def test_selection_matches_numpy(device, name, dtype):
    compare(CALLS[name], sample((3, 4), dtype, special="piecewise" not in name))


@given(data=st.data(), mode=st.sampled_from(["wrap", "clip"]))
def test_choice_matches_numpy(device, data, mode):
    index, i = data.draw(operands(np.dtype("int64"), (4,), st.integers(-9, 9)))
    pairs = [data.draw(operands(np.dtype(dtype), (2, 4))) for dtype in ("int32", "float64", "float32")]
    expected = np.choose(index, [pair.host for pair in pairs], mode=mode)
    expect(xp.choose(i, [pair.array for pair in pairs], mode=mode), expected)


def test_result_is_written_to_out(device):
    host, x = made(sample((3, 4)))
    out = xp.zeros((2, 4))
    assert xp.compress([True, False, True], x, 0, out) is out
    expect(out, np.compress([True, False, True], host, 0))
    out = xp.zeros((3, 4))
    assert xp.choose([[0, 1, 0, 1]], [x, 1.0], out=out) is out
    expect(out, np.choose([[0, 1, 0, 1]], [host, 1.0]))


def test_python_number_does_not_affect_the_precision(device):
    host, x = made([1.0, 2.0], "float32")
    expect(xp.select([x > 1], [x], 0.1), np.select([host > 1], [host], 0.1))
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        xp.select([x > 1], [xp.ones(2, dtype="uint8")], 300)


def test_cases_do_not_see_the_elements_of_other_cases(device):
    x = xp.asarray([-1.0, 0.0, 4.0])
    expect(xp.piecewise(x, [x > 0], [xp.sqrt, xp.abs]), np.asarray([1.0, 0.0, 2.0]))


ERRORS = [
    (
        lambda np, x: np.piecewise(x[0, :], [True], [1, 2]),
        IndexError,
        "boolean index did not match indexed array along",
    ),
    (lambda np, x: np.piecewise(x[0, 0], [[True]], [1, 2]), IndexError, "too many indices for array"),
    (lambda np, x: np.choose(0, np.reshape(x[0, :1], ())), TypeError, "iteration over a 0-d array"),
    (lambda np, x: np.compress([[True]], x), ValueError, "condition must be a 1-d array"),
    (lambda np, x: np.compress([0, 0, 1], x, axis=0), IndexError, "index 2 is out of bounds for axis 0 with size 2"),
    (lambda np, x: np.extract([True] * 9, x), IndexError, "index 6 is out of bounds for axis 0 with size 6"),
    (
        lambda np, x: np.choose(x, [x, x]),
        TypeError,
        "Cannot cast array data from dtype('float64') to dtype('int64') acc",
    ),
    (
        lambda np, x: np.choose([0, 1, 0], [x, x], mode="turn"),
        ValueError,
        "clipmode must be one of 'clip', 'raise', or 'w",
    ),
    (lambda np, x: np.choose(x > 0, []), ValueError, "0-length sequence."),
    (lambda np, x: np.select([], []), ValueError, "select with an empty condition list is not possible"),
    (lambda np, x: np.select([x > 0], []), ValueError, "list of cases must be same length as list of conditions"),
    (lambda np, x: np.select([x], [x]), TypeError, "invalid entry 0 in condlist: should be boolean ndarray"),
    (
        lambda np, x: np.piecewise(x, [x > 0], [1, 2, 3]),
        ValueError,
        "with 1 condition(s), either 1 or 2 functions are exp",
    ),
    (
        lambda np, x: np.apply_along_axis(np.flip, 0, x[:, :0]),
        ValueError,
        "Cannot apply_along_axis when any iteration dim",
    ),
    (
        lambda np, x: np.apply_over_axes(lambda a, i: a[0, 0], x, 0),
        ValueError,
        "function is not returning an array of the",
    ),
    (lambda np, x: np.apply_along_axis(np.flip, 5, x), ValueError, "axis 5 is out of bounds for array of dimension 2"),
]


@pytest.mark.parametrize(("call", "error", "words"), ERRORS, ids=[words for _, _, words in ERRORS])
def test_error_has_the_words_of_numpy(device, call, error, words):
    compare_errors(call, error, words, sample((2, 3)))


def test_choice_that_does_not_exist_is_an_error_on_the_host(device):
    if not device.host:
        pytest.skip(f"{device} does not check index bounds")
    compare_errors(
        lambda np, x: np.choose([5, 0, 0], [x, x]), ValueError, "invalid entry in choice array", sample((2, 3))
    )
