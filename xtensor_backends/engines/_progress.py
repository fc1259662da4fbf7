"""Progress bars of computations: in a block that asks for them, and by themselves in a terminal or a notebook.

Requirements: a bar starts no thread and delays no computation, because most computations are short; nothing is written
where nobody looks, to a file or a pipe.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter

__all__ = ["Bar", "delay", "progress"]

AUTOMATIC = 2.0
"""Seconds after which a computation shows a bar by itself."""

INTERVAL = 0.1
"""Seconds between two states of a bar."""

WIDTH = 40

_chosen: ContextVar[tuple[float | None] | None] = ContextVar("chosen", default=None)
"""The seconds that a block chose, None in it for no bar; None outside of such a block."""


@contextmanager
def progress(after: float | None) -> Iterator[None]:
    """Choose for a block after how many seconds a computation shows a bar; None for never."""
    before = _chosen.get()
    try:
        _chosen.set((after,))
        yield
    finally:
        _chosen.set(before)


def delay() -> float | None:
    """Return the seconds after which a computation of this thread shows a bar, None for never."""
    chosen = _chosen.get()
    if chosen is not None:
        return chosen[0]
    if os.environ.get("XTENSOR_PROGRESS") == "0" or threading.current_thread() is not threading.main_thread():
        return None
    return AUTOMATIC if _is_watched() else None


def _is_watched() -> bool:
    """Whether a person reads the output: in a terminal or in a notebook."""
    if sys.stdout is not None and sys.stdout.isatty():
        return True
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """The bar of one computation, which the end of a task draws, once some seconds have passed."""

    def __init__(self, after: float, total: int) -> None:
        self._after, self._total, self._done = after, max(total, 1), 0
        self._begun = self._drawn = perf_counter()
        self._is_shown = False

    def advance(self, count: int = 1) -> None:
        """Count tasks that have ended."""
        self._done += count
        now = perf_counter()
        if now - self._begun >= self._after and (now - self._drawn >= INTERVAL or not self._is_shown):
            self._draw(now)

    def close(self) -> None:
        """Draw the last state of a bar that is shown."""
        if self._is_shown:
            self._draw(perf_counter())
            sys.stdout.write("\n")

    def _draw(self, now: float) -> None:
        part = min(self._done / self._total, 1.0)
        filled = "#" * int(WIDTH * part)
        sys.stdout.write(f"\r[{filled:<{WIDTH}}] {part:4.0%}  {now - self._begun:.1f} s")
        sys.stdout.flush()
        self._drawn, self._is_shown = now, True
