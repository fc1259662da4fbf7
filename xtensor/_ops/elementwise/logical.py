"""Boolean logic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray
    from ..._core.array import Array

__all__ = ["logical_and", "logical_not", "logical_or", "logical_xor"]


@binary(accepts="boolean", dtype="bool", composition=composed.logical_and)
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


@unary(accepts="boolean", dtype="bool", composition=composed.logical_not)
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

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or the device does not accept its dtype.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_not``.
    """


@binary(accepts="boolean", dtype="bool", composition=composed.logical_or)
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


@binary(accepts="boolean", dtype="bool", composition=composed.logical_xor)
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
