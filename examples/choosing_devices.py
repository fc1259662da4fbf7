"""See what this machine has, and choose a device for a piece of work.

    python examples/choosing_devices.py
    XTENSOR_DEVICE=cpu python examples/choosing_devices.py

The environment variable decides what the default device is; nothing in the program has to change.
"""

from __future__ import annotations

import time

import xtensor as xp

SIDE = 300
"""The side of the matrices that are multiplied."""


def gibibytes(size: int | None) -> str:
    """A number of bytes for a person."""
    return "unknown" if size is None else f"{size / 2**30:.1f} GiB"


def describe(device: xp.Device) -> str:
    """A device in a line: its hardware and its memory."""
    memory = device.memory()
    return f"{device.info().name}, {gibibytes(memory.free)} free of {gibibytes(memory.total)}"


def seconds_for_a_product(device: xp.Device) -> float:
    """The time of one matrix product on a device, its first, slower run not counted."""
    with xp.use_device(device):
        x = xp.ones((SIDE, SIDE))
        _ = x @ x
        device.synchronize()
        started = time.perf_counter()
        product = x @ x
        device.synchronize()
    if float(product[0, 0]) != SIDE:
        raise SystemExit(f"{device} multiplies wrongly: {float(product[0, 0])}")
    return time.perf_counter() - started


def main() -> None:
    """Show the devices and what is missing, then choose in three ways."""
    for device in xp.devices():
        print(f"{device!s:<14} {describe(device)}")
    for backend in xp.backends():
        if not backend.available:
            print(f"{backend.name:<14} not here: {backend.reason}; {backend.remedy}")

    print(f"\nby default:        {xp.default_device()}")

    needed = 3 * 8 * SIDE**2
    print(f"with room for it:  {xp.best_device(min_free_memory=needed)}")

    times = {device: seconds_for_a_product(device) for device in xp.devices()}
    fastest = min(times, key=times.__getitem__)
    print(f"fastest at it:     {fastest} ({times[fastest] * 1e3:.2f} ms for a product of {SIDE} by {SIDE})")


if __name__ == "__main__":
    main()
