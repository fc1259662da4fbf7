"""Exponentials and logarithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.array import Array

__all__ = ["exp", "expm1", "log", "log1p", "log2", "log10", "logaddexp"]


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating")
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


@unary(accepts="floating", composition=composed.log2)
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


@unary(accepts="floating", composition=composed.log10)
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


@binary(accepts="real floating", composition=composed.logaddexp)
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
