"""Functions of neural networks: ``xtensor.nn.functional``."""

from __future__ import annotations

from . import functional

__all__ = ["functional"]


def __dir__() -> list[str]:
    return sorted(__all__)
