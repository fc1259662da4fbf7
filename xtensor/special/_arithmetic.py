"""Arithmetic shared by the formulas: polynomials, distances to integers, products without rounding error."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _ops as xp
from .._core.array import Array

__all__ = ["exact_product", "nearest_integer", "polynomial"]


def polynomial(coefficients: Sequence[float], x: Array) -> Array:
    """Evaluate a polynomial of two or more coefficients, highest power first, by Horner's scheme."""
    value = x * coefficients[0]
    for coefficient in coefficients[1:-1]:
        value = (value + coefficient) * x
    return value + coefficients[-1]


def nearest_integer(x: Array) -> tuple[Array, Array]:
    """Return the nearest integer and the exact difference ``x - nearest``."""
    nearest = xp.round(x)
    return nearest, x - nearest


def exact_product(x: Array, y: Array) -> tuple[Array, Array]:
    """Return the rounded product ``x y`` and its rounding error (Dekker 1971), which is 0 where splitting overflows."""
    product = x * y
    x_high, x_low = _split(x)
    y_high, y_low = _split(y)
    error = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, xp.where(xp.isfinite(error), error, 0.0)


def _split(x: Array) -> tuple[Array, Array]:
    """Split a number into two halves of its significand (Veltkamp)."""
    digits = 27 if x.dtype.itemsize == 8 else 12
    scaled = x * (2.0**digits + 1)
    high = scaled - (scaled - x)
    return high, x - high
