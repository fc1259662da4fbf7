"""Results that a recording computes together: the updates of all parameters by one call of a kernel."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
import pytest

import xtensor as xp
import xtensor_backends.llvm
from xtensor import autograd, nn, optim
from xtensor._fuse import together
from xtensor._fuse.together import compute_together
from xtensor.optim import _optimizer
from xtensor_backends.llvm import _generator

OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("SGD", {"lr": 0.05}),
    ("SGD", {"lr": 0.02, "momentum": 0.8, "dampening": 0.3, "weight_decay": 0.1, "maximize": True}),
    ("SGD", {"lr": optim.cosine(0.02, steps=10), "momentum": 0.8, "nesterov": True}),
    ("Adam", {"weight_decay": 0.1, "amsgrad": True}),
    ("AdamW", {"lr": optim.exponential(0.05, 0.9)}),
    ("RMSprop", {"centered": True, "momentum": 0.3, "weight_decay": 0.1}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("Adadelta", {"weight_decay": 0.1}),
    ("Lion", {"weight_decay": 0.1}),
]

IDS = [" ".join([name, *options]) for name, options in OPTIMIZERS]

SHAPES = {"matrix": (70, 90), "column": (5, 1), "vector": (90,), "one": (1,), "number": (), "none": (0, 3)}


class Parameters(nn.Module):
    """Parameters of many shapes and dtypes; some are no contiguous arrays."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        dtypes = [dtype for dtype in ("float32", "float64") if xp.default_device().supports(getattr(xp, dtype))]
        for name, shape in SHAPES.items():
            for dtype in dtypes:
                setattr(self, f"{name}_{dtype}", xp.asarray(np.asarray(rng.standard_normal(shape)).astype(dtype)))
        self.transposed = xp.asarray(rng.standard_normal((40, 60)).astype(dtypes[-1])).T
        self.strided = xp.asarray(rng.standard_normal((40, 60)).astype(dtypes[-1]))[::2, ::3]


def gradients(model: nn.Module, seed: int) -> dict[str, Any]:
    """Gradients of which every third one is no contiguous array."""
    rng, found = np.random.default_rng(seed), {}
    for number, (name, x) in enumerate(model.named_parameters()):
        values = np.asarray(rng.standard_normal(x.shape)).astype(x.dtype)
        found[name] = xp.asarray(values.T.copy()).T if number % 3 == 0 and values.ndim == 2 else xp.asarray(values)
    return found


def trained(name: str, options: dict[str, Any], update: Any) -> dict[str, Any]:
    model = Parameters()
    optimizer = getattr(optim, name)(model, **options)
    for seed in range(4):
        model = update(optimizer, model, gradients(model, seed))
    return {**model.state_dict(), **optimizer.state_dict()}


def updated(optimizer: Any, model: Any, gradients: Any) -> Any:
    return optimizer.update(model, gradients)


def equal(first: dict[str, Any], second: dict[str, Any]) -> None:
    assert first.keys() == second.keys()
    for name, x in first.items():
        assert x.dtype == second[name].dtype
        np.testing.assert_array_equal(xp.to_numpy(x), xp.to_numpy(second[name]), err_msg=name)


@pytest.fixture
def on_cpu():
    with xp.use_device("cpu"):
        yield


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=IDS)
def test_update_has_the_bits_of_separate_operations(name, options, on_cpu, monkeypatch):
    with xtensor_backends.llvm.count_calls() as calls:
        found = trained(name, options, updated)
    assert calls.kernels["together"] == 4
    monkeypatch.setattr(_optimizer, "_gains", lambda parameters: False)
    with xtensor_backends.llvm.count_calls() as calls:
        equal(found, trained(name, options, updated))
    assert "together" not in calls.kernels


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=IDS)
def test_fused_update_has_the_bits_of_separate_kernels(name, options, on_cpu, monkeypatch):
    with xtensor_backends.llvm.count_calls() as calls:
        found = trained(name, options, xp.fuse(updated))
    assert calls.kernels["together"] == 4
    monkeypatch.setattr(_generator.LlvmGenerator, "computes_together", False)
    with xtensor_backends.llvm.count_calls() as calls:
        equal(found, trained(name, options, xp.fuse(updated)))
    assert "together" not in calls.kernels


