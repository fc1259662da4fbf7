"""Facts about the machine: ``python -m benchmarks.hardware.environment FILE``.

The facts are printed and written to a file. The exit code is 1 if the machine lacks something without which a later
step cannot succeed: a GPU, NVRTC, or one of the two devices.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

DISTRIBUTIONS = (
    *("xtensor", "numpy", "scipy", "cupy-cuda12x", "cupy-cuda13x", "cupy", "triton", "torch", "ml_dtypes", "pytest"),
    *("hypothesis", "pytest-xdist", "ndindex", "pytest-json-report", "array-api-strict", "array-api-compat", "mpmath"),
)

VARIABLES = ("CUDA", "NVIDIA", "CUPY", "TRITON", "LD_LIBRARY_PATH", "XTENSOR", "PYTHON", "CC", "HIP", "ROCR")
"""The beginnings of the names of the environment variables that are recorded."""

QUERY = "name,driver_version,memory.total,memory.used,compute_cap,compute_mode,mig.mode.current"


def command_output(*command: str) -> str:
    """Return the output of a program."""
    program = shutil.which(command[0])
    if program is None:
        raise FileNotFoundError(f"{command[0]} is not on PATH")
    done = subprocess.run([program, *command[1:]], capture_output=True, encoding="utf-8", errors="replace", timeout=60)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout.strip()


def gpus() -> list[dict[str, Any]]:
    """Return the name, compute capability and memory of each GPU that CuPy finds."""
    runtime = import_module("cupy").cuda.runtime
    found = []
    for index in range(runtime.getDeviceCount()):
        properties = runtime.getDeviceProperties(index)
        facts = {name: properties[name] for name in ("name", "major", "minor", "totalGlobalMem", "multiProcessorCount")
                 if name in properties}  # fmt: skip
        found.append({name: value.decode() if isinstance(value, bytes) else value for name, value in facts.items()})
    if not found:
        raise RuntimeError("CuPy finds no GPU")
    return found


def xtensor_files() -> dict[str, str]:
    """Return the files from which xtensor and its backends are imported."""
    return {
        name: str(import_module(name).__file__)
        for name in ("xtensor", "xtensor_backends.cupy", "xtensor_backends.triton", "xtensor_backends.torch")
    }


def opened(spec: str) -> str:
    """Open a device, compute one sum on it, and return its description."""
    xtensor = import_module("xtensor")
    device = xtensor.device(spec)
    if float(xtensor.sum(xtensor.ones(3, device=device))) != 3.0:
        raise RuntimeError(f"the sum of three ones on {spec} is not 3")
    return f"{device}, backend {device.backend}, {device.info()}, {device.memory()}"


def backends() -> dict[str, str]:
    """Return the state of each backend."""
    return {
        info.name: f"{info.version}: {', '.join(info.devices)}" if info.available else f"{info.reason}; {info.remedy}"
        for info in import_module("xtensor").backends()
    }


def versions() -> dict[str, str]:
    """Return the versions of the installed distributions that the steps use."""
    installed = {}
    for name in DISTRIBUTIONS:
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return installed


def variables() -> dict[str, str]:
    """Return the environment variables that concern CUDA, CuPy, Triton, Python or xtensor."""
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith(VARIABLES)}


def commit() -> str:
    """Return the commit of the checkout, and whether files were changed after it."""
    changes = command_output("git", "status", "--porcelain")
    return f"{command_output('git', 'rev-parse', 'HEAD')}{', with changes' if changes else ''}"


FACTS: dict[str, Callable[[], Any]] = {
    "date": lambda: import_module("datetime").datetime.now().astimezone().isoformat(timespec="seconds"),
    "commit": commit,
    "system": lambda: platform.platform(),
    "libc": lambda: " ".join(platform.libc_ver()),
    "python": lambda: sys.version,
    "executable": lambda: sys.executable,
    "processors": lambda: len(os.sched_getaffinity(0)),
    "versions": versions,
    "variables": variables,
    "nvidia-smi": lambda: command_output("nvidia-smi", f"--query-gpu={QUERY}", "--format=csv"),
    "nvcc": lambda: command_output("nvcc", "--version").splitlines()[-1],
    "compute-sanitizer": lambda: command_output("compute-sanitizer", "--version").splitlines()[-1],
    "CuPy": lambda: import_module("cupy").__version__,
    "GPUs": gpus,
    "CUDA of the driver": lambda: import_module("cupy").cuda.runtime.driverGetVersion(),
    "CUDA runtime": lambda: import_module("cupy").cuda.runtime.runtimeGetVersion(),
    "NVRTC": lambda: import_module("cupy").cuda.nvrtc.getVersion(),
    "cuBLAS": lambda: import_module("cupy").cuda.cublas.getVersion(import_module("cupy").cuda.Device().cublas_handle),
    "cuFFT": lambda: import_module("cupy").cuda.cufft.getVersion(),
    "CuPy's configuration": lambda: str(import_module("cupyx").get_runtime_info()),
    "Triton": lambda: metadata.version("triton"),
    "xtensor's files": xtensor_files,
    "backends": backends,
    "cupy:0": lambda: opened("cupy:0"),
    "triton:0": lambda: opened("triton:0"),
    "torch:cuda:0": lambda: opened("torch:cuda:0"),
}
"""The facts, in an order in which nothing that can fail hides what comes after it."""

REQUIRED = ("CuPy", "GPUs", "NVRTC", "Triton", "cupy:0", "triton:0")
"""The facts without which a later step cannot succeed."""


def main(path: Path) -> int:
    """Print and write the facts; return 1 if a required one is missing."""
    facts: dict[str, Any] = {}
    problems = {}
    for name, find in FACTS.items():
        try:
            facts[name] = find()
        except Exception as error:  # whatever does not work on this machine is a fact
            facts[name] = None
            problems[name] = f"{type(error).__name__}: {error}"
        print(f"{name}: {problems.get(name) or facts[name]}", flush=True)
        path.write_text(json.dumps({"facts": facts, "problems": problems}, indent=1, default=str) + "\n", "utf-8")
    missing = [name for name in REQUIRED if name in problems]
    print(f"missing: {', '.join(missing)}" if missing else f"complete, for {facts['GPUs'][0]['name']}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
