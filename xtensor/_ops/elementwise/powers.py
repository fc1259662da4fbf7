"""Powers, roots, reciprocals, the length of the hypotenuse and the logarithm of a sum of powers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.backend import Native
from ..._core.dtypes import kind_of
from .._composing import INT8, SINGLE, NativeOperand, cast, loop_dtype, of_floats
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, Operand, RealOperand
    from ..._core.array import Array

__all__ = ["cbrt", "exp2", "float_power", "hypot", "logaddexp2", "pow", "reciprocal", "sqrt", "square"]


@of_floats
def _compose_hypot(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    """The larger magnitude times ``sqrt(1 + ratio²)``, in which no square overflows."""
    a, b = xp.abs(x1), xp.abs(x2)
    larger, smaller = xp.maximum(a, b), xp.minimum(a, b)
    scaled = xp.logical_and(xp.not_equal(larger, 0.0), xp.isfinite(larger))
    ratio = xp.where(scaled, xp.divide(smaller, xp.where(scaled, larger, 1.0)), 0.0)
    length = xp.multiply(larger, xp.sqrt(xp.add(xp.multiply(ratio, ratio), 1.0)))
    return xp.where(xp.logical_or(xp.isinf(a), xp.isinf(b)), math.inf, length)


@binary(accepts="real floating", composition=_compose_hypot)
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

    The Python number 0.5 as exponent of float32 and float64 is the square root: ``-0`` for ``-0`` and NaN for ``-inf``.

    Special cases, complex: those of ``exp(x2 * log(x1))``. The standard allows an implementation to be more accurate.

    The standard does not specify negative integer powers of integers; NumPy raises ValueError.

    Standard 2025.12, Element-wise Functions, ``pow``.
    """


def _compose_reciprocal(xp: Any, x: Native) -> Native:
    if kind_of(x.dtype) == "f":
        return xp.divide(1.0, x)
    if x.dtype.kind == "c":
        return xp.divide(complex(1.0, -0.0), x)  # the imaginary component has the other sign, that of a zero too
    # The reciprocal of an integer other than 1 and -1 rounds to 0.
    dtype = np.dtype(np.int8) if x.dtype.kind == "b" else x.dtype
    result = xp.where(xp.equal(xp.abs(x), 1), x, 0)
    if dtype.kind == "i" and dtype.itemsize >= 4:  # NumPy converts infinity to the integer
        result = xp.where(xp.equal(x, 0), int(np.iinfo(dtype).min), result)
    return xp.astype(result, dtype, copy=False)


@unary(accepts="floating", composition=_compose_reciprocal)
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


def _compose_square(xp: Any, x: Native) -> Native:
    x = xp.astype(x, INT8) if x.dtype.kind == "b" else x  # in which NumPy computes with booleans
    return xp.multiply(x, x)


@unary(accepts="numeric", composition=_compose_square)
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

    Notes
    -----
    Special cases: those of ``multiply(x, x)``.

    Standard 2025.12, Element-wise Functions, ``square``.
    """


@of_floats
def _compose_cbrt(xp: Any, x: Native) -> Native:
    """The power 1/3 of the magnitude, and a step of Newton's method, because 1/3 is rounded."""
    special = xp.logical_or(xp.equal(x, 0.0), xp.bitwise_invert(xp.isfinite(x)))
    magnitude = xp.where(special, 1.0, xp.abs(x))
    root = xp.pow(magnitude, 1 / 3)
    correction = xp.divide(xp.subtract(root, xp.divide(xp.divide(magnitude, root), root)), 3.0)
    return xp.where(special, x, xp.copysign(xp.subtract(root, correction), x))


@unary(accepts="real floating", composition=_compose_cbrt)
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


@of_floats
def _power_of_two(xp: Any, x: Native) -> Native:
    return xp.pow(2.0, x)


def _compose_exp2(xp: Any, x: Native) -> Native:
    if x.dtype.kind != "c":
        return _power_of_two(xp, x)
    scaled = xp.complex_of(*(xp.multiply(part, math.log(2.0)) for part in (xp.real(x), xp.imag(x))))
    return xp.exp(scaled)


@unary(accepts="floating", composition=_compose_exp2)
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


def _compose_float_power(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    dtype = loop_dtype("float_power", "biufc", x1, x2)
    double = np.result_type(np.dtype(np.complex64) if dtype.kind == "c" else SINGLE, xp.default_float)
    return xp.pow(*cast(xp, double, x1, x2))


@binary(accepts="floating", dtype="double", composition=_compose_float_power)
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


@of_floats
def _compose_logaddexp2(xp: Any, x1: Native, x2: Native) -> Native:
    """The larger operand plus ``log2(1 + 2**-|x1 - x2|)``."""
    equal = xp.equal(x1, x2)
    distance = xp.abs(xp.subtract(x1, xp.where(equal, 0.0, x2)))
    rest = xp.multiply(xp.log1p(xp.pow(2.0, xp.negative(distance))), 1 / math.log(2.0))
    return xp.add(xp.maximum(x1, x2), xp.where(equal, 1.0, rest))


@binary(accepts="real floating", composition=_compose_logaddexp2)
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
