"""One run of the suite on one device: the process, its environment and the progress display.

Only the pinned checkout and the device's dtypes determine which tests run. The run uses no list of skips or expected
failures, no configuration except the suite's, no plugin except the ones named here, and none of the variables of the
user's shell that pytest, Hypothesis or the suite read.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from textwrap import indent
from typing import Any, TextIO

from conformance import dtypes
from conformance.outcomes import OUTCOMES, Tally

STANDARD = "2025.12"
_PLUGINS = ("_hypothesis_pytestplugin", "pytest_metadata.plugin", "pytest_jsonreport.plugin")
# Import names of the suite's requirements, with the distributions that provide them.
_REQUIREMENTS = {
    "pytest": "pytest",
    "hypothesis": "hypothesis",
    "ndindex": "ndindex",
    "pytest_jsonreport": "pytest-json-report",
    "xdist": "pytest-xdist",
}
_CLEARED_PREFIXES = ("PYTEST_", "ARRAY_API_TESTS_", "HYPOTHESIS_")
_OPEN_TIMEOUT = 300  # seconds
_LIST_DEVICES = "run `python -m xtensor` for the devices of this machine and the requirements of the others."
_LOG_LINES = 40
# pytest's exit codes for a complete session: passed, failed, nothing collected.
_COMPLETE = (0, 1, 5)


class DeviceError(Exception):
    """The suite cannot run on the device.

    Attributes
    ----------
    reason
        A description of the problem.
    remedy
        The action that solves it.
    """

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason}\nRemedy: {remedy}")
        self.reason = reason
        self.remedy = remedy


@dataclass(frozen=True)
class Settings:
    """Settings of a run from the command line."""

    max_examples: int = 100
    workers: int = 1
    keyword: str | None = None
    seed: int | None = None
    part: str | None = None
    """``I/N``: the I-th of N parts of the tests."""
    shapes_only: bool = False

    @property
    def complete(self) -> bool:
        """Whether the settings select every test and every check."""
        return self.keyword is None and self.part is None and not self.shapes_only


@dataclass(frozen=True)
class Run:
    """A finished run: its outcomes, and a description of the problem if the run itself was incomplete."""

    tally: Tally
    seconds: float
    problem: str | None
    log: str

    @property
    def passed(self) -> bool:
        """Whether every test ran and none failed."""
        return self.problem is None and self.tally.failed == 0


def missing_requirements() -> list[str]:
    """Return the distributions that the suite requires and this Python does not have."""
    return [package for module, package in _REQUIREMENTS.items() if find_spec(module) is None]


def open_device(device: str) -> dict[str, Any]:
    """Open the device in a separate process and return its description by :func:`conformance.probe.describe`.

    Raises
    ------
    DeviceError
        If the device cannot be opened, or if it does not support the dtypes without which the suite cannot run.
    """
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
                timeout=_OPEN_TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            raise DeviceError(f"it did not open within {_OPEN_TIMEOUT} s.", _LIST_DEVICES) from None
        if done.returncode or not answer.exists():
            errors = done.stderr.strip().splitlines()
            raise DeviceError(errors[-1] if errors else _describe_exit(done.returncode), _LIST_DEVICES)
        facts: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    refusal = dtypes.refusal(dtypes.left_out(facts["dtypes"]))
    if refusal is not None:
        raise DeviceError(refusal, "let the backend's dtypes() return these dtypes, if the device supports them.")
    return facts


def run_suite(
    folder: Path, device: str, settings: Settings, out: TextIO, *, dtypes_left_out: Sequence[str] = ()
) -> Run:
    """Run the suite in `folder` on `device`, and show progress and failures on `out`."""
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
                env=_suite_environment(device, scratch, dtypes_left_out),
                stdin=subprocess.DEVNULL,
                stdout=log_stream,
                stderr=subprocess.STDOUT,
            )
            try:
                for record in _follow(records, process):
                    failure = tally.add(record)
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
    """Return the result of a run in one line, with a second line for a problem of the run itself."""
    counts = run.tally.counts()
    listed = ", ".join(f"{counts[name]} {name}" for name in OUTCOMES)
    verdict = "PASSED" if run.passed else "FAILED"
    lines = [f"{device}: {verdict}: {listed}, {counts['total']} in all, in {run.seconds:.0f} s"]
    if run.problem is not None:
        lines.append(f"{device}: {run.problem}")
    return "\n".join(lines)


def _command(folder: Path, settings: Settings, records: Path, empty_list: Path) -> list[str]:
    command = [sys.executable, "-m", "pytest", "array_api_tests", "--quiet", "--tb=short"]
    command += ["-c", str(folder / "pytest.ini"), "--rootdir", str(folder)]
    command += ["--confcutdir", str(folder), "--disable-warnings"]
    command += ["-p", "no:cacheprovider"]
    for plugin in _PLUGINS:
        command += ["-p", plugin]
    if settings.workers > 1:
        command += ["-p", "xdist.plugin", "-n", str(settings.workers)]
    command += ["--conformance-records", str(records)]
    # Empty lists, because the suite reads the lists in its own folder if the command names none.
    command += ["--skips-file", str(empty_list), "--xfails-file", str(empty_list)]
    command += ["--max-examples", str(settings.max_examples), "--disable-deadline"]
    # If one module cannot be imported, the tests of the other modules still run.
    command += ["--continue-on-collection-errors"]
    if settings.keyword is not None:
        command += ["-k", settings.keyword]
    if settings.part is not None:
        command += ["--conformance-part", settings.part]
    if settings.shapes_only:
        command.append("--conformance-shapes-only")
    if settings.seed is not None:
        command += [f"--hypothesis-seed={settings.seed}"]
    return command


def _environment(device: str, scratch: Path) -> dict[str, str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(_CLEARED_PREFIXES)}
    environment.update(
        ARRAY_API_TESTS_MODULE="xtensor",
        ARRAY_API_TESTS_VERSION=STANDARD,
        XTENSOR_DEVICE=device,
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        HYPOTHESIS_STORAGE_DIRECTORY=str(scratch / "hypothesis"),
        PYTHONDONTWRITEBYTECODE="1",
        # The subprocess has another working directory and must import the same xtensor and the same runner.
        PYTHONPATH=os.pathsep.join(_import_path()),
    )
    return environment


def _suite_environment(device: str, scratch: Path, dtypes_left_out: Sequence[str]) -> dict[str, str]:
    environment = _environment(device, scratch)
    environment["PYTEST_PLUGINS"] = "conformance.plugin"
    if dtypes_left_out:
        environment[dtypes.VARIABLE] = dtypes.value(dtypes_left_out)
    return environment


def _import_path() -> list[str]:
    path = [os.path.abspath(entry) for entry in sys.path]
    return list(dict.fromkeys([*path, str(Path(__file__).parents[1])]))


def _follow(records: Path, process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    """Yield the plugin's records while the process writes them, until it ends."""
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
    """Return a description of what made the run itself incomplete, or None. Failed tests do not matter here."""
    if not tally.finished and tally.collected == 0 and code > 0:
        return f"pytest could not start ({_describe_exit(code)}); the end of its output is above"
    if not tally.finished or code not in _COMPLETE:
        last = f"last test started: {tally.last_started}" if tally.last_started else "no test had started"
        return f"pytest died ({_describe_exit(code)}); {last}"
    if tally.missing:
        return f"{tally.missing} of {tally.collected} collected tests have no outcome"
    if not tally.outcomes:
        if keyword is not None:
            return f"no test matched -k {keyword!r}"
        return "pytest collected no test, expected the whole suite"
    return None


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


class _Progress:
    """Progress display: one line that is updated on a terminal, a new line for each tenth of the tests elsewhere."""

    def __init__(self, device: str, out: TextIO) -> None:
        self._device = device
        self._out = out
        self._is_terminal = out.isatty()
        self._line = ""
        self._tenth = 0

    def show(self, tally: Tally) -> None:
        """Show the number of finished and failed tests."""
        if tally.collected == 0:
            return
        done = len(tally.outcomes)
        line = f"{self._device}: {done}/{tally.collected}, {tally.failed} failed"
        if self._is_terminal:
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
        """Print a permanent line above the progress line."""
        self.close()
        print(text, file=self._out, flush=True)

    def close(self) -> None:
        """Clear the progress line."""
        if self._line:
            self._out.write("\r" + " " * len(self._line) + "\r")
            self._out.flush()
            self._line = ""
