"""Sorting functions (Array API standard 2025.12, "Sorting Functions")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from .._core.array import Array
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import check_axis
from .._core.keywords import by_position, keywords_only
from .._core.operands import array_argument
from .._core.operations import declare

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["argsort", "sort"]


ARGSORT = declare("argsort", "sorting", accepts="real", dtype="index", shape="same", numpy="argsort")


@keywords_only
def argsort(x: AnyArray, /, *positional: Never, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return the indices that sort an array along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions and a real-valued dtype.
    axis
        Axis to sort along.
    descending
        True: sort in descending order. False: sort in ascending order, with NaN last.
    stable
        True: equal elements keep their relative order. False: their relative order is unspecified.

    Returns
    -------
    Array
        Indices, of the shape of ``x`` and the default index dtype.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, or ``x`` is 0-d.

    Notes
    -----
    Standard 2025.12, Sorting Functions, ``argsort``.
    """
    if positional:
        raise by_position(argsort, positional)
    x = array_argument(x, "argsort")
    device = x._device
    axis = check_axis(axis, x.ndim, "argsort")
    return apply(ARGSORT, device, x._native, axis=axis, descending=descending, stable=stable)


def _compose_sort(xp: Any, x: Native, *, axis: int, descending: bool, stable: bool) -> Native:
    return xp.take_along_axis(x, xp.argsort(x, axis=axis, descending=descending, stable=stable), axis=axis)


SORT = declare("sort", "sorting", accepts="real", shape="same", numpy="sort", composition=_compose_sort)


@keywords_only
def sort(x: AnyArray, /, *positional: Never, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Return a sorted copy of an array.

    Parameters
    ----------
    x
        Array of one or more dimensions and a real-valued dtype.
    axis
        Axis to sort along.
    descending
        True: sort in descending order. False: sort in ascending order, with NaN last.
    stable
        True: equal elements keep their relative order. False: their relative order is unspecified.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds, or ``x`` is 0-d.

    Notes
    -----
    Standard 2025.12, Sorting Functions, ``sort``.
    """
    if positional:
        raise by_position(sort, positional)
    x = array_argument(x, "sort")
    device = x._device
    axis = check_axis(axis, x.ndim, "sort")
    return apply(SORT, device, x._native, axis=axis, descending=descending, stable=stable)
