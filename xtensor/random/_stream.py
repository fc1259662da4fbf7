"""State, device and draws of words: the base of all methods.

An element of a result has one position of the stream, a word, whatever its distribution and dtype; only
``random(dtype=float32)`` and ``bytes`` take half a word. A method that needs several words for an element, or an
unknown number, takes them from other streams, where the words of its position are its own. The first word of such a
stream's name counts the attempts of a rejection, from 1 on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeVar

import numpy as np

from .. import _ops as xp
from .._core.array import Array
from .._core.calls import call, call_if_implemented, wrap
from .._core.device import Device
from .._core.devices import resolve
from .._core.dtypes import DType
from .._core.operations import Operation
from .._fuse.formulas import compute_formula
from .._ops.filling import FULL
from ._arguments import Check, Size, check_out, output_shape, parameter, real_dtype
from ._formulas import standard_normal
from ._operations import MAIN, NORMAL, Stream, bits, blocks
from ._philox import Philox

__all__ = ["StreamOfNumbers"]

Propose = Callable[..., tuple[Array, Array]]
"""A function of words or normal numbers, and of parameters: proposed values, and whether they are accepted."""

FEW = 2**12
"""Elements up to which attempts are computed on the host: an operation on a few elements takes a launch, and each
attempt waits for the device."""

FEW_CHUNKS = 2**20
"""The same for an engine, whose plans take longer than the numbers: it waits for each attempt, too."""

T = TypeVar("T", bound="StreamOfNumbers")


class StreamOfNumbers:
    """Draws of words and of numbers on a device."""

    __slots__ = ("_device", "bit_generator")

    bit_generator: Philox
    _device: Device

    def __init__(self, bit_generator: Philox, device: Device) -> None:
        self.bit_generator = bit_generator
        self._device = device

    @property
    def device(self) -> Device:
        """The device of the results."""
        return self._device

    def _parameter(
        self, value: Any, function: str, name: str, check: Check | None = None, message: str = "", expected: str = ""
    ) -> float | Array:
        return parameter(value, self._device, function, name, check, message, expected)

    def _array(self, value: float | Array, dtype: DType) -> Array:
        """Return a number as a 0-d Array, and an Array in a dtype."""
        if isinstance(value, Array):
            return value if value.dtype == dtype else xp.astype(value, dtype)
        return wrap(call(FULL, self._device, (), value, dtype=dtype), self._device)

    @property
    def _float(self) -> DType:
        return self._device.default_dtypes["real floating"]

    def _shape(self, function: str, size: Size, *parameters: float | Array) -> tuple[int, ...]:
        return output_shape(function, size, *parameters)

    # -- words --------------------------------------------------------------------------------------------------------

    def _words(self, shape: tuple[int, ...]) -> Array:
        """Return the next words of the main stream, one for each element of a shape."""
        return self._words_from(self.bit_generator.take(prod(shape)), shape)

    def _words_from(self, start: int, shape: tuple[int, ...]) -> Array:
        """Return words of the main stream, one for each element of a shape, from a position on."""
        return bits(self._device, key=self.bit_generator.key, stream=MAIN, start=start, shape=shape)

    def _own_words(self, start: int, count: int, lane: int, use: int) -> Array:
        """Return a word of each of some consecutive elements, for their first attempt.

        It is the word of the element's position in the stream ``(1, 4 lane + use)``.
        """
        return bits(self._device, key=self.bit_generator.key, stream=(1, 4 * lane + use), start=start, shape=(count,))

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _drawn(
        self,
        function: str,
        formula: Callable[..., Array],
        size: Size,
        *parameters: float | Array,
    ) -> Array:
        """Return a formula of a word and of parameters for each element of a result."""
        shape = output_shape(function, size, *parameters)
        with np.errstate(all="ignore"):
            return compute_formula(formula, self._words(shape), *parameters, dtype=self._float)  # type: ignore[no-any-return]

    def _standard(
        self,
        function: str,
        draw: Callable[[tuple[int, ...], DType], Array],
        size: Size,
        dtype: Any,
        out: Array | None,
    ) -> Array:
        """Return numbers of a standard distribution, in ``out`` where there is one."""
        real = real_dtype(dtype, self._device, function)
        if out is None:
            return draw(output_shape(function, size), real)
        check_out(out, size, real, self._device, function)
        out[...] = draw(out.shape, real)
        return out

    def _by_kernel(
        self, operation: Operation, shape: tuple[int, ...], start: int, dtype: DType, stream: Stream = MAIN
    ) -> Any:
        """Return numbers by the device's own implementation of a draw; NotImplemented without one."""
        key = self.bit_generator.key
        return call_if_implemented(
            operation, self._device, key=key, stream=stream, start=start, shape=shape, dtype=dtype
        )

    def _normals(self, start: int, shape: tuple[int, ...], dtype: DType, stream: Stream = MAIN) -> Array:
        """Return normal numbers from the words of a stream from a position on."""
        drawn = self._by_kernel(NORMAL, shape, start, dtype, stream)
        if drawn is not NotImplemented:
            return drawn  # type: ignore[no-any-return]
        words = bits(self._device, key=self.bit_generator.key, stream=stream, start=start, shape=shape)
        return compute_formula(standard_normal, words, dtype=dtype)  # type: ignore[no-any-return]

    def _flat(self, value: float | Array, shape: tuple[int, ...], dtype: DType) -> Array:
        """Return a parameter as a 0-d Array, or as a 1-d one with an element for each element of a shape."""
        array = self._array(value, dtype)
        if array.size == 1:
            return xp.reshape(array, ())
        return xp.reshape(xp.broadcast_to(array, shape), (prod(shape),))

    def _accepted(self, propose: Propose, uses: str, start: int, count: int, lane: int, *parameters: Array) -> Array:
        """Return the first accepted value of each element (rejection).

        Values that are not finite are accepted, as no other attempt can be better.

        Parameters
        ----------
        propose
            Returns the values of an attempt and whether they are accepted.
        uses
            What it takes for an element: a letter for each, "w" for a word and "n" for a normal number.
        start, count
            The elements, which own the positions from ``start`` on.
        lane
            Number of this use of words among those of the method.
        parameters
            Further arguments: 0-d, or with an element for each of the elements.
        """
        dtype = parameters[0].dtype
        given = [
            self._own_words(start, count, lane, use)
            if letter == "w"
            else self._normals(start, (count,), dtype, (1, 4 * lane + use))
            for use, letter in enumerate(uses)
        ]
        device = self._device
        if count <= (FEW_CHUNKS if device.lazy else FEW) and not device.host:
            host = resolve("numpy")
            given, parameters = [x.to_device(host) for x in given], tuple([x.to_device(host) for x in parameters])
        with np.errstate(all="ignore"):
            values, accepted = compute_formula(propose, *given, *parameters)
            if values.dtype.kind == "f":
                accepted = accepted | ~xp.isfinite(values)
            remaining_values = self._retried(propose, uses, values, accepted, start, lane, *parameters, attempt=2)
            return remaining_values.to_device(device)

    def _retried(
        self,
        propose: Propose,
        uses: str,
        values: Array,
        accepted: Array,
        start: int,
        lane: int,
        *parameters: Array,
        attempt: int,
    ) -> Array:
        """Return values with those that are not accepted replaced by the first accepted one of the next attempts.

        An element takes the words of an attempt from the block of its position in the stream ``(attempt, lane)``.
        """
        rejected = ~accepted
        pending = xp.nonzero(rejected)[0]
        if not pending.size:
            return values
        positions = xp.astype(pending, xp.uint64) + start
        chosen = _chosen(parameters, pending)
        device = values.device
        if pending.size <= FEW and not device.host:
            host = resolve("numpy")
            positions, *chosen = [x.to_device(host) for x in (positions, *chosen)]
        values[rejected] = self._redrawn(propose, uses, positions, lane, chosen, attempt).to_device(device)
        return values

    def _redrawn(
        self,
        propose: Propose,
        uses: str,
        positions: Array,
        lane: int,
        parameters: list[Array],
        attempt: int,
    ) -> Array:
        """Return the first accepted values of the elements at some positions, from an attempt on."""
        dtype = parameters[0].dtype
        levels: list[tuple[Array, Array]] = []
        while not levels or positions.size:
            words = blocks(positions, key=self.bit_generator.key, stream=(attempt, lane))
            given = [
                words[:, use] if letter == "w" else standard_normal(words[:, use], dtype=dtype)
                for use, letter in enumerate(uses)
            ]
            values, accepted = propose(*given, *parameters)
            rejected = ~accepted
            levels.append((values, rejected))
            pending = xp.nonzero(rejected)[0]
            positions, parameters = positions[pending], _chosen(parameters, pending)
            attempt += 1
        result, _ = levels.pop()
        for values, rejected in reversed(levels):
            values[rejected] = result
            result = values
        return result


def _chosen(parameters: Sequence[Array], pending: Array) -> list[Array]:
    """Return the parameters of some elements; those of all are 0-d."""
    return [x if x.ndim == 0 else xp.take(x, pending, axis=0) for x in parameters]
