"""A device of OpenCL: its queue, its memory, and the launches of kernels by pyopencl."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyopencl as cl

from xtensor.backend import STANDARD_DTYPES

from ..buffers.languages import OpenCL, OpenCLOnCPU
from ..buffers.memory import MemoryPool
from ..buffers.runtime import Runtime
from ..buffers.source import Kernel

__all__ = ["OpenCLRuntime"]

LANGUAGES = {
    (is_cpu, has_double): (OpenCLOnCPU if is_cpu else OpenCL)(has_double=has_double)
    for is_cpu in (False, True)
    for has_double in (False, True)
}

GROUP = 256
"""Work items of a group, where the device permits as many; on a CPU one, which computes many elements."""

ITEMS = 32
"""Work items for each core of a CPU. PoCL gives a thread that many groups at once."""

DOUBLE = ("float64", "complex128")

EXACT = "-cl-fp32-correctly-rounded-divide-sqrt"
"""The option by which quotients and square roots of float32 are correctly rounded."""


class Compiled:
    """A kernel of pyopencl, and the numbers that it was launched with last: arguments, and the sizes of the launch.

    A kernel keeps its arguments. Those that are the same again are not set again, which saves a fourth of a launch.
    """

    __slots__ = ("kernel", "numbers", "scalars", "sizes")

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel
        self.numbers: tuple[int, ...] | None = None
        self.scalars = b""
        self.sizes: tuple[tuple[int], tuple[int]] = (0,), (0,)


class OpenCLRuntime(Runtime):
    """A queue that does its work in order, and kernels that pyopencl compiles.

    Parameters
    ----------
    spec
        The device's spec.
    device
        pyopencl's device.
    """

    def __init__(self, spec: str, device: Any) -> None:
        dtypes = STANDARD_DTYPES if device.double_fp_config else [x for x in STANDARD_DTYPES if x not in DOUBLE]
        pool = MemoryPool(
            self._allocate, lambda buffer: buffer.release(), device.global_mem_size, device.max_mem_alloc_size
        )
        language = LANGUAGES[bool(device.type & cl.device_type.CPU), bool(device.double_fp_config)]
        super().__init__(spec, language, dtypes, pool)
        self._group = 1 if language.has_loops else min(GROUP, device.max_work_group_size)
        self._most_items = ITEMS * device.max_compute_units if language.has_loops else 2**63
        self._context = cl.Context([device])
        self.queue = cl.CommandQueue(self._context)
        is_exact = device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
        self._options = ["-cl-std=CL1.2", "-w", *([EXACT] if is_exact else [])]

    def _allocate(self, size: int) -> Any:
        try:
            return cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size)
        except cl.MemoryError as error:
            raise MemoryError(str(error)) from error

    def compile(self, kernel: Kernel) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # remarks of the compiler
            program = cl.Program(self._context, kernel.source).build(self._options)
        compiled = cl.Kernel(program, "f")
        number = np.dtype(np.int64 if kernel.wide else np.int32)
        scalars = [np.dtype(np.uint8) if dtype.kind == "b" else dtype for dtype in kernel.scalars]
        compiled.set_scalar_arg_dtypes([*[None] * kernel.buffers, *scalars, *[number] * kernel.numbers])
        return Compiled(compiled)

    def enqueue(
        self,
        compiled: Compiled,
        buffers: Sequence[Any],
        scalars: Sequence[np.generic],
        numbers: tuple[int, ...],
        count: int,
    ) -> None:
        kernel = compiled.kernel
        bits = b"".join([x.tobytes() for x in scalars]) if scalars else b""  # == does not tell -0.0 from 0.0
        if numbers == compiled.numbers and bits == compiled.scalars:
            for position, buffer in enumerate(buffers):
                kernel.set_arg(position, buffer)
        else:
            compiled.numbers = None
            kernel.set_args(*buffers, *scalars, *numbers)
            compiled.numbers, compiled.scalars, compiled.sizes = numbers, bits, self.sizes(count)
        cl.enqueue_nd_range_kernel(self.queue, kernel, *compiled.sizes)

    def sizes(self, count: int) -> tuple[tuple[int], tuple[int]]:
        """Return OpenCL's global and local sizes for a number of work items."""
        group = self._group
        return (-(-min(count, self._most_items) // group) * group,), (group,)

    def write(self, buffer: Any, values: np.ndarray[Any, Any]) -> None:
        cl.enqueue_copy(self.queue, buffer, values)

    def read(self, buffer: Any, values: np.ndarray[Any, Any], start: int) -> None:
        cl.enqueue_copy(self.queue, values, buffer, src_offset=start)

    def handle(self, buffer: Any) -> int:
        return int(buffer.int_ptr)

    def synchronize(self) -> None:
        self.queue.finish()
