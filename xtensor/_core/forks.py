"""Forks of the process: the child finds no half-made import, no lock of another thread and no lost library.

A fork waits for threads that open devices or import modules at the first use of a name, because the child has the
locks and half-imported modules of threads that it does not have. What backends do around a fork follows after that: a
thread that opens a device may need a backend's lock, so that a fork which took the backend's lock first would wait for
a thread that waits for the fork.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from . import device, operations, registry

__all__ = ["PATIENCE", "around_forks", "prepare"]

PATIENCE = 10.0
"""Seconds for which a fork waits for a thread that opens a device."""

_held = threading.local()


class _Around(NamedTuple):
    before: Callable[[], Any]
    after_in_parent: Callable[[], Any]
    after_in_child: Callable[[], Any]


_around: list[_Around] = []


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
    _around.append(_Around(before, after_in_parent, after_in_child))


def prepare() -> None:
    """Prepare this process for forks, on systems that fork (POSIX)."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)


def _before() -> None:
    locks = (device._lock, operations.import_lock, operations.lock, *registry.locks())
    _held.locks = [lock for lock in locks if lock.acquire(timeout=PATIENCE)]
    _held.around = list(_around)
    for functions in reversed(_held.around):
        functions.before()


def _after_in_parent() -> None:
    for functions in _held.around:
        functions.after_in_parent()
    for lock in reversed(_held.locks):
        lock.release()


def _after_in_child() -> None:
    operations.renew_locks()
    registry.renew_locks()
    device.lose(registry.lost_libraries())
    for functions in _held.around:
        functions.after_in_child()
