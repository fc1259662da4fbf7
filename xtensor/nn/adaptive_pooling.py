"""Adaptive pooling: maxima and means of a number of parts of each axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_flag
from .._core.compositions import composed
from .._core.documentation import documented
from ._computation import in_single
from ._documentation import SPATIAL
from .max_pooling import first_largest
from .pooling import checked, mean_in_range
from .windows import along_axis, constant, lengths_of

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

Numbers = np.ndarray[Any, Any]

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
]

AVG_POOL = r"""
Parameters
----------
x
    Array of shape (n, c, {spatial}) or (c, {spatial}), and a real floating-point dtype.
output_size
    Number m of parts of each axis; None means the length of the axis. Part i of an axis of length l goes from
    :math:`\lfloor i l / m \rfloor` to before :math:`\lceil (i + 1) l / m \rceil`.

Returns
-------
Array
    Array of the dtype of ``x`` with the number of parts along each axis.

Raises
------
TypeError
    If ``x`` is not an Array of a real floating-point dtype, or a number is not an integer.
ValueError
    If the number of axes is another one, or a number is less than 1.
"""
"""Sections of the docstrings of :func:`adaptive_avg_pool1d` and its like."""

MAX_POOL = r"""
Parameters
----------
x
    Array of shape (n, c, {spatial}) or (c, {spatial}), and a real floating-point dtype.
output_size
    Number m of parts of each axis; None means the length of the axis. Part i of an axis of length l goes from
    :math:`\lfloor i l / m \rfloor` to before :math:`\lceil (i + 1) l / m \rceil`.
return_indices
    Whether the indices of the maxima are returned as well.

Returns
-------
Array
    Array of the dtype of ``x`` with the number of parts along each axis. With ``return_indices``, a pair of it and
    of integers: the number of each maximum in the flattened spatial axes of ``x``.

Raises
------
TypeError
    If ``x`` is not an Array of a real floating-point dtype, or a number is not an integer.
ValueError
    If the number of axes is another one, or a number is less than 1.

