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
    """Broadcast arrays against each other.

    Parameters
    ----------
    *arrays
        Arrays of broadcast-compatible shapes.

    Returns
    -------
    tuple of Array
        Views of the common shape, each of its input's dtype. Elements may share memory: do not write to them.

    Raises
    ------
    ValueError
        If the shapes are not broadcast-compatible.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``broadcast_arrays``.
    """
    for x in arrays:
        device_of(x, "broadcast_arrays")
    shape = _broadcast_shape([x.shape for x in arrays], "broadcast_arrays")
    return tuple(broadcast_to(x, shape) for x in arrays)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that results from broadcasting shapes.

    Shapes are aligned at their last axis. Along each axis, the lengths other than 1 must be equal.

    Parameters
    ----------
    *shapes
        Tuples of axis lengths; ``()`` is the shape of a 0-d array.

    Returns
    -------
    tuple of int
        Broadcast shape.

    Raises
    ------
    ValueError
        If two lengths along an axis differ and neither is 1.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``broadcast_shapes``.

    Examples
    --------
    >>> import xtensor as xp
    >>> xp.broadcast_shapes((8, 1, 6), (7, 1))
    (8, 7, 6)
    """
    return _broadcast_shape([check_shape(shape, "broadcast_shapes") for shape in shapes], "broadcast_shapes")


BROADCAST_TO = declare("broadcast_to", "manipulation", shape="argument", numpy="broadcast_to")


def broadcast_to(x: Array, /, shape: Shape) -> Array:
    """Broadcast an array to a shape.

    Parameters
    ----------
    x
        Array of any dtype.
    shape
        Shape of the result; the shape of ``x`` must broadcast to it.

    Returns
    -------
    Array
        View of the given shape. Elements may share memory: do not write to it.

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
    """Concatenate arrays along an existing axis.

    Parameters
    ----------
    arrays
        Tuple or list of one or more Arrays whose shapes are equal except along ``axis``.
    axis
        Axis along which to concatenate; None flattens the arrays first.

    Returns
    -------
    Array
        Array of the promoted dtype.

    Raises
    ------
    ValueError
        If the sequence is empty, the shapes differ along another axis, or ``axis`` is out of bounds.
    TypeError
        If ``arrays`` is not a tuple or list of Arrays.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``concat``.
    """
    device, natives = _native_arrays(arrays, "concat", "concatenate")
    if axis is not None:
        axis = check_axis(axis, natives[0].ndim, "concat")
    return apply(CONCAT, device, natives, axis=axis)


EXPAND_DIMS = declare(
    "expand_dims", "manipulation", shape="argument", numpy="expand_dims", composition=_composed.manipulation.expand_dims
)


def expand_dims(x: Array, /, axis: int | tuple[int, ...]) -> Array:
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
    device = device_of(x, "expand_dims")
    count = len(axis) if isinstance(axis, (tuple, list)) else 1
    axes = check_axes(axis, x._native.ndim + count, "expand_dims")
    return apply(EXPAND_DIMS, device, x._native, axis=axes)


FLIP = declare("flip", "manipulation", shape="argument", numpy="flip", composition=_composed.manipulation.flip)


def flip(x: Array, /, *, axis: Axis = None) -> Array:
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
    device = device_of(x, "flip")
    axes = tuple(range(x.ndim)) if axis is None else check_axes(axis, x.ndim, "flip")
    return apply(FLIP, device, x._native, axis=axes)


MOVEAXIS = declare(
    "moveaxis", "manipulation", shape="argument", numpy="moveaxis", composition=_composed.manipulation.moveaxis
)


