"""dask.array as the library of an engine."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial, reduce
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.base import normalize_token
from dask.utils import parse_bytes

from xtensor.backend import ChunkFunction, DType, note_computation
from xtensor_backends.engines._chunk_slices import Slices, joint
from xtensor_backends.engines._library import Library, Partial, Reduction, place_values
from xtensor_backends.engines._native import Chunked

from ._computing import chosen_device, cluster, computed, persisted

__all__ = ["DaskArray", "DaskLibrary"]

normalize_token.register(ChunkFunction, ChunkFunction.__getstate__)  # instead of pickling it twice for each task name

LIMIT = "xtensor.chunk-limit"
"""Key of dask's configuration: bytes of the largest chunk that a function may ask for."""

DEFAULT_LIMIT = "1 GiB"


class DaskLibrary(Library):
    """Arrays of dask."""

    name = "dask"
    remedy = f"raise it with dask.config.set({{{LIMIT!r}: ...}}) where workers have the memory"
    array_type = da.Array

    def chosen_device(self) -> str:
        return chosen_device()

    def limit(self) -> int:
        return int(parse_bytes(dask.config.get(LIMIT, DEFAULT_LIMIT)))

    def chunk_size(self) -> int:
        return int(parse_bytes(dask.config.get("array.chunk-size")))

    # -- computation --------------------------------------------------------------------------------------------------

    def scheduler(self) -> str:
        """Return the address of a cluster's scheduler, or the name of dask's scheduler on this machine."""
        try:
            from distributed import get_client

            return str(get_client().scheduler.address)
        except (ImportError, ValueError):
            return f"dask's scheduler {dask.config.get('scheduler', None) or 'threads'!r}"

    def values(self, arrays: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        if not self.on_host:
            arrays = [x.map_blocks(self.chunk_function("to_numpy"), dtype=x.dtype) for x in arrays]
        return list(map(np.asarray, computed(*arrays)))

    def persisted(self, arrays: Sequence[Any]) -> list[Any]:
        return list(persisted(*arrays))

    def everywhere(self, function: Callable[..., Any], *args: Any) -> None:
        super().everywhere(function, *args)
        with suppress(Exception):  # an error is already on its way
            client = cluster()
            if client is not None and client.status == "running":
                client.run(function, *args, on_error="ignore")

    # -- chunks -------------------------------------------------------------------------------------------------------

    def chunks(self, x: Any) -> tuple[tuple[int, ...], ...]:
        return x.chunks  # type: ignore[no-any-return]

    def rechunked(self, x: Any, chunks: Any) -> Any:
        return _without_empty_chunks(x.rechunk(chunks))

    def whole(self, x: Any, axes: Sequence[int]) -> Any:
        return x.rechunk({axis: -1 if axis in axes else "auto" for axis in range(x.ndim)} if x.size else -1)

    # -- creation -----------------------------------------------------------------------------------------------------

    def from_host(self, values: np.ndarray[Any, Any]) -> Any:
        x = da.from_array(values, chunks=_automatic(values.shape, values.dtype), name=False)
        return self._on_chunk_device(x)

    def created(
        self,
        function: Callable[..., Any],
        shape: tuple[int, ...],
        dtype: DType,
        *,
        consecutive: bool = False,
        multiples: tuple[int, ...] | None = None,
    ) -> Any:
        chunks = _consecutive(shape, dtype) if consecutive else _automatic(shape, dtype, multiples)
        return da.map_blocks(
            _created, chunks=chunks, dtype=dtype, meta=np.empty((0,) * len(shape), dtype), function=function
        )

    def _on_chunk_device(self, x: Any) -> Any:
        """Return an array of NumPy's chunks as one of the chunks' device."""
        spec = self.chunk_device
        return x if self.on_host else x.map_blocks(place_values, dtype=x.dtype, spec=spec)

    # -- functions ----------------------------------------------------------------------------------------------------

    def elementwise(self, function: Callable[..., Any], operands: Sequence[Any], dtypes: Sequence[DType]) -> list[Any]:
        arrays = [x for x in operands if isinstance(x, da.Array)]
        ndim = max([x.ndim for x in arrays])
        if len({x.chunks for x in arrays}) > 1:
            operands = self._aligned(operands, max([dtype.itemsize for dtype in dtypes]))
        if len(dtypes) > 1:
            operands = [x if isinstance(x, da.Array) else da.asarray(self.placed(np.asarray(x))) for x in operands]
            signature = ",".join(["()"] * len(operands)) + "->" + ",".join(["()"] * len(dtypes))
            metas = tuple([np.empty((0,) * ndim, dtype) for dtype in dtypes])
            return list(da.apply_gufunc(function, signature, *operands, meta=metas))
        axes = tuple(range(ndim))
        pairs: list[Any] = []
        for x in operands:
            pairs += [x, axes[ndim - x.ndim :]] if isinstance(x, da.Array) else [x, None]
        (dtype,) = dtypes
        return [da.blockwise(function, axes, *pairs, dtype=dtype, meta=np.empty((0,) * ndim, dtype))]

    def _aligned(self, operands: Sequence[Any], itemsize: int) -> Sequence[Any]:
        """Return operands in chunks of the proper size for a result of elements of a size."""
        shape = _joint_shape(operands)
        sources = [getattr(x, REPEATED, x) for x in operands]
        if _joint_shape(sources) == shape:  # the chunks of a broadcast array are not those of the others
            operands = sources
        return _in_chunks_of_largest(self._cut(operands, shape, itemsize), shape)

    def _cut(self, operands: Sequence[Any], shape: tuple[int, ...], itemsize: int) -> Sequence[Any]:
        """Return operands in smaller chunks where those of the result, of a row and a column, would be too large."""
        arrays = [x for x in operands if isinstance(x, da.Array)]
        _, lengths = joint([(x.shape, x.chunksize) for x in arrays])
        size = math.prod(lengths)
        if size <= max([math.prod(x.chunksize) for x in arrays]) or size * itemsize <= self.chunk_size():
            return operands
        chunks = _consecutive(shape, np.dtype((np.void, itemsize)))

        def cut(x: Any) -> Any:
            own = chunks[len(shape) - x.ndim :]
            return x.rechunk(tuple([(1,) if n == 1 else part for n, part in zip(x.shape, own, strict=True)]))

        return [cut(x) if isinstance(x, da.Array) else x for x in operands]

    def mapped(
        self,
        function: Callable[..., Any],
        x: Any,
        wholes: Sequence[Any],
        dtype: DType,
        *,
        placed: bool = False,
    ) -> Any:
        axes = tuple(range(x.ndim))
        others = itertools.count(x.ndim)  # axes that each chunk of the result needs whole
        pairs: list[Any] = [x, axes]
        if placed:
            function = partial(_with_slices, function=function, ndim=x.ndim)
            for axis, lengths in enumerate(x.chunks):
                stops = np.cumsum(lengths)
                bounds = np.stack([stops - lengths, stops], axis=1)
                pairs += [da.from_array(bounds, chunks=(1, 2)), (axis, next(others))]
        for whole in wholes:
            pairs += [whole, tuple([next(others) for _ in whole.shape])]
        meta = np.empty((0,) * x.ndim, dtype)
        return da.blockwise(function, axes, *pairs, dtype=dtype, concatenate=True, align_arrays=False, meta=meta)

    def along(self, function: Callable[..., Any], x: Any, axis: int, length: int, dtype: DType) -> Any:
        chunks = (*x.chunks[:axis], (length,), *x.chunks[axis + 1 :])
        return x.map_blocks(function, dtype=dtype, chunks=chunks, meta=np.empty((0,) * x.ndim, dtype))

    def reduced(self, x: Any, axes: tuple[int, ...], reduction: Reduction, *, keepdims: bool) -> Any:
        ndim = x.ndim if keepdims else x.ndim - len(axes)
        return da.reduction(
            x,
            chunk=_Partial(reduction.partial),
            combine=_Merged(reduction.merge),
            aggregate=_Finished(reduction.merge, reduction.finish),
            axis=axes,
            keepdims=keepdims,
            dtype=reduction.dtype,
            concatenate=False,
            meta=np.empty((0,) * ndim, reduction.dtype),
            name=reduction.name,
        )

    def scanned(
        self, x: Any, axis: int, scan: Callable[..., Any], combine: Callable[..., Any], neutral: int, dtype: DType
    ) -> Any:
        return da.reductions.cumreduction(scan, combine, neutral, x, axis=axis, dtype=dtype)

    def by_matrix(
        self,
        function: Callable[..., Any],
        operands: Sequence[Any],
        counts: Sequence[int],
        results: Sequence[tuple[int, ...]],
        dtypes: Sequence[DType],
    ) -> list[Any]:
        if len(operands) > 1:  # stacks of matrices in the same chunks
            axes = [
                (*range(n - x.ndim, 0), *[f"{i} {j}" for j in range(n)])
                for i, (x, n) in enumerate(zip(operands, counts, strict=True))
            ]
            operands = da.core.unify_chunks(*[item for pair in zip(operands, axes, strict=True) for item in pair])[1]
        inputs = [",".join([f"i{i}a{j}" for j in range(n)]) for i, n in enumerate(counts)]
        outputs = [[f"o{i}a{j}" for j in range(len(lengths))] for i, lengths in enumerate(results)]
        sizes = {
            axis: n
            for axes, lengths in zip(outputs, results, strict=True)
            for axis, n in zip(axes, lengths, strict=True)
        }
        signature = (
            ",".join([f"({axes})" for axes in inputs]) + "->" + ",".join([f"({','.join(axes)})" for axes in outputs])
        )
        stack = max([x.ndim - n for x, n in zip(operands, counts, strict=True)])
        metas = [np.empty((0,) * (stack + len(n)), dtype) for n, dtype in zip(results, dtypes, strict=True)]
        several = len(results) > 1
        computed = da.apply_gufunc(
            function, signature, *operands, output_sizes=sizes, meta=tuple(metas) if several else metas[0]
        )
        return list(computed) if several else [computed]

    def product(self, x1: Any, x2: Any, dtype: DType) -> Any:
        # NumPy's sums of small integers are wider.
        return da.matmul(x1.astype(dtype), x2.astype(dtype)).astype(dtype)

    def tall_qr(self, x: Any) -> tuple[Any, Any] | None:
        return da.linalg.qr(x)  # type: ignore[no-any-return]

    def tall_svd(self, x: Any) -> tuple[Any, Any, Any] | None:
        return da.linalg.svd(x)  # type: ignore[no-any-return]

    # -- structure ----------------------------------------------------------------------------------------------------

    def concatenated(self, arrays: Sequence[Any], axis: int) -> Any:
        arrays = [x for x in arrays if x.shape[axis]] or arrays[:1]  # dask does not join the chunks of nothing later
        return da.concatenate(arrays, axis=axis) if len(arrays) > 1 else arrays[0]

    def reshaped(self, x: Any, shape: tuple[int, ...]) -> Any:
        try:
            return da.reshape(x, shape)
        except NotImplementedError:  # dask merges or splits axes
            return da.reshape(da.reshape(x, (-1,)), shape)

    def permuted(self, x: Any, axes: tuple[int, ...]) -> Any:
        return da.transpose(x, axes)

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        result = da.broadcast_to(x, shape)
        setattr(result, REPEATED, x)
        return result

    def sliced(self, x: Any, key: tuple[Any, ...]) -> Any:
        return _without_empty_chunks(x[key])

    def replaced(self, x: Any, key: tuple[Any, ...], value: Any) -> Any:
        result = x.copy()
        result[key] = value
        return result

    def taken(self, x: Any, places: np.ndarray[Any, Any]) -> Any:
        count, row = x.shape[0], math.prod(x.chunksize[1:]) * x.dtype.itemsize
        room = max(self.chunk_size() // max(row, 1), x.chunksize[0])
        if not count < len(places) or count > room:
            return da.take(x, places, axis=0)
        # dask makes chunks of the table's length, however many these are: here each task takes the whole table.
        axes = tuple(range(1, x.ndim))
        indices = da.from_array(places, chunks=room, name=False)
        table = x.rechunk({0: -1})
        return da.blockwise(
            _rows, (0, *axes), table, (x.ndim, *axes), indices, (0,), concatenate=True, dtype=x.dtype, meta=x._meta
        )

    def selected(self, x: Any, mask: Any) -> Any:
        lengths = x.chunks[0]
        by_chunk = mask.rechunk((lengths,))
        # The mask alone tells the lengths: the elements are not computed for them.
        note_computation(0, "dask", "the length of a result")
        (counts,) = computed(by_chunk.map_blocks(_count, dtype=np.int64, chunks=((1,) * len(lengths),)))
        selected = x[by_chunk]
        selected._chunks = (tuple(map(int, counts)), *selected.chunks[1:])
        return _with_lengths(selected)

    # -- stores, others' arrays ---------------------------------------------------------------------------------------

    def opened(self, store: Any, **options: Any) -> Any:
        return self._on_chunk_device(_with_lengths(da.from_zarr(store, **options)))

    def stored(self, x: Any, store: Any, **options: Any) -> None:
        computed(da.to_zarr(x, store, compute=False, **options))

    def adopted(self, array: Any) -> Any:
        return _with_lengths(array.copy())

    def converted(self, collection: Any) -> Any:
        if hasattr(collection, "to_dask_array") and dask.is_dask_collection(collection):  # a DataFrame or a Series
            # With lengths=True dask raises for some columns of Parquet files: lengths are computed from the chunks.
            collection = collection.to_dask_array()
        if isinstance(collection, da.Array) and isinstance(collection._meta, np.ndarray):
            return self._on_chunk_device(collection)
        return None


class DaskArray(Chunked):
    """The native array: an array of dask."""

    __slots__ = ()

    library = DaskLibrary()
    library_type = da.Array


REPEATED = "_xtensor_repeated"
"""Attribute of a dask array whose elements are those of another one, repeated."""


def _joint_shape(operands: Iterable[Any]) -> tuple[int, ...]:
    return np.broadcast_shapes(*[x.shape for x in operands if isinstance(x, da.Array)])


def _in_chunks_of_largest(operands: Sequence[Any], shape: tuple[int, ...]) -> Sequence[Any]:
    """Return operands in the chunks of the largest where dask would cut all at the ends of the chunks of each.

    Chunks of rows and chunks of columns would be cut into many parts.
    """
    arrays = [x for x in operands if isinstance(x, da.Array) and x.shape == shape]
    if len({x.chunks for x in arrays}) < 2:
        return operands
    ends = [set().union(*[np.cumsum(x.chunks[axis]).tolist() for x in arrays]) for axis in range(len(shape))]
    if math.prod(map(len, ends)) <= max(x.npartitions for x in arrays):
        return operands
    chunks = max(arrays, key=lambda x: x.nbytes).chunks
    return [x.rechunk(chunks) if isinstance(x, da.Array) and x.shape == shape else x for x in operands]


def _automatic(shape: tuple[int, ...], dtype: DType, multiples: tuple[int, ...] | None = None) -> Any:
    """Return the lengths of the chunks of a new array, of the size that dask's configuration names."""
    chunks = "auto" if all(shape) else -1  # dask divides by the length
    return da.core.normalize_chunks(chunks, shape, dtype=dtype, previous_chunks=multiples)


def _consecutive(shape: tuple[int, ...], dtype: DType) -> tuple[tuple[int, ...], ...]:
    """Return the lengths of chunks of consecutive elements, of the size that dask's configuration names at most."""
    room = max(DaskArray.library.chunk_size() // dtype.itemsize, 1)
    chunks: list[tuple[int, ...]] = []
    for length in reversed(shape):
        parts = -(-length // room)
        if parts > 1:
            chunks.append(tuple([len(part) for part in np.array_split(range(length), parts)]))
        else:
            chunks.append((length,))
        room = room // length if parts == 1 else 1
    return tuple(reversed(chunks))


def _created(*, function: Callable[..., Any], block_info: Any) -> Any:
    return function(slices=tuple([slice(*bounds) for bounds in block_info[None]["array-location"]]))


def _with_slices(x: Any, *others: Any, function: Callable[..., Any], ndim: int) -> Any:
    """Return a function's result for a chunk, what it takes whole, and the chunk's slices, from its bounds."""
    slices: Slices = tuple([slice(*bounds[0].tolist()) for bounds in others[:ndim]])
    return function(x, *others[ndim:], slices=slices)


def _rows(table: Any, places: Any) -> Any:
    return table[places]


def _with_lengths(x: Any) -> Any:
    """Return a dask array of known lengths, computed in one pass, no chunk of which is empty, unless all are."""
    if any(math.isnan(length) for length in x.shape):
        note_computation(0, "dask", "the length of a result")
        x = da.Array(x.dask, x.name, _lengths(x), meta=x)
    return _without_empty_chunks(x)


def _without_empty_chunks(x: Any) -> Any:
    """Return a dask array of known lengths no chunk of which is empty, unless all are.

    dask takes an axis of one element for one to be repeated: it repeats its element for the empty chunks, or looks for
    them in vain.
    """
    if all(map(all, x.chunks)):
        return x
    chunks = tuple([tuple([n for n in lengths if n]) or (0,) for lengths in x.chunks])
    return x if chunks == x.chunks else x.rechunk(chunks)


def _lengths(x: Any) -> tuple[tuple[int, ...], ...]:
    """Compute the lengths of the chunks along each axis, from the chunks at the edges."""
    chunks = (*[(1,) * len(lengths) for lengths in x.chunks], (x.ndim,))
    meta = np.empty((0,) * (x.ndim + 1), np.int64)
    shapes = x.map_blocks(_shape, chunks=chunks, new_axis=x.ndim, dtype=np.int64, meta=meta)
    edges = [(*[slice(None) if i == axis else 0 for i in range(x.ndim)], axis) for axis in range(x.ndim)]
    return tuple([tuple(map(int, lengths)) for lengths in computed(*[shapes[edge] for edge in edges])])


def _count(mask: Any) -> Any:
    return mask.astype(np.int64).sum(keepdims=True)


def _shape(chunk: Any) -> Any:
    return np.reshape(np.asarray(chunk.shape), (*[1] * chunk.ndim, -1))


# -- the functions of da.reduction, which also asks for a result without computing ------------------------------------


class _Partial:
    def __init__(self, function: Callable[[Any], Partial]) -> None:
        self.function = function

    def __call__(self, x: Any, *, axis: Any, keepdims: bool, computing_meta: bool = False) -> Any:
        return x if computing_meta else self.function(x)


class _Merged:
    def __init__(self, merge: Callable[[Partial, Partial], Partial]) -> None:
        self.merge = merge

    def __call__(self, parts: Any, *, axis: Any, keepdims: bool, computing_meta: bool = False) -> Any:
        return parts if computing_meta else self._merged(parts)

    def _merged(self, parts: Any) -> Partial:
        with np.errstate(all="ignore"):
            return reduce(self.merge, _flat(parts))


class _Finished(_Merged):
    def __init__(self, merge: Callable[[Partial, Partial], Partial], finish: Callable[[Partial], Any]) -> None:
        self.merge, self.finish = merge, finish

    def __call__(self, parts: Any, *, axis: Any, keepdims: bool, computing_meta: bool = False) -> Any:
        if computing_meta:
            return parts
        with np.errstate(all="ignore"):
            result = self.finish(self._merged(parts))
        if keepdims:
            return result
        return result.reshape([length for slices, length in enumerate(result.shape) if slices not in axis])


def _flat(parts: Any) -> Iterable[Partial]:
    return [item for part in parts for item in _flat(part)] if isinstance(parts, list) else [parts]
