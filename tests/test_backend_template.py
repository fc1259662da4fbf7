"""Third-party backends: the template, installed with xtensor into a new environment."""

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
REQUIREMENTS = ("pytest", "hypothesis", "ndindex", "pytest-json-report", "pytest-xdist")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Python of a new environment with xtensor and the template installed from source."""
    environment = tmp_path_factory.mktemp("template") / "environment"
    venv.create(environment, with_pip=True)
    executable = environment / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    packages = [str(ROOT), str(ROOT / "examples" / "backend_template"), *REQUIREMENTS]
    subprocess.run([executable, "-m", "pip", "install", "--quiet", *packages], check=True, timeout=600)
    return executable


@pytest.mark.long
def test_entry_point_registers_the_device(python):
    code = "import xtensor as xp; print(repr(xp.sum(xp.ones(3, device='plain:0'))), *xp.devices())"
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.split() == ["Array(3.,", "device='plain:0')", "cpu", "plain:0"]


@pytest.mark.long
def test_template_passes_a_part_of_the_official_suite(python):
    from conformance import suite

    if not suite.is_here():
        pytest.skip("the official suite is not installed: python -m conformance fetch")
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


WRONG_BACKEND = """
import numpy as np
from xtensor_backends.numpy import NumpyBackend, _namespace

class WrongNamespace:
    def __init__(self, sum, stack):
        self.sum, self.stack = sum, stack
    def __getattr__(self, name):
        return getattr(_namespace, name)

class WrongBackend(NumpyBackend):
    name = "wrong"
    kinds = ("wrong",)
    def devices(self):
        return ("wrong:0",)
    def rank(self, spec):
        return -100
    def namespace(self, spec):
        def sum(x, **kwargs):
            return np.asarray(np.add.reduce(x, **kwargs)).astype(np.float32)
        def stack(arrays, *, axis):
            return np.stack(arrays, axis=axis)[..., None]
        return WrongNamespace(sum, stack)

backend = WrongBackend()
"""


@pytest.mark.parametrize(
    ("test", "message"), [("test_sum", "float32"), pytest.param("test_stack", "shape", marks=pytest.mark.long)]
)
def test_official_suite_fails_for_a_wrong_backend(tmp_path, test, message):
    from conformance import suite

    if not suite.is_here():
        pytest.skip("the official suite is not installed: python -m conformance fetch")
    package = tmp_path / "xtensor_wrong"
    package.mkdir()
    (package / "__init__.py").write_text(WRONG_BACKEND)
    info = tmp_path / "xtensor_wrong-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: xtensor-wrong\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[xtensor.backends]\nwrong = xtensor_wrong:backend\n")
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "--device", "wrong:0", "--max-examples", "10", "-k", test, "--no-record"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        timeout=300,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert message in done.stdout


def test_backend_registered_at_run_time_computes(registry):
    xp.register_backend(ToyBackend())
    x = xp.asarray(np.asarray([[1.0, 2.0], [3.0, 4.0]]), device="toy")
    assert xp.linalg.det(x).item() == pytest.approx(-2.0)
