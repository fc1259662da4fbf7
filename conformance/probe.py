"""Description of a device and its libraries, written as JSON by a separate process.

    python -m conformance.probe DEVICE FILE

The answer goes to a file because libraries may print to the standard output while they are imported.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import sysconfig
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

# Distributions whose versions the record states, if they are installed.
DISTRIBUTIONS = (
    "numpy",
    "array-api-strict",
    "dpnp",
    "cupy-cuda12x",
    "cupy-cuda13x",
    "triton",
    "llvmlite",
    "dask",
    "cubed",
    "torch",
    "jax",
    "mlx",
    "pyopencl",
    "pocl-binary-distribution",
    "wgpu",
)

# Environment variables that decide which code computes; the record states those that are set.
SETTINGS = ("XTENSOR_LLVM_FEWEST", "XTENSOR_NUM_THREADS", "DASK_ARRAY__CHUNK_SIZE", "CUBED_XTENSOR__CHUNK_SIZE")


def describe(spec: str) -> dict[str, Any]:
    """Open the device `spec` and return its description.

    Raises
    ------
    RuntimeError
        If arrays are created on another device by default.
    """
    # By name, because the runner's own tests run it on a stand-in for xtensor.
    xtensor: Any = import_module("xtensor")
    device = xtensor.device(spec)
    actual = xtensor.zeros(1).device
    if actual != device:
        # The suite names no device, so it would test this other device and report it as `spec`.
        raise RuntimeError(f"with XTENSOR_DEVICE={spec} an array was created on {actual}, expected {device}")
    return {
        "xtensor": str(getattr(xtensor, "__version__", "unknown")),
        "python": platform.python_version(),
        "platform": sysconfig.get_platform(),
        "backend": _backend_name(device),
        "hardware": _hardware_name(device),
        "dtypes": sorted(xtensor.__array_namespace_info__().dtypes(device=device)),
        "versions": _versions(),
        "ways": _ways(xtensor, device),
        "settings": {name: os.environ[name] for name in SETTINGS if name in os.environ},
    }


def _backend_name(device: object) -> str | None:
    backend = getattr(device, "backend", None)
    name = backend if isinstance(backend, str) else getattr(backend, "name", None)
    return None if name is None else str(name)


def _ways(xtensor: Any, device: object) -> dict[str, int] | None:
    """Return the number of functions by the way that they go, for a device of an engine."""
    try:
        return {way: len(names) for way, names in xtensor.engines.ways(device).items()}
    except (AttributeError, TypeError):
        return None


def _hardware_name(device: object) -> str | None:
    # The name only informs the reader of the report: a driver that cannot tell it must not prevent the run.
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
