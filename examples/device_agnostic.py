"""Functions that name no device, run on every device of this machine.

    python examples/device_agnostic.py

They get the namespace from the array, create arrays on its device, index every axis, and do not mix kinds of dtypes.
Such functions run on the device ``strict``, on all other devices, and on NumPy arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import xtensor as xp

Data = Any
"""An array of a library with the Array API: here a NumPy array or an xtensor Array."""


def standardize(x: Data) -> Data:
    """Scale the columns of a table to mean 0 and standard deviation 1."""
    namespace = x.__array_namespace__()
    return (x - namespace.mean(x, axis=0, keepdims=True)) / namespace.std(x, axis=0, keepdims=True)


def squared_distances(x: Data, y: Data) -> Data:
    """Return the squared distances of all rows of one table from all rows of another."""
    namespace = x.__array_namespace__()
    difference = x[:, None, :] - y[None, :, :]
    return namespace.sum(difference * difference, axis=-1)


def clusters(x: Data, count: int, rounds: int = 20) -> tuple[Data, Data]:
    """Return the centres of clusters and the cluster of each row, by Lloyd's algorithm from evenly spaced rows."""
    namespace = x.__array_namespace__()
    centres = x[:: x.shape[0] // count, :][:count, :]
    names = namespace.arange(count, device=x.device)
    for _ in range(rounds):
        nearest = namespace.argmin(squared_distances(x, centres), axis=1)
        members = namespace.astype(nearest[:, None] == names[None, :], x.dtype)
        sizes = namespace.sum(members, axis=0)
        centres = namespace.matrix_transpose(members) @ x / sizes[:, None]
    return centres, nearest


def main() -> None:
    """Find three clusters on NumPy and on every device, and compare."""
    rng = np.random.default_rng(0)
    centres = np.asarray([[0.0, 0.0], [6.0, 1.0], [2.0, 7.0]])
    table = np.concatenate([centre + rng.normal(size=(200, 2)) for centre in centres])

    expected, names = clusters(standardize(table), 3)
    print(f"{'NumPy':<18} sizes {np.bincount(names)}")
    for device in xp.devices():
        try:
            data = xp.asarray(table, device=device)
        except xp.BackendUnavailableError as error:
            print(f"{device!s:<18} {error.reason}")
            continue
        except TypeError as error:  # the device has no float64
            print(f"{device!s:<18} {error}")
            continue
        result, names = clusters(standardize(data), 3)
        if result.device is not device:
            raise SystemExit(f"the result is on {result.device}, not on {device}")
        difference = np.max(np.abs(np.asarray(result.to_device("cpu")) - expected))
        sizes = np.bincount(np.asarray(names.to_device("cpu")))
        print(f"{device!s:<18} sizes {sizes}, centres within {difference:.0e} of NumPy's")
        if difference > 1e-5:
            raise SystemExit(f"the results of {device} and NumPy differ")


if __name__ == "__main__":
    main()
