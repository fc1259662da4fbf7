"""Zarr stores: read when values are needed, and written chunk by chunk."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any
from uuid import uuid4

import dask.array as da

from ._native import Chunked, on_chunk_device, with_lengths
from ._stages import in_stages

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
    (x,) = in_stages([native.array])
    if not all(_is_regular(lengths) for lengths in x.chunks):
        x = x.rechunk({axis: max(lengths) for axis, lengths in enumerate(x.chunks)})
    if not isinstance(store, (str, os.PathLike)) or "://" in os.fspath(store):
        da.to_zarr(x, store, overwrite=overwrite, **options)
        return
    path = Path(store)
    if path.exists() and not overwrite:
        raise FileExistsError(f"to_zarr(): {str(path)!r} exists; pass overwrite=True to replace it")
    unfinished = path.with_name(f"{path.name}.{uuid4().hex[:8]}.unfinished")
    try:
        da.to_zarr(x, str(unfinished), **options)
        if path.exists():
            shutil.rmtree(path)
        unfinished.rename(path)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _is_regular(lengths: tuple[int, ...]) -> bool:
    """Whether chunks are of one length, but for a shorter last one, as Zarr stores them."""
    return len(set(lengths[:-1])) <= 1 and (len(lengths) == 1 or lengths[-1] <= lengths[0])
