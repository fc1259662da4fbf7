"""The examples run as a user runs them, each in a separate process."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from usable import usable_devices

from benchmarks.hardware import _rehearsal

ROOT = Path(__file__).resolve().parents[1]

EXAMPLES = ROOT / "examples"

EVERY_DEVICE = ("device_agnostic", "scikit_learn", "scipy_special")
"""The examples that run on every device of the machine."""

DEFAULT_DEVICE = ("choosing_devices", "moving_between_libraries")
"""The examples that run on the default device."""

TRAINING = ("digits",)
"""The examples that train a network, for half a minute."""

ON_A_CLUSTER = ("data_parallel",)
"""The examples that tests/backends/engines runs."""

NEEDS = {"digits": "sklearn", "scikit_learn": "sklearn", "scipy_special": "scipy"}


@cache
def run(name: str, **environment: str) -> str:
    """Return the output of an example; fail if its exit code is not 0."""
    if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed: xtensor[examples]")
    path = str(EXAMPLES / f"{name}.py")
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **environment}
    done = subprocess.run(
        [sys.executable, path], env=environment, capture_output=True, text=True, encoding="utf-8", timeout=600
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_every_example_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {*EVERY_DEVICE, *DEFAULT_DEVICE, *TRAINING, *ON_A_CLUSTER}


NOT_ON_ENGINES = ("scikit_learn", "scipy_special")
"""Examples of many small computations, for each of which cubed writes and reads stores."""


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_example_visits_every_device(name):
    printed = run(name)
    for device in usable_devices():
        shown = any(str(device) in line.split() for line in printed.splitlines())
        assert shown or (name in NOT_ON_ENGINES and device.lazy), f"no line on {device}:\n{printed}"


@pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton is not installed")
@pytest.mark.parametrize("name", ["device_agnostic", "choosing_devices"])  # the others take minutes in the interpreter
def test_example_goes_on_behind_a_device_that_does_not_open(name, tmp_path):
    """As on a GPU, on stand-ins: the process that computes on the first device cannot open triton:interpret."""
    path = os.pathsep.join(str(ROOT / folder) for folder in ("", "tests"))
    variables = _rehearsal.environment({"PATH": os.environ["PATH"], "PYTHONPATH": path}, tmp_path)
    printed = run(name, PATH=variables["PATH"], PYTHONPATH=variables["PYTHONPATH"])
    assert "device triton:interpret cannot be opened" in printed
    for device in ("cuda:0", "cupy:0", "cpu"):
        assert any(device in line.split() for line in printed.splitlines()), f"no line on {device}:\n{printed}"


def test_default_device_is_chosen_by_the_environment(device):
    assert f"by default:        {device}\n" in run("choosing_devices", XTENSOR_DEVICE=str(device))


def test_arrays_move_between_libraries(device):
    lines = run("moving_between_libraries", XTENSOR_DEVICE=str(device)).splitlines()
    (numpy,) = (line.split() for line in lines if line.startswith("numpy "))
    ways = {"shared", "copied"} & set(numpy)
    assert ways == ({"shared"} if device.host else {"copied"})


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_library_that_is_not_installed_is_skipped(library):
    printed = run("moving_between_libraries", XTENSOR_DEVICE="cpu")
    here = importlib.util.find_spec(library) is not None
    assert (f"{library} is not installed" in printed) is not here


def test_network_recognizes_digits():
    accuracy = float(run("digits", XTENSOR_DEVICE="cpu").splitlines()[-1].split()[1].rstrip("%"))
    assert accuracy > 98.5
