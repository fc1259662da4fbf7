"""Creation, and functions that move elements: dask's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from xtensor.backend import DType

from ._native import Chunked, automatic, on_chunk_device, placed, with_lengths

__all__ = ["arange", "broadcast_to", "concat", "full", "nonzero", "permute_dims", "reshape", "reshaped"]


def full(shape: tuple[int, ...], fill_value: Any, *, dtype: DType | None = None) -> Any:
    """Return an array of one value."""
    value = np.asarray(fill_value, dtype=dtype)
    return _created(_full, shape, value.dtype, value=value)


def arange(start: Any, stop: Any, step: Any, *, dtype: DType) -> Any:
    """Return numbers of equal distance."""
    # As NumPy computes them: multiples of the difference between the first two, rounded to the dtype.
    first_two = np.arange(start, start + 2 * step, step, dtype=dtype)[:2]
    n = len(range(start, stop, step)) if all(isinstance(x, int) for x in (start, stop, step)) else None
    if n is None:
        n = max(int(np.ceil((stop - start) / step)), 0)
    if n <= 2 or len(first_two) < 2:
        return on_chunk_device(da.from_array(np.arange(start, stop, step, dtype=dtype), chunks=-1))
    return _created(_multiples, (n,), dtype, first=first_two[0], difference=first_two[1] - first_two[0])


def _created(function: Any, shape: tuple[int, ...], dtype: DType, **options: Any) -> Any:
    chunks = automatic(shape, dtype)
    return da.map_blocks(function, chunks=chunks, dtype=dtype, meta=np.empty((0,) * len(shape), dtype), **options)


def _full(*, value: Any, block_info: Any) -> Any:
    return placed(np.full(block_info[None]["chunk-shape"], value))


def _multiples(*, first: Any, difference: Any, block_info: Any) -> Any:
    ((start, stop),) = block_info[None]["array-location"]
    with np.errstate(all="ignore"):
        places = np.arange(start, stop).astype(first.dtype)
        return placed(first + places * difference)


def concat(arrays: Sequence[Any], *, axis: int | None) -> Any:
    """Join arrays along an axis, flattened arrays for None."""
    if axis is None:
        arrays, axis = [reshaped(x, (-1,)) for x in arrays], 0
    dtype = np.result_type(*[x.dtype for x in arrays])
    return da.concatenate([x.astype(dtype) for x in arrays], axis=axis)


def reshaped(x: Any, shape: tuple[int, ...]) -> Any:
    """Give a dask array another shape."""
    if not x.size:  # dask divides by the lengths
        return full(np.empty(x.shape).reshape(shape).shape, 0, dtype=x.dtype)
    try:
        return da.reshape(x, shape)
    except NotImplementedError:  # dask merges or splits axes
        return da.reshape(da.reshape(x, (-1,)), shape)


# -- views ------------------------------------------------------------------------------------------------------------


def broadcast_to(x: Chunked, shape: tuple[int, ...]) -> Chunked:
    """Repeat elements along axes of length 1; read-only."""
    np.broadcast_to(np.empty(()), shape)  # raises for a shape that is none
    return Chunked.view(x, lambda array: da.broadcast_to(array, shape), None)


def permute_dims(x: Chunked, axes: tuple[int, ...]) -> Chunked:
    """Permute axes."""
    back = sorted(range(len(axes)), key=axes.__getitem__)
    return Chunked.view(x, lambda array: da.transpose(array, axes), lambda _, value: da.transpose(value, back))


def reshape(x: Chunked, shape: tuple[int, ...], *, copy: bool | None = None) -> Chunked:
    """Give an array another shape: a view unless a copy is asked for."""
    if copy:
        return Chunked(reshaped(x.array, shape))
    return Chunked.view(x, lambda array: reshaped(array, shape), lambda array, value: reshaped(value, array.shape))


# -- lengths that depend on values ------------------------------------------------------------------------------------


def nonzero(x: Any) -> tuple[Any, ...]:
    """Return the indices of the elements that are not zero: one pass computes their number in each chunk."""
    flat = reshaped(x, (-1,))
    starts = np.cumsum([0, *flat.chunks[0]])[:-1]
    found = flat.map_blocks(_places, starts=starts, dtype=np.int64, chunks=((np.nan,) * len(starts),))
    found = with_lengths(found)
    return tuple(da.unravel_index(found, x.shape))


def _places(x: Any, *, starts: Any, block_id: tuple[int, ...]) -> Any:
    return np.flatnonzero(x) + starts[block_id[0]]
