"""The host's CPU through NumPy: the device ``cpu``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from xtensor.backend import Backend, DeviceInfo, DType, Memory, Native, bfloat16

__all__ = ["NumpyBackend", "backend"]


MAKERS = ("arange", "astype", "empty", "eye", "full", "linspace", "ones", "zeros")
"""The functions that make arrays of a dtype they are told."""


class NumpyBackend(Backend):
    """NumPy's functions, with what they get wrong against the standard corrected."""

    name = "numpy"
    kinds = ("cpu",)
    requires = "numpy"
    corrections = ("expm1", "floor_divide", "tanh")

    def probe(self) -> str:
        return np.__version__

    def devices(self) -> Sequence[str]:
        return ("cpu",)

    @property
    def native_type(self) -> type:
        return np.ndarray

    def namespace(self, spec: str) -> ModuleType:
        from . import _namespace

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
        from ._bfloat16 import dressed

        return dressed(array)

    def overlay(self, spec: str, functions: Any) -> Mapping[str, Callable[..., Any]]:
        return {name: _making_bfloat16(getattr(functions, name)) for name in MAKERS}

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (1, 0)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        try:
            return np.from_dlpack(producer, copy=copy)
        except TypeError:
            # A producer from before DLPack 1.0 knows no ``copy``: its capsule shares memory.
            shared = np.from_dlpack(producer)
            return shared.copy() if copy else shared

    def extra_dtypes(self, spec: str) -> Sequence[DType]:
        return (np.dtype(np.float16), *bfloat16())

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


def _making_bfloat16(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes arrays, those of bfloat16 in the class that computes with them."""

    @wraps(function)
    def make(*args: Any, **kwargs: Any) -> Any:
        native = function(*args, **kwargs)
        return native if native.dtype.kind != "V" else backend.normalize(native, "cpu")

    return make


def _cores() -> int:
    """The cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _pages(name: str) -> int | None:
    try:
        return os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _available() -> int | None:
    """Memory the system can give without swapping, caches counted as free (Linux)."""
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
    """The instruction sets NumPy found on this processor, in its own names (AVX2, AVX512F, NEON, …)."""
    found = np.show_config(mode="dicts").get("SIMD Extensions", {})
    return (*found.get("baseline", ()), *found.get("found", ()))


backend = NumpyBackend()
