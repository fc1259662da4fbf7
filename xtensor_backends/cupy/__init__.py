"""CUDA and ROCm GPUs through CuPy: the devices ``cuda:0``, ``cuda:1``, … or ``rocm:0``, …"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial, wraps
from typing import Any

import numpy as np

from xtensor.backend import (
    COMMON_DTYPES,
    Backend,
    BackendUnavailableError,
    DeviceInfo,
    Memory,
    Native,
    install_command,
)

__all__ = ["CupyBackend", "OnDevice", "backend", "bind_device"]

OLDEST = (14, 2)
"""The oldest supported CuPy: earlier versions lack keywords that are used here."""

REQUIREMENT = "cupy-cuda12x[ctk]>=14.2"

REMEDY = (
    f'{install_command(REQUIREMENT)} (or "cupy-cuda13x[ctk]>=14.2", by the CUDA that the driver supports; '
    '"cupy-rocm-7-0>=14.2" for an AMD GPU)'
)

INSUFFICIENT_DRIVER, NO_DEVICE = 35, 100
"""The error codes of CUDA and HIP for a missing or too old driver, and for no device."""

EXHAUSTED = (
    "cudaErrorMemoryAllocation",
    "hipErrorOutOfMemory",
    "CUDA_ERROR_OUT_OF_MEMORY",
    "CUBLAS_STATUS_ALLOC_FAILED",
    "CUSOLVER_STATUS_ALLOC_FAILED",
    "CUFFT_ALLOC_FAILED",
    "Triton Error [CUDA]: out of memory",
    "Triton Error [HIP]: out of memory",
)
"""Parts of the out-of-memory errors of CuPy's runtimes and libraries, and of Triton, whose kernels use CuPy's arrays.

CuPy's allocator raises a MemoryError.
"""


class CupyBackend(Backend):
    """CuPy's functions, corrected where they depart from the standard.

    CuPy computes on the current device; an operation here computes on its operands' device. With several devices every
    function switches to its own device first. Streams and the memory pool are CuPy's and the user's.
    """

    name = "cupy"
    kinds = ("cuda", "rocm")
    requires = REQUIREMENT
    corrections = ("acosh", "divide", "expm1", "log", "log10", "log1p", "tan", "tanh")
    # CuPy's operators are in the namespace's ``inplace``, for the operands on which they agree with the functions.
    composed_inplace = (
        *("add", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "divide"),
        *("floor_divide", "matmul", "multiply", "pow", "remainder", "subtract"),
    )
    widens_bfloat16 = True

    survives_fork = False

    def __init__(self) -> None:
        self._cp: Any = None
        self._indexing: Any = None
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
        match = re.match(r"(\d+)\.(\d+)", version)
        if match is not None and (int(match[1]), int(match[2])) < OLDEST:
            raise BackendUnavailableError(f"CuPy is {version}; {'.'.join(map(str, OLDEST))} or newer is needed", REMEDY)
        self.attach(cupy)
        return version

    def attach(self, library: Any) -> None:
        """Take a CuPy module as the library and count its devices, without initialising any of them."""
        runtime = library.cuda.runtime
        kind = "rocm" if runtime.is_hip else "cuda"
        try:
            count = runtime.getDeviceCount()
        except runtime.CUDARuntimeError as error:
            raise BackendUnavailableError(*_explanation(error, kind)) from error
        if not count:
            raise BackendUnavailableError(*_no_device(kind))
        if kind == "cuda":
            try:
                library.cuda.nvrtc.getVersion()
            except Exception as error:  # a wheel of CuPy without CUDA's compiler and libraries, and no toolkit
                raise BackendUnavailableError(
                    f"CuPy finds no NVRTC, the compiler of its kernels: {_cause(error)}", REMEDY
                ) from error
        from ._indexing import Indexing

        self._cp, self._kind, self._count, self._indexing = library, kind, count, Indexing(library)

    def devices(self) -> Sequence[str]:
        return tuple(f"{self._kind}:{index}" for index in range(self._count))

    @property
    def native_type(self) -> type:
        return self._cp.ndarray  # type: ignore[no-any-return]

    def namespace(self, spec: str) -> Any:
        from ._namespace import Namespace

        functions = Namespace(self._cp, self._indexing)
        bind = partial(bind_device, self._cp, self._device(spec))
        return functions if self._count == 1 else OnDevice(functions, bind)

    def _device(self, spec: str) -> Any:
        """Return CuPy's device, a context manager that makes it the current one."""
        return self._cp.cuda.Device(_index(spec))

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        with native.device:
            return self._cp.asnumpy(native)  # type: ignore[no-any-return]

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if copy is False:
            raise ValueError(f"host values cannot be used on {spec} without a copy; pass copy=None or copy=True")
        with self._device(spec):
            return self._indexing.from_host(array)

    def getitem(self, native: Native, key: Any) -> Native:
        if self._count == 1:
            return self._indexing.getitem(native, key)
        with native.device:
            return self._indexing.getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        if self._count == 1:
            self._indexing.assign(native, key, value)
        else:
            with native.device:
                self._indexing.assign(native, key, value)
        return native

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (2 if self._kind == "cuda" else 10, _index(spec))  # kDLCUDA, kDLROCM

    def to_dlpack(self, native: Native, **requested: Any) -> Any:
        if "stream" in requested:
            self._check_stream(requested["stream"])
        with native.device:
            if requested.get("copy"):
                native = native.copy()
                del requested["copy"]  # CuPy takes it for copies to the host only
            return native.__dlpack__(**requested)

    def _check_stream(self, stream: Any) -> None:
        """Raise for other than the standard's values: on CUDA -1, 1, 2 or a handle; on ROCm -1, 0 or a handle.

        Handles are addresses, above 2.
        """
        if isinstance(stream, bool) or not isinstance(stream, int):
            raise TypeError(f"stream is an integer or None, not {type(stream).__name__}; pass the stream's handle")
        named = (-1, 1, 2) if self._kind == "cuda" else (-1, 0)
        if stream not in named and stream <= 2:
            values = ", ".join(map(str, named))
            raise ValueError(f"on {self._kind} a stream is {values} or a handle above 2, not {stream}")

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        with self._device(spec):
            if copy is False:
                return self._cp.from_dlpack(producer, copy=False)
            # Producers such as CuPy cannot copy on their device.
            native = self._cp.from_dlpack(producer)
            return native.copy() if copy else native

    def normalize(self, value: Any, spec: str) -> Native:
        with self._device(spec):
            return self._cp.asarray(value)

    def dtypes(self, spec: str) -> Collection[str]:
        return COMMON_DTYPES

    def rank(self, spec: str) -> int:
        return 20

    def info(self, spec: str) -> DeviceInfo:
        properties = self._cp.cuda.runtime.getDeviceProperties(_index(spec))
        version = self._cp.cuda.runtime.driverGetVersion()
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
            driver=f"HIP {version}" if self._kind == "rocm" else f"CUDA {version // 1000}.{version % 1000 // 10}",
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
            self._cp.fft.config.get_plan_cache().clear()  # plans hold work areas from the pool
            self._cp.get_default_memory_pool().free_all_blocks()
            self._cp.get_default_pinned_memory_pool().free_all_blocks()

    def out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, MemoryError) or any(name in str(error) for name in EXHAUSTED)


