"""Arithmetic: sums, products, quotients, remainders, absolute values and signs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.backend import Native
from ..._core.dtypes import is_narrow, kind_of
from .._composing import NativeOperand, copy, loop_dtype
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, Operand, RealOperand
    from ..._core.array import Array

__all__ = [
    "abs",
    "add",
    "divide",
    "floor_divide",
    "multiply",
    "negative",
    "positive",
    "remainder",
    "sign",
    "subtract",
]


@unary(accepts="numeric", dtype="component", operator="abs")
def abs(x: AnyArray, /) -> Array:
    r"""Absolute value :math:`|x|`; for complex ``x = a + bj``, the modulus :math:`\sqrt{a^2 + b^2}`.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The absolute values, with the shape and dtype of ``x``; for a complex dtype, the real dtype of the same
        precision.

    Notes
    -----
    Special cases, real:

    - ``-0`` gives ``+0``, ``±inf`` gives ``+inf`` and NaN gives NaN.

    The standard does not specify the result for the minimum of a signed integer dtype, whose negative is out of
    range.

    Special cases, complex:

    - If a component is infinite, the result is ``+inf``, even if the other is NaN. Otherwise, if a component is NaN,
      the result is NaN.
    - If ``a`` is 0, the result is ``abs(b)``. If ``b`` is 0, it is ``abs(a)``.
    - Intermediate squares that overflow or underflow do not affect a result that is in range.

    Standard 2025.12, Element-wise Functions, ``abs``.
    """


@binary(accepts="numeric", operator="add")
def add(x1: Operand, x2: Operand, /) -> Array:
    """Sum :math:`x_1 + x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The sums, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases, real:

    - If an operand is NaN, or the operands are infinities of opposite signs, the result is NaN. Otherwise, if an
      operand is infinite, the result is that infinity.
    - ``-0 + -0`` is ``-0``. Any other sum of zeros, and any sum of a number and its negative, is ``+0``.
    - A sum out of range overflows to an infinity.

    Complex operands are added by component, each under these rules.

    Standard 2025.12, Element-wise Functions, ``add``.
    """


@binary(accepts="floating", operator="truediv")
def divide(x1: Operand, x2: Operand, /) -> Array:
    r"""Quotient :math:`x_1 / x_2`.

    Parameters
    ----------
    x1
        Dividends: an array of a numeric dtype, or a Python scalar.
    x2
        Divisors: an array of a numeric dtype that broadcasts with ``x1``, or a Python scalar. At least one operand is
        an Array.

    Returns
    -------
    Array
        The quotients, with the broadcast shape and the promoted dtype; for two integer operands, a floating-point
        dtype.

    Notes
    -----
    Special cases, real:

    - If an operand is NaN, both are zeros or both are infinite, the result is NaN.
    - If only ``x2`` is 0, or only ``x1`` is infinite, the result is an infinity. If only ``x1`` is 0, or only ``x2``
      is infinite, it is a zero.
    - The result is negative if the signs of the operands, including those of zeros, differ.
    - A quotient out of range overflows to an infinity or underflows to a zero.

    Complex operands with finite components are divided as
    :math:`\frac{a + bj}{c + dj} = \frac{(ac + bd) + (bc - ad)j}{c^2 + d^2}`. A real or imaginary divisor divides each
    component. If all four components are NaN, the result is ``NaN + NaN j``. For other operands with infinite or NaN
    components, the standard does not specify the result.

    The standard does not specify the quotient of integers; the device ``strict`` rejects integers.

    Standard 2025.12, Element-wise Functions, ``divide``.
    """


def _compose_floor_divide(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    """``(x1 - remainder(x1, x2)) / x2`` rounded: 1.0 // 0.1 is 9, though 1.0 / 0.1 rounds to 10."""
    dtype = np.result_type(*(getattr(x, "dtype", x) for x in (x1, x2)))
    if kind_of(dtype) != "f":
        return NotImplemented
    if is_narrow(dtype):
        # x1 - remainder(x1, x2) is not exact in so few digits.
        work = np.dtype(np.float32)
        x1, x2 = (xp.astype(x, work, copy=False) if hasattr(x, "dtype") else x for x in (x1, x2))
        return xp.astype(xp.floor_divide(x1, x2), dtype, copy=False)
    quotient = xp.divide(x1, x2)
    whole = xp.round(xp.divide(xp.subtract(x1, xp.remainder(x1, x2)), x2))
    whole = xp.where(xp.equal(whole, 0.0), xp.copysign(whole, quotient), whole)
    # Infinite operands and zero divisors: the standard requires the floor of the quotient.
    return xp.where(xp.isfinite(whole), whole, xp.floor(quotient))


@binary(accepts="real", operator="floordiv", composition=_compose_floor_divide, primitive=True)
def floor_divide(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Quotient rounded down to an integer, :math:`\lfloor x_1 / x_2 \rfloor`.

    Parameters
    ----------
    x1
        Dividends: an array of a real-valued dtype, or a Python scalar.
    x2
        Divisors: an array of a real-valued dtype that broadcasts with ``x1``, or a Python scalar. At least one
        operand is an Array.

    Returns
    -------
    Array
        The rounded quotients, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases. They are those of ``floor(divide(x1, x2))``, also where Python's ``//`` differs:

    - If an operand is NaN, both are zeros or both are infinite, the result is NaN.
    - If only ``x1`` is infinite, or only ``x2`` is 0, the result is an infinity. Python returns NaN for an infinite
      ``x1``.
    - If only ``x1`` is 0, or only ``x2`` is infinite, the result is a zero. Python returns -1 for an infinite ``x2``
      and operands of different signs.
    - The result is negative if the signs of the operands, including those of zeros, differ.

    The standard does not specify the result of dividing an integer by 0.

    Standard 2025.12, Element-wise Functions, ``floor_divide``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.floor_divide(xp.asarray([-7, 7]), 2)
    Array([-4,  3])
    """


@binary(accepts="numeric", operator="mul")
def multiply(x1: Operand, x2: Operand, /) -> Array:
    r"""Product :math:`x_1 \cdot x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The products, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases, real:

    - If an operand is NaN, or one is infinite and the other 0, the result is NaN. Otherwise, if an operand is
      infinite, the result is an infinity.
    - The result is negative if the signs of the operands, including those of zeros, differ.
    - A product out of range overflows to an infinity or underflows to a zero.

    Complex operands with finite components are multiplied as :math:`(a + bj)(c + dj) = (ac - bd) + (bc + ad)j`. A
    real or imaginary operand multiplies each component. If all four components are NaN, the result is
    ``NaN + NaN j``. For other operands with infinite or NaN components, the standard does not specify the result.

    Standard 2025.12, Element-wise Functions, ``multiply``.
    """


@unary(accepts="numeric", operator="neg")
def negative(x: AnyArray, /) -> Array:
    """Negative :math:`-x`; for a complex dtype, of both components.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The negatives, with the shape and dtype of ``x``.

    Notes
    -----
    The standard does not specify the result for the minimum of a signed integer dtype, whose negative is out of
    range.

    Standard 2025.12, Element-wise Functions, ``negative``.
    """


def _compose_positive(xp: Any, x: Native) -> Native:
    loop_dtype("positive", "iufcV", x)
    return copy(xp, x)


@unary(accepts="numeric", operator="pos", composition=_compose_positive)
def positive(x: AnyArray, /) -> Array:
    """Positive :math:`+x`, equal to ``x``.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The values of ``x``, with the shape and dtype of ``x``.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``positive``.
    """


@binary(accepts="real", operator="mod")
def remainder(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Remainder :math:`x_1 - x_2 \lfloor x_1 / x_2 \rfloor`, with the sign of ``x2``, as Python's ``%``.

    Parameters
    ----------
    x1
        Dividends: an array of a real-valued dtype, or a Python scalar.
    x2
        Divisors: an array of a real-valued dtype that broadcasts with ``x1``, or a Python scalar. At least one
        operand is an Array.

    Returns
    -------
    Array
        The remainders, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases:

    - If an operand is NaN, ``x1`` is infinite or ``x2`` is 0, the result is NaN.
    - If ``x1`` is 0 and ``x2`` is not, the result is a zero with the sign of ``x2``.
    - If ``x2`` is infinite and ``x1`` is finite and not 0, the result is ``x1`` where the signs agree and ``x2``
      where they differ.

    The standard does not specify the remainder of an integer divided by 0.

    Standard 2025.12, Element-wise Functions, ``remainder``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.remainder(xp.asarray([-7, 7]), 3)
    Array([2, 1])
    """


