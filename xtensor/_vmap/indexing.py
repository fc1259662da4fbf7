"""Indexing of batches: each example has the elements that the key selects in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.tracer import at_caller
from .._core.trees import mapped

if TYPE_CHECKING:
    from .batching import Batched, Batching

__all__ = ["assign", "select"]


class Parts:
    """The parts of a key for all axes of an array of an example.

    Attributes
    ----------
    native
        The array, with an axis of length 1 for each boolean without axes in the key, as NumPy has it.
    new_axes
        These axes.
    parts
        Slices, None, integers, and index arrays of the batching device, one for each axis or new axis.
    advanced
        The positions of integers and arrays among the parts where there is an array; empty otherwise.
    """

    def __init__(self, batching: Batching, native: Batched, key: Any) -> None:
        given = [self._part(batching, part) for part in (key if key.__class__ is tuple else (key,))]
        used = sum([self._axes(part) for part in given])
        if used > native.ndim:
            raise IndexError(
                f"too many indices for array: array is {native.ndim}-dimensional, but {used} were indexed; give as "
                "many indices as there are axes"
            )
        rest = [slice(None)] * (native.ndim - used)
        expanded: list[Any] = []
        for part in given:
            expanded += rest if part is ... else [part]
        if not any(part is ... for part in given):
            expanded += rest
        self.native, self.new_axes = native, tuple[int, ...]()
        self.parts: list[Any] = []
        axis = 0
        for part in expanded:
            if is_array(part) and part.dtype.kind == "b":
                self.check_mask(part, native.shape[axis - len(self.new_axes) :])
            if is_array(part) and part.dtype.kind == "b" and not part.ndim:
                self.new_axes += (axis,)
                count = int(bool(part))
                indices = xp.zeros(count, dtype=batching.below.default_dtypes["indexing"], device=batching.below)
                self.parts.append(batching.lift(indices._native))
                axis += 1
                continue
            self.parts += self._indices(batching, part)
            axis += self._axes(part)
        if self.new_axes:
            self.native = batching.expanded(native, self.new_axes)
        self.advanced = [position for position, part in enumerate(self.parts) if self._is_index(part)]
        if not any(is_array(self.parts[position]) for position in self.advanced):
            self.advanced = []

    @staticmethod
    def _part(batching: Batching, part: Any) -> Any:
        if part.__class__ is slice:
            return mapped(part, int, batching.traced)
        if part.__class__ in (list, tuple) or isinstance(part, (bool, np.bool)):
            return batching.lift(xp.asarray(part, device=batching.below)._native)
        return part

    @staticmethod
    def _axes(part: Any) -> int:
        if part is None or part is ...:
            return 0
        return part.ndim if is_array(part) and part.dtype.kind == "b" else 1

    @staticmethod
    def _is_index(part: Any) -> bool:
        return part is not None and part.__class__ is not slice

    @staticmethod
    def check_mask(mask: Batched, lengths: tuple[int, ...]) -> None:
        if mask.batched:
            raise NotImplementedError(
                f"a mask that differs from example to example of xtensor.vmap selects other numbers of elements"
                f"{at_caller()}; use xtensor.where(mask, x, other), whose result has the shape of x"
            )
        if mask.shape != lengths[: mask.ndim]:
            raise mask_error(mask, lengths)

    @staticmethod
    def _indices(batching: Batching, part: Any) -> list[Any]:
        """Return a mask as the indices of its true elements; other parts as they are."""
        if not is_array(part) or part.dtype.kind != "b":
            return [part]
        return [batching.lift(index._native) for index in xp.nonzero(batching.array(part))]

    @property
    def first(self) -> int:
        """The number of the result's axes in front of those of the index arrays."""
        positions = self.advanced
        return positions[0] if positions[-1] - positions[0] == len(positions) - 1 else 0

    @property
    def ndim(self) -> int:
        """The number of axes of the broadcast index arrays."""
        return max(self.parts[position].ndim if is_array(self.parts[position]) else 0 for position in self.advanced)

    @property
    def result_ndim(self) -> int:
        """The number of axes of the result in an example."""
        plain = sum([part is None or part.__class__ is slice for part in self.parts])
        return plain + (self.ndim if self.advanced else 0)

    def below(self, batching: Batching, batched: bool, size: int) -> tuple[Any, ...]:
        """Return the key for the array of the whole batch.

        With index arrays, the batch is the first of their axes. Without them, its axis is taken as a whole.
        """
        if not self.advanced:
            return (slice(None), *self.parts) if batched else tuple(self.parts)
        ndim = self.ndim
        parts = [batching.of_ndim(part, ndim)._native if is_array(part) else part for part in self.parts]
        if not batched:
            return tuple(parts)
        first = xp.arange(size, device=batching.below)
        return (xp.reshape(first, (size, *(1,) * ndim))._native, *parts)

    @property
    def has_batched(self) -> bool:
        return any(is_array(part) and part.batched for part in self.parts)