@pytest.mark.parametrize(("name", "options"), OPTIMIZERS, ids=IDS)
def test_updates_of_a_device_are_those_of_a_fused_function(name, options, device):
    with xp.use_device(device):
        alone, fused = trained(name, options, updated), trained(name, options, xp.fuse(updated))
    for key, x in alone.items():
        precision = np.finfo(x.dtype).eps ** 0.75 if x.dtype.kind == "f" else 0
        np.testing.assert_allclose(xp.to_numpy(fused[key]), xp.to_numpy(x), rtol=precision, atol=precision)


def explained(function: Any, *arguments: Any) -> list[str]:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        xp.fuse.explain(function)(*arguments)
    return text.getvalue().splitlines()


def networks() -> dict[str, Any]:
    options = {"dim_feedforward": 64, "batch_first": True, "dropout": 0.0, "rng": 0}
    layers = [nn.TransformerEncoderLayer(32, 2, **options) for _ in range(3)]
    return {
        "perceptron": (nn.Sequential(nn.Linear(32, 48, rng=0), nn.ReLU(), nn.Linear(48, 4, rng=1)), (5, 32)),
        "transformer": (nn.Sequential(*layers, nn.LayerNorm(32), nn.Linear(32, 4, rng=0)), (2, 6, 32)),
    }


@pytest.mark.parametrize("clips", [False, True])
@pytest.mark.parametrize("name", ["perceptron", "transformer"])
def test_training_step_updates_all_parameters_by_one_kernel(name, clips, on_cpu):
    model, shape = networks()[name]
    optimizer = optim.AdamW(model)

    def step(model, optimizer, x):
        loss, gradient = autograd.value_and_grad(lambda m: xp.mean(m(x) ** 2))(model)
        return loss, optimizer.update(model, optim.clip_by_norm(gradient, 1.0) if clips else gradient)

    lines = explained(step, model, optimizer, xp.asarray(np.ones(shape, dtype=np.float32)))
    parameters = len(list(model.named_parameters()))
    updates = [line for line in lines if f"{parameters} programs at once" in line]
    assert len(updates) == 1
    assert updates[0].count("float32[") == 3 * parameters


def test_settings_that_change_between_updates_are_used(on_cpu):
    model = nn.Linear(80, 80, bias=False, rng=0)
    optimizer = optim.SGD(model, lr=1.0)
    gradient = {"weight": xp.ones_like(model.weight)}
    before = xp.to_numpy(model.weight)
    for rate in (1.0, 0.5, 0.25):
        optimizer.lr = rate
        optimizer.update(model, gradient)
    optimizer.maximize = True
    optimizer.update(model, gradient)
    np.testing.assert_allclose(xp.to_numpy(model.weight), before - 1.5, rtol=1e-5, atol=1e-6)


def test_two_optimizers_in_one_step(on_cpu):
    def models():
        return [nn.Sequential(nn.Linear(70, 70, rng=seed), nn.Linear(70, 3, rng=seed)) for seed in (0, 1)]

    def step(first, second, optimizers, x):
        gradient = autograd.grad(lambda m: xp.sum(m(x) ** 2))(first)
        optimizers[0].update(first, gradient)
        gradient = autograd.grad(lambda m: xp.sum((m(x) - first(x)) ** 2))(second)  # of the new first one
        optimizers[1].update(second, gradient)
        return first, second

    x = xp.asarray(np.random.default_rng(0).standard_normal((8, 70)).astype(np.float32))
    found = []
    for function in (step, xp.fuse(step)):
        pair = models()
        optimizers = [optim.Adam(model) for model in pair]
        for _ in range(3):
            pair = function(*pair, optimizers, x)
        found.append({f"{number}.{key}": y for number in (0, 1) for key, y in pair[number].state_dict().items()})
    for key, y in found[0].items():
        np.testing.assert_allclose(xp.to_numpy(found[1][key]), xp.to_numpy(y), rtol=1e-4, atol=1e-6)


