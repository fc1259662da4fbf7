"""Kernels over arrays whose rows are short: points in space, pairs, the windows of a pooling layer."""

from __future__ import annotations

import functools
import importlib.util

import numpy as np
import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("the overlay needs llvmlite", allow_module_level=True)

import xtensor as xp
from xtensor_backends.llvm import _rows, _walks
from xtensor_backends.llvm._calls import count_calls

pytestmark = pytest.mark.usefixtures("on_cpu")

SHAPES = [(64, 3), (67, 2), (1021, 3), (5, 96, 2), (96, 5, 2), (40, 2, 3), (2, 2, 1600, 3), (6000, 3), (3, 6007, 2)]
"""Shapes, with lengths that are prime or have divisors, of few and of many elements."""

LAYOUTS = {
    "row": lambda x: x[(0,) * (x.ndim - 1)],
    "column": lambda x: x[..., :1],
    "reversed": lambda x: x[..., ::-1],
    "every second": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "every second row": lambda x: np.repeat(x, 2, axis=-2)[..., ::2, :],
    "transposed": lambda x: x.T.copy().T,
    "first axis": lambda x: x[:1],
    "same": lambda x: x.copy(),
}


def integers(shape, dtype):
    """Small integers, with which sums and products are exact."""
    return np.random.default_rng(sum(shape)).integers(-50, 50, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_values_of_short_rows(shape, layout, dtype):
    a = integers(shape, dtype)
    b = LAYOUTS[layout](integers(shape, dtype)[::-1])
    function = xp.fuse(lambda a, b: (a - b) * a + b)
    arguments = xp.asarray(a), xp.asarray(b, copy=False)
    function(*arguments)
    with count_calls() as calls:
        result = function(*arguments)
    np.testing.assert_array_equal(np.asarray(result), (a - b) * a + b, strict=True)
    assert sum(calls.kernels.values()) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_formulas_of_many_steps(shape, layout):
    a = integers(shape, "float64")
    b = LAYOUTS[layout](integers(shape, "float64"))
    function = xp.fuse(lambda a, b: xp.exp2(a + b))
    arguments = xp.asarray(a), xp.asarray(b, copy=False)
    function(*arguments)
    with count_calls() as calls:
        result = function(*arguments)
    np.testing.assert_array_equal(np.asarray(result), 2.0 ** (a + b), strict=True)  # powers of two are exact
    assert calls.kernels["add+exp2"] == 1


def test_operands_of_which_none_has_all_elements():
    rows, columns = integers((20_000, 1), "float64"), integers((1, 3), "float64")
    function = xp.fuse(lambda a, b: xp.exp2(a - b))
    for _ in range(2):
        result = function(xp.asarray(rows), xp.asarray(columns))
        np.testing.assert_array_equal(np.asarray(result), 2.0 ** (rows - columns), strict=True)


def test_large_arrays_of_short_rows_are_computed_by_a_kernel():
    points, centre = integers((100_003, 3), "float64"), integers((3,), "float64")
    arguments = xp.asarray(points), xp.asarray(centre)
    with count_calls() as calls:
        result = arguments[0] - arguments[1]
    np.testing.assert_array_equal(np.asarray(result), points - centre, strict=True)
    assert calls.kernels["subtract"] == 1


@pytest.mark.parametrize("shape", [(6000, 3), (100_003, 3), (64, 1, 4, 4), (7, 3)])
def test_walk_over_short_rows_visits_each_element_once(shape):
    strides = tuple(np.empty(shape).strides)
    walk = _walks.walk_of(((shape, strides, 8), (shape[-1:], (8,), 8)), (8,), several=True)
    if walk is None:
        assert max(shape) < _walks.SHORTEST
        return
    total, inner, *outer = walk.sizes
    lengths = [*outer, inner]
    places = np.zeros(1, np.int64)
    letter, own = walk.letters[0], list(walk.strides[0])
    steps = [*own[1:], own[0]] if letter == "v" else [*own, {"c": 8, "s": 0}[letter]]
    for length, step in zip(lengths, steps, strict=True):
        places = (places[:, None] + np.arange(length) * step).reshape(-1)
    assert total == places.size
    assert np.array_equal(np.sort(places), np.arange(total) * 8)


@pytest.fixture
def side_by_side(monkeypatch):
    """A list of the lengths of rows whose elements a kernel computes side by side, one for each layout of operands."""
    lengths, walks_short_rows = [], _rows.walks_short_rows

    def noted(program, length):
        walks = walks_short_rows(program, length)
        lengths.extend([length] * walks)
        return walks

    monkeypatch.setattr(_rows, "walks_short_rows", noted)
    return lengths


FUNCTIONS = {
    "distances": lambda xp, a, b: a - xp.sum(a * b, axis=-1, keepdims=True) + xp.max(b, axis=-1, keepdims=True),
    "positions": lambda xp, a, b: xp.argmin(a - 2 * b, axis=-1),
    "two numbers for a row": lambda xp, a, b: xp.min(a + b, axis=-1) * xp.prod(xp.sign(b), axis=-1),
    "of what is one number": lambda xp, a, b: a + xp.sum(xp.where(a > b, b, a * 0), axis=-1, keepdims=True),
}

INPUTS = {
    "row": lambda x: x[0],
    "column": lambda x: x[:, :1].copy(),
    "number": lambda x: x[:1, :1].copy(),
    "same": lambda x: x,
}


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8"])
@pytest.mark.parametrize("layout", INPUTS)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("length", [2, 3, 8, 13, 16])
def test_reductions_of_short_rows(side_by_side, length, name, layout, dtype):
    rng = np.random.default_rng(length)
    a, b = (rng.integers(-3, 4, (1021, length)).astype(dtype) for _ in range(2))
    b = INPUTS[layout](b)
    function = xp.fuse(lambda a, b: FUNCTIONS[name](xp, a, b))
    expected = FUNCTIONS[name](np, a, b)
    for _ in range(2):
        found = np.asarray(function(xp.asarray(a), xp.asarray(b)))
        np.testing.assert_array_equal(found, np.asarray(expected).astype(found.dtype))
    assert side_by_side == [length] or name == "two numbers for a row"


@pytest.mark.parametrize("function", ["argmin", "argmax", "min", "max"])
def test_missing_numbers_in_short_rows(side_by_side, function):
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=(5000, 7)), 1)
    x[rng.random(x.shape) < 0.1] = np.nan
    x[rng.random(x.shape) < 0.1] = np.inf
    fused = xp.fuse(lambda x: getattr(xp, function)(x * 2.0 + x, axis=1) * 1)
    for _ in range(2):
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(np.asarray(fused(xp.asarray(x))), getattr(np, function)(x * 2.0 + x, axis=1))
    assert side_by_side or function in ("min", "max")


