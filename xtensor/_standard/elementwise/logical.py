"""Logical functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.array import Array

__all__ = ["logical_and", "logical_not", "logical_or", "logical_xor"]


@binary(accepts="boolean", dtype="bool", composition=composed.logical_and)
def logical_and(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether both operands are true.

    Parameters
    ----------
    x1, x2
        Arrays of the boolean dtype that broadcast; one of them may be a Python bool. In other dtypes 0 is
        False and all else True.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_and``.
    """


@unary(accepts="boolean", dtype="bool", composition=composed.logical_not)
def logical_not(x: Array, /) -> Array:
    """Whether ``x`` is false.

    Parameters
    ----------
    x
        Array of the boolean dtype. In other dtypes 0 is False and all else True.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_not``.
    """


@binary(accepts="boolean", dtype="bool", composition=composed.logical_or)
def logical_or(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether an operand is true, or both are.

    Parameters
    ----------
    x1, x2
        Arrays of the boolean dtype that broadcast; one of them may be a Python bool. In other dtypes 0 is
        False and all else True.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_or``.
    """


@binary(accepts="boolean", dtype="bool", composition=composed.logical_xor)
def logical_xor(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether one operand is true and the other is not.

    Parameters
    ----------
    x1, x2
        Arrays of the boolean dtype that broadcast; one of them may be a Python bool. In other dtypes 0 is
        False and all else True.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_xor``.
    """
