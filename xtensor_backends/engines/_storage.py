"""Zarr stores: read when values are needed, and written chunk by chunk."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from ._library import Library

__all__ = ["from_zarr", "to_zarr"]


def from_zarr(library: Library, store: Any, **options: Any) -> Any:
    """Return an array of a store; the options are those of the library's function."""
    if isinstance(store, (str, os.PathLike)):
        if "://" not in os.fspath(store) and not Path(store).exists():
            raise FileNotFoundError(f"from_zarr(): there is no Zarr store at {os.fspath(store)!r}")
        store = os.fspath(store)
    return library.opened(store, **options)


def to_zarr(library: Library, x: Any, store: Any, *, overwrite: bool = False, **options: Any) -> None:
    """Write an array; the other options are those of the library's function.

    A folder gets its name when all chunks are written, so that no half-written store is left as a whole one.
    """
    chunks = library.chunks(x)
    if not all(map(_is_regular, chunks)):
        x = library.rechunked(x, tuple(map(max, chunks)))
    if not isinstance(store, (str, os.PathLike)) or "://" in os.fspath(store):
        with _full_disk_explained(store):
            library.stored(x, store, overwrite=overwrite, **options)
        return
    path = Path(store)
    if path.exists() and not overwrite:
        raise FileExistsError(f"to_zarr(): {str(path)!r} exists; pass overwrite=True to replace it")
    with _full_disk_explained(path), _unfinished(library, path) as folder:
        library.stored(x, folder, overwrite=False, **options)


@contextmanager
def _unfinished(library: Library, path: Path) -> Iterator[Any]:
    """Provide the store of another folder, which is renamed to a path at the end and removed after an error."""
    from ._unfinished import UnfinishedFolder, give_up, remove  # needs zarr

    root = path.with_name(f"{path.name}.{uuid4().hex[:8]}.unfinished")
    replaced = root.with_suffix(".replaced")
    try:
        yield UnfinishedFolder(root)
        if path.exists():
            path.rename(replaced)
        try:
            root.rename(path)
        except OSError:
            if replaced.exists():
                replaced.rename(path)
            raise
    except BaseException:
        library.everywhere(give_up, root)
        remove(root)
        raise
    finally:
        shutil.rmtree(replaced, ignore_errors=True)


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Error numbers of a file system without room, of an exhausted quota, and of a file above the allowed size."""


@contextmanager
def _full_disk_explained(store: Any) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise OSError(
            error.errno,
            f"{os.strerror(error.errno or 0)}: to_zarr() could not write all chunks, and the store is not complete; "
            "free space or raise the limit there, or name another place",
            str(store),
        ) from error


def _is_regular(lengths: tuple[int, ...]) -> bool:
    """Whether chunks are of one length, but for a shorter last one, as Zarr stores them."""
    return len(set(lengths[:-1])) <= 1 and (len(lengths) == 1 or lengths[-1] <= lengths[0])
