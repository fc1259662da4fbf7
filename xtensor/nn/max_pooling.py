"""Max pooling: the largest elements of windows, and their indices."""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal, overload

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_flag
from .._core.compositions import composed
from .._core.documentation import documented
from .._core.operations import declare
from ._computation import compute
from ._documentation import SPATIAL
from .pooling import Lengths, checked, outputs_of
from .windows import lengths_of, padded, parts_of_windows

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["at_windows", "first_largest", "max_pool1d", "max_pool2d", "max_pool3d", "maxima"]

LARGEST = [
    declare(f"nn.max_pool{axes}d", "network", accepts="real floating", shape="argument", primitive=False)
    for axes in (1, 2, 3)
]

AT_WINDOWS = declare("nn.at_windows", "network", operands=2, accepts="real floating", shape="argument", primitive=False)
"""Zeros with elements of windows at their positions; there is no public function."""

MAX_POOL = """
Parameters
----------
x
    Array of shape (n, c, {spatial}) or (c, {spatial}), and a real floating-point dtype.
kernel_size
    Lengths of a window.
stride
    Distances of the windows; None means their lengths.
padding
    Number of elements before and after each axis that do not count, at most half of the window.
dilation
    Distances of the elements in a window.
ceil_mode
    Whether a last window may begin that ends beyond the axis.
return_indices
    Whether the indices of the maxima are returned as well.

Returns
-------
Array
    Array of the dtype of ``x`` with the number of windows along each axis. With ``return_indices``, a pair of it
    and of integers: the number of each maximum in the flattened spatial axes of ``x``.

Raises
------
TypeError
    If ``x`` is not an Array of a real floating-point dtype, or a setting is not an integer.
ValueError
    If a setting is out of range, or a window is larger than ``x``.

Notes
-----
A window with NaN has the maximum NaN. Of equal elements, and of NaN, the derivative and the index are those of the
first one.
"""
"""Sections of the docstrings of :func:`max_pool1d` and its like."""


@overload
def max_pool1d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Array: ...
@overload
def max_pool1d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: Literal[True],
) -> tuple[Array, Array]: ...
@composed
@documented(MAX_POOL, **SPATIAL[1])
def max_pool1d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Array | tuple[Array, Array]:
    """Maximum of each window over one axis."""
    return _largest(1, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@overload
def max_pool2d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Array: ...
@overload
def max_pool2d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: Literal[True],
) -> tuple[Array, Array]: ...
@composed
@documented(MAX_POOL, **SPATIAL[2])
def max_pool2d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Array | tuple[Array, Array]:
    """Maximum of each window over two axes."""
    return _largest(2, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@overload
def max_pool3d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: Literal[False] = False,
) -> Array: ...
@overload
def max_pool3d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: Literal[True],
) -> tuple[Array, Array]: ...
@composed
@documented(MAX_POOL, **SPATIAL[3])
def max_pool3d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Array | tuple[Array, Array]:
    """Maximum of each window over three axes."""
    return _largest(3, x, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def _largest(
    axes: int,
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    ceil_mode: Any,
    return_indices: Any,
) -> Array | tuple[Array, Array]:
    operation = LARGEST[axes - 1]
    name = operation.label
    x, alone = checked(axes, x, name)
    kernel = lengths_of(kernel_size, axes, name, "kernel_size", 1)
    strides = kernel if stride is None else lengths_of(stride, axes, name, "stride", 1)
    dilations = lengths_of(dilation, axes, name, "dilation", 1)
    paddings = lengths_of(padding, axes, name, "padding", 0)
    ceil = check_flag(ceil_mode, name, "ceil_mode")
    outputs, widths = outputs_of(x, kernel, strides, paddings, dilations, ceil, name)
    settings: dict[str, Any] = {"kernel": kernel, "strides": strides, "dilations": dilations}
    settings |= {"widths": widths, "outputs": outputs}
    with_indices = check_flag(return_indices, name, "return_indices")
    result = compute(operation, maxima, x, **settings)
    index = _indices(x, result, **settings) if with_indices else None
    result = xp.squeeze(result, axis=0) if alone else result
    return result if index is None else (result, xp.squeeze(index, axis=0) if alone else index)


def maxima(
    x: Array,
    *,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    widths: tuple[tuple[int, int], ...],
    dilations: tuple[int, ...],
    outputs: tuple[int, ...],
) -> Array:
    """Return the largest element of each window."""
    x = padded(x, widths, -math.inf)
    parts = [x[key] for key in parts_of_windows(kernel, strides, dilations, outputs)]
    return reduce(xp.maximum, parts) if len(parts) > 1 else xp.asarray(parts[0], copy=True)


def at_windows(x: Array, parts: list[Array], keys: list[Any]) -> Array:
    """Return zeros of the shape of ``x`` with parts at some keys, which do not overlap."""
    return compute(AT_WINDOWS, _assigned, x, *parts, keys=tuple(keys))


def _assigned(x: Array, *parts: Array, keys: tuple[Any, ...]) -> Array:
    result = xp.zeros_like(x)
    for key, part in zip(keys, parts, strict=True):
        result[key] = part
    return result


def _indices(
    x: Array,
    largest: Array,
    *,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    widths: tuple[tuple[int, int], ...],
    dilations: tuple[int, ...],
    outputs: tuple[int, ...],
) -> Array:
    """Return the number of the first largest element of each window, or of its first NaN, in the spatial axes."""
    spatial = x.shape[2:]
    numbers = xp.arange(math.prod(spatial), dtype=x.device.default_dtypes["indexing"], device=x.device)
    numbers = padded(xp.reshape(numbers, (1, 1, *spatial)), widths, -1)
    x = padded(x, widths, -math.inf)
    result = xp.zeros(largest.shape, dtype=numbers.dtype, device=x.device)
    for key in reversed(parts_of_windows(kernel, strides, dilations, outputs)):
        part, number = x[key], numbers[key]
        result = xp.where(((part == largest) | (part != part)) & (number >= 0), number, result)
    return result


def first_largest(x: Array, axis: int, numbers: Array | None) -> tuple[Array, Array | None]:
    """Return the largest elements along an axis, and the elements of ``numbers`` at their places.

    The derivative is that of the first of equal ones.
    """
    if 0 in x.shape:
        shape = (*x.shape[:axis], *x.shape[axis + 1 :])
        return xp.zeros(shape, dtype=x.dtype, device=x.device), None if numbers is None else xp.zeros(
            shape, dtype=numbers.dtype, device=x.device
        )
    index = xp.argmax(x, axis=axis, keepdims=True)
    taken = [
        None if y is None else xp.squeeze(xp.take_along_axis(y, index, axis=axis), axis=axis) for y in (x, numbers)
    ]
    return taken[0], taken[1]  # type: ignore[return-value]
