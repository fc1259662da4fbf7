"""The backend of a library that launches kernels over buffers: all services but the discovery of devices."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

import numpy as np

from xtensor.backend import LAPACK_CORRECTIONS, STANDARD_DTYPES, Backend, DType, Generator, Memory, Native

from .arrays import BufferArray
from .elementwise import copied
from .exchange import capsule_of, native_of
from .fusing import BufferGenerator
from .indexing import getitem, setitem
from .namespace import namespace
from .runtime import Runtime

__all__ = ["BufferBackend"]


class BufferBackend(Backend):
    """Kernels over buffers. A class of it has ``open``, which returns the runtime of a device.

    Attributes
    ----------
    dlpack_type
        DLPack's number for the kind of device.
    """

    dlpack_type: ClassVar[int]

    chosen_by_itself = False
    survives_fork = False
    widens_float16 = False  # there is none
    corrections = ("pow", *LAPACK_CORRECTIONS)

    def __init__(self) -> None:
        self._runtimes: dict[str, Runtime] = {}

    def open(self, spec: str) -> Runtime:
        """Return the runtime of a device that has none yet."""
        raise NotImplementedError

    def runtime(self, spec: str) -> Runtime:
        """Return the runtime of a device."""
        runtime = self._runtimes.get(spec)
        if runtime is None:
            runtime = self._runtimes.setdefault(spec, self.open(spec))
        return runtime

    @property
    def native_type(self) -> type[BufferArray]:
        return BufferArray

    def namespace(self, spec: str) -> Any:
        return namespace(self.runtime(spec))

    def generator(self, spec: str) -> Generator:
        return BufferGenerator(self.runtime(spec))

    # -- values -------------------------------------------------------------------------------------------------------

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return native.host()  # type: ignore[no-any-return]

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if copy is False:
            raise ValueError(f"host values cannot be used on {spec} without a copy; pass copy=None or copy=True")
        runtime = self.runtime(spec)
        if array.dtype.kind in "iu" and array.dtype not in runtime.dtypes:
            # An index array of NumPy's: no position beyond the integers of the device is within an axis.
            limits = np.iinfo(runtime.index_dtype)
            array = np.clip(array, limits.min, limits.max).astype(runtime.index_dtype)
        return runtime.upload(array)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return self.dlpack_type, int(spec.rpartition(":")[2])

    def to_dlpack(self, native: Native, **requested: Any) -> Any:
        device = self.dlpack_device(native.runtime.spec)
        return capsule_of(copied(native) if requested.get("copy") else native, device)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        native = native_of(producer.__dlpack__())
        return copied(native) if copy else native

    # -- indexing -----------------------------------------------------------------------------------------------------

    def getitem(self, native: Native, key: Any) -> Native:
        return getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        return setitem(native, key, value)

    # -- the device ---------------------------------------------------------------------------------------------------

    def dtypes(self, spec: str) -> Collection[str]:
        supported = self.runtime(spec).dtypes
        return [name for name in STANDARD_DTYPES if np.dtype(name) in supported]

    def default_integer(self, spec: str) -> DType:
        return self.runtime(spec).index_dtype

    def memory(self, spec: str) -> Memory:
        pool = self.runtime(spec).pool
        free = max(pool.total - pool.used - pool.unused, 0)
        return Memory(pool.total, free, pool.used, pool.used + pool.unused)

    def synchronize(self, spec: str) -> None:
        self.runtime(spec).synchronize()

    def release_memory(self, spec: str) -> None:
        self.runtime(spec).pool.release()

    def limit_pool(self, spec: str, size: int) -> None:
        self.runtime(spec).pool.limit(size)
