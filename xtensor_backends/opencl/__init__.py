"""The devices of OpenCL: ``opencl:0``, ``opencl:1``, …, GPUs first."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from xtensor.backend import BackendUnavailableError, DeviceInfo, import_library, install_command, lost_device

from ..buffers.backend import BufferBackend

if TYPE_CHECKING:
    from ._runtime import OpenCLRuntime

__all__ = ["OpenCLBackend", "backend"]

OLDEST = (2025, 1)

REQUIREMENT = "pyopencl>=2025.1"

DRIVER = "pocl-binary-distribution"
"""The requirement of a driver that computes on the CPU."""

LOST = frozenset((-2, -5, -34, -36))
"""Codes of a device that is not available, resources that are gone, an invalid context and an invalid queue."""


class OpenCLBackend(BufferBackend):
    """Kernels in OpenCL C on the devices of all platforms."""

    name = "opencl"
    kinds = ("opencl",)
    requires = REQUIREMENT
    dlpack_type = 4

    def __init__(self) -> None:
        super().__init__()
        self._cl: Any = None
        self._devices: dict[str, Any] = {}

    def probe(self) -> str:
        pyopencl, version = import_library("pyopencl", OLDEST, REQUIREMENT, DRIVER)
        driver = f"install the GPU's driver, or one for the CPU: {install_command(DRIVER)}"
        try:
            platforms = pyopencl.get_platforms()
        except pyopencl.Error as error:
            raise BackendUnavailableError(f"there is no OpenCL driver: {error}", driver) from error
        devices = [device for platform in platforms for device in _devices_of(pyopencl, platform)]
        if not devices:
            names = ", ".join([platform.name.strip() for platform in platforms])
            # PoCL, for example, finds its device only where it may write into a cache.
            permitted = f"{driver}; a process that may not open the GPU's files, or write into POCL_CACHE_DIR, has none"
            raise BackendUnavailableError(f"the OpenCL drivers have no device for this process: {names}", permitted)
        devices.sort(key=lambda device: not device.type & pyopencl.device_type.GPU)
        self._cl = pyopencl
        self._devices = {f"opencl:{number}": device for number, device in enumerate(devices)}
        return version

    def devices(self) -> Sequence[str]:
        return tuple(self._devices)

    def rank(self, spec: str) -> int:
        return 3

    def open(self, spec: str) -> OpenCLRuntime:
        from ._runtime import OpenCLRuntime

        return OpenCLRuntime(spec, self._devices[spec])

    def info(self, spec: str) -> DeviceInfo:
        device, memory = self._devices[spec], self.memory(spec)
        return DeviceInfo(
            name=f"{device.name.strip()} ({device.platform.name.strip()})",
            index=int(spec.rpartition(":")[2]),
            total_memory=memory.total,
            free_memory=memory.free,
            unified_memory=bool(device.host_unified_memory),
            cores=int(device.max_compute_units),
            driver=device.driver_version.strip(),
        )

    def out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, (MemoryError, self._cl.MemoryError))

    def translate(self, error: Exception) -> Exception:
        if self.out_of_memory(error):
            return MemoryError(str(error))
        if isinstance(error, self._cl.Error) and getattr(error, "code", 0) in LOST:
            return lost_device(error)
        return RuntimeError(str(error)) if isinstance(error, self._cl.Error) else error


def _devices_of(cl: Any, platform: Any) -> list[Any]:
    """Return the devices of a platform; a driver that has none raises an error of its own."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [device for device in platform.get_devices() if device.available]
    except cl.Error:
        return []


backend = OpenCLBackend()
"""The object of the entry point ``opencl``."""
