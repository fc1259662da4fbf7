"""Enumeration of SYCL devices, with Intel's OpenCL runtime for the CPU as its wheel installs it.

The OpenCL loader searches for runtimes once, when SYCL first enumerates its platforms, and does not search the
directory into which the wheel ``intel-opencl-rt`` installs its library. ``OCL_ICD_FILENAMES`` names the library to the
loader; the variable is set during that enumeration alone. The user's own configuration takes precedence.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

__all__ = ["cpu_runtime", "enumerate_devices", "named_runtime", "no_device"]

FILENAMES = "OCL_ICD_FILENAMES"

CONFIGURED = (FILENAMES, "OCL_ICD_VENDORS")
"""Environment variables that name runtimes to the OpenCL loader."""

LIBRARIES = frozenset(("libintelocl.so", "intelocl64.dll"))
"""File names of the runtime's library."""

PREFERENCE = ("level_zero", "cuda", "hip", "opencl")
"""SYCL's backends in the order of preference for a device that several of them serve."""


def cpu_runtime() -> str | None:
    """Return the path of the library that ``intel-opencl-rt`` installed; None if it is not installed."""
    try:
        files = distribution("intel-opencl-rt").files or ()
    except PackageNotFoundError:
        return None
    paths = (os.path.realpath(str(file.locate())) for file in files if file.name in LIBRARIES)
    return next(filter(os.path.isfile, paths), None)


@contextmanager
def named_runtime() -> Iterator[None]:
    """Set ``OCL_ICD_FILENAMES`` to the CPU's runtime, unless the user has configured the loader."""
    path = None if any(name in os.environ for name in CONFIGURED) else cpu_runtime()
    if path is None:
        yield
        return
    os.environ[FILENAMES] = path
    try:
        yield
    finally:
        os.environ.pop(FILENAMES, None)


def enumerate_devices(dpctl: Any) -> dict[str, Any]:
    """Return the SYCL devices by their specs, GPUs first, without creating a queue or a context.

    A device that several of SYCL's backends serve is listed once, under the first of ``PREFERENCE``.
    """
    with named_runtime():
        sycl_devices = list(dpctl.get_devices())
    sycl_devices.sort(key=lambda device: PREFERENCE.index(name) if (name := device.backend.name) in PREFERENCE else 99)
    devices: dict[str, Any] = {}
    for kind in ("gpu", "cpu"):
        platforms: dict[str, Any] = {}
        for device in sycl_devices:
            if device.device_type.name != kind:
                continue
            if platforms.setdefault(device.name, device.sycl_platform) == device.sycl_platform:
                devices[f"sycl:{kind}:{sum(spec.startswith(f'sycl:{kind}:') for spec in devices)}"] = device
    return devices


def no_device() -> tuple[str, str]:
    """Return the reason why SYCL finds no device, and the remedy."""
    configured = [
        f"{name}={os.environ[name]}"
        for name in (*CONFIGURED, "ONEAPI_DEVICE_SELECTOR", "SYCL_DEVICE_FILTER")
        if name in os.environ
    ]
    if configured:
        return "SYCL finds no device", f"This process is configured with {', '.join(configured)}: unset or correct that"
    if cpu_runtime() is None:
        return "SYCL finds no device", (
            "Install a GPU's driver (OpenCL or Level Zero), or Intel's runtime for the CPU: "
            "python -m pip install intel-opencl-rt"
        )
    return "SYCL finds no device, though Intel's runtime for the CPU is installed", (
        f"If dpctl was used before xtensor asked for devices, start Python with {FILENAMES}={cpu_runtime()}"
    )