def moveaxis(x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Array:
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
    device = device_of(x, "moveaxis")
    sources = check_axes(source, x.ndim, "moveaxis")
    destinations = check_axes(destination, x.ndim, "moveaxis")
    if len(sources) != len(destinations):
        raise ValueError(
            "`source` and `destination` arguments must have the same number of elements; moveaxis() received "
            f"{len(sources)} ({source}) and {len(destinations)} ({destination}); pass one destination per source axis"
        )
    return apply(MOVEAXIS, device, x._native, sources, destinations)


PERMUTE_DIMS = declare("permute_dims", "manipulation", shape="argument", numpy="permute_dims")


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
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
    device = device_of(x, "permute_dims")
    order = check_axes(tuple(axes), x.ndim, "permute_dims") if isinstance(axes, (tuple, list)) else axes
    if not isinstance(order, tuple) or len(order) != x.ndim:
        raise ValueError(
            f"axes don't match array; permute_dims() takes a permutation of the {x.ndim} axes of shape {x.shape}, not "
            f"{describe(axes)}"
        )
    return apply(PERMUTE_DIMS, device, x._native, order)


REPEAT = declare("repeat", "manipulation", shape="argument", numpy="repeat", composition=_composed.manipulation.repeat)


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Repeat each element of an array.

    Parameters
    ----------
    x
        Array of any dtype.
    repeats
        Number of repetitions, 0 or more: an integer, or an Array of integers with one for each element along ``axis``.
    axis
        Axis along which to repeat; None flattens ``x`` first.

    Returns
    -------
    Array
        Array of the dtype of ``x``, with ``sum(repeats)`` elements along ``axis``.

    Raises
    ------
    ValueError
        If a number of repetitions is negative, the length of ``repeats`` does not match, or the size of the result
        exceeds the address space.
    TypeError
        If ``repeats`` is not an integer or an Array of integers of at most one dimension.

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
                f"repeat(): repeats is an integer or a 1-d Array of integers, not dtype {counts.dtype} of shape "
                f"{counts.shape}"
            )
    else:
        counts = check_integer(repeats, "repeat", "repeats")
        if counts < 0:
            raise ValueError(f"negative dimensions are not allowed; repeat() takes repeats of 0 or more, not {counts}")
        check_size(x.size * counts, x.dtype, "repeat")
    return apply(REPEAT, device, x._native, counts, axis=axis)


RESHAPE = declare("reshape", "manipulation", shape="argument", numpy="reshape")


