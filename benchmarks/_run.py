"""Execution of a group: every case in every variant, timed by :mod:`benchmarks._measure`."""

from __future__ import annotations

import datetime
import os
import platform
import statistics
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import xtensor
from xtensor import Device

from ._allocators import SYSTEM
from ._cases import Case, Group, HasFigures, Limit, Variant
from ._libraries import Library, load_libraries, raw_library
from ._measure import Timing, measure

__all__ = [
    "Outcome",
    "Row",
    "full_group",
    "group_modules",
    "load_group",
    "quick_group",
    "run_group",
    "temporary_default_device",
]


@dataclass(frozen=True, slots=True)
class Row:
    """Result of a case in a variant: a timing for each library, or the reason why it has none."""

    case: str
    variant: Variant | None
    note: str
    timings: dict[str, Timing]
    skipped: dict[str, str]
    figures: dict[str, dict[str, float]] = field(default_factory=dict)
    """Figures of the case besides times, by library."""

    def ratio(self, library: str, baseline: str) -> float | None:
        """Return the best time of a library divided by the baseline's; None if either was not measured."""
        if library not in self.timings or baseline not in self.timings:
            return None
        return self.timings[library].best / self.timings[baseline].best

    def median_ratio(self, library: str, baseline: str) -> float | None:
        """Return the median over the rounds of the ratio within a round; None if either was not measured."""
        if library not in self.timings or baseline not in self.timings:
            return None
        rounds = zip(self.timings[library].samples, self.timings[baseline].samples, strict=True)
        return statistics.median(sample / reference for sample, reference in rounds)

    def lower_ratio(self, library: str, baseline: str) -> float | None:
        """Return the smaller of both ratios, which limits apply to; None if either library was not measured.

        A processor whose clock changes between two samples distorts the best times, other programs distort the ratios
        within the rounds. A call that takes longer exceeds a limit in both.
        """
        ratio, median_ratio = self.ratio(library, baseline), self.median_ratio(library, baseline)
        return None if ratio is None or median_ratio is None else min(ratio, median_ratio)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of a group, with the versions, the device and the machine."""

    name: str
    group: Group
    device: str
    device_name: str
    baseline: str
    versions: dict[str, str]
    unavailable: dict[str, str]
    rows: tuple[Row, ...]
    quick: bool
    rounds: int
    allocator: str = SYSTEM
    machine: dict[str, str | int] = field(default_factory=lambda: machine())
    python: str = f"{platform.python_implementation()} {platform.python_version()}"
    date: str = field(default_factory=lambda: datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))

    @property
    def fails(self) -> bool:
        """Whether a ratio exceeds a limit of a group whose limits are enforced."""
        return self.group.enforced and any(ratio > limit.ratio for limit, ratio in self.limit_ratios)

    @property
    def on_own_device(self) -> bool:
        """Whether the group was measured on its own device."""
        try:
            return xtensor.device(self.group.device).name == self.device
        except xtensor.BackendUnavailableError:
            return False

    @property
    def limit_ratios(self) -> tuple[tuple[Limit, float], ...]:
        """Limits whose case and size were measured, each with the smaller of both measured ratios."""
        return tuple((limit, ratio) for limit, _, ratio in self.limited_rows)

    @property
    def limited_rows(self) -> tuple[tuple[Limit, Row, float], ...]:
        """Limits whose case and size were measured, each with the row and the smaller of both measured ratios."""
        return tuple(
            (limit, row, ratio)
            for limit in self.group.limits
            for row in self.rows
            if row.case == limit.case and (row.variant.size if row.variant else None) == limit.size
            if (ratio := row.lower_ratio("xtensor", self.baseline)) is not None
        )


def machine() -> dict[str, str | int]:
    """Return the processor, its number of cores and the system. The host name is not included."""
    host = xtensor.device("cpu").info()
    return {
        "model": _distinguished(host.name),
        "cores": host.cores or os.cpu_count() or 1,
        "system": f"{platform.system()} {platform.machine()}",
    }


def _distinguished(model: str | None, cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return a processor's name with family and model, where a virtual machine hides its number."""
    if not model or any(character.isdigit() for character in model) or not cpuinfo.exists():
        return model or ""
    lines = (line.partition(":") for line in cpuinfo.read_text().splitlines())
    numbers = {key.strip(): value.strip() for key, _, value in lines}
    if not {"cpu family", "model"} <= numbers.keys():
        return model
    return f"{model} (family {numbers['cpu family']}, model {numbers['model']})"


