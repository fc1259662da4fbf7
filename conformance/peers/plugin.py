"""pytest plugin that installs the stand-ins and records the kind of each outcome as JSON lines.

pytest loads it through the environment variable ``PYTEST_PLUGINS``, in the controller and in the workers of
pytest-xdist.
"""

from __future__ import annotations

import json
import linecache
import os
import random
import signal
from collections.abc import Generator, Iterable
from importlib import import_module
from pathlib import Path
from types import FrameType, ModuleType, TracebackType
from typing import Any

import numpy as np
import pytest

from conformance.peers.kinds import TIMEOUT, Failure, Verdict, classify
from conformance.peers.state import state

PEER, SOURCE, RECORDS = "XTENSOR_PEER", "XTENSOR_PEER_SOURCE", "XTENSOR_PEER_RECORDS"
"""Environment variables with the peer's name, the checkout and the file of records."""

LIMIT = 120
"""Seconds after which a test is interrupted."""

SEED = 0
"""Seed of the random numbers of each module and each test, so that runs can be compared."""

MARKERS = ("slow", "multi_gpu", "parametrize_device", "leaks_references", "valgrind_error", "thread_unsafe")


def peer(name: str) -> ModuleType:
    """Return the module of a peer."""
    return import_module(f"conformance.peers.{name}_peer")


def pytest_configure(config: pytest.Config) -> None:
    """Install the stand-ins in a process that runs tests, the recorder in the one that receives the reports."""
    for marker in MARKERS:
        config.addinivalue_line("markers", f"{marker}: a marker of the peer")
    if not hasattr(config, "workerinput"):
        # The controller of pytest-xdist, which imports no test.
        config.pluginmanager.register(Recorder(Path(os.environ[RECORDS])), "peers-recorder")
        return
    state.device = os.environ["XTENSOR_DEVICE"]
    peer(os.environ[PEER]).install(Path(os.environ[SOURCE]))


class _Module(pytest.Module):
    """Module of tests that the peer's own loader imports."""

    def _getobj(self) -> Any:
        try:
            return peer(os.environ[PEER]).load(self.path)
        except pytest.skip.Exception as skipped:
            raise skipped
        except Exception as error:
            raise self.CollectError(f"{type(error).__name__}: {error}") from error


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Collect a module by the peer's loader, if it has one."""
    if hasattr(peer(os.environ[PEER]), "load"):
        return _Module.from_parent(parent, path=module_path)
    return None


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Seed the generators by which a module chooses, when it is imported, the dtypes of its tests."""
    _seed()


def _seed() -> None:
    random.seed(SEED)
    np.random.seed(SEED)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Interrupt a test that does not end."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        pytest.fail(f"{TIMEOUT} {LIMIT} s")

    _seed()
    if not hasattr(signal, "SIGALRM"):
        return (yield)
    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(LIMIT)
    try:
        return (yield)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Count the Arrays of each test."""
    state.arrays, state.running = 0, True
    try:
        return (yield)
    finally:
        state.running = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the verdict to the report, which pytest-xdist sends to the controller."""
    report = yield
    if report.failed and call.excinfo is not None:
        error = call.excinfo.value
        verdict = classify(Failure(type(error).__name__, str(error), _line(error.__traceback__)))
    elif report.outcome == "skipped" or hasattr(report, "wasxfail"):
        verdict = Verdict("skipped")
    else:
        verdict = Verdict("right")
    if state.arrays == 0 and verdict.kind not in ("skipped", "not applicable"):
        verdict = Verdict("no Array", verdict.text)
    report.__dict__["verdict"] = [verdict.kind, verdict.text, verdict.page]
    return report


def _line(trace: TracebackType | None) -> str:
    """Return the last line of a file of tests in a traceback."""
    line = ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if os.path.basename(name).startswith("test_"):
            line = linecache.getline(name, trace.tb_lineno).strip()
        trace = trace.tb_next
    return line


class Recorder:
    """Write a line for each event that the runner needs, as soon as it happens."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("a", encoding="utf-8", buffering=1)

    def _emit(self, event: str, **fields: object) -> None:
        self._stream.write(json.dumps({"event": event, **fields}) + "\n")

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """Record the number of tests, all of which each worker collects."""
        self._emit("collected", count=len(list(ids)))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a module that could not be collected."""
        if report.failed:
            text = report.longreprtext.strip().splitlines()[-1].removeprefix("E ").strip()
            self._emit("outcome", id=report.nodeid, kind="not applicable", text=text, page="")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the outcome of a test's setup, call or teardown."""
        # pytest-xdist itself reports the death of a worker.
        kind, text, page = report.__dict__.get("verdict") or ("crash", "the process died", "")
        if report.when == "call" or kind not in ("right", "no Array"):
            self._emit("outcome", id=report.nodeid, kind=kind, text=text, page=page)

    def pytest_sessionfinish(self) -> None:
        """Record that pytest finished its session."""
        self._emit("finished")