def reshape(x: Array, /, shape: Shape, *, copy: bool | None = None) -> Array:
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
    device = device_of(x, "reshape")
    native = x._native
    lengths = as_lengths(shape, "reshape")
    if copy is not None:
        copy = check_copy(copy, "reshape")
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
        raise ValueError(
            f"cannot reshape array of size {x.size} into shape {lengths}; reshape() of shape {x.shape} takes a shape "
            f"of {x.size} elements, with at most one length of -1"
        )
    if inferred:
        lengths = tuple(native.size // size if length == -1 else length for length in lengths)
    try:
        return apply(RESHAPE, device, native, lengths, copy=copy)
    except ValueError as error:
        if copy is False:
            raise CopyRequiredError(
                f"Unable to avoid creating a copy while reshaping; reshape() cannot view shape {x.shape} with this "
                f"memory layout as {lengths}; pass copy=None or copy=True"
            ) from error
        raise


ROLL = declare("roll", "manipulation", shape="argument", numpy="roll", composition=_composed.manipulation.roll)


def roll(x: Array, /, shift: int | tuple[int, ...], *, axis: Axis = None) -> Array:
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
    device = device_of(x, "roll")
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
        if not is_sequence and isinstance(shifts, tuple):
            shifts = shifts[0]
    elif isinstance(shifts, tuple):
        raise ValueError(f"roll(): axis is None for shifts {shift}; pass one axis per shift, or an integer shift")
    return apply(ROLL, device, x._native, shifts, axis=axis)


SQUEEZE = declare(
    "squeeze", "manipulation", shape="argument", numpy="squeeze", composition=_composed.manipulation.squeeze
)


def squeeze(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """Remove axes of length 1.

    Parameters
    ----------
    x
        Array of any dtype.
    axis
        Axis or axes to remove.

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
    device = device_of(x, "squeeze")
    axes = check_axes(axis, x.ndim, "squeeze")
    for position in axes:
        if x.shape[position] != 1:
            raise ValueError(
                "cannot select an axis to squeeze out which has size not equal to one; squeeze(): axis "
                f"{position} of shape {x.shape} has length {x.shape[position]}; pass axes of length 1"
            )
    return apply(SQUEEZE, device, x._native, axis=axes)


STACK = declare(
    "stack", "manipulation", operands=2, shape="argument", numpy="stack", composition=_composed.manipulation.stack
)


def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    """Stack arrays along a new axis.

    Parameters
    ----------
    arrays
        Tuple or list of one or more Arrays of equal shape.
    axis
        Position of the new axis in the result.

    Returns
    -------
    Array
        Array of the promoted dtype.

    Raises
    ------
    ValueError
        If the sequence is empty, the shapes differ, or ``axis`` is out of bounds.
    TypeError
        If ``arrays`` is not a tuple or list of Arrays.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``stack``.
    """
    device, natives = _native_arrays(arrays, "stack", "stack")
    position = check_axis(axis, natives[0].ndim + 1, "stack")
    return apply(STACK, device, natives, axis=position)


TILE = declare("tile", "manipulation", shape="argument", numpy="tile", composition=_composed.manipulation.tile)


def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """Repeat an array as a whole along its axes.

    Parameters
    ----------
    x
        Array of any dtype.
    repetitions
        Number of repetitions along each axis, 0 or more. If it and the shape of ``x`` differ in length, the shorter is
        padded with leading ones.

    Returns
    -------
    Array
        Array of the dtype of ``x``; the length along each axis is that of ``x`` times its number of repetitions.

    Raises
    ------
    ValueError
        If a number of repetitions is negative, or the size of the result exceeds the address space.
    TypeError
        If ``repetitions`` is not a tuple of integers.

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
    """Split an array into the subarrays along an axis.

    Parameters
    ----------
    x
        Array of one or more dimensions.
    axis
        Axis along which to split.

    Returns
    -------
    tuple of Array
        One array per index along ``axis``, of the shape of ``x`` without ``axis``.

    Raises
    ------
    ValueError
        If ``axis`` is out of bounds.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``unstack``.
    """
    device = device_of(x, "unstack")
    position = check_axis(axis, x.ndim, "unstack")
    return tuple(wrap(part, device) for part in call(UNSTACK, device, x._native, axis=position))


def _native_arrays(arrays: Any, name: str, verb: str) -> tuple[Any, list[Native]]:
    """Return the common device and the native arrays of a nonempty sequence of Arrays."""
    if not isinstance(arrays, (tuple, list)):
        raise TypeError(f"{name}() takes a tuple or list of Arrays, not {describe(arrays)}")
    if not arrays:
        raise ValueError(f"need at least one array to {verb}; {name}() received an empty sequence")
    for x in arrays:
        if x.__class__ is not Array:
            raise not_an_array(name, x)
    device = common_device(arrays)
    if device is None:  # pragma: no cover - unreachable: every element is an Array
        raise TypeError(f"need at least one array to {verb}; {name}() received none")
    return device, [native_operand(x, device, name) for x in arrays]


def _broadcast_shape(shapes: Sequence[Shape], name: str) -> Shape:
    """Return the shape that shapes broadcast to."""
    result: list[int] = []
    for position in range(1, max(map(len, shapes), default=0) + 1):
        lengths = {shape[-position] for shape in shapes if len(shape) >= position} - {1}
        if len(lengths) > 1:
            raise ValueError(
                "shape mismatch: objects cannot be broadcast to a single shape; "
                f"{name}() received {', '.join(map(str, shapes))}: axis {-position} has lengths {sorted(lengths)}; "
                "lengths must be equal or 1"
            )
        result.append(lengths.pop() if lengths else 1)
    return tuple(reversed(result))
