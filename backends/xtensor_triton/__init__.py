"""Triton kernels on CUDA and ROCm GPUs (``cuda:0``, ``rocm:0``, …), and in Triton's interpreter (``triton:interpret``).

The kernels read and write the arrays of a storage backend: CuPy's on a GPU, NumPy's in the interpreter. All services
are the storage backend's. A kernel function returns NotImplemented for operands that it does not support, and logs the
reason, which ``XTENSOR_LOG=debug`` shows. :func:`count_calls` counts launches and declined calls.

A process either compiles or interprets kernels: it can open GPUs or ``triton:interpret``, not both.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from xtensor.backend import Backend, BackendUnavailableError, DeviceInfo, DType, Memory, Native

from ._calls import Calls, count_calls

__all__ = ["Calls", "TritonBackend", "backend", "count_calls"]

OLDEST = (3, 6)
"""The oldest supported version of Triton."""

INTERPRET = "triton:interpret"


class TritonBackend(Backend):
    """Kernels over the arrays of a storage backend."""

    name = "triton"
    kinds = ("cuda", "rocm", "triton")
    requires = "xtensor[triton]"

    def __init__(self) -> None:
        self._host: Backend | None = None
        self._gpu: Backend | None = None
        self._devices: tuple[str, ...] = ()
        self._interprets: bool | None = None
        self._contexts: dict[str, Any] = {}

    def probe(self) -> str:
        remedy = f'python -m pip install "{self.requires}"'
        try:
            version = importlib.metadata.version("triton")
        except importlib.metadata.PackageNotFoundError as error:
            raise BackendUnavailableError("Triton is not installed", remedy) from error
        match = re.match(r"(\d+)\.(\d+)", version)
        if match is not None and (int(match[1]), int(match[2])) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise BackendUnavailableError(f"Triton is {version}, and {oldest} or newer is needed", remedy)
        if importlib.util.find_spec("ml_dtypes") is None:
            raise BackendUnavailableError("ml_dtypes, which gives the host bfloat16, is not installed", remedy)
        from xtensor_numpy import backend as host

        self._host = host
        self._gpu = _working_cupy()
        self._devices = (*(() if self._gpu is None else self._gpu.devices()), INTERPRET)
        return version

    def devices(self) -> Sequence[str]:
        return self._devices

    def rank(self, spec: str) -> int:
        return -20 if spec == INTERPRET else 30

    def namespace(self, spec: str) -> Any:
        self._settle(spec)
        storage, place = self._stored(spec)
        self.corrections, self.widens_bfloat16 = storage.corrections, storage.widens_bfloat16
        return storage.namespace(place)

    def overlay(self, spec: str, functions: Any) -> Mapping[str, Callable[..., Any]]:
        from ._device import kernel_functions

        storage, place = self._stored(spec)
        return {**storage.overlay(place, functions), **_with_storage(kernel_functions(spec), functions)}

    def _settle(self, spec: str) -> None:
        """Choose whether this process interprets or compiles kernels, before Triton is imported."""
        interprets = spec == INTERPRET
        if self._interprets is None:
            _set_mode(interprets)
            self._interprets = interprets
        elif self._interprets != interprets:
            done, wanted = ("interprets", "compile") if self._interprets else ("compiles", "interpret")
            raise BackendUnavailableError(
                f"device {spec} cannot be opened: Triton {done} kernels in this process and cannot {wanted} them, too",
                "use it in a process of its own",
            )

    # -- services of the storage backend ------------------------------------------------------------------------------

    def _stored(self, spec: str) -> tuple[Backend, str]:
        """Return the storage backend of a device, and the device's spec there."""
        if spec == INTERPRET:
            assert self._host is not None
            return self._host, "cpu"
        assert self._gpu is not None
        return self._gpu, spec

    def _storage(self) -> Backend:
        """Return the storage backend of the devices that this process can open."""
        if self._interprets is None:
            return self._stored(self._devices[0])[0]
        return self._stored(INTERPRET if self._interprets else self._devices[0])[0]

    @property
    def native_type(self) -> type:
        return self._storage().native_type

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return self._storage().to_host(native)

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        storage, place = self._stored(spec)
        return storage.from_host(array, place, copy=copy)

    def device_of(self, native: Native) -> str:
        if isinstance(native, np.ndarray):
            return INTERPRET
        return self._storage().device_of(native)

    def normalize(self, value: Any, spec: str) -> Native:
        storage, place = self._stored(spec)
        return storage.normalize(value, place)

    def getitem(self, native: Native, key: Any) -> Native:
        return self._storage().getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> None:
        self._storage().setitem(native, key, value)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        storage, place = self._stored(spec)
        return storage.dlpack_device(place)

    def to_dlpack(self, native: Native, **asked: Any) -> Any:
        return self._storage().to_dlpack(native, **asked)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        storage, place = self._stored(spec)
        return storage.from_dlpack(producer, place, copy=copy)

    def default_float(self, spec: str) -> DType:
        storage, place = self._stored(spec)
        return storage.default_float(place)

    def dtypes(self, spec: str) -> Sequence[DType]:
        storage, place = self._stored(spec)
        return storage.dtypes(place)

    def extra_dtypes(self, spec: str) -> Sequence[DType]:
        storage, place = self._stored(spec)
        return storage.extra_dtypes(place)

    def info(self, spec: str) -> DeviceInfo:
        storage, place = self._stored(spec)
        return storage.info(place)

    def memory(self, spec: str) -> Memory:
        storage, place = self._stored(spec)
        return storage.memory(place)

    def synchronize(self, spec: str) -> None:
        storage, place = self._stored(spec)
        storage.synchronize(place)

    def release_memory(self, spec: str) -> None:
        storage, place = self._stored(spec)
        storage.release_memory(place)

    def out_of_memory(self, error: BaseException) -> bool:
        return self._storage().out_of_memory(error)

    def translate(self, error: Exception) -> Exception:
        return self._storage().translate(error)


