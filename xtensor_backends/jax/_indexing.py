"""NumPy's keys on JAX's arrays: JAX clamps positions out of bounds, which are checked here; writes make new arrays."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from xtensor.backend import resolved_key, split_key

from ._operands import Array, cast, number, with_x64

__all__ = ["getitem", "setitem"]


@with_x64
def getitem(native: Array, key: Any) -> Array:
    """Return ``native[key]``, a new array."""
    basic, positions = _split(native, key)
    view = native[tuple(basic)]
    return view[tuple(positions)] if positions else view


@with_x64
def setitem(native: Array, key: Any, value: Any) -> Array:
    """Return the array with a value assigned to ``native[key]``."""
    basic, positions = _split(native, key)
    source = cast(value, native.dtype) if hasattr(value, "dtype") else jnp.asarray(number(value, native.dtype))
    if any(part is None for part in basic) or positions:
        # Assignments by positions, of elements numbered in the order of the memory.
        numbers = jnp.arange(native.size).reshape(native.shape)[tuple(basic)]
        numbers = numbers[tuple(positions)] if positions else numbers
        source = jnp.broadcast_to(_without_leading_axes(source, numbers.ndim), numbers.shape)
        return native.reshape(-1).at[numbers.reshape(-1)].set(source.reshape(-1)).reshape(native.shape)
    target = native.at[tuple(basic)]
    ndim = sum([part.__class__ is slice for part in basic])
    return target.set(_without_leading_axes(source, ndim))


def _split(native: Array, key: Any) -> tuple[list[Any], list[Any]]:
    """Return a basic key, and the positions along the axes of its view; none for a basic key."""
    parts = resolved_key(key, native.shape, type(native))
    if all(part is None or part.__class__ in (int, slice) for part in parts):
        return [_as_written(part) for part in parts], []
    basic, positions = split_key(
        parts,
        native.shape,
        nonzero=jnp.nonzero,
        positions=_checked,
        constant=lambda values: jnp.asarray(np.asarray(values, np.int64)),
    )
    return [_as_written(part) for part in basic], positions


def _as_written(part: Any) -> Any:
    """Return a resolved slice as Python writes it: its stop before the first element is None."""
    if part.__class__ is slice and part.step < 0 and part.stop < 0:
        return slice(part.start, None, part.step) if part.start >= 0 else slice(0, 0, 1)
    return part


def _checked(part: Array, length: int, axis: int) -> Array:
    """Return positions as int64; IndexError where one is out of bounds. Blocks until the device has finished."""
    if part.size:
        lowest, highest = int(part.min()), int(part.max())
        if lowest < -length or highest >= length:
            wrong = highest if highest >= length else lowest
            raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {length}")
    return part.astype(np.int64)


def _without_leading_axes(x: Array, ndim: int) -> Array:
    """Return a value to assign without leading axes of length 1 beyond ``ndim`` axes."""
    while x.ndim > ndim and x.shape[0] == 1:
        x = x[0]
    return x
