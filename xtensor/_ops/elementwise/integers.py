"""Bits and divisors of integers, with NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import beyond as composed
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, IntegerOperand
    from ..._core.array import Array

__all__ = ["bitwise_count", "gcd", "lcm"]


@unary(accepts="integer", dtype="byte", composition=composed.bitwise_count)
def bitwise_count(x: AnyArray, /) -> Array:
    r"""Number of bits that are 1 in the absolute value.

    Parameters
    ----------
    x
        Array of integers or booleans.

    Returns
    -------
    Array
        The counts, with the shape of ``x`` and dtype uint8.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    The absolute value of the least integer of a signed dtype has one such bit.

    NumPy, ``bitwise_count``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.bitwise_count(xp.asarray([255, -7]))
    Array([8, 3], dtype=uint8)
    """


@binary(accepts="integer", composition=composed.gcd)
def gcd(x1: IntegerOperand, x2: IntegerOperand, /) -> Array:
    r"""Greatest common divisor of the absolute values.

    Parameters
    ----------
    x1, x2
        Arrays of integer or boolean dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The divisors, with the broadcast shape and the promoted dtype. Booleans give int8.

    Raises
    ------
    TypeError
        If no operand is an Array, or NumPy has no loop for the dtypes.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.

    Notes
    -----
    ``gcd(0, x)`` is ``abs(x)``. Computed by Euclid's algorithm, in a number of steps that depends on the dtype alone,
    where the device has no function of its own.

    NumPy, ``gcd``.
    """


@binary(accepts="integer", composition=composed.lcm)
def lcm(x1: IntegerOperand, x2: IntegerOperand, /) -> Array:
    r"""Least common multiple of the absolute values.

    Parameters
    ----------
    x1, x2
        Arrays of integer or boolean dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The multiples, with the broadcast shape and the promoted dtype. Booleans give int8.

    Raises
    ------
    TypeError
        If no operand is an Array, or NumPy has no loop for the dtypes.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.

    Notes
    -----
    0 if an operand is 0. A multiple that the dtype does not hold wraps around.

    NumPy, ``lcm``.
    """
