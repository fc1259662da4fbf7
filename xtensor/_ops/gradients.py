"""Derivatives by finite differences, with NumPy's name and signature. xarray looks for the function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array, Axis
from .._core.checks import check_axes, check_integer
from .._core.compositions import composed
from .._core.dtypes import finfo, kind_of
from .._core.errors import describe
from .._core.operands import SEQUENCES, array_argument
from . import _casts

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["gradient"]


@composed
def gradient(f: AnyArray, *varargs: Any, axis: Axis = None, edge_order: int = 1) -> Array | tuple[Array, ...]:
    r"""Return the derivatives of sampled values: :math:`(f_{i+1} - f_{i-1}) / 2h`, one-sided at both ends.

    Parameters
    ----------
    f
        Array of one or more dimensions, with at least ``edge_order + 1`` elements along each axis.
    *varargs
        The distance between samples: omitted for 1; one number for all axes; or for each axis a number or the
        coordinates of the samples, an Array or a sequence of one dimension. The coordinates need not be equidistant.
    axis
        The axis or axes to differentiate along; None selects all of them.
    edge_order
        The order of accuracy of the differences at both ends, 1 or 2.

    Returns
    -------
    Array or tuple of Array
        The derivative along each axis, of the shape of ``f``; an Array for a single axis.

    Raises
    ------
    ValueError
        If an axis is too short, or ``edge_order`` is not 1 or 2.
    TypeError
        If the number of distances is neither 1 nor that of the axes.

    Notes
    -----
    NumPy, ``gradient``.
    """
    f = array_argument(f, "gradient")
    device = f._device
    axes = tuple(range(f.ndim)) if axis is None else check_axes(axis, f.ndim, "gradient")
    if check_integer(edge_order, "gradient", "edge_order") not in (1, 2):
        raise ValueError(f"gradient(): edge_order is 1 or 2, not {describe(edge_order)}")
    spacings = varargs or (1.0,)
    if len(spacings) == 1 and not getattr(spacings[0], "ndim", 0) and not isinstance(spacings[0], SEQUENCES):
        spacings = spacings * len(axes)
    if len(spacings) != len(axes):
        raise TypeError(
            f"invalid number of arguments; gradient() received {len(spacings)} distances for {len(axes)} axes; "
            "give one, or one for each axis"
        )
    if kind_of(f.dtype) not in "fc":
        f = xp.astype(f, device.default_dtypes["real floating"])
    dtype = f.dtype
    wide: Array = _casts.widened(f)  # differences of products cancel: rounded once, at the end
    derivatives = (_derivative(wide, i, spacing, edge_order) for i, spacing in zip(axes, spacings, strict=True))
    results = tuple([xp.astype(each, dtype, copy=False) for each in derivatives])
    return results[0] if len(results) == 1 else results


def _derivative(f: Array, axis: int, spacing: Any, order: int) -> Array:
    """Return the derivative along one axis; ``order`` is the order of accuracy at both ends."""
    length = f.shape[axis]
    if length < order + 1:
        raise ValueError(f"gradient(): axis {axis} of shape {f.shape} is too short; it needs {order + 1} elements")
    f = xp.moveaxis(f, axis, -1)
    steps = _steps(f, spacing, length)
    if isinstance(steps, float):
        inner = (f[..., 2:] - f[..., :-2]) / (2.0 * steps)
        first = last = steps
        second = second_to_last = steps
    else:
        before, after = steps[:-1], steps[1:]
        inner = (
            -(after / (before * (before + after))) * f[..., :-2]
            + ((after - before) / (before * after)) * f[..., 1:-1]
            + (before / (after * (before + after))) * f[..., 2:]
        )
        first, last = steps[:1], steps[-1:]
        second, second_to_last = (steps[1:2], steps[-2:-1]) if order == 2 else (first, last)
    if order == 1:
        start = (f[..., 1:2] - f[..., :1]) / first
        end = (f[..., -1:] - f[..., -2:-1]) / last
    else:
        start = _one_sided(f[..., :1], f[..., 1:2], f[..., 2:3], first, second)
        end = -_one_sided(f[..., -1:], f[..., -2:-1], f[..., -3:-2], last, second_to_last)
    return xp.moveaxis(xp.concat((start, inner, end), axis=-1), -1, axis)


def _one_sided(f0: Array, f1: Array, f2: Array, step1: Any, step2: Any) -> Array:
    """Return the one-sided derivative of second order at ``f0``, from two neighbours at increasing distance."""
    derivative: Array = (
        -((2.0 * step1 + step2) / (step1 * (step1 + step2))) * f0
        + ((step1 + step2) / (step1 * step2)) * f1
        - (step1 / (step2 * (step1 + step2))) * f2
    )
    return derivative


def _steps(f: Array, spacing: Any, length: int) -> Any:
    """Return the distances between neighbouring samples: one float, or an Array of ``length - 1`` elements."""
    if isinstance(spacing, (int, float, np.generic)):
        return float(spacing)
    real = finfo(f.dtype).dtype
    # Coordinates are a parameter, not an operand: consumers such as xarray pass NumPy arrays.
    x = spacing if isinstance(spacing, Array) else xp.asarray(spacing, device=f.device)
    x = xp.astype(x, real)
    if not x.ndim:
        return float(x)
    if x.ndim != 1 or x.shape[0] != length:
        raise ValueError(f"gradient(): coordinates of shape {x.shape} do not fit an axis of length {length}")
    steps = xp.diff(x)
    # One float for equidistant samples: the derivative at a sample then does not depend on its own value, NaN included.
    return float(steps[0]) if xp.all(steps == steps[0]) else steps
