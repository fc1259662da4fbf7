"""Exponentials and logarithms."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..._core.backend import Native
from .._composing import NativeOperand, of_floats
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray, RealOperand
    from ..._core.array import Array

__all__ = ["exp", "expm1", "log", "log1p", "log2", "log10", "logaddexp"]


@unary(accepts="floating")
def exp(x: AnyArray, /) -> Array:
    """Exponential :math:`e^x`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The exponentials, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The function is entire and has no branch cuts.

    Special cases, real:

    - ``±0`` gives 1, ``+inf`` gives ``+inf``, ``-inf`` gives ``+0`` and NaN gives NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from ``exp(conj(x)) = conj(exp(x))``.

    - ``a = ±0``, ``b = +0``: ``1 + 0j``.
    - ``a`` finite, ``b = +inf`` or NaN: ``NaN + NaN j``.
    - ``a = +inf``: ``+inf + 0j`` for ``b = +0``, ``+inf * cis(b)`` for other finite ``b``, ``±inf + NaN j`` for
      ``+inf`` and NaN.
    - ``a = -inf``: ``+0 * cis(b)`` for finite ``b``, ``±0 ± 0j`` for ``+inf`` and NaN.
    - ``a`` NaN: ``NaN + 0j`` for ``b = +0``, ``NaN + NaN j`` for any ``b`` other than 0.

    Here ``cis(b) = cos(b) + sin(b)*1j``. In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``exp``.
    """


@unary(accepts="floating")
def expm1(x: AnyArray, /) -> Array:
    """Exponential minus one, :math:`e^x - 1`, accurate for ``x`` near 0.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The values, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The function is entire and has no branch cuts.

    Special cases, real:

    - ``±0`` gives ``±0``, ``+inf`` gives ``+inf``, ``-inf`` gives -1 and NaN gives NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from
    ``expm1(conj(x)) = conj(expm1(x))``.

    - ``a = ±0``, ``b = +0``: ``0 + 0j``.
    - ``a`` finite, ``b = +inf`` or NaN: ``NaN + NaN j``.
    - ``a = +inf``: ``+inf + 0j`` for ``b = +0``, ``+inf * cis(b) - 1`` for other finite ``b``, ``±inf + NaN j`` for
      ``+inf`` and NaN.
    - ``a = -inf``: ``+0 * cis(b) - 1`` for finite ``b``, ``-1 ± 0j`` for ``+inf`` and NaN.
    - ``a`` NaN: ``NaN + 0j`` for ``b = +0``, ``NaN + NaN j`` for any ``b`` other than 0.

    Here ``cis(b) = cos(b) + sin(b)*1j``. In a result, ``±`` marks a sign that the standard does not specify.

    Standard 2025.12, Element-wise Functions, ``expm1``.
    """


@unary(accepts="floating")
def log(x: AnyArray, /) -> Array:
    r"""Natural logarithm :math:`\ln x`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The logarithms, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The principal value is :math:`\ln |x| + j \arg x`, with the imaginary part in :math:`[-\pi, \pi]`. The branch cut
    is the negative real axis :math:`(-\infty, 0)`; the sign of a zero imaginary part selects the side of the cut.

    Special cases, real:

    - ``±0`` gives ``-inf``, 1 gives ``+0`` and ``+inf`` gives ``+inf``. The result is NaN for ``x < 0`` and for NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from ``log(conj(x)) = conj(log(x))``.

    - ``a = -0``, ``b = +0``: ``-inf + πj``.
    - ``a = +0``, ``b = +0``: ``-inf + 0j``.
    - ``b = +inf``: ``+inf + πj/2`` for finite ``a``, ``+inf + 3πj/4`` for ``-inf``, ``+inf + πj/4`` for ``+inf``,
      ``+inf + NaN j`` for NaN.
    - ``b > 0`` finite: ``+inf + πj`` for ``a = -inf``, ``+inf + 0j`` for ``a = +inf``.
    - ``b`` NaN: ``+inf + NaN j`` for infinite ``a``, ``NaN + NaN j`` for finite ``a``.
    - ``a`` NaN, ``b`` finite or NaN: ``NaN + NaN j``.

    Standard 2025.12, Element-wise Functions, ``log``.
    """


@unary(accepts="floating")
def log1p(x: AnyArray, /) -> Array:
    r"""Natural logarithm of one plus ``x``, :math:`\ln(1 + x)`, accurate for ``x`` near 0.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The logarithms, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The imaginary part is in :math:`[-\pi, \pi]`. The branch cut is that of the logarithm of :math:`1 + x`, the real
    interval :math:`(-\infty, -1)`; the sign of a zero imaginary part selects the side of the cut.

    Special cases, real:

    - -1 gives ``-inf``, ``±0`` gives ``±0`` and ``+inf`` gives ``+inf``. The result is NaN for ``x < -1`` and for
      NaN.

    Special cases, complex, for ``x = a + bj``. Those with other signs follow from
    ``log1p(conj(x)) = conj(log1p(x))``.

    - ``a = -1``, ``b = +0``: ``-inf + 0j``.
    - ``b = +inf``: ``+inf + πj/2`` for finite ``a``, ``+inf + 3πj/4`` for ``-inf``, ``+inf + πj/4`` for ``+inf``,
      ``+inf + NaN j`` for NaN.
    - ``b > 0`` finite: ``+inf + πj`` for ``a = -inf``, ``+inf + 0j`` for ``a = +inf``.
    - ``b`` NaN: ``+inf + NaN j`` for infinite ``a``, ``NaN + NaN j`` for finite ``a``.
    - ``a`` NaN, ``b`` finite or NaN: ``NaN + NaN j``.

    Standard 2025.12, Element-wise Functions, ``log1p``.
    """


def _logarithm(xp: Any, x: Native, base: float) -> Native:
    """The natural logarithm, scaled; exact at the powers of the base."""
    natural, scale = xp.log(x), 1.0 / math.log(base)
    if natural.dtype.kind == "c":
        return xp.complex_of(*(xp.multiply(part, scale) for part in (xp.real(natural), xp.imag(natural))))
    result = xp.multiply(natural, scale)
    nearest = xp.round(result)
    return xp.where(xp.equal(xp.pow(base, nearest), x), nearest, result)


def _compose_log2(xp: Any, x: Native) -> Native:
    return _logarithm(xp, x, 2.0)


@unary(accepts="floating", composition=_compose_log2)
def log2(x: AnyArray, /) -> Array:
    r"""Base-2 logarithm :math:`\log_{2} x`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The logarithms, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The branch cut is that of the natural logarithm, the negative real axis :math:`(-\infty, 0)`.

    Special cases, real:

    - ``±0`` gives ``-inf``, 1 gives ``+0`` and ``+inf`` gives ``+inf``. The result is NaN for ``x < 0`` and for NaN.

    Special cases, complex: those of ``log(x) / log(2)``, with ``log2(conj(x)) = conj(log2(x))``.

    Standard 2025.12, Element-wise Functions, ``log2``.
    """


def _compose_log10(xp: Any, x: Native) -> Native:
    return _logarithm(xp, x, 10.0)


@unary(accepts="floating", composition=_compose_log10)
def log10(x: AnyArray, /) -> Array:
    r"""Base-10 logarithm :math:`\log_{10} x`.

    Parameters
    ----------
    x
        Array of any shape and a floating-point dtype. Integers are converted to floating point; the device ``strict``
        rejects them.

    Returns
    -------
    Array
        The logarithms, with the shape of ``x`` and its dtype, or the floating-point dtype it is converted to.

    Notes
    -----
    The branch cut is that of the natural logarithm, the negative real axis :math:`(-\infty, 0)`.

    Special cases, real:

    - ``±0`` gives ``-inf``, 1 gives ``+0`` and ``+inf`` gives ``+inf``. The result is NaN for ``x < 0`` and for NaN.

    Special cases, complex: those of ``log(x) / log(10)``, with ``log10(conj(x)) = conj(log10(x))``.

    Standard 2025.12, Element-wise Functions, ``log10``.
    """


@of_floats
def _compose_logaddexp(xp: Any, x1: NativeOperand, x2: NativeOperand) -> Native:
    """The larger operand plus ``log1p(exp(-|x1 - x2|))``."""
    distance = xp.where(xp.equal(x1, x2), 0.0, xp.abs(xp.subtract(x1, x2)))
    return xp.add(xp.maximum(x1, x2), xp.log1p(xp.exp(xp.negative(distance))))


@binary(accepts="real floating", composition=_compose_logaddexp)
def logaddexp(x1: RealOperand, x2: RealOperand, /) -> Array:
    r"""Logarithm of a sum of exponentials, :math:`\ln(e^{x_1} + e^{x_2})`.

    Parameters
    ----------
    x1, x2
        Arrays of real floating-point dtypes whose shapes broadcast. One operand may be a Python scalar.

    Returns
    -------
    Array
        The logarithms, with the broadcast shape and the promoted dtype.

    Notes
    -----
    Special cases:

    - If an operand is NaN, the result is NaN. Otherwise, if an operand is ``+inf``, the result is ``+inf``.

    The error is one of rounding of the larger operand: where the terms cancel, near a result of 0, few digits or none
    of the result are right, as in other libraries.

    Standard 2025.12, Element-wise Functions, ``logaddexp``.
    """