def test_units_of_which_one_reads_the_other_are_not_together(on_cpu):
    def function(x, y):
        first = x * 2.0
        second = y + xp.sum(first)
        third = xp.sqrt(y)
        compute_together([[first], [second], [third]])
        return first, second, third

    x, y = xp.asarray(np.arange(6.0)), xp.asarray(np.arange(8.0))
    fused = xp.fuse(function)
    for _ in range(3):
        for found, expected in zip(fused(x, y), function(x, y), strict=True):
            np.testing.assert_array_equal(xp.to_numpy(found), xp.to_numpy(expected))
    assert not any("at once" in line for line in explained(function, x, y))


def test_unit_whose_results_others_read(on_cpu):
    def function(x, y, shift):
        moved = x - shift  # read by a unit and by the sum
        first, second = moved * 2.0, xp.sqrt(y) + xp.mean(y)
        compute_together([[first, first], [second], [x]])
        return xp.sum(moved), first + 1.0, second, xp.max(second)

    x, y = xp.asarray(np.arange(6.0)), xp.asarray(np.arange(8.0))
    fused = xp.fuse(function)
    for shift in (0.5, 2.0):
        for found, expected in zip(fused(x, y, shift), function(x, y, shift), strict=True):
            np.testing.assert_allclose(xp.to_numpy(found), xp.to_numpy(expected), rtol=1e-15)
    assert sum("2 programs at once" in line for line in explained(function, x, y, 0.5)) == 1


def test_element_that_no_kernel_covers_is_computed_by_the_library(on_cpu):
    def function(x, y):
        first, second = xp.sin(x), xp.cos(y)
        compute_together([[first], [second]])
        return first, second

    fused = xp.fuse(function)
    for value in (1.0, 1e300):
        x, y = xp.asarray(np.full(5, value)), xp.asarray(np.full(7, 2.0))
        for found, expected in zip(fused(x, y), (np.sin(value), np.cos(2.0)), strict=True):
            np.testing.assert_allclose(xp.to_numpy(found), expected, rtol=1e-15)


def test_results_of_many_bytes_are_in_several_calls(on_cpu, monkeypatch):
    monkeypatch.setattr(together, "MOST_BYTES", 20 * 20 * 4)
    model = nn.Sequential(*[nn.Linear(20, 20, bias=False, rng=seed) for seed in range(4)])
    optimizer = optim.SGD(model, lr=0.5)
    found = {name: xp.ones_like(x) for name, x in model.named_parameters()}
    before = model.state_dict()
    lines = explained(updated, optimizer, model, found)
    assert not any("at once" in line for line in lines)
    monkeypatch.setattr(together, "MOST_BYTES", 2 * 20 * 20 * 4)
    lines = explained(updated, optimizer, model, found)
    assert sum("2 programs at once" in line for line in lines) == 2
    step = xp.fuse(updated)
    for _ in range(2):
        model = step(optimizer, model, found)
    for name, x in model.state_dict().items():
        np.testing.assert_array_equal(xp.to_numpy(x), xp.to_numpy(before[name]) - np.float32(0.5) - np.float32(0.5))


def test_batch_of_updates_is_transformed(on_cpu):
    class Holder(nn.Module):
        def __init__(self, weight):
            self.weight = weight

    def move(weights, gradient):
        model = Holder(weights)
        optim.SGD(model, lr=0.5).update(model, {"weight": gradient})
        return model.weight

    weights, gradient = [xp.asarray(np.random.default_rng(seed).standard_normal((3, 70, 70))) for seed in (0, 1)]
    found = xp.vmap(move)(weights, gradient)
    np.testing.assert_array_equal(xp.to_numpy(found), xp.to_numpy(weights) - 0.5 * xp.to_numpy(gradient))
