"""NumPy's ``round``: to a number of decimals, or of digits before the point."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import apply
from .._core.checks import check_integer, integer_limits
from .._core.device import Device
from .._core.operations import COMPLEX_OF

__all__ = ["rounded"]


def rounded(x: Array, decimals: int) -> Array:
    """Return elements rounded to some decimals, halves to the even digit."""
    if not -308 <= check_integer(decimals, "round", "decimals") <= 308:
        raise ValueError(f"round(): decimals is a number of digits, not {decimals}")
    if not decimals:
        return xp.round(xp.astype(x, _half_of(x.device)) if x.dtype.kind == "b" else x)
    if x.dtype.kind in "biu":
        return x.copy() if decimals > 0 else _round_integers(x, 10**-decimals)
    return _to_decimals(x, decimals)


def _to_decimals(x: Array, decimals: int) -> Array:
    """Round floating-point numbers to some decimals; multiples beyond the range leave them, or 0, as they are."""
    if x.dtype.kind == "c":
        return apply(COMPLEX_OF, x.device, *(_to_decimals(part(x), decimals)._native for part in (xp.real, xp.imag)))
    factor = 10.0 ** abs(decimals)
    if xp.finfo(x.dtype).max < factor <= xp.finfo(xp.float32).max:  # the factor is beyond the range of a narrow dtype
        return xp.astype(_to_decimals(xp.astype(x, xp.float32), decimals), x.dtype)
    if decimals > 0:
        multiples = x * factor
        return xp.where(xp.isfinite(multiples), xp.round(multiples) / factor, x)
    multiples = xp.round(x / factor)
    return xp.where((multiples == 0) | xp.isinf(x), xp.where(multiples == 0, multiples, x), multiples * factor)


def _half_of(device: Device) -> Any:
    """Return float16, in which NumPy rounds booleans; the default floating-point dtype on a device without it."""
    half = np.dtype(np.float16)
    return half if device.supports(half) else device.default_dtypes["real floating"]


def _round_integers(x: Any, unit: int) -> Any:
    """Round integers to a multiple of a unit, halves to the even multiple; multiples out of bounds wrap around."""
    least, greatest = integer_limits(x.dtype) if x.dtype.kind != "b" else (0, 1)
    if unit > greatest:
        # The result is 0 or the unit, with the sign of x.
        half, size = unit // 2, 2 ** (8 * x.dtype.itemsize)
        result = xp.zeros_like(x)
        for side in (unit, -unit):
            if (half < greatest) if side > 0 else (least < -half):
                wrapped = (side - least) % size + least
                result = xp.where(x > half if side > 0 else x < -half, wrapped, result)
        return result
    quotient, rest = x // unit, x % unit
    up = (rest > unit - rest) | ((rest == unit - rest) & (quotient % 2 == 1))
    return (quotient + xp.astype(up, x.dtype)) * unit
