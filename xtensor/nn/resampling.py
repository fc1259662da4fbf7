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
from .._core.errors import describe
from .._core.operands import array_argument
from ._checks import check_number, check_real_floating
from .windows import along_axis, lengths_of

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["interpolate"]

AXES = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
"""Number of spatial axes that each mode takes; ``"nearest"`` takes any."""

CUBIC = -0.75
"""Slope of the cubic kernel at distance 1."""


@composed
def interpolate(
    x: AnyArray,
    /,
    size: int | Sequence[int] | None = None,
    *,
    scale_factor: float | Sequence[float] | None = None,
    mode: Literal["nearest", "linear", "bilinear", "trilinear", "bicubic"] = "nearest",
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
        ``"nearest"`` takes the element at :math:`\lfloor i / s \rfloor` for the scale s; ``"bicubic"`` interpolates by
        cubic polynomials along two axes, the others linearly along one, two or three.
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
        if word == "nearest":
            x = _nearest(x, axis, length, step)
        else:
            x = _weighted(x, axis, length, step, aligned, cubic=word == "bicubic")
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
    if step == 1:
        return x
    if length % x.shape[axis] == 0 and step * length == x.shape[axis]:
        times = length // x.shape[axis]
        repeated = xp.expand_dims(x, axis=axis + 1)
        repeated = xp.broadcast_to(repeated, (*x.shape[: axis + 1], times, *x.shape[axis + 1 :]))
        return xp.reshape(repeated, (*x.shape[:axis], length, *x.shape[axis + 1 :]))
    # PyTorch multiplies in the dtype of x, at least float32, and rounds the product to float32: 3 / 0.6 is 5.
    precision: Any = np.float64 if x.dtype == xp.float64 else np.float32
    position = (np.arange(length, dtype=precision) * precision(step)).astype(np.float32)
    index = np.minimum(np.floor(position).astype(np.int64), x.shape[axis] - 1)
    return xp.take(x, xp.asarray(index, device=x.device), axis=axis)


def _weighted(x: Array, axis: int, length: int, step: float, aligned: bool, *, cubic: bool) -> Array:
    """Return the sums of neighbours with the weights of linear or cubic interpolation."""
    old = x.shape[axis]
    if length == old and (aligned or step == 1):
        return x
    if aligned:
        position = np.arange(length) * ((old - 1) / (length - 1) if length > 1 else 0.0)
    else:
        position = (np.arange(length) + 0.5) * step - 0.5
    if not cubic:
        position = np.clip(position, 0.0, old - 1)
    before = np.floor(position).astype(np.int64)
    matrix = np.zeros((length, old))
    for offset in (-1, 0, 1, 2) if cubic else (0, 1):
        neighbour = np.clip(before + offset, 0, old - 1)
        weight = (_cubic if cubic else _tent)(np.abs(position - before - offset))
        np.add.at(matrix, (np.arange(length), neighbour), weight)
    return along_axis(x, matrix, axis)


def _tent(distance: np.ndarray[Any, Any]) -> Any:
    return 1 - distance


def _cubic(distance: np.ndarray[Any, Any]) -> Any:
    """Return Keys' kernel: 1 at 0, and 0 at 1 and 2, with equal slopes on both sides."""
    near = ((CUBIC + 2) * distance - (CUBIC + 3)) * distance**2 + 1
    far = CUBIC * (((distance - 5) * distance + 8) * distance - 4)
    return np.where(distance <= 1, near, far)
