"""State, device and draws of words: the base of all methods.

An element of a result has one position of the stream, a word, whatever its distribution and dtype; only
``random(dtype=float32)`` and ``bytes`` take half a word. A method that needs several words for an element, or an
unknown number, takes them from streams that the position owns: block ``i`` of the stream ``(r, lane)`` belongs to
element ``i``, where ``r`` from 1 on counts the attempts.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, TypeVar

import numpy as np

from .. import _standard as xp
from .._core.array import Array, wrap
from .._core.device import Device
from .._core.dispatch import call
from .._core.dtypes import DType
from .._fuse.formulas import compute_formula
from .._standard.filling import FULL
from ._arguments import Check, Size, check_out, output_shape, parameter, real_dtype
from ._operations import MAIN, attempt_draw, bits, blocks
from ._philox import Philox

__all__ = ["StreamOfNumbers"]

Propose = Callable[..., tuple[Array, Array]]
"""A function of three words and parameters that returns proposed values and whether they are accepted."""

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
        words = bits(self._device, key=self.bit_generator.key, stream=MAIN, start=start, count=prod(shape))
        return words if words.shape == shape else xp.reshape(words, shape)

    def _own_words(self, start: int, count: int, lane: int, attempt: int = 1) -> tuple[Array, ...]:
        """Return four words of each of some consecutive elements, as arrays."""
        words = bits(self._device, key=self.bit_generator.key, stream=(attempt, lane), start=4 * start, count=4 * count)
        table = xp.reshape(words, (count, 4))
        return tuple(table[:, column] for column in range(4))

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
        found = real_dtype(dtype, self._device, function)
        if out is None:
            return draw(output_shape(function, size), found)
        check_out(out, size, found, self._device, function)
        out[...] = draw(out.shape, found)
        return out

    def _by_kernel(self, operation: Any, shape: tuple[int, ...], start: int, dtype: DType) -> Any:
        """Return numbers by the device's own implementation of a draw; NotImplemented without one."""
        drawn = attempt_draw(
            operation, self._device, key=self.bit_generator.key, start=start, count=prod(shape), dtype=dtype
        )
        return drawn if drawn is NotImplemented or drawn.shape == shape else xp.reshape(drawn, shape)

    def _flat(self, value: float | Array, shape: tuple[int, ...], dtype: DType) -> Array:
        """Return a parameter as a 0-d Array, or as a 1-d one with an element for each element of a shape."""
        array = self._array(value, dtype)
        if array.size == 1:
            return xp.reshape(array, ())
        return xp.reshape(xp.broadcast_to(array, shape), (prod(shape),))

    def _accepted(self, propose: Propose, start: int, count: int, lane: int, *parameters: Array) -> Array:
        """Return the first accepted value of each element (rejection).

        The parameters are 0-d, or have an element for each of the elements, which own the positions from ``start`` on.
        Values that are not finite are accepted, as no other attempt can be better.
        """
        with np.errstate(all="ignore"):
            values, accepted = compute_formula(propose, *self._own_words(start, count, lane)[:3], *parameters)
            if values.dtype.kind == "f":
                accepted = accepted | ~xp.isfinite(values)
            return self._retried(propose, values, accepted, start, lane, *parameters, attempt=2)

    def _retried(
        self,
        propose: Propose,
        values: Array,
        accepted: Array,
        start: int,
        lane: int,
        *parameters: Array,
        attempt: int,
    ) -> Array:
        """Return values with those that are not accepted replaced by the first accepted one of the next attempts."""
        rejected = ~accepted
        pending = xp.nonzero(rejected)[0]
        levels = [(values, rejected)]
        while pending.size:
            positions = xp.astype(pending, xp.uint64) + start
            words = blocks(positions, key=self.bit_generator.key, stream=(attempt, lane))
            chosen = [x if x.ndim == 0 else xp.take(x, pending, axis=0) for x in parameters]
            values, accepted = propose(*(words[:, column] for column in range(3)), *chosen)
            rejected = ~accepted
            pending = pending[rejected]
            levels.append((values, rejected))
            attempt += 1
        result, _ = levels.pop()
        for values, rejected in reversed(levels):
            values[rejected] = result
            result = values
        return result
