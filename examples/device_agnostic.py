"""Write functions that know no device, and run them on every device of this machine.

    python examples/device_agnostic.py

The rules are few: ask the array for its namespace, create new arrays on its device, index every axis, and keep to one
kind of dtype. Code that obeys them runs on the device ``strict``, and then it runs everywhere, NumPy's own arrays
included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import xtensor as xp

Data = Any
"""An array of any library that has the Array API: here a NumPy array or an xtensor Array."""


def standardize(x: Data) -> Data:
    """The columns of a table, each with mean 0 and standard deviation 1."""
    space = x.__array_namespace__()
    return (x - space.mean(x, axis=0, keepdims=True)) / space.std(x, axis=0, keepdims=True)


def squared_distances(x: Data, y: Data) -> Data:
    """The squared distance of every row of one table from every row of another."""
    space = x.__array_namespace__()
    difference = x[:, None, :] - y[None, :, :]
    return space.sum(difference * difference, axis=-1)


def clusters(x: Data, count: int, rounds: int = 20) -> tuple[Data, Data]:
    """Lloyd's algorithm: the centres of clusters, and the cluster of each row; it begins with rows spread evenly."""
    space = x.__array_namespace__()
    centres = x[:: x.shape[0] // count, :][:count, :]
    names = space.arange(count, device=x.device)
    for _ in range(rounds):
        nearest = space.argmin(squared_distances(x, centres), axis=1)
        members = space.astype(nearest[:, None] == names[None, :], x.dtype)
        sizes = space.sum(members, axis=0)
        centres = space.matrix_transpose(members) @ x / sizes[:, None]
    return centres, nearest


def main() -> None:
    """Find three clusters on NumPy and on every device, and compare."""
    rng = np.random.default_rng(0)
    centres = np.asarray([[0.0, 0.0], [6.0, 1.0], [2.0, 7.0]])
    table = np.concatenate([centre + rng.normal(size=(200, 2)) for centre in centres])

    expected, names = clusters(standardize(table), 3)
    print(f"{'NumPy':<18} sizes {np.bincount(names)}")
    for device in xp.devices():
        found, names = clusters(standardize(xp.asarray(table, device=device)), 3)
        if found.device is not device:
            raise SystemExit(f"the result left {device}")
        difference = np.max(np.abs(np.asarray(found.to_device("cpu")) - expected))
        sizes = np.bincount(np.asarray(names.to_device("cpu")))
        print(f"{device!s:<18} sizes {sizes}, centres within {difference:.0e} of NumPy's")
        if difference > 1e-5:
            raise SystemExit(f"{device} and NumPy disagree")


if __name__ == "__main__":
    main()
