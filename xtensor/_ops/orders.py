"""Sorting by several keys, partitions, and the order of complex numbers, with NumPy's names and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis
from .._core.compositions import composed
from .._core.errors import describe
from . import _casts
from ._arguments import as_arrays, flattened

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["argpartition", "lexsort", "partition", "sort_complex"]


@composed
def argpartition(a: AnyArray, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Array:
    """Return the indices that partition an array; see :func:`partition`.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    kth
        The positions, an integer or several, whose elements come to their sorted places.
    axis
        The axis to partition along; None flattens ``a`` first.
    kind
        NumPy's algorithm, ``"introselect"``; the only one.
    order
        None. Arrays have no fields.

    Returns
    -------
    Array
        The indices, of the default index dtype.

    Raises
    ------
    ValueError
        If a position or the axis is out of bounds, or ``kind`` or ``order`` has another value.
    TypeError
        If a position is not an integer.

    Notes
    -----
    NumPy, ``argpartition``. The order of the other elements is open, as for :func:`partition`.
    """
    a, axis = _check_partition("argpartition", a, kth, axis, kind, order)
    return _casts.argsort(a, axis)


@composed
def lexsort(keys: Sequence[Array] | Array, axis: int = -1) -> Array:
    """Return the indices that sort by several keys: by the last key, then among equal elements by the one before it.

    Parameters
    ----------
    keys
        A sequence of Arrays of one shape, or an Array whose first axis counts the keys. Real and complex numbers, and
        booleans.
    axis
        The axis to sort along.

    Returns
    -------
    Array
        The indices, of the default index dtype and the shape of a key. The order of equal elements is kept.

    Raises
    ------
    ValueError
        If the shapes of the keys differ, or the axis is out of bounds.
    TypeError
        If there is no key.

    Notes
    -----
    NumPy, ``lexsort``. One stable sort for each key, the least significant one first.
    """
    if isinstance(keys, (list, tuple)):
        columns = list(as_arrays("lexsort", *keys)) if keys else []
    else:
        (table,) = as_arrays("lexsort", keys)
        columns = [table[i, ...] for i in range(table.shape[0])] if table.ndim else []
    if not columns:
        raise TypeError(f"need sequence of keys with len > 0 in lexsort; it got {describe(keys)}")
    shapes = {column.shape for column in columns}
    if len(shapes) > 1:
        raise ValueError(f"all keys need to be the same shape; lexsort() got {', '.join(map(str, sorted(shapes)))}")
    if not columns[0].ndim:
        check_axis(axis, 1, "lexsort")  # NumPy sorts one number along an axis of its own
        return xp.zeros((), dtype=columns[0].device.default_dtypes["indexing"], device=columns[0].device)
    axis = check_axis(axis, columns[0].ndim, "lexsort")
    order = _casts.argsort(columns[0], axis)
    for column in columns[1:]:
        ranked = _casts.argsort(xp.take_along_axis(column, order, axis=axis), axis)
        order = xp.take_along_axis(order, ranked, axis=axis)
    return order


@composed
def partition(a: AnyArray, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Array:
    """Return a copy in which the elements at some positions are in their sorted places, smaller ones before them.

    Parameters
    ----------
    a
        Array of booleans or numbers.
    kth
        The positions, an integer or several, whose elements come to their sorted places.
    axis
        The axis to partition along; None flattens ``a`` first.
    kind
        NumPy's algorithm, ``"introselect"``; the only one.
    order
        None. Arrays have no fields.

    Returns
    -------
    Array
        The partitioned array, of the dtype of ``a``.

    Raises
    ------
    ValueError
        If a position or the axis is out of bounds, or ``kind`` or ``order`` has another value.
    TypeError
        If a position is not an integer.

    Notes
    -----
    NumPy, ``partition``. The order of the other elements is open. Devices without an algorithm for partitions sort the
    whole array, which is the partition for all positions at once.
    """
    a, axis = _check_partition("partition", a, kth, axis, kind, order)
    return _casts.sort(a, axis)


@composed
def sort_complex(a: AnyArray) -> Array:
    """Return the elements along the last axis in ascending order, by the real part and then by the imaginary part.

    Parameters
    ----------
    a
        Array of booleans or numbers, with one axis at least.

    Returns
    -------
    Array
        The sorted elements as complex numbers: complex64 for complex64 and for integers of 8 and 16 bits, otherwise the
        default complex dtype.

    Raises
    ------
    ValueError
        If ``a`` is 0-d.

    Notes
    -----
    NumPy, ``sort_complex``.
    """
    (a,) = as_arrays("sort_complex", a)
    check_axis(-1, a.ndim, "sort_complex")
    if a.dtype.kind == "c":
        return _casts.sort(a)
    small = a.dtype.kind in "iu" and a.dtype.itemsize <= 2
    return xp.astype(_casts.sort(a), np.complex64 if small else a.device.default_dtypes["complex floating"])


def _check_partition(name: str, a: AnyArray, kth: Any, axis: int | None, kind: str, order: Any) -> tuple[Array, int]:
    """Check the arguments of a partition, and return the array and the axis."""
    (a,) = as_arrays(name, a)
    if not isinstance(kind, str) or kind != "introselect":
        raise ValueError(f"select kind must be 'introselect' (got {describe(kind)}); omit kind in {name}()")
    if order is not None:
        raise ValueError(
            f"Cannot specify order when the array has no fields; omit order in {name}(), not {describe(order)}"
        )
    a, axis = (flattened(a), 0) if axis is None else (a, check_axis(axis, a.ndim, name))
    wanted = [kth] if kth.__class__ is int else _positions(name, kth)
    length = a.shape[axis]
    for position in wanted:
        if a.size and not -length <= position < length:
            raise ValueError(
                f"kth(={position}) out of bounds ({length}); {name}() takes {-length} to {length - 1} here"
            )
    return a, axis


def _positions(name: str, kth: Any) -> list[int]:
    """Return the positions of a partition, of which there are one or several."""
    try:
        positions = np.asarray(kth.to_device("cpu") if isinstance(kth, Array) else kth)
    except (
        TypeError,
        ValueError,
    ) as error:  # a list of Arrays, of items that differ in length, or that contains itself
        refused = TypeError if isinstance(error, TypeError) else ValueError
        raise refused(f"{error} {name}() takes integers for kth, not {describe(kth)}") from None
    if positions.dtype.kind not in "iu":
        raise TypeError(f"Partition index must be integer; {name}() takes integers for kth, not {describe(kth)}")
    return positions.reshape(-1).tolist()
