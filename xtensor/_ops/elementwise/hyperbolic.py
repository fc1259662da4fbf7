"""Hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._declaration import unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray
    from ..._core.array import Array

__all__ = ["acosh", "asinh", "atanh", "cosh", "sinh", "tanh"]


@unary(accepts="floating")
def acosh(x: AnyArray, /) -> Array:
    r"""Inverse hyperbolic cosine :math:`\operatorname{arcosh} x`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The inverse hyperbolic cosines, with the shape of ``x`` and its dtype, or the floating-point dtype it is
        converted to.

    Notes
    -----
    The principal value is :math:`\ln(x + \sqrt{x + 1} \sqrt{x - 1})`, with a nonnegative real part and the imaginary
    part in :math:`[-\pi, \pi]`. The branch cut is the real interval :math:`(-\infty, 1)`.

    Special cases, real:

    - 1 gives ``+0`` and ``+inf`` gives ``+inf``. The result is NaN for ``x < 1`` and for NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from
    ``acosh(conj(x)) = conj(acosh(x))``.

    - ``a = ±0``, ``b = +0``: ``+0 + πj/2``.
    - ``a = +0``, ``b`` NaN: ``NaN ± πj/2``.
    - ``a`` finite and not 0, ``b`` NaN: ``NaN + NaN j``.
    - ``b = +inf``: ``+inf + πj/2`` for finite ``a``, ``+inf + 3πj/4`` for ``-inf``, ``+inf + πj/4`` for ``+inf``,
      ``+inf + NaN j`` for NaN.
    - ``b > 0`` finite: ``+inf + πj`` for ``a = -inf``, ``+inf + 0j`` for ``a = +inf``.
    - ``a`` infinite, ``b`` NaN: ``+inf + NaN j``.
    - ``a`` NaN, ``b`` finite or NaN: ``NaN + NaN j``.

    In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``acosh``.
    """


@unary(accepts="floating")
def asinh(x: AnyArray, /) -> Array:
    r"""Inverse hyperbolic sine :math:`\operatorname{arsinh} x`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The inverse hyperbolic sines, with the shape of ``x`` and its dtype, or the floating-point dtype it is
        converted to.

    Notes
    -----
    The principal value is :math:`\ln(x + \sqrt{1 + x^2})`, with the imaginary part in
    :math:`[-\frac{\pi}{2}, \frac{\pi}{2}]`. The branch cuts are the intervals :math:`(-\infty j, -j)` and
    :math:`(j, \infty j)` of the imaginary axis.

    Special cases, real:

    - ``±0`` gives ``±0``, ``±inf`` gives ``±inf`` and NaN gives NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from ``asinh(conj(x)) = conj(asinh(x))``
    and ``asinh(-x) = -asinh(x)``.

    - ``a = +0``, ``b = +0``: ``+0 + 0j``.
    - ``b = +inf``: ``+inf + πj/2`` for finite ``a > 0``, ``+inf + πj/4`` for ``+inf``, ``±inf + NaN j`` for NaN.
    - ``a = +inf``, ``b > 0`` finite: ``+inf + 0j``.
    - ``a`` finite, ``b`` NaN: ``NaN + NaN j``.
    - ``a`` NaN: ``NaN + 0j`` for ``b = +0``, ``NaN + NaN j`` for other finite ``b`` and for NaN.

    In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``asinh``.
    """


@unary(accepts="floating")
def atanh(x: AnyArray, /) -> Array:
    r"""Inverse hyperbolic tangent :math:`\operatorname{artanh} x`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The inverse hyperbolic tangents, with the shape of ``x`` and its dtype, or the floating-point dtype it is
        converted to.

    Notes
    -----
    The principal value is :math:`\frac{1}{2} (\ln(1 + x) - \ln(1 - x))`, with the imaginary part in
    :math:`[-\frac{\pi}{2}, \frac{\pi}{2}]`. The branch cuts are the real intervals :math:`(-\infty, -1]` and
    :math:`[1, \infty)`.

    Special cases, real:

    - ``±0`` gives ``±0`` and ``±1`` gives ``±inf``. The result is NaN for ``abs(x) > 1`` and for NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from ``atanh(conj(x)) = conj(atanh(x))``
    and ``atanh(-x) = -atanh(x)``.

    - ``a = +0``: ``+0 + 0j`` for ``b = +0``, ``+0 + NaN j`` for NaN.
    - ``a = 1``, ``b = +0``: ``+inf + 0j``.
    - ``a > 0`` finite, ``b = +inf``: ``+0 + πj/2``.
    - ``a`` finite and not 0, ``b`` NaN: ``NaN + NaN j``.
    - ``a = +inf``: ``+0 + πj/2`` for finite ``b > 0`` and for ``+inf``, ``+0 + NaN j`` for NaN.
    - ``a`` NaN: ``±0 + πj/2`` for ``b = +inf``, ``NaN + NaN j`` for finite ``b`` and for NaN.

    In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``atanh``.
    """


@unary(accepts="floating")
def cosh(x: AnyArray, /) -> Array:
    r"""Hyperbolic cosine :math:`\cosh x = \frac{1}{2} (e^x + e^{-x})`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The hyperbolic cosines, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The function is entire, with period :math:`2 \pi j`, and has no branch cuts.

    Special cases, real:

    - ``±0`` gives 1, ``±inf`` gives ``+inf`` and NaN gives NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from ``cosh(conj(x)) = conj(cosh(x))``
    and ``cosh(-x) = cosh(x)``.

    - ``a = +0``: ``1 + 0j`` for ``b = +0``, ``NaN ± 0j`` for ``+inf`` and NaN.
    - ``a`` finite and not 0, ``b = +inf`` or NaN: ``NaN + NaN j``.
    - ``a = +inf``: ``+inf + 0j`` for ``b = +0``, ``+inf * cis(b)`` for other finite ``b``, ``±inf + NaN j`` for
      ``+inf``, ``+inf + NaN j`` for NaN.
    - ``a`` NaN: ``NaN ± 0j`` for ``b = ±0``, ``NaN + NaN j`` for other finite ``b`` and for NaN.

    Here ``cis(b) = cos(b) + sin(b)*1j``. In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``cosh``.
    """


@unary(accepts="floating")
def sinh(x: AnyArray, /) -> Array:
    r"""Hyperbolic sine :math:`\sinh x = \frac{1}{2} (e^x - e^{-x})`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The hyperbolic sines, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The function is entire, with period :math:`2 \pi j`, and has no branch cuts.

    Special cases, real:

    - ``±0`` gives ``±0``, ``±inf`` gives ``±inf`` and NaN gives NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from ``sinh(conj(x)) = conj(sinh(x))``
    and ``sinh(-x) = -sinh(x)``.

    - ``a = +0``: ``+0 + 0j`` for ``b = +0``, ``±0 + NaN j`` for ``+inf`` and NaN.
    - ``a > 0`` finite, ``b = +inf`` or NaN: ``NaN + NaN j``.
    - ``a = +inf``: ``+inf + 0j`` for ``b = +0``, ``+inf * cis(b)`` for finite ``b > 0``, ``±inf + NaN j`` for
      ``+inf`` and NaN.
    - ``a`` NaN: ``NaN + 0j`` for ``b = +0``, ``NaN + NaN j`` for other finite ``b`` and for NaN.

    Here ``cis(b) = cos(b) + sin(b)*1j``. In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``sinh``.
    """


@unary(accepts="floating")
def tanh(x: AnyArray, /) -> Array:
    r"""Hyperbolic tangent :math:`\tanh x = \sinh x / \cosh x`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The hyperbolic tangents, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted
        to.

    Notes
    -----
    The function has period :math:`\pi j` and no branch cuts. No floating-point number equals one of its poles
    :math:`\pi j (\frac{1}{2} + n)`.

    Special cases, real:

    - ``±0`` gives ``±0``, ``±inf`` gives ``±1`` and NaN gives NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from ``tanh(conj(x)) = conj(tanh(x))``
    and ``tanh(-x) = -tanh(x)``.

    - ``a = +0``: ``+0 + 0j`` for ``b = +0``, ``+0 + NaN j`` for ``+inf`` and NaN. For the latter two, the standard
      also allows ``NaN + NaN j``, the result of older C libraries.
    - ``a`` finite and not 0, ``b = +inf`` or NaN: ``NaN + NaN j``.
    - ``a = +inf``: ``1 + 0j`` for finite ``b > 0``, ``1 ± 0j`` for ``+inf`` and NaN.
    - ``a`` NaN: ``NaN + 0j`` for ``b = +0``, ``NaN + NaN j`` for any ``b`` other than 0.

    In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``tanh``.
    """