def _index(spec: str) -> int:
    return int(spec.partition(":")[2])


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _cause(error: BaseException) -> str:
    """Return the innermost cause of CuPy's import error, whose own text is a page long."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}"


def _explanation(error: Exception, kind: str) -> tuple[str, str]:
    """Return the reason why no device is available, and the remedy, without the runtime's error codes."""
    status = getattr(error, "status", None)
    if status == NO_DEVICE:
        return _no_device(kind)
    if status == INSUFFICIENT_DRIVER:
        vendor, show = ("an NVIDIA", "nvidia-smi") if kind == "cuda" else ("an AMD GPU", "rocminfo")
        return (
            f"CuPy finds no {kind} device: there is no driver, or one too old for this CuPy ({error})",
            f"install or update {vendor} driver (check it with '{show}'); in a container, pass the GPU through to it",
        )
    return f"CuPy cannot count the {kind} devices: {error}", f"check the driver, then: {REMEDY}"


def _no_device(kind: str) -> tuple[str, str]:
    variable = "CUDA_VISIBLE_DEVICES" if kind == "cuda" else "HIP_VISIBLE_DEVICES"
    return (
        f"CuPy finds no {kind} device: the driver sees no GPU",
        f"check that the machine has a GPU and that the environment variable {variable} does not hide it",
    )


def bind_device(cupy: Any, device: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs with a CuPy device as the current one."""
    current, index = cupy.cuda.runtime.getDevice, device.id

    @wraps(function)
    def bound(*args: Any, **kwargs: Any) -> Any:
        if current() == index:
            return function(*args, **kwargs)
        with device:
            return function(*args, **kwargs)

    return bound


class OnDevice:
    """A namespace whose functions run on one device, whichever device is the current one.

    Used where there are several devices. A single device is always the current one, and calls need no check.
    """

    def __init__(self, functions: Any, bind: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._functions = functions
        self._bind = bind

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._functions, name)
        return self._bind(value) if callable(value) else OnDevice(value, self._bind)


backend = CupyBackend()
"""The object of the entry point ``cupy``."""
