"""Adaptive pooling: maxima and means of a number of parts of each axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.compositions import composed
from ._computation import in_single
from .max_pooling import first_largest
from .pooling import checked
from .windows import along_axis, constant, lengths_of

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
]


@composed
@in_single
def adaptive_avg_pool1d(x: AnyArray, /, output_size: int | Sequence[int | None] | None) -> Array:
    r"""Mean of each of a number of parts of one axis.

    Parameters
    ----------
    x
        Array of shape (n, c, l) or (c, l), and a real floating-point dtype.
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
    return _adaptive(1, x, output_size, "avg")


@composed
def adaptive_max_pool1d(x: AnyArray, /, output_size: int | Sequence[int | None] | None) -> Array:
    r"""Maximum of each of a number of parts of one axis.

    Parameters
    ----------
    x
        Array of shape (n, c, l) or (c, l), and a real floating-point dtype.
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
    return _adaptive(1, x, output_size, "max")


@composed
@in_single
def adaptive_avg_pool2d(x: AnyArray, /, output_size: int | Sequence[int | None] | None) -> Array:
    r"""Mean of each of a number of parts of two axes.

    Parameters
    ----------
    x
        Array of shape (n, c, h, w) or (c, h, w), and a real floating-point dtype.
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
    return _adaptive(2, x, output_size, "avg")


@composed
def adaptive_max_pool2d(x: AnyArray, /, output_size: int | Sequence[int | None] | None) -> Array:
    r"""Maximum of each of a number of parts of two axes.

    Parameters
    ----------
    x
        Array of shape (n, c, h, w) or (c, h, w), and a real floating-point dtype.
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
    return _adaptive(2, x, output_size, "max")


@composed
@in_single
def adaptive_avg_pool3d(x: AnyArray, /, output_size: int | Sequence[int | None] | None) -> Array:
    r"""Mean of each of a number of parts of three axes.

    Parameters
    ----------
    x
        Array of shape (n, c, d, h, w) or (c, d, h, w), and a real floating-point dtype.
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
    return _adaptive(3, x, output_size, "avg")


@composed
def adaptive_max_pool3d(x: AnyArray, /, output_size: int | Sequence[int | None] | None) -> Array:
    r"""Maximum of each of a number of parts of three axes.

    Parameters
    ----------
    x
        Array of shape (n, c, d, h, w) or (c, d, h, w), and a real floating-point dtype.
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
    return _adaptive(3, x, output_size, "max")


def _adaptive(axes: int, x: Any, output_size: Any, kind: str) -> Array:
    name = f"adaptive_{kind}_pool{axes}d"
    x, alone = checked(axes, x, name)
    sizes = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,) * axes
    if len(sizes) != axes:
        raise ValueError(f"{name}(): output_size is an integer or {axes} integers, not {output_size!r}")
    for axis, size in enumerate(sizes, 2):
        if size is None:
            continue
        (count,) = lengths_of((size,), 1, name, "output_size", 1)
        x = _by_parts(x, axis, count, kind)
    result: Array = xp.squeeze(x, axis=0) if alone else x
    return result


def _by_parts(x: Array, axis: int, count: int, kind: str) -> Array:
    length = x.shape[axis]
    if length % count == 0 and length:
        parts = xp.reshape(x, (*x.shape[:axis], count, length // count, *x.shape[axis + 1 :]))
        return xp.mean(parts, axis=axis + 1) if kind == "avg" else first_largest(parts, axis + 1)
    starts = np.arange(count) * length // count
    ends = -(-(np.arange(count) + 1) * length // count)
    if kind == "avg":
        position = np.arange(length)
        inside = (position >= starts[:, None]) & (position < ends[:, None])
        sums = along_axis(x, inside.astype(np.float64), axis)
        counts = (ends - starts).reshape(-1, *[1] * (x.ndim - axis - 1))
        return sums / constant(counts, x)
    longest = int(np.max(ends - starts))
    # The last element of a shorter part is repeated, which changes no maximum.
    index = np.minimum(starts[:, None] + np.arange(longest), ends[:, None] - 1)
    taken = xp.take(x, xp.asarray(index.ravel(), device=x.device), axis=axis)
    parts = xp.reshape(taken, (*x.shape[:axis], count, longest, *x.shape[axis + 1 :]))
    return first_largest(parts, axis + 1)
