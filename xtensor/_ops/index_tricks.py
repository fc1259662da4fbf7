"""Indices of arrays: grids, and conversions between flat indices and coordinates, with NumPy's names and signatures."""

from __future__ import annotations

import math
from typing import Any

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import LARGEST, check_dtype, check_flag, check_shape, is_word
from .._core.compositions import composed
from .._core.device import Device
from .._core.errors import describe
from .._core.levels import first_wrong
from .._core.operands import SEQUENCES
from ._arguments import as_arrays, flattened
from ._conversions import check_mode, creation_device, integers, items, within

__all__ = ["argwhere", "flatnonzero", "indices", "ix_", "ravel_multi_index", "unravel_index"]


@composed
def argwhere(a: Any) -> Array:
    """Return the indices of the nonzero elements, one row for each element.

    Parameters
    ----------
    a
        Array of any shape and dtype.

    Returns
    -------
    Array
        Integers of shape ``(N, a.ndim)`` in row-major order. Blocks until the device has finished.

    Raises
    ------
    TypeError
        If ``a`` is not an Array.

    Notes
    -----
    NumPy, ``argwhere``.
    """
    (a,) = as_arrays("argwhere", a)
    if not a.ndim:
        return argwhere(xp.reshape(a, (1,)))[:, :0]
    return xp.stack(xp.nonzero(a), axis=1)


@composed
def flatnonzero(a: Any) -> Array:
    """Return the indices of the nonzero elements of the flattened array.

    Parameters
    ----------
    a
        Array of any shape and dtype.

    Returns
    -------
    Array
        Integers of shape ``(N,)``. Blocks until the device has finished.

    Raises
    ------
    TypeError
        If ``a`` is not an Array.

    Notes
    -----
    NumPy, ``flatnonzero``.
    """
    (a,) = as_arrays("flatnonzero", a)
    return xp.nonzero(flattened(a))[0]


@composed
def indices(
    dimensions: Any, dtype: Any = int, sparse: bool = False, *, device: str | Device | None = None
) -> Array | tuple[Array, ...]:
    """Return the indices of each element of a grid.

    Parameters
    ----------
    dimensions
        The shape of the grid.
    dtype
        Dtype of the result; ``int`` stands for the default integer dtype.
    sparse
        Whether to return one Array for each axis, of length 1 along the other axes.
    device
        Device of the result. Default: the default device.

    Returns
    -------
    Array or tuple of Array
        Array of shape ``(len(dimensions), *dimensions)``, or a tuple of Arrays that broadcast to the grid.

    Raises
    ------
    ValueError
        If a length is negative.
    TypeError
        If ``dimensions`` is not a sequence of integers.

    Notes
    -----
    NumPy, ``indices``.
    """
    target = creation_device("indices", device)
    if not isinstance(dimensions, (tuple, list)):
        raise TypeError(f"indices(): dimensions is a tuple of integers, not {describe(dimensions)}")
    shape = check_shape(tuple(dimensions), "indices")
    wanted = target.default_dtypes["integral"] if dtype is int else check_dtype(dtype, target, "indices")
    ndim = len(shape)
    axes = tuple(
        xp.reshape(
            xp.astype(xp.arange(length, device=target), wanted, copy=False), (*(1,) * i, length, *(1,) * (ndim - i - 1))
        )
        for i, length in enumerate(shape)
    )
    if check_flag(sparse, "indices", "sparse"):
        return axes
    if not axes:
        return xp.empty((0,), dtype=wanted, device=target)
    result = xp.empty((ndim, *shape), dtype=wanted, device=target)
    for i, x in enumerate(axes):
        result[i, ...] = x
    return result


@composed
def ix_(*args: Any) -> tuple[Array, ...]:
    """Return index arrays that select the product of several sets of indices, one for each axis.

    Parameters
    ----------
    *args
        Array-likes of one dimension, with at least one Array: indices, or booleans in which True stands for an index.

    Returns
    -------
    tuple of Array
        The i-th Array has the indices of the i-th argument along axis ``i``, and length 1 along the other axes. Blocks
        until the device has finished where an argument holds booleans.

    Raises
    ------
    ValueError
        If an argument does not have one dimension.
    TypeError
        If no argument is an Array.

    Notes
    -----
    NumPy, ``ix_``.
    """
    results = []
    for i, (given, x) in enumerate(zip(args, as_arrays("ix_", *args), strict=True)):
        if x.ndim != 1:
            raise ValueError(f"Cross index must be 1 dimensional; ix_() received shape {x.shape}")
        if not x.size and isinstance(given, SEQUENCES):
            x = xp.astype(x, x.device.default_dtypes["indexing"], copy=False)
        elif x.dtype.kind == "b":
            x = xp.nonzero(x)[0]
        results.append(xp.reshape(x, (*(1,) * i, x.shape[0], *(1,) * (len(args) - i - 1))))
    return tuple(results)


