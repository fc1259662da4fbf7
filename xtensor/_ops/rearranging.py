"""Arrays turned, mirrored, flattened and repeated, with NumPy's names and signatures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_axis, check_integer, check_order, check_shape
from .._core.compositions import composed
from .._core.methods import is_column_major
from .._core.views import contiguous, layout_of
from ._arguments import as_arrays
from ._casts import promoted
from ._conversions import cycled, integers

__all__ = ["fliplr", "flipud", "kron", "ravel", "resize", "rollaxis", "rot90", "swapaxes"]


@composed
def fliplr(m: Any) -> Array:
    """Return an array with the order of its columns, the elements along the second axis, reversed.

    Parameters
    ----------
    m
        Array of two or more dimensions.

    Returns
    -------
    Array
        The reversed array, of the shape and dtype of ``m``.

    Raises
    ------
    ValueError
        If ``m`` has fewer than two dimensions.

    Notes
    -----
    NumPy, ``fliplr``.
    """
    (m,) = as_arrays("fliplr", m)
    if m.ndim < 2:
        raise ValueError(f"Input must be >= 2-d.; fliplr() received shape {m.shape}; use xtensor.flip for a vector")
    return xp.flip(m, axis=1)


@composed
def flipud(m: Any) -> Array:
    """Return an array with the order of its rows, the items along the first axis, reversed.

    Parameters
    ----------
    m
        Array of one or more dimensions.

    Returns
    -------
    Array
        The reversed array, of the shape and dtype of ``m``.

    Raises
    ------
    ValueError
        If ``m`` is 0-d.

    Notes
    -----
    NumPy, ``flipud``.
    """
    (m,) = as_arrays("flipud", m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.; flipud() received a 0-d array; reshape it to (1,)")
    return xp.flip(m, axis=0)


@composed
def kron(a: Any, b: Any) -> Array:
    r"""Return the Kronecker product, :math:`c_{i n + k,\, j m + l} = a_{ij} b_{kl}` for matrices.

    Parameters
    ----------
    a, b
        Arrays, or one Array and an array-like. The one with fewer dimensions gets leading axes of length 1.

    Returns
    -------
    Array
        Array of the promoted dtype; the length of each axis is the product of the lengths in ``a`` and ``b``.

    Raises
    ------
    TypeError
        If neither is an Array.

    Notes
    -----
    NumPy, ``kron``.
    """
    a, b = promoted(*as_arrays("kron", a, b))
    ndim = max(a.ndim, b.ndim)
    left, right = ((*(1,) * (ndim - x.ndim), *x.shape) for x in (a, b))
    a = xp.reshape(a, tuple(length for pair in zip(left, (1,) * ndim, strict=True) for length in pair))
    b = xp.reshape(b, tuple(length for pair in zip((1,) * ndim, right, strict=True) for length in pair))
    product = xp.logical_and(a, b) if a.dtype.kind == "b" else xp.multiply(a, b)
    return xp.reshape(product, tuple(m * n for m, n in zip(left, right, strict=True)))


@composed
def ravel(a: Any, order: str = "C") -> Array:
    """Return an array flattened to one dimension.

    Parameters
    ----------
    a
        Array of any shape and dtype.
    order
        ``"C"`` for row-major order, ``"F"`` for column-major order, ``"K"`` for the order in memory, and ``"A"`` for
        column-major order if the elements are contiguous in it, else row-major order. On devices whose arrays
        have no strides (those of ``strict``, ``torch``, ``jax``, ``mlx``, ``dask``, ``cubed``), ``"A"`` and ``"K"``
        are row-major.

    Returns
    -------
    Array
        The elements, without a copy where they are contiguous in that order.

    Raises
    ------
    ValueError
        If ``order`` is unknown.

    Notes
    -----
    NumPy, ``ravel``.
    """
    (a,) = as_arrays("ravel", a)
    order = check_order(order, "ravel")
    axes = order_of_axes(a, order)
    return contiguous(xp.reshape(a if axes is None else xp.permute_dims(a, axes), (-1,)))  # type: ignore[no-any-return]


def order_of_axes(a: Array, order: str) -> tuple[int, ...] | None:
    """Return the axes from the slowest to the fastest in which an order reads an array; None for row-major order."""
    axes = tuple(range(a.ndim))
    layout = layout_of(a) if order == "K" else None
    if layout is not None:
        in_memory = _axes_in_memory(layout.strides)
        return None if in_memory == axes else in_memory
    return axes[::-1] if is_column_major(a, order) else None


@composed
def resize(a: Any, new_shape: Any) -> Array:
    """Return an array of a new shape, with the elements repeated in row-major order where there are too few.

    Parameters
    ----------
    a
        Array of any shape and dtype.
    new_shape
        The shape: an integer or a sequence of integers.

    Returns
    -------
    Array
        A new array of the dtype of ``a``; zeros if ``a`` is empty.

    Raises
    ------
    ValueError
        If a length is negative.
    TypeError
        If a length is not an integer.

    Notes
    -----
    NumPy, ``resize``. The method of NumPy's arrays, which fills with zeros in place, is another function.
    """
    (a,) = as_arrays("resize", a)
    shape = integers("resize", "each length of new_shape", new_shape)
    if any(length < 0 for length in shape):
        raise ValueError(f"all elements of `new_shape` must be non-negative; resize() received {shape}")
    check_shape(shape, "resize", a.dtype.itemsize)
    if not a.size:
        return xp.zeros(shape, dtype=a.dtype, device=a.device)
    elements = cycled(a, math.prod(shape))
    return xp.reshape(xp.astype(elements, elements.dtype), shape)


@composed
def rollaxis(a: Any, axis: int, start: int = 0) -> Array:
    """Return a view with an axis moved before another; :func:`moveaxis` is easier to read.

    Parameters
    ----------
    a
        Array of any dtype.
    axis
        The axis to move; the others keep their order.
    start
        The axis before which it moves, in ``[-ndim, ndim]``.

    Returns
    -------
    Array
        The array with permuted axes.

    Raises
    ------
    ValueError
        If an axis is out of bounds.
    TypeError
        If an axis is not an integer.

    Notes
    -----
    NumPy, ``rollaxis``.
    """
    (a,) = as_arrays("rollaxis", a)
    position = check_axis(axis, a.ndim, "rollaxis")
    before = check_integer(start, "rollaxis", "start")
    if not -a.ndim <= before <= a.ndim:
        raise np.exceptions.AxisError(
            f"'start' arg requires {-a.ndim} <= start < {a.ndim + 1}, but {before} was passed in; rollaxis() received "
            f"shape {a.shape}"
        )
    before += a.ndim if before < 0 else 0
    order = [i for i in range(a.ndim) if i != position]
    order.insert(before - 1 if position < before else before, position)
    return xp.permute_dims(a, tuple(order))


@composed
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Array:
    """Return an array rotated by 90 degrees ``k`` times, from the first towards the second of two axes.

    Parameters
    ----------
    m
        Array of two or more dimensions.
    k
        The number of rotations; negative for the other direction.
    axes
        The two axes of the plane of rotation.

    Returns
    -------
    Array
        The rotated array, of the dtype of ``m``.

    Raises
    ------
    ValueError
        If ``axes`` are not two different axes, or are out of bounds.
    TypeError
        If ``k`` or an axis is not an integer.

    Notes
    -----
    NumPy, ``rot90``.
    """
    x = as_arrays("rot90", m)[0]
    chosen = integers("rot90", "each of axes", axes)
    if len(chosen) != 2:
        raise ValueError(f"len(axes) must be 2.; rot90() received {chosen}")
    if chosen[0] == chosen[1] or abs(chosen[0] - chosen[1]) == x.ndim:
        raise ValueError(f"Axes must be different.; rot90() received {chosen} for shape {x.shape}")
    if not all(-x.ndim <= axis < x.ndim for axis in chosen):
        raise ValueError(f"Axes={chosen} out of range for array of ndim={x.ndim}.; rot90() received shape {x.shape}")
    turns = check_integer(k, "rot90", "k") % 4
    first, second = (axis % x.ndim for axis in chosen)
    if turns == 0:
        return x[...]
    if turns == 2:
        return xp.flip(x, axis=(first, second))
    order = list(range(x.ndim))
    order[first], order[second] = second, first
    if turns == 1:
        return xp.permute_dims(xp.flip(x, axis=second), tuple(order))
    return xp.flip(xp.permute_dims(x, tuple(order)), axis=second)


@composed
def swapaxes(a: Any, axis1: int, axis2: int) -> Array:
    """Return a view of an array with two axes exchanged.

    Parameters
    ----------
    a
        Array of any dtype.
    axis1, axis2
        The axes.

    Returns
    -------
    Array
        The array with permuted axes.

    Raises
    ------
    ValueError
        If an axis is out of bounds.
    TypeError
        If an axis is not an integer.

    Notes
    -----
    NumPy, ``swapaxes``.
    """
    (a,) = as_arrays("swapaxes", a)
    order = list(range(a.ndim))
    first, second = check_axis(axis1, a.ndim, "swapaxes", "axis1: "), check_axis(axis2, a.ndim, "swapaxes", "axis2: ")
    order[first], order[second] = second, first
    return xp.permute_dims(a, tuple(order))


def _axes_in_memory(strides: tuple[int, ...]) -> tuple[int, ...]:
    """Return axes by decreasing strides. Broadcast axes, of stride 0, are not compared and keep their position."""
    order: list[int] = []  # the fastest axis first
    for axis in reversed(range(len(strides))):
        position = len(order)
        for i in reversed(range(len(order))):
            stride, other = abs(strides[axis]), abs(strides[order[i]])
            if stride and other:
                if stride >= other:
                    break
                position = i
        order.insert(position, axis)
    return tuple(reversed(order))
