"""A program of tests/test_dask_cluster.py: a computation on two processes, one of which is killed in the middle."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

import xtensor as xp
from xtensor import engines


def slow(chunk: np.ndarray) -> np.ndarray:
    time.sleep(0.1)
    return chunk


def failing(chunk: np.ndarray) -> np.ndarray:
    if chunk.size:
        raise OSError("the disk of this worker is full")
    return chunk


def main(case: str) -> None:
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        values = np.random.default_rng(0).standard_normal((400, 50))
        x = engines.from_engine(da.from_array(values, chunks=(10, 50)).map_blocks(slow, dtype=values.dtype))
        if case == "killed worker":
            victim = next(iter(client.run(os.getpid).values()))
            threading.Timer(0.7, os.kill, (victim, signal.SIGKILL)).start()
            mean, variance = engines.compute(xp.mean(x, axis=0), xp.var(x, axis=0))
            assert victim not in client.run(os.getpid).values()
            np.testing.assert_allclose(np.asarray(mean), values.mean(axis=0))
            np.testing.assert_allclose(np.asarray(variance), values.var(axis=0))
        elif case == "failing chunk":
            broken = engines.from_engine(engines.to_engine(x).map_blocks(failing, dtype=x.dtype))
            with pytest.raises(OSError, match="disk of this worker"):
                engines.compute(xp.sum(broken))
        else:
            assert str(x.device.info().name).startswith("tcp://")
            y = xp.linalg.qr(x)[1].T @ xp.fft.fft(x.T).real[:, :50]
            expected = np.linalg.qr(values)[1].T
            found = np.asarray(y.to_device("cpu"))
            np.testing.assert_allclose(np.abs(found), np.abs(expected @ np.fft.fft(values.T).real[:, :50]), rtol=1e-6)
    print("done")


if __name__ == "__main__":
    main(sys.argv[1])
