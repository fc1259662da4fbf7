"""Gradients, over the time and the memory of the function alone, and beside torch's eager gradients on the same device.

The columns of a row are the function without derivatives and its gradient, in xtensor and in torch, over the time of
xtensor's function. The row ``recording`` is one recorded multiplication of one-element arrays over a plain one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

import xtensor as xp
from xtensor import autograd, linalg, special

from ._cases import Group, Limit, Samplers, Variant
from ._conditions import Condition, Finding, Row
from ._libraries import Library
from ._measure import statement_sampler

Host = np.ndarray[Any, Any]
Build = Callable[[Any], tuple[Callable[[Any], Any], Any]]
"""Function of a library's module that returns the function to be differentiated and its argument."""


def _network(module: Any) -> tuple[Callable[[Any], Any], Any]:
    """Return the loss of three layers of 256 for a batch of 256, and the parameters."""
    rng = np.random.default_rng(0)
    parameters = [module.asarray(rng.standard_normal((256, 256)) / 16) for _ in range(3)]
    parameters += [module.asarray(np.zeros(256)) for _ in range(3)]
    batch, target = (module.asarray(rng.standard_normal((256, 256))) for _ in range(2))

    def loss(values: Any) -> Any:
        hidden = batch
        for layer in range(3):
            hidden = hidden @ values[layer] + values[layer + 3]
            hidden = module.tanh(hidden) if layer < 2 else hidden
        return module.mean((hidden - target) ** 2)

    return loss, parameters


def _logsumexp(module: Any) -> tuple[Callable[[Any], Any], Any]:
    x = module.asarray(np.random.default_rng(0).standard_normal(10**6))
    return (special.logsumexp if module is xp else lambda x: module.logsumexp(x, 0)), x


def _likelihood(module: Any) -> tuple[Callable[[Any], Any], Any]:
    """Return the negative logarithm of the density of a normal distribution, and its covariance matrix."""
    rng = np.random.default_rng(0)
    root = rng.standard_normal((500, 500))
    y = module.asarray(rng.standard_normal((500, 1)))

    def negative_logarithm(covariance: Any) -> Any:
        factor = module.linalg.cholesky(covariance)
        whitened = module.linalg.solve(factor, y)
        return 0.5 * module.sum(whitened * whitened) + module.sum(module.log(linalg_diagonal(factor)))

    linalg_diagonal = linalg.diagonal if module is xp else module.diagonal
    return negative_logarithm, module.asarray(root @ root.T + 500 * np.eye(500))


def _heat(module: Any) -> tuple[Callable[[Any], Any], Any]:
    """Return the final energy of 200 explicit steps of the heat equation on a ring of 10,000 points."""

    def energy(u: Any) -> Any:
        for _ in range(200):
            u = u + 0.1 * (module.roll(u, 1) - 2 * u + module.roll(u, -1))
        return module.sum(u * u)

    return energy, module.asarray(np.random.default_rng(0).standard_normal(10_000))


PROBLEMS: dict[str, Build] = {
    "network, 3 layers of 256, batch of 256": _network,
    "logsumexp of 1e6": _logsumexp,
    "normal log likelihood by cholesky, 500 x 500": _likelihood,
    "heat equation, 200 steps of 1e4": _heat,
}


def _xtensor_calls(build: Build) -> tuple[Callable[[], Any], Callable[[], Any]]:
    function, argument = build(xp)
    gradient = autograd.grad(function)
    return lambda: function(argument), lambda: gradient(argument)


def _torch_calls(build: Build, device: str = "cpu") -> tuple[Callable[[], Any], Callable[[], Any]]:
    torch = import_module("torch")
    torch.set_num_threads(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    with torch.device(device):
        function, argument = build(torch)
    leaves = argument if isinstance(argument, list) else [argument]
    for leaf in leaves:
        leaf.requires_grad_()

    def forward() -> Any:
        with torch.no_grad():
            return function(argument)

    return forward, lambda: torch.autograd.grad(function(argument), leaves)


def _torch_device() -> str:
    """Return torch's name of the default device, on which xtensor's arrays are."""
    return "cpu" if xp.default_device().host else "cuda"


@dataclass(frozen=True, slots=True)
class Gradient:
    """A function and its gradient."""

    name: str
    note: str = ""
    max_size: int = 2**62

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return the samplers of the function and of its gradient, in xtensor and in torch."""
        build = PROBLEMS[self.name]
        calls = dict(zip(("function", "xtensor"), _xtensor_calls(build), strict=True))
        skipped = {}
        if find_spec("torch") is None:
            skipped["torch"] = "not installed"
        else:
            calls |= zip(("torch function", "torch"), _torch_calls(build, _torch_device()), strict=True)
        synchronize = xp.default_device().synchronize
        samplers = {
            name: statement_sampler("call()", {"call": call}, synchronize=synchronize) for name, call in calls.items()
        }
        return samplers, skipped


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded operation over a plain one."""

    name: str = "recording x * y of one element"
    note: str = ""
    max_size: int = 2**62

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return the samplers of a plain and of a recorded multiplication, in xtensor and in torch."""
        x = xp.asarray([1.5])
        operands = {"function": x, "xtensor": autograd.variable(x)}
        skipped = {}
        if find_spec("torch") is None:
            skipped["torch"] = "not installed"
        else:
            torch = import_module("torch")
            with torch.device(_torch_device()):
                operands |= {"torch function": torch.ones(1), "torch": torch.ones(1, requires_grad=True)}
        return {name: statement_sampler("x * x", {"x": operand}) for name, operand in operands.items()}, skipped


# -- memory -----------------------------------------------------------------------------------------------------------


def peak_bytes(library: str, problem: str) -> int | None:
    """Return the bytes by which a gradient raises a process's memory above what the function had needed; Linux only."""
    command = [sys.executable, "-P", "-m", "benchmarks.autograd", library, problem]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ})
    return int(result.stdout) if result.returncode == 0 and result.stdout.strip().isdigit() else None


def _print_peak(library: str, problem: str) -> None:
    """Print the peak of this process's memory during a gradient."""
    calls = {"xtensor": _xtensor_calls, "torch": _torch_calls}[library]
    function, gradient = calls(PROBLEMS[problem])
    function()
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # resets the peak
    before = _peak()
    gradient()
    print(_peak() - before)


def _peak() -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def memory(limit: float) -> Condition:
    """Make a condition: the peak memory of each gradient is at most a multiple of torch's."""

    def condition(rows: Sequence[Row]) -> Finding:
        ratios = {}
        for row in rows:
            if row["case"] in PROBLEMS and "torch" in row["libraries"]:
                ours, theirs = (peak_bytes(library, row["case"]) for library in ("xtensor", "torch"))
                if ours is not None and theirs:
                    ratios[row["case"]] = ours / theirs
        misses = [f"{name} {ratio:.2f}" for name, ratio in ratios.items() if ratio > limit]
        measured = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items()) or "not measured"
        text = f"the peak memory of each gradient is at most {limit:g} times torch's"
        return {"condition": text, "measured": measured, "met": not misses if ratios else None, "misses": misses}

    return condition


GROUP = Group(
    title="gradients, over the function alone",
    cases=(Recording(), *map(Gradient, PROBLEMS)),
    peers=(),
    limits=tuple(Limit(name, None, 3.5) for name in PROBLEMS),
    rounds=30,
    max_seconds=2.0,
    sweeps=3,
    baseline="function",
    conditions=(memory(1.2),),
)

if __name__ == "__main__":
    _print_peak(*sys.argv[1:])