def mask_error(mask: Batched, lengths: tuple[int, ...]) -> IndexError:
    return IndexError(
        f"boolean index did not match indexed array; it has shape {mask.shape}, and the axes that it indexes the shape "
        f"{lengths[: mask.ndim]}; use a mask of that shape"
    )


def is_array(part: Any) -> bool:
    return hasattr(part, "batched")


def select(batching: Batching, native: Batched, key: Any) -> Batched:
    """Return ``native[key]``."""
    parts = key if key.__class__ is tuple else (key,)
    if native.batched and len(parts) == 1 and is_array(parts[0]) and parts[0].dtype.kind == "b" and parts[0].ndim:
        return _select_by_mask(batching, native, parts[0])
    key_parts = Parts(batching, native, key)
    library = batching.below._library
    if not native.batched and not key_parts.has_batched:
        return batching.results(library.getitem(native.value, batching.values(key)), False)  # type: ignore[no-any-return]
    native = key_parts.native
    size = native.value.shape[0] if native.batched else 0
    result: Batched = batching.results(library.getitem(native.value, key_parts.below(batching, native.batched, size)))
    if not key_parts.advanced:
        return result
    array, first, ndim = batching.array(result), key_parts.first, key_parts.ndim
    if not native.batched:
        return batching.results(xp.moveaxis(array, first, 0))  # type: ignore[no-any-return]
    if not first or not ndim:
        return result
    axes = tuple(range(1, ndim + 1))  # those of the index arrays, behind that of the batch
    return batching.results(xp.moveaxis(array, axes, tuple([first + axis for axis in axes])))  # type: ignore[no-any-return]


def _select_by_mask(batching: Batching, native: Batched, mask: Batched) -> Batched:
    """Return the elements of each example where a mask, the same in each example, is true.

    The standard, and the device strict, have no key of a slice for the batch beside index arrays.
    """
    Parts.check_mask(mask, native.shape)
    array = batching.array(native)
    flat = xp.reshape(array, (array.shape[0], mask.size, *native.shape[mask.ndim :]))
    (indices,) = xp.nonzero(xp.reshape(batching.array(mask), (-1,)))
    return batching.results(xp.take(flat, indices, axis=1))  # type: ignore[no-any-return]


