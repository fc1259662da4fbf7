"""Formulas of Arrays whose operands are scaled where powers or products of them would leave the range.

:mod:`xtensor._core.scaling` does so for native arrays. Here the device tells whether the host looks at results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .device import Device, base_device
from .dtypes import is_narrow, kind_of
from .scaling import largest, least_power, rescaled, scales_of, with_scaled_operands
from .tracing_errors import any_true, rarely

__all__ = ["host_looks_at", "needs_scaling", "rescaled_where_needed"]


def needs_scaling(condition: Callable[..., Any], *arrays: Any) -> bool:
    """Whether a formula is computed with scaled operands.

    On devices whose results the host looks at, where a condition holds, see :func:`rarely`; on others always.
    """
    return _chooses(base_device(arrays[0]._device)) or rarely(condition, *arrays)


def host_looks_at(device: Device) -> bool:
    """Whether the host looks at results of a device: where reductions of the device itself are corrected.

    Transforms are looked at as the device below them.
    """
    return "mean" in base_device(device)._library.corrections


def _chooses(device: Device) -> bool:
    """Whether a device chooses between formulas itself, because the host does not look at its results."""
    return device._library.has_values and not host_looks_at(device)


def rescaled_where_needed(
    xp: Any,
    compute: Callable[..., tuple[Any, Any]],
    operands: Callable[[], Sequence[Any]],
    degrees: Sequence[int],
    axes: tuple[int, ...],
    *,
    centered: bool = False,
    repeats: bool = False,
    joined: Callable[[Any, Any], Any],
) -> Any:
    """Return the result of a homogeneous function of Arrays, as :func:`rescaled` does.

    Where the host does not look at results, both formulas are computed, and each result is chosen on the device.

    Parameters
    ----------
    compute
        Function of the operands that returns the result, and the real powers or products that may underflow where the
        result does not, of the same shape; None without any.
    operands
        Function that returns the operands. ``compute`` may write to those that are not the caller's.
    centered
        Whether slices of equal elements, whose powers are 0, are right.
    repeats
        Whether ``compute`` reads its operands more than once: lazy devices compute it with scaled operands. Those of
        others would have to be kept until the largest element is known.
    joined
        Function of the plain result and of the one from scaled operands that returns the second with the derivative of
        the first, or of a formula whose derivative does not leave the range: powers of the scale may.
    """
    arrays = operands()
    device, dtype = base_device(arrays[0].device), arrays[0].dtype
    if kind_of(dtype) not in "fc" or is_narrow(dtype) or not arrays[0].size:
        return compute(*arrays)[0]
    if device.lazy:
        if not repeats:
            return compute(*arrays)[0]
        return with_scaled_operands(
            xp, lambda *scaled: compute(*scaled)[0], arrays, scales_of(xp, arrays, axes, largest)[0], degrees
        )
    looks = not _chooses(device)
    with np.errstate(over="ignore", invalid="ignore"):
        result, powers = compute(*arrays)
        wrong = xp.logical_not(xp.isfinite(result))
        least = least_power(dtype)
        if powers is not None:
            wrong = xp.logical_or(wrong, xp.logical_not(xp.logical_and(powers >= least, xp.isfinite(powers))))
        if looks and not rarely(any_true, wrong):
            return result
        del arrays
        arrays = operands()
        if centered:
            small = xp.reshape(
                largest(xp, arrays[0], axes) <= math.sqrt(least) / float(np.finfo(dtype).eps), result.shape
            )
            wrong = xp.logical_and(wrong, xp.logical_or(small, powers != 0.0))

    def again(*scaled: Any) -> Any:
        better, powers = compute(*scaled)
        if powers is None:
            return better
        # Scaled operands underflow as well where a large one has no weight.
        return xp.where(xp.logical_and(xp.isfinite(result), powers < least), math.nan, better)

    better = rescaled(xp, again, arrays, degrees, axes, result, wrong, looks=looks)
    if better is None:
        return compute(*arrays)[0]  # with the library's warnings
    return joined(result, better)
