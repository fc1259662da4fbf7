"""Larger and smaller operands without NaN, and the step function, with NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import beyond as composed
from ._declaration import binary

if TYPE_CHECKING:
    from ..._core.annotations import Operand, RealOperand
    from ..._core.array import Array

__all__ = ["fmax", "fmin", "heaviside"]


@binary(accepts="real", composition=composed.fmax)
def fmax(x1: Operand, x2: Operand, /) -> Array:
    r"""Larger operand; the other one where an operand is NaN.

    Parameters
    ----------
    x1, x2
        Arrays of any dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The operands, with the broadcast shape and the promoted dtype.

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
    The result is NaN only if both operands are, unlike that of :func:`maximum`. Complex numbers are ordered by their
    real components, and by the imaginary ones where those are equal.

    NumPy, ``fmax``.
    """


@binary(accepts="real", composition=composed.fmin)
def fmin(x1: Operand, x2: Operand, /) -> Array:
    r"""Smaller operand; the other one where an operand is NaN.

    Parameters
    ----------
    x1, x2
        Arrays of any dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The operands, with the broadcast shape and the promoted dtype.

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
    The result is NaN only if both operands are, unlike that of :func:`minimum`. Complex numbers are ordered by their
    real components, and by the imaginary ones where those are equal.

    NumPy, ``fmin``.
    """


@binary(accepts="real floating", composition=composed.heaviside)
def heaviside(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Step function: 0 for negative ``x1``, 1 for positive ``x1``, and ``x2`` where ``x1`` is 0.

    Parameters
    ----------
    x1
        The positions: an Array of a real dtype, or a Python scalar.
    x2
        The values at 0: an Array of a real dtype that broadcasts with ``x1``, or a Python scalar. At least one operand
        is an Array.

    Returns
    -------
    Array
        The values, with the broadcast shape and the floating-point dtype of the operands.

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
    NaN where ``x1`` is NaN.

    NumPy, ``heaviside``.
    """