def assign(batching: Batching, native: Batched, key: Any, value: Any) -> Batched:
    """Return an array with ``native[key] = value``; that of others is not written to."""
    parts = key if key.__class__ is tuple else (key,)
    masks = [part for part in parts if is_array(part) and part.dtype.kind == "b"]
    if masks and len(parts) == 1 and _fits_each_element(native, masks[0], value):
        return _assign_where(batching, native, masks[0], value)
    if any(mask.batched for mask in masks):
        raise NotImplementedError(
            f"an assignment by a mask that differs from example to example of xtensor.vmap needs a value for every "
            f"element{at_caller()}; use x = xtensor.where(mask, value, x)"
        )
    if masks and len(parts) == 1 and (native.batched or value.batched):
        return _assign_by_mask(batching, native, masks[0], value)
    key_parts = Parts(batching, native, key)
    library = batching.below._library
    size = next((x.value.shape[0] for x in (native, value, *key_parts.parts) if is_array(x) and x.batched), None)
    if size is None:
        array = batching.array(native)
        copy = xp.astype(array, array.dtype, copy=True)
        written = library.setitem(copy._native, batching.values(key), batching.values(value))
        return batching.results(written, False)  # type: ignore[no-any-return]
    array = batching.array(key_parts.native)
    if not native.batched:
        array = xp.broadcast_to(array, (size, *array.shape))
    copy = xp.astype(array, array.dtype, copy=True)
    if is_array(value):
        value = _aligned(batching, value, key_parts)._native
    written = library.setitem(copy._native, key_parts.below(batching, True, size), value)
    result: Batched = batching.results(written)
    if not key_parts.new_axes:
        return result
    return batching.results(xp.reshape(batching.array(result), (size, *native.shape)))  # type: ignore[no-any-return]


def _aligned(batching: Batching, value: Batched, key_parts: Parts) -> Array:
    """Return a value with the axes that the selection has in the array of the whole batch."""
    array, ndim, lengths = batching.array(value), key_parts.result_ndim, value.shape
    while len(lengths) > ndim and lengths[0] == 1:
        lengths = lengths[1:]
    if len(lengths) > ndim:
        raise ValueError(
            f"could not broadcast input array from shape {value.shape} into an array of {ndim} dimensions; assign an "
            "array of the shape of the selection"
        )
    lengths = (1,) * (ndim - len(lengths)) + lengths
    array = xp.reshape(array, (array.shape[0] if value.batched else 1, *lengths))
    if not key_parts.advanced or not key_parts.first or not key_parts.ndim:
        return array
    axes = tuple(range(1, key_parts.ndim + 1))
    return xp.moveaxis(array, tuple([key_parts.first + axis for axis in axes]), axes)


def _assign_by_mask(batching: Batching, native: Batched, mask: Batched, value: Batched) -> Batched:
    """Return an array with values where a mask, the same in each example, is true: one for each of its elements."""
    if mask.shape != native.shape[: mask.ndim]:
        raise mask_error(mask, native.shape)
    size = (native if native.batched else value).value.shape[0]
    count = int(xp.count_nonzero(batching.array(mask)))
    lengths = (count, *native.shape[mask.ndim :])
    values = xp.broadcast_to(batching.of_ndim(value, len(lengths)), (size, *lengths))
    written = xp.astype(xp.broadcast_to(batching.array(native), (size, *native.shape)), native.dtype, copy=True)
    whole = xp.broadcast_to(batching.array(mask), (size, *mask.shape))
    written[whole] = xp.reshape(values, (size * count, *lengths[1:]))
    return batching.results(written)  # type: ignore[no-any-return]


def _fits_each_element(native: Batched, mask: Batched, value: Any) -> bool:
    """Whether a value can be assigned to an element without its number among those where the mask is true."""
    others = native.ndim - mask.ndim
    return not is_array(value) or value.ndim <= others or (value.ndim == others + 1 and value.shape[0] == 1)


def _assign_where(batching: Batching, native: Batched, mask: Batched, value: Any) -> Batched:
    """Return an array with a value where a mask is true."""
    if mask.shape != native.shape[: mask.ndim]:
        raise mask_error(mask, native.shape)
    others = native.ndim - mask.ndim
    condition = batching.array(mask)
    condition = xp.reshape(condition, (*condition.shape, *(1,) * others))
    batched = native.batched or mask.batched or (is_array(value) and value.batched)
    if is_array(value):
        if value.ndim > others:
            value = batching.results(xp.squeeze(batching.array(value), axis=int(value.batched)), value.batched)
        given = xp.astype(batching.of_ndim(value, native.ndim), native.dtype, copy=False)
    else:
        given = xp.zeros((), dtype=native.dtype, device=batching.below)
        given[()] = value
    return batching.results(xp.where(condition, given, batching.array(native)), batched)  # type: ignore[no-any-return]
