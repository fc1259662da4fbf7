"""Sorting functions (Array API standard 2025.12, "Sorting Functions")."""

from __future__ import annotations

from .. import _composed
from .._core.array import Array, apply
from .._core.checks import check_axis
from .._core.dispatch import device_of
from .._core.operations import declare

__all__ = ["argsort", "sort"]


ARGSORT = declare("argsort", "sorting", accepts="real", dtype="index", shape="same", numpy="argsort")


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """The positions that sort an array along an axis.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    axis
        The axis to sort along.
    descending
        Whether the largest comes first.
    stable
        Whether equal elements keep their order; if not, any order of them may come.

    Returns
    -------
    Array
        Positions, of the shape of ``x`` and the default index dtype.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Sorting Functions, ``argsort``.
    """
    device = device_of(x, "argsort")
    axis = check_axis(axis, x.ndim, "argsort")
    return apply(ARGSORT, device, x._native, axis=axis, descending=descending, stable=stable)


SORT = declare("sort", "sorting", accepts="real", shape="same", numpy="sort", composition=_composed.searching.sort)


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """A copy of an array, sorted along an axis.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    axis
        The axis to sort along.
    descending
        Whether the largest comes first.
    stable
        Whether equal elements keep their order; if not, any order of them may come.

    Returns
    -------
    Array
        Of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Sorting Functions, ``sort``.
    """
    device = device_of(x, "sort")
    axis = check_axis(axis, x.ndim, "sort")
    return apply(SORT, device, x._native, axis=axis, descending=descending, stable=stable)
