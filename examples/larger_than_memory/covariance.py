"""Compute the covariance matrix of the columns by array-api-extra, of a matrix that is larger than memory.

python -m pip install ".[dask]" array-api-extra
python examples/larger_than_memory/covariance.py --megabytes 1000 --workers 2
"""

from __future__ import annotations

from pathlib import Path

import array_api_extra as xpx
from _store import normal, parsed, prepared

import xtensor as xp
from xtensor import engines

COLUMNS = 200


def job(x: xp.Array) -> dict[str, xp.Array]:
    """Return the covariance matrix of the columns."""
    (covariance,) = engines.compute(xpx.cov(x.T))
    return {"covariance": covariance}


def data(folder: Path, megabytes: float) -> xp.Array:
    """Return the matrix, from a store in the folder."""
    return normal(folder, megabytes, COLUMNS)


def main(argv: list[str] | None = None) -> None:
    """Compute and print the first columns' covariances."""
    options = parsed(__doc__, argv)
    with prepared(options) as folder:
        x = data(folder, options.megabytes)
        print(f"{x!r}\n{job(x)['covariance'][:4, :4]}")


if __name__ == "__main__":
    main()
