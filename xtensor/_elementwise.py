"""Elementwise functions (Array API standard 2025.12, "Element-wise Functions").

The functions of one array, and those of two operands, are declarations: the decorator makes the function of a
name, a signature and a docstring. What holds for all of them:

- Operands broadcast against one another, and their dtypes promote; a Python scalar takes the array's dtype
  where its kind allows. Where the standard leaves a dtype open (integers with floating-point numbers, or in
  their place), NumPy's rule decides; the device ``strict`` refuses.
- Operands are on one device, and the result is there too; a 0-d array on the host may join any of them.
- What the docstrings call open, the standard does not say, and devices may differ in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Array, apply
from ._dispatch import binary, common_device, device_of, native_operand, unary
from .backend import Native

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "trunc",
]


@unary
def abs(x: Array, /) -> Array:
    r"""The absolute value :math:`|x|`; of a complex number the modulus :math:`\sqrt{a^2 + b^2}`.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The absolute values, of the dtype of ``x``; where that is complex, of the real dtype of the same
        precision.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases, real:

    - ``-0`` gives ``+0``, an infinity ``+inf``, NaN gives NaN.
    - For the lowest number of a signed integer dtype, whose opposite is out of range, the result is open.

    Special cases, complex (``x = a + bj``):

    - ``+inf`` where a component is infinite, whatever the other; otherwise NaN where one is NaN.
    - ``abs(b)`` where ``a`` is 0, ``abs(a)`` where ``b`` is 0.
    - Squares that would overflow or underflow on the way do not spoil a result that is in range.

    Standard 2025.12, Element-wise Functions, ``abs``.
    """


@unary
def acos(x: Array, /) -> Array:
    r"""The inverse cosine :math:`\arccos x`, in radians.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The angles, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The principal value is :math:`\frac{\pi}{2} + j \ln(jx + \sqrt{1 - x^2})`. Its real part is in
    :math:`[0, \pi]`; the branch cuts are :math:`(-\infty, -1)` and :math:`(1, \infty)` on the real axis.

    Special cases, real:

    - NaN for NaN and outside ``[-1, 1]``; ``+0`` at 1.

    Special cases, complex (``x = a + bj``; other signs follow from ``acos(conj(x)) = conj(acos(x))``):

    - ``π/2 - 0j`` at ``±0 + 0j``; ``π/2 + NaN j`` for ``a = ±0``, ``b`` NaN.
    - ``b = +inf``: ``π/2 - inf j`` for finite ``a``, ``3π/4 - inf j`` for ``-inf``, ``π/4 - inf j`` for
      ``+inf``, ``NaN - inf j`` for NaN.
    - Finite ``b > 0``: ``π - inf j`` for ``a = -inf``, ``+0 - inf j`` for ``a = +inf``.
    - ``b`` NaN: ``NaN ± inf j`` (either sign) for infinite ``a``.
    - ``NaN + NaN j`` where ``a`` is NaN and ``b`` finite or NaN, or ``a`` is finite, not 0, and ``b`` is
      NaN.

    Standard 2025.12, Element-wise Functions, ``acos``.
    """


@unary
def acosh(x: Array, /) -> Array:
    r"""The inverse hyperbolic cosine :math:`\operatorname{arcosh} x`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The values, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The principal value is :math:`\ln(x + \sqrt{x + 1} \sqrt{x - 1})`. Its real part is not negative and its
    imaginary part in :math:`[-\pi, \pi]`; the branch cut is :math:`(-\infty, 1)` on the real axis.

    Special cases, real:

    - NaN for NaN and below 1; ``+0`` at 1; ``+inf`` at ``+inf``.

    Special cases, complex (``x = a + bj``; other signs follow from ``acosh(conj(x)) = conj(acosh(x))``):

    - ``+0 + πj/2`` at ``±0 + 0j``; ``NaN ± πj/2`` (either sign) for ``a = +0``, ``b`` NaN.
    - ``b = +inf``: ``+inf + πj/2`` for finite ``a``, ``+inf + 3πj/4`` for ``-inf``, ``+inf + πj/4`` for
      ``+inf``, ``+inf + NaN j`` for NaN.
    - Finite ``b > 0``: ``+inf + πj`` for ``a = -inf``, ``+inf + 0j`` for ``a = +inf``.
    - ``b`` NaN: ``+inf + NaN j`` for infinite ``a``.
    - ``NaN + NaN j`` where ``a`` is NaN and ``b`` finite or NaN, or ``a`` is finite, not 0, and ``b`` is
      NaN.

    Standard 2025.12, Element-wise Functions, ``acosh``.
    """


@binary
def add(x1: Array | complex, x2: Array | complex, /) -> Array:
    """The sum :math:`x_1 + x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The sums, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases, real:

    - NaN where an operand is NaN, and for two infinities of opposite signs; otherwise an infinity stays.
    - ``-0`` for two operands ``-0``, ``+0`` for every other pair that cancels; beyond the range, an
      infinity.

    Complex operands add component by component, each by these rules.

    Standard 2025.12, Element-wise Functions, ``add``.
    """


@unary
def asin(x: Array, /) -> Array:
    r"""The inverse sine :math:`\arcsin x`, in radians.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The angles, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The principal value is :math:`-j \ln(jx + \sqrt{1 - x^2})`. Its real part is in
    :math:`[-\frac{\pi}{2}, \frac{\pi}{2}]`; the branch cuts are :math:`(-\infty, -1)` and
    :math:`(1, \infty)` on the real axis.

    Special cases, real:

    - NaN for NaN and outside ``[-1, 1]``; a zero keeps its sign.

    Special cases, complex: those of ``-1j * asinh(x*1j)``, and ``asin(conj(x)) = conj(asin(x))``.

    Standard 2025.12, Element-wise Functions, ``asin``.
    """


@unary
def asinh(x: Array, /) -> Array:
    r"""The inverse hyperbolic sine :math:`\operatorname{arsinh} x`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The values, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The principal value is :math:`\ln(x + \sqrt{1 + x^2})`. Its imaginary part is in
    :math:`[-\frac{\pi}{2}, \frac{\pi}{2}]`; the branch cuts are :math:`(-\infty j, -j)` and
    :math:`(j, \infty j)` on the imaginary axis.

    Special cases, real:

    - NaN for NaN; zeros and infinities stay as they are.

    Special cases, complex (``x = a + bj``; other signs follow from ``asinh(conj(x)) = conj(asinh(x))`` and
    ``asinh(-x) = -asinh(x)``):

    - ``+0 + 0j`` at ``+0 + 0j``; ``NaN + 0j`` at ``NaN + 0j``.
    - ``b = +inf``: ``+inf + πj/2`` for finite ``a > 0``, ``+inf + πj/4`` for ``+inf``, ``±inf + NaN j``
      (either sign) for NaN.
    - Finite ``b > 0``: ``+inf + 0j`` for ``a = +inf``.
    - ``NaN + NaN j`` where ``a`` is NaN and ``b`` NaN or finite, not 0, or ``a`` is finite and ``b`` NaN.

    Standard 2025.12, Element-wise Functions, ``asinh``.
    """


@unary
def atan(x: Array, /) -> Array:
    r"""The inverse tangent :math:`\arctan x`, in radians.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The angles, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The principal value is :math:`\frac{j}{2} (\ln(1 - jx) - \ln(1 + jx))`. Its real part is in
    :math:`[-\frac{\pi}{2}, \frac{\pi}{2}]`; the branch cuts are :math:`(-\infty j, -j)` and
    :math:`(j, \infty j)` on the imaginary axis.

    Special cases, real:

    - NaN for NaN; a zero keeps its sign; ``±π/2`` at ``±inf``.

    Special cases, complex: those of ``-1j * atanh(x*1j)``, and ``atan(conj(x)) = conj(atan(x))``.

    Standard 2025.12, Element-wise Functions, ``atan``.
    """


@binary
def atan2(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The angle of the point :math:`(x_2, x_1)` in the plane, in radians from :math:`-\pi` to :math:`\pi`.

    Parameters
    ----------
    x1
        The second coordinates (y): array of a real floating-point dtype, or a Python scalar.
    x2
        The first coordinates (x): likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The angles from the positive x axis, of the promoted floating-point dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases (``±`` is the sign of ``x1``):

    - NaN where an operand is NaN.
    - ``x1 = ±0``: ``±0`` for ``x2`` above 0 or ``+0``, ``±π`` for ``x2`` below 0 or ``-0``.
    - ``x1`` not 0, ``x2`` a zero: ``±π/2``.
    - ``x1`` finite, not 0: ``±0`` for ``x2 = +inf``, ``±π`` for ``x2 = -inf``.
    - ``x1`` infinite: ``±π/2`` for finite ``x2``, ``±π/4`` for ``+inf``, ``±3π/4`` for ``-inf``.

    Standard 2025.12, Element-wise Functions, ``atan2``.
    """


@unary
def atanh(x: Array, /) -> Array:
    r"""The inverse hyperbolic tangent :math:`\operatorname{artanh} x`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The values, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The principal value is :math:`\frac{1}{2} (\ln(1 + x) - \ln(1 - x))`. Its imaginary part is in
    :math:`[-\frac{\pi}{2}, \frac{\pi}{2}]`; the branch cuts are :math:`(-\infty, -1]` and
    :math:`[1, \infty)` on the real axis.

    Special cases, real:

    - NaN for NaN and outside ``[-1, 1]``; ``±inf`` at ``±1``; a zero keeps its sign.

    Special cases, complex (``x = a + bj``; other signs follow from ``atanh(conj(x)) = conj(atanh(x))`` and
    ``atanh(-x) = -atanh(x)``):

    - ``+0 + 0j`` at ``+0 + 0j``; ``+inf + 0j`` at ``1 + 0j``; ``+0 + NaN j`` for ``a`` either ``+0`` or
      ``+inf``, ``b`` NaN.
    - ``+0 + πj/2`` for ``b = +inf`` with ``a > 0``, finite or not, and for ``a = +inf`` with finite
      ``b > 0``.
    - ``±0 + πj/2`` (either sign) for ``a`` NaN, ``b = +inf``.
    - ``NaN + NaN j`` where ``a`` is NaN and ``b`` finite or NaN, or ``a`` is finite, not 0, and ``b`` is
      NaN.

    Standard 2025.12, Element-wise Functions, ``atanh``.
    """


@binary
def bitwise_and(x1: Array | int, x2: Array | int, /) -> Array:
    """The bits that are set in both operands, ``x1 & x2``.

    Parameters
    ----------
    x1, x2
        Arrays of boolean or integer dtypes that broadcast; one of them may be a Python bool or int.

    Returns
    -------
    Array
        The bits, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_and``.
    """


@unary
def bitwise_invert(x: Array, /) -> Array:
    """The bits of ``x`` flipped, ``~x``; of a boolean, its negation.

    Parameters
    ----------
    x
        Array of a boolean or integer dtype.

    Returns
    -------
    Array
        The bits, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_invert``.
    """


@binary
def bitwise_left_shift(x1: Array | int, x2: Array | int, /) -> Array:
    r"""The bits of ``x1`` moved up by ``x2`` places, :math:`x_1 \cdot 2^{x_2}` within the dtype.

    Parameters
    ----------
    x1
        The bits: array of an integer dtype, or a Python int.
    x2
        How many places, 0 or more: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The shifted bits, with zeros in the places that fell free, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    The result of a negative number of places is open.

    Standard 2025.12, Element-wise Functions, ``bitwise_left_shift``.
    """


@binary
def bitwise_or(x1: Array | int, x2: Array | int, /) -> Array:
    """The bits that are set in either operand or both, ``x1 | x2``.

    Parameters
    ----------
    x1, x2
        Arrays of boolean or integer dtypes that broadcast; one of them may be a Python bool or int.

    Returns
    -------
    Array
        The bits, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_or``.
    """


@binary
def bitwise_right_shift(x1: Array | int, x2: Array | int, /) -> Array:
    r"""The bits of ``x1`` moved down by ``x2`` places, :math:`\lfloor x_1 / 2^{x_2} \rfloor`.

    Parameters
    ----------
    x1
        The bits: array of an integer dtype, or a Python int.
    x2
        How many places, 0 or more: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The shifted bits, with copies of the sign bit in the places that fell free, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    The result of a negative number of places is open.

    Standard 2025.12, Element-wise Functions, ``bitwise_right_shift``.
    """


@binary
def bitwise_xor(x1: Array | int, x2: Array | int, /) -> Array:
    """The bits that are set in one operand and not in the other, ``x1 ^ x2``.

    Parameters
    ----------
    x1, x2
        Arrays of boolean or integer dtypes that broadcast; one of them may be a Python bool or int.

    Returns
    -------
    Array
        The bits, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``bitwise_xor``.
    """


@unary
def ceil(x: Array, /) -> Array:
    r"""The smallest integer that is not below ``x``, :math:`\lceil x \rceil`.

    Parameters
    ----------
    x
        Array of a real-valued dtype.

    Returns
    -------
    Array
        The integers, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases:

    - An integral value, an infinity, NaN and a zero of either sign stay as they are.

    Standard 2025.12, Element-wise Functions, ``ceil``.
    """


def clip(x: Array, /, min: Array | float | None = None, max: Array | float | None = None) -> Array:
    r"""The elements of ``x`` kept between two bounds, :math:`\min(\max(x, \mathit{min}), \mathit{max})`.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    min
        The lower bound: an array that broadcasts with ``x``, a Python scalar, or None for no bound.
    max
        The upper bound, likewise.

    Returns
    -------
    Array
        The bounded elements, of the shape of ``x`` broadcast with the bounds and of the promoted dtype: that
        of ``x``, unless a bound widens it, as a Python float does with integers. Without bounds, a copy.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, a bound is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - NaN where the element or a bound of it is NaN.
    - A Python integer beyond the range of an integer result counts as the end of the range: a lower bound
      below it is no bound, and one above it makes every element the greatest number of the dtype.
    - Where the lower bound is above the upper one, the result is open.

    Standard 2025.12, Element-wise Functions, ``clip``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.clip(xp.asarray([-2, 0, 5]), 0, 3)
    Array([0, 0, 3])
    """
    device = device_of(x)
    if min is None and max is None:
        return apply(device, device.xp.astype, x._native, x._native.dtype, copy=True)
    device = common_device((x, min, max)) or device
    native = native_operand(x, device, "clip")
    bounds = [None if bound is None else native_operand(bound, device, "clip") for bound in (min, max)]
    return apply(device, device.xp.clip, native, *_representable(bounds, native))


@unary
def conj(x: Array, /) -> Array:
    r"""The complex conjugate :math:`\bar x`: ``a - bj`` for ``a + bj``.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The conjugates, of the dtype of ``x``; real numbers are their own.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Whether the result shares memory with ``x`` is open.

    Standard 2025.12, Element-wise Functions, ``conj``.
    """


@binary
def copysign(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The magnitude of ``x1`` with the sign of ``x2``, :math:`\pm |x_1|`.

    Parameters
    ----------
    x1
        The magnitudes: array of a real floating-point dtype, or a Python scalar.
    x2
        What has the signs: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The numbers, of the promoted floating-point dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - The sign is the sign bit, that of a zero and of NaN included.
    - NaN in ``x1`` stays NaN, and takes the sign bit too.

    Standard 2025.12, Element-wise Functions, ``copysign``.
    """


@unary
def cos(x: Array, /) -> Array:
    r"""The cosine :math:`\cos x = \frac{1}{2} (e^{jx} + e^{-jx})`, with ``x`` in radians.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The cosines, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The function is entire: there is no branch cut.

    Special cases, real:

    - 1 at a zero; NaN for infinities and NaN.

    Special cases, complex: those of ``cosh(x*1j)``.

    Standard 2025.12, Element-wise Functions, ``cos``.
    """


@unary
def cosh(x: Array, /) -> Array:
    r"""The hyperbolic cosine :math:`\cosh x = \frac{1}{2} (e^x + e^{-x})`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The hyperbolic cosines, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The function is entire, with period :math:`2 \pi j`: there is no branch cut.

    Special cases, real:

    - 1 at a zero; ``+inf`` for an infinity; NaN for NaN.

    Special cases, complex (``x = a + bj``; other signs follow from ``cosh(conj(x)) = conj(cosh(x))`` and
    ``cosh(-x) = cosh(x)``):

    - ``a = +0``: ``1 + 0j`` for ``b = +0``, ``NaN ± 0j`` for ``+inf`` and NaN.
    - ``a`` finite, not 0: ``NaN + NaN j`` for ``b`` either ``+inf`` or NaN.
    - ``a = +inf``: ``+inf + 0j`` for ``b = +0``, ``+inf * cis(b)`` for finite ``b``, not 0,
      ``±inf + NaN j`` for ``+inf``, ``+inf + NaN j`` for NaN.
    - ``a`` NaN: ``NaN ± 0j`` for a zero ``b``, ``NaN + NaN j`` for NaN and the finite rest.

    Here ``cis(b) = cos(b) + sin(b)*1j``, and ``±`` marks a sign that is open.

    Standard 2025.12, Element-wise Functions, ``cosh``.
    """


@binary
def divide(x1: Array | complex, x2: Array | complex, /) -> Array:
    r"""The quotient :math:`x_1 / x_2`, element by element.

    Parameters
    ----------
    x1
        The dividends: array of a numeric dtype, or a Python scalar.
    x2
        The divisors: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The quotients, of the promoted dtype; of a floating-point dtype for two integers.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases, real:

    - NaN where an operand is NaN, for two zeros and for two infinities.
    - An infinity where ``x2`` alone is 0 or ``x1`` alone infinite, a zero where ``x1`` alone is 0 or ``x2``
      alone infinite.
    - Negative where the operands' signs differ, those of zeros included; beyond the range, an infinity or a
      zero.

    Complex operands divide as :math:`\frac{a + bj}{c + dj} = \frac{(ac + bd) + (bc - ad)j}{c^2 + d^2}`
    where all components are finite, and component by component where a divisor is real or imaginary. Four
    components that are NaN give ``NaN + NaN j``; other infinite or NaN components leave the result open.

    Standard 2025.12, Element-wise Functions, ``divide``.
    """


@binary
def equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    """Whether :math:`x_1 = x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of any dtypes that promote, and broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN, be it the same on both sides.
    - ``-0`` equals ``+0``; an infinity equals that of its own sign.
    - Complex numbers are equal where both components are.

    Standard 2025.12, Element-wise Functions, ``equal``.
    """


@unary
def exp(x: Array, /) -> Array:
    """The exponential :math:`e^x`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The exponentials, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The function is entire: there is no branch cut.

    Special cases, real:

    - 1 at a zero; ``+inf`` at ``+inf``; ``+0`` at ``-inf``; NaN for NaN.

    Special cases, complex (``x = a + bj``; other signs follow from ``exp(conj(x)) = conj(exp(x))``):

    - ``1 + 0j`` at ``±0 + 0j``; ``NaN + NaN j`` for finite ``a``, ``b`` either ``+inf`` or NaN.
    - ``a = +inf``: ``+inf + 0j`` for ``b = +0``, ``+inf * cis(b)`` for finite ``b``, not 0,
      ``±inf + NaN j`` for ``+inf`` and NaN.
    - ``a = -inf``: ``+0 * cis(b)`` for finite ``b``, ``±0 ± 0j`` for ``+inf`` and NaN.
    - ``a`` NaN: ``NaN + 0j`` for ``b = +0``, ``NaN + NaN j`` for any ``b`` but 0.

    Here ``cis(b) = cos(b) + sin(b)*1j``, and ``±`` marks a sign that is open.

    Standard 2025.12, Element-wise Functions, ``exp``.
    """


@unary
def expm1(x: Array, /) -> Array:
    """The exponential less one, :math:`e^x - 1`, accurate also where ``x`` is near 0.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The values, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The function is entire: there is no branch cut.

    Special cases, real:

    - A zero keeps its sign; ``+inf`` at ``+inf``; -1 at ``-inf``; NaN for NaN.

    Special cases, complex (``x = a + bj``; other signs follow from ``expm1(conj(x)) = conj(expm1(x))``):

    - ``0 + 0j`` at ``±0 + 0j``; ``NaN + NaN j`` for finite ``a``, ``b`` either ``+inf`` or NaN.
    - ``a = +inf``: ``+inf + 0j`` for ``b = +0``, ``+inf * cis(b) - 1`` for finite ``b``, not 0,
      ``±inf + NaN j`` for ``+inf`` and NaN.
    - ``a = -inf``: ``+0 * cis(b) - 1`` for finite ``b``, ``-1 ± 0j`` for ``+inf`` and NaN.
    - ``a`` NaN: ``NaN + 0j`` for ``b = +0``, ``NaN + NaN j`` for any ``b`` but 0.

    Here ``cis(b) = cos(b) + sin(b)*1j``, and ``±`` marks a sign that is open.

    Standard 2025.12, Element-wise Functions, ``expm1``.
    """


@unary
def floor(x: Array, /) -> Array:
    r"""The greatest integer that is not above ``x``, :math:`\lfloor x \rfloor`.

    Parameters
    ----------
    x
        Array of a real-valued dtype.

    Returns
    -------
    Array
        The integers, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases:

    - An integral value, an infinity, NaN and a zero of either sign stay as they are.

    Standard 2025.12, Element-wise Functions, ``floor``.
    """


@binary
def floor_divide(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The quotient rounded down to an integer, :math:`\lfloor x_1 / x_2 \rfloor`.

    Parameters
    ----------
    x1
        The dividends: array of a real-valued dtype, or a Python scalar.
    x2
        The divisors: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The integral quotients, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases, those of ``floor(divide(x1, x2))`` also where Python's ``//`` differs:

    - NaN where an operand is NaN, for two zeros and for two infinities.
    - ``±inf`` where ``x1`` alone is infinite or ``x2`` alone is 0, and not NaN as in Python.
    - ``±0`` where ``x1`` alone is 0 or ``x2`` alone is infinite, and never -1 as in Python.
    - The sign is negative where the operands' signs differ, those of zeros included.
    - What an integer divided by 0 gives is open.

    Standard 2025.12, Element-wise Functions, ``floor_divide``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.floor_divide(xp.asarray([-7, 7]), 2)
    Array([-4,  3])
    """


