"""Backends of other packages: broken, hostile or in conflict with ours. Each program runs in a process of its own.

A package is a directory on the path with a module and the metadata that names its entry point.
"""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import xtensor as xp

ROOT = Path(__file__).resolve().parents[1]

LONG = pytest.mark.long

WORKING = """
    import numpy
    from xtensor_backends.numpy import NumpyBackend

    class Backend(NumpyBackend):
        name = {name!r}
        kinds = ("plugin",)
        requires = "a-plugin"
        def devices(self):
            return ("plugin:0",)
        def rank(self, spec):
            return {rank}

    backend = Backend()
"""

PLUGIN = WORKING.format(name="plugin", rank=0)


class Packages:
    """Directory of packages with entry points, and programs that find them before our own."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def add(self, entry_point: str, module: str, text: str, package: str | None = None) -> None:
        """Add a package whose entry point is ``module:backend``."""
        metadata = self.directory / f"{package or module}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package or module}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[xtensor.backends]\n{entry_point} = {module}:backend\n")
        (self.directory / f"{module}.py").write_text(textwrap.dedent(text))

    def run(self, program: str, timeout: float = 60, **environment: str) -> str:
        """Run a program and return its output; its failure fails the test."""
        path = os.pathsep.join((str(self.directory), *sys.path))
        done = subprocess.run(
            [sys.executable, "-P", "-c", textwrap.dedent(program)],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, "PYTHONPATH": path, **environment},
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout


@pytest.fixture
def packages(tmp_path):
    return Packages(tmp_path)


OURS = """
    import xtensor as xp

    assert xp.device("cpu").backend in ("llvm", "numpy")
    assert xp.sum(xp.ones(3, device="cpu")).item() == 3.0
    reasons = {info.name: info.reason for info in xp.backends() if not info.available}
