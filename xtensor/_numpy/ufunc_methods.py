"""The methods of universal functions off the host: ``reduce``, ``accumulate``, ``outer``, ``reduceat`` and ``at``.

Composed of calls of the universal function itself, each of which computes whole arrays on the device. On the host's
memory NumPy's own loops compute these methods, but reductions by ``power`` and ``arctan2``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axes, check_axis
from .._ops._arguments import as_arrays, store
from .._ops._casts import reduction_dtype
from . import reductions

__all__ = ["METHODS"]

Ufunc: TypeAlias = Any
"""A ``numpy.ufunc``, which gives Arrays of Arrays; its own annotations know NumPy's arrays only."""

REDUCTIONS: dict[np.ufunc, Callable[..., Array]] = {
    np.add: reductions.sum,
    np.multiply: reductions.prod,
    np.maximum: reductions.max,
    np.minimum: reductions.min,
    np.logical_and: reductions.all,
    np.logical_or: reductions.any,
}
"""The reductions that devices have functions for."""

SCANS: dict[np.ufunc, Callable[..., Array]] = {np.add: xp.cumulative_sum, np.multiply: xp.cumulative_prod}

ASSOCIATIVE = frozenset(
    (
        *(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.fmax, np.fmin, np.gcd, np.hypot, np.lcm, np.logaddexp),
        *(np.logaddexp2, np.logical_and, np.logical_or, np.logical_xor, np.maximum, np.minimum),
    )
)
"""Functions whose operands can be grouped in any way, so that n elements take about log2(n) calls."""


CHANGED_BY_IDENTITY = frozenset((np.gcd, np.hypot))
"""Functions whose identity element 0 takes the sign of another operand."""


