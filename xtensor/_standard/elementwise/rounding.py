"""Rounding to integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._composed import elementwise as composed
from ._declaration import unary

if TYPE_CHECKING:
    from ..._core.array import Array

__all__ = ["ceil", "floor", "round", "trunc"]


@unary(accepts="real", composition=composed.ceil)
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


@unary(accepts="real")
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


@unary(accepts="numeric")
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


@unary(accepts="real", composition=composed.trunc)
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
