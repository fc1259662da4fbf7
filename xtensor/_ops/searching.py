"""Searching functions (Array API standard 2025.12, "Searching Functions")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Never, overload

from .._core.array import Array, Axis
from .._core.backend import Native
from .._core.calls import apply, call, wrap
from .._core.checks import check_axes, check_axis, check_bounds, check_word
from .._core.dtypes import kind_of
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_elementwise, apply_reduction
from .._core.operands import array_argument, coerce_operands, common_device, native_operand
from .._core.operations import declare

if TYPE_CHECKING:
    from .._core.annotations import AnyArray, Operand, RealOperand

__all__ = ["argmax", "argmin", "count_nonzero", "nonzero", "searchsorted", "where"]


def _position(xp: Any, extreme: Any, x: Native, axis: int | None, keepdims: bool) -> Native:
    """The first position of the extreme, or of the first NaN."""
    kept = (1,) * x.ndim
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    else:
        axis %= x.ndim
        kept = tuple(1 if position == axis else length for position, length in enumerate(x.shape))
    value = extreme(x, axis=(axis,), keepdims=True)
    if value is NotImplemented:  # of complex numbers
        return NotImplemented
    mask = xp.equal(x, value)
    if kind_of(x.dtype) in "fc":
        mask = xp.logical_or(mask, xp.isnan(x))
    length = x.shape[axis]
    index = xp.arange(0, length, 1, dtype=xp.default_integer)
    index = xp.reshape(index, tuple(length if position == axis else 1 for position in range(x.ndim)))
    first = xp.min(xp.where(mask, index, length), axis=(axis,), keepdims=False)
    return xp.reshape(first, kept) if keepdims else first


def _compose_argmax(xp: Any, x: Native, *, axis: int | None, keepdims: bool) -> Native:
    return _position(xp, xp.max, x, axis, keepdims)


ARGMAX = declare(
    "argmax",
    "reduction",
    accepts="real",
    dtype="index",
    shape="reduced",
    numpy="argmax",
    composition=_compose_argmax,
)


@keywords_only
def argmax(x: AnyArray, /, *positional: Never, axis: int | None = None, keepdims: bool = False) -> Array:
    r"""Return the index of the first largest element, :math:`\operatorname{arg\,max}_i x_i`, along an axis.

    Parameters
    ----------
    x
        Array of a real-valued dtype. NaN counts as the largest element.
    axis
        Axis to search along; None searches the flattened array.
    keepdims
        Whether the searched axes remain in the result with length 1.

    Returns
    -------
    Array
        Indices, of the default index dtype.

    Raises
    ------
    ValueError
        If there are no elements along the axis, or ``axis`` is out of bounds.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``argmax``.
    """
    if positional:
        raise by_position(argmax, positional)
    x = array_argument(x, "argmax")
    device = x._device
    if axis is not None:
        axis = check_axis(axis, x.ndim, "argmax")
    return apply_reduction(ARGMAX, device, x._native, axis=axis, keepdims=keepdims)


def _compose_argmin(xp: Any, x: Native, *, axis: int | None, keepdims: bool) -> Native:
    return _position(xp, xp.min, x, axis, keepdims)


ARGMIN = declare(
    "argmin",
    "reduction",
    accepts="real",
    dtype="index",
    shape="reduced",
    numpy="argmin",
    composition=_compose_argmin,
)


@keywords_only
def argmin(x: AnyArray, /, *positional: Never, axis: int | None = None, keepdims: bool = False) -> Array:
    r"""Return the index of the first smallest element, :math:`\operatorname{arg\,min}_i x_i`, along an axis.

    Parameters
    ----------
    x
        Array of a real-valued dtype. NaN counts as the smallest element.
    axis
        Axis to search along; None searches the flattened array.
    keepdims
        Whether the searched axes remain in the result with length 1.

    Returns
    -------
    Array
        Indices, of the default index dtype.

    Raises
    ------
    ValueError
        If there are no elements along the axis, or ``axis`` is out of bounds.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``argmin``.
    """
    if positional:
        raise by_position(argmin, positional)
    x = array_argument(x, "argmin")
    device = x._device
    if axis is not None:
        axis = check_axis(axis, x.ndim, "argmin")
    return apply_reduction(ARGMIN, device, x._native, axis=axis, keepdims=keepdims)


def _compose_count_nonzero(xp: Any, x: Native, *, axis: Axis, keepdims: bool) -> Native:
    present = x if x.dtype.kind == "b" else xp.not_equal(x, 0)
    dtype = xp.default_integer
    return xp.sum(xp.astype(present, dtype), axis=axis, keepdims=keepdims, dtype=dtype)


COUNT_NONZERO = declare(
    "count_nonzero",
    "reduction",
    dtype="index",
    shape="reduced",
    numpy="count_nonzero",
    composition=_compose_count_nonzero,
)


@keywords_only
def count_nonzero(x: AnyArray, /, *positional: Never, axis: Axis = None, keepdims: bool = False) -> Array:
    """Count the nonzero elements over axes.

    Parameters
    ----------
    x
        Array of any dtype. False counts as zero; a complex element is zero if both its components are zero.
    axis
        Axis or axes to count over; None counts over all axes.
    keepdims
        Whether the counted axes remain in the result with length 1.

    Returns
    -------
    Array
        Counts, of the default index dtype.

    Raises
    ------
    ValueError
        If an axis is out of bounds or repeated.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``count_nonzero``.
    """
    if positional:
        raise by_position(count_nonzero, positional)
    x = array_argument(x, "count_nonzero")
    device = x._device
    if axis is not None:
        axis = check_axes(axis, x.ndim, "count_nonzero")
    return apply_reduction(COUNT_NONZERO, device, x._native, axis=axis, keepdims=keepdims)


NONZERO = declare("nonzero", "searching", dtype="several", shape="data-dependent", numpy="nonzero")


def nonzero(x: AnyArray, /) -> tuple[Array, ...]:
    """Return the indices of the nonzero elements.

    Parameters
    ----------
    x
        Array of one or more dimensions and any dtype.

    Returns
    -------
    tuple of Array
        One 1-d array of indices per axis, of the default index dtype; the elements are in row-major order.

    Raises
    ------
    ValueError
        If ``x`` is 0-d.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``nonzero``. The shape of the result is data-dependent.
    """
    x = array_argument(x, "nonzero")
    device = x._device
    if not x.ndim:
        raise ValueError(
            "Calling nonzero on 0d arrays is not allowed; nonzero() takes one or more dimensions, not a 0-d array; "
            "reshape it to (1,)"
        )
    return tuple(wrap(part, device) for part in call(NONZERO, device, x._native))


SEARCHSORTED = declare(
    "searchsorted", "searching", operands=2, accepts="real", dtype="index", shape="argument", numpy="searchsorted"
)


@keywords_only
def searchsorted(
    x1: AnyArray,
    x2: RealOperand,
    /,
    *positional: Never,
    side: Literal["left", "right"] = "left",
    sorter: AnyArray | None = None,
) -> Array:
    r"""Return the indices at which values must be inserted into a sorted array to maintain its order.

    For a value ``v``, the index ``i`` satisfies ``x1[i-1] < v <= x1[i]`` for ``side="left"`` and
    ``x1[i-1] <= v < x1[i]`` for ``side="right"``.

    Parameters
    ----------
    x1
        1-d array of a real-valued dtype, in ascending order unless ``sorter`` is given.
    x2
        Values to insert: an Array or a Python scalar.
    side
        ``"left"``: insert before equal elements. ``"right"``: insert after them.
    sorter
        1-d array of the indices that sort ``x1``, for example ``argsort(x1)``.

    Returns
    -------
    Array
        Indices, of the shape of ``x2`` and the default index dtype.

    Raises
    ------
    ValueError
        If ``x1`` is not 1-d, the shapes of ``x1`` and ``sorter`` differ, or ``side`` is neither ``"left"`` nor
        ``"right"``.
    TypeError
        If ``sorter`` is not an Array of an integer dtype.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``searchsorted``.
    """
    if positional:
        raise by_position(searchsorted, positional)
    x1, x2, sorter = coerce_operands("searchsorted", x1, x2, sorter)
    x1 = array_argument(x1, "searchsorted")
    check_word(side, ("left", "right"), "searchsorted", "side")
    if x1.ndim != 1:
        raise ValueError(
            f"object too deep for desired array; searchsorted() takes a 1-d array x1, not shape {x1.shape}"
            if x1.ndim
            else "object of too small depth for desired array; searchsorted() takes a 1-d array x1, not a 0-d array; "
            "reshape it to (1,)"
        )
    device = common_device((x1, x2)) or x1._device
    order = None
    if sorter is not None:
        sorter = array_argument(sorter, "searchsorted")
        if sorter.dtype.kind not in "iu":
            raise TypeError(
                f"sorter must only contain integers; searchsorted(): sorter has dtype {sorter.dtype}; cast it with "
                "xtensor.astype"
            )
        if sorter.shape != x1.shape:
            raise ValueError(
                f"sorter.size must equal a.size; searchsorted(): sorter has shape {sorter.shape} and x1 has shape "
                f"{x1.shape}; pass the result of xtensor.argsort(x1)"
            )
        order = native_operand(sorter, device, "searchsorted")
    native1 = native_operand(x1, device, "searchsorted")
    native2 = native_operand(x2, device, "searchsorted")
    return apply(SEARCHSORTED, device, native1, native2, side=side, sorter=order)


WHERE = declare("where", "elementwise", operands=3, numpy="where")


@overload
def where(condition: AnyArray, x1: Operand, x2: Operand, /) -> Array: ...


@overload
def where(condition: Array, /) -> tuple[Array, ...]: ...


def where(condition: AnyArray, x1: Operand | None = None, x2: Operand | None = None, /) -> Array | tuple[Array, ...]:
    """Return elements of ``x1`` where a condition is true and elements of ``x2`` elsewhere.

    Parameters
    ----------
    condition
        Array of dtype bool. As in NumPy, other dtypes are accepted and nonzero elements are true; the device
        ``strict`` raises.
    x1, x2
        Arrays or Python scalars whose shapes broadcast with ``condition``. As in NumPy, the result without both is
        that of ``nonzero(condition)``; the device ``strict`` raises.

    Returns
    -------
    Array
        Array of the broadcast shape and the promoted dtype of ``x1`` and ``x2``.

    Raises
    ------
    TypeError
        If ``condition`` is not an Array.
    ValueError
        If the shapes are not broadcast-compatible.

    Notes
    -----
    Standard 2025.12, Searching Functions, ``where``.
    """
    if condition.__class__ is not Array:
        condition = coerce_operands("where", condition, x1, x2)[0]
        condition = array_argument(condition, "where")
    if x1 is None and x2 is None and not condition._device._library.defined_only:
        return nonzero(condition)
    device = condition._device
    if x1.__class__ is x2.__class__ is Array and x1._device is device and x2._device is device:
        return apply_elementwise(WHERE, device, condition._native, x1._native, x2._native)
    if x2.__class__ is float and x1.__class__ is Array and x1._device is device:
        return apply_elementwise(WHERE, device, condition._native, x1._native, x2)
    if x1.__class__ is float and x2.__class__ is Array and x2._device is device:
        return apply_elementwise(WHERE, device, condition._native, x1, x2._native)
    device = common_device((condition, x1, x2)) or condition._device
    for value, other in ((x1, x2), (x2, x1)):
        if value.__class__ is int and other.__class__ is Array:
            check_bounds(value, other.dtype, "where", "an integer")
    native_condition = native_operand(condition, device, "where")
    native1 = native_operand(x1, device, "where")
    native2 = native_operand(x2, device, "where")
    return apply_elementwise(WHERE, device, native_condition, native1, native2)
