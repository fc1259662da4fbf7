"""Trigonometric functions and their inverses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.array import Array

__all__ = ["acos", "asin", "atan", "atan2", "cos", "sin", "tan"]


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@binary(accepts="real floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating")
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
