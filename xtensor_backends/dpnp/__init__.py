"""SYCL devices through dpnp: the devices ``sycl:gpu:0``, ``sycl:cpu:0``, …"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from xtensor.backend import (
    LAPACK_CORRECTIONS,
    REDUCTION_CORRECTIONS,
    STANDARD_DTYPES,
    Backend,
    BackendUnavailableError,
    DeviceInfo,
    Memory,
    Native,
    install_command,
)

from . import _runtime

__all__ = ["DpnpBackend", "backend"]

REQUIREMENT = "dpnp>=0.20"

REMEDY = install_command(REQUIREMENT)


class DpnpBackend(Backend):
    """dpnp's functions, corrected where they depart from the standard.

    All arrays of a device are on one queue, created when the device is first used, as dpnp refuses operands of two
    queues. The queue is out of order; dpnp orders its kernels by events. An in-order queue can deadlock: dpnp's
    clean-up tasks, which need the interpreter's lock, would precede kernels that are waited for with the lock held.
    """

    name = "dpnp"
    kinds = ("sycl",)
    requires = REQUIREMENT
    corrections = ("acosh", "expm1", "pow", "tan", "tanh", *REDUCTION_CORRECTIONS, *LAPACK_CORRECTIONS)
    # Operators whose function is not dpnp's own; the namespace's ``inplace`` has one for real quotients.
    composed_inplace = ("bitwise_right_shift", "divide", "floor_divide", "matmul", "pow")

    survives_fork = False

    def __init__(self) -> None:
        self._devices: dict[str, Any] = {}
        self._queues: dict[str, Any] = {}
        self._lock = threading.Lock()

    def probe(self) -> str:
        try:
            import dpctl

            self._devices = _runtime.enumerate_devices(dpctl)
            import dpnp

            version = str(dpnp.__version__)
        except ModuleNotFoundError as error:
            raise BackendUnavailableError(f"the module {error.name!r} is not installed", REMEDY) from error
        except Exception as error:
            raise BackendUnavailableError(f"dpnp does not work: {type(error).__name__}: {error}", REMEDY) from error
        if not self._devices:
            raise BackendUnavailableError(*_runtime.no_device())
        return version

    def devices(self) -> Sequence[str]:
        return tuple(self._devices)

    @property
    def native_type(self) -> type:
        import dpnp

        return dpnp.ndarray  # type: ignore[no-any-return]

    def queue(self, spec: str) -> Any:
        """Return the queue of a device."""
        if spec not in self._queues:
            import dpctl

            from ._extensions import initialize

            with self._lock:
                if spec not in self._queues:
                    queue = dpctl.SyclQueue(self._devices[spec])
                    initialize(queue)
                    self._queues[spec] = queue
        return self._queues[spec]

    def namespace(self, spec: str) -> Any:
        from ._namespace import Namespace

        return Namespace(self.queue(spec))

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return native.asnumpy()  # type: ignore[no-any-return]

    def host_view(self, native: Native) -> np.ndarray[Any, Any] | None:
        if not native.sycl_device.has_aspect_cpu:
            return None
        native.sycl_queue.wait()
        return np.asarray(_HostMemory(native))

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if copy is False:
            raise ValueError(f"host values cannot be used on {spec} without a copy; pass copy=None or copy=True")
        import dpnp

        from ._creation import allocate

        # dpnp requires strides that are multiples of the item size; a field of a record may have others.
        if any(stride % array.itemsize for stride in array.strides):
            array = np.ascontiguousarray(array)
        return allocate(dpnp.asarray, array.nbytes, array, sycl_queue=self.queue(spec))

    def getitem(self, native: Native, key: Any) -> Native:
        from ._indexing import getitem

        return getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        from ._indexing import setitem

        setitem(native, key, value)
        return native

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (14, self._devices[spec].get_device_id())  # 14: kDLOneAPI

    def to_dlpack(self, native: Native, **requested: Any) -> Any:
        if requested.get("stream") is None:
            native.sycl_queue.wait()  # a consumer that names no queue cannot wait for ours
        return native.__dlpack__(**requested)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        import dpnp

        queue = getattr(producer, "sycl_queue", None)
        if queue is not None:
            queue.wait()  # its kernels are not ordered with those of our queue
        native = dpnp.from_dlpack(producer, copy=copy)
        if not isinstance(native, dpnp.ndarray):  # dpnp returns a NumPy array of a capsule of the host
            raise BufferError("__dlpack_device__ names a SYCL device, but the capsule is on the host")
        return native.to_device(self.queue(spec))

    def rank(self, spec: str) -> int:
        return 10 if spec.startswith("sycl:gpu") else -10

    def dtypes(self, spec: str) -> Collection[str]:
        device = self._devices[spec]
        without = () if device.has_aspect_fp64 else ("float64", "complex128")
        extra = ("float16",) if device.has_aspect_fp16 else ()
        return (*(name for name in STANDARD_DTYPES if name not in without), *extra)

    def info(self, spec: str) -> DeviceInfo:
        device, memory = self._devices[spec], self.memory(spec)
        is_cpu = spec.startswith("sycl:cpu")
        return DeviceInfo(
            name=device.name,
            index=int(spec.rpartition(":")[2]),
            total_memory=memory.total,
            free_memory=memory.free,
            unified_memory=True if is_cpu else None,
            cores=device.max_compute_units if is_cpu else None,
            driver=device.driver_version,
        )

    def memory(self, spec: str) -> Memory:
        from dpctl.utils import intel_device_info

        device = self._devices[spec]
        if spec.startswith("sycl:cpu"):
            return Memory(total=device.global_mem_size, free=_free_on_host())
        return Memory(total=device.global_mem_size, free=intel_device_info(device).get("free_memory"))

    def synchronize(self, spec: str) -> None:
        if spec in self._queues:
            self._queues[spec].wait()

    def release_memory(self, spec: str) -> None:
        self.synchronize(spec)  # memory that running kernels use is freed when they finish

    def out_of_memory(self, error: BaseException) -> bool:
        from ._creation import out_of_memory

        return out_of_memory(error)

    def translate(self, error: Exception) -> Exception:
        import dpnp

        message = str(error)
        if isinstance(error, dpnp.linalg.LinAlgError):
            return np.linalg.LinAlgError(f"Singular matrix; {message}" if "singular" in message else message)
        if isinstance(error, RuntimeError) and "oneapi::mkl::lapack" in message:
            return np.linalg.LinAlgError(message)  # of a stack that holds a singular matrix, for instance
        if isinstance(error, ValueError) and "does not support input type" in message:
            return TypeError(message)
        if self.out_of_memory(error):
            return MemoryError(message)
        return error


class _HostMemory:
    """NumPy's array interface of a native array of a CPU; keeps the array alive."""

    def __init__(self, native: Native) -> None:
        self.native = native
        memory = native.__sycl_usm_array_interface__
        size = native.dtype.itemsize
        strides = memory["strides"]
        self.__array_interface__ = {
            "version": 3,
            "shape": memory["shape"],
            "typestr": memory["typestr"],
            "strides": None if strides is None else tuple(stride * size for stride in strides),
            "data": (memory["data"][0] + memory.get("offset", 0) * size, not native.flags.writable),
        }


def _free_on_host() -> int | None:
    """Free bytes of the host's memory (POSIX); None if unknown."""
    if sys.platform == "win32":
        return None
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


backend = DpnpBackend()
