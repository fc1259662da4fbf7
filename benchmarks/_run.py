"""Running a group: every case, in every variant, through the one mechanism of :mod:`benchmarks._measure`."""

from __future__ import annotations

import datetime
import os
import platform
import statistics
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pkgutil import iter_modules

import xtensor
from xtensor import Device

from ._cases import Case, Group, Limit, Variant
from ._libraries import Library, find, raw_library
from ._measure import Timing, measure

__all__ = [
    "Outcome",
    "Row",
    "Verdict",
    "group_names",
    "load_group",
    "on_default_device",
    "run_group",
    "smaller",
    "sweeps_sizes",
]


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured for a case in a variant: a timing for each library, or why it has none."""

    case: str
    variant: Variant | None
    note: str
    timings: dict[str, Timing]
    refused: dict[str, str]

    def ratio(self, library: str, raw: str) -> float | None:
        """The best time of a library over that of the raw one."""
        if library not in self.timings or raw not in self.timings:
            return None
        return self.timings[library].best / self.timings[raw].best

    def median_ratio(self, library: str, raw: str) -> float | None:
        """The median, over the rounds, of the ratios within a round."""
        if library not in self.timings or raw not in self.timings:
            return None
        rounds = zip(self.timings[library].samples, self.timings[raw].samples, strict=True)
        return statistics.median(ours / theirs for ours, theirs in rounds)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A limit, and the ratio that was measured."""

    limit: Limit
    ratio: float

    @property
    def kept(self) -> bool:
        """Whether the ratio is not above the limit."""
        return self.ratio <= self.limit.ratio


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run of a group, with all that is needed to compare it with another one."""

    name: str
    group: Group
    device: str
    raw: str
    versions: dict[str, str]
    left_out: dict[str, str]
    rows: tuple[Row, ...]
    quick: bool
    rounds: int
    machine: dict[str, str | int] = field(default_factory=lambda: machine())
    date: str = field(default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The limits whose case and size were measured."""
        return tuple(
            Verdict(limit, ratio)
            for limit in self.group.limits
            for row in self.rows
            if row.case == limit.case and (row.variant.size if row.variant else None) == limit.size
            if (ratio := row.ratio("xtensor", self.raw)) is not None
        )


def sweeps_sizes(rows: Sequence[Row]) -> bool:
    """Whether rows show cost against size: at more sizes than a small and a large one."""
    return len({row.variant.size for row in rows if row.variant is not None}) > 2


def machine() -> dict[str, str | int]:
    """The machine in words that mean something elsewhere."""
    host = xtensor.device("cpu").info()
    return {
        "model": host.name,
        "cores": host.cores or os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def group_names() -> dict[str, str]:
    """The groups by name, each with its module. A name that Python reserves has an underscore after it as a module."""
    modules = (module.name for module in iter_modules(sys.modules[__package__].__path__))
    return {name.rstrip("_"): f"{__package__}.{name}" for name in sorted(modules) if not name.startswith("_")}


def load_group(name: str) -> Group:
    """The group of a name."""
    group = import_module(group_names()[name]).GROUP
    assert isinstance(group, Group)
    return group


def smaller(group: Group) -> Group:
    """The same cases on small operands, few rounds, for a glance."""
    sizes = tuple(dict.fromkeys((group.sizes[0], min(group.sizes[-1], 1000)))) if group.sizes else ()
    return replace(group, sizes=sizes, rounds=3, seconds=0.1, sweeps=1, shortest=2e-5)


@contextmanager
def on_default_device(device: Device) -> Iterator[None]:
    """Make a device the default of the process; one that is so already stays so by itself, as in a user's program."""
    if xtensor.default_device() is device:
        yield
        return
    xtensor.set_default_device(device)
    try:
        yield
    finally:
        xtensor.set_default_device(None)


def run_group(
    name: str,
    group: Group,
    device: Device,
    *,
    rounds: int | None = None,
    quick: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Measure every case of a group on a device.

    Parameters
    ----------
    name, group
        The group.
    device
        Where xtensor computes; its raw library is the baseline.
    rounds
        How often each library is sampled; by default as the group says.
    quick
        Noted in the outcome: whether the group was made smaller.
    progress
        Told what comes next.
    """
    libraries, left_out = find(device)
    raw = group.baseline or raw_library(device)
    if group.peers is not None:
        libraries = tuple(item for item in libraries if item.name in (raw, "xtensor", *group.peers))
        left_out = {peer: reason for peer, reason in left_out.items() if peer in group.peers}
    rounds = group.rounds if rounds is None else rounds
    rows: list[Row] = []
    with on_default_device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a library warns of is not what is measured, and would be said each time
        for variant in group.variants():
            cases = [case for case in group.cases if variant is None or variant.size <= case.largest]
            rows += _measured(cases, variant, libraries, group, rounds, progress)
    versions = {library.name: library.version for library in libraries}
    return Outcome(name, group, device.name, raw, versions, left_out, tuple(rows), quick, rounds)


def _measured(
    cases: list[Case],
    variant: Variant | None,
    libraries: tuple[Library, ...],
    group: Group,
    rounds: int,
    progress: Callable[[str], None],
) -> list[Row]:
    """The cases in one variant, sweep by sweep; operands are made anew in each, so that they never pile up."""
    sweeps = min(group.sweeps, rounds)
    rows = [Row(case.name, variant, case.note, {}, {}) for case in cases]
    for sweep in range(sweeps):
        repeat = rounds * (sweep + 1) // sweeps - rounds * sweep // sweeps
        for position, case in enumerate(cases):
            progress(f"{sweep + 1}/{sweeps} {case.name} {variant or ''}")
            samplers, refused = case.samplers(libraries, variant)
            timings = measure(
                samplers,
                repeat=repeat,
                shortest=group.shortest,
                seconds=group.seconds / sweeps,
                earlier=rows[position].timings,
            )
            rows[position] = replace(rows[position], timings=timings, refused=refused)
    return rows
