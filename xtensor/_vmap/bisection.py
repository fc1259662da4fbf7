"""Positions of values in sorted rows, by bisection of all rows at once."""

from __future__ import annotations

from .. import _ops as xp
from .._core.array import Array

__all__ = ["positions"]


def is_before(x: Array, y: Array) -> Array:
    """Whether elements stand before others in NumPy's order: NaN is the last one, and real parts come first."""
    if not xp.isdtype(x.dtype, ("real floating", "complex floating")):
        return x < y
    if xp.isdtype(x.dtype, "real floating"):
        return (x < y) | (xp.isnan(y) & ~xp.isnan(x))
    x_parts, y_parts = (xp.real(x), xp.imag(x)), (xp.real(y), xp.imag(y))
    (x_nan, x_imag_nan), (y_nan, y_imag_nan) = ([xp.isnan(part) for part in parts] for parts in (x_parts, y_parts))
    smaller, larger = x_parts[0] < y_parts[0], x_parts[0] > y_parts[0]
    equal = (x_parts[0] == y_parts[0]) | (x_nan & y_nan)
    imaginary = (x_parts[1] < y_parts[1]) | (y_imag_nan & ~x_imag_nan)
    by_real = (smaller & (~x_imag_nan | y_imag_nan)) | (larger & y_imag_nan & ~x_imag_nan)
    return xp.where(equal, imaginary, by_real | (y_nan & ~x_nan))


def positions(edges: Array, values: Array, side: str) -> Array:
    """Return for each value of a row the number of edges of the row before it, by bisection of all rows at once."""
    count = edges.shape[1]
    low = xp.zeros(values.shape, dtype=edges.device.default_dtypes["indexing"], device=edges.device)
    high = xp.full_like(low, count)
    dtype = xp.result_type(edges, values)
    edges, values = xp.astype(edges, dtype, copy=False), xp.astype(values, dtype, copy=False)
    for _ in range(count.bit_length()):
        middle = (low + high) // 2
        chosen = xp.take_along_axis(edges, xp.clip(middle, 0, count - 1), axis=1)
        before = is_before(chosen, values) if side == "left" else ~is_before(values, chosen)
        before = before & (low < high)
        low, high = xp.where(before, middle + 1, low), xp.where(before, high, xp.where(low < high, middle, high))
    return low
