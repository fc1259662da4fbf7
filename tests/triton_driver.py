"""Triton's driver without a GPU, and kernel functions that launch on it, for tests.

The driver records launches instead of executing them. It raises errors where a GPU's driver would: for a kernel whose
module was unloaded, or is loaded in another device's context, and for a stream of another thread or device.
"""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np

OUT_OF_MEMORY = {
    "cuda": "Triton Error [CUDA]: out of memory",
    "hip": "Triton Error [HIP]:  Code: 2, Messsage: out of memory",
}
"""The messages of the RuntimeError that Triton raises, spelled as Triton spells them."""


class Driver:
    """Triton's driver without a GPU, in the parts that loading and launching a kernel use.

    Parameters
    ----------
    target
        The arguments of Triton's ``GPUTarget``.

    Attributes
    ----------
    launches
        The launches so far.
    events
        ``"load NAME"``, ``"unload NAME"`` and ``"launch NAME"``, in order.
    load_errors, launch_errors
        Messages of errors that the next loads and launches raise, each one once.
    """

    def __init__(self, target: tuple[Any, ...] = ("cuda", 90, 32)):
        self.launches: list[dict[str, Any]] = []
        self.events: list[str] = []
        self.load_errors: list[str] = []
        self.launch_errors: list[str] = []
        self.utils = self
        self._target = target
        self._handles = itertools.count(1000)
        self._loaded: dict[int, tuple[str, int]] = {}
        self._functions: dict[int, int] = {}
        self._thread = threading.local()
        self._streams: dict[int, tuple[int, int]] = {}

    # -- devices and streams ------------------------------------------------------------------------------------------

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget(*self._target)

    def get_current_device(self):
        return getattr(self._thread, "device", 0)

    def set_current_device(self, device):
        self._thread.device = device

    def get_device_properties(self, device):
        return {"max_shared_mem": 232448}

    def stream(self):
        """The handle of this thread's stream on its current device."""
        streams = self._thread.__dict__.setdefault("streams", {})
        device = self.get_current_device()
        if device not in streams:
            streams[device] = next(self._handles)
            self._streams[streams[device]] = (threading.get_ident(), device)
        return streams[device]

    def get_current_stream(self, device):
        return self.stream()

    # -- modules ------------------------------------------------------------------------------------------------------

    def load_binary(self, name, kernel, shared, device):
        if self.load_errors:
            raise RuntimeError(self.load_errors.pop(0))
        if device != self.get_current_device():
            raise RuntimeError("Triton Error [CUDA]: invalid device context")
        module, function = next(self._handles), next(self._handles)
        self._loaded[module] = (name, device)
        self._functions[function] = module
        self.events.append(f"load {name}")
        return module, function, 32, 0, 1024

    def unload_module(self, module):
        name, _ = self._loaded.pop(module)
        self.events.append(f"unload {name}")

    # -- launches -----------------------------------------------------------------------------------------------------

    def launcher_cls(self, source, metadata):
        from triton.runtime import driver

        assert driver.active.utils is self  # as Triton's launchers get their functions
        types = dict(source.signature)
        divisible = sorted(list(path) for path in source.attrs)
        constants = {source.fn.arg_names[path[0]]: value for path, value in source.constants.items() if len(path) == 1}
        ones = sorted(list(path) for path, value in source.constants.items() if value == 1 and value is not True)

        def run(x, y, z, stream, function, packed, metadata, enter, leave, *args):
            _ = driver.active  # read at each launch, as by Triton 3.8 and newer
            self._check(stream, function)
            if self.launch_errors:
                raise RuntimeError(self.launch_errors.pop(0))
            self.events.append(f"launch {source.fn.__name__}")
            arguments = dict(zip(source.fn.arg_names, args, strict=True))
            self.launches.append(
                {
                    "kernel": source.fn.__name__,
                    "grid": [x, y, z],
                    "stream": stream,
                    "types": types,
                    "arguments": {
                        name: value for name, value in arguments.items() if name not in constants or value == 1
                    },
                    "constants": {name: value for name, value in constants.items() if isinstance(value, (int, str))},
                    "divisible": divisible,
                    "ones": ones,
                    "hooks": [metadata, enter, leave],
                }
            )

        return run

    def _check(self, stream, function):
        """Raise the errors of a launch whose function or stream is not valid here."""
        module = self._functions[function]
        if module not in self._loaded:
            raise RuntimeError("Triton Error [CUDA]: invalid resource handle: the module was unloaded")
        device = self.get_current_device()
        if self._loaded[module][1] != device:
            raise RuntimeError("Triton Error [CUDA]: invalid resource handle: the module is in another context")
        if stream in self._streams and self._streams[stream] != (threading.get_ident(), device):
            raise RuntimeError("Triton Error [CUDA]: the stream is that of another thread or device")


class Device:
    """The kernel functions of a device over host memory, whose launches are recorded.

    ``tag`` returns the stream of a launch; the default is the driver's stream of the thread.
    """

    def __init__(self, tag=None, target=("cuda", 90, 32)):
        from xtensor_triton._context import Context
        from xtensor_triton._device import functions_over
        from xtensor_triton._launch import Launcher
        from xtensor_triton._storage import HostMemory

        self.driver = Driver(target)
        self.context = Context(HostMemory(), Launcher(self.driver, tag or self.driver.stream))
        self.functions = functions_over(self.context)

    def __getattr__(self, name):
        return self.functions[name]

    @property
    def recorded(self):
        launches, self.driver.launches = self.driver.launches, []
        return launches


def aligned(count, dtype=np.float32, shift=0):
    """An array whose address is ``shift`` elements after one divisible by 64."""
    memory = np.zeros(count * np.dtype(dtype).itemsize + 256, np.uint8)
    start = -memory.ctypes.data % 64 + shift * np.dtype(dtype).itemsize
    return memory[start : start + count * np.dtype(dtype).itemsize].view(dtype)


class AlignedMemory:
    """Allocates NumPy arrays at addresses divisible by 64."""

    @staticmethod
    def empty(shape, dtype):
        return aligned(int(np.prod(shape)), dtype).reshape(shape)


def device(**options):
    """A device whose results are at addresses divisible by 64."""
    result = Device(**options)
    result.context.empty = AlignedMemory.empty
    from xtensor_triton._device import functions_over

    result.functions = functions_over(result.context)
    return result


class HostArrays:
    """Takes the place of the backend's access to CuPy's arrays; the arrays are NumPy's."""

    def __new__(cls, cupy):
        from xtensor_triton._storage import HostMemory

        return HostMemory()
