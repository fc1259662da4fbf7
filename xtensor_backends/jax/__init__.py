"""The devices of JAX: ``jax:cpu``, and ``jax:gpu:0``, ``jax:tpu:0``, … where JAX_PLATFORMS names the platform."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from xtensor.backend import (
    COMMON_DTYPES,
    LAPACK_CORRECTIONS,
    REDUCTION_CORRECTIONS,
    Backend,
    BackendUnavailableError,
    DeviceInfo,
    Memory,
    Native,
    import_library,
    is_runtime_error,
    lost_device,
)

__all__ = ["JaxBackend", "backend"]

OLDEST = (0, 8)
"""The oldest supported JAX, the first with the public ``jax.enable_x64``."""

REQUIREMENT = "jax>=0.8"

DLPACK = {"cpu": 1, "gpu": 2, "cuda": 2, "rocm": 10, "tpu": 12}
"""DLPack's device types; a TPU, which has none, is an extension device."""


LOST = ("CUDA_ERROR_", "hipError", "UNAVAILABLE: ", "DATA_LOSS: ", "device is lost")
"""Parts of the messages of XLA's errors for a GPU or TPU that stopped."""


class JaxBackend(Backend):
    """JAX's functions, corrected where they depart from the standard.

    Every function runs in a block in which JAX has types of 64 bits; the setting of the process stays the user's.
    Arrays are immutable: an assignment makes a new one. XLA's threads do not survive a fork.
    """

    name = "jax"
    kinds = ("jax",)
    requires = REQUIREMENT
    chosen_by_itself = False
    survives_fork = False
    widens_float16 = False
    corrections = (
        *("acos", "acosh", "asinh", "atanh", "cosh", "divide", "exp", "expm1", "floor_divide", "log", "log1p", "pow"),
        *("sign", "sinh", "sqrt", "tan", "tanh"),
        *LAPACK_CORRECTIONS,
        *REDUCTION_CORRECTIONS,
    )

    def __init__(self) -> None:
        self._jax: Any = None
        self._devices: dict[str, Any] = {}
        self._specs: tuple[str, ...] = ()
        self._getitem: Any = None
        self._setitem: Any = None

    def probe(self) -> str:
        self._jax, version = import_library("jax", OLDEST, REQUIREMENT)
        from . import _indexing

        self._getitem, self._setitem = _indexing.getitem, _indexing.setitem
        self._specs = ("jax:cpu",)
        # JAX opens all its devices at once, and takes most of a GPU's memory: only where the user names the platform.
        if any(name not in ("", "cpu") for name in str(self._jax.config.jax_platforms or "").split(",")):
            try:
                jax_devices = self._jax.devices()
            except Exception as error:  # JAX raises AssertionError where no plugin has the platform
                raise BackendUnavailableError(
                    f"JAX does not open the platform that JAX_PLATFORMS names: {type(error).__name__}: {error}",
                    "install the GPU's driver and JAX's plugin for it, or remove JAX_PLATFORMS",
                ) from error
            self._devices = {f"jax:{item.platform}:{item.id}": item for item in jax_devices if item.platform != "cpu"}
            self._specs = ("jax:cpu", *self._devices)
        return version

    def devices(self) -> Sequence[str]:
        return self._specs

    def absent(self, spec: str) -> tuple[str, str] | None:
        platform = spec.split(":")[1] if ":" in spec else ""
        if platform not in DLPACK or platform == "cpu":
            return None
        plugin = {"gpu": "cuda", "rocm": "rocm"}.get(platform, platform)
        remedy = f"set JAX_PLATFORMS={plugin},cpu before the process starts, with JAX's plugin and the driver installed"
        return f"JAX_PLATFORMS names no platform that has {spec}", remedy

    def device(self, spec: str) -> Any:
        """Return JAX's device of a spec; opens JAX's devices."""
        if spec not in self._devices:
            self._devices[spec] = self._jax.devices("cpu")[0]
        return self._devices[spec]

    @property
    def native_type(self) -> type:
        from jaxlib._jax import ArrayImpl

        return ArrayImpl  # type: ignore[no-any-return]

    def namespace(self, spec: str) -> Any:
        from ._namespace import namespace

        return namespace(self.device(spec))

    # -- values -------------------------------------------------------------------------------------------------------

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return np.asarray(native)

    def host_view(self, native: Native) -> np.ndarray[Any, Any] | None:
        return np.asarray(native) if native.device.platform == "cpu" else None

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if copy is False:
            raise ValueError(f"host values cannot be used on {spec} without a copy; pass copy=None or copy=True")
        with self._jax.enable_x64(True):
            # JAX may share the memory of the copy, which nobody else can write to.
            return self._jax.device_put(np.array(array, dtype=array.dtype.newbyteorder("=")), self.device(spec))

    def from_operand(self, value: Any, spec: str) -> Native | None:
        kind: Any = self.native_type
        if value.__class__ is not kind:
            return None
        if value.device != self.device(spec):
            raise ValueError(f"a JAX array on {value.device} beside an Array on {spec}; move it with jax.device_put")
        return value

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        platform = spec.split(":")[1]
        return DLPACK.get(platform, 12), 0 if platform == "cpu" else int(spec.rpartition(":")[2])

    def to_dlpack(self, native: Native, **requested: Any) -> Any:
        if requested.get("max_version", (1, 0)) < (1, 0):
            del requested["max_version"]  # JAX knows no version but the last ones, and none means the first
        return native.__dlpack__(**requested)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        with self._jax.enable_x64(True):
            if producer.__class__ is self.native_type:
                return self._jax.numpy.array(producer, copy=True) if copy else producer
            if copy is False or spec.split(":")[1] != "cpu":
                native = self._jax.dlpack.from_dlpack(producer, copy=copy)
                return self._jax.numpy.array(native, copy=True) if copy is None else native
        # A copy: JAX computes as if nobody could write to the memory of an array.
        return self.from_host(np.from_dlpack(producer), spec, copy=True)

    # -- indexing -----------------------------------------------------------------------------------------------------

    def getitem(self, native: Native, key: Any) -> Native:
        return self._getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        return self._setitem(native, key, value)

    # -- the device ---------------------------------------------------------------------------------------------------

    def dtypes(self, spec: str) -> Collection[str]:
        return COMMON_DTYPES

    def info(self, spec: str) -> DeviceInfo:
        device, memory = self.device(spec), self.memory(spec)
        total, free = memory.total, memory.free
        if device.platform == "cpu":
            return DeviceInfo("JAX on the CPU", total_memory=total, free_memory=free, unified_memory=True)
        driver = " ".join(str(device.client.platform_version).split())
        return DeviceInfo(str(device.device_kind), int(device.id), total, free, driver=driver)

    def memory(self, spec: str) -> Memory:
        if spec == "jax:cpu":
            from xtensor_backends.numpy import backend as host

            return host.memory("numpy")
        stats = self.device(spec).memory_stats() or {}
        total, used = stats.get("bytes_limit"), stats.get("bytes_in_use")
        free = None if total is None or used is None else total - used
        return Memory(total, free, used, stats.get("pool_bytes"))

    def synchronize(self, spec: str) -> None:
        # On the CPU, JAX computes independent arrays in any order.
        self._jax.block_until_ready(self._jax.live_arrays(self.device(spec).platform))

    # -- errors -------------------------------------------------------------------------------------------------------

    def out_of_memory(self, error: BaseException) -> bool:
        text = str(error)
        return isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in text or "Out of memory" in text

    def translate(self, error: Exception) -> Exception:
        if self.out_of_memory(error):
            return MemoryError(str(error))
        if isinstance(error, RuntimeError) and any(text in str(error) for text in LOST):
            return lost_device(error)
        return ValueError(str(error)) if is_runtime_error(error) else error


backend = JaxBackend()
"""The object of the entry point ``jax``."""
