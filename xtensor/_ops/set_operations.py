"""Distinct elements and operations on sets of them, with NumPy's names and signatures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis
from .._core.compositions import composed
from .._core.dtypes import kind_of
from . import _casts
from ._arguments import as_arrays, flattened
from ._flags import truth

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["intersect1d", "setdiff1d", "setxor1d", "union1d", "unique"]


@composed
def intersect1d(
    ar1: AnyArray, ar2: AnyArray, assume_unique: bool = False, return_indices: bool = False
) -> Array | tuple[Array, Array, Array]:
    """Return the sorted distinct elements that both arrays have.

    Parameters
    ----------
    ar1, ar2
        Arrays of booleans or numbers, or array-likes with one; they are flattened.
    assume_unique
        Whether the elements of each array are distinct already. The result is undefined if they are not.
    return_indices
        Whether to return in addition the indices of the first occurrence of each common element.

    Returns
    -------
    Array or tuple of Array
        The common elements, of the promoted dtype; with ``return_indices``, their indices in ``ar1`` and in ``ar2``,
        both flattened, in addition. NaN equals nothing.

    Notes
    -----
    NumPy, ``intersect1d``. Both arrays are sorted together, so that common elements become neighbours.
    """
    return_indices = truth(return_indices, "intersect1d", "return_indices")
    first, second = (flattened(x) for x in as_arrays("intersect1d", ar1, ar2))
    indices = []
    if not truth(assume_unique, "intersect1d", "assume_unique"):
        first, *index1 = _unique(first, return_index=return_indices)
        second, *index2 = _unique(second, return_index=return_indices)
        indices = [*index1, *index2]
    both = xp.concat(_casts.promoted(first, second))
    if not return_indices:
        both = _casts.sort(both)
        before, after = _neighbours(both)
        return before[before == after]
    order = _casts.argsort(both)
    both = xp.take(both, order)
    common = xp.nonzero(xp.equal(*_neighbours(both)))[0]
    values = xp.take(both, common)
    at1, at2 = xp.take(order, common), xp.take(order, common + 1) - first.shape[0]
    if indices:
        at1, at2 = xp.take(indices[0], at1), xp.take(indices[1], at2)
    return values, at1, at2


@composed
def setdiff1d(ar1: AnyArray, ar2: AnyArray, assume_unique: bool = False) -> Array:
    """Return the distinct elements of one array that another one does not have.

    Parameters
    ----------
    ar1, ar2
        Arrays of booleans or numbers, or array-likes with one; they are flattened.
    assume_unique
        Whether the elements of each array are distinct already; then they are not sorted.

    Returns
    -------
    Array
        The elements of ``ar1`` that are not in ``ar2``, of the dtype of ``ar1``; sorted unless ``assume_unique``. NaN
        equals nothing.

    Notes
    -----
    NumPy, ``setdiff1d``.
    """
    first, second = (flattened(x) for x in as_arrays("setdiff1d", ar1, ar2))
    if not truth(assume_unique, "setdiff1d", "assume_unique"):
        (first,) = _unique(first)
    x, y = _casts.promoted(first, second)
    # Ranks are integers, which every device looks up; equal elements have equal ranks.
    _, ranks = _unique(xp.concat((x, y)), return_inverse=True, equal_nan=False)
    return first[~xp.isin(ranks[: first.shape[0]], ranks[first.shape[0] :])]


@composed
def setxor1d(ar1: AnyArray, ar2: AnyArray, assume_unique: bool = False) -> Array:
    """Return the sorted distinct elements that exactly one of two arrays has.

    Parameters
    ----------
    ar1, ar2
        Arrays of booleans or numbers, or array-likes with one; they are flattened.
    assume_unique
        Whether the elements of each array are distinct already. The result is undefined if they are not.

    Returns
    -------
    Array
        The elements, of the promoted dtype. NaN equals nothing.

    Notes
    -----
    NumPy, ``setxor1d``.
    """
    arrays = [flattened(x) for x in as_arrays("setxor1d", ar1, ar2)]
    if not truth(assume_unique, "setxor1d", "assume_unique"):
        arrays = [_unique(x)[0] for x in arrays]
    both = _casts.sort(xp.concat(_casts.promoted(*arrays)))
    differs = xp.not_equal(*_neighbours(both))
    return both[_first_of_equal(differs, both.shape[0]) & _last_of_equal(differs, both.shape[0])]


@composed
def union1d(ar1: AnyArray, ar2: AnyArray) -> Array:
    """Return the sorted distinct elements of two arrays together.

    Parameters
    ----------
    ar1, ar2
        Arrays of booleans or numbers, or array-likes with one; they are flattened.

    Returns
    -------
    Array
        The elements, of the promoted dtype, with at most one NaN.

    Notes
    -----
    NumPy, ``union1d``.
    """
    arrays = [flattened(x) for x in as_arrays("union1d", ar1, ar2)]
    return _unique(xp.concat(_casts.promoted(*arrays)))[0]


@composed
def unique(
    ar: AnyArray,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Array | tuple[Array, ...]:
    """Return the distinct elements of an array, or its distinct slices along an axis, in ascending order.

    Parameters
    ----------
    ar
        Array of booleans or numbers.
    return_index
        Whether to return the index of the first occurrence of each distinct element.
    return_inverse
        Whether to return the indices that restore ``ar`` from the distinct elements.
    return_counts
        Whether to return the number of occurrences of each distinct element.
    axis
        The axis whose slices are compared, in lexicographic order; None compares the elements of the flattened array.
    equal_nan
        Whether all NaN count as one element. As in NumPy, slices that contain a NaN are always distinct.
    sorted
        Whether the result has to be sorted. It is sorted in both cases.

    Returns
    -------
    Array or tuple of Array
        The distinct elements, of the dtype of ``ar``, then each result that is requested: indices, the inverse and
        counts, all of the default index dtype. The inverse has the shape of ``ar``, or one dimension if ``axis`` is
        given.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    NumPy, ``unique``. The standard's functions are :func:`unique_all`, :func:`unique_counts`, :func:`unique_inverse`
    and :func:`unique_values`.
    """
    (ar,) = as_arrays("unique", ar)
    flags = {"return_index": return_index, "return_inverse": return_inverse, "return_counts": return_counts}
    flags = {name: truth(value, "unique", name) for name, value in flags.items()}
    return_inverse, equal_nan = flags["return_inverse"], truth(equal_nan, "unique", "equal_nan")
    truth(sorted, "unique", "sorted")
    if axis is not None:
        axis = check_axis(axis, ar.ndim, "unique")
    if axis is None or ar.ndim == 1:
        values, *results = _unique(flattened(ar), equal_nan=equal_nan, **flags)
        if return_inverse:
            position = int(flags["return_index"])
            results[position] = xp.reshape(results[position], ar.shape)
    else:
        values, *results = _unique_slices(ar, axis, **flags)
    return (values, *results) if results else values


def _unique(
    x: Array,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    equal_nan: bool = True,
) -> list[Array]:
    """Return the distinct elements of an array of one dimension and the results that are requested."""
    if not (return_index or return_inverse or return_counts or kind_of(x.dtype) in "fc"):
        return [xp.unique_values(x)]
    if return_index or return_inverse:
        order = _casts.argsort(x)
        ordered = xp.take(x, order)
    else:
        order = None
        ordered = _casts.sort(x)
    before, after = _neighbours(ordered)
    differs = before != after
    if equal_nan and kind_of(x.dtype) in "fc" and not _is_without_nan(ordered):
        # NaN comes last in the order, so one NaN follows another wherever both of two neighbours are NaN.
        differs = differs & ~(xp.isnan(before) & xp.isnan(after))
    first = _first_of_equal(differs, x.shape[0])
    return [ordered[first], *_positions(first, order, return_index, return_inverse, return_counts)]


def _is_without_nan(ordered: Array) -> bool:
    """Return whether no element of an order is NaN, which comes last. Off the host, that is not looked at."""
    return ordered.device.host and ordered.size > 0 and not xp.isnan(ordered[-1])


def _unique_slices(
    x: Array, axis: int, *, return_index: bool, return_inverse: bool, return_counts: bool
) -> list[Array]:
    """Return the distinct slices along an axis and the results that are requested."""
    moved = xp.moveaxis(x, axis, 0)
    rows = xp.reshape(moved, (moved.shape[0], math.prod(moved.shape[1:])))
    order = xp.arange(rows.shape[0], dtype=x.device.default_dtypes["indexing"], device=x.device)
    for column in range(rows.shape[1] - 1, -1, -1):
        order = xp.take(order, _casts.argsort(xp.take(rows[:, column], order)))
    ordered = xp.take(rows, order, axis=0)
    first = _first_of_equal(xp.any(xp.not_equal(*_neighbours(ordered)), axis=1), rows.shape[0])
    values = xp.take(moved, xp.take(order, xp.nonzero(first)[0]), axis=0)
    return [xp.moveaxis(values, 0, axis), *_positions(first, order, return_index, return_inverse, return_counts)]


def _first_of_equal(differs: Array, length: int) -> Array:
    """Return whether each element of an order is the first of equal ones, from the differences of neighbours."""
    start = xp.ones(min(length, 1), dtype=differs.dtype, device=differs.device)
    return xp.concat((start, differs))


def _last_of_equal(differs: Array, length: int) -> Array:
    """Return whether each element of an order is the last of equal ones, from the differences of neighbours."""
    return xp.concat((differs, xp.ones(min(length, 1), dtype=differs.dtype, device=differs.device)))


def _neighbours(x: Array) -> tuple[Array, Array]:
    """Return the elements of an order that have a successor, and these successors."""
    # The strict device refuses a slice that begins or ends outside an empty axis.
    return x[: max(x.shape[0] - 1, 0), ...], x[min(x.shape[0], 1) :, ...]


def _positions(
    first: Array, order: Array | None, return_index: bool, return_inverse: bool, return_counts: bool
) -> list[Array]:
    """Return the requested indices, inverse and counts; ``first`` marks the first of equal elements in the order."""
    results = []
    if return_index and order is not None:
        results.append(order[first])
    if return_inverse and order is not None:
        index_dtype = first.device.default_dtypes["indexing"]
        ranks = xp.cumulative_sum(xp.astype(first, index_dtype)) - 1
        results.append(xp.take(ranks, xp.argsort(order)))
    if return_counts:
        starts = xp.nonzero(first)[0]
        end = xp.full(1, first.shape[0], dtype=starts.dtype, device=first.device)
        results.append(xp.diff(xp.concat((starts, end))))
    return results
