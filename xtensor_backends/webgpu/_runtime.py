"""A device of WebGPU: its queue, its memory, and the launches of kernels by wgpu."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import wgpu

from ..buffers.memory import MemoryPool
from ..buffers.runtime import Runtime
from ..buffers.source import Kernel
from ..numpy import backend as host
from ._language import GROUP, LARGEST_ROW, WGSL

__all__ = ["WebGPURuntime"]

LANGUAGE = WGSL()

DTYPES = ("bool", "int32", "uint32", "float32", "complex64")

LIMITS = ("max-buffer-size", "max-storage-buffer-binding-size", "max-storage-buffers-per-shader-stage")
"""The limits that are requested as large as the adapter has them."""

ARGUMENTS_SIZE = 2**14
"""Bytes of the buffer of arguments, more than any kernel has."""

STORAGE = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST


class Compiled:
    """A kernel, and its pipelines: one for each way in which its buffers may be the same."""

    def __init__(self, device: Any, kernel: Kernel) -> None:
        self._device = device
        self._kernel = kernel
        self._pipelines: dict[tuple[int, ...], tuple[Any, Any, list[int]]] = {}

    def bound(self, buffers: Sequence[Any]) -> tuple[Any, Any, list[int]]:
        """Return a pipeline, the layout of its buffers, and the numbers of the buffers that it binds.

        WebGPU refuses to bind a buffer twice if a kernel writes to it. The kernel that reads an operand from a buffer
        that it writes to, for an in-place operator, therefore reads from the binding of the output.
        """
        written = self._kernel.written
        same = tuple([buffers.index(x) if x in buffers[:written] else k for k, x in enumerate(buffers)])
        pipeline = self._pipelines.get(same)
        if pipeline is None:
            pipeline = self._pipelines[same] = self._compile(same)
        return pipeline

    def _compile(self, same: tuple[int, ...]) -> tuple[Any, Any, list[int]]:
        kernel, device, source = self._kernel, self._device, self._kernel.source
        for k, other in enumerate(same):
            if k != other:
                source = re.sub(rf"\n.*var<storage, read> b{k}: .*", "", source)
                source = re.sub(rf"\bb{k}\[", f"b{other}[", source)
        bindings = [k for k, other in enumerate(same) if k == other]
        kinds = {k: "storage" if k < kernel.written else "read-only-storage" for k in bindings}
        kinds[kernel.buffers] = "read-only-storage"
        layout = device.create_bind_group_layout(
            entries=[
                {"binding": k, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": {"type": kind}}
                for k, kind in kinds.items()
            ]
        )
        pipeline = device.create_compute_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=[layout]),
            compute={"module": device.create_shader_module(code=source), "entry_point": "f"},
        )
        return pipeline, layout, bindings


class WebGPURuntime(Runtime):
    """A queue that does its work in order, and kernels that wgpu compiles.

    Parameters
    ----------
    spec
        The device's spec.
    adapter
        wgpu's adapter.
    """

    bool_size = 4
    index_dtype = np.dtype(np.int32)

    def __init__(self, spec: str, adapter: Any) -> None:
        # The garbage collector, which finds a block and its buffer in one cycle, would finalize the buffer, too, before
        # the block returns it to the pool. wgpu's library ends the process where a finalized buffer is used.
        self._buffers: set[Any] = set()
        limits = {name: adapter.limits[name] for name in LIMITS}
        self._device = adapter.request_device_sync(required_limits=limits)
        self._queue = self._device.queue
        largest = min(limits["max-buffer-size"], limits["max-storage-buffer-binding-size"]) // 4 * 4
        # WebGPU does not tell how much memory a device has.
        total = host.memory("numpy").total or 2**33
        pool = MemoryPool(self._allocate, self._release, total, largest)
        super().__init__(spec, LANGUAGE, DTYPES, pool)
        self.most_buffers = limits["max-storage-buffers-per-shader-stage"] - 1
        # The queue writes arguments after the kernels before them, so that one buffer serves all launches.
        self._arguments = self._allocate(ARGUMENTS_SIZE)

    def _allocate(self, size: int) -> Any:
        buffer = self._device.create_buffer(size=size, usage=STORAGE)
        self._buffers.add(buffer)
        return buffer

    def _release(self, buffer: Any) -> None:
        self._buffers.remove(buffer)
        buffer.destroy()

    def compile(self, kernel: Kernel) -> Any:
        return Compiled(self._device, kernel)

    def enqueue(
        self, compiled: Any, buffers: Sequence[Any], scalars: Sequence[np.generic], numbers: Sequence[int], count: int
    ) -> None:
        try:
            words = np.asarray([0, *numbers], np.int32)
        except OverflowError as error:
            raise ValueError(f"{self.spec} computes with arrays of at most {2**31 - 1} elements") from error
        parts = [words.view(np.uint32), *[word_of(scalar) for scalar in scalars]]
        pipeline, layout, bindings = compiled.bound(buffers)
        entries = [{"binding": k, "resource": {"buffer": buffers[k]}} for k in bindings]
        entries.append({"binding": len(buffers), "resource": {"buffer": self._arguments}})
        group = self._device.create_bind_group(layout=layout, entries=entries)
        encoder = self._device.create_command_encoder()
        step = encoder.begin_compute_pass()
        step.set_pipeline(pipeline)
        step.set_bind_group(0, group)
        groups = -(-count // GROUP)
        step.dispatch_workgroups(min(groups, LARGEST_ROW), -(-groups // LARGEST_ROW), 1)
        step.end()
        self._queue.write_buffer(self._arguments, 0, np.concatenate(parts))
        self._queue.submit([encoder.finish()])

    def write(self, buffer: Any, values: np.ndarray[Any, Any]) -> None:
        with self.lock:
            self._queue.write_buffer(buffer, 0, values)

    def read(self, buffer: Any, values: np.ndarray[Any, Any], start: int) -> None:
        with self.lock:
            values_read = self._queue.read_buffer(buffer, start, values.nbytes)
        values.reshape(-1).view(np.uint8)[:] = values_read

    def handle(self, buffer: Any) -> int:
        return id(buffer)

    def synchronize(self) -> None:
        # wgpu 0.32 raises TypeError in on_submitted_work_done_sync; a read waits for the work before it, too.
        with self.lock:
            self._queue.read_buffer(self._arguments, 0, 4)


def word_of(scalar: np.generic) -> np.ndarray[Any, Any]:
    """Return a number of 32 bits, or a bool, as a word."""
    value = np.asarray([scalar])
    return value.astype(np.uint32) if value.dtype.itemsize == 1 else value.view(np.uint32)
