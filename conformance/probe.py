"""Open a device and write what is known of it, as JSON: run in a process of its own.

    python -m conformance.probe DEVICE FILE

Libraries print as they please while they load, so the answer goes to a file.
"""

from __future__ import annotations

import json
import platform
import sys
import sysconfig
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

# The libraries whose versions decide what a result means, where they are installed.
DISTRIBUTIONS = ("numpy", "array-api-strict", "dpnp", "cupy-cuda12x", "cupy-cuda13x", "triton")


def describe(spec: str) -> dict[str, Any]:
    """Open the device `spec` and return what it and its libraries say of themselves."""
    # By name: this tool is checked, and its own tests run, without the real xtensor.
    xtensor: Any = import_module("xtensor")
    device = xtensor.device(spec)
    landed = xtensor.zeros(1).device
    if landed != device:
        # The suite never names a device: it would test this other one under our label.
        raise RuntimeError(f"with XTENSOR_DEVICE={spec} an array landed on {landed}, expected it on {device}")
    return {
        "xtensor": str(getattr(xtensor, "__version__", "unknown")),
        "python": platform.python_version(),
        "platform": sysconfig.get_platform(),
        "backend": _backend_name(device),
        "hardware": _hardware_name(device),
        "versions": _versions(),
    }


def _backend_name(device: object) -> str | None:
    backend = getattr(device, "backend", None)
    name = backend if isinstance(backend, str) else getattr(backend, "name", None)
    return None if name is None else str(name)


def _hardware_name(device: object) -> str | None:
    # A nicety of the report: a driver that cannot name its hardware is no reason not to run.
    try:
        info = device.info()  # type: ignore[attr-defined]
        name = info.get("name") if hasattr(info, "get") else getattr(info, "name", None)
    except Exception:
        return None
    return str(name) if name else None


def _versions() -> dict[str, str]:
    versions = {}
    for name in DISTRIBUTIONS:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(describe(sys.argv[1])), encoding="utf-8")
