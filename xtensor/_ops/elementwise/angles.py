"""Angles in degrees and radians, with NumPy's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..._core.backend import Native
from .._composing import of_floats
from ._declaration import unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray
    from ..._core.array import Array

__all__ = ["deg2rad", "degrees", "rad2deg", "radians"]


@of_floats
def _compose_deg2rad(xp: Any, x: Native) -> Native:
    return xp.multiply(x, float(x.dtype.type(math.pi) / x.dtype.type(180)))


@unary(accepts="real floating", composition=_compose_deg2rad)
def deg2rad(x: AnyArray, /) -> Array:
    r"""Convert degrees to radians, :math:`\frac{\pi}{180} x`.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The radians, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    The same function as :func:`radians`. Infinities and NaN are returned unchanged.

    NumPy, ``deg2rad``.
    """


@of_floats
def _compose_rad2deg(xp: Any, x: Native) -> Native:
    return xp.multiply(x, float(x.dtype.type(180) / x.dtype.type(math.pi)))


@unary(accepts="real floating", composition=_compose_rad2deg)
def degrees(x: AnyArray, /) -> Array:
    r"""Convert radians to degrees, :math:`\frac{180}{\pi} x`.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The degrees, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    The same function as :func:`rad2deg`. Infinities and NaN are returned unchanged.

    NumPy, ``degrees``.
    """


@unary(accepts="real floating", composition=_compose_rad2deg)
def rad2deg(x: AnyArray, /) -> Array:
    r"""Convert radians to degrees, :math:`\frac{180}{\pi} x`.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The degrees, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    The same function as :func:`degrees`. Infinities and NaN are returned unchanged.

    NumPy, ``rad2deg``.
    """


@unary(accepts="real floating", composition=_compose_deg2rad)
def radians(x: AnyArray, /) -> Array:
    r"""Convert degrees to radians, :math:`\frac{\pi}{180} x`.

    Parameters
    ----------
    x
        Array of a real dtype. Integers and booleans are cast to the floating-point dtype that holds them.

    Returns
    -------
    Array
        The radians, with the shape of ``x`` and its floating-point dtype.

    Raises
    ------
    TypeError
        If ``x`` is not an Array, or NumPy has no loop for its dtype.

    Notes
    -----
    The same function as :func:`deg2rad`. Infinities and NaN are returned unchanged.

    NumPy, ``radians``.
    """
