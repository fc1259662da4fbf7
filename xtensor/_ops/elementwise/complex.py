"""Complex conjugates, real parts and imaginary parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ._declaration import unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray
    from ..._core.array import Array

__all__ = ["conj", "imag", "real"]


@unary(accepts="numeric", composition=composed.conj)
def conj(x: AnyArray, /) -> Array:
    r"""Complex conjugate :math:`\bar x`: ``a - bj`` for ``x = a + bj``.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The conjugates, with the shape and dtype of ``x``. The conjugate of a real number is the number.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or the device does not accept its dtype.

    Notes
    -----
    The standard does not specify whether the result shares memory with ``x``.

    Standard 2025.12, Element-wise Functions, ``conj``.
    """


@unary(accepts="complex floating", dtype="component")
def imag(x: AnyArray, /) -> Array:
    """Imaginary part: ``b`` for ``x = a + bj``.

    Parameters
    ----------
    x
        Array of any shape and a complex dtype.

    Returns
    -------
    Array
        The imaginary parts, with the shape of ``x`` and the real dtype of the same precision.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or the device does not accept its dtype.

    Notes
    -----
    Standard 2025.12, Element-wise Functions, ``imag``.
    """


@unary(accepts="numeric", dtype="component")
def real(x: AnyArray, /) -> Array:
    """Real part: ``a`` for ``x = a + bj``.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The real parts, with the shape of ``x`` and the real dtype of the same precision. The real part of a real
        number is the number.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or the device does not accept its dtype.

    Notes
    -----
    The standard does not specify whether the result shares memory with ``x``.

    Standard 2025.12, Element-wise Functions, ``real``.
    """
