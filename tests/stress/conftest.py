"""Recorder of the figures that the long tier writes to ``tests/stress/results``."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from usable import usable_devices

import xtensor as xp

from .tiers import LONG

RESULTS = Path(__file__).parent / "results"
MODULES = {path.stem for path in Path(__file__).parent.glob("test_*.py")}
LIBRARIES = ("numpy", "scipy", "llvmlite", "array-api-strict", "dpnp", "cupy", "triton", "dask", "cubed", "hypothesis")

_records: list[dict[str, Any]] = []
_started = time.time()


class Figures:
    """Figures of one test: ``figures.record(calls=1000, bytes_grown=0)``."""

    def __init__(self) -> None:
        self.recorded: dict[str, Any] = {}

    def record(self, **figures: Any) -> None:
        """Store figures by name; numbers of one name are added up."""
        for name, value in figures.items():
            previous = self.recorded.get(name)
            self.recorded[name] = value if previous is None or isinstance(value, str) else previous + value


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Iterator[Figures]:
    """Recorder of the test's figures; a skipped test records none."""
    recorder = Figures()
    started = time.perf_counter()
    yield recorder
    _records.append(
        {
            "module": request.node.module.__name__.rpartition(".")[2],
            "test": request.node.name,
            "seconds": round(time.perf_counter() - started, 1),
            "figures": recorder.recorded,
        }
    )


def modules_without_tests(items: Iterable[pytest.Item]) -> set[str]:
    """Return the modules of this folder without a test among the collected ones."""
    return MODULES - {item.path.stem for item in items}


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Write the figures of a long run if it contains every module and no test failed."""
    is_run = not session.config.option.collectonly and not hasattr(session.config, "workerinput")
    if not LONG or exitstatus or not is_run or modules_without_tests(session.items):
        return
    devices = session.config.getoption("--device") or [str(device) for device in usable_devices()]
    record = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.time() - _started),
        "devices": devices,
        "xtensor": xp.__version__,
        "python": platform.python_version(),
        "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
        "platform": f"{sys.platform}-{platform.machine()}, {os.cpu_count()} cores",
        "versions": {name: importlib.metadata.version(name) for name in LIBRARIES if _installed(name)},
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{'+'.join(devices).replace(':', '-')}.json"
    path.write_text(_text(record, _records), encoding="utf-8", newline="\n")


def _text(record: dict[str, Any], records: list[dict[str, Any]]) -> str:
    """Format a run as JSON with one line for each record."""
    lines = ",\n  ".join(map(json.dumps, records))
    return json.dumps({**record, "records": []}, indent=1).replace("[]", f"[\n  {lines}\n ]") + "\n"


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
