"""Manipulation functions (Array API standard 2025.12, "Manipulation Functions")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _composed
from .._core.array import Array, Axis, apply, wrap
from .._core.backend import Native
from .._core.checks import as_lengths, check_axes, check_axis, check_copy, check_integer, check_shape, check_size
from .._core.dispatch import call, common_device, device_of, native_operand, not_an_array
from .._core.errors import CopyRequiredError, describe
from .._core.operations import declare

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]

Shape = tuple[int, ...]


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Arrays broadcast against each other, to one shape.

    Parameters
    ----------
    *arrays
        Arrays whose shapes broadcast.

    Returns
    -------
    tuple of Array
        Views of that shape, each of its own dtype; not to be written to, as elements share memory.

    Raises
    ------
    ValueError
        If the shapes do not broadcast.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``broadcast_arrays``.
    """
    for x in arrays:
        device_of(x, "broadcast_arrays")
    shape = _broadcast([x.shape for x in arrays], "broadcast_arrays")
    return tuple(broadcast_to(x, shape) for x in arrays)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that shapes broadcast to.

    Shapes are aligned at their last axis; in each axis the lengths are equal, or 1.

    Parameters
    ----------
    *shapes
        Tuples of lengths; ``()`` is the shape of a 0-d array.

    Raises
    ------
    ValueError
        If two lengths differ and neither is 1.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``broadcast_shapes``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.broadcast_shapes((8, 1, 6), (7, 1))
    (8, 7, 6)
    """
    return _broadcast([check_shape(shape, "broadcast_shapes") for shape in shapes], "broadcast_shapes")


BROADCAST_TO = declare("broadcast_to", "manipulation", shape="argument", numpy="broadcast_to")


def broadcast_to(x: Array, /, shape: Shape) -> Array:
    """An array repeated along new axes and along axes of length 1, without a copy.

    Parameters
    ----------
    x
        Array of any dtype.
    shape
        A shape to which that of ``x`` broadcasts.

    Returns
    -------
    Array
        A view; not to be written to, as elements share memory.

    Raises
    ------
    ValueError
        If the shape of ``x`` does not broadcast to ``shape``.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``broadcast_to``.
    """
    device = device_of(x, "broadcast_to")
    lengths = check_shape(shape, "broadcast_to")
    return apply(BROADCAST_TO, device, x._native, lengths)


CONCAT = declare("concat", "manipulation", operands=2, shape="argument", numpy="concat")


def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    """Arrays one after another along an axis they have.

    Parameters
    ----------
    arrays
        Arrays of equal shape but for ``axis``.
    axis
        The axis; None flattens the arrays first.

    Returns
    -------
    Array
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If there is no array, the shapes do not fit, or the axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``concat``.
    """
    device, natives = _several(arrays, "concat")
    if axis is not None:
        axis = check_axis(axis, natives[0].ndim, "concat")
    return apply(CONCAT, device, natives, axis=axis)


EXPAND_DIMS = declare(
    "expand_dims", "manipulation", shape="argument", numpy="expand_dims", composition=_composed.manipulation.expand_dims
)


def expand_dims(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """An array with axes of length 1 put in, a view.

    Parameters
    ----------
    x
        Array of any dtype.
    axis
        Where in the result the new axis or axes stand.

    Raises
    ------
    ValueError
        If an axis is out of bounds for the result, or named twice.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``expand_dims``.
    """
    device = device_of(x, "expand_dims")
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    axes = check_axes(axis, x._native.ndim + count, "expand_dims")
    return apply(EXPAND_DIMS, device, x._native, axis=axes)


FLIP = declare("flip", "manipulation", shape="argument", numpy="flip", composition=_composed.manipulation.flip)


def flip(x: Array, /, *, axis: Axis = None) -> Array:
    """An array with the order of its elements reversed along axes.

    Parameters
    ----------
    x
        Array of any dtype.
    axis
        The axis or axes; None reverses all.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``flip``.
    """
    device = device_of(x, "flip")
    axes = tuple(range(x.ndim)) if axis is None else check_axes(axis, x.ndim, "flip")
    return apply(FLIP, device, x._native, axis=axes)


MOVEAXIS = declare(
    "moveaxis", "manipulation", shape="argument", numpy="moveaxis", composition=_composed.manipulation.moveaxis
)


def moveaxis(x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Array:
    """An array with some axes moved to other places, the others keeping their order; a view.

    Parameters
    ----------
    x
        Array of any dtype.
    source
        The axes that move.
    destination
        The place of each of them in the result.

    Raises
    ------
    ValueError
        If there are not as many places as axes, or one is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``moveaxis``.
    """
    device = device_of(x, "moveaxis")
    sources = check_axes(source, x.ndim, "moveaxis")
    destinations = check_axes(destination, x.ndim, "moveaxis")
    if len(sources) != len(destinations):
        raise ValueError(
            f"moveaxis(): {len(sources)} axes {source} cannot move to {len(destinations)} places {destination}"
        )
    return apply(MOVEAXIS, device, x._native, sources, destinations)


PERMUTE_DIMS = declare("permute_dims", "manipulation", shape="argument", numpy="permute_dims")


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """An array with its axes in another order, a view.

    Parameters
    ----------
    x
        Array of any dtype.
    axes
        A permutation of the axes.

    Raises
    ------
    ValueError
        If ``axes`` is no permutation.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``permute_dims``.
    """
    device = device_of(x, "permute_dims")
    order = check_axes(tuple(axes), x.ndim, "permute_dims") if isinstance(axes, (tuple, list)) else axes
    if not isinstance(order, tuple) or len(order) != x.ndim:
        raise ValueError(
            f"permute_dims(): axes names all {x.ndim} axes of shape {x.shape}, each once, not {describe(axes)}"
        )
    return apply(PERMUTE_DIMS, device, x._native, order)


REPEAT = declare("repeat", "manipulation", shape="argument", numpy="repeat", composition=_composed.manipulation.repeat)


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element repeated in place.

    Parameters
    ----------
    x
        Array of any dtype.
    repeats
        How often, 0 or more: one number, or an Array of integers with one for each element along ``axis``.
    axis
        The axis; None flattens ``x`` first.

    Raises
    ------
    ValueError
        If a number is negative, or ``repeats`` has not one number for each element.
    TypeError
        If ``repeats`` holds no integers.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``repeat``.
    """
    device = device_of(x, "repeat")
    if axis is not None:
        axis = check_axis(axis, x.ndim, "repeat")
    counts: Native
    if repeats.__class__ is Array:
        counts = native_operand(repeats, device, "repeat")
        if counts.dtype.kind not in "iu" or counts.ndim > 1:
            raise TypeError(
                f"repeat(): repeats is an integer, or integers in one dimension, not dtype {counts.dtype} "
                f"of shape {counts.shape}"
            )
    else:
        counts = check_integer(repeats, "repeat", "repeats")
        if counts < 0:
            raise ValueError(f"repeat(): repeats is 0 or more, not {counts}")
        check_size(x.size * counts, x.dtype, "repeat")
    return apply(REPEAT, device, x._native, counts, axis=axis)


