"""Postponement of Ctrl-C while a library is imported.

A library whose import is interrupted half-way often cannot be imported again: its extension modules are initialised
once for a process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["Interrupts", "postponed"]


class Interrupts:
    """Signals received in a block. ``raised`` tells whether a handler was called inside it."""

    def __init__(self) -> None:
        self.received: list[tuple[int, FrameType | None]] = []
        self.raised = False


@contextmanager
def postponed(what: str) -> Iterator[Interrupts]:
    """Call the handlers of SIGINT and SIGTERM after the block, and at once when a signal arrives again.

    ``what`` completes the message that a first Ctrl-C prints. Only the main thread receives signals; in others, and for
    handlers that are not Python's, the block does nothing.
    """
    import signal  # not worth their import before a library is imported
    import threading

    interrupts = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield interrupts
        return

    def receive(number: int, frame: FrameType | None) -> None:
        interrupts.received.append((number, frame))
        if len(interrupts.received) == 1:
            os.write(2, f"xtensor finishes {what} first; interrupt again to stop at once\n".encode("ascii", "replace"))
            return
        interrupts.raised = True
        handlers[number](number, frame)

    handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        if callable(handler) and getattr(handler, "__qualname__", "") != receive.__qualname__:
            handlers[number] = handler
            signal.signal(number, receive)
    try:
        yield interrupts
    finally:
        for handled, handler in handlers.items():
            signal.signal(handled, handler)
        if interrupts.received and not interrupts.raised:
            first, frame = interrupts.received[0]
            handlers[first](first, frame)
