"""The table of derivatives, by subject. Importing this package fills it."""

from __future__ import annotations

from . import connections, decompositions, elementwise, fourier, networks, products, reductions, shapes, special

__all__ = [
    "connections",
    "decompositions",
    "elementwise",
    "fourier",
    "networks",
    "products",
    "reductions",
    "shapes",
    "special",
]
