"""Peak memory of a sum over the array of a file: ``python tests/file_memory.py SOURCE ENGINE MEGABYTES``.

Prints the bytes by which the peak of the process exceeds that before the file was opened, the seconds, and the bytes of
the array. The file is in the current folder; it is written by another process.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = 10
"""Columns of the tables."""


def write(source: str, megabytes: int) -> None:
    """Write a file of ones and zeros."""
    rows = megabytes * 10**6 // 8 // 1000
    if source == "memory map":
        np.lib.format.open_memmap("large.npy", "w+", np.float64, (rows, 1000)).flush()  # the disk stores no zeros
    elif source == "HDF5":
        import h5py

        with h5py.File("large.h5", "w") as file:
            file.create_dataset("x", (rows, 1000), np.float64, chunks=(100, 1000), fillvalue=1.0)
    else:
        import pandas as pd

        names = [f"c{number}" for number in range(COLUMNS)]
        part = pd.DataFrame(np.ones((100_000, COLUMNS)), columns=names)
        parts = rows * 1000 // COLUMNS // len(part)
        if source == "CSV":
            for number in range(parts):
                part.to_csv("large.csv", index=False, header=not number, mode="a")
        else:
            Path("large.parquet").mkdir()
            for number in range(parts):
                part.to_parquet(f"large.parquet/{number:05}.parquet")


def open_memory_map(xp: Any, engine: str) -> Any:
    return xp.load("large.npy", mmap_mode="r", device=engine)


def open_hdf5(xp: Any, engine: str) -> Any:
    import h5py

    with h5py.File("large.h5", "r") as file:
        return xp.asarray(file["x"], device=engine)


def open_parquet(xp: Any, engine: str) -> Any:
    import dask.dataframe as dd

    return xp.asarray(dd.read_parquet("large.parquet"), device=engine)


def open_csv(xp: Any, engine: str) -> Any:
    import dask.dataframe as dd

    return xp.asarray(dd.read_csv("large.csv", blocksize="16 MB"), device=engine)


SOURCES: dict[str, Callable[[Any, str], Any]] = {
    "memory map": open_memory_map,
    "HDF5": open_hdf5,
    "Parquet": open_parquet,
    "CSV": open_csv,
}


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main(source: str, engine: str, megabytes: int) -> None:
    subprocess.run([sys.executable, "-c", f"import file_memory as m; m.write({source!r}, {megabytes})"], check=True)
    import xtensor as xp

    assert float(xp.sum(xp.ones(3_000_000, device=engine))) == 3_000_000.0  # what the libraries themselves need
    if source in ("Parquet", "CSV"):
        import dask.dataframe
        import pyarrow.parquet  # noqa: F401

        assert dask.dataframe
    before, start = peak(), time.perf_counter()
    x = SOURCES[source](xp, engine)
    total = float(xp.sum(x))
    print(peak() - before, f"{time.perf_counter() - start:.1f}", x.nbytes)
    assert total == (0.0 if source == "memory map" else x.size)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