def reduce(
    ufunc: Ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: tuple[Any] | None = None,
    keepdims: bool = False,
    initial: Any = reductions.NO_VALUE,
    where: Any = True,
) -> Any:
    """Return the reduction of an array along axes; NumPy, ``ufunc.reduce``."""
    if not array.ndim and axis in (0, -1):
        axis = None  # the only axis that NumPy knows of a 0-d array
    if ufunc in REDUCTIONS:
        if dtype is not None:
            array = xp.astype(array, dtype, copy=False)
            if array.dtype.kind == "b":  # the sum of booleans in their dtype
                ufunc = {np.add: np.logical_or, np.multiply: np.logical_and}.get(ufunc, ufunc)
        options = {"initial": initial}
        if ufunc in SCANS:
            options["dtype"] = dtype  # else the sum or product of narrow integers is wider
        if ufunc in (np.logical_and, np.logical_or):
            options = {}
            if initial is not reductions.NO_VALUE:
                combined = ufunc(REDUCTIONS[ufunc](array, axis, keepdims=keepdims, where=where), bool(initial))
                return store(ufunc.__name__, combined, out and out[0], "unsafe")
        return REDUCTIONS[ufunc](array, axis, out=out and out[0], keepdims=keepdims, where=where, **options)
    axes = tuple(range(array.ndim)) if axis is None else check_axes(axis, array.ndim, ufunc.__name__)
    start = ufunc.identity if initial is reductions.NO_VALUE else initial
    if where is not True and start is None:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' does not have an identity, so to use a where mask one has to "
            "specify 'initial'"
        )
    if len(axes) > 1 and ufunc.identity is None and ufunc not in ASSOCIATIVE:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may be specified; "
            f"{ufunc.__name__}.reduce() takes one integer for axis"
        )
    array = _in_loop_dtype(ufunc, array, dtype, out)
    items, mask = _along_first_axis(array, axes), None
    if where is not True:
        chosen = as_arrays(ufunc.__name__, array, where)[1]
        mask = _along_first_axis(xp.broadcast_to(chosen, array.shape), axes)
    if not items.shape[0] and start is None:
        raise ValueError(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
    if start is not None and (
        ufunc in CHANGED_BY_IDENTITY or mask is not None or not items.shape[0] or initial is not reductions.NO_VALUE
    ):
        if initial is reductions.NO_VALUE:  # an identity element of -1 has all bits, also of unsigned integers
            first = xp.astype(xp.asarray(start, device=array.device), array.dtype)
        else:
            first = xp.asarray(start, dtype=array.dtype, device=array.device)
        items = xp.concat((xp.broadcast_to(first, (1, *items.shape[1:])), items))
    result = _fold(ufunc, items, mask)
    if keepdims:
        result = xp.expand_dims(result, axes)
    return store(ufunc.__name__, result, out and out[0])


def _along_first_axis(array: Array, axes: tuple[int, ...]) -> Array:
    """Return an array with some axes as one, the first."""
    rest = [length for position, length in enumerate(array.shape) if position not in axes]
    moved = xp.moveaxis(array, axes, tuple(range(len(axes))))
    return xp.reshape(moved, (math.prod([array.shape[axis] for axis in axes]), *rest))


def _in_loop_dtype(ufunc: Ufunc, array: Array, dtype: Any, out: tuple[Any] | None) -> Array:
    """Return an array in the dtype in which NumPy computes the reduction; TypeError if NumPy has no loop for it."""
    if out and "dd->d" in ufunc.types:
        dtype = reduction_dtype(out[0], array, dtype)
    if dtype is None and array.dtype.kind in "biu" and ufunc in (np.add, np.multiply):
        small = array.dtype.itemsize < np.dtype(np.int_).itemsize
        dtype = (np.uint if array.dtype.kind == "u" else np.int_) if small else array.dtype
    if dtype is None and array.dtype.kind != "V":
        dtype = ufunc.resolve_dtypes((None, array.dtype, None), reduction=True)[-1]
    if dtype is None:
        return array
    if np.dtype(dtype).kind == "f" and not array.device.supports(np.dtype(dtype)):
        dtype = array.device.default_dtypes["real floating"]  # also of one element, or none, where nothing is computed
    if not array.device.supports(np.dtype(dtype)):
        return array
    return xp.astype(array, dtype, copy=False)


def _fold(ufunc: Ufunc, items: Array, mask: Array | None = None) -> Array:
    """Return the reduction along the first axis, which is not empty.

    A mask says which items after the first one take part.
    """
    is_neutral = ufunc.identity is not None and ufunc not in CHANGED_BY_IDENTITY
    if ufunc in ASSOCIATIVE and mask is not None and is_neutral:
        neutral = xp.astype(xp.asarray(ufunc.identity, device=items.device), items.dtype)
        items, mask = xp.concat((items[:1, ...], xp.where(mask, items[1:, ...], neutral))), None
    if ufunc not in ASSOCIATIVE or mask is not None:
        result = items[0, ...]
        for position in range(1, items.shape[0]):
            combined = ufunc(result, items[position, ...])
            result = combined if mask is None else xp.where(mask[position - 1, ...], combined, result)
        return result
    while items.shape[0] > 1:
        half = items.shape[0] // 2
        pairs = ufunc(items[:half, ...], items[half : 2 * half, ...])
        items = xp.concat((pairs, items[2 * half :, ...])) if items.shape[0] % 2 else pairs
    return items[0, ...]


def accumulate(ufunc: Ufunc, array: Any, axis: int = 0, dtype: Any = None, out: tuple[Any] | None = None) -> Any:
    """Return the reductions of all leading parts along an axis; NumPy, ``ufunc.accumulate``."""
    if not array.ndim:
        raise TypeError("cannot accumulate on a scalar; pass an array of one dimension or more")
    axis = check_axis(axis, array.ndim, ufunc.__name__)
    array = _in_loop_dtype(ufunc, array, dtype, out)
    if ufunc in SCANS:
        result = SCANS[ufunc](array, axis=axis, dtype=dtype)
    else:
        items = xp.moveaxis(array, axis, 0)
        if ufunc in ASSOCIATIVE:
            distance = 1
            while distance < items.shape[0]:
                combined = ufunc(items[:-distance, ...], items[distance:, ...])
                items = xp.concat((xp.astype(items[:distance, ...], combined.dtype, copy=False), combined))
                distance *= 2
        elif items.shape[0]:
            parts = [items[0, ...]]
            for position in range(1, items.shape[0]):
                parts.append(ufunc(parts[-1], items[position, ...]))
            items = xp.stack([xp.astype(part, parts[-1].dtype, copy=False) for part in parts])
        result = xp.moveaxis(items, 0, axis)
    return store(ufunc.__name__, result, out and out[0])


def outer(ufunc: Ufunc, a: Any, b: Any, **options: Any) -> Any:
    """Return the function of all pairs of elements; NumPy, ``ufunc.outer``."""
    a, b = as_arrays(f"{ufunc.__name__}.outer", a, b)
    return ufunc(xp.reshape(a, a.shape + (1,) * b.ndim), b, **options)


def at(ufunc: Ufunc, a: Array, indices: Any, *operands: Any) -> None:
    """Apply the function in place to the elements at indices, repeatedly where one occurs twice; NumPy, ``ufunc.at``.

    The occurrences of an element are computed in rounds, so that their order is kept.
    """
    positions = _positions(a, indices)
    flat = xp.reshape(a, (-1,))
    if operands:
        (values,) = as_arrays(f"{ufunc.__name__}.at", a[...], operands[0])[1:]
        # A copy: the rounds write to the array, which the operand may be.
        operands = (xp.reshape(xp.broadcast_to(values, positions.shape), (-1,)).copy(),)
    positions = xp.reshape(positions, (-1,))
    order = xp.argsort(positions)
    ordered = xp.take(positions, order)
    rank = xp.arange(ordered.shape[0], device=a.device) - xp.searchsorted(ordered, ordered)
    rounds = int(xp.max(rank)) + 1 if rank.size else 0
    for number in range(rounds):
        chosen = xp.take(order, xp.nonzero(rank == number)[0])
        where = xp.take(positions, chosen)
        flat[where] = xp.astype(ufunc(flat[where], *(xp.take(x, chosen) for x in operands)), a.dtype, copy=False)
    a[...] = xp.reshape(flat, a.shape)


def _positions(a: Array, indices: Any) -> Array:
    """Return the positions in the flattened array that a key selects."""
    return xp.reshape(xp.arange(a.size, device=a.device), a.shape)[indices]


def reduceat(
    ufunc: Ufunc, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: tuple[Any] | None = None
) -> Any:
    """Return the reductions of the slices that begin at indices; NumPy, ``ufunc.reduceat``.

    The k-th elements of all slices are computed together, so that the number of calls is that of the longest slice.
    """
    axis = check_axis(axis, array.ndim, ufunc.__name__)
    array = _in_loop_dtype(ufunc, array, dtype, out)
    items = xp.moveaxis(array, axis, 0)
    starts = [int(position) for position in np.ravel(indices.tolist() if indices.__class__ is Array else indices)]
    length = items.shape[0]
    for start in starts:
        if not 0 <= start < length:
            raise IndexError(f"index {start} out-of-bounds in {ufunc.__name__}.reduceat [0, {length})")
    lengths = [max(following - start, 1) for start, following in zip(starts, [*starts[1:], length], strict=True)]
    result = xp.take(items, xp.asarray(starts, dtype=np.int64, device=array.device), axis=0)
    for offset in range(1, max(lengths, default=1)):
        rows = [row for row, count in enumerate(lengths) if count > offset]
        where = xp.asarray(rows, dtype=np.int64, device=array.device)
        following = xp.asarray([starts[row] + offset for row in rows], dtype=np.int64, device=array.device)
        combined = ufunc(xp.take(result, where, axis=0), xp.take(items, following, axis=0))
        positions = list(range(len(starts)))
        for place, row in enumerate(rows):
            positions[row] = len(starts) + place
        joined = xp.concat((result, combined))
        result = xp.take(joined, xp.asarray(positions, dtype=np.int64, device=array.device), axis=0)
    return store(ufunc.__name__, xp.moveaxis(result, 0, axis), out and out[0])


METHODS: dict[str, Callable[..., Any]] = {
    "accumulate": accumulate,
    "at": at,
    "outer": outer,
    "reduce": reduce,
    "reduceat": reduceat,
}
