"""Small suites and a stand-in for xtensor, for the tests of the conformance runner.

Each suite is a git repository with the options of the official one. The tests pass its pins to the runner as an
argument, which is the only way to give the runner other pins.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from conformance import report, suite
from conformance.__main__ import main

CONFTEST = """
from pathlib import Path
from pytest import mark

def pytest_addoption(parser):
    parser.addoption("--max-examples", type=int, default=100)
    parser.addoption("--disable-deadline", action="store_true")
    parser.addoption("--skips-file")
    parser.addoption("--xfails-file")

def pytest_collection_modifyitems(config, items):
    for name, marker in (("skips", mark.skip), ("xfails", mark.xfail)):
        named = config.getoption(f"--{name}-file")
        path = Path(named or Path(__file__).parent / f"{name}.txt")
        listed = path.read_text().split() if path.exists() else []
        for item in items:
            if item.nodeid in listed:
                item.add_marker(marker(reason=name))
"""
XTENSOR = """
import os

__version__ = "1.2.3"
complex64 = "complex64"

class Device:
    class backend:
        name = "fake"
    def __init__(self, spec):
        self.spec = spec
    def __eq__(self, other):
        return self.spec == other.spec
    def __str__(self):
        return self.spec
    def info(self):
        return {"name": "Fake 9000"}

def device(spec):
    if spec == "broken":
        raise ValueError("no driver for 'broken'")
    return Device(spec)

class Array:
    device = Device(DEFAULT)

def zeros(shape):
    return Array

class UnknownValueError(TypeError):
    pass

class Valueless:
    shape = (2,)
    def __bool__(self):
        raise UnknownValueError("no values")

def decide(x):
    return bool(x)

class Info:
    def devices(self):
        return (Device("cpu"), Device("other:0"))
    def default_device(self):
        return Array.device
    def dtypes(self, *, device=None):
        names = (
            "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
        ).split()
        # The spec "without-A-B" is a device without the dtypes A and B.
        return {name: name for name in names if name not in device.spec.split("-")}

def __array_namespace_info__():
    return Info()
"""
PASSES = "def test_passes():\n    pass\n"
FAILS = "def test_fails():\n    assert 1 == 2, 'one is not two'\n"
FAILS_ID = "array_api_tests/test_linalg.py::test_fails"


@dataclass(frozen=True)
class SmallSuite:
    """A suite, the pins it satisfies, and a repository root for the files that the runner writes."""

    folder: Path
    pins: suite.Pins
    root: Path

    def run(self, *arguments: str) -> int:
        """Run `python -m conformance` with these arguments and return the exit code."""
        return main(arguments, root=self.root, pins=self.pins)

    def record(self, device: str = "cpu") -> dict[str, Any]:
        """Return the record of the last run on a device."""
        path = report.results_folder(self.root) / f"{device.replace(':', '-')}.json"
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return record

    def report(self) -> str:
        """Return the text of CONFORMANCE.md."""
        return (self.root / "CONFORMANCE.md").read_text(encoding="utf-8")

    @property
    def has_written(self) -> bool:
        """Whether a record or a report exists."""
        return report.results_folder(self.root).exists() or (self.root / "CONFORMANCE.md").exists()

    def with_conftest(self, text: str) -> SmallSuite:
        """Append a text to conftest.py and return the suite with the new commit as its pin."""
        with (self.folder / "conftest.py").open("a", encoding="utf-8") as stream:
            stream.write(text)
        return replace(self, pins=replace(self.pins, suite=commit_all(self.folder)))


MakeSuite = Callable[[Mapping[str, str]], SmallSuite]


def create_suite(folder: Path, root: Path, modules: Mapping[str, str]) -> SmallSuite:
    """Create a suite with these test modules in `folder`."""
    tests = folder / "array_api_tests"
    for new in (tests, folder / "array-api", root):
        new.mkdir(parents=True)
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tests / "__init__.py").write_text("import xtensor as xp\n", encoding="utf-8")
    for name, text in modules.items():
        (tests / name).write_text(text, encoding="utf-8")
    (folder / "array-api" / "spec.md").write_text("The standard.\n", encoding="utf-8")
    specification = commit_all(folder / "array-api")
    pins = suite.Pins(commit_all(folder), specification, str(folder), str(folder / "array-api"))
    return SmallSuite(folder, pins, root)


def write_library(folder: Path, default_device: str) -> None:
    """Write the stand-in for xtensor; `default_device` is a Python expression."""
    package = folder / "xtensor"
    package.mkdir(parents=True, exist_ok=True)
    text = XTENSOR.replace("DEFAULT", default_device)
    (package / "__init__.py").write_text(text, encoding="utf-8")


def git(folder: Path, *arguments: str) -> str:
    author = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org")
    quiet = ("-c", "advice.addEmbeddedRepo=false", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *author, *quiet, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit_all(folder: Path) -> str:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "A commit")
    return git(folder, "rev-parse", "HEAD")
