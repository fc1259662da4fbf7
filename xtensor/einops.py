"""Plain einops for Arrays: ``import xtensor.einops``, once, and ``einops.rearrange(x, …)`` takes them.

einops finds the subclasses of its ``AbstractBackend``, and asks each for the arrays that it knows. A subclass needs
einops to be imported, which ``import xtensor`` does not do, so this module is imported by name. ``einops.array_api``
takes Arrays without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from einops._backends import AbstractBackend

import xtensor as xp

__all__ = ["EinopsBackend"]


class EinopsBackend(AbstractBackend):  # type: ignore[misc]
    """What einops asks of a library, on the device of each Array."""

    framework_name = "xtensor"

    def is_appropriate_type(self, tensor: Any) -> bool:
        """Whether this is an Array."""
        return isinstance(tensor, xp.Array)

    def from_numpy(self, x: np.ndarray[Any, Any]) -> xp.Array:
        """An Array on the default device."""
        return xp.asarray(x)

    def to_numpy(self, x: xp.Array) -> np.ndarray[Any, Any]:
        """The values on the host, for ``einops.asnumpy``, which asks for them."""
        return np.asarray(x.to_device("cpu"))

    def arange(self, start: int, stop: int) -> xp.Array:
        """Consecutive integers."""
        return xp.arange(start, stop)

    def reshape(self, x: xp.Array, shape: Sequence[int]) -> xp.Array:
        """The elements in another shape."""
        return xp.reshape(x, tuple(shape))

    def transpose(self, x: xp.Array, axes: Sequence[int]) -> xp.Array:
        """The axes in another order."""
        return xp.permute_dims(x, tuple(axes))

    def reduce(self, x: xp.Array, operation: str, axes: Sequence[int]) -> xp.Array:
        """The namespace's function of this name, over some axes."""
        result: xp.Array = getattr(xp, operation)(x, axis=tuple(axes))
        return result

    def stack_on_zeroth_dimension(self, tensors: list[xp.Array]) -> xp.Array:
        """Arrays of one shape along a new first axis."""
        return xp.stack(tensors)

    def add_axis(self, x: xp.Array, new_position: int) -> xp.Array:
        """A new axis of length 1."""
        return xp.expand_dims(x, axis=new_position)

    def tile(self, x: xp.Array, repeats: Sequence[int]) -> xp.Array:
        """The array repeated along each axis."""
        return xp.tile(x, tuple(repeats))

    def concat(self, tensors: list[xp.Array], axis: int) -> xp.Array:
        """Arrays one after the other along an axis."""
        return xp.concat(tensors, axis=axis)

    def is_float_type(self, x: xp.Array) -> bool:
        """Whether the elements have a mean of their own dtype."""
        return bool(xp.isdtype(x.dtype, ("real floating", "complex floating")))

    def einsum(self, pattern: str, *x: xp.Array) -> xp.Array:
        """The sum of products that the subscripts say."""
        return xp.einsum(pattern, *x)
