"""einops backend: functions such as ``einops.rearrange(x, …)`` accept Arrays.

einops discovers the subclasses of its ``AbstractBackend`` and asks each whether it recognises a tensor. Programs need
not import this module: :mod:`xtensor._integration` does it when einops is imported. ``einops.array_api`` accepts Arrays
without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from einops._backends import AbstractBackend

import xtensor as xp

__all__ = ["EinopsBackend"]


def __dir__() -> list[str]:
    return __all__


class EinopsBackend(AbstractBackend):  # type: ignore[misc]
    """The operations that einops requires, computed on the device of each Array."""

    framework_name = "xtensor"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Tell whether a tensor is an Array."""
        return isinstance(tensor, xp.Array)

    def from_numpy(self, x: np.ndarray[Any, Any]) -> xp.Array:
        """Convert a NumPy array to an Array on the default device."""
        return xp.asarray(x)

    def to_numpy(self, x: xp.Array) -> np.ndarray[Any, Any]:
        """Copy the values to the host, for ``einops.asnumpy``."""
        return np.asarray(x.to_device("cpu"))

    def arange(self, start: int, stop: int) -> xp.Array:
        """Return the integers in the half-open interval ``[start, stop)``."""
        return xp.arange(start, stop)

    def reshape(self, x: xp.Array, shape: Sequence[int]) -> xp.Array:
        """Change the shape."""
        return xp.reshape(x, tuple(shape))

    def transpose(self, x: xp.Array, axes: Sequence[int]) -> xp.Array:
        """Permute the axes."""
        return xp.permute_dims(x, tuple(axes))

    def reduce(self, x: xp.Array, operation: str, axes: Sequence[int]) -> xp.Array:
        """Reduce over axes by the namespace's function of the given name."""
        result: xp.Array = getattr(xp, operation)(x, axis=tuple(axes))
        return result

    def stack_on_zeroth_dimension(self, tensors: list[xp.Array]) -> xp.Array:
        """Stack Arrays of equal shape along a new first axis."""
        return xp.stack(tensors)

    def add_axis(self, x: xp.Array, new_position: int) -> xp.Array:
        """Insert an axis of length 1."""
        return xp.expand_dims(x, axis=new_position)

    def tile(self, x: xp.Array, repeats: Sequence[int]) -> xp.Array:
        """Repeat the array along each axis."""
        return xp.tile(x, tuple(repeats))

    def concat(self, tensors: list[xp.Array], axis: int) -> xp.Array:
        """Concatenate Arrays along an axis."""
        return xp.concat(tensors, axis=axis)

    def is_float_type(self, x: xp.Array) -> bool:
        """Tell whether the dtype is real or complex floating-point."""
        return bool(xp.isdtype(x.dtype, ("real floating", "complex floating")))

    def einsum(self, pattern: str, *x: xp.Array) -> xp.Array:
        """Evaluate an einsum pattern."""
        return xp.einsum(pattern, *x)
