"""Bits and divisors of integers, with NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.backend import Native
from .._composing import NativeOperand, cast, integer_dtype, loop_dtype
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, IntegerOperand
    from ..._core.array import Array

__all__ = ["bitwise_count", "gcd", "lcm"]


def _magnitude(xp: Any, x: Native) -> Native:
    """The absolute values of integers as unsigned integers, those of the least integer included."""
    if x.dtype.kind == "u":
        return x
    # The negative of the least integer is itself, which the cast wraps to its absolute value.
    return xp.astype(xp.where(xp.less(x, 0), xp.negative(x), x), np.dtype(f"u{x.dtype.itemsize}"))


def _compose_bitwise_count(xp: Any, x: Native) -> Native:
    """Counts of neighbouring groups of bits are added, in groups of twice the size each time."""
    (x,) = cast(xp, integer_dtype("bitwise_count", x), x)
    counts = _magnitude(xp, x)
    bits = 8 * counts.dtype.itemsize
    size = 1
    while size < bits:
        # The mask selects every other group of ``size`` bits.
        mask = ((1 << bits) - 1) // ((1 << size) + 1)
        upper = xp.bitwise_and(xp.bitwise_right_shift(counts, size), mask)
        counts = xp.add(xp.bitwise_and(counts, mask), upper)
        size *= 2
    return xp.astype(counts, np.dtype(np.uint8), copy=False)


@unary(accepts="integer", dtype="byte", composition=_compose_bitwise_count)
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


def _ones(xp: Any, x: Native) -> Native:
    return xp.full((), 1, dtype=x.dtype)


def _gcd(xp: Any, a: Native, b: Native) -> Native:
    """Euclid's algorithm, with as many steps as the dtype's largest operands may need.

    The number of steps is the largest for neighbours of Fibonacci's sequence (Lamé).
    """
    one, largest = _ones(xp, a), 2 ** (8 * a.dtype.itemsize)
    previous, current = 1, 1
    while previous < largest:
        previous, current = current, previous + current
        done = xp.equal(b, 0)
        remainder = xp.remainder(a, xp.where(done, one, b))
        a, b = xp.where(done, a, b), xp.where(done, b, remainder)
    return a


def _compose_gcd(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    dtype = loop_dtype("gcd", "iu", x1, x2)
    a, b = (_magnitude(xp, x) for x in cast(xp, dtype, x1, x2))
    return xp.astype(_gcd(xp, a, b), dtype, copy=False)


@binary(accepts="integer", composition=_compose_gcd)
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


def _compose_lcm(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    """``a / gcd(a, b) * b``, which wraps around where it exceeds the dtype, as in NumPy."""
    dtype = loop_dtype("lcm", "iu", x1, x2)
    a, b = (_magnitude(xp, x) for x in cast(xp, dtype, x1, x2))
    divisor = xp.maximum(_gcd(xp, a, b), _ones(xp, a))
    return xp.astype(xp.multiply(xp.floor_divide(a, divisor), b), dtype, copy=False)


@binary(accepts="integer", composition=_compose_lcm)
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
