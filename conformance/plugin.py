"""The pytest plugin that streams outcomes, as JSON lines, from the suite's process to the runner.

Outcomes are recorded where pytest reports them: in its only process, or, under pytest-xdist,
in the controller. The message of a failure is made where the exception is: in the worker.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import pytest

from conformance import repair

_LONGEST = 500
_LONGEST_NOTE = 200
_MOST_NOTES = 4


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the file to stream to."""
    parser.addoption("--conformance-records", metavar="FILE", help="stream outcomes to FILE")


def pytest_configure(config: pytest.Config) -> None:
    """Record in the process that sees every report, and only there."""
    records = config.getoption("--conformance-records")
    if records and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(records)), "conformance-recorder")


def pytest_sessionstart() -> None:
    """Mend what the suite itself gets wrong, in every process that runs its tests."""
    repair.mend()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    call: pytest.CallInfo[None],
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Leave the failure's message on the report, which pytest-xdist carries to the controller."""
    report = yield
    if report.failed and call.excinfo is not None:
        report.__dict__["conformance_message"] = message_of(call.excinfo.value)
    return report


def message_of(error: BaseException) -> str:
    """Return the error's type and first line, then Hypothesis's notes of the failing example."""
    notes = list(getattr(error, "__notes__", ()))
    others = 0
    while isinstance(error, BaseExceptionGroup):
        others += len(error.exceptions) - 1
        error = error.exceptions[0]
        notes += getattr(error, "__notes__", ())
    parts = [f"{type(error).__name__}: {_first_line(str(error))}"]
    # The example is a call spread over many lines, then a note for each value drawn within it.
    parts += [_shorten(" ".join(note.split()), _LONGEST_NOTE) for note in notes[:_MOST_NOTES]]
    if others:
        parts.append(f"({others} more distinct failures)")
    return "\n".join(_shorten(part) for part in parts)


class Recorder:
    """Write a line for each thing the runner wants to know, as it happens."""

    def __init__(self, path: Path) -> None:
        self._stream = path.open("a", encoding="utf-8", buffering=1)

    def _emit(self, event: str, **fields: object) -> None:
        self._stream.write(json.dumps({"event": event, **fields}) + "\n")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Tell how many tests will run, when this process runs them itself."""
        self._emit("collected", count=len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Iterable[str]) -> None:
        """Tell how many tests will run, when workers run them (each collects them all)."""
        self._emit("collected", count=len(list(ids)))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Record a module that could not be collected, or that skipped itself."""
        if report.failed:
            message = _last_line(report.longreprtext) or "could not be collected"
            self._emit("collect", id=report.nodeid, outcome="errors", text=message)
        elif report.skipped:
            self._emit("collect", id=report.nodeid, outcome="skipped", text=_skip_reason(report))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Tell which test starts: the one to name if the process dies."""
        self._emit("start", id=nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record the outcome of a test's setup, call or teardown."""
        outcome, text = _outcome(report)
        self._emit("report", id=report.nodeid, when=report.when, outcome=outcome, text=text)

    def pytest_sessionfinish(self) -> None:
        """Tell that pytest came to its own end."""
        self._emit("finished")


def _outcome(report: pytest.TestReport) -> tuple[str, str]:
    expected_failure: str | None = getattr(report, "wasxfail", None)
    if expected_failure is not None:
        return ("xfailed" if report.skipped else "xpassed"), expected_failure
    if report.skipped:
        return "skipped", _skip_reason(report)
    if report.passed:
        return "passed", ""
    # pytest-xdist reports a dead worker itself, outside any phase and with its own words.
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


def _shorten(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
