"""``python -m xtensor doctor``: installed libraries, and a test of each device with results known from arithmetic."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import xtensor as xp
from xtensor._core.compiled import missing
from xtensor._core.text import text_table

__all__ = ["CHECKS", "LIBRARIES", "Result", "check", "examine", "libraries", "report_text"]

LIBRARIES = (
    *("numpy", "scipy", "llvmlite", "ml_dtypes", "array-api-strict", "dpnp", "triton"),
    *("cupy-cuda12x", "cupy-cuda13x", "cupy-rocm-7-0", "dask", "distributed", "cubed", "zarr"),
)
"""Distributions that devices use."""

COUNT = 20_000
"""Elements of the larger arrays: enough for kernels, and little for an interpreter."""


def _arithmetic(device: xp.Device) -> bool:
    x = xp.arange(-2, 3, device=device)
    return bool(((x * 3 - 1) // 2).tolist() == [-4, -2, -1, 1, 2])


def _elementwise(device: xp.Device) -> bool:
    x = xp.arange(COUNT, dtype=xp.float32, device=device)
    return bool(xp.all(xp.sqrt(x * x) == x)) and bool(xp.all(xp.abs(xp.sin(x) ** 2 + xp.cos(x) ** 2 - 1) < 1e-5))


def _reductions(device: xp.Device) -> bool:
    x = xp.arange(COUNT, dtype=xp.int64, device=device)
    return int(xp.sum(x)) == COUNT * (COUNT - 1) // 2 and int(xp.argmax(x)) == int(xp.max(x)) == COUNT - 1


def _indexing(device: xp.Device) -> bool:
    x = xp.arange(6, device=device)
    x[::2] = 0
    return bool(x.tolist() == [0, 1, 0, 3, 0, 5] and x[x > 1].tolist() == [3, 5])


def _sorting(device: xp.Device) -> bool:
    return bool(xp.sort(xp.asarray([3, 1, 2], device=device)).tolist() == [1, 2, 3])


def _products(device: xp.Device) -> bool:
    x = xp.reshape(xp.arange(4, dtype=xp.float32, device=device), (2, 2))
    return bool((x @ x).tolist() == [[2.0, 3.0], [6.0, 11.0]])


def _linear_algebra(device: xp.Device) -> bool:
    x = xp.asarray([[2.0, 0.0], [0.0, 4.0]], dtype=xp.float32, device=device)
    return bool(xp.linalg.inv(x).tolist() == [[0.5, 0.0], [0.0, 0.25]])


def _transforms(device: xp.Device) -> bool:
    x = xp.asarray([1.0, 0.0, 0.0, 0.0], dtype=xp.complex64, device=device)
    return bool(xp.real(xp.fft.fft(x)).tolist() == [1.0, 1.0, 1.0, 1.0])


def _random_numbers(device: xp.Device) -> bool:
    draws = [xp.random.default_rng(7, device=target).integers(0, 1000, 5).tolist() for target in (device, "cpu")]
    return bool(draws[0] == draws[1])


def _transfers(device: xp.Device) -> bool:
    x = xp.arange(5, device="cpu").to_device(device)
    return x.device == device and x.to_device("cpu").tolist() == [0, 1, 2, 3, 4]


CHECKS: dict[str, Callable[[xp.Device], bool]] = {
    "arithmetic": _arithmetic,
    "elementwise functions": _elementwise,
    "reductions": _reductions,
    "indexing": _indexing,
    "sorting": _sorting,
    "products of matrices": _products,
    "linear algebra": _linear_algebra,
    "Fourier transforms": _transforms,
    "random numbers": _random_numbers,
    "transfers": _transfers,
}
"""Checks, which return whether the results are right."""


@dataclass(frozen=True, slots=True)
class Result:
    """Outcome of the checks of a device."""

    device: str
    backend: str
    hardware: str
    seconds: float
    failures: dict[str, str]
    """The error of each check that failed, ``"wrong result"`` where it raised none."""


def check(device: xp.Device, checks: dict[str, Callable[[xp.Device], bool]] = CHECKS) -> Result:
    """Run the checks on a device."""
    start = time.perf_counter()
    failures, hardware = {}, ""
    try:
        hardware = device.info().name
        for name, function in checks.items():
            try:
                if not function(device):
                    failures[name] = "wrong result"
            except Exception as error:
                failures[name] = f"{type(error).__name__}: {error}"
    except Exception as error:  # the device cannot be opened
        failures["opening the device"] = f"{type(error).__name__}: {error}"
    return Result(str(device), device.backend, hardware, time.perf_counter() - start, failures)


def libraries(names: Iterable[str] = LIBRARIES) -> dict[str, str]:
    """Return the versions of the distributions that are installed."""
    from importlib.metadata import PackageNotFoundError, version

    versions = {}
    for name in names:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def examine(specs: Sequence[str] = ()) -> dict[str, Any]:
    """Test some devices, or all of this machine, and collect what is installed, in JSON-compatible types."""
    devices = [xp.device(spec) for spec in specs] or [device for device in xp.devices() if device.name != "meta"]
    return {
        "xtensor": xp.__version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.platform(),
        "calls": f"in Python: {missing}" if missing else "compiled",
        "libraries": libraries(),
        "backends_missing": {
            info.name: f"{info.reason}; remedy: {info.remedy}" if info.remedy else info.reason
            for info in xp.backends()
            if not info.available
        },
        "devices": [asdict(_announced(device)) for device in devices],
    }


def _announced(device: xp.Device) -> Result:
    """Check a device, whose name a terminal shows meanwhile: a compiler may take seconds."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\rtesting {device} ...")
        sys.stderr.flush()
    result = check(device)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    return result


def report_text(examined: dict[str, Any]) -> str:
    """Format what :func:`examine` returns as text."""
    lines = [
        f"xtensor {examined['xtensor']}, {examined['python']}, {examined['system']}",
        f"calls: {examined['calls']}",
        "installed: " + ", ".join(f"{name} {version}" for name, version in examined["libraries"].items()),
        "",
    ]
    rows = [("device", "backend", "test", "seconds", "hardware")]
    for item in examined["devices"]:
        count = len(item["failures"])
        outcome = f"{count} FAILED" if count else "ok"
        rows.append((item["device"], item["backend"], outcome, f"{item['seconds']:.1f}", item["hardware"]))
    lines.append(text_table(rows, words=len(rows[0])))
    for item in examined["devices"]:
        lines += [f"{item['device']}: {name}: {error}" for name, error in item["failures"].items()]
    missing_ones = [f"{name}: {reason}" for name, reason in examined["backends_missing"].items()]
    return "\n".join([*lines, *(["", "not available:", *missing_ones] if missing_ones else [])])
