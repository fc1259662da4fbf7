"""Times that ``xtensor.best_device`` estimates, beside the measured ones of the same calls on each device.

The rates are measured at the beginning of the run, in a folder of its own. An estimate is shown as a library of its
own, so that it stands beside the measured time in the table and in the conditions.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import xtensor as xp
from xtensor import Device
from xtensor._advice.rates import calibrate
from xtensor._core.files import FOLDER_VARIABLE

from ._cases import Group, Samplers, Variant
from ._conditions import Condition, Finding, Row
from ._libraries import Library
from ._measure import Sampler, statement_sampler

__all__ = ["GROUP", "AdviceCase"]

DEVICES = ("cpu", "numpy", "strict", "sycl:cpu:0", "cuda")
"""Names of the devices, of which those of this machine are measured."""

Shapes = Sequence[tuple[int, ...]]


def principal_components(x: xp.Array) -> Any:
    """Return the scores of the ten largest components, by the eigenvectors of the covariance matrix."""
    centered = x - xp.mean(x, axis=0)
    values, vectors = xp.linalg.eigh(centered.T @ centered / (x.shape[0] - 1))
    return centered @ vectors[:, -10:], values


def products(a: xp.Array, b: xp.Array, c: xp.Array, d: xp.Array) -> xp.Array:
    """Return a chain of products of matrices."""
    return a @ b @ c @ d


def convolution(x: xp.Array, kernel: xp.Array) -> xp.Array:
    """Return the circular convolution by the Fourier transform."""
    product = xp.fft.rfftn(x) * xp.fft.rfftn(kernel, s=x.shape, axes=(0, 1))
    return xp.fft.irfftn(product, s=x.shape, axes=(0, 1))


def attention(query: xp.Array, key: xp.Array, value: xp.Array) -> xp.Array:
    """Return scaled dot-product attention."""
    return xp.nn.functional.scaled_dot_product_attention(query, key, value)


def chain(x: xp.Array) -> xp.Array:
    """Return a chain of elementwise functions."""
    return xp.exp(-(x**2) / 2.0) * xp.sin(x) + 3.0 * x


def reduction(x: xp.Array) -> xp.Array:
    """Return sums along an axis."""
    return xp.sum(x, axis=0)


def variance(x: xp.Array) -> xp.Array:
    """Return variances along an axis."""
    return xp.var(x, axis=0)


def order(x: xp.Array) -> xp.Array:
    """Return sorted rows."""
    return xp.sort(x, axis=1)


@cache
def devices() -> tuple[Device, ...]:
    """Return the devices of this machine that are measured; the first call measures their rates."""
    found = []
    for name in DEVICES:
        try:
            found.append(xp.device(name))
        except (ValueError, xp.BackendUnavailableError):
            continue
    with _rates_folder():
        calibrate(found)
    return tuple(found)


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@contextmanager
def _rates_folder() -> Iterator[None]:
    """Keep the rates in a folder of this process within a block."""
    before = os.environ.get(FOLDER_VARIABLE)
    os.environ[FOLDER_VARIABLE] = _folder().name
    try:
        yield
    finally:
        if before is None:
            del os.environ[FOLDER_VARIABLE]
        else:
            os.environ[FOLDER_VARIABLE] = before


def estimated(function: Callable[..., Any], shapes: Shapes) -> dict[str, float]:
    """Return the seconds that ``best_device`` estimates for each device."""
    xp.set_backend_priority([device.backend for device in devices()])  # those of a rank below 0 are considered, too
    try:
        with _rates_folder():
            ranking = xp.best_device(function, *[xp.empty(shape, device="meta") for shape in shapes]).ranking
    finally:
        xp.set_backend_priority([])
    return {str(item.device): item.seconds for item in ranking if item.seconds is not None}


def _constant(seconds: float) -> Sampler:
    return lambda calls: calls * seconds


@dataclass(frozen=True, slots=True)
class AdviceCase:
    """A function that is timed on each device, beside the estimates.

    Attributes
    ----------
    name
        Name of the job.
    function
        The function.
    shapes
        The shapes of its arguments.
    """

    name: str
    function: Callable[..., Any]
    shapes: Shapes
    note: str = ""
    max_size: int = 0

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return a sampler for each device, and one that returns the estimated time."""
        samplers: dict[str, Sampler] = {}
        seconds = estimated(self.function, self.shapes)
        numbers = np.random.default_rng(0)
        arguments = [numbers.normal(size=shape) for shape in self.shapes]
        for device in devices():
            operands = {f"x{i}": xp.asarray(value, device=device, copy=True) for i, value in enumerate(arguments)}
            samplers[str(device)] = statement_sampler(
                f"function({', '.join(operands)})",
                {"function": self.function, **operands},
                synchronize=None if device.backend in ("numpy", "llvm") else device.synchronize,
            )
            if str(device) in seconds:
                samplers[f"{device} estimated"] = _constant(seconds[str(device)])
        return samplers, {}


