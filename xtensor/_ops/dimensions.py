"""Arrays with a least number of dimensions, with NumPy's names and signatures."""

from __future__ import annotations

from typing import Any

from .._core.array import Array
from .._core.compositions import composed
from ._arguments import as_arrays, with_axes_before, with_three_axes

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d"]


@composed
def atleast_1d(*arys: Any) -> Any:
    """Return arrays with at least one dimension: a 0-d array becomes an array of shape ``(1,)``.

    Parameters
    ----------
    *arys
        Arrays, and array-likes with at least one Array.

    Returns
    -------
    Array or tuple of Array
        One Array, or a tuple if there are several; views where no axis was added.

    Raises
    ------
    TypeError
        If none is an Array.

    Notes
    -----
    NumPy, ``atleast_1d``.
    """
    return _single([with_axes_before(x, 1) for x in as_arrays("atleast_1d", *arys)])


@composed
def atleast_2d(*arys: Any) -> Any:
    """Return arrays with at least two dimensions: a vector of length ``N`` becomes an array of shape ``(1, N)``.

    Parameters
    ----------
    *arys
        Arrays, and array-likes with at least one Array.

    Returns
    -------
    Array or tuple of Array
        One Array, or a tuple if there are several.

    Raises
    ------
    TypeError
        If none is an Array.

    Notes
    -----
    NumPy, ``atleast_2d``.
    """
    return _single([with_axes_before(x, 2) for x in as_arrays("atleast_2d", *arys)])


@composed
def atleast_3d(*arys: Any) -> Any:
    """Return arrays with at least three dimensions: shape ``(N,)`` becomes ``(1, N, 1)``, and ``(M, N)`` ``(M, N, 1)``.

    Parameters
    ----------
    *arys
        Arrays, and array-likes with at least one Array.

    Returns
    -------
    Array or tuple of Array
        One Array, or a tuple if there are several.

    Raises
    ------
    TypeError
        If none is an Array.

    Notes
    -----
    NumPy, ``atleast_3d``.
    """
    return _single([with_three_axes(x) for x in as_arrays("atleast_3d", *arys)])


def _single(results: list[Array]) -> Any:
    """Return the only result, or the tuple of several."""
    return results[0] if len(results) == 1 else tuple(results)
