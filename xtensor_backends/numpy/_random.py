"""Random words and uniform numbers by NumPy's own Philox, whose words xtensor's are."""

from __future__ import annotations

import functools
import math
import threading
from typing import Any

import numpy as np

from xtensor.backend import DType, Native

__all__ = ["Random"]


class _Streams(threading.local):
    """A bit generator for each thread: making one costs more than setting its state."""

    def __init__(self) -> None:
        self.philox = np.random.Philox(0)
        self.generator = np.random.Generator(self.philox)

    def at(self, key: tuple[int, int], stream: tuple[int, int], start: int) -> np.random.Philox:
        """Return the bit generator before the word ``start`` of a stream."""
        first, skipped = divmod(start, 4)
        self.philox.state = {
            "bit_generator": "Philox",
            "state": {"counter": np.array((first, 0, *stream), np.uint64), "key": np.array(key, np.uint64)},
            "buffer": np.zeros(4, np.uint64),
            "buffer_pos": 4,
            "has_uint32": 0,
            "uinteger": 0,
        }
        if skipped:
            self.philox.random_raw(skipped, output=False)
        return self.philox


@functools.cache
def _streams() -> _Streams:
    return _Streams()  # at the first draw, as NumPy imports its generators when they are first used


class Random:
    """The functions of random words, for the namespace. Others are composed of them."""

    def bits(self, *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...]) -> Native:
        return _streams().at(key, stream, start).random_raw(math.prod(shape)).reshape(shape)

    def uniform_numbers(
        self, *, key: tuple[int, int], stream: tuple[int, int], start: int, shape: tuple[int, ...], dtype: DType
    ) -> Native:
        if dtype.itemsize == 8:
            _streams().at(key, stream, start)
            return _streams().generator.random(math.prod(shape)).reshape(shape)
        skipped = start % 2
        _streams().at(key, stream, start // 2)
        numbers: np.ndarray[Any, Any] = _streams().generator.random(skipped + math.prod(shape), dtype=np.float32)
        return numbers[skipped:].reshape(shape)
