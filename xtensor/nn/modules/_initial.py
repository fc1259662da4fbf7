"""Initial values of parameters: drawn from a generator, of a dtype and on a device."""

from __future__ import annotations

import math
from typing import Any

from ... import _ops as xp
from ..._core.array import Array
from ..._core.device import Device
from ..._core.devices import resolve
from ..._core.errors import describe
from ...random import Generator, default_rng

__all__ = ["Initial", "Rng"]

Rng = Generator | int | None
"""A generator of random numbers, or a seed; None for a seed of the operating system."""


class Initial:
    """Makes the initial values of a layer's parameters.

    Parameters
    ----------
    rng
        Generator, or its seed.
    device
        Device of the parameters. Default: the generator's, else the default device.
    dtype
        Their dtype. Default: float32.
    """

    def __init__(self, rng: Rng, device: str | Device | None, dtype: Any) -> None:
        if rng is not None and not isinstance(rng, (int, Generator)):
            raise TypeError(f"rng= is a generator of xtensor.random.default_rng, a seed or None, not {describe(rng)}")
        given = rng.device if isinstance(rng, Generator) else None
        self.device = resolve(device) if device is not None or given is None else given
        self._seed = rng
        self.dtype = xp.float32 if dtype is None else dtype

    @property
    def rng(self) -> Generator:
        """The generator, which is made at its first use."""
        if not isinstance(self._seed, Generator):
            self._seed = default_rng(self._seed, device=self.device)
        return self._seed

    @property
    def options(self) -> dict[str, Any]:
        """Keyword arguments of a layer that continues the generator."""
        return {"rng": self.rng, "device": self.device, "dtype": self.dtype}

    def convert(self, x: Array) -> Array:
        """Return numbers in the dtype and on the device of the parameters."""
        return xp.astype(x, self.dtype, copy=False).to_device(self.device)

    def uniform(self, bound: float, shape: tuple[int, ...]) -> Array:
        """Return numbers of [-bound, bound)."""
        return self.convert(self.rng.uniform(-bound, bound, shape))

    def by_inputs(self, inputs: int, shape: tuple[int, ...]) -> Array:
        r"""Return numbers of :math:`[-1/\sqrt n, 1/\sqrt n)` for n inputs."""
        return self.uniform(1 / math.sqrt(inputs) if inputs else 0.0, shape)

    def normal(self, shape: tuple[int, ...]) -> Array:
        """Return normally distributed numbers."""
        return self.convert(self.rng.standard_normal(shape))

    def zeros(self, shape: tuple[int, ...]) -> Array:
        return xp.zeros(shape, dtype=self.dtype, device=self.device)

    def ones(self, shape: tuple[int, ...]) -> Array:
        return xp.ones(shape, dtype=self.dtype, device=self.device)
