"""Memory of a device in blocks, which a bounded pool keeps for the next arrays.

A block returns to the pool when no array has it any more. The work of a device is done in the order of its queue, so
that a block may be used again before the last kernel that reads it has begun.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

__all__ = ["Block", "MemoryPool"]

SMALLEST = 256
"""Bytes of the smallest block."""

PART_OF_MEMORY = 4
"""The pool keeps a fourth of the device's memory unless it is limited otherwise."""


class Block:
    """Memory of one buffer, which returns to the pool with the last reference."""

    __slots__ = ("_pool", "buffer", "size")

    def __init__(self, pool: MemoryPool, buffer: Any, size: int) -> None:
        self._pool = pool
        self.buffer = buffer
        self.size = size

    def __del__(self) -> None:
        self._pool.take_back(self.buffer, self.size)


class MemoryPool:
    """Buffers of a device by size.

    Parameters
    ----------
    allocate
        Function of a size in bytes that returns a new buffer, or raises MemoryError.
    release
        Function of a buffer that returns its memory to the system.
    total
        Bytes of the device's memory.
    largest
        Bytes of the largest buffer.

    Attributes
    ----------
    total
        Bytes of the device's memory.
    used, unused
        Bytes of the blocks that arrays have, and of those that wait in the pool.
    """

    def __init__(
        self, allocate: Callable[[int], Any], release: Callable[[Any], None], total: int, largest: int
    ) -> None:
        self._allocate = allocate
        self._release = release
        self.total = total
        self._largest = largest
        self._limit = total // PART_OF_MEMORY
        self._waiting: dict[int, list[Any]] = {}
        # A block may be released by the garbage collector while this thread is in a method of the pool.
        self._lock = threading.RLock()
        self.used = 0
        self.unused = 0

    def block(self, size: int) -> Block:
        """Return a block of at least a size in bytes; MemoryError if the device does not have it."""
        rounded = rounded_size(size)
        with self._lock:
            waiting = self._waiting.get(rounded)
            if waiting:
                buffer = waiting.pop()
                self.unused -= rounded
            else:
                buffer = self._new(rounded)
            self.used += rounded
        return Block(self, buffer, rounded)

    def _new(self, size: int) -> Any:
        if size > self._largest:
            raise MemoryError(f"a buffer of {size} bytes; the device's largest one has {self._largest}")
        if self.used + self.unused + size > self.total:
            self.release()
            if self.used + size > self.total:
                raise MemoryError(f"{size} bytes next to {self.used} in use; the device has {self.total}")
        try:
            return self._allocate(size)
        except MemoryError:
            if not self.unused:
                raise
            self.release()
            return self._allocate(size)

    def take_back(self, buffer: Any, size: int) -> None:
        """Keep the buffer of a block that no array has any more, or return its memory to the system."""
        with self._lock:
            self.used -= size
            if self.unused + size > self._limit:
                self._release(buffer)
                return
            self._waiting.setdefault(size, []).append(buffer)
            self.unused += size

    def release(self) -> None:
        """Return the memory of all buffers that wait to the system."""
        self.limit(0, keep=False)

    def limit(self, size: int, *, keep: bool = True) -> None:
        """Keep at most a number of bytes; from now on, or only now."""
        with self._lock:
            if keep:
                self._limit = size
            for length in sorted(self._waiting, reverse=True):
                waiting = self._waiting[length]
                while waiting and self.unused > size:
                    self._release(waiting.pop())
                    self.unused -= length


@lru_cache(2048)
def rounded_size(size: int) -> int:
    """Return a size in bytes, rounded up to a fourth of a power of two, so that few sizes wait in the pool."""
    size = max(size, SMALLEST)
    unit = 1 << max(0, (size - 1).bit_length() - 3)
    return -(-size // unit) * unit
