"""Hand arrays to NumPy, torch and jax and take theirs, and see what shares memory and what is copied.

    python examples/moving_between_libraries.py
    XTENSOR_DEVICE=cuda:0 python examples/moving_between_libraries.py

torch and jax are left out where they are not installed. Libraries exchange memory through DLPack where both know the
device; elsewhere the way goes over the host, by a copy that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

import xtensor as xp


def libraries() -> dict[str, ModuleType]:
    """NumPy, and those of the others that are installed."""
    found = {"numpy": np}
    for name, module in (("torch", "torch"), ("jax", "jax.numpy")):
        try:
            found[name] = import_module(module)
        except ImportError:
            print(f"{name} is not installed, and left out")
    return found


def given(library: ModuleType, x: xp.Array) -> tuple[Any, str]:
    """An Array's values as an array of a library, and the way they took."""
    try:
        return library.from_dlpack(x), "DLPack"
    except (BufferError, RuntimeError, TypeError):
        # The library knows no such device: its array is made of the host's memory.
        return library.asarray(np.asarray(x.to_device("cpu"))), "host"


def taken(array: Any, device: xp.Device) -> xp.Array:
    """Another library's array as an Array on a device: its memory where the device can reach it, else a copy."""
    return xp.from_dlpack(array, device=device)


def shares(x: xp.Array, read: Callable[[], float]) -> str:
    """Whether a number written into an Array is seen by another library."""
    x[0] = 42.0
    x.device.synchronize()
    return "shared" if read() == 42.0 else "copied"


def main() -> None:
    """Move a small array both ways and print the table."""
    device = xp.default_device()
    print(f"{'library':<8} {'from ' + str(device):<24} {'to ' + str(device):<24}")
    for name, library in libraries().items():
        x = xp.asarray([1.0, 2.0, 3.0], device=device)
        theirs, way = given(library, x)
        if [float(value) for value in theirs] != x.tolist():
            raise SystemExit(f"{name} got {theirs}, not {x}")
        there = f"{shares(x, lambda theirs=theirs: float(theirs[0]))} ({way})"

        theirs = library.asarray(np.asarray([1.0, 2.0, 3.0]))
        ours = taken(theirs, device)
        if ours.device is not device or ours.tolist() != [1.0, 2.0, 3.0]:
            raise SystemExit(f"{ours} came from {theirs} of {name}")
        try:
            here = shares(ours, lambda theirs=theirs: float(theirs[0]))
        except (TypeError, ValueError) as error:
            here = f"read-only ({type(error).__name__})"
        print(f"{name:<8} {there:<24} {here:<24}")


if __name__ == "__main__":
    main()
