"""Forks of the process: the child finds no half-made import, no lock of another thread and no lost library.

A fork waits for threads that open devices, because the child has the locks and half-imported modules of threads that
it does not have.
"""

from __future__ import annotations

import os
import threading

from . import device, operations, registry

__all__ = ["PATIENCE", "prepare"]

PATIENCE = 10.0
"""Seconds for which a fork waits for a thread that opens a device."""

_held = threading.local()


def prepare() -> None:
    """Prepare this process for forks, on systems that fork (POSIX)."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child)


def _before() -> None:
    locks = (device._lock, operations.lock, *registry.locks())
    _held.locks = [lock for lock in locks if lock.acquire(timeout=PATIENCE)]


def _after_in_parent() -> None:
    for lock in reversed(_held.locks):
        lock.release()


def _after_in_child() -> None:
    operations.renew_lock()
    registry.renew_locks()
    device.lose(registry.lost_libraries())
