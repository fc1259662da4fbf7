"""Conditions that a recording takes for false, as for ordinary values: where they hold, the function computes."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

if importlib.util.find_spec("llvmlite") is None:
    pytest.skip("needs llvmlite, the extra xtensor[llvm]", allow_module_level=True)

import xtensor as xp
import xtensor_backends.llvm
from xtensor import fuse, special
from xtensor._core.devices import resolve
from xtensor._core.operations import TABLE
from xtensor.nn import functional


def array(*values: Any) -> xp.Array:
    return xp.asarray(values, device="cpu")


def sum_of_weights(x: xp.Array, weights: xp.Array) -> xp.Array:
    return xp.average(x, weights=weights)


def test_checks_of_weights_are_those_of_each_call() -> None:
    fused, x = fuse(sum_of_weights), array(1.0, 2.0, 4.0)
    # (1 + 4 + 12) / 6 and (1 + 4) / 2
    for weights, expected in (([1.0, 2.0, 3.0], 17 / 6), ([1.0, 0.0, 1.0], 2.5)):
        assert float(fused(x, array(*weights))) == pytest.approx(expected, rel=1e-15)
    with pytest.raises(ZeroDivisionError):
        fused(x, array(1.0, -2.0, 1.0))
    assert float(fused(x, array(0.0, 0.0, 2.0))) == 4.0


FAILING: dict[str, tuple[Callable[..., xp.Array], tuple[xp.Array, ...], tuple[xp.Array, ...]]] = {
    "average": (sum_of_weights, (array(1.0, 2.0), array(1.0, 2.0)), (array(1.0, 2.0), array(1.0, -1.0))),
    "cov, sum of weights": (
        lambda x, weights: xp.cov(x, aweights=weights),
        (array(1.0, 2.0), array(1.0, 2.0)),
        (array(1.0, 2.0), array(0.0, 0.0)),
    ),
    "cov, negative weight": (
        lambda x, weights: xp.cov(x, aweights=weights),
        (array(1.0, 2.0), array(1.0, 2.0)),
        (array(1.0, 2.0), array(-1.0, 3.0)),
    ),
    "quantile, sum of weights": (
        lambda x, weights: xp.quantile(x, 0.5, weights=weights, method="inverted_cdf"),
        (array(1.0, 2.0), array(1.0, 2.0)),
        (array(1.0, 2.0), array(0.0, 0.0)),
    ),
    "quantile, negative weight": (
        lambda x, weights: xp.quantile(x, 0.5, weights=weights, method="inverted_cdf"),
        (array(1.0, 2.0), array(1.0, 2.0)),
        (array(1.0, 2.0), array(-1.0, 3.0)),
    ),
    "quantile, level": (xp.quantile, (array(1.0, 2.0), array(0.0, 1.0)), (array(1.0, 2.0), array(0.0, 1.5))),
    "geomspace": (
        lambda start, stop: xp.geomspace(start, stop, 3),
        (array(1.0, 2.0), array(4.0, 8.0)),
        (array(1.0, 2.0), array(4.0, 0.0)),
    ),
    "nanargmax": (xp.nanargmax, (array(1.0, math.nan),), (array(math.nan, math.nan),)),
    "nanargmin": (xp.nanargmin, (array(1.0, math.nan),), (array(math.nan, math.nan),)),
    "multigammaln": (lambda x: special.multigammaln(x, 3), (array(2.0, 3.0),), (array(2.0, 1.0),)),
    "cross_entropy": (
        functional.cross_entropy,
        (xp.eye(2, device="cpu"), array(0, 1)),
        (xp.eye(2, device="cpu"), array(0, 2)),
    ),
    "cholesky": (
        xp.linalg.cholesky,
        (array([2.0, 1.0], [1.0, 2.0]),),
        (array([1.0, 2.0], [2.0, 1.0]),),
    ),
    "histogram": (  # whose implementation by NumPy declines edges that do not ascend
        lambda x, edges: xp.histogram(x, edges)[0],
        (array(1.0, 2.0), array(0.0, 1.5, 3.0)),
        (array(1.0, 2.0), array(0.0, 3.0, 1.5)),
    ),
}
"""Functions with arguments that they are recorded for, and arguments of the same shapes that they refuse."""


@pytest.mark.parametrize("name", FAILING)
def test_arguments_that_the_function_refuses_raise_its_error(name: str) -> None:
    function, recorded, refused = FAILING[name]
    fused = fuse(function)
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(fused(*recorded)), np.asarray(function(*recorded)), rtol=1e-14)
    with pytest.raises(Exception) as expected:  # noqa: PT011 - the error of the function, whatever it is
        function(*refused)
    with pytest.raises(type(expected.value)) as raised:
        fused(*refused)
    assert str(raised.value) == str(expected.value)


@pytest.mark.parametrize("name", FAILING)
def test_a_call_after_a_refused_one_is_replayed(name: str) -> None:
    function, recorded, refused = FAILING[name]
    fused = fuse(function)
    fused(*recorded)
    with pytest.raises(Exception):  # noqa: B017, PT011 - see above
        fused(*refused)
    calls = 0

    def counted(*_: Any) -> None:
        nonlocal calls
        calls += 1

    fused.__wrapped__ = counted
    fused(*recorded)
    assert calls == 0


def test_the_function_computes_what_an_implementation_declines() -> None:
    """The implementation of ``histogram`` by NumPy declines an edge that is NaN."""
    fused = fuse(lambda x, edges: xp.histogram(x, edges)[0])
    x = array(0.5, 1.5, 2.5)
    for edges in ([0.0, 1.0, 3.0], [0.0, math.nan, 3.0], [0.0, 2.0, 3.0]):
        assert fused(x, array(*edges)).tolist() == np.histogram(np.asarray(x), edges)[0].tolist()


def test_numbers_are_drawn_once_where_the_function_computes() -> None:
    """The replay has drawn before the variance turns out to be infinite."""

    def noisy(generator: Any) -> Callable[..., xp.Array]:
        return lambda x: generator.normal(size=3) + xp.var(x) + generator.uniform(size=3)

    plain, other = (noisy(xp.random.default_rng(3, device="cpu")) for _ in range(2))
    fused = fuse(plain)
    with np.errstate(over="ignore"):
        for x in (array(1.0, 2.0), array(1e200, -1e200), array(2.0, 5.0), array(-1e200, 1e200), array(0.0, 8.0)):
            np.testing.assert_array_equal(np.asarray(fused(x)), np.asarray(other(x)))


def test_a_derivative_of_an_ordinary_value_is_replayed_for_another_one() -> None:
    fused = fuse(xp.autograd.grad(lambda x: xp.linalg.vector_norm(x)))
    for scale in (1.0, 1e200, 1e-200):
        np.testing.assert_allclose(np.asarray(fused(array(3.0 * scale, 4.0 * scale))), [0.6, 0.8], rtol=1e-15)


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_normalizations_of_large_elements(name: str) -> None:
    fused = fuse(getattr(functional, name))
    for scale in (1.0, 1e200):
        # The root mean square of 1 and 7 is 5; their mean is 4, and 3 their distance from it.
        expected = [-1.0, 1.0] if name == "layer_norm" else [0.2, 1.4]
        result = np.asarray(fused(array([1e3 * scale, 7e3 * scale])))
        np.testing.assert_allclose(result, [expected], rtol=1e-6)


def test_an_ordinary_value_is_computed_by_the_plan_alone() -> None:
    fused, x = fuse(xp.linalg.vector_norm), xp.ones((8, 8), device="cpu")
    fused(x)
    with xtensor_backends.llvm.count_calls() as calls:
        assert float(fused(x)) == 8.0
    assert calls.kernels == {"abs+square+sum": 1, "sqrt": 1}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("function", "column", "expected", "equal"),
    [(xp.std, [0.0, 2.0], 1.0, [7.0, 7.0]), (xp.linalg.vector_norm, [3.0, 4.0], 5.0, [0.0, 0.0])],
)
def test_slices_of_zeros_and_of_equal_elements_are_replayed(
    function: Callable[..., xp.Array], column: list[float], expected: float, equal: list[float], dtype: str
) -> None:
    """Their deviations and norms are 0, as are those of elements whose squares underflow."""
    tiny = 2.0 ** (-70 if dtype == "float32" else -600)
    ordinary, zero, small = (
        xp.asarray([list(row) for row in zip(column, other, strict=True)], dtype=dtype, device="cpu")
        for other in (column, equal, [number * tiny for number in column])
    )
    fused = fuse(lambda x: function(x, axis=0))
    assert fused(ordinary).tolist() == [expected, expected]
    ((recorded,),) = fused._plans.values()
    assert fused(zero).tolist() == [expected, 0.0]
    assert fused(xp.zeros_like(zero)).tolist() == [0.0, 0.0]
    assert recorded.failures == 0
    assert fused(small).tolist() == [expected, expected * tiny]
    assert recorded.failures == 1


def test_a_recording_keeps_no_function_that_chooses_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table has such a function for an operation that was not called yet."""
    functions, operation = resolve("cpu")._functions, TABLE["flip"]

    def first_call(*operands: Any, **options: Any) -> Any:
        return functions.choose(operation)(*operands, **options)

    monkeypatch.setattr(functions.table[operation.index], "function", first_call)
    fused = fuse(lambda x: xp.flip(x, axis=0))
    fused(array(1.0, 2.0))
    ((recorded,),) = fused._plans.values()
    assert first_call not in [node.operands[0] for node in recorded.plan.same if node.kind == "call"]


