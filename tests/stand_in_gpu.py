"""Stand-ins for a GPU in the processes of a rehearsal: the module ``cupy``, and the Triton backend over it.

``cupy`` computes with NumPy (:class:`host_cupy.StandIn`). The Triton backend's kernels are interpreted, over the arrays
of that module. As on a GPU, a process that opened ``triton:0`` cannot open ``triton:interpret``.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from importlib.machinery import ModuleSpec
from types import SimpleNamespace

import host_cupy
import numpy as np

import xtensor_backends.triton
from xtensor_backends.triton import INTERPRET, TritonBackend

FAULT = "XTENSOR_STAND_IN_FAULT"
"""The environment variable with a fault of one function: ``exp=crash`` ends the process by SIGSEGV, ``exp=hang`` does
not return, and ``exp=lose`` raises, as does every later call, like after an invalid access on a GPU."""


class RandomState(np.random.RandomState):
    def random_sample(self, size, dtype):
        return cupy.on_current(super().random_sample(size).astype(dtype))


class Event:
    def record(self):
        self.at = time.perf_counter()

    def synchronize(self):
        pass


class Module(host_cupy.StandIn):
    """The stand-in with what the environment's description and the benchmarks use in addition."""

    __name__ = "cupy"
    __spec__ = ModuleSpec("cupy", None)

    def __init__(self):
        super().__init__()
        cuda = self.cuda
        cuda.nvrtc = SimpleNamespace(getVersion=lambda: (12, 9))
        cuda.runtime.driverGetVersion = cuda.runtime.runtimeGetVersion = lambda: 12090
        cuda.Event = Event
        cuda.get_elapsed_time = lambda start, end: (end.at - start.at) * 1e3
        cuda.get_current_stream = lambda: SimpleNamespace(synchronize=lambda: None, ptr=0)
        cuda.set_allocator = lambda allocator: None
        cuda.Device.use = lambda device: None
        self.random = SimpleNamespace(RandomState=RandomState)

    def __getattr__(self, name):
        faulty, _, fault = os.environ.get(FAULT, "").partition("=")
        return super().__getattr__(name) if name != faulty else getattr(self, f"_{fault}")

    def _crash(self, x):
        os.kill(os.getpid(), signal.SIGSEGV)

    def _hang(self, x):
        time.sleep(600)

    def _lose(self, x):
        self.on_current = self.asnumpy = self._lose
        raise host_cupy.RuntimeFailureError(700, "cudaErrorIllegalAddress: an illegal memory access was encountered")


cupy = Module()


computing_kernels = TritonBackend.kernels


def interpreted_kernels(self, spec):
    """Return the kernels of a GPU, interpreted over the stand-in's arrays."""
    if spec == INTERPRET:
        return computing_kernels(self, spec)
    self._settle(spec)
    xtensor_backends.triton._set_mode(True)
    from xtensor_backends.triton._context import Context
    from xtensor_backends.triton._device import functions_over
    from xtensor_backends.triton._interpreter import Interpreter
    from xtensor_backends.triton._storage import HostMemory

    class Memory(HostMemory):
        @staticmethod
        def empty(shape, dtype):
            return cupy.on_current(HostMemory.empty(shape, dtype))

    return functions_over(Context(Memory(), Interpreter()))


def install():
    """Take the place of CuPy and of the kernels on a GPU in this process; called where ``cupy`` is imported."""
    sys.modules["cupy"] = cupy
    TritonBackend.kernels = interpreted_kernels
