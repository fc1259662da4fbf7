"""Recorder of the figures that the long tier writes to ``tests/stress/results``."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from usable import usable_devices

import xtensor as xp

from .tiers import LONG

FOLDER = Path(__file__).parent
RESULTS = FOLDER / "results"
LIBRARIES = ("numpy", "scipy", "llvmlite", "array-api-strict", "dpnp", "cupy", "triton", "dask", "cubed", "hypothesis")

OTHERS = ("strict", "sycl:cpu:0", "triton:interpret")
"""The devices that are compared with ``cpu`` unless the command line names others."""

_records: dict[str, list[dict[str, Any]]] = {}
_seconds: Counter[str] = Counter()
_outcomes: Counter[tuple[str, str]] = Counter()
_deselected: list[pytest.Item] = []


class Figures:
    """Figures of one test: ``figures.record(calls=1000, bytes_grown=0)``."""

    def __init__(self) -> None:
        self.recorded: dict[str, Any] = {}

    def record(self, **figures: Any) -> None:
        """Store figures by name; numbers of one name are added up."""
        for name, value in figures.items():
            previous = self.recorded.get(name)
            self.recorded[name] = value if previous is None or isinstance(value, str) else previous + value


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give ``other`` each device that is compared with ``cpu``: those of the command line, or the project's."""
    if "other" in metafunc.fixturenames:
        named = [name for name in metafunc.config.getoption("--device") if name != "cpu"]
        metafunc.parametrize("other", named or OTHERS, indirect=True)


@pytest.fixture
def other(request: pytest.FixtureRequest) -> xp.Device:
    """A device that is compared with ``cpu``."""
    if request.param not in map(str, usable_devices()):
        pytest.skip(f"there is no device {request.param}")
    return xp.device(request.param)


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Iterator[Figures]:
    """Recorder of the test's figures; a skipped test records none."""
    recorder = Figures()
    started = time.perf_counter()
    yield recorder
    record = {
        "test": request.node.name,
        "seconds": round(time.perf_counter() - started, 1),
        "figures": recorder.recorded,
    }
    _records.setdefault(request.node.path.stem, []).append(record)


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Remember that the run has not all tests of its modules."""
    _deselected.extend(items)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the time of each module, and count its tests that passed, were skipped or failed."""
    module = Path(report.nodeid.partition("::")[0]).stem
    _seconds[module] += report.duration
    if not report.passed or report.when == "call":
        _outcomes[module, report.outcome] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the figures of a long run's modules that ended without a failure, whatever became of the others."""
    selected = _deselected or any("::" in argument for argument in session.config.args)
    if not LONG or selected or hasattr(session.config, "workerinput"):
        return
    devices = session.config.getoption("--device") or [str(device) for device in usable_devices()]
    conditions = {
        "devices": devices,
        "xtensor": xp.__version__,
        "python": platform.python_version(),
        "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
        "platform": f"{sys.platform}-{platform.machine()}, {os.cpu_count()} cores",
        "versions": {name: importlib.metadata.version(name) for name in LIBRARIES if _installed(name)},
    }
    date = datetime.now(UTC).date().isoformat()
    tests = Counter(item.path.stem for item in session.items if item.path.parent == FOLDER)
    modules = {
        name: {
            "date": date,
            "seconds": round(_seconds[name]),
            "passed": _outcomes[name, "passed"],
            "skipped": _outcomes[name, "skipped"],
            "without": [library for library in LIBRARIES if not _installed(library)],
            "records": _records.get(name, []),
        }
        for name, count in tests.items()
        if _outcomes[name, "passed"]
        and _outcomes[name, "passed"] + _outcomes[name, "skipped"] == count
        and not _outcomes[name, "failed"]
    }
    if modules:
        store(RESULTS / f"{'+'.join(devices).replace(':', '-')}.json", conditions, modules)


def store(path: Path, conditions: dict[str, Any], modules: dict[str, Any]) -> None:
    """Write the figures of modules; those of other modules stay if no condition and no library's version differs.

    A library that is installed for one of the runs only is no difference: each module names those that it ran without.
    """
    stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {**conditions, "modules": {}}
    others = stored.pop("modules")
    versions = {**stored["versions"], **conditions["versions"]}
    same_versions = {**versions, **stored["versions"]} == versions  # of the libraries that both runs have
    if same_versions and {**stored, "versions": None} == {**conditions, "versions": None}:
        conditions = {**conditions, "versions": {name: versions[name] for name in LIBRARIES if name in versions}}
        modules = {**others, **modules}
    path.parent.mkdir(exist_ok=True)
    text = _text(conditions, dict(sorted(modules.items())))
    path.write_text(text, encoding="utf-8", newline="\n")


def _text(conditions: dict[str, Any], modules: dict[str, Any]) -> str:
    """Format figures as JSON with one line for each record."""
    parts = []
    for name, module in modules.items():
        lines = ",\n   ".join(map(json.dumps, module["records"]))
        text = json.dumps({**module, "records": []})
        parts.append(f"{json.dumps(name)}: {text[:-2]}\n   {lines}\n  ]}}" if lines else f"{json.dumps(name)}: {text}")
    joined = ",\n  ".join(parts)
    return json.dumps({**conditions, "modules": {}}, indent=1)[:-4] + f"{{\n  {joined}\n }}\n}}\n"


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
