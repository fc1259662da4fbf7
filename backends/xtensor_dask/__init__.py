"""Arrays in chunks that dask computes: on this machine's cores, or on the workers of a cluster.

The device ``dask`` computes nothing until values are needed. Each chunk is computed by the functions of another device,
``cpu`` unless dask's configuration names one (``dask.config.set({"xtensor.device": "cuda:0"})``). A native array is a
:class:`~xtensor_dask._native.Chunked` around a dask array whose chunks are that device's native arrays.

``_ways.py`` has the way of each function.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from xtensor.backend import BackendUnavailableError, DeviceInfo, Engine, Native, install_command, read_on_host

if TYPE_CHECKING:
    from ._native import Chunked

__all__ = ["DaskBackend", "backend"]

OLDEST = (2026, 1)
"""The oldest supported version of dask."""


class DaskBackend(Engine):
    """dask's arrays, whose chunks another device computes."""

    name = "dask"
    kinds = ("dask",)
    requires = "dask[array]>=2026.1"

    def probe(self) -> str:
        remedy = install_command(self.requires)
        try:
            import dask.array
        except ImportError as error:
            raise BackendUnavailableError(f"dask.array cannot be imported ({error})", remedy) from error
        version = str(dask.__version__)
        found = re.match(r"(\d+)\.(\d+)", version)
        if found is not None and (int(found[1]), int(found[2])) < OLDEST:
            oldest = ".".join(map(str, OLDEST))
            raise BackendUnavailableError(f"dask is {version}, and {oldest} or newer is needed", remedy)
        return version

    def devices(self) -> Sequence[str]:
        return ("dask",)

    def rank(self, spec: str) -> int:
        return -30

    @property
    def native_type(self) -> type[Chunked]:
        from ._native import Chunked

        return Chunked

    def namespace(self, spec: str) -> Any:
        from ._namespace import functions

        return functions()

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        from ._native import fetched

        return fetched(native)[0]

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        from ._native import from_host

        return from_host(array, copy=copy)

    def getitem(self, native: Native, key: Any) -> Native:
        from ._indexing import getitem

        return getitem(native, key)

    def setitem(self, native: Native, key: Any, value: Native) -> Native:
        from ._indexing import setitem

        return setitem(native, key, value)

    def dlpack_device(self, spec: str) -> tuple[int, int]:
        return (1, 0)  # where fetched values are

    def to_dlpack(self, native: Native, **requested: Any) -> Any:
        from ._native import exported

        return exported(native).__dlpack__(**requested)

    def from_dlpack(self, producer: Any, spec: str, *, copy: bool | None) -> Native:
        return self.from_host(read_on_host(producer, copy=copy), spec, copy=copy)

    def describe(self, native: Native) -> str:
        from ._native import describe

        return describe(native)

    def compute(self, natives: Sequence[Native]) -> list[np.ndarray[Any, Any]]:
        from ._native import fetched

        return fetched(*natives)

    def persist(self, natives: Sequence[Native]) -> list[Native]:
        from ._native import persisted

        return persisted(natives)

    def chunks(self, native: Native) -> tuple[tuple[int, ...], ...]:
        return native.array.chunks  # type: ignore[no-any-return]

    def rechunk(self, native: Native, chunks: Any) -> Native:
        from ._native import Chunked

        return Chunked(native.array.rechunk(chunks))

    def adopt(self, array: Any, spec: str) -> Native:
        from ._native import adopted

        return adopted(array)

    def own(self, native: Native) -> Any:
        return native.array

    def from_zarr(self, store: Any, spec: str, **options: Any) -> Native:
        from ._storage import from_zarr

        return from_zarr(store, **options)

    def to_zarr(self, native: Native, store: Any, **options: Any) -> None:
        from ._storage import to_zarr

        to_zarr(native, store, **options)

    def info(self, spec: str) -> DeviceInfo:
        from ._native import scheduler

        return DeviceInfo(name=scheduler())


backend = DaskBackend()
"""The backend that the entry point ``dask`` names."""
