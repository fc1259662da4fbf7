"""NumPy's keys on JAX's arrays: JAX clamps positions out of bounds, which are checked here; writes make new arrays."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from xtensor.backend import check_positions, resolved_key, split_key, without_leading_axes, written_slice

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
        source = jnp.broadcast_to(without_leading_axes(source, numbers.ndim), numbers.shape)
        return native.reshape(-1).at[numbers.reshape(-1)].set(source.reshape(-1)).reshape(native.shape)
    target = native.at[tuple(basic)]
    ndim = sum([part.__class__ is slice for part in basic])
    return target.set(without_leading_axes(source, ndim))


def _split(native: Array, key: Any) -> tuple[list[Any], list[Any]]:
    """Return a basic key, and the positions along the axes of its view; none for a basic key."""
    parts = resolved_key(key, native.shape, type(native))
    if all(part is None or part.__class__ in (int, slice) for part in parts):
        return [written_slice(part) for part in parts], []
    basic, positions = split_key(
        parts,
        native.shape,
        nonzero=jnp.nonzero,
        positions=_checked,
        constant=lambda values: jnp.asarray(np.asarray(values, np.int64)),
    )
    return [written_slice(part) for part in basic], positions


def _checked(part: Array, length: int, axis: int) -> Array:
    check_positions(part, length, axis)
    return part.astype(np.int64)
