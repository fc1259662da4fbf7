"""Gradients of batches in parts: those of the whole batch, and what each part has of its own."""

from __future__ import annotations

import pickle
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn


class OtherProcess:
    """Computes at once, with what another process would receive, and keeps what it returns."""

    def __init__(self) -> None:
        self.results: list[Any] = []

    def submit(self, function: Any, *args: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.results.append(function(*pickle.loads(pickle.dumps(args))))
        future.set_result(pickle.loads(pickle.dumps(self.results[-1])))
        return future


def squares(model: nn.Module, x: xp.Array, y: xp.Array) -> xp.Array:
    return nn.functional.mse_loss(model(x), y)


def total(model: nn.Module, x: xp.Array) -> xp.Array:
    return xp.mean(xp.sum(model(x), axis=1))


def dropped(model: nn.Module, x: xp.Array) -> xp.Array:
    """A number that tells which elements are 0."""
    return model.weight * xp.mean(model(x) * xp.arange(x.size, dtype=xp.float64))


def batch(count: int = 10) -> list[xp.Array]:
    rng = np.random.default_rng(0)
    return [xp.asarray(rng.normal(size=(count, width))) for width in (5, 3)]


@pytest.mark.parametrize("parts", [1, 2, 3, 25])
@pytest.mark.parametrize("pool", [OtherProcess, lambda: ThreadPoolExecutor(2)], ids=["process", "threads"])
def test_averages_are_value_and_gradient_of_the_batch(device, parts, pool):
    model, data = nn.Sequential(nn.Linear(5, 4, rng=0), nn.Tanh(), nn.Linear(4, 3, rng=1)).astype(xp.float64), batch()
    model[0].freeze("bias")
    value, gradient = nn.data_parallel(squares, pool(), parts)(model, *data)
    expected, gradients = autograd.value_and_grad(squares)(model, *data)
    assert gradient[0].bias is None
    assert (value.device, value.dtype) == (expected.device, expected.dtype)
    np.testing.assert_allclose(xp.to_numpy(value), xp.to_numpy(expected), rtol=1e-14)
    found = dict(gradient.named_parameters())
    assert found.keys() == dict(gradients.named_parameters()).keys()
    for name, g in gradients.named_parameters():
        np.testing.assert_allclose(xp.to_numpy(found[name]), xp.to_numpy(g), rtol=1e-12, atol=1e-15)


def test_parts_draw_numbers_of_their_own_in_each_call(device):
    rng = xp.random.default_rng(0)
    model = nn.Sequential(nn.Dropout(0.5, rng=rng), nn.Dropout(0.5, rng=rng))
    model.weight = xp.ones((), dtype=xp.float64)
    pool = OtherProcess()
    compute = nn.data_parallel(dropped, pool, 2)
    for _ in range(2):
        compute(model, xp.ones((128,), dtype=xp.float64))
    values = [float(value) for value, _, _ in pool.results]
    assert len(set(values)) == 4


def test_statistics_are_averages_of_those_of_the_parts(device):
    model, x = nn.BatchNorm1d(2, momentum=0.5), xp.asarray([[1.0, 0.0], [3.0, 0.0], [5.0, 8.0], [11.0, 0.0]])
    model = model.astype(xp.float64)
    _, gradient = nn.data_parallel(total, OtherProcess(), 2)(model, x)
    # Means 2 and 8, 0 and 4; variances 2 and 18, 0 and 32; half of each is added to half of 0 and of 1.
    assert xp.to_numpy(model.running_mean).tolist() == [2.5, 1.0]
    assert xp.to_numpy(model.running_var).tolist() == [5.5, 8.5]
    assert int(model.num_batches_tracked) == 1
    assert gradient.running_mean is None


def test_shared_parameters_have_one_gradient(device):
    model = nn.Sequential(nn.Linear(3, 3, bias=False, rng=0), nn.Linear(3, 3, bias=False, rng=0)).astype(xp.float64)
    model[1].weight = model[0].weight
    _, gradient = nn.data_parallel(total, OtherProcess(), 2)(model, batch(4)[1])
    expected = autograd.grad(total)(model, batch(4)[1])
    assert gradient[0].weight is gradient[1].weight
    np.testing.assert_allclose(xp.to_numpy(gradient[0].weight), xp.to_numpy(expected[0].weight), rtol=1e-12)


@pytest.mark.one_device
def test_error_of_a_part_is_raised():
    with ThreadPoolExecutor(2) as pool, pytest.raises(ValueError, match="broadcast|shape"):
        nn.data_parallel(squares, pool, 2)(nn.Linear(4, 3, rng=0), *batch())


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.data_parallel(3, OtherProcess(), 2), TypeError, "a function of a module and a batch, not"),
        (lambda: nn.data_parallel(squares, 2, 2), TypeError, r"takes a distributed\.Client, or an executor"),
        (lambda: nn.data_parallel(squares, OtherProcess(), 0), ValueError, "parts is 0"),
        (lambda: nn.data_parallel(squares, OtherProcess(), 2)(3, *batch()), TypeError, "first argument is a module"),
        (lambda: nn.data_parallel(squares, OtherProcess(), 2)(nn.Identity()), TypeError, "one Array or more"),
        (
            lambda: nn.data_parallel(squares, OtherProcess(), 2)(nn.Identity(), xp.ones(3), xp.ones(4)),
            ValueError,
            "expected one first length",
        ),
    ],
)
def test_wrong_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
