"""Which SYCL devices are here, and Intel's OpenCL runtime for the CPU, which plain wheels leave unfound.

The OpenCL loader looks for runtimes once, when SYCL first enumerates its platforms. The wheel ``intel-opencl-rt``
installs the runtime of the CPU, but where the loader does not look; the loader takes further libraries from
``OCL_ICD_FILENAMES``, which is set for the time of that enumeration. What the user configured stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

__all__ = ["cpu_runtime", "enumerate_devices", "no_device"]

FILENAMES = "OCL_ICD_FILENAMES"

CONFIGURED = (FILENAMES, "OCL_ICD_VENDORS")
"""The variables by which a user tells the OpenCL loader where its runtimes are."""

LIBRARIES = frozenset(("libintelocl.so", "intelocl64.dll"))

PREFERENCE = ("level_zero", "cuda", "hip", "opencl")
"""SYCL's backends, the native one of a device before the one that merely serves it too."""


def cpu_runtime() -> str | None:
    """The path of Intel's OpenCL runtime for the CPU as ``intel-opencl-rt`` installed it; None if it is not there."""
    try:
        files = distribution("intel-opencl-rt").files or ()
    except PackageNotFoundError:
        return None
    paths = (os.path.realpath(str(file.locate())) for file in files if file.name in LIBRARIES)
    return next(filter(os.path.isfile, paths), None)


@contextmanager
def _runtime_named() -> Iterator[None]:
    """The loader told of the CPU's runtime, unless the user told it of runtimes already."""
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
    """The SYCL devices by their specs, GPUs first; no queue or context is made on any of them.

    A device that two of SYCL's backends serve is listed once, under the first of ``PREFERENCE``.
    """
    with _runtime_named():
        found = list(dpctl.get_devices())
    found.sort(key=lambda device: PREFERENCE.index(name) if (name := device.backend.name) in PREFERENCE else 99)
    devices: dict[str, Any] = {}
    for kind in ("gpu", "cpu"):
        platforms: dict[str, Any] = {}
        for device in found:
            if device.device_type.name != kind:
                continue
            if platforms.setdefault(device.name, device.sycl_platform) == device.sycl_platform:
                devices[f"sycl:{kind}:{sum(spec.startswith(f'sycl:{kind}:') for spec in devices)}"] = device
    return devices


def no_device() -> tuple[str, str]:
    """Why SYCL finds no device here, and what to do, in words for a person."""
    asked = [
        f"{name}={os.environ[name]}"
        for name in (*CONFIGURED, "ONEAPI_DEVICE_SELECTOR", "SYCL_DEVICE_FILTER")
        if name in os.environ
    ]
    if asked:
        return "SYCL finds no device", f"This process is configured with {', '.join(asked)}: unset or correct that"
    if cpu_runtime() is None:
        return "SYCL finds no device", (
            "Install a GPU's driver (OpenCL or Level Zero), or Intel's runtime for the CPU: "
            "python -m pip install intel-opencl-rt"
        )
    return "SYCL finds no device, though Intel's runtime for the CPU is installed", (
        f"If dpctl was used before xtensor asked for devices, start Python with {FILENAMES}={cpu_runtime()}"
    )
