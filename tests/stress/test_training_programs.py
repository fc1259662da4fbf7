"""Random training programs: steps of fused functions and the steps themselves, while model and optimizer are changed.

Between the steps the learning rate, settings, modes, parameters and states change: they are assigned, written to in
place, loaded, copied, shared and replaced. Both worlds take the same changes, and agree in all Arrays after each step.
Each program draws the sizes of its layers and batches, and its dtype. Where a device has no generator of kernels, a
fused function is the function itself, which is to leave the same states.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import xtensor as xp
from xtensor import autograd, nn, optim

from .tiers import scale

OPTIMIZERS: tuple[Callable[..., Any], ...] = (
    optim.SGD,
    functools.partial(optim.SGD, momentum=0.5, nesterov=True),
    optim.Adam,
    functools.partial(optim.AdamW, amsgrad=True),
    optim.RMSprop,
    optim.Adagrad,
    optim.Adadelta,
    optim.Lion,
)

SCHEDULES: tuple[Any, ...] = (
    0.1,
    optim.cosine(0.1, steps=6, warmup=2),
    optim.step_decay(0.1, every=2),
    optim.exponential(0.1, 0.5),
    optim.warmup(0.2, steps=3),
)


Shape = tuple[int, int, int]
"""The number of examples, of features and of hidden units."""

SIZES = (2, 3, 4, 5, 8, 17, 33)

TOLERANCES = {"float32": (1e-3, 1e-4), "float64": (1e-6, 1e-8)}


class Net(nn.Module):
    """A network with statistics, random numbers, settings, a list of parts and a hook."""

    def __init__(self, seed: int, shape: Shape, device: xp.Device, dtype: Any) -> None:
        _, width, hidden = shape
        self.first = nn.Linear(width, hidden, rng=seed, device=device, dtype=dtype)
        self.norm = nn.BatchNorm1d(hidden, device=device, dtype=dtype)
        self.drop = nn.Dropout(0.25, rng=seed + 1, device=device)
        self.layers = [nn.Linear(hidden, hidden, rng=seed + 2, device=device, dtype=dtype), nn.Tanh()]
        self.gain = 1.0
        self.hooks: list[Callable[[Any], Any]] = []

    def forward(self, x: Any) -> Any:
        x = self.drop(
            self.norm(xp.tanh(self.first(x)))
        )  # without tanh, the bias would have a gradient of rounding alone
        for layer in self.layers:
            x = layer(x) * self.gain
        for hook in self.hooks:
            x = hook(x)
        return x


class World:
    """A model, its optimizer, and what was stored of both."""

    def __init__(self, rng: Random, kind: str, shape: Shape, device: xp.Device, dtype: Any) -> None:
        self.device = device
        self.model = Net(rng.randrange(1000), shape, device, dtype)
        self.optimizer = rng.choice(OPTIMIZERS)(self.model, lr=rng.choice(SCHEDULES))
        self.average = optim.ExponentialMovingAverage(self.model, decay=0.5)
        self.stored = self.states()
        self.rate = 1.0
        world = self

        def step(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
            def loss(model: Any) -> Any:
                return xp.mean((model(x) - y) ** 2) * world.rate

            value, gradient = autograd.value_and_grad(loss)(model)
            return value, optimizer.update(model, optim.clip_by_norm(gradient, 0.5))

        def evaluate(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
            return xp.sum(model(x) * y), model

        def average(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
            value, model = step(model, optimizer, x, y)
            return value * xp.astype(optimizer.steps, value.dtype), model

        self.step = {"step": step, "evaluate": evaluate, "average": average}[kind]

    def states(self) -> Any:
        return tuple({name: xp.to_numpy(x).copy() for name, x in item.state_dict().items()} for item in self.parts)

    @property
    def parts(self) -> tuple[Any, Any]:
        return self.model, self.optimizer

    def load(self, part: int) -> None:
        self.parts[part].load_state_dict(
            {name: xp.asarray(x, device=self.device) for name, x in self.stored[part].items()}
        )

    def change(self, rng: Random) -> None:
        model, optimizer = self.parts
        value = rng.choice([0.0, 0.25, 0.5])
        action = rng.randrange(20)
        if action == 0:
            optimizer.lr = rng.choice(SCHEDULES)
        elif action == 1:
            optimizer.lr = value
        elif action == 2:
            self.stored = self.states()
        elif action in (3, 4):
            self.load(action - 3)
        elif action == 5:
            model.eval()
        elif action == 6:
            model.train()
        elif action == 7:
            model.drop.eval() if rng.random() < 0.5 else model.norm.eval()
        elif action == 8:
            model.first.weight[0, 0] = value
        elif action == 9:
            model.layers[0].weight = model.layers[0].weight * 0.5
        elif action == 10:
            model.drop.p = value
        elif action == 11:
            model.gain = 1.0 + value
        elif action == 12:
            model.layers[1] = rng.choice([nn.Tanh, nn.GELU, nn.Identity, nn.Sigmoid])()
        elif action == 13:
            model.layers[0].bias = model.first.bias  # shared from now on
        elif action == 14:
            self.model = copy.deepcopy(model)
        elif action == 15:
            model.hooks = [lambda x: x * (1.0 + value)]
        elif action == 16:
            model.norm.momentum = 0.1 + value
        elif action == 17:
            self.rate = 1.0 + value
        elif action == 18:
            optimizer.weight_decay = value
        else:
            model.norm.running_mean *= 0.5


def numbers(world: World, value: Any) -> list[Any]:
    return [xp.to_numpy(value), *[x for state in world.states() for _, x in sorted(state.items())]]


@pytest.mark.parametrize("chunk", range(scale(1, 16)))
def test_training_steps_are_those_of_the_function(device: xp.Device, chunk: int, figures: Any) -> None:
    dtypes = [dtype for dtype in (xp.float64, xp.float32) if dtype in device.dtypes]
    for seed in range(scale(2, 12) if device.name == "strict" else 12):  # strict is slow
        name = f"{chunk} {seed}"
        kind = Random(name).choice(["step", "step", "evaluate", "average"])
        sizes = Random(name + "shape")
        shape = sizes.choice(SIZES[1:]), sizes.choice(SIZES), sizes.choice(SIZES)
        dtype = dtypes[seed % len(dtypes)]
        fused, plain = [World(Random(name), kind, shape, device, dtype) for _ in range(2)]
        donate = ("model", "optimizer") if Random(name + "donate").random() < 0.3 and kind == "step" else ()
        function = xp.fuse(fused.step, donate=donate)
        rtol, atol = TOLERANCES[dtype.name]
        data = np.random.default_rng(seed)
        for count in range(scale(8, 20)):
            x, y = (xp.asarray(data.normal(size=(shape[0], width)), device=device, dtype=dtype) for width in shape[1:])
            outcomes = []
            for world, step in ((fused, function), (plain, plain.step)):
                value, world.model = step(world.model, world.optimizer, x, y)
                outcomes.append(numbers(world, value))
            message = f"{name}, {shape}, {dtype}, step {count}"
            for mine, wanted in zip(*outcomes, strict=True):
                np.testing.assert_allclose(mine, wanted, rtol=rtol, atol=atol, err_msg=message)
            for number in range(Random(f"{name} {count}").randrange(3)):
                for world in (fused, plain):
                    world.change(Random(f"{name} {count} {number}"))
            figures.record(steps=1)
