"""Zarr stores: read when values are needed, and written chunk by chunk."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import dask.array as da

from ._computing import cluster, computed
from ._native import Chunked, on_chunk_device, with_lengths

__all__ = ["from_zarr", "to_zarr"]


def from_zarr(store: Any, **options: Any) -> Chunked:
    """Return an array of a store; the options are those of ``dask.array.from_zarr``."""
    if isinstance(store, (str, os.PathLike)) and "://" not in os.fspath(store) and not Path(store).exists():
        raise FileNotFoundError(f"from_zarr(): there is no Zarr store at {os.fspath(store)!r}")
    return Chunked(on_chunk_device(with_lengths(da.from_zarr(store, **options))))


def to_zarr(native: Chunked, store: Any, *, overwrite: bool = False, **options: Any) -> None:
    """Write an array; the other options are those of ``dask.array.to_zarr``.

    A folder gets its name when all chunks are written, so that no half-written store is left as a whole one.
    """
    x = native.array
    if not all(_is_regular(lengths) for lengths in x.chunks):
        x = x.rechunk({axis: max(lengths) for axis, lengths in enumerate(x.chunks)})
    if not isinstance(store, (str, os.PathLike)) or "://" in os.fspath(store):
        with _full_disk_explained(store):
            computed(da.to_zarr(x, store, overwrite=overwrite, compute=False, **options))
        return
    path = Path(store)
    if path.exists() and not overwrite:
        raise FileExistsError(f"to_zarr(): {str(path)!r} exists; pass overwrite=True to replace it")
    with _full_disk_explained(path), _unfinished(path) as folder:
        computed(da.to_zarr(x, folder, compute=False, **options))


@contextmanager
def _unfinished(path: Path) -> Iterator[Any]:
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
        give_up(root)
        with suppress(Exception):  # the error is the one that is raised, and not that the cluster is gone as well
            client = cluster()
            if client is not None and client.status == "running":
                client.run(give_up, root, on_error="ignore")
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
