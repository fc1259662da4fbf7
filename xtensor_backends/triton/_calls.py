"""Count kernel launches and declined calls by operation, so that a test can assert that a kernel ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ACTIVE", "Calls", "count_calls"]


class Calls:
    """Kernel launches and declined calls of all Triton devices of this process.

    Attributes
    ----------
    launches
        The number of kernel launches by the operation's name (``"add"``, ``"inplace.add"``, ``"nn.softmax"``).
    declined
        The reasons of the calls that returned NotImplemented, by the operation's name.
    """

    def __init__(self) -> None:
        self.launches: Counter[str] = Counter()
        self.declined: dict[str, list[str]] = {}


ACTIVE: list[Calls] = []
"""The counters of the ``count_calls`` blocks that are open."""


@contextmanager
def count_calls() -> Iterator[Calls]:
    """Count the launches and declined calls inside a ``with`` block."""
    calls = Calls()
    ACTIVE.append(calls)
    try:
        yield calls
    finally:
        ACTIVE.remove(calls)