def _complex_sign(xp: Any, x: Native) -> Native:
    """``x / |x|``; one infinite component counts as 1 and the other as 0; 0 at 0."""
    a, b = xp.real(x), xp.imag(x)
    unbounded_a, unbounded_b = xp.isinf(a), xp.isinf(b)
    one = xp.bitwise_xor(unbounded_a, unbounded_b)
    a, b = (
        xp.where(one, xp.where(unbounded, xp.copysign(1.0, part), 0.0), part)
        for part, unbounded in ((a, unbounded_a), (b, unbounded_b))
    )
    larger = xp.maximum(xp.abs(a), xp.abs(b))
    scaled = xp.logical_and(xp.not_equal(larger, 0.0), xp.isfinite(larger))
    a, b = (xp.where(scaled, xp.divide(part, xp.where(scaled, larger, 1.0)), part) for part in (a, b))
    magnitude = xp.hypot(a, b)
    divisor = xp.where(xp.equal(magnitude, 0.0), 1.0, magnitude)
    real, imag = (xp.where(xp.equal(magnitude, 0.0), 0.0, xp.divide(part, divisor)) for part in (a, b))
    undefined = xp.logical_or(xp.isnan(magnitude), xp.logical_and(unbounded_a, unbounded_b))
    return xp.complex_of(*(xp.where(undefined, math.nan, part) for part in (real, imag)))


