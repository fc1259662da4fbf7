"""Copies and pickles of fused functions: by name as functions, or by value, and without the recordings."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, fuse, nn


@pytest.fixture(autouse=True)
def _on_cpu() -> Iterator[None]:
    with xp.use_device("cpu"):
        yield


WEIGHTS = np.asarray([1.0, 2.0, 3.0])


@fuse
def weighted(x: Any) -> Any:
    return x * xp.asarray(WEIGHTS) + np.pi


def squares(x: Any) -> Any:
    return xp.sum(x * x)


apart = fuse(squares)


class Model(nn.Module):
    def __init__(self) -> None:
        self.layer = nn.Linear(3, 2)
        self.scale = 2.0
        self.run = fuse(self.compute)

    def compute(self, x: Any) -> Any:
        return self.layer(x) * self.scale

    @fuse
    def method(self, x: Any) -> Any:
        return self.layer(x) + self.scale


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "protocol 2": lambda x: pickle.loads(pickle.dumps(x, 2)),
}


def vector() -> xp.Array:
    return xp.asarray([4.0, 5.0, 6.0])


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("called", [False, True])
def test_copy_of_a_decorated_function_is_the_function(how: str, called: bool) -> None:
    for _ in range(2 * called):
        weighted(vector())
    assert COPIES[how](weighted) is weighted
    assert COPIES[how](Model.method) is Model.method


@pytest.mark.parametrize("how", COPIES)
def test_copy_of_a_function_with_another_name_computes_the_same(how: str) -> None:
    functions = [apart, fuse(squares, donate=("x",))]
    if "copy" in how:
        functions.append(fuse(autograd.grad(squares)))  # a function within another one, which pickle refuses
    for function in functions:
        for _ in range(2):
            expected = function(vector())
        copied = COPIES[how](function)
        for _ in range(2):
            np.testing.assert_array_equal(np.asarray(copied(vector())), np.asarray(expected))


@pytest.mark.parametrize("how", ["deepcopy", "pickle", "protocol 2"])
def test_fused_method_of_a_copied_object_reads_the_copy(how: str) -> None:
    model, x = Model(), xp.ones((2, 3), dtype=xp.float32)
    before = [np.asarray(function(x)) for function in (model.run, model.method)]
    copied = COPIES[how](model)
    copied.scale = 3.0
    copied.layer.weight[...] = 0.0
    copied.layer.bias[...] = 1.0
    for _ in range(2):
        np.testing.assert_array_equal(np.asarray(copied.run(x)), np.full((2, 2), 3.0))
        np.testing.assert_array_equal(np.asarray(copied.method(x)), np.full((2, 2), 4.0))
    for function, value in zip((model.run, model.method), before, strict=True):
        np.testing.assert_array_equal(np.asarray(function(x)), value)


def test_pickle_has_no_recordings() -> None:
    function = fuse(squares)
    before = pickle.dumps(function)
    function(vector())
    assert pickle.dumps(function) == before


def test_function_of_main_is_pickled_by_value() -> None:
    """For worker processes that do not import ``__main__``, as those of joblib and dask."""
    cloudpickle = pytest.importorskip("cloudpickle")
    scope: dict[str, Any] = {"__name__": "__main__", "fuse": fuse}
    exec("@fuse\ndef shifted(x):\n    return x + 1.0\n", scope)
    scope["shifted"](vector())
    copied = cloudpickle.loads(cloudpickle.dumps(scope["shifted"]))
    assert copied is not scope["shifted"]
    np.testing.assert_array_equal(np.asarray(copied(vector())), [5.0, 6.0, 7.0])
