"""The devices of torch: ``torch:cpu``, ``torch:cuda:0``, ``torch:mps``, ``torch:xpu:0``, …"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xtensor.backend import (
    COMMON_DTYPES,
    LAPACK_CORRECTIONS,
    REDUCTION_CORRECTIONS,
    Backend,
    DeviceInfo,
    Memory,
    Native,
    import_library,
    is_runtime_error,
    lost_device,
)

if TYPE_CHECKING:
    from ._native import TorchArray

__all__ = ["TorchBackend", "backend"]

OLDEST = (2, 9)
"""The oldest supported torch, the first whose DLPack has a version and a device."""

REQUIREMENT = "torch>=2.9"

DLPACK = {"cpu": 1, "cuda": 2, "mps": 8, "xpu": 14}
"""DLPack's device types; a ROCm GPU, which torch names ``cuda``, has type 10."""

WITHOUT_FLOAT64 = ("float64", "complex128")

WITHOUT_UNSIGNED = ("uint16", "uint32", "uint64")

EXHAUSTED = ("DefaultCPUAllocator", "out of memory", "not enough memory")
"""Parts of the messages of torch's RuntimeErrors for exhausted memory."""

LOST = ("CUDA error", "HIP error", "DEVICE_LOST", "Command buffer")
"""Parts of the messages of torch's RuntimeErrors for a GPU that stopped."""

INSTALLATION = "https://pytorch.org/get-started/locally"

OUT_OF_BOUNDS = re.compile(r"index (-?\d+) is out of bounds|out of bounds for dimension")


