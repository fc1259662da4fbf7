"""Functions of bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.array import Array

__all__ = ["bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor"]


@binary(accepts="integer or boolean", operator="and_")
def bitwise_and(x1: Array | int, x2: Array | int, /) -> Array:
    """The bits that are set in both operands, ``x1 & x2``.

    Parameters
    ----------
    x1, x2
        Arrays of boolean or integer dtypes that broadcast; one of them may be a Python bool or int.

    Returns
    -------
    Array
        The bits, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_and``.
    """


@unary(accepts="integer or boolean", operator="invert")
def bitwise_invert(x: Array, /) -> Array:
    """The bits of ``x`` flipped, ``~x``; of a boolean, its negation.

    Parameters
    ----------
    x
        Array of a boolean or integer dtype.

    Returns
    -------
    Array
        The bits, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_invert``.
    """


@binary(accepts="integer", operator="lshift")
def bitwise_left_shift(x1: Array | int, x2: Array | int, /) -> Array:
    r"""The bits of ``x1`` moved up by ``x2`` places, :math:`x_1 \cdot 2^{x_2}` within the dtype.

    Parameters
    ----------
    x1
        The bits: array of an integer dtype, or a Python int.
    x2
        How many places, 0 or more: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The shifted bits, with zeros in the places that fell free, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    The result of a negative number of places is open.

    Standard 2025.12, Element-wise Functions, ``bitwise_left_shift``.
    """


@binary(accepts="integer or boolean", operator="or_")
def bitwise_or(x1: Array | int, x2: Array | int, /) -> Array:
    """The bits that are set in either operand or both, ``x1 | x2``.

    Parameters
    ----------
    x1, x2
        Arrays of boolean or integer dtypes that broadcast; one of them may be a Python bool or int.

    Returns
    -------
    Array
        The bits, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_or``.
    """


@binary(accepts="integer", operator="rshift")
def bitwise_right_shift(x1: Array | int, x2: Array | int, /) -> Array:
    r"""The bits of ``x1`` moved down by ``x2`` places, :math:`\lfloor x_1 / 2^{x_2} \rfloor`.

    Parameters
    ----------
    x1
        The bits: array of an integer dtype, or a Python int.
    x2
        How many places, 0 or more: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The shifted bits, with copies of the sign bit in the places that fell free, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    The result of a negative number of places is open.

    Standard 2025.12, Element-wise Functions, ``bitwise_right_shift``.
    """


@binary(accepts="integer or boolean", operator="xor", composition=composed.bitwise_xor)
def bitwise_xor(x1: Array | int, x2: Array | int, /) -> Array:
    """The bits that are set in one operand and not in the other, ``x1 ^ x2``.

    Parameters
    ----------
    x1, x2
        Arrays of boolean or integer dtypes that broadcast; one of them may be a Python bool or int.

    Returns
    -------
    Array
        The bits, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_xor``.
    """
