"""Checks of the arguments of linear algebra functions; errors name the function, the value and the remedy."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.array import Array
from .._core.device import Device
from .._core.errors import describe
from .._core.operands import array_argument, native_operand

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["check_broadcast", "check_matrices", "check_square_matrices", "tolerance_option"]


def check_matrices(x: AnyArray, name: str, words: str = "") -> tuple[Array, Device]:
    """Return an argument that must have two or more dimensions as an Array, and its device.

    ``words`` is the beginning of the message of a ValueError; without it the error is LinAlgError with NumPy's words.
    """
    x = array_argument(x, name)
    device = x._device
    if x._native.ndim < 2:
        raise (ValueError if words else np.linalg.LinAlgError)(
            f"{words or f'{x.ndim}-dimensional array given. Array must be at least two-dimensional'}; "
            f"{name}() needs matrices, in an array of two or more dimensions, not shape {x.shape}; "
            "add axes with xtensor.expand_dims"
        )
    return x, device


def check_square_matrices(x: AnyArray, name: str) -> tuple[Array, Device]:
    """Return an argument whose last two axes must have the same length as an Array, and its device."""
    x, device = check_matrices(x, name)
    rows, columns = x._native.shape[-2:]
    if rows != columns:
        raise np.linalg.LinAlgError(
            "Last 2 dimensions of the array must be square; "
            f"{name}() needs square matrices, of shape (..., M, M), not shape {x.shape}"
        )
    return x, device


def check_broadcast(shape1: tuple[int, ...], shape2: tuple[int, ...], name: str) -> tuple[int, ...]:
    """Return the broadcast shape of two shapes."""
    if shape1 == shape2:
        return shape1
    try:
        return np.broadcast_shapes(shape1, shape2)
    except ValueError:
        raise ValueError(
            f"shape mismatch: objects cannot be broadcast to a single shape; {name}(): shapes {shape1} and {shape2} do "
            "not broadcast; lengths must be equal, or one of them 1"
        ) from None


def tolerance_option(rtol: Any, x: Array, name: str) -> dict[str, Any]:
    """Return the native function's keyword argument for a relative tolerance; no argument for the default."""
    if rtol is None:
        return {}
    if isinstance(rtol, Real) and not isinstance(rtol, bool):
        return {"rtol": float(rtol)}
    if not isinstance(rtol, Array) or rtol.dtype.kind in "biuc":
        kind = f"an Array of dtype {rtol.dtype}" if isinstance(rtol, Array) else describe(rtol)
        raise TypeError(f"{name}(): rtol is a real number or a real floating-point Array, not {kind}")
    if check_broadcast(rtol.shape, x.shape[:-2], name) != x.shape[:-2]:
        raise ValueError(
            f"{name}(): rtol of shape {rtol.shape} does not broadcast to the matrices of shape {x.shape}; "
            f"it needs shape {x.shape[:-2]}, or give one number"
        )
    return {"rtol": native_operand(rtol, x._device, name)}