def group_modules() -> dict[str, str]:
    """Return the module of each group by name. The module of a name that is a keyword ends with an underscore."""
    # A package such as benchmarks.hardware has a command line of its own.
    modules = (module.name for module in iter_modules(sys.modules[__package__].__path__) if not module.ispkg)
    return {name.rstrip("_"): f"{__package__}.{name}" for name in sorted(modules) if not name.startswith("_")}


def load_group(name: str) -> Group:
    """Import a group by name."""
    group = import_module(group_modules()[name]).GROUP
    assert isinstance(group, Group)
    return group


def quick_group(group: Group) -> Group:
    """Return a group with the same cases, small operands and few rounds."""
    sizes = tuple(dict.fromkeys(min(size, 1000) for size in (group.sizes[0], group.sizes[-1]))) if group.sizes else ()
    if group.quick_cases:
        group = replace(group, cases=group.quick_cases, limits=())
    return replace(
        group,
        sizes=sizes,
        rounds=min(group.rounds, 3),
        max_seconds=0.1,
        sweeps=1,
        min_sample_seconds=min(group.min_sample_seconds, 2e-5),
    )


def full_group(group: Group) -> Group:
    """Return a group with its full sizes and limits; the group itself where it has none."""
    return replace(group, sizes=group.full_sizes, limits=group.full_limits) if group.full_sizes else group


@contextmanager
def temporary_default_device(device: Device) -> Iterator[None]:
    """Make a device the default of the process. Set nothing if it already is, as in a user's program."""
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
    allocator: str = SYSTEM,
    progress: Callable[[str], None] = lambda line: None,
) -> Outcome:
    """Measure every case of a group on a device.

    Parameters
    ----------
    name, group
        The group and its name.
    device
        Device of xtensor's arrays. Its raw library is the default baseline.
    rounds
        Number of samples of each library; by default ``group.rounds``.
    quick
        Whether the group was reduced by :func:`quick_group`; recorded in the outcome.
    allocator
        Name of the allocator of this process; recorded in the outcome.
    progress
        Receives a line before each case.
    """
    libraries, unavailable = load_libraries(device, group.peers)
    baseline = group.baseline or raw_library(device)
    rounds = group.rounds if rounds is None else rounds
    rows: list[Row] = []
    with temporary_default_device(device), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a library's warnings would be repeated for every sample
        for variant in group.variants():
            rows += _measure_variant(group.cases_of(variant), variant, libraries, group, rounds, progress)
    versions = {library.name: library.version for library in libraries}
    device_name = device.info().name
    return Outcome(
        name, group, device.name, device_name, baseline, versions, unavailable, tuple(rows), quick, rounds, allocator
    )


def _measure_variant(
    cases: list[Case],
    variant: Variant | None,
    libraries: tuple[Library, ...],
    group: Group,
    rounds: int,
    progress: Callable[[str], None],
) -> list[Row]:
    """Measure the cases in one variant, sweep by sweep. Each sweep rebuilds the operands to limit memory use."""
    sweeps = min(group.sweeps, rounds)
    pause = group.pause if variant is None or variant.size >= group.pause_from else 0.0
    rows = [Row(case.name, variant, case.note, {}, {}) for case in cases]
    for sweep in range(sweeps):
        sweep_rounds = rounds * (sweep + 1) // sweeps - rounds * sweep // sweeps
        for position, case in enumerate(cases):
            progress(f"{sweep + 1}/{sweeps} {case.name} {variant or ''}")
            samplers, skipped = case.samplers(libraries, variant)
            timings = measure(
                samplers,
                rounds=sweep_rounds,
                min_sample_seconds=group.min_sample_seconds,
                max_seconds=group.max_seconds / sweeps,
                pause=pause,
                previous=rows[position].timings,
            )
            figures = case.figures() if isinstance(case, HasFigures) else {}
            rows[position] = replace(rows[position], timings=timings, skipped=skipped, figures=figures)
    return rows