@composed
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Array:
    r"""Return the flat indices of coordinates, :math:`\sum_i c_i \prod_{j > i} d_j` for row-major order.

    Parameters
    ----------
    multi_index
        The coordinates: a sequence of array-likes with at least one Array, one for each axis, whose shapes broadcast;
        or an Array with the axes of the coordinates first.
    dims
        The shape of the array that the coordinates belong to.
    mode
        ``"raise"``: a coordinate that is negative or too large is an error, on devices of the host. ``"wrap"``: it is
        taken modulo the length. ``"clip"``: the nearest one is taken. One word, or a sequence of one for each axis.
    order
        ``"C"`` for row-major order, ``"F"`` for column-major order.

    Returns
    -------
    Array
        Integers of the broadcast shape.

    Raises
    ------
    ValueError
        If the number of coordinates differs from that of the axes, or a coordinate is out of bounds.
    TypeError
        If a coordinate is not an integer.

    Notes
    -----
    NumPy, ``ravel_multi_index``.
    """
    name = "ravel_multi_index"
    if multi_index.__class__ is Array:
        parts = items(name, multi_index)
    else:
        parts = (
            as_arrays(name, *multi_index) if isinstance(multi_index, (list, tuple)) else as_arrays(name, multi_index)
        )
    lengths = integers(name, "each length of dims", dims)
    if len(parts) != len(lengths):
        raise ValueError(
            f"parameter multi_index must be a sequence of length {len(lengths)}; {name}() received {len(parts)} "
            f"coordinates for dims {lengths}"
        )
    if math.prod(lengths) > LARGEST:
        raise ValueError(
            f"invalid dims: array size defined by dims is larger than the maximum possible size.; {name}() received "
            f"{lengths}"
        )
    modes = mode if isinstance(mode, (list, tuple)) else (mode,) * len(lengths)
    if len(modes) != len(lengths):
        raise ValueError(
            f"list of clipmodes has wrong length ({len(modes)} instead of {len(lengths)}); pass {name}() one mode "
            f"for each axis, not {describe(mode)}"
        )
    coordinates = xp.broadcast_arrays(*parts)
    device = coordinates[0].device
    if 0 in lengths and coordinates[0].size:
        raise ValueError(f"cannot unravel if shape has zero entries (is empty).; {name}() received dims {lengths}")
    strides = _strides(lengths, order, name)
    flat: Array | None = None
    for x, length, stride, treatment in zip(coordinates, lengths, strides, modes, strict=True):
        index = _checked(x, name)
        check_mode(treatment, name)
        wrong = first_wrong(index, (index < 0) | (index >= length)) if treatment == "raise" else None
        if wrong is not None:
            raise ValueError(
                f"invalid entry in coordinates array; {name}() takes indices from 0 to {length - 1} for dims "
                f"{lengths}, not {wrong}"
            )
        index = within(index, length, treatment)
        step = index * stride if stride != 1 else index
        flat = step if flat is None else flat + step
    if flat is None:
        return xp.zeros(coordinates[0].shape, dtype=device.default_dtypes["indexing"], device=device)
    return xp.asarray(flat, copy=True) if flat is coordinates[0] else flat


@composed
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Array, ...]:
    """Return the coordinates of flat indices.

    Parameters
    ----------
    indices
        Array of integers, or a sequence with an Array in it.
    shape
        The shape of the array that the indices belong to.
    order
        ``"C"`` for row-major order, ``"F"`` for column-major order.

    Returns
    -------
    tuple of Array
        The coordinates along each axis, of the shape of ``indices``.

    Raises
    ------
    ValueError
        If an index is negative or too large, on devices of the host.
    TypeError
        If an index is not an integer.

    Notes
    -----
    NumPy, ``unravel_index``.
    """
    name = "unravel_index"
    flat = _checked(as_arrays(name, indices)[0], name)
    lengths = check_shape(integers(name, "each length of shape", shape), name)
    size = math.prod(lengths)
    wrong = first_wrong(flat, (flat < 0) | (flat >= size))
    if wrong is not None:
        raise ValueError(
            f"index {wrong} is out of bounds for array with size {size}; {name}() takes indices from 0 to {size - 1} "
            f"for shape {lengths}"
        )
    strides = _strides(lengths, order, name)
    parts = []
    for stride, length in zip(strides, lengths, strict=True):
        part = flat // stride if stride > 1 else flat
        if stride * length < size:
            part = part % length  # of the slowest axis, the quotient is the index
        parts.append(xp.asarray(part, copy=True) if part is flat else part)
    return tuple(parts)


def _strides(lengths: tuple[int, ...], order: str, name: str) -> list[int]:
    """Return the distance of flat indices between neighbours along each axis."""
    if not is_word(order, ("C", "F")):
        raise ValueError(f"only 'C' or 'F' order is permitted; {name}() received {describe(order)}")
    if order == "F":
        return [math.prod(lengths[:i]) for i in range(len(lengths))]
    return [math.prod(lengths[i + 1 :]) for i in range(len(lengths))]


def _checked(x: Array, name: str) -> Array:
    """Return indices in the index dtype; raise TypeError unless they are integers."""
    if x.dtype.kind not in "biu":
        raise TypeError(f"only int indices permitted; {name}() received dtype {x.dtype}; cast with xtensor.astype")
    return xp.astype(x, x.device.default_dtypes["indexing"], copy=False)
