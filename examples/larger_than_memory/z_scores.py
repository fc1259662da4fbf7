"""Count outliers by the z-scores of SciPy, in a matrix that is larger than memory.

python -m pip install ".[dask,special]"
python examples/larger_than_memory/z_scores.py --megabytes 1000 --workers 2
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # read when SciPy is imported

from _store import normal, parsed, prepared
from scipy import stats

import xtensor as xp
from xtensor import engines

COLUMNS = 1000


def job(x: xp.Array) -> dict[str, xp.Array]:
    """Return the number of elements of each column that are more than three deviations from the mean."""
    with engines.forbid_computations():  # SciPy then leaves out a check of the data, which is a pass over them
        scores = stats.zscore(x, axis=0)
    outliers, largest = engines.compute(xp.count_nonzero(xp.abs(scores) > 3, axis=0), xp.max(xp.abs(scores)))
    return {"outliers": outliers, "largest": largest}


def data(folder: Path, megabytes: float) -> xp.Array:
    """Return the matrix, from a store in the folder."""
    return normal(folder, megabytes, COLUMNS)


def main(argv: list[str] | None = None) -> None:
    """Count and print."""
    options = parsed(__doc__, argv)
    with prepared(options) as folder:
        x = data(folder, options.megabytes)
        found = job(x)
        share = float(xp.sum(found["outliers"])) / x.size
        print(f"{x!r}\n{share:.4%} of the elements are outliers, 0.2700% expected; the largest: {found['largest']}")


if __name__ == "__main__":
    main()
