"""Machines without a part that Triton's kernels need: each has a lesser device, or a message with the remedy.

Every test is a process of its own, in which a stand-in takes the place of CuPy, and parts are hidden.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]

needs_triton = pytest.mark.skipif(find_spec("triton") is None, reason="Triton is not installed")

STAND_IN = """
import sys, warnings
import host_cupy
sys.modules["cupy"] = host_cupy.StandIn()
"""

ADD = """
import xtensor as xp
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        x = xp.ones(3, device="cuda:0") + 1.0
        assert float(xp.sum(x)) == 6.0
print(*[f"{item.category.__name__}: {item.message}" for item in caught], sep="\\n")
"""


def run(program, **environment):
    """The output of a program; variables that are None are removed."""
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    variables |= {"TRITON_INTERPRET": None, "CC": None, **environment}
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={name: value for name, value in variables.items() if value is not None},
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout.strip()


@needs_triton
def test_with_a_broken_triton_the_gpu_works_without_kernels():
    (warning,) = run(STAND_IN + "sys.modules['triton'] = None\n" + ADD).splitlines()
    assert warning.startswith("RuntimeWarning: device cuda:0 works without its Triton kernels")
    assert "import of triton halted" in warning


NO_TRITON = """
import importlib.metadata
sys.modules["triton"] = None
version = importlib.metadata.version
def hide(name):
    if name == "triton":
        raise importlib.metadata.PackageNotFoundError(name)
    return version(name)
importlib.metadata.version = hide
"""


def test_without_triton_cupy_serves_the_gpu_and_the_reason_is_reported():
    report = """
print(xp.device("cuda:0").backend, "triton:0" in map(str, xp.devices()))
(info,) = [info for info in xp.backends() if info.name == "triton"]
print(info.reason, info.remedy, sep="; ")
"""
    assert run(STAND_IN + NO_TRITON + ADD + report).splitlines() == [
        "cupy False",
        'Triton is not installed; python -m pip install "triton>=3.6,<3.10" "ml_dtypes>=0.5"',
    ]


@needs_triton
def test_without_cupy_only_the_interpreter_is_there_and_the_remedy_is_reported():
    program = """
import sys
sys.modules["cupy"] = None
import xtensor as xp
print([str(device) for device in xp.devices() if device.backend == "triton"])
try:
    xp.ones(3, device="cuda:0")
except xp.BackendUnavailableError as error:
    print(error)
print(float(xp.sum(xp.ones(3, device="triton:interpret"))))
"""
    devices, message, total = run(program).splitlines()
    assert devices == "['triton:interpret']"
    assert "cupy" in message
    assert "python -m pip install" in message
    assert total == "3.0"


@needs_triton
def test_a_gpu_is_refused_with_the_remedy_in_a_process_that_interprets():
    program = """
import xtensor as xp
xp.ones(3, device="triton:interpret") + 1.0
try:
    xp.ones(3, device="cuda:0") + 1.0
except xp.BackendUnavailableError as error:
    print(error)
"""
    assert "process of its own" in run(STAND_IN + program)


def test_the_versions_of_triton_that_the_extra_admits_are_those_that_are_tested():
    from xtensor_backends.triton import OLDEST

    root = TESTS.parent
    extra = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]["triton"][0]
    oldest, end = (int(minor) for minor in re.match(r"triton>=3\.(\d+),<3\.(\d+);", extra).groups())
    tested = re.search(r"\[testenv:triton-\{([\d,]+)\}\]", (root / "tox.ini").read_text())[1]
    assert tested.split(",") == [f"3{minor}" for minor in range(oldest, end)]
    assert (3, oldest) == OLDEST