Notes
-----
Of equal elements, and of NaN, the derivative and the index are those of the first one.
"""
"""Sections of the docstrings of :func:`adaptive_max_pool1d` and its like."""


@composed
@in_single
@documented(AVG_POOL, **SPATIAL[1])
def adaptive_avg_pool1d(x: AnyArray, /, output_size: int | Sequence[int | None] | None) -> Array:
    """Mean of each of a number of parts of one axis."""
    return _adaptive_means(1, x, output_size)


@overload
def adaptive_max_pool1d(
    x: AnyArray, /, output_size: int | Sequence[int | None] | None, *, return_indices: Literal[False] = False
) -> Array: ...
@overload
def adaptive_max_pool1d(
    x: AnyArray, /, output_size: int | Sequence[int | None] | None, *, return_indices: Literal[True]
) -> tuple[Array, Array]: ...
@composed
@documented(MAX_POOL, **SPATIAL[1])
def adaptive_max_pool1d(
    x: AnyArray, /, output_size: int | Sequence[int | None] | None, *, return_indices: bool = False
) -> Array | tuple[Array, Array]:
    """Maximum of each of a number of parts of one axis."""
    return _adaptive_maxima(1, x, output_size, return_indices)


@composed
@in_single
@documented(AVG_POOL, **SPATIAL[2])
def adaptive_avg_pool2d(x: AnyArray, /, output_size: int | Sequence[int | None] | None) -> Array:
    """Mean of each of a number of parts of two axes."""
    return _adaptive_means(2, x, output_size)


@overload
def adaptive_max_pool2d(
    x: AnyArray, /, output_size: int | Sequence[int | None] | None, *, return_indices: Literal[False] = False
) -> Array: ...
@overload
def adaptive_max_pool2d(
    x: AnyArray, /, output_size: int | Sequence[int | None] | None, *, return_indices: Literal[True]
) -> tuple[Array, Array]: ...
@composed
@documented(MAX_POOL, **SPATIAL[2])
def adaptive_max_pool2d(
    x: AnyArray, /, output_size: int | Sequence[int | None] | None, *, return_indices: bool = False
) -> Array | tuple[Array, Array]:
    """Maximum of each of a number of parts of two axes."""
    return _adaptive_maxima(2, x, output_size, return_indices)


@composed
@in_single
@documented(AVG_POOL, **SPATIAL[3])
def adaptive_avg_pool3d(x: AnyArray, /, output_size: int | Sequence[int | None] | None) -> Array:
    """Mean of each of a number of parts of three axes."""
    return _adaptive_means(3, x, output_size)


@overload
def adaptive_max_pool3d(
    x: AnyArray, /, output_size: int | Sequence[int | None] | None, *, return_indices: Literal[False] = False
) -> Array: ...
@overload
def adaptive_max_pool3d(
    x: AnyArray, /, output_size: int | Sequence[int | None] | None, *, return_indices: Literal[True]
) -> tuple[Array, Array]: ...
@composed
@documented(MAX_POOL, **SPATIAL[3])
def adaptive_max_pool3d(
    x: AnyArray, /, output_size: int | Sequence[int | None] | None, *, return_indices: bool = False
) -> Array | tuple[Array, Array]:
    """Maximum of each of a number of parts of three axes."""
    return _adaptive_maxima(3, x, output_size, return_indices)


def _adaptive_means(axes: int, x: Any, output_size: Any) -> Array:
    name = f"adaptive_avg_pool{axes}d"
    x, alone = checked(axes, x, name)
    for axis, count in _counts(axes, output_size, name):
        x = _means(x, axis, count)
    result: Array = xp.squeeze(x, axis=0) if alone else x
    return result


def _adaptive_maxima(axes: int, x: Any, output_size: Any, return_indices: Any) -> Array | tuple[Array, Array]:
    name = f"adaptive_max_pool{axes}d"
    x, alone = checked(axes, x, name)
    index = None
    if check_flag(return_indices, name, "return_indices"):
        numbers = xp.arange(math.prod(x.shape[2:]), dtype=x.device.default_dtypes["indexing"], device=x.device)
        index = xp.broadcast_to(xp.reshape(numbers, (1, 1, *x.shape[2:])), x.shape)
    # From the last axis on: of equal elements, the first one is that of the first row.
    for axis, count in reversed(_counts(axes, output_size, name)):
        x, index = _maxima(x, index, axis, count)
    x = xp.squeeze(x, axis=0) if alone else x
    return x if index is None else (x, xp.squeeze(index, axis=0) if alone else index)


def _counts(axes: int, output_size: Any, name: str) -> list[tuple[int, int]]:
    """Return the axes that are divided, and the numbers of their parts."""
    sizes = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * axes
    if len(sizes) != axes:
        raise ValueError(f"{name}(): output_size is an integer or {axes} integers, not {output_size!r}")
    return [
        (axis, lengths_of((size,), 1, name, "output_size", 1)[0])
        for axis, size in enumerate(sizes, 2)
        if size is not None
    ]


def _ends(length: int, count: int) -> tuple[Numbers, Numbers]:
    """Return where each part of an axis begins and ends."""
    numbers = np.arange(count)
    return numbers * length // count, -(-(numbers + 1) * length // count)


def _means(x: Array, axis: int, count: int) -> Array:
    length = x.shape[axis]
    if length % count == 0 and length:
        parts = xp.reshape(x, (*x.shape[:axis], count, length // count, *x.shape[axis + 1 :]))
        return xp.mean(parts, axis=axis + 1)
    starts, ends = _ends(length, count)
    position = np.arange(length)
    inside = (position >= starts[:, None]) & (position < ends[:, None])
    counts = (ends - starts).reshape(-1, *[1] * (x.ndim - axis - 1))

    def means(x: Array) -> Array:
        return along_axis(x, inside.astype(np.float64), axis) / constant(counts, x)

    return mean_in_range(means, x, int(np.max(ends - starts)))


def _maxima(x: Array, index: Array | None, axis: int, count: int) -> tuple[Array, Array | None]:
    """Return the largest element of each part of an axis, and the same elements of ``index``."""
    starts, ends = _ends(x.shape[axis], count)
    longest = int(np.max(ends - starts))
    # The last element of a shorter part is repeated, which changes no maximum.
    places = np.minimum(starts[:, None] + np.arange(longest), ends[:, None] - 1).ravel()

    def parts(x: Array) -> Array:
        if x.shape[axis] != count * longest:
            x = xp.take(x, xp.asarray(places, device=x.device), axis=axis)
        return xp.reshape(x, (*x.shape[:axis], count, longest, *x.shape[axis + 1 :]))

    return first_largest(parts(x), axis + 1, None if index is None else parts(index))
