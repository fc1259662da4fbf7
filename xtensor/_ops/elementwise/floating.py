"""Classification and manipulation of floating-point numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, RealOperand
    from ..._core.array import Array

__all__ = ["copysign", "isfinite", "isinf", "isnan", "nextafter", "signbit"]


@binary(accepts="real floating")
def copysign(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Magnitude of ``x1`` with the sign of ``x2``, :math:`\pm |x_1|`.

    Parameters
    ----------
    x1
        Magnitudes: an array of a real floating-point dtype, or a Python scalar.
    x2
        Numbers that provide the signs: an array of a real floating-point dtype that broadcasts with ``x1``, or a
        Python scalar. At least one operand is an Array.

    Returns
    -------
    Array
        The values, with the broadcast shape and the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, an operand is neither an Array nor a scalar, or the device does not accept a dtype.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.
    OverflowError
        If a Python integer does not fit the dtype it is converted to.

    Notes
    -----
    Special cases:

    - The sign is the sign bit of ``x2``, also for a zero and for NaN.
    - If ``x1`` is NaN, the result is NaN with the sign bit of ``x2``.

    Standard 2025.12, Element-wise Functions, ``copysign``.
    """


@unary(accepts="numeric", dtype="bool", composition=composed.isfinite)
def isfinite(x: AnyArray, /) -> Array:
    """Return whether ``x`` is finite: neither infinite nor NaN.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

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
    A complex number is finite if both components are.

    Standard 2025.12, Element-wise Functions, ``isfinite``.
    """


@unary(accepts="numeric", dtype="bool", composition=composed.isinf)
def isinf(x: AnyArray, /) -> Array:
    """Return whether ``x`` is infinite.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

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
    A complex number is infinite if a component is, even if the other is NaN.

    Standard 2025.12, Element-wise Functions, ``isinf``.
    """


@unary(accepts="numeric", dtype="bool", composition=composed.isnan)
def isnan(x: AnyArray, /) -> Array:
    """Return whether ``x`` is NaN.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

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
    A complex number is NaN if a component is.

    Standard 2025.12, Element-wise Functions, ``isnan``.
    """


@binary(accepts="real floating")
def nextafter(x1: RealOperand, x2: RealOperand, /) -> Array:
    """Next representable number after ``x1`` in the direction of ``x2``.

    Parameters
    ----------
    x1
        Starting points: an array of a real floating-point dtype, or a Python scalar.
    x2
        End points: an array of the same dtype that broadcasts with ``x1``, or a Python scalar. At least one operand
        is an Array.

    Returns
    -------
    Array
        The next numbers, or ``x2`` where the operands are equal, with the broadcast shape and the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, an operand is neither an Array nor a scalar, or the device does not accept a dtype.
    ValueError
        If the shapes do not broadcast.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.
    OverflowError
        If a Python integer does not fit the dtype it is converted to.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is NaN.
    - If ``x1`` and ``x2`` are zeros of opposite signs, the result is ``x2``.

    Standard 2025.12, Element-wise Functions, ``nextafter``.
    """


@unary(accepts="real floating", dtype="bool", composition=composed.signbit)
def signbit(x: AnyArray, /) -> Array:
    """Return whether the sign bit of ``x`` is set.

    Parameters
    ----------
    x
        Array of any shape and a real floating-point dtype.

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
    The sign bit is set for ``x < 0``, including ``-inf``, for ``-0``, and for NaN with the sign bit 1.

    Standard 2025.12, Element-wise Functions, ``signbit``.
    """
