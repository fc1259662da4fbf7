"""Functions of batches: ``vmap`` over the time of a loop over the examples, beside torch.func and JAX."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import xtensor as xp
from xtensor import autograd

from ._cases import Group, Samplers, Variant
from ._libraries import Library
from ._measure import statement_sampler

Calls = dict[str, Callable[[], Any]]

EXAMPLES, WIDTH, PARAMETERS = 64, 64, 100


def _network(module: Any) -> tuple[Callable[..., Any], Any, Any, Any]:
    """Return the loss of one example of a network of three layers, its parameters, and a batch."""
    rng = np.random.default_rng(0)
    parameters = [module.asarray(rng.standard_normal((WIDTH, WIDTH)) / 8) for _ in range(3)]
    batch, target = (module.asarray(rng.standard_normal((EXAMPLES, WIDTH))) for _ in range(2))

    def loss(parameters: Any, x: Any, y: Any) -> Any:
        for layer, weight in enumerate(parameters):
            x = x @ weight
            x = module.tanh(x) if layer < 2 else x
        return module.mean((x - y) ** 2)

    return loss, parameters, batch, target


def _quartic(module: Any) -> tuple[Callable[[Any], Any], Any]:
    """Return a function of some parameters whose Hessian matrix is dense, and a point."""
    rng = np.random.default_rng(0)
    matrix = module.asarray(rng.standard_normal((PARAMETERS, PARAMETERS)) / 10)
    return lambda x: module.sum(module.tanh(matrix @ x) ** 2) + module.sum(x**4), module.asarray(
        rng.standard_normal(PARAMETERS)
    )


def _gradients() -> Calls:
    loss, parameters, batch, target = _network(xp)
    gradient = autograd.grad(loss)
    batched = xp.vmap(gradient, in_axes=(None, 0, 0))

    def loop() -> Any:
        found = [gradient(parameters, batch[number], target[number]) for number in range(EXAMPLES)]
        return [xp.stack(parts) for parts in zip(*found, strict=True)]

    return {"loop": loop, "xtensor": lambda: batched(parameters, batch, target)}


def _gradients_of_torch() -> Calls:
    torch = import_module("torch")
    loss, parameters, batch, target = _network(torch)
    batched = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return {"torch": lambda: batched(parameters, batch, target)}


def _gradients_of_jax() -> Calls:
    jax = _jax()
    loss, parameters, batch, target = _network(jax.numpy)
    batched = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))
    compiled = jax.jit(batched)
    return {
        "jax": lambda: jax.block_until_ready(batched(parameters, batch, target)),
        "jax.jit": lambda: jax.block_until_ready(compiled(parameters, batch, target)),
    }


def _hessian() -> Calls:
    function, x = _quartic(xp)
    hessian, product = autograd.hessian(function), autograd.hvp
    rows = [xp.asarray(row) for row in np.eye(PARAMETERS)]
    return {
        "loop": lambda: xp.stack([product(function, (x,), (row,)) for row in rows]),
        "xtensor": lambda: hessian(x),
    }


def _hessian_of_torch() -> Calls:
    torch = import_module("torch")
    function, x = _quartic(torch)
    hessian = torch.func.hessian(function)
    return {"torch": lambda: hessian(x)}


def _hessian_of_jax() -> Calls:
    jax = _jax()
    function, x = _quartic(jax.numpy)
    hessian = jax.hessian(function)
    compiled = jax.jit(hessian)
    return {
        "jax": lambda: jax.block_until_ready(hessian(x)),
        "jax.jit": lambda: jax.block_until_ready(compiled(x)),
    }


def _jax() -> Any:
    jax = import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


PROBLEMS: dict[str, dict[str, Callable[[], Calls]]] = {
    f"gradients of {EXAMPLES} examples, 3 layers of {WIDTH}": {
        "xtensor": _gradients,
        "torch": _gradients_of_torch,
        "jax": _gradients_of_jax,
    },
    f"Hessian matrix of {PARAMETERS} parameters": {
        "xtensor": _hessian,
        "torch": _hessian_of_torch,
        "jax": _hessian_of_jax,
    },
}


@dataclass(frozen=True, slots=True)
class Batch:
    """A function of a batch, and the loop over its examples."""

    name: str
    note: str = ""
    max_size: int = 2**62

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return the samplers of the loop, of xtensor, and of the peers that are installed."""
        calls: Calls = {}
        skipped = {}
        for library, made in PROBLEMS[self.name].items():
            if find_spec(library) is None:
                skipped[library] = "not installed"
            else:
                calls |= made()
        synchronize = xp.default_device().synchronize
        samplers = {
            name: statement_sampler("call()", {"call": call}, synchronize=synchronize) for name, call in calls.items()
        }
        return samplers, skipped


GROUP = Group(
    title="batches, over a loop over the examples",
    cases=tuple(map(Batch, PROBLEMS)),
    peers=(),
    limits=(),
    rounds=15,
    max_seconds=2.0,
    sweeps=2,
    baseline="loop",
)
