"""Folders of stores that are being written, which a failed computation removes although its tasks still run.

A scheduler reports the first error at once. Tasks that run at that moment cannot be interrupted, and one that writes a
chunk after the folder was removed would create it again. Each process therefore knows which folders are given up.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from zarr.storage import LocalStore

__all__ = ["UnfinishedFolder", "give_up", "remove"]

_changed = threading.Condition()
_writers: Counter[Path] = Counter()
_given_up: set[Path] = set()

PATIENCE = 30.0
"""Seconds for which a chunk that is being written is waited for."""


class UnfinishedFolder(LocalStore):  # type: ignore[misc]
    """A Zarr store in a folder that can be given up while it is written."""

    async def set(self, key: str, value: Any) -> None:
        with _writing(self.root):
            await super().set(key, value)

    async def set_if_not_exists(self, key: str, value: Any) -> None:
        with _writing(self.root):
            await super().set_if_not_exists(key, value)

    def set_sync(self, key: str, value: Any) -> None:
        with _writing(self.root):
            super().set_sync(key, value)


@contextmanager
def _writing(root: Path) -> Iterator[None]:
    with _changed:
        if root in _given_up or not root.exists():  # removed by a client that lost its cluster
            raise FileNotFoundError(f"{str(root)!r} is not written any more: another chunk failed")
        _writers[root] += 1
    try:
        yield
    finally:
        with _changed:
            _writers[root] -= 1
            if not _writers[root]:
                del _writers[root]
            _changed.notify_all()


def remove(root: Path) -> None:
    """Remove a folder that is given up, again where a task created it meanwhile."""
    for _ in range(10):
        shutil.rmtree(root, ignore_errors=True)
        time.sleep(0.1)
        if not root.exists():
            return


def give_up(root: Path) -> None:
    """Let no thread of this process begin to write into a folder, and wait for those that do."""
    with _changed:
        _given_up.add(root)
        deadline = time.monotonic() + PATIENCE
        while _writers[root] and _changed.wait(deadline - time.monotonic()):
            pass