# TEMPORARY ADAPTER: delete it when the core asks the next implementation after NotImplemented.
def _with_storage(kernels: Mapping[str, Callable[..., Any]], functions: Any) -> dict[str, Callable[..., Any]]:
    """Return kernel functions that call the storage's function of their name where they return NotImplemented."""

    def chain(kernel: Callable[..., Any], storage: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            result = kernel(*args, **kwargs)
            return storage(*args, **kwargs) if result is NotImplemented else result

        return call

    chained = dict(kernels)
    for name, kernel in kernels.items():
        chapter, _, function = name.rpartition(".")
        if chapter != "nn":
            chained[name] = chain(kernel, getattr(getattr(functions, chapter) if chapter else functions, function))
    return chained


def _working_cupy() -> Backend | None:
    """Return the CuPy backend after its probe; None without CuPy or without a GPU."""
    from xtensor_cupy import backend as cupy

    try:
        cupy.probe()
    except BackendUnavailableError:
        return None
    return cupy


def _set_mode(interprets: bool) -> None:
    """Import Triton in the mode that a device needs, which Triton reads from the environment."""
    wanted = os.environ.get("TRITON_INTERPRET")
    if "triton" in sys.modules or wanted not in (None, "", "0"):
        import triton

        if bool(triton.knobs.runtime.interpret) != interprets:
            words = "interpreting" if not interprets else "compiling"
            raise BackendUnavailableError(
                f"Triton was imported for {words} kernels in this process",
                "start the process without TRITON_INTERPRET" if not interprets else "start it with TRITON_INTERPRET=1",
            )
    if not interprets:
        return
    os.environ["TRITON_INTERPRET"] = "1"
    try:
        from . import _interpreter, _kernels, _matrix_kernels, _nn_kernels, _row_kernels, _table  # noqa: F401 - decorates kernels
    finally:
        if wanted is None:
            del os.environ["TRITON_INTERPRET"]
        else:
            os.environ["TRITON_INTERPRET"] = wanted


backend = TritonBackend()
"""The backend that the entry point ``triton`` names."""
