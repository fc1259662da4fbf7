"""Powers and logarithms, with NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import beyond as composed
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, Operand, RealOperand
    from ..._core.array import Array

__all__ = ["cbrt", "exp2", "float_power", "logaddexp2"]


@unary(accepts="real floating", composition=composed.cbrt)
def cbrt(x: AnyArray, /) -> Array:
    r"""Real cube root :math:`\sqrt[3]{x}`.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The roots, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    Odd function: ``cbrt(-x) == -cbrt(x)``. Zeros, infinities and NaN are returned unchanged.

    NumPy, ``cbrt``.
    """


@unary(accepts="floating", composition=composed.exp2)
def exp2(x: AnyArray, /) -> Array:
    r"""Power of two :math:`2^x`.

    Parameters
    ----------
    x
        Array of a numeric dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The powers, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    Special cases: 0 at ``-inf``, ``+inf`` at ``+inf``. Powers of integers are exact.

    NumPy, ``exp2``.
    """


@binary(accepts="floating", dtype="double", composition=composed.float_power)
def float_power(x1: Operand, x2: Operand, /) -> Array:
    r"""Power :math:`x_1^{x_2}` in float64 or complex128, so that integers have negative powers.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The powers, with the broadcast shape, in float64, or complex128 if an operand is complex; in the default dtypes
        of a device without float64.

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
    NaN for a negative base and an exponent that is not an integer, unless an operand is complex.

    NumPy, ``float_power``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.float_power(xp.asarray([2, 4]), -1)
    Array([0.5 , 0.25])
    """


@binary(accepts="real floating", composition=composed.logaddexp2)
def logaddexp2(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Binary logarithm of a sum of powers, :math:`\log_2 (2^{x_1} + 2^{x_2})`.

    Parameters
    ----------
    x1, x2
        Arrays of real dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The logarithms, with the broadcast shape and the floating-point dtype of the operands.

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
    Neither power overflows or underflows. If an operand is ``+inf``, the result is ``+inf``; if both are ``-inf``, it
    is ``-inf``.

    NumPy, ``logaddexp2``.
    """
