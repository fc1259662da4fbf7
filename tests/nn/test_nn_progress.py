"""End of a training, plots of losses, and steps of LBFGS."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import nn, optim


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("options", "losses", "expected"),
    [
        ({"patience": 2}, [3.0, 2.0, 2.0, 1.9, 2.0, 1.9], [False] * 5 + [True]),
        ({"patience": 1}, [3.0, 3.0], [False, True]),
        ({"patience": 2, "min_delta": 0.5}, [3.0, 2.6, 2.5, 2.4], [False, False, True, False]),
        ({"patience": 2}, [math.nan, 1.0, math.nan, math.nan], [False, False, False, True]),
    ],
    ids=str,
)
def test_training_ends_without_a_smaller_loss(options, losses, expected):
    stopping = nn.EarlyStopping(**options)
    assert [stopping(loss) for loss in losses] == expected


def test_parameters_of_the_smallest_loss_are_restored(device):
    model, stopping = nn.ParameterList([xp.asarray([0.0])]), nn.EarlyStopping(patience=5)
    for loss, value in ((3.0, 1.0), (1.0, 2.0), (2.0, 3.0)):
        model[0][...] = value
        stopping(xp.asarray(loss), model)
    assert (stopping.best, stopping.best_call, stopping.calls) == (1.0, 2, 3)
    assert xp.to_numpy(stopping.restore(model)[0]).tolist() == [2.0]


@pytest.mark.one_device
def test_nothing_is_restored_without_a_module():
    stopping = nn.EarlyStopping()
    stopping(1.0)
    with pytest.raises(ValueError, match="no state is known; pass the module with each loss"):
        stopping.restore(nn.Linear(1, 1))


@pytest.mark.one_device
def test_wrong_settings_of_the_end_are_refused():
    with pytest.raises(ValueError, match="patience is 0, expected 1 or more"):
        nn.EarlyStopping(patience=0)
    with pytest.raises(ValueError, match="min_delta is -1.0, expected 0 or more"):
        nn.EarlyStopping(min_delta=-1.0)


class Axes:
    """Stands for axes of matplotlib, which need not be installed."""

    def __init__(self) -> None:
        self.lines: dict[str, Any] = {}
        self.calls: list[Any] = []

    def plot(self, x: Any, y: Any, label: str, marker: str) -> None:
        self.lines[label] = list(zip(x, y, strict=True))

    def __getattr__(self, name: str) -> Any:
        return lambda *args: self.calls.append((name, *args))


def test_losses_are_plotted_over_their_numbers(device):
    axes = Axes()
    assert (
        nn.plot_losses({"training": [3, xp.asarray(2.0)], "validation": xp.asarray([4.0])}, ax=axes, log=True) is axes
    )
    assert axes.lines == {"training": [(1, 3.0), (2, 2.0)], "validation": [(1, 4.0)]}
    assert ("set_yscale", "log") in axes.calls
    assert ("legend",) in axes.calls


@pytest.mark.one_device
def test_one_list_of_losses_has_no_legend():
    axes = Axes()
    nn.plot_losses([1.0, 0.5], ax=axes)
    assert axes.lines == {"loss": [(1, 1.0), (2, 0.5)]}
    assert ("legend",) not in axes.calls
    for bad in (3, {"loss": 3}):
        with pytest.raises(TypeError, match="takes a sequence of numbers or a dict of such, not 3"):
            nn.plot_losses(bad, ax=axes)
    axes = Axes()
    nn.plot_losses({"training": np.asarray([1.0, 0.5])}, ax=axes)
    assert axes.lines == {"training": [(1, 1.0), (2, 0.5)]}


@pytest.mark.one_device
def test_plot_without_axes_makes_new_ones():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    axes = nn.plot_losses([1.0, 0.5])
    assert axes.lines[0].get_ydata().tolist() == [1.0, 0.5]
    plt.close("all")


# -- LBFGS ------------------------------------------------------------------------------------------------------------


class Point(nn.Module):
    def __init__(self, *values: float) -> None:
        self.x = xp.asarray(values[:1], dtype=xp.float64)
        self.y = xp.asarray(values[1:], dtype=xp.float64)


def rosenbrock(point: Any) -> Any:
    return xp.sum((1 - point.x) ** 2 + 100 * (point.y - point.x**2) ** 2)


def test_line_search_finds_the_minimum_of_a_curved_valley(device):
    point = Point(-1.2, 1.0)
    optimizer = optim.LBFGS(point, max_iter=100, tolerance_change=1e-15, line_search_fn="strong_wolfe")
    assert optimizer.step(point, rosenbrock) == pytest.approx(24.2)
    optimizer.step(point, rosenbrock)
    np.testing.assert_allclose([float(point.x[0]), float(point.y[0])], [1, 1], atol=1e-6)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_minimum_of_a_quadratic_function_is_found(search, device):
    """Conjugate directions of three numbers: the inverse Hessian is known after three steps."""
    point = Point(4.0, -2.0, 7.0)

    def loss(point: Any) -> Any:
        return xp.sum((point.x - 1) ** 2) + xp.sum(xp.asarray([2.0, 8.0]) * (point.y - 3) ** 2)

    optim.LBFGS(point, lr=0.5 if search is None else 1.0, max_iter=60, line_search_fn=search).step(point, loss)
    np.testing.assert_allclose([float(point.x[0]), *xp.to_numpy(point.y)], [1, 3, 3], atol=1e-4)


def test_frozen_parameters_stay(device):
    point = Point(-1.2, 1.0)
    point.freeze("y")
    optim.LBFGS(point, line_search_fn="strong_wolfe", max_iter=50).step(point, rosenbrock)
    assert float(point.y[0]) == 1.0
    # On the line y = 1: -2 (1 - x) - 400 x (1 - x**2) = 0, near x = 1 or x = -1.
    assert abs(float(point.x[0])) == pytest.approx(1, abs=0.01)


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"line_search_fn": "x"}, "line_search_fn is 'x'.*, expected 'strong_wolfe' or None"),
        ({"lr": -1.0}, "lr is -1.0"),
        ({"model": nn.ReLU()}, "the module ReLU has no parameters"),
    ],
    ids=str,
)
def test_wrong_settings_of_lbfgs_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        optim.LBFGS(**{"model": Point(0.0, 0.0), **options})


def saved_and_loaded(optimizer: Any, model: Any, path: Any, **options: Any) -> Any:
    nn.save(optimizer, path)
    other = optim.LBFGS(model, **options)
    other.load_state_dict(nn.load(path))
    return other


@pytest.mark.parametrize("options", [{}, {"history_size": 3}, {"line_search_fn": "strong_wolfe"}], ids=str)
@pytest.mark.parametrize("widths", [(3, 5, 2), (40, 150, 30)], ids=str)
def test_saved_lbfgs_goes_on_bit_for_bit(widths, options, device, tmp_path):
    inputs, hidden, outputs = widths
    rng = np.random.default_rng(0)
    x, y = [xp.asarray(rng.standard_normal((20, width)).astype(np.float32)) for width in (inputs, outputs)]
    models = [
        nn.Sequential(nn.Linear(inputs, hidden, rng=0), nn.Tanh(), nn.Linear(hidden, outputs, rng=1)) for _ in range(2)
    ]
    options = {"max_iter": 4, **options}

    def loss(model: Any) -> Any:
        return nn.functional.mse_loss(model(x), y)

    optimizers = [optim.LBFGS(model, **options) for model in models]
    for _ in range(5):
        losses = [optimizer.step(model, loss) for model, optimizer in zip(models, optimizers, strict=True)]
        assert losses[0] == losses[1]
        nn.save(models[1], tmp_path / "model")
        models[1] = nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, outputs))
        models[1].load_state_dict(nn.load(tmp_path / "model"))
        optimizers[1] = saved_and_loaded(optimizers[1], models[1], tmp_path / "optimizer", **options)
    assert optimizers[1].iterations == optimizers[0].iterations > 5
    for name, value in models[0].state_dict().items():
        np.testing.assert_array_equal(xp.to_numpy(value), xp.to_numpy(models[1].state_dict()[name]))


def test_lbfgs_without_a_step_is_saved(device, tmp_path):
    point = Point(-1.2, 1.0)
    optimizer = saved_and_loaded(optim.LBFGS(point), point, tmp_path / "optimizer")
    assert optimizer.iterations == 0
    assert list(optimizer.state_dict()) == ["iterations"]


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.pop("iterations"),
        lambda state: state.pop("step"),
        lambda state: state.update(weight=state["step"]),
        lambda state: state.update(steps=state["steps"][:, :1]),
        lambda state: state.update(gradient=state["steps"]),
        lambda state: state.update(changes=state["changes"][:1, :], steps=state["steps"][:0, :]),
    ],
)
def test_damaged_state_leaves_lbfgs_unchanged(change, device):
    point = Point(-1.2, 1.0)
    optimizer = optim.LBFGS(point, max_iter=4)
    optimizer.step(point, rosenbrock)
    before = {name: xp.to_numpy(x) for name, x in optimizer.state_dict().items()}
    assert set(before) == {"iterations", "gradient", "step", "steps", "changes"}
    damaged = optimizer.state_dict()
    change(damaged)
    with pytest.raises(RuntimeError, match="takes what state_dict.. returns: iterations, gradient and step"):
        optimizer.load_state_dict(damaged)
    for name, x in optimizer.state_dict().items():
        np.testing.assert_array_equal(xp.to_numpy(x), before[name])
