"""Whole programs, compiled: training steps, simulations and SciPy's functions, over torch's time without a compiler.

The columns are xtensor's function as written (``unfused``) and under ``xtensor.fuse``, torch's as written and under
``torch.compile``, and JAX's under ``jax.jit``. ``record`` is the first call under ``fuse`` over the unfused one.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import xtensor as xp

from ._cases import Group, Samplers, Variant
from ._compilers import processors
from ._conditions import Condition, Finding, Row
from ._libraries import Library
from ._measure import statement_sampler
from ._programs import PROGRAMS, jax_library, torch_library, xtensor_library

Call = Callable[[], Any]


def _unfused(program: str) -> Call:
    function, arguments = PROGRAMS[program](xtensor_library())
    return partial(function, *arguments)


def _fused(program: str) -> Call:
    function, arguments = PROGRAMS[program](xtensor_library())
    return partial(xp.fuse(function), *arguments)


def _torch(program: str) -> partial[Any]:
    torch = import_module("torch")
    torch.set_num_threads(processors())
    function, arguments = PROGRAMS[program](torch_library("cuda" if _on_gpu() else "cpu"))
    return partial(function, *arguments)


def _on_gpu() -> bool:
    """Whether the default device is a GPU of CUDA or ROCm, for which torch's name is ``cuda``."""
    return xp.empty(0).__dlpack_device__()[0] in (2, 10)


def _compiled_by_torch(program: str) -> Call:
    call = _torch(program)
    return partial(import_module("torch").compile(call.func), *call.args)


def _compiled_by_jax(program: str) -> Call:
    jax = import_module("jax")
    function, arguments = PROGRAMS[program](jax_library())
    compiled = jax.jit(function)
    return lambda: jax.block_until_ready(compiled(*arguments))


CALLS: dict[str, tuple[str, Callable[[str], Call]]] = {
    "unfused": ("xtensor", _unfused),
    "xtensor": ("xtensor", _fused),
    "torch": ("torch", _torch),
    "torch.compile": ("torch", _compiled_by_torch),
    "jax.jit": ("jax", _compiled_by_jax),
}
"""The module that a column needs, and the function that returns its call."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A program in each library."""

    name: str
    note: str = ""
    max_size: int = 2**62

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Return the samplers of the libraries that are installed and compute the program."""
        samplers, skipped = {}, {}
        for column, (module, build) in CALLS.items():
            if find_spec(module) is None:
                skipped[column] = "not installed"
                continue
            try:
                call = build(self.name)
                call()
            except Exception as error:
                if module == "xtensor":
                    raise
                skipped[column] = f"{type(error).__name__}: {error}".splitlines()[0][:120]
                continue
            samplers[column] = statement_sampler("call()", {"call": call}, synchronize=xp.default_device().synchronize)
        return samplers, skipped

    def figures(self) -> dict[str, dict[str, float]]:
        """Return each library's time in a process of its own, and xtensor's first call over that of the function.

        In one process the threads of a library wait for work on the processors that the next library computes on.
        """
        found = {column: alone(column, self.name) for column in CALLS}
        figures = {column: {"alone_ms": own.seconds * 1e3} for column, own in found.items() if own is not None}
        call, recorded = _unfused(self.name), _fused(self.name)
        call()
        start = time.perf_counter()
        call()
        middle = time.perf_counter()
        recorded()
        figures.setdefault("xtensor", {})["record"] = (time.perf_counter() - middle) / (middle - start)
        return figures


# -- conditions -------------------------------------------------------------------------------------------------------


def ahead(peer: str, mean: float, worst: float) -> Condition:
    """Make a condition: the geometric mean of the ratios to a peer's times, and the largest, are below limits.

    The times are those of processes of their own.
    """

    def condition(rows: Sequence[Row]) -> Finding:
        times = {
            row["case"]: {column: own["alone_ms"] for column, own in row["figures"].items() if "alone_ms" in own}
            for row in rows
            if "figures" in row
        }
        ratios = {case: own["xtensor"] / own[peer] for case, own in times.items() if {"xtensor", peer} <= own.keys()}
        misses = [f"{name} {ratio:.2f}" for name, ratio in ratios.items() if ratio > worst]
        average = statistics.geometric_mean(ratios.values()) if ratios else 0.0
        text = f"over {peer}, the geometric mean is at most {mean:g}, and no row above {worst:g}"
        measured = f"{average:.2f} in {len(ratios)} rows" if ratios else "no rows"
        return _finding(text, measured, misses, not misses and average <= mean if ratios else None)

    return condition


def memory(limit: float) -> Condition:
    """Make a condition: the peak of the memory of each program is at most a multiple of the least of the compilers'."""

    def condition(rows: Sequence[Row]) -> Finding:
        measured, misses = [], []
        measurable = sys.platform.startswith("linux") and not _on_gpu()  # a process's memory is not that of a GPU
        for row in rows if measurable else ():
            columns = [name for name in ("xtensor", "torch.compile", "jax.jit") if name in row["libraries"]]
            peaks = {name: own.peak for name in columns if (own := alone(name, row["case"])) is not None}
            if "xtensor" not in peaks or len(peaks) < 2:
                continue
            text = f"{row['case']} " + ", ".join(f"{name} {peak / 2**20:.1f}" for name, peak in peaks.items())
            measured.append(text)
            if peaks.pop("xtensor") > limit * max(min(peaks.values()), 2**20):
                misses.append(text)
        text = f"the peak of the memory of a call, in MiB, is at most {limit:g} times that of the peer with the least"
        return _finding(text, "; ".join(measured) or "not measured", misses, not misses if measured else None)

    return condition


