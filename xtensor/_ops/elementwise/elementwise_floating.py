"""Parts and neighbours of floating-point numbers, with NumPy's names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import beyond as composed
from ..._core.array import Array, wrap
from ..._core.dispatch import array_argument, call
from ..._core.operations import declare
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, IntegerOperand, RealOperand

__all__ = ["fabs", "frexp", "ldexp", "rint", "spacing"]


@unary(accepts="real floating", composition=composed.fabs)
def fabs(x: AnyArray, /) -> Array:
    r"""Absolute value :math:`|x|` as a floating-point number.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The absolute values, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    :func:`abs` keeps integers, and takes complex numbers.

    NumPy, ``fabs``.
    """


FREXP = declare(
    "frexp",
    "elementwise",
    accepts="real floating",
    dtype="several",
    shape="several",
    numpy="frexp",
    composition=composed.frexp,
)


def frexp(x: AnyArray, /) -> tuple[Array, Array]:
    r"""Return the mantissa and the exponent, :math:`x = m\, 2^e` with :math:`\frac{1}{2} \le |m| < 1`.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    tuple of Array
        The mantissas, with the floating-point dtype of ``x``, and the exponents, with dtype int32; both with the shape
        of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or is complex.

    Notes
    -----
    Zeros, infinities and NaN are mantissas of their own; their exponents are 0. :func:`ldexp` is the inverse.

    NumPy, ``frexp``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.frexp(xp.asarray([1.0, 10.0]))
    (Array([0.5  , 0.625]), Array([1, 4], dtype=int32))
    """
    x = array_argument(x, "frexp")
    device = x._device
    mantissa, exponent = call(FREXP, device, x._native)
    return wrap(mantissa, device), wrap(exponent, device)


@binary(accepts="real floating", composition=composed.ldexp)
def ldexp(x1: RealOperand, x2: IntegerOperand, /) -> Array:
    r"""Product of a number and a power of two, :math:`x_1\, 2^{x_2}`.

    Parameters
    ----------
    x1
        The mantissas: an Array of a real dtype, or a Python scalar.
    x2
        The exponents: an Array of integers that broadcasts with ``x1``, or an integer. At least one operand is an
        Array.

    Returns
    -------
    Array
        The products, with the broadcast shape and the floating-point dtype of ``x1``.

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
    The product is rounded once, also where it is subnormal. :func:`frexp` is the inverse.

    NumPy, ``ldexp``.
    """


@unary(accepts="floating", composition=composed.rint)
def rint(x: AnyArray, /) -> Array:
    r"""Round to the nearest integer; halves, to the even one.

    Parameters
    ----------
    x
        Array of a numeric dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The rounded values, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    The function :func:`round` for floating-point numbers; that one keeps integers.

    NumPy, ``rint``.
    """


@unary(accepts="real floating", composition=composed.spacing)
def spacing(x: AnyArray, /) -> Array:
    r"""Distance to the adjacent number that is larger in magnitude, with the sign of ``x``.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The distances, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    NaN for infinities and NaN. The distance from the largest number is infinite.

    NumPy, ``spacing``.
    """
