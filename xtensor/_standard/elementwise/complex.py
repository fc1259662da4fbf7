"""Components of complex numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ..._core.operations import declare
from ._declaration import unary

if TYPE_CHECKING:
    from ..._core.array import Array

__all__ = ["conj", "imag", "real"]


@unary(accepts="numeric", composition=composed.conj)
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


@unary(accepts="complex floating", dtype="component")
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


@unary(accepts="numeric", dtype="component")
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


COMPLEX_OF = declare("complex_of", "elementwise", operands=2, accepts="real floating", dtype="complex")
"""``real + imag·j``, each component exactly as given. For compositions and corrections; it has no public function."""
