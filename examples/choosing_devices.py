"""List the devices of this machine and choose one.

    python examples/choosing_devices.py
    XTENSOR_DEVICE=cpu python examples/choosing_devices.py

The environment variable selects the default device, without a change of the program.
"""

from __future__ import annotations

import time

import xtensor as xp

SIDE = 300
"""Number of rows and columns of the matrices in the product."""


def gibibytes(size: int | None) -> str:
    """Format a number of bytes."""
    return "unknown" if size is None else f"{size / 2**30:.1f} GiB"


def describe(device: xp.Device) -> str:
    """Format a device's hardware and memory."""
    memory = device.memory()
    return f"{device.info().name}, {gibibytes(memory.free)} free of {gibibytes(memory.total)}"


def seconds_for_a_product(device: xp.Device) -> float:
    """Measure one matrix product on a device, after a first run that is not measured."""
    with xp.use_device(device):
        x = xp.ones((SIDE, SIDE))
        _ = x @ x
        device.synchronize()
        started = time.perf_counter()
        product = x @ x
        device.synchronize()
    if float(product[0, 0]) != SIDE:
        raise SystemExit(f"wrong product on {device}: {float(product[0, 0])}, not {SIDE}")
    return time.perf_counter() - started


def main() -> None:
    """Print the devices and the unavailable backends, then choose a device in three ways."""
    for device in xp.devices():
        print(f"{device!s:<14} {describe(device)}")
    for backend in xp.backends():
        if not backend.available:
            print(f"{backend.name:<14} unavailable: {backend.reason}; {backend.remedy}")

    print(f"\nby default:        {xp.default_device()}")

    needed = 3 * 8 * SIDE**2
    print(f"with free memory:  {xp.best_device(min_free_memory=needed)}")

    times = {}
    for device in xp.devices():
        try:
            times[device] = seconds_for_a_product(device)
        except xp.BackendUnavailableError as error:
            print(f"not timed:         {device} ({error.reason})")
    fastest = min(times, key=times.__getitem__)
    print(f"fastest:           {fastest} ({times[fastest] * 1e3:.2f} ms for a product of {SIDE} by {SIDE})")


if __name__ == "__main__":
    main()
