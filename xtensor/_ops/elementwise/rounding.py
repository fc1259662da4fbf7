"""Rounding to integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._core.backend import Native
from ..._core.dtypes import kind_of
from .._composing import copy, loop_dtype
from ._declaration import unary

if TYPE_CHECKING:
    from ..._core.annotations import AnyArray
    from ..._core.array import Array

__all__ = ["ceil", "floor", "round", "trunc"]


def _compose_ceil(xp: Any, x: Native) -> Native:
    loop_dtype("ceil", "biufV", x)
    return xp.negative(xp.floor(xp.negative(x))) if kind_of(x.dtype) == "f" else copy(xp, x)


@unary(accepts="real", composition=_compose_ceil)
def ceil(x: AnyArray, /) -> Array:
    r"""Round up to the nearest integer, :math:`\lceil x \rceil`.

    Parameters
    ----------
    x
        Array of any shape and a real-valued dtype.

    Returns
    -------
    Array
        The rounded values, with the shape and dtype of ``x``.

    Notes
    -----
    Integers, ``±0``, ``±inf`` and NaN are returned unchanged.

    Standard 2025.12, Element-wise Functions, ``ceil``.
    """


@unary(accepts="real")
def floor(x: AnyArray, /) -> Array:
    r"""Round down to the nearest integer, :math:`\lfloor x \rfloor`.

    Parameters
    ----------
    x
        Array of any shape and a real-valued dtype.

    Returns
    -------
    Array
        The rounded values, with the shape and dtype of ``x``.

    Notes
    -----
    Integers, ``±0``, ``±inf`` and NaN are returned unchanged.

    Standard 2025.12, Element-wise Functions, ``floor``.
    """


@unary(accepts="numeric")
def round(x: AnyArray, /) -> Array:
    """Round to the nearest integer, and halfway cases to the nearest even integer.

    Parameters
    ----------
    x
        Array of any shape and a numeric dtype.

    Returns
    -------
    Array
        The rounded values, with the shape and dtype of ``x``.

    Notes
    -----
    Integers, ``±0``, ``±inf`` and NaN are returned unchanged. The components of a complex number are rounded
    independently.

    Standard 2025.12, Element-wise Functions, ``round``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.round(xp.asarray([0.5, 1.5, 2.5]))
    Array([0., 2., 2.])
    """


def _compose_trunc(xp: Any, x: Native) -> Native:
    loop_dtype("trunc", "biufV", x)
    if kind_of(x.dtype) != "f":
        return copy(xp, x)
    return xp.where(xp.less(x, 0.0), xp.ceil(x), xp.floor(x))


@unary(accepts="real", composition=_compose_trunc)
def trunc(x: AnyArray, /) -> Array:
    """Round towards 0 to the nearest integer.

    Parameters
    ----------
    x
        Array of any shape and a real-valued dtype.

    Returns
    -------
    Array
        The rounded values, with the shape and dtype of ``x``.

    Notes
    -----
    Integers, ``±0``, ``±inf`` and NaN are returned unchanged.

    Standard 2025.12, Element-wise Functions, ``trunc``.
    """
