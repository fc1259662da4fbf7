"""Devices of other libraries where the library, a permission or a priority decides."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from xtensor.__main__ import report, table

LIBRARIES = {
    "jax": "jax",
    "mlx": "mlx.core",
    "opencl": "pyopencl",
    "strict": "array_api_strict",
    "torch": "torch",
    "webgpu": "wgpu",
}
"""The module that a backend needs."""


def printed(code, **environment):
    """The lines that a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
        env={name: value for name, value in os.environ.items() if name != "XTENSOR_DEVICE"} | environment,
    )
    return done.stdout.splitlines()


def test_missing_library_is_a_typed_error_with_the_remedy(device):
    if device.backend not in LIBRARIES:
        pytest.skip("the device needs none of these libraries")
    library = LIBRARIES[device.backend]
    # None in sys.modules makes an import raise ModuleNotFoundError.
    lines = printed(
        "import sys, xtensor as xp\n"
        f"sys.modules[{library!r}] = None\n"
        f"try: xp.ones(3, device={device.backend!r})\n"
        "except xp.BackendUnavailableError as error: print(error)\n"
        "print(xp.ones(3, device='numpy').tolist())\n"
    )
    assert f"the module '{library}' is not installed" in lines[0]
    assert "python -m pip install" in lines[0]
    assert lines[1:] == ["[1.0, 1.0, 1.0]"]


def test_priority_makes_a_device_the_default_one(device):
    lines = printed(
        "import xtensor as xp\n"
        "print(xp.default_device())\n"
        f"xp.set_backend_priority([{device.backend!r}])\n"
        "print(xp.default_device().backend)\n"
        "xp.set_backend_priority([])\n"
        "print(xp.default_device())\n"
    )
    assert lines[1] == device.backend
    assert lines[2] == lines[0]
    assert (lines[0] == str(device)) == (str(device) == "cpu")


def test_process_that_may_not_write_anywhere_computes_or_tells_why(device, tmp_path):
    file = tmp_path / "file"
    file.touch()
    # Nobody can make a folder below a file, an administrator neither.
    nowhere = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XTENSOR_CACHE_DIR", "POCL_CACHE_DIR"), str(file / "folder"))
    lines = printed(
        "import xtensor as xp\n"
        f"try: x = xp.zeros(3, device={str(device)!r})\n"
        "except xp.BackendUnavailableError as error: print(error)\n"
        "else: print(float(xp.sum(xp.exp(x) * 2)))\n",
        **nowhere,
    )
    if device.backend == "opencl" and "Portable Computing Language" in device.info().name:
        # PoCL has no device then.
        assert "no device for this process: Portable Computing Language" in lines[-1]
        assert "write into POCL_CACHE_DIR" in lines[-1]
    else:
        assert lines == ["6.0"]


def test_report_has_the_memory_and_the_driver(device):
    summary = report()
    entry = next(item for item in summary["devices"] if item["device"] == str(device))
    assert entry["name"]
    if device.backend in LIBRARIES and device.backend != "strict":
        assert entry["total_memory"] > 2**20
    if device.backend in ("dpnp", "opencl", "webgpu"):
        assert any(digit in entry["driver"] for digit in "0123456789")
    devices = table(summary).partition("\ndevice ")[2]
    row = next(line for line in devices.splitlines() if line.split()[:1] == [str(device)])
    assert entry["name"] in row
    assert (entry["driver"] or "-") in row
