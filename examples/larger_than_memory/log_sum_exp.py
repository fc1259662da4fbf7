"""Compute the logarithm of the sum of exponentials of each row by SciPy, in a matrix that is larger than memory.

python -m pip install ".[dask,special]"
python examples/larger_than_memory/log_sum_exp.py --megabytes 1000 --workers 2
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when SciPy is imported

from _store import normal, parsed, prepared
from scipy import special

import xtensor as xp
from xtensor import engines

COLUMNS = 200


def job(x: xp.Array) -> dict[str, xp.Array]:
    """Return the mean and the largest of the rows' results."""
    found = special.logsumexp(x, axis=1)
    mean, largest = engines.compute(xp.mean(found), xp.max(found))
    return {"mean": mean, "largest": largest}


def data(folder: Path, megabytes: float) -> xp.Array:
    """Return the matrix, from a store in the folder."""
    return normal(folder, megabytes, COLUMNS)


def main(argv: list[str] | None = None) -> None:
    """Compute and print."""
    options = parsed(__doc__, argv)
    with prepared(options) as folder:
        x = data(folder, options.megabytes)
        found = job(x)
        print(f"{x!r}\nmean {float(found['mean']):.6f}, largest {float(found['largest']):.6f}")


if __name__ == "__main__":
    main()
