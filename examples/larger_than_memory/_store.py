"""Options of the programs, and Zarr stores of random numbers that they read."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dask

import xtensor as xp
from xtensor import engines

CHUNK = 16_000_000
"""Bytes of a chunk of a large store."""


def parsed(description: str | None, argv: list[str] | None = None) -> argparse.Namespace:
    """Return the options of a program."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--megabytes", type=float, default=8, metavar="N", help="size of the data (default: 8)")
    parser.add_argument("--folder", type=Path, help="folder of the store, which is kept; default: a temporary one")
    parser.add_argument("--workers", type=int, default=0, help="processes of 500 MB; default: threads of this process")
    return parser.parse_args(argv)


@contextmanager
def prepared(options: argparse.Namespace) -> Iterator[Path]:
    """Start the processes that the options ask for, and give the folder."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        dask.config.set({"array.chunk-size": CHUNK})  # the workers are small
        if not options.workers:
            yield folder
            return
        from distributed import Client, LocalCluster

        limits = {"threads_per_worker": 1, "memory_limit": "500 MB", "dashboard_address": None}
        with LocalCluster(options.workers, **limits) as cluster, Client(cluster):
            yield folder


def shape_of(megabytes: float, columns: int) -> tuple[int, int]:
    """Return the shape of a float64 matrix of a size."""
    return max(256, round(megabytes * 1e6 / 8 / columns)), columns


def chunks_of_rows(shape: tuple[int, int]) -> dask.config.set:
    """Return a context in which new matrices have chunks of rows: of ``CHUNK`` bytes, in a small matrix eight."""
    rows, columns = shape
    return dask.config.set({"array.chunk-size": min(CHUNK, 8 * columns * -(-rows // 8))})


def normal(folder: Path, megabytes: float, columns: int) -> xp.Array:
    """Return a matrix of normal numbers, whose columns have the means 0 to 6 and the deviations 1, 1.5 and 2.

    It is written to a store in the folder unless it is there.
    """
    shape = shape_of(megabytes, columns)
    path = folder / f"normal-{shape[0]}-{columns}.zarr"
    if not path.exists():
        with chunks_of_rows(shape):
            numbers = xp.random.default_rng(0, device="dask").standard_normal(shape)
            column = xp.arange(columns, device="dask")
        engines.to_zarr(numbers * (1.0 + column % 3 / 2) + column % 7, path)
    return engines.from_zarr(path)
