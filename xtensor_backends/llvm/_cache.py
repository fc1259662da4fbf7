"""Files of compiled code in the user's cache directory.

Requirements: several processes may read and write at once; an entry that is damaged, or another entry's, is absent; a
directory that cannot be read or written is an empty one; the size is bounded, the least recently used entries are
removed first, and files of other names stay. Only what the user or the administrator wrote is read: an entry is run as
machine code.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import stat
import time
from pathlib import Path

from xtensor.backend import read_file, user_cache, write_file

__all__ = ["LIMIT", "Cache", "cache_folder"]

LIMIT = 64 << 20
"""Bound of the size of all entries, in bytes."""

_MAGIC = b"xtensor1"
_DIGEST = 32
_HEAD = len(_MAGIC) + _DIGEST
_ABANDONED = 3600.0  # seconds, after which another process's temporary file is removed
_NAME = re.compile(r"[0-9a-f]{40}(\.[0-9a-f]{16}\.tmp)?")  # of entries and temporary files; others are not ours


def cache_folder() -> Path | None:
    """Return the folder that XTENSOR_CACHE_DIR names, or the one in the user's cache; None without a home."""
    cache = user_cache()
    if cache is None:
        return None
    folder, is_named = cache
    return folder if is_named else folder / "llvm"


class Cache:
    """A folder of entries, each a file with a checksum.

    Parameters
    ----------
    folder : the folder, which is created by the first write; None keeps nothing.
    limit : the bound of all entries' sizes, in bytes. Processes that write at the same time may exceed it by an eighth
        each, until one of them counts again.
    """

    def __init__(self, folder: Path | None, limit: int = LIMIT) -> None:
        self.folder = folder
        self.limit = limit
        self._uncounted = limit  # bytes written since the entries were counted; the first write counts

    def get(self, key: str) -> bytes | None:
        """Return an entry's content, or None where there is none that is whole, the key's and the user's own."""
        if self.folder is None:
            return None
        path = self.folder / key
        try:
            entry = read_file(path, largest=self.limit, own=True)
        except OSError:
            return None
        head, content = entry[:_HEAD], entry[_HEAD:]
        if head != _head(key, content):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the time of the last use, by which entries are removed
        return content

    def put(self, key: str, content: bytes) -> None:
        """Write an entry, if the folder can be written to. Readers see all of it or nothing."""
        if self.folder is None or _HEAD + len(content) > self.limit:
            return
        with contextlib.suppress(OSError):
            write_file(self.folder / key, _head(key, content) + content)
            self._make_room(_HEAD + len(content))

    def _make_room(self, size: int) -> None:
        """Remove the least recently used entries above the limit. Counts after each eighth of the limit."""
        self._uncounted += size
        if self._uncounted <= self.limit // 8:
            return
        assert self.folder is not None
        entries, total, now = [], 0, time.time()
        for entry in os.scandir(self.folder):
            if _NAME.fullmatch(entry.name) is None:
                continue
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:  # another process has removed it
                continue
            if not stat.S_ISREG(status.st_mode):
                continue
            if entry.name.endswith(".tmp") and now - status.st_mtime < _ABANDONED:
                continue
            entries.append((status.st_mtime_ns, status.st_size, entry.path))
            total += status.st_size
        for _, length, path in sorted(entries):
            if total <= self.limit - self.limit // 8 and not path.endswith(".tmp"):
                continue
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= length
        self._uncounted = 0


def _head(key: str, content: bytes) -> bytes:
    """Return what stands before an entry's content. The key belongs to it: an entry under another name is none."""
    return _MAGIC + hashlib.blake2b(content, digest_size=_DIGEST, key=key.encode()).digest()
