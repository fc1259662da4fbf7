"""The counterpart of ``numpy.lib``: xarray looks for ``lib.stride_tricks.sliding_window_view``."""

from __future__ import annotations

from . import stride_tricks

__all__ = ["stride_tricks"]


def __dir__() -> list[str]:
    return __all__
