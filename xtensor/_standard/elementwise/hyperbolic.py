"""Hyperbolic functions and their inverses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._declaration import unary

if TYPE_CHECKING:
    from ..._core.array import Array

__all__ = ["acosh", "asinh", "atanh", "cosh", "sinh", "tanh"]


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating")
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
