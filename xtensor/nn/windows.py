"""Windows over spatial axes: their settings, and the elements that each of them covers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_integer
from .._core.errors import describe

__all__ = ["along_axis", "check_spatial", "constant", "lengths_of", "padded", "parts_of_windows", "windows"]

LONGEST = 2**40
"""Length of an axis that no memory has room for."""


def lengths_of(value: Any, axes: int, function: str, name: str, least: int) -> tuple[int, ...]:
    """Return a setting of each spatial axis: an integer for all of them, or one for each."""
    if isinstance(value, (tuple, list)):
        lengths = tuple([check_integer(item, function, name) for item in value])
        if len(lengths) != axes:
            raise ValueError(f"{function}(): {name} is an integer or {axes} integers, not {describe(value)}")
    else:
        lengths = (check_integer(value, function, name),) * axes
    if not all(least <= length <= LONGEST for length in lengths):
        raise ValueError(f"{function}(): {name} is {value}, expected {least} or more, and at most {LONGEST}")
    return lengths


def check_spatial(x: Array, axes: int, function: str) -> None:
    """Raise ValueError unless an array has axes for examples and channels, or channels, and the spatial axes."""
    if x.ndim not in (axes + 1, axes + 2):
        names = ", ".join(["length", "height, width", "depth, height, width"][axes - 1 : axes])
        raise ValueError(
            f"{function}(): x has shape {x.shape}, expected (examples, channels, {names}) or (channels, {names})"
        )


def padded(x: Array, widths: Sequence[tuple[int, int]], value: float) -> Array:
    """Return an array with a value before and after the elements of its last axes."""
    for axis, (before, after) in enumerate(widths, x.ndim - len(widths)):
        rest = x.shape[:axis], x.shape[axis + 1 :]
        first, last = [
            [xp.full((*rest[0], width, *rest[1]), value, dtype=x.dtype, device=x.device)] if width else []
            for width in (before, after)
        ]
        x = xp.concat([*first, x, *last], axis=axis) if first or last else x
    return x


def parts_of_windows(
    kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], outputs: Sequence[int]
) -> list[tuple[Any, ...]]:
    """Return for each position in a window the key of the elements of all windows there: shape (…, *outputs)."""
    return [
        (
            ...,
            *[
                slice(offset * width, offset * width + step * (count - 1) + 1, step)
                for offset, width, step, count in zip(offsets, dilation, stride, outputs, strict=True)
            ],
        )
        for offsets in product(*map(range, kernel))
    ]


def windows(
    x: Array, kernel: Sequence[int], stride: Sequence[int], dilation: Sequence[int], outputs: Sequence[int]
) -> Array:
    """Return the elements of all windows: an array of shape (…, elements of a window, *outputs)."""
    views = [x[key] for key in parts_of_windows(kernel, stride, dilation, outputs)]
    axis = x.ndim - len(kernel)
    return xp.stack(views, axis=axis) if math.prod(kernel) > 1 else xp.expand_dims(views[0], axis=axis)


def constant(values: np.ndarray[Any, Any], x: Array) -> Array:
    """Return numbers of the host as an Array of the dtype and on the device of another one."""
    return xp.asarray(values.astype(x.dtype), device=x.device)


def along_axis(x: Array, matrix: np.ndarray[Any, Any], axis: int) -> Array:
    """Return the products of a matrix of the host and the vectors along an axis."""
    product = xp.matmul(xp.moveaxis(x, axis, -1), xp.matrix_transpose(constant(matrix, x)))
    return xp.moveaxis(product, -1, axis)
