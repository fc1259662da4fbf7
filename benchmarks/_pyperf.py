"""Export of all samples as pyperf files, one for each library.

``python -m pyperf compare_to numpy.json xtensor.json --table`` compares the benchmarks that two files share; ``stats``
and ``hist`` show the distribution. pyperf's metadata collector is disabled because it records the host name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ._run import Outcome, Row

__all__ = ["write_samples"]


def write_samples(outcomes: Sequence[Outcome], folder: Path) -> list[Path]:
    """Write the samples of each library to ``<library>.json`` in a folder and return the paths."""
    import pyperf

    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for library in dict.fromkeys(name for outcome in outcomes for name in outcome.versions):
        benchmarks = [item for outcome in outcomes for item in _benchmarks(pyperf, outcome, library)]
        if benchmarks:
            path = folder / f"{library}.json"
            pyperf.BenchmarkSuite(benchmarks).dump(str(path), replace=True)
            paths.append(path)
    return paths


def _benchmarks(pyperf: Any, outcome: Outcome, library: str) -> Iterator[Any]:
    common = {
        "cpu_model_name": outcome.machine["model"],
        "cpu_count": outcome.machine["cores"],
        "platform": outcome.machine["system"],
        "device": outcome.device,
        "library_version": outcome.versions.get(library, ""),
        "unit": "second",
    }
    for row in outcome.rows:
        timing = row.timings.get(library)
        if timing is not None:
            metadata = {**common, "name": _name(outcome, row), "loops": timing.loops}
            yield pyperf.Benchmark([pyperf.Run(timing.samples, metadata=metadata, collect_metadata=False)])


def _name(outcome: Outcome, row: Row) -> str:
    parts = (outcome.name, row.case, *((row.variant.dtype, str(row.variant.size)) if row.variant else ()))
    return ", ".join(parts)