RESHAPE = declare("reshape", "manipulation", shape="argument", numpy="reshape")


def reshape(x: Array, /, shape: Shape, *, copy: bool | None = None) -> Array:
    """An array's elements, in row-major order, in another shape.

    Parameters
    ----------
    x
        Array of any dtype.
    shape
        A shape of as many elements; one length may be -1, and is found from the others.
    copy
        True always copies; False never does; None gives a view where the memory allows.

    Raises
    ------
    ValueError
        If the number of elements differs, or a copy is needed and ``copy=False``.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``reshape``.
    """
    device = device_of(x, "reshape")
    native = x._native
    lengths = as_lengths(shape, "reshape")
    if copy is not None:
        copy = check_copy(copy, "reshape")
    known, unknown, valid = 1, 0, True
    for length in lengths:
        if length >= 0:
            known *= length
        else:
            unknown += 1
            valid = valid and length == -1
    if unknown:
        valid = valid and unknown == 1 and known != 0 and native.size % known == 0
    elif native.size != known:
        valid = False
    if not valid:
        raise ValueError(
            f"reshape(): shape {x.shape} has {x.size} elements and does not become {lengths}; "
            "give as many, with at most one length of -1"
        )
    if unknown:
        lengths = tuple(native.size // known if length == -1 else length for length in lengths)
    try:
        return apply(RESHAPE, device, native, lengths, copy=copy)
    except ValueError as error:
        if copy is False:
            raise CopyRequiredError(
                f"reshape(): shape {x.shape} with this layout needs a copy to become {lengths}; pass copy=None"
            ) from error
        raise


ROLL = declare("roll", "manipulation", shape="argument", numpy="roll", composition=_composed.manipulation.roll)


def roll(x: Array, /, shift: int | tuple[int, ...], *, axis: Axis = None) -> Array:
    """An array with its elements moved along axes, those moved past the end coming in at the beginning.

    Parameters
    ----------
    x
        Array of any dtype.
    shift
        By how many places; one number, or one for each axis.
    axis
        The axis or axes; None moves the elements of the flattened array and restores the shape.

    Raises
    ------
    ValueError
        If there are several shifts and not one for each axis.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``roll``.
    """
    device = device_of(x, "roll")
    shifts: Any = (
        tuple(check_integer(item, "roll", "shift") for item in shift)
        if isinstance(shift, (tuple, list))
        else check_integer(shift, "roll", "shift")
    )
    if axis is not None:
        several = isinstance(axis, (tuple, list))
        # An axis may be named twice here: its shifts add up.
        axes = tuple(check_axis(item, x.ndim, "roll") for item in (axis if several else (axis,)))  # type: ignore[union-attr]
        if isinstance(shifts, tuple) and len(shifts) != len(axes):
            raise ValueError(f"roll(): {len(shifts)} shifts {shift} need as many axes, not {axis}")
        axis = axes if several else axes[0]
        if not several and isinstance(shifts, tuple):
            shifts = shifts[0]
    elif isinstance(shifts, tuple):
        raise ValueError(f"roll(): shifts {shift} need as many axes; axis is None")
    return apply(ROLL, device, x._native, shifts, axis=axis)


SQUEEZE = declare(
    "squeeze", "manipulation", shape="argument", numpy="squeeze", composition=_composed.manipulation.squeeze
)


def squeeze(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """An array with axes of length 1 left out, a view.

    Parameters
    ----------
    x
        Array of any dtype.
    axis
        The axis or axes to leave out.

    Raises
    ------
    ValueError
        If an axis has another length than 1, or is out of bounds or named twice.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``squeeze``.
    """
    device = device_of(x, "squeeze")
    axes = check_axes(axis, x.ndim, "squeeze")
    for position in axes:
        if x.shape[position] != 1:
            raise ValueError(f"squeeze(): axis {position} of shape {x.shape} has length {x.shape[position]}, not 1")
    return apply(SQUEEZE, device, x._native, axis=axes)


STACK = declare(
    "stack", "manipulation", operands=2, shape="argument", numpy="stack", composition=_composed.manipulation.stack
)


def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    """Arrays one after another along a new axis.

    Parameters
    ----------
    arrays
        Arrays of one shape.
    axis
        Where in the result the new axis stands.

    Returns
    -------
    Array
        Of the promoted dtype.

    Raises
    ------
    ValueError
        If there is no array, the shapes differ, or the axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``stack``.
    """
    device, natives = _several(arrays, "stack")
    position = check_axis(axis, natives[0].ndim + 1, "stack")
    return apply(STACK, device, natives, axis=position)


TILE = declare("tile", "manipulation", shape="argument", numpy="tile", composition=_composed.manipulation.tile)


def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """An array repeated as a whole along its axes.

    Parameters
    ----------
    x
        Array of any dtype.
    repetitions
        How often along each axis, 0 or more; where ``x`` or this has fewer axes, ones are put in front.

    Raises
    ------
    ValueError
        If a number is negative.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``tile``.
    """
    device = device_of(x, "tile")
    if not isinstance(repetitions, (tuple, list)):
        raise TypeError(f"tile(): repetitions is a tuple of integers, not {describe(repetitions)}")
    counts = check_shape(repetitions, "tile")
    check_size(x.size * math.prod(counts), x.dtype, "tile")
    return apply(TILE, device, x._native, counts)


UNSTACK = declare(
    "unstack",
    "manipulation",
    dtype="several",
    shape="several",
    numpy="unstack",
    composition=_composed.manipulation.unstack,
)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The parts of an array along an axis, as a tuple of arrays without it.

    Parameters
    ----------
    x
        Array of one or more dimensions.
    axis
        The axis to take apart.

    Raises
    ------
    ValueError
        If the axis is out of bounds.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``unstack``.
    """
    device = device_of(x, "unstack")
    position = check_axis(axis, x.ndim, "unstack")
    return tuple(wrap(part, device) for part in call(UNSTACK, device, x._native, axis=position))


def _several(arrays: Any, name: str) -> tuple[Any, list[Native]]:
    """The device and native arrays of a sequence of one or more Arrays."""
    if not isinstance(arrays, (tuple, list)):
        raise TypeError(f"{name}() takes a tuple or list of Arrays, not {describe(arrays)}")
    if not arrays:
        raise ValueError(f"{name}() needs at least one Array; the sequence is empty")
    for x in arrays:
        if x.__class__ is not Array:
            raise not_an_array(name, x)
    device = common_device(arrays)
    if device is None:  # pragma: no cover - there is an Array among them
        raise TypeError(f"{name}() needs at least one Array")
    return device, [native_operand(x, device, name) for x in arrays]


def _broadcast(shapes: Sequence[Shape], name: str) -> Shape:
    """The shape that shapes broadcast to."""
    result: list[int] = []
    for position in range(1, max(map(len, shapes), default=0) + 1):
        lengths = {shape[-position] for shape in shapes if len(shape) >= position} - {1}
        if len(lengths) > 1:
            raise ValueError(
                f"{name}(): shapes {', '.join(map(str, shapes))} do not broadcast: axis {-position} has lengths "
                f"{sorted(lengths)}; lengths must be equal or 1"
            )
        result.append(lengths.pop() if lengths else 1)
    return tuple(reversed(result))
