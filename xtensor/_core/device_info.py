"""Records of the hardware and memory of devices, and of the state of backends."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["BackendInfo", "DeviceInfo", "Memory"]


class DeviceInfo(NamedTuple):
    """Description of a device's hardware; None where the library does not tell.

    ``total_memory`` and ``free_memory`` are bytes, ``driver`` is the version of the driver as it names itself.
    """

    name: str
    index: int | None = None  # type: ignore[assignment] # in the place of the method of tuples
    total_memory: int | None = None
    free_memory: int | None = None
    compute_capability: str | None = None
    unified_memory: bool | None = None
    cores: int | None = None
    simd: tuple[str, ...] = ()
    driver: str | None = None


class Memory(NamedTuple):
    """Bytes of a device's memory; None where the library does not tell.

    ``pool_used`` is the part of the library's pool that arrays occupy, ``pool_total`` the memory that the pool holds.
    """

    total: int | None
    free: int | None
    pool_used: int | None = None
    pool_total: int | None = None


class BackendInfo(NamedTuple):
    """A backend as :func:`backends` reports it.

    Attributes
    ----------
    name, kinds, requires
        Its name, the kinds of device it serves, and what to install to have it.
    available
        Whether it works on this machine; if not, ``reason`` tells why and ``remedy`` what to do.
    version
        The version of its library, or None.
    devices
        The specs of its devices.
    dtypes, fp64
        The dtypes that its first device supports, and whether float64 is among them.
    """

    name: str
    available: bool
    reason: str = ""
    remedy: str = ""
    version: str | None = None
    kinds: tuple[str, ...] = ()
    requires: str = ""
    devices: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    fp64: bool = False
