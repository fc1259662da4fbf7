"""Ledgers: what the device ``meta`` would have allocated, read, written and computed.

An array of the device reports its birth and its death to the ledger that is open where it is made. An operation reports
its cost when its results exist.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

__all__ = ["Cost", "Ledger", "current", "opened"]


@dataclass(slots=True)
class Cost:
    """Cost of the calls of one operation.

    Attributes
    ----------
    calls
        The number of calls.
    operations
        Operations on numbers.
    moved_bytes
        Bytes of the operands that are read and of the results that are written.
    peak_bytes
        The largest number of bytes of all arrays during a call.
    """

    calls: int = 0
    operations: int = 0
    moved_bytes: int = 0
    peak_bytes: int = 0


@dataclass(slots=True)
class Ledger:
    """Bytes of the arrays that live, their peak, and the cost of each operation.

    Attributes
    ----------
    live_bytes
        Bytes of the arrays that live now.
    peak_bytes
        The largest number of bytes so far, with the workspaces of the operations.
    costs
        The costs by the operations' names.
    """

    live_bytes: int = 0
    peak_bytes: int = 0
    costs: dict[str, Cost] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def bear(self, size: int) -> None:
        """Record an array that is made."""
        with self._lock:
            self.live_bytes += size
            self.peak_bytes = max(self.peak_bytes, self.live_bytes)

    def bury(self, size: int) -> None:
        """Record an array whose last reference is gone."""
        with self._lock:
            self.live_bytes -= size

    def add(self, name: str, operations: int, moved: int, workspace: int) -> None:
        """Record a call whose results exist; ``workspace`` is what it allocated next to them and has freed."""
        with self._lock:
            cost = self.costs.setdefault(name, Cost())
            peak = self.live_bytes + workspace
            cost.calls += 1
            cost.operations += operations
            cost.moved_bytes += moved
            cost.peak_bytes = max(cost.peak_bytes, peak)
            self.peak_bytes = max(self.peak_bytes, peak)

    @property
    def operations(self) -> int:
        """Operations on numbers of all calls."""
        return sum(cost.operations for cost in self.costs.values())

    @property
    def moved_bytes(self) -> int:
        """Bytes that all calls move."""
        return sum(cost.moved_bytes for cost in self.costs.values())


_open: ContextVar[Ledger | None] = ContextVar("xtensor_ledger", default=None)

current = _open.get
"""Return the ledger that is open in this thread or task; None without one."""


@contextmanager
def opened(ledger: Ledger) -> Iterator[Ledger]:
    """Report to a ledger within a block, and to no other."""
    before = _open.get()
    try:
        _open.set(ledger)  # an interrupt is raised once this is done
        yield ledger
    finally:
        _open.set(before)