def _compose_sign(xp: Any, x: Native) -> Native:
    loop_dtype("sign", "iufcV", x)
    kind = kind_of(x.dtype)
    if kind == "c":
        return _complex_sign(xp, x)
    if kind == "f":
        zero_or_nan = xp.add(x, 0.0)  # -0 + 0 is +0
        return xp.where(xp.less(0.0, x), 1.0, xp.where(xp.less(x, 0.0), -1.0, zero_or_nan))
    above = xp.astype(xp.less(0, x), x.dtype)
    return above if kind in "bu" else xp.subtract(above, xp.astype(xp.less(x, 0), x.dtype))


@unary(accepts="numeric", composition=_compose_sign)
def sign(x: AnyArray, /) -> Array:
    """Sign :math:`x / |x|`, or 0 where ``x`` is 0.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The signs, with the shape and dtype of ``x``.

    Notes
    -----
    Special cases, real:

    - The result is -1 for ``x < 0``, 0 for a zero of either sign, 1 for ``x > 0`` and NaN for NaN.

    Special cases, complex:

    - If both components are 0, the result is ``0 + 0j``. If a component is NaN, it is ``NaN + NaN j``.
    - The other special cases are those of the complex division; see :func:`xtensor.divide`.

    Standard 2025.12, Element-wise Functions, ``sign``.
    """


@binary(accepts="numeric", operator="sub")
def subtract(x1: Operand, x2: Operand, /) -> Array:
    """Difference :math:`x_1 - x_2`.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The differences, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases: those of the sum ``x1 + (-x2)``; see :func:`xtensor.add`.

    Standard 2025.12, Element-wise Functions, ``subtract``.
    """
