"""Sorting functions (Array API standard 2025.12, "Sorting Functions")."""

from __future__ import annotations

from ._array import Array, apply
from ._checks import check_axis
from ._dispatch import device_of

__all__ = ["argsort", "sort"]


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
    device = device_of(x)
    axis = check_axis(axis, x.ndim, "argsort")
    function = device.xp.argsort
    return apply(device, function, x._native, axis=axis, descending=descending, stable=stable)


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
    device = device_of(x)
    axis = check_axis(axis, x.ndim, "sort")
    function = device.xp.sort
    return apply(device, function, x._native, axis=axis, descending=descending, stable=stable)
