"""Compute mean and variance of the columns of a Zarr store that is larger than memory, in one pass.

python -m pip install ".[dask]"
python examples/larger_than_memory/mean_and_variance.py --megabytes 2000 --workers 2
"""

from __future__ import annotations

from pathlib import Path

from _store import normal, parsed, prepared

import xtensor as xp
from xtensor import engines

COLUMNS = 1000


def job(x: xp.Array) -> dict[str, xp.Array]:
    """Return the mean and the variance of each column."""
    mean, variance = engines.compute(xp.mean(x, axis=0), xp.var(x, axis=0))
    return {"mean": mean, "variance": variance}


def data(folder: Path, megabytes: float) -> xp.Array:
    """Return the matrix, from a store in the folder."""
    return normal(folder, megabytes, COLUMNS)


def main(argv: list[str] | None = None) -> None:
    """Compute and print the first columns' moments."""
    options = parsed(__doc__, argv)
    with prepared(options) as folder:
        x = data(folder, options.megabytes)
        print(x)
        for name, values in job(x).items():
            print(f"{name} of the first columns: {values[:6]}")


if __name__ == "__main__":
    main()
