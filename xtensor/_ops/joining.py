"""Manipulation functions that join, split and repeat arrays (Array API standard 2025.12, "Manipulation Functions")."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Never

from .._core.array import ASTYPE, Array
from .._core.backend import Native
from .._core.calls import apply, call, wrap
from .._core.checks import LARGEST, check_axis, check_integer, check_shape, check_size
from .._core.device import Device
from .._core.errors import describe
from .._core.indexing import native_indices
from .._core.keywords import by_position, keywords_only
from .._core.large_calls import apply_joining
from .._core.operands import (
    HOST_ARRAYS,
    array_argument,
    coerce_operands,
    computing_device,
    native_operand,
    not_an_array,
)
from .._core.operations import declare, operation
from ._composing import along

if TYPE_CHECKING:
    from .._core.annotations import AnyArray

__all__ = ["concat", "repeat", "stack", "tile", "unstack"]


CONCAT = declare("concat", "manipulation", operands=2, shape="argument", numpy="concat")


@keywords_only
def concat(arrays: Sequence[AnyArray], /, *positional: Never, axis: int | None = 0) -> Array:
    """Concatenate arrays along an existing axis.

    Parameters
    ----------
    arrays
        Tuple or list of one or more Arrays whose shapes are equal except along ``axis``; next to an Array also lists
        and tuples of numbers, but not on the device ``strict``.
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
    if positional:
        raise by_position(concat, positional)
    device, natives = _native_arrays(arrays, "concat", "concatenate")
    if axis is not None:
        if 0 in [native.ndim for native in natives]:
            raise ValueError(
                "zero-dimensional arrays cannot be concatenated; concat() takes arrays of one or more dimensions along "
                "an axis; join 0-d arrays with xtensor.stack"
            )
        axis = check_axis(axis, natives[0].ndim, "concat")
    return apply_joining(CONCAT, device, natives, axis)


MAX, MIN = operation("max"), operation("min")


def _compose_repeat(xp: Any, x: Native, repeats: int | Native, *, axis: int | None) -> Native:
    if axis is None:
        x, axis = xp.reshape(x, (-1,)), 0
    length = x.shape[axis]
    if isinstance(repeats, int):
        index = xp.arange(0, length * repeats, 1, dtype=xp.default_integer)
        index = xp.floor_divide(index, repeats) if repeats else index
    else:
        counts = xp.broadcast_to(xp.astype(repeats, xp.default_integer), (length,))
        ends = xp.cumulative_sum(counts, axis=0)
        total = int(ends[-1, ...]) if length else 0
        index = xp.searchsorted(ends, xp.arange(0, total, 1, dtype=xp.default_integer), side="right")
    return xp.getitem(x, along(axis, index))


REPEAT = declare("repeat", "manipulation", shape="argument", numpy="repeat", composition=_compose_repeat)


@keywords_only
def repeat(x: AnyArray, repeats: int | Array, /, *positional: Never, axis: int | None = None) -> Array:
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
    if positional:
        raise by_position(repeat, positional)
    x, repeats = coerce_operands("repeat", x, repeats)
    x = array_argument(x, "repeat")
    device = x._device
    if axis is not None:
        axis = check_axis(axis, x.ndim, "repeat")
    counts: Native
    if repeats.__class__ is Array:
        if repeats.dtype.kind == "b" and not device._library.defined_only:
            repeats = apply(ASTYPE, repeats._device, repeats._native, repeats._device.default_dtypes["indexing"])
        counts = native_operand(repeats, device, "repeat")
        if counts.dtype.kind not in "iu" or counts.ndim > 1:
            raise TypeError(
                f"repeat(): repeats is an integer or a 1-d Array of integers, not dtype {counts.dtype} of shape "
                f"{counts.shape}"
            )
        counts = _checked_counts(x, counts, axis, device)
    else:
        counts = check_integer(repeats, "repeat", "repeats")
        if counts < 0:
            raise ValueError(f"negative dimensions are not allowed; repeat() takes repeats of 0 or more, not {counts}")
        check_size(x.size * counts, x.dtype, "repeat")
    return apply(REPEAT, device, x._native, counts, axis=axis)


