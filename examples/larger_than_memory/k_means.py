"""Divide the rows of a matrix that is larger than memory into groups: k-means written in the Array API.

    python -m pip install ".[dask]"
    python examples/larger_than_memory/k_means.py --megabytes 2000 --workers 2

The function takes Arrays of any device. Each iteration is one pass over the rows.

S. Lloyd, "Least squares quantization in PCM" (1982).
"""

from __future__ import annotations

from pathlib import Path

from _store import chunks_of_rows, parsed, prepared, shape_of

import xtensor as xp
from xtensor import engines

COLUMNS = 50
GROUPS = 8


def k_means(x: xp.Array, centres: xp.Array, *, tolerance: float = 1e-6, iterations: int = 10) -> xp.Array:
    """Return the centres of groups of rows.

    Parameters
    ----------
    x
        Matrix of shape ``(rows, columns)``.
    centres
        First centres, of shape ``(groups, columns)``.
    tolerance
        Largest change of a centre at which the iteration ends.
    """
    numbers = xp.arange(centres.shape[0], device=x.device)
    for _ in range(iterations):
        distances = xp.sum(centres * centres, axis=1) - 2 * (x @ centres.T)  # the square of x is the same for all
        chosen = xp.astype(xp.argmin(distances, axis=1)[:, None] == numbers, x.dtype)
        found = chosen.T @ x / xp.maximum(xp.sum(chosen, axis=0), 1.0)[:, None]
        found, change = engines.persist(found, xp.max(xp.abs(found - centres)))
        centres = found
        if change <= tolerance:
            break
    return centres


def data(folder: Path, megabytes: float) -> xp.Array:
    """Return a matrix of normal numbers around the corners of a cube, from a store in the folder."""
    shape = shape_of(megabytes, COLUMNS)
    path = folder / f"groups-{shape[0]}-{COLUMNS}.zarr"
    if not path.exists():
        with chunks_of_rows(shape):
            numbers = xp.random.default_rng(0, device="dask").standard_normal(shape)
            row, column = (xp.arange(length, device="dask") for length in shape)
        row = engines.rechunk(row, (engines.chunks(numbers)[0],))
        is_own = row[:, None] % GROUPS == column % GROUPS
        engines.to_zarr(numbers + 4.0 * xp.astype(is_own, numbers.dtype), path)
    return engines.from_zarr(path)


def job(x: xp.Array) -> dict[str, xp.Array]:
    """Return the centres, from the first rows on."""
    (centres,) = engines.compute(k_means(x, x[:GROUPS, :]))
    return {"centres": centres}


def main(argv: list[str] | None = None) -> None:
    """Find the groups and print the first numbers of their centres."""
    options = parsed(__doc__, argv)
    with prepared(options) as folder:
        x = data(folder, options.megabytes)
        print(f"{x!r}\n{job(x)['centres'][:, :GROUPS]}")


if __name__ == "__main__":
    main()
