"""Running the suite on one device: its process, its environment, and the progress shown meanwhile.

Nothing outside the pinned checkout may decide what is run: no skip or expected-failure list, no
configuration but the suite's, no plugin but the ones named here, no variable of the user's shell.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from textwrap import indent
from typing import Any, TextIO

from conformance.outcomes import OUTCOMES, Tally

STANDARD = "2025.12"
_PLUGINS = ("_hypothesis_pytestplugin", "pytest_metadata.plugin", "pytest_jsonreport.plugin")
# Import name to what installs it.
_NEEDED = {
    "pytest": "pytest",
    "hypothesis": "hypothesis",
    "ndindex": "ndindex",
    "pytest_jsonreport": "pytest-json-report",
    "xdist": "pytest-xdist",
}
_CLEARED = ("PYTEST_", "ARRAY_API_TESTS_", "HYPOTHESIS_")
_OPEN_SECONDS = 300
_LOG_LINES = 40
# pytest's exit codes for a session that ran to its end: passed, failed, nothing collected.
_ENDED = (0, 1, 5)


class DeviceError(Exception):
    """The device could not be opened; the message says why."""


@dataclass(frozen=True)
class Settings:
    """What a user may choose about a run: how much, how fast, and which part of it."""

    max_examples: int = 100
    workers: int = 1
    keyword: str | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Run:
    """A finished run: its outcomes, and what was wrong with the run itself, if anything."""

    tally: Tally
    seconds: float
    problem: str | None
    log: str

    @property
    def passed(self) -> bool:
        """Whether every test ran and none failed in any way."""
        return self.problem is None and self.tally.bad == 0


def missing_requirements() -> list[str]:
    """List what the suite needs and this Python lacks."""
    return [package for module, package in _NEEDED.items() if find_spec(module) is None]


def open_device(device: str) -> dict[str, Any]:
    """Open the device in a process of its own and return the facts it gives about itself."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        answer = Path(scratch) / "facts.json"
        try:
            done = subprocess.run(
                [sys.executable, "-m", "conformance.probe", device, str(answer)],
                cwd=scratch,
                env=_environment(device, Path(scratch)),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=_OPEN_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise DeviceError(f"it did not open within {_OPEN_SECONDS} s") from None
        if done.returncode or not answer.exists():
            said = done.stderr.strip().splitlines()
            raise DeviceError(said[-1] if said else _exit_words(done.returncode))
        facts: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        return facts


def run_suite(folder: Path, device: str, settings: Settings, out: TextIO) -> Run:
    """Run the suite in `folder` on `device`, showing progress and failures on `out`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch_name:
        scratch = Path(scratch_name)
        records, empty_list, log = (scratch / name for name in ("records", "empty", "log"))
        records.touch()
        empty_list.touch()
        tally, progress = Tally(), _Progress(device, out)
        started = time.monotonic()
        with log.open("wb") as log_stream:
            process = subprocess.Popen(
                _command(folder, settings, records, empty_list),
                cwd=folder,
                env=_environment(device, scratch),
                stdin=subprocess.DEVNULL,
                stdout=log_stream,
                stderr=subprocess.STDOUT,
            )
            try:
                for record in _follow(records, process):
                    failure = tally.take(record)
                    if failure is not None:
                        test, outcome = failure
                        progress.print(f"{outcome.name.upper()} {test}")
                        progress.print(indent(outcome.text, "    "))
                    progress.show(tally)
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait()
        progress.close()
        seconds = time.monotonic() - started
        problem = _problem(tally, process.returncode, settings.keyword)
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return Run(tally, seconds, problem, "\n".join(lines[-_LOG_LINES:]))


def summary(device: str, run: Run) -> str:
    """Say in a line or two how the run ended."""
    counts = run.tally.counts()
    counted = ", ".join(f"{counts[name]} {name}" for name in OUTCOMES)
    verdict = "PASSED" if run.passed else "FAILED"
    lines = [f"{device}: {verdict}: {counted}, {counts['total']} in all, in {run.seconds:.0f} s"]
    if run.problem is not None:
        lines.append(f"{device}: {run.problem}")
    return "\n".join(lines)


def _command(folder: Path, settings: Settings, records: Path, empty_list: Path) -> list[str]:
    command = [sys.executable, "-m", "pytest", "array_api_tests", "--quiet", "--tb=short"]
    command += ["-c", str(folder / "pytest.ini"), "--rootdir", str(folder)]
    command += ["--confcutdir", str(folder), "--disable-warnings"]
    command += ["-p", "no:cacheprovider"]
    for plugin in (*_PLUGINS, "conformance.plugin"):
        command += ["-p", plugin]
    if settings.workers > 1:
        command += ["-p", "xdist.plugin", "-n", str(settings.workers)]
    command += ["--conformance-records", str(records)]
    # Named, though empty, because the suite reads lists that lie in its folder if none is named.
    command += ["--skips-file", str(empty_list), "--xfails-file", str(empty_list)]
    command += ["--max-examples", str(settings.max_examples), "--disable-deadline"]
    # A module that fails to import must not hide the outcomes of the others.
    command += ["--continue-on-collection-errors"]
    if settings.keyword is not None:
        command += ["-k", settings.keyword]
    if settings.seed is not None:
        command += [f"--hypothesis-seed={settings.seed}"]
    return command


def _environment(device: str, scratch: Path) -> dict[str, str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(_CLEARED)}
    environment.update(
        ARRAY_API_TESTS_MODULE="xtensor",
        ARRAY_API_TESTS_VERSION=STANDARD,
        XTENSOR_DEVICE=device,
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        HYPOTHESIS_STORAGE_DIRECTORY=str(scratch / "hypothesis"),
        PYTHONDONTWRITEBYTECODE="1",
        # The subprocess runs elsewhere, and must find xtensor, and this package, where we do.
        PYTHONPATH=os.pathsep.join(_import_path()),
    )
    return environment


def _import_path() -> list[str]:
    path = [os.path.abspath(entry) for entry in sys.path]
    return list(dict.fromkeys([*path, str(Path(__file__).parents[1])]))


def _follow(records: Path, process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the plugin's records as they are written, until the process has ended."""
    with records.open(encoding="utf-8") as stream:
        pending = ""
        while True:
            ended = process.poll() is not None
            for piece in iter(stream.readline, ""):
                pending += piece
                if pending.endswith("\n"):
                    yield json.loads(pending)
                    pending = ""
            if ended:
                return
            time.sleep(0.1)


def _problem(tally: Tally, code: int, keyword: str | None) -> str | None:
    """Say what was wrong with the run itself, whatever its tests did."""
    if not tally.finished and tally.collected == 0 and code > 0:
        return f"pytest could not start ({_exit_words(code)}); its last words are above"
    if not tally.finished or code not in _ENDED:
        seen = f"the last test seen: {tally.last_seen}" if tally.last_seen else "before any test"
        return f"pytest died ({_exit_words(code)}); {seen}"
    if tally.missing:
        return f"{tally.missing} of {tally.collected} collected tests never gave an outcome"
    if not tally.outcomes:
        if keyword is not None:
            return f"nothing matched -k {keyword!r}"
        return "no test was collected, expected the whole suite"
    return None


def _exit_words(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


class _Progress:
    """One line kept up to date on a terminal; elsewhere, a line for every tenth of the tests."""

    def __init__(self, device: str, out: TextIO) -> None:
        self._device = device
        self._out = out
        self._in_place = out.isatty()
        self._line = ""
        self._tenth = 0

    def show(self, tally: Tally) -> None:
        """Show how far the run has come."""
        if tally.collected == 0:
            return
        done = len(tally.outcomes)
        line = f"{self._device}: {done}/{tally.collected}, {tally.bad} failed"
        if self._in_place:
            if line != self._line:
                self._out.write("\r" + line.ljust(len(self._line)))
                self._out.flush()
                self._line = line
            return
        tenth = done * 10 // tally.collected
        if tenth > self._tenth:
            self._tenth = tenth
            print(line, file=self._out, flush=True)

    def print(self, text: str) -> None:
        """Print a text that stays, above the progress line."""
        self.close()
        print(text, file=self._out, flush=True)

    def close(self) -> None:
        """Clear the progress line."""
        if self._line:
            self._out.write("\r" + " " * len(self._line) + "\r")
            self._out.flush()
            self._line = ""