def _checked_counts(x: Array, counts: Native, axis: int | None, device: Device) -> Native:
    """Return counts in the index dtype; raise ValueError for negative ones and for a result beyond memory.

    Libraries add the counts in 64 bits, where the sum may wrap. Blocks until the device has finished.
    """
    if not counts.size:
        return counts
    counts = native_indices(counts, device)
    if counts.dtype.kind == "u":
        counts = call(ASTYPE, device, counts, device.default_dtypes["indexing"], copy=False)
    elif (least := int(call(MIN, device, counts, axis=None, keepdims=False))) < 0:
        raise ValueError(f"repeats may not contain negative values. repeat() takes counts of 0 or more, not {least}")
    if int(call(MAX, device, counts, axis=None, keepdims=False)) * x.size > LARGEST // x.dtype.itemsize:
        total = sum(device._library.to_host(counts).tolist())
        length = x.size if axis is None else x.shape[axis]
        check_size(total * (length if counts.size == 1 else 1) * (x.size // length if length else 0), x.dtype, "repeat")
    return counts


def _compose_stack(xp: Any, arrays: Sequence[Native], *, axis: int) -> Native:
    return xp.concat([xp.expand_dims(x, axis=(axis,)) for x in arrays], axis=axis)


STACK = declare("stack", "manipulation", operands=2, shape="argument", numpy="stack", composition=_compose_stack)


@keywords_only
def stack(arrays: Sequence[AnyArray], /, *positional: Never, axis: int = 0) -> Array:
    """Stack arrays along a new axis.

    Parameters
    ----------
    arrays
        Tuple or list of one or more Arrays of equal shape; next to an Array also lists and tuples of numbers, but not
        on the device ``strict``.
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
    if positional:
        raise by_position(stack, positional)
    device, natives = _native_arrays(arrays, "stack", "stack")
    position = check_axis(axis, natives[0].ndim + 1, "stack")
    return apply_joining(STACK, device, natives, position)


def _compose_tile(xp: Any, x: Native, repetitions: tuple[int, ...]) -> Native:
    ndim = max(x.ndim, len(repetitions))
    lengths = (*(1,) * (ndim - x.ndim), *x.shape)
    counts = (*(1,) * (ndim - len(repetitions)), *repetitions)
    pairs = [(count, length) for count, length in zip(counts, lengths, strict=True)]
    expanded = xp.reshape(x, tuple(item for _, length in pairs for item in (1, length)))
    repeated = xp.broadcast_to(expanded, tuple(item for pair in pairs for item in pair))
    return xp.reshape(repeated, tuple(count * length for count, length in pairs), copy=True)


TILE = declare("tile", "manipulation", shape="argument", numpy="tile", composition=_compose_tile)


def tile(x: AnyArray, repetitions: int | tuple[int, ...], /) -> Array:
    """Repeat an array as a whole along its axes.

    Parameters
    ----------
    x
        Array of any dtype.
    repetitions
        Number of repetitions along each axis, 0 or more. If it and the shape of ``x`` differ in length, the shorter is
        padded with leading ones; an integer is a tuple of one.

    Returns
    -------
    Array
        Array of the dtype of ``x``; the length along each axis is that of ``x`` times its number of repetitions.

    Raises
    ------
    ValueError
        If a number of repetitions is negative, or the size of the result exceeds the address space.
    TypeError
        If ``repetitions`` is neither an integer nor a tuple of integers.

    Notes
    -----
    Standard 2025.12, Manipulation Functions, ``tile``.
    """
    x = array_argument(x, "tile")
    device = x._device
    counts = check_shape(repetitions, "tile")
    check_size(x.size * math.prod(counts), x.dtype, "tile")
    return apply(TILE, device, x._native, counts)


def _compose_unstack(xp: Any, x: Native, *, axis: int) -> tuple[Native, ...]:
    first = xp.moveaxis(x, axis, 0)
    return tuple(first[i, ...] for i in range(first.shape[0]))


UNSTACK = declare(
    "unstack",
    "manipulation",
    dtype="several",
    shape="several",
    numpy="unstack",
    composition=_compose_unstack,
)


@keywords_only
def unstack(x: AnyArray, /, *positional: Never, axis: int = 0) -> tuple[Array, ...]:
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
    if positional:
        raise by_position(unstack, positional)
    x = array_argument(x, "unstack")
    device = x._device
    position = check_axis(axis, x.ndim, "unstack")
    return tuple(wrap(part, device) for part in call(UNSTACK, device, x._native, axis=position))


def _native_arrays(arrays: Any, name: str, verb: str) -> tuple[Any, list[Native]]:
    """Return the common device and the native arrays of a nonempty sequence of Arrays."""
    if not isinstance(arrays, (tuple, list)):
        raise TypeError(f"{name}() takes a tuple or list of Arrays, not {describe(arrays)}")
    if not arrays:
        raise ValueError(f"need at least one array to {verb}; {name}() received an empty sequence")
    if arrays[0].__class__ is Array:
        device: Device = arrays[0]._device
        natives = [x._native for x in arrays if x.__class__ is Array and x._device is device]
        if len(natives) == len(arrays):
            return device, natives
    arrays = coerce_operands(name, *arrays)  # lists and tuples next to an Array, as NumPy's functions take them
    for x in arrays:
        if x.__class__ is not Array and x.__class__ not in HOST_ARRAYS:
            raise not_an_array(name, x)
    device = computing_device(name, arrays)
    return device, [native_operand(x, device, name) for x in arrays]
