"""Interpolation of spatial axes to other lengths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_flag, check_word
from .._core.compositions import composed
from .._core.dispatch import array_argument
from .._core.errors import describe
from ._checks import check_number, check_real_floating
from .windows import along_axis, lengths_of

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["interpolate"]

AXES = {"linear": 1, "bilinear": 2, "trilinear": 3}
"""Number of spatial axes that each linear mode takes."""


@composed
def interpolate(
    x: AnyArray,
    /,
    size: int | Sequence[int] | None = None,
    *,
    scale_factor: float | Sequence[float] | None = None,
    mode: Literal["nearest", "linear", "bilinear", "trilinear"] = "nearest",
    align_corners: bool = False,
) -> Array:
    r"""Interpolate spatial axes to other lengths.

    Parameters
    ----------
    x
        Array of shape (n, c, …) with one to three spatial axes, and a real floating-point dtype.
    size
        The new lengths; an integer for all axes.
    scale_factor
        Factors of the lengths instead, whose products are rounded down.
    mode
        ``"nearest"`` takes the element at :math:`\lfloor i / s \rfloor` for the scale s; the others interpolate
        linearly along one, two or three axes.
    align_corners
        Whether the first and last elements of both grids coincide; otherwise the edges of the axis do.

    Returns
    -------
    Array
        Array of the new lengths and the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array of a real floating-point dtype, or a setting has another type.
    ValueError
        If not exactly one of ``size`` and ``scale_factor`` is given, or the number of axes does not match.
    """
    name = "interpolate"
    x = array_argument(x, name)
    check_real_floating(x, name, "x")
    axes = x.ndim - 2
    word = check_word(mode, ("nearest", *AXES), name, "mode")
    aligned = check_flag(align_corners, name, "align_corners")
    if not 1 <= axes <= 3 or AXES.get(word, axes) != axes:
        expected = f"{AXES[word] + 2} axes" if word in AXES else "3 to 5 axes"
        raise ValueError(f"interpolate(): x has shape {x.shape}, expected {expected} for mode {word!r}")
    if (size is None) == (scale_factor is None):
        raise ValueError(
            f"interpolate() takes one of size and scale_factor, not {describe(size)} and {describe(scale_factor)}"
        )
    if size is not None:
        lengths = lengths_of(size, axes, name, "size", 1)
        scales: Sequence[float | None] = (None,) * axes
    else:
        scales = _factors(scale_factor, axes)
        lengths = tuple(
            [max(math.floor(length * scale), 1) for length, scale in zip(x.shape[2:], scales, strict=True) if scale]
        )
    for axis, (length, scale) in enumerate(zip(lengths, scales, strict=True), 2):
        step = x.shape[axis] / length if scale is None else 1 / scale
        x = _nearest(x, axis, length, step) if word == "nearest" else _linear(x, axis, length, step, aligned)
    return x


def _factors(scale_factor: Any, axes: int) -> tuple[float, ...]:
    given = scale_factor if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * axes
    factors = tuple([check_number(factor, "interpolate", "scale_factor") for factor in given])
    if len(factors) != axes or not all(0 < factor < math.inf for factor in factors):
        raise ValueError(
            f"interpolate(): scale_factor is a positive number or {axes} of them, not {describe(scale_factor)}"
        )
    return factors


def _nearest(x: Array, axis: int, length: int, step: float) -> Array:
    if length == x.shape[axis]:
        return x
    if length % x.shape[axis] == 0 and step * length == x.shape[axis]:
        times = length // x.shape[axis]
        repeated = xp.expand_dims(x, axis=axis + 1)
        repeated = xp.broadcast_to(repeated, (*x.shape[: axis + 1], times, *x.shape[axis + 1 :]))
        return xp.reshape(repeated, (*x.shape[:axis], length, *x.shape[axis + 1 :]))
    index = np.minimum(np.floor(np.arange(length) * np.float32(step)).astype(np.int64), x.shape[axis] - 1)
    return xp.take(x, xp.asarray(index, device=x.device), axis=axis)


def _linear(x: Array, axis: int, length: int, step: float, aligned: bool) -> Array:
    old = x.shape[axis]
    if length == old and (aligned or step == 1):
        return x
    if aligned:
        position = np.arange(length) * ((old - 1) / (length - 1) if length > 1 else 0.0)
    else:
        position = np.maximum((np.arange(length) + 0.5) * step - 0.5, 0.0)
    before = np.minimum(np.floor(position).astype(np.int64), old - 1)
    after = np.minimum(before + 1, old - 1)
    share = position - before
    matrix = np.zeros((length, old))
    rows = np.arange(length)
    np.add.at(matrix, (rows, before), 1 - share)
    np.add.at(matrix, (rows, after), share)
    return along_axis(x, matrix, axis)
