"""joblib, unmodified: Arrays in other processes and threads, and in files."""

from __future__ import annotations

import numpy as np
import pytest

joblib = pytest.importorskip("joblib", reason="joblib is not installed: dependency group consumers")

import xtensor as xp  # noqa: E402 - after importorskip


def doubled(x):
    """Return twice an Array, and the name of its device."""
    return x * 2.0, str(x.device)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_parallel_preserves_values_and_device(device, backend):
    parts = [xp.asarray([float(i), -1.0]) for i in range(3)]
    results = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(doubled)(part) for part in parts)
    for i, (result, worker_device) in enumerate(results):
        assert worker_device == str(device)
        assert result.device is device
        np.testing.assert_array_equal(np.asarray(result.to_device("cpu")), [2.0 * i, -2.0])


def test_dump_and_load_preserve_values_and_device(device, tmp_path):
    x = xp.reshape(xp.arange(6.0), (2, 3))
    joblib.dump(x, tmp_path / "x.joblib")
    loaded = joblib.load(tmp_path / "x.joblib")
    assert loaded.device is device
    np.testing.assert_array_equal(np.asarray(loaded.to_device("cpu")), np.arange(6.0).reshape(2, 3))
