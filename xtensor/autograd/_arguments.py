"""The arguments of transforms: which of them are differentiated, and their leaves as Arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.checks import check_function
from .._core.device import Device
from .._core.errors import describe
from .._core.levels import lifted
from .._core.trees import flatten
from ._transform import is_inexact

__all__ = ["Argnums", "arrays_of", "as_array", "check_transform", "is_learned", "positions"]

Argnums = int | Sequence[int]


def arrays_of(*trees: Any) -> list[Array]:
    """Return the Arrays in nested containers."""
    return [leaf for leaf in flatten(trees)[0] if leaf.__class__ is Array]


def check_transform(f: Any, argnums: Any, name: str) -> None:
    """Raise TypeError unless a transform of a function of some of its arguments was called with such."""
    check_function(f, name)
    numbers = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    if not all(isinstance(number, int) for number in numbers):
        raise TypeError(
            f"{name}(): argnums is an integer or a tuple of integers, not {describe(argnums)}; {name}(f) returns a "
            "function, which takes the arguments of f"
        )


def positions(argnums: Argnums, count: int, name: str) -> tuple[int, ...]:
    """Return the numbers of the differentiated arguments."""
    chosen = []
    for number in (argnums,) if isinstance(argnums, int) else argnums:
        if not -count <= number < count:
            raise ValueError(
                f"{name}(): argnums names argument {describe(number)}, but the function was called with {count} "
                "positional arguments; arguments to differentiate are passed by position"
            )
        chosen.append(number % count)
    return tuple(chosen)


def as_array(leaf: Any, name: str, device: Device) -> Array:
    """Return a leaf of a differentiated argument as an Array of a device, of a floating-point dtype."""
    if leaf.__class__ in (float, complex) or isinstance(leaf, np.floating):
        return xp.asarray(leaf, device=device)
    if isinstance(leaf, np.ndarray):
        leaf = xp.asarray(leaf, device=device)
    if leaf.__class__ is not Array:
        raise TypeError(f"{name}() differentiates with respect to Arrays and floats, not {describe(leaf)}")
    if not is_inexact(leaf.dtype):
        raise TypeError(
            f"{name}() differentiates with respect to floating-point Arrays, not dtype {leaf.dtype}; cast it with "
            "xtensor.astype(x, xtensor.float64), or leave the argument out of argnums"
        )
    return leaf if leaf._device is device else lifted(leaf, device)


def is_learned(leaf: Any, flag: bool | None) -> bool:
    """Whether a leaf is differentiated: of an object's Arrays, those of floating point it learns.

    ``flag`` is that of :meth:`~xtensor._core.trees.Tree.learned`.
    """
    return flag is None or (flag and is_inexact(leaf.dtype))
