"""Settings of the current thread or task, made by blocks that may end in any order and in any thread.

A ``with`` block inside a generator ends when the generator is closed: after a block that began later, or in another
thread. A block therefore never restores an earlier value. It marks itself as ended, and the value of a setting is that
of the innermost block that has not ended. A statement sets the value for the rest of the block that it is in.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Generic, TypeVar

__all__ = ["Block", "Setting"]

T = TypeVar("T")


class Block(Generic[T]):
    """A value of a setting from the beginning of a block to its end.

    ``stated`` tells that a statement set the value, which then ends with the block around it.
    """

    __slots__ = ("_ended", "outer", "stated", "value")

    def __init__(self, value: T, outer: Block[T] | None, *, stated: bool = False) -> None:
        self.value = value
        self.outer = outer
        self.stated = stated
        self._ended = False

    @property
    def ended(self) -> bool:
        """Whether the block has ended, in any thread."""
        return self._ended or (self.stated and self.outer is not None and self.outer.ended)

    def end(self) -> None:
        """End the block. Blocks that began inside it keep their values."""
        self._ended = True


class Setting(Generic[T]):
    """A value for the current thread or task."""

    def __init__(self, name: str) -> None:
        self._innermost: ContextVar[Block[T] | None] = ContextVar(name, default=None)
        self.latest = self._innermost.get
        """Return the block that began last, which may have ended; None outside of all blocks. The fast check."""

    def innermost(self) -> Block[T] | None:
        """Return the innermost block that has not ended; None outside of all blocks."""
        block = self._innermost.get()
        if block is None or not block.ended:
            return block
        while block is not None and block.ended:
            block = block.outer
        self._innermost.set(block)
        return block

    def begin(self, value: T, outer: Block[T] | None) -> Block[T]:
        """Begin a block with a value; ``outer`` is the innermost block before it."""
        block = Block(value, outer)
        try:
            self._innermost.set(block)
        except BaseException:  # an interrupt, which Python raises once the call is done
            block.end()
            raise
        return block

    def state(self, value: T) -> None:
        """Set the value for the rest of the current block."""
        current = self.innermost()
        enclosing = current.outer if current is not None and current.stated else current
        self._innermost.set(Block(value, enclosing, stated=True))
