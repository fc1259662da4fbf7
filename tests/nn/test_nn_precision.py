"""Mixed precision: which numbers are rounded, scales of the loss, and devices without the dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn, optim

pytest.importorskip("ml_dtypes")


@pytest.fixture
def short(device: Any) -> Any:
    """The names of the short dtypes that the device supports."""
    return [name for name in ("bfloat16", "float16") if device.supports(xp.empty((0,), dtype=name, device="cpu").dtype)]


STEPS = {"bfloat16": 2**-7, "float16": 2**-10}
"""Distances of 1 and the next larger number."""


def linear(weight: float, inputs: int = 1) -> Any:
    layer = nn.Linear(inputs, 1, bias=False, rng=0)
    layer.weight = xp.full((1, inputs), weight, dtype=xp.float32)
    return layer


def test_layer_rounds_its_weight_and_its_input(short):
    for name in short:
        step = STEPS[name]
        layer = linear(1 + step / 4)
        assert nn.autocast(layer, name).dtype == name
        assert float(layer(xp.asarray([3.0], dtype=xp.float32))[0]) == 3.0
        assert float(linear(1 + step / 4)(xp.asarray([3.0], dtype=xp.float32))[0]) == 3 + 0.75 * step
        assert float(layer(xp.asarray([1 + step * 0.75], dtype=xp.float32))[0]) == 1 + step


def test_outputs_and_gradients_and_parameters_are_float32(short):
    for name in short:
        model = nn.Sequential(nn.Linear(4, 8, rng=0), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 2, rng=0))
        nn.autocast(model, name)
        assert model(xp.ones((3, 4), dtype=xp.float32)).dtype == xp.float32
        gradient = autograd.grad(lambda m: xp.sum(m(xp.ones((3, 4), dtype=xp.float32))))(model)
        assert {str(x.dtype) for x in gradient.parameters()} == {"float32"}
        assert {str(x.dtype) for x in model.parameters()} == {"float32"}


def test_layers_compute_in_the_short_dtype(short):
    for name in short:
        model = nn.Sequential(
            nn.Conv2d(1, 2, 3, rng=0), nn.Flatten(), nn.Linear(8, 6, rng=0), nn.Unflatten(1, (1, 6)), nn.ReLU()
        )
        attention = nn.MultiheadAttention(6, 2, rng=0)
        seen = []
        for layer in model:
            layer.register_forward_hook(lambda layer, args, output: seen.append(str(output.dtype)))  # noqa: B023
        attention.out_proj.register_forward_hook(lambda layer, args, output: seen.append(str(args[0].dtype)))  # noqa: B023
        nn.autocast(model, name)
        nn.autocast(attention, name)
        x = model(xp.ones((1, 1, 4, 4), dtype=xp.float32))
        attention(x, x, x)
        assert seen == [name] * 6
        assert str(x.dtype) == "float32"


def test_autocast_is_undone(short):
    for name in short:
        layer = linear(1 + STEPS[name] / 4)
        nn.autocast(layer, name)
        nn.autocast(layer, None)
        assert float(layer(xp.asarray([3.0], dtype=xp.float32))[0]) == 3 + 0.75 * STEPS[name]


def test_fused_function_follows_the_setting(short):
    """The setting is one of the module, so that a recording with another one is not replayed."""
    call = xp.fuse(lambda layer, x: layer(x))
    for name in short:
        layer, x = linear(1 + STEPS[name] / 4), xp.asarray([3.0], dtype=xp.float32)
        for short_dtype, expected in ((None, 3 + 0.75 * STEPS[name]), (name, 3.0), (None, 3 + 0.75 * STEPS[name])):
            nn.autocast(layer, short_dtype)
            assert float(call(layer, x)[0]) == expected


def test_network_learns_in_a_short_dtype(short):
    rng = np.random.default_rng(0)
    x = xp.asarray(rng.normal(size=(32, 4)).astype(np.float32))
    y = xp.asarray((xp.to_numpy(x)[:, 0] > 0).astype(np.int64))
    for name in short[-1:]:  # float16, whose gradients need the scale
        model = nn.Sequential(nn.Linear(4, 16, rng=0), nn.Tanh(), nn.Linear(16, 2, rng=1))
        optimizer, scaler = optim.Adam(model, lr=0.1), nn.GradScaler()
        nn.autocast(model, name)

        def scaled(model: Any, scaler: Any) -> Any:
            return scaler.scale(nn.functional.cross_entropy(model(x), y))

        @xp.fuse
        def step(model: Any, optimizer: Any, scaler: Any) -> Any:
            value, gradient = autograd.value_and_grad(lambda m: scaled(m, scaler))(model)
            return value / scaler.factor, scaler.update(optimizer, model, gradient)

        losses = [float(step(model, optimizer, scaler)[0]) for _ in range(15)]
        assert losses[-1] < 0.2 < 0.5 < losses[0]


def test_device_without_the_dtype_says_so(device, short):
    for name in {"bfloat16", "float16"} - set(short):
        layer = linear(1 + 2**-12)
        found = nn.autocast(layer, name)
        assert found.dtype is None
        assert found.info() == (
            f"the dtype of the parameters on {device}, because the device {device} does not support {name}"
        )
        assert float(layer(xp.asarray([1.0], dtype=xp.float32))[0]) == 1 + 2**-12
    for name in short:
        assert nn.autocast(linear(1.0), name).info() == f"{name} on {device}, with parameters of float32"


@pytest.mark.one_device
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3,), TypeError, "autocast.. takes a module, not 3"),
        ((nn.ReLU(), "float16"), ValueError, "the module ReLU has no parameters"),
        ((nn.Identity(), "float64"), ValueError, "dtype is 'float64'.*, expected 'bfloat16', 'float16' or None"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        nn.autocast(*arguments)


# -- scales of the loss -----------------------------------------------------------------------------------------------


def gradient_of(value: float, model: Any) -> Any:
    return {"weight": xp.full(model.weight.shape, value, dtype=xp.float32)}


def test_scaled_gradients_are_divided_by_the_scale(device):
    model, scaler = linear(1.0), nn.GradScaler(init_scale=8.0)
    assert float(scaler.scale(xp.asarray(3.0))) == 24.0
    scaler.update(optim.SGD(model, lr=1.0), model, gradient_of(2.0, model))
    assert float(model.weight[0, 0]) == 0.75


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_gradient_that_is_not_finite_changes_the_scale_alone(value, device):
    model, scaler = linear(1.0), nn.GradScaler(init_scale=8.0)
    optimizer = optim.Adam(model)
    scaler.update(optimizer, model, gradient_of(4.0, model))
    before = {name: xp.to_numpy(x).tolist() for name, x in {**optimizer.state_dict(), **model.state_dict()}.items()}
    scaler.update(optimizer, model, gradient_of(value, model))
    after = {name: xp.to_numpy(x).tolist() for name, x in {**optimizer.state_dict(), **model.state_dict()}.items()}
    assert after == before
    assert float(scaler.factor) == 4.0


def test_scale_grows_after_updates_with_finite_gradients(device):
    model, scaler = linear(1.0), nn.GradScaler(init_scale=8.0, growth_interval=3)
    optimizer, factors = optim.SGD(model), []
    for value in (1.0, 1.0, float("inf"), 1.0, 1.0, 1.0, 1.0):
        scaler.update(optimizer, model, gradient_of(value, model))
        factors.append(float(scaler.factor))
    assert factors == [8.0, 8.0, 4.0, 4.0, 4.0, 8.0, 8.0]


def test_scale_stays_finite_and_positive(device):
    model, scaler = linear(1.0), nn.GradScaler(init_scale=2.0**126, growth_interval=1)
    for _ in range(3):
        scaler.update(optim.SGD(model), model, gradient_of(0.0, model))
    assert float(scaler.factor) == 2.0**127
    scaler = nn.GradScaler(init_scale=2.0**-120)
    for _ in range(9):
        scaler.update(optim.SGD(model), model, gradient_of(float("nan"), model))
    assert float(scaler.factor) == 2.0**-126
    before = float(model.weight[0, 0])
    scaler.update(optim.SGD(model, lr=1.0), model, gradient_of(2.0**-126, model))
    assert float(model.weight[0, 0]) == before - 1.0


def test_loss_of_float16_is_scaled_in_float32(device):
    if not device.supports(np.dtype(np.float16)):
        pytest.skip("no float16")
    assert float(nn.GradScaler(init_scale=65536.0).scale(xp.asarray(2.0, dtype=xp.float16))) == 131072.0


def test_parameter_without_a_scaled_gradient_stays(device):
    model, scaler = nn.Linear(1, 1), nn.GradScaler(init_scale=1.0)
    before = float(model.bias[0])
    scaler.update(optim.SGD(model, lr=1.0), model, {**gradient_of(1.0, model), "bias": None})
    assert float(model.bias[0]) == before


@pytest.mark.one_device
def test_wrong_scales_are_refused():
    for options in ({"init_scale": 0.0}, {"growth_factor": 1.0}, {"backoff_factor": 1.0}, {"growth_interval": 0}):
        with pytest.raises(ValueError, match="expected more than 0, more than 1"):
            nn.GradScaler(**options)


def test_kernel_of_a_fused_function_takes_what_was_cast_from_bfloat16(device):
    if not device.supports(xp.empty((0,), dtype="bfloat16", device="cpu").dtype):
        return
    x = xp.astype(xp.asarray([1.0, 2.0]), "bfloat16")
    call = xp.fuse(lambda x: xp.astype(x, xp.float32) * 2.0)
    assert [xp.to_numpy(call(x)).tolist() for _ in range(3)] == [[2.0, 4.0]] * 3
