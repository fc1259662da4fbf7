"""The devices of MLX: ``mlx:cpu``, and ``mlx:metal`` on Apple's GPUs."""

from __future__ import annotations

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
    read_on_host,
)

if TYPE_CHECKING:
    from ._native import MlxArray

__all__ = ["MlxBackend", "backend"]

OLDEST = (0, 32)
"""The oldest supported MLX, the first with ``searchsorted`` and with streams for several threads."""

REQUIREMENT = "mlx[cpu]>=0.32"
"""The extra ``cpu`` is the library on Linux; on macOS it adds nothing."""

METAL, CPU = 8, 1
"""DLPack's device types."""

WITHOUT = ("float64", "complex128")
"""The dtypes that Metal lacks; ``mlx:cpu`` has the same ones, so that a program runs on both."""


class MlxBackend(Backend):
    """MLX's functions, corrected where they depart from the standard.

    MLX computes an array when its values are needed. Here each function starts its computation before it returns, so
    that its errors are raised at the call. Arrays are immutable: an assignment makes a new one. MLX's threads do not
    survive a fork.
    """

    name = "mlx"
    kinds = ("mlx",)
    requires = REQUIREMENT
    chosen_by_itself = False
    survives_fork = False
    corrections = (
        *("acos", "acosh", "asinh", "atanh", "cosh", "divide", "exp", "expm1", "floor_divide", "log", "log1p", "pow"),
        *("sign", "sinh", "sqrt", "tan", "tanh"),
        *LAPACK_CORRECTIONS,
        *REDUCTION_CORRECTIONS,
    )

    def __init__(self) -> None:
        self._mlx: Any = None
        self._specs: tuple[str, ...] = ()
        self._getitem: Any = None
        self._setitem: Any = None

    def probe(self) -> str:
        self._mlx, version = import_library("mlx.core", OLDEST, REQUIREMENT, "ml_dtypes", needs=("ml_dtypes",))
        from . import _indexing

        self._getitem, self._setitem = _indexing.getitem, _indexing.setitem
        self._specs = ("mlx:cpu", "mlx:metal") if self._mlx.metal.is_available() else ("mlx:cpu",)
        return version

    def devices(self) -> Sequence[str]:
        return self._specs

    def absent(self, spec: str) -> tuple[str, str] | None:
        if spec != "mlx:metal":
            return None
        return "MLX has no Metal here", "use a Mac with an Apple GPU, and MLX's build for macOS"

    def rank(self, spec: str) -> int:
        return 4 if spec == "mlx:metal" else -100

    def kind(self, spec: str) -> Any:
        """Return MLX's kind of device of a spec."""
        return self._mlx.cpu if spec == "mlx:cpu" else self._mlx.gpu

    def device(self, spec: str) -> Any:
        """Return MLX's device of a spec."""
        return self._mlx.Device(self.kind(spec), 0)

    @property
    def native_type(self) -> type[MlxArray]:
        from ._native import MlxArray

        return MlxArray

    def namespace(self, spec: str) -> Any:
        from ._namespace import namespace

        return namespace(self.device(spec))

    # -- values -------------------------------------------------------------------------------------------------------

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return native.host()  # type: ignore[no-any-return]

    def host_view(self, native: Native) -> np.ndarray[Any, Any]:
        return native.host()  # type: ignore[no-any-return]

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        from ._native import from_host

        if copy is False:
            raise ValueError(f"host values cannot be used on {spec} without a copy; pass copy=None or copy=True")
        return from_host(array)

    def from_operand(self, value: Any, spec: str) -> Native | None:
        from ._native import MlxArray, check_dtype

        if value.__class__ is not self._mlx.array:
            return None
        check_dtype(value.dtype, MlxArray.numpy_dtypes)
        self._mlx.eval(value)  # by the thread that made it: another one cannot
        return MlxArray(value)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (CPU if spec == "mlx:cpu" else METAL), 0

    def to_dlpack(self, native: Native, **requested: Any) -> Any:
        return native.array.__dlpack__(**requested)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        own = self.from_operand(producer, spec)
        if own is not None:
            return own
        if copy is False:
            raise BufferError(f"MLX's arrays are immutable: values on {spec} are a copy, which copy=False forbids")
        return self.from_host(read_on_host(producer, copy=None), spec, copy=True)

    # -- indexing -----------------------------------------------------------------------------------------------------

    def getitem(self, native: Native, key: Any) -> Native:
        return self._getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        return self._setitem(native, key, value)

    # -- the device ---------------------------------------------------------------------------------------------------

    def dtypes(self, spec: str) -> Collection[str]:
        return [name for name in COMMON_DTYPES if name not in WITHOUT]

    def info(self, spec: str) -> DeviceInfo:
        properties, memory = self._mlx.device_info(self.device(spec)), self.memory(spec)
        return DeviceInfo(
            str(properties.get("device_name", spec)),
            total_memory=memory.total,
            free_memory=memory.free,
            unified_memory=True,
        )

    def memory(self, spec: str) -> Memory:
        from ._native import free_memory

        total, free = free_memory()
        used = self._mlx.get_active_memory()
        return Memory(total, free, used, used + self._mlx.get_cache_memory())

    def synchronize(self, spec: str) -> None:
        from ._native import stream

        self._mlx.synchronize(stream(self.kind(spec)))

    def release_memory(self, spec: str) -> None:
        self._mlx.clear_cache()

    def limit_pool(self, spec: str, size: int) -> None:
        self._mlx.set_cache_limit(size)

    # -- errors -------------------------------------------------------------------------------------------------------

    def out_of_memory(self, error: BaseException) -> bool:
        text = str(error)
        return isinstance(error, MemoryError) or "Unable to allocate" in text or "OutOfMemory" in text

    def translate(self, error: Exception) -> Exception:
        message = str(error)
        if self.out_of_memory(error):
            return MemoryError(message)
        if isinstance(error, RuntimeError) and "[METAL]" in message:
            return lost_device(error)
        if isinstance(error, OverflowError) and "outside the supported range" in message:
            return ValueError(f"MLX's axes have at most 2147483647 elements: {message}")
        return ValueError(message) if is_runtime_error(error) else error


backend = MlxBackend()
"""The object of the entry point ``mlx``."""
