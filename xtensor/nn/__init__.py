"""Functions of neural networks: :mod:`xtensor.nn.functional`."""

from __future__ import annotations

from . import functional

__all__ = ["functional"]
