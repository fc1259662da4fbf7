"""Pooling: means of windows, and what it has in common with :mod:`max_pooling`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_flag, check_integer
from .._core.compositions import composed
from .._core.documentation import documented
from .._core.operands import array_argument
from .._core.operations import declare
from .._core.rescaling import host_looks_at
from .._core.tracing_errors import any_true, rarely
from ._checks import check_real_floating
from ._computation import compute
from ._documentation import SPATIAL
from .windows import check_spatial, constant, lengths_of, padded, windows

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "checked",
    "mean_in_range",
    "outputs_of",
]

Lengths = int | Sequence[int]
"""A setting of the spatial axes: an integer for all of them, or one for each."""

AVERAGES = [
    declare(f"nn.avg_pool{axes}d", "network", accepts="real floating", shape="argument", primitive=False)
    for axes in (1, 2, 3)
]

AVG_POOL = """
Parameters
----------
x
    Array of shape (n, c, {spatial}) or (c, {spatial}), and a real floating-point dtype.
kernel_size
    Lengths of a window.
stride
    Distances of the windows; None means their lengths.
padding
    Number of zeros before and after each axis, at most half of the window.
ceil_mode
    Whether a last window may begin that ends beyond the axis.
count_include_pad
    Whether the zeros of the padding count in the mean.
divisor_override
    Divisor of the sums; None means the number of elements that count.

Returns
-------
Array
    Array of the dtype of ``x`` with the number of windows along each axis.

Raises
------
TypeError
    If ``x`` is not an Array of a real floating-point dtype, or a setting is not an integer.
ValueError
    If a setting is out of range, or a window is larger than ``x``.
"""
"""Sections of the docstrings of :func:`avg_pool1d` and its like."""


@composed
@documented(AVG_POOL, **SPATIAL[1])
def avg_pool1d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """Mean of each window over one axis."""
    return _averages(1, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@composed
@documented(AVG_POOL, **SPATIAL[2])
def avg_pool2d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """Mean of each window over two axes."""
    return _averages(2, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@composed
@documented(AVG_POOL, **SPATIAL[3])
def avg_pool3d(
    x: AnyArray,
    /,
    kernel_size: Lengths,
    *,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Array:
    """Mean of each window over three axes."""
    return _averages(3, x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


# -- windows ----------------------------------------------------------------------------------------------------------


def checked(axes: int, x: Any, name: str) -> tuple[Array, bool]:
    """Return the argument with an axis of examples, and whether it had none."""
    x = array_argument(x, name)
    check_real_floating(x, name, "x")
    check_spatial(x, axes, name)
    alone = x.ndim == axes + 1
    return xp.expand_dims(x, axis=0) if alone else x, alone


def outputs_of(
    x: Array,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    paddings: tuple[int, ...],
    dilations: tuple[int, ...],
    ceil_mode: bool,
    name: str,
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Return the numbers of windows, and the widths of the padding that covers them."""
    outputs, widths = [], []
    settings = zip(x.shape[2:], kernel, strides, paddings, dilations, strict=True)
    for length, size, step, width, distance in settings:
        if width > size // 2:
            raise ValueError(f"{name}(): padding {width} is more than half of the window's length {size}")
        span = distance * (size - 1) + 1
        room = length + 2 * width - span
        if room < 0 and not (ceil_mode and room > -step):
            raise ValueError(
                f"{name}(): x of shape {x.shape} is smaller than a window of lengths {kernel} with dilation {distance}"
            )
        count = (room + (step - 1 if ceil_mode else 0)) // step + 1
        if (count - 1) * step >= length + width:  # a window that would begin in the padding at the end
            count -= 1
        outputs.append(count)
        widths.append((width, max((count - 1) * step + span - length - width, 0)))
    return tuple(outputs), tuple(widths)


def mean_in_range(function: Callable[[Array], Array], x: Array, count: int) -> Array:
    """Return a linear function, computed from smaller elements where its sums of ``count`` elements leave the range.

    Devices whose results the host does not look at keep the plain formula.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        result = function(x)
        if not host_looks_at(x.device) or not rarely(_has_infinite, result):
            return result
        scale = 2.0 ** count.bit_length()
        return xp.where(xp.isfinite(result), result, function(x / scale) * scale)


def _has_infinite(namespace: Any, result: Any) -> Any:
    return any_true(namespace, namespace.logical_not(namespace.isfinite(result)))


def _averages(
    axes: int,
    x: Any,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: Any,
    count_include_pad: Any,
    divisor_override: Any,
) -> Array:
    operation = AVERAGES[axes - 1]
    name = operation.label
    x, alone = checked(axes, x, name)
    kernel = lengths_of(kernel_size, axes, name, "kernel_size", 1)
    strides = kernel if stride is None else lengths_of(stride, axes, name, "stride", 1)
    paddings = lengths_of(padding, axes, name, "padding", 0)
    ceil = check_flag(ceil_mode, name, "ceil_mode")
    include = check_flag(count_include_pad, name, "count_include_pad")
    divisor = None if divisor_override is None else check_integer(divisor_override, name, "divisor_override")
    if divisor == 0:
        raise ValueError(f"{name}(): divisor_override is 0, expected another number")
    outputs, widths = outputs_of(x, kernel, strides, paddings, (1,) * axes, ceil, name)
    counts = []
    for length, size, step, width, count in zip(x.shape[2:], kernel, strides, paddings, outputs, strict=True):
        starts = [number * step - width for number in range(count)]
        least, most = (-width, length + width) if include else (0, length)
        counts.append(tuple([min(start + size, most) - max(start, least) for start in starts]))

    def means(x: Array) -> Array:
        return compute(
            operation,
            _means,
            x,
            kernel=kernel,
            strides=strides,
            widths=widths,
            outputs=outputs,
            counts=tuple(counts),
            divisor=divisor,
        )

    result = mean_in_range(means, x, math.prod(kernel))
    return xp.squeeze(result, axis=0) if alone else result


def _means(
    x: Array,
    *,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    widths: tuple[tuple[int, int], ...],
    outputs: tuple[int, ...],
    counts: tuple[tuple[int, ...], ...],
    divisor: int | None,
) -> Array:
    axes = len(kernel)
    elements = windows(padded(x, widths, 0.0), kernel, strides, (1,) * axes, outputs)
    total = xp.sum(elements, axis=elements.ndim - axes - 1)
    if divisor is not None:
        return total / float(divisor)
    if all(len(set(numbers)) <= 1 for numbers in counts):
        return total / float(math.prod([numbers[0] for numbers in counts if numbers]))
    grid = np.asarray(counts[0])
    for numbers in counts[1:]:
        grid = grid[..., None] * np.asarray(numbers)
    return total / constant(grid, x)
