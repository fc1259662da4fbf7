"""Manipulation functions (Array API standard 2025.12, "Manipulation Functions")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Never

from .._core.array import Array, Axis
from .._core.backend import Native
from .._core.calls import apply
from .._core.checks import as_lengths, axes_of_array, check_axes, check_axis, check_copy, check_integer
from .._core.errors import CopyRequiredError, describe
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_reduction
from .._core.operands import array_argument
from .._core.operations import declare
from .._core.views import Call, is_reshaped_view, rearranged
from ._composing import along

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = [
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "reshape",
    "roll",
    "squeeze",
]

Shape = tuple[int, ...]


Axes = int | tuple[int, ...]


def _as_tuple(value: Axes) -> tuple[int, ...]:
    """Return one axis, or several, as a tuple."""
    return value if isinstance(value, tuple) else (value,)


def _compose_expand_dims(xp: Any, x: Native, *, axis: Axes) -> Native:
    axes = _as_tuple(axis)
    ndim = x.ndim + len(axes)
    axes = tuple(item % ndim for item in axes)
    lengths = iter(x.shape)
    return xp.reshape(x, tuple(1 if position in axes else next(lengths) for position in range(ndim)))


EXPAND_DIMS = declare(
    "expand_dims", "manipulation", shape="argument", numpy="expand_dims", composition=_compose_expand_dims
)


def expand_dims(x: AnyArray, /, axis: int | tuple[int, ...]) -> Array:
    """Insert axes of length 1.

    Parameters
    ----------
    x
        Array of any dtype.
    axis
        Position or positions of the new axes in the result.

    Returns
    -------
    Array
        View of ``x`` with the new axes.

    Raises
    ------
    ValueError
        If an axis is out of bounds for the result, or repeated.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``expand_dims``.
    """
    x = array_argument(x, "expand_dims")
    device = x._device
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    axes = check_axes(axis, x._native.ndim + count, "expand_dims", "repeated axis")
    result = apply(EXPAND_DIMS, device, x._native, axis=axes)
    if device.level:
        rearranged(x, result, Call(EXPAND_DIMS, axis=axes), Call(SQUEEZE, axis=axes))
    return result


def _compose_flip(xp: Any, x: Native, *, axis: Axes | None) -> Native:
    axes = [item % x.ndim for item in (range(x.ndim) if axis is None else _as_tuple(axis))]
    return xp.getitem(x, tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim)))


FLIP = declare("flip", "manipulation", shape="argument", numpy="flip", composition=_compose_flip)


@keywords_only
def flip(x: AnyArray, /, *positional: Never, axis: Axis = None) -> Array:
    """Reverse the order of the elements along axes.

    Parameters
    ----------
    x
        Array of any dtype.
    axis
        Axis or axes to reverse; None reverses all axes.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If an axis is out of bounds, or repeated.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``flip``.
    """
    if positional:
        raise by_position(flip, positional)
    x = array_argument(x, "flip")
    device = x._device
    axes = tuple(range(x.ndim)) if axis is None else check_axes(axis, x.ndim, "flip", "repeated axis")
    result = apply(FLIP, device, x._native, axis=axes)
    if device.level:
        rearranged(x, result, Call(FLIP, axis=axes), Call(FLIP, axis=axes))
    return result


def _compose_moveaxis(xp: Any, x: Native, source: Axes, destination: Axes) -> Native:
    sources, destinations = (tuple(item % x.ndim for item in _as_tuple(axes)) for axes in (source, destination))
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for target, axis in sorted(zip(destinations, sources, strict=True)):
        order.insert(target, axis)
    return xp.permute_dims(x, tuple(order))


MOVEAXIS = declare("moveaxis", "manipulation", shape="argument", numpy="moveaxis", composition=_compose_moveaxis)


def moveaxis(x: AnyArray, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Array:
    """Move axes to new positions; the other axes keep their order.

    Parameters
    ----------
    x
        Array of any dtype.
    source
        Axis or axes to move.
    destination
        Position of each moved axis in the result.

    Returns
    -------
    Array
        View of ``x`` with the axes moved.

    Raises
    ------
    ValueError
        If ``source`` and ``destination`` differ in length, or an axis is out of bounds or repeated.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``moveaxis``.
    """
    x = array_argument(x, "moveaxis")
    device = x._device
    sources = check_axes(source, x.ndim, "moveaxis", "repeated axis in `source` argument", "source: ")
    destinations = check_axes(
        destination, x.ndim, "moveaxis", "repeated axis in `destination` argument", "destination: "
    )
    if len(sources) != len(destinations):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements; moveaxis() received "
            f"{len(sources)} ({source}) and {len(destinations)} ({destination}); pass one destination per source axis"
        )
    result = apply(MOVEAXIS, device, x._native, sources, destinations)
    if device.level:
        rearranged(x, result, Call(MOVEAXIS, sources, destinations), Call(MOVEAXIS, destinations, sources))
    return result


PERMUTE_DIMS = declare("permute_dims", "manipulation", shape="argument", numpy="permute_dims")


def permute_dims(x: AnyArray, /, axes: tuple[int, ...]) -> Array:
    """Permute the axes of an array.

    Parameters
    ----------
    x
        Array of any dtype.
    axes
        Permutation of the axes: axis ``i`` of the result is axis ``axes[i]`` of ``x``.

    Returns
    -------
    Array
        View of ``x`` with the axes permuted.

    Raises
    ------
    ValueError
        If ``axes`` is not a permutation of the axes of ``x``.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``permute_dims``.
    """
    x = array_argument(x, "permute_dims")
    device = x._device
    is_sequence = isinstance(axes, (tuple, list))
    order = tuple([check_integer(axis, "permute_dims", "axis") for axis in axes]) if is_sequence else ()
    if not is_sequence or len(order) != x.ndim:
        raise ValueError(
            f"axes don't match array; permute_dims() takes a permutation of the {x.ndim} axes of shape {x.shape}, not "
            f"{describe(axes)}"
        )
    order = check_axes(order, x.ndim, "permute_dims", "repeated axis in transpose")
    result = apply(PERMUTE_DIMS, device, x._native, order)
    if device.level:
        inverse = tuple(sorted(range(len(order)), key=order.__getitem__))
        rearranged(x, result, Call(PERMUTE_DIMS, order), Call(PERMUTE_DIMS, inverse))
    return result


RESHAPE = declare("reshape", "manipulation", shape="argument", numpy="reshape")


@keywords_only
def reshape(x: AnyArray, /, shape: Shape, *positional: Never, copy: bool | None = None) -> Array:
    """Change the shape of an array without changing its elements or their row-major order.

    Parameters
    ----------
    x
        Array of any dtype.
    shape
        Shape of the result, with the number of elements of ``x``; one length may be -1 and is inferred from the others.
    copy
        True: always copy. False: never copy. None: return a view where the memory layout permits, else a copy.

    Returns
    -------
    Array
        Array of the given shape and the dtype of ``x``.

    Raises
    ------
    ValueError
        If the number of elements differs, more than one length is -1, or a copy is necessary and ``copy`` is False.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``reshape``.
    """
    if positional:
        raise by_position(reshape, positional)
    x = array_argument(x, "reshape")
    device = x._device
    native = x._native
    lengths = as_lengths(shape, "reshape")
    if copy is not None:
        copy = check_copy(copy, "reshape")
    if lengths == (-1,):  # one axis, the most frequent shape
        lengths = (native.size,)
    size, inferred, valid = 1, 0, True
    for length in lengths:
        if length >= 0:
            size *= length
        else:
            inferred += 1
            valid = valid and length == -1
    if inferred:
        valid = valid and inferred == 1 and size != 0 and native.size % size == 0
    elif native.size != size:
        valid = False
    if not valid:
        listed = ",".join("newaxis" if length == -1 else str(length) for length in lengths)  # as NumPy writes it
        words = f"cannot reshape array of size {x.size} into shape ({listed}{',' if len(lengths) == 1 else ''})"
        if inferred > 1:
            words = "can only specify one unknown dimension"
        raise ValueError(
            f"{words}; reshape() of shape {x.shape} takes a shape of {x.size} elements, with at most one length of -1, "
            f"not {lengths}"
        )
    if inferred:
        position = lengths.index(-1)
        lengths = (*lengths[:position], native.size // size, *lengths[position + 1 :])
    try:
        # Without the argument the call takes half the time in NumPy.
        options = {} if copy is None else {"copy": copy}
        result = apply_reduction(RESHAPE, device, native, lengths, **options)
    except ValueError as error:
        if copy is False:
            raise CopyRequiredError(
                f"Unable to avoid creating a copy while reshaping; reshape() cannot view shape {x.shape} with this "
                f"memory layout as {lengths}; pass copy=None or copy=True"
            ) from error
        raise
    if device.level and copy is not True and is_reshaped_view(x, result):
        rearranged(x, result, Call(RESHAPE, lengths), Call(RESHAPE, x.shape))
    return result


def _compose_roll(xp: Any, x: Native, shift: Axes, *, axis: Axes | None) -> Native:
    if axis is None:
        return xp.reshape(xp.roll(xp.reshape(x, (-1,)), shift, axis=0), x.shape)
    shifts, axes = _as_tuple(shift), _as_tuple(axis)
    if len(shifts) == 1:
        shifts *= len(axes)
    if len(axes) == 1:
        axes *= len(shifts)
    for count, position in zip(shifts, axes, strict=True):
        length = x.shape[position]
        start = -count % length if length else 0
        if start:
            tail, head = x[along(position, slice(start, None))], x[along(position, slice(None, start))]
            x = xp.concat([tail, head], axis=position)
    return xp.astype(x, x.dtype, copy=True)


ROLL = declare("roll", "manipulation", shape="argument", numpy="roll", composition=_compose_roll)


@keywords_only
def roll(x: AnyArray, /, shift: int | tuple[int, ...], *positional: Never, axis: Axis = None) -> Array:
    r"""Roll the elements along axes, :math:`y_i = x_{(i - shift) \bmod n}`.

    Parameters
    ----------
    x
        Array of any dtype.
    shift
        Number of positions by which elements move towards higher indices: one integer, or one for each axis.
    axis
        Axis or axes along which to roll; the shifts of a repeated axis add up. None rolls the flattened array and
        restores the shape.

    Returns
    -------
    Array
        Array of the shape and dtype of ``x``.

    Raises
    ------
    ValueError
        If ``shift`` is a tuple and its length differs from the number of axes, or an axis is out of bounds.
    TypeError
        If a shift or an axis is not an integer.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``roll``.
    """
    if positional:
        raise by_position(roll, positional)
    x = array_argument(x, "roll")
    device = x._device
    shift, axis = axes_of_array(shift), axes_of_array(axis)
    shifts: Any = (
        tuple(check_integer(item, "roll", "shift") for item in shift)
        if isinstance(shift, (tuple, list))
        else check_integer(shift, "roll", "shift")
    )
    if axis is not None:
        is_sequence = isinstance(axis, (tuple, list))
        # Not check_axes: a repeated axis is valid here, its shifts add up.
        axes = tuple(check_axis(item, x.ndim, "roll") for item in (axis if is_sequence else (axis,)))  # type: ignore[union-attr]
        if isinstance(shifts, tuple) and len(shifts) != len(axes):
            raise ValueError(
                "shape mismatch: objects cannot be broadcast to a single shape; roll() takes one shift per axis, not "
                f"{len(shifts)} shifts {shift} for axis {axis}"
            )
        axis = axes if is_sequence else axes[0]
        if not axes:
            # NumPy raises for a 0-d array without axes.
            shifts, axis = 0, None
        if not is_sequence and isinstance(shifts, tuple):
            shifts = shifts[0]
    elif isinstance(shifts, tuple):
        raise ValueError(f"roll(): axis is None for shifts {shift}; pass one axis per shift, or an integer shift")
    return apply(ROLL, device, x._native, shifts, axis=axis)


def _compose_squeeze(xp: Any, x: Native, *, axis: Axes) -> Native:
    axes = tuple(item % x.ndim for item in _as_tuple(axis)) if x.ndim else ()
    return xp.reshape(x, tuple(length for position, length in enumerate(x.shape) if position not in axes))


SQUEEZE = declare("squeeze", "manipulation", shape="argument", numpy="squeeze", composition=_compose_squeeze)


def squeeze(x: AnyArray, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """Remove axes of length 1.

    Parameters
    ----------
    x
        Array of any dtype.
    axis
        Axis or axes to remove; None, as NumPy's function has it, removes every axis of length 1.

    Returns
    -------
    Array
        View of ``x`` without the axes.

    Raises
    ------
    ValueError
        If the length of an axis is not 1, or an axis is out of bounds or repeated.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``squeeze``.
    """
    x = array_argument(x, "squeeze")
    device = x._device
    if axis is None:
        axis = tuple([position for position, length in enumerate(x.shape) if length == 1])
    axes = check_axes(axis, x.ndim, "squeeze")
    for position in axes:
        if x.shape[position] != 1:
            raise ValueError(
                "cannot select an axis to squeeze out which has size not equal to one; squeeze(): axis "
                f"{position} of shape {x.shape} has length {x.shape[position]}; pass axes of length 1"
            )
    result = apply(SQUEEZE, device, x._native, axis=axes)
    if device.level:
        rearranged(x, result, Call(SQUEEZE, axis=axes), Call(EXPAND_DIMS, axis=axes))
    return result
