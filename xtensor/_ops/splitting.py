"""Arrays split into parts, with NumPy's names and signatures."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from .._core.array import Array
from .._core.checks import check_axis
from .._core.compositions import composed
from .._core.errors import describe
from ._arguments import as_arrays
from ._conversions import integers

__all__ = ["array_split", "dsplit", "hsplit", "split", "vsplit"]


@composed
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Return the parts of an array along an axis, which need not be of equal length.

    Parameters
    ----------
    ary
        Array of one or more dimensions.
    indices_or_sections
        The number of parts, of which the first ones are longer by one if the length is no multiple of it; or a sequence
        of the positions at which the array is split.
    axis
        The axis.

    Returns
    -------
    list of Array
        Slices of ``ary``, as indexing returns them.

    Raises
    ------
    ValueError
        If the number of parts is not positive, or ``axis`` is out of bounds.
    TypeError
        If ``ary`` is not an Array, or a number is not an integer.

    Notes
    -----
    NumPy, ``array_split``.
    """
    (ary,) = as_arrays("array_split", ary)
    axis = check_axis(axis, ary.ndim, "array_split")
    return _split(ary, indices_or_sections, axis, "array_split", equally=False)


@composed
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Return the parts of an array along an axis.

    Parameters
    ----------
    ary
        Array of one or more dimensions.
    indices_or_sections
        The number of parts of equal length, or a sequence of the positions at which the array is split.
    axis
        The axis.

    Returns
    -------
    list of Array
        Slices of ``ary``, as indexing returns them.

    Raises
    ------
    ValueError
        If the length is no multiple of the number of parts, or ``axis`` is out of bounds.
    TypeError
        If ``ary`` is not an Array, or a number is not an integer.

    Notes
    -----
    NumPy, ``split``.
    """
    (ary,) = as_arrays("split", ary)
    return _split(ary, indices_or_sections, check_axis(axis, ary.ndim, "split"), "split")


@composed
def hsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Return the parts of an array along the second axis, or along the only axis of a vector.

    Parameters
    ----------
    ary
        Array of one or more dimensions.
    indices_or_sections
        The number of parts of equal length, or a sequence of the positions at which the array is split.

    Returns
    -------
    list of Array
        Slices of ``ary``, as indexing returns them.

    Raises
    ------
    ValueError
        If ``ary`` is 0-d, or the length is no multiple of the number of parts.
    TypeError
        If ``ary`` is not an Array, or a number is not an integer.

    Notes
    -----
    NumPy, ``hsplit``.
    """
    ary = _of_dimensions(ary, 1, "hsplit")
    return _split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0, "hsplit")


@composed
def vsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Return the parts of an array of two or more dimensions along the first axis.

    Parameters
    ----------
    ary
        Array of two or more dimensions.
    indices_or_sections
        The number of parts of equal length, or a sequence of the positions at which the array is split.

    Returns
    -------
    list of Array
        Slices of ``ary``, as indexing returns them.

    Raises
    ------
    ValueError
        If ``ary`` has fewer than two dimensions, or the length is no multiple of the number of parts.
    TypeError
        If ``ary`` is not an Array, or a number is not an integer.

    Notes
    -----
    NumPy, ``vsplit``.
    """
    ary = _of_dimensions(ary, 2, "vsplit")
    return _split(ary, indices_or_sections, 0, "vsplit")


@composed
def dsplit(ary: Any, indices_or_sections: Any) -> list[Array]:
    """Return the parts of an array of three or more dimensions along the third axis.

    Parameters
    ----------
    ary
        Array of three or more dimensions.
    indices_or_sections
        The number of parts of equal length, or a sequence of the positions at which the array is split.

    Returns
    -------
    list of Array
        Slices of ``ary``, as indexing returns them.

    Raises
    ------
    ValueError
        If ``ary`` has fewer than three dimensions, or the length is no multiple of the number of parts.
    TypeError
        If ``ary`` is not an Array, or a number is not an integer.

    Notes
    -----
    NumPy, ``dsplit``.
    """
    ary = _of_dimensions(ary, 3, "dsplit")
    return _split(ary, indices_or_sections, 2, "dsplit")


def _of_dimensions(ary: Any, ndim: int, name: str) -> Array:
    """Return an array-like as an Array; raise ValueError for fewer dimensions."""
    x = as_arrays(name, ary)[0]
    if x.ndim < ndim:
        raise ValueError(
            f"{name} only works on arrays of {ndim} or more dimensions, not on shape {x.shape}; reshape it"
        )
    return x


def _split(ary: Any, sections: Any, axis: int, name: str, *, equally: bool = True) -> list[Array]:
    """Return the slices of an array along an axis between positions, or a number of slices."""
    length = ary.shape[axis]
    if isinstance(sections, (list, tuple, range)) or (isinstance(sections, (Array, np.ndarray)) and sections.ndim):
        positions = [0, *integers(name, "each position", sections), length]
    else:
        given = _number_of_parts(sections, name)
        number = int(given)
        if number <= 0:
            raise ValueError(f"number sections must be larger than 0.; {name}() received {number}")
        quotient, rest = divmod(length, number)
        if equally and (rest or number != given):
            raise ValueError(
                f"array split does not result in an equal division; {name}(): length {length} is no multiple of "
                f"{given}; use xtensor.array_split for parts of different lengths"
            )
        positions = [i * quotient + min(i, rest) for i in range(number + 1)]
    parts = []
    for start, stop in pairwise(positions):
        first, last, _ = slice(start, stop).indices(length)
        parts.append(ary[(*(slice(None),) * axis, slice(first, max(first, last)), ...)])
    return parts


def _number_of_parts(sections: Any, name: str) -> Any:
    """Return a number of parts as a finite number; NumPy also takes a floating-point number."""
    if isinstance(sections, (Array, np.ndarray)):
        sections = sections.item()
    if isinstance(sections, bool) or not isinstance(sections, (int, float, np.integer, np.floating)):
        raise TypeError(
            f"{name}(): indices_or_sections is an integer or a sequence of integers, not {describe(sections)}"
        )
    return sections