@pytest.mark.parametrize("dtype", ["float32", "int64", "uint8"])
@pytest.mark.parametrize("axis", [0, 1, -1, (0, 1)])
@pytest.mark.parametrize("shape", [(40_000, 3), (20_011, 8), (9_000, 16), (5, 6_000, 4), (3, 8_192, 2)], ids=str)
def test_reductions_across_and_along_short_rows(shape, axis, dtype):
    x = (integers(shape, "int64") // 12).astype(dtype)  # sums of squares are exact
    for name in ("sum", "max", "min"):
        expected = getattr(np, name)(x, axis=axis)
        for keepdims in (False, True):
            found = np.asarray(getattr(xp, name)(xp.asarray(x), axis=axis, keepdims=keepdims))
            np.testing.assert_array_equal(found.reshape(expected.shape), expected.astype(found.dtype))
            reduce = functools.partial(getattr(xp, name), axis=axis, keepdims=keepdims)
            fused = xp.fuse(lambda x, reduce=reduce: reduce(x * x))
            of_squares = getattr(np, name)(x * x, axis=axis, keepdims=keepdims)
            for _ in range(2):
                found = np.asarray(fused(xp.asarray(x)))
                np.testing.assert_array_equal(found, of_squares.astype(found.dtype), strict=True)


@pytest.mark.parametrize("axis", [0, 1])
def test_missing_numbers_across_and_along_short_rows(axis):
    x = np.random.default_rng(1).normal(size=(30_000, 5))
    x[np.random.default_rng(2).random(x.shape) < 1e-4] = np.nan
    for name in ("max", "min"):
        np.testing.assert_array_equal(
            np.asarray(getattr(xp, name)(xp.asarray(x), axis=axis)), getattr(np, name)(x, axis=axis)
        )
    np.testing.assert_allclose(np.asarray(xp.sum(xp.asarray(x), axis=axis)), x.sum(axis=axis), rtol=1e-10)
