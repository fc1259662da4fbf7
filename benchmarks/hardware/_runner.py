"""Execution of the steps: one process each, with a time limit, a log and a record; and the summary."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ._steps import ROOT, Step

__all__ = [
    "FAILED",
    "INCOMPLETE",
    "INTERRUPTED",
    "PASSED",
    "exit_code",
    "interrupt",
    "record_of",
    "run_step",
    "summary",
]

PASSED, FAILED, INCOMPLETE, INTERRUPTED = 0, 1, 3, 130
"""Exit codes: all steps passed; one did not; none failed, and some did not run; interrupted."""

GRACE = 20
"""Seconds between the request to end and the end of a step that is over its limit."""

LONGEST_DETAIL = 160

_running: set[subprocess.Popen[bytes]] = set()
_interrupted = threading.Event()

Record = dict[str, Any]


def run_step(step: Step, out: Path, environment: Mapping[str, str]) -> Record:
    """Run a step, and return its record, which is also written to ``NAME.json``; the output is in ``NAME.log``."""
    log = out / f"{step.name}.log"
    record: Record = {
        "step": step.name,
        "about": step.about,
        "command": [sys.executable, *step.command],
        "limit": step.limit,
        "started": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "log": log.name,
    }
    for name, value in (("status", "interrupted"), ("detail", ""), ("seconds", 0.0), ("exit_code", None)):
        record[name] = value
    reason = step.needs(environment)
    started = time.monotonic()
    if reason:
        log.write_text(reason + "\n", encoding="utf-8")
        record |= {"status": "not run", "detail": reason}
    else:
        try:
            with log.open("wb") as stream:
                code, over = _execute(step, {**environment, **step.environment}, stream)
            record |= {"status": _status(step, code, over), "detail": _detail(step, code, over, log), "exit_code": code}
        finally:
            record["seconds"] = round(time.monotonic() - started, 1)
            _write(out / f"{step.name}.json", record)
    _write(out / f"{step.name}.json", record)
    return record


def _execute(step: Step, environment: Mapping[str, str], stream: Any) -> tuple[int, bool]:
    """Return the exit code, and whether the step was over its limit. No process of the step is left."""
    process = subprocess.Popen(
        [sys.executable, *step.command],
        cwd=ROOT,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=stream,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a process group, which ends as a whole
    )
    over = False
    _running.add(process)
    try:
        process.wait(step.limit)
    except subprocess.TimeoutExpired:
        over = True
        # As Ctrl-C does it: pytest then prints the failures that it has found.
        _end(process, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE)
    finally:
        _end(process, signal.SIGKILL)
        process.wait()
        _running.discard(process)
    if _interrupted.is_set():
        raise KeyboardInterrupt
    return process.returncode, over


def interrupt() -> None:
    """End the steps that run in other threads; they, and those that start later, are recorded as interrupted."""
    _interrupted.set()
    for process in tuple(_running):
        _end(process, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _status(step: Step, code: int, over: bool) -> str:
    if over:
        return "over its limit"
    if code == 0:
        return "passed"
    if code == step.not_run_code:
        return "not run"
    return "crashed" if code < 0 else "failed"


def _detail(step: Step, code: int, over: bool, log: Path) -> str:
    """Return the end of the output in one line, after the signal that ended the process, if one did."""
    lines = [line.strip("= ") for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    # Python's report of a crash begins with the frame that crashed and ends with a list of modules.
    reports = [index for index, line in enumerate(lines) if line.endswith("(most recent call first):")]
    if code < 0 and reports:
        del lines[reports[-1] + 2 :]
    last = next((line for line in reversed(lines) if line and step.result_line in line), "")
    last = last or next((line for line in reversed(lines) if line), "no output")
    if over:
        last = f"stopped after {step.limit:g} s; last line: {last}"
    elif code < 0:
        with contextlib.suppress(ValueError):
            last = f"{signal.Signals(-code).name}; last line: {last}"
    return last if len(last) <= LONGEST_DETAIL else last[: LONGEST_DETAIL - 1] + "…"


def _write(path: Path, record: Record) -> None:
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def record_of(step: Step, out: Path) -> Record | None:
    """Return the record of an earlier run of a step; None if there is none, or if it was interrupted."""
    try:
        record: Record = json.loads((out / f"{step.name}.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return None if record["status"] == "interrupted" else record


def summary(records: Mapping[str, Record | None]) -> str:
    """Return the table of all steps, and the number of steps of each status. A step without a record did not start."""
    width = max(map(len, records))
    lines = [f"{'step':<{width}}  {'status':<14}  {'seconds':>7}  detail"]
    for name, record in records.items():
        if record is None:
            lines.append(f"{name:<{width}}  {NOT_STARTED:<14}")
        else:
            lines.append(
                f"{name:<{width}}  {record['status']:<14}  {record['seconds']:>7}  {record['detail']}".rstrip()
            )
    counts: dict[str, int] = {}
    for status in _statuses(records):
        counts[status] = counts.get(status, 0) + 1
    total = ", ".join(f"{count} {status}" for status, count in counts.items())
    return "\n".join([*lines, "", f"{len(records)} steps: {total}"])


NOT_STARTED = "not started"


def _statuses(records: Mapping[str, Record | None]) -> Iterable[str]:
    return (NOT_STARTED if record is None else record["status"] for record in records.values())


def exit_code(records: Mapping[str, Record | None]) -> int:
    """Return the exit code that tells the worst status."""
    statuses = set(_statuses(records))
    if statuses - {"passed", "not run", NOT_STARTED}:
        return FAILED
    return PASSED if statuses == {"passed"} else INCOMPLETE