@pytest.mark.parametrize(("failing", "stops"), [((True,) * 20, True), ((True, True, False) * 20, False)])
def test_a_recording_whose_replays_fail_in_a_row_is_not_replayed(
    failing: tuple[bool, ...], stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    fused, ordinary, equal = fuse(lambda x: xp.std(x * 1.0)), array(1.0, 3.0), array(2.0, 2.0)
    fused(ordinary)
    ((recorded,),) = fused._plans.values()
    replays, plan = 0, recorded.plan

    def counted(*operands: Any) -> Any:
        nonlocal replays
        replays += 1
        return plan(*operands)

    monkeypatch.setattr(recorded, "plan", counted)
    monkeypatch.setattr(recorded, "direct", None)
    for fails in failing:
        assert float(fused(equal if fails else ordinary)) == (0.0 if fails else 1.0)
    assert (replays < len(failing)) == stops


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
def test_fused_reciprocal_of_integers_is_that_of_numpy(dtype):
    numbers = np.asarray([0, 1, 2, 100], dtype)
    x = xp.asarray(numbers)
    replayed = xp.fuse(lambda x: xp.reciprocal(x))
    with np.errstate(all="ignore"):
        for _ in range(2):
            assert xp.to_numpy(replayed(x)).tolist() == np.reciprocal(numbers).tolist()
