"""Bitwise logic and shifts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._core.backend import Native
from .._composing import NativeOperand
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, IntegerOperand
    from ..._core.array import Array

__all__ = ["bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor"]


@binary(accepts="integer or boolean", operator="and_")
def bitwise_and(x1: IntegerOperand, x2: IntegerOperand, /) -> Array:
    """Bitwise AND, ``x1 & x2``.

    Parameters
    ----------
    x1, x2
        Arrays of boolean or integer dtypes whose shapes broadcast. One operand may be a Python bool or int.

    Returns
    -------
    Array
        The results, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_and``.
    """


@unary(accepts="integer or boolean", operator="invert")
def bitwise_invert(x: AnyArray, /) -> Array:
    """Bitwise NOT, ``~x``; for booleans, the negation.

    Parameters
    ----------
    x
        Array of any shape and a boolean or integer dtype.

    Returns
    -------
    Array
        The results, with the shape and dtype of ``x``.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_invert``.
    """


@binary(accepts="integer", operator="lshift")
def bitwise_left_shift(x1: IntegerOperand, x2: IntegerOperand, /) -> Array:
    r"""Left shift by ``x2`` bits, :math:`x_1 \cdot 2^{x_2}` modulo the range of the dtype.

    Parameters
    ----------
    x1
        Integers to shift: an array of an integer dtype, or a Python int.
    x2
        Shift distances in bits, nonnegative: an array of an integer dtype that broadcasts with ``x1``, or a Python
        int. At least one operand is an Array.

    Returns
    -------
    Array
        The shifted integers, with zeros in the vacated low bits, the broadcast shape and the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, an operand is neither an Array nor a scalar, or the device does not accept a dtype.
    ValueError
        If the shapes do not broadcast, or the device does not accept negative shifts.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.
    OverflowError
        If a Python integer does not fit the dtype it is converted to.

    Notes
    -----
    The standard does not specify the result of a negative shift.

    Standard 2025.12, Element-wise Functions, ``bitwise_left_shift``.
    """


@binary(accepts="integer or boolean", operator="or_")
def bitwise_or(x1: IntegerOperand, x2: IntegerOperand, /) -> Array:
    """Bitwise OR, ``x1 | x2``.

    Parameters
    ----------
    x1, x2
        Arrays of boolean or integer dtypes whose shapes broadcast. One operand may be a Python bool or int.

    Returns
    -------
    Array
        The results, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_or``.
    """


@binary(accepts="integer", operator="rshift")
def bitwise_right_shift(x1: IntegerOperand, x2: IntegerOperand, /) -> Array:
    r"""Arithmetic right shift by ``x2`` bits, :math:`\lfloor x_1 / 2^{x_2} \rfloor`.

    Parameters
    ----------
    x1
        Integers to shift: an array of an integer dtype, or a Python int.
    x2
        Shift distances in bits, nonnegative: an array of an integer dtype that broadcasts with ``x1``, or a Python
        int. At least one operand is an Array.

    Returns
    -------
    Array
        The shifted integers, with copies of the sign bit in the vacated high bits, the broadcast shape and the
        promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, an operand is neither an Array nor a scalar, or the device does not accept a dtype.
    ValueError
        If the shapes do not broadcast, or the device does not accept negative shifts.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.
    OverflowError
        If a Python integer does not fit the dtype it is converted to.

    Notes
    -----
    The standard does not specify the result of a negative shift.

    Standard 2025.12, Element-wise Functions, ``bitwise_right_shift``.
    """


def _compose_bitwise_xor(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return xp.bitwise_and(xp.bitwise_or(x1, x2), xp.bitwise_invert(xp.bitwise_and(x1, x2)))


@binary(accepts="integer or boolean", operator="xor", composition=_compose_bitwise_xor)
def bitwise_xor(x1: IntegerOperand, x2: IntegerOperand, /) -> Array:
    """Bitwise exclusive OR, ``x1 ^ x2``.

    Parameters
    ----------
    x1, x2
        Arrays of boolean or integer dtypes whose shapes broadcast. One operand may be a Python bool or int.

    Returns
    -------
    Array
        The results, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_xor``.
    """
