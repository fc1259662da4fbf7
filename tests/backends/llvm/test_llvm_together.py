"""Several elementwise kernels in one call: the results of separate calls, whatever the arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from llvm_kernels import laid_out

from xtensor.backend import Program, Step
from xtensor_backends.llvm import _threads, _together, count_calls
from xtensor_backends.llvm._calls import MOST_OPERANDS, compute

SHAPES = ((3,), (64, 256), (1,), (), (0,), (5, 0), (500, 700), (2, 3, 4), (1, 1))


def program(dtype: str) -> Program:
    """Return ``x * s - y / 3`` and ``x * s``."""
    steps = Step("multiply", (0, 2), dtype), Step("divide", (1, 3), dtype), Step("subtract", (4, 5), dtype)
    return Program((dtype, dtype), (dtype, dtype), steps, (6, 4)).shared()


def numbers(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    return np.asarray(np.random.default_rng([seed, len(shape)]).standard_normal(shape)).astype(dtype)


def expected(x: Any, y: Any, scalar: float) -> tuple[Any, Any]:
    first = x * x.dtype.type(scalar)
    return first - y / x.dtype.type(3), first


@pytest.mark.parametrize("threads", [1, 2])
def test_results_of_arrays_of_many_shapes_and_dtypes(threads: int) -> None:
    calls = [
        (program(dtype), (numbers(shape, dtype), numbers(shape, dtype, 1)), (0.7 + len(shape), 3.0))
        for shape in SHAPES
        for dtype in ("float32", "float64")
    ]
    with _threads.limit(threads), count_calls() as counted:
        found = _together.compute_together(calls)
    assert counted.kernels == {"together": 1}
    for (_, (x, y), (scalar, _)), results in zip(calls, found, strict=True):
        assert results is not None
        for result, wanted in zip(results, expected(x, y, scalar), strict=True):
            assert (result.shape, result.dtype) == (wanted.shape, wanted.dtype)
            np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("layout", ["transposed", "reversed", "strided", "read-only", "one row", "one column"])
def test_results_of_other_layouts(layout: str) -> None:
    x, y = numbers((96, 80), "float64"), laid_out(numbers((96, 80), "float64", 1), layout)
    calls = [(program("float64"), (x, y), (0.5, 3.0)), (program("float64"), (y, x), (0.25, 3.0))]
    found = _together.compute_together(calls)
    for (_, (first, second), (scalar, _)), results in zip(calls, found, strict=True):
        assert results is not None
        for result, wanted in zip(results, expected(first, second, scalar), strict=True):
            np.testing.assert_array_equal(result, np.broadcast_to(wanted, (96, 80)))


def test_no_call_is_none() -> None:
    assert _together.compute_together([]) == []


def test_unaligned_array_is_left_to_others() -> None:
    x = numbers((40, 30), "float64")
    call = program("float64"), (x, laid_out(x, "unaligned")), (0.5, 3.0)
    first, second = _together.compute_together([(program("float64"), (x, x), (0.5, 3.0)), call])
    assert first is not None
    np.testing.assert_array_equal(first[0], x * 0.5 - x / 3.0)
    assert second is None


@pytest.mark.parametrize("position", [0, 1, 2])
def test_doubtful_element_of_any_kernel_is_left_to_others(position: int) -> None:
    sines = Program(("float64",), (), (Step("sin", (0,), "float64"),), (1,)).shared()
    arrays = [numbers((300,), "float64", seed) for seed in range(3)]
    assert all(_together.compute_together([(sines, (x,), ()) for x in arrays]))
    arrays[position][17] = 1e300
    assert not compute(sines, (arrays[position],))
    assert _together.compute_together([(sines, (x,), ()) for x in arrays]) == [None] * 3


def test_more_operands_than_a_call_takes_are_left_to_others() -> None:
    count = MOST_OPERANDS - 6
    steps = [Step("add", (0 if step == 0 else count + step - 1, step + 1), "float64") for step in range(count - 1)]
    total = Program(("float64",) * count, (), tuple(steps), (2 * count - 2,)).shared()
    arrays = tuple([numbers((10,), "float64", seed) for seed in range(count)])
    assert compute(total, arrays)
    few = program("float64"), arrays[:2], (0.5, 3.0)
    found = _together.compute_together([few, (total, arrays, ()), few])
    assert [results is None for results in found] == [False, True, False]
    np.testing.assert_array_equal(found[2][1], arrays[0] * 0.5)  # type: ignore[index]
