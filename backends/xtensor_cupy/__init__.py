"""CUDA and ROCm GPUs through CuPy: the devices ``cuda:0``, ``cuda:1``, … or ``rocm:0``, …"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import numpy as np

from xtensor.backend import Backend, BackendUnavailableError, DeviceInfo, DType, Memory, Native, bfloat16

__all__ = ["CupyBackend", "backend"]

OLDEST = (14, 2)
"""The first CuPy whose functions take the keywords that are used here."""

REMEDY = (
    'python -m pip install "xtensor[cuda12]" (or "xtensor[cuda13]", by the CUDA that the driver supports; '
    '"xtensor[rocm]" for an AMD GPU)'
)

INSUFFICIENT_DRIVER, NO_DEVICE = 35, 100
"""The statuses of CUDA and HIP without a driver that works, and without a device."""

EXHAUSTED = (
    "cudaErrorMemoryAllocation",
    "hipErrorOutOfMemory",
    "CUDA_ERROR_OUT_OF_MEMORY",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUSOLVER_STATUS_ALLOC_FAILED",
    "CUFFT_ALLOC_FAILED",
)
"""How the runtimes and libraries behind CuPy name exhausted memory; CuPy's own error is a MemoryError."""

INPLACE = (
    *("add", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor"),
    *("divide", "multiply", "pow", "subtract"),
)
"""In-place operators that are CuPy's own while there is one device; with several, they must change to theirs."""


class CupyBackend(Backend):
    """CuPy's functions, with what they get wrong against the standard corrected.

    CuPy computes on the current device, and results shall be on that of the operands: where there are several,
    every function changes to its own. The current stream of each, and the memory pool, are CuPy's and the user's.
    """

    name = "cupy"
    kinds = ("cuda", "rocm")
    requires = "xtensor[cuda12]"
    corrections: tuple[str, ...] = ("floor_divide", "matmul", "remainder")
    widens_bfloat16 = True

    def __init__(self) -> None:
        self._cp: Any = None
        self._count = 0
        self._kind = "cuda"

    def probe(self) -> str:
        try:
            import cupy
        except ModuleNotFoundError as error:
            raise BackendUnavailableError(f"the module {error.name!r} is not installed", REMEDY) from error
        except Exception as error:
            raise BackendUnavailableError(f"CuPy does not import: {_cause(error)}", REMEDY) from error
        version = str(cupy.__version__)
        found = re.match(r"(\d+)\.(\d+)", version)
        if found is not None and (int(found[1]), int(found[2])) < OLDEST:
            raise BackendUnavailableError(f"CuPy is {version}; {'.'.join(map(str, OLDEST))} or newer is needed", REMEDY)
        self.open(cupy)
        return version

    def open(self, library: Any) -> None:
        """Count a CuPy's devices, which initialises none of them."""
        runtime = library.cuda.runtime
        kind = "rocm" if runtime.is_hip else "cuda"
        try:
            count = runtime.getDeviceCount()
        except runtime.CUDARuntimeError as error:
            raise BackendUnavailableError(*_explained(error, kind)) from error
        if not count:
            raise BackendUnavailableError(*_no_device(kind))
        self._cp, self._kind, self._count = library, kind, count
        self.corrections = type(self).corrections + (INPLACE if count > 1 else ())

    def devices(self) -> Sequence[str]:
        return tuple(f"{self._kind}:{index}" for index in range(self._count))

    @property
    def native_type(self) -> type:
        return self._cp.ndarray  # type: ignore[no-any-return]

    def namespace(self, spec: str) -> Any:
        from ._namespace import Namespace, OnDevice

        functions = Namespace(self._cp)
        return functions if self._count == 1 else OnDevice(functions, self._binder(spec))

    def _binder(self, spec: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """What makes a function of the current device one of a certain device."""
        index, device, current = _index(spec), self._device(spec), self._cp.cuda.runtime.getDevice

        def bind(function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            def bound(*args: Any, **kwargs: Any) -> Any:
                if current() == index:
                    return function(*args, **kwargs)
                with device:
                    return function(*args, **kwargs)

            return bound

        return bind

    def _device(self, spec: str) -> Any:
        """CuPy's device, a context in which it is the current one."""
        return self._cp.cuda.Device(_index(spec))

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        with native.device:
            return self._cp.asnumpy(native)  # type: ignore[no-any-return]

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if copy is False:
            raise ValueError(f"values on the host reach {spec} by a copy only; pass copy=None or copy=True")
        with self._device(spec):
            return self._cp.array(array)

    def device_of(self, native: Native) -> str:
        return f"{self._kind}:{native.device.id}"

    def getitem(self, native: Native, key: Any) -> Native:
        if self._count == 1:
            return native[key]
        with native.device:
            return native[key]

    def setitem(self, native: Native, key: Any, value: Native) -> None:
        if value.__class__ is float or value.__class__ is complex:
            from ._namespace import is_negative_zero

            if is_negative_zero(value):
                value = native.dtype.type(value) if native.dtype.kind in "fc" else 0
                value = self._cp.array(value) if native.dtype.kind in "fc" else value
        if self._count == 1:
            native[key] = value
        else:
            with native.device:
                native[key] = value

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (2 if self._kind == "cuda" else 10, _index(spec))  # kDLCUDA, kDLROCM

    def to_dlpack(self, native: Native, **asked: Any) -> Any:
        if "stream" in asked:
            self._check_stream(asked["stream"])
        with native.device:
            if asked.get("copy"):
                native = native.copy()
                del asked["copy"]  # what is handed over is a copy already; CuPy makes one for the host only
            return native.__dlpack__(**asked)

    def _check_stream(self, stream: Any) -> None:
        """The standard's values: on CUDA -1, 1, 2 or a handle, on ROCm -1, 0 or a handle; 1 and 2 are no handles."""
        if isinstance(stream, bool) or not isinstance(stream, int):
            raise TypeError(f"stream is an integer or None, not {type(stream).__name__}")
        named = (-1, 1, 2) if self._kind == "cuda" else (-1, 0)
        if stream not in named and stream <= 2:
            values = ", ".join(map(str, named))
            raise ValueError(f"on {self._kind} a stream is {values} or a handle above 2, not {stream}")

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        with self._device(spec):
            if copy is False:
                return self._cp.from_dlpack(producer, copy=False)
            # A producer may be unable to copy on its device, as CuPy is; then it is done here.
            native = self._cp.from_dlpack(producer)
            return native.copy() if copy else native

    def normalize(self, value: Any, spec: str) -> Native:
        with self._device(spec):
            return self._cp.asarray(value)

    def extra_dtypes(self, spec: str) -> Sequence[DType]:
        return (np.dtype(np.float16), *bfloat16())

    def rank(self, spec: str) -> int:
        return 20

    def info(self, spec: str) -> DeviceInfo:
        properties = self._cp.cuda.runtime.getDeviceProperties(_index(spec))
        memory = self.memory(spec)
        capability = f"{properties['major']}.{properties['minor']}"
        if self._kind == "rocm":
            capability = _text(properties.get("gcnArchName", capability))
        return DeviceInfo(
            name=_text(properties["name"]),
            index=_index(spec),
            total_memory=memory.total,
            free_memory=memory.free,
            compute_capability=capability,
            unified_memory=bool(properties["integrated"]),
        )

    def memory(self, spec: str) -> Memory:
        with self._device(spec):
            free, total = self._cp.cuda.runtime.memGetInfo()
            pool = self._cp.get_default_memory_pool()
            return Memory(total=total, free=free, pool_used=pool.used_bytes(), pool_total=pool.total_bytes())

    def synchronize(self, spec: str) -> None:
        self._device(spec).synchronize()

    def release_memory(self, spec: str) -> None:
        with self._device(spec):
            self._cp.fft.config.get_plan_cache().clear()  # plans hold work areas of the pool
            self._cp.get_default_memory_pool().free_all_blocks()
            self._cp.get_default_pinned_memory_pool().free_all_blocks()

    def out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError) or any(name in str(error) for name in EXHAUSTED)


def _index(spec: str) -> int:
    return int(spec.partition(":")[2])


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _cause(error: BaseException) -> str:
    """The innermost cause of CuPy's import error, whose own text is a page of advice."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}"


def _explained(error: Exception, kind: str) -> tuple[str, str]:
    """Why there is no device, and what to do, in words that need no knowledge of the runtime's statuses."""
    status = getattr(error, "status", None)
    if status == NO_DEVICE:
        return _no_device(kind)
    if status == INSUFFICIENT_DRIVER:
        vendor, show = ("an NVIDIA", "nvidia-smi") if kind == "cuda" else ("an AMD GPU", "rocminfo")
        return (
            f"CuPy finds no {kind} device: there is no driver, or one too old for this CuPy ({error})",
            f"install or update {vendor} driver ('{show}' shows whether it works); in a container, hand the GPU to it",
        )
    return f"CuPy cannot ask for {kind} devices: {error}", f"check the driver, then: {REMEDY}"


def _no_device(kind: str) -> tuple[str, str]:
    variable = "CUDA_VISIBLE_DEVICES" if kind == "cuda" else "HIP_VISIBLE_DEVICES"
    return (
        f"CuPy finds no {kind} device: the driver sees no GPU",
        f"check that a GPU is there and that the environment variable {variable} does not hide it",
    )


backend = CupyBackend()
"""What the entry point ``cupy`` names."""
