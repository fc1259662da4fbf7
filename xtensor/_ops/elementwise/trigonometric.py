"""Trigonometric functions and their inverses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, RealOperand
    from ..._core.array import Array

__all__ = ["acos", "asin", "atan", "atan2", "cos", "sin", "tan"]


@unary(accepts="floating")
def acos(x: AnyArray, /) -> Array:
    r"""Inverse cosine :math:`\arccos x`, in radians.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The angles, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The principal value is :math:`\frac{\pi}{2} + j \ln(jx + \sqrt{1 - x^2})`, with the real part in :math:`[0, \pi]`.
    The branch cuts are the real intervals :math:`(-\infty, -1)` and :math:`(1, \infty)`.

    Special cases, real:

    - 1 gives ``+0``. The result is NaN for ``abs(x) > 1`` and for NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from ``acos(conj(x)) = conj(acos(x))``.

    - ``a = ±0``: ``π/2 - 0j`` for ``b = +0``, ``π/2 + NaN j`` for NaN.
    - ``a`` finite and not 0, ``b`` NaN: ``NaN + NaN j``.
    - ``b = +inf``: ``π/2 - inf j`` for finite ``a``, ``3π/4 - inf j`` for ``-inf``, ``π/4 - inf j`` for ``+inf``,
      ``NaN - inf j`` for NaN.
    - ``b > 0`` finite: ``π - inf j`` for ``a = -inf``, ``+0 - inf j`` for ``a = +inf``.
    - ``a`` infinite, ``b`` NaN: ``NaN ± inf j``.
    - ``a`` NaN, ``b`` finite or NaN: ``NaN + NaN j``.

    In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``acos``.
    """


@unary(accepts="floating")
def asin(x: AnyArray, /) -> Array:
    r"""Inverse sine :math:`\arcsin x`, in radians.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The angles, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The principal value is :math:`-j \ln(jx + \sqrt{1 - x^2})`, with the real part in
    :math:`[-\frac{\pi}{2}, \frac{\pi}{2}]`. The branch cuts are the real intervals :math:`(-\infty, -1)` and
    :math:`(1, \infty)`.

    Special cases, real:

    - ``±0`` gives ``±0``. The result is NaN for ``abs(x) > 1`` and for NaN.

    Special cases, complex: those of ``-1j * asinh(x*1j)``, with ``asin(conj(x)) = conj(asin(x))``.

    Standard 2025.12, Element-wise Functions, ``asin``.
    """


@unary(accepts="floating")
def atan(x: AnyArray, /) -> Array:
    r"""Inverse tangent :math:`\arctan x`, in radians.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The angles, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The principal value is :math:`\frac{j}{2} (\ln(1 - jx) - \ln(1 + jx))`, with the real part in
    :math:`[-\frac{\pi}{2}, \frac{\pi}{2}]`. The branch cuts are the intervals :math:`(-\infty j, -j)` and
    :math:`(j, \infty j)` of the imaginary axis.

    Special cases, real:

    - ``±0`` gives ``±0``, ``±inf`` gives ``±π/2`` and NaN gives NaN.

    Special cases, complex: those of ``-1j * atanh(x*1j)``, with ``atan(conj(x)) = conj(atan(x))``.

    Standard 2025.12, Element-wise Functions, ``atan``.
    """


@binary(accepts="real floating")
def atan2(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Angle of the point :math:`(x_2, x_1)` from the positive x axis, in radians in :math:`[-\pi, \pi]`.

    Parameters
    ----------
    x1
        y coordinates: an array of a real floating-point dtype, or a Python scalar.
    x2
        x coordinates: an array of a real floating-point dtype that broadcasts with ``x1``, or a Python scalar. At
        least one operand is an Array.

    Returns
    -------
    Array
        The angles, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases. Here ``±`` is the sign of ``x1``:

    - If an operand is NaN, the result is NaN.
    - ``x1 = ±0``: ``±0`` if ``x2`` is ``+0`` or positive, ``±π`` if ``x2`` is ``-0`` or negative.
    - ``x1`` not 0, ``x2 = ±0``: ``±π/2``, for either sign of ``x2``.
    - ``x1`` finite and not 0: ``±0`` for ``x2 = +inf``, ``±π`` for ``x2 = -inf``.
    - ``x1`` infinite: ``±π/2`` for finite ``x2``, ``±π/4`` for ``+inf``, ``±3π/4`` for ``-inf``.

    Standard 2025.12, Element-wise Functions, ``atan2``.
    """


@unary(accepts="floating")
def cos(x: AnyArray, /) -> Array:
    r"""Cosine :math:`\cos x = \frac{1}{2} (e^{jx} + e^{-jx})`, with ``x`` in radians.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The cosines, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The function is entire and has no branch cuts.

    Special cases, real:

    - ``±0`` gives 1. The result is NaN for ``±inf`` and for NaN.

    Special cases, complex: those of ``cosh(x*1j)``.

    Standard 2025.12, Element-wise Functions, ``cos``.
    """


@unary(accepts="floating")
def sin(x: AnyArray, /) -> Array:
    r"""Sine :math:`\sin x = \frac{1}{2j} (e^{jx} - e^{-jx})`, with ``x`` in radians.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The sines, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The function is entire and has no branch cuts.

    Special cases, real:

    - ``±0`` gives ``±0``. The result is NaN for ``±inf`` and for NaN.

    Special cases, complex: those of ``-1j * sinh(x*1j)``.

    Standard 2025.12, Element-wise Functions, ``sin``.
    """


@unary(accepts="floating")
def tan(x: AnyArray, /) -> Array:
    r"""Tangent :math:`\tan x = \sin x / \cos x`, with ``x`` in radians.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The tangents, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The function has period :math:`\pi` and no branch cuts. No floating-point number equals one of its poles
    :math:`\pi (\frac{1}{2} + n)`.

    Special cases, real:

    - ``±0`` gives ``±0``. The result is NaN for ``±inf`` and for NaN.

    Special cases, complex: those of ``-1j * tanh(x*1j)``.

    Standard 2025.12, Element-wise Functions, ``tan``.
    """
