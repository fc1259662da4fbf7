"""Unpooling: maxima written to the positions that they were taken from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.compositions import composed
from .._core.documentation import documented
from .._core.errors import describe
from .._core.operands import coerce_operands
from ._documentation import SPATIAL
from .pooling import Lengths, checked
from .windows import lengths_of

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]

MAX_UNPOOL = """
Parameters
----------
x
    The maxima: an Array of shape (n, c, {spatial}) or (c, {spatial}) and a real floating-point dtype.
indices
    Array of integers of that shape: the number of each maximum in the flattened spatial axes of the result, as
    ``return_indices`` gives it.
kernel_size, stride, padding
    The settings of the pooling.
output_size
    Lengths of the result's spatial axes, or its shape. Default: the smallest ones that have these windows, which
    differ from those before the pooling where elements were left out at the ends.

Returns
-------
Array
    Array of the dtype of ``x``.

Raises
------
TypeError
    If ``x`` is not an Array of a real floating-point dtype, ``indices`` not one of integers, or a setting is not an
    integer.
ValueError
    If the shapes differ, a setting is out of range, or ``output_size`` is a stride or more from the default.
IndexError
    If an index is out of bounds, on devices of the host.

Notes
-----
Of different maxima with one index, any is written.
"""
"""Sections of the docstrings of :func:`max_unpool1d` and its like."""


@composed
@documented(MAX_UNPOOL, **SPATIAL[1])
def max_unpool1d(
    x: AnyArray,
    indices: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Sequence[int] | None = None,
) -> Array:
    """Array of zeros with the maxima of windows over one axis at their positions; see :func:`max_pool1d`."""
    return _unpooled(1, x, indices, kernel_size, stride, padding, output_size)


@composed
@documented(MAX_UNPOOL, **SPATIAL[2])
def max_unpool2d(
    x: AnyArray,
    indices: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Sequence[int] | None = None,
) -> Array:
    """Array of zeros with the maxima of windows over two axes at their positions; see :func:`max_pool2d`."""
    return _unpooled(2, x, indices, kernel_size, stride, padding, output_size)


@composed
@documented(MAX_UNPOOL, **SPATIAL[3])
def max_unpool3d(
    x: AnyArray,
    indices: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Sequence[int] | None = None,
) -> Array:
    """Array of zeros with the maxima of windows over three axes at their positions; see :func:`max_pool3d`."""
    return _unpooled(3, x, indices, kernel_size, stride, padding, output_size)


def _unpooled(axes: int, x: Any, indices: Any, kernel_size: Any, stride: Any, padding: Any, output_size: Any) -> Array:
    name = f"max_unpool{axes}d"
    x, indices = coerce_operands(name, x, indices)
    x, alone = checked(axes, x, name)
    if not isinstance(indices, Array) or indices.dtype.kind not in "iu":
        raise TypeError(
            f"{name}(): indices is an Array of integers, as return_indices=True gives it, not {describe(indices)}"
        )
    expected = x.shape[alone:]
    if indices.shape != expected:
        raise ValueError(f"{name}(): indices has shape {indices.shape}, expected {expected}, the shape of x")
    kernel = lengths_of(kernel_size, axes, name, "kernel_size", 1)
    strides = kernel if stride is None else lengths_of(stride, axes, name, "stride", 1)
    paddings = lengths_of(padding, axes, name, "padding", 0)
    settings = zip(x.shape[2:], kernel, strides, paddings, strict=True)
    sizes = tuple([max((length - 1) * step - 2 * before + size, 0) for length, size, step, before in settings])
    if output_size is not None:
        sizes = _checked_sizes(axes, output_size, sizes, strides, name)
    shape = (*x.shape[:2], math.prod(sizes))
    result = xp.zeros(shape, dtype=x.dtype, device=x.device)
    flat = (*shape[:2], math.prod(x.shape[2:]))
    xp.put_along_axis(result, xp.reshape(indices, flat), xp.reshape(x, flat), axis=-1)
    return xp.reshape(result, (*x.shape[alone:2], *sizes))


def _checked_sizes(
    axes: int, output_size: Any, default: tuple[int, ...], strides: tuple[int, ...], name: str
) -> tuple[int, ...]:
    """Return the lengths that are asked for: the last ones of a shape."""
    given = tuple(output_size) if isinstance(output_size, (tuple, list)) else (output_size,)
    sizes = lengths_of(given[-axes:], axes, name, "output_size", 0)
    for size, smallest, step in zip(sizes, default, strides, strict=True):
        if not smallest - step < size < smallest + step:
            raise ValueError(
                f"{name}(): output_size has the length {size}, expected more than {smallest - step} and less than "
                f"{smallest + step}"
            )
    return sizes
