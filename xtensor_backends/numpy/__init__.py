"""The host's CPU through NumPy: the device ``cpu``."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from xtensor.backend import (
    LAPACK_CORRECTIONS,
    NARROW_DTYPES,
    REDUCTION_CORRECTIONS,
    STANDARD_DTYPES,
    Backend,
    DeviceInfo,
    Memory,
    Native,
)

__all__ = ["NumpyBackend", "backend"]


class NumpyBackend(Backend):
    """NumPy's functions, corrected where they depart from the standard."""

    name = "numpy"
    kinds = ("cpu",)
    requires = "numpy"
    corrections = ("expm1", "floor_divide", "log1p", "sign", "tan", "tanh", *REDUCTION_CORRECTIONS, *LAPACK_CORRECTIONS)
    may_decline = False

    def probe(self) -> str:
        return np.__version__

    def devices(self) -> Sequence[str]:
        return ("cpu",)

    @property
    def native_type(self) -> type:
        return np.ndarray

    def namespace(self, spec: str) -> ModuleType:
        from . import _namespace  # its functions are looked up when the device opens

        return _namespace

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return native if native.__class__ is np.ndarray else native.view(np.ndarray)

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        native = np.array(array, copy=copy, subok=False)
        return self.normalize(native, spec) if native.dtype.kind == "V" else native

    def normalize(self, value: Any, spec: str) -> Native:
        array = np.asarray(value)
        if array.dtype.kind != "V":
            return array
        from ._extension_dtypes import as_computing  # which most programs do not need

        return as_computing(array)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (1, 0)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        try:
            return np.from_dlpack(producer, copy=copy)
        except TypeError:
            # Before DLPack 1.0 producers take no ``copy``: the capsule shares memory.
            shared = np.from_dlpack(producer)
            return shared.copy() if copy else shared

    def dtypes(self, spec: str) -> Collection[str]:
        return (*STANDARD_DTYPES, *NARROW_DTYPES)

    def info(self, spec: str) -> DeviceInfo:
        memory = self.memory(spec)
        return DeviceInfo(
            name=_model(),
            index=0,
            total_memory=memory.total,
            free_memory=memory.free,
            unified_memory=True,
            cores=_cores(),
            simd=_simd(),
        )

    def memory(self, spec: str) -> Memory:
        return Memory(total=_pages("SC_PHYS_PAGES"), free=_available() or _pages("SC_AVPHYS_PAGES"))


def _cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _pages(name: str) -> int | None:
    try:
        return os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _available() -> int | None:
    """Bytes that the system can allocate without swapping, with caches counted as free (Linux)."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def _model() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    import platform

    return platform.processor() or platform.machine()


def _simd() -> tuple[str, ...]:
    """The instruction sets that NumPy found on this processor, by its names (AVX2, AVX512F, NEON, …)."""
    extensions = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return (*extensions.get("baseline", ()), *extensions.get("found", ()))


backend = NumpyBackend()
