"""Boolean logic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._core.backend import Native
from .._composing import NativeOperand
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray
    from ..._core.array import Array

__all__ = ["logical_and", "logical_not", "logical_or", "logical_xor"]


def _truth(xp: Any, x: NativeOperand) -> Any:
    """Whether an operand is not 0."""
    if not hasattr(x, "dtype"):
        return bool(x)
    return x if x.dtype.kind == "b" else xp.bitwise_invert(xp.equal(x, 0))


def _compose_logical_and(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return xp.bitwise_and(_truth(xp, x1), _truth(xp, x2))


@binary(accepts="boolean", dtype="bool", composition=_compose_logical_and)
def logical_and(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Logical AND: return whether both operands are true.

    Parameters
    ----------
    x1, x2
        Arrays of dtype ``bool`` whose shapes broadcast. One operand may be a Python bool. Where a device accepts
        other dtypes, zero is false and any other value is true.

    Returns
    -------
    Array
        The truth values, with the broadcast shape and dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, an operand is neither an Array nor a scalar, or the device does not accept a dtype.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_and``.
    """


def _compose_logical_not(xp: Any, x: Native) -> Native:
    return xp.bitwise_invert(_truth(xp, x))


@unary(accepts="boolean", dtype="bool", composition=_compose_logical_not)
def logical_not(x: AnyArray, /) -> Array:
    """Logical NOT: return whether ``x`` is false.

    Parameters
    ----------
    x
        Array of any shape and dtype ``bool``. Where a device accepts other dtypes, zero is false and any other value
        is true.

    Returns
    -------
    Array
        The truth values, with the shape of ``x`` and dtype ``bool``.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_not``.
    """


def _compose_logical_or(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return xp.bitwise_or(_truth(xp, x1), _truth(xp, x2))


@binary(accepts="boolean", dtype="bool", composition=_compose_logical_or)
def logical_or(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Logical OR: return whether at least one operand is true.

    Parameters
    ----------
    x1, x2
        Arrays of dtype ``bool`` whose shapes broadcast. One operand may be a Python bool. Where a device accepts
        other dtypes, zero is false and any other value is true.

    Returns
    -------
    Array
        The truth values, with the broadcast shape and dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, an operand is neither an Array nor a scalar, or the device does not accept a dtype.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_or``.
    """


def _compose_logical_xor(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return xp.bitwise_invert(xp.equal(_truth(xp, x1), _truth(xp, x2)))


@binary(accepts="boolean", dtype="bool", composition=_compose_logical_xor)
def logical_xor(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Logical exclusive OR: return whether exactly one operand is true.

    Parameters
    ----------
    x1, x2
        Arrays of dtype ``bool`` whose shapes broadcast. One operand may be a Python bool. Where a device accepts
        other dtypes, zero is false and any other value is true.

    Returns
    -------
    Array
        The truth values, with the broadcast shape and dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, an operand is neither an Array nor a scalar, or the device does not accept a dtype.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_xor``.
    """