"""


def test_working_plugin_serves_its_kind(packages):
    packages.add("plugin", "plugin_module", WORKING.format(name="plugin", rank=-5))
    program = """
        import xtensor as xp

        x = xp.ones(3, device="plugin")
        print((x + 1).tolist(), x.device, xp.default_device())
    """
    assert packages.run(program, XTENSOR_DEVICE="").startswith("[2.0, 2.0, 2.0] plugin:0 ")


def test_plugin_of_a_higher_rank_is_the_default_device(packages):
    packages.add("plugin", "plugin_module", WORKING.format(name="plugin", rank=1000))
    assert packages.run("import xtensor as xp; print(xp.default_device())").strip() == "plugin:0"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("raise RuntimeError('half installed')", "RuntimeError: half installed", id="raises"),
        pytest.param("raise SystemExit('exits')", "SystemExit: exits", id="exits"),
        pytest.param("raise KeyboardInterrupt", "KeyboardInterrupt", id="interrupts", marks=LONG),
        pytest.param("import a_module_that_is_missing", "ModuleNotFoundError", id="misses", marks=LONG),
        pytest.param("backend = 3", "not an xtensor.backend.Backend", id="number", marks=LONG),
        pytest.param(WORKING.format(name="other", rank=0), "its attribute name is 'other'", id="name"),
        pytest.param(PLUGIN + "\n    Backend.kinds = None", "kinds of backend 'plugin'", id="no kinds", marks=LONG),
        pytest.param(PLUGIN + "\n    Backend.kinds = ('plugin', 3)", "kinds of backend 'plugin'", id="kind"),
        pytest.param(PLUGIN + "\n    Backend.devices = lambda self: (3,)", "devices are strings", id="spec"),
        pytest.param(
            PLUGIN + "\n    Backend.devices = lambda self: ('cpu',)", "devices are strings", id="kin", marks=LONG
        ),
        pytest.param(PLUGIN + "\n    Backend.devices = lambda self: ()", "finds no device", id="none", marks=LONG),
        pytest.param(PLUGIN + "\n    Backend.probe = lambda self: exit(3)", "SystemExit: 3", id="probe"),
        pytest.param(PLUGIN + "\n    Backend.dtypes = lambda self, spec: 1 / 0", "ZeroDivisionError", id="dtypes"),
    ],
)
def test_broken_plugin_is_reported_and_harms_nobody(packages, text, reason):
    packages.add("plugin", "plugin_module", text)
    output = packages.run(
        OURS
        + """
    print(reasons["plugin"])
    try:
        xp.ones(3, device="plugin")
    except xp.BackendUnavailableError as error:
        print("refused")
    """
    )
    assert reason in output
    assert "refused" in output


def test_plugin_whose_rank_raises_is_never_chosen(packages):
    packages.add("plugin", "plugin_module", WORKING.format(name="plugin", rank="1 / 0"))
    program = OURS + "    print(xp.default_device(), xp.ones(2, device='plugin').device)"
    assert packages.run(program, XTENSOR_DEVICE="").split()[-1] == "plugin:0"


@pytest.mark.parametrize(
    "name",
    [
        "numpy",
        "dask",
        *[
            pytest.param(name, marks=pytest.mark.long)
            for name in ("llvm", "strict", "dpnp", "cupy", "triton", "cubed", "meta")
        ],
    ],
)
def test_name_of_our_backend_cannot_be_taken(packages, name):
    packages.add(name, "hostile", WORKING.format(name=name, rank=1000), package="hostile-package")
    output = packages.run(
        OURS
        + f"""
    print(reasons["{name} (hostile-package)"])
    print(xp.default_device().backend)
    """
    )
    assert "that name belongs to xtensor" in output


def test_two_plugins_of_one_name_are_a_conflict(packages):
    packages.add("plugin", "first", WORKING.format(name="plugin", rank=-1), package="first")
    packages.add("plugin", "second", WORKING.format(name="plugin", rank=-1), package="second")
    output = packages.run(OURS + "    print(xp.device('plugin'), reasons)")
    assert output.startswith("plugin:0")
    assert "another package's backend" in output


def test_plugin_that_hangs_at_import_harms_only_who_asks_for_it(packages):
    packages.add("plugin", "plugin_module", "import time\ntime.sleep(3600)")
    program = """
        import xtensor as xp

        print(xp.zeros(3).device, xp.ones(2, device="strict").device, xp.device("numpy").backend, repr(xp.zeros(1)))
    """
    assert packages.run(program, timeout=30, XTENSOR_DEVICE="cpu").startswith("cpu strict numpy")


def test_plugin_does_not_serve_a_kind_of_ours_unasked(packages):
    text = WORKING.format(name="plugin", rank=1000).replace("plugin:0", "cpu").replace('("plugin",)', '("cpu",)')
    packages.add("plugin", "plugin_module", text)
    program = """
        import xtensor as xp

        print(xp.device("cpu").backend)
        xp.set_backend_priority(["plugin"])
        print(xp.device("cpu").backend)
    """
    assert packages.run(program).split() in (["llvm", "plugin"], ["numpy", "plugin"])


def test_device_below_rank_0_is_never_chosen(packages):
    """Without the device cpu there is no default device, although other devices are here."""
    program = """
        import xtensor_backends.numpy

        def probe(self):
            raise RuntimeError("no NumPy today")

        xtensor_backends.numpy.NumpyBackend.probe = probe
        import xtensor as xp

        try:
            print(xp.zeros(3).device)
        except xp.BackendUnavailableError as error:
            print("no device is chosen by itself" in str(error), "XTENSOR_DEVICE" in str(error))
        xp.set_backend_priority(["strict"])
        print(xp.default_device())
    """
    ours = packages.run(program, XTENSOR_DEVICE="").splitlines()
    gpu = any(device.dlpack_device[0] in (2, 10) for device in xp.devices())
    assert gpu or ours == ["True True", "strict"]


@pytest.mark.parametrize("content", ["raise RuntimeError('broken build')", "raise SystemExit", ""])
def test_broken_ml_dtypes_harms_only_bfloat16(packages, content):
    (packages.directory / "ml_dtypes.py").write_text(content)
    output = packages.run(
        OURS
        + """
    import runpy
    print(hasattr(xp, "bfloat16") or "no bfloat16", len(xp.__array_namespace_info__().dtypes()))
    runpy.run_module("xtensor", run_name="__main__")
    """
    )
    assert "no bfloat16 13" in output
    assert "default device" in output


@pytest.mark.parametrize(
    "content", ["raise RuntimeError('broken build')", "raise SystemExit", "", "__version__ = '14.0'"]
)
def test_broken_cupy_does_not_take_the_interpreter_with_it(packages, content):
    pytest.importorskip("triton")
    (packages.directory / "cupy.py").write_text(content)
    output = packages.run(OURS + "    print(xp.sum(xp.ones(3, device='triton:interpret')).item(), sorted(reasons))")
    assert output.startswith("3.0")
    assert "cupy" in output


# -- the default device -----------------------------------------------------------------------------------------------


def test_wrong_environment_variable_is_named_and_arrays_are_printed(packages):
    program = """
        import xtensor as xp

        x = xp.asarray([1.0], device="cpu")
        print(repr(x))
        try:
            xp.zeros(3)
        except ValueError as error:
            print(error)
    """
    output = packages.run(program, XTENSOR_DEVICE="nonsense")
    assert "Array([1.], device='cpu')" in output
    assert "the environment variable XTENSOR_DEVICE is 'nonsense'" in output
