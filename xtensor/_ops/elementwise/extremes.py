"""Larger and smaller operands without NaN, and the step function, with NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._core.backend import Native
from .._composing import Composition, NativeOperand, cast, loop_dtype, of_floats
from ._declaration import binary

if TYPE_CHECKING:
    from ..._core.annotations import Operand, RealOperand
    from ..._core.array import Array

__all__ = ["fmax", "fmin", "heaviside"]


def _extreme(
    xp: Any,
    name: str,
    integers: Composition,
    booleans: Composition,
    compare: Composition,
    x1: NativeOperand,
    x2: NativeOperand,
) -> Native:
    """The first operand where it is not on the wrong side of the second one, or the second one is NaN."""
    dtype = loop_dtype(name, "biufc", x1, x2)
    x1, x2 = cast(xp, dtype, x1, x2)
    if dtype.kind not in "fc":
        return (booleans if dtype.kind == "b" else integers)(x1, x2)
    if dtype.kind == "f":
        first = compare(x1, x2)
    else:
        # Complex numbers are ordered by their real components, and by the imaginary ones where those are equal.
        (a1, b1), (a2, b2) = ((xp.real(x), xp.imag(x)) for x in (x1, x2))
        tied = xp.logical_and(xp.equal(a1, a2), compare(b1, b2))
        first = xp.logical_or(xp.logical_and(compare(a1, a2), xp.not_equal(a1, a2)), tied)
        first = xp.logical_and(first, xp.bitwise_invert(xp.isnan(x1)))
    return xp.where(xp.logical_or(first, xp.isnan(x2)), x1, x2)


def _compose_fmax(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return _extreme(xp, "fmax", xp.maximum, xp.logical_or, xp.greater_equal, x1, x2)


@binary(accepts="real", composition=_compose_fmax)
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


def _compose_fmin(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    return _extreme(xp, "fmin", xp.minimum, xp.logical_and, xp.less_equal, x1, x2)


@binary(accepts="real", composition=_compose_fmin)
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


@of_floats
def _compose_heaviside(xp: Any, x1: Native, x2: Native) -> Native:
    step = xp.where(xp.less(0.0, x1), 1.0, xp.where(xp.less(x1, 0.0), 0.0, x2))
    return xp.where(xp.isnan(x1), x1, step)


@binary(accepts="real floating", composition=_compose_heaviside)
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
