"""A stranger's backend: the template, installed beside xtensor into an environment of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest
from toy import ToyBackend

import xtensor as xp

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("pytest", "hypothesis", "ndindex", "pytest-json-report", "pytest-xdist")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The Python of a fresh environment with xtensor and the template installed from their sources."""
    place = tmp_path_factory.mktemp("stranger") / "environment"
    venv.create(place, with_pip=True)
    executable = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    packages = [str(ROOT), str(ROOT / "examples" / "backend_template"), *NEEDED]
    subprocess.run([executable, "-m", "pip", "install", "--quiet", *packages], check=True, timeout=600)
    return executable


def test_its_device_joins_through_the_entry_point(python):
    code = "import xtensor as xp; print(repr(xp.sum(xp.ones(3, device='plain:0'))), *xp.devices())"
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["Array(3.,", "device='plain:0')", "cpu", "plain:0"]


def test_it_passes_a_part_of_the_official_suite(python):
    from conformance import suite

    if not suite.is_here():
        pytest.skip("the official suite is not on this machine: python -m conformance fetch")
    command = [python, "-m", "conformance", "--device", "plain:0", "--max-examples", "5"]
    done = subprocess.run(
        [*command, "-k", "sum or floor_divide or concat or sort", "--no-record"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASSED" in done.stdout


LIAR = """
import numpy as np
from xtensor_numpy import NumpyBackend, _namespace

class Lies:
    def __init__(self, sum, stack):
        self.sum, self.stack = sum, stack
    def __getattr__(self, name):
        return getattr(_namespace, name)

class Liar(NumpyBackend):
    name = "liar"
    kinds = ("liar",)
    def devices(self):
        return ("liar:0",)
    def rank(self, spec):
        return -100
    def namespace(self, spec):
        def sum(x, **kwargs):
            return np.asarray(np.add.reduce(x, **kwargs)).astype(np.float32)
        def stack(arrays, *, axis):
            return np.stack(arrays, axis=axis)[..., None]
        return Lies(sum, stack)

backend = Liar()
"""


@pytest.mark.parametrize(("lie", "message"), [("test_sum", "float32"), ("test_stack", "shape")])
def test_a_backend_that_lies_is_caught_by_the_official_suite(tmp_path, lie, message):
    from conformance import suite

    if not suite.is_here():
        pytest.skip("the official suite is not on this machine: python -m conformance fetch")
    package = tmp_path / "xtensor_liar"
    package.mkdir()
    (package / "__init__.py").write_text(LIAR)
    info = tmp_path / "xtensor_liar-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: xtensor-liar\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[xtensor.backends]\nliar = xtensor_liar:backend\n")
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "--device", "liar:0", "--max-examples", "10", "-k", lie, "--no-record"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=300,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert message in done.stdout


def test_a_backend_registered_at_run_time_computes(registry):
    xp.register_backend(ToyBackend())
    x = xp.asarray(np.asarray([[1.0, 2.0], [3.0, 4.0]]), device="toy")
    assert xp.linalg.det(x).item() == pytest.approx(-2.0)
