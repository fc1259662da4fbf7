"""Uniform numbers: floating-point numbers, integers, bytes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _ops as xp
from .._core.array import Array, to_numpy
from .._core.checks import check_flag, check_integer, integer_limits
from .._core.dtypes import DType, as_dtype
from .._core.transfers import transfers
from .._fuse.formulas import compute_formula
from . import _formulas as formulas
from ._arguments import Size, convert, output_shape, require
from ._operations import UNIFORM, product
from ._stream import StreamOfNumbers

if TYPE_CHECKING:
    from .._core.annotations import ArrayLike, DTypeLike

__all__ = ["Uniforms"]

LOW = 2**32 - 1
INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)
LOW_AND_HIGH = "integers() takes low less than high, or up to it with endpoint=True"


class Uniforms(StreamOfNumbers):
    __slots__ = ()

    def random(self, size: Size = None, dtype: DTypeLike | None = None, out: Array | None = None) -> Array:
        """Draw numbers uniformly from [0, 1).

        Parameters
        ----------
        size
            Shape of the result; None for a 0-d Array.
        dtype
            float64 or float32. Default: the device's default real floating-point dtype.
        out
            Array of the shape and the dtype, which is filled and returned.

        Returns
        -------
        Array
            Multiples of 2⁻⁵³, for float32 of 2⁻²⁴. They equal those of ``numpy.random.Generator(Philox(seed))``.

        Raises
        ------
        TypeError
            If the dtype is another one, or ``out`` has another one.
        ValueError
            If ``size`` has a negative length, or ``out`` another shape or device.
        """
        return self._standard("random", self._unit, size, dtype, out)

    def _unit(self, shape: tuple[int, ...], dtype: DType) -> Array:
        count, stream = math.prod(shape), self.bit_generator
        halves = dtype.itemsize == 4
        start = stream.take_halves(count) if halves else stream.take(count)
        drawn = self._by_kernel(UNIFORM, shape, start, dtype)
        if drawn is not NotImplemented:
            return drawn  # type: ignore[no-any-return]
        if not halves:
            words = self._words_from(start, shape)
            return compute_formula(formulas.closed, words, dtype=dtype)  # type: ignore[no-any-return]
        return xp.reshape(xp.astype(self._halves(start, count) >> 8, dtype) * 2.0**-24, shape)

    def _halves(self, start: int, count: int) -> Array:
        """Return halves of words, as uint64, the low half of a word first."""
        first, skipped = divmod(start, 2)
        number = -(-(skipped + count) // 2)
        words = self._words_from(first, (number,))
        both = xp.reshape(xp.stack([words & LOW, words >> 32], axis=1), (2 * number,))
        return both[skipped : skipped + count]

    def uniform(self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: Size = None) -> Array:
        """Draw numbers uniformly from [low, high): ``low + (high - low) * random()``.

        Parameters
        ----------
        low, high
            Bounds, which broadcast together.
        size
            Shape of the result; None for the shape of the parameters.

        Returns
        -------
        Array
            Numbers of the device's default real floating-point dtype. Rounding may give ``high`` itself.

        Raises
        ------
        ValueError
            If ``high`` is less than ``low``.
        OverflowError
            If ``high - low`` is not finite.
        """
        bottom, top = (self._parameter(value, "uniform", name) for value, name in ((low, "low"), (high, "high")))
        length = top - bottom
        if not _is_finite(length):
            raise OverflowError(
                "high - low range exceeds valid bounds; uniform() takes bounds whose difference is finite; scale them"
            )
        require(length >= 0, "high - low < 0", length, "uniform() takes low up to high")
        return self._drawn("uniform", formulas.uniform, size, bottom, length)

    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Size = None,
        dtype: DTypeLike = np.int64,
        endpoint: bool = False,
    ) -> Array:
        """Draw integers uniformly from [low, high), or [low, high] with ``endpoint``.

        Parameters
        ----------
        low, high
            Bounds, integers that broadcast together; with one bound, it is ``high``, and ``low`` is 0.
        size
            Shape of the result; None for the shape of the bounds.
        dtype
            An integer dtype, or bool.
        endpoint
            Whether ``high`` may be drawn.

        Returns
        -------
        Array
            Integers of the dtype, the same on every device.

        Raises
        ------
        TypeError
            If the dtype is not one of integers.
        ValueError
            If a bound is out of the dtype's range, or there is no integer between the bounds.

        Notes
        -----
        An integer is the high word of the product of a random word and the number n of integers in the range. Up to n =
        2³², the probabilities differ from 1/n by less than 2⁻⁶⁴, and by less than 2⁻³² of it. For larger n, words are
        rejected so that the probabilities are equal.

        Lemire, "Fast Random Integer Generation in an Interval" (2019).
        """
        integer = as_dtype(dtype, "integers")
        if integer.kind not in "biu":
            raise TypeError(f"Unsupported dtype dtype('{integer}') for integers; it takes integer dtypes and bool")
        if integer not in self._device.dtypes:
            raise TypeError(
                f"integers(): device {self._device} does not support dtype {integer}; it supports "
                f"{', '.join(self._device.dtype_names())}"
            )
        closed = check_flag(endpoint, "integers", "endpoint")
        first, second = (
            self._bound(value, name)
            for value, name in (((0 if high is None else low), "low"), ((low if high is None else high), "high"))
        )
        shape = output_shape("integers", size, first, second)
        limits = (0, 1) if integer.kind == "b" else integer_limits(integer)
        last = second - (not closed) if isinstance(second, int) else second
        for bound, name in ((first, "low"), (last, "high")):
            if isinstance(bound, int) and not limits[0] <= bound <= limits[1] and (name == "low" or bound > limits[1]):
                raise ValueError(
                    f"{name} is out of bounds for {integer}; the bound is {bound} and the dtype has {limits[0]} to "
                    f"{limits[1]}; pass another dtype"
                )
        if isinstance(first, int) and isinstance(last, int):
            require(first <= last, "high <= 0" if high is None else "low >= high", (first, second), LOW_AND_HIGH)
            count = last - first + 1
            return self._offsets(
                shape, self._array(first % 2**64, UINT64), self._array(count % 2**64, UINT64), count, integer
            )
        work = UINT64 if integer == UINT64 else INT64
        bottom, top = (
            self._within(bound, name, limits, work, integer) for bound, name in ((first, "low"), (last, "high"))
        )
        excluded = not (closed or isinstance(last, int))
        require(bottom < top if excluded else bottom <= top, "low >= high", top, LOW_AND_HIGH)
        span = xp.astype(top, UINT64) - xp.astype(bottom, UINT64) + (0 if excluded else 1)
        return self._offsets(shape, xp.astype(bottom, UINT64), span, 2**64, integer)

    def _bound(self, value: Any, name: str) -> int | Array:
        """Return a bound as a Python integer, without its fraction, or as an Array of integers."""
        bound = convert(value, self._device, "integers", name)
        if isinstance(bound, Array):
            if bound.dtype.kind not in "biu":
                raise TypeError(
                    f"integers(): {name} has dtype {bound.dtype}, expected integers; cast it with xtensor.astype"
                )
            return bound
        if isinstance(bound, float) and not math.isfinite(bound):
            raise ValueError(f"{name} is out of bounds; integers() takes finite bounds, not {bound}")
        return int(bound)

    def _within(self, bound: int | Array, name: str, limits: tuple[int, int], work: DType, dtype: DType) -> Array:
        """Return a bound in a 64-bit dtype, after the check that the dtype of the result has it."""
        if isinstance(bound, int):
            return self._array(bound, work)
        least, greatest = integer_limits(bound.dtype) if bound.dtype.kind != "b" else (0, 1)
        # The bound high, which is excluded, may be one more than the greatest integer.
        allowed = limits[1] + (name == "high")
        inside: Any = True
        if least < limits[0]:
            inside = bound >= limits[0]
        if greatest > allowed:
            inside = (bound <= allowed) & inside
        require(
            inside,
            f"{name} is out of bounds for {dtype}",
            bound,
            f"the dtype has {limits[0]} to {limits[1]}; pass another dtype",
        )
        return xp.astype(bound, work)

    def _offsets(self, shape: tuple[int, ...], first: Array, span: Array, largest: int, dtype: DType) -> Array:
        """Return ``first + offset`` for offsets below ``span``, in uint64 modulo 2**64; a span of 0 means 2**64."""
        count = math.prod(shape)
        start = self.bit_generator.take(count)
        if largest <= 2**32:
            result = compute_formula(_scaled, self._words_from(start, shape), self._array(span, UINT64))
            return xp.astype(result + self._array(first, UINT64), dtype)
        first, span = (self._flat(x, shape, UINT64) for x in (first, span))
        with np.errstate(all="ignore"):
            offsets, accepted = _without_bias(self._words_from(start, (count,)), span)
            result = self._retried(_without_bias, "w", offsets, accepted, start, 0, span, attempt=1)
        return xp.reshape(xp.astype(result + first, dtype), shape)

    def bytes(self, length: int) -> bytes:
        """Draw random bytes.

        Parameters
        ----------
        length
            The number of bytes.

        Returns
        -------
        bytes
            The bytes of successive halves of words, those of lower value first, on the host.

        Raises
        ------
        TypeError
            If ``length`` is not an integer.
        ValueError
            If it is negative.
        """
        number = check_integer(length, "bytes", "length")
        require(number >= 0, "negative dimensions are not allowed", number, "bytes() takes 0 bytes or more")
        halves = -(-number // 4)
        start = self.bit_generator.take_halves(halves)
        with transfers("allow"):
            values = to_numpy(xp.astype(self._halves(start, halves), xp.uint32))
        return values.astype("<u4").tobytes()[:number]


def _is_finite(x: float | Array) -> bool:
    return bool(xp.all(xp.isfinite(x))) if isinstance(x, Array) else math.isfinite(x)


def _scaled(words: Array, number: Array) -> Array:
    """Return the high words of the products of words and a number up to 2**32."""
    return ((words >> 32) * number + (((words & LOW) * number) >> 32)) >> 32


def _without_bias(words: Array, number: Array) -> tuple[Array, Array]:
    """Return the high words of the products, and whether all offsets are equally probable among the accepted."""
    high, low = product(xp, words, number & LOW, number >> 32)
    whole = number == 0
    excess = (~number + 1) % xp.where(whole, 1, number)
    return xp.where(whole, words, high), whole | (low >= excess)
