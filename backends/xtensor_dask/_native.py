"""The native array, and what all functions need: the chunks' device, their limit, single chunks along axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.utils import format_bytes, parse_bytes

from xtensor.backend import ChunkFunction, DType, WrappedArray, note_computation

from ._stages import compute, in_stages, watch

__all__ = [
    "Chunked",
    "adopted",
    "automatic",
    "check_chunk_device",
    "chunk_device",
    "chunk_function",
    "describe",
    "element",
    "exported",
    "fetched",
    "from_host",
    "limit",
    "needed",
    "on_chunk_device",
    "persisted",
    "placed",
    "result_dtype",
    "sample",
    "scheduler",
    "single",
    "with_lengths",
]

LIMIT = "xtensor.chunk-limit"
"""Key of dask's configuration: bytes of the largest chunk that a function may ask for."""

DEFAULT_LIMIT = "1 GiB"


class _Same(dict[Any, Any]):
    """A mapping of each key to itself: dask's dtypes are NumPy's."""

    def __missing__(self, key: Any) -> Any:
        return key


class Chunked(WrappedArray):
    """A dask array with known lengths, and where it is a view, the array that it is a view of.

    dask arrays are immutable. An assignment to a native array puts another dask array into it. A view passes it on to
    its base, and takes its elements from the base's present dask array, so that both see every assignment, as in NumPy.
    """

    __slots__ = ("__weakref__", "_array", "_base", "_insert", "_seen", "_select")

    library_type = da.Array
    numpy_dtypes = library_dtypes = _Same()

    _array: Any
    _base: Chunked | None
    _seen: Any
    _select: Callable[[Any], Any]
    _insert: Callable[[Any, Any], Any] | None

    def __init__(self, array: Any) -> None:
        self._array, self._base = array, None
        watch(self)

    @classmethod
    def view(cls, base: Chunked, select: Callable[[Any], Any], insert: Callable[[Any, Any], Any] | None) -> Chunked:
        """Return a view.

        Parameters
        ----------
        select
            Returns the view's dask array for the base's.
        insert
            Returns the base's dask array with a view's dask array in its place; None for a view that is read-only.
        """
        result = cls(None)
        result._base, result._select, result._insert = base, select, insert
        result._seen = base.array
        result._array = select(result._seen)
        return result

    @property
    def array(self) -> Any:
        """The dask array."""
        if self._base is not None:
            found = self._base.array
            if found is not self._seen:
                self._seen, self._array = found, self._select(found)
        return self._array

    @property
    def known_name(self) -> str | None:
        """The name of the dask array, as far as it is known without taking it from the base."""
        return None if self._array is None else self._array.name

    def assign(self, array: Any) -> None:
        """Put another dask array of the same shape into this array, and into its base."""
        if self._base is not None:
            if self._insert is None:
                raise ValueError("assignment destination is read-only: its elements are repeated; copy it first")
            self._base.assign(self._insert(self._base.array, array))
            self._seen = self._base.array
        self._array = array

    def __reduce__(self) -> tuple[Any, ...]:
        return Chunked, (self.array,)

    def __bool__(self) -> bool:
        return bool(needed(self, "bool()"))

    def __int__(self) -> int:
        return int(needed(self, "int()"))

    def __float__(self) -> float:
        return float(needed(self, "float()"))

    def __complex__(self) -> complex:
        return complex(needed(self, "complex()"))

    def __index__(self) -> int:
        return int(needed(self, "an index"))


@cache
def chunk_device() -> str:
    """Return the spec of the device that computes chunks, as dask's configuration names it at the first use."""
    return str(dask.config.get("xtensor.device", "cpu"))


def chunk_function(name: str, **options: Any) -> ChunkFunction:
    """Return a function of the namespace on chunks."""
    return ChunkFunction(chunk_device(), name, **options)


def scheduler() -> str:
    """Return what computes: the address of a cluster's scheduler, or the name of dask's scheduler on this machine."""
    try:
        from distributed import get_client

        return str(get_client().scheduler.address)
    except (ImportError, ValueError):
        return f"dask's scheduler {dask.config.get('scheduler', None) or 'threads'!r}"


@cache
def _native_class() -> type:
    return type(ChunkFunction(chunk_device(), "ones")(1, device=chunk_device()))


def _on_host() -> bool:
    """Whether the chunks' device computes with NumPy's arrays."""
    return _native_class() is np.ndarray


def check_chunk_device() -> None:
    """Raise ValueError unless dask can join the native arrays of the chunks' device, by NumPy's protocols."""
    if not hasattr(_native_class(), "__array_function__"):
        raise ValueError(
            f"dask's configuration names {chunk_device()!r} as 'xtensor.device', whose native arrays "
            f"({_native_class().__name__}) dask cannot join; name 'cpu', 'numpy' or a device of CuPy's arrays"
        )


def placed(values: np.ndarray[Any, Any]) -> Any:
    """Return a NumPy array as a native array of the chunks' device."""
    return values if _on_host() else ChunkFunction(chunk_device(), "asarray", device=chunk_device())(values)


def on_chunk_device(x: Any) -> Any:
    """Return a dask array of NumPy's chunks as one of the chunks' device."""
    return x if _on_host() else x.map_blocks(placed, dtype=x.dtype)


