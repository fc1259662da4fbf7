"""Files in the user's cache: read without waiting, and written whole or not at all.

Requirements: whatever stands in a file's place (a directory, a named pipe, a socket, a device, a link to one of them)
is an error and never a wait; several processes may read and write at once; a full disk leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

__all__ = ["FOLDER_VARIABLE", "read_file", "user_cache", "write_file"]

FOLDER_VARIABLE = "XTENSOR_CACHE_DIR"

READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
"""Flags for reading: a named pipe without a writer is opened at once."""


def user_cache() -> tuple[Path, bool] | None:
    """Return the folder that XTENSOR_CACHE_DIR names, or xtensor's in the user's cache, and whether it was named.

    None for a user without a home, as containers have.
    """
    named = os.environ.get(FOLDER_VARIABLE)
    variable, fallback = ("LOCALAPPDATA", "~/AppData/Local") if os.name == "nt" else ("XDG_CACHE_HOME", "~/.cache")
    try:
        if named:
            return Path(named).expanduser(), True
        return Path(os.environ.get(variable) or fallback).expanduser() / "xtensor", False
    except RuntimeError:
        return None


def read_file(path: Path, *, largest: int, own: bool = False) -> bytes:
    """Return the content of a regular file.

    Parameters
    ----------
    path
        The file; a link is followed.
    largest
        Bound of its size in bytes.
    own
        Whether only a file of the user or the administrator is read.

    Raises
    ------
    OSError
        If there is no such file, or it cannot be read.
    """
    descriptor = os.open(path, READING)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        if own and not _owned(status):
            raise PermissionError(errno.EACCES, "a file of another user", str(path))
        if status.st_size > largest:
            raise OSError(errno.EFBIG, f"larger than {largest} bytes", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def write_file(path: Path, content: bytes) -> None:
    """Write a file, and create its folder for the user alone. Readers see the old content or all of the new one.

    Raises
    ------
    OSError
        If it cannot be written; nothing has changed then.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.urandom(8).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _owned(status: os.stat_result) -> bool:
    """Return whether nobody but the user and the administrator wrote a file."""
    return not hasattr(os, "getuid") or status.st_uid in (os.getuid(), 0)
