"""Differences as derivatives, in NumPy's name and signature; xarray looks for it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _standard as xp
from .._core.array import Array, Axis
from .._core.checks import check_axes, check_integer
from .._core.dispatch import composed, device_of
from .._core.dtypes import finfo, kind_of
from .._core.errors import describe

__all__ = ["gradient"]


@composed
def gradient(f: Array, *varargs: Any, axis: Axis = None, edge_order: int = 1) -> Array | tuple[Array, ...]:
    r"""The derivatives of sampled values: :math:`(f_{i+1} - f_{i-1}) / 2h`, and one-sided ones at both ends.

    Parameters
    ----------
    f
        Array of one or more dimensions, with at least ``edge_order + 1`` elements along each axis.
    *varargs
        The distance of samples: nothing for 1, a number for all axes, or for each axis a number or the coordinates,
        in an Array or a sequence of one dimension. Unequal distances are weighed.
    axis
        The axis or axes to derive along; None means all.
    edge_order
        The order, 1 or 2, of the differences at both ends.

    Returns
    -------
    Array or tuple of Array
        The derivative along each axis, of the shape of ``f``; one Array for one axis.

    Raises
    ------
    ValueError
        If an axis is too short, or distances or ``edge_order`` do not fit.

    Notes
    -----
    NumPy, ``gradient``.
    """
    device = device_of(f, "gradient")
    axes = tuple(range(f.ndim)) if axis is None else check_axes(axis, f.ndim, "gradient")
    if check_integer(edge_order, "gradient", "edge_order") not in (1, 2):
        raise ValueError(f"gradient(): edge_order is 1 or 2, not {describe(edge_order)}")
    given = varargs or (1.0,)
    if len(given) == 1 and not getattr(given[0], "ndim", 0) and not isinstance(given[0], (list, tuple)):
        given = given * len(axes)
    if len(given) != len(axes):
        raise ValueError(f"gradient(): {len(given)} distances are given for {len(axes)} axes")
    if kind_of(f.dtype) not in "fc":
        f = xp.astype(f, device.default_dtypes["real floating"])
    results = tuple(_derivative(f, at, spacing, edge_order) for at, spacing in zip(axes, given, strict=True))
    return results[0] if len(results) == 1 else results


def _derivative(f: Array, axis: int, spacing: Any, order: int) -> Array:
    """The derivative along one axis."""
    length = f.shape[axis]
    if length < order + 1:
        raise ValueError(f"gradient(): axis {axis} of shape {f.shape} is too short; it needs {order + 1} elements")
    f = xp.moveaxis(f, axis, -1)
    steps = _steps(f, spacing, length)
    if isinstance(steps, float):
        inner = (f[..., 2:] - f[..., :-2]) / (2.0 * steps)
        first = last = steps
        before_first = before_last = steps
    else:
        left, right = steps[:-1], steps[1:]
        inner = (
            -(right / (left * (left + right))) * f[..., :-2]
            + ((right - left) / (left * right)) * f[..., 1:-1]
            + (left / (right * (left + right))) * f[..., 2:]
        )
        first, last = steps[:1], steps[-1:]
        before_first, before_last = (steps[1:2], steps[-2:-1]) if order == 2 else (first, last)
    if order == 1:
        start = (f[..., 1:2] - f[..., :1]) / first
        end = (f[..., -1:] - f[..., -2:-1]) / last
    else:
        start = _edge(f[..., :1], f[..., 1:2], f[..., 2:3], first, before_first)
        end = -_edge(f[..., -1:], f[..., -2:-1], f[..., -3:-2], last, before_last)
    return xp.moveaxis(xp.concat((start, inner, end), axis=-1), -1, axis)


def _edge(at: Array, near: Array, far: Array, step: Any, further: Any) -> Array:
    """The derivative at an end, of second order, towards the inside."""
    derivative: Array = (
        -((2.0 * step + further) / (step * (step + further))) * at
        + ((step + further) / (step * further)) * near
        - (step / (further * (step + further))) * far
    )
    return derivative


def _steps(f: Array, spacing: Any, length: int) -> Any:
    """The distance of neighbours: one number, or an Array of one less than the samples."""
    if isinstance(spacing, (int, float, np.generic)):
        return float(spacing)
    real = finfo(f.dtype).dtype
    # Coordinates are a parameter, not an operand: those of a consumer such as xarray are NumPy's.
    x = spacing if isinstance(spacing, Array) else xp.asarray(spacing, device=f.device)
    x = xp.astype(x, real)
    if not x.ndim:
        return float(x)
    if x.ndim != 1 or x.shape[0] != length:
        raise ValueError(f"gradient(): coordinates of shape {x.shape} do not fit an axis of length {length}")
    steps = xp.diff(x)
    # Equal distances are one number, so that a sample has no part in the derivative at itself.
    return float(steps[0]) if xp.all(steps == steps[0]) else steps
