"""The place where xarray looks for sliding windows, ``xtensor.lib.stride_tricks``, as NumPy has it."""

from __future__ import annotations

from . import stride_tricks

__all__ = ["stride_tricks"]