def accuracy(device: str, factor: float) -> Condition:
    """Make a condition: the estimates of a device are within a factor of the measured times."""
    text = f"the estimates of {device} are within a factor of {factor:g} of the measured times"

    def condition(rows: Sequence[Row]) -> Finding:
        ratios = {}
        for row in rows:
            times = row["libraries"]
            if device in times and f"{device} estimated" in times:
                ratios[row["case"]] = times[f"{device} estimated"]["best"] / times[device]["best"]
        misses = [f"{name} {ratio:.2f}" for name, ratio in ratios.items() if not 1 / factor <= ratio <= factor]
        measured = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        if ratios:
            measured += f"; {statistics.geometric_mean(ratios.values()):.2f} in the geometric mean"
        return _finding(text, measured, misses, bool(ratios))

    return condition


def ranking(factor: float) -> Condition:
    """Make a condition: the advised device takes no more than a multiple of the fastest one's time."""
    text = f"the advised device takes no more than {factor:g} times the time of the fastest one"

    def condition(rows: Sequence[Row]) -> Finding:
        found = {}
        for row in rows:
            times = {name: value["best"] for name, value in row["libraries"].items()}
            guesses = {name.removesuffix(" estimated"): time for name, time in times.items() if "estimated" in name}
            if guesses:
                advised = min(guesses, key=guesses.__getitem__)
                found[f"{row['case']} ({advised})"] = times[advised] / min(times[name] for name in guesses)
        misses = [f"{name} {ratio:.2f}" for name, ratio in found.items() if ratio > factor]
        return _finding(text, ", ".join(f"{name} {ratio:.2f}" for name, ratio in found.items()), misses, bool(found))

    return condition


def _finding(text: str, measured: str, misses: list[str], any_row: bool) -> Finding:
    return {
        "condition": text,
        "measured": measured or "no rows",
        "met": not misses if any_row else None,
        "misses": misses,
    }


GROUP = Group(
    title="estimated and measured times of jobs on the devices",
    cases=(
        AdviceCase("principal components of many rows", principal_components, [(100_000, 100)]),
        AdviceCase("principal components of many features", principal_components, [(2_000, 600)]),
        AdviceCase("products of matrices", products, [(1_000, 1_000)] * 4),
        AdviceCase("products of small matrices", products, [(100, 100)] * 4),
        AdviceCase("convolution", convolution, [(1_500, 1_500), (31, 31)]),
        AdviceCase("attention", attention, [(1, 8, 800, 64)] * 3),
        AdviceCase("elementwise chain", chain, [(3_000, 1_000)]),
        AdviceCase("elementwise chain of few elements", chain, [(1_000,)]),
        AdviceCase("sum", reduction, [(5_000, 1_000)]),
        AdviceCase("variance", variance, [(5_000, 1_000)]),
        AdviceCase("sorting", order, [(1_000, 1_000)]),
    ),
    quick_cases=(
        AdviceCase("products of matrices", products, [(20, 20)] * 4),
        AdviceCase("elementwise chain", chain, [(50, 20)]),
    ),
    peers=(),
    rounds=30,
    max_seconds=10.0,
    sweeps=2,
    baseline="cpu",
    conditions=(*[accuracy(name, 3.0) for name in DEVICES], ranking(1.5)),
)
