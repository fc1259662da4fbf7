"""The devices that this process can open."""

from __future__ import annotations

import xtensor as xp


def usable_devices() -> tuple[xp.Device, ...]:
    """Return the devices that open in this process, the default choice first.

    ``xp.devices()`` opens no device, and not all of its devices open in one process: Triton either compiles kernels,
    for GPUs, or interprets them. The device that is opened first decides.
    """
    return tuple(device for device in xp.devices() if opens(device))


def opens(device: xp.Device) -> bool:
    """Return whether a device opens in this process."""
    try:
        device.implements("add")
    except xp.BackendUnavailableError:
        return False
    return True
