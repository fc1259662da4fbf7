"""Fused functions whose rows one kernel computes one after the other."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

import xtensor as xp
import xtensor_backends.llvm
from xtensor import fuse
from xtensor_backends.llvm import _rows, _threads

SHAPES = [(16, 16), (40, 300), (300, 17), (20, 5000), (5, 6, 100), (2, 3, 4, 33)]


def softmax(x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def log_softmax(x: Any) -> Any:
    s = x - xp.max(x, axis=-1, keepdims=True)
    return s - xp.log(xp.sum(xp.exp(s), axis=-1, keepdims=True))


def log_sum(x: Any) -> Any:
    largest = xp.max(x, axis=-1, keepdims=True)
    return (xp.log(xp.sum(xp.exp(x - largest), axis=-1, keepdims=True)) + largest)[..., 0]


def standardise(x: Any) -> Any:
    return (x - xp.mean(x, axis=-1, keepdims=True)) / xp.std(x, axis=-1, keepdims=True)


def several(x: Any) -> Any:
    mean = xp.mean(x, axis=-1, keepdims=True)
    y = xp.sin(x) * mean
    return y, mean, xp.sum(y * y, axis=-1), xp.min(y, axis=-1, keepdims=True) - y


def three_deep(x: Any) -> Any:
    y = x / (1 + xp.sum(xp.abs(x), axis=-1, keepdims=True))
    z = xp.exp(y) - xp.max(y, axis=-1, keepdims=True)
    return z / xp.sum(z * z, axis=-1, keepdims=True) + y


def without_keepdims(x: Any) -> Any:
    y = x - xp.max(x, axis=-1, keepdims=True)
    return xp.sum(xp.exp(y), axis=-1) + xp.max(x, axis=-1)


def mixed_dtypes(x: Any) -> Any:
    counts = xp.sum(xp.astype(x > xp.mean(x, axis=-1, keepdims=True), xp.int64), axis=-1, keepdims=True)
    return xp.astype(counts, x.dtype) * x, counts, x > xp.astype(counts, x.dtype)


FUNCTIONS: list[Callable[[Any], Any]] = [
    softmax,
    log_softmax,
    log_sum,
    standardise,
    several,
    three_deep,
    without_keepdims,
    mixed_dtypes,
]


def numbers(shape: tuple[int, ...], dtype: str = "float64") -> Any:
    return xp.asarray(np.random.default_rng(5).normal(size=shape).astype(dtype), device="cpu")


def close(actual: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for mine, wanted in zip(actual, expected, strict=True):
            close(mine, wanted)
        return
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    wanted = np.asarray(expected)
    precision = 200 * np.finfo(wanted.dtype).eps if wanted.dtype.kind == "f" else 0
    largest = np.max(np.abs(wanted), initial=0, where=np.isfinite(wanted)) if wanted.dtype.kind == "f" else 0
    np.testing.assert_allclose(np.asarray(actual), wanted, rtol=precision, atol=precision * largest)


def fused_once(function: Callable[..., Any], *arrays: Any) -> Any:
    """The result of a fused function; the test fails where its kernel goes not over rows."""
    fused = fuse(function)
    fused(*arrays)
    with xtensor_backends.llvm.count_calls() as calls:
        result = fused(*arrays)
    assert any("max" in name or "sum" in name for name in calls.kernels), calls.kernels
    assert not calls.doubtful
    plan = next(iter(fused._plans.values()))[0].plan
    assert plan.groups
    return result


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_those_of_the_function(function: Any, shape: tuple[int, ...], dtype: str) -> None:
    x = numbers(shape, dtype)
    close(fused_once(function, x), function(x))


@pytest.mark.parametrize("function", [softmax, standardise, several])
def test_layouts(function: Any) -> None:
    x = numbers((60, 80))
    for layout in (x.T, x[::2, ::2], x[:, ::-1], x[::-1]):
        close(fused_once(function, layout), function(layout))
    in_stages = xp.permute_dims(numbers((6, 70, 9)), (0, 2, 1))  # its rows do not follow one another
    close(fuse(function)(in_stages), function(in_stages))


def test_operands_that_broadcast() -> None:
    x, row, column = numbers((50, 70)), numbers((70,)), numbers((50, 1))

    def function(x: Any, row: Any, column: Any, number: float) -> Any:
        return softmax(x * row - column) * number + column

    result = fused_once(lambda x, row, column: function(x, row, column, 2.5), x, row, column)
    close(result, function(x, row, column, 2.5))
    fused = fuse(function)
    for number in (1.5, 3.5):
        close(fused(x, row, column, number), function(x, row, column, number))


@pytest.mark.parametrize(
    "shape", [(4, 1, 16, 1), (1, 3, 1, 40), (4, 1, 16, 40), (4, 1, 1, 1), (3, 16, 1), (16, 1), (40,)]
)
def test_operands_whose_rows_do_not_follow_one_another(shape: tuple[int, ...]) -> None:
    x, other = numbers((4, 3, 16, 40)), numbers(shape)

    def function(x: Any, other: Any) -> Any:
        return softmax(x * other)

    close(fused_once(function, x, other), function(x, other))


OPERANDS = [(60, 1, 50, 40), (1, 30, 1, 1), (60, 30, 1, 1), (40,), (60, 1, 50, 1)]


@pytest.mark.parametrize(
    ("axis", "keepdims"),
    [
        (None, True),
        ((0, 1), False),
        ((0, 2), True),
        ((0, 2, 3), False),
        ((1, 3), True),
        ((1, 2), False),
        ((0, 3), True),
    ],
)
def test_reductions_along_any_axes_of_operands_that_broadcast(axis: Any, keepdims: bool) -> None:
    """Axes that do not lie together were reduced by NumPy, after all operations by themselves."""
    x, others = numbers((60, 30, 50, 40)), [numbers(shape) for shape in OPERANDS]

    def function(x: Any, *others: Any) -> Any:
        options = {"axis": axis, "keepdims": keepdims}
        values = [x * other for other in others]
        return tuple([xp.sum(y, **options) for y in values]) + tuple([xp.max(abs(y), **options) for y in values])

    fused = fuse(function)
    fused(x, *others)
    with xp.profile() as record:
        result = fused(x, *others)
    assert {way for _, _, way in record.records} == {"fused kernel"}
    close(result, function(x, *others))


def test_a_reduction_without_its_axis_is_no_column() -> None:
    x = numbers((40, 40))

    def function(x: Any) -> Any:
        centred = x - xp.mean(x, axis=-1, keepdims=True)
        return centred / xp.sum(centred * centred, axis=-1)

    close(fused_once(function, x), function(x))


def test_products_between_rows() -> None:
    x = numbers((48, 48))

    def function(x: Any) -> Any:
        y = softmax(xp.matmul(x, x))
        return softmax(xp.matmul(y, x) + y)

    close(fused_once(function, x), function(x))


def test_rows_after_an_operation_by_itself() -> None:
    """The sum with a number between the products is no row, and ended the search for further rows."""
    x = numbers((48, 48))

    def function(x: Any) -> Any:
        y = xp.matmul(softmax(x), x) + 1
        return softmax(xp.matmul(y, x))

    close(fused_once(function, x), function(x))
    fused = fuse(function)
    fused(x)
    assert len(next(iter(fused._plans.values()))[0].plan.groups) == 2


def test_special_values() -> None:
    x = np.random.default_rng(0).normal(size=(20, 30))
    x[3, 5], x[4, 6], x[5], x[6, :2] = np.nan, np.inf, -np.inf, np.inf
    array = xp.asarray(x, device="cpu")
    with np.errstate(all="ignore"):
        for function in (softmax, log_softmax, standardise):
            np.testing.assert_allclose(
                np.asarray(fused_once(function, array)), np.asarray(function(array)), rtol=1e-13, atol=1e-13
            )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("length", [3, 64, 100, 2048, 4200])
def test_extremes_of_rows_with_nan_and_infinities(length: int, dtype: str) -> None:
    x = np.random.default_rng(length).normal(size=(20, length)).astype(dtype)
    for row, place in enumerate((0, 1, min(63, length - 1), length // 2, length - 2, length - 1)):
        x[row, place] = np.nan  # in the first block, in the rest, and in blocks between
    x[7], x[8], x[9], x[10, -1], x[11, 0] = np.nan, np.inf, -np.inf, np.inf, -np.inf
    x[12], x[13, ::2], x[13, 1::2] = -0.0, 0.0, -0.0

    def function(x: Any) -> Any:
        largest, smallest = (reduce(x, axis=-1, keepdims=True) for reduce in (xp.max, xp.min))
        return largest, smallest, xp.max(x + smallest, axis=-1)

    with np.errstate(invalid="ignore"):
        results = [np.asarray(result) for result in fused_once(function, xp.asarray(x, device="cpu"))]
        expected = [x.max(axis=-1, keepdims=True), x.min(axis=-1, keepdims=True)]
        expected.append((x + expected[1]).max(axis=-1))
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result, wanted)


def test_values_that_no_formula_covers_are_the_librarys() -> None:
    x = numbers((30, 40)) - 5.0

    def function(x: Any) -> Any:
        y = xp.special.gammaln(x)
        return y - xp.max(y, axis=-1, keepdims=True)

    fused = fuse(function)
    for _ in range(2):
        close(fused(x), function(x))


@pytest.mark.parametrize("shape", [(4, 2000), (1, 100), (100, 1), (100, 3), (17, 40_000), (0, 20), (20, 0)])
def test_shapes_that_are_computed_in_stages(shape: tuple[int, ...]) -> None:
    x = numbers(shape)

    def function(x: Any) -> Any:
        return standardise(x) if x.shape[-1] else x + 1

    with np.errstate(all="ignore"):
        close(fuse(function)(x), function(x))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_do_not_depend_on_the_threads(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = numbers((400, 700), "float32")
    fused = fuse(function)
    fused(x)
    results = []
    for threads in (1, 2, 3):
        monkeypatch.setenv("XTENSOR_NUM_THREADS", str(threads))
        _threads._default.cache_clear()
        found = fused(x)
        results.append(np.asarray(found[0] if isinstance(found, tuple) else found).tobytes())
    _threads.stop()
    _threads._default.cache_clear()
    assert len(set(results)) == 1


def test_sums_of_long_rows_are_as_exact_as_numpys() -> None:
    x = np.random.default_rng(0).uniform(size=(20, _rows.LONGEST)).astype("float32")

    def function(x: Any) -> Any:
        return xp.sum(x - 0 * xp.max(x, axis=-1, keepdims=True), axis=-1)

    exact = x.astype("float64").sum(axis=-1)
    result = np.asarray(fused_once(function, xp.asarray(x, device="cpu")))
    assert np.max(np.abs(result - exact)) <= 2 * np.max(np.abs(x.sum(axis=-1) - exact)) + np.spacing(
        exact.max(), dtype="f4"
    )


@pytest.mark.parametrize("seed", [0, 1, *[pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 8)]])
def test_random_expressions(seed: int) -> None:
    source = random.Random(seed)
    arrays = numbers((33, 65)), numbers((33, 65)) * 0.5, numbers((65,)), numbers((33, 1))
    leaves = ("x", "y", "row", "column", "0.5", "x * y")
    reductions = (
        "xp.sum({}, axis=-1, keepdims=True)",
        "xp.max({}, axis=1, keepdims=True)",
        "xp.min(x + {}, axis=-1)[:, None]",
    )

    def expression(depth: int) -> str:
        if not depth:
            return source.choice(leaves)
        if source.random() < 0.3:
            return "(" + source.choice(reductions).format(f"(x * 0 + {expression(depth - 1)})") + " / 65)"
        first, second = expression(depth - 1), expression(source.randrange(depth))
        return source.choice(
            ("({} + {})", "({} - {})", "({} * xp.tanh(x * 0 + {}))", "xp.maximum(x * 0 + {}, {})")
        ).format(first, second)

    for _ in range(10):
        text = f"(x * 0 + {expression(4)}, {expression(3)} + x)"
        function = eval(f"lambda x, y, row, column: {text}", {"xp": xp})
        for actual, expected in zip(fuse(function)(*arrays), function(*arrays), strict=True):
            assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
            scale = 1 + float(xp.max(abs(expected)))
            np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=0, atol=1e-12 * scale)
