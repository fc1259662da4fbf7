"""pytest plugin that prepares the suite and streams its outcomes to the runner as JSON lines.

The process that receives pytest's reports records the outcomes: the only process, or the controller of pytest-xdist.
The process that runs a test builds the message of its failure, because the exception exists only there.

pytest must load the plugin through the environment variable ``PYTEST_PLUGINS``. The workers of pytest-xdist load the
plugins of the command line too late, after the suite's conftest.py.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from conformance import dtypes, repair, shapes_only, visible_device

_MAX_LENGTH = 500
_MAX_NOTE_LENGTH = 200
_MAX_NOTES = 4


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the runner's options."""
    parser.addoption("--conformance-records", metavar="FILE", help="stream outcomes to FILE")
    parser.addoption("--conformance-shapes-only", action="store_true", help="check shapes and dtypes, not values")
    parser.addoption("--conformance-part", metavar="I/N", help="run the I-th of N parts of the tests")


def pytest_configure(config: pytest.Config) -> None:
    """Register the recorder, except in a worker of pytest-xdist, and the plugin of a run of shapes only."""
    records = config.getoption("--conformance-records")
    if config.getoption("--conformance-shapes-only"):
        config.pluginmanager.register(shapes_only.ShapesOnly(), "conformance-shapes-only")
    if records and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(records)), "conformance-recorder")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Prepare every process that runs tests, before the suite's conftest.py imports the suite's modules."""
    visible_device.show_only_default_device()
    repair.apply(dtypes.from_environment())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the failure's message to the report, which pytest-xdist sends to the controller."""
    report = yield
    if report.failed and call.excinfo is not None:
        report.__dict__["conformance_message"] = message_of(call.excinfo.value)
    return report


def message_of(error: BaseException) -> str:
    """Return the error's type and first line, followed by Hypothesis's notes about the failing example."""
    notes = list(getattr(error, "__notes__", ()))
    others = 0
    while isinstance(error, BaseExceptionGroup):
        others += len(error.exceptions) - 1
        error = error.exceptions[0]
        notes += getattr(error, "__notes__", ())
    parts = [f"{type(error).__name__}: {_first_line(str(error))}"]
    # The first note is the call, on many lines. A note for each value drawn during the call follows.
    parts += [_shorten(" ".join(note.split()), _MAX_NOTE_LENGTH) for note in notes[:_MAX_NOTES]]
    if others:
        parts.append(f"({others} more distinct failures)")
    return "\n".join(_shorten(part) for part in parts)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Fix the tests; keep one part of them, which has tests of every module, so that parts take about the same time."""
    repair.apply_to_tests(items, dtypes.from_environment())
    part = config.getoption("--conformance-part")
    if part is None:
        return
    position, count = map(int, part.split("/"))
    config.hook.pytest_deselected(items=[item for index, item in enumerate(items) if index % count != position - 1])
    items[:] = items[position - 1 :: count]


class Recorder:
    """Write a line for each event that the runner needs, as soon as it happens."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("a", encoding="utf-8", buffering=1)

    def _emit(self, event: str, **fields: object) -> None:
        self._stream.write(json.dumps({"event": event, **fields}) + "\n")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Record the number of tests, if this process runs them itself."""
        self._emit("collected", count=len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """Record the number of tests, if workers run them; each worker collects all of them."""
        self._emit("collected", count=len(list(ids)))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a module that pytest could not collect or that skipped itself."""
        if report.failed:
            message = _last_line(report.longreprtext) or "could not be collected"
            self._emit("collect", id=report.nodeid, outcome="errors", text=message)
        elif report.skipped:
            self._emit("collect", id=report.nodeid, outcome="skipped", text=_skip_reason(report))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Record the test that starts, for the runner's message if the process dies."""
        self._emit("start", id=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the outcome of a test's setup, call or teardown."""
        outcome, text = _outcome(report)
        self._emit("report", id=report.nodeid, when=report.when, outcome=outcome, text=text)

    def pytest_sessionfinish(self) -> None:
        """Record that pytest finished its session."""
        self._emit("finished")


def _outcome(report: pytest.TestReport) -> tuple[str, str]:
    expected_failure: str | None = getattr(report, "wasxfail", None)
    if expected_failure is not None:
        return ("xfailed" if report.skipped else "xpassed"), expected_failure
    if report.skipped:
        return "skipped", _skip_reason(report)
    if report.passed:
        return "passed", ""
    # pytest-xdist itself reports the death of a worker, with no phase and with its own message.
    message = getattr(report, "conformance_message", "") or _last_line(report.longreprtext)
    return ("errors" if report.when in ("setup", "teardown") else "failed"), message


def _skip_reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    detail: Any = report.longrepr
    reason = detail[2] if isinstance(detail, tuple) else str(detail)
    return _shorten(" ".join(reason.removeprefix("Skipped: ").split()))


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "(no message)")


def _last_line(text: str) -> str:
    lines = [line.removeprefix("E ").strip() for line in text.splitlines() if line.strip()]
    return _shorten(lines[-1]) if lines else ""


def _shorten(text: str, max_length: int = _MAX_LENGTH) -> str:
    return text if len(text) <= max_length else text[: max_length - 1] + "…"