def fetched(*natives: Chunked) -> list[np.ndarray[Any, Any]]:
    """Return the values of arrays in the host's memory; what they share is computed once."""
    arrays = [native.array for native in natives]
    if not _on_host():
        arrays = [x.map_blocks(chunk_function("to_numpy"), dtype=x.dtype) for x in arrays]
    results = map(np.asarray, compute(arrays))
    return [x if x.flags.writeable else x.copy() for x in results]


def needed(native: Chunked, purpose: str) -> np.ndarray[Any, Any]:
    """Return values that Python needs now."""
    note_computation(native.size * native.dtype.itemsize, "dask", purpose)
    return fetched(native)[0]


def persisted(natives: Sequence[Chunked]) -> list[Chunked]:
    """Return arrays whose chunks are computed, and stay in the memory of the workers or of this process."""
    return list(map(Chunked, dask.persist(*in_stages([native.array for native in natives]))))


def adopted(array: Any) -> Chunked:
    """Return a dask array as a native array; unknown lengths are computed."""
    if not isinstance(array, da.Array):
        raise TypeError(f"device 'dask' adopts dask arrays, not {type(array).__name__}; use xtensor.asarray")
    return Chunked(with_lengths(array))


def describe(native: Chunked) -> str:
    """Return the number and the size of the chunks."""
    x = native.array
    bytes_of_chunk = math.prod(x.chunksize) * x.dtype.itemsize
    return (
        f"{x.npartitions} chunks of {x.chunksize}, {format_bytes(bytes_of_chunk)} each, {format_bytes(x.nbytes)} in all"
    )


def exported(native: Chunked) -> np.ndarray[Any, Any]:
    """Return computed values for DLPack, whose memory nobody else has; BufferError where they are more than a chunk."""
    size = native.size * native.dtype.itemsize
    if size > limit():
        raise BufferError(
            f"an array of device 'dask' is exported by computing it, {format_bytes(size)} here, and the limit is "
            f"{format_bytes(limit())}; fetch the values with x.to_device('cpu')"
        )
    return fetched(native)[0]


def from_host(array: np.ndarray[Any, Any], *, copy: bool | None) -> Chunked:
    """Return an array of values of the host: a copy, as the values are needed later, unless it is forbidden."""
    values = array if copy is False else np.array(array, copy=True, order="C")
    x = da.from_array(values, chunks=automatic(values.shape, values.dtype), name=False)
    return Chunked(on_chunk_device(x))


def automatic(shape: tuple[int, ...], dtype: DType) -> Any:
    """Return the lengths of the chunks of a new array, of the size that dask's configuration names."""
    return da.core.normalize_chunks("auto" if all(shape) else -1, shape, dtype=dtype)  # dask divides by the length


def with_lengths(x: Any) -> Any:
    """Return a dask array whose lengths are known and no chunk of which is empty, unless all are.

    Unknown lengths are computed, in one pass. dask takes an axis of one element for one to be repeated, and then looks
    for its empty chunks in vain.
    """
    if any(math.isnan(length) for length in x.shape):
        note_computation(0, "dask", "the length of a result")
        x.compute_chunk_sizes()
    chunks = tuple([tuple([n for n in lengths if n]) or (0,) for lengths in x.chunks])
    return x if chunks == x.chunks else x.rechunk(chunks)


def limit() -> int:
    """Return the bytes of the largest chunk that a function may ask for."""
    return int(parse_bytes(dask.config.get(LIMIT, DEFAULT_LIMIT)))


def single(x: Any, axes: Iterable[int], function: str) -> Any:
    """Return a dask array with one chunk along axes.

    Raises
    ------
    NotImplementedError
        If a chunk would be larger than the limit.
    """
    axes = [axis % x.ndim for axis in axes]
    if all(len(x.chunks[axis]) == 1 for axis in axes):
        return x
    needed = math.prod(x.shape[axis] for axis in axes) * x.dtype.itemsize
    if needed > limit():
        raise NotImplementedError(
            f"{function}() needs all elements along {'axis' if len(axes) == 1 else 'axes'} "
            f"{', '.join(map(str, sorted(axes)))} in one chunk on device 'dask', {format_bytes(needed)} for shape "
            f"{tuple(x.shape)} and dtype {x.dtype}, and the limit is {format_bytes(limit())}; raise it with "
            f"dask.config.set({{{LIMIT!r}: ...}}) where workers have the memory, or compute a part of the array"
        )
    if not x.size:
        return x.rechunk(-1)
    return x.rechunk({axis: -1 if axis in axes else "auto" for axis in range(x.ndim)})


def sample(x: Any) -> Any:
    """Return a chunk of ones of a dask array's dtype, whose lengths are 1, or 0 where the array has no elements."""
    return placed(np.ones([min(length, 1) for length in x.shape], x.dtype))


def element(x: Any, ndim: int) -> Any:
    """Return a chunk of one element of a dask array's dtype, for a call that tells the dtype of a function's result."""
    return placed(np.ones((1,) * ndim, x.dtype))


def result_dtype(function: ChunkFunction, *operands: Any) -> DType:
    """Return the dtype of a function's result, by a call with single elements; it raises the errors of its operands."""
    given = [element(x, x.ndim) if isinstance(x, da.Array) else x for x in operands]
    return function(*given).dtype  # type: ignore[no-any-return]
