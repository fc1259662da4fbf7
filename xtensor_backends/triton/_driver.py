"""Compiled kernels on the GPU: loaded and started by CuPy's functions of the driver, on its current device and stream.

Triton's own driver and launchers need PyTorch or a C compiler, and look at each argument at each launch.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from triton.backends.compiler import GPUTarget

__all__ = ["Driver", "parameter_block"]

MAX_DYNAMIC_SHARED_SIZE = 8
"""The attribute of a function: the bytes of shared memory that its launches may ask for."""

SHARED = 48 * 1024
"""The bytes of shared memory that any launch may ask for."""

POINTER, SIZE = 1, 2
"""The driver's keys of a block of parameters: its address, the address of its size."""

END = {"cuda": 0, "hip": 3}
"""The key behind the last pair of a key and a value."""


class Driver:
    """Loads kernels on CuPy's current device, and starts them.

    Attributes
    ----------
    target
        The GPU that is current now, as Triton describes it.
    start
        Starts a function: its handle, the programs along three axes, the threads along three axes, the bytes of shared
        memory, the stream, 0, and the address of the parameters: see :func:`parameter_block`.
    """

    def __init__(self, cupy: Any) -> None:
        self._driver, self._runtime = cupy.cuda.driver, cupy.cuda.runtime
        self._current_stream = cupy.cuda.get_current_stream
        properties = self._runtime.getDeviceProperties(self._runtime.getDevice())
        if self._runtime.is_hip:
            name = properties["gcnArchName"].decode().partition(":")[0]
            self.target = GPUTarget("hip", name, properties["warpSize"])
        else:
            self.target = GPUTarget("cuda", 10 * properties["major"] + properties["minor"], 32)
        self.start: Callable[..., None] = self._driver.launchKernel

    def stream(self) -> int:
        """The handle of CuPy's current stream."""
        return self._current_stream().ptr  # type: ignore[no-any-return]

    def load(self, compiled: Any) -> int:
        """Load a kernel that Triton has compiled, and return the handle of its function. It stays loaded."""
        binary = compiled.asm["hsaco" if self.target.backend == "hip" else "cubin"]
        module = self._driver.moduleLoadData(binary)
        function: int = self._driver.moduleGetFunction(module, compiled.metadata.name)
        if compiled.metadata.shared > SHARED:
            self._driver.funcSetAttribute(function, MAX_DYNAMIC_SHARED_SIZE, compiled.metadata.shared)
        return function

    def use_context(self) -> None:
        """Make the context of the current device that of this thread, as the runtime does at its first call in one."""
        self._runtime.free(0)


def parameter_block(size: int, backend: str) -> tuple[Any, int, Any]:
    """Return memory for the parameters of a launch, the address by which the driver takes it, and what owns that."""
    memory = ctypes.create_string_buffer(size)
    length = ctypes.c_size_t(size)
    keys = (ctypes.c_void_p * 5)(POINTER, ctypes.addressof(memory), SIZE, ctypes.addressof(length), END[backend])
    return memory, ctypes.addressof(keys), (length, keys)
