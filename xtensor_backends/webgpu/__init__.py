"""The devices of WebGPU: ``webgpu:0``, ``webgpu:1``, …, discrete GPUs first, then integrated ones, then CPUs."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xtensor.backend import BackendUnavailableError, DeviceInfo, import_library, lost_device

from ..buffers.backend import BufferBackend

if TYPE_CHECKING:
    from ._runtime import WebGPURuntime

__all__ = ["WebGPUBackend", "backend"]

OLDEST = (0, 32)

REQUIREMENT = "wgpu>=0.32"

INTERFACES = ("Vulkan", "Metal", "D3D12")
"""The system interfaces whose adapters run compute kernels. Those of OpenGL are the same hardware once more."""

DLPACK = {"Vulkan": 7, "Metal": 8}
"""DLPack's numbers of the interfaces, which the standard lists. It does not list that of WebGPU."""

WEBGPU = 15

ORDER = ("DiscreteGPU", "IntegratedGPU", "Unknown", "CPU")


class WebGPUBackend(BufferBackend):
    """Kernels in WGSL on the adapters that wgpu finds."""

    name = "webgpu"
    kinds = ("webgpu",)
    requires = REQUIREMENT

    def __init__(self) -> None:
        super().__init__()
        self._wgpu: Any = None
        self._adapters: dict[str, Any] = {}

    def probe(self) -> str:
        wgpu, version = import_library("wgpu", OLDEST, REQUIREMENT)
        _load_triton_first()
        adapters = [x for x in wgpu.gpu.enumerate_adapters_sync() if x.info["backend_type"] in INTERFACES]
        if not adapters:
            raise BackendUnavailableError(
                "wgpu finds no adapter",
                "install the GPU's driver of Vulkan, or one for the CPU, as Debian's package mesa-vulkan-drivers",
            )
        adapters.sort(key=lambda adapter: _order(adapter.info["adapter_type"]))
        self._wgpu = wgpu
        self._adapters = {f"webgpu:{number}": adapter for number, adapter in enumerate(adapters)}
        return str(version)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        interface = self._adapters[spec].info["backend_type"]
        return DLPACK.get(interface, WEBGPU), int(spec.rpartition(":")[2])

    def devices(self) -> Sequence[str]:
        return tuple(self._adapters)

    def rank(self, spec: str) -> int:
        return 2

    def open(self, spec: str) -> WebGPURuntime:
        from ._runtime import WebGPURuntime

        return WebGPURuntime(spec, self._adapters[spec])

    def info(self, spec: str) -> DeviceInfo:
        info, memory = self._adapters[spec].info, self.memory(spec)
        return DeviceInfo(
            name=f"{info['device']} ({info['backend_type']})",
            index=int(spec.rpartition(":")[2]),
            total_memory=memory.total,
            free_memory=memory.free,
            unified_memory=info["adapter_type"] in ("IntegratedGPU", "CPU"),
            driver=info["description"] or None,
        )

    def out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError)

    def translate(self, error: Exception) -> Exception:
        if self.out_of_memory(error):
            return MemoryError(str(error))
        if not isinstance(error, self._wgpu.GPUError):
            return error
        return lost_device(error) if "lost" in str(error).lower() else RuntimeError(str(error))


def _load_triton_first() -> None:
    """Load the library of Triton, where it is installed, without its package, which reads the environment.

    Mesa's drivers load LLVM. Triton's library, which has another LLVM, ends the process if it is loaded after that.
    """
    triton = find_spec("triton")
    for folder in [] if triton is None else triton.submodule_search_locations or []:
        for library in Path(folder, "_C").glob("libtriton*.so"):
            with suppress(OSError):  # a broken Triton is reported by its own backend
                ctypes.CDLL(str(library))


def _order(kind: str) -> int:
    return ORDER.index(kind) if kind in ORDER else ORDER.index("Unknown")


backend = WebGPUBackend()
"""The object of the entry point ``webgpu``."""