class TorchBackend(Backend):
    """torch's functions, corrected where they depart from the standard.

    Functions run on torch's current stream, memory comes from its allocator, and the number of threads on the CPU is
    ``torch.set_num_threads``'s. GNU's OpenMP, which torch computes with on the CPU, waits forever in a forked process.
    """

    name = "torch"
    kinds = ("torch",)
    requires = REQUIREMENT
    chosen_by_itself = False
    survives_fork = False
    widens_float16 = False
    corrections = (
        *("acosh", "cos", "cosh", "divide", "expm1", "floor_divide", "log", "log1p", "sqrt", "tan", "tanh"),
        *LAPACK_CORRECTIONS,
        *REDUCTION_CORRECTIONS,
    )

    def __init__(self) -> None:
        self._torch: Any = None
        self._specs: tuple[str, ...] = ()
        self._getitem: Any = None
        self._setitem: Any = None

    def probe(self) -> str:
        self._torch, version = import_library("torch", OLDEST, REQUIREMENT, "ml_dtypes", needs=("ml_dtypes",))
        from . import _indexing

        self._getitem, self._setitem = _indexing.getitem, _indexing.setitem
        self._specs = ("torch:cpu", *_accelerators(self._torch))
        return version

    def devices(self) -> Sequence[str]:
        return self._specs

    def absent(self, spec: str) -> tuple[str, str] | None:
        kind = spec.split(":")[1] if ":" in spec else ""
        if kind not in DLPACK or kind == "cpu":
            return None
        version = self._torch.version
        if kind == "mps":
            return "torch has no MPS here", "use an Apple GPU with macOS, or a device of another kind"
        if not (version.cuda or version.hip if kind == "cuda" else getattr(version, "xpu", None)):
            build = f"install torch for the GPU, {INSTALLATION}, instead of torch {self._torch.__version__}"
            return f"this torch was built without support for {kind}", build
        return (
            f"torch finds no such device of {kind}",
            "install the GPU's driver, and permit the process to open the GPU",
        )

    def device(self, spec: str) -> Any:
        """Return torch's device of a spec."""
        return self._torch.device(spec.removeprefix("torch:"))

    @property
    def native_type(self) -> type[TorchArray]:
        from ._native import TorchArray

        return TorchArray

    def namespace(self, spec: str) -> Any:
        from ._namespace import namespace

        return namespace(self.device(spec))

    # -- values -------------------------------------------------------------------------------------------------------

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return native.host()  # type: ignore[no-any-return]

    def host_view(self, native: Native) -> np.ndarray[Any, Any] | None:
        return native.host() if native.array.device.type == "cpu" else None

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        from ._native import from_host

        return from_host(array, self.device(spec), copy)

    def from_operand(self, value: Any, spec: str) -> Native | None:
        if not isinstance(value, self._torch.Tensor):
            return None
        from ._native import TorchArray, plain

        device = self.device(spec)
        if value.device != device:
            raise ValueError(
                f"a tensor on {value.device} beside an Array on {spec}; move it with tensor.to({str(device)!r})"
            )
        return TorchArray(plain(value))

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        device = self.device(spec)
        kind = 10 if device.type == "cuda" and self._torch.version.hip else DLPACK[device.type]
        return kind, device.index or 0

    def to_dlpack(self, native: Native, **requested: Any) -> Any:
        return native.array.__dlpack__(**requested)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        from ._native import TorchArray, from_host, plain

        if isinstance(producer, self._torch.Tensor):
            try:
                tensor = plain(producer)
            except TypeError as error:
                raise BufferError(str(error)) from error
            if copy is False and tensor.data_ptr() != producer.data_ptr():
                raise BufferError("the tensor is conjugated when it is read, which needs a copy")
        else:
            device = self.device(spec)
            if device.type == "cpu":
                # NumPy reads read-only memory, which torch would make writable.
                shared = np.from_dlpack(producer, copy=False) if copy is False else np.from_dlpack(producer)
                return from_host(shared, device, copy)
            if any(step < 0 for step in getattr(producer, "strides", None) or ()):
                if copy is False:
                    raise BufferError("torch has no negative strides; copy the array")
                producer = producer.copy()  # torch would end the process
            tensor = self._torch.from_dlpack(producer)
        return TorchArray(tensor.clone() if copy else tensor)

    # -- indexing -----------------------------------------------------------------------------------------------------

    def getitem(self, native: Native, key: Any) -> Native:
        return self._getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        self._setitem(native, key, value)
        return native

    # -- the device ---------------------------------------------------------------------------------------------------

    def dtypes(self, spec: str) -> Collection[str]:
        kind = self.device(spec).type
        without = {"mps": (*WITHOUT_FLOAT64, *WITHOUT_UNSIGNED), "xpu": WITHOUT_UNSIGNED}.get(kind, ())
        return [name for name in COMMON_DTYPES if name not in without]

    def info(self, spec: str) -> DeviceInfo:
        device, memory = self.device(spec), self.memory(spec)
        if device.type == "cpu":
            return DeviceInfo(
                "torch on the CPU",
                total_memory=memory.total,
                free_memory=memory.free,
                unified_memory=True,
                cores=self._torch.get_num_threads(),
            )
        if device.type == "mps":
            return DeviceInfo("Apple GPU", total_memory=memory.total, free_memory=memory.free, unified_memory=True)
        properties = getattr(self._torch, device.type).get_device_properties(device)
        major = getattr(properties, "major", None)
        return DeviceInfo(
            name=properties.name,
            index=device.index or 0,
            total_memory=memory.total,
            free_memory=memory.free,
            compute_capability=None if major is None else f"{major}.{properties.minor}",
            driver=getattr(properties, "driver_version", None),
        )

    def memory(self, spec: str) -> Memory:
        device = self.device(spec)
        if device.type == "cpu":
            from xtensor_backends.numpy import backend as host

            return host.memory("numpy")
        module = getattr(self._torch, device.type)
        if device.type == "mps":
            total, held = module.recommended_max_memory(), module.driver_allocated_memory()
            return Memory(total, total - held, module.current_allocated_memory(), held)
        free, total = module.mem_get_info(device)
        return Memory(total, free, module.memory_allocated(device), module.memory_reserved(device))

    def synchronize(self, spec: str) -> None:
        device = self.device(spec)
        if device.type == "mps":
            self._torch.mps.synchronize()
        elif device.type != "cpu":
            getattr(self._torch, device.type).synchronize(device)

    def release_memory(self, spec: str) -> None:
        device = self.device(spec)
        if device.type != "cpu":
            getattr(self._torch, device.type).empty_cache()

    # -- errors -------------------------------------------------------------------------------------------------------

    def out_of_memory(self, error: BaseException) -> bool:
        if isinstance(error, (MemoryError, self._torch.OutOfMemoryError)):
            return True
        return isinstance(error, RuntimeError) and any(text in str(error) for text in EXHAUSTED)

    def translate(self, error: Exception) -> Exception:
        message = str(error).partition("\n")[0]
        if isinstance(error, self._torch.linalg.LinAlgError):
            return np.linalg.LinAlgError(f"Singular matrix; {message}" if "singular" in message else message)
        if self.out_of_memory(error):
            return MemoryError(message)
        if not isinstance(error, RuntimeError):
            return error
        if isinstance(error, self._torch.AcceleratorError) or any(text in message for text in LOST):
            return lost_device(error)
        if OUT_OF_BOUNDS.search(message):
            return IndexError(message)
        if "not implemented for" in message or "not supported" in message or "does not support" in message:
            return TypeError(message)
        return ValueError(message) if is_runtime_error(error) else error


def _accelerators(torch: Any) -> list[str]:
    """Return the specs of the GPUs; a driver that is missing or refuses means none, not an error."""
    accelerators = []
    for kind in ("cuda", "xpu"):
        module = getattr(torch, kind, None)
        try:
            accelerators += [
                f"torch:{kind}:{index}" for index in range(module.device_count() if module is not None else 0)
            ]
        except Exception:
            continue
    if torch.backends.mps.is_available():
        accelerators.append("torch:mps")
    return accelerators


backend = TorchBackend()
"""The object of the entry point ``torch``."""
