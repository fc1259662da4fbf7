"""Creation, and functions that move elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from xtensor.backend import DType

from ._chunk_slices import Slices, lengths_of
from ._elementwise import astype, elementwise
from ._library import Library, place_values
from ._native import Chunked

__all__ = ["arange", "broadcast_to", "concat", "full", "nonzero", "permute_dims", "reshape"]


def full(library: Library, shape: tuple[int, ...], fill_value: Any, *, dtype: DType | None = None) -> Any:
    """Return an array of one value."""
    value = np.asarray(fill_value, dtype=dtype)
    return library.created(partial(_full, value=value, spec=library.chunk_device), tuple(shape), value.dtype)


def _full(*, slices: Slices, value: Any, spec: str) -> Any:
    return place_values(np.full(lengths_of(slices), value), spec)


def arange(library: Library, start: Any, stop: Any, step: Any, *, dtype: DType) -> Any:
    """Return numbers of equal distance."""
    # As NumPy computes them: multiples of the difference between the first two, rounded to the dtype.
    first_two = np.arange(start, start + 2 * step, step, dtype=dtype)[:2]
    n = len(range(start, stop, step)) if all(isinstance(x, int) for x in (start, stop, step)) else None
    if n is None:
        n = max(int(np.ceil((stop - start) / step)), 0)
    if n <= 2 or len(first_two) < 2:
        return library.from_host(np.arange(start, stop, step, dtype=dtype))
    difference = first_two[1] - first_two[0]
    function = partial(_multiples, first=first_two[0], difference=difference, spec=library.chunk_device)
    return library.created(function, (n,), dtype)


def _multiples(*, slices: Slices, first: Any, difference: Any, spec: str) -> Any:
    (elements,) = slices
    with np.errstate(all="ignore"):
        places = np.arange(elements.start, elements.stop).astype(first.dtype)
        return place_values(first + places * difference, spec)


def concat(library: Library, arrays: Sequence[Any], *, axis: int | None) -> Any:
    """Join arrays along an axis, flattened arrays for None."""
    if axis is None:
        arrays, axis = [flattened(library, x) for x in arrays], 0
    others = {(*x.shape[:axis], *x.shape[axis + 1 :]) for x in arrays}
    if len(others) > 1 or len({x.ndim for x in arrays}) > 1:
        raise ValueError(
            f"arrays of shape {', '.join([str(x.shape) for x in arrays])} cannot be joined along axis {axis}"
        )
    dtype = np.result_type(*[x.dtype for x in arrays])
    return library.concatenated([astype(library, x, dtype) for x in arrays], axis)


def flattened(library: Library, x: Any) -> Any:
    """Return the elements in the order of rows on one axis."""
    return reshaped(library, x, (math.prod(x.shape),))


def reshaped(library: Library, x: Any, shape: tuple[int, ...]) -> Any:
    """Return the elements in the order of rows in another shape, one length of which may be -1."""
    shape, size = tuple(shape), math.prod(x.shape)
    if -1 in shape:
        known = -math.prod(shape)
        shape = tuple([size // known if n == -1 and known else n for n in shape])
    if math.prod(shape) != size or min(shape, default=0) < 0:
        raise ValueError(f"cannot reshape array of size {size} into shape {shape}")
    if shape == tuple(x.shape):
        return x
    return library.reshaped(x, shape) if size else full(library, shape, 0, dtype=x.dtype)


# -- views ------------------------------------------------------------------------------------------------------------


def broadcast_to(x: Chunked, shape: tuple[int, ...]) -> Chunked:
    """Repeat elements along axes of length 1; read-only."""
    shape = tuple(shape)
    if min(shape, default=0) < 0 or np.broadcast_shapes(x.shape, shape) != shape:
        raise ValueError(f"an array of shape {x.shape} cannot be broadcast to shape {shape}")
    return type(x).view(x, lambda array: x.library.broadcast(array, shape), None)


def permute_dims(x: Chunked, axes: tuple[int, ...]) -> Chunked:
    """Permute axes."""
    axes, library = tuple([axis % x.ndim for axis in axes]), x.library
    back = tuple(sorted(range(len(axes)), key=axes.__getitem__))
    return type(x).view(x, lambda array: library.permuted(array, axes), lambda _, value: library.permuted(value, back))


def reshape(x: Chunked, shape: tuple[int, ...], *, copy: bool | None = None) -> Chunked:
    """Give an array another shape: a view unless a copy is asked for."""
    library = x.library
    if copy:
        return type(x)(reshaped(library, x.array, shape))
    return type(x).view(
        x,
        lambda array: reshaped(library, array, shape),
        lambda array, value: reshaped(library, value, array.shape),
    )


# -- lengths that depend on values ------------------------------------------------------------------------------------


def nonzero(library: Library, x: Any) -> tuple[Any, ...]:
    """Return the indices of the elements that are not zero: one pass computes their number in each chunk."""
    flat = flattened(library, x)
    int64 = np.dtype(np.int64)
    places = library.mapped(partial(_places, spec=library.chunk_device), flat, (), int64, placed=True)
    positions = library.selected(places, astype(library, flat, np.dtype(bool)))
    indices = []
    for axis, length in enumerate(x.shape):
        index = positions
        after = math.prod(x.shape[axis + 1 :])
        if after > 1:
            index = elementwise(library, "floor_divide", index, after)
        if axis:
            index = elementwise(library, "remainder", index, length)
        indices.append(index)
    return tuple(indices)


def _places(x: Any, *, slices: Slices, spec: str) -> Any:
    (elements,) = slices
    return place_values(np.arange(elements.start, elements.stop), spec)
