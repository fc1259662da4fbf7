"""Powers, roots, reciprocals and the length of the hypotenuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, Operand, RealOperand
    from ..._core.array import Array

__all__ = ["hypot", "pow", "reciprocal", "sqrt", "square"]


@binary(accepts="real floating", composition=composed.hypot)
def hypot(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Hypotenuse :math:`\sqrt{x_1^2 + x_2^2}` of a right triangle with legs ``x1`` and ``x2``.

    Parameters
    ----------
    x1, x2
        Arrays of real floating-point dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The lengths, with the broadcast shape and the promoted dtype.

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

    - If an operand is infinite, the result is ``+inf``, even if the other is NaN. Otherwise, if an operand is NaN,
      the result is NaN.
    - If ``x1`` is 0, the result is ``abs(x2)``. If ``x2`` is 0, it is ``abs(x1)``.
    - The order and the signs of the operands do not affect the result.
    - Intermediate squares that overflow or underflow do not affect a result that is in range.

    Standard 2025.12, Element-wise Functions, ``hypot``.
    """


@binary(accepts="numeric", operator="pow")
def pow(x1: Operand, x2: Operand, /) -> Array:
    r"""Power :math:`x_1^{x_2}`.

    Parameters
    ----------
    x1
        Bases: an array of a numeric dtype, or a Python scalar.
    x2
        Exponents: an array of a numeric dtype that broadcasts with ``x1``, or a Python scalar. At least one operand
        is an Array.

    Returns
    -------
    Array
        The powers, with the broadcast shape and the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, an operand is neither an Array nor a scalar, or the device does not accept a dtype.
    ValueError
        If the shapes do not broadcast, or the device does not accept negative integer exponents.
    DeviceMismatchError
        If the operands are on different devices and transfers are forbidden.
    OverflowError
        If a Python integer does not fit the dtype it is converted to.

    Notes
    -----
    The definition :math:`e^{x_2 \ln x_1}` gives ``pow`` the branch cut of the logarithm in ``x1``: the negative real
    axis :math:`(-\infty, 0)`.

    Special cases, real:

    - The result is 1 if ``x2`` is 0, even if ``x1`` is NaN; if ``x1`` is 1 and ``x2`` is not NaN; and if ``x1`` is
      ``±1`` and ``x2`` is infinite.
    - The result is NaN if ``x1`` is NaN and ``x2`` is not 0; if ``x2`` is NaN and ``x1`` is not 1; and if ``x1 < 0``
      and ``x2`` are finite and ``x2`` is not an integer.
    - ``x2 = +inf``: ``+inf`` for ``abs(x1) > 1``, ``+0`` for ``abs(x1) < 1``.
    - ``x2 = -inf``: ``+0`` for ``abs(x1) > 1``, ``+inf`` for ``abs(x1) < 1``.
    - ``x1`` infinite: an infinity for ``x2 > 0``, a zero for ``x2 < 0``. It is negative if ``x1`` is ``-inf`` and
      ``x2`` is an odd integer.
    - ``x1`` zero: a zero for ``x2 > 0``, an infinity for ``x2 < 0``. It is negative if ``x1`` is ``-0`` and ``x2`` is
      an odd integer.

    Special cases, complex: those of ``exp(x2 * log(x1))``. The standard allows an implementation to be more accurate.

    The standard does not specify negative integer powers of integers; NumPy raises ValueError.

    Standard 2025.12, Element-wise Functions, ``pow``.
    """


@unary(accepts="floating", composition=composed.reciprocal)
def reciprocal(x: AnyArray, /) -> Array:
    r"""Reciprocal :math:`\frac{1}{x}`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype.

    Returns
    -------
    Array
        The reciprocals, with the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or the device does not accept its dtype.

    Notes
    -----
    Special cases: those of ``divide(1.0, x)``.

    Standard 2025.12, Element-wise Functions, ``reciprocal``.
    """


@unary(accepts="floating")
def sqrt(x: AnyArray, /) -> Array:
    r"""Principal square root :math:`\sqrt{x}`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The square roots, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or the device does not accept its dtype.

    Notes
    -----
    For real dtypes the result is correctly rounded. For complex dtypes it has a nonnegative real part. The branch cut
    is the negative real axis :math:`(-\infty, 0)`; the sign of a zero imaginary part selects the side of the cut.

    Special cases, real:

    - ``±0`` gives ``±0`` and ``+inf`` gives ``+inf``. The result is NaN for ``x < 0`` and for NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from ``sqrt(conj(x)) = conj(sqrt(x))``.

    - ``a = ±0``, ``b = +0``: ``+0 + 0j``.
    - ``b = +inf``, any ``a`` including NaN: ``+inf + inf j``.
    - ``a = -inf``: ``+0 + inf j`` for finite ``b > 0``, ``NaN ± inf j`` for NaN.
    - ``a = +inf``: ``+inf + 0j`` for finite ``b > 0``, ``+inf + NaN j`` for NaN.
    - ``a`` finite, ``b`` NaN: ``NaN + NaN j``.
    - ``a`` NaN, ``b`` finite or NaN: ``NaN + NaN j``.

    In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``sqrt``.
    """


@unary(accepts="numeric", composition=composed.square)
def square(x: AnyArray, /) -> Array:
    r"""Square :math:`x^2 = x \cdot x`.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The squares, with the shape and dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or the device does not accept its dtype.

    Notes
    -----
    Special cases: those of ``multiply(x, x)``.

    Standard 2025.12, Element-wise Functions, ``square``.
    """
