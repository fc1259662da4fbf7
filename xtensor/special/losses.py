"""Loss functions of robust regression."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _ops as xp
from .._core.array import Array
from ._declaration import arrays, special

if TYPE_CHECKING:
    from .._core.annotations import RealOperand

__all__ = ["huber", "pseudo_huber"]


@special()
def huber(delta: RealOperand, r: RealOperand, /) -> Array:
    r"""Huber loss :math:`r^2 / 2` for :math:`|r| \le \delta`, :math:`\delta (|r| - \delta / 2)` otherwise.

    Parameters
    ----------
    delta
        Threshold between the quadratic and the linear part; nonnegative.
    r
        Residuals.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` where ``delta < 0``.

    See ``scipy.special.huber``; Huber, "Robust Estimation of a Location Parameter", Ann. Math. Statist. 35 (1964).
    """
    delta, r = arrays(delta, r)
    magnitude = xp.abs(r)
    result = xp.where(magnitude <= delta, 0.5 * r * r, delta * (magnitude - 0.5 * delta))
    return xp.where(delta < 0, math.inf, result)


@special()
def pseudo_huber(delta: RealOperand, r: RealOperand, /) -> Array:
    r"""Pseudo-Huber loss :math:`\delta^2 (\sqrt{1 + (r / \delta)^2} - 1)`.

    Parameters
    ----------
    delta
        Threshold between the quadratic and the linear part; nonnegative.
    r
        Residuals.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted floating-point dtype.

    Notes
    -----
    Special values: ``+inf`` where ``delta < 0``, 0 where an operand is 0.

    See ``scipy.special.pseudo_huber``.
    """
    delta, r = arrays(delta, r)
    # Rewritten so that nothing cancels and no square overflows before the result does.
    magnitude = xp.abs(r)
    smaller = xp.minimum(delta, magnitude)
    slope = xp.hypot(xp.ones_like(r), smaller / xp.maximum(delta, magnitude))
    result = magnitude * (smaller / (slope + xp.minimum(delta / magnitude, 1.0)))
    return xp.where(delta < 0, math.inf, xp.where((delta == 0) | (r == 0), 0.0, result))
