"""cubed as the library of an engine."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from functools import partial
from pickle import PicklingError
from typing import Any
from uuid import uuid4

import cubed
import cubed.array_api
import numpy as np
from cubed.core.plan import intermediate_store
from cubed.runtime.pipeline import visit_nodes
from cubed.runtime.types import Callback
from cubed.spec import spec_from_config
from cubed.utils import convert_to_bytes

from xtensor.backend import (
    DType,
    OutOfMemoryError,
    WorkerLostError,
    note_computation,
)
from xtensor_backends.engines._chunk_slices import Slices, joint
from xtensor_backends.engines._library import Library, Reduction, format_bytes
from xtensor_backends.engines._native import Chunked, fetched
from xtensor_backends.engines._progress import Bar, delay

from . import _reductions, _structure, _tasks
from ._gathered import Grid, gathered, regular, slices_of

__all__ = ["CubedArray", "CubedLibrary"]

LARGEST_CHUNK = 2**27
"""Bytes of a chunk of a new array, where a task may have much more memory: 128 MiB, as dask's chunks."""


class CubedLibrary(Library):
    """Arrays of cubed."""

    name = "cubed"
    remedy = "raise 'spec.allowed_mem' or 'xtensor.chunk-limit' of cubed's configuration where tasks have the memory"
    array_type = cubed.array_api.Array

    def chosen_device(self) -> str:
        return str(cubed.config.get("xtensor.device", "cpu"))

    def joins(self, native: type) -> bool:
        return native is np.ndarray

    def limit(self) -> int:
        # A task holds a chunk that it reads and one that it writes, each compressed as well, and what it computes.
        return _setting("chunk-limit", lambda: _available() // 8)

    def chunk_size(self) -> int:
        return _setting("chunk-size", lambda: min(LARGEST_CHUNK, _available() // 20))

    def lengths(self, shape: tuple[int, ...], dtype: DType, bounds: Sequence[int] | None = None) -> tuple[int, ...]:
        """Return the lengths of a chunk of a new array: as large along the last axes as the chunk's size allows.

        Parameters
        ----------
        bounds
            The largest length along each axis; None for all elements.
        """
        return _structure.rows(shape if bounds is None else bounds, max(1, self.chunk_size() // dtype.itemsize))

    # -- computation --------------------------------------------------------------------------------------------------

    def scheduler(self) -> str:
        """Return the executor."""
        executor = _spec().executor
        return f"cubed's executor {executor.name if executor is not None else 'threads'!r}"

    def values(self, arrays: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        with _computing():
            return list(map(np.asarray, cubed.compute(*arrays)))

    def persisted(self, arrays: Sequence[Any]) -> list[Any]:
        full = {i: x for i, x in enumerate(arrays) if math.prod(x.shape)}  # of the others there is nothing to keep
        stores = {i: (intermediate_store(spec=x.spec), f"persisted-{uuid4().hex}") for i, x in full.items()}
        writes = [cubed.to_zarr(full[i], store, path=name, compute=False) for i, (store, name) in stores.items()]
        if writes:
            with _computing():
                cubed.compute(*writes, _return_in_memory_array=False)
        kept = {i: cubed.from_zarr(store, path=name, spec=full[i].spec) for i, (store, name) in stores.items()}
        return [kept.get(i, x) for i, x in enumerate(arrays)]

    # -- chunks -------------------------------------------------------------------------------------------------------

    def chunks(self, x: Any) -> tuple[tuple[int, ...], ...]:
        return x.chunks  # type: ignore[no-any-return]

    def rechunked(self, x: Any, chunks: Any) -> Any:
        with _translated():
            return cubed.rechunk(x, chunks) if math.prod(x.shape) else x

    def whole(self, x: Any, axes: Sequence[int]) -> Any:
        if not math.prod(x.shape):
            return x
        inside = math.prod([x.shape[axis] for axis in axes])
        others = [axis for axis in range(x.ndim) if axis not in axes]
        count = max(1, self.chunk_size() // (inside * x.dtype.itemsize))
        lengths = list(x.shape)
        for axis, length in zip(others, _structure.rows([x.chunksize[axis] for axis in others], count), strict=True):
            lengths[axis] = length
        return self.rechunked(x, tuple(lengths))

    # -- creation -----------------------------------------------------------------------------------------------------

    def from_host(self, values: np.ndarray[Any, Any]) -> Any:
        return cubed.from_array(values, chunks=self._regular(values.shape, values.dtype), spec=_spec())

    def created(
        self,
        function: Callable[..., Any],
        shape: tuple[int, ...],
        dtype: DType,
        *,
        consecutive: bool = False,  # elements of a chunk always follow each other
        multiples: tuple[int, ...] | None = None,
    ) -> Any:
        if not math.prod(shape):
            return self.from_host(np.empty(shape, dtype))
        lengths = self.lengths(shape, dtype)
        if multiples is not None:
            lengths = tuple([n // m * m or n for n, m in zip(lengths, multiples, strict=True)])
        grid = Grid(shape, lengths)

        def create(block: Any, block_id: tuple[int, ...]) -> Any:
            return function(slices=grid.slices(block_id))

        return cubed.map_blocks(create, dtype=dtype, chunks=regular(shape, grid.lengths), spec=_spec())

    def _regular(self, shape: tuple[int, ...], dtype: DType) -> tuple[tuple[int, ...], ...]:
        return regular(shape, self.lengths(shape, dtype))

    # -- functions ----------------------------------------------------------------------------------------------------

    def gathered(
        self,
        function: Callable[..., Any],
        arrays: Sequence[Any],
        regions: Callable[[Slices], Sequence[Sequence[Slices]]],
        shape: tuple[int, ...],
        lengths: tuple[int, ...],
        dtype: DType,
    ) -> Any:
        """Return one result, by :func:`gathered`; arrays and results may be without elements."""
        return self.several(function, arrays, regions, [shape], [lengths], [dtype])[0]

    def several(
        self,
        function: Callable[..., Any],
        arrays: Sequence[Any],
        regions: Callable[[Slices], Sequence[Sequence[Slices]]],
        shapes: Sequence[tuple[int, ...]],
        lengths: Sequence[tuple[int, ...]],
        dtypes: Sequence[DType],
    ) -> list[Any]:
        """Return several results, by :func:`gathered`; arrays and results may be without elements."""
        if not any(map(math.prod, shapes)):
            return [self.from_host(np.empty(shape, dtype)) for shape, dtype in zip(shapes, dtypes, strict=True)]
        full = [bool(math.prod(x.shape)) for x in arrays]
        if any(full):
            if not all(full):
                function = partial(_tasks.with_empty, function=function, full=full, regions=regions, of=_dtypes(arrays))
                all_regions, regions = regions, lambda slices: _where(full, all_regions(slices))
                arrays = _where(full, arrays)
            return gathered(function, arrays, regions, shapes, lengths, dtypes)
        # Nothing is read: the result follows from the shapes.
        slices = slices_of(shapes[0])
        result = _tasks.with_empty(slices=slices, function=function, full=full, regions=regions, of=_dtypes(arrays))
        return [self.from_host(np.asarray(x)) for x in (result if len(shapes) > 1 else [result])]

    def elementwise(self, function: Callable[..., Any], operands: Sequence[Any], dtypes: Sequence[DType]) -> list[Any]:
        arrays = [x for x in operands if isinstance(x, self.array_type)]
        shape, lengths = joint([(x.shape, x.chunksize) for x in arrays])
        largest = max(dtypes, key=lambda dtype: dtype.itemsize)
        if math.prod(lengths) > max([math.prod(x.chunksize) for x in arrays]):  # chunks of a row and of a column
            lengths = self.lengths(shape, largest, lengths)
        sources = [tuple(x.shape) for x in arrays]

        def regions(slices: Slices) -> list[list[Slices]]:
            return [[_structure.source_of(own, slices)] for own in sources]

        scalars = [None if isinstance(x, self.array_type) else (x,) for x in operands]
        compute = partial(_tasks.of_pieces, function=function, scalars=scalars)
        results = len(dtypes)
        return self.several(compute, arrays, regions, [shape] * results, [lengths] * results, dtypes)

    def mapped(
        self,
        function: Callable[..., Any],
        x: Any,
        wholes: Sequence[Any],
        dtype: DType,
        *,
        placed: bool = False,
    ) -> Any:
        others = [[slices_of(whole.shape)] for whole in wholes]
        return self.gathered(
            partial(_tasks.of_all, function=function, placed=placed),
            [x, *wholes],
            lambda slices: [[slices], *others],
            x.shape,
            x.chunksize,
            dtype,
        )

    def along(self, function: Callable[..., Any], x: Any, axis: int, length: int, dtype: DType) -> Any:
        shape, lengths, whole = list(x.shape), list(x.chunksize), slice(0, x.shape[axis])
        shape[axis] = lengths[axis] = length
        return self.gathered(
            partial(_tasks.of_all, function=function, placed=False),
            [x],
            lambda slices: [[(*slices[:axis], whole, *slices[axis + 1 :])]],
            tuple(shape),
            tuple(lengths),
            dtype,
        )

    def reduced(self, x: Any, axes: tuple[int, ...], reduction: Reduction, *, keepdims: bool) -> Any:
        result = _reductions.reduced(self, x, axes, reduction)
        return (
            result if keepdims else self.sliced(result, tuple([0 if i in axes else slice(None) for i in range(x.ndim)]))
        )

    def scanned(
        self, x: Any, axis: int, scan: Callable[..., Any], combine: Callable[..., Any], neutral: int, dtype: DType
    ) -> Any:
        return _reductions.scanned(self, x, axis, scan, combine, neutral, dtype)

    def by_matrix(
        self,
        function: Callable[..., Any],
        operands: Sequence[Any],
        counts: Sequence[int],
        results: Sequence[tuple[int, ...]],
        dtypes: Sequence[DType],
    ) -> list[Any]:
        stacks = [x.shape[: x.ndim - n] for x, n in zip(operands, counts, strict=True)]
        stack, lengths = joint([(own, x.chunksize[: len(own)]) for x, own in zip(operands, stacks, strict=True)])
        matrices = [slices_of(x.shape[x.ndim - n :]) for x, n in zip(operands, counts, strict=True)]

        def regions(slices: Slices) -> list[list[Slices]]:
            return [
                [(*_structure.source_of(own, slices[: len(stack)]), *matrix)]
                for own, matrix in zip(stacks, matrices, strict=True)
            ]

        # All results of an operation have chunks along the same axes: axes of length 1 are added, and removed again.
        ndim = max(map(len, results))
        padded = [(1,) * (ndim - len(shape)) + shape for shape in results]
        computed = self.several(
            partial(_tasks.matrices, function=function, padded=padded, stack=len(stack)),
            operands,
            regions,
            [stack + shape for shape in padded],
            [(*lengths, *[max(n, 1) for n in shape]) for shape in padded],
            dtypes,
        )
        ones = [len(full) - len(shape) for full, shape in zip(padded, results, strict=True)]
        whole = (slice(None),)
        return [
            self.sliced(x, whole * len(stack) + (0,) * n + whole * (ndim - n)) if n else x
            for x, n in zip(computed, ones, strict=True)
        ]

    def product(self, x1: Any, x2: Any, dtype: DType) -> Any:
        return _structure.product(self, x1, x2, dtype)

    # -- structure ----------------------------------------------------------------------------------------------------

    def concatenated(self, arrays: Sequence[Any], axis: int) -> Any:
        return _structure.concatenated(self, arrays, axis)

    def reshaped(self, x: Any, shape: tuple[int, ...]) -> Any:
        return _structure.reshaped(self, x, shape)

    def permuted(self, x: Any, axes: tuple[int, ...]) -> Any:
        back = np.argsort(axes).tolist()
        return self.gathered(
            partial(_tasks.transposed, axes=axes),
            [x],
            lambda slices: [[tuple([slices[axis] for axis in back])]],
            tuple([x.shape[axis] for axis in axes]),
            tuple([max(x.chunksize[axis], 1) for axis in axes]),
            x.dtype,
        )

    def broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        new = len(shape) - x.ndim
        own = x.shape
        bounds = [*shape[:new], *[c if n == m else m for n, m, c in zip(own, shape[new:], x.chunksize, strict=True)]]
        return self.gathered(
            _tasks.repeated,
            [x],
            lambda slices: [[_structure.source_of(own, slices)]],
            shape,
            self.lengths(shape, x.dtype, bounds),
            x.dtype,
        )

    def sliced(self, x: Any, key: tuple[Any, ...]) -> Any:
        return _structure.sliced(self, x, key)

    def replaced(self, x: Any, key: tuple[Any, ...], value: Any) -> Any:
        return _structure.replaced(self, x, key, value)

    def taken(self, x: Any, places: np.ndarray[Any, Any]) -> Any:
        return _structure.taken(self, x, places)

    def selected(self, x: Any, mask: Any) -> Any:
        length = max(x.chunksize[0], 1)
        rows = x.shape[0]
        blocks = -(-rows // length)
        if not math.prod(x.shape):
            note_computation(0, "cubed", "the length of a result")
            count = int(np.count_nonzero(self.values([mask])[0])) if rows else 0
            return self.from_host(np.empty((count, *x.shape[1:]), x.dtype))
        counts = self.gathered(
            _tasks.counted,
            [mask],
            lambda slices: [[(slice(slices[0].start * length, min(slices[0].stop * length, rows)),)]],
            (blocks,),
            (1,),
            np.dtype(np.int64),
        )
        note_computation(blocks * 8, "cubed", "the length of a result")
        return _structure.selected(self, x, mask, length, self.values([counts])[0])

    # -- stores, others' arrays ---------------------------------------------------------------------------------------

    def opened(self, store: Any, **options: Any) -> Any:
        return cubed.from_zarr(store, spec=options.pop("spec", None) or _spec(), **options)

    def stored(self, x: Any, store: Any, *, overwrite: bool = False, **options: Any) -> None:
        if overwrite:
            raise NotImplementedError(
                "cubed replaces stores in folders only; remove the store first, or pass a folder's path"
            )
        with _computing():
            cubed.to_zarr(x, store, **options)

    def adopted(self, array: Any) -> Any:
        return array

    def converted(self, collection: Any) -> Any:
        return collection if isinstance(collection, self.array_type) else None


class CubedArray(Chunked):
    """The native array: an array of cubed."""

    __slots__ = ()

    library = CubedLibrary()
    library_type = cubed.array_api.Array

    def __reduce__(self) -> tuple[Any, ...]:
        # The values: cubed numbers the steps of computations in each process, so that those of two would be mixed up.
        size, limit = self.size * self.dtype.itemsize, self.library.limit()
        if size > limit:
            raise PicklingError(
                f"an array of device 'cubed' is pickled with its values, {format_bytes(size)} here, and the limit is "
                f"{format_bytes(limit)}; write it with xp.engines.to_zarr"
            )
        return _restored, (fetched(self)[0],)


def _restored(values: np.ndarray[Any, Any]) -> CubedArray:
    return CubedArray(CubedArray.library.from_host(values))


class _Progress(Callback):  # type: ignore[misc]
    """Progress bar of a computation."""

    def __init__(self, after: float) -> None:
        self._after = after

    def on_compute_start(self, event: Any) -> None:
        self._bar = Bar(self._after, sum(node["primitive_op"].num_tasks for _, node in visit_nodes(event.dag)))

    def on_task_end(self, event: Any) -> None:
        self._bar.advance(event.num_tasks)

    def on_compute_end(self, event: Any) -> None:
        self._bar.close()


@contextmanager
def _computing() -> Iterator[None]:
    """Show a progress bar if one is wanted, and raise cubed's errors as errors of xtensor."""
    after = delay()
    with _translated(), nullcontext() if after is None else _Progress(after):
        yield


@contextmanager
def _translated() -> Iterator[None]:
    """Raise cubed's errors about its tasks' memory and processes as errors of xtensor."""
    try:
        yield
    except ValueError as error:
        if not re.search("allowed_mem|max_mem", str(error)):
            raise
        raise OutOfMemoryError(
            f"a task of cubed needs more memory than it is allowed ({error}); raise 'spec.allowed_mem' of cubed's "
            "configuration, or use smaller chunks ('xtensor.chunk-size', xtensor.engines.rechunk)"
        ) from error
    except BrokenProcessPool as error:
        raise WorkerLostError(
            f"a process of cubed's executor died ({error}); the system may have ended it for its use of memory. Name "
            "an executor that repeats tasks, such as 'dask', or use smaller chunks"
        ) from error


def _spec() -> Any:
    """Return memory, work directory and executor of new arrays."""
    return spec_from_config(cubed.config)


def _available() -> int:
    """Return the bytes that a task may use for elements."""
    spec = _spec()
    return int(spec.allowed_mem - spec.reserved_mem)


def _setting(name: str, default: Callable[[], int]) -> int:
    setting = cubed.config.get(f"xtensor.{name}", None)
    return default() if setting is None else int(convert_to_bytes(setting))


def _dtypes(arrays: Sequence[Any]) -> list[DType]:
    return [x.dtype for x in arrays]


def _where(full: Sequence[bool], items: Sequence[Any]) -> list[Any]:
    return [item for item, has in zip(items, full, strict=True) if has]
