"""Properties of floating-point numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ..._core.operations import declare
from ._declaration import binary, unary

if TYPE_CHECKING:
    from ..._core.array import Array

__all__ = ["copysign", "isfinite", "isinf", "isnan", "nextafter", "signbit"]


@binary(accepts="real floating")
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


@unary(accepts="numeric", dtype="bool", composition=composed.isfinite)
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


@unary(accepts="numeric", dtype="bool", composition=composed.isinf)
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


@unary(accepts="numeric", dtype="bool", composition=composed.isnan)
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


@binary(accepts="real floating")
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


@unary(accepts="real floating", dtype="bool", composition=composed.signbit)
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


MAY_HAVE_INFINITY = declare("may_have_infinity", "elementwise", dtype="bool", composition=composed.may_have_infinity)
"""Whether an operand may hold an infinity or a NaN: a Python bool, True unless the library knows better. For
corrections; it has no public function."""
