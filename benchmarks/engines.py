"""Jobs on data larger than a worker's memory, on xtensor's device ``dask`` and in raw dask.array.

Each job runs on a cluster of two processes of 500 MB with a thread each, which reads a Zarr store. The size is the
number of float64 elements. Both libraries run in turn on the same cluster, and their values are compared. The memory is
the largest resident memory of a worker and of the client's process, which has the scheduler, during the job.
"""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ._cases import Group, Limit, Samplers, Variant
from ._conditions import Finding, Row
from ._libraries import Library

ROOT = Path(__file__).resolve().parents[1]

MEGABYTE = 10**6 // 8
"""Elements of a megabyte."""

QUICK, SMALL, IMAGE, MEDIUM, LARGE = 1000, *(number * MEGABYTE for number in (200, 100, 1000, 2000))

WORKER, CLIENT = 400, 300
"""Largest resident memory in MB."""

NEEDS = {
    "standard_scaler_fit": "sklearn",
    "scikit_learn_pipeline": "sklearn",
    "z_scores": "scipy",
    "log_sum_exp": "scipy",
    "covariance": "array_api_extra",
}


class Runner:
    """The process of :mod:`benchmarks._engine_process` for a job, with its store; one exists at a time."""

    current: Runner | None = None

    def __init__(self, job: str, elements: int) -> None:
        if Runner.current is not None:
            Runner.current.close()
        Runner.current = self
        self.figures: dict[str, dict[str, float]] = {}
        self._folder = tempfile.mkdtemp(prefix="xtensor-engines-")
        command = [sys.executable, "-m", "benchmarks._engine_process", job, self._folder, str(elements)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._answer()

    def _answer(self) -> dict[str, float]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            _, errors = self._process.communicate()
            raise RuntimeError(f"the process of the job ended: {errors[-2000:]}")
        answer: dict[str, float] = json.loads(line)
        return answer

    def sample(self, library: str, calls: int) -> float:
        """Run the job in a library and return the seconds; keep the largest figures."""
        seconds = 0.0
        for _ in range(calls):
            assert self._process.stdin is not None
            self._process.stdin.write(f"{library}\n")
            self._process.stdin.flush()
            run = self._answer()
            seconds += run["seconds"]
            found: dict[str, float] = {"worker MB": round(run["worker"] / 1e6), "client MB": round(run["client"] / 1e6)}
            found |= {"tasks": run["tasks"], "graphs": run["graphs"]}
            known = self.figures.setdefault(library, found)
            known.update({name: max(value, known[name]) for name, value in found.items()})
        return seconds

    def close(self) -> None:
        """End the process and delete its store."""
        Runner.current = None
        try:
            self._process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


@atexit.register
def _close() -> None:
    if Runner.current is not None:
        Runner.current.close()


@dataclass(frozen=True, slots=True)
class EngineCase:
    """A job in each library.

    Attributes
    ----------
    name
        Name of the job in ``examples/larger_than_memory``.
    max_size
        Its full size.
    """

    name: str
    max_size: int
    note: str = ""
    runners: dict[str, Runner] = field(default_factory=dict, hash=False, compare=False)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The small sizes and the full one."""
        return (QUICK, SMALL, self.max_size)

    def samplers(self, libraries: tuple[Library, ...], variant: Variant | None) -> Samplers:
        """Start a cluster, and return a sampler for each library."""
        assert variant is not None
        self.runners.clear()
        for module in ("distributed", "zarr", *([NEEDS[self.name]] if self.name in NEEDS else [])):
            if find_spec(module) is None:
                return {}, {"xtensor": f"{module} is not installed"}
        runner = self.runners["current"] = Runner(self.name, variant.size)
        names = ["xtensor", "dask", *(["xp.var"] if self.name == "standard_scaler_fit" else [])]
        return {name: partial(runner.sample, name) for name in names}, {}

    def figures(self) -> dict[str, dict[str, float]]:
        """Return memory, tasks and graphs of each library."""
        return self.runners["current"].figures if self.runners else {}


def memory(rows: Sequence[Row]) -> Finding:
    """Condition: resident memory of worker and client."""
    found = [(row["case"], row["figures"]["xtensor"]) for row in rows if "xtensor" in row.get("figures", {})]
    misses = [
        f"`{case}` {name} {values[name]:g}"
        for case, values in found
        for name, limit in (("worker MB", WORKER), ("client MB", CLIENT))
        if values[name] > limit
    ]
    largest = [max((values[name] for _, values in found), default=0) for name in ("worker MB", "client MB")]
    return {
        "condition": f"with xtensor, a worker has at most {WORKER} MB of resident memory and the client {CLIENT} MB",
        "measured": f"{largest[0]:g} MB and {largest[1]:g} MB at most" if found else "no rows",
        "met": not misses if found else None,
        "misses": misses,
    }


def scaler(rows: Sequence[Row]) -> Finding:
    """Condition: the time of StandardScaler's fit over that of the variance."""
    ratios = [
        times["xtensor"]["best"] / times["xp.var"]["best"] for row in rows if "xp.var" in (times := row["libraries"])
    ]
    return {
        "condition": "StandardScaler().fit takes at most 2.5 times as long as xp.var",
        "measured": ", ".join(f"{ratio:.2f}" for ratio in ratios) or "no rows",
        "met": max(ratios) <= 2.5 if ratios else None,
        "misses": [],
    }


def _all(*pairs: tuple[str, int]) -> tuple[EngineCase, ...]:
    return tuple(EngineCase(name, size) for name, size in pairs)


CASES: tuple[Any, ...] = _all(
    ("mean_and_variance", LARGE),
    ("standard_scaler_fit", MEDIUM),
    ("scikit_learn_pipeline", LARGE),
    ("z_scores", MEDIUM),
    ("log_sum_exp", MEDIUM),
    ("covariance", MEDIUM),
    ("fourier_filter", IMAGE),
    ("k_means", LARGE),
)

GROUP = Group(
    title="jobs on data larger than a worker's memory, two processes of 500 MB",
    cases=CASES,
    sizes=(IMAGE, SMALL),
    full_sizes=(IMAGE, MEDIUM, LARGE),
    dtypes=("float64",),
    peers=(),
    limits=tuple(Limit(case.name, min(SMALL, case.max_size), 1.3) for case in CASES),
    full_limits=tuple(Limit(case.name, case.max_size, 1.3) for case in CASES),
    rounds=2,
    sweeps=1,
    min_sample_seconds=0.0,
    device="dask",
    baseline="dask",
    conditions=(memory, scaler),
)
