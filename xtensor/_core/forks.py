"""Forks of the process: the child finds no half-made import, no lock of another thread and no lost library.

A fork waits for threads that open devices or import modules at the first use of a name, because the child has the
locks and half-imported modules of threads that it does not have. What backends do around a fork follows after that: a
thread that opens a device may need a backend's lock, so that a fork which took the backend's lock first would wait for
a thread that waits for the fork.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from . import device, operations, registry

__all__ = ["PATIENCE", "around_forks", "prepare"]

PATIENCE = 10.0
"""Seconds for which a fork waits for a thread that opens a device."""

_around: list[tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]] = []
"""Functions called before a fork, after it in the parent, and after it in the child, as they were registered."""

_held: ContextVar[tuple[list[Any], list[Any]]] = ContextVar("xtensor_fork")
"""The locks that the forking thread has acquired, and the functions called around that fork."""


def _nothing() -> None:
    pass


def around_forks(
    *,
    before: Callable[[], Any] = _nothing,
    after_in_parent: Callable[[], Any] = _nothing,
    after_in_child: Callable[[], Any] = _nothing,
) -> None:
    """Register functions of a backend that are called around each fork of the process.

    They are those of :func:`os.register_at_fork`, and called in its order, but when no thread opens a device. Elsewhere
    than on POSIX they are never called.

    Parameters
    ----------
    before
        Called in the thread that forks, for example to acquire the backend's locks.
    after_in_parent, after_in_child
        Called in that thread of the process, and in the child's only thread.
    """
    _around.append((before, after_in_parent, after_in_child))


def prepare() -> None:
    """Prepare this process for forks, on systems that fork (POSIX)."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)


def _before() -> None:
    locks = (device._lock, operations.import_lock, operations.lock, *registry.locks())
    acquired, around = [lock for lock in locks if lock.acquire(timeout=PATIENCE)], list(_around)
    _held.set((acquired, around))
    for before, _, _ in reversed(around):
        before()


def _after_in_parent() -> None:
    acquired, around = _held.get()
    for _, after, _ in around:
        after()
    for lock in reversed(acquired):
        lock.release()


def _after_in_child() -> None:
    operations.renew_locks()
    registry.renew_locks()
    device.lose(registry.lost_libraries())
    for _, _, after in _held.get()[1]:
        after()