@binary
def greater(x1: Array | float, x2: Array | float, /) -> Array:
    """Whether :math:`x_1 > x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN; ``-0`` and ``+0`` are equal.
    - The order of complex numbers is open.

    Standard 2025.12, Element-wise Functions, ``greater``.
    """


@binary
def greater_equal(x1: Array | float, x2: Array | float, /) -> Array:
    r"""Whether :math:`x_1 \ge x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN; ``-0`` and ``+0`` are equal.
    - The order of complex numbers is open.

    Standard 2025.12, Element-wise Functions, ``greater_equal``.
    """


@binary
def hypot(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The hypotenuse :math:`\sqrt{x_1^2 + x_2^2}` of a right triangle with these legs.

    Parameters
    ----------
    x1, x2
        Arrays of real floating-point dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The lengths, of the promoted floating-point dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - ``+inf`` where an operand is infinite, whatever the other; otherwise NaN where one is NaN.
    - ``abs(x2)`` where ``x1`` is 0, and the other way round; signs and order of the operands do not matter.
    - Squares that would overflow or underflow on the way do not spoil a result that is in range.

    Standard 2025.12, Element-wise Functions, ``hypot``.
    """


@unary
def imag(x: Array, /) -> Array:
    """The imaginary component: ``b`` of ``a + bj``.

    Parameters
    ----------
    x
        Array of a complex dtype.

    Returns
    -------
    Array
        The imaginary components, of the real dtype of the same precision.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``imag``.
    """


@unary
def isfinite(x: Array, /) -> Array:
    """Whether ``x`` is finite: neither infinite nor NaN.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    A complex number is finite where both components are.

    Standard 2025.12, Element-wise Functions, ``isfinite``.
    """


@unary
def isinf(x: Array, /) -> Array:
    """Whether ``x`` is infinite.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    A complex number is infinite where a component is, even if the other is NaN.

    Standard 2025.12, Element-wise Functions, ``isinf``.
    """


@unary
def isnan(x: Array, /) -> Array:
    """Whether ``x`` is NaN.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    A complex number is NaN where a component is.

    Standard 2025.12, Element-wise Functions, ``isnan``.
    """


@binary
def less(x1: Array | float, x2: Array | float, /) -> Array:
    """Whether :math:`x_1 < x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN; ``-0`` and ``+0`` are equal.
    - The order of complex numbers is open.

    Standard 2025.12, Element-wise Functions, ``less``.
    """


@binary
def less_equal(x1: Array | float, x2: Array | float, /) -> Array:
    r"""Whether :math:`x_1 \le x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - False where an operand is NaN; ``-0`` and ``+0`` are equal.
    - The order of complex numbers is open.

    Standard 2025.12, Element-wise Functions, ``less_equal``.
    """


@unary
def log(x: Array, /) -> Array:
    r"""The natural logarithm :math:`\ln x`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The logarithms, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The principal value is :math:`\ln |x| + j \arg x`. Its imaginary part is in :math:`[-\pi, \pi]`; the
    branch cut is the negative real axis :math:`(-\infty, 0)`, whose side is the sign of the imaginary zero.

    Special cases, real:

    - NaN for NaN and below 0; ``-inf`` at a zero; ``+0`` at 1; ``+inf`` at ``+inf``.

    Special cases, complex (``x = a + bj``; other signs follow from ``log(conj(x)) = conj(log(x))``):

    - ``-inf + πj`` at ``-0 + 0j``; ``-inf + 0j`` at ``+0 + 0j``.
    - ``b = +inf``: ``+inf + πj/2`` for finite ``a``, ``+inf + 3πj/4`` for ``-inf``, ``+inf + πj/4`` for
      ``+inf``, ``+inf + NaN j`` for NaN.
    - Finite ``b > 0``: ``+inf + πj`` for ``a = -inf``, ``+inf + 0j`` for ``a = +inf``.
    - ``b`` NaN: ``+inf + NaN j`` for infinite ``a``, ``NaN + NaN j`` for finite ``a``.
    - ``a`` NaN: ``NaN + NaN j`` for ``b`` finite or NaN.

    Standard 2025.12, Element-wise Functions, ``log``.
    """


@unary
def log1p(x: Array, /) -> Array:
    r"""The natural logarithm :math:`\ln(1 + x)`, accurate also where ``x`` is near 0.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The logarithms, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The imaginary part is in :math:`[-\pi, \pi]`; the branch cut is that of the logarithm, the negative real
    axis of :math:`1 + x`, whose side is the sign of the imaginary zero.

    Special cases, real:

    - NaN for NaN and below -1; ``-inf`` at -1; a zero keeps its sign; ``+inf`` at ``+inf``.

    Special cases, complex (``x = a + bj``; other signs follow from ``log1p(conj(x)) = conj(log1p(x))``):

    - ``-inf + 0j`` at ``-1 + 0j``.
    - ``b = +inf``: ``+inf + πj/2`` for finite ``a``, ``+inf + 3πj/4`` for ``-inf``, ``+inf + πj/4`` for
      ``+inf``, ``+inf + NaN j`` for NaN.
    - Finite ``b > 0``: ``+inf + πj`` for ``a = -inf``, ``+inf + 0j`` for ``a = +inf``.
    - ``b`` NaN: ``+inf + NaN j`` for infinite ``a``, ``NaN + NaN j`` for finite ``a``.
    - ``a`` NaN: ``NaN + NaN j`` for ``b`` finite or NaN.

    Standard 2025.12, Element-wise Functions, ``log1p``.
    """


@unary
def log2(x: Array, /) -> Array:
    r"""The logarithm to the base 2, :math:`\log_{2} x`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The logarithms, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The branch cut is that of the natural logarithm, the negative real axis :math:`(-\infty, 0)`.

    Special cases, real:

    - NaN for NaN and below 0; ``-inf`` at a zero; ``+0`` at 1; ``+inf`` at ``+inf``.

    Special cases, complex: those of ``log(x) / log(2)``, and ``log2(conj(x)) = conj(log2(x))``.

    Standard 2025.12, Element-wise Functions, ``log2``.
    """


@unary
def log10(x: Array, /) -> Array:
    r"""The logarithm to the base 10, :math:`\log_{10} x`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The logarithms, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The branch cut is that of the natural logarithm, the negative real axis :math:`(-\infty, 0)`.

    Special cases, real:

    - NaN for NaN and below 0; ``-inf`` at a zero; ``+0`` at 1; ``+inf`` at ``+inf``.

    Special cases, complex: those of ``log(x) / log(10)``, and ``log10(conj(x)) = conj(log10(x))``.

    Standard 2025.12, Element-wise Functions, ``log10``.
    """


@binary
def logaddexp(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The logarithm of a sum of exponentials, :math:`\ln(e^{x_1} + e^{x_2})`.

    Parameters
    ----------
    x1, x2
        Arrays of real floating-point dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The logarithms, of the promoted floating-point dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - NaN where an operand is NaN; otherwise ``+inf`` where one is ``+inf``.

    Standard 2025.12, Element-wise Functions, ``logaddexp``.
    """


@binary
def logical_and(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether both operands are true.

    Parameters
    ----------
    x1, x2
        Arrays of the boolean dtype that broadcast; one of them may be a Python bool. In other dtypes 0 is
        False and all else True.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_and``.
    """


@unary
def logical_not(x: Array, /) -> Array:
    """Whether ``x`` is false.

    Parameters
    ----------
    x
        Array of the boolean dtype. In other dtypes 0 is False and all else True.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_not``.
    """


@binary
def logical_or(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether an operand is true, or both are.

    Parameters
    ----------
    x1, x2
        Arrays of the boolean dtype that broadcast; one of them may be a Python bool. In other dtypes 0 is
        False and all else True.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_or``.
    """


@binary
def logical_xor(x1: Array | bool, x2: Array | bool, /) -> Array:
    """Whether one operand is true and the other is not.

    Parameters
    ----------
    x1, x2
        Arrays of the boolean dtype that broadcast; one of them may be a Python bool. In other dtypes 0 is
        False and all else True.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``logical_xor``.
    """


@binary
def maximum(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The greater of two operands, :math:`\max(x_1, x_2)`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The greater elements, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases:

    - NaN where an operand is NaN.
    - Which of ``-0`` and ``+0`` is chosen is open, and so is the order of complex numbers.

    Standard 2025.12, Element-wise Functions, ``maximum``.
    """


@binary
def minimum(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The smaller of two operands, :math:`\min(x_1, x_2)`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of real-valued dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The smaller elements, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases:

    - NaN where an operand is NaN.
    - Which of ``-0`` and ``+0`` is chosen is open, and so is the order of complex numbers.

    Standard 2025.12, Element-wise Functions, ``minimum``.
    """


@binary
def multiply(x1: Array | complex, x2: Array | complex, /) -> Array:
    r"""The product :math:`x_1 \cdot x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The products, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases, real:

    - NaN where an operand is NaN, and for an infinity times a zero; otherwise an infinity stays.
    - Negative where the operands' signs differ, those of zeros included; beyond the range, an infinity or a
      zero.

    Complex operands multiply as :math:`(a + bj)(c + dj) = (ac - bd) + (bc + ad)j` where all components are
    finite, and component by component where an operand is real or imaginary. Four components that are NaN
    give ``NaN + NaN j``; other infinite or NaN components leave the result open.

    Standard 2025.12, Element-wise Functions, ``multiply``.
    """


@unary
def negative(x: Array, /) -> Array:
    """The opposite :math:`-x`; of a complex number, of both components.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The opposites, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    For the lowest number of a signed integer dtype, whose opposite is out of range, the result is open.

    Standard 2025.12, Element-wise Functions, ``negative``.
    """


@binary
def nextafter(x1: Array | float, x2: Array | float, /) -> Array:
    """The number next to ``x1`` on the way to ``x2`` among those the dtype can represent.

    Parameters
    ----------
    x1
        Where to start: array of a real floating-point dtype, or a Python scalar.
    x2
        Where to go: of the same dtype, or a Python scalar; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The neighbours, of that dtype; ``x2`` where the two are equal.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - NaN where an operand is NaN.
    - From a zero to the zero of the other sign: that other zero.

    Standard 2025.12, Element-wise Functions, ``nextafter``.
    """


@binary
def not_equal(x1: Array | complex, x2: Array | complex, /) -> Array:
    r"""Whether :math:`x_1 \ne x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of any dtypes that promote, and broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.

    Notes
    -----
    Special cases:

    - True where an operand is NaN, be it the same on both sides.
    - ``-0`` equals ``+0``; an infinity equals that of its own sign.
    - Complex numbers are unequal where a component is.

    Standard 2025.12, Element-wise Functions, ``not_equal``.
    """


@unary
def positive(x: Array, /) -> Array:
    """The number itself, :math:`+x`.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The numbers, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``positive``.
    """


@binary
def pow(x1: Array | complex, x2: Array | complex, /) -> Array:
    r"""The power :math:`x_1^{x_2}`, element by element.

    Parameters
    ----------
    x1
        The bases: array of a numeric dtype, or a Python scalar.
    x2
        The exponents: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The powers, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, the operands are on two devices, or the device refuses a negative
        integer power.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    As :math:`e^{x_2 \ln x_1}` it has the logarithm's branch cut in ``x1``, the negative real axis
    :math:`(-\infty, 0)`.

    Special cases, real:

    - 1 where ``x2`` is 0, even if ``x1`` is NaN; where ``x1`` is 1 and ``x2`` not NaN; where ``x1`` is ±1
      and ``x2`` infinite.
    - NaN where ``x1`` is NaN and ``x2`` not 0, or ``x2`` is NaN and ``x1`` not 1, and for a finite
      ``x1 < 0`` with a finite ``x2`` that is no integer.
    - ``x2 = +inf``: ``+inf`` for ``abs(x1) > 1``, ``+0`` for ``abs(x1) < 1``; ``x2 = -inf``: the other way
      round.
    - ``x1`` infinite: an infinity for ``x2 > 0``, a zero for ``x2 < 0``; ``x1`` a zero: the other way
      round. The sign is negative where that of ``x1`` is and ``x2`` an odd integer.

    Special cases, complex: those of ``exp(x2 * log(x1))``, or more careful ones.

    A negative power of an integer, in an integer dtype, is open; NumPy refuses it.

    Standard 2025.12, Element-wise Functions, ``pow``.
    """


@unary
def real(x: Array, /) -> Array:
    """The real component: ``a`` of ``a + bj``.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The real components, of the real dtype of the same precision; real numbers as they are.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Whether the result shares memory with ``x`` is open.

    Standard 2025.12, Element-wise Functions, ``real``.
    """


@unary
def reciprocal(x: Array, /) -> Array:
    r"""The reciprocal :math:`\frac{1}{x}`.

    Parameters
    ----------
    x
        Array of a floating-point dtype.

    Returns
    -------
    Array
        The reciprocals, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases: those of ``divide(1.0, x)``.

    Standard 2025.12, Element-wise Functions, ``reciprocal``.
    """


@binary
def remainder(x1: Array | float, x2: Array | float, /) -> Array:
    r"""The remainder :math:`x_1 - x_2 \lfloor x_1 / x_2 \rfloor`, with the sign of ``x2``, as Python's ``%``.

    Parameters
    ----------
    x1
        The dividends: array of a real-valued dtype, or a Python scalar.
    x2
        The divisors: likewise; the two broadcast, and one is an Array.

    Returns
    -------
    Array
        The remainders, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases:

    - NaN where an operand is NaN, ``x1`` is infinite, or ``x2`` is 0 (what an integer divided by 0 leaves
      is open).
    - A zero with the sign of ``x2`` where ``x1`` alone is 0.
    - ``x2`` infinite, ``x1`` finite and not 0: ``x1`` where the signs agree, ``x2`` where they differ.

    Standard 2025.12, Element-wise Functions, ``remainder``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.remainder(xp.asarray([-7, 7]), 3)
    Array([2, 1])
    """


@unary
def round(x: Array, /) -> Array:
    """The nearest integer; of two equally near, the even one.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The integers, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases, of each component of a complex number on its own:

    - An integral value, an infinity, NaN and a zero of either sign stay as they are.

    Standard 2025.12, Element-wise Functions, ``round``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.round(xp.asarray([0.5, 1.5, 2.5]))
    Array([0., 2., 2.])
    """


@unary
def sign(x: Array, /) -> Array:
    """The sign :math:`x / |x|`, and 0 where ``x`` is 0.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The signs, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases, real:

    - -1 below 0, 0 for a zero of either sign, 1 above 0; NaN for NaN.

    Special cases, complex:

    - ``0 + 0j`` where both components are 0, ``NaN + NaN j`` where one is NaN; otherwise those of the
      division.

    Standard 2025.12, Element-wise Functions, ``sign``.
    """


@unary
def signbit(x: Array, /) -> Array:
    """Whether the sign bit of ``x`` is set.

    Parameters
    ----------
    x
        Array of a real floating-point dtype.

    Returns
    -------
    Array
        The truth values, of dtype ``bool``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    It is set in numbers below 0, ``-inf``, ``-0``, and those NaN that carry it.

    Standard 2025.12, Element-wise Functions, ``signbit``.
    """


@unary
def sin(x: Array, /) -> Array:
    r"""The sine :math:`\sin x = \frac{1}{2j} (e^{jx} - e^{-jx})`, with ``x`` in radians.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The sines, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The function is entire: there is no branch cut.

    Special cases, real:

    - A zero keeps its sign; NaN for infinities and NaN.

    Special cases, complex: those of ``-1j * sinh(x*1j)``.

    Standard 2025.12, Element-wise Functions, ``sin``.
    """


@unary
def sinh(x: Array, /) -> Array:
    r"""The hyperbolic sine :math:`\sinh x = \frac{1}{2} (e^x - e^{-x})`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The hyperbolic sines, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The function is entire, with period :math:`2 \pi j`: there is no branch cut.

    Special cases, real:

    - Zeros and infinities stay as they are; NaN for NaN.

    Special cases, complex (``x = a + bj``; other signs follow from ``sinh(conj(x)) = conj(sinh(x))`` and
    ``sinh(-x) = -sinh(x)``):

    - ``a = +0``: ``+0 + 0j`` for ``b = +0``, ``±0 + NaN j`` for ``+inf`` and NaN.
    - Finite ``a > 0``: ``NaN + NaN j`` for ``b`` either ``+inf`` or NaN.
    - ``a = +inf``: ``+inf + 0j`` for ``b = +0``, ``+inf * cis(b)`` for finite ``b > 0``, ``±inf + NaN j``
      for ``+inf`` and NaN.
    - ``a`` NaN: ``NaN + 0j`` for ``b = +0``, ``NaN + NaN j`` for NaN and the finite rest.

    Here ``cis(b) = cos(b) + sin(b)*1j``, and ``±`` marks a sign that is open.

    Standard 2025.12, Element-wise Functions, ``sinh``.
    """


@unary
def sqrt(x: Array, /) -> Array:
    r"""The square root :math:`\sqrt{x}`, correctly rounded.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The roots, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    The principal value has no negative real part; the branch cut is the negative real axis
    :math:`(-\infty, 0)`, whose side is the sign of the imaginary zero.

    Special cases, real:

    - NaN for NaN and below 0; a zero keeps its sign; ``+inf`` at ``+inf``.

    Special cases, complex (``x = a + bj``; other signs follow from ``sqrt(conj(x)) = conj(sqrt(x))``):

    - ``+0 + 0j`` at ``±0 + 0j``; ``+inf + inf j`` for ``b = +inf`` with any ``a``, NaN included.
    - Finite ``b > 0``: ``+0 + inf j`` for ``a = -inf``, ``+inf + 0j`` for ``a = +inf``.
    - ``b`` NaN: ``NaN ± inf j`` (either sign) for ``a = -inf``, ``+inf + NaN j`` for ``+inf``,
      ``NaN + NaN j`` for finite ``a``.
    - ``a`` NaN: ``NaN + NaN j`` unless ``b`` is infinite.

    Standard 2025.12, Element-wise Functions, ``sqrt``.
    """


@unary
def square(x: Array, /) -> Array:
    r"""The square :math:`x^2 = x \cdot x`.

    Parameters
    ----------
    x
        Array of a numeric dtype.

    Returns
    -------
    Array
        The squares, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases: those of ``multiply(x, x)``.

    Standard 2025.12, Element-wise Functions, ``square``.
    """


@binary
def subtract(x1: Array | complex, x2: Array | complex, /) -> Array:
    """The difference :math:`x_1 - x_2`, element by element.

    Parameters
    ----------
    x1, x2
        Arrays of numeric dtypes that broadcast; one of them may be a Python scalar.

    Returns
    -------
    Array
        The differences, of the promoted dtype.

    Raises
    ------
    TypeError
        If no operand is an Array, one is neither Array nor scalar, or the device refuses a dtype.
    ValueError
        If the shapes do not broadcast, or the operands are on two devices.
    OverflowError
        If a Python integer does not fit the integer dtype it meets.

    Notes
    -----
    Special cases: those of the sum ``x1 + (-x2)``; see :func:`xtensor.add`.

    Standard 2025.12, Element-wise Functions, ``subtract``.
    """


@unary
def tan(x: Array, /) -> Array:
    r"""The tangent :math:`\tan x = \sin x / \cos x`, with ``x`` in radians.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The tangents, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    There is no branch cut; the period is :math:`\pi`. The poles :math:`\pi (\frac{1}{2} + n)` are no
    floating-point numbers, and so never met.

    Special cases, real:

    - A zero keeps its sign; NaN for infinities and NaN.

    Special cases, complex: those of ``-1j * tanh(x*1j)``.

    Standard 2025.12, Element-wise Functions, ``tan``.
    """


@unary
def tanh(x: Array, /) -> Array:
    r"""The hyperbolic tangent :math:`\tanh x = \sinh x / \cosh x`.

    Parameters
    ----------
    x
        Array of a floating-point dtype; integers are converted to one.

    Returns
    -------
    Array
        The hyperbolic tangents, of the dtype of ``x``, or the floating-point dtype it is converted to.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    There is no branch cut; the period is :math:`\pi j`. The poles :math:`\pi j (\frac{1}{2} + n)` are no
    floating-point numbers, and so never met.

    Special cases, real:

    - A zero keeps its sign; ``±1`` at ``±inf``; NaN for NaN.

    Special cases, complex (``x = a + bj``; other signs follow from ``tanh(conj(x)) = conj(tanh(x))`` and
    ``tanh(-x) = -tanh(x)``):

    - ``a = +0``: ``+0 + 0j`` for ``b = +0``, ``+0 + NaN j`` for ``+inf`` and NaN (``NaN + NaN j`` from a
      library built on an older C).
    - ``a`` finite, not 0: ``NaN + NaN j`` for ``b`` either ``+inf`` or NaN.
    - ``a = +inf``: ``1 + 0j`` for finite ``b > 0``, ``1 ± 0j`` for ``+inf`` and NaN.
    - ``a`` NaN: ``NaN + 0j`` for ``b = +0``, ``NaN + NaN j`` for any ``b`` but 0.

    Here ``±`` marks a sign that is open.

    Standard 2025.12, Element-wise Functions, ``tanh``.
    """


@unary
def trunc(x: Array, /) -> Array:
    """The integer part of ``x``: rounded towards 0.

    Parameters
    ----------
    x
        Array of a real-valued dtype.

    Returns
    -------
    Array
        The integers, of the dtype of ``x``.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or of a dtype that the device refuses.

    Notes
    -----
    Special cases:

    - An integral value, an infinity, NaN and a zero of either sign stay as they are.

    Standard 2025.12, Element-wise Functions, ``trunc``.
    """


def _representable(bounds: list[Any], native: Native) -> list[Any]:
    """The bounds of a clip, with Python integers brought into the range of an integer result."""
    if native.dtype.kind not in "iu" or not any(isinstance(bound, int) for bound in bounds):
        return bounds
    # A bound of a wider dtype widens the result, and with it the range; a Python integer never does.
    wider = [getattr(bound, "dtype", bound) for bound in bounds if not isinstance(bound, int | None)]
    dtype = np.result_type(native.dtype, *wider)
    if dtype.kind not in "iu":
        return bounds
    limits = np.iinfo(dtype)
    return [min(max(bound, limits.min), limits.max) if isinstance(bound, int) else bound for bound in bounds]
