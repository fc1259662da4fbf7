"""Searching functions (Array API standard 2025.12, "Searching Functions")."""

from __future__ import annotations

from typing import Literal, overload

from .. import _composed
from .._core.array import Array, Axis, Scalar, apply, wrap
from .._core.checks import check_axes, check_axis, check_word
from .._core.dispatch import call, common_device, device_of, native_operand, not_an_array
from .._core.operations import declare

__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"]


ARGMAX = declare(
    "argmax",
    "reduction",
    accepts="real",
    dtype="index",
    shape="reduced",
    numpy="argmax",
    composition=_composed.searching.argmax,
)


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """The position of the largest element; of the first of them where there are several.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    axis
        The axis to search along; None searches the flattened array.
    keepdims
        Whether the searched axes stay, with length 1.

    Returns
    -------
    Array
        Positions, of the default index dtype.

    Raises
    ------
    ValueError
        If there is no element to choose from, or the axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``argmax``.
    """
    device = device_of(x, "argmax")
    if axis is not None:
        axis = check_axis(axis, x.ndim, "argmax")
    return apply(ARGMAX, device, x._native, axis=axis, keepdims=keepdims)


ARGMIN = declare(
    "argmin",
    "reduction",
    accepts="real",
    dtype="index",
    shape="reduced",
    numpy="argmin",
    composition=_composed.searching.argmin,
)


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """The position of the smallest element; of the first of them where there are several.

    Parameters
    ----------
    x
        Array of a real-valued dtype.
    axis
        The axis to search along; None searches the flattened array.
    keepdims
        Whether the searched axes stay, with length 1.

    Returns
    -------
    Array
        Positions, of the default index dtype.

    Raises
    ------
    ValueError
        If there is no element to choose from, or the axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``argmin``.
    """
    device = device_of(x, "argmin")
    if axis is not None:
        axis = check_axis(axis, x.ndim, "argmin")
    return apply(ARGMIN, device, x._native, axis=axis, keepdims=keepdims)


COUNT_NONZERO = declare(
    "count_nonzero",
    "reduction",
    dtype="index",
    shape="reduced",
    numpy="count_nonzero",
    composition=_composed.searching.count_nonzero,
)


def count_nonzero(x: Array, /, *, axis: Axis = None, keepdims: bool = False) -> Array:
    """How many elements are not zero, over all or some axes.

    Parameters
    ----------
    x
        Array of any dtype; a complex element is zero if both components are, True is not zero.
    axis
        The axis or axes to count along; None counts all elements.
    keepdims
        Whether the counted axes stay, with length 1.

    Returns
    -------
    Array
        Counts, of the default index dtype.

    Raises
    ------
    ValueError
        If an axis is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``count_nonzero``.
    """
    device = device_of(x, "count_nonzero")
    if axis is not None:
        axis = check_axes(axis, x.ndim, "count_nonzero")
    return apply(COUNT_NONZERO, device, x._native, axis=axis, keepdims=keepdims)


NONZERO = declare("nonzero", "searching", dtype="several", shape="data-dependent", numpy="nonzero")


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """The positions of the elements that are not zero.

    Parameters
    ----------
    x
        Array of one or more dimensions, of any dtype.

    Returns
    -------
    tuple of Array
        One array of positions for each axis, in row-major order, of the default index dtype.

    Raises
    ------
    ValueError
        If ``x`` is 0-d.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``nonzero``. The shape of the result depends on the elements.
    """
    device = device_of(x, "nonzero")
    if not x.ndim:
        raise ValueError("nonzero() needs an array of one or more dimensions, not a 0-d one; reshape it to (1,)")
    return tuple(wrap(part, device) for part in call(NONZERO, device, x._native))


SEARCHSORTED = declare(
    "searchsorted", "searching", operands=2, accepts="real", dtype="index", shape="argument", numpy="searchsorted"
)


def searchsorted(
    x1: Array,
    x2: Array | float,
    /,
    *,
    side: Literal["left", "right"] = "left",
    sorter: Array | None = None,
) -> Array:
    r"""Where values would be put into a sorted array so that it stays sorted.

    For a value ``v``, the index ``i`` has ``x1[i-1] < v <= x1[i]`` from the left, ``x1[i-1] <= v < x1[i]`` from the
    right.

    Parameters
    ----------
    x1
        Array of one dimension, of a real-valued dtype, in ascending order, itself or through ``sorter``.
    x2
        The values: an Array, or a Python scalar.
    side
        On which side of equal elements.
    sorter
        Positions that sort ``x1``, as ``argsort`` gives them.

    Returns
    -------
    Array
        Indices, of the shape of ``x2`` and the default index dtype.

    Raises
    ------
    ValueError
        If ``x1`` or ``sorter`` have not one dimension, differ in shape, or ``side`` is another word.
    TypeError
        If ``sorter`` holds no integers.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``searchsorted``.
    """
    device_of(x1, "searchsorted")
    check_word(side, ("left", "right"), "searchsorted", "side")
    if x1.ndim != 1:
        raise ValueError(f"searchsorted() searches an array of one dimension, not shape {x1.shape}")
    device = common_device((x1, x2)) or x1._device
    order = None
    if sorter is not None:
        device_of(sorter, "searchsorted")
        if sorter.dtype.kind not in "iu":
            raise TypeError(f"searchsorted(): sorter holds integers, not dtype {sorter.dtype}")
        if sorter.shape != x1.shape:
            raise ValueError(f"searchsorted(): sorter has shape {sorter.shape}, and x1 {x1.shape}; they must be equal")
        order = native_operand(sorter, device, "searchsorted")
    native1 = native_operand(x1, device, "searchsorted")
    native2 = native_operand(x2, device, "searchsorted")
    return apply(SEARCHSORTED, device, native1, native2, side=side, sorter=order)


WHERE = declare("where", "elementwise", operands=3, numpy="where")


@overload
def where(condition: Array, x1: Array | Scalar, x2: Array | Scalar, /) -> Array: ...


@overload
def where(condition: Array, /) -> tuple[Array, ...]: ...


def where(
    condition: Array, x1: Array | Scalar | None = None, x2: Array | Scalar | None = None, /
) -> Array | tuple[Array, ...]:
    """The elements of ``x1`` where a condition holds, else those of ``x2``.

    Parameters
    ----------
    condition
        Array of dtype bool.
    x1, x2
        Arrays that broadcast with ``condition``; Python scalars are accepted. Without both, the result is that of
        ``nonzero(condition)``, as NumPy has it; the device ``strict`` refuses.

    Returns
    -------
    Array
        Of the broadcast shape and the dtype that ``x1`` and ``x2`` promote to.

    Raises
    ------
    TypeError
        If ``condition`` is no Array.
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``where``.
    """
    if condition.__class__ is not Array:
        raise not_an_array("where", condition)
    if x1 is None and x2 is None and not condition._device._library.defined_only:
        return nonzero(condition)
    device = condition._device
    if x1.__class__ is x2.__class__ is Array and x1._device is device and x2._device is device:
        return apply(WHERE, device, condition._native, x1._native, x2._native)
    device = common_device((condition, x1, x2)) or condition._device
    chosen = native_operand(condition, device, "where")
    native1 = native_operand(x1, device, "where")
    native2 = native_operand(x2, device, "where")
    return apply(WHERE, device, chosen, native1, native2)
