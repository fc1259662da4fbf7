"""Indexing of batches: each example has the elements that the key selects in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _standard as xp
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
    parts
        Slices, None, integers, and native arrays of the batching device, one for each axis or new axis.
    advanced
        The positions of integers and arrays among the parts where there is an array; empty otherwise.
    """

    def __init__(self, batching: Batching, native: Batched, key: Any) -> None:
        parts = [self._part(batching, part) for part in (key if key.__class__ is tuple else (key,))]
        used = sum([self._axes(part) for part in parts])
        if used > native.ndim:
            raise IndexError(
                f"too many indices for array: array is {native.ndim}-dimensional, but {used} were indexed; give as "
                "many indices as there are axes"
            )
        rest = [slice(None)] * (native.ndim - used)
        self.parts: list[Any] = []
        for part in parts:
            self.parts += rest if part is ... else [part]
        if not any(part is ... for part in parts):
            self.parts += rest
        self.parts = [item for part in self.parts for item in self._indices(batching, part)]
        self.advanced = [place for place, part in enumerate(self.parts) if self._is_index(part)]
        if not any(is_array(self.parts[place]) for place in self.advanced):
            self.advanced = []

    @staticmethod
    def _part(batching: Batching, part: Any) -> Any:
        if part.__class__ is slice:
            return mapped(part, lambda x: int(x), batching.traced)
        if part.__class__ in (list, tuple):
            return batching.lift(xp.asarray(part, device=batching.below)._native)
        if isinstance(part, (bool, np.bool)):
            return batching.lift(xp.asarray(bool(part), device=batching.below)._native)
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
    def _indices(batching: Batching, part: Any) -> list[Any]:
        """Return a mask as the indices of its true elements; other parts as they are."""
        if not is_array(part) or part.dtype.kind != "b":
            return [part]
        if part.batched:
            raise NotImplementedError(
                f"a mask that differs from example to example of xtensor.vmap selects other numbers of elements"
                f"{at_caller()}; use xtensor.where(mask, x, other), whose result has the shape of x"
            )
        mask = batching.array(part)
        if not mask.ndim:
            if not bool(mask):
                raise NotImplementedError(f"a key of False has no batches in xtensor.vmap{at_caller()}")
            return [None]
        return [batching.lift(index._native) for index in xp.nonzero(mask)]

    @property
    def first(self) -> int:
        """The number of the result's axes in front of those of the index arrays."""
        places = self.advanced
        return places[0] if places[-1] - places[0] == len(places) - 1 else 0

    @property
    def ndim(self) -> int:
        """The number of axes of the broadcast index arrays."""
        return max(self.parts[place].ndim if is_array(self.parts[place]) else 0 for place in self.advanced)

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


def is_array(part: Any) -> bool:
    return hasattr(part, "batched")


def select(batching: Batching, native: Batched, key: Any) -> Batched:
    """Return ``native[key]``."""
    found = Parts(batching, native, key)
    library = batching.below._library
    if not native.batched and not found.has_batched:
        return batching.results(library.getitem(native.value, batching.values(key)), False)  # type: ignore[no-any-return]
    size = native.value.shape[0] if native.batched else 0
    value = library.getitem(native.value, found.below(batching, native.batched, size))
    result: Batched = batching.results(value)
    if not found.advanced:
        return result
    array, first, ndim = batching.array(result), found.first, found.ndim
    if native.batched:  # (batch, index arrays, others)
        sources = tuple(range(1, ndim + 1))
        return batching.results(  # type: ignore[no-any-return]
            xp.moveaxis(array, sources, tuple([first + axis for axis in sources])) if first and ndim else array
        )
    return batching.results(xp.moveaxis(array, first, 0))  # type: ignore[no-any-return]


def assign(batching: Batching, native: Batched, key: Any, value: Any) -> Batched:
    """Return an array with ``native[key] = value``; that of others is not written to."""
    size = next((x.value.shape[0] for x in (native, value) if is_array(x) and x.batched), 0)
    parts = key if key.__class__ is tuple else (key,)
    masks = [part for part in parts if is_array(part) and part.dtype.kind == "b" and part.batched]
    if masks:
        return _assign_where(batching, native, parts, value)
    found = Parts(batching, native, key)
    library = batching.below._library
    if not size:
        size = next((part.value.shape[0] for part in found.parts if is_array(part) and part.batched), 0)
    array = batching.array(native)
    if not size:
        copy = xp.astype(array, array.dtype, copy=True)
        written = library.setitem(copy._native, batching.values(key), batching.values(value))
        return batching.traced(written, False)  # type: ignore[no-any-return]
    if not native.batched:
        array = xp.broadcast_to(array, (size, *array.shape))
    copy = xp.astype(array, array.dtype, copy=True)
    ndim = found.result_ndim
    if is_array(value):
        value = _aligned(batching, value, ndim, found)._native
    written = library.setitem(copy._native, found.below(batching, True, size), value)
    return batching.traced(written, True)  # type: ignore[no-any-return]


def _aligned(batching: Batching, value: Batched, ndim: int, found: Parts) -> Array:
    """Return a value with the axes that the selection has in the array of the whole batch."""
    array = batching.array(value)
    lengths = array.shape[1:] if value.batched else array.shape
    while len(lengths) > ndim and lengths[0] == 1:
        lengths = lengths[1:]
    if len(lengths) > ndim:
        raise ValueError(
            f"could not broadcast input array from shape {value.shape} into an array of {ndim} dimensions; assign an "
            "array of the shape of the selection"
        )
    lengths = (1,) * (ndim - len(lengths)) + lengths
    array = xp.reshape(array, (array.shape[0] if value.batched else 1, *lengths))
    if not found.advanced or not found.first or not found.ndim:
        return array
    targets = tuple(range(1, found.ndim + 1))
    return xp.moveaxis(array, tuple([found.first + axis for axis in targets]), targets)


def _assign_where(batching: Batching, native: Batched, parts: tuple[Any, ...], value: Any) -> Batched:
    """Assign where a mask that differs from example to example is true: a value that fits each element."""
    mask = parts[0]
    others = native.ndim - mask.ndim
    fits = not is_array(value) or value.ndim <= others or (value.ndim == others + 1 and value.shape[0] == 1)
    if len(parts) > 1 or not fits:
        raise NotImplementedError(
            f"an assignment by a mask that differs from example to example of xtensor.vmap needs a value for every "
            f"element{at_caller()}; use x = xtensor.where(mask, value, x)"
        )
    if mask.shape != native.shape[: mask.ndim]:
        raise IndexError(
            f"boolean index did not match indexed array; it has shape {mask.shape} and the array {native.shape}; use a "
            "mask of the array's shape"
        )
    arrays = [batching.of_ndim(mask, mask.ndim)]
    arrays[0] = xp.reshape(arrays[0], (*arrays[0].shape, *(1,) * others))
    given = batching.of_ndim(value, native.ndim) if is_array(value) else value
    if is_array(value):
        given = xp.astype(given, native.dtype, copy=False)
    written = xp.where(arrays[0], given, batching.array(native))
    return batching.results(written)  # type: ignore[no-any-return]
