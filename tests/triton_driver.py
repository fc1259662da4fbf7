"""The GPU's driver without a GPU, and kernel functions that launch on it, for tests.

The driver records launches instead of executing them. It reads the parameters from memory where the kernel would, by
the declaration in the kernel's PTX. It raises errors where a GPU's driver would: for a kernel that is loaded in another
device's context, for a stream of another thread or device, and in a thread without a context.
"""

from __future__ import annotations

import ctypes
import itertools
import re
import threading
from typing import Any

import numpy as np

OUT_OF_MEMORY = {"cuda": "CUDA_ERROR_OUT_OF_MEMORY: out of memory", "hip": "hipErrorOutOfMemory: out of memory"}
"""The messages of the RuntimeError that CuPy raises."""

TYPES = {
    "u64": ctypes.c_uint64,
    "i64": ctypes.c_int64,
    "i32": ctypes.c_int32,
    "fp32": ctypes.c_float,
    "fp64": ctypes.c_double,
}

SIZES = {"u64": 8, "u32": 4, "f32": 4, "f64": 8}
"""Bytes of the types of parameters in PTX."""

POINTER, SIZE, END = 1, 2, {"cuda": 0, "hip": 3}


class Driver:
    """The GPU's driver, in the parts that :class:`xtensor_backends.triton._driver.Driver` offers.

    Parameters
    ----------
    target
        The arguments of Triton's ``GPUTarget``.
    needs_context
        Whether a thread other than the first has no context before :meth:`use_context`.

    Attributes
    ----------
    launches
        The launches so far.
    events
        ``"load NAME"`` and ``"launch NAME"``, in order.
    load_errors, launch_errors
        Messages of errors that the next loads and launches raise, each one once.
    """

    def __init__(self, target: tuple[Any, ...] = ("cuda", 90, 32), *, needs_context: bool = False):
        from triton.backends.compiler import GPUTarget

        self.launches: list[dict[str, Any]] = []
        self.events: list[str] = []
        self.load_errors: list[str] = []
        self.launch_errors: list[str] = []
        self.target = GPUTarget(*target)
        self._handles = itertools.count(1000)
        self._functions: dict[int, tuple[Any, int]] = {}
        self._thread = threading.local()
        self._streams: dict[int, tuple[int, int]] = {}
        self._thread.has_context = True
        self._needs_context = needs_context

    # -- devices and streams ------------------------------------------------------------------------------------------

    def get_current_device(self):
        return 0

    def use_context(self):
        self._thread.has_context = True

    def stream(self):
        """The handle of this thread's stream on its current device."""
        streams = self._thread.__dict__.setdefault("streams", {})
        device = self.get_current_device()
        if device not in streams:
            streams[device] = next(self._handles)
            self._streams[streams[device]] = (threading.get_ident(), device)
        return streams[device]

    # -- modules ------------------------------------------------------------------------------------------------------

    def load(self, compiled):
        self._check_context()
        if self.load_errors:
            raise RuntimeError(self.load_errors.pop(0))
        function = next(self._handles)
        self._functions[function] = (compiled, self.get_current_device())
        self.events.append(f"load {compiled.src.fn.__name__}")
        return function

    # -- launches -----------------------------------------------------------------------------------------------------

    def start(self, function, x, y, z, threads, threads_y, threads_z, shared, stream, parameters, extra):
        self._check_context()
        compiled, device = self._functions[function]
        if device != self.get_current_device():
            raise RuntimeError("CUDA_ERROR_INVALID_HANDLE: the module is in another context")
        if stream in self._streams and self._streams[stream] != (threading.get_ident(), device):
            raise RuntimeError("CUDA_ERROR_INVALID_HANDLE: the stream is that of another thread or device")
        if self.launch_errors:
            raise RuntimeError(self.launch_errors.pop(0))
        assert parameters == 0
        assert (threads_y, threads_z) == (1, 1)
        assert (threads, shared) == (compiled.metadata.num_warps * self.target.warp_size, compiled.metadata.shared)
        source = compiled.src
        name = source.fn.__name__
        self.events.append(f"launch {name}")
        constants = {source.fn.arg_names[path[0]]: value for path, value in source.constants.items() if len(path) == 1}
        ones = sorted(list(path) for path, value in source.constants.items() if value == 1 and value is not True)
        self.launches.append(
            {
                "kernel": name,
                "grid": [x, y, z],
                "stream": stream,
                "types": dict(source.signature),
                "arguments": arguments(source, block_of(extra, self.target.backend), compiled.asm.get("ptx")),
                "constants": {name: value for name, value in constants.items() if isinstance(value, (int, str))},
                "divisible": sorted(list(path) for path in source.attrs),
                "ones": ones,
            }
        )

    def _check_context(self):
        if self._needs_context and not getattr(self._thread, "has_context", False):
            raise RuntimeError("CUDA_ERROR_INVALID_CONTEXT: invalid device context")


def block_of(extra, backend):
    """The bytes of the parameters, which the driver finds by pairs of a key and an address."""
    keys = (ctypes.c_void_p * 5).from_address(extra)
    assert (keys[0], keys[2], keys[4] or 0) == (POINTER, SIZE, END[backend])
    return ctypes.string_at(keys[1], ctypes.c_size_t.from_address(keys[3]).value)


def arguments(source, block, ptx):
    """The arguments of a kernel by name, read from its parameters; those that equal 1 are constants."""
    offset, sizes = 0, []

    def read(kind):
        nonlocal offset
        kind = TYPES["u64" if kind[0] == "*" else kind]
        size = ctypes.sizeof(kind)
        offset += -offset % size
        sizes.append(size)
        value = kind.from_buffer_copy(block, offset).value
        offset += size
        return value

    found: dict[str, Any] = {}
    for position, (name, kind) in enumerate(source.signature.items()):
        if isinstance(kind, tuple):
            found[name] = [
                source.constants[position, index] if part == "constexpr" else read(part)
                for index, part in enumerate(kind)
            ]
        elif kind != "constexpr":
            found[name] = read(kind)
        elif source.constants.get((position,)) == 1 and source.constants[position,] is not True:
            found[name] = 1
    scratch = [read("u64"), read("u64")]
    assert (scratch, offset) == ([0, 0], len(block))
    if ptx is not None:
        header = re.search(r"\.entry \w+\((.*?)\)", ptx, re.DOTALL)[1]
        assert sizes == [SIZES[kind] for kind in re.findall(r"\.param \.(\w+)", header)]
    return found


class Device:
    """The kernel functions of a device over host memory, whose launches are recorded.

    ``tag`` returns the stream of a launch; the default is the driver's stream of the thread.
    """

    def __init__(self, tag=None, target=("cuda", 90, 32), **options):
        from xtensor_backends.triton._context import Context
        from xtensor_backends.triton._device import functions_over
        from xtensor_backends.triton._launch import Launcher
        from xtensor_backends.triton._storage import HostMemory

        self.driver = Driver(target, **options)
        self.driver.stream = tag or self.driver.stream
        self.context = Context(HostMemory(), Launcher(self.driver))
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
    from xtensor_backends.triton._device import functions_over

    result.functions = functions_over(result.context)
    return result


class HostArrays:
    """Takes the place of the backend's access to CuPy's arrays; the arrays are NumPy's."""

    def __new__(cls, cupy):
        from xtensor_backends.triton._storage import HostMemory

        return HostMemory()
