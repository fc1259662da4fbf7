"""Random numbers, the same on every device: ``rng = xtensor.random.default_rng(seed)``.

>>> import xtensor as xp
>>> rng = xp.random.default_rng(42, device="cpu")
>>> rng.integers(0, 10, 5)
Array([8, 4, 7, 2, 6])
"""

from __future__ import annotations

from ._generator import Generator, default_rng
from ._philox import Philox

__all__ = ["Generator", "Philox", "default_rng"]


def __dir__() -> list[str]:
    return sorted(__all__)
