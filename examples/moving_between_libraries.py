"""Exchange arrays with NumPy, torch and jax, and print which exchanges share memory and which copy.

    python examples/moving_between_libraries.py
    XTENSOR_DEVICE=cuda:0 python examples/moving_between_libraries.py

The program skips torch and jax if they are not installed. Two libraries exchange memory through DLPack if both support
the device. Otherwise the program copies the array through host memory.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

import xtensor as xp


def libraries() -> dict[str, ModuleType]:
    """Return NumPy and the installed ones of the other libraries."""
    modules = {"numpy": np}
    for name, module in (("torch", "torch"), ("jax", "jax.numpy")):
        try:
            modules[name] = import_module(module)
        except ImportError:
            print(f"{name} is not installed")
    return modules


def given(library: ModuleType, x: xp.Array) -> tuple[Any, str]:
    """Return an Array's values as an array of a library, and the means of the exchange."""
    try:
        return library.from_dlpack(x), "DLPack"
    except (BufferError, RuntimeError, TypeError):
        # The library does not support the device: copy the values through host memory.
        return library.asarray(np.asarray(x.to_device("cpu"))), "host"


def taken(array: Any, device: xp.Device) -> xp.Array:
    """Return another library's array as an Array on a device: shared memory if possible, else a copy."""
    return xp.from_dlpack(array, device=device)


def shares(x: xp.Array, read: Callable[[], float]) -> str:
    """Return whether another library reads a number that is written into an Array."""
    x[0] = 42.0
    x.device.synchronize()
    return "shared" if read() == 42.0 else "copied"


def main() -> None:
    """Exchange a small array in both directions and print the table."""
    device = xp.default_device()
    print(f"{'library':<8} {'from ' + str(device):<24} {'to ' + str(device):<24}")
    for name, library in libraries().items():
        x = xp.asarray([1.0, 2.0, 3.0], device=device)
        theirs, way = given(library, x)
        if [float(value) for value in theirs] != x.tolist():
            raise SystemExit(f"the array of {name} is {theirs}, not {x}")
        there = f"{shares(x, lambda theirs=theirs: float(theirs[0]))} ({way})"

        theirs = library.asarray(np.asarray([1.0, 2.0, 3.0]))
        ours = taken(theirs, device)
        if ours.device is not device or ours.tolist() != [1.0, 2.0, 3.0]:
            raise SystemExit(f"the array of {name} is {theirs}, and the Array is {ours}")
        try:
            here = shares(ours, lambda theirs=theirs: float(theirs[0]))
        except (TypeError, ValueError) as error:
            here = f"read-only ({type(error).__name__})"
        print(f"{name:<8} {there:<24} {here:<24}")


if __name__ == "__main__":
    main()
