"""Fifty steps of each optimizer, next to those of PyTorch, and training as a fused function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from torch_support import arrays, state_of, torch

import xtensor as xp
from xtensor import autograd, nn, optim

CASES = [
    ("SGD", {"lr": 0.05}),
    ("SGD", {"lr": 0.05, "momentum": 0.9}),
    ("SGD", {"lr": 0.02, "momentum": 0.8, "dampening": 0.3, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.02, "momentum": 0.8, "nesterov": True, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.001, "maximize": True}),
    ("Adam", {}),
    ("Adam", {"lr": 0.05, "betas": (0.8, 0.95), "eps": 1e-3, "weight_decay": 0.1}),
    ("Adam", {"lr": 0.05, "amsgrad": True}),
    ("Adam", {"lr": 0.001, "maximize": True}),
    ("AdamW", {"lr": 0.05}),
    ("AdamW", {"lr": 0.05, "weight_decay": 0.3, "amsgrad": True}),
    ("RMSprop", {}),
    ("RMSprop", {"lr": 0.02, "alpha": 0.9, "weight_decay": 0.1, "momentum": 0.5}),
    ("RMSprop", {"centered": True, "eps": 1e-4, "momentum": 0.3}),
    ("Adagrad", {"lr": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.3}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.8, "eps": 1e-4, "weight_decay": 0.1}),
]

STEPS = 50


def networks(dtype: str) -> tuple[Any, Any]:
    """A network with batch normalization of this package and of PyTorch, with the same weights.

    The derivative of a bias before the normalization would be rounding errors, which optimizers divide by themselves.
    """
    torch.manual_seed(0)
    theirs, ours = [
        library.Sequential(
            library.Linear(5, 8, bias=False), library.BatchNorm1d(8), library.Tanh(), library.Linear(8, 2)
        )
        for library in (torch.nn, nn)
    ]
    theirs = theirs.to(getattr(torch, dtype))
    ours.astype(dtype).load_state_dict(state_of(theirs))
    return ours, theirs


def step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
    def loss(model: Any) -> Any:
        return nn.functional.mse_loss(model(x), y)

    value, gradients = autograd.value_and_grad(loss)(model)
    return value, optimizer.update(model, gradients)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_steps_are_those_of_pytorch(name: str, options: dict[str, Any]) -> None:
    ours, theirs = networks("float64")
    optimizer = getattr(optim, name)(ours, **options)
    reference = getattr(torch.optim, name)(theirs.parameters(), **options)
    for number in range(STEPS):
        x, y = arrays(number, (6, 5), (6, 2))
        step(ours, optimizer, xp.asarray(x), xp.asarray(y))
        reference.zero_grad()
        torch.nn.functional.mse_loss(theirs(torch.from_numpy(x)), torch.from_numpy(y)).backward()
        reference.step()
    expected = state_of(theirs)
    for key, value in ours.state_dict().items():
        np.testing.assert_allclose(xp.to_numpy(value), expected[key], rtol=1e-9, atol=1e-9, err_msg=key)


@pytest.mark.parametrize("name", ["SGD", "AdamW", "RMSprop", "Lion"])
def test_training_in_a_fused_function_has_the_losses_of_the_function(name: str) -> None:
    options = {"lr": optim.cosine(0.01, steps=STEPS, warmup=5)}
    losses: list[list[float]] = []
    for function in (step, xp.fuse(step)):
        model, _ = networks("float64")
        optimizer = getattr(optim, name)(model, **options)
        losses.append([])
        for number in range(20):
            x, y = map(xp.asarray, arrays(number, (6, 5), (6, 2)))
            value, returned = function(model, optimizer, x, y)
            losses[-1].append(float(value))
            assert returned is model
        assert int(optimizer.steps) == 20
        assert int(dict(model.named_buffers())["1.num_batches_tracked"]) == 20
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-10)


def test_fused_training_is_recorded_once() -> None:
    model, _ = networks("float32")
    optimizer, fused = optim.AdamW(model, lr=optim.cosine(0.01, steps=STEPS)), xp.fuse(step)
    for number in range(4):
        fused(model, optimizer, *map(xp.asarray, arrays(number, (6, 5), (6, 2), dtype="float32")))
    assert [len(variants) for variants in fused._plans.values()] == [1]


@pytest.mark.parametrize("limit", [0.1, 100.0])
def test_gradients_are_clipped_as_by_pytorch(limit: float) -> None:
    ours, theirs = networks("float64")
    x, y = arrays(0, (6, 5), (6, 2))
    torch.nn.functional.mse_loss(theirs(torch.from_numpy(x)), torch.from_numpy(y)).backward()
    expected = torch.nn.utils.clip_grad_norm_(theirs.parameters(), limit)
    gradients = autograd.grad(lambda m: nn.functional.mse_loss(m(xp.asarray(x)), xp.asarray(y)))(ours)
    assert float(optim.global_norm(gradients)) == pytest.approx(float(expected), rel=1e-12)
    clipped = dict(optim.clip_by_norm(gradients, limit).named_parameters())
    for name, parameter in theirs.named_parameters():
        np.testing.assert_allclose(xp.to_numpy(clipped[name]), parameter.grad.numpy(), rtol=1e-10, atol=1e-14)


SCHEDULES = {
    "step": (lambda: optim.step_decay(0.5, every=3, gamma=0.4), lambda o: torch.optim.lr_scheduler.StepLR(o, 3, 0.4)),
    "exponential": (lambda: optim.exponential(0.5, 0.9), lambda o: torch.optim.lr_scheduler.ExponentialLR(o, 0.9)),
    "linear": (
        lambda: optim.linear(0.5, 0.05, steps=10),
        lambda o: torch.optim.lr_scheduler.LinearLR(o, 1.0, 0.1, total_iters=10),
    ),
    "cosine": (
        lambda: optim.cosine(0.5, steps=20, end=0.1),
        lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, 20, 0.1),
    ),
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedule_is_that_of_pytorch(name: str) -> None:
    schedule, reference = SCHEDULES[name]
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    scheduler = reference(optimizer)
    for number in range(20):
        assert float(schedule()(xp.asarray(float(number)))) == pytest.approx(scheduler.get_last_lr()[0], rel=1e-12)
        assert float(schedule()(number)) == pytest.approx(scheduler.get_last_lr()[0], rel=1e-12)
        optimizer.step()
        scheduler.step()


@pytest.mark.parametrize("options", [{"lr": 0.1}, {"lr": 0.5, "history_size": 3, "max_iter": 5}], ids=str)
def test_steps_of_lbfgs_are_those_of_pytorch(options: dict[str, Any]) -> None:
    ours, theirs = networks("float64")
    x, y = arrays(0, (6, 5), (6, 2))
    optimizer, reference = optim.LBFGS(ours, **options), torch.optim.LBFGS(theirs.parameters(), **options)

    def closure() -> Any:
        reference.zero_grad()
        loss = torch.nn.functional.mse_loss(theirs(torch.from_numpy(x)), torch.from_numpy(y))
        loss.backward()
        return loss

    for _ in range(10):
        found = optimizer.step(ours, lambda m: nn.functional.mse_loss(m(xp.asarray(x)), xp.asarray(y)))
        assert found == pytest.approx(float(reference.step(closure).detach()), rel=1e-6)
    for name, parameter in theirs.named_parameters():
        np.testing.assert_allclose(
            xp.to_numpy(dict(ours.named_parameters())[name]), parameter.detach().numpy(), rtol=0, atol=1e-6
        )


def test_line_search_of_lbfgs_reaches_the_loss_of_pytorchs() -> None:
    ours, theirs = networks("float64")
    x, y = arrays(0, (6, 5), (6, 2))
    optimizer = optim.LBFGS(ours, line_search_fn="strong_wolfe")
    reference = torch.optim.LBFGS(theirs.parameters(), line_search_fn="strong_wolfe")

    def closure() -> Any:
        reference.zero_grad()
        loss = torch.nn.functional.mse_loss(theirs(torch.from_numpy(x)), torch.from_numpy(y))
        loss.backward()
        return loss

    for _ in range(5):
        found = optimizer.step(ours, lambda m: nn.functional.mse_loss(m(xp.asarray(x)), xp.asarray(y)))
        expected = float(reference.step(closure).detach())
    assert found < 1.5 * expected + 1e-6
