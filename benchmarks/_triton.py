"""Access to the internals of the Triton backend: a device without a GPU, one compiled kernel, and chosen tile sizes.

This is the only module of the benchmarks that imports private modules of a backend. They are imported inside the
functions, because Triton need not be installed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

__all__ = ["NullDriver", "add_kernel", "kernels", "null_context"]

TARGET = ("cuda", 90, 32)
"""Compilation target of the device without a GPU: CUDA, compute capability 9.0, warps of 32 threads."""


class NullDriver:
    """The GPU's driver without a GPU: loading a kernel and launching it do nothing."""

    def __init__(self) -> None:
        from triton.backends.compiler import GPUTarget

        self.target = GPUTarget(*TARGET)
        self.stream = int

    def load(self, compiled: Any) -> int:
        return 1

    def start(self, *args: int) -> None:
        pass


def null_context(cupy: Any | None) -> Any:
    """Return a context that compiles kernels and launches them on the null driver.

    ``cupy`` is the CuPy module, whose arrays are the operands, or None for NumPy arrays.
    """
    from xtensor_backends.triton._context import Context
    from xtensor_backends.triton._launch import Launcher
    from xtensor_backends.triton._storage import DeviceMemory, HostMemory

    memory = HostMemory() if cupy is None else DeviceMemory(cupy)
    return Context(memory, Launcher(NullDriver()))


def kernels(context: Any) -> Mapping[str, Callable[..., Any]]:
    """Return the Triton backend's kernel functions on a context."""
    from xtensor_backends.triton._device import functions_over

    return functions_over(context)


def add_kernel(context: Any) -> Any:
    """Return the kernel of ``add`` for contiguous float32 arrays, as the backend calls it."""
    from xtensor_backends.triton._plans import plan_of

    plan = plan_of("add")((np.dtype(np.float32),) * 2)
    return plan.kernel(context, ("array", "array"), 0, False, False, plan.block)
