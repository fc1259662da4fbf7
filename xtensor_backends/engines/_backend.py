"""The backend of an engine: the contract's services, by the functions of a native array's class."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from xtensor.backend import DeviceInfo, Engine, Native, import_library, read_on_host, with_standard_dtype

from ._library import KEPT, format_bytes

__all__ = ["ChunkedBackend"]


class ChunkedBackend(Engine):
    """An engine whose native arrays are :class:`~xtensor_backends.engines._native.Chunked`.

    Attributes
    ----------
    module
        The module that is imported to find out whether the library is installed.
    oldest
        The oldest supported version of the library.
    """

    module: ClassVar[str]
    oldest: ClassVar[tuple[int, int]]

    @property
    @abstractmethod
    def native_type(self) -> Any:
        """The subclass of ``Chunked`` for the engine's library."""

    def probe(self) -> str:
        _, version = import_library(self.name, self.oldest, self.requires, needs=(self.module,))
        return version

    def devices(self) -> Sequence[str]:
        return (self.name,)

    def rank(self, spec: str) -> int:
        return -30

    @cached_property
    def _functions(self) -> Any:
        from ._namespace import functions

        return functions(self.native_type)

    def namespace(self, spec: str) -> Any:
        return self._functions

    def to_host(self, native: Native) -> np.ndarray[Any, Any]:
        return self.compute([native])[0]

    def from_file(self, array: Any, spec: str) -> Native | None:
        from ._files import file_of, read

        library = self.native_type.library
        collection = library.converted(array)
        if collection is not None:
            return self.native_type(library.adopted(collection))
        file = file_of(array)
        if file is None or math.prod(file.shape) * file.dtype.itemsize <= KEPT:
            return None
        arrays, dtype = self.native_type, file.dtype.newbyteorder("=")
        function = partial(read, file=file, spec=arrays.library.chunk_device)
        return arrays(arrays.library.created(function, file.shape, dtype, multiples=file.chunks))

    def from_host(self, array: np.ndarray[Any, Any], spec: str, *, copy: bool | None) -> Native:
        if not copy and array.nbytes > KEPT and (native := self.from_file(array, spec)) is not None:
            return native
        array = with_standard_dtype(array)  # Zarr does not know longlong
        # A copy, as the values are needed later, unless it is forbidden.
        values = array if copy is False else np.array(array, copy=True, order="C")
        return self.native_type.of_values(values)

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
        arrays = self.native_type
        return list(map(arrays, arrays.library.persisted([native.array for native in natives])))

    def ways(self) -> Mapping[str, Sequence[str]]:
        from ._chunk_strategies import functions_by_way

        return functions_by_way()

    def progress(self, after: float | None) -> AbstractContextManager[None]:
        from ._progress import progress

        return progress(after)

    def chunks(self, native: Native) -> tuple[tuple[int, ...], ...]:
        return native.library.chunks(native.array)  # type: ignore[no-any-return]

    def rechunk(self, native: Native, chunks: Any) -> Native:
        return self.native_type(native.library.rechunked(native.array, chunks))

    def adopt(self, array: Any, spec: str) -> Native:
        library = self.native_type.library
        own = array if isinstance(array, library.array_type) else library.converted(array)
        if own is None:
            raise TypeError(
                f"from_engine() takes arrays and tables of {self.name}, not {type(array).__name__}; use xtensor.asarray"
            )
        return self.native_type(library.adopted(own))

    def own(self, native: Native) -> Any:
        return native.array

    def from_zarr(self, store: Any, spec: str, **options: Any) -> Native:
        from ._storage import from_zarr

        return self.native_type(from_zarr(self.native_type.library, store, **options))

    def to_zarr(self, native: Native, store: Any, **options: Any) -> None:
        from ._storage import to_zarr

        to_zarr(native.library, native.array, store, **options)

    def info(self, spec: str) -> DeviceInfo:
        library = self.native_type.library
        return DeviceInfo(name=f"{library.scheduler()}, chunks of {format_bytes(library.chunk_size())}")
