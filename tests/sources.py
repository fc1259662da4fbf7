"""Operands drawn once and made on several devices: values of a dtype's whole range in every memory layout."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

import xtensor as xp

LAYOUTS = ("plain", "plain", "strided", "reversed", "transposed", "broadcast", "part")


@dataclass(frozen=True, repr=False)
class Source:
    """Values and memory layout of an operand."""

    base: np.ndarray[Any, Any]
    layout: str

    def on(self, device: xp.Device) -> xp.Array:
        """Return the operand on a device."""
        return view(xp, xp.asarray(self.base, copy=True, device=device), self.layout)  # type: ignore[no-any-return]

    @property
    def host(self) -> np.ndarray[Any, Any]:
        """The operand as a NumPy array, in memory of its own."""
        return view(np, self.base.copy(), self.layout)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        host = self.host
        return f"{self.layout} {host.dtype}{list(host.shape)} {host.tolist()}"


def source(rng: Random, dtype: Any, shape: tuple[int, ...], values: Callable[[Random, Any], Any]) -> Source:
    """Draw an operand of a dtype and a shape."""
    layout = rng.choice(LAYOUTS)
    lengths = shape
    if layout == "strided":
        lengths = tuple(2 * length for length in shape)
    elif layout == "transposed":
        lengths = shape[::-1]
    elif layout == "broadcast":
        lengths = tuple(1 if axis == 0 else length for axis, length in enumerate(shape))
        if not shape or not shape[0]:
            layout, lengths = "plain", shape
        else:
            layout = f"broadcast {shape[0]}"
    elif layout == "part":
        lengths = tuple(length + 2 for length in shape)
    base = np.empty(lengths, dtype)
    flat = base.reshape(-1)
    for position in range(flat.size):
        flat[position] = values(rng, base.dtype)
    return Source(base, layout)


def view(namespace: Any, x: Any, layout: str) -> Any:
    """Return the part of an array that is an operand of a layout."""
    if layout == "strided":
        return x[(*(slice(None, None, 2),) * x.ndim, ...)]
    if layout == "reversed":
        return x[(*(slice(None, None, -1),) * x.ndim, ...)]
    if layout == "transposed":
        return namespace.permute_dims(x, tuple(range(x.ndim))[::-1])
    if layout == "part":
        return x[(*(slice(1, -1),) * x.ndim, ...)]
    if layout.startswith("broadcast"):
        return namespace.broadcast_to(x, (int(layout.partition(" ")[2]), *x.shape[1:]))
    return x


def ascending(x: Source) -> Source:
    """Sort a vector, NaN last, as ``searchsorted`` requires."""
    return Source(np.sort(x.host, axis=-1) if x.host.ndim else x.host, "plain")


# -- values of elements -----------------------------------------------------------------------------------------------


def hostile(rng: Random, dtype: Any) -> Any:
    """Draw a value from a dtype's whole range: limits, subnormal numbers, NaN, infinities and zeros of both signs."""
    if dtype.kind == "b":
        return rng.random() < 0.5
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = [0, 1, 2, 3, 7, int(limits.max), int(limits.max) - 1, int(limits.min), int(limits.max) // 2]
        values += [-1, -2, -5, int(limits.min) + 1] if dtype.kind == "i" else []
        values += [2**53, 2**53 + 1] if dtype.itemsize == 8 else []
        return rng.choice(values)
    if dtype.kind == "c":
        part = np.empty(0, dtype).real.dtype
        return complex(hostile(rng, part), hostile(rng, part))
    limits = np.finfo(dtype)
    ordinary = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.5, 3.0, 7.25, -100.0]
    extreme = [math.nan, math.inf, -math.inf, float(limits.max), -float(limits.max)]
    extreme += [float(limits.smallest_subnormal), -float(limits.smallest_subnormal), float(limits.smallest_normal)]
    extreme += [float(limits.eps), 1 + float(limits.eps), 2.0 ** (limits.nmant + 1), 2.0 ** (limits.nmant + 1) - 1]
    return rng.choice(ordinary if rng.random() < 0.5 else extreme)


def modest(rng: Random, dtype: Any) -> Any:
    """Draw a small number, of which sums and products are exact, or rarely NaN, an infinity or a negative zero."""
    if dtype.kind == "b":
        return rng.random() < 0.5
    if dtype.kind in "iu":
        return rng.choice([0, 1, 2, 3, 5] + ([-1, -2, -3] if dtype.kind == "i" else []))
    if dtype.kind == "c":
        part = np.empty(0, dtype).real.dtype
        return complex(modest(rng, part), modest(rng, part))
    if rng.random() < 0.12:
        return rng.choice([math.nan, math.inf, -math.inf, -0.0])
    return rng.choice([0.0, 1.0, -1.0, 0.5, -1.5, 2.0, -2.5, 3.0, 4.0])


def finite(rng: Random, dtype: Any) -> Any:
    """Draw a small number, of which sums and products are exact."""
    value = modest(rng, dtype)
    while not np.isfinite(value):
        value = modest(rng, dtype)
    return value
