"""Cache of keys and values, which grows by blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ... import _ops as xp
from ..._core.array import Array
from ..modules.linear import check_size
from .configuration import DecoderConfig

__all__ = ["Cache"]


class LayerCache:
    """Keys and values of one layer.

    Attributes
    ----------
    start, stop
        The first position that is stored, and the position after the last one.
    """

    def __init__(self, window: int | None, block: int) -> None:
        self._window, self._block = window, block
        self.start = self.stop = 0
        self._key: Array | None = None
        self._value: Array | None = None

    def append(self, key: Array, value: Array) -> tuple[Array, Array]:
        """Store the keys and values of the next positions; return all that are stored.

        Parameters
        ----------
        key, value
            Arrays of shape (…, heads, length, head_dim).
        """
        length = key.shape[-2]
        if self._key is None or self._value is None or self.stop - self.start + length > self._key.shape[-2]:
            self._grow(key, length)
        assert self._key is not None
        assert self._value is not None
        first = self.stop - self.start
        self._key[..., first : first + length, :] = key
        self._value[..., first : first + length, :] = value
        self.stop += length
        last = self.stop - self.start
        return self._key[..., :last, :], self._value[..., :last, :]

    def _grow(self, like: Array, length: int) -> None:
        """Allocate whole blocks for more positions, without those before the window of the next position."""
        start = self.start if self._window is None else max(self.start, self.stop - self._window + 1)
        kept = self.stop - start
        size = -(-(kept + length) // self._block) * self._block
        shape = (*like.shape[:-2], size, like.shape[-1])
        grown = []
        for old in (self._key, self._value):
            new = xp.zeros(shape, dtype=like.dtype, device=like.device)
            if old is not None and kept:
                new[..., :kept, :] = old[..., start - self.start : self.stop - self.start, :]
            grown.append(new)
        self._key, self._value = grown
        self.start = start

    @property
    def nbytes(self) -> int:
        """Bytes of the keys and values, free positions of the last block included."""
        return 0 if self._key is None or self._value is None else self._key.nbytes + self._value.nbytes


class Cache:
    """Keys and values of the tokens that a decoder has read, so that it need not read them again.

    It grows by blocks of positions. A layer with a sliding window drops the positions before it when it grows.

    Parameters
    ----------
    config
        Configuration of the decoder.
    block
        Number of positions by which the cache grows.
    padding
        For several texts, which are as long as each other with padding before them: the number of tokens of padding of
        each text. These have no position, and no token of the text attends to them.

    Attributes
    ----------
    length
        Number of tokens that the decoder has read, padding included.
    padding
        The numbers of tokens of padding, a NumPy array; None without.

    Raises
    ------
    ValueError
        If a number of tokens is less than 0.
    """

    def __init__(self, config: DecoderConfig, *, block: int = 256, padding: Sequence[int] | None = None) -> None:
        size = check_size(block, "Cache", "block")
        counts = None if padding is None else [check_size(count, "Cache", "padding", 0) for count in padding]
        self.padding = None if counts is None else np.asarray(counts, dtype=np.int64)
        self.layers = [LayerCache(config.window(number), size) for number in range(config.num_layers)]

    @property
    def length(self) -> int:
        """Number of tokens that the decoder has read."""
        return self.layers[-1].stop

    @property
    def nbytes(self) -> int:
        """Bytes of all keys and values, free positions included."""
        return sum([layer.nbytes for layer in self.layers])
