"""Zarr stores: read when values are needed, and written chunk by chunk."""

from __future__ import annotations

import os
import shutil
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
        library.stored(x, store, overwrite=overwrite, **options)
        return
    path = Path(store)
    if path.exists() and not overwrite:
        raise FileExistsError(f"to_zarr(): {str(path)!r} exists; pass overwrite=True to replace it")
    unfinished = path.with_name(f"{path.name}.{uuid4().hex[:8]}.unfinished")
    try:
        library.stored(x, str(unfinished), overwrite=False, **options)
        if path.exists():
            shutil.rmtree(path)
        unfinished.rename(path)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _is_regular(lengths: tuple[int, ...]) -> bool:
    """Whether chunks are of one length, but for a shorter last one, as Zarr stores them."""
    return len(set(lengths[:-1])) <= 1 and (len(lengths) == 1 or lengths[-1] <= lengths[0])
