"""Words of the docstrings of functions over one, two and three spatial axes."""

from __future__ import annotations

__all__ = ["SPATIAL"]

SPATIAL = {
    1: {"spatial": "l", "kernel": "k", "axes": "1"},
    2: {"spatial": "h, w", "kernel": "k₁, k₂", "axes": "2"},
    3: {"spatial": "d, h, w", "kernel": "k₁, k₂, k₃", "axes": "3"},
}
"""The lengths of the spatial axes and of a window, as shapes name them, by the number of axes."""
