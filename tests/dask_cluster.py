"""A program of test_dask_cluster.py: a computation on two processes, one of which is killed in the middle."""

from __future__ import annotations

import faulthandler
import io
import os
import signal
import sys
import threading
import time
from contextlib import redirect_stdout

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, get_client

import xtensor as xp
from xtensor import engines


def slow(chunk: np.ndarray) -> np.ndarray:
    time.sleep(0.1)
    return chunk


def failing(chunk: np.ndarray) -> np.ndarray:
    if chunk.size:
        raise OSError("the disk of this worker is full")
    return chunk


OPTIONS = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0"}


def scheduler_by_configuration() -> None:
    x = xp.ones((400, 50), device="dask")
    with LocalCluster(**OPTIONS) as cluster, dask.config.set({"xtensor.scheduler": cluster.scheduler_address}):
        assert float(xp.sum(x)) == 20_000.0
        with get_client() as client:  # made by the computation
            assert client.scheduler.address == cluster.scheduler_address
            assert client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    nowhere = {"xtensor.scheduler": "tcp://127.0.0.1:9", "distributed.comm.timeouts.connect": "1s"}
    refused = pytest.raises(ConnectionError, match=r"no scheduler at 'tcp://127\.0\.0\.1:9'.*xtensor\.scheduler")
    with dask.config.set(nowhere), refused:
        float(xp.sum(x + 1))


def use_in_child(x: xp.Array, total: float, large: xp.Array, large_total: float, address: str) -> None:
    """Compute in a forked process, and end it."""
    faulthandler.dump_traceback_later(60, exit=True)
    status = 1
    try:
        with pytest.raises(ConnectionError, match=r"was forked.*make a distributed\.Client in this process"):
            xp.sum(x).item()
        with dask.config.set(scheduler="threads"):
            np.testing.assert_allclose(float(xp.sum(x)), total)
        Client(address)
        np.testing.assert_allclose(float(xp.sum(x + 1)), total + x.size)
        np.testing.assert_allclose(float(xp.sum(large + 1)), large_total + large.size)
        status = 0
    finally:
        sys.stdout.flush()
        os._exit(status)


def main(case: str) -> None:
    if case == "scheduler by configuration":
        scheduler_by_configuration()
        print("done")
        return
    with LocalCluster(**OPTIONS) as cluster, Client(cluster) as client:
        values = np.random.default_rng(0).standard_normal((400, 50))
        x = engines.from_engine(da.from_array(values, chunks=(10, 50)).map_blocks(slow, dtype=values.dtype))
        if case == "progress":
            shown = io.StringIO()
            with redirect_stdout(shown), engines.progress(0.2):
                total = float(xp.sum(x))
            assert "100% Completed" in shown.getvalue()
            with redirect_stdout(shown), engines.progress(1000.0):
                np.testing.assert_allclose([total, float(xp.sum(x[:10]))], [values.sum(), values[:10].sum()])
            assert shown.getvalue().count("100% Completed") == 1
        elif case == "killed worker":
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
        elif case == "forked client":
            large = xp.asarray(np.ones(1_500_000), device="dask")  # a thread sends what is large
            total, large_total = float(xp.sum(x)), float(xp.sum(large))
            child = os.fork()
            if not child:
                use_in_child(x, total, large, large_total, client.scheduler.address)
            assert os.waitpid(child, 0)[1] == 0
            np.testing.assert_allclose(float(xp.sum(x)), total)
        else:
            assert str(x.device.info().name).startswith("tcp://")
            y = xp.linalg.qr(x)[1].T @ xp.fft.fft(x.T).real[:, :50]
            expected = np.linalg.qr(values)[1].T
            found = np.asarray(y.to_device("cpu"))
            np.testing.assert_allclose(np.abs(found), np.abs(expected @ np.fft.fft(values.T).real[:, :50]), rtol=1e-6)
    print("done")


if __name__ == "__main__":
    main(sys.argv[1])
