"""Normalization of activations over their last axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _ops as xp
from .._core.array import Array
from .._core.compositions import composed
from .._core.operands import coerce_operands
from .._core.operations import Operation, declare
from .._core.rescaling import needs_scaling
from .._core.scaling import is_ordinary, least_power, power_of_two
from .._fuse.formulas import compute_formula
from ._checks import check_eps, check_last_axes, check_parameter, check_real_floating
from ._computation import compute

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["layer_norm", "leaves_range", "rms_norm", "scaled_to_range", "standardized"]


LAYER_NORM = declare("nn.layer_norm", "network", operands=3, accepts="real floating", shape="same", primitive=False)


@composed
def layer_norm(
    x: AnyArray,
    weight: AnyArray | None = None,
    bias: AnyArray | None = None,
    /,
    *,
    axis: int | tuple[int, ...] = -1,
    eps: float = 1e-5,
) -> Array:
    r"""Layer normalization :math:`\frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} w + b`.

    :math:`\mu` and :math:`\sigma^2` are the mean and the population variance over ``axis``.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.
    weight, bias
        Arrays :math:`w` and :math:`b` whose shape is the lengths of ``axis``; None means 1 and 0.
    axis
        The last axis, or a tuple of the last axes.
    eps
        Nonnegative number :math:`\epsilon` that avoids division by zero.

    Returns
    -------
    Array
        Array of the shape of ``x`` and of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype, or ``eps`` is not a real number.
    ValueError
        If a shape does not match, ``axis`` is not the last axes, or ``eps`` is negative.

    Notes
    -----
    float16 and bfloat16 are computed in float32. Squares of :math:`x - \mu` may leave the range.

    Ba, Kiros and Hinton, "Layer Normalization" (2016).
    """
    x, weight, bias = coerce_operands("layer_norm", x, weight, bias)
    check_real_floating(x, "layer_norm", "x")
    axes = check_last_axes(axis, x, "layer_norm")
    shape = x.shape[axes[0] :]
    check_parameter(weight, shape, "layer_norm", "weight")
    check_parameter(bias, shape, "layer_norm", "bias")
    return _normalized(
        LAYER_NORM, _layer_norm, _scaled_layer_norm, x, weight, bias, axes=axes, eps=check_eps(eps, "layer_norm")
    )


def _normalized(
    operation: Operation,
    formula: Callable[..., Any],
    scaled: Callable[..., Array],
    x: Array,
    *parameters: Array | None,
    axes: tuple[int, ...],
    eps: float,
) -> Array:
    """Return the result of a formula, which also returns the roots of mean squares that it divides by.

    Where the squares overflow or underflow, ``scaled`` computes it from elements divided by a power of two.
    """
    normalized: Any = compute(operation, formula, x, *parameters, axes=axes, eps=eps)
    if normalized.__class__ is Array:
        return normalized
    result, roots = normalized
    if leaves_range(roots, eps):
        return compute(operation, scaled, x, *parameters, axes=axes, eps=eps)
    return result  # type: ignore[no-any-return]


def leaves_range(roots: Array, eps: float) -> bool:
    """Whether a mean square overflows, or underflows to less than ``eps`` makes up for."""
    least = least_power(roots.dtype)

    def leave_range(xp: Any, roots: Any) -> bool:
        return not is_ordinary(xp, roots, math.sqrt(least) if eps < least else 0.0)

    return needs_scaling(leave_range, roots)


def standardized(x: Array, axes: tuple[int, ...], eps: float) -> tuple[Array, Array]:
    """Return ``(x - mean) / root`` over the last axes, and the root of the variance and ``eps``."""
    standard, root = compute_formula(_layer_norm, x, None, None, axes=axes, eps=eps)
    if leaves_range(root, eps):
        scaled, scaled_eps, scale = scaled_to_range(x, axes, eps)
        standard, root = _layer_norm(scaled, None, None, axes=axes, eps=scaled_eps)
        root = root * scale
    return standard, root


def _scaled_layer_norm(
    x: Array, weight: Array | None, bias: Array | None, *, axes: tuple[int, ...], eps: float
) -> Array:
    x, scaled_eps, _ = scaled_to_range(x, axes, eps)
    return _layer_norm(x, weight, bias, axes=axes, eps=scaled_eps)[0]


def _scaled_rms_norm(x: Array, weight: Array | None, *, axes: tuple[int, ...], eps: float) -> Array:
    x, scaled_eps, _ = scaled_to_range(x, axes, eps)
    return _rms_norm(x, weight, axes=axes, eps=scaled_eps)[0]


def scaled_to_range(x: Array, axes: tuple[int, ...], eps: float) -> tuple[Array, Array, Array]:
    """Return elements divided by a power of two whose square neither they nor ``eps`` exceed by far; eps; the power."""
    one = xp.ones((), dtype=x.dtype, device=x.device)
    if 0 in x.shape:
        return x, one * eps, one
    largest = xp.maximum(xp.max(xp.abs(x), axis=axes, keepdims=True), math.sqrt(eps))
    usable = xp.isfinite(largest) & (largest > 0)
    scale = power_of_two(xp, xp.where(usable, largest, 1.0))
    return x / scale, eps / scale / scale, scale


def _layer_norm(
    x: Array, weight: Array | None, bias: Array | None, *, axes: tuple[int, ...], eps: float | Array
) -> tuple[Array, Array]:
    if 0 in x.shape:
        return xp.zeros_like(x), xp.ones((), dtype=x.dtype, device=x.device)  # the mean of no elements would warn
    centered = x - _mean(x, axes)
    # The rounding error of the mean is removed; a small standard deviation would magnify it, even in a constant row.
    centered -= _mean(centered, axes)
    root = xp.sqrt(_mean(centered * centered, axes) + eps)
    result = centered * (1.0 / root)  # a division for each element takes a third of the time
    result = result if weight is None else result * weight
    return (result if bias is None else result + bias), root


def _mean(x: Array, axes: tuple[int, ...]) -> Array:
    """Return the plain mean: where it leaves the range, the mean square is not finite."""
    return xp.sum(x, axis=axes, keepdims=True) / float(math.prod([x.shape[axis] for axis in axes]))


RMS_NORM = declare("nn.rms_norm", "network", operands=2, accepts="real floating", shape="same", primitive=False)


@composed
def rms_norm(
    x: AnyArray, weight: AnyArray | None = None, /, *, axis: int | tuple[int, ...] = -1, eps: float = 1e-6
) -> Array:
    r"""Normalization by the root mean square, :math:`\frac{x}{\sqrt{\overline{x^2} + \epsilon}} w`.

    :math:`\overline{x^2}` is the mean of the squares over ``axis``.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.
    weight
        Array :math:`w` whose shape is the lengths of ``axis``; None means 1.
    axis
        The last axis, or a tuple of the last axes.
    eps
        Nonnegative number :math:`\epsilon` that avoids division by zero.

    Returns
    -------
    Array
        Array of the shape of ``x`` and of the promoted dtype.

    Raises
    ------
    TypeError
        If an operand is not an Array of a real floating-point dtype, or ``eps`` is not a real number.
    ValueError
        If a shape does not match, ``axis`` is not the last axes, or ``eps`` is negative.

    Notes
    -----
    float16 and bfloat16 are computed in float32. Squares of :math:`x` may leave the range.

    Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019).
    """
    x, weight = coerce_operands("rms_norm", x, weight)
    check_real_floating(x, "rms_norm", "x")
    axes = check_last_axes(axis, x, "rms_norm")
    check_parameter(weight, x.shape[axes[0] :], "rms_norm", "weight")
    return _normalized(RMS_NORM, _rms_norm, _scaled_rms_norm, x, weight, axes=axes, eps=check_eps(eps, "rms_norm"))


def _rms_norm(x: Array, weight: Array | None, *, axes: tuple[int, ...], eps: float | Array) -> tuple[Array, Array]:
    if 0 in x.shape:
        return xp.zeros_like(x), xp.ones((), dtype=x.dtype, device=x.device)  # the mean of no elements would warn
    root = xp.sqrt(_mean(x * x, axes) + eps)
    result = x * (1.0 / root)
    return (result if weight is None else result * weight), root
