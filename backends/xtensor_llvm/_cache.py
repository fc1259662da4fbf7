"""Files of compiled code in the user's cache directory.

Requirements: several processes may read and write at once; an entry that is damaged is absent; a directory that cannot
be read or written is an empty one; the size is bounded, and the least recently used entries are removed first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

__all__ = ["FOLDER_VARIABLE", "LIMIT", "Cache", "cache_folder"]

FOLDER_VARIABLE = "XTENSOR_CACHE_DIR"

LIMIT = 64 << 20
"""Bound of the size of all entries, in bytes."""

_MAGIC = b"xtensor1"
_DIGEST = 32
_HEAD = len(_MAGIC) + _DIGEST
_ABANDONED = 3600.0  # seconds, after which another process's temporary file is removed


def cache_folder() -> Path | None:
    """Return the folder that XTENSOR_CACHE_DIR names, or the one in the user's cache; None without a home."""
    named = os.environ.get(FOLDER_VARIABLE)
    variable, fallback = "XDG_CACHE_HOME", "~/.cache"
    if os.name == "nt":
        variable, fallback = "LOCALAPPDATA", "~/AppData/Local"
    try:
        if named:
            return Path(named).expanduser()
        return Path(os.environ.get(variable) or fallback).expanduser() / "xtensor" / "llvm"
    except RuntimeError:  # a user without a home, as containers have
        return None


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
        """Return an entry's content, or None where there is none that is whole and the user's own."""
        if self.folder is None:
            return None
        path = self.folder / key
        try:
            with path.open("rb") as file:
                if not _trusted(os.fstat(file.fileno())):
                    return None
                entry = file.read()
        except OSError:
            return None
        head, content = entry[:_HEAD], entry[_HEAD:]
        if head != _head(content):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the time of the last use, by which entries are removed
        return content

    def put(self, key: str, content: bytes) -> None:
        """Write an entry, if the folder can be written to. Readers see all of it or nothing."""
        if self.folder is None or _HEAD + len(content) > self.limit:
            return
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(_HEAD + len(content))
            descriptor, temporary = tempfile.mkstemp(dir=self.folder, suffix=".tmp")
            try:
                with open(descriptor, "wb") as file:
                    file.write(_head(content) + content)
                os.replace(temporary, self.folder / key)
            except BaseException:
                os.unlink(temporary)
                raise
        except OSError:
            return

    def _make_room(self, size: int) -> None:
        """Remove the least recently used entries until `size` bytes fit. Counts after each eighth of the limit."""
        self._uncounted += size
        if self._uncounted <= self.limit // 8:
            return
        assert self.folder is not None
        entries, total, now = [], size, time.time()
        for entry in os.scandir(self.folder):
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:  # another process has removed it
                continue
            if entry.name.endswith(".tmp") and now - status.st_mtime < _ABANDONED:
                continue
            entries.append((status.st_mtime_ns, status.st_size, entry.path))
            total += status.st_size
        for _, length, path in sorted(entries):
            if total <= self.limit - self.limit // 8 and not path.endswith(".tmp"):
                break
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= length
        self._uncounted = 0


def _head(content: bytes) -> bytes:
    return _MAGIC + hashlib.blake2b(content, digest_size=_DIGEST).digest()


def _trusted(status: os.stat_result) -> bool:
    """Return whether nobody but the user and the administrator wrote a file: its content is run as machine code."""
    return not hasattr(os, "getuid") or status.st_uid in (os.getuid(), 0)