@dataclass(frozen=True, slots=True)
class Alone:
    """Least time of a call and most memory of a program in a process of its own."""

    seconds: float
    peak: int


@cache
def alone(column: str, program: str) -> Alone | None:
    """Measure a program in a process of its own; None where that does not compute it. Memory is measured on Linux."""
    command = [sys.executable, "-P", "-m", "benchmarks.compile", column, program]
    environment = os.environ | {"PYTHONPATH": os.getcwd()}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    words = result.stdout.strip().splitlines()[-1:]
    return Alone(float(words[0].split()[0]), int(words[0].split()[1])) if result.returncode == 0 and words else None


def _print_alone(column: str, program: str) -> None:
    call = CALLS[column][1](program)
    synchronize = xp.default_device().synchronize
    call()
    call()
    before = _status("VmRSS")
    if before:
        with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
            file.write("5")  # resets the peak
    result = call()
    peak = _status("VmHWM") - before
    del result
    seconds = []
    for _ in range(CALLS_ALONE):
        start = time.perf_counter()
        call()
        synchronize()
        seconds.append(time.perf_counter() - start)
    print(min(seconds), peak)


CALLS_ALONE = 25
"""Calls of which the least time is taken."""


def _status(field: str) -> int:
    """Return a field of the process's memory in bytes; 0 where the system is not Linux."""
    if not sys.platform.startswith("linux"):
        return 0
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))


def _finding(text: str, measured: str, misses: list[str], met: bool | None) -> Finding:
    return {"condition": text, "measured": measured, "met": met, "misses": misses}


GROUP = Group(
    title="whole programs, compiled",
    cases=tuple(map(Compiled, PROGRAMS)),
    peers=(),
    limits=(),
    rounds=20,
    max_seconds=4.0,
    sweeps=1,
    min_sample_seconds=2e-3,
    baseline="torch",
    conditions=(ahead("torch", 1.0, 1.0), ahead("torch.compile", 1.0, 1.3), ahead("jax.jit", 1.0, 1.3), memory(1.2)),
    pause=0.02,
)

if __name__ == "__main__":
    _print_alone(*sys.argv[1:])
